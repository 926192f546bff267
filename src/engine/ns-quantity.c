/* The table of tensors and quantities, and which of them a variant has where.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-quantity.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define TENSOR(name_, plain_, markup_, help_)                                                                        \
  {                                                                                                                  \
    name_, "‖∂L/∂" plain_ "‖", "‖∂L/∂" markup_ "‖", help_, NS_KIND_GRADIENT, TRUE                                    \
  }

static const NsQuantityInfo table[NS_N_QUANTITIES] = {
  [NS_T_W_Q] = TENSOR ("w_q", "W_Q", "W<sub>Q</sub>", N_ ("Gradient norm of the query projection")),
  [NS_T_W_K] = TENSOR ("w_k", "W_K", "W<sub>K</sub>", N_ ("Gradient norm of the key projection")),
  [NS_T_W_V] = TENSOR ("w_v", "W_V", "W<sub>V</sub>", N_ ("Gradient norm of the value projection")),
  [NS_T_W_O] = TENSOR ("w_o", "W_O", "W<sub>O</sub>", N_ ("Gradient norm of the attention's output projection")),
  [NS_T_W_1] = TENSOR ("w_1", "W₁", "W<sub>1</sub>", N_ ("Gradient norm of the FFN's first matrix")),
  [NS_T_W_2] = TENSOR ("w_2", "W₂", "W<sub>2</sub>", N_ ("Gradient norm of the FFN's last matrix")),
  [NS_T_W_3] = TENSOR ("w_3", "W₃", "W<sub>3</sub>", N_ ("Gradient norm of the matrix beside the gated FFN's first")),
  [NS_T_B_Q] = TENSOR ("b_q", "b_Q", "b<sub>Q</sub>", N_ ("Gradient norm of the queries' bias")),
  [NS_T_B_K] = TENSOR ("b_k", "b_K", "b<sub>K</sub>", N_ ("Gradient norm of the keys' bias")),
  [NS_T_B_V] = TENSOR ("b_v", "b_V", "b<sub>V</sub>", N_ ("Gradient norm of the values' bias")),
  [NS_T_B_O] = TENSOR ("b_o", "b_O", "b<sub>O</sub>", N_ ("Gradient norm of the bias of the output projection")),
  [NS_T_B_1] = TENSOR ("b_1", "b₁", "b<sub>1</sub>", N_ ("Gradient norm of the bias of the FFN's first matrix")),
  [NS_T_B_2] = TENSOR ("b_2", "b₂", "b<sub>2</sub>", N_ ("Gradient norm of the bias of the FFN's last matrix")),
  [NS_T_B_3] = TENSOR ("b_3", "b₃", "b<sub>3</sub>",
                       N_ ("Gradient norm of the bias of the matrix beside the gated FFN's first")),
  [NS_T_GAIN_ATTN_PRE] = TENSOR ("gain_attn_pre", "γ_attn,pre", "γ<sub>attn,pre</sub>",
                                 N_ ("Gradient norm of the gain of the norm before the attention")),
  [NS_T_GAIN_ATTN_BRANCH] = TENSOR ("gain_attn_branch", "γ_attn,branch", "γ<sub>attn,branch</sub>",
                                    N_ ("Gradient norm of the gain of the norm on the attention's branch")),
  [NS_T_GAIN_ATTN_POST] = TENSOR ("gain_attn_post", "γ_attn,post", "γ<sub>attn,post</sub>",
                                  N_ ("Gradient norm of the gain of the norm after the attention's add")),
  [NS_T_GAIN_FFN_PRE] = TENSOR ("gain_ffn_pre", "γ_ffn,pre", "γ<sub>ffn,pre</sub>",
                                N_ ("Gradient norm of the gain of the norm before the FFN")),
  [NS_T_GAIN_FFN_BRANCH] = TENSOR ("gain_ffn_branch", "γ_ffn,branch", "γ<sub>ffn,branch</sub>",
                                   N_ ("Gradient norm of the gain of the norm on the FFN's branch")),
  [NS_T_GAIN_FFN_POST] = TENSOR ("gain_ffn_post", "γ_ffn,post", "γ<sub>ffn,post</sub>",
                                 N_ ("Gradient norm of the gain of the norm after the FFN's add")),
  [NS_T_BIAS_ATTN_PRE] = TENSOR ("bias_attn_pre", "β_attn,pre", "β<sub>attn,pre</sub>",
                                 N_ ("Gradient norm of the bias of the norm before the attention")),
  [NS_T_BIAS_ATTN_BRANCH] = TENSOR ("bias_attn_branch", "β_attn,branch", "β<sub>attn,branch</sub>",
                                    N_ ("Gradient norm of the bias of the norm on the attention's branch")),
  [NS_T_BIAS_ATTN_POST] = TENSOR ("bias_attn_post", "β_attn,post", "β<sub>attn,post</sub>",
                                  N_ ("Gradient norm of the bias of the norm after the attention's add")),
  [NS_T_BIAS_FFN_PRE] = TENSOR ("bias_ffn_pre", "β_ffn,pre", "β<sub>ffn,pre</sub>",
                                N_ ("Gradient norm of the bias of the norm before the FFN")),
  [NS_T_BIAS_FFN_BRANCH] = TENSOR ("bias_ffn_branch", "β_ffn,branch", "β<sub>ffn,branch</sub>",
                                   N_ ("Gradient norm of the bias of the norm on the FFN's branch")),
  [NS_T_BIAS_FFN_POST] = TENSOR ("bias_ffn_post", "β_ffn,post", "β<sub>ffn,post</sub>",
                                 N_ ("Gradient norm of the bias of the norm after the FFN's add")),
  [NS_T_W_HEAD] = TENSOR ("w_head", "W_head", "W<sub>head</sub>", N_ ("Gradient norm of the head's matrix")),
  [NS_T_B_HEAD] = TENSOR ("b_head", "b_head", "b<sub>head</sub>", N_ ("Gradient norm of the head's bias")),
  [NS_T_GAIN_FINAL] = TENSOR ("gain_final", "γ_final", "γ<sub>final</sub>",
                              N_ ("Gradient norm of the gain of the final norm")),
  [NS_T_BIAS_FINAL] = TENSOR ("bias_final", "β_final", "β<sub>final</sub>",
                              N_ ("Gradient norm of the bias of the final norm")),

  [NS_Q_ATTN] = { "attn", "‖∂L/∂θ_attn‖", "‖∂L/∂θ<sub>attn</sub>‖",
                  N_ ("Gradient norm of all parameters of the attention, its norms included"), NS_KIND_GRADIENT,
                  FALSE },
  [NS_Q_FFN] = { "ffn", "‖∂L/∂θ_ffn‖", "‖∂L/∂θ<sub>ffn</sub>‖",
                 N_ ("Gradient norm of all parameters of the FFN, its norms included"), NS_KIND_GRADIENT, FALSE },
  [NS_Q_BLOCK] = { "block", "‖∂L/∂θ‖", "‖∂L/∂θ‖", N_ ("Gradient norm of all parameters of the block"),
                   NS_KIND_GRADIENT, FALSE },
  [NS_Q_GRAD_X] = { "grad_x", "‖∂L/∂x‖", "‖∂L/∂x‖", N_ ("Norm of the gradient that reaches the block's output"),
                    NS_KIND_GRADIENT, FALSE },
  [NS_Q_RMS_X] = { "rms_x", "rms(x)", "rms(x)", N_ ("Root mean square of the block's output"), NS_KIND_ACTIVATION,
                   FALSE },
  [NS_Q_RMS_ATTN] = { "rms_attn", "rms(attn)", "rms(attn)", N_ ("Root mean square of what the attention adds"),
                      NS_KIND_ACTIVATION, FALSE },
  [NS_Q_RMS_FFN] = { "rms_ffn", "rms(ffn)", "rms(ffn)", N_ ("Root mean square of what the FFN adds"),
                     NS_KIND_ACTIVATION, FALSE },
  [NS_Q_TOKEN_COS] = { "token_cos", "token similarity", "token similarity",
                       N_ ("Mean cosine between two different tokens of a sequence; 1 when all are the same vector"),
                       NS_KIND_COSINE, FALSE },
  [NS_Q_LOSS] = { "loss", "L", "L", N_ ("Mean cross-entropy over the tokens"), NS_KIND_LOSS, FALSE },
};

const NsQuantityInfo *
ns_quantity_info (NsQuantity quantity)
{
  g_return_val_if_fail ((guint) quantity < NS_N_QUANTITIES, NULL);
  return &table[quantity];
}

gboolean
ns_quantity_from_name (const char *name, NsQuantity *quantity)
{
  for (guint q = 0; q < NS_N_QUANTITIES; q++)
    if (strcmp (table[q].name, name) == 0)
      {
        *quantity = (NsQuantity) q;
        return TRUE;
      }
  return FALSE;
}

/* ---- which variant has what ---- */

