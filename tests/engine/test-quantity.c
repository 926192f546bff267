/* Test quantities, the sites at which they exist, and the shapes of tensors.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "settings.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-variants.h"
#include "tests.h"

#include <string.h>

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
      g_assert_cmpuint (strlen (info->title), >, 3);
      g_assert_cmpint (info->group == NS_GROUP_TENSOR, ==, q < NS_N_TENSORS);
      g_assert_cmpint (info->sites == NS_SITES_TENSOR, ==, q < NS_N_TENSORS);
      g_assert_true (info->group > NS_GROUP_SUM || info->kind == NS_KIND_GRADIENT);
      g_assert_cmpint (ns_quantity_has_log10 ((NsQuantity) q), ==, info->kind <= NS_KIND_ACTIVATION);
    }
  g_assert_cmpstr (ns_quantity_info (NS_Q_W_2)->symbol, ==, "‖∂L/∂W₂‖");
  g_assert_cmpstr (ns_quantity_info (NS_Q_W_Q)->markup, ==, "‖∂L/∂W<sub>Q</sub>‖");
  g_assert_cmpstr (ns_quantity_info (NS_Q_GAIN_ATTN_PRE)->name, ==, "gain_attn_pre");
  g_assert_cmpstr (ns_quantity_info (NS_Q_BIAS_FFN_POST)->name, ==, "bias_ffn_post");
  g_assert_cmpint (ns_quantity_info (NS_Q_TOKEN_COS)->kind, ==, NS_KIND_COSINE);
  g_assert_cmpint (ns_quantity_info (NS_Q_RMS_X)->kind, ==, NS_KIND_ACTIVATION);
  g_assert_cmpint (ns_quantity_info (NS_Q_LOSS)->kind, ==, NS_KIND_LOSS);
  g_assert_false (ns_quantity_from_name ("w_9", &quantity));
  g_assert_false (ns_quantity_from_name ("", &quantity));
}

/* List the names of at most `most` quantities of a use, separated by spaces. */
static char *
list_used (NsQuantityUse use, NsQuantityKind kind, guint most)
{
  g_autoptr (GArray) quantities = ns_quantities_for_use (use);
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < quantities->len && most > 0; i++)
    {
      const NsQuantityInfo *info = ns_quantity_info (g_array_index (quantities, NsQuantity, i));

      if (info->kind != kind)
        continue;
      g_string_append_printf (list, "%s%s", list->len > 0 ? " " : "", info->name);
      most--;
    }
  return g_string_free (list, FALSE);
}

static void
test_uses (void)
{
  const struct
  {
    NsQuantityUse use;
    NsQuantityKind kind;
    guint most;
    const char *names;
  } expected[] = {
    { NS_USE_FLOW, NS_KIND_GRADIENT, 7, "block attn ffn grad_x cross w_q w_k" },
    { NS_USE_FLOW, NS_KIND_ACTIVATION, 99,
      "rms_x rms_attn rms_ffn rms_cross abs_x norm_x rms_y_attn rms_y_cross rms_z_attn rms_z_cross rms_z_ffn "
      "skip_ratio_attn skip_ratio_cross skip_ratio_ffn token_residual participation" },
    { NS_USE_FLOW, NS_KIND_NUMBER, 99,
      "skip_cos_attn skip_cos_cross skip_cos_ffn cos_x_prev cos_x_last entropy entropy_cross max_logit "
      "max_logit_cross router_entropy expert_load_max expert_load_min" },
    { NS_USE_FLOW, NS_KIND_CONTRIBUTION, 99, "share_input share_attn share_cross share_ffn" },
    { NS_USE_FLOW, NS_KIND_COSINE, 99, "" },
    { NS_USE_SWEEP, NS_KIND_GRADIENT, 6, "block attn ffn grad_x cross w_q" },
    { NS_USE_SWEEP, NS_KIND_COSINE, 1, "token_cos" },
    { NS_USE_SWEEP, NS_KIND_LOSS, 99, "" },
    { NS_USE_TABLE, NS_KIND_GRADIENT, 5, "block attn ffn grad_x cross" },
    { NS_USE_SCRIPT, NS_KIND_LOSS, 99, "loss" },
    { NS_USE_FLOW, NS_KIND_SHARE, 99,
      "identity_share grad_cos grad_cos_prev grad_skip_cos_attn grad_skip_cos_cross grad_skip_cos_ffn" },
    { NS_USE_FLOW, NS_KIND_LENGTH, 99, "path_length" },
    { NS_USE_TABLE, NS_KIND_SHARE, 99, "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autofree char *names = list_used (expected[i].use, expected[i].kind, expected[i].most);

      g_assert_cmpstr (names, ==, expected[i].names);
    }
}

static void
test_tooltip (void)
{
  g_autofree char *tensor = ns_quantity_dup_tooltip (NS_Q_W_Q);
  g_autofree char *stream = ns_quantity_dup_tooltip (NS_Q_GRAD_X);
  g_autofree char *loss = ns_quantity_dup_tooltip (NS_Q_LOSS);

  g_assert_cmpstr (tensor, ==, "Gradient norm of the query projection");
  g_assert_cmpstr (stream, ==,
                   "Gradient at each block's output\nNorm of the gradient that reaches the block's output");
  g_assert_cmpstr (loss, ==, "Loss (nats)\nMean cross-entropy over the tokens");
}

/* A quantity of the head exists only there. */
static void
test_of_head (void)
{
  g_autoptr (NsExperiment) experiment = one_variant ("pre:bias=on,norm=dyt,input_norm=on,branch_parameter=scalar,"
                                                        "head_transform=on");
  gint64 head;
  guint n = 0;

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  head = ns_experiment_get_head_site (experiment);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_exists (q, experiment, 0, head))
      {
        g_assert_true (ns_quantity_is_of_head (q));
        n++;
      }
    else if (q != ns_tensor_get_quantity (NS_T_S_Z)) /* of nGPT, in a single stack */
      g_assert_false (ns_quantity_is_of_head (q));
  /* the loss, the logits, four steps, two matrices and biases of the head, and gain, bias and alpha of its norm and of
   * two final ones */
  g_assert_cmpuint (n, ==, 19);
}

