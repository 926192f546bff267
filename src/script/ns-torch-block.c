/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "script/ns-torch-block.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* A block whose lines are written. */
typedef struct
{
  const NsExperiment *experiment;
  const NsVariant *variant;
  gint64 depth, number;
} Block;

static const char *const sub_names[] = { [NS_SUB_ATTN] = "attn", [NS_SUB_FFN] = "ffn" };

/* ---- norms and linear maps ---- */

/* Replace a text by one that was made from it. */
static void
replace (char **text, char *made)
{
  g_free (*text);
  *text = made;
}

/* Return "norm(x, gain_attn_pre)". */
static char *
dup_norm (const NsVariant *variant, const char *x, const char *name)
{
  gboolean has_bias = variant->norm != NS_NORM_RMSNORM && ns_variant_has_bias (variant, NS_T_BIAS_ATTN_PRE);
  GString *call = g_string_new (NULL);

  g_string_append_printf (call, "norm(%s, gain_%s", x, name);
  if (variant->norm == NS_NORM_DYT)
    g_string_append_printf (call, ", alpha_%s", name);
  if (has_bias)
    g_string_append_printf (call, ", bias_%s", name);
  g_string_append_c (call, ')');
  return g_string_free (call, FALSE);
}

/* The same in place, for a norm of a sub-layer. */
static void
take_norm (const NsVariant *variant, NsSub sub, const char *place, char **x)
{
  g_autofree char *name = g_strdup_printf ("%s_%s", sub_names[sub], place);

  replace (x, dup_norm (variant, *x, name));
}

/* Return "x @ w_q + b_q". */
static char *
dup_map (const NsVariant *variant, const char *x, const char *name, NsTensor bias)
{
  return ns_variant_has_bias (variant, bias) ? g_strdup_printf ("%s @ w_%s + b_%s", x, name, name)
                                             : g_strdup_printf ("%s @ w_%s", x, name);
}

static void
append_norm (GString *out, const NsVariant *variant)
{
  char eps[NS_NUMBER_SIZE];

  ns_format_number (eps, variant->norm_eps);
  if (variant->norm == NS_NORM_LAYERNORM)
    g_string_append_printf (out,
                            "def norm(x, gain, bias=None):\n"
                            "    return F.layer_norm(x, gain.shape, gain, bias, %s)\n\n",
                            eps);
  else if (variant->norm == NS_NORM_RMSNORM)
    g_string_append_printf (out,
                            "def norm(x, gain):\n"
                            "    return gain * x / (x.square().mean(-1, keepdim=True) + %s).sqrt()\n\n",
                            eps);
  else
    g_string_append (out, "def norm(x, gain, alpha, bias=0):\n"
                          "    return gain * torch.tanh(alpha * x) + bias\n\n");
}

/* ---- attention ---- */

static void
append_qk_norm (GString *out, const NsVariant *variant, const NsShape *shape)
{
  g_autofree char *q = dup_norm (variant, "q", "attn_q");
  g_autofree char *k = dup_norm (variant, "k", "attn_k");
  g_autofree char *v = dup_norm (variant, "v", "attn_v");

  if (variant->ngpt)
    g_string_append_printf (out, "    q, k = ((%d ** 0.5 * s_qk).view(-1, 1, %d) * unit(y) for y in (q, k))\n",
                            (int) shape->d_model, (int) ns_shape_get_d_head (shape));
  else if (variant->qk_norm == NS_QK_NORM_COSINE)
    g_string_append (out, "    q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)\n");
  else if (variant->qk_norm == NS_QK_NORM_HEAD)
    g_string_append_printf (out, "    q, k = %s, %s\n", q, k);
  else if (variant->qk_norm == NS_QK_NORM_QKV_HEAD)
    g_string_append_printf (out, "    q, k, v = %s, %s, %s\n", q, k, v);
}

/* Return the factor c of the scores: "q @ k.mT / 16 ** 0.5". */
static char *
dup_scores (const NsVariant *variant, int d_head)
{
  char number[NS_NUMBER_SIZE];

  if (variant->qk_norm == NS_QK_NORM_COSINE)
    return g_strdup ("10 * q @ k.mT");
  if (variant->ngpt)
    return g_strdup_printf ("%d ** 0.5 * q @ k.mT", d_head);
  if (variant->attention_scale.rule != 0)
    return g_strdup_printf ("q @ k.mT / %d ** 0.5", d_head);
  return g_strdup_printf ("%s * q @ k.mT", ns_format_number (number, variant->attention_scale.number));
}

