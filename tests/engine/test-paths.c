/* Test paths: identities in either precision, the estimate of long stacks, threads and memory, what is not defined.
 * tests/cross/paths_check.py compares the numbers with PyTorch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/pass/ns-contributions.h"
#include "engine/pass/ns-path-lengths.h"
#include "engine/run/ns-paths.h"
#include "tests.h"

#include <stdatomic.h>
#include <string.h>

#ifdef NS_DOUBLE
#define SUM_TOLERANCE 1e-12
#else
#define SUM_TOLERANCE 1e-5
#endif

static const NsShape small = {
  .depth = 6, .d_model = 24, .heads = 3, .d_ff = 40, .seq_len = 6, .batch = 2, .vocab = 12,
};

/* slow enough for another thread to watch */
static const NsShape wide = {
  .depth = 6, .d_model = 128, .heads = 4, .d_ff = 256, .seq_len = 16, .batch = 2, .vocab = 12,
};

static const char wirings[] = "pre post sandwich deepnorm parallel parallel-two-norms b2t residual mix "
                              "pre:norm=dyt,name=DyT post:norm=rmsnorm,residual_scale=0.7,name=Scaled "
                              "pre:rotary=half,rotary_base=20,attention=causal,name=Rotary "
                              "pre:position_bias=alibi,score_cap=0.5,logit_cap=1,name=ALiBi "
                              "pre:experts=4,shared_experts=1,attention=causal,name=Experts";

static NsPaths *
run_on (const NsExperiment *experiment, NsPathsKind kind, guint n_threads, guint64 budget)
{
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, budget);
  g_autoptr (GError) error = NULL;
  const NsPathsSettings settings = { .kind = kind, .n_probes = 2, .all_blocks = TRUE, .learning_rate = 1e-3 };
  NsPaths *paths = ns_engine_run_paths (engine, experiment, &settings, 0, (guint) experiment->sampling.seeds, NULL,
                                        &error);

  g_assert_no_error (error);
  return paths;
}

static NsPaths *
run (const NsExperiment *experiment, NsPathsKind kind)
{
  return run_on (experiment, kind, 1, 0);
}

static double
value_at (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column)
{
  double value = NAN;

  g_assert_true (ns_paths_get_value (paths, variant, map, row, column, 0, &value, NULL));
  return value;
}

/* Return the sum over the columns of a row, and their number in *n (nullable). */
static double
sum_row (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row, guint *n)
{
  gint64 rows, columns;
  double sum = 0, value;
  guint count = 0;

  ns_paths_get_size (paths, variant, map, &rows, &columns);
  for (gint64 c = 0; c < columns; c++)
    if (ns_paths_get_value (paths, variant, map, row, c, 0, &value, NULL))
      {
        sum += value;
        count++;
      }
  if (n != NULL)
    *n = count;
  return sum;
}

static void
assert_near (double a, double b, double tolerance)
{
  if (!(fabs (a - b) <= tolerance))
    g_error ("%.17g and %.17g differ by more than %g", a, b, tolerance);
}

/* ---- identities ---- */

static void
check_shares (const NsExperiment *e)
{
  g_autoptr (NsPaths) paths = run (e, NS_PATHS_CONTRIBUTIONS);
  gint64 depth = e->shape.depth;
  guint n;

  for (guint v = 0; v < e->variants->len; v++)
    for (gint64 site = 0; site < ns_experiment_get_head_site (e); site++)
      {
        gint64 layer = site % (depth + 1);
        double sum = sum_row (paths, v, NS_MAP_SHARE, site, &n);

        g_assert_cmpuint (n, ==, layer == 0 ? 0 : 1 + (site > depth ? 3 : 2) * layer);
        if (layer > 0)
          assert_near (sum, 1, SUM_TOLERANCE);
      }
}

static void
check_lengths (const NsExperiment *e)
{
  g_autoptr (NsPaths) paths = run (e, NS_PATHS_LENGTHS);

  for (guint v = 0; v < e->variants->len; v++)
    for (gint64 part = 0; part < ns_experiment_get_n_parts (e); part++)
      {
        g_assert_true (ns_paths_is_exact (paths, v));
        assert_near (sum_row (paths, v, NS_MAP_LENGTH_SHARE, part, NULL), 1, SUM_TOLERANCE);
        assert_near (value_at (paths, v, NS_MAP_LENGTH_REST, part, 0), 0, SUM_TOLERANCE);
      }
}

