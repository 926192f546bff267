/* Validation of a variant with weights from a file, which are for one model only.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-params-private.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-validate-private.h"
#include "engine/experiment/ns-weight-source.h"

#include <glib/gi18n-lib.h>

/* A changed wiring can need matrices that the model does not have. */
static gboolean
check_source_matrices (const NsExperiment *experiment, guint v, const char *where, GError **error)
{
  const NsVariant *variant = ns_experiment_variant (experiment, v);
  gint64 head = ns_experiment_get_head_site (experiment);

  for (gint64 site = 0; site <= head; site++)
    for (NsTensor t = 0; t < NS_N_TENSORS; t++)
      {
        gboolean transposed;
        NsWeightPlace place = { .tensor = t,
                                .part = site < head ? ns_site_get_part (experiment, site) : NS_PART_STACK,
                                .layer = site < head ? ns_site_get_layer (experiment, site) : 0 };

        if (ns_tensor_is_matrix (t) && ns_tensor_exists (t, experiment, v, site)
            && !variant->source->has (variant->source, place, &transposed))
          return ns_validate_fail (
              error, where, KEYS ("activation"),
              _ ("%s has no matrix %s; allowed: settings of the model that need only its own matrices"),
              variant->source->name, ns_tensor_get_name (t));
      }
  return TRUE;
}

/* Refuse a setting of the shape that differs from the file's. */
static gboolean
refuse_setting (const NsExperiment *experiment, const NsExperiment *model, const NsVariant *variant, const char *where,
                const char *key, GError **error)
{
  g_autofree char *value = ns_param_dup_text (ns_param_find (key), experiment);
  g_autofree char *own = ns_param_dup_text (ns_param_find (key), model);

  return ns_validate_fail (error, where, KEYS (key), _ ("%s: %s is not allowed; allowed: %s, as in %s"), key, value,
                           own, variant->source->name);
}

/* A sweep, a smaller model and the like change the shape, and a file has weights for one shape only. */
gboolean
ns_validate_weights (const NsExperiment *experiment, guint v, const char *where, GError **error)
{
  static const char *const keys[] = { "shape.stack",  "shape.depth", "shape.d_model", "shape.heads", "shape.kv_heads",
                                      "shape.d_head", "shape.d_ff",  "shape.vocab",   NULL };
  const NsVariant *variant = ns_experiment_variant (experiment, v);
  const NsShape *shape = &experiment->shape;
  NsExperiment model = { 0 };

  if (variant->source == NULL)
    return TRUE;
  model.shape = variant->source->shape;
  for (guint i = 0; keys[i] != NULL; i++)
    if (!ns_param_equal (ns_param_find (keys[i]), experiment, &model))
      return refuse_setting (experiment, &model, variant, where, keys[i], error);
  if (ns_shape_get_part_vocab (shape, 0) != ns_shape_get_part_vocab (&model.shape, 0)
      || ns_shape_has_encoder_vocab (shape) != ns_shape_has_encoder_vocab (&model.shape))
    return refuse_setting (experiment, &model, variant, where, "shape.encoder_vocab", error);
  if (ns_experiment_get_depth (experiment, NS_PART_DECODER) != ns_experiment_get_depth (&model, NS_PART_DECODER))
    return ns_validate_fail (error, where, KEYS ("shape.decoder_depth"),
                             _ ("shape.decoder_depth: %lld is not allowed; allowed: %lld, as in %s"),
                             (long long) ns_experiment_get_depth (experiment, NS_PART_DECODER),
                             (long long) ns_experiment_get_depth (&model, NS_PART_DECODER), variant->source->name);
  if (variant->experts.count != variant->source->experts.count
      || (variant->experts.count > 0 && variant->experts.shared != variant->source->experts.shared))
    return ns_validate_fail (
        error, where, KEYS ("experts", "shared_experts"),
        _ ("%sexperts: %lld and %lld shared are not allowed; allowed: %lld and %lld, as in %s (0: none)"), where,
        (long long) variant->experts.count, (long long) variant->experts.shared,
        (long long) variant->source->experts.count, (long long) variant->source->experts.shared, variant->source->name);
  if (shape->seq_len > variant->source->max_tokens)
    return ns_validate_fail (error, where, KEYS ("shape.seq_len"),
                             _ ("shape.seq_len: %lld is not allowed; allowed: up to %lld, as many positions as %s has"),
                             (long long) shape->seq_len, (long long) variant->source->max_tokens,
                             variant->source->name);
  return check_source_matrices (experiment, v, where, error);
}
