/* Test the verdict on every wiring of two sub-layers against what was measured.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The wirings are the 144 of six placements for each of attention and FFN and two residual switches. Nothing of the
 * verdict's own code is used here: numbers come from the result, wirings from their settings.
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-engine.h"
#include "figures/ns-verdict.h"
#include "synthetic.h"
#include "tests.h"

#include <math.h>
#include <string.h>

#define N_PLACEMENTS 6
#define N_WIRINGS (N_PLACEMENTS * N_PLACEMENTS * 4)

static const char *const placements[N_PLACEMENTS] = { "none", "pre", "post", "sandwich", "branch", "pre-post" };
/* The wirings with the same placement twice. */
static const char *const names[N_PLACEMENTS] = {
  "No norm", "Pre-LN", "Post-LN", "Peri-LN", "Res-post-norm", "Pre-and-Post-LN",
};
/* A placement in words. */
static const char *const labels[N_PLACEMENTS] = {
  "No norm", "Pre-LN", "Post-LN", "Sandwich", "On the branch", "Before and after",
};

typedef struct
{
  int attn, ffn; /* in placements */
  gboolean attn_residual, ffn_residual;
} Wiring;

static Wiring
get_wiring (int i)
{
  return (Wiring){ i / 4 % N_PLACEMENTS, i / 4 / N_PLACEMENTS, i % 2 == 0, i / 2 % 2 == 0 };
}

static gboolean
has_post (int placement)
{
  return placement == 2 || placement == 5;
}

static NsResult *
run (const char *variant, gint64 depth, gint64 seeds)
{
  const char *variants[] = { variant, NULL };
  g_autoptr (NsExperiment) experiment = synthetic_experiment (depth, variants);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  GError *error = NULL;
  NsResult *result;

  experiment->shape.d_model = 32;
  experiment->shape.heads = 2;
  experiment->shape.d_ff = 64;
  experiment->shape.seq_len = 8;
  experiment->shape.batch = 2;
  experiment->shape.vocab = 32;
  experiment->sampling.seeds = seeds;
  result = ns_engine_run (engine, experiment, 0, (guint) seeds, NULL, &error);
  g_assert_no_error (error);
  return result;
}

static NsResult *
run_wiring (const Wiring *wiring, gint64 depth)
{
  g_autofree char *variant = g_strdup_printf ("pre:attn.norm=%s,ffn.norm=%s,attn.residual=%s,ffn.residual=%s",
                                              placements[wiring->attn], placements[wiring->ffn],
                                              wiring->attn_residual ? "on" : "off",
                                              wiring->ffn_residual ? "on" : "off");

  return run (variant, depth, 3);
}

/* Return the mean over the seeds of log10. */
static double
get_log10 (const NsResult *result, NsQuantity quantity, gint64 site)
{
  double sum = 0;

  for (guint s = 0; s < ns_result_get_n_seeds (result); s++)
    {
      double log10_value;

      g_assert_true (ns_result_get_value (result, 0, quantity, site, s, NULL, &log10_value));
      sum += log10_value;
    }
  return sum / ns_result_get_n_seeds (result);
}

/* ---- faults of a verdict, as text, or NULL ---- */

static char *
expect (const char *verdict, const char *words, gboolean expected)
{
  if ((strstr (verdict, words) != NULL) == expected)
    return NULL;
  return g_strdup_printf ("“%s” should %sbe in: %s", words, expected ? "" : "not ", verdict);
}

/* Read the number that follows the words; a power of ten as "2.3·10⁵" or "10⁻³" is not checked further: 0. Return NAN
 * if the words are not there. */
static double
read_number (const char *verdict, const char *words)
{
  const char *at = strstr (verdict, words);
  char *end;
  double number;

  if (at == NULL)
    return NAN;
  number = g_ascii_strtod (at + strlen (words), &end);
  return g_str_has_prefix (end, "·10") || g_str_has_prefix (at + strlen (words), "10⁰") ? 0 : number;
}

/* Read the change that follows the words as a ratio above 1: 4 of "to a quarter", 3.6 of "to 28 %" and of "to 3.6
 * times". */
