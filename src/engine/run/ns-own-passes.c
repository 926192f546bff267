/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-own-passes.h"

#include "engine/ops/ns-probe.h"
#include "engine/ops/ns-progress.h"
#include "engine/pass/ns-path-lengths.h"
#include "engine/pass/ns-step.h"
#include "engine/run/ns-gain.h"
#include "engine/run/ns-paths.h"

#include <string.h>

/* A step for a quantity of steps changes h by about STEP_SIZE of its norm: small enough to be linear, and large enough
 * for single precision. It is taken at most STEP_TRIES times. */
#define STEP_SIZE 2e-3
#define STEP_MIN 5e-4
#define STEP_MAX 8e-3
#define STEP_TRIES 3
#define STEP_CURVED 0.5 /* the largest nonlinearity */

/* g and dg/dt, whose product is the mean length. */
static const NsLengths mean_length = { .kind = NS_LENGTHS_MOMENTS, .limit = 1, .at_every_site = TRUE };

typedef struct
{
  NsPass *pass;
  NsSink sink; /* of the caller */
  ns_real *memory;
  NsProgress *progress;
  gsize size; /* of an array [N, C] */
} Own;

static void
put_number (const Own *own, NsQuantity quantity, gint64 site, double value, double log10_value)
{
  own->sink.record (own->sink.data, quantity, NS_ESTIMATE_NORM, site, value, log10_value);
}

/* ---- memory and progress ---- */

static gboolean
wants (const NsQuantitySet *wanted, NsQuantity quantity)
{
  return wanted != NULL && ns_quantity_set_has (wanted, quantity);
}

static gboolean
wants_step (const NsQuantitySet *wanted)
{
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (wants (wanted, q) && ns_quantity_is_of_step (q, NULL, NULL))
      return TRUE;
  return FALSE;
}

gboolean
ns_own_passes_need_one_cache (const NsQuantitySet *wanted)
{
  return wants_step (wanted); /* a step leaves the caches of another pass behind */
}

/* Return n·N·C, at most what an allocation can be asked for. */
static guint64
count_own_arrays (const NsPlan *plan, guint64 n)
{
  guint64 elements;

  if (__builtin_mul_overflow (n, (guint64) plan->N * plan->C, &elements))
    return G_MAXUINT64 / sizeof (ns_real);
  return elements;
}

static guint64
count_own_gain_elements (const NsExperiment *experiment, const NsPlan *plan)
{
  guint64 bytes = ns_workspace_get_widened_bytes (experiment, ns_gain_get_copies (plan, NS_OWN_PROBES));

  /* and the array that is drawn */
  return bytes == G_MAXUINT64 ? bytes : bytes / sizeof (ns_real) + 1 + plan->N * plan->C;
}

guint64
ns_own_passes_count_elements (const NsExperiment *experiment, const NsQuantitySet *wanted)
{
  guint64 n = 0;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsPlan plan;

      ns_plan_init (&plan, experiment, v);
      if (plan.n > 0) /* several streams have none of these quantities */
        continue;
      if (wants (wanted, NS_Q_PATH_LENGTH)) /* the components, and ∂L/∂x_L and ∂L/∂r_L */
        n = MAX (n, count_own_arrays (&plan, ns_lengths_count_arrays (&plan, mean_length) + 2));
      if (wants (wanted, NS_Q_GAIN))
        n = MAX (n, count_own_gain_elements (experiment, &plan));
      if (wants_step (wanted))
        n = MAX (n, ns_step_count_elements (&plan));
    }
  return MIN (n, G_MAXUINT64 / sizeof (ns_real));
}

guint64
ns_own_passes_count_steps (const NsExperiment *experiment, guint variant, const NsQuantitySet *wanted)
{
  guint64 blocks = (guint64) ns_experiment_count_blocks (experiment), steps = 0;
  NsPlan plan;

  ns_plan_init (&plan, experiment, variant);
  if (plan.n > 0)
    return 0;
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (wants (wanted, q) && ns_quantity_is_of_step (q, NULL, NULL))
      steps += STEP_TRIES * NS_STEP_PASSES * blocks;
  if (wants (wanted, NS_Q_PATH_LENGTH))
    steps += blocks;
  if (wants (wanted, NS_Q_GAIN))
    steps += ns_gain_count_runs (&plan, NS_OWN_PROBES) * blocks;
  return steps;
}

/* Count blocks that are not run after all. */
static NsPassState
skip_steps (const Own *own, guint64 n)
{
  while (n-- > 0)
    if (!ns_progress_step (own->progress))
      return NS_PASS_CANCELLED;
  return NS_PASS_DONE;
}

/* ---- path lengths ---- */

static void
keep_length (gpointer data, gint64 site, const NsScaled *components, guint n)
{
  const Own *own = data;
  NsScaled g = components[0], slope = components[1];
  double square, length = 0;

  (void) n;
  /* a gradient of 0 has no paths */
  if (g.v == NULL || !((square = ns_sum_squares (g.v, own->size)) > 0))
    length = NAN;
  else if (slope.v != NULL)
    length = ns_dot (slope.v, g.v, own->size) / square * exp2 (slope.exp2 - g.exp2);
  if (!ns_progress_is_cancelled (own->progress))
    put_number (own, NS_Q_PATH_LENGTH, site, length, NAN);
}

