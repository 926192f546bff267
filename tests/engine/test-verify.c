/* Test the self-check: it passes for correct gradients, at full or reduced size, and finds planted errors. Built in
 * double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "engine/verify/ns-verify.h"
#include "tests.h"

#include <string.h>

static const NsShape small = { .depth = 3, .d_model = 8, .heads = 2, .d_ff = 12, .seq_len = 3, .batch = 2, .vocab = 7 };

static const char *const variants[] = {
  "pre", "pre:activation=gelu,bias=on", "post:activation=swiglu,bias=on,attention=causal", "sandwich:norm=rmsnorm",
  "branch:activation=silu,attn.residual=off", "pre-post:activation=geglu,norm=rmsnorm,branch_scale=0.6",
  "none:ffn.residual=off,final_norm=on", "mix:post_fraction=0.5",
  "hybrid-star", "deepnorm", "layernorm-scaling:bias=on",
  "parallel:activation=geglu,bias=on", "pre:attention=uniform,attention_output=off",
  "pre:norm=dyt,dyt_alpha=0.7,bias=on,activation=gelu-tanh", "sandwich:qk_norm=head,branch_norm_gain=0.3",
  "pre:qk_norm=cosine,branch_parameter=scalar,branch_scale=0.4,activation=silu",
  "post:qk_norm=qkv-head,branch_parameter=vector,activation=gelu,attention_scale=0.5",
  "pre:attn.inner_norm=on,ffn.inner_norm=on,input_norm=on,activation=gelu,block_residual=on",
  "post:dual_residual=on,activation=gelu",
  "pre:rotary=interleaved,rotary_base=20,bias=on,activation=gelu",
  "sandwich:sublayers=attention,bias=on,attention=causal,branch_parameter=scalar",
  "post:sublayers=ffn,bias=on,activation=swiglu,residual_scale=deepnorm,init.residual=deepnorm",
  "pre:sublayers=ffn,norm=dyt,activation=gelu",
  "pre:sublayers=attention,norm=dyt",
  "pre:position_bias=alibi,attention=causal,bias=on,activation=gelu",
  "pre:position_bias=alibi-scaled,attention=causal,activation=gelu",
  "pre:window=2,window_full_every=2,rotary=half,rotary_base=20,rotary_base_local=90,bias=on,activation=gelu",
  "pre:score_cap=0.5,logit_scale=0.7,logit_cap=1,bias=on,activation=gelu",
  "post:head_transform=on,bias=on,activation=gelu", "pre:head_transform=on,norm=dyt,activation=swiglu",
  "post:position_bias=t5,position_buckets=4,position_distance=3,activation=gelu",
  "pre:experts=4,activation=gelu", "post:experts=3,shared_experts=2,expert_weights=softmax,activation=swiglu",
  "pre:experts=4,experts_per_token=1,expert_weights=sigmoid-input,shared_experts=1,shared_expert_gate=off,"
  "rotary=interleaved,rotary_skip_every=2,qk_norm=head-rotary,norm=rmsnorm,activation=swiglu",
  "pre:qk_norm=head,bias_qkv=on,bias_k=off,bias_norms=on,activation=gelu",
  "parallel:bias=on,bias_qkv=off,bias_output=off,bias_norms=off,activation=gelu",
  /* the bias and the much smaller output of the norm need different scales */
  "pre:bias=on,activation=gelu,input_scale=1e-30", "pre:norm=dyt,bias=on,activation=gelu,input_scale=1e-30",
};