/* List the names of the quantities at a site, in the order of the table. */
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
#define PATH "identity identity_share grad_cos"
#define OWN "path_length gain "
#define STEPS "update_h_sgd update_h_adam update_h_sgd_w update_h_adam_w"
#define TOKENS "token_cos token_residual participation"
#define STREAM "grad_x " PATH " " OWN "rms_x abs_x norm_x cos_x_last share_input " TOKENS
#define REST_WITH(grad_skip, skip)                                                                                    \
  "attn ffn block grad_x grad_y_attn grad_z_attn grad_z_ffn " PATH " grad_cos_prev " OWN grad_skip                    \
  "rms_x abs_x norm_x rms_y_attn rms_z_attn rms_z_ffn rms_attn rms_ffn " skip                                         \
  "cos_x_prev cos_x_last share_attn share_ffn " TOKENS                                                                \
  " entropy max_logit rms_scores"
#define REST                                                                                                          \
  REST_WITH ("grad_skip_ratio_attn grad_skip_ratio_ffn grad_skip_cos_attn grad_skip_cos_ffn ",                        \
             "skip_ratio_attn skip_ratio_ffn skip_cos_attn skip_cos_ffn ")
#define REST_OF_FFN REST_WITH ("grad_skip_ratio_ffn grad_skip_cos_ffn ", "skip_ratio_ffn skip_cos_ffn ")
/* A parallel block has one addition. */
#define PARALLEL_REST_WITH(grad_skip, skip)                                                                           \
  "attn ffn block grad_x grad_z_attn " PATH " grad_cos_prev " OWN grad_skip "rms_x abs_x norm_x rms_z_attn rms_attn " \
  "rms_ffn " skip "cos_x_prev cos_x_last share_attn share_ffn " TOKENS " entropy max_logit rms_scores"
#define PARALLEL_REST                                                                                                 \
  PARALLEL_REST_WITH ("grad_skip_ratio_attn grad_skip_cos_attn ", "skip_ratio_attn skip_cos_attn ")