static void
append_attention (GString *out, const NsVariant *variant, const NsShape *shape)
{
  int d_head = (int) ns_shape_get_d_head (shape), n_repeats = (int) (shape->heads / ns_shape_get_kv_heads (shape));
  gboolean of_all = variant->qk_norm == NS_QK_NORM_FULL;
  g_autofree char *q = dup_map (variant, "x", "q", NS_T_B_Q), *k = dup_map (variant, "x", "k", NS_T_B_K);
  g_autofree char *v = dup_map (variant, "x", "v", NS_T_B_V), *scores = dup_scores (variant, d_head);
  g_autofree char *y = g_strdup ("y"), *returned = NULL;

  if (of_all)
    {
      take_norm (variant, NS_SUB_ATTN, "q", &q);
      take_norm (variant, NS_SUB_ATTN, "k", &k);
    }
  g_string_append_printf (out,
                          "def heads(x):\n"
                          "    return x.unflatten(-1, (-1, %d)).transpose(1, 2)\n\n"
                          "def attn(x):\n"
                          "    q, k, v = heads(%s), heads(%s), heads(%s)\n",
                          d_head, q, k, v);
  append_qk_norm (out, variant, shape);
  if (n_repeats > 1)
    g_string_append_printf (out, "    k, v = (y.repeat_interleave(%d, dim=1) for y in (k, v))\n", n_repeats);
  if (variant->attention == NS_ATTENTION_UNIFORM)
    g_string_append (out, "    weights = torch.full_like(q @ k.mT, 1 / x.shape[1])\n");
  else if (variant->attention == NS_ATTENTION_CAUSAL)
    g_string_append_printf (out,
                            "    future = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()\n"
                            "    weights = torch.softmax((%s).masked_fill(future, -torch.inf), -1)\n",
                            scores);
  else
    g_string_append_printf (out, "    weights = torch.softmax(%s, -1)\n", scores);
  g_string_append (out, "    y = (weights @ v).transpose(1, 2).flatten(2)\n");
  if (variant->attn.inner_norm)
    take_norm (variant, NS_SUB_ATTN, "inner", &y);
  returned = variant->attention_output ? dup_map (variant, y, "o", NS_T_B_O) : g_strdup (y);
  g_string_append_printf (out, "    return %s\n\n", returned);
}

/* ---- FFN ---- */

static void
append_ffn (GString *out, const NsVariant *variant, const NsShape *shape)
{
  static const char *const activations[] = {
    [NS_ACT_RELU] = "F.relu(%s)",   [NS_ACT_GELU] = "F.gelu(%s)",
    [NS_ACT_SILU] = "F.silu(%s)",   [NS_ACT_GELU_TANH] = "F.gelu(%s, approximate=\"tanh\")",
    [NS_ACT_SWIGLU] = "F.silu(%s)", [NS_ACT_GEGLU] = "F.gelu(%s)",
    [NS_ACT_GEGLU_TANH] = "F.gelu(%s, approximate=\"tanh\")",
  };
  const char *const *form = &activations[variant->activation];
  g_autofree char *first = dup_map (variant, "x", "1", NS_T_B_1), *gate = dup_map (variant, "x", "3", NS_T_B_3);
  g_autofree char *scaled = variant->ngpt
                                ? g_strdup_printf ("%d ** 0.5 * s_v * (%s)", (int) shape->d_model, first)
                                : g_strdup (first);
  g_auto (GStrv) ends = g_strsplit (*form, "%s", 2);
  g_autofree char *y = g_strconcat (ends[0], scaled, ends[1], NULL), *returned = NULL;

  if (ns_activation_is_gated (variant->activation))
    replace (&y, g_strdup_printf ("(%s * %s(%s))", y, variant->ngpt ? "s_u * " : "", gate));
  if (variant->ffn.inner_norm)
    take_norm (variant, NS_SUB_FFN, "inner", &y);
  returned = dup_map (variant, y, "2", NS_T_B_2);
  g_string_append_printf (out, "def ffn(x):\n    return %s\n\n", returned);
}

/* ---- the block ---- */

static NsPlacement
get_placement (const Block *block, NsSub sub)
{
  return ns_variant_get_placement (block->variant, sub, block->number, block->depth);
}

