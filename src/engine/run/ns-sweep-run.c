/* Compute a sweep with as few passes as its metric allows.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/ops/ns-memory.h"
#include "engine/ops/ns-progress.h"
#include "engine/run/ns-engine-private.h"
#include "engine/run/ns-items-private.h"
#include "engine/run/ns-own-passes.h"
#include "engine/run/ns-sweep-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

typedef struct
{
  NsEngine *engine;
  const NsSweepList *list;
  NsSweep *sweep;
  NsProgress *progress;
  NsExperiment **experiments; /* [n_points] */
  NsJobLayout layout;
  ns_real **memory;           /* [workers] of a quantity that takes passes of its own; NULL: none */
  atomic_bool cancelled, failed;
} SweepJob;

/* The values of the wanted quantity at each site. */
typedef struct
{
  NsQuantity wanted;           /* the sink of a sum also gets its terms, which are dropped */
  NsGradientEstimate estimate;
  double *value, *log10_value; /* [n_sites], NAN where nothing was recorded */
  gint64 n_sites;
} SweepColumn;

/* Keep the negative root of an expected gradient's negative square, for the total over the blocks. */
static void
record_metric (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
               double log10_value)
{
  SweepColumn *column = data;

  if (quantity == column->wanted && estimate == column->estimate && site < column->n_sites)
    {
      column->value[site] = value;
      column->log10_value[site] = log10_value;
    }
}

static void
column_clear (SweepColumn *column)
{
  for (gint64 i = 0; i < column->n_sites; i++)
    column->value[i] = column->log10_value[i] = NAN;
}

/* Return TRUE for the negative root of an expected gradient. */
static gboolean
is_imaginary (const SweepColumn *column, gint64 site)
{
  return column->estimate == NS_ESTIMATE_EXPECTED && column->value[site] < 0;
}

/* Return the site of the largest value in first .. last, or of the first NaN. */
static gint64
find_largest (const SweepColumn *column, gint64 first, gint64 last)
{
  gint64 best = first;

  for (gint64 l = first + 1; l <= last; l++)
    {
      if (isnan (column->value[best]) || is_imaginary (column, best))
        break;
      /* values that underflow are all 0: compare their logarithms */
      if (is_imaginary (column, l) || !(column->value[l] <= column->value[best])
          || (column->value[l] == column->value[best] && column->log10_value[l] > column->log10_value[best]))
        best = l;
    }
  return best;
}

/* Compute the metric at one point from the values of the blocks, and publish it. */
static void
publish (SweepJob *job, guint variant, guint point, guint seed, const SweepColumn *column)
{
  const NsExperiment *e = job->experiments[point];
  SweepValue *out = ns_sweep_at (job->sweep, variant, point, seed);
  NsMetric metric = job->sweep->metric;
  gint64 head = ns_experiment_get_head_site (e), first = ns_experiment_get_site (e, metric.part, 1);
  gint64 last = first + ns_experiment_get_depth (e, metric.part) - 1;
  gboolean is_of_head = ns_quantity_exists (metric.quantity, e, variant, head);
  gint64 site = is_of_head                                  ? head
                : ns_quantity_is_of_input (metric.quantity) ? first - 1
                : metric.where == NS_AT_LAST                ? last
                : metric.where == NS_AT_FIRST               ? first
                : metric.where == NS_AT_MAX                 ? find_largest (column, first, last)
                                                            : -1;

  if (site >= 0)
    {
      out->value = is_imaginary (column, site) ? NAN : column->value[site];
      out->log10_value = column->log10_value[site];
      if (!ns_quantity_has_log10 (metric.quantity))
        out->log10_value = log10 (out->value);
      else if (is_of_head && metric.where == NS_AT_SQUARES)
        {
          out->value *= out->value;
          out->log10_value *= 2;
        }
    }
  else
    {
      NsRoot total = { 0, 0 };

      for (gint64 l = first; l <= last; l++)
        {
          /* 10^log10 as part·2^whole, since the norm itself may not fit a double; a cosine may be negative */
          double log2_value = column->log10_value[l] * 3.3219280948873623, whole = floor (log2_value);
          double part = isfinite (log2_value) ? exp2 (log2_value - whole) : column->value[l];

          if (!ns_quantity_has_log10 (metric.quantity))
            part = fabs (part);
          ns_root_add (&total, part, isfinite (log2_value) ? whole : 0);
        }
      out->log10_value = 0.5 * log10 (total.sum2) + total.exp2 * 0.30102999566398120;
      if (metric.where == NS_AT_SQUARES)
        out->log10_value *= 2;
      out->value = pow (10, out->log10_value);
    }
  atomic_store_explicit (&out->ready, TRUE, memory_order_release);
}

