/* Test the texts of the claim cards: every verdict and every reason.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-claim-words.h"
#include "tests.h"

#include <math.h>
#include <string.h>

static NsClaim *
make_claim (NsCheckKind kind)
{
  NsClaim *claim = ns_claim_new ("card");

  claim->title = g_strdup ("Title");
  claim->statement = g_strdup ("Statement.");
  claim->source = g_strdup ("Source 2020");
  claim->variant = g_strdup ("post");
  claim->form = NS_FORM_THEOREM;
  claim->kind = kind;
  claim->law = kind == NS_CHECK_HALVING ? NS_N_LAWS : NS_LAW_LN;
  claim->tolerance = 0.1;
  g_ptr_array_add (claim->assumptions, ns_assumption_new ("shape.heads", "1", NULL));
  g_ptr_array_add (claim->assumptions, ns_assumption_new ("init.residual", "none|1", NULL));
  g_ptr_array_add (claim->assumptions, ns_assumption_new ("norm_eps", "0..1e-6", NULL));
  g_ptr_array_add (claim->assumptions, ns_assumption_new ("shape.d_ff", "shape.d_model", NULL));
  return claim;
}

static NsClaimResult
make_result (NsVerdict verdict, NsWhyNot why_not)
{
  return (NsClaimResult) {
    .verdict = verdict,
    .why_not = why_not,
    .variant = 1,
    .over = NS_MAX_VARIANTS,
    .has_measured = TRUE,
    .measured = -0.494,
    .error = 0.031,
    .expected = 0.4155,
    .low = 0.3155,
    .high = 0.5155,
    .n_seeds = 16,
    .n_points = 17,
    .x_min = 2,
    .x_max = 128,
    .rival = NS_LAW_SQRT,
  };
}

static void
test_assumptions (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_EXPONENT);
  NsClaimResult result = make_result (NS_VERDICT_CONSISTENT, NS_WHY_NOT_NONE);
  static const char *const texts[]
    = { "1 head", "Residual initialization: None or 1", "Norm epsilon 0 to 10⁻⁶", "FFN width = Model width" };
  char *text;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      text = ns_assumption_dup_text (g_ptr_array_index (claim->assumptions, i));
      g_assert_cmpstr (text, ==, texts[i]);
      g_free (text);
    }
  text = ns_claim_dup_assumptions (claim, experiment, &result);
  g_assert_cmpstr (text, ==, "All assumptions are met.");
  g_free (text);
  result.missed = 1 | 4 | 8;
  text = ns_claim_dup_assumptions (claim, experiment, &result);
  g_assert_cmpstr (text, ==,
                   "Not met: 4 heads; the theorem assumes 1. Norm epsilon 10⁻⁵; the theorem assumes 0 to 10⁻⁶. "
                   "FFN width 512; the theorem assumes 128 = Model width.");
  g_free (text);
  text = ns_claim_dup_assumption_count (claim, &result);
  g_assert_cmpstr (text, ==, "3 of 4 assumptions not met");
  g_free (text);
  text = ns_claim_dup_assumption_list (claim, experiment, &result);
  g_assert_cmpstr (text, ==,
                   "✗ 4 heads; the theorem assumes 1.\n✓ Residual initialization: None or 1\n"
                   "✗ Norm epsilon 10⁻⁵; the theorem assumes 0 to 10⁻⁶.\n"
                   "✗ FFN width 512; the theorem assumes 128 = Model width.");
  g_free (text);
  text = ns_claim_dup_assumption_list (claim, experiment, NULL);
  g_assert_true (g_str_has_prefix (text, "1 head\nResidual"));
  g_free (text);
  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  text = ns_claim_dup_assumptions (claim, experiment, &result);
  g_assert_true (g_str_has_suffix (text, "assumes 128 = Model width. Measured in the decoder."));
  g_free (text);
  claim->kind = NS_CHECK_BAND;
  text = ns_claim_dup_assumptions (claim, experiment, &result);
  g_assert_true (g_str_has_suffix (text, "assumes 128 = Model width. Measured in the decoder."));
  g_free (text);
  claim->metric.part = NS_PART_ENCODER;
  text = ns_claim_dup_assumptions (claim, experiment, &result);
  g_assert_true (g_str_has_suffix (text, " Measured in the encoder."));
  g_free (text);
}

/* Every parameter has a phrase without its key, and the source decides who assumes. */
static void
test_phrases (void)
{
  static const struct
  {
    NsClaimForm form;
    const char *path, *assumed, *value, *expected;
  } cases[] = {
    { NS_FORM_LEMMA, "attention", "uniform", "full", "Attention: Full; the lemma assumes Uniform." },
    { NS_FORM_PAPER, "attention_output", "false", "true", "Output projection: on; the paper assumes off." },
    { NS_FORM_LESSON, "residual_scale", "1", "deepnorm", "Residual scale: DeepNorm; the lessons assume 1." },
    { NS_FORM_DERIVATION, "shape.seq_len", "1", "32", "32 tokens in a sequence; the derivation assumes 1." },
    { NS_FORM_CLAIM, "norm_eps", "0..1e-12", "2.5e-07", "Norm epsilon 2.5·10⁻⁷; the claim assumes 0 to 10⁻¹²." },
    { NS_FORM_CLAIM, "shape.heads", "4", "1", "1 head; the claim assumes 4." },
  };
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsExperiment) experiment = ns_experiment_new ();
      g_autoptr (NsClaim) claim = make_claim (NS_CHECK_EXPONENT);
      NsClaimResult result = make_result (NS_VERDICT_CONSISTENT, NS_WHY_NOT_NONE);
      const NsParam *param = ns_param_find (cases[i].path);
      g_autofree char *expected = g_strconcat ("Not met: ", cases[i].expected, NULL);
      g_autofree char *text = NULL;

      g_ptr_array_set_size (claim->assumptions, 0);
      g_ptr_array_add (claim->assumptions, ns_assumption_new (cases[i].path, cases[i].assumed, NULL));
      claim->form = cases[i].form;
      result.missed = 1;
      g_assert_true (ns_param_set_text (param,
                                        param->section == NS_SECTION_VARIANT
                                            ? (gpointer) ns_experiment_variant (experiment, 1)
                                            : (gpointer) experiment,
                                        cases[i].value, "", NULL));
      text = ns_claim_dup_assumptions (claim, experiment, &result);
      g_assert_cmpstr (text, ==, expected);
    }
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *phrase = ns_param_dup_phrase (&params[i], "7");

      g_assert_null (strchr (phrase, '_'));
      g_assert_null (strstr (phrase, "shape."));
      g_assert_nonnull (strchr (phrase, '7'));
    }
}