static const struct
{
  const char *variant;
  gint64 site;
  const char *existing;
} existences[] = {
  { "pre", 0, STREAM },
  { "pre", 1, WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "pre", DEPTH, WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "pre", DEPTH + 1, "gain_final w_head loss rms_logits " STEPS },
  { "pre", DEPTH + 2, "" },
  { "pre", -1, "" },
  { "post", 3, WEIGHTS " gain_attn_post gain_ffn_post " REST },
  { "post", DEPTH + 1, "w_head loss rms_logits " STEPS },
  { "none", 3, WEIGHTS " " REST },
  { "sandwich", 3, WEIGHTS " gain_attn_pre gain_attn_branch gain_ffn_pre gain_ffn_branch " REST },
  { "branch", 3, WEIGHTS " gain_attn_branch gain_ffn_branch " REST },
  { "pre-post", 3, WEIGHTS " gain_attn_pre gain_attn_post gain_ffn_pre gain_ffn_post " REST },
  { "pre:ffn.norm=post", 3, WEIGHTS " gain_attn_pre gain_ffn_post " REST },
  /* without a residual there is nothing to compare a branch with */
  { "none:attn.residual=off", 3, WEIGHTS " " REST_OF_FFN },
  { "none:attn.residual=off,ffn.residual=off", 3, WEIGHTS " " REST_WITH ("", "") },
  { "parallel:attn.residual=off,ffn.residual=off", 3, WEIGHTS " gain_attn_pre " PARALLEL_REST_WITH ("", "") },
  /* Two of eight blocks are Post-LN. */
  { "mix", 2, WEIGHTS " gain_attn_post gain_ffn_post " REST },
  { "mix", 3, WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "parallel", 3, WEIGHTS " gain_attn_pre " PARALLEL_REST },
  { "parallel:topology=parallel-two-norms", 3, WEIGHTS " gain_attn_pre gain_ffn_pre " PARALLEL_REST },
  { "parallel:topology=parallel-two-norms,attn.norm=post,ffn.norm=post", 3, WEIGHTS " gain_attn_post " PARALLEL_REST },
  { "pre-post:topology=parallel-two-norms,bias=on", 3,
    WEIGHTS " b_q b_k b_v b_o b_1 b_2 gain_attn_pre gain_attn_post gain_ffn_pre bias_attn_pre bias_attn_post "
            "bias_ffn_pre " PARALLEL_REST },
  { "parallel:attn.norm=sandwich,ffn.norm=sandwich", 3,
    WEIGHTS " gain_attn_pre gain_attn_branch gain_ffn_branch " PARALLEL_REST },
  { "parallel:attn.norm=post,ffn.norm=post", 3, WEIGHTS " gain_attn_post " PARALLEL_REST },
  { "none:attention=uniform", 3, "w_q w_k w_v w_o w_1 w_2 " REST },
  { "none:attention=uniform,attention_output=off,bias=on", 3, "w_q w_k w_v w_1 w_2 b_q b_k b_v b_1 b_2 " REST },
  { "none:activation=swiglu", 3, WEIGHTS " w_3 " REST },
  { "none:activation=geglu-tanh", 3, WEIGHTS " w_3 " REST },
  { "none:activation=gelu-tanh", 3, WEIGHTS " " REST },
  { "none:activation=geglu,bias=on", 3, WEIGHTS " w_3 b_q b_k b_v b_o b_1 b_2 b_3 " REST },
  { "post:bias=on", 3,
    WEIGHTS " b_q b_k b_v b_o b_1 b_2 gain_attn_post gain_ffn_post bias_attn_post bias_ffn_post " REST },
  { "parallel:bias=on", 3, WEIGHTS " b_q b_k b_v b_o b_1 b_2 gain_attn_pre bias_attn_pre " PARALLEL_REST },
  { "pre:bias=on", DEPTH + 1, "gain_final bias_final w_head b_head loss rms_logits " STEPS },
  { "pre:bias=on,norm=rmsnorm", DEPTH + 1, "gain_final w_head b_head loss rms_logits " STEPS },
  { "post:bias=on,norm=rmsnorm", 3, WEIGHTS " b_q b_k b_v b_o b_1 b_2 gain_attn_post gain_ffn_post " REST },
  /* one group of biases at a time, on or off; that of the keys follows the queries and values */
  { "pre:bias_qkv=on", 3, WEIGHTS " b_q b_k b_v gain_attn_pre gain_ffn_pre " REST },
  { "pre:bias_qkv=on,bias_k=off", 3, WEIGHTS " b_q b_v gain_attn_pre gain_ffn_pre " REST },
  { "pre:bias_k=on", 3, WEIGHTS " b_k gain_attn_pre gain_ffn_pre " REST },
  { "pre:bias_output=on", 3, WEIGHTS " b_o gain_attn_pre gain_ffn_pre " REST },
  { "pre:bias_output=on,attention_output=off", 3, "w_q w_k w_v w_1 w_2 gain_attn_pre gain_ffn_pre " REST },
  { "pre:bias_ffn=on,activation=swiglu", 3, WEIGHTS " w_3 b_1 b_2 b_3 gain_attn_pre gain_ffn_pre " REST },
  { "pre:bias_norms=on", 3, WEIGHTS " gain_attn_pre gain_ffn_pre bias_attn_pre bias_ffn_pre " REST },
  { "pre:bias_norms=on,norm=rmsnorm", 3, WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "pre:bias_head=on", 3, WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "none:bias=on,bias_qkv=off", 3, WEIGHTS " b_o b_1 b_2 " REST },
  { "none:bias=on,bias_qkv=off,bias_k=on", 3, WEIGHTS " b_k b_o b_1 b_2 " REST },
  { "none:bias=on,bias_k=off", 3, WEIGHTS " b_q b_v b_o b_1 b_2 " REST },
  { "none:bias=on,bias_output=off", 3, WEIGHTS " b_q b_k b_v b_1 b_2 " REST },
  { "none:bias=on,bias_ffn=off,activation=geglu", 3, WEIGHTS " w_3 b_q b_k b_v b_o " REST },
  { "pre:bias=on,bias_norms=off", 3, WEIGHTS " b_q b_k b_v b_o b_1 b_2 gain_attn_pre gain_ffn_pre " REST },
  { "pre:bias=on,bias_norms=off", DEPTH + 1, "gain_final w_head b_head loss rms_logits " STEPS },
  { "pre:bias=on,bias_head=off", DEPTH + 1, "gain_final bias_final w_head loss rms_logits " STEPS },
  { "pre:bias_norms=on", DEPTH + 1, "gain_final bias_final w_head loss rms_logits " STEPS },
  { "pre:bias_head=on", DEPTH + 1, "gain_final w_head b_head loss rms_logits " STEPS },
  { "post:head_transform=on", DEPTH + 1, "gain_head_dense w_head_dense w_head loss rms_logits " STEPS },
  { "pre:head_transform=on,bias=on", DEPTH + 1,
    "gain_final gain_head_dense bias_final bias_head_dense w_head_dense b_head_dense w_head b_head loss "
    "rms_logits " STEPS },
  { "post:head_transform=on,bias=on,bias_head=off,norm=rmsnorm", DEPTH + 1,
    "gain_head_dense w_head_dense w_head loss rms_logits " STEPS },
  { "post:head_transform=on,norm=dyt", DEPTH + 1,
    "gain_head_dense alpha_head_dense w_head_dense w_head loss rms_logits " STEPS },
  { "post:head_transform=on", 3, WEIGHTS " gain_attn_post gain_ffn_post " REST },
  { "pre:bias_norms=on,input_norm=on", 0, "gain_input bias_input " STREAM },
  { "none:qk_norm=head,bias_norms=on", 3, WEIGHTS " gain_attn_q gain_attn_k bias_attn_q bias_attn_k " REST },
  /* DyT has an alpha instead of statistics, and has a bias if the other norms do */
  { "pre:norm=dyt", 3, WEIGHTS " gain_attn_pre gain_ffn_pre alpha_attn_pre alpha_ffn_pre " REST },
  { "branch:norm=dyt,bias=on", 3,
    WEIGHTS " b_q b_k b_v b_o b_1 b_2 gain_attn_branch gain_ffn_branch bias_attn_branch bias_ffn_branch "
            "alpha_attn_branch alpha_ffn_branch " REST },
  { "pre:norm=dyt,bias=on", DEPTH + 1, "gain_final bias_final alpha_final w_head b_head loss rms_logits " STEPS },
  /* norms of queries, keys and values; the cosine form has no parameters */
  { "none:qk_norm=full", 3, WEIGHTS " gain_attn_q gain_attn_k " REST },
  { "none:qk_norm=head,bias=on", 3,
    WEIGHTS " b_q b_k b_v b_o b_1 b_2 gain_attn_q gain_attn_k bias_attn_q bias_attn_k " REST },
  { "none:qk_norm=head,bias=on,norm=rmsnorm", 3, WEIGHTS " b_q b_k b_v b_o b_1 b_2 gain_attn_q gain_attn_k " REST },
  { "none:qk_norm=qkv-head,norm=dyt", 3,
    WEIGHTS " gain_attn_q gain_attn_k gain_attn_v alpha_attn_q alpha_attn_k alpha_attn_v " REST },
  { "none:qk_norm=cosine,bias=on", 3, WEIGHTS " b_q b_k b_v b_o b_1 b_2 " REST },
  { "none:attn.inner_norm=on", 3, WEIGHTS " gain_attn_inner " REST },
  { "none:ffn.inner_norm=on,norm=dyt", 3, WEIGHTS " gain_ffn_inner alpha_ffn_inner " REST },
  { "pre:cross.inner_norm=on,cross.norm=post", 3, WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "none:branch_parameter=scalar", 3, WEIGHTS " scale_attn scale_ffn " REST },
  { "none:branch_parameter=vector", 3, WEIGHTS " scale_attn scale_ffn " REST },
  { "none:branch_parameter=vector", 0, STREAM },
  { "none:branch_parameter=vector", DEPTH + 1, "w_head loss rms_logits " STEPS },
  /* the norms of nGPT have no gains */
  { "ngpt", 0, STREAM },
  { "ngpt", 3, WEIGHTS " scale_attn scale_ffn s_qk s_v " REST },
  { "ngpt:activation=swiglu,norm=dyt", 3, WEIGHTS " w_3 scale_attn scale_ffn s_qk s_u s_v " REST },
  { "ngpt:norm=layernorm", DEPTH + 1, "w_head s_z loss rms_logits " STEPS },
  { "pre:input_norm=on", 0, "gain_input " STREAM },
  { "pre:input_norm=on,bias=on,norm=dyt", 0, "gain_input bias_input alpha_input " STREAM },
  /* one table for all blocks of a part */
  { "none:position_bias=t5", 0, "relative_bias " STREAM },
  { "none:position_bias=t5", 3, WEIGHTS " " REST },
  { "none:position_bias=t5", DEPTH + 1, "w_head loss rms_logits " STEPS },
  { "none:position_bias=alibi", 0, STREAM },
  { "pre:input_norm=on", 1, WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "pre:input_norm=on", DEPTH + 1, "gain_final w_head loss rms_logits " STEPS },
  /* several streams have no residual to compare a branch with */
  { "pre:streams=4", 0, "grad_x grad_cos rms_x abs_x norm_x cos_x_last " TOKENS },
  { "none:streams=2", 3,
    WEIGHTS " mix_in_attn mix_streams_attn mix_out_attn mix_in_ffn mix_streams_ffn mix_out_ffn attn ffn block grad_x "
    "grad_y_attn grad_z_attn grad_z_ffn grad_cos grad_cos_prev rms_x abs_x norm_x rms_y_attn rms_z_attn rms_z_ffn "
    "rms_attn rms_ffn cos_x_prev cos_x_last " TOKENS " entropy max_logit rms_scores" },
  { "pre:streams=4", DEPTH + 1, "gain_final w_head loss rms_logits" },
  { "none:streams=2,stream_weights=manifold", 3,
    WEIGHTS " mix_in_attn mix_streams_attn mix_out_attn mix_in_w_attn mix_streams_w_attn mix_out_w_attn mix_scale_attn "
    "mix_in_ffn mix_streams_ffn mix_out_ffn mix_in_w_ffn mix_streams_w_ffn mix_out_w_ffn mix_scale_ffn attn ffn block "
    "grad_x grad_y_attn grad_z_attn grad_z_ffn grad_cos grad_cos_prev rms_x abs_x norm_x rms_y_attn rms_z_attn "
    "rms_z_ffn rms_attn rms_ffn cos_x_prev cos_x_last " TOKENS " entropy max_logit rms_scores" },
  /* the second stream has no norm, so `auto` means on */
  { "post:dual_residual=on", DEPTH + 1, "gain_final w_head loss rms_logits " STEPS },
  { "post:dual_residual=on,final_norm=off", DEPTH + 1, "w_head loss rms_logits " STEPS },
};

