/* normscope-cli link: print an experiment as a link.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"
#include "engine/experiment/ns-experiment.h"

#include "document/ns-experiment-json.h"
#include "document/ns-experiment-link.h"

#include <glib/gi18n.h>
#include <string.h>

static GBytes *
make_link (const NsCliOptions *options, gboolean expand, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autofree char *link = NULL;
  char *line;

  if (options->weights != NULL)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--weights: a link and an experiment file name no checkpoint; allowed with commands that "
                      "compute"));
      return NULL;
    }
  experiment = ns_cli_options_load (options, NULL, error);
  if (experiment == NULL)
    return NULL;
  if (expand)
    return ns_experiment_to_bytes (experiment);
  link = ns_experiment_to_link (experiment, error);
  if (link == NULL)
    return NULL;
  line = g_strconcat (link, "\n", NULL);
  return g_bytes_new_take (line, strlen (line));
}

int
ns_cli_link (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_autofree char *output = NULL;
  gboolean expand = FALSE;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, N_ ("Write to FILE instead of standard output"), N_ ("FILE") },
    { "expand", 'x', 0, G_OPTION_ARG_NONE, &expand, N_ ("Print the experiment file instead of a link"), NULL },
    { NULL },
  };

  if (!ns_cli_options_parse (&options, argc, argv, entries, TRUE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    bytes =
        ns_cli_options_help ("link", "[FILE.normscope|PICTURE|LINK]",
                             _ ("Print an experiment as a link, which every command accepts in place of a file.\n"
                                "With --expand, print the experiment file of a link or a picture."),
                             entries, TRUE);
  else
    bytes = make_link (&options, expand, &error);
  if (bytes == NULL || !ns_cli_write (options.help ? NULL : output, bytes, &error))
    return ns_cli_fail (error);
  return NS_EXIT_DONE;
}