/* Return what a sub-layer with the input x adds: b·norm_branch (F (norm_pre (x))). */
static char *
dup_branch (const Block *block, NsSub sub, NsSub pre_norm, const char *x)
{
  const NsVariant *variant = block->variant;
  g_autofree char *u = g_strdup (x), *s = NULL;
  char number[NS_NUMBER_SIZE];

  if (ns_placement_has_pre (get_placement (block, pre_norm)))
    {
      take_norm (variant, pre_norm, "pre", &u);
      if (variant->norm_scale == NS_NORM_SCALE_LAYERNORM_SCALING)
        replace (&u, g_strconcat (u, " / l ** 0.5", NULL));
    }
  s = g_strdup_printf ("%s(%s)", sub_names[sub], u);
  if (ns_placement_has_branch (get_placement (block, sub)))
    take_norm (variant, sub, "branch", &s);
  if (variant->branch_parameter != NS_BRANCH_PARAMETER_NONE)
    return g_strdup_printf ("scale_%s * %s", sub_names[sub], s);
  if (variant->branch_scale.rule != 0)
    return g_strdup_printf ("%d ** -0.5 * %s", (int) block->depth, s);
  if (variant->branch_scale.number != 1)
    return g_strdup_printf ("%s * %s", ns_format_number (number, variant->branch_scale.number), s);
  return g_steal_pointer (&s);
}

/* Return the residual with its plus, "x + ", "a * x + " or, if it is off, "". */
static char *
dup_residual (const Block *block, NsSub sub)
{
  NsParts parts = ns_shape_get_parts (&block->experiment->shape);
  double alpha = ns_variant_get_alpha (block->variant, NS_PART_STACK, block->number, &parts);
  char number[NS_NUMBER_SIZE];

  if (!ns_variant_get_wiring (block->variant, sub).residual)
    return g_strdup ("");
  if (alpha == 1)
    return g_strdup ("x + ");
  return g_strdup_printf ("%s * x + ",
                          block->variant->residual_scale.rule != 0 ? "a" : ns_format_number (number, alpha));
}

/* Append z ← a·x + branches and its norm. */
static void
append_sum (GString *out, const Block *block, NsSub sub, const char *branches)
{
  const NsVariant *variant = block->variant;
  g_autofree char *residual = dup_residual (block, sub);
  const char *more = variant->block_residual && sub == NS_SUB_FFN ? "x_0 + " : "";
  g_autofree char *z = g_strconcat (residual, more, variant->dual_residual ? "f" : branches, NULL);

  if (ns_placement_has_post (get_placement (block, sub)))
    take_norm (variant, sub, "post", &z);
  if (variant->dual_residual)
    g_string_append_printf (out, "    f = %s\n    x, r = %s, r + f\n", branches, z);
  else
    g_string_append_printf (out, "    x = %s\n", z);
}

static void
append_streams (GString *out, const Block *block, NsSub sub)
{
  const char *name = sub_names[sub];
  g_autofree char *branch = dup_branch (block, sub, sub, "(a[..., None] * x).sum(-2)");

  if (block->variant->hyper.weights == NS_STREAM_WEIGHTS_STATIC)
    g_string_append_printf (out, "    a, r, b = mix_in_%s, mix_streams_%s, mix_out_%s\n", name, name, name);
  else
    g_string_append_printf (out,
                            "    a, r, b = mix(x, mix_in_%s, mix_streams_%s, mix_out_%s,\n"
                            "                  mix_in_w_%s, mix_streams_w_%s, mix_out_w_%s, mix_scale_%s)\n",
                            name, name, name, name, name, name, name);
  g_string_append_printf (out, "    x = r.mT @ x + b[..., None] * (%s).unsqueeze(-2)\n", branch);
}

static void
append_sub_layer (GString *out, const Block *block, NsSub sub)
{
  g_autofree char *branch = NULL;

  if (block->variant->ngpt)
    {
      g_string_append_printf (out, "    x = unit(x + step(scale_%s) * (unit(%s(x)) - x))\n", sub_names[sub],
                              sub_names[sub]);
      return;
    }
  if (block->variant->hyper.streams > 0)
    {
      append_streams (out, block, sub);
      return;
    }
  branch = dup_branch (block, sub, sub, "x");
  append_sum (out, block, sub, branch);
}