static void
check_maps (const NsExperiment *e)
{
  g_autoptr (NsPaths) gain = run (e, NS_PATHS_GAIN), similarity = run (e, NS_PATHS_SIMILARITY);
  gint64 n = ns_experiment_get_head_site (e);
  double value;

  for (guint v = 0; v < e->variants->len; v++)
    for (gint64 l = 0; l < n; l++)
      for (gint64 m = 0; m < n; m++)
        {
          g_assert_cmpint (ns_paths_get_value (gain, v, NS_MAP_GAIN, l, m, 0, &value, NULL), ==, l <= m);
          if (l == m)
            g_assert_cmpfloat (value, ==, 1);
          for (NsPathsMap map = NS_MAP_COS_X; map <= NS_MAP_COS_G; map++)
            {
              value = value_at (similarity, v, map, l, m);
              g_assert_cmpfloat (fabs (value), <=, 1);
              g_assert_cmpfloat (value, ==, value_at (similarity, v, map, m, l));
              if (l == m)
                g_assert_cmpfloat (value, ==, 1);
            }
        }
}

static void
test_identities (void)
{
  NsShape pair = small;
  g_autoptr (NsExperiment) single = check_experiment (small, wirings);
  g_autoptr (NsExperiment) both = NULL;

  pair.stack = NS_STACK_ENCODER_DECODER;
  pair.depth = 3;
  both = check_experiment (pair, "pre post deepnorm b2t residual");
  for (int i = 0; i < 2; i++)
    {
      check_shares (i == 0 ? single : both);
      check_lengths (i == 0 ? single : both);
      check_maps (i == 0 ? single : both);
    }
}

/* ---- β ---- */

typedef struct
{
  ns_real *beta;
  double sum[NS_N_CONTRIBUTORS];
} Biased;

static const ns_real *
get_vector (gpointer data, NsTensor tensor, gint64 site)
{
  Biased *biased = data;

  return ns_tensor_info (tensor)->role == NS_ROLE_NORM_BIAS && site == 2 ? biased->beta : NULL;
}

static void
add_share (gpointer data, gint64 whole, gint64 site, NsContributor contributor, double share)
{
  Biased *biased = data;

  if (contributor == NS_CONTRIBUTOR_BIAS)
    g_assert_cmpint (site, ==, 2);
  biased->sum[contributor] += share;
}

/* A β that is not 0 is a contributor of its own, and the shares still sum to 1. */
static void
test_bias (void)
{
  g_autoptr (NsExperiment) e = check_experiment (small, "post:bias=on");
  g_autofree ns_real *beta = check_draw ((gsize) small.d_model, 1);
  NsWorkspaceMemory memory = { 0 };
  NsWorkspace work;
  NsWeights *weights = ns_weights_new (1 << 20);
  Biased biased = { .beta = beta };
  const NsPassHooks hooks = { .vector = get_vector, .data = &biased };
  g_autofree ns_real *covector = NULL;
  NsPass pass;
  double sum = 0;

  g_assert_true (ns_workspace_init (&work, &memory, e, FALSE, NULL));
  ns_pass_init (&pass, e, 0, 0, &work, weights);
  pass.hooks = &hooks;
  covector = g_new (ns_real, work.N * work.C);
  g_assert_cmpint (ns_pass_forward (&pass, 0, small.depth, NULL), ==, NS_PASS_DONE);
  g_assert_cmpint (ns_pass_contributions (&pass, small.depth, small.depth, covector, add_share, &biased, NULL), ==,
                   NS_PASS_DONE);
  g_assert_cmpfloat (fabs (biased.sum[NS_CONTRIBUTOR_BIAS]), >, 1e-3);
  for (int c = 0; c < NS_N_CONTRIBUTORS; c++)
    sum += biased.sum[c];
  assert_near (sum, 1, SUM_TOLERANCE);
  ns_workspace_memory_clear (&memory);
  ns_weights_free (weights);
}

/* ---- long stacks ---- */

typedef struct
{
  const NsPass *pass;
  NsScaled g;
  double *shares; /* of the components */
} Shares;

