/* Validation of a variant with nGPT.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-params-private.h"
#include "engine/experiment/ns-validate-private.h"
#include "engine/experiment/ns-variants.h"

#include <glib/gi18n-lib.h>

/* Keys of a variant that nGPT leaves at their defaults. */
static const char *const ngpt_defaults[] = {
  "topology", "attention_output", "experts", "bias", "bias_qkv", "bias_k", "bias_output", "bias_ffn", "bias_norms",
  "bias_head", "attn.residual", "ffn.residual", "attn.inner_norm", "ffn.inner_norm", "qk_norm", "attention_scale",
  "post_fraction", "first_block_pre", "norm_scale", "residual_scale", "branch_parameter", "branch_norm_gain",
  "block_residual", "dual_residual", "input_scale", "input_norm", "init.truncate", "init.mup_base",
  "sublayers", "streams", "rotary_skip_every", "head_transform",
};

gboolean
ns_validate_ngpt (const NsExperiment *experiment, const NsVariant *variant, const char *where, GError **error)
{
  g_autoptr (NsVariant) plain = ns_variant_new ("plain");
  double step = ns_variant_get_branch_scale (variant, experiment->shape.depth);

  if (!variant->ngpt)
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (ngpt_defaults); i++)
    if (!ns_param_equal (ns_param_find (ngpt_defaults[i]), variant, plain))
      {
        g_autofree char *allowed = ns_param_dup_text (ns_param_find (ngpt_defaults[i]), plain);
        g_autofree char *why = g_strdup_printf (_ ("when ngpt = true, which has its own norms and scales; allowed: %s"),
                                                allowed);

        return ns_validate_refuse (variant, KEYS (ngpt_defaults[i], "ngpt"), where, why, error);
      }
  if (variant->attention == NS_ATTENTION_UNIFORM)
    return ns_validate_refuse (variant, KEYS ("attention", "ngpt"), where,
                               _ ("when ngpt = true, whose queries and keys have a length; allowed: full or causal"),
                               error);
  if (variant->rotary.pairs != NS_ROTARY_NONE && ns_rotary_scaling_has_factor (variant->rotary.scaling))
    return ns_validate_refuse (variant, KEYS ("rotary_scaling", "ngpt"), where,
                               _ ("when ngpt = true, whose queries and keys keep their length; allowed: none, linear "
                                  "or llama3"),
                               error);
  if (variant->final_norm == NS_FINAL_NORM_ON)
    return ns_validate_refuse (variant, KEYS ("final_norm", "ngpt"), where,
                               _ ("when ngpt = true, whose last block ends in a norm; allowed: auto or off"), error);
  if (variant->init.head.rule != NS_INIT_HEAD_SCHEME && variant->init.head.rule != NS_INIT_HEAD_TIED)
    return ns_validate_refuse (variant, KEYS ("init.head", "ngpt"), where,
                               _ ("when ngpt = true, whose matrices are normalized; allowed: scheme or tied"), error);
  if (!(step > 0 && step <= 1))
    return ns_validate_refuse (variant, KEYS ("branch_scale", "ngpt"), where,
                               _ ("when ngpt = true, where it is the first step toward a sub-layer's output; allowed: "
                                  "above 0, up to 1"),
                               error);
  if (variant->source != NULL)
    return ns_validate_refuse (variant, KEYS ("ngpt"), where,
                               _ ("with weights from a file; allowed: false"), error);
  if (experiment->shape.stack != NS_STACK_SINGLE)
    return ns_validate_refuse (variant, KEYS ("ngpt", "shape.stack"), where,
                               _ ("when shape.stack = encoder-decoder; allowed: false"), error);
  if (ns_shape_get_kv_heads (&experiment->shape) != experiment->shape.heads)
    return ns_validate_refuse (variant, KEYS ("ngpt", "shape.kv_heads"), where,
                               _ ("when shape.kv_heads is not shape.heads, since queries and keys share their factors; "
                                  "allowed: false"),
                               error);
  if (experiment->data.positions != NS_POSITIONS_NONE || experiment->data.token_types != 0
      || experiment->data.class_token != NS_CLASS_TOKEN_NONE || ns_experiment_has_patches (experiment))
    return ns_validate_refuse (variant,
                               KEYS ("ngpt", "data.positions", "data.token_types", "data.class_token",
                                     "shape.patch_features"),
                               where,
                               _ ("with positions, token types, a class token or patches at the input, whose sum has "
                                  "no fixed length; allowed: false"),
                               error);
  return TRUE;
}