static double
read_change (const char *verdict, const char *words)
{
  static const struct
  {
    const char *words;
    double ratio;
  } fractions[] = {
    { "to half", 2 },
    { "to a third", 3 },
    { "to a quarter", 4 },
    { "to a fifth", 5 },
    { "to a tenth", 10 },
  };
  const char *at = strstr (verdict, words);
  double number;

  if (at == NULL)
    return NAN;
  at += strlen (words);
  for (guint i = 0; i < G_N_ELEMENTS (fractions); i++)
    if (g_str_has_prefix (at, fractions[i].words))
      return fractions[i].ratio;
  if (g_str_has_prefix (at, "by a factor of "))
    return read_number (at, "by a factor of ");
  number = read_number (at, "to ");
  return g_str_has_prefix (strchr (at + strlen ("to "), ' '), " %") ? 100 / number : number;
}

/* Check how much of the gradient at the input comes along the path. */
static char *
check_share (const NsResult *result, const char *verdict)
{
  double share = 0, said;
  const char *at = strstr (verdict, " % of the gradient there"), *from = at;

  for (guint s = 0; s < ns_result_get_n_seeds (result); s++)
    {
      double value;

      g_assert_true (ns_result_get_value (result, 0, NS_Q_IDENTITY_SHARE, 0, s, &value, NULL));
      share += 100 * value / ns_result_get_n_seeds (result);
    }
  while (from != NULL && from > verdict && from[-1] != ' ')
    from--;
  if (from == NULL)
    return g_strdup_printf ("no share in: %s", verdict);
  if (g_str_has_prefix (from, "<0.1"))
    return fabs (share) < 0.1 ? NULL : g_strdup_printf ("the share is %g %%, in: %s", share, verdict);
  said = g_str_has_prefix (from, "−") ? -g_ascii_strtod (from + strlen ("−"), NULL) : g_ascii_strtod (from, NULL);
  return fabs (said - share) <= 0.051 * fabs (share) ? NULL
                                                     : g_strdup_printf ("the share is %g %%, in: %s", share, verdict);
}

/* The path is known without a run where a residual is off or no norm is on it; a norm after the addition shrinks it
 * here, by what the run measured (PyTorch confirms that number in tests/golden). */
static char *
check_path (const Wiring *wiring, const NsResult *result, const char *verdict)
{
  gboolean is_cut = !wiring->attn_residual || !wiring->ffn_residual;
  gboolean has_norm = has_post (wiring->attn) || has_post (wiring->ffn);
  const char *passes = wiring->attn_residual ? "the FFN" : wiring->ffn_residual ? "the attention" : "attention and FFN";
  g_autofree char *sentence = g_strdup_printf ("No identity path: every path passes %s;", passes);
  double measured = get_log10 (result, NS_Q_IDENTITY, 0), ratio;
  char *fault = NULL;

  if (is_cut)
    {
      g_assert_cmpfloat (measured, ==, -INFINITY);
      fault = expect (verdict, sentence, TRUE);
      return fault != NULL ? fault : expect (verdict, "carries", FALSE);
    }
  fault = expect (verdict, "No identity path", FALSE);
  if (fault == NULL)
    fault = expect (verdict, "An identity path carries the last block's gradient to the input unchanged, ", !has_norm);
  if (fault == NULL)
    fault = check_share (result, verdict);
  if (fault != NULL || !has_norm)
    {
      g_assert_cmpfloat_with_epsilon (measured, has_norm ? measured : 0, 1e-6);
      return fault;
    }
  ratio = read_change (verdict, "to the input shrunk ");
  if (measured > -log10 (1.25))
    ratio = 1 / (1 - read_number (verdict, "to the input almost unchanged (") / 100);
  if (!(fabs (log10 (ratio) + measured) < 0.03) && ratio != 0)
    return g_strdup_printf ("the path is 10^%g, in: %s", measured, verdict);
  return NULL;
}

/* Return TRUE when the means of the logarithms at two sites differ by no more than one standard deviation over the
 * seeds. */
static gboolean
is_within_seeds (const NsResult *result, NsQuantity quantity, gint64 a, gint64 b)
{
  double mean = get_log10 (result, quantity, a) - get_log10 (result, quantity, b), sum2 = 0;
  guint n = ns_result_get_n_seeds (result);

  for (guint s = 0; s < n; s++)
    {
      double log10_a = NAN, log10_b = NAN;

      ns_result_get_value (result, 0, quantity, a, s, NULL, &log10_a);
      ns_result_get_value (result, 0, quantity, b, s, NULL, &log10_b);
      sum2 += pow (log10_a - log10_b - mean, 2);
    }
  return fabs (mean) <= sqrt (sum2 / (n - 1));
}

