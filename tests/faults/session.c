/* session save DEPTH FILE | session load: save a session as the window does, or print its depth and its file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-last-session.h"

#include <stdio.h>
#include <string.h>

#include "engine/experiment/ns-experiment.h"

int
main (int argc, char **argv)
{
  NormscopeLastSession session = { 0 };
  g_autofree char *name = NULL;

  ns_scaling_settings_init (&session.scaling);
  if (argc == 4 && strcmp (argv[1], "save") == 0)
    {
      session.experiment = ns_experiment_new ();
      session.experiment->shape.depth = g_ascii_strtoll (argv[2], NULL, 10);
      session.file = g_file_new_for_path (argv[3]);
      normscope_last_session_save (&session);
    }
  else if (normscope_last_session_load (&session, NULL))
    {
      name = session.file != NULL ? g_file_get_basename (session.file) : NULL;
      printf ("%d %s\n", (int) session.experiment->shape.depth, name != NULL ? name : "-");
    }
  g_clear_pointer (&session.experiment, ns_experiment_free);
  g_clear_object (&session.file);
  return 0;
}