static NsPassState
run_lengths (Own *own)
{
  NsPass *pass = own->pass;
  gboolean is_dual = pass->plan.variant->dual_residual;
  NsScaled end, end_r = { NULL, 0 };
  NsPassState state = ns_pass_head (pass, NULL);

  if (state == NS_PASS_OVERFLOWED)
    return skip_steps (own, (guint64) ns_parts_count_blocks (&pass->plan.parts));
  if (state != NS_PASS_DONE)
    return state;
  end = ns_scaled_add (own->memory, 1, pass->dx, 0, pass->dx, own->size);
  if (is_dual)
    end_r = ns_scaled_add (own->memory + own->size, 1, pass->dr, 0, pass->dr, own->size);
  return ns_pass_lengths (pass, mean_length, end, is_dual ? &end_r : NULL, own->memory + 2 * own->size, keep_length,
                          own, own->progress);
}

/* ---- gain ---- */

static void
record_gain (gpointer data, gint64 site, NsGain gain)
{
  put_number (data, NS_Q_GAIN, site, gain.mean, gain.log10_mean);
}

static NsPassState
run_gain (Own *own)
{
  NsPass *pass = own->pass;
  const NsPlan *plan = &pass->plan;
  gsize copies = ns_gain_get_copies (plan, NS_OWN_PROBES);
  NsWorkspace narrow = *pass->work;
  NsPassState state;

  ns_workspace_widen (pass->work, plan->experiment, copies, own->memory + own->size);
  state = ns_gain_run_column (pass, ns_plan_get_head_site (plan) - 1, NS_OWN_PROBES, (float *) own->memory, record_gain,
                              own, own->progress);
  *pass->work = narrow;
  return state;
}

/* ---- steps ---- */

static void
ignore_stream (gpointer data, gint64 site, NsStepRatio change)
{
  (void) data, (void) site, (void) change;
}

static void
ignore_tensor (gpointer data, NsTensor tensor, gint64 site, NsStepRatio change)
{
  (void) data, (void) tensor, (void) site, (void) change;
}

/* Record rms (Δh)/η at the head, for an η so small that Δh is linear in it. */
static NsPassState
run_step (Own *own, NsQuantity quantity)
{
  NsPass *pass = own->pass;
  guint64 blocks = NS_STEP_PASSES * (guint64) ns_parts_count_blocks (&pass->plan.parts);
  NsStep step = { .stream = ignore_stream, .tensor = ignore_tensor };
  guint tries = 0;
  double size, log10_value;

  ns_quantity_is_of_step (quantity, &step.optimizer, &step.matrices_only);
  step.learning_rate = ns_optimizer_get_learning_rate (step.optimizer);
  do
    {
      NsPassState state;

      if (tries++ > 0)
        step.learning_rate *= STEP_SIZE / step.h.value;
      state = ns_pass_step (pass, &step, own->memory, own->progress);
      if (state == NS_PASS_OVERFLOWED)
        {
          step.h = (NsStepRatio){ NAN, NAN };
          state = skip_steps (own, blocks);
        }
      if (state == NS_PASS_CANCELLED)
        return state;
      size = step.h.value;
    }
  while (tries < STEP_TRIES && size > 0 && (size < STEP_MIN || size > STEP_MAX));
  /* in a chaotic stack no step is both linear and above rounding */
  if (size != 0 && !(size >= STEP_MIN && size <= STEP_MAX && step.nonlinearity <= STEP_CURVED))
    step.h = (NsStepRatio){ NAN, NAN };
  log10_value = step.h.log10_value + step.log10_rms - log10 (step.learning_rate);
  put_number (own, quantity, ns_plan_get_head_site (&pass->plan), pow (10, log10_value), log10_value);
  return skip_steps (own, (STEP_TRIES - tries) * blocks);
}

/* ---- all ---- */

NsPassState
ns_own_passes_run (NsPass *pass, ns_real *memory, NsProgress *progress)
{
  static const NsQuantitySet none = { { 0 } };
  const NsQuantitySet *wanted = pass->sink.wanted;
  Own own = { .pass = pass, .sink = pass->sink, .memory = memory, .progress = progress,
              .size = pass->plan.N * pass->plan.C };
  NsPassState state = NS_PASS_DONE;

  if (pass->plan.n > 0)
    return state;
  /* the sink gets what is recorded here, and nothing else a second time */
  pass->sink = (NsSink){ .overflow = own.sink.overflow, .data = own.sink.data, .wanted = &none };
  if (wants (wanted, NS_Q_PATH_LENGTH))
    state = run_lengths (&own);
  if (state == NS_PASS_DONE && wants (wanted, NS_Q_GAIN))
    state = run_gain (&own);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES && state == NS_PASS_DONE; q++)
    if (wants (wanted, q) && ns_quantity_is_of_step (q, NULL, NULL))
      state = run_step (&own, q);
  pass->sink = own.sink;
  return state;
}