static void
check_measured (const NsClaim *claim, const NsClaimResult *result, const char *expected)
{
  g_autofree char *text = ns_claim_dup_measured (claim, result);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_measured (void)
{
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_EXPONENT);
  g_autoptr (NsClaim) halving = make_claim (NS_CHECK_HALVING);
  g_autoptr (NsClaim) band = make_claim (NS_CHECK_BAND);
  g_autoptr (NsClaim) bounds = make_claim (NS_CHECK_BOUNDS);
  g_autoptr (NsClaim) geometric = make_claim (NS_CHECK_GEOMETRIC);
  g_autoptr (NsClaim) identity = make_claim (NS_CHECK_IDENTITY);
  NsClaimResult result = make_result (NS_VERDICT_NOT_CONSISTENT, NS_WHY_NOT_NONE);

  check_measured (claim, &result,
                  "Measured: exponent −0.49 ± 0.03 (16 seeds, L = 2 to 128). Expected: ln L, whose exponent over these "
                  "points is 0.42, ± 0.10.");
  claim->axis = NS_SWEEP_D_MODEL;
  claim->at_most = TRUE;
  result.error = 0.0031;
  check_measured (claim, &result,
                  "Measured: exponent −0.494 ± 0.003 (16 seeds, d = 2 to 128). Expected: ln d at most, whose exponent "
                  "over these points is 0.42, with a tolerance of 0.10.");
  claim->axis = NS_SWEEP_DEPTH;
  claim->law = NS_LAW_STRETCHED;
  result.measured = 0.25;
  result.error = 0.05;
  result.off = 0.034;
  check_measured (claim, &result,
                  "Measured: exp(√(L/16)), λ = 16.0, 11.1 to 25.0 (16 seeds, L = 2 to 128), off by 3\302\240%. "
                  "Expected: growth by this law, with any number.");
  claim->law = NS_LAW_POWER;
  check_measured (claim, &result,
                  "Measured: L⁰·²⁵, exponent 0.25 ± 0.05 (16 seeds, L = 2 to 128), off by 3\302\240%. Expected: growth "
                  "by this law, with any number.");
  claim->axis = NS_SWEEP_D_MODEL;
  result.measured = -0.494;
  claim->law = NS_N_LAWS;
  result.error = NAN;
  result.n_seeds = 1;
  check_measured (claim, &result,
                  "Measured: exponent −0.49 (1 seed, d = 2 to 128). Expected: 0.42 at most, with a tolerance of 0.10.");
  result.measured = -0.001;
  result.error = 0.05;
  check_measured (halving, &result,
                  "Measured: a factor of 0.00 ± 0.05 a block (1 seed, l = 2 to 128). Expected: 0.42 ± 0.10.");
  band->metric.quantity = NS_Q_RMS_X;
  result.at = 7;
  check_measured (band, &result,
                  "Measured at its most extreme, block 7: rms(xₗ)² = 0.00 ± 0.05 (1 seed). Accepted there: 0.32 to "
                  "0.52.");
  bounds->metric.quantity = NS_Q_TOKEN_COS;
  check_measured (bounds, &result,
                  "Measured at its most extreme, L = 7: token similarity = 0.00 ± 0.05 (1 seed). Accepted there: 0.32 "
                  "to 0.52.");
  check_measured (geometric, &result,
                  "Measured: a factor of 0.00 ± 0.05 from each block to the one below (1 seed, l = 2 to 128). "
                  "Expected: 0.415, accepted from 0.316 to 0.515.");
  geometric->at_most = TRUE;
  check_measured (geometric, &result,
                  "Measured: a factor of 0.00 ± 0.05 from each block to the one below (1 seed, l = 2 to 128). "
                  "Expected: 0.415 at most, accepted up to 0.515.");
  identity->metric.quantity = NS_Q_GRAD_X;
  identity->tolerance = 1e-6;
  result.expected = 1;
  result.measured = 1.00125;
  result.error = 0;
  check_measured (identity, &result,
                  "Measured at its most extreme, block 7: ‖∂L/∂xₗ‖ / ‖∂L/∂xₗ‖ at the input = 1.00125 (1 seed). "
                  "Accepted: 1 ± 10⁻⁶.");
  identity->over = g_strdup ("post");
  identity->metric.quantity = NS_Q_TOKEN_COS;
  result.expected = 0;
  result.measured = -0.25;
  result.error = 0.001;
  check_measured (identity, &result,
                  "Measured at its most extreme, block 7: token similarity − that of Post-LN = −0.25 ± 0.001 (1 "
                  "seed). Accepted: 0 ± 10⁻⁶.");
  result.has_measured = FALSE;
  check_measured (band, &result, "");
}