#define CROSS_W "cross_w_q cross_w_k cross_w_v cross_w_o"
#define CROSS_B "cross_b_q cross_b_k cross_b_v cross_b_o"
#define BIASES "b_q b_k b_v b_o b_1 b_2"
#define DECODER_REST                                                                                                  \
  "attn cross ffn block grad_x grad_y_attn grad_y_cross grad_z_attn grad_z_cross grad_z_ffn " PATH                   \
  " grad_cos_prev " OWN                                                                                               \
  "grad_skip_ratio_attn grad_skip_ratio_cross grad_skip_ratio_ffn grad_skip_cos_attn grad_skip_cos_cross "            \
  "grad_skip_cos_ffn rms_x abs_x norm_x rms_y_attn rms_y_cross rms_z_attn rms_z_cross rms_z_ffn rms_attn rms_cross "  \
  "rms_ffn skip_ratio_attn skip_ratio_cross skip_ratio_ffn skip_cos_attn skip_cos_cross skip_cos_ffn cos_x_prev "    \
  "cos_x_last "                                                                                                       \
  "share_attn share_cross share_ffn " TOKENS " entropy entropy_cross max_logit max_logit_cross rms_scores "           \
  "rms_scores_cross"

/* Sites of an encoder-decoder of DEPTH blocks each. */
#define ENCODER(layer) (layer)
#define DECODER(layer) (DEPTH + 1 + (layer))
#define HEAD (2 * (DEPTH + 1))

