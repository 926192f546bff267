/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-engine.h"

#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-validate.h"
#include "engine/ops/ns-progress.h"
#include "engine/pass/ns-pass.h"
#include "engine/run/ns-engine-private.h"
#include "engine/run/ns-result-private.h"

#include <glib/gi18n-lib.h>
#include <stdatomic.h>
#include <unistd.h>

#define DEFAULT_BUDGET ((guint64) 1 << 30)

G_DEFINE_QUARK (ns-engine-error-quark, ns_engine_error)

NsEngine *
ns_engine_new (guint n_threads, guint64 memory_budget)
{
  NsEngine *engine = g_new0 (NsEngine, 1);
  long cores = sysconf (_SC_NPROCESSORS_ONLN);

  engine->n_threads = n_threads > 0 ? n_threads : (guint) CLAMP (cores, 1, 1024);
  engine->budget = memory_budget > 0 ? memory_budget : DEFAULT_BUDGET;
  engine->weights = ns_weights_new (engine->budget);
  /* a build of OpenBLAS without threads has no locks either and gives silently wrong products to two callers at once */
  if (openblas_get_parallel () == 0)
    engine->n_threads = 1;
  openblas_set_num_threads (1);
  engine->team = ns_team_new (engine->n_threads);
  engine->n_threads = ns_team_size (engine->team);
  engine->memory = g_new0 (NsWorkspaceMemory, engine->n_threads);
  return engine;
}

void
ns_engine_free (NsEngine *engine)
{
  if (engine == NULL)
    return;
  for (guint i = 0; i < engine->n_threads; i++)
    ns_workspace_memory_clear (&engine->memory[i]);
  g_free (engine->memory);
  ns_team_free (engine->team);
  ns_weights_free (engine->weights);
  g_free (engine);
}

guint
ns_engine_get_threads (const NsEngine *engine)
{
  return engine->n_threads;
}

/* ---- how a job is laid out ---- */

typedef struct
{
  guint n_passes;   /* variants × seeds */
  guint n_workers;  /* passes at a time; with one, the team works inside its products */
  gboolean keep_activations;
  guint64 needed;   /* bytes at the least */
} Layout;

static guint64
saturating_mul (guint64 a, guint64 b)
{
  guint64 c;

  return __builtin_mul_overflow (a, b, &c) ? G_MAXUINT64 : c;
}

static guint64
saturating_add (guint64 a, guint64 b)
{
  guint64 c;

  return __builtin_add_overflow (a, b, &c) ? G_MAXUINT64 : c;
}

static Layout
lay_out (const NsEngine *engine, const NsExperiment *experiment, guint n_seeds)
{
  Layout layout = { .n_passes = experiment->variants->len * n_seeds };
  guint64 kept, result = ns_result_get_needed_bytes (experiment, n_seeds);

  /* one pass in each thread while there are enough of them and memory for that */
  layout.n_workers = layout.n_passes >= engine->n_threads ? engine->n_threads : 1;
  if (saturating_mul (ns_workspace_get_bytes (experiment, FALSE, 1), layout.n_workers) > engine->budget)
    layout.n_workers = 1;
  kept = ns_workspace_get_bytes (experiment, TRUE, layout.n_workers == 1 ? engine->n_threads : 1);
  layout.keep_activations = saturating_mul (kept, layout.n_workers) <= engine->budget;
  layout.needed
      = layout.keep_activations
            ? kept
            : ns_workspace_get_bytes (experiment, FALSE, layout.n_workers == 1 ? engine->n_threads : 1);
  layout.needed = saturating_add (saturating_mul (layout.needed, layout.n_workers), result);
  return layout;
}

guint64
ns_engine_get_needed_memory (const NsEngine *engine, const NsExperiment *experiment)
{
  return lay_out (engine, experiment, (guint) experiment->sampling.seeds).needed;
}

gboolean
ns_engine_check_memory (const NsExperiment *experiment, guint64 bytes, GError **error)
{
  guint64 machine = ns_machine_memory ();
  const NsShape *shape = &experiment->shape;
  g_autofree char *needed = NULL, *available = NULL;

  if (bytes <= machine)
    return TRUE;
  needed = bytes == G_MAXUINT64 ? g_strdup (_ ("more than any machine's"))
                                : g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  available = g_format_size_full (machine, G_FORMAT_SIZE_IEC_UNITS);
  ns_experiment_error_set (
      error, NS_EXPERIMENT_ERROR_MEMORY, "shape",
      _ ("shape: depth %lld, d_model %lld, d_ff %lld, batch %lld × seq_len %lld and vocab %lld need %s of memory; "
         "this machine has %s"),
      (long long) shape->depth, (long long) shape->d_model, (long long) shape->d_ff, (long long) shape->batch,
      (long long) shape->seq_len, (long long) shape->vocab, needed, available);
  return FALSE;
}