/* Return the lines that turn x into the output of the block. */
static char *
dup_body (const Block *block)
{
  const NsVariant *variant = block->variant;
  GString *out = g_string_new (NULL);

  if (variant->topology != NS_TOPOLOGY_SEQUENTIAL)
    {
      gboolean shares = variant->topology == NS_TOPOLOGY_PARALLEL;
      g_autofree char *attn = dup_branch (block, NS_SUB_ATTN, NS_SUB_ATTN, "x");
      g_autofree char *ffn = dup_branch (block, NS_SUB_FFN, shares ? NS_SUB_ATTN : NS_SUB_FFN, "x");
      g_autofree char *both = g_strdup_printf ("%s + %s", attn, ffn);

      append_sum (out, block, NS_SUB_ATTN, both);
      return g_string_free (out, FALSE);
    }
  for (NsSub sub = NS_SUB_ATTN; sub <= NS_SUB_FFN; sub++)
    if (ns_variant_has_sub (variant, sub, NS_PART_STACK))
      append_sub_layer (out, block, sub);
  return g_string_free (out, FALSE);
}

/* Append the lines of a run of blocks up to `last`, under a condition unless all blocks are alike. */
static void
append_run (GString *out, const Block *block, gint64 last, const char *body)
{
  g_auto (GStrv) lines = g_strsplit (body, "\n", -1);

  if (last < block->depth)
    g_string_append_printf (out, block->number == 1 ? "    if l <= %d:\n" : "    elif l <= %d:\n", (int) last);
  else if (block->number > 1)
    g_string_append (out, "    else:\n");
  for (char **line = lines; *line != NULL && **line != '\0'; line++)
    g_string_append_printf (out, "%s%s\n", last < block->depth || block->number > 1 ? "    " : "", *line);
}

/* Append the definition of a, by the rules of ns_variant_get_alpha(). */
static void
append_residual_scale (GString *out, const NsVariant *variant, gint64 depth)
{
  int n = (int) (variant->sublayers == NS_SUB_LAYERS_BOTH ? 2 * depth : depth);

  if (variant->residual_scale.rule == NS_RESIDUAL_SCALE_DEEPNORM)
    g_string_append_printf (out, "    a = %d ** 0.25\n", n);
  else if (variant->residual_scale.rule == NS_RESIDUAL_SCALE_ADMIN)
    g_string_append_printf (out, "    a = (%d / math.log(%d) - 1) ** 0.5\n", n + 1, n + 1);
  else if (variant->residual_scale.rule == NS_RESIDUAL_SCALE_ADMIN_CONSTANT)
    g_string_append_printf (out, "    a = %d ** 0.5\n", n);
  else if (variant->residual_scale.rule == NS_RESIDUAL_SCALE_KEEL)
    g_string_append_printf (out, "    a = %d\n", n);
}

static void
append_block (GString *out, const NsExperiment *experiment, const NsVariant *variant)
{
  Block block = { experiment, variant, experiment->shape.depth, 1 };

  g_string_append (out, variant->dual_residual ? "def block(x, r, l):\n" : "def block(x, l):\n");
  append_residual_scale (out, variant, block.depth);
  if (variant->block_residual)
    g_string_append (out, "    x_0 = x\n");
  for (Block next = block; block.number <= block.depth; block.number = next.number)
    {
      g_autofree char *body = dup_body (&block);
      gboolean is_same = TRUE;

      for (next.number = block.number + 1; next.number <= block.depth && is_same; next.number += is_same)
        {
          g_autofree char *other = dup_body (&next);

          is_same = strcmp (body, other) == 0;
        }
      append_run (out, &block, next.number - 1, body);
    }
  g_string_append (out, variant->dual_residual ? "    return x, r\n" : "    return x\n");
}

/* ---- what else the block calls ---- */

static void
append_mix (GString *out, const NsVariant *variant)
{
  char eps[NS_NUMBER_SIZE];

  ns_format_number (eps, variant->norm_eps);
  if (variant->hyper.weights == NS_STREAM_WEIGHTS_DYNAMIC)
    g_string_append_printf (out,
                            "def mix(x, a, r, b, w_a, w_r, w_b, s):\n"
                            "    x = F.layer_norm(x, x.shape[-1:], eps=%s)\n"
                            "    return (a + s[0] * torch.tanh(x @ w_a)[..., 0], r + s[0] * torch.tanh(x @ w_r),\n"
                            "            b + s[1] * torch.tanh(x @ w_b)[..., 0])\n\n",
                            eps);
  if (variant->hyper.weights == NS_STREAM_WEIGHTS_MANIFOLD)
    g_string_append_printf (out,
                            "def mix(x, a, r, b, w_a, w_r, w_b, s):\n"
                            "    x = x.flatten(-2)\n"
                            "    x = x / (x.square().mean(-1, keepdim=True) + %s).sqrt()\n"
                            "    m = (s[1] * (x @ w_r).unflatten(-1, r.shape) + r).exp()\n"
                            "    for _ in range(20):  # rows and columns of sum 1\n"
                            "        m = m / m.sum(-1, keepdim=True)\n"
                            "        m = m / m.sum(-2, keepdim=True)\n"
                            "    a, b = torch.sigmoid(s[0] * (x @ w_a) + a), 2 * torch.sigmoid(s[2] * (x @ w_b) + b)\n"
                            "    return a, m, b\n\n",
                            eps);
}