static NsVerifyReport *
verify (const NsExperiment *experiment, const NsVerifyPlant *plant, guint n_threads)
{
  GError *error = NULL;
  NsVerifyReport *report = ns_verify_run (experiment, 0, n_threads, plant, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (report);
  return report;
}

static const NsVerifyCheck *
find_check (const NsVerifyReport *report, NsVerifyKind kind, const char *name)
{
  for (guint i = 0; i < report->checks->len; i++)
    {
      const NsVerifyCheck *check = &g_array_index (report->checks, NsVerifyCheck, i);

      if (check->kind == kind && strcmp (check->name, name) == 0)
        return check;
    }
  return NULL;
}

static void
assert_passed (const NsVerifyReport *report)
{
  for (guint i = 0; i < report->checks->len; i++)
    {
      const NsVerifyCheck *check = &g_array_index (report->checks, NsVerifyCheck, i);

      g_test_message ("%s %s: %.2g at %d, %u places, %u undecided", ns_verify_kind_name (check->kind), check->name,
                      check->error, (int) check->site, check->places, check->undecided);
      g_assert_true (check->passed);
      g_assert_cmpfloat (check->error, <=, ns_verify_kind_tolerance (check->kind));
    }
  g_assert_true (report->passed);
}

/* ---- correct gradients ---- */

static gboolean
affects_only_scores (const char *name)
{
  return g_str_has_suffix (name, "w_q") || g_str_has_suffix (name, "w_k") || g_str_has_suffix (name, "b_q");
}

/* Assert that every tensor of the variant is checked at each of its sites. */
static void
assert_complete (const NsVerifyReport *report, const NsExperiment *experiment)
{
  gboolean uniform = ns_experiment_variant (experiment, 0)->attention == NS_ATTENTION_UNIFORM;
  guint checked = 0;

  for (int t = 0; t < NS_N_TENSORS; t++)
    {
      const char *name = ns_tensor_get_name ((NsTensor) t);
      const NsVerifyCheck *gradient = find_check (report, NS_VERIFY_GRADIENT, name);
      const NsVerifyCheck *norm = find_check (report, NS_VERIFY_NORM, name);
      guint places = 0;

      for (gint64 site = 0; site <= ns_experiment_get_head_site (experiment); site++)
        places += ns_tensor_exists ((NsTensor) t, experiment, 0, site);
      /* W_Q = W_K = 0 are not variables; the softmax ignores b_K */
      if (places == 0 || (uniform && affects_only_scores (name))
          || g_str_has_suffix (name, "b_k"))
        continue;
      g_assert_nonnull (norm);
      g_assert_cmpuint (norm->places, ==, places);
      if (!g_str_has_prefix (name, "b_") && strstr (name, "_b_") == NULL)
        {
          g_assert_nonnull (gradient);
          g_assert_cmpuint (gradient->places, ==, places);
        }
      checked++;
    }
  g_assert_cmpuint (checked, >=, 4);
}

/* Return TRUE when the operation belongs to the sub-layer that the blocks lack. */
static gboolean
is_missing (const NsVariant *variant, const char *operation)
{
  return (variant->sublayers == NS_SUB_LAYERS_FFN && strcmp (operation, "attention") == 0)
         || (variant->sublayers == NS_SUB_LAYERS_ATTENTION && strcmp (operation, "activation") == 0);
}

static void
test_passes (gconstpointer data)
{
  static const char *const operations[] = { "linear", "norm", "attention", "activation" };
  g_autoptr (NsExperiment) experiment = check_experiment (small, data);
  g_autoptr (NsVerifyReport) report = verify (experiment, NULL, 2);

  assert_passed (report);
  assert_complete (report, experiment);
  for (gsize i = 0; i < G_N_ELEMENTS (operations); i++)
    if (is_missing (ns_experiment_variant (experiment, 0), operations[i]))
      g_assert_null (find_check (report, NS_VERIFY_ADJOINT, operations[i]));
    else
      g_assert_cmpuint (find_check (report, NS_VERIFY_ADJOINT, operations[i])->places, >=, 3);
  g_assert_cmpmem (&report->shape, sizeof small, &experiment->shape, sizeof small);
  g_assert_cmpint (report->overflow, ==, -1);

  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  g_clear_pointer (&report, ns_verify_report_free);
  report = verify (experiment, NULL, 2);
  assert_passed (report);
  assert_complete (report, experiment);
}

/* An encoder-decoder with grouped heads and its own d_head. */
static void
test_passes_encoder_decoder (gconstpointer data)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsVerifyReport) report = NULL;
  NsShape shape = small;

  shape.stack = NS_STACK_ENCODER_DECODER;
  shape.d_head = strstr (data, "attention_output=off") != NULL ? 0 : 3;
  shape.kv_heads = 1;
  experiment = check_experiment (shape, data);
  report = verify (experiment, NULL, 2);
  assert_passed (report);
  assert_complete (report, experiment);
  g_assert_cmpuint (find_check (report, NS_VERIFY_ADJOINT, "cross-attention")->places, ==, 3);
  g_assert_cmpuint (find_check (report, NS_VERIFY_GRADIENT, "cross_w_o") != NULL, ==,
                    ns_experiment_variant (experiment, 0)->attention_output);
}

