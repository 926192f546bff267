/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-plan.h"

#include <math.h>

void
ns_plan_init (NsPlan *plan, const NsExperiment *experiment, guint variant)
{
  const NsShape *shape = &experiment->shape;
  const NsVariant *v = ns_experiment_variant (experiment, variant);

  *plan = (NsPlan){
    .experiment = experiment,
    .variant = v,
    .depth = shape->depth,
    .B = (gsize) shape->batch,
    .T = (gsize) shape->seq_len,
    .N = (gsize) shape->batch * (gsize) shape->seq_len,
    .C = (gsize) shape->d_model,
    .H = (gsize) shape->heads,
    .F = (gsize) shape->d_ff,
    .V = (gsize) shape->vocab,
    .a = ns_variant_get_alpha (v, shape->depth),
    .b = v->branch_scale,
    .gated = ns_activation_is_gated ((NsActivation) v->activation),
    .final_norm = ns_experiment_has_final_norm (experiment, variant),
    .layernorm_bias = v->bias && v->norm == NS_NORM_LAYERNORM,
    .distribution = v->init.scheme == NS_INIT_XAVIER_UNIFORM ? NS_DISTRIBUTION_UNIFORM : NS_DISTRIBUTION_NORMAL,
  };
}

/* What init.residual multiplies the tensor's standard deviation by. */
static double
residual_factor (const NsPlan *plan, NsTensor tensor)
{
  const NsScale *rule = &plan->variant->init.residual;
  double L = (double) plan->depth;
  gboolean last = tensor == NS_T_W_2 || tensor == (plan->variant->attention_output ? NS_T_W_O : NS_T_W_V);

  switch (rule->rule)
    {
    case NS_INIT_RESIDUAL_NONE:
      return 1;
    case NS_INIT_RESIDUAL_GPT2:
      return last ? 1 / sqrt (2 * L) : 1;
    case NS_INIT_RESIDUAL_DEEPNORM: /* β of Wang et al. 2022, on every branch matrix but W_Q and W_K */
      return tensor == NS_T_W_Q || tensor == NS_T_W_K || tensor == NS_T_W_HEAD ? 1 : pow (8 * L, -0.25);
    default:
      return last ? rule->number : 1;
    }
}

double
ns_plan_get_std (const NsPlan *plan, NsTensor tensor)
{
  gint64 rows, columns;
  double in, out, variance;

  ns_tensor_get_shape (tensor, &plan->experiment->shape, &rows, &columns);
  in = (double) rows;
  out = (double) columns;
  switch ((NsInitScheme) plan->variant->init.scheme)
    {
    case NS_INIT_XAVIER_NORMAL: /* Glorot, Bengio 2010 */
    case NS_INIT_XAVIER_UNIFORM:
      variance = 2 / (in + out);
      break;
    case NS_INIT_LECUN_NORMAL: /* LeCun et al. 1998 */
      variance = 1 / in;
      break;
    case NS_INIT_KAIMING_NORMAL: /* He et al. 2015 */
      variance = 2 / in;
      break;
    default:
      variance = plan->variant->init.std * plan->variant->init.std;
    }
  return sqrt (variance) * residual_factor (plan, tensor);
}

NsStream
ns_tensor_get_stream (NsTensor tensor)
{
  return tensor == NS_T_W_HEAD ? NS_STREAM_W_HEAD : (NsStream) (NS_STREAM_W_Q + (tensor - NS_T_W_Q));
}

double
ns_plan_get_norm_scale (const NsPlan *plan, gint64 block)
{
  return plan->variant->norm_scale == NS_NORM_SCALE_LAYERNORM_SCALING ? 1 / sqrt ((double) block) : 1;
}