static void
append_unit (GString *out, const NsVariant *variant, int d_model)
{
  char number[NS_NUMBER_SIZE];

  g_string_append_printf (out,
                          "def unit(x):\n"
                          "    return x / x.norm(dim=-1, keepdim=True)\n\n"
                          "def step(scale):\n"
                          "    return (%s * %d ** 0.5 * scale).abs()\n\n",
                          ns_format_number (number, variant->branch_scale.number), d_model);
}

/* Refuse what takes more than a few lines. */
static gboolean
check_short (const NsExperiment *experiment, guint index, GError **error)
{
  const NsVariant *variant = ns_experiment_variant (experiment, index);
  const struct
  {
    const char *key;
    gboolean is_long;
  } keys[] = {
    { "shape.stack", experiment->shape.stack == NS_STACK_ENCODER_DECODER },
    { "experts", variant->experts.count > 0 },
    { "rotary", variant->rotary.pairs != NS_ROTARY_NONE },
    { "position_bias", variant->position_bias != NS_POSITION_BIAS_NONE },
    { "window", variant->window.size > 0 },
    { "score_cap", !isnan (variant->score_cap) },
    { "init.mup_base", variant->init.mup_base != 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (keys[i].is_long)
      {
        const NsParam *param = ns_param_find (keys[i].key);
        gboolean is_shared = param->section != NS_SECTION_VARIANT;
        g_autofree char *value = ns_param_dup_text (param, is_shared ? (gconstpointer) experiment : variant);

        g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                     _ ("%s: a block with %s has no short form in PyTorch; allowed: %s, or a whole script"),
                     keys[i].key, value, is_shared ? "single" : "null");
        return FALSE;
      }
  return TRUE;
}

/* Return the built-in variant whose settings the variant has, or NULL. */
static const NsBuiltinVariant *
find_equal_builtin (const NsVariant *variant)
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);
  g_autofree char *name = ns_variant_dup_automatic_name (variant);

  for (gsize i = 0; i < n; i++)
    if (strcmp (builtins[i].name, name) == 0)
      return &builtins[i];
  return NULL;
}

char *
ns_torch_block_dup (const NsExperiment *experiment, guint index, GError **error)
{
  const NsVariant *variant = ns_experiment_variant (experiment, index);
  const NsBuiltinVariant *builtin = find_equal_builtin (variant);
  const NsShape *shape = &experiment->shape;
  g_autofree char *streams = NULL;
  GString *out;

  if (!check_short (experiment, index, error))
    return NULL;
  out = g_string_new (NULL);
  streams = variant->hyper.streams > 0 ? g_strdup_printf ("%d, ", (int) variant->hyper.streams) : g_strdup ("");
  g_string_append_printf (out, "# %s%s%s\n# x: [batch, tokens, %s%d]; block l of %d\n", variant->name,
                          builtin != NULL ? ": " : "", builtin != NULL ? builtin->equation : "", streams,
                          (int) shape->d_model, (int) shape->depth);
  if (variant->residual_scale.rule == NS_RESIDUAL_SCALE_ADMIN)
    g_string_append (out, "import math\n");
  g_string_append (out, "import torch\nfrom torch.nn import functional as F\n\n");
  if (variant->ngpt)
    append_unit (out, variant, (int) shape->d_model);
  else
    append_norm (out, variant);
  append_mix (out, variant);
  if (ns_variant_has_sub (variant, NS_SUB_ATTN, NS_PART_STACK))
    append_attention (out, variant, shape);
  if (ns_variant_has_sub (variant, NS_SUB_FFN, NS_PART_STACK))
    append_ffn (out, variant, shape);
  append_block (out, experiment, variant);
  return g_string_free (out, FALSE);
}