static const struct
{
  const char *variant;
  gint64 site;
  const char *existing;
} pair_existences[] = {
  { "pre", ENCODER (0), STREAM },
  { "pre", DECODER (0), STREAM },
  { "pre:input_norm=on", ENCODER (0), "gain_input " STREAM },
  { "pre:input_norm=on,norm=dyt", DECODER (0), "gain_input alpha_input " STREAM },
  { "none:position_bias=t5", ENCODER (0), "relative_bias " STREAM },
  { "none:position_bias=t5", DECODER (0), "relative_bias " STREAM },
  { "pre", ENCODER (1), WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "pre", ENCODER (DEPTH), WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "pre", DECODER (1), WEIGHTS " " CROSS_W " gain_attn_pre gain_cross_pre gain_ffn_pre " DECODER_REST },
  { "pre", DECODER (DEPTH), WEIGHTS " " CROSS_W " gain_attn_pre gain_cross_pre gain_ffn_pre " DECODER_REST },
  { "pre", HEAD, "gain_encoder_final gain_final w_head loss rms_logits " STEPS },
  { "post", HEAD, "w_head loss rms_logits " STEPS },
  { "post:dual_residual=on,bias=on", HEAD,
    "gain_encoder_final gain_final bias_encoder_final bias_final w_head b_head loss rms_logits " STEPS },
  { "pre:norm=dyt", HEAD, "gain_encoder_final gain_final alpha_encoder_final alpha_final w_head loss "
                              "rms_logits " STEPS },
  { "pre", HEAD + 1, "" },
  { "pre:cross.norm=none", DECODER (3), WEIGHTS " " CROSS_W " gain_attn_pre gain_ffn_pre " DECODER_REST },
  { "none:cross.norm=sandwich", DECODER (3), WEIGHTS " " CROSS_W " gain_cross_pre gain_cross_branch " DECODER_REST },
  { "none:cross.norm=pre-post", DECODER (3), WEIGHTS " " CROSS_W " gain_cross_pre gain_cross_post " DECODER_REST },
  { "none:cross.norm=sandwich", ENCODER (3), WEIGHTS " " REST },
  { "none:attn.inner_norm=on", DECODER (3), WEIGHTS " " CROSS_W " gain_attn_inner gain_cross_inner " DECODER_REST },
  { "none:attn.inner_norm=on,cross.inner_norm=off", DECODER (3),
    WEIGHTS " " CROSS_W " gain_attn_inner " DECODER_REST },
  { "none:cross.inner_norm=on", DECODER (3), WEIGHTS " " CROSS_W " gain_cross_inner " DECODER_REST },
  { "none:qk_norm=qkv-head", DECODER (3),
    WEIGHTS " " CROSS_W " gain_attn_q gain_attn_k gain_attn_v gain_cross_q gain_cross_k gain_cross_v " DECODER_REST },
  { "none:qk_norm=full,bias=on", DECODER (3),
    WEIGHTS " " CROSS_W " " BIASES " " CROSS_B " gain_attn_q gain_attn_k gain_cross_q gain_cross_k bias_attn_q "
            "bias_attn_k bias_cross_q bias_cross_k " DECODER_REST },
  { "none:bias=on", ENCODER (3), WEIGHTS " " BIASES " " REST },
  /* cross-attention has the biases of the attention */
  { "none:bias_qkv=on,bias_k=off", DECODER (3),
    WEIGHTS " " CROSS_W " b_q b_v cross_b_q cross_b_v " DECODER_REST },
  { "none:bias=on,bias_qkv=off,bias_ffn=off", DECODER (3), WEIGHTS " " CROSS_W " b_o cross_b_o " DECODER_REST },
  { "pre:bias_norms=on", HEAD,
    "gain_encoder_final gain_final bias_encoder_final bias_final w_head loss rms_logits " STEPS },
  { "none:attention_output=off,bias=on", DECODER (3),
    "w_q w_k w_v w_1 w_2 cross_w_q cross_w_k cross_w_v b_q b_k b_v b_1 b_2 cross_b_q cross_b_k cross_b_v "
    DECODER_REST },
  { "none:activation=swiglu", DECODER (3), WEIGHTS " w_3 " CROSS_W " " DECODER_REST },
  { "none:branch_parameter=scalar", DECODER (3),
    WEIGHTS " " CROSS_W " scale_attn scale_cross scale_ffn " DECODER_REST },
  { "none:branch_parameter=vector", ENCODER (3), WEIGHTS " scale_attn scale_ffn " REST },
  /* two of eight blocks in each part */
  { "mix", ENCODER (2), WEIGHTS " gain_attn_post gain_ffn_post " REST },
  { "mix", ENCODER (3), WEIGHTS " gain_attn_pre gain_ffn_pre " REST },
  { "mix", DECODER (2), WEIGHTS " " CROSS_W " gain_attn_post gain_cross_post gain_ffn_post " DECODER_REST },
  { "mix", DECODER (3), WEIGHTS " " CROSS_W " gain_attn_pre gain_cross_pre gain_ffn_pre " DECODER_REST },
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
test_existence_in_pair (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (pair_existences); i++)
    {
      g_autoptr (NsExperiment) experiment = one_variant (pair_existences[i].variant);
      g_autofree char *existing = NULL;

      experiment->shape.stack = NS_STACK_ENCODER_DECODER;
      existing = list_existing (experiment, pair_existences[i].site);
      g_test_message ("%s at %d", pair_existences[i].variant, (int) pair_existences[i].site);
      g_assert_cmpstr (existing, ==, pair_existences[i].existing);
    }
}

