/* How the parameters of a plan start: standard deviations, distributions, and the values of vectors.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-plan.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-sub-layers.h"

#include <math.h>

/* Return TRUE for every matrix of a block but the projections of queries and keys. */
static gboolean
is_value_or_ffn (NsTensor t)
{
  return !ns_tensor_is_query_or_key (t) && t != NS_T_W_HEAD && t != NS_T_ROUTER && t != NS_T_SHARED_GATE;
}

/* Return TRUE for the last matrix of an attention branch: W_O, or W_V where there is none. */
static gboolean
ends_attention (const NsPlan *plan, NsTensor t)
{
  return ns_tensor_info (t)->slot == (plan->variant->attention_output ? NS_SLOT_O : NS_SLOT_V);
}

/* Return TRUE for the last matrix of a branch. */
static gboolean
ends_branch (const NsPlan *plan, NsTensor t)
{
  return t == NS_T_W_2 || t == NS_T_SHARED_W_2 || ends_attention (plan, t);
}

static double
xavier_variance (double in, double out)
{
  return 2 / (in + out);
}

/* Mitchell's init: the last matrix of a branch shrinks with the number of branches up to the end of its block, 2l. */
static double
mitchell_variance (const NsPlan *plan, NsTensor t, double in, double l)
{
  double d = (double) plan->C, n = plan->variant->sublayers == NS_SUB_LAYERS_BOTH ? 2 * l : l;

  if (t == NS_T_W_2 || t == NS_T_SHARED_W_2)
    return 1 / (in * n);
  return ends_attention (plan, t) ? 1 / (d * n) : 1 / d;
}

/* T5 (Raffel et al. 2020) divides by the root of the head width in W_Q, not in the attention. */
static double
t5_variance (const NsPlan *plan, NsTensor t, double in)
{
  return ns_tensor_info (t)->slot == NS_SLOT_Q ? 1 / (in * (double) plan->D) : 1 / in;
}

/* fairseq: Xavier, with W_Q, W_K and W_V at 1/√2 of it. */
static double
fairseq_variance (NsTensor t, double in, double out)
{
  gboolean is_qkv = ns_tensor_is_query_or_key (t) || ns_tensor_info (t)->slot == NS_SLOT_V;

  return xavier_variance (in, out) / (is_qkv ? 2 : 1);
}

static double
scheme_variance (const NsPlan *plan, NsTensor t, double l)
{
  gint64 rows, columns;
  double in, out;

  ns_tensor_get_shape (t, &plan->experiment->shape, plan->variant, &rows, &columns);
  in = t == NS_T_W_HEAD ? (double) plan->C : (double) rows;
  out = (double) columns;
  switch ((NsInitScheme) plan->variant->init.scheme)
    {
    case NS_INIT_XAVIER_NORMAL: /* Glorot, Bengio 2010 */
    case NS_INIT_XAVIER_UNIFORM:
      return xavier_variance (in, out);
    case NS_INIT_LECUN_NORMAL: /* LeCun et al. 1998 */
      return 1 / in;
    case NS_INIT_KAIMING_NORMAL: /* He et al. 2015 */
      return 2 / in;
    case NS_INIT_SMALL: /* Nguyen, Salazar 2019 */
      return 2 / (5 * (double) plan->C);
    case NS_INIT_MITCHELL:
      return mitchell_variance (plan, t, in, l);
    case NS_INIT_T5:
      return t5_variance (plan, t, in);
    case NS_INIT_FAIRSEQ:
      return fairseq_variance (t, in, out);
    case NS_INIT_NORMAL:
    default:
      return plan->variant->init.std * plan->variant->init.std;
    }
}

/* β of DeepNorm (Wang et al. 2022, table 1) in a part of L blocks: (4n)^(−1/4) of n branches, but in an encoder. M:
 * blocks of the decoder. */
static double
deepnorm_beta (const NsPlan *plan, NsPart part, double L, double M)
{
  if (part == NS_PART_ENCODER)
    return 0.87 * pow (L * L * L * L * M, -1.0 / 16);
  return pow (4 * ns_variant_count_branches (plan->variant, part, L), -0.25);
}

/* γ of Sub-LN (Wang et al. 2022, Magneto) in a part of L blocks; M: blocks of the decoder. */
static double
sub_ln_gamma (NsPart part, double L, double M)
{
  switch (part)
    {
    case NS_PART_ENCODER:
      return sqrt (log (3 * M) * log (2 * L) / 3);
    case NS_PART_DECODER:
      return sqrt (log (3 * L));
    case NS_PART_STACK:
    default:
      return sqrt (log (2 * L));
    }
}

