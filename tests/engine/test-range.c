/* Test values beyond the range of a float: stacks with a vanishing or exploding signal or gradient, against the double
 * build of the engine, the laws of homogeneous networks and the rules of overflow.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In the double build, each case is a test that prints its numbers, and that runs only if its path is given. The float
 * build starts it and compares.
 *
 * Queries and keys after rank collapse: without residuals the tokens of a sequence soon become the same vector, and
 * ∂L/∂W_Q and ∂L/∂W_K vanish. With full attention they are exactly 0 in float from about block 5 on, where the tokens
 * are bitwise equal, and rounding errors in double. With causal attention they vanish nearly everywhere: in the
 * backward pass the gradient concentrates on the first token, which attends only to itself (dS = 0), while the share
 * of the others halves in each block and underflows. The test therefore compares the two gradients where they exceed
 * rounding and elsewhere only requires that they are finite or 0.
 *
 * A gated network squares the ratio between the sequences of a batch in each block. One scale per array cannot
 * represent both: the smaller sequence becomes exactly 0, and its tokens lose their direction (token_cos is NaN from
 * there on).
 */
#include <float.h>

#include "check.h"
#include "engine/experiment/ns-experiment.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFF "attn.residual=off,ffn.residual=off"

typedef struct
{
  const char *variant;
  gint64 depth;
  gboolean unit_gradient;
  double tolerance; /* of log10, absolute and relative */
  gboolean pair;    /* an encoder-decoder */
} Case;