/* Check "grows to 4.1 times" after the words against the change between two blocks. */
static char *
check_drift (const NsResult *result, NsQuantity quantity, const char *verdict, const char *words, gint64 from,
             gint64 to)
{
  g_autofree char *grows = g_strconcat (words, "grows ", NULL), *shrinks = g_strconcat (words, "shrinks ", NULL);
  double drift = get_log10 (result, quantity, to) - get_log10 (result, quantity, from);
  double ratio = read_change (verdict, drift > 0 ? grows : shrinks);

  if (isfinite (ratio) && (ratio == 0 || fabs (log10 (ratio) - fabs (drift)) < 0.03))
    return NULL;
  return g_strdup_printf ("“%s” from %d to %d is 10^%g, in: %s", words, (int) from, (int) to, drift, verdict);
}

/* Check the words for a curve between the input and the last block against its values there. */
static char *
check_trend (const NsResult *result, NsQuantity quantity, const char *verdict, const char *name)
{
  gint64 depth = ns_result_get_experiment (result)->shape.depth;
  gint64 from = quantity == NS_Q_GRAD_X ? depth : 0, to = depth - from;
  double drift = get_log10 (result, quantity, to) - get_log10 (result, quantity, from), turn;
  double jump = get_log10 (result, quantity, 1) - get_log10 (result, quantity, 0), rest = drift;
  const char *at = strstr (verdict, name);
  g_autofree char *sentence = at != NULL ? g_strndup (at, strcspn (at, ";")) : NULL;

  jump *= quantity == NS_Q_GRAD_X ? -1 : 1;
  rest -= jump;
  if (sentence == NULL)
    return g_strdup_printf ("nothing of %s in: %s", name, verdict);
  turn = fmax (read_number (sentence, " a peak in block "), read_number (sentence, " a low in block "));
  if (isfinite (turn))
    {
      char *fault = check_drift (result, quantity, sentence, name, from, (gint64) turn);

      return fault != NULL ? fault : check_drift (result, quantity, sentence, ", and from there ", (gint64) turn, to);
    }
  /* block 1 is named where it makes most of a change */
  if ((strstr (sentence, "block 1, ") != NULL) != (fabs (jump) >= log10 (1.5) && fabs (jump) > fabs (drift) / 2))
    return g_strdup_printf ("10^%g and then 10^%g, in: %s", jump, rest, verdict);
  if (strstr (sentence, "is flat ") != NULL)
    return fabs (drift) < log10 (1.25) ? NULL : g_strdup_printf ("10^%g is not flat: %s", drift, verdict);
  if (strstr (sentence, "shows no trend beyond the spread of the seeds ") != NULL)
    return is_within_seeds (result, quantity, depth, 0) && fabs (drift) >= log10 (1.25)
               ? NULL
               : g_strdup_printf ("10^%g is a trend: %s", drift, verdict);
  return check_drift (result, quantity, sentence, name, from, to);
}

static char *
check_tokens (const NsResult *result, const char *verdict)
{
  NsStat stat;
  gboolean alike;

  g_assert_true (ns_result_get_stat (result, 0, NS_Q_TOKEN_COS, ns_result_get_experiment (result)->shape.depth, &stat));
  alike = strstr (verdict, "tokens become one vector") != NULL || strstr (verdict, "tokens become alike") != NULL;
  if (alike == (stat.mean >= 0.9))
    return expect (verdict, "tokens become one vector", stat.mean >= 0.99);
  return g_strdup_printf ("token similarity %g in: %s", stat.mean, verdict);
}

/* The variant called “No norm” has no final norm either; here there is one where the last block does not end in a
 * norm. */
static int
count_differences (const Wiring *wiring, int placement)
{
  return (wiring->attn != placement) + (wiring->ffn != placement) + !wiring->attn_residual + !wiring->ffn_residual
         + (placement == 0 && !has_post (wiring->ffn));
}

