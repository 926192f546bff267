/* Test cancelling inside a block: panels, weights being drawn, passes, runs and sweeps of one wide block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/ops/ns-activation.h"
#include "engine/ops/ns-attention.h"
#include "engine/ops/ns-loss.h"
#include "engine/ops/ns-norm.h"
#include "engine/pass/ns-pass.h"
#include "engine/run/ns-engine-private.h"
#include "engine/run/ns-sweep.h"
#include "tests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define UNTOUCHED 7

static const NsShape small = {
  .depth = 2, .d_model = 32, .heads = 4, .d_ff = 64, .seq_len = 8, .batch = 1, .vocab = 40,
};

static gboolean
is_untouched (const ns_real *x, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (x[i] != UNTOUCHED)
      return FALSE;
  return TRUE;
}

/* A team skips the panels of a cancelled job but not those of another job. */
static void
test_cancelled_panels (void)
{
  const gsize N = 2, C = 1280, F = 1024, n_panel = ns_linear_panel_elements (C, F);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autofree double *partial = g_new (double, NS_LINEAR_MAX_PANELS);
  g_autofree ns_real *panel = g_new (ns_real, n_panel), *x = check_draw (N * C, 1), *dy = check_draw (N * F, 2);
  g_autofree ns_real *y = g_new (ns_real, N * F), *dx = g_new (ns_real, N * C);
  NsLinearScratch scratch = { .panel = &panel, .partial = partial, .progress = progress };
  NsMatrix W = { .key = { 1, 1, 0 }, .in = C, .out = F, .std = 1 };

  for (int cancelled = 0; cancelled < 2; cancelled++)
    {
      for (gsize i = 0; i < n_panel; i++)
        panel[i] = UNTOUCHED;
      for (gsize i = 0; i < N * F; i++)
        y[i] = UNTOUCHED;
      for (gsize i = 0; i < N * C; i++)
        dx[i] = UNTOUCHED;
      if (cancelled)
        ns_progress_cancel (progress);
      ns_linear_forward (y, x, &W, 1, 0, N, &scratch);
      g_assert_cmpint (is_untouched (y, N * F), ==, cancelled);
      ns_linear_backward (dx, dy, &W, 1, 0, N, &scratch);
      g_assert_cmpint (is_untouched (dx, N * C), ==, cancelled);
      g_assert_cmpint (is_untouched (panel, n_panel), ==, cancelled);
      for (gsize i = 0; i < n_panel; i++)
        panel[i] = UNTOUCHED;
      ns_linear_gradient_norm_plain (x, dy, N, C, F, &scratch);
      g_assert_cmpint (is_untouched (panel, n_panel), ==, cancelled);
    }
}

/* ---- operations ---- */

#define OP_T 8
#define OP_C 8 /* two heads of four features */

/* Each operation writes only y, [OP_T·OP_C], and reads x. */
typedef void (*Operation) (ns_real *y, const ns_real *x, NsProgress *progress);

static const NsAttentionShape op_shape = { .B = 1, .T = OP_T, .D = OP_C / 2, .H = 2, .G = 2 };

static void
run_attention (ns_real *y, const ns_real *x, NsProgress *progress)
{
  ns_real probs[2 * OP_T * OP_T];

  ns_attention_forward (y, probs, x, x, x, NS_MASKED (NS_MASK_CAUSAL), FALSE, 1, op_shape, NULL, progress);
}

static void
run_attention_backward (ns_real *y, const ns_real *x, NsProgress *progress)
{
  ns_real probs[2 * OP_T * OP_T] = { 0 }, scratch[OP_T * OP_T], dk[OP_T * OP_C], dv[OP_T * OP_C];

  ns_attention_backward (y, dk, dv, scratch, x, probs, x, x, x, NS_MASKED (NS_MASK_CAUSAL), FALSE, 1, op_shape,
                         progress);
}

static void
run_norm (ns_real *y, const ns_real *x, NsProgress *progress)
{
  ns_real mean[OP_T], rstd[OP_T];

  ns_norm_forward (y, mean, rstd, x, NULL, NULL, NS_NORM_LAYERNORM, 1e-5, 1, OP_T, OP_C, progress);
}

static void
run_norm_backward (ns_real *y, const ns_real *x, NsProgress *progress)
{
  const ns_real mean[OP_T] = { 0 }, rstd[OP_T] = { 0 };

  ns_norm_backward (y, NULL, NULL, x, x, mean, rstd, NULL, NS_NORM_LAYERNORM, 1, OP_T, OP_C, progress);
}

static void
run_dyt (ns_real *y, const ns_real *x, NsProgress *progress)
{
  ns_dyt_forward (y, x, NULL, NULL, 0.5, 1, OP_T, OP_C, progress);
}

