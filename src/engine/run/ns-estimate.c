/* Predict operations, memory and time of an experiment on this machine.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-estimate.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-scale-down.h"
#include "engine/experiment/ns-validate.h"
#include "engine/run/ns-engine-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* ---- counting ---- */

/* Count the operations of the norm of a gradient xᵀ·dy of N tokens. */
static double
count_norm (double N, double in, double out, gboolean *has_grams)
{
  *has_grams = ns_linear_uses_gram ((gsize) N, (gsize) in, (gsize) out, FALSE);
  return *has_grams ? N * N * (in + out) : 2 * N * in * out;
}

/* Count the operations of one linear map: forward, once more when activations are not kept, backward, gradient norms
 * of all M minibatches together and of each. */
static double
count_linear (double N, double M, double in, double out, gboolean keep_activations)
{
  gboolean has_grams;
  double norm = count_norm (N, in, out, &has_grams);

  if (M > 1 && !has_grams)
    norm += M * count_norm (N / M, in, out, &has_grams);
  return (keep_activations ? 2 : 3) * 2 * N * in * out + norm;
}

/* Count the weights and the operations of one variant's pass. */
static void
count_pass (const NsExperiment *experiment, guint v, gboolean keep_activations, double *n_weights, double *flop)
{
  const NsShape *shape = &experiment->shape;
  const NsVariant *variant = ns_experiment_variant (experiment, v);
  double M = (double) experiment->sampling.batches, N = M * (double) shape->batch * (double) shape->seq_len;
  double attention = 2 * N * (double) shape->seq_len * (double) (shape->heads * ns_shape_get_d_head (shape));
  gint64 head = ns_experiment_get_head_site (experiment);

  *n_weights = *flop = 0;
  for (gint64 site = 0; site <= head; site++)
    for (int t = 0; t < NS_N_TENSORS; t++)
      {
        gint64 rows, columns;
        double count, used, slots;

        if (!ns_tensor_is_matrix ((NsTensor) t) || !ns_tensor_exists ((NsTensor) t, experiment, v, site))
          continue;
        ns_tensor_get_shape ((NsTensor) t, shape, variant, &rows, &columns);
        count = (double) ns_tensor_get_count ((NsTensor) t, variant);
        /* of the experts those that some token has chosen, and an equal share of the slots for each */
        used = count > 1 ? MIN (count, N * (double) variant->experts.per_token) : 1;
        slots = count > 1 ? N * (double) variant->experts.per_token / used : N;
        *n_weights += used * (double) rows * (double) columns;
        *flop += used * count_linear (slots, M, (double) rows, (double) columns, keep_activations);
        /* once for each attention: q·kᵀ and P·v (twice without kept activations), and four products backward */
        if (ns_tensor_info ((NsTensor) t)->slot == NS_SLOT_V)
          *flop += (keep_activations ? 6 : 8) * attention;
        /* with a soft cap q·kᵀ once more */
        if (ns_tensor_info ((NsTensor) t)->slot == NS_SLOT_V && !isnan (variant->score_cap))
          *flop += attention;
      }
}

static gboolean
has_distribution_of (const NsExperiment *experiment, guint a, guint b)
{
  NsPlan plans[2];

  ns_plan_init (&plans[0], experiment, a);
  ns_plan_init (&plans[1], experiment, b);
  return plans[0].distribution == plans[1].distribution && plans[0].truncate == plans[1].truncate;
}

/* Count the distributions among the variants: variants of one distribution share their weights. */
static guint
count_distributions (const NsExperiment *experiment)
{
  guint n = 0;

  for (guint v = 0, earlier; v < experiment->variants->len; v++)
    {
      for (earlier = 0; earlier < v && !has_distribution_of (experiment, earlier, v); earlier++)
        ;
      n += earlier == v;
    }
  return n;
}

/* Return the layout of an ordinary run of all seeds. */
static NsJobLayout
lay_out_all_seeds (const NsEngine *engine, const NsExperiment *experiment)
{
  return ns_engine_lay_out (engine, experiment, (guint) experiment->sampling.seeds * experiment->variants->len, TRUE, 0,
                            0);
}

