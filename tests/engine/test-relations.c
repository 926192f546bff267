/* Test the quantities that relate one part of the stream to another: shares in x_L, and branches against residuals.
 * tests/golden compares their numbers with PyTorch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/pass/ns-pass.h"
#include "engine/pass/ns-sub-layer.h"
#include "engine/run/ns-paths.h"
#include "tests.h"

#include <string.h>

#ifdef NS_DOUBLE
#define TOLERANCE 1e-12
#else
#define TOLERANCE 1e-5
#endif

static const NsShape small = {
  .depth = 6, .d_model = 24, .heads = 3, .d_ff = 40, .seq_len = 6, .batch = 2, .vocab = 12,
};

static const char wirings[] = "pre post sandwich deepnorm parallel parallel-two-norms b2t residual mix rezero "
                              "pre:norm=dyt,name=DyT post:norm=rmsnorm,residual_scale=0.7,bias=on,name=Scaled "
                              "branch:branch_parameter=vector,branch_scale=0.3 none:residual_scale=0.8,name=Reduced "
                              "pre-post:branch_scale=1.5,name=Strong";

static NsExperiment *
make_experiment (gboolean pair)
{
  NsShape shape = small;

  shape.stack = pair ? NS_STACK_ENCODER_DECODER : NS_STACK_SINGLE;
  shape.depth = pair ? 3 : small.depth;
  return check_experiment (shape, pair ? "pre post deepnorm b2t residual pre:cross.residual=off" : wirings);
}

static void
assert_near (double a, double b, double tolerance)
{
  if (!(fabs (a - b) <= tolerance))
    g_error ("%.17g and %.17g differ by more than %g", a, b, tolerance);
}

/* Return a value, or 0 where the variant lacks it. */
static double
get (const NsResult *result, guint variant, NsQuantity quantity, gint64 site)
{
  double value;

  return ns_result_get_value (result, variant, quantity, site, 0, &value, NULL) ? value : 0;
}

/* ---- shares ---- */

static double
get_share (const NsResult *result, guint variant, gint64 site, NsContributor contributor)
{
  return get (result, variant,
              contributor == NS_CONTRIBUTOR_INPUT ? NS_Q_SHARE_INPUT : ns_sub_layers[contributor].share, site);
}

/* Return the sum of the shares of a part. */
static double
sum_shares (const NsResult *result, guint variant, gint64 input, gint64 depth)
{
  double sum = get_share (result, variant, input, NS_CONTRIBUTOR_INPUT);

  for (gint64 site = input + 1; site <= input + depth; site++)
    for (int sub = 0; sub < NS_N_SUBS; sub++)
      sum += get_share (result, variant, site, (NsContributor) sub);
  return sum;
}

static NsPaths *
run_contributions (const NsExperiment *experiment)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  const NsPathsSettings settings = { .kind = NS_PATHS_CONTRIBUTIONS, .n_probes = 1, .learning_rate = 1e-3 };
  NsPaths *paths = ns_engine_run_paths (engine, experiment, &settings, 0, 1, NULL, NULL);

  g_assert_nonnull (paths);
  return paths;
}

/* The shares of a part sum to 1, and are those of `paths` in every bit. */
static void
test_shares (gconstpointer data)
{
  g_autoptr (NsExperiment) e = make_experiment (GPOINTER_TO_INT (data));
  g_autoptr (NsResult) result = check_run (e, 2, 0);
  g_autoptr (NsPaths) paths = run_contributions (e);
  gint64 depth = e->shape.depth;

  for (guint v = 0; v < e->variants->len; v++)
    for (gint64 input = 0; input < ns_experiment_get_head_site (e); input += depth + 1)
      {
        assert_near (sum_shares (result, v, input, depth), 1, TOLERANCE);
        for (gint64 site = input; site <= input + depth; site++)
          for (int c = 0; c < NS_N_CONTRIBUTORS; c++)
            {
              gint64 column = ns_contributor_get_column ((NsContributor) c, site);
              double share;

              if (ns_paths_get_value (paths, v, NS_MAP_SHARE, input + depth, column, 0, &share, NULL))
                g_assert_cmpfloat (get_share (result, v, site, (NsContributor) c), ==, share);
            }
      }
}