static void
keep_shares (gpointer data, gint64 site, const NsScaled *components, guint n)
{
  Shares *shares = data;
  gsize size = shares->pass->plan.N * shares->pass->plan.C;

  for (guint k = 0; site == 0 && k < n; k++)
    {
      double scale = exp2 (components[k].exp2 - shares->g.exp2) / check_square (shares->g.v, size);

      shares->shares[k] = components[k].v == NULL ? 0 : scale * check_dot (components[k].v, shares->g.v, size);
    }
}

static void
keep_gradient (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
               double log10_value)
{
  Shares *shares = data;

  if (quantity != NS_Q_GRAD_X || site != 0)
    return;
  memcpy (shares->g.v, shares->pass->dx.v, shares->pass->plan.N * shares->pass->plan.C * sizeof (ns_real));
  shares->g.exp2 = shares->pass->dx.exp2;
}

/* Set the exact shares of every length, whatever the depth; the caller frees them. */
static double *
dup_exact_shares (const NsExperiment *e, guint n, double mean[2], double phase, double of_phase[2])
{
  const NsLengths all = { .kind = NS_LENGTHS_PARTS, .limit = n };
  NsWorkspaceMemory memory = { 0 };
  NsWorkspace work;
  NsWeights *weights = ns_weights_new (1 << 24);
  NsPass pass;
  Shares shares = { .pass = &pass, .shares = g_new0 (double, n + 1) };
  double moments[3];
  double *exact = shares.shares;
  g_autofree ns_real *arrays = NULL, *g = NULL, *end_v = NULL;
  gsize size;
  NsScaled end;

  g_assert_true (ns_workspace_init (&work, &memory, e, TRUE, NULL));
  ns_pass_init (&pass, e, 0, 0, &work, weights);
  g_assert_cmpuint (ns_lengths_count_sums (&pass.plan), ==, n);
  size = work.N * work.C;
  arrays = g_new (ns_real, size * ns_lengths_count_arrays (&pass.plan, all));
  shares.g.v = g = g_new (ns_real, size);
  end_v = g_new (ns_real, size);
  pass.sink = (NsSink){ .record = keep_gradient, .data = &shares };
  g_assert_cmpint (ns_pass_forward (&pass, 0, e->shape.depth, NULL), ==, NS_PASS_DONE);
  g_assert_cmpint (ns_pass_head (&pass, NULL), ==, NS_PASS_DONE);
  memcpy (end_v, pass.dx.v, size * sizeof *end_v);
  end = (NsScaled){ end_v, pass.dx.exp2 };
  g_assert_cmpint (ns_pass_backward (&pass, 0, NULL), ==, NS_PASS_DONE);
  pass.sink.record = NULL;
  ns_pass_lengths (&pass, all, end, NULL, arrays, keep_shares, &shares, NULL);
  shares.shares = moments;
  ns_pass_lengths (&pass, (NsLengths){ .kind = NS_LENGTHS_MOMENTS, .limit = 2 }, end, NULL, arrays, keep_shares,
                   &shares, NULL);
  assert_near (moments[0], 1, SUM_TOLERANCE);
  mean[0] = moments[1];
  mean[1] = moments[2];
  shares.shares = of_phase;
  ns_pass_lengths (&pass, (NsLengths){ .kind = NS_LENGTHS_PHASE, .phase = phase }, end, NULL, arrays, keep_shares,
                   &shares, NULL);
  ns_workspace_memory_clear (&memory);
  ns_weights_free (weights);
  return exact;
}

/* The sweeps of the estimate against the parts: Σ k·share_k, Σ k·(k − 1)·share_k, and Σ share_k·e^(iφk). */
static void
test_sweeps (void)
{
  const guint n = 12;
  const double phase = 0.7;
  const char *variants[] = { "pre", "post", "b2t", "pre:attn.residual=off" };

  for (gsize v = 0; v < G_N_ELEMENTS (variants); v++)
    {
      g_autoptr (NsExperiment) e = check_experiment (small, variants[v]);
      double mean[2], found[2], want[4] = { 0 };
      g_autofree double *exact = dup_exact_shares (e, n, mean, phase, found);

      for (guint k = 0; k <= n; k++)
        {
          want[0] += k * exact[k];
          want[1] += cos (phase * k) * exact[k];
          want[2] += sin (phase * k) * exact[k];
          want[3] += k * (k - 1.0) * exact[k];
        }
      assert_near (mean[0], want[0], n * SUM_TOLERANCE);
      assert_near (mean[1], want[3], n * n * SUM_TOLERANCE);
      assert_near (found[0], want[1], SUM_TOLERANCE);
      assert_near (found[1], want[2], SUM_TOLERANCE);
    }
}

