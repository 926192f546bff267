/* Move norms and cut residuals of a variant.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-rewire.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "tests.h"

#include <math.h>

#define DEPTH 8

static const NsShape single = { .stack = NS_STACK_SINGLE, .depth = DEPTH };
static const NsShape both = { .stack = NS_STACK_ENCODER_DECODER, .depth = DEPTH };

static NsVariant *
make (const char *settings)
{
  g_autoptr (GError) error = NULL;
  NsVariant *variant = ns_variant_from_text (settings, &error);

  g_assert_no_error (error);
  return variant;
}

static void
assert_norms (const char *settings, NsNormPlace from, NsNormPlace to, int attn, int ffn)
{
  NsVariant *variant = make (settings);

  g_assert_true (ns_variant_move_norm (variant, &single, NS_PART_STACK, 1, from, to));
  g_assert_cmpint (variant->attn.norm, ==, attn);
  g_assert_cmpint (variant->ffn.norm, ==, ffn);
  g_assert_true (isnan (variant->post_fraction) && !variant->first_block_pre);
  ns_variant_free (variant);
}

static void
assert_refused (const char *settings, NsNormPlace from, NsNormPlace to)
{
  NsVariant *variant = make (settings), *before = ns_variant_copy (variant);

  g_assert_false (ns_variant_move_norm (variant, &single, NS_PART_STACK, 1, from, to));
  g_assert_cmpint (variant->attn.norm, ==, before->attn.norm);
  g_assert_cmpint (variant->ffn.norm, ==, before->ffn.norm);
  g_assert_cmpint (variant->final_norm, ==, before->final_norm);
  ns_variant_free (variant);
  ns_variant_free (before);
}

static void
test_move (void)
{
  assert_norms ("pre", NS_NORM_ATTN_PRE, NS_NORM_ATTN_POST, NS_PLACE_POST, NS_PLACE_PRE);
  assert_norms ("pre", NS_NORM_FFN_PRE, NS_NORM_FFN_BRANCH, NS_PLACE_PRE, NS_PLACE_BRANCH);
  assert_norms ("pre", NS_NORM_FFN_PRE, NS_NORM_NOWHERE, NS_PLACE_PRE, NS_PLACE_NONE);
  assert_norms ("pre", NS_NORM_NOWHERE, NS_NORM_ATTN_BRANCH, NS_PLACE_SANDWICH, NS_PLACE_PRE);
  assert_norms ("pre", NS_NORM_NOWHERE, NS_NORM_ATTN_POST, NS_PLACE_PRE_POST, NS_PLACE_PRE);
  /* from one sub-layer to the other */
  assert_norms ("pre", NS_NORM_ATTN_PRE, NS_NORM_FFN_POST, NS_PLACE_NONE, NS_PLACE_PRE_POST);
  /* a mixed stack becomes what the block shows: block 1 is Post-LN */
  assert_norms ("mix", NS_NORM_ATTN_POST, NS_NORM_ATTN_PRE, NS_PLACE_PRE, NS_PLACE_POST);
  assert_norms ("hybrid-star", NS_NORM_ATTN_PRE, NS_NORM_ATTN_POST, NS_PLACE_POST, NS_PLACE_PRE);
  /* parallel sub-layers share the norms before and after them, and have one on the branch each */
  assert_norms ("parallel", NS_NORM_ATTN_PRE, NS_NORM_ATTN_POST, NS_PLACE_POST, NS_PLACE_POST);
  assert_norms ("parallel", NS_NORM_NOWHERE, NS_NORM_FFN_BRANCH, NS_PLACE_PRE, NS_PLACE_SANDWICH);
  assert_refused ("post", NS_NORM_NOWHERE, NS_NORM_ATTN_BRANCH);
  assert_refused ("post", NS_NORM_ATTN_PRE, NS_NORM_ATTN_BRANCH);
  assert_refused ("post", NS_NORM_ATTN_POST, NS_NORM_FFN_POST);
  assert_refused ("post", NS_NORM_FINAL, NS_NORM_ATTN_PRE);
}