/* Return the standard deviation of W_head, which init.residual does not change. */
static double
head_std (const NsPlan *plan)
{
  const NsScale *rule = &plan->variant->init.head;

  switch (rule->rule)
    {
    case NS_INIT_HEAD_SCHEME:
      return sqrt (scheme_variance (plan, NS_T_W_HEAD, 1));
    case NS_INIT_HEAD_LECUN: /* fairseq, Tensor2Tensor */
      return 1 / sqrt ((double) plan->C);
    case NS_INIT_HEAD_TIED:
      return plan->experiment->data.embed_std;
    default:
      return rule->number;
    }
}

double
ns_plan_get_mup_ratio (const NsPlan *plan)
{
  gint64 base = plan->variant->init.mup_base;

  return base == 0 ? 1 : (double) plan->C / (double) base;
}

/* Yang et al. 2022, table 3: W_head at the base width, over the ratio of the widths. */
static double
mup_head_std (const NsPlan *plan)
{
  double ratio = ns_plan_get_mup_ratio (plan);
  NsPlan base = *plan;

  if (ratio != 1)
    base.C = (gsize) plan->variant->init.mup_base;
  return head_std (&base) / ratio;
}

/* Yang et al. 2022, table 3: the variance of the matrices of blocks is 1/width. All schemes have that but one. */
static double
mup_std (const NsPlan *plan, double std)
{
  return plan->variant->init.scheme == NS_INIT_NORMAL ? std / sqrt (ns_plan_get_mup_ratio (plan)) : std;
}

/* Fixup (Zhang, Dauphin, Ma 2019, section 3): 0 for the last matrix of a branch of m layers, n^(−1/(2m − 2)) for the
 * others. As in the authors' code n counts the branches of all parts, and the matrices W_Q, W_K, W_V and W_O are the 4
 * layers of an attention. */
static double
fixup_factor (const NsPlan *plan, NsTensor t)
{
  const NsTensorInfo *info = ns_tensor_info (t);
  double n = 0, m = plan->variant->attention_output ? 4 : 3;

  if (ends_branch (plan, t))
    return 0;
  if (info->slot == NS_SLOT_ROUTER || info->slot == NS_SLOT_SHARED_GATE)
    return 1;
  for (gint64 part = 0; part < plan->parts.n; part++)
    n += ns_variant_count_branches (plan->variant, ns_parts_get_part (&plan->parts, part),
                                    (double) plan->parts.depth[part]);
  if (info->sub == NS_SUB_FFN)
    m = plan->gated ? 3 : 2;
  return pow (n, -1 / (2 * m - 2));
}

/* Apply init.residual to a standard deviation of the block at a site. */
static double
apply_residual_rule (const NsPlan *plan, NsTensor t, gint64 site, double std)
{
  const NsScale *rule = &plan->variant->init.residual;
  NsPart part = ns_plan_get_part (plan, site);
  double L = (double) ns_plan_get_depth (plan, site), M = (double) plan->parts.depth[1];

  switch (rule->rule)
    {
    case NS_INIT_RESIDUAL_NONE:
      return std;
    case NS_INIT_RESIDUAL_GPT2:
      return ends_branch (plan, t) ? std / sqrt (plan->variant->sublayers == NS_SUB_LAYERS_BOTH ? 2 * L : L) : std;
    case NS_INIT_RESIDUAL_WANG: /* Wang, Komatsuzaki 2021: GPT-J */
      return ends_branch (plan, t) ? 2 / (L * sqrt ((double) plan->C)) : std;
    case NS_INIT_RESIDUAL_DEEPNORM:
      return is_value_or_ffn (t) ? std * deepnorm_beta (plan, part, L, M) : std;
    case NS_INIT_RESIDUAL_SUB_LN:
      return is_value_or_ffn (t) ? std * sub_ln_gamma (part, L, M) : std;
    case NS_INIT_RESIDUAL_T_FIXUP: /* Huang et al. 2020 */
      if (!is_value_or_ffn (t))
        return std;
      return std * (part == NS_PART_DECODER ? pow (9 * L, -0.25) : 0.67 * pow (L, -0.25));
    case NS_INIT_RESIDUAL_DS_INIT: /* Zhang et al. 2019 */
      return std / sqrt ((double) ns_plan_get_layer (plan, site));
    case NS_INIT_RESIDUAL_FIXUP:
      return std * fixup_factor (plan, t);
    default:
      return ends_branch (plan, t) ? std * rule->number : std;
    }
}