/* Return TRUE when the verdict lists exactly the differences from a wiring with this placement twice. */
static gboolean
lists_differences (const Wiring *wiring, int placement, const char *list)
{
  g_autofree char *attn = g_strdup_printf (", Attention norm: %s", labels[wiring->attn]);
  g_autofree char *ffn = g_strdup_printf (", FFN norm: %s", labels[wiring->ffn]);
  gboolean none = !wiring->attn_residual && !wiring->ffn_residual;
  int listed = none ? 1 : 0; /* both residuals are one phrase */

  for (const char *c = list; *c != '\0'; c++)
    listed += *c == ',' ? 1 : 0;
  return listed == count_differences (wiring, placement)
         && (strstr (list, wiring->attn == placement ? ", Attention norm" : attn) != NULL)
                == (wiring->attn != placement)
         && (strstr (list, wiring->ffn == placement ? ", FFN norm" : ffn) != NULL) == (wiring->ffn != placement)
         && (strstr (list, ", no residuals") != NULL) == none
         && (strstr (list, ", no attention residual") != NULL) == (!none && !wiring->attn_residual)
         && (strstr (list, ", no FFN residual") != NULL) == (!none && !wiring->ffn_residual);
}

static char *
check_name (const Wiring *wiring, const char *verdict)
{
  int fewest = 4;
  const char *at, *words;

  for (int p = 0; p < N_PLACEMENTS; p++)
    fewest = MIN (fewest, count_differences (wiring, p));
  words = fewest == 0 ? "This is " : "Closest: ";
  at = strstr (verdict, words);
  for (int p = 0; at != NULL && p < N_PLACEMENTS; p++)
    {
      const char *rest = at + strlen (words);
      gsize length = strlen (names[p]);

      if (count_differences (wiring, p) == fewest && g_str_has_prefix (rest, names[p])
          && (rest[length] == ',' || rest[length] == '.') && lists_differences (wiring, p, rest + length))
        return NULL;
    }
  return g_strdup_printf ("not the nearest name, with %d differences: %s", fewest, verdict);
}

static char *
find_fault (const Wiring *wiring, const NsResult *result, const char *verdict)
{
  char *fault = NULL;

  if (verdict == NULL || *verdict == '\0' || strchr (verdict, '\n') != NULL || strstr (verdict, "%s") != NULL)
    return g_strdup_printf ("not a line: %s", verdict);
  if (fault == NULL)
    fault = check_path (wiring, result, verdict);
  if (fault == NULL)
    fault = check_trend (result, NS_Q_GRAD_X, verdict, "the gradient ∂L/∂x ");
  if (fault == NULL)
    fault = check_trend (result, NS_Q_RMS_X, verdict, "the stream ");
  if (fault == NULL)
    fault = check_tokens (result, verdict);
  return fault != NULL ? fault : check_name (wiring, verdict);
}

/* ---- tests ---- */

static void
test_every_wiring (gconstpointer data)
{
  gint64 depth = GPOINTER_TO_INT (data);
  g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_result_unref);
  g_autoptr (GPtrArray) verdicts = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < N_WIRINGS; i++)
    {
      Wiring wiring = get_wiring (i);
      NsResult *result = run_wiring (&wiring, depth);
      char *verdict = ns_verdict_dup (result, 0, NULL);
      g_autofree char *fault = find_fault (&wiring, result, verdict);

      g_test_message ("%s %s: %s", placements[wiring.attn], placements[wiring.ffn], verdict);
      g_assert_cmpstr (fault, ==, NULL);
      g_ptr_array_add (results, result);
      g_ptr_array_add (verdicts, verdict);
    }
  /* planted: every verdict is wrong for every other wiring */
  for (int i = 0; i < N_WIRINGS; i++)
    for (int j = 0; j < N_WIRINGS; j++)
      {
        Wiring wiring = get_wiring (i);
        g_autofree char *fault
            = find_fault (&wiring, g_ptr_array_index (results, i), g_ptr_array_index (verdicts, j));

        if (i != j && fault == NULL)
          g_error ("%d is also described by: %s", i, (char *) g_ptr_array_index (verdicts, j));
      }
}

static void
assert_begins (const char *verdict, const char *words)
{
  g_test_message ("%s", verdict);
  if (!g_str_has_prefix (verdict, words))
    g_error ("“%s” does not begin with “%s”", verdict, words);
}

static void
assert_has (const char *verdict, const char *words)
{
  if (strstr (verdict, words) == NULL)
    g_error ("“%s” is not in: %s", words, verdict);
}