/* Return the k-th of n + 1 shares, smoothed by a Gaussian of standard deviation s; 0: as it is. */
static double
smooth (const double *shares, guint n, gint64 k, double s)
{
  double sum = 0;

  for (guint j = 0; j <= n && s > 0; j++)
    sum += shares[j] * exp (-(j - (double) k) * (j - (double) k) / (2 * s * s)) / (s * sqrt (2 * G_PI));
  return s > 0 ? sum : shares[k];
}

/* Beyond the exact depth each estimated share is near the exact one, by its own error. */
static void
test_estimate (void)
{
  NsShape deep = { .depth = 60, .d_model = 32, .heads = 2, .d_ff = 32, .seq_len = 4, .batch = 2, .vocab = 9 };
  const char *variants[] = { "pre", "post" };

  for (gsize v = 0; v < G_N_ELEMENTS (variants); v++)
    {
      g_autoptr (NsExperiment) e = check_experiment (deep, variants[v]);
      g_autoptr (NsPaths) paths = NULL;
      double mean[2], unused[2], error = 0, expected = 0, largest = 0, value, s;
      g_autofree double *exact = dup_exact_shares (e, 120, mean, 0, unused);

      e->sampling.seeds = 1;
      e->sampling.seed = 0;
      paths = run (e, NS_PATHS_LENGTHS);
      g_assert_false (ns_paths_is_exact (paths, 0));
      g_assert_false (ns_paths_get_value (paths, 0, NS_MAP_LENGTH_NORM, 0, 0, 0, &value, NULL));
      assert_near (value_at (paths, 0, NS_MAP_LENGTH_MEAN, 0, 0), mean[0], 120 * SUM_TOLERANCE);
      s = sqrt (MAX (mean[1] + mean[0] - mean[0] * mean[0], mean[0] * (1 - mean[0] / 120))) / 2;
      for (gint64 k = 0; k <= 120; k++)
        {
          double se = ns_paths_get_standard_error (paths, 0, NS_MAP_LENGTH_SHARE, 0, k);
          double have = value_at (paths, 0, NS_MAP_LENGTH_SHARE, 0, k), want = smooth (exact, 120, k, v == 0 ? 0 : s);
          double off = have - want;

          g_assert_cmpfloat (se, >=, 0);
          error += off * off;
          expected += se * se;
          largest = MAX (largest, want);
        }
      g_test_message ("%s: error %g, stated %g", variants[v], sqrt (error), sqrt (expected));
      g_assert_cmpfloat (sqrt (error), <, 3 * sqrt (expected) + SUM_TOLERANCE);
      g_assert_cmpfloat (sqrt (error / 121), <, 0.2 * largest);
    }
}

/* ---- threads and memory ---- */

static guint
count_different (const NsPaths *a, const NsPaths *b, NsPathsKind kind)
{
  guint n = 0, n_seeds = ns_paths_get_n_seeds (a);

  for (guint v = 0; v < ns_paths_get_experiment (a)->variants->len; v++)
    for (guint m = 0; m < NS_N_MAPS; m++)
      {
        gint64 rows, columns;

        ns_paths_get_size (a, v, (NsPathsMap) m, &rows, &columns);
        g_assert_cmpint (rows > 0, ==, ns_paths_map_info ((NsPathsMap) m)->kind == kind);
        for (gint64 cell = 0; cell < rows * columns; cell++)
          for (guint s = 0; s < n_seeds; s++)
            {
              double x[2] = { 0 }, y[2] = { 0 };

              ns_paths_get_value (a, v, (NsPathsMap) m, cell / columns, cell % columns, s, &x[0], &x[1]);
              ns_paths_get_value (b, v, (NsPathsMap) m, cell / columns, cell % columns, s, &y[0], &y[1]);
              n += memcmp (x, y, sizeof x) != 0;
            }
      }
  return n;
}