/* Several minibatches: the loss is the mean of theirs. */
static void
test_passes_minibatches (gconstpointer data)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, data);
  g_autoptr (NsVerifyReport) report = NULL;

  experiment->sampling.batches = 3;
  for (int loss = NS_LOSS_CROSS_ENTROPY; loss <= NS_LOSS_UNIT_GRADIENT; loss++)
    {
      experiment->loss = loss;
      g_clear_pointer (&report, ns_verify_report_free);
      report = verify (experiment, NULL, 2);
      assert_passed (report);
      assert_complete (report, experiment);
    }
}

static void
test_threads_change_nothing (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "post:activation=gelu");
  g_autoptr (NsVerifyReport) one = verify (experiment, NULL, 1);
  g_autoptr (NsVerifyReport) three = verify (experiment, NULL, 3);

  g_assert_cmpuint (one->checks->len, ==, three->checks->len);
  for (guint i = 0; i < one->checks->len; i++)
    {
      const NsVerifyCheck *a = &g_array_index (one->checks, NsVerifyCheck, i);
      const NsVerifyCheck *b = &g_array_index (three->checks, NsVerifyCheck, i);

      g_assert_cmpstr (a->name, ==, b->name);
      g_assert_cmpmem (&a->error, sizeof a->error, &b->error, sizeof b->error);
    }
}

/* Large experiments are checked at a reduced size with the same wiring. */
static void
test_large (void)
{
  const NsShape large = { .depth = 700, .d_model = 768, .heads = 12, .d_ff = 3072, .seq_len = 512, .batch = 4,
                          .vocab = 50000 };
  g_autoptr (NsExperiment) experiment = check_experiment (large, "post pre:activation=geglu,post_fraction=0.25");
  g_autoptr (NsExperiment) one = ns_verify_dup_experiment (experiment, 1);
  g_autoptr (NsVerifyReport) report = NULL;
  GError *error = NULL;

  g_assert_cmpuint (one->variants->len, ==, 1);
  g_assert_cmpstr (ns_experiment_variant (one, 0)->name, ==, ns_experiment_variant (experiment, 1)->name);
  g_assert_cmpfloat (ns_experiment_variant (one, 0)->post_fraction, ==, 0.25);
  g_assert_cmpint (one->shape.depth, >=, 4);
  g_assert_cmpint (one->shape.heads, ==, 12);
  g_assert_cmpint (one->shape.d_model, <, 768);
  ns_experiment_validate (one, &error);
  g_assert_no_error (error);
  report = ns_verify_run (experiment, 1, 2, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (&report->shape, sizeof large, &one->shape, sizeof large);
  assert_passed (report);
}

/* A reduced size keeps the 256 byte tokens of a text. */
static void
test_large_text (void)
{
  const NsShape large = { .depth = 400, .d_model = 512, .heads = 8, .d_ff = 2048, .seq_len = 256, .batch = 4,
                          .vocab = 256 };
  g_autoptr (NsExperiment) experiment = check_experiment (large, "pre");
  g_autoptr (NsExperiment) one = NULL;
  GError *error = NULL;

  experiment->data.source = NS_SOURCE_TEXT;
  experiment->data.text = g_strnfill (3000, 'x');
  one = ns_verify_dup_experiment (experiment, 0);
  g_assert_cmpint (one->shape.vocab, ==, 256);
  g_assert_cmpint (one->shape.depth, <, 400);
  ns_experiment_validate (one, &error);
  g_assert_no_error (error);
}

/* A run without a gradient does not pass. */
static void
test_overflow (void)
{
  NsShape deep = small;
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsVerifyReport) report = NULL;

  deep.depth = 200;
  experiment = check_experiment (deep, "none:residual_scale=1000000");
  report = verify (experiment, NULL, 1);
  g_assert_cmpint (report->overflow, >, 0);
  g_assert_false (report->passed);
  g_assert_cmpuint (report->checks->len, ==, 0);
}