/* The names of wirings that differ by more than placements. */
static void
test_names (void)
{
  static const struct
  {
    const char *variant, *words;
  } cases[] = {
    { "deepnorm", "This is DeepNorm." },
    { "post:residual_scale=deepnorm", "Closest: Post-LN, Residual scale: DeepNorm." },
    { "pre:norm=rmsnorm", "This is Pre-RMSNorm." },
    { "pre:norm=rmsnorm,init.scheme=normal,activation=swiglu", "This is Pre-RMSNorm." },
    { "post:norm=rmsnorm", "This is Post-LN." },
    { "dyt", "This is DyT." },
    { "post:norm=dyt", "Closest: Post-LN, DyT." },
    { "parallel", "This is Parallel." },
    { "b2t", "This is B2T connection." },
    { "residual", "This is ResiDual." },
    { "hybrid", "This is HybridNorm." },
    { "hybrid:first_block_pre=on", "This is HybridNorm*." },
    { "pre:first_block_pre=on", "This is Pre-LN." },
    { "post:first_block_pre=on", "Closest: Post-LN, Pre-LN first block." },
    { "mix", "This is Mix-LN." },
    { "pre:post_fraction=1", "This is Post-LN." },
    { "pre:init.scheme=normal,init.std=0.02,init.residual=gpt2", "This is Pre-LN." },
    { "pre:cross.residual=off", "This is Pre-LN." }, /* without effect in a single stack */
    { "post:final_norm=on", "Closest: Post-LN, final norm." },
    { "none", "This is No norm." },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsResult) result = run (cases[i].variant, 4, 1);
      g_autofree char *verdict = ns_verdict_dup (result, 0, NULL);

      g_test_message ("%s: %s", cases[i].variant, verdict);
      assert_has (verdict, cases[i].words);
    }
}

/* Paths through wirings in which a residual that is off does not end them, or a scale changes them. */
static void
test_other_paths (void)
{
  static const struct
  {
    const char *variant, *words;
  } cases[] = {
    { "b2t:attn.residual=off", "An identity path carries the last block's gradient to the input" },
    { "residual:attn.residual=off,ffn.residual=off",
      "An identity path carries the last block's gradient to the input" },
    { "parallel:attn.residual=off,ffn.residual=off", "No identity path: every path passes attention or FFN;" },
    { "pre:residual_scale=0.5", "An identity path carries the last block's gradient to the input shrunk by a factor of "
                                "256, " },
    { "pre:residual_scale=1.5", "An identity path carries the last block's gradient to the input grown to 26 times, " },
    { "pre:residual_scale=0.98",
      "An identity path carries the last block's gradient to the input almost unchanged (15 % smaller), " },
    { "pre:residual_scale=1.005",
      "An identity path carries the last block's gradient to the input almost unchanged (4.1 % larger), " },
    { "pre:residual_scale=1.00001", "An identity path carries the last block's gradient to the input unchanged, " },
    { "pre:residual_scale=0", "No identity path: every path passes attention and FFN;" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsResult) result = run (cases[i].variant, 4, 1);
      g_autofree char *verdict = ns_verdict_dup (result, 0, NULL);

      assert_begins (verdict, cases[i].words);
    }
}

static void
test_encoder_decoder (void)
{
  const char *variants[] = { "pre:cross.residual=off", "post", NULL };
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, variants);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsResult) result = NULL;
  g_autofree char *pre = NULL, *post = NULL;
  GError *error = NULL;

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  experiment->shape.d_model = 32;
  experiment->shape.d_ff = 64;
  experiment->shape.seq_len = 8;
  experiment->sampling.seeds = 2;
  result = ns_engine_run (engine, experiment, 0, 1, NULL, &error);
  g_assert_no_error (error);
  pre = ns_verdict_dup (result, 0, NULL);
  post = ns_verdict_dup (result, 1, NULL);
  /* one of two seeds is there */
  assert_begins (pre, "From 1 of 2 seeds: Decoder: no identity path: every path passes the cross-attention; ");
  assert_has (pre, ". Encoder, behind cross-attention: an identity path carries the last block's gradient to the input "
                   "unchanged, ");
  assert_has (pre, "Closest: Pre-LN, no cross-attention residual.");
  assert_begins (post, "From 1 of 2 seeds: Decoder: an identity path carries the last block's gradient to the input "
                       "shrunk ");
  assert_has (post, "This is Post-LN.");
}

static void
test_overflow (void)
{
  g_autoptr (NsResult) result = run ("none:residual_scale=1000", 30, 2);
  g_autofree char *verdict = ns_verdict_dup (result, 0, NULL);

  assert_begins (verdict, "The forward pass overflows in block ");
  assert_has (verdict, " Closest: No norm, ");
  g_assert_null (strstr (verdict, "path"));
  g_assert_null (strstr (verdict, "flat"));
}

