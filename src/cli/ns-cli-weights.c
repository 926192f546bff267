/* The option --weights: the model of a config with the weights of a checkpoint, beside the same model at its start.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options-private.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-weight-source.h"

#include "cli/ns-cli.h"
#include "document/ns-file.h"
#include "import/ns-config-import.h"
#include "import/ns-trained-variant.h"

#include <glib/gi18n.h>
#include <string.h>

gboolean
ns_cli_add_trained (NsExperiment *experiment, const NsVariant *model, const NsCliOptions *options, GError **error)
{
  g_autofree char *path = ns_text_dup_short (options->weights, NS_TEXT_MAX_PATH);

  if (model == NULL || strcmp (options->files[0], "-") == 0 || ns_file_is_given_pipe (options->files[0]))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--weights %s: the names of its tensors depend on the model; allowed: with the file config.json "
                      "of the same model"),
                   path);
      return FALSE;
    }
  if (options->scaled)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--weights and --scaled exclude each other"));
      return FALSE;
    }
  ns_trained_variant_insert (experiment, model, options->weights);
  return TRUE;
}

gboolean
ns_cli_read_weights (NsExperiment *experiment, const NsCliOptions *options, GError **error)
{
  g_autoptr (GBytes) bytes = ns_file_read_path (options->files[0], NS_FILE_CONFIG, error);
  g_autoptr (NsConfigImport) import = NULL;
  g_autofree char *notes = NULL;
  const NsWeightSource *source;

  import = bytes != NULL ? ns_config_import_from_bytes (bytes, options->files[0], error) : NULL;
  if (import == NULL)
    return FALSE;
  if (!ns_trained_variant_read (experiment, import->model_type, import->tied, options->weights, &notes, error))
    {
      g_prefix_error (error, "--weights: ");
      return FALSE;
    }
  source = ns_experiment_variant (experiment, 0)->source;
  ns_cli_warn (_ ("%s: %zu tensors, %llu bytes, %s"), source->name, source->n_tensors,
               (unsigned long long) source->bytes, source->checksum);
  if (notes != NULL)
    ns_cli_warn ("%s", notes);
  return TRUE;
}
