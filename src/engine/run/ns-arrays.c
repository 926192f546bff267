/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-arrays.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/ops/ns-memory.h"
#include "engine/pass/ns-input.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-pass.h"
#include "engine/pass/ns-relative-bias.h"
#include "engine/run/ns-engine-private.h"
#include "engine/run/ns-gain.h"

#include <glib/gi18n-lib.h>

typedef struct
{
  NsArrayFunc func;
  gpointer user_data;
  GError **error;
} Sink;

static gboolean
put_array (const Sink *sink, const char *name, guint n_dims, gint64 d0, gint64 d1, gint64 d2, const float *values,
           const gint32 *ids)
{
  NsArray array = { name, n_dims, { d0, d1, d2 }, values, ids };

  return sink->func (&array, sink->user_data, sink->error);
}

/* Return "head/w_head", "block001/w_q" or "decoder/block001/cross_w_q"; caller frees. */
static char *
dup_array_name (const NsPlan *plan, NsTensor tensor, gint64 site)
{
  const char *name = ns_tensor_get_name (tensor);
  long long layer = ns_plan_get_layer (plan, site);

  if (site == ns_plan_get_head_site (plan))
    return g_strdup_printf ("head/%s", name);
  if (plan->parts.n == 1)
    return g_strdup_printf ("block%03lld/%s", layer, name);
  return g_strdup_printf ("%s/block%03lld/%s", ns_part_get_name (ns_plan_get_part (plan, site)), layer, name);
}

static gboolean
fail_memory (const Sink *sink, const char *name)
{
  g_set_error (sink->error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
               _ ("The system refused memory for the array “%s”"), name);
  return FALSE;
}

/* Hand over a weight matrix as the pass uses it, or those of all experts, [E, in, out]: std·u; zeros for W_Q and W_K of
 * uniform attention. */
static gboolean
put_matrix (const Sink *sink, NsPass *pass, NsTensor tensor, gint64 site)
{
  NsMatrix W = ns_pass_get_matrix (pass, tensor, site);
  gboolean of_experts = pass->plan.E > 0 && ns_tensor_is_of_ffn (tensor);
  gsize count = of_experts ? pass->plan.E : 1, one = W.in * W.out, n = count * one;
  gboolean zero = ns_plan_is_uniform (&pass->plan) && ns_tensor_is_query_or_key (tensor);
  ns_real *unit = ns_memory_try_new (ns_real, n);
  float *values = (float *) unit; /* in place: a float is no larger, and each number is read before it is overwritten */
  g_autofree char *name = dup_array_name (&pass->plan, tensor, site);
  gboolean ok;

  if (unit == NULL)
    return fail_memory (sink, name);
  ns_matrix_fill (&W, unit);
  for (gsize e = 1; e < count; e++)
    {
      NsMatrix of_expert = ns_pass_describe_expert (pass, tensor, site, e);

      ns_matrix_fill (&of_expert, unit + e * one);
    }
  for (gsize i = 0; i < n; i++)
    values[i] = zero ? 0 : (float) (W.std * unit[i]);
  ok = of_experts ? put_array (sink, name, 3, (gint64) count, (gint64) W.in, (gint64) W.out, values, NULL)
                  : put_array (sink, name, 2, (gint64) W.in, (gint64) W.out, 0, values, NULL);
  g_free (unit);
  return ok;
}

/* Hand over the relative position biases of a part [buckets, H]. */
static gboolean
put_relative_bias (const Sink *sink, const NsPass *pass, gint64 site)
{
  const NsPlan *plan = &pass->plan;
  gint64 buckets = plan->variant->position_buckets, H = (gint64) plan->H;
  gsize n = (gsize) (buckets * H);
  ns_real *table = ns_memory_try_new (ns_real, n);
  float *values = (float *) table; /* in place, as above */
  g_autofree char *name = dup_array_name (plan, NS_T_RELATIVE_BIAS, site);
  gboolean ok;

  if (table == NULL)
    return fail_memory (sink, name);
  ns_relative_bias_draw (pass, ns_plan_get_index (plan, site), table);
  for (gsize i = 0; i < n; i++)
    values[i] = (float) table[i];
  ok = put_array (sink, name, 2, buckets, H, 0, values, NULL);
  g_free (table);
  return ok;
}

/* Hand over an array of reals, [B, T, columns]. */
static gboolean
put_reals (const Sink *sink, const NsPlan *plan, const char *name, const ns_real *array, gsize columns)
{
  gsize n = plan->N * columns;
  g_autofree float *values = ns_memory_try_new (float, n);

  if (values == NULL)
    return fail_memory (sink, name);
  for (gsize i = 0; i < n; i++)
    values[i] = (float) array[i];
  return put_array (sink, name, 3, (gint64) plan->B, (gint64) plan->T, (gint64) columns, values, NULL);
}

/* Hand over the pixels of an image and what is added to its mapped patches. */
static gboolean
put_patches (const Sink *sink, const NsPass *pass)
{
  const NsPlan *plan = &pass->plan;
  const NsPatchCache *c = &pass->work->patch;

  return plan->P == 0 || (put_reals (sink, plan, "pixels", c->pixels, plan->P)
                          && put_reals (sink, plan, "x0_added", c->added, plan->C));
}