static void
run_dyt_backward (ns_real *y, const ns_real *x, NsProgress *progress)
{
  ns_dyt_backward (y, NULL, NULL, NULL, x, x, NULL, 0.5, 1, OP_T, OP_C, progress);
}

static void
run_activation (ns_real *y, const ns_real *x, NsProgress *progress)
{
  ns_activation_forward (y, x, NULL, NS_ACT_GELU, 1, OP_T * OP_C, progress);
}

static void
run_activation_backward (ns_real *y, const ns_real *x, NsProgress *progress)
{
  ns_activation_backward (y, NULL, x, x, NULL, NS_ACT_GELU, 1, OP_T * OP_C, progress);
}

static void
run_loss (ns_real *y, const ns_real *x, NsProgress *progress)
{
  const gint32 targets[OP_T] = { 0 };

  ns_cross_entropy (y, targets, 2, 0, NULL, OP_T, OP_C, progress);
}

/* Operations do nothing for a cancelled job, and their work for another. */
static void
test_cancelled_operations (void)
{
  static const Operation operations[] = { run_attention, run_attention_backward, run_norm, run_norm_backward, run_dyt,
                                          run_dyt_backward, run_activation, run_activation_backward, run_loss };
  const gsize n = OP_T * OP_C;
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autofree ns_real *x = check_draw (n, 1), *y = g_new (ns_real, n);

  for (int cancelled = 0; cancelled < 2; cancelled++)
    {
      if (cancelled)
        ns_progress_cancel (progress);
      for (gsize i = 0; i < G_N_ELEMENTS (operations); i++)
        {
          for (gsize j = 0; j < n; j++)
            y[j] = UNTOUCHED;
          operations[i](y, x, progress);
          g_assert_cmpint (is_untouched (y, n), ==, cancelled);
        }
    }
}

/* ---- pieces of large operations ----
 *
 * A job that is cancelled in the middle of one operation leaves the end of its output untouched. */

#define PIECE_T 4096

typedef struct
{
  NsProgress *progress;
  gsize n;        /* elements of the output */
  ns_real *y, *x; /* the operation's output and other arrays */
  NsLinearScratch scratch;
  void (*func) (gpointer piece);
  atomic_bool finished;
} Piece;

static void
run_wide_attention (gpointer data)
{
  Piece *p = data;
  const NsAttentionShape s = { .B = 1, .T = PIECE_T, .D = 256, .H = 1, .G = 1 };

  /* the probabilities are the output that is watched */
  ns_attention_forward (p->x + s.T * s.D, p->y, p->x, p->x, p->x, NS_MASKED (NS_MASK_NONE), FALSE, 1, s, NULL,
                        p->progress);
}

static void
run_wide_attention_backward (gpointer data)
{
  Piece *p = data;
  const NsAttentionShape s = { .B = 1, .T = PIECE_T, .D = 256, .H = 1, .G = 1 };
  gsize n = s.T * s.D;

  ns_attention_backward (p->x + n, p->x + 2 * n, p->x + 3 * n, p->y, p->x, p->x + 4 * n, p->x, p->x, p->x,
                         NS_MASKED (NS_MASK_NONE), FALSE, 1, s, p->progress);
}

static void
run_many_tokens (gpointer data)
{
  Piece *p = data;
  NsMatrix W = { .in = 1024, .out = 1024, .std = 1, .unit = p->x };

  ns_linear_forward (p->y, p->x, &W, 1, 0, p->n / W.out, &p->scratch);
}

static void
run_many_tokens_backward (gpointer data)
{
  Piece *p = data;
  NsMatrix W = { .in = 1024, .out = 1024, .std = 1, .unit = p->x };

  ns_linear_backward (p->y, p->x, &W, 1, 0, p->n / W.in, &p->scratch);
}

static void
run_gram (gpointer data)
{
  Piece *p = data;

  p->scratch.gram_x = p->y;
  p->scratch.gram_y = p->y;
  p->scratch.gram_x_valid = FALSE;
  ns_linear_gradient_norm (p->x, p->x, 2048, 4096, 4096, &p->scratch);
}

static void *
piece_main (void *data)
{
  Piece *p = data;

  p->func (p);
  atomic_store (&p->finished, TRUE);
  return NULL;
}

/* Read what another thread writes. */
__attribute__ ((no_sanitize ("thread"))) static ns_real
peek (const volatile ns_real *x)
{
  return *x;
}

