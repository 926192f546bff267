/* Test what Fixup leaves at initialization: a stream that is its input, and gradients that are exactly 0 but those of
 * the last matrices.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity.h"
#include "tests.h"

#include <math.h>

static const NsShape shape = {
  .depth = 3, .d_model = 16, .heads = 2, .d_ff = 24, .seq_len = 5, .batch = 2, .vocab = 11,
};

static void
assert_zeros (const NsResult *result, gint64 depth, gboolean head_is_zero)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);

  for (gint64 l = 1; l <= depth; l++)
    {
      for (NsTensor t = 0; t < NS_N_TENSORS; t++)
        {
          gboolean is_last = t == NS_T_W_O || t == NS_T_W_2;
          double log10_norm;

          if (!ns_tensor_exists (t, experiment, 0, l))
            continue;
          log10_norm = check_log10 (result, 0, ns_tensor_get_quantity (t), l, 0);
          g_test_message ("%s at %d: %g", ns_tensor_get_name (t), (int) l, log10_norm);
          if (is_last && !head_is_zero)
            g_assert_true (isfinite (log10_norm));
          else
            g_assert_cmpfloat (log10_norm, ==, -INFINITY);
        }
      /* no branch adds anything */
      g_assert_cmpfloat (check_log10 (result, 0, NS_Q_RMS_X, l, 0), ==, check_log10 (result, 0, NS_Q_RMS_X, 0, 0));
      g_assert_cmpfloat (check_log10 (result, 0, NS_Q_RMS_ATTN, l, 0), ==, -INFINITY);
      g_assert_cmpfloat (check_log10 (result, 0, NS_Q_RMS_FFN, l, 0), ==, -INFINITY);
      g_assert_cmpfloat (check_log10 (result, 0, NS_Q_GRAD_X, l, 0), ==, check_log10 (result, 0, NS_Q_GRAD_X, 0, 0));
    }
  g_assert_true (isfinite (check_log10 (result, 0, NS_Q_W_HEAD, ns_experiment_get_head_site (experiment), 0)));
}

static void
test_zeros (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (shape, "fixup");
  g_autoptr (NsExperiment) zero_head = check_experiment (shape, "fixup:init.head=0");
  g_autoptr (NsResult) result = check_run (experiment, 1, 0), zero = check_run (zero_head, 1, 0);

  assert_zeros (result, shape.depth, FALSE);
  assert_zeros (zero, shape.depth, TRUE);
  /* the loss of a head of zeros is that of a guess */
  g_assert_cmpfloat_with_epsilon (
      check_value (zero, 0, NS_Q_LOSS, ns_experiment_get_head_site (zero_head), 0), log (11), 1e-6);
}

void
add_fixup_tests (void)
{
  g_test_add_func ("/fixup/zeros", test_zeros);
}