typedef struct
{
  ns_real *beta;
  double share[64][NS_N_QUANTITIES];
} Biased;

static const ns_real *
get_vector (gpointer data, NsTensor tensor, gint64 site)
{
  Biased *biased = data;

  return ns_tensor_info (tensor)->role == NS_ROLE_NORM_BIAS && site == 2 ? biased->beta : NULL;
}

static void
keep (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value, double log10_value)
{
  Biased *biased = data;

  (void) estimate, (void) log10_value;
  biased->share[site][quantity] = value;
}

/* The share of a β that is not 0 counts to its sub-layer. */
static void
test_bias (gconstpointer data)
{
  g_autoptr (NsExperiment) e = check_experiment (small, data);
  g_autofree ns_real *beta = check_draw ((gsize) small.d_model, 1);
  NsWorkspaceMemory memory = { 0 };
  NsWorkspace work;
  NsWeights *weights = ns_weights_new (1 << 20);
  g_autofree Biased *biased = g_new0 (Biased, 1);
  const NsPassHooks hooks = { .vector = get_vector, .data = biased };
  NsPass pass;
  double sum = 0;

  biased->beta = beta;
  g_assert_true (ns_workspace_init (&work, &memory, e, FALSE, NULL));
  ns_pass_init (&pass, e, 0, 0, &work, weights);
  pass.hooks = &hooks;
  pass.sink = (NsSink){ .record = keep, .data = biased };
  g_assert_cmpint (ns_pass_run (&pass, NULL, NULL), ==, NS_PASS_DONE);
  for (gint64 site = 0; site <= small.depth; site++)
    for (guint q = NS_Q_SHARE_INPUT; q <= NS_Q_SHARE_FFN; q++)
      sum += biased->share[site][q];
  assert_near (sum, 1, TOLERANCE);
  ns_workspace_memory_clear (&memory);
  ns_weights_free (weights);
}

/* ---- skip and branch ---- */

/* With r = ‖b·s‖/‖a·x‖ and c their cosine, ‖a·x + b·s‖² = ‖a·x‖²·(1 + 2·r·c + r²). */
static void
check_sum (double whole, double residual, double ratio, double cosine)
{
  double expected = residual * residual * (1 + 2 * ratio * cosine + ratio * ratio);

  assert_near (whole * whole / expected, 1, 10 * TOLERANCE);
}

static void
check_sub_layer (const NsResult *result, guint v, gint64 site, const NsSubLayer *layer, double x, double dx)
{
  const NsExperiment *e = ns_result_get_experiment (result);
  double ratio = check_value (result, v, layer->skip_ratio, site, 0), a;
  NsPlan plan;

  ns_plan_init (&plan, e, v);
  a = fabs (ns_plan_get_residual_scale (&plan, layer->sub, site));
  /* what the branch adds, measured on its own */
  assert_near (ratio * a * x, check_value (result, v, layer->rms, site, 0), 10 * TOLERANCE * ratio * a * x);
  check_sum (check_value (result, v, layer->rms_z, site, 0), a * x, ratio,
             check_value (result, v, layer->skip_cos, site, 0));
  check_sum (dx, a * check_value (result, v, layer->grad_z, site, 0),
             check_value (result, v, layer->grad_skip_ratio, site, 0),
             check_value (result, v, layer->grad_skip_cos, site, 0));
}

/* The sums in the stream and in its gradient, which are measured apart, follow from ratio and cosine. */
static void
test_sums (void)
{
  g_autoptr (NsExperiment) e = check_experiment (small, "pre post sandwich deepnorm mix "
                                                        "none:residual_scale=0.8,name=Reduced "
                                                        "pre-post:branch_scale=1.5,name=Strong "
                                                        "branch:branch_parameter=vector,branch_scale=0.3");
  g_autoptr (NsResult) result = check_run (e, 1, 0);

  for (guint v = 0; v < e->variants->len; v++)
    for (gint64 site = 1; site <= small.depth; site++)
      {
        check_sub_layer (result, v, site, &ns_sub_layers[NS_SUB_ATTN], check_value (result, v, NS_Q_RMS_X, site - 1, 0),
                         check_value (result, v, NS_Q_GRAD_X, site - 1, 0));
        check_sub_layer (result, v, site, &ns_sub_layers[NS_SUB_FFN], check_value (result, v, NS_Q_RMS_Y_ATTN, site, 0),
                         check_value (result, v, NS_Q_GRAD_Y_ATTN, site, 0));
      }
}

