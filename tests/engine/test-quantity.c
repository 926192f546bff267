/* Quantities, where they exist, and the shapes of tensors.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "settings.h"

#include "engine/ns-quantity.h"

#include <string.h>

#define Q(tensor) ((NsQuantity) (tensor))

static NsQuantity
named (const char *name)
{
  NsQuantity quantity = NS_Q_LOSS;

  if (!ns_quantity_from_name (name, &quantity))
    g_error ("no quantity %s", name);
  return quantity;
}

static void
test_table (void)
{
  NsQuantity quantity;

  for (guint q = 0; q < NS_N_QUANTITIES; q++)
    {
      const NsQuantityInfo *info = ns_quantity_info ((NsQuantity) q);

      g_assert_cmpint (named (info->name), ==, q);
      g_assert_true (g_utf8_validate (info->symbol, -1, NULL) && *info->symbol != '\0');
      g_assert_true (g_utf8_validate (info->markup, -1, NULL) && *info->markup != '\0');
      g_assert_cmpuint (strlen (info->help), >, 10);
      g_assert_cmpint (info->is_tensor, ==, q < NS_N_TENSORS);
      g_assert_true (!info->is_tensor || info->kind == NS_KIND_GRADIENT);
    }
  g_assert_cmpstr (ns_quantity_info (Q (NS_T_W_2))->symbol, ==, "‖∂L/∂W₂‖");
  g_assert_cmpstr (ns_quantity_info (Q (NS_T_W_Q))->markup, ==, "‖∂L/∂W<sub>Q</sub>‖");
  g_assert_cmpstr (ns_quantity_info (Q (NS_T_GAIN_ATTN_PRE))->name, ==, "gain_attn_pre");
  g_assert_cmpstr (ns_quantity_info (Q (NS_T_BIAS_FFN_POST))->name, ==, "bias_ffn_post");
  g_assert_cmpint (ns_quantity_info (NS_Q_TOKEN_COS)->kind, ==, NS_KIND_COSINE);
  g_assert_cmpint (ns_quantity_info (NS_Q_RMS_X)->kind, ==, NS_KIND_ACTIVATION);
  g_assert_cmpint (ns_quantity_info (NS_Q_LOSS)->kind, ==, NS_KIND_LOSS);
  g_assert_false (ns_quantity_from_name ("w_9", &quantity));
  g_assert_false (ns_quantity_from_name ("", &quantity));
}

/* The names of what exists at a site, in the table's order. */
static char *
list_existing (const NsExperiment *experiment, gint64 site)
{
  GString *list = g_string_new (NULL);

  for (guint q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_exists ((NsQuantity) q, experiment, 0, site))
      g_string_append_printf (list, "%s%s", list->len > 0 ? " " : "", ns_quantity_info ((NsQuantity) q)->name);
  return g_string_free (list, FALSE);
}

#define WEIGHTS "w_q w_k w_v w_o w_1 w_2"
#define REST "attn ffn block grad_x rms_x rms_attn rms_ffn token_cos"