/* Conversion between sites and parts. */
static void
test_sites (void)
{
  g_autoptr (NsExperiment) experiment = one_variant ("pre");

  g_assert_cmpint (ns_experiment_get_n_parts (experiment), ==, 1);
  g_assert_cmpint (ns_experiment_get_head_site (experiment), ==, DEPTH + 1);
  g_assert_cmpint (ns_experiment_get_part (experiment, 0), ==, NS_PART_STACK);
  for (gint64 layer = 0; layer <= DEPTH; layer++)
    {
      g_assert_cmpint (ns_experiment_get_site (experiment, NS_PART_STACK, layer), ==, layer);
      /* an absent part maps to the single stack */
      g_assert_cmpint (ns_experiment_get_site (experiment, NS_PART_ENCODER, layer), ==, layer);
      g_assert_cmpint (ns_experiment_get_site (experiment, NS_PART_DECODER, layer), ==, layer);
      g_assert_cmpint (ns_site_get_part (experiment, layer), ==, NS_PART_STACK);
      g_assert_cmpint (ns_site_get_layer (experiment, layer), ==, layer);
    }

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  g_assert_cmpint (ns_experiment_get_n_parts (experiment), ==, 2);
  g_assert_cmpint (ns_experiment_get_head_site (experiment), ==, HEAD);
  g_assert_cmpint (ns_experiment_get_part (experiment, 0), ==, NS_PART_ENCODER);
  g_assert_cmpint (ns_experiment_get_part (experiment, 1), ==, NS_PART_DECODER);
  for (gint64 layer = 0; layer <= DEPTH; layer++)
    {
      g_assert_cmpint (ns_experiment_get_site (experiment, NS_PART_ENCODER, layer), ==, ENCODER (layer));
      g_assert_cmpint (ns_experiment_get_site (experiment, NS_PART_DECODER, layer), ==, DECODER (layer));
      g_assert_cmpint (ns_experiment_get_site (experiment, NS_PART_STACK, layer), ==, DECODER (layer));
      g_assert_cmpint (ns_site_get_part (experiment, ENCODER (layer)), ==, NS_PART_ENCODER);
      g_assert_cmpint (ns_site_get_part (experiment, DECODER (layer)), ==, NS_PART_DECODER);
      g_assert_cmpint (ns_site_get_layer (experiment, ENCODER (layer)), ==, layer);
      g_assert_cmpint (ns_site_get_layer (experiment, DECODER (layer)), ==, layer);
    }
  g_assert_cmpstr (ns_part_get_name (NS_PART_STACK), ==, "stack");
  g_assert_cmpstr (ns_part_get_name (NS_PART_ENCODER), ==, "encoder");
  g_assert_cmpstr (ns_part_get_name (NS_PART_DECODER), ==, "decoder");
}

static void
test_existence_by_experiment (void)
{
  g_autoptr (NsExperiment) experiment = one_variant ("pre:bias=on");

  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  g_autofree char *head = list_existing (experiment, DEPTH + 1);
  g_assert_cmpstr (head, ==, STEPS);

  /* the encoder's output is normalized for any loss */
  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  g_autofree char *pair = list_existing (experiment, HEAD);
  g_assert_cmpstr (pair, ==, "gain_encoder_final bias_encoder_final " STEPS);
  experiment->shape.stack = NS_STACK_SINGLE;

  experiment->shape.seq_len = 1;
  g_autofree char *input = list_existing (experiment, 0);
  g_assert_cmpstr (input, ==, "grad_x " PATH " " OWN "rms_x abs_x norm_x cos_x_last share_input");
  g_assert_false (ns_quantity_exists (NS_Q_TOKEN_COS, experiment, 0, DEPTH));
}

/* Form the name of a tensor from its role, sub-layer and slot. */
static char *
dup_name (const NsTensorInfo *info)
{
  static const char *const roles[] = {
    [NS_ROLE_MATRIX] = "w",       [NS_ROLE_LINEAR_BIAS] = "b", [NS_ROLE_GAIN] = "gain",
    [NS_ROLE_NORM_BIAS] = "bias", [NS_ROLE_ALPHA] = "alpha",   [NS_ROLE_SCALE] = "scale",
    [NS_ROLE_MIX] = "mix",
  };
  static const char *const subs[] = { [NS_SUB_ATTN] = "attn", [NS_SUB_CROSS] = "cross", [NS_SUB_FFN] = "ffn" };
  static const char *const slots[] = {
    [NS_SLOT_Q] = "q",         [NS_SLOT_K] = "k",
    [NS_SLOT_V] = "v",         [NS_SLOT_O] = "o",
    [NS_SLOT_1] = "1",         [NS_SLOT_2] = "2",
    [NS_SLOT_3] = "3",         [NS_SLOT_PRE] = "pre",
    [NS_SLOT_BRANCH] = "branch", [NS_SLOT_POST] = "post",
    [NS_SLOT_INNER] = "inner", [NS_SLOT_INPUT] = "input",
    [NS_SLOT_ENCODER_FINAL] = "encoder_final", [NS_SLOT_FINAL] = "final",
    [NS_SLOT_HEAD_DENSE] = "head_dense", [NS_SLOT_PATCH] = "patch",
    [NS_SLOT_HEAD] = "head",   [NS_SLOT_ROUTER] = "router",
    [NS_SLOT_SHARED_1] = "shared_w_1", [NS_SLOT_SHARED_2] = "shared_w_2",
    [NS_SLOT_SHARED_3] = "shared_w_3", [NS_SLOT_SHARED_GATE] = "shared_gate",
    [NS_SLOT_MIX_IN] = "in",   [NS_SLOT_MIX_STREAMS] = "streams", [NS_SLOT_MIX_OUT] = "out",
    [NS_SLOT_MIX_IN_W] = "in_w", [NS_SLOT_MIX_STREAMS_W] = "streams_w", [NS_SLOT_MIX_OUT_W] = "out_w",
    [NS_SLOT_MIX_SCALE] = "scale",
  };
  gboolean is_linear = info->role == NS_ROLE_MATRIX || info->role == NS_ROLE_LINEAR_BIAS;

  if (info->slot >= NS_SLOT_ROUTER && info->slot <= NS_SLOT_SHARED_GATE)
    return g_strdup (slots[info->slot]);
  if (is_linear)
    return g_strdup_printf ("%s%s_%s", info->sub == NS_SUB_CROSS ? "cross_" : "", roles[info->role],
                            slots[info->slot]);
  if (info->role == NS_ROLE_FACTOR)
    return g_strdup_printf ("s_%s", info->slot == NS_SLOT_Q   ? "qk"
                                    : info->slot == NS_SLOT_1 ? "v"
                                    : info->slot == NS_SLOT_3 ? "u"
                                                              : "z");
  if (info->role == NS_ROLE_TABLE)
    return g_strdup ("relative_bias");
  if (info->role == NS_ROLE_MIX)
    return g_strdup_printf ("%s_%s_%s", roles[info->role], slots[info->slot], subs[info->sub]);
  if (info->role == NS_ROLE_SCALE)
    return g_strdup_printf ("%s_%s", roles[info->role], subs[info->sub]);
  return g_strdup_printf ("%s%s%s_%s", roles[info->role], info->sub == NS_SUB_NONE ? "" : "_",
                          info->sub == NS_SUB_NONE ? "" : subs[info->sub], slots[info->slot]);
}

