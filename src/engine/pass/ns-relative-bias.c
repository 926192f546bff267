/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-relative-bias.h"

#include "engine/ops/ns-position-bias.h"
#include "engine/pass/ns-pass-parameters.h"

#include <string.h>

#define CHUNK ((gsize) 64) /* random numbers drawn at a time */

static gboolean
has_table (const NsPlan *plan)
{
  return plan->variant->position_bias == NS_POSITION_BIAS_T5;
}

static gint64
get_site (const NsPlan *plan, gint64 part)
{
  return ns_plan_get_input (plan, part);
}

static NsRelativeRule
get_rule (const NsPlan *plan, gint64 part)
{
  return (NsRelativeRule){ ns_plan_is_causal (plan, NS_SUB_ATTN, get_site (plan, part)),
                           (gsize) plan->variant->position_buckets, plan->variant->position_distance };
}

static gsize
get_table_size (const NsPlan *plan)
{
  return (gsize) plan->variant->position_buckets * plan->H;
}

void
ns_relative_bias_draw (const NsPass *pass, gint64 part, ns_real *table)
{
  const NsPlan *plan = &pass->plan;
  const ns_real *values = ns_pass_get_source_vector (pass, NS_T_RELATIVE_BIAS, get_site (plan, part));
  NsStream stream = part == 0 ? NS_STREAM_RELATIVE_BIAS : NS_STREAM_DECODER_RELATIVE_BIAS;
  double std = ns_plan_get_relative_bias_std (plan);
  gsize n = get_table_size (plan);

  if (values != NULL)
    {
      memcpy (table, values, n * sizeof *table);
      return;
    }
  for (gsize i = 0; i < n; i += CHUNK)
    {
      float numbers[CHUNK];
      gsize rest = MIN (CHUNK, n - i);

      ns_random_fill ((NsRandomKey){ pass->seed, 0, stream, plan->truncate, 0 }, NS_DISTRIBUTION_NORMAL, i, rest,
                      numbers);
      for (gsize j = 0; j < rest; j++)
        table[i + j] = (ns_real) (std * numbers[j]);
    }
}

void
ns_relative_bias_forward (NsPass *pass, gint64 part)
{
  const NsPlan *plan = &pass->plan;
  const NsRelativeRule rule = get_rule (plan, part);
  const ns_real *table = NULL;

  if (!has_table (plan))
    return;
  if (pass->hooks != NULL && pass->hooks->vector != NULL)
    table = pass->hooks->vector (pass->hooks->data, NS_T_RELATIVE_BIAS, get_site (plan, part));
  ns_relative_fill (pass->work->position_bias[part], table != NULL ? table : pass->work->bias_table[part], &rule,
                    plan->H, plan->T);
}

void
ns_relative_bias_clear_gradient (NsPass *pass)
{
  pass->relative = (NsRelativeGradient){ 0 };
}

gboolean
ns_relative_bias_is_wanted (const NsPass *pass, NsSub sub)
{
  return sub == NS_SUB_ATTN && pass->copies == 1 && has_table (&pass->plan)
         && (ns_pass_wants (pass, ns_tensor_get_quantity (NS_T_RELATIVE_BIAS))
             || (pass->hooks != NULL && pass->hooks->vector_gradient != NULL));
}

double *
ns_relative_bias_get_gradient (NsPass *pass)
{
  const NsPlan *plan = &pass->plan;

  memset (pass->work->dbias, 0, plan->H * (2 * plan->T - 1) * sizeof *pass->work->dbias);
  return pass->work->dbias;
}

/* Make the exponent of the gradient so far at least `exponent`, so that all blocks' numbers stay in range. */
static void
raise_exponent (NsPass *pass, double exponent)
{
  gsize n = pass->plan.M * get_table_size (&pass->plan);
  double *dtable = pass->work->dbias_table;

  if (!pass->relative.is_set)
    {
      memset (dtable, 0, n * sizeof *dtable);
      pass->relative = (NsRelativeGradient){ TRUE, exponent };
    }
  if (exponent <= pass->relative.exp2)
    return;
  for (gsize i = 0; i < n; i++)
    dtable[i] *= exp2 (pass->relative.exp2 - exponent);
  pass->relative.exp2 = exponent;
}

void
ns_relative_bias_add_gradient (NsPass *pass, gint64 site, gsize m, double exponent)
{
  const NsPlan *plan = &pass->plan;
  const NsRelativeRule rule = get_rule (plan, ns_plan_get_index (plan, site));

  raise_exponent (pass, exponent);
  ns_relative_backward (pass->work->dbias_table + m * get_table_size (plan), pass->work->dbias,
                        exp2 (exponent - pass->relative.exp2), &rule, plan->H, plan->T);
}

void
ns_relative_bias_backward (NsPass *pass, gint64 part)
{
  const NsPlan *plan = &pass->plan;

  if (ns_relative_bias_is_wanted (pass, NS_SUB_ATTN))
    {
      raise_exponent (pass, pass->relative.exp2); /* zeros, if no block had a gradient */
      ns_pass_vector_gradient (pass, NS_T_RELATIVE_BIAS, get_site (plan, part), pass->work->dbias_table,
                               pass->relative.exp2, NULL);
    }
  ns_relative_bias_clear_gradient (pass);
}