static const Case cases[] = {
  { "none:" OFF, 1000, FALSE, 1e-3, FALSE },
  { "none:attention=causal," OFF, 1000, FALSE, 1e-3, FALSE },
  { "none:attention=uniform," OFF, 1000, FALSE, 1e-3, FALSE },
  { "none:attention=uniform,attention_output=off," OFF, 1000, TRUE, 1e-3, FALSE },
  { "none:activation=gelu," OFF, 1000, FALSE, 1e-3, FALSE },
  { "none:activation=silu,init.scheme=normal,init.std=1e-9," OFF, 300, TRUE, 1e-3, FALSE },
  { "none:activation=swiglu," OFF, 12, TRUE, 1e-3, FALSE },
  { "none:activation=swiglu," OFF, 500, FALSE, 1e-3, FALSE },
  { "none:activation=geglu,branch_scale=1e-3,bias=on," OFF, 300, TRUE, 1e-3, FALSE },
  { "pre:branch_scale=1e-10," OFF, 1000, FALSE, 1e-3, FALSE },
  { "pre:branch_scale=1e-10,norm=rmsnorm,activation=gelu,bias=on," OFF, 300, TRUE, 1e-3, FALSE },
  { "sandwich:branch_scale=1e-10,activation=gelu," OFF, 300, FALSE, 1e-3, FALSE },
  { "post:branch_scale=1e-10,norm_eps=1e-3,activation=gelu," OFF, 300, FALSE, 1e-3, FALSE },
  { "branch:init.scheme=normal,init.std=1e-8,activation=gelu," OFF, 200, TRUE, 1e-3, FALSE },
  { "parallel:branch_scale=1e-6,activation=gelu," OFF, 300, TRUE, 1e-3, FALSE },
  /* the product of the factors of one sub-layer underflows a float */
  { "none:init.scheme=normal,init.std=1e-30,activation=gelu," OFF, 20, TRUE, 1e-3, FALSE },
  { "none:init.scheme=normal,init.std=1e-10,branch_scale=1e-20,activation=gelu," OFF, 20, TRUE, 1e-3, FALSE },
  { "parallel:init.scheme=normal,init.std=1e-25,branch_scale=1e-20,activation=silu,bias=on," OFF, 20, TRUE, 1e-3,
    FALSE },
  /* a post norm after tiny weights amplifies the gradient by 1/(std²·d) in each sub-layer */
  { "post:init.scheme=normal,init.std=1e-4,norm_eps=0,activation=silu," OFF, 200, FALSE, 2e-3, FALSE },
  { "pre-post:init.scheme=normal,init.std=1e-6,norm_eps=0,activation=gelu,norm=rmsnorm," OFF, 200, TRUE, 2e-3, FALSE },
  { "deepnorm:activation=gelu", 500, FALSE, 2e-3, FALSE },
  /* DyT at tiny inputs is a linear map */
  { "pre:norm=dyt,branch_scale=1e-10,bias=on," OFF, 300, TRUE, 1e-3, FALSE },
  { "branch:norm=dyt,init.scheme=normal,init.std=1e-8,activation=gelu," OFF, 200, TRUE, 1e-3, FALSE },
  { "pre:norm=dyt,input_scale=1e-35,activation=gelu", 20, TRUE, 1e-3, FALSE },
  { "none:attn.inner_norm=on,ffn.inner_norm=on,norm=dyt,attention=causal,activation=gelu,init.scheme=normal,"
    "init.std=1e-6," OFF, 200, TRUE, 1e-3, FALSE },
  /* a vanishing stream with a second stream or a second shortcut */
  { "post:dual_residual=on,branch_scale=1e-10,norm_eps=1e-3,activation=gelu," OFF, 200, TRUE, 1e-3, FALSE },
  { "none:dual_residual=on,init.scheme=normal,init.std=1e-7,activation=gelu," OFF, 200, FALSE, 1e-3, FALSE },
  { "sandwich:dual_residual=on,block_residual=on,activation=gelu", 60, TRUE, 2e-3, FALSE }, /* 2^60: x + (x + …) */
  { "none:block_residual=on,branch_scale=1e-20,activation=gelu,ffn.residual=off", 60, TRUE, 1e-3, FALSE },
  { "none:branch_parameter=vector,branch_scale=1e-12,activation=gelu," OFF, 200, TRUE, 1e-3, FALSE },
  /* encoder-decoders. Uniform attention ignores the query: without residuals only the cross-attention and the FFN of
   * the last block matter in the decoder, and the encoder vanishes alone */
  { "none:attention=uniform," OFF, 200, TRUE, 1e-3, TRUE },
  { "none:attention=uniform,activation=gelu,cross.residual=on," OFF, 200, FALSE, 1e-3, TRUE },
  { "none:attention=uniform,activation=silu,final_norm=on,bias=on," OFF, 200, FALSE, 1e-3, TRUE },
  { "pre:attention=uniform,branch_scale=1e-10,activation=gelu,cross.residual=on," OFF, 200, TRUE, 1e-3, TRUE },
  { "none:attention=uniform,activation=gelu,branch_scale=1e-3,dual_residual=on," OFF, 200, TRUE, 1e-3, TRUE },
  { "deepnorm:activation=gelu", 200, FALSE, 2e-3, TRUE },
  { "pre:norm=dyt,activation=gelu,dual_residual=on", 20, TRUE, 1e-2, TRUE }, /* the sum of an alpha cancels */
  { "post:activation=gelu,dual_residual=on,block_residual=on,qk_norm=full", 100, FALSE, 2e-3, TRUE },
};

static NsExperiment *
make_experiment (const Case *c)
{
  NsShape shape = { .depth = c->depth, .d_model = 16, .heads = 2, .d_ff = 32, .seq_len = 6, .batch = 2, .vocab = 20 };
  NsExperiment *experiment = check_experiment (shape, c->variant);

  experiment->loss = c->unit_gradient ? NS_LOSS_UNIT_GRADIENT : NS_LOSS_CROSS_ENTROPY;
  experiment->shape.stack = c->pair ? NS_STACK_ENCODER_DECODER : NS_STACK_SINGLE;
  return experiment;
}

/* Return TRUE for quantities of the forward pass, which are finite up to the block that overflows. */
static inline gboolean
is_forward (NsQuantity q)
{
  NsQuantityKind kind = ns_quantity_info (q)->kind;

  return kind == NS_KIND_ACTIVATION || kind == NS_KIND_COSINE || kind == NS_KIND_NUMBER;
}

/* Return TRUE for ratios, which do not change with the scale of all activations or gradients. */
static inline gboolean
is_ratio (NsQuantity q)
{
  return q == NS_Q_IDENTITY || q == NS_Q_TOKEN_RESIDUAL || q == NS_Q_PARTICIPATION;
}

/* Scores are plain numbers of the precision, which underflow. */
static inline gboolean
is_score_size (NsQuantity q)
{
  return q == NS_Q_RMS_SCORES || q == NS_Q_RMS_SCORES_CROSS;
}