/* The same bits for any number of threads, and where blocks run again for lack of memory. */
static void
test_same_bits (void)
{
  NsShape pair = small;
  g_autoptr (NsExperiment) single = check_experiment (small, "pre post parallel b2t residual");
  g_autoptr (NsExperiment) both = NULL;

  pair.stack = NS_STACK_ENCODER_DECODER;
  pair.depth = 2;
  both = check_experiment (pair, "pre deepnorm residual");
  single->sampling.seeds = both->sampling.seeds = 2;
  for (int i = 0; i < 2; i++)
    for (NsPathsKind kind = 0; kind < NS_N_PATHS; kind++)
      {
        const NsExperiment *e = i == 0 ? single : both;
        g_autoptr (NsPaths) one = run_on (e, kind, 1, (guint64) 1 << 30), three = run_on (e, kind, 3, 0);
        g_autoptr (NsPaths) again = run_on (e, kind, 2, 1);

        g_assert_cmpuint (count_different (one, three, kind), ==, 0);
        g_assert_cmpuint (count_different (one, again, kind), ==, 0);
      }
}

/* ---- filling ---- */

typedef struct
{
  NsEngine *engine;
  NsPaths *paths;
  NsProgress *progress;
  atomic_bool is_over;
  gboolean ok;
  GError *error;
} Filler;

static gpointer
fill (gpointer data)
{
  Filler *filler = data;

  filler->ok = ns_engine_fill_paths (filler->engine, filler->paths, filler->progress, &filler->error);
  atomic_store (&filler->is_over, TRUE);
  return NULL;
}

/* Count the cells of all maps that exist, and those that have a number. Compare the latter with the complete maps. */
static guint
count_numbers (const NsPaths *paths, const NsPaths *whole, guint *n_cells)
{
  guint n = 0;

  *n_cells = 0;
  for (guint v = 0; v < ns_paths_get_experiment (paths)->variants->len; v++)
    for (NsPathsMap map = 0; map < NS_N_MAPS; map++)
      {
        gint64 rows, columns;

        ns_paths_get_size (paths, v, map, &rows, &columns);
        for (gint64 cell = 0; cell < rows * columns; cell++)
          for (guint s = 0; s < ns_paths_get_n_seeds (paths); s++)
            {
              double have[2], want[2];

              gboolean is_there = ns_paths_get_value (paths, v, map, cell / columns, cell % columns, s, &have[0],
                                                      &have[1]);

              if (ns_paths_has_cell (paths, v, map, cell / columns, cell % columns))
                ++*n_cells;
              else
                g_assert_false (is_there);
              if (!is_there)
                continue;
              n++;
              g_assert_true (ns_paths_get_value (whole, v, map, cell / columns, cell % columns, s, &want[0],
                                                 &want[1]));
              g_assert_cmpmem (have, sizeof have, want, sizeof want);
            }
      }
  return n;
}

/* Fill on another thread, and read meanwhile: a number is final from the first. Cancel after `stop` blocks. */
static gboolean
fill_and_read (NsEngine *engine, NsPaths *paths, const NsPaths *whole, guint64 stop)
{
  g_autoptr (NsProgress) progress = ns_progress_new ();
  Filler filler = { .engine = engine, .paths = paths, .progress = progress };
  GThread *thread = g_thread_new ("fill", fill, &filler);
  guint n_cells, n = 0;
  guint64 done = 0, total;

  while (!atomic_load (&filler.is_over))
    if (done < stop)
      {
        ns_progress_get (progress, &done, &total);
        if (done >= stop)
          ns_progress_cancel (progress);
        g_thread_yield ();
      }
    else
      {
        guint now = count_numbers (paths, whole, &n_cells);

        g_assert_cmpuint (now, >=, n);
        n = now;
      }
  g_thread_join (thread);
  g_assert_true (filler.ok == (filler.error == NULL));
  if (!filler.ok)
    g_assert_error (filler.error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
  g_clear_error (&filler.error);
  return filler.ok;
}

/* A cancelled run leaves what it has, wherever that is, and the next one goes on. */
static void
test_filling (void)
{
  g_autoptr (NsExperiment) e = check_experiment (wide, "pre:experts=3,activation=gelu post b2t");
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);

  e->sampling.seeds = 4;
  for (NsPathsKind kind = 0; kind < NS_N_PATHS; kind++)
    {
      const NsPathsSettings settings = { .kind = kind, .n_probes = 2, .all_blocks = TRUE, .learning_rate = 1e-3 };
      g_autoptr (NsPaths) whole = run (e, kind), paths = ns_paths_new (e, &settings, 0, 4, NULL);
      g_autoptr (NsProgress) none = ns_progress_new ();
      guint n_cells, n = count_numbers (paths, whole, &n_cells), n_runs = 1;
      guint64 done, total;

      g_assert_cmpuint (n_cells, >, 0);
      g_assert_cmpuint (n, ==, 0);
      while (!fill_and_read (engine, paths, whole, 2 + 5 * n_runs))
        n_runs++;
      g_assert_cmpuint (count_numbers (paths, whole, &n_cells), ==, n_cells);
      g_assert_true (ns_paths_is_complete (paths));
      g_assert_cmpuint (count_different (paths, whole, kind), ==, 0);
      g_assert_true (ns_engine_fill_paths (engine, paths, none, NULL)); /* nothing is left */
      ns_progress_get (none, &done, &total);
      g_assert_cmpuint (done, ==, 0);
      g_test_message ("%s: %u runs", ns_paths_kind_get_name (kind), n_runs);
    }
}

