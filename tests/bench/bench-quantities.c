/* Measure what groups of quantities cost in a run that is asked for them: the default shape, Pre-LN and Post-LN.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-quantities [THREADS]
 *
 * In processor time; the rounds take turns, so that other work on the machine slows all of them alike.
 */
#include <math.h>
#include <time.h>

#include "bench.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"

#define ROUNDS 20

/* Quantities beyond the gradient norms and the sizes of activations. */
static const struct
{
  const char *name;
  NsQuantity quantities[13]; /* ends with NS_N_QUANTITIES */
} groups[] = {
  { "identity path", { NS_Q_IDENTITY, NS_Q_IDENTITY_SHARE, NS_Q_GRAD_COS, NS_N_QUANTITIES } },
  { "similarity of neighbours and ends", { NS_Q_COS_X_PREV, NS_Q_COS_X_LAST, NS_Q_GRAD_COS_PREV, NS_N_QUANTITIES } },
  { "skip and branch, forward",
    { NS_Q_SKIP_RATIO_ATTN, NS_Q_SKIP_RATIO_CROSS, NS_Q_SKIP_RATIO_FFN, NS_Q_SKIP_COS_ATTN, NS_Q_SKIP_COS_CROSS,
      NS_Q_SKIP_COS_FFN, NS_N_QUANTITIES } },
  { "skip and branch, backward",
    { NS_Q_GRAD_SKIP_RATIO_ATTN, NS_Q_GRAD_SKIP_RATIO_CROSS, NS_Q_GRAD_SKIP_RATIO_FFN, NS_Q_GRAD_SKIP_COS_ATTN,
      NS_Q_GRAD_SKIP_COS_CROSS, NS_Q_GRAD_SKIP_COS_FFN, NS_N_QUANTITIES } },
  { "shares of the last output",
    { NS_Q_SHARE_INPUT, NS_Q_SHARE_ATTN, NS_Q_SHARE_CROSS, NS_Q_SHARE_FFN, NS_N_QUANTITIES } },
  { "entropy and logits",
    { NS_Q_ENTROPY, NS_Q_ENTROPY_CROSS, NS_Q_MAX_LOGIT, NS_Q_MAX_LOGIT_CROSS, NS_N_QUANTITIES } },
  { "differences between tokens", { NS_Q_TOKEN_RESIDUAL, NS_Q_PARTICIPATION, NS_N_QUANTITIES } },
};

#define N_GROUPS G_N_ELEMENTS (groups)

/* The sets that are timed: without any group, with one of them, all quantities; then one quantity at a time. */
enum
{
  WITHOUT,
  WITH_ONE,
  ALL = WITH_ONE + N_GROUPS,
  ONLY_RMS_X,
  ONLY_W_2,
  N_SETS
};

static gboolean
is_in_group (NsQuantity q, gsize group)
{
  for (gsize i = 0; groups[group].quantities[i] != NS_N_QUANTITIES; i++)
    if (groups[group].quantities[i] == q)
      return TRUE;
  return FALSE;
}

static NsQuantitySet
make_set (int index)
{
  NsQuantitySet set = { { 0 } };

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      gboolean wanted = !ns_quantity_takes_own_passes (q);

      for (gsize g = 0; g < N_GROUPS; g++)
        wanted &= !is_in_group (q, g) || index == ALL || index == (int) (WITH_ONE + g);
      if (index == ONLY_RMS_X || index == ONLY_W_2)
        wanted = q == (index == ONLY_RMS_X ? NS_Q_RMS_X : NS_Q_W_2);
      if (wanted)
        ns_quantity_set_add (&set, q);
    }
  return set;
}

static NsExperiment *
make_experiment (void)
{
  NsExperiment *e = ns_experiment_new ();

  g_ptr_array_set_size (e->variants, 0);
  g_ptr_array_add (e->variants, ns_variant_from_text ("pre", NULL));
  g_ptr_array_add (e->variants, ns_variant_from_text ("post", NULL));
  return e;
}

/* Return the processor time of this process: other work on the machine changes it less than the elapsed time. */
static double
get_processor_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * (double) now.tv_sec + 1e-6 * (double) now.tv_nsec;
}

static gboolean
measure (NsEngine *engine, GError **error)
{
  g_autoptr (NsExperiment) e = make_experiment ();
  double ms[N_SETS];

  for (int i = 0; i < N_SETS; i++)
    ms[i] = INFINITY;
  /* the first round draws the weights */
  for (int round = 0; round <= ROUNDS; round++)
    for (int i = 0; i < N_SETS; i++)
      {
        NsQuantitySet set = make_set (i);
        double start = get_processor_ms ();
        g_autoptr (NsResult) result = ns_engine_run_quantities (engine, e, &set, 0, 1, NULL, error);

        if (result == NULL)
          return FALSE;
        if (round > 0)
          ms[i] = MIN (ms[i], get_processor_ms () - start);
      }
  g_print ("quantities: default shape, %u variants, 1 seed; best of %d rounds\n", e->variants->len, ROUNDS);
  g_print ("  gradient norms, sizes and token similarity: %.1f ms of processor time\n", ms[WITHOUT]);
  for (gsize g = 0; g < N_GROUPS; g++)
    g_print ("  with %s: %.3f times as long\n", groups[g].name, ms[WITH_ONE + g] / ms[WITHOUT]);
  g_print ("  with all of these: %.3f times as long\n", ms[ALL] / ms[WITHOUT]);
  g_print ("  rms_x alone: %.3f times as long\n", ms[ONLY_RMS_X] / ms[WITHOUT]);
  g_print ("  w_2 alone: %.3f times as long\n", ms[ONLY_W_2] / ms[WITHOUT]);
  return TRUE;
}

int
main (int argc, char **argv)
{
  return bench_main (argc, argv, "bench-quantities", measure);
}