/* The linear maps of a block, and with `bias` their biases. */
static gboolean
has_linear (NsTensor weight, const NsVariant *variant)
{
  switch ((int) weight)
    {
    case NS_T_W_O:
      return variant->attention_output;
    case NS_T_W_3:
      return ns_activation_is_gated ((NsActivation) variant->activation);
    default:
      return TRUE;
    }
}

static gboolean
has_gain (NsTensor gain, const NsVariant *variant, gint64 block, gint64 depth)
{
  NsPlacement attn = ns_variant_get_placement (variant, NS_SUB_ATTN, block, depth);
  NsPlacement ffn = ns_variant_get_placement (variant, NS_SUB_FFN, block, depth);
  /* Side by side the two sub-layers share the attention's pre and post norm. */
  gboolean parallel = variant->topology == NS_TOPOLOGY_PARALLEL;

  switch ((int) gain)
    {
    case NS_T_GAIN_ATTN_PRE:
      return ns_placement_has_pre (attn);
    case NS_T_GAIN_ATTN_BRANCH:
      return ns_placement_has_branch (attn);
    case NS_T_GAIN_ATTN_POST:
      return ns_placement_has_post (attn);
    case NS_T_GAIN_FFN_PRE:
      return !parallel && ns_placement_has_pre (ffn);
    case NS_T_GAIN_FFN_BRANCH:
      return ns_placement_has_branch (ffn);
    case NS_T_GAIN_FFN_POST:
      return !parallel && ns_placement_has_post (ffn);
    default:
      g_return_val_if_reached (FALSE);
    }
}

