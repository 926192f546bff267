/* Measure a run with experts against one with a plain FFN of the width that is active for a token.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-experts [THREADS]
 *
 * In processor time; the rounds take turns, so that other work on the machine slows both alike. Enough tokens that the
 * weights of all experts, which a run reads once, do not decide. Blocks of one FFN each, so that it alone is timed.
 */
#include <math.h>
#include <time.h>

#include "bench.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"

#define ROUNDS 10
#define ACTIVE 2 /* experts of a token */

static NsExperiment *
make_experiment (const char *variant, gint64 d_ff)
{
  NsExperiment *e = ns_experiment_new ();

  e->shape.depth = 4;
  e->shape.d_model = 256;
  e->shape.heads = 4;
  e->shape.d_ff = d_ff;
  e->shape.seq_len = 64;
  e->shape.batch = 32;
  g_ptr_array_set_size (e->variants, 0);
  g_ptr_array_add (e->variants, ns_variant_from_text (variant, NULL));
  return e;
}

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
  static const int counts[] = { 4, 8, 16 };
  double plain_ms = INFINITY, ms[G_N_ELEMENTS (counts)];
  const gint64 d_ff = 512;
  g_autoptr (NsExperiment) plain = make_experiment ("ffn-only", ACTIVE * d_ff);

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    ms[i] = INFINITY;
  /* the first round draws the weights */
  for (int round = 0; round <= ROUNDS; round++)
    for (int i = -1; i < (int) G_N_ELEMENTS (counts); i++)
      {
        g_autofree char *variant = g_strdup_printf ("ffn-only:experts=%d,experts_per_token=%d", i < 0 ? 2 : counts[i],
                                                    ACTIVE);
        g_autoptr (NsExperiment) e = i < 0 ? ns_experiment_copy (plain) : make_experiment (variant, d_ff);
        double start = get_processor_ms (), *best = i < 0 ? &plain_ms : &ms[i];
        g_autoptr (NsResult) result = ns_engine_run (engine, e, 0, 1, NULL, error);

        if (result == NULL)
          return FALSE;
        if (round > 0)
          *best = MIN (*best, get_processor_ms () - start);
      }
  g_print ("experts: %d of them active, d_model 256, d_ff %d each, 2048 tokens; best of %d rounds\n", ACTIVE,
           (int) d_ff, ROUNDS);
  g_print ("  a plain FFN of d_ff %d: %.1f ms of processor time\n", (int) (ACTIVE * d_ff), plain_ms);
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    g_print ("  %d experts: %.2f times as long\n", counts[i], ms[i] / plain_ms);
  return TRUE;
}

int
main (int argc, char **argv)
{
  return bench_main (argc, argv, "bench-experts", measure);
}