/* Return TRUE if the quantity of a block changes when the stack above it grows. */
static gboolean
depends_on_end (NsQuantity quantity)
{
  return ns_quantity_is_backward (quantity) || ns_quantity_takes_own_passes (quantity)
         || quantity == NS_Q_COS_X_LAST;
}

/* Run one variant and seed over points first .. last − 1, growing the stack from one point to the next. */
static NsPassState
run_points (SweepJob *job, NsPass *pass, SweepColumn *column, guint variant, guint seed, guint first, guint last,
            ns_real *memory)
{
  NsMetric metric = job->sweep->metric;
  gint64 next = 0; /* the site at which the forward pass continues */
  NsPassState state = NS_PASS_DONE;

  for (guint p = first; p < last; p++)
    {
      pass->plan.parts = ns_shape_get_parts (&job->experiments[p]->shape);
      if (state == NS_PASS_DONE)
        state = ns_pass_forward (pass, next, ns_plan_get_head_site (&pass->plan) - 1, job->progress);
      if (state == NS_PASS_CANCELLED)
        return state;
      if (state == NS_PASS_DONE)
        {
          next = ns_plan_get_head_site (&pass->plan);
          pass->satisfied = FALSE;
          if (ns_quantity_takes_own_passes (metric.quantity))
            {
              if (ns_own_passes_run (pass, memory, job->progress) == NS_PASS_CANCELLED)
                return NS_PASS_CANCELLED;
            }
          else if (ns_quantity_is_backward (metric.quantity) || ns_quantity_is_of_head (metric.quantity))
            {
              NsPassState head = ns_pass_head (pass, NULL);

              if (head == NS_PASS_DONE && ns_quantity_is_backward (metric.quantity) && !pass->satisfied)
                head = ns_pass_backward (pass, ns_sweep_ends_at_last_block (job->sweep) ? next - 1 : 0, job->progress);
              if (head == NS_PASS_CANCELLED)
                return head;
            }
        }
      publish (job, variant, p, seed, column); /* NaN after an overflow */
      if (depends_on_end (metric.quantity))
        column_clear (column);
    }
  return NS_PASS_DONE;
}

/* Return the estimate under which a pass records the metric's quantity. */
static NsGradientEstimate
get_estimate (const NsSweep *sweep)
{
  return ns_sweep_has_estimate (sweep) ? (NsGradientEstimate) sweep->experiment->sampling.estimate : NS_ESTIMATE_NORM;
}

/* Return the elements that a job needs if its quantity takes passes of its own; 0 for another. */
static guint64
count_own_elements (const SweepJob *job)
{
  NsQuantitySet wanted = ns_sweep_get_wanted (job->sweep);

  return ns_own_passes_count_elements (job->experiments[job->sweep->n_points - 1], &wanted);
}

/* ---- a job ---- */

static void
clear_sweep_job (SweepJob *job)
{
  for (guint p = 0; p < job->sweep->n_points; p++)
    ns_experiment_free (job->experiments[p]);
  for (guint i = 0; job->memory != NULL && i < job->layout.n_workers; i++)
    g_free (job->memory[i]);
  g_free (job->experiments);
  g_free (job->memory);
  g_free (job);
}

/* Choose how many passes run at a time, by the memory of the largest experiment. Return FALSE with an error when not
 * even one fits the machine. */
static gboolean
plan_job (SweepJob *job, guint left, GError **error)
{
  const NsSweep *sweep = job->sweep;
  const NsExperiment *largest = job->experiments[sweep->n_points - 1];
  NsQuantitySet wanted = ns_sweep_get_wanted (sweep);
  guint64 elements = count_own_elements (job);

  job->layout = ns_engine_lay_out (job->engine, largest, left,
                                   !ns_own_passes_need_one_cache (&wanted) && !ns_sweep_ends_at_last_block (sweep),
                                   elements * sizeof (ns_real), 0);
  if (!ns_engine_check_memory (largest, job->layout.needed, error))
    return FALSE;
  if (elements > 0)
    job->memory = g_new0 (ns_real *, job->layout.n_workers);
  for (guint i = 0; elements > 0 && i < job->layout.n_workers; i++)
    if ((job->memory[i] = ns_memory_try_new (ns_real, elements)) == NULL)
      job->failed = TRUE;
  return TRUE;
}