/* Numbers that are not finite come first. */
static void
test_not_finite (void)
{
  g_autoptr (NsResult) result = run ("pre", 4, 2);
  g_autofree char *nan = NULL, *zero = NULL, *at_input = NULL;

  synthetic_set (result, 0, NS_Q_GRAD_X, 2, NAN, NAN);
  nan = ns_verdict_dup (result, 0, NULL);
  assert_begins (nan, "The gradient ∂L/∂x is not a number at block 2; an identity path carries ");
  synthetic_set (result, 0, NS_Q_GRAD_X, 2, 0, -INFINITY);
  zero = ns_verdict_dup (result, 0, NULL);
  assert_begins (zero, "The gradient ∂L/∂x is exactly 0 at block 2; an identity path");
  synthetic_set (result, 0, NS_Q_GRAD_X, 0, INFINITY, INFINITY);
  synthetic_set (result, 0, NS_Q_GRAD_X, 1, INFINITY, INFINITY);
  at_input = ns_verdict_dup (result, 0, NULL);
  assert_begins (at_input, "The gradient ∂L/∂x is infinite at the input and block 1; an identity path");
}

/* What happens in one block is between the input and its output. */
static void
test_one_block (void)
{
  g_autoptr (NsResult) result = run ("pre", 1, 1);
  g_autofree char *verdict = ns_verdict_dup (result, 0, NULL);

  assert_has (verdict, "; with the branches the gradient ∂L/∂x grows ");
  assert_has (verdict, " times from block 1 to the input; the stream grows ");
  assert_has (verdict, " times by block 1. This is Pre-LN.");
}

/* The exponent is that of a sweep over the depth of the same variant and settings. */
static void
test_exponent (void)
{
  const gint64 depths[] = { 2, 3, 4, 6, 8, 11, 16 };
  const NsMetric metric = ns_metric_get_default ();
  g_autoptr (NsResult) result = run ("pre", 4, 2), other = run ("pre:activation=gelu", 4, 2);
  g_autoptr (NsExperiment) experiment = ns_experiment_copy (ns_result_get_experiment (result));
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsSweep) sweep = NULL, empty = NULL;
  g_autofree char *with = NULL, *without = NULL, *unfit = NULL, *unfilled = NULL;
  GError *error = NULL;

  g_free (ns_experiment_variant (experiment, 0)->name);
  ns_experiment_variant (experiment, 0)->name = g_strdup ("another name");
  sweep = ns_sweep_new (experiment, NS_SWEEP_DEPTH, depths, G_N_ELEMENTS (depths), metric, &error);
  g_assert_no_error (error);
  empty = ns_sweep_new (experiment, NS_SWEEP_DEPTH, depths, G_N_ELEMENTS (depths), metric, &error);
  g_assert_no_error (error);
  ns_engine_run_sweep (engine, sweep, NULL, &error);
  g_assert_no_error (error);
  with = ns_verdict_dup (result, 0, sweep);
  without = ns_verdict_dup (result, 0, NULL);
  unfit = ns_verdict_dup (other, 0, sweep);
  unfilled = ns_verdict_dup (result, 0, empty);
  g_test_message ("%s", with);
  assert_has (with, "; ‖∂L/∂W₂‖ at the last block ∝ L⁻⁰·");
  g_assert_null (strstr (without, "∝"));
  g_assert_null (strstr (unfit, "∝"));
  g_assert_cmpstr (unfilled, ==, without);
}

void
add_verdict_tests (void)
{
  g_test_add_data_func ("/verdict/every-wiring/3", GINT_TO_POINTER (3), test_every_wiring);
  g_test_add_data_func ("/verdict/every-wiring/12", GINT_TO_POINTER (12), test_every_wiring);
  g_test_add_func ("/verdict/names", test_names);
  g_test_add_func ("/verdict/other-paths", test_other_paths);
  g_test_add_func ("/verdict/encoder-decoder", test_encoder_decoder);
  g_test_add_func ("/verdict/overflow", test_overflow);
  g_test_add_func ("/verdict/not-finite", test_not_finite);
  g_test_add_func ("/verdict/one-block", test_one_block);
  g_test_add_func ("/verdict/exponent", test_exponent);
}