/* ---- what is not defined ---- */

static void
test_undefined (void)
{
  /* a branch of 0; a residual of 0; activations that overflow */
  NsShape deep = small;
  g_autoptr (NsExperiment) e = NULL;
  g_autoptr (NsResult) result = NULL;
  gint64 overflow;

  deep.depth = 40;
  e = check_experiment (deep, "pre:branch_scale=0,name=Idle pre:input_scale=0,name=Nothing "
                              "none:init.scheme=normal,init.std=1e6,final_norm=off,name=Overflow "
                              "none:attn.residual=off,ffn.residual=off,name=Cut pre:residual_scale=0,name=None");
  e->loss = NS_LOSS_UNIT_GRADIENT;
  result = check_run (e, 1, 0);
  for (gint64 site = 1; site <= deep.depth; site++)
    for (int sub = 0; sub <= NS_SUB_FFN; sub += NS_SUB_FFN - NS_SUB_ATTN)
      {
        const NsSubLayer *layer = &ns_sub_layers[sub];

        g_assert_cmpfloat (check_value (result, 0, layer->skip_ratio, site, 0), ==, 0);
        g_assert_true (isnan (check_value (result, 0, layer->skip_cos, site, 0)));
        g_assert_cmpfloat (check_value (result, 0, layer->grad_skip_ratio, site, 0), ==, 0);
        g_assert_true (isnan (check_value (result, 0, layer->grad_skip_cos, site, 0)));
        g_assert_true (isnan (check_value (result, 1, layer->skip_ratio, site, 0)));
        g_assert_true (isnan (check_value (result, 1, layer->skip_cos, site, 0)));
        g_assert_true (isnan (check_value (result, 1, layer->share, site, 0)));
        g_assert_true (isnan (check_value (result, 2, layer->share, site, 0)));
        g_assert_true (isnan (check_value (result, 2, layer->grad_skip_ratio, site, 0)));
        g_assert_true (isnan (check_value (result, 4, layer->skip_ratio, site, 0)));
        g_assert_true (isnan (check_value (result, 4, layer->grad_skip_cos, site, 0)));
        for (NsQuantity q = NS_Q_SKIP_RATIO_ATTN; q <= NS_Q_SKIP_COS_FFN; q++)
          g_assert_false (ns_quantity_exists (q, e, 3, site));
      }
  g_assert_cmpfloat (check_value (result, 0, NS_Q_SHARE_INPUT, 0, 0), ==, 1);
  /* no residual: all of the output comes from the last sub-layer */
  g_assert_cmpfloat (check_value (result, 3, NS_Q_SHARE_INPUT, 0, 0), ==, 0);
  assert_near (check_value (result, 3, NS_Q_SHARE_FFN, deep.depth, 0), 1, TOLERANCE);
  overflow = ns_result_get_overflow (result, 2, 0);
  g_assert_cmpint (overflow, >, 1);
  for (gint64 site = overflow + 1; site <= deep.depth; site++)
    g_assert_true (isnan (check_value (result, 2, NS_Q_SKIP_RATIO_ATTN, site, 0)));
}

/* ---- Hyper-Connections ---- */

/* At initialization all streams are equal: without an epsilon the loss, the activations and the gradients of weights
 * are those of Pre-LN, up to rounding. The gradient is not: at the end each of n streams has 1/n of it, below only some
 * streams are read, and the weights of the streams have gradients of their own, whether they depend on the token or
 * not. */