static void
test_trained (void)
{
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_LOSS);
  NsClaimResult result = { .has_measured = TRUE, .measured = 0.683, .error = 0.012, .low = 0, .high = 0.9,
                           .n_seeds = 5 };
  g_autofree char *seeds = NULL;
  g_autofree char *run = NULL;

  check_measured (claim, &result,
                  "Measured: a final loss of 0.68 ± 0.01 times the entropy of single tokens (0 of 5 seeds stalled). "
                  "Accepted: up to 0.90.");
  result.n_stalled = 1;
  result.n_diverged = 2;
  result.low = 0.95;
  result.high = INFINITY;
  check_measured (claim, &result,
                  "Measured: a final loss of 0.68 ± 0.01 times the entropy of single tokens (1 of 5 seeds stalled, 2 "
                  "diverged). Accepted: 0.95 or more.");
  result.measured = result.error = NAN;
  result.n_stalled = 0;
  result.n_diverged = 5;
  result.high = 1.05;
  check_measured (claim, &result, "Measured: 0 of 5 seeds stalled, 5 diverged. Accepted: 0.95 to 1.05.");
  result.why_not = NS_WHY_NOT_SEEDS;
  seeds = ns_claim_dup_why_not (claim, &result);
  g_assert_cmpstr (seeds, ==, "A training needs at least 5 seeds.");
  result.why_not = NS_WHY_NOT_RUN;
  run = ns_claim_dup_why_not (claim, &result);
  g_assert_cmpstr (run, ==, "The training has not been run to its end.");
}