/* If the loss depends on the weights too weakly for differences, all gradients are undecided and the report does not
 * pass. The unit gradient can check them. */
static void
test_vanishing (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (
      small, "none:activation=silu,attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=1e-4");
  g_autoptr (NsVerifyReport) report = verify (experiment, NULL, 1);

  g_assert_false (report->passed);
  for (guint i = 0; i < report->checks->len; i++)
    {
      const NsVerifyCheck *check = &g_array_index (report->checks, NsVerifyCheck, i);

      g_assert_true (check->passed);
      g_assert_true (check->kind != NS_VERIFY_GRADIENT || check->undecided == check->places);
    }
  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  g_clear_pointer (&report, ns_verify_report_free);
  report = verify (experiment, NULL, 1);
  assert_passed (report);
}

/* One of the 786432 activations of this experiment is so close to the kink of ReLU that a difference of any step spans
 * it. The check must still pass. */
static void
test_kink (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (NsVerifyReport) report = NULL;
  guint undecided = 0;
  GError *error = NULL;

  g_ptr_array_set_size (experiment->variants, 0);
  g_ptr_array_add (experiment->variants, ns_variant_from_text ("admin-constant", &error));
  g_assert_no_error (error);
  report = verify (experiment, NULL, 2);
  assert_passed (report);
  for (guint i = 0; i < report->checks->len; i++)
    undecided += g_array_index (report->checks, NsVerifyCheck, i).undecided;
  g_assert_cmpuint (undecided, >=, 1);
  g_assert_cmpuint (undecided, <=, 4);
}

static void
test_cancelled (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre");
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (GError) error = NULL;

  ns_progress_cancel (progress);
  g_assert_null (ns_verify_run (experiment, 0, 1, NULL, progress, &error));
  g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
}

/* ---- planted errors ---- */

typedef struct
{
  const char *name; /* tensor or operation with the error */
  gint64 site;
  int how;
} Plant;

static void
plant_gradient (gpointer data, NsTensor tensor, gint64 site, double *gradient, gsize n)
{
  const Plant *plant = data;
  gsize largest = 0;

  if (strcmp (ns_tensor_get_name (tensor), plant->name) != 0 || site != plant->site)
    return;
  for (gsize i = 1; i < n; i++)
    largest = fabs (gradient[i]) > fabs (gradient[largest]) ? i : largest;
  if (plant->how == 0)
    gradient[largest] *= 1.01;
  for (gsize i = 0; i < n; i++)
    gradient[i] = plant->how == 1 ? 0 : plant->how == 2 ? -gradient[i] : gradient[i];
  if (plant->how == 3)
    gradient[0] = NAN;
}

static double
plant_norm (gpointer data, NsTensor tensor, gint64 site, NsGradientEstimate estimate)
{
  const Plant *plant = data;
  gboolean meant = strcmp (ns_tensor_get_name (tensor), plant->name) == 0 && site == plant->site;

  return meant && (int) estimate == plant->how ? 1e-6 : 0;
}

static void
plant_adjoint (gpointer data, const char *operation, ns_real *dx, gsize n)
{
  const Plant *plant = data;

  if (strcmp (operation, plant->name) == 0)
    dx[n / 2] += 0.01;
}

static void
assert_found_in (const NsExperiment *experiment, const NsVerifyPlant *hooks, NsVerifyKind kind)
{
  const Plant *plant = hooks->data;
  g_autoptr (NsVerifyReport) report = verify (experiment, hooks, 2);
  const NsVerifyCheck *check = find_check (report, kind, plant->name);

  g_assert_false (report->passed);
  g_assert_nonnull (check);
  g_assert_false (check->passed);
  g_assert_cmpfloat (check->error, >, ns_verify_kind_tolerance (kind));
  if (kind != NS_VERIFY_ADJOINT)
    g_assert_cmpint (check->site, ==, plant->site);
  for (guint i = 0; i < report->checks->len; i++)
    {
      const NsVerifyCheck *other = &g_array_index (report->checks, NsVerifyCheck, i);

      /* a wrong gradient also has a wrong norm */
      g_assert_true (other->passed || strcmp (other->name, plant->name) == 0);
    }
}