static void
test_cancelled_pieces (void)
{
  void (*const funcs[]) (gpointer) = { run_wide_attention, run_wide_attention_backward, run_many_tokens,
                                       run_many_tokens_backward, run_gram };
  const gsize n = (gsize) PIECE_T * PIECE_T / 4, sizes[] = { 4 * n, 4 * n, 2 * n, 2 * n, n };
  g_autofree ns_real *x = g_new0 (ns_real, 6 * n), *y = g_new (ns_real, 4 * n);
  g_autofree double *partial = g_new (double, NS_LINEAR_MAX_PANELS);
  g_autofree ns_real *panel = g_new (ns_real, ns_linear_panel_elements (4096, 4096));

  for (gsize i = 0; i < G_N_ELEMENTS (funcs); i++)
    {
      gboolean stopped = FALSE;

      for (int round = 0; round < 50 && !stopped; round++)
        {
          g_autoptr (NsProgress) progress = ns_progress_new ();
          Piece piece = { progress, sizes[i], y, x, { .panel = &panel, .partial = partial, .progress = progress },
                          funcs[i], FALSE };
          pthread_t thread;

          y[0] = y[sizes[i] - 1] = UNTOUCHED;
          g_assert_cmpint (pthread_create (&thread, NULL, piece_main, &piece), ==, 0);
          while (peek (y) == UNTOUCHED && !atomic_load (&piece.finished))
            g_thread_yield ();
          ns_progress_cancel (progress);
          pthread_join (thread, NULL);
          /* begun, and not finished */
          stopped = y[0] != UNTOUCHED && y[sizes[i] - 1] == UNTOUCHED;
        }
      g_assert_true (stopped);
    }
}

/* ---- passes ---- */

/* Cancel at the nth matrix that a pass requests. */
typedef struct
{
  NsProgress *progress;
  NsWeights *weights;
  guint wanted, n, overflows;
  guint64 bytes; /* in the store at that moment */
} Hook;

static const ns_real *
count_matrix (gpointer data, NsTensor tensor, gint64 site)
{
  Hook *hook = data;

  if (++hook->n == hook->wanted)
    {
      hook->bytes = ns_weights_get_bytes (hook->weights);
      ns_progress_cancel (hook->progress);
    }
  return NULL;
}

static void
count_overflow (gpointer data, gint64 site)
{
  ((Hook *) data)->overflows++;
}

static NsPassState
run_pass (const NsExperiment *experiment, guint variant, gboolean keep, guint wanted, Hook *hook)
{
  g_autoptr (NsProgress) progress = ns_progress_new ();
  NsPassHooks hooks = { .weights = count_matrix, .data = hook };
  NsWorkspaceMemory memory = { 0 };
  NsWorkspace work;
  NsPassState state;
  NsPass pass;

  *hook = (Hook){ progress, ns_weights_new (1 << 24), wanted, 0, 0, 0 };
  g_assert_true (ns_workspace_init (&work, &memory, experiment, keep, NULL));
  /* fill the memory with NaN, the worst that a skipped computation can leave */
  memset (memory.memory, 0xff, memory.bytes);
  g_assert_true (ns_workspace_init (&work, &memory, experiment, keep, NULL));
  ns_pass_init (&pass, experiment, variant, 5, &work, hook->weights);
  pass.hooks = &hooks;
  pass.sink.overflow = count_overflow;
  pass.sink.data = hook;
  state = ns_pass_run (&pass, progress, NULL);
  if (hook->n >= wanted)
    g_assert_cmpuint (ns_weights_get_bytes (hook->weights), ==, hook->bytes);
  ns_weights_free (hook->weights);
  ns_workspace_memory_clear (&memory);
  return state;
}

/* At any point of cancellation a pass reports it, draws no further weights and reports no overflow: in every pair of
 * stack, variant and memory. */
static void
test_cancelled_pass (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre post");

  for (guint i = 0; i < 4; i++)
    {
      guint n = 1;
      NsPassState state;
      Hook hook;

      experiment->shape.stack = (NsStack) (i % 2);
      while ((state = run_pass (experiment, i / 2, i % 2 != i / 2, n, &hook)) != NS_PASS_DONE)
        {
          g_assert_cmpint (state, ==, NS_PASS_CANCELLED);
          g_assert_cmpuint (hook.n, >=, n);
          g_assert_cmpuint (hook.n, <, n + 25); /* the rest of one block */
          g_assert_cmpuint (hook.overflows, ==, 0);
          n++;
        }
      g_assert_cmpuint (hook.n, ==, n - 1);
      g_assert_cmpuint (n, >, i % 2 == NS_STACK_SINGLE ? 24 : 60);
    }
}

typedef struct
{
  NsWeights *weights;
  NsProgress *progress;
} Interrupter;

/* Cancel as soon as the store has reserved memory for a matrix. */
static void *
interrupt_main (void *data)
{
  Interrupter *i = data;

  while (ns_weights_get_bytes (i->weights) == 0)
    continue;
  ns_progress_cancel (i->progress);
  return NULL;
}