double
ns_plan_get_std (const NsPlan *plan, NsTensor tensor, gint64 site)
{
  double l;

  if (plan->variant->ngpt) /* rows of length 1 */
    return 1 / sqrt ((double) plan->C);
  if (tensor == NS_T_W_HEAD)
    return mup_head_std (plan);
  if (tensor == NS_T_W_PATCH) /* of as many pixels at any width, so μP leaves it */
    return sqrt (scheme_variance (plan, tensor, 1));
  if (tensor == NS_T_W_HEAD_DENSE) /* a matrix as those of blocks, on no branch */
    return mup_std (plan, sqrt (scheme_variance (plan, tensor, 1)));
  l = (double) ns_plan_get_layer (plan, site);
  return apply_residual_rule (plan, tensor, site, mup_std (plan, sqrt (scheme_variance (plan, tensor, l))));
}

NsDistribution
ns_plan_get_distribution (const NsPlan *plan, NsTensor tensor)
{
  if (plan->variant->ngpt)
    return NS_DISTRIBUTION_NORMAL;
  if (tensor == NS_T_W_HEAD && plan->variant->init.head.rule != NS_INIT_HEAD_SCHEME)
    return NS_DISTRIBUTION_NORMAL;
  return plan->distribution;
}

double
ns_plan_get_initial (const NsPlan *plan, NsTensor tensor, gint64 site)
{
  const NsTensorInfo *info = ns_tensor_info (tensor);

  switch (info->role)
    {
    case NS_ROLE_GAIN:
      return info->slot == NS_SLOT_BRANCH ? plan->variant->branch_norm_gain : 1;
    case NS_ROLE_ALPHA:
      return plan->variant->dyt_alpha;
    case NS_ROLE_SCALE:
      return plan->variant->ngpt ? 1 / sqrt ((double) plan->C) : ns_plan_get_branch_scale (plan, site);
    case NS_ROLE_FACTOR: /* s_u and s_v are stored as they are */
      return info->sub == NS_SUB_FFN ? 1 : 1 / sqrt ((double) plan->C);
    case NS_ROLE_MIX: /* B and the scales; of A_m, A_r and the maps, too, some elements or all are 0 */
      if (info->slot == NS_SLOT_MIX_SCALE)
        return 0.01;
      return ns_tensor_is_token_map (tensor) ? 0 : 1;
    case NS_ROLE_MATRIX:
    case NS_ROLE_LINEAR_BIAS:
    case NS_ROLE_NORM_BIAS:
    case NS_ROLE_TABLE:
    default:
      return 0;
    }
}

double
ns_plan_get_initial_element (const NsPlan *plan, NsTensor tensor, gint64 site, gsize element)
{
  const NsTensorInfo *info = ns_tensor_info (tensor);
  /* the number of the sub-layer from 0, attention and FFN in turn */
  gsize k = 2 * (gsize) (ns_plan_get_layer (plan, site) - 1) + (info->sub == NS_SUB_FFN ? 1 : 0);

  gboolean is_manifold = plan->variant->hyper.weights == NS_STREAM_WEIGHTS_MANIFOLD;

  /* Zhu et al. 2024, equation 14: A_m is the unit vector of stream k mod n, A_r the identity. mHC has functions of what
   * is stored, which reach neither; docs/MODEL.md says how its numbers are chosen */
  if (info->slot == NS_SLOT_MIX_IN)
    return element == k % plan->n ? 1 : is_manifold ? -1 : 0;
  if (info->slot == NS_SLOT_MIX_STREAMS && is_manifold)
    return element % (plan->n + 1) == 0 ? 0 : -8;
  if (info->slot == NS_SLOT_MIX_STREAMS)
    return element % (plan->n + 1) == 0 ? 1 : 0;
  if (info->slot == NS_SLOT_MIX_OUT && is_manifold)
    return 0;
  return ns_plan_get_initial (plan, tensor, site);
}

double
ns_plan_get_ngpt_unit (const NsPlan *plan, NsTensor tensor)
{
  double root = sqrt ((double) plan->C);

  if (ns_tensor_info (tensor)->role == NS_ROLE_SCALE)
    return plan->b[0] * root;
  return tensor == NS_T_S_U ? 1 : root;
}

double
ns_plan_get_relative_bias_std (const NsPlan *plan)
{
  return sqrt (ns_plan_get_mup_ratio (plan) / (double) plan->C);
}

gboolean
ns_plan_has_tied_head (const NsPlan *plan)
{
  return plan->variant->init.head.rule == NS_INIT_HEAD_TIED;
}