static const ns_real *
get_input (const NsPass *pass, gint64 part)
{
  return pass->work->x[ns_plan_get_input (&pass->plan, part)].v;
}

static gboolean
put_input (const Sink *sink, NsPass *pass)
{
  const NsPlan *plan = &pass->plan;
  gint64 B = (gint64) plan->B, T = (gint64) plan->T, C = (gint64) plan->C;

  ns_pass_load_input (pass);
  return put_patches (sink, pass) && put_reals (sink, plan, "x0", get_input (pass, 0), plan->C)
         && (plan->parts.n == 1 || put_reals (sink, plan, "y0", get_input (pass, 1), plan->C))
         && put_array (sink, "targets", 2, B, T, 0, NULL, pass->work->targets)
         && (plan->experiment->loss != NS_LOSS_UNIT_GRADIENT
             || put_array (sink, "upstream", 3, B, T, C, pass->work->input, NULL));
}

/* Hand over a gain or a bias that is read from a checkpoint; random weights have the initial ones. */
static gboolean
put_read_vector (const Sink *sink, NsPass *pass, NsTensor tensor, gint64 site)
{
  const NsPlan *plan = &pass->plan;
  const NsWeightSource *source = plan->variant->source;
  gboolean is_in_block = site < ns_plan_get_head_site (plan);
  NsWeightPlace place = { .tensor = tensor, .part = is_in_block ? ns_plan_get_part (plan, site) : NS_PART_STACK,
                          .layer = is_in_block ? ns_plan_get_layer (plan, site) : 0 };
  const ns_real *read = source != NULL ? source->vector (source, place) : NULL;
  g_autofree char *name = dup_array_name (plan, tensor, site);
  g_autofree float *values = NULL;
  gint64 rows, columns;

  if (read == NULL)
    return TRUE;
  ns_tensor_get_shape (tensor, &plan->experiment->shape, plan->variant, &rows, &columns);
  values = ns_memory_try_new (float, (gsize) columns);
  if (values == NULL)
    return fail_memory (sink, name);
  for (gint64 i = 0; i < columns; i++)
    values[i] = (float) read[i];
  return put_array (sink, name, 1, columns, 0, 0, values, NULL);
}

static gboolean
put_weights (const Sink *sink, NsPass *pass, guint variant)
{
  const NsExperiment *e = pass->plan.experiment;
  gint64 head = ns_plan_get_head_site (&pass->plan);

  for (gint64 site = 0; site <= head; site++)
    for (int t = 0; t < NS_N_TENSORS; t++)
      if (ns_tensor_exists ((NsTensor) t, e, variant, site)
          && !(t == NS_T_RELATIVE_BIAS                  ? put_relative_bias (sink, pass, site)
               : ns_tensor_is_matrix ((NsTensor) t) ? put_matrix (sink, pass, (NsTensor) t, site)
                                                    : put_read_vector (sink, pass, (NsTensor) t, site)))
        return FALSE;
  return TRUE;
}

gboolean
ns_engine_foreach_array (NsEngine *engine, const NsExperiment *experiment, guint variant, guint seed, NsArrayFunc func,
                         gpointer user_data, GError **error)
{
  Sink sink = { func, user_data, error };
  NsWorkspace work;
  NsPass pass;

  if (!ns_experiment_validate (experiment, error))
    return FALSE;
  if (!ns_engine_check_memory (experiment, ns_engine_get_needed_for_seeds (engine, experiment, 1), error))
    return FALSE;
  if (!ns_workspace_init (&work, &engine->memory[0], experiment, FALSE, NULL))
    {
      g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                           _ ("The system refused memory for the arrays"));
      return FALSE;
    }
  ns_pass_init (&pass, experiment, variant, (guint64) experiment->sampling.seed + seed, &work, engine->weights);
  return put_input (&sink, &pass) && put_weights (&sink, &pass, variant)
         && ns_experiment_check_sources (experiment, error);
}

gboolean
ns_engine_foreach_probe (const NsExperiment *experiment, guint seed, guint n_probes, NsArrayFunc func,
                         gpointer user_data, GError **error)
{
  const Sink sink = { func, user_data, error };
  NsPlan plan;
  gsize n;
  g_autofree float *values = NULL;

  if (!ns_experiment_validate (experiment, error))
    return FALSE;
  ns_plan_init (&plan, experiment, 0);
  n = n_probes * plan.N * plan.C;
  values = ns_memory_try_new (float, n);
  if (values == NULL)
    return fail_memory (&sink, "probes");
  for (gint64 site = 0; site < ns_plan_get_head_site (&plan); site++)
    {
      g_autofree char *name = g_strdup_printf ("probes/site%03lld", (long long) site);

      ns_gain_fill_probes ((guint64) experiment->sampling.seed + seed, site, 0, n, values);
      if (!put_array (&sink, name, 3, n_probes, (gint64) plan.N, (gint64) plan.C, values, NULL))
        return FALSE;
    }
  return TRUE;
}