/* Return of how many seeds the engine has weights at a time: of all that it keeps, or of those with passes that run. */
static double
count_seeds_at_a_time (const NsEngine *engine, const NsExperiment *experiment, guint n_workers)
{
  guint seeds = (guint) experiment->sampling.seeds, variants = experiment->variants->len;

  return ns_weights_get_keeps (engine->weights) ? seeds : MIN (seeds, 1 + (n_workers - 1 + variants - 1) / variants);
}

void
ns_estimate_count (const NsEngine *engine, const NsExperiment *experiment, NsEstimate *estimate)
{
  double seeds = (double) experiment->sampling.seeds, budget = (double) engine->budget;
  double uses, of_seed, bytes, kept;
  NsJobLayout layout = lay_out_all_seeds (engine, experiment);

  *estimate = (NsEstimate) { .machine = ns_machine_memory (), .seconds = NAN };
  estimate->needed = ns_engine_get_needed_memory (engine, experiment);
  estimate->fits = estimate->needed <= estimate->machine;
  uses = layout.keep_activations ? 2 : 3;
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      double n_weights, flop;

      count_pass (experiment, v, layout.keep_activations, &n_weights, &flop);
      estimate->n_weights = MAX (estimate->n_weights, n_weights);
      estimate->flop += seeds * flop;
    }
  of_seed = estimate->n_weights * count_distributions (experiment);
  bytes = of_seed * count_seeds_at_a_time (engine, experiment, layout.n_workers) * sizeof (ns_real);
  kept = MIN (1, budget / bytes);
  estimate->drawn
    = seeds * (kept * of_seed + (1 - kept) * uses * estimate->n_weights * experiment->variants->len);
  estimate->memory = estimate->needed > G_MAXUINT64 / 2
                         ? estimate->needed
                         : estimate->needed + (guint64) (kept * bytes);
}

/* ---- measuring ---- */

#define PROBE_D_MODEL 768
#define PROBE_FLOP 2e9     /* takes long enough to measure */
#define PROBE_MAX_FLOP 8e9 /* takes less than a wait */
#define MIN_ROUNDS 2
#define MAX_ROUNDS 8
#define PROBE_MS 500

static double
count_probe (const NsEngine *engine, const NsExperiment *probe)
{
  NsEstimate estimate;

  ns_estimate_count (engine, probe, &estimate);
  return estimate.flop;
}

/* Return a small experiment of the same wiring: the first variant, and as many seeds as make the threads share work as
 * they do in the full run. */
static NsExperiment *
new_probe (const NsEngine *engine, const NsExperiment *experiment)
{
  NsExperiment *probe = ns_experiment_copy (experiment);
  g_autoptr (NsExperiment) narrow = ns_experiment_scale_down (experiment, PROBE_D_MODEL);
  NsShape *shape = &probe->shape;
  double flop;

  g_ptr_array_set_size (probe->variants, 1);
  probe->sampling.seed = 0;
  probe->sampling.seeds = lay_out_all_seeds (engine, experiment).n_workers;
  probe->shape = narrow->shape;
  shape->depth = 1;
  shape->decoder_depth = 0;
  shape->seq_len = experiment->shape.seq_len;
  shape->batch = experiment->shape.batch;
  probe->sampling.estimate = NS_ESTIMATE_NORM;
  while ((flop = count_probe (engine, probe)) > PROBE_MAX_FLOP
         && probe->sampling.batches * shape->batch * shape->seq_len > NS_SCALED_TOKENS)
    {
      if (probe->sampling.batches > 2)
        probe->sampling.batches /= 2;
      else if (shape->batch > 1)
        shape->batch /= 2;
      else
        shape->seq_len /= 2;
    }
  shape->depth = CLAMP ((gint64) (PROBE_FLOP / flop), 1, experiment->shape.depth);
  return probe;
}