static void
test_learning_rates (void)
{
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_RATES);
  NsClaimResult result = { .has_measured = TRUE, .measured = 10.2, .error = 1.23, .low = 1.5, .high = INFINITY,
                           .n_seeds = 5, .n_points = 9, .x_min = 0.0005, .x_max = 0.06, .factors = { 10.2, 3.24 } };

  g_clear_pointer (&claim->over, g_free);
  check_measured (claim, &result,
                  "Measured: Post-LN trains over a factor of 10 ×/÷ 1.23 of learning rates (5 seeds, 9 learning rates "
                  "from 5.0·10⁻⁴ to 0.060). Accepted: 1.50 or more.");
  claim->over = g_strdup ("pre");
  result.measured = 3.15;
  result.n_open[0] = 1;
  result.n_none[1] = 2;
  result.low = 0;
  result.high = 4;
  check_measured (claim, &result,
                  "Measured: Post-LN trains over a factor of at least 10 of learning rates, Pre-LN over 3.2; the ratio "
                  "is 3.2 ×/÷ 1.23 (5 seeds, 9 learning rates from 5.0·10⁻⁴ to 0.060, Pre-LN with none of them in 2 of "
                  "5). Accepted: up to 4.00.");
}

static void
test_why_not (void)
{
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_EXPONENT);
  static const char *const words[] = {
    [NS_WHY_NOT_VARIANT] = "Post-LN",   [NS_WHY_NOT_QUANTITY] = "‖∂L/∂W₂‖", [NS_WHY_NOT_RUN] = "depth",
    [NS_WHY_NOT_SEEDS] = "One seed",    [NS_WHY_NOT_POINTS] = "needs 4 from 2 on",  [NS_WHY_NOT_FINITE] = "infinite",
    [NS_WHY_NOT_ASSUMED] = "Set Up",
    [NS_WHY_NOT_WIDE] = "more seeds",   [NS_WHY_NOT_RIVAL] = "too short to tell ln L from √L",
    [NS_WHY_NOT_OPEN] = "the first or the last one",
  };

  for (int why_not = NS_WHY_NOT_NONE + 1; why_not <= NS_WHY_NOT_OPEN; why_not++)
    {
      NsClaimResult result = make_result (NS_VERDICT_CANNOT_TELL, (NsWhyNot) why_not);
      g_autofree char *text = NULL;

      if (why_not == NS_WHY_NOT_VARIANT)
        result.variant = NS_MAX_VARIANTS;
      text = ns_claim_dup_why_not (claim, &result);
      if (strstr (text, words[why_not]) == NULL)
        g_error ("“%s” is not in: %s", words[why_not], text);
    }
  g_assert_null (ns_claim_dup_why_not (claim, &(NsClaimResult){ .why_not = NS_WHY_NOT_NONE }));
}

static void
check_card (const NsClaimResult *result, const char *head, const char *tail)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_EXPONENT);
  g_autofree char *card = ns_claim_dup_card (claim, experiment, result);

  g_assert_true (g_str_has_prefix (card, head));
  g_assert_nonnull (strstr (card, "\n  Statement.\n  Source 2020\n"));
  if (!g_str_has_suffix (card, tail))
    g_error ("“%s” does not end: %s", tail, card);
}

static void
test_card (void)
{
  NsClaimResult result = make_result (NS_VERDICT_CONSISTENT, NS_WHY_NOT_NONE);

  check_card (&result, "Title — consistent\n", "± 0.10.\n");
  result.verdict = NS_VERDICT_NOT_CONSISTENT;
  result.missed = 1;
  check_card (&result, "Title — not consistent, outside its assumptions\n", "√L is closer to the measurement.\n");
  result.misfits = TRUE;
  result.off = 0.254;
  check_card (&result, "Title — not consistent, outside its assumptions\n",
              "ln L is off by 25\302\240%, more than the seeds differ.\n");
  result.misfits = FALSE;
  result.verdict = NS_VERDICT_CANNOT_TELL;
  result.why_not = NS_WHY_NOT_RIVAL;
  check_card (&result, "Title — cannot tell here, outside", "The range is too short to tell ln L from √L.\n");
}

void
add_claim_words_tests (void)
{
  g_test_add_func ("/claim-words/assumptions", test_assumptions);
  g_test_add_func ("/claim-words/phrases", test_phrases);
  g_test_add_func ("/claim-words/measured", test_measured);
  g_test_add_func ("/claim-words/why-not", test_why_not);
  g_test_add_func ("/claim-words/trained", test_trained);
  g_test_add_func ("/claim-words/learning-rates", test_learning_rates);
  g_test_add_func ("/claim-words/card", test_card);
}