/* The store holds whole matrices only. */
static void
test_cancelled_weights (void)
{
  const gsize in = 2048, out = 2048;
  const NsRandomKey key = { 3, 1, 2, 0, 0 };
  g_autofree ns_real *expected = g_new (ns_real, in * out);
  NsWeights *weights = ns_weights_new (1 << 30);
  NsTeam *team = ns_team_new (2);
  guint n_dropped = 0;

  ns_weights_fill (expected, key, NS_DISTRIBUTION_NORMAL, out, 0, in, 0, out);
  for (int round = 0; round < 400 && n_dropped < 3; round++)
    {
      g_autoptr (NsProgress) progress = ns_progress_new ();
      Interrupter interrupter = { weights, progress };
      pthread_t thread;
      const ns_real *values;

      g_assert_cmpint (pthread_create (&thread, NULL, interrupt_main, &interrupter), ==, 0);
      values = ns_weights_get (weights, key, NS_DISTRIBUTION_NORMAL, 0, in, out, team, progress);
      if (values == NULL)
        ns_progress_cancel (progress);
      g_assert_cmpuint (ns_weights_get_bytes (weights), ==, values != NULL ? in * out * sizeof (ns_real) : 0);
      n_dropped += values == NULL;
      values = ns_weights_get (weights, key, NS_DISTRIBUTION_NORMAL, 0, in, out, team, NULL);
      g_assert_cmpmem (values, in * out * sizeof *values, expected, in * out * sizeof *expected);
      pthread_join (thread, NULL);
      ns_weights_free (weights);
      weights = ns_weights_new (1 << 30);
    }
  g_assert_cmpuint (n_dropped, ==, 3);
  ns_weights_free (weights);
  ns_team_free (team);
}

/* Cancel when `wanted` blocks have started. */
typedef struct
{
  NsProgress *progress;
  guint64 wanted;
  atomic_bool finished;
} Canceller;

static void *
cancel_main (void *data)
{
  Canceller *c = data;
  guint64 total;

  for (guint64 done = 0; done < c->wanted && !atomic_load (&c->finished); ns_progress_get (c->progress, &done, &total))
    g_usleep (20);
  ns_progress_cancel (c->progress);
  return NULL;
}

/* After another thread cancels a run of one wide block, the engine computes the next run correctly. */
static void
check_cancel_wide (const NsExperiment *experiment, const NsResult *fresh, guint n_threads, guint64 wanted,
                   gboolean is_sweep)
{
  const NsMetric metric = { NS_Q_BLOCK, NS_AT_FIRST, NS_PART_STACK };
  const gint64 points[] = { 1 };
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, 0);
  g_autoptr (NsResult) result = NULL;
  gboolean cancelled = FALSE;

  for (int round = 0; round < 50 && !cancelled; round++)
    {
      g_autoptr (NsSweep) sweep = ns_sweep_new (experiment, NS_SWEEP_DEPTH, points, 1, metric, NULL);
      g_autoptr (NsProgress) progress = ns_progress_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (NsResult) none = NULL;
      Canceller canceller = { .progress = progress, .wanted = wanted };
      pthread_t thread;

      ns_weights_trim (engine->weights, experiment, 0, 0);
      g_assert_cmpint (pthread_create (&thread, NULL, cancel_main, &canceller), ==, 0);
      if (is_sweep)
        cancelled = !ns_engine_run_sweep (engine, sweep, progress, &error);
      else
        cancelled = (none = ns_engine_run (engine, experiment, 0, 1, progress, &error)) == NULL;
      atomic_store (&canceller.finished, TRUE);
      pthread_join (thread, NULL);
      if (!cancelled)
        continue;
      g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
      g_assert_false (ns_sweep_get_value (sweep, 0, 0, 0, NULL, NULL));
    }
  g_assert_true (cancelled);
  result = check_run_on (engine, experiment);
  g_assert_cmpuint (check_count_different_all (result, fresh), ==, 0);
}

static void
test_cancel_wide (void)
{
  const NsShape wide = { .depth = 1, .d_model = 1024, .heads = 4, .d_ff = 4096, .seq_len = 4, .batch = 1, .vocab = 40 };
  g_autoptr (NsExperiment) experiment = check_experiment (wide, "pre");
  g_autoptr (NsResult) fresh = check_run (experiment, 1, 0);

  for (guint64 wanted = 1; wanted <= 2; wanted++)
    {
      check_cancel_wide (experiment, fresh, 1, wanted, FALSE);
      check_cancel_wide (experiment, fresh, 2, wanted, FALSE);
      check_cancel_wide (experiment, fresh, 2, wanted, TRUE);
    }
}

void
add_cancel_tests (void)
{
  g_test_add_func ("/cancel/panels", test_cancelled_panels);
  g_test_add_func ("/cancel/operations", test_cancelled_operations);
  g_test_add_func ("/cancel/pieces", test_cancelled_pieces);
  g_test_add_func ("/cancel/pass", test_cancelled_pass);
  g_test_add_func ("/cancel/weights", test_cancelled_weights);
  g_test_add_func ("/cancel/wide", test_cancel_wide);
}