static gboolean
time_run (NsEngine *engine, const NsExperiment *probe, NsProgress *progress, double *sum, GError **error)
{
  g_autoptr (NsResult) result = ns_engine_run (engine, probe, 0, (guint) probe->sampling.seeds, progress, error);

  if (result != NULL)
    *sum += ns_result_get_elapsed_ms (result) * 1e-3;
  return result != NULL;
}

/* Time the probe in seconds, mean of several rounds: with weights drawn anew, and with the same weights kept. The two
 * take turns, so that other load on the machine affects both. The mean and not the best: where other programs, or the
 * host of a virtual machine, take the processors for most of each tenth of a second, a short run often escapes them, a
 * long one never. */
static gboolean
time_probe (NsEngine *engine, NsExperiment *probe, NsProgress *progress, double *fresh, double *kept, GError **error)
{
  double start = ns_now_ms (), warm_up = 0;
  int n = 0;

  *fresh = *kept = 0;
  if (!time_run (engine, probe, progress, &warm_up, error))
    return FALSE;
  for (; n < MIN_ROUNDS || (n < MAX_ROUNDS && ns_now_ms () - start < PROBE_MS); n++)
    {
      probe->sampling.seed += probe->sampling.seeds;
      if (!time_run (engine, probe, progress, fresh, error) || !time_run (engine, probe, progress, kept, error))
        return FALSE;
    }
  *fresh /= n;
  *kept /= n;
  return TRUE;
}

gboolean
ns_estimate_run (const NsEngine *engine, const NsExperiment *experiment, NsProgress *progress, NsEstimate *estimate,
                 GError **error)
{
  g_autoptr (NsEngine) probe_engine = NULL;
  g_autoptr (NsExperiment) probe = NULL;
  NsEstimate small;
  double fresh, kept;

  if (!ns_experiment_validate (experiment, error))
    return FALSE;
  ns_estimate_count (engine, experiment, estimate);
  if (!estimate->fits)
    return TRUE;
  probe_engine = ns_engine_new (engine->n_threads, engine->budget);
  ns_engine_keep_weights (probe_engine);
  probe = new_probe (probe_engine, experiment);
  ns_estimate_count (probe_engine, probe, &small);
  if (!time_probe (probe_engine, probe, progress, &fresh, &kept, error))
    return FALSE;
  estimate->seconds
      = estimate->flop / small.flop * kept + estimate->drawn / small.drawn * MAX (0, fresh - kept);
  return TRUE;
}

/* ---- text ---- */

static char *
dup_time (double seconds)
{
  const struct
  {
    double from, unit;
    const char *text;
  } units[] = {
    { 2 * 86400, 86400, N_ ("about %.0f days") },
    { 2 * 3600, 3600, N_ ("about %.0f hours") },
    { 2 * 60, 60, N_ ("about %.0f minutes") },
    { 1.5, 1, N_ ("about %.0f seconds") },
    { 0.75, 1, N_ ("about a second") },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (seconds >= units[i].from)
      {
        double number = round (seconds / units[i].unit);

        /* round to fives above ten: the last digit would claim too much */
        number = number > 10 && units[i].unit < 3600 ? 5 * round (number / 5) : number;
        return g_strdup_printf (_ (units[i].text), number);
      }
  return g_strdup (_ ("less than a second"));
}

char *
ns_estimate_dup_text (const NsEstimate *estimate)
{
  g_autofree char *needed = g_format_size_full (estimate->needed, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *memory = g_format_size_full (estimate->memory, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *machine = g_format_size_full (estimate->machine, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *time = NULL;

  if (!estimate->fits)
    return g_strdup_printf (_ ("does not fit this machine: it needs %s of memory, the machine has %s"), needed,
                            machine);
  if (isnan (estimate->seconds))
    return g_strdup_printf (_ ("%s of memory on this machine"), memory);
  time = dup_time (estimate->seconds);
  return g_strdup_printf (_ ("%s and %s of memory on this machine"), time, memory);
}
