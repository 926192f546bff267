/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-trained-variant.h"

#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "engine/experiment/ns-weight-source.h"
#include "import/ns-model-weights.h"

void
ns_trained_variant_insert (NsExperiment *experiment, const NsVariant *model, const char *path)
{
  g_autofree char *file = g_path_get_basename (path), *printable = ns_text_dup_name (file);
  NsVariant *trained = ns_variant_copy (model);

  g_free (trained->name);
  trained->name = g_strdup_printf ("%s (%s)", model->name, *printable != '\0' ? printable : "?");
  g_ptr_array_insert (experiment->variants, 0, trained);
}

gboolean
ns_trained_variant_read (NsExperiment *experiment, const char *model_type, gboolean is_tied, const char *path,
                         char **notes, GError **error)
{
  NsVariant *trained = ns_experiment_variant (experiment, 0);

  ns_weight_source_unref (trained->source);
  trained->source = ns_model_weights_open (path, model_type, is_tied, experiment, notes, error);
  return trained->source != NULL && ns_experiment_validate (experiment, error);
}