static void
test_streams (void)
{
  static const NsQuantity equal[] = { NS_Q_RMS_X, NS_Q_ABS_X, NS_Q_TOKEN_COS, NS_Q_RMS_ATTN, NS_Q_RMS_FFN, NS_Q_W_Q,
                                      NS_Q_W_V, NS_Q_W_O, NS_Q_W_1, NS_Q_W_2, NS_Q_GAIN_ATTN_PRE, NS_Q_ENTROPY };
  g_autoptr (NsExperiment) experiment
      = check_experiment (small, "pre:norm_eps=0 hyper:norm_eps=0 hyper:norm_eps=0,streams=1,name=One "
                                 "hyper-dynamic:norm_eps=0 mhc:norm_eps=0");
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsResult) result = ns_engine_run (engine, experiment, 0, 1, NULL, NULL);

  g_assert_nonnull (result);
  for (guint v = 1; v < 5; v++)
    {
      double n = v == 2 ? 1 : 4, end = get (result, 0, NS_Q_GRAD_X, small.depth);

      assert_near (get (result, 0, NS_Q_LOSS, small.depth + 1), get (result, v, NS_Q_LOSS, small.depth + 1),
                   10 * TOLERANCE);
      for (gint64 site = 0; site <= small.depth; site++)
        {
          double length = sqrt (n * (double) small.d_model) * get (result, v, NS_Q_RMS_X, site);

          assert_near (get (result, v, NS_Q_NORM_X, site), length, 1e-12 * length);
          for (gsize i = 0; i < G_N_ELEMENTS (equal); i++)
            assert_near (get (result, v, equal[i], site), get (result, 0, equal[i], site),
                         100 * TOLERANCE * get (result, 0, equal[i], site));
        }
      assert_near (get (result, v, NS_Q_GRAD_X, small.depth), end / sqrt (n), 10 * TOLERANCE * end);
      for (gint64 site = 1; site <= small.depth; site++)
        {
          /* equal streams are mixed all the same by weights that add up to 1 */
          if (v < 4)
            g_assert_cmpfloat (get (result, v, NS_Q_MIX_STREAMS_ATTN, site), >, 1e-4);
          g_assert_cmpfloat (get (result, v, NS_Q_MIX_OUT_FFN, site), >, 1e-4);
          if (v >= 3)
            g_assert_cmpfloat (get (result, v, NS_Q_MIX_OUT_W_FFN, site), >, 1e-7);
        }
    }
  g_assert_cmpfloat (get (result, 1, NS_Q_GRAD_X, 0), <, 0.97 * get (result, 0, NS_Q_GRAD_X, 0));
  assert_near (get (result, 2, NS_Q_GRAD_X, 0), get (result, 0, NS_Q_GRAD_X, 0),
               100 * TOLERANCE * get (result, 0, NS_Q_GRAD_X, 0));
}

/* Paths refuse variants with several streams, and say why. */
static void
test_streams_have_no_paths (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre hyper");
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  const NsPathsSettings settings = { .kind = NS_PATHS_CONTRIBUTIONS, .n_probes = 1, .learning_rate = 1e-3 };
  g_autoptr (GError) error = NULL;

  g_assert_null (ns_engine_run_paths (engine, experiment, &settings, 0, 1, NULL, &error));
  g_assert_nonnull (strstr (error->message, "variants[1].streams: 4 is not allowed for paths"));
  g_assert_nonnull (strstr (error->message, "allowed: null"));
}

void
add_relations_tests (void)
{
  g_test_add_data_func ("/relations/shares/stack", GINT_TO_POINTER (FALSE), test_shares);
  g_test_add_data_func ("/relations/shares/encoder-decoder", GINT_TO_POINTER (TRUE), test_shares);
  g_test_add_data_func ("/relations/bias/post", "post:bias=on", test_bias);
  g_test_add_data_func ("/relations/bias/parallel", "parallel:attn.norm=pre-post,ffn.norm=pre-post,bias=on", test_bias);
  g_test_add_func ("/relations/sums", test_sums);
  g_test_add_func ("/relations/undefined", test_undefined);
  g_test_add_func ("/relations/streams", test_streams);
  g_test_add_func ("/relations/streams/no-paths", test_streams_have_no_paths);
}