/* ---- a job ---- */

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
  guint first_seed;
  NsResult *result;
  NsProgress *progress;
  NsWorkspace *work;      /* [workers] */
  atomic_bool cancelled;
} Job;

/* Where one pass of the job puts its numbers. */
typedef struct
{
  NsResult *result;
  guint variant, seed;
} Slot;

static void
record (gpointer data, NsQuantity quantity, gint64 site, double value, double log10_value)
{
  const Slot *slot = data;

  ns_result_set (slot->result, slot->variant, quantity, site, slot->seed, value, log10_value);
}

static void
record_overflow (gpointer data, gint64 site)
{
  const Slot *slot = data;

  ns_result_set_overflow (slot->result, slot->variant, slot->seed, site);
}

/* Pass i: all variants of a seed, then the next seed, so that the variants find the seed's weights. */
static void
run_pass (gpointer data, guint i, guint thread)
{
  Job *job = data;
  guint n_variants = job->experiment->variants->len;
  Slot slot = { job->result, i % n_variants, i / n_variants };
  NsPass pass;

  if (atomic_load_explicit (&job->cancelled, memory_order_relaxed))
    return;
  ns_pass_init (&pass, job->experiment, slot.variant,
                (guint64) job->experiment->sampling.seed + job->first_seed + slot.seed, &job->work[thread],
                job->engine->weights);
  pass.sink = (NsSink){ .record = record, .overflow = record_overflow, .data = &slot };
  if (ns_pass_run (&pass, job->progress, NULL) == NS_PASS_CANCELLED)
    atomic_store (&job->cancelled, TRUE);
}

static gboolean
allocate (Job *job, const Layout *layout, guint n_seeds, GError **error)
{
  gboolean ok;

  job->work = g_new0 (NsWorkspace, layout->n_workers);
  job->result = ns_result_new (job->experiment, job->first_seed, n_seeds);
  ok = job->result != NULL;
  for (guint i = 0; ok && i < layout->n_workers; i++)
    ok = ns_workspace_init (&job->work[i], &job->engine->memory[i], job->experiment, layout->keep_activations,
                            layout->n_workers == 1 ? job->engine->team : NULL);
  if (!ok)
    {
      g_autofree char *needed = g_format_size_full (layout->needed, G_FORMAT_SIZE_IEC_UNITS);
      g_set_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY, _ ("The system gave no %s of memory for this run"),
                   needed);
    }
  return ok;
}

static void
clear (Job *job)
{
  g_free (job->work);
  if (job->result != NULL)
    ns_result_unref (job->result);
}

NsResult *
ns_engine_run (NsEngine *engine, const NsExperiment *experiment, guint first_seed, guint n_seeds, NsProgress *progress,
               GError **error)
{
  double start = ns_now_ms ();
  Job job = { .engine = engine, .experiment = experiment, .first_seed = first_seed, .progress = progress };
  guint64 blocks = (guint64) (ns_experiment_get_n_parts (experiment) * experiment->shape.depth);
  Layout layout;
  NsResult *result = NULL;

  g_return_val_if_fail (n_seeds >= 1, NULL);
  if (!ns_experiment_validate (experiment, error))
    return NULL;
  layout = lay_out (engine, experiment, n_seeds);
  if (!ns_engine_check_memory (experiment, layout.needed, error))
    return NULL;
  ns_weights_trim (engine->weights, &experiment->shape, (guint64) experiment->sampling.seed,
                   (guint64) experiment->sampling.seeds);
  ns_progress_begin (progress, 2 * blocks * layout.n_passes);
  if (allocate (&job, &layout, n_seeds, error))
    {
      ns_team_run (layout.n_workers > 1 ? engine->team : NULL, layout.n_passes, run_pass, &job);
      if (job.cancelled)
        g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED, _ ("The run was cancelled"));
      else
        {
          ns_result_set_elapsed (job.result, ns_now_ms () - start, engine->n_threads);
          result = g_steal_pointer (&job.result);
        }
    }
  clear (&job);
  return result;
}

/* ---- arrays ---- */

typedef struct
{
  NsArrayFunc func;
  gpointer user_data;
  GError **error;
} Sink;