/* The columns of a gain map come from coarse to fine: every second one before those between. */
static void
test_coarse_to_fine (void)
{
  g_autoptr (NsExperiment) e = check_experiment (wide, "pre");
  const NsPathsSettings settings = { .kind = NS_PATHS_GAIN, .n_probes = 64 };
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsPaths) paths = ns_paths_new (e, &settings, 0, 1, NULL);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  Filler filler = { .engine = engine, .paths = paths, .progress = progress };
  GThread *thread = g_thread_new ("fill", fill, &filler);
  double value;

  while (!atomic_load (&filler.is_over))
    {
      /* the order is 6, 2, 4, 0, and then the odd ones */
      for (gint64 m = 1; m < 6; m += 2)
        if (ns_paths_get_value (paths, 0, NS_MAP_GAIN, 0, m, 0, &value, NULL))
          for (gint64 coarse = 0; coarse <= 6; coarse += 2)
            g_assert_true (ns_paths_get_value (paths, 0, NS_MAP_GAIN, 0, coarse, 0, &value, NULL));
    }
  g_thread_join (thread);
  g_assert_true (filler.ok);
}

static void
test_cancel (void)
{
  g_autoptr (NsExperiment) e = check_experiment (small, "pre post");
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);

  for (NsPathsKind kind = 0; kind < NS_N_PATHS; kind++)
    {
      g_autoptr (NsProgress) progress = ns_progress_new (), whole = ns_progress_new ();
      g_autoptr (GError) error = NULL;
      const NsPathsSettings settings = { .kind = kind, .n_probes = 3, .all_blocks = TRUE, .learning_rate = 1e-3 };
      g_autoptr (NsPaths) paths = NULL;
      guint64 done, total;

      ns_progress_cancel (progress);
      g_assert_null (ns_engine_run_paths (engine, e, &settings, 0, 1, progress, &error));
      g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
      paths = ns_engine_run_paths (engine, e, &settings, 0, 1, whole, NULL);
      g_assert_nonnull (paths);
      ns_progress_get (whole, &done, &total);
      g_assert_cmpuint (done, ==, total);
    }
}

/* ---- what every expert does ---- */

/* The loads of a block add up to 1; their extremes, those of the gradients, and the gradients of all experts together
 * are the quantities of an ordinary run. A variant without experts has no cells, and one with several streams has. */
