/* The options that choose maps.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-maps.h"

#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"
#include "figures/ns-paths-figure.h"

#include <glib/gi18n.h>
#include <string.h>

void
ns_cli_maps_clear (NsCliMaps *maps)
{
  g_strfreev (maps->of);
  g_free (maps->optimizer);
  g_free (maps->learning_rate);
}

void
ns_cli_maps_append_entries (NsCliMaps *maps, GOptionEntry *entries)
{
  GOptionEntry mine[NS_CLI_N_MAPS_ENTRIES + 1] = {
    { "of", 0, 0, G_OPTION_ARG_STRING_ARRAY, &maps->of,
      N_ ("contributions: the shares of the input and of every sub-layer in the last block's output; lengths: the "
          "gradient at the input by the number of branches that its paths run through; gain: the factor by which the "
          "norm of a random gradient changes from any block down to any other; similarity: the cosines between the "
          "outputs of any two blocks, and between the gradients there; update: how far one step of an optimizer "
          "moves the stream, the output, the loss and every parameter; routing: the load of every expert and the "
          "gradient norm of its matrices"),
      N_ ("WORD") },
    { "probes", 0, 0, G_OPTION_ARG_INT, &maps->probes,
      N_ ("gain: random gradients at each block, for each seed (default 4)"), "N" },
    { "optimizer", 0, 0, G_OPTION_ARG_STRING, &maps->optimizer,
      N_ ("update: sgd, a step along the gradient (default), or adam, a step along its sign"),
      N_ ("WORD") },
    { "learning-rate", 0, 0, G_OPTION_ARG_STRING, &maps->learning_rate,
      N_ ("update: the factor of the step (default 0.001 for sgd, 1e-6 for adam)"), N_ ("NUMBER") },
    { "matrices-only", 0, 0, G_OPTION_ARG_NONE, &maps->matrices_only,
      N_ ("update: step the weight matrices alone, without biases, norms and branch scales"), NULL },
    { NULL },
  };

  maps->probes = NS_PATHS_DEFAULT_PROBES;
  if (maps->of_script)
    mine[0].description = N_ ("training: the first 20 steps of the training; or a map, as “paths” has it: "
                              "contributions, lengths, gain, similarity, update, routing");
  while (entries->long_name != NULL)
    entries++;
  memcpy (entries, mine, sizeof mine);
}

/* Return the words of --of, NULL-terminated; free the list alone. */
static const char **
list_kinds (gboolean of_script)
{
  const char **kinds = g_new0 (const char *, NS_N_PATHS + 2);

  for (int i = 0; i < NS_N_PATHS; i++)
    kinds[i] = ns_paths_kind_get_name ((NsPathsKind) i);
  if (of_script)
    kinds[NS_N_PATHS] = "training";
  return kinds;
}

void
ns_cli_maps_refuse_none (GError **error)
{
  g_autofree const char **kinds = list_kinds (FALSE);
  g_autofree char *all = g_strjoinv (", ", (char **) kinds);

  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--of is missing; allowed: %s"), all);
}

static gboolean
read_learning_rate (const char *text, double *rate, GError **error)
{
  char *end;

  *rate = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && *rate >= NS_PATHS_MIN_LEARNING_RATE && *rate <= NS_PATHS_MAX_LEARNING_RATE)
    return TRUE;
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--learning-rate: %s is not allowed; allowed: a number from %g to %g"), text,
               NS_PATHS_MIN_LEARNING_RATE, NS_PATHS_MAX_LEARNING_RATE);
  return FALSE;
}

/* Read the options that all kinds share. */
static gboolean
read_shared_settings (const NsCliMaps *maps, NsPathsSettings *settings, GError **error)
{
  const char *optimizers[NS_N_FIRST_STEPS + 1] = { NULL };
  int optimizer = NS_OPTIMIZER_SGD;

  if (maps->probes < 1 || maps->probes > NS_PATHS_MAX_PROBES)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--probes: %d is not allowed; allowed: from 1 to %d"),
                   maps->probes, NS_PATHS_MAX_PROBES);
      return FALSE;
    }
  for (int i = 0; i < NS_N_FIRST_STEPS; i++)
    optimizers[i] = ns_optimizer_get_name ((NsOptimizer) i);
  if (maps->optimizer != NULL)
    optimizer = ns_cli_parse_choice ("optimizer", maps->optimizer, optimizers, error);
  if (optimizer < 0)
    return FALSE;
  *settings = (NsPathsSettings){ .n_probes = (guint) maps->probes, .optimizer = (NsOptimizer) optimizer,
                                 .learning_rate = ns_optimizer_get_learning_rate ((NsOptimizer) optimizer),
                                 .matrices_only = maps->matrices_only };
  return maps->learning_rate == NULL || read_learning_rate (maps->learning_rate, &settings->learning_rate, error);
}

static GArray *
read_list (const NsCliMaps *maps, gboolean *training, GError **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (NsPathsSettings));
  g_autofree const char **kinds = list_kinds (maps->of_script);
  const char *step = maps->optimizer != NULL       ? "optimizer"
                     : maps->learning_rate != NULL ? "learning-rate"
                     : maps->matrices_only         ? "matrices-only"
                                                   : NULL;
  gboolean seen[NS_N_PATHS + 1] = { FALSE };
  NsPathsSettings settings;

  for (guint i = 0; maps->of != NULL && maps->of[i] != NULL; i++)
    {
      int kind = ns_cli_parse_choice ("of", maps->of[i], kinds, error);

      if (kind < 0)
        return NULL;
      seen[kind] = TRUE;
    }
  *training = seen[NS_N_PATHS];
  if (step != NULL && !seen[NS_PATHS_UPDATE])
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s is allowed with --of update only"), step);
      return NULL;
    }
  if (!read_shared_settings (maps, &settings, error))
    return NULL;
  for (int kind = 0; kind < NS_N_PATHS; kind++)
    if (seen[kind])
      {
        settings.kind = (NsPathsKind) kind;
        g_array_append_val (list, settings);
      }
  return g_steal_pointer (&list);
}

GArray *
ns_cli_maps_read (const NsCliMaps *maps, GError **error)
{
  gboolean training;

  return read_list (maps, &training, error);
}

NsScriptParts *
ns_cli_maps_read_parts (const NsCliMaps *maps, GError **error)
{
  NsScriptParts parts = { NULL };
  g_autoptr (GArray) list = read_list (maps, &parts.training, error);

  parts.maps = list;
  return list != NULL ? ns_script_parts_copy (&parts) : NULL;
}