static void
assert_found (const NsVerifyPlant *hooks, NsVerifyKind kind)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre:activation=geglu,bias=on");

  assert_found_in (experiment, hooks, kind);
}

static void
test_planted_gradient (void)
{
  static const char *const tensors[] = { "w_q", "w_k", "w_v", "w_o", "w_1", "w_2", "w_3", "gain_attn_pre",
                                         "bias_ffn_pre", "w_head", "gain_final", "bias_final" };

  for (gsize i = 0; i < G_N_ELEMENTS (tensors); i++)
    for (int how = 0; how < 4; how++)
      {
        gboolean at_head = strstr (tensors[i], "head") != NULL || strstr (tensors[i], "final") != NULL;
        Plant plant = { tensors[i], at_head ? 4 : 1 + how % 3, how };
        const NsVerifyPlant hooks = { .gradient = plant_gradient, .data = &plant };

        assert_found (&hooks, NS_VERIFY_GRADIENT);
      }
}

static void
test_planted_norm (void)
{
  static const char *const tensors[] = { "w_q", "w_2", "b_q", "b_2", "gain_ffn_pre", "bias_attn_pre", "w_head",
                                         "b_head" };

  for (gsize i = 0; i < G_N_ELEMENTS (tensors); i++)
    {
      Plant plant = { tensors[i], strstr (tensors[i], "head") != NULL ? 4 : 2, 0 };
      const NsVerifyPlant hooks = { .norm = plant_norm, .data = &plant };

      assert_found (&hooks, NS_VERIFY_NORM);
    }
}

/* An error in one of the estimates over several minibatches. */
static void
test_planted_estimate (void)
{
  static const char *const tensors[] = { "w_q", "w_2", "b_2", "gain_ffn_pre", "bias_attn_pre", "w_head" };
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre:activation=geglu,bias=on");

  experiment->sampling.batches = 3;
  for (gsize i = 0; i < G_N_ELEMENTS (tensors); i++)
    for (int estimate = 0; estimate < NS_N_ESTIMATES; estimate++)
      {
        Plant plant = { tensors[i], strstr (tensors[i], "head") != NULL ? 4 : 2, estimate };
        const NsVerifyPlant hooks = { .norm = plant_norm, .data = &plant };

        assert_found_in (experiment, &hooks, NS_VERIFY_NORM);
      }
}

static void
test_planted_adjoint (void)
{
  static const char *const operations[] = { "linear", "norm", "attention", "activation" };

  for (gsize i = 0; i < G_N_ELEMENTS (operations); i++)
    {
      Plant plant = { operations[i], 0, 0 };
      const NsVerifyPlant hooks = { .adjoint = plant_adjoint, .data = &plant };

      assert_found (&hooks, NS_VERIFY_ADJOINT);
    }
}

void
add_verify_tests (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      g_autofree char *path = g_strdup_printf ("/verify/passes/%s", variants[i]);

      g_autofree char *other = g_strdup_printf ("/verify/passes-encoder-decoder/%s", variants[i]);

      g_autofree char *several = g_strdup_printf ("/verify/passes-minibatches/%s", variants[i]);

      g_test_add_data_func (path, variants[i], test_passes);
      g_test_add_data_func (several, variants[i], test_passes_minibatches);
      if (!g_str_has_prefix (variants[i], "parallel") && strstr (variants[i], "sublayers") == NULL)
        g_test_add_data_func (other, variants[i], test_passes_encoder_decoder);
    }
  g_test_add_func ("/verify/threads-change-nothing", test_threads_change_nothing);
  g_test_add_func ("/verify/large", test_large);
  g_test_add_func ("/verify/large-text", test_large_text);
  g_test_add_func ("/verify/overflow", test_overflow);
  g_test_add_func ("/verify/vanishing", test_vanishing);
  g_test_add_func ("/verify/kink", test_kink);
  g_test_add_func ("/verify/cancelled", test_cancelled);
  g_test_add_func ("/verify/planted/gradient", test_planted_gradient);
  g_test_add_func ("/verify/planted/norm", test_planted_norm);
  g_test_add_func ("/verify/planted/estimate", test_planted_estimate);
  g_test_add_func ("/verify/planted/adjoint", test_planted_adjoint);
}