static gpointer
begin_sweep (NsEngine *engine, gpointer data, guint left, NsProgress *progress, guint *n_workers, GError **error)
{
  const NsSweepList *list = data;
  NsSweep *sweep = list->sweep;
  const NsExperiment *e = sweep->experiment;
  SweepJob *job = g_new0 (SweepJob, 1);

  *job = (SweepJob){ .engine = engine, .list = list, .sweep = sweep, .progress = progress };
  job->experiments = g_new (NsExperiment *, sweep->n_points);
  for (guint p = 0; p < sweep->n_points; p++)
    job->experiments[p] = ns_sweep_make_experiment (sweep, p);
  if (!plan_job (job, left, error))
    {
      clear_sweep_job (job);
      return NULL;
    }
  if (sweep->axis == NS_SWEEP_DEPTH)
    ns_weights_trim (engine->weights, e, (guint64) e->sampling.seed, (guint64) e->sampling.seeds);
  else
    ns_weights_trim (engine->weights, e, 0, 0);
  *n_workers = job->layout.n_workers;
  return job;
}

static gboolean
run_sweep_item (gpointer data, guint item, guint worker)
{
  SweepJob *job = data;
  NsSweep *sweep = job->sweep;
  guint seed, first, end, variant = ns_sweep_list_find (job->list, item, &seed, &first, &end);
  guint64 key = (guint64) sweep->experiment->sampling.seed + seed;
  NsExperiment *e = job->experiments[end - 1];
  gint64 n_sites = ns_experiment_get_head_site (e) + 1;
  SweepColumn column = { sweep->metric.quantity, get_estimate (sweep), g_new (double, n_sites), g_new (double, n_sites),
                         n_sites };
  NsQuantitySet wanted = ns_sweep_get_wanted (sweep);
  NsWorkspace work;
  NsPass pass;

  if (job->failed
      || !ns_workspace_init (&work, &job->engine->memory[worker], e, job->layout.keep_activations, job->layout.team))
    atomic_store (&job->failed, TRUE);
  else
    {
      column_clear (&column);
      ns_weights_begin (job->engine->weights, key);
      ns_pass_init (&pass, e, variant, key, &work, job->engine->weights);
      pass.sink = (NsSink){ .record = record_metric, .data = &column, .wanted = &wanted, .last = sweep->metric.quantity,
                            .stop = ns_sweep_ends_at_last_block (sweep) };
      if (run_points (job, &pass, &column, variant, seed, first, end,
                      job->memory != NULL ? job->memory[worker] : NULL)
          == NS_PASS_CANCELLED)
        atomic_store (&job->cancelled, TRUE);
      ns_weights_end (job->engine->weights, key);
    }
  g_free (column.value);
  g_free (column.log10_value);
  return !job->failed && !job->cancelled;
}

static gboolean
end_sweep (gpointer data, GError **error)
{
  SweepJob *job = data;
  gboolean ok = !job->cancelled && !job->failed;

  if (job->failed)
    g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                         _ ("The system refused memory for the sweep"));
  else if (job->cancelled)
    g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED, _ ("The run was cancelled"));
  clear_sweep_job (job);
  return ok;
}

void
ns_items_add_sweep (NsItems *items, NsSweep *sweep)
{
  static const NsItemKind kind = { ns_sweep_list_get_n, ns_sweep_list_get_length, ns_sweep_list_count_blocks,
                                   ns_sweep_list_dup_name, ns_sweep_list_is_done, ns_sweep_list_get, ns_sweep_list_set,
                                   ns_sweep_list_free, begin_sweep, run_sweep_item, end_sweep,
                                   ns_sweep_list_get_group };

  ns_items_add (items, &kind, ns_sweep_list_new (sweep));
}

gboolean
ns_engine_run_sweep (NsEngine *engine, NsSweep *sweep, NsProgress *progress, GError **error)
{
  double start = ns_now_ms ();
  g_autoptr (NsItems) items = ns_items_new ();
  gboolean ok;

  ns_items_add_sweep (items, sweep);
  ok = ns_engine_run_all_items (engine, items, progress, error);
  ns_sweep_set_elapsed_ms (sweep, ns_now_ms () - start);
  return ok;
}