static void
test_routing (void)
{
  g_autoptr (NsExperiment) e
      = check_experiment (small, "pre:experts=4,activation=swiglu post hyper:experts=3,experts_per_token=1,"
                                 "expert_weights=softmax,name=Streams");
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  g_autoptr (NsResult) result = ns_engine_run (engine, e, 0, 1, NULL, NULL);
  g_autoptr (NsPaths) paths = run (e, NS_PATHS_ROUTING);
  gint64 rows, columns;

  ns_paths_get_size (paths, 1, NS_MAP_EXPERT_LOAD, &rows, &columns);
  g_assert_cmpint (columns, ==, 0);
  g_assert_false (ns_paths_has_cell (paths, 0, NS_MAP_EXPERT_LOAD, 0, 0));
  g_assert_false (ns_paths_has_cell (paths, 0, NS_MAP_EXPERT_GRAD, 1, 4));
  for (guint v = 0; v < 3; v += 2)
    for (gint64 site = 1; site <= small.depth; site++)
      {
        double sum = 0, most = 0, least = 1, largest = 0, square = 0, of_matrices = 0;
        static const NsQuantity matrices[] = { NS_Q_W_1, NS_Q_W_2, NS_Q_W_3 };

        for (gint64 x = 0; x < ns_experiment_variant (e, v)->experts.count; x++)
          {
            double load = value_at (paths, v, NS_MAP_EXPERT_LOAD, site, x), log10_value, gradient;

            g_assert_true (ns_paths_get_value (paths, v, NS_MAP_EXPERT_GRAD, site, x, 0, &gradient, &log10_value));
            g_assert_true ((load == 0) == (gradient == 0));
            if (gradient > 0)
              assert_near (log10_value, log10 (gradient), 1e-9);
            sum += load;
            most = fmax (most, load);
            least = fmin (least, load);
            largest = fmax (largest, gradient);
            square += gradient * gradient;
          }
        for (gsize i = 0; i < G_N_ELEMENTS (matrices); i++)
          if (ns_quantity_exists (matrices[i], e, v, site))
            of_matrices = hypot (of_matrices, check_value (result, v, matrices[i], site, 0));
        assert_near (sum, 1, 1e-12);
        assert_near (most, check_value (result, v, NS_Q_EXPERT_LOAD_MAX, site, 0), 1e-12);
        assert_near (least, check_value (result, v, NS_Q_EXPERT_LOAD_MIN, site, 0), 1e-12);
        assert_near (largest, check_value (result, v, NS_Q_EXPERT_GRAD_MAX, site, 0), 1e-6 * largest);
        assert_near (sqrt (square), of_matrices, 1e-6 * of_matrices);
      }
}

/* ---- what is not defined ---- */

static void
test_undefined (void)
{
  /* activations that overflow; a stack whose branches are exactly 0 and that has no residual */
  NsShape deep = small;
  g_autoptr (NsExperiment) e = NULL;

  deep.depth = 40;
  e = check_experiment (deep, "none:init.scheme=normal,init.std=1e6,final_norm=off,name=Overflow "
                              "none:attn.residual=off,ffn.residual=off,branch_scale=0,name=Zero");

  for (NsPathsKind kind = 0; kind < NS_N_PATHS; kind++)
    {
      g_autoptr (NsPaths) paths = run (e, kind);

      g_assert_cmpint (ns_paths_get_overflow (paths, 0, 0), >, 0);
      g_assert_cmpint (ns_paths_get_overflow (paths, 1, 0), ==, 0);
      if (kind == NS_PATHS_GAIN)
        {
          g_assert_true (isnan (value_at (paths, 0, NS_MAP_GAIN, 0, 1)));
          g_assert_cmpfloat (value_at (paths, 1, NS_MAP_GAIN, 0, 1), ==, 0);
        }
      for (guint v = 0; v < 2; v++)
        {
          if (kind == NS_PATHS_SIMILARITY)
            g_assert_true (isnan (value_at (paths, v, NS_MAP_COS_G, 0, deep.depth)));
          if (kind == NS_PATHS_CONTRIBUTIONS)
            g_assert_true (isnan (value_at (paths, v, NS_MAP_SHARE, deep.depth, 0)));
          if (kind == NS_PATHS_LENGTHS)
            {
              NsStat stat;

              g_assert_true (isnan (value_at (paths, v, NS_MAP_LENGTH_SHARE, 0, 0)));
              g_assert_true (isnan (value_at (paths, v, NS_MAP_LENGTH_MEAN, 0, 0)));
              g_assert_true (ns_paths_get_length_quantile (paths, v, 0, 0.5, &stat));
              g_assert_true (isnan (stat.mean));
            }
        }
    }
}

/* Return the paths with one probe. */
static NsPaths *
run_one_probe (const NsExperiment *e)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  const NsPathsSettings settings = { .kind = NS_PATHS_GAIN, .n_probes = 1 };

  return ns_engine_run_paths (engine, e, &settings, 0, 1, NULL, NULL);
}

