/* normscope-cli presets: lists the experiments that ship with the program, or prints one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"

#include "document/ns-experiment-json.h"
#include "document/ns-presets.h"
#include "document/ns-result-table.h"

#include <glib/gi18n.h>

static GBytes *
list_presets (void)
{
  GString *list = g_string_new (NULL);
  gsize n, widest = 0;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < n; i++)
    widest = MAX (widest, ns_text_width (presets[i].id));
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (list, "%-*s  %s\n", (int) widest, presets[i].id, presets[i].title);
  return g_string_free_to_bytes (list);
}

static GBytes *
print_preset (const char *id, GError **error)
{
  g_autoptr (NsExperiment) experiment = ns_preset_load (id, error);

  return experiment != NULL ? ns_experiment_to_bytes (experiment) : NULL;
}

int
ns_cli_presets (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_autofree char *output = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, N_ ("Write there instead of to standard output"), N_ ("FILE") },
    { NULL },
  };

  if (!ns_cli_options_parse (&options, argc, argv, entries, FALSE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    bytes = ns_cli_options_help ("presets", "[NAME]", _ ("Lists the presets, or prints one as an experiment file."),
                                 entries, FALSE);
  else
    bytes = options.files[0] != NULL ? print_preset (options.files[0], &error) : list_presets ();
  if (bytes == NULL || !ns_cli_write (options.help ? NULL : output, bytes, &error))
    return ns_cli_fail (error);
  return NS_EXIT_DONE;
}
