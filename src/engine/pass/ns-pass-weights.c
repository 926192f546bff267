/* Parameters that a pass reads.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-pass-parameters.h"

#include "engine/experiment/ns-derived.h"
#include "engine/ops/ns-probe.h"

static NsWeightPlace
get_place (const NsPlan *plan, NsTensor tensor, gint64 site)
{
  if (site == ns_plan_get_head_site (plan))
    return (NsWeightPlace){ tensor, NS_PART_STACK, 0, 0 };
  return (NsWeightPlace){ tensor, ns_plan_get_part (plan, site), ns_plan_get_layer (plan, site), 0 };
}

static gboolean
is_tied_head (const NsPlan *plan, NsTensor tensor)
{
  return tensor == NS_T_W_HEAD && ns_plan_has_tied_head (plan);
}

NsMatrix
ns_pass_describe_matrix (const NsPass *pass, NsTensor tensor, gint64 site)
{
  return ns_pass_describe_expert (pass, tensor, site, 0);
}

NsMatrix
ns_pass_describe_expert (const NsPass *pass, NsTensor tensor, gint64 site, gsize expert)
{
  const NsPlan *plan = &pass->plan;
  NsMatrix W = { .distribution = ns_plan_get_distribution (plan, tensor), .std = ns_plan_get_std (plan, tensor, site) };
  gboolean is_head = site == ns_plan_get_head_site (plan);
  gint64 rows, columns;

  ns_tensor_get_shape (tensor, &plan->experiment->shape, plan->variant, &rows, &columns);
  W.in = (gsize) rows;
  W.first_row = expert * W.in;
  W.out = (gsize) columns;
  W.key = (NsRandomKey){ pass->seed, is_head ? 0 : (guint32) ns_plan_get_layer (plan, site),
                         ns_tensor_get_stream (tensor, is_head ? NS_PART_STACK : ns_plan_get_part (plan, site)),
                         W.distribution == NS_DISTRIBUTION_NORMAL ? plan->truncate : 0, 0 };
  if (is_tied_head (plan, tensor))
    {
      W.key.stream = NS_STREAM_EMBEDDING;
      W.transposed = TRUE;
    }
  if (plan->variant->ngpt) /* d_model weights have the length 1: those of an output where they read the stream */
    {
      W.key.row = (guint32) plan->C;
      W.transposed = ns_tensor_reads_stream (tensor);
    }
  if (plan->variant->source != NULL)
    {
      W.source = plan->variant->source;
      W.place = get_place (plan, tensor, site);
      W.place.expert = expert;
      W.source->has (W.source, W.place, &W.transposed);
      W.std = 1;
    }
  return W;
}

NsMatrix
ns_pass_get_matrix (NsPass *pass, NsTensor tensor, gint64 site)
{
  return ns_pass_get_expert (pass, tensor, site, 0);
}

NsMatrix
ns_pass_get_expert (NsPass *pass, NsTensor tensor, gint64 site, gsize expert)
{
  NsMatrix W = ns_pass_describe_expert (pass, tensor, site, expert);

  if (pass->hooks != NULL && pass->hooks->weights != NULL)
    W.unit = pass->hooks->weights (pass->hooks->data, tensor, site);
  if (W.unit != NULL)
    {
      W.unit += W.first_row * W.out;
      if (pass->hooks->trained)
        {
          W.std = 1;
          W.transposed = is_tied_head (&pass->plan, tensor);
        }
      else
        W.transposed = FALSE; /* the hooks give [in, out] */
      return W;
    }
  if (W.source != NULL)
    return W; /* read again for each use: the system keeps the file's pages while there is room */
  W.unit = ns_weights_get (pass->weights, W.key, W.distribution, W.first_row, W.transposed ? W.out : W.in,
                           W.transposed ? W.in : W.out, pass->work->linear.team, pass->work->linear.progress);
  return W;
}

/* Return TRUE if a training has the bias among its parameters, which began as that of the file. */
static gboolean
is_trained_bias (const NsPass *pass, NsTensor bias)
{
  return pass->hooks != NULL && pass->hooks->trained && ns_variant_has_bias (pass->plan.variant, bias);
}

/* y += b in each row, [N, out]. b is in true values, so y becomes true values, too. */
static NsScaled
add_source_bias (const NsPass *pass, NsTensor tensor, gint64 site, NsScaled y)
{
  const NsPlan *plan = &pass->plan;
  const NsWeightSource *source = plan->variant->source;
  NsTensor bias = ns_matrix_get_bias (tensor);
  gboolean adds = bias != NS_N_TENSORS && !is_trained_bias (pass, bias);
  const ns_real *b = adds ? source->vector (source, get_place (plan, bias, site)) : NULL;
  gint64 one, out;

  if (b == NULL)
    return y;
  ns_tensor_get_shape (bias, &plan->experiment->shape, plan->variant, &one, &out);
  if (y.exp2 != 0)
    ns_scale (y.v, exp2 (y.exp2), plan->N * (gsize) out);
  for (gsize n = 0; n < plan->N; n++)
    for (gsize c = 0; c < (gsize) out; c++)
      y.v[n * (gsize) out + c] += b[c];
  return (NsScaled){ y.v, 0 };
}

NsScaled
ns_pass_add_to_linear (const NsPass *pass, NsTensor tensor, gint64 site, NsScaled y, NsScaled x)
{
  if (pass->plan.variant->source != NULL)
    y = add_source_bias (pass, tensor, site, y);
  if (pass->hooks == NULL || pass->hooks->linear == NULL)
    return y;
  return pass->hooks->linear (pass->hooks->data, tensor, site, y, x);
}

const ns_real *
ns_pass_get_source_vector (const NsPass *pass, NsTensor tensor, gint64 site)
{
  const NsWeightSource *source = pass->plan.variant->source;

  return source != NULL ? source->vector (source, get_place (&pass->plan, tensor, site)) : NULL;
}

const ns_real *
ns_pass_get_vector (const NsPass *pass, NsTensor tensor, gint64 site)
{
  const ns_real *values = NULL;

  if (pass->hooks != NULL && pass->hooks->vector != NULL)
    values = pass->hooks->vector (pass->hooks->data, tensor, site);
  return values != NULL ? values : ns_pass_get_source_vector (pass, tensor, site);
}