/* One probe has no standard error, and one token no attention to choose: its gradients still are defined. */
static void
test_one (void)
{
  NsShape token = small;
  g_autoptr (NsExperiment) e = check_experiment (small, "pre"), alone = NULL;
  g_autoptr (NsPaths) gain = run_one_probe (e), similarity = NULL, shares = NULL;
  double value;

  g_assert_cmpfloat (value_at (gain, 0, NS_MAP_GAIN, 0, 1), >, 0);
  g_assert_false (ns_paths_has_cell (gain, 0, NS_MAP_GAIN_ERROR, 0, 1));
  g_assert_false (ns_paths_get_value (gain, 0, NS_MAP_GAIN_ERROR, 0, 1, 0, &value, NULL));
  g_assert_true (isnan (ns_paths_get_standard_error (gain, 0, NS_MAP_GAIN, 0, 1)));
  token.seq_len = token.batch = 1;
  alone = check_experiment (token, "pre post");
  similarity = run (alone, NS_PATHS_SIMILARITY);
  shares = run (alone, NS_PATHS_CONTRIBUTIONS);
  for (guint v = 0; v < 2; v++)
    {
      assert_near (sum_row (shares, v, NS_MAP_SHARE, token.depth, NULL), 1, SUM_TOLERANCE);
      g_assert_cmpfloat (fabs (value_at (similarity, v, NS_MAP_COS_G, 0, token.depth)), <, 1);
    }
}

/* Return the first length at which the sum of the shares reaches q of all. */
static double
find_quantile (const NsPaths *paths, guint seed, double q)
{
  gint64 rows, columns, k = 0;
  double total = 0, sum, value;

  ns_paths_get_size (paths, 0, NS_MAP_LENGTH_SHARE, &rows, &columns);
  for (gint64 i = 0; i < columns; i++)
    {
      g_assert_true (ns_paths_get_value (paths, 0, NS_MAP_LENGTH_SHARE, 0, i, seed, &value, NULL));
      total += value;
    }
  g_assert_true (ns_paths_get_value (paths, 0, NS_MAP_LENGTH_SHARE, 0, 0, seed, &sum, NULL));
  while (sum < q * total)
    {
      g_assert_true (ns_paths_get_value (paths, 0, NS_MAP_LENGTH_SHARE, 0, ++k, seed, &value, NULL));
      sum += value;
    }
  return (double) k;
}

/* The quantiles are those of the shares of each seed, and the standard errors those of all probes and seeds. */
static void
test_statistics (void)
{
  g_autoptr (NsExperiment) e = check_experiment (small, "post");
  g_autoptr (NsPaths) lengths = NULL, gain = NULL;
  const double q[] = { 0.1, 0.5, 0.9 };
  double square = 0;

  e->sampling.seeds = 3;
  lengths = run (e, NS_PATHS_LENGTHS);
  gain = run (e, NS_PATHS_GAIN);
  for (gsize i = 0; i < G_N_ELEMENTS (q); i++)
    {
      NsStat stat;
      double mean = 0;

      g_assert_true (ns_paths_get_length_quantile (lengths, 0, 0, q[i], &stat));
      for (guint s = 0; s < 3; s++)
        mean += find_quantile (lengths, s, q[i]) / 3;
      assert_near (stat.mean, mean, 1e-12);
      g_assert_cmpuint (stat.n, ==, 3);
    }
  for (guint s = 0; s < 3; s++)
    {
      double error;

      g_assert_true (ns_paths_get_value (gain, 0, NS_MAP_GAIN_ERROR, 0, 4, s, &error, NULL));
      square += error * error;
    }
  assert_near (ns_paths_get_standard_error (gain, 0, NS_MAP_GAIN, 0, 4), sqrt (square) / 3, 1e-12);
}

void
add_paths_tests (void)
{
  g_test_add_func ("/paths/identities", test_identities);
  g_test_add_func ("/paths/bias", test_bias);
  g_test_add_func ("/paths/sweeps", test_sweeps);
  g_test_add_func ("/paths/estimate", test_estimate);
  g_test_add_func ("/paths/same-bits", test_same_bits);
  g_test_add_func ("/paths/filling", test_filling);
  g_test_add_func ("/paths/coarse-to-fine", test_coarse_to_fine);
  g_test_add_func ("/paths/cancel", test_cancel);
  g_test_add_func ("/paths/routing", test_routing);
  g_test_add_func ("/paths/undefined", test_undefined);
  g_test_add_func ("/paths/one", test_one);
  g_test_add_func ("/paths/statistics", test_statistics);
}
