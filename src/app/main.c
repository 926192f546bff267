/* The program normscope, the window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-application.h"

#include <glib-unix.h>
#include <signal.h>

#include "app/work/normscope-worker.h"

/* Cancelled jobs end much sooner; do not keep the terminal waiting for one that hangs. */
#define WORKERS_MS 2000

int
main (int argc, char **argv)
{
  g_autoptr (NormscopeApplication) application = NULL;
  static const int signals[] = { SIGHUP, SIGINT, SIGTERM };
  int status;

  normscope_init_locale ();
  application = normscope_application_new (G_APPLICATION_DEFAULT_FLAGS);
  /* The second one ends the program at once. */
  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    g_unix_signal_add (signals[i], G_SOURCE_FUNC (normscope_application_end), application);
  status = g_application_run (G_APPLICATION (application), argc, argv);
  g_clear_object (&application);
  normscope_workers_wait (WORKERS_MS);
  return status;
}