static void
test_descriptors (void)
{
  NsTensor tensor = NS_T_W_3;

  for (int t = 0; t < NS_N_TENSORS; t++)
    {
      g_autofree char *name = dup_name (ns_tensor_info ((NsTensor) t));

      g_assert_cmpstr (ns_tensor_get_name ((NsTensor) t), ==, name);
      g_assert_true (ns_quantity_get_tensor (ns_tensor_get_quantity ((NsTensor) t), &tensor));
      g_assert_cmpint (tensor, ==, t);
      g_assert_cmpint (ns_tensor_is_matrix ((NsTensor) t), ==,
                       g_str_has_prefix (name, "w_") || g_str_has_prefix (name, "cross_w_")
                           || ns_tensor_is_beside_experts ((NsTensor) t));
      g_assert_cmpint (ns_tensor_is_token_map ((NsTensor) t), ==, strstr (name, "mix_") && strstr (name, "_w_"));
      g_assert_cmpint (ns_tensor_is_of_token_mix ((NsTensor) t), ==,
                       ns_tensor_is_token_map ((NsTensor) t) || g_str_has_prefix (name, "mix_scale"));
      g_assert_cmpint (ns_tensor_is_beside_experts ((NsTensor) t), ==,
                       strstr (name, "router") || strstr (name, "shared"));
      g_assert_cmpint (ns_tensor_is_query_or_key ((NsTensor) t), ==, strstr (name, "w_q") || strstr (name, "w_k"));
    }
  for (int q = NS_Q_ATTN; q < NS_N_QUANTITIES; q++)
    g_assert_false (ns_quantity_get_tensor ((NsQuantity) q, &tensor));
  g_assert_cmpint (tensor, ==, NS_N_TENSORS - 1);
  g_assert_cmpint (ns_matrix_get_bias (NS_T_W_2), ==, NS_T_B_2);
  g_assert_cmpint (ns_matrix_get_bias (NS_T_CROSS_W_V), ==, NS_T_CROSS_B_V);
  g_assert_cmpint (ns_matrix_get_bias (NS_T_W_HEAD), ==, NS_T_B_HEAD);
  g_assert_cmpint (ns_matrix_get_bias (NS_T_W_HEAD_DENSE), ==, NS_T_B_HEAD_DENSE);
  g_assert_cmpint (ns_matrix_get_bias (NS_T_W_PATCH), ==, NS_T_B_PATCH);
  g_assert_cmpint (ns_matrix_get_bias (NS_T_ROUTER), ==, NS_N_TENSORS);
}

static void
test_norm_places (void)
{
  for (int n = 0; n < NS_N_NORMS; n++)
    {
      const NsNormInfo *norm = ns_norm_info ((NsNormPlace) n);
      const NsTensor vectors[] = { norm->gain, norm->bias, norm->alpha };
      const NsTensorRole roles[] = { NS_ROLE_GAIN, NS_ROLE_NORM_BIAS, NS_ROLE_ALPHA };

      for (gsize i = 0; i < G_N_ELEMENTS (vectors); i++)
        {
          const NsTensorInfo *info = ns_tensor_info (vectors[i]);

          g_assert_cmpint (info->role, ==, roles[i]);
          g_assert_cmpint (info->sub, ==, norm->sub);
          g_assert_cmpint (info->slot, ==, norm->slot);
        }
    }
}