static inline gboolean
is_query_or_key (NsQuantity q)
{
  return q == NS_Q_W_Q || q == NS_Q_W_K || q == NS_Q_B_Q
         || q == NS_Q_B_K || q == NS_Q_CROSS_W_Q || q == NS_Q_CROSS_W_K
         || q == NS_Q_CROSS_B_Q || q == NS_Q_CROSS_B_K
         || q == NS_Q_GAIN_ATTN_Q || q == NS_Q_GAIN_ATTN_K
         || q == NS_Q_GAIN_CROSS_Q || q == NS_Q_GAIN_CROSS_K;
}

#define CASE_PATH "/range/subprocess/%u"

/* ---- the double build ---- */

#ifdef NS_DOUBLE

static void
print_case (gconstpointer c)
{
  g_autoptr (NsExperiment) experiment = make_experiment (c);
  g_autoptr (NsResult) result = check_run (experiment, 1, 0);

  for (gint64 site = 0; site <= ns_experiment_get_head_site (experiment); site++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      {
        double value, log10_value;
        char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE];

        if (ns_result_get_value (result, 0, (NsQuantity) q, site, 0, &value, &log10_value))
          printf ("= %d %u %s %s\n", (int) site, q, g_ascii_dtostr (a, sizeof a, value),
                  g_ascii_dtostr (b, sizeof b, log10_value));
      }
}

void
add_range_tests (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf (CASE_PATH, (guint) i);

      g_test_add_data_func (path, &cases[i], print_case);
    }
}

#else

/* ---- float against double ---- */