static void
test_ends (void)
{
  NsVariant *variant = make ("pre");

  g_assert_true (ns_variant_move_norm (variant, &single, NS_PART_STACK, 1, NS_NORM_FINAL, NS_NORM_NOWHERE));
  g_assert_cmpint (variant->final_norm, ==, NS_FINAL_NORM_OFF);
  g_assert_true (ns_variant_move_norm (variant, &single, NS_PART_STACK, 1, NS_NORM_NOWHERE, NS_NORM_FINAL));
  g_assert_cmpint (variant->final_norm, ==, NS_FINAL_NORM_AUTO);
  g_assert_true (ns_variant_move_norm (variant, &single, NS_PART_STACK, 1, NS_NORM_FINAL, NS_NORM_INPUT));
  g_assert_true (variant->input_norm);
  g_assert_cmpint (variant->final_norm, ==, NS_FINAL_NORM_OFF);
  g_assert_true (ns_variant_move_norm (variant, &single, NS_PART_STACK, 1, NS_NORM_NOWHERE, NS_NORM_FFN_INNER));
  g_assert_true (variant->ffn.inner_norm && !variant->attn.inner_norm);
  ns_variant_free (variant);
  /* what is no placement keeps the mixture */
  variant = make ("mix");
  g_assert_true (ns_variant_move_norm (variant, &single, NS_PART_STACK, 1, NS_NORM_NOWHERE, NS_NORM_INPUT));
  g_assert_false (isnan (variant->post_fraction));
  ns_variant_free (variant);
}

/* A gesture on one sub-layer leaves the others as they are, although cross-attention follows attention by itself. */
static void
test_cross (void)
{
  NsVariant *variant = make ("pre");

  g_assert_cmpint (variant->cross.norm, ==, NS_NULL_CHOICE);
  g_assert_true (ns_variant_move_norm (variant, &both, NS_PART_STACK, 1, NS_NORM_ATTN_PRE, NS_NORM_ATTN_POST));
  g_assert_cmpint (variant->attn.norm, ==, NS_PLACE_POST);
  g_assert_cmpint (variant->cross.norm, ==, NS_PLACE_PRE);
  g_assert_true (ns_variant_move_norm (variant, &both, NS_PART_STACK, 1, NS_NORM_CROSS_PRE, NS_NORM_CROSS_POST));
  g_assert_cmpint (variant->cross.norm, ==, NS_PLACE_POST);
  ns_variant_set_residual (variant, &both, NS_SUB_ATTN, FALSE);
  g_assert_false (variant->attn.residual);
  g_assert_true (variant->cross.residual == TRUE);
  ns_variant_set_residual (variant, &both, NS_SUB_CROSS, FALSE);
  g_assert_true (variant->cross.residual == FALSE && variant->ffn.residual);
  ns_variant_free (variant);
  /* a single stack has none: its settings stay */
  variant = make ("pre");
  ns_variant_set_residual (variant, &single, NS_SUB_ATTN, FALSE);
  g_assert_cmpint (variant->cross.residual, ==, NS_NULL_CHOICE);
  ns_variant_free (variant);
  variant = make ("parallel");
  ns_variant_set_residual (variant, &single, NS_SUB_ATTN, FALSE);
  g_assert_false (variant->ffn.residual);
  ns_variant_free (variant);
}

/* Every move within a valid built-in variant gives a valid one, and the move back restores it. */
static void
test_all (void)
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);
  guint n_moves = 0;

  for (gsize i = 0; i < n; i++)
    for (int stack = NS_STACK_SINGLE; stack <= NS_STACK_ENCODER_DECODER; stack++)
      for (int from = 0; from < NS_NORM_NOWHERE; from++)
        for (int to = 0; to <= NS_NORM_NOWHERE; to++)
          {
            g_autoptr (NsExperiment) experiment = ns_experiment_new ();
            g_autoptr (GError) error = NULL;
            NsVariant *variant = make (builtins[i].id);

            experiment->shape.stack = stack;
            g_ptr_array_set_size (experiment->variants, 0);
            g_ptr_array_add (experiment->variants, variant);
            if (!ns_experiment_validate (experiment, NULL)
                || !ns_variant_move_norm (variant, &experiment->shape, NS_PART_STACK, 1,
                                          (NsNormPlace) from, (NsNormPlace) to))
              continue;
            n_moves++;
            ns_experiment_validate (experiment, &error);
            g_assert_no_error (error);
            if (!ns_variant_move_norm (variant, &experiment->shape, NS_PART_STACK, 1,
                                       (NsNormPlace) to, (NsNormPlace) from))
              g_error ("%s, stack %d: from %d to %d, but not back", builtins[i].id, stack, from, to);
          }
  g_assert_cmpuint (n_moves, >, 100);
}

void
add_rewire_tests (void)
{
  g_test_add_func ("/rewire/move", test_move);
  g_test_add_func ("/rewire/ends", test_ends);
  g_test_add_func ("/rewire/cross", test_cross);
  g_test_add_func ("/rewire/all", test_all);
}