static void
test_shapes (void)
{
  const NsShape shape = { .depth = 1, .d_model = 6, .heads = 2, .d_ff = 10, .seq_len = 3, .batch = 2, .vocab = 7,
                          .patch_features = 5 };
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
    { NS_T_W_PATCH, 5, 6 },
    { NS_T_B_PATCH, 1, 6 },
    { NS_T_W_HEAD_DENSE, 6, 6 },
    { NS_T_B_HEAD_DENSE, 1, 6 },
    { NS_T_GAIN_HEAD_DENSE, 1, 6 },
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

/* d = 6, four query heads and two key heads with d_head = 5: A = 20, K = 10. */
static void
test_grouped_shapes (void)
{
  const NsShape shape = { .depth = 1, .d_model = 6, .heads = 4, .kv_heads = 2, .d_head = 5, .d_ff = 11, .seq_len = 3,
                          .batch = 2, .vocab = 7 };
  const struct
  {
    NsTensor tensor;
    gint64 rows, columns;
  } matrices[] = {
    { NS_T_W_Q, 6, 20 }, { NS_T_W_K, 6, 10 }, { NS_T_W_V, 6, 10 }, { NS_T_W_O, 20, 6 },
    { NS_T_CROSS_W_Q, 6, 20 }, { NS_T_CROSS_W_K, 6, 10 }, { NS_T_CROSS_W_V, 6, 10 }, { NS_T_CROSS_W_O, 20, 6 },
    { NS_T_B_Q, 1, 20 }, { NS_T_B_K, 1, 10 }, { NS_T_B_V, 1, 10 }, { NS_T_B_O, 1, 6 },
    { NS_T_CROSS_B_Q, 1, 20 }, { NS_T_CROSS_B_K, 1, 10 }, { NS_T_CROSS_B_V, 1, 10 }, { NS_T_CROSS_B_O, 1, 6 },
    { NS_T_GAIN_ATTN_INNER, 1, 20 }, { NS_T_BIAS_CROSS_INNER, 1, 20 }, { NS_T_GAIN_FFN_INNER, 1, 11 },
    { NS_T_GAIN_CROSS_BRANCH, 1, 6 }, { NS_T_GAIN_INPUT, 1, 6 }, { NS_T_GAIN_ENCODER_FINAL, 1, 6 },
    { NS_T_S_QK, 1, 20 }, { NS_T_S_U, 1, 11 }, { NS_T_S_V, 1, 11 },
    { NS_T_ALPHA_ATTN_PRE, 1, 1 }, { NS_T_ALPHA_FFN_INNER, 1, 1 }, { NS_T_ALPHA_FINAL, 1, 1 },
  };
  const struct
  {
    const char *variant;
    gint64 q, k, v, scale;
  } norms[] = {
    { "pre:qk_norm=full,branch_parameter=vector", 20, 10, 10, 6 },
    { "pre:qk_norm=head,branch_parameter=scalar", 5, 5, 5, 1 },
    { "pre:qk_norm=qkv-head", 5, 5, 5, 6 },
    { "pre:qk_norm=cosine", 5, 5, 5, 6 },
    { NULL, 20, 10, 10, 6 }, /* the largest combination */
  };

  g_assert_cmpint (ns_shape_get_d_head (&shape), ==, 5);
  g_assert_cmpint (ns_shape_get_kv_heads (&shape), ==, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (matrices); i++)
    {
      gint64 rows, columns;

      ns_tensor_get_shape (matrices[i].tensor, &shape, NULL, &rows, &columns);
      g_test_message ("%s", ns_tensor_get_name (matrices[i].tensor));
      g_assert_cmpint (rows, ==, matrices[i].rows);
      g_assert_cmpint (columns, ==, matrices[i].columns);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (norms); i++)
    {
      g_autoptr (NsVariant) variant = norms[i].variant != NULL ? ns_variant_from_text (norms[i].variant, NULL) : NULL;
      const struct
      {
        NsTensor tensor;
        gint64 columns;
      } expected[] = {
        { NS_T_GAIN_ATTN_Q, norms[i].q }, { NS_T_GAIN_ATTN_K, norms[i].k }, { NS_T_BIAS_ATTN_V, norms[i].v },
        { NS_T_GAIN_CROSS_Q, norms[i].q }, { NS_T_BIAS_CROSS_K, norms[i].k }, { NS_T_GAIN_CROSS_V, norms[i].v },
        { NS_T_SCALE_ATTN, norms[i].scale }, { NS_T_SCALE_CROSS, norms[i].scale },
        { NS_T_SCALE_FFN, norms[i].scale }, { NS_T_ALPHA_ATTN_Q, 1 },
      };

      for (gsize j = 0; j < G_N_ELEMENTS (expected); j++)
        {
          gint64 rows, columns;

          ns_tensor_get_shape (expected[j].tensor, &shape, variant, &rows, &columns);
          g_assert_cmpint (rows, ==, 1);
          g_assert_cmpint (columns, ==, expected[j].columns);
        }
    }
  {
    g_autoptr (NsVariant) variant = ns_variant_from_text ("pre:position_bias=t5,position_buckets=9", NULL);
    gint64 rows, columns;

    ns_tensor_get_shape (NS_T_RELATIVE_BIAS, &shape, variant, &rows, &columns);
    g_assert_cmpint (rows, ==, 9);
    g_assert_cmpint (columns, ==, 4);
  }
}

/* The projection of patches is at the input of the first part, of a Gaussian input that has patches. */
static void
test_patches (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NsVariant *variant = ns_experiment_variant (experiment, 0);

  g_assert_false (ns_tensor_exists (NS_T_W_PATCH, experiment, 0, 0));
  experiment->shape.patch_features = 9;
  g_assert_true (ns_tensor_exists (NS_T_W_PATCH, experiment, 0, 0));
  g_assert_false (ns_tensor_exists (NS_T_W_PATCH, experiment, 0, 1));
  g_assert_false (ns_tensor_exists (NS_T_W_PATCH, experiment, 0, ns_experiment_get_head_site (experiment)));
  g_assert_false (ns_tensor_exists (NS_T_B_PATCH, experiment, 0, 0));
  variant->biases.ffn = variant->biases.head = TRUE;
  g_assert_false (ns_tensor_exists (NS_T_B_PATCH, experiment, 0, 0));
  variant->bias = TRUE;
  variant->biases.ffn = FALSE;
  g_assert_true (ns_tensor_exists (NS_T_B_PATCH, experiment, 0, 0));
  g_assert_false (ns_quantity_is_of_head (ns_tensor_get_quantity (NS_T_W_PATCH)));
  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  g_assert_true (ns_tensor_exists (NS_T_W_PATCH, experiment, 0, 0));
  g_assert_false (ns_tensor_exists (NS_T_W_PATCH, experiment, 0,
                                    ns_experiment_get_site (experiment, NS_PART_DECODER, 0)));
  experiment->data.source = NS_SOURCE_TOKENS;
  g_assert_false (ns_tensor_exists (NS_T_W_PATCH, experiment, 0, 0));
}

void
add_quantity_tests (void)
{
  g_test_add_func ("/quantity/table", test_table);
  g_test_add_func ("/quantity/uses", test_uses);
  g_test_add_func ("/quantity/tooltip", test_tooltip);
  g_test_add_func ("/quantity/of-head", test_of_head);
  g_test_add_func ("/quantity/descriptors", test_descriptors);
  g_test_add_func ("/quantity/norm-places", test_norm_places);
  g_test_add_func ("/quantity/existence", test_existence);
  g_test_add_func ("/quantity/existence-in-pair", test_existence_in_pair);
  g_test_add_func ("/quantity/sites", test_sites);
  g_test_add_func ("/quantity/existence-by-experiment", test_existence_by_experiment);
  g_test_add_func ("/quantity/shapes", test_shapes);
  g_test_add_func ("/quantity/patches", test_patches);
  g_test_add_func ("/quantity/grouped-shapes", test_grouped_shapes);
}