static const struct
{
  const char *variant;
  gint64 site;
  const char *existing;
} existences[] = {
  { "pre", 0, "grad_x rms_x token_cos" },
  { "pre", 1, WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "pre", DEPTH, WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "pre", DEPTH + 1, "w_head gain_final loss" },
  { "pre", DEPTH + 2, "" },
  { "pre", -1, "" },
  { "post", 3, WEIGHTS " gain_attn_post gain_ffn_post " REST },
  { "post", DEPTH + 1, "w_head loss" },
  { "none", 3, WEIGHTS " " REST },
  { "sandwich", 3, WEIGHTS " gain_attn_pre gain_attn_branch gain_ffn_pre gain_ffn_branch " REST },
  { "branch", 3, WEIGHTS " gain_attn_branch gain_ffn_branch " REST },
  { "pre-post", 3, WEIGHTS " gain_attn_pre gain_attn_post gain_ffn_pre gain_ffn_post " REST },
  { "pre:ffn.norm=post", 3, WEIGHTS " gain_attn_pre gain_ffn_post " REST },
  /* Two of eight blocks are Post-LN. */
  { "mix", 2, WEIGHTS " gain_attn_post gain_ffn_post " REST },
  { "mix", 3, WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "parallel", 3, WEIGHTS " gain_attn_pre " REST },
  { "parallel:attn.norm=sandwich,ffn.norm=sandwich", 3,
    WEIGHTS " gain_attn_pre gain_attn_branch gain_ffn_branch " REST },
  { "parallel:attn.norm=post,ffn.norm=post", 3, WEIGHTS " gain_attn_post " REST },
  { "none:attention=uniform", 3, "w_q w_k w_v w_o w_1 w_2 " REST },
  { "none:attention=uniform,attention_output=off,bias=on", 3, "w_q w_k w_v w_1 w_2 b_q b_k b_v b_1 b_2 " REST },
  { "none:activation=swiglu", 3, WEIGHTS " w_3 " REST },
  { "none:activation=geglu,bias=on", 3, WEIGHTS " w_3 b_q b_k b_v b_o b_1 b_2 b_3 " REST },
  { "post:bias=on", 3,
    WEIGHTS " b_q b_k b_v b_o b_1 b_2 gain_attn_post gain_ffn_post bias_attn_post bias_ffn_post " REST },
  { "parallel:bias=on", 3, WEIGHTS " b_q b_k b_v b_o b_1 b_2 gain_attn_pre bias_attn_pre " REST },
  { "pre:bias=on", DEPTH + 1, "w_head b_head gain_final bias_final loss" },
  { "pre:bias=on,norm=rmsnorm", DEPTH + 1, "w_head b_head gain_final loss" },
  { "post:bias=on,norm=rmsnorm", 3, WEIGHTS " b_q b_k b_v b_o b_1 b_2 gain_attn_post gain_ffn_post " REST },
};

static void
test_existence (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (existences); i++)
    {
      g_autoptr (NsExperiment) experiment = one_variant (existences[i].variant);
      g_autofree char *existing = list_existing (experiment, existences[i].site);

      g_test_message ("%s at %d", existences[i].variant, (int) existences[i].site);
      g_assert_cmpstr (existing, ==, existences[i].existing);
    }
}

static void
test_existence_by_experiment (void)
{
  g_autoptr (NsExperiment) experiment = one_variant ("pre:bias=on");

  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  g_autofree char *head = list_existing (experiment, DEPTH + 1);
  g_assert_cmpstr (head, ==, "");

  experiment->shape.seq_len = 1;
  g_autofree char *input = list_existing (experiment, 0);
  g_assert_cmpstr (input, ==, "grad_x rms_x");
  g_assert_false (ns_quantity_exists (NS_Q_TOKEN_COS, experiment, 0, DEPTH));
}

static void
test_shapes (void)
{
  const NsShape shape = { .depth = 1, .d_model = 6, .heads = 2, .d_ff = 10, .seq_len = 3, .batch = 2, .vocab = 7 };
  const struct
  {
    NsTensor tensor;
    gint64 rows, columns;
  } expected[] = {
    { NS_T_W_Q, 6, 6 },
    { NS_T_W_K, 6, 6 },
    { NS_T_W_V, 6, 6 },
    { NS_T_W_O, 6, 6 },
    { NS_T_W_1, 6, 10 },
    { NS_T_W_2, 10, 6 },
    { NS_T_W_3, 6, 10 },
    { NS_T_W_HEAD, 6, 7 },
    { NS_T_B_Q, 1, 6 },
    { NS_T_B_O, 1, 6 },
    { NS_T_B_1, 1, 10 },
    { NS_T_B_2, 1, 6 },
    { NS_T_B_3, 1, 10 },
    { NS_T_B_HEAD, 1, 7 },
    { NS_T_GAIN_FINAL, 1, 6 },
    { NS_T_BIAS_FINAL, 1, 6 },
    { NS_T_GAIN_ATTN_PRE, 1, 6 },
    { NS_T_BIAS_FFN_POST, 1, 6 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      gint64 rows, columns;

      ns_tensor_get_shape (expected[i].tensor, &shape, NULL, &rows, &columns);
      g_assert_cmpint (rows, ==, expected[i].rows);
      g_assert_cmpint (columns, ==, expected[i].columns);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/quantity/table", test_table);
  g_test_add_func ("/quantity/existence", test_existence);
  g_test_add_func ("/quantity/existence-by-experiment", test_existence_by_experiment);
  g_test_add_func ("/quantity/shapes", test_shapes);

  return g_test_run ();
}