static gboolean
put (const Sink *sink, const char *name, guint n_dims, gint64 d0, gint64 d1, gint64 d2, const float *values,
     const gint32 *ids)
{
  NsArray array = { name, n_dims, { d0, d1, d2 }, values, ids };

  return sink->func (&array, sink->user_data, sink->error);
}

/* "head/w_head", "block001/w_q", "decoder/block001/cross_w_q"; caller frees. */
static char *
dup_array_name (const NsPlan *plan, NsTensor tensor, gint64 site)
{
  const char *name = ns_tensor_get_name (tensor);
  long long layer = ns_plan_get_layer (plan, site);

  if (tensor == NS_T_W_HEAD)
    return g_strdup_printf ("head/%s", name);
  if (plan->n_parts == 1)
    return g_strdup_printf ("block%03lld/%s", layer, name);
  return g_strdup_printf ("%s/block%03lld/%s", ns_part_get_name (ns_plan_get_part (plan, site)), layer, name);
}

/* A weight matrix as used: std·u, and 0 for W_Q and W_K of uniform attention. */
static gboolean
put_matrix (const Sink *sink, NsPass *pass, NsTensor tensor, gint64 site)
{
  NsMatrix W = ns_pass_get_matrix (pass, tensor, site);
  gsize n = W.in * W.out;
  gboolean zero = ns_plan_is_uniform (&pass->plan) && ns_tensor_is_query_or_key (tensor);
  float *values = g_try_new (float, n);
  g_autofree char *name = dup_array_name (&pass->plan, tensor, site);
  gboolean ok;

  if (values == NULL)
    {
      g_set_error (sink->error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY, _ ("No memory for the array “%s”"), name);
      return FALSE;
    }
  ns_random_fill (W.key, W.distribution, 0, n, values);
  for (gsize i = 0; i < n; i++)
    values[i] = zero ? 0 : (float) (W.std * values[i]);
  ok = put (sink, name, 2, (gint64) W.in, (gint64) W.out, 0, values, NULL);
  g_free (values);
  return ok;
}

/* The input of a part as drawn. */
static gboolean
put_stream (const Sink *sink, NsPass *pass, const char *name, gint64 part)
{
  const NsPlan *plan = &pass->plan;
  gsize n = plan->N * plan->C;
  g_autofree float *values = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    values[i] = (float) pass->work->x[part * (plan->depth + 1)].v[i];
  return put (sink, name, 3, (gint64) plan->B, (gint64) plan->T, (gint64) plan->C, values, NULL);
}

static gboolean
put_input (const Sink *sink, NsPass *pass)
{
  const NsPlan *plan = &pass->plan;
  gint64 B = (gint64) plan->B, T = (gint64) plan->T, C = (gint64) plan->C;

  ns_pass_load_input (pass);
  return put_stream (sink, pass, "x0", 0) && (plan->n_parts == 1 || put_stream (sink, pass, "y0", 1))
         && put (sink, "targets", 2, B, T, 0, NULL, pass->work->targets)
         && (plan->experiment->loss != NS_LOSS_UNIT_GRADIENT
             || put (sink, "upstream", 3, B, T, C, pass->work->input, NULL));
}

static gboolean
put_weights (const Sink *sink, NsPass *pass, guint variant)
{
  const NsExperiment *e = pass->plan.experiment;
  gint64 head = ns_plan_get_head_site (&pass->plan);

  for (gint64 site = 0; site <= head; site++)
    for (int t = 0; t < NS_N_TENSORS; t++)
      if (ns_tensor_is_matrix ((NsTensor) t) && ns_tensor_exists ((NsTensor) t, e, variant, site)
          && !put_matrix (sink, pass, (NsTensor) t, site))
        return FALSE;
  return TRUE;
}

gboolean
ns_engine_foreach_array (NsEngine *engine, const NsExperiment *experiment, guint variant, guint seed, NsArrayFunc func,
                         gpointer user_data, GError **error)
{
  Sink sink = { func, user_data, error };
  Layout layout;
  NsWorkspace work;
  NsPass pass;

  if (!ns_experiment_validate (experiment, error))
    return FALSE;
  layout = lay_out (engine, experiment, 1);
  if (!ns_engine_check_memory (experiment, layout.needed, error))
    return FALSE;
  if (!ns_workspace_init (&work, &engine->memory[0], experiment, FALSE, NULL))
    {
      g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                           _ ("The system gave no memory for the arrays"));
      return FALSE;
    }
  ns_pass_init (&pass, experiment, variant, (guint64) experiment->sampling.seed + seed, &work, engine->weights);
  return put_input (&sink, &pass) && put_weights (&sink, &pass, variant);
}