static char *
ask_double (gsize i)
{
  const char *program = g_test_get_filename (G_TEST_BUILT, "test-engine-double", NULL);
  g_autofree char *path = g_strdup_printf (CASE_PATH, (guint) i);
  char *argv[] = { (char *) program, (char *) "-p", path, NULL };
  char *output = NULL;
  int status = 1;
  GError *error = NULL;

  g_spawn_sync (NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  return output;
}

/* Compare a line of the double build with the float build. Return the error in units of the tolerance, or Inf. */
static double
line_error (const Case *c, const NsResult *result, const char *line, double offset)
{
  g_auto (GStrv) fields = g_strsplit (line, " ", 4);
  gint64 site = g_ascii_strtoll (fields[0], NULL, 10);
  NsQuantity q = (NsQuantity) g_ascii_strtoll (fields[1], NULL, 10);
  double value = g_ascii_strtod (fields[2], NULL), log10_value = g_ascii_strtod (fields[3], NULL), v, l;

  g_assert_true (ns_result_get_value (result, 0, q, site, 0, &v, &l));
  l += offset;
  if (q == NS_Q_LOSS)
    return isfinite (v) ? fabs (v - value) / 1e-4 : INFINITY;
  if (q == NS_Q_PARTICIPATION) /* differences of nearly equal tokens are rounding errors */
    {
      double residual = check_value (result, 0, NS_Q_TOKEN_RESIDUAL, site, 0);

      return !(residual > 1e-3) ? 0 : isfinite (v) ? fabs (v - value) / (1e-2 * value) : INFINITY;
    }
  if ((q == NS_Q_TOKEN_COS || q == NS_Q_TOKEN_RESIDUAL) && strstr (c->variant, "glu") != NULL && isnan (v))
    return site > 4 ? 0 : INFINITY;
  if (q == NS_Q_TOKEN_COS || q == NS_Q_TOKEN_RESIDUAL)
    return isfinite (v) ? fabs (v - value) / 1e-4 : INFINITY;
  if (ns_quantity_info (q)->group == NS_GROUP_RELATION && isnan (v) && isnan (value)) /* relative to 0 */
    return 0;
  if (ns_quantity_is_signed (q))
    {
      gboolean of_two = q == NS_Q_GRAD_COS_PREV || q == NS_Q_COS_X_PREV; /* this site and the one below */

      if (fabs (check_log10 (result, 0, NS_Q_GRAD_X, of_two ? site - 1 : site, 0)) > 1e12
          || (isnan (v) && isnan (value)))
        return 0; /* rounding decides the direction of a gradient that far out; a gradient of 0 has none */
      return isfinite (v) ? fabs (v - value) / (1e-3 * fmax (1, fabs (value))) : INFINITY;
    }
  if (is_query_or_key (q))
    {
      double block = check_log10 (result, 0, NS_Q_W_V, site, 0);

      if (l != l || l == INFINITY)
        return INFINITY;
      if (log10_value < block - 3 || fabs (block) > 1e12)
        return 0; /* rounding, an exact 0, or a log10 too large for any digits */
      return fabs (l - log10_value) / (0.02 * fmax (1, fabs (log10_value)));
    }
  if (is_score_size (q) && l < log10 (FLT_MIN) && log10_value < log10 (FLT_MIN))
    return 0;
  if (l == -INFINITY && log10_value == -INFINITY) /* the loss does not depend on it */
    return 0;
  if (!isfinite (l) || !isfinite (log10_value))
    return INFINITY;
  return fabs (l - log10_value) / (c->tolerance * fmax (1, fabs (log10_value)));
}

static double
case_error (const Case *c, const NsResult *result, const char *printed, double offset, guint *n_numbers)
{
  double worst = 0;

  *n_numbers = 0;
  /* Not g_strsplit(): under AddressSanitizer, strstr() measures the rest of the text again for every line. */
  for (const char *start = printed, *end; (end = strchr (start, '\n')) != NULL; start = end + 1)
    {
      g_autofree char *line = g_strndup (start, (gsize) (end - start));
      double error;

      if (!g_str_has_prefix (line, "= ")) /* of the test program itself */
        continue;
      error = line_error (c, result, line + 2, offset);
      if (!(error <= 1) && offset == 0 && worst <= 1)
        g_test_message ("site, quantity, value, log10: %s: %.3g tolerances", line, error);
      worst = fmax (worst, error);
      *n_numbers += 1;
    }
  return worst;
}

static void
test_against_double (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *printed = ask_double ((gsize) (c - cases));
  g_autoptr (NsExperiment) experiment = make_experiment (c);
  g_autoptr (NsResult) result = check_run (experiment, 1, 0);
  double error, largest = 0;
  guint n;

  g_assert_cmpint (ns_result_get_overflow (result, 0, 0), ==, 0);
  error = case_error (c, result, printed, 0, &n);
  for (gint64 site = 0; site < ns_experiment_get_head_site (experiment); site++)
    if (isfinite (check_log10 (result, 0, NS_Q_GRAD_X, site, 0)))
      largest = fmax (largest, fabs (check_log10 (result, 0, NS_Q_GRAD_X, site, 0)));
  g_test_message ("%s: %.2g of the tolerance, up to 10^±%.4g", c->variant, error, largest);
  g_assert_cmpuint (n, >, 10 * (guint) c->depth);
  g_assert_cmpfloat (error, <=, 1);
  /* the comparison detects a factor of 2.5, unless log10 is too large to resolve it */
  if (largest < 300)
    g_assert_cmpfloat (case_error (c, result, printed, 0.4, &n), >, 1);
}

/* ---- homogeneity ---- */

typedef struct
{
  const char *pattern, *values[3]; /* a variant with a setting at three values, each three decades apart */
  /* exponents of the setting in rms_x at the last block, in ∂L/∂W_1 and ∂L/∂W_Q of the first block, and in ∂L/∂W_Q of
   * the second block; 0 if all tokens are equal there */
  double rms, w_1, w_q, w_q_2;
} Law;

#define LAW_DEPTH 30

static const Law laws[] = {
  /* small weights: std⁴ in a block, std³ in its gradient; ∂L/∂W_Q has further factors from W_K and from W_Q in the
   * scores */
  { "none:init.scheme=normal,init.std=%s," OFF, { "1e-4", "1e-7", "1e-10" },
    4 * LAW_DEPTH, 4 * LAW_DEPTH - 1, 4 * LAW_DEPTH + 1, 0 },
  /* small branches with norms dominated by eps, hence linear: b² in a block. In the first block scores and values have
   * ordinary size; in the second block the scores are of order b⁴ */
  { "pre:branch_scale=%s,norm=rmsnorm," OFF, { "1e-9", "1e-12", "1e-15" },
    2 * LAW_DEPTH, 2 * LAW_DEPTH, 2 * LAW_DEPTH, 2 * LAW_DEPTH + 4 },
  { "pre:branch_scale=%s," OFF, { "1e-9", "1e-12", "1e-15" },
    2 * LAW_DEPTH, 2 * LAW_DEPTH, 2 * LAW_DEPTH, 2 * LAW_DEPTH + 4 },
};

/* Return the decades that a quantity falls by for each decade of the setting. */
static double
decades (NsResult **results, NsQuantity quantity, gint64 site)
{
  return (check_log10 (results[0], 0, quantity, site, 0) - check_log10 (results[1], 0, quantity, site, 0)) / 3;
}

/* Return the largest second difference of log10 over the three runs. */
static double
curvature (NsResult **results)
{
  double worst = 0;

  for (gint64 site = 0; site <= LAW_DEPTH; site++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      {
        double a, b, c;

        if (!ns_quantity_has_log10 ((NsQuantity) q)
            || !ns_result_get_value (results[0], 0, (NsQuantity) q, site, 0, NULL, &a)
            || ((is_query_or_key ((NsQuantity) q) || is_score_size ((NsQuantity) q)) && site > 1)
            || ns_quantity_info ((NsQuantity) q)->of_tokens)
          continue; /* queries and keys depend on the tokens' differences, which vanish into rounding */
        b = check_log10 (results[1], 0, (NsQuantity) q, site, 0);
        c = check_log10 (results[2], 0, (NsQuantity) q, site, 0);
        if (q == NS_Q_IDENTITY && a == -INFINITY && b == -INFINITY && c == -INFINITY) /* no residual, no path */
          continue;
        g_assert_true (isfinite (a) && isfinite (b) && isfinite (c));
        worst = fmax (worst, fabs (a - 2 * b + c));
      }
  return worst;
}

/* A ReLU network without nonlinear norms is homogeneous in its weights and scales: each measured norm is a power of
 * them, a line of known slope in log-log. This holds for queries and keys of the first block, too. The slopes follow
 * from the equations alone, so that an error common to float and double shows. */
static void
test_homogeneous (gconstpointer data)
{
  const Law *law = data;
  NsResult *results[3];

  for (int i = 0; i < 3; i++)
    {
      g_auto (GStrv) halves = g_strsplit (law->pattern, "%s", 2);
      g_autofree char *variant = g_strconcat (halves[0], law->values[i], halves[1], NULL);
      Case c = { .variant = variant, .depth = LAW_DEPTH, .unit_gradient = TRUE };
      g_autoptr (NsExperiment) experiment = make_experiment (&c);

      results[i] = check_run (experiment, 1, 0);
    }
  g_test_message ("%.2g; %.6g, %.6g, %.6g", curvature (results), decades (results, NS_Q_RMS_X, LAW_DEPTH),
                  decades (results, NS_Q_W_1, 1), decades (results, NS_Q_W_Q, 1));
  g_assert_cmpfloat (curvature (results), <=, 1e-4);
  g_assert_cmpfloat_with_epsilon (decades (results, NS_Q_RMS_X, LAW_DEPTH), law->rms, 1e-3);
  g_assert_cmpfloat_with_epsilon (decades (results, NS_Q_W_1, 1), law->w_1, 1e-3);
  g_assert_cmpfloat_with_epsilon (decades (results, NS_Q_W_Q, 1), law->w_q, 1e-3);
  if (law->w_q_2 > 0)
    {
      g_assert_cmpfloat_with_epsilon (decades (results, NS_Q_W_Q, 2), law->w_q_2, 1e-3);
      g_assert_cmpfloat_with_epsilon (decades (results, NS_Q_W_K, 2), law->w_q_2, 1e-3);
    }
  for (int i = 0; i < 3; i++)
    ns_result_unref (results[i]);
}

/* A gate squares its scale in each block: after a thousand blocks even log10 exceeds a double. Such values may be
 * exactly 0 or stay at a bound, but only cosines and ratios may be NaN, and nothing may overflow. */
static void
test_beyond_exponents (void)
{
  Case c = { .variant = "none:activation=swiglu," OFF, .depth = 1200 };

  for (int loss = 0; loss < 2; loss++)
    {
      c.unit_gradient = loss == 1;
      g_autoptr (NsExperiment) experiment = make_experiment (&c);
      g_autoptr (NsResult) result = check_run (experiment, 1, 0);

      g_assert_cmpint (ns_result_get_overflow (result, 0, 0), ==, 0);
      for (gint64 site = 0; site <= 1201; site++)
        for (guint q = 0; q < NS_N_QUANTITIES; q++)
          {
            double value, log10_value;

            if (!ns_quantity_has_log10 ((NsQuantity) q)
                || !ns_result_get_value (result, 0, (NsQuantity) q, site, 0, &value, &log10_value))
              continue;
            g_assert_false ((isnan (value) || isnan (log10_value)) && !is_ratio ((NsQuantity) q));
            g_assert_false (log10_value >= 10);
          }
      g_assert_cmpfloat (check_log10 (result, 0, NS_Q_RMS_X, 1200, 0), <, -1e250);
    }
}

/* ---- overflow ---- */

static const struct
{
  const char *variant;
  double power; /* power of the stream that overflows first: scores are products of two such values */
} overflowing[] = {
  { "none:attention=uniform,residual_scale=2", 1 },
  { "none:attention=uniform,init.scheme=kaiming-normal,branch_scale=3", 1 },
  { "parallel:attention=uniform,attn.norm=none,ffn.norm=none,residual_scale=4", 1 },
  { "none:residual_scale=2", 2 },
  { "none:init.scheme=kaiming-normal,branch_scale=3,attention=causal", 2 },
  { "none:activation=swiglu,residual_scale=2", 2 },
};

static void
test_overflow (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  Case c = { .variant = overflowing[i].variant, .depth = 300 };
  g_autoptr (NsExperiment) experiment = make_experiment (&c);
  g_autoptr (NsResult) result = check_run (experiment, 2, 0);
  gint64 at = ns_result_get_overflow (result, 0, 0);
  double growth, last;
  guint seed, n_nan = 0;

  g_test_message ("%s: block %d", c.variant, (int) at);
  g_assert_cmpint (at, >, 3);
  g_assert_cmpint (at, <, 300);
  g_assert_cmpint (ns_result_get_first_overflow (result, 0, &seed), ==, at);
  /* the stream is finite up to the block before, and overflows a float within two more steps of its growth */
  for (gint64 site = 0; site < at; site++)
    {
      g_assert_true (isfinite (check_log10 (result, 0, NS_Q_RMS_X, site, 0)));
      g_assert_true (isfinite (check_value (result, 0, NS_Q_TOKEN_COS, site, 0)));
    }
  last = check_log10 (result, 0, NS_Q_RMS_X, at - 1, 0);
  growth = last - check_log10 (result, 0, NS_Q_RMS_X, at - 2, 0);
  g_assert_cmpfloat (last, <, 38.6);
  g_assert_cmpfloat (overflowing[i].power * (last + 2 * growth), >, 37.5);
  /* from there on the stream and every gradient are NaN, and none is 0 */
  for (gint64 site = 0; site <= 301; site++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      {
        double value, log10_value;

        if (!ns_result_get_value (result, 0, (NsQuantity) q, site, 0, &value, &log10_value))
          continue;
        if (is_forward ((NsQuantity) q) && site <= at)
          continue;
        g_assert_true (isnan (value));
        g_assert_true (isnan (log10_value));
        n_nan++;
      }
  g_assert_cmpuint (n_nan, >, 2000);
}

/* With a head of huge weights only the loss overflows, at the site of the head. */
static void
test_overflow_in_head (void)
{
  const NsShape shape = { .depth = 3, .d_model = 16, .heads = 2, .d_ff = 32, .seq_len = 6, .batch = 2, .vocab = 20 };
  g_autoptr (NsExperiment) experiment = check_experiment (shape, "none:residual_scale=1e6,branch_scale=0");
  g_autoptr (NsResult) result = NULL;

  /* 10^6 in each of six sub-layers, the rest in the embeddings */
  experiment->data.source = NS_SOURCE_TOKENS;
  experiment->data.embed_std = 3e1;
  ns_experiment_variant (experiment, 0)->init.scheme = NS_INIT_NORMAL;
  ns_experiment_variant (experiment, 0)->init.std = 1e6;
  result = check_run (experiment, 1, 0);
  g_assert_cmpint (ns_result_get_overflow (result, 0, 0), ==, 4);
  g_assert_true (isfinite (check_log10 (result, 0, NS_Q_RMS_X, 3, 0)));
  g_assert_true (isnan (check_value (result, 0, NS_Q_LOSS, 4, 0)));
  g_assert_true (isnan (check_value (result, 0, NS_Q_GRAD_X, 0, 0)));
}

/* Each sub-layer doubles the stream: two in an encoder block, three in a decoder block. */
static void
test_overflow_in_part (void)
{
  const struct
  {
    gint64 depth;
    NsPart part;
  } expected[] = {
    { 50, NS_PART_DECODER }, /* encoder 2^100, normalized; decoder 2^150 */
    { 80, NS_PART_ENCODER }, /* 2^160 */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      Case c = { .variant = "none:attention=uniform,residual_scale=2,final_norm=on", .depth = expected[i].depth,
                 .pair = TRUE };
      g_autoptr (NsExperiment) experiment = make_experiment (&c);
      g_autoptr (NsResult) result = check_run (experiment, 2, 0);
      gint64 at = ns_result_get_overflow (result, 0, 0), head = ns_experiment_get_head_site (experiment);
      guint n_nan = 0;

      g_test_message ("site %d of %d", (int) at, (int) head);
      g_assert_cmpint (ns_site_get_part (experiment, at), ==, expected[i].part);
      g_assert_cmpint (ns_site_get_layer (experiment, at), >, expected[i].part == NS_PART_DECODER ? 35 : 50);
      for (gint64 site = 0; site < at; site++)
        g_assert_true (isfinite (check_log10 (result, 0, NS_Q_RMS_X, site, 0)));
      for (gint64 site = 0; site <= head; site++)
        for (guint q = 0; q < NS_N_QUANTITIES; q++)
          {
            double value, log10_value;

            if ((is_forward ((NsQuantity) q) && site <= at)
                || !ns_result_get_value (result, 0, (NsQuantity) q, site, 0, &value, &log10_value))
              continue;
            g_assert_true (isnan (value) && isnan (log10_value));
            n_nan++;
          }
      g_assert_cmpuint (n_nan, >, 1000);
    }
}

/* For huge inputs DyT saturates: it passes no gradient back, and none of its values is NaN. */
static void
test_huge_dyt (void)
{
  const NsShape shape = { .depth = 4, .d_model = 16, .heads = 2, .d_ff = 32, .seq_len = 6, .batch = 2, .vocab = 20 };
  g_autoptr (NsExperiment) experiment = check_experiment (shape, "pre:norm=dyt,dyt_alpha=1000,input_scale=1e6,bias=on");
  g_autoptr (NsResult) result = NULL;

  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  result = check_run (experiment, 1, 0);
  g_assert_cmpint (ns_result_get_overflow (result, 0, 0), ==, 0);
  for (gint64 site = 0; site <= 4; site++)
    {
      g_assert_cmpfloat_with_epsilon (check_value (result, 0, NS_Q_GRAD_X, site, 0), 1, 1e-6);
      g_assert_cmpfloat_with_epsilon (check_log10 (result, 0, NS_Q_RMS_X, site, 0), 6, 0.1);
      if (site == 0)
        continue;
      g_assert_cmpfloat (check_value (result, 0, NS_Q_ALPHA_ATTN_PRE, site, 0), ==, 0);
      g_assert_cmpfloat (check_value (result, 0, NS_Q_ALPHA_FFN_PRE, site, 0), ==, 0);
      g_assert_cmpfloat (check_value (result, 0, NS_Q_GAIN_FFN_PRE, site, 0), >, 1e-3);
      g_assert_cmpfloat (check_value (result, 0, NS_Q_W_1, site, 0), >, 1e-3);
      g_assert_cmpfloat (check_value (result, 0, NS_Q_RMS_FFN, site, 0), >, 0.1);
    }
}

/* An overflow in one seed or variant does not affect the others. */
static void
test_overflow_alone (void)
{
  const NsShape shape = { .depth = 300, .d_model = 16, .heads = 2, .d_ff = 32, .seq_len = 6, .batch = 2, .vocab = 20 };
  g_autoptr (NsExperiment) both = check_experiment (shape, "none:residual_scale=2 pre");
  g_autoptr (NsExperiment) one = check_experiment (shape, "pre");
  g_autoptr (NsResult) a = check_run (both, 2, 0), b = check_run (one, 1, 0);

  g_assert_cmpint (ns_result_get_overflow (a, 0, 0), >, 0);
  g_assert_cmpint (ns_result_get_overflow (a, 1, 0), ==, 0);
  g_assert_cmpuint (check_count_different (a, 1, 0, b, 0, 0), ==, 0);
}

/* Embeddings near the smallest float and branches of ordinary size: a sum adds two different scales. With eps = 0 the
 * norm depends only on directions, and after the first sum the size of the input no longer matters. */
static void
test_tiny_input (void)
{
  const NsShape shape = { .depth = 4, .d_model = 16, .heads = 2, .d_ff = 32, .seq_len = 6, .batch = 2, .vocab = 20 };
  g_autoptr (NsExperiment) small = check_experiment (shape, "pre:norm_eps=0,branch_scale=1000,activation=gelu");
  g_autoptr (NsExperiment) smaller = ns_experiment_copy (small);
  g_autoptr (NsResult) a = NULL, b = NULL;

  small->data.source = smaller->data.source = NS_SOURCE_TOKENS;
  small->data.embed_std = 1e-15;
  smaller->data.embed_std = 1e-37;
  a = check_run (small, 1, 0);
  b = check_run (smaller, 1, 0);
  g_assert_cmpint (ns_result_get_overflow (b, 0, 0), ==, 0);
  for (gint64 site = 0; site <= 4; site++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      {
        double x, y, expected = 0;

        if (!ns_quantity_has_log10 ((NsQuantity) q)
            || !ns_result_get_value (a, 0, (NsQuantity) q, site, 0, NULL, &x))
          continue;
        y = check_log10 (b, 0, (NsQuantity) q, site, 0);
        if (site == 0 && !is_ratio ((NsQuantity) q))
          expected = is_forward ((NsQuantity) q) ? -22 : 22;
        if (site == 1 && (q == NS_Q_SKIP_RATIO_ATTN || q == NS_Q_GRAD_SKIP_RATIO_ATTN)) /* the first sum */
          expected = 22;
        g_assert_cmpfloat_with_epsilon (y - x, expected, 1e-3);
      }
}

/* With weights of exactly 0 the branches add nothing, and their gradients are 0, not NaN. */
static void
test_zero_weights (void)
{
  Case c = { .variant = "pre:init.scheme=normal,init.std=0", .depth = 5, .unit_gradient = TRUE };
  g_autoptr (NsExperiment) experiment = make_experiment (&c);
  g_autoptr (NsResult) result = check_run (experiment, 1, 0);

  for (gint64 site = 1; site <= 5; site++)
    for (int q = NS_Q_W_Q; q <= NS_Q_W_2; q++)
      {
        g_assert_cmpfloat (check_value (result, 0, (NsQuantity) q, site, 0), ==, 0);
        g_assert_true (check_log10 (result, 0, (NsQuantity) q, site, 0) == -INFINITY);
        g_assert_cmpfloat_with_epsilon (check_value (result, 0, NS_Q_GRAD_X, site, 0), 1, 1e-6);
      }
}

void
add_range_tests (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/range/against-double/%02u", (guint) i);

      g_test_add_data_func (path, &cases[i], test_against_double);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (laws); i++)
    {
      g_autofree char *path = g_strdup_printf ("/range/homogeneous/%u", (guint) i);

      g_test_add_data_func (path, &laws[i], test_homogeneous);
    }
  g_test_add_func ("/range/beyond-exponents", test_beyond_exponents);
  for (gsize i = 0; i < G_N_ELEMENTS (overflowing); i++)
    {
      g_autofree char *path = g_strdup_printf ("/range/overflow/%u", (guint) i);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_overflow);
    }
  g_test_add_func ("/range/overflow-in-head", test_overflow_in_head);
  g_test_add_func ("/range/overflow-in-part", test_overflow_in_part);
  g_test_add_func ("/range/overflow-alone", test_overflow_alone);
  g_test_add_func ("/range/huge-dyt", test_huge_dyt);
  g_test_add_func ("/range/tiny-input", test_tiny_input);
  g_test_add_func ("/range/zero-weights", test_zero_weights);
}

#endif