static gboolean
norms_have_bias (const NsVariant *variant)
{
  return variant->bias && variant->norm == NS_NORM_LAYERNORM;
}

static gboolean
head_has (NsQuantity quantity, const NsExperiment *experiment, guint variant_index)
{
  const NsVariant *variant = ns_experiment_variant (experiment, variant_index);
  gboolean has_head = experiment->loss == NS_LOSS_CROSS_ENTROPY;
  gboolean has_norm = ns_experiment_has_final_norm (experiment, variant_index);

  switch ((int) quantity)
    {
    case NS_T_W_HEAD:
    case NS_Q_LOSS:
      return has_head;
    case NS_T_B_HEAD:
      return has_head && variant->bias;
    case NS_T_GAIN_FINAL:
      return has_norm;
    case NS_T_BIAS_FINAL:
      return has_norm && norms_have_bias (variant);
    default:
      return FALSE;
    }
}

static gboolean
block_has_tensor (NsTensor tensor, const NsVariant *variant, gint64 block, gint64 depth)
{
  if (tensor <= NS_T_W_3)
    return has_linear (tensor, variant);
  if (tensor <= NS_T_B_3)
    return variant->bias && has_linear ((NsTensor) (NS_T_W_Q + (tensor - NS_T_B_Q)), variant);
  if (tensor <= NS_T_GAIN_FFN_POST)
    return has_gain (tensor, variant, block, depth);
  if (tensor <= NS_T_BIAS_FFN_POST)
    return norms_have_bias (variant)
           && has_gain ((NsTensor) (NS_T_GAIN_ATTN_PRE + (tensor - NS_T_BIAS_ATTN_PRE)), variant, block, depth);
  return FALSE;
}

gboolean
ns_quantity_exists (NsQuantity quantity, const NsExperiment *experiment, guint variant, gint64 site)
{
  gint64 depth = experiment->shape.depth;
  const NsVariant *wiring;

  g_return_val_if_fail ((guint) quantity < NS_N_QUANTITIES, FALSE);
  g_return_val_if_fail (variant < experiment->variants->len, FALSE);

  wiring = ns_experiment_variant (experiment, variant);
  if (site < 0 || site > depth + 1)
    return FALSE;
  if (site == depth + 1)
    return head_has (quantity, experiment, variant);

  switch ((int) quantity)
    {
    case NS_Q_GRAD_X:
    case NS_Q_RMS_X:
      return TRUE;
    case NS_Q_TOKEN_COS:
      return experiment->shape.seq_len > 1;
    case NS_Q_ATTN:
    case NS_Q_FFN:
    case NS_Q_BLOCK:
    case NS_Q_RMS_ATTN:
    case NS_Q_RMS_FFN:
      return site >= 1;
    case NS_Q_LOSS:
      return FALSE;
    default:
      return site >= 1 && block_has_tensor ((NsTensor) quantity, wiring, site, depth);
    }
}

void
ns_tensor_get_shape (NsTensor tensor, const NsShape *shape, gint64 *rows, gint64 *columns)
{
  g_return_if_fail ((guint) tensor < NS_N_TENSORS);

  *rows = 1;
  *columns = shape->d_model;
  switch ((int) tensor)
    {
    case NS_T_W_Q:
    case NS_T_W_K:
    case NS_T_W_V:
    case NS_T_W_O:
    case NS_T_W_2:
    case NS_T_W_1:
    case NS_T_W_3:
    case NS_T_W_HEAD:
      *rows = tensor == NS_T_W_2 ? shape->d_ff : shape->d_model;
      break;
    default:
      break;
    }
  switch ((int) tensor)
    {
    case NS_T_W_1:
    case NS_T_W_3:
    case NS_T_B_1:
    case NS_T_B_3:
      *columns = shape->d_ff;
      break;
    case NS_T_W_HEAD:
    case NS_T_B_HEAD:
      *columns = shape->vocab;
      break;
    default:
      break;
    }
}
