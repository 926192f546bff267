/* Test the wiring diagrams against the norms and residuals of the engine.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-engine.h"
#include "figures/ns-format.h"
#include "figures/ns-wiring.h"
#include "plot/ns-text.h"
#include "tests.h"

#include <math.h>
#include <string.h>

#define DEPTH          8
#define NORM_STYLE     4    /* style of a norm's box in ns-wiring-private.h */
#define GRADIENT_STYLE 1    /* style of a gradient norm in ns-wiring-values.c */
#define UNIT_PX        40.0 /* scale for measuring text */

static NsExperiment *
make (const char *settings, NsStack stack)
{
  NsExperiment *experiment = ns_experiment_new ();
  g_autoptr (GError) error = NULL;
  NsVariant *variant = ns_variant_from_text (settings, &error);

  g_assert_no_error (error);
  experiment->shape.stack = stack;
  experiment->shape.depth = DEPTH;
  g_ptr_array_set_size (experiment->variants, 0);
  g_ptr_array_add (experiment->variants, variant);
  return experiment;
}

static NsDiagram *
draw (const NsExperiment *experiment)
{
  return ns_wiring_diagram (&experiment->shape, ns_experiment_variant (experiment, 0), NS_WIRING_WHOLE);
}

/* ---- the diagram ---- */

static guint
count (const NsDiagram *diagram, NsDiagramKind kind, int style)
{
  guint n = 0;

  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      NsDiagramPart part;

      ns_diagram_get_part (diagram, i, &part);
      n += part.kind == kind && (style < 0 || part.style == style) ? 1 : 0;
    }
  return n;
}

static gboolean
has_text (const NsDiagram *diagram, const char *text)
{
  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      NsDiagramPart part;

      ns_diagram_get_part (diagram, i, &part);
      if (g_strcmp0 (part.text, text) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Return TRUE if a straight wire runs along y from x0 to x1. */
static gboolean
has_wire (const NsDiagram *diagram, double x0, double x1, double y)
{
  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      NsDiagramPart part;

      ns_diagram_get_part (diagram, i, &part);
      for (guint p = 0; p + 1 < part.n; p++)
        if (part.xy[2 * p + 1] == y && part.xy[2 * p + 3] == y && part.xy[2 * p] <= x0 && part.xy[2 * p + 2] >= x1)
          return TRUE;
    }
  return FALSE;
}

/* Return the index-th part of a kind. */
static NsDiagramPart
nth (const NsDiagram *diagram, NsDiagramKind kind, guint index)
{
  NsDiagramPart part = { 0 };

  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      ns_diagram_get_part (diagram, i, &part);
      if (part.kind == kind && index-- == 0)
        return part;
    }
  g_assert_not_reached ();
}

/* ---- the engine ---- */

static const NsNormPlace in_blocks[] = {
  NS_NORM_ATTN_PRE,  NS_NORM_ATTN_BRANCH,  NS_NORM_ATTN_POST,  NS_NORM_ATTN_INNER,
  NS_NORM_CROSS_PRE, NS_NORM_CROSS_BRANCH, NS_NORM_CROSS_POST, NS_NORM_CROSS_INNER,
  NS_NORM_FFN_PRE,   NS_NORM_FFN_BRANCH,   NS_NORM_FFN_POST,   NS_NORM_FFN_INNER,
};

static gboolean
has_norm (const NsExperiment *experiment, NsNormPlace norm, gint64 site)
{
  /* A gain, or the tensor that replaces it. */
  const NsVariant *variant = ns_experiment_variant (experiment, 0);
  NsTensorSlot slot = ns_norm_info (norm)->slot;

  if (variant->ngpt) /* norms without parameters, on the branches and after the sums */
    return (slot == NS_SLOT_BRANCH || slot == NS_SLOT_POST) && ns_norm_info (norm)->sub != NS_SUB_CROSS;
  return ns_tensor_exists (ns_norm_info (norm)->gain, experiment, 0, site)
         || ns_tensor_exists (ns_norm_info (norm)->alpha, experiment, 0, site);
}

/* Return the norms of a block as bits. */
static guint
get_norms (const NsExperiment *experiment, gint64 site)
{
  guint norms = 0;

  for (guint i = 0; i < G_N_ELEMENTS (in_blocks); i++)
    norms |= has_norm (experiment, in_blocks[i], site) ? 1u << i : 0;
  return norms;
}

/* Count the norms and the kinds of blocks that the diagram must show. */
static void
count_norms (const NsExperiment *experiment, guint *n_norms, guint *n_kinds)
{
  gint64 head = ns_experiment_get_head_site (experiment);

  *n_norms = *n_kinds = 0;
  for (gint64 p = 0; p < ns_experiment_get_n_parts (experiment); p++)
    {
      NsPart part = ns_experiment_get_part (experiment, p);
      guint before = G_MAXUINT;

      *n_norms += has_norm (experiment, NS_NORM_INPUT, ns_experiment_get_site (experiment, part, 0)) ? 1 : 0;
      for (gint64 layer = 1; layer <= DEPTH; layer++)
        {
          guint norms = get_norms (experiment, ns_experiment_get_site (experiment, part, layer));

          if (norms == before)
            continue;
          before = norms;
          ++*n_kinds;
          for (; norms != 0; norms &= norms - 1)
            ++*n_norms;
        }
    }
  *n_norms += has_norm (experiment, NS_NORM_ENCODER_FINAL, head) ? 1 : 0;
  *n_norms += has_norm (experiment, NS_NORM_FINAL, head) ? 1 : 0;
}

static void
assert_counts (const NsExperiment *experiment, const char *id)
{
  g_autoptr (NsDiagram) diagram = draw (experiment);
  guint n_norms, n_kinds, n_boxes = count (diagram, NS_DIAGRAM_BOX, NORM_STYLE);
  gboolean has_decoder = experiment->shape.stack == NS_STACK_ENCODER_DECODER;
  const NsVariant *variant = ns_experiment_variant (experiment, 0);

  count_norms (experiment, &n_norms, &n_kinds);
  if (n_boxes != n_norms || count (diagram, NS_DIAGRAM_FRAME, -1) != n_kinds)
    g_error ("%s, %s: %u norms and %u blocks are drawn instead of %u and %u", id,
             has_decoder ? "encoder-decoder" : "single", n_boxes, count (diagram, NS_DIAGRAM_FRAME, -1), n_norms,
             n_kinds);
  g_assert_true (has_text (diagram, "Head"));
  g_assert_cmpint (has_text (diagram, "Attn"), ==, variant->sublayers != NS_SUB_LAYERS_FFN);
  g_assert_cmpint (has_text (diagram, "FFN"), ==, variant->sublayers != NS_SUB_LAYERS_ATTENTION);
  g_assert_true (has_text (diagram, "Cross") == has_decoder);
  g_assert_true (has_text (diagram, "y₀") == has_decoder);
}

/* Check every built-in variant in every shape that admits it. */
static void
for_all (void (*check) (const NsExperiment *experiment, const char *id))
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);
  guint n_checked = 0;

  for (gsize i = 0; i < n; i++)
    for (int stack = NS_STACK_SINGLE; stack <= NS_STACK_ENCODER_DECODER; stack++)
      {
        g_autoptr (NsExperiment) experiment = make (builtins[i].id, (NsStack) stack);

        if (!ns_experiment_validate (experiment, NULL))
          continue;
        check (experiment, builtins[i].id);
        n_checked++;
      }
  g_assert_cmpuint (n_checked, >, n);
}

static void
test_norms (void)
{
  for_all (assert_counts);
}

static void
test_norms_elsewhere (void)
{
  static const char *const settings[] = {
    "pre:input_norm=true",
    "post:final_norm=on",
    "pre:final_norm=off",
    "pre:ffn.norm=post",
    "post:attn.norm=sandwich",
    "pre:norm=dyt",
    "pre:attn.inner_norm=true",
    "mix:post_fraction=0.5",
    "hybrid-star",
    "mix:first_block_pre=true",
    "residual:final_norm=off",
    "none:attn.norm=branch",
    "pre:ffn.inner_norm=true",
    "mix:post_fraction=0",
    "mix:post_fraction=1",
    "pre:cross.norm=post",
    "parallel:attn.norm=post,ffn.norm=post",
    "parallel:attn.norm=branch,ffn.norm=branch",
    "parallel-two-norms:attn.norm=sandwich,ffn.norm=sandwich",
    "parallel-two-norms:attn.norm=post,ffn.norm=post",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    for (int stack = NS_STACK_SINGLE; stack <= NS_STACK_ENCODER_DECODER; stack++)
      {
        g_autoptr (NsExperiment) experiment = make (settings[i], (NsStack) stack);

        if (ns_experiment_validate (experiment, NULL))
          assert_counts (experiment, settings[i]);
        else
          g_assert_true (stack == NS_STACK_ENCODER_DECODER && g_str_has_prefix (settings[i], "parallel"));
      }
}

/* ---- residuals ---- */

/* Return TRUE if an uninterrupted wire joins the fork before a branch to its sum. */
static gboolean
has_shortcut (const char *settings, guint sub)
{
  g_autoptr (NsExperiment) experiment = make (settings, NS_STACK_SINGLE);
  g_autoptr (NsDiagram) diagram = draw (experiment);
  NsDiagramPart sum = nth (diagram, NS_DIAGRAM_SUM, sub);

  /* longer than half of the longest branch, which a gap leaves */
  return has_wire (diagram, sum.x - 2.4, sum.x, sum.y);
}

static void
test_shortcut (void)
{
  g_assert_true (has_shortcut ("pre", 0));
  g_assert_true (has_shortcut ("pre", 1));
  g_assert_false (has_shortcut ("pre:attn.residual=false", 0));
  g_assert_true (has_shortcut ("pre:attn.residual=false", 1));
  g_assert_true (has_shortcut ("post:ffn.residual=false", 0));
  g_assert_false (has_shortcut ("post:ffn.residual=false", 1));
}

static guint
count_arrows_under (const NsDiagram *diagram, double y)
{
  guint n = 0;

  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      NsDiagramPart part;

      ns_diagram_get_part (diagram, i, &part);
      if (part.n == 4 && part.xy[1] == y && part.xy[3] > y && part.xy[7] == y && (part.flags & NS_WIRE_ARROW) != 0)
        n++;
    }
  return n;
}

static void
test_second_lines (void)
{
  g_autoptr (NsExperiment) post = make ("post", NS_STACK_SINGLE);
  g_autoptr (NsExperiment) dual = make ("residual", NS_STACK_SINGLE);
  g_autoptr (NsExperiment) b2t = make ("b2t", NS_STACK_SINGLE);
  g_autoptr (NsDiagram) plain = draw (post), doubled = draw (dual), around = draw (b2t);
  NsDiagramPart first = nth (doubled, NS_DIAGRAM_SUM, 0), second = nth (doubled, NS_DIAGRAM_SUM, 1);
  NsDiagramPart last = nth (around, NS_DIAGRAM_SUM, 1);

  /* Two sums per stream, and one where the streams join. */
  g_assert_cmpuint (count (plain, NS_DIAGRAM_SUM, -1), ==, 2);
  g_assert_cmpuint (count (doubled, NS_DIAGRAM_SUM, -1), ==, 5);
  g_assert_cmpfloat (first.x, ==, second.x);
  g_assert_cmpfloat (second.y, >, first.y);
  g_assert_true (has_wire (doubled, first.x, nth (doubled, NS_DIAGRAM_SUM, 2).x, second.y));
  g_assert_cmpuint (count (around, NS_DIAGRAM_SUM, -1), ==, 2);
  g_assert_cmpuint (count_arrows_under (around, last.y), ==, 1);
  g_assert_cmpuint (count_arrows_under (plain, nth (plain, NS_DIAGRAM_SUM, 1).y), ==, 0);
}

static void
test_mixed (void)
{
  g_autoptr (NsExperiment) experiment = make ("mix", NS_STACK_SINGLE);
  g_autoptr (NsDiagram) diagram = draw (experiment);

  g_assert_true (has_text (diagram, "blocks 1 to 2"));
  g_assert_true (has_text (diagram, "blocks 3 to 8"));
}

static void
test_first_block (void)
{
  g_autoptr (NsExperiment) experiment = make ("hybrid-star", NS_STACK_SINGLE);
  g_autoptr (NsDiagram) diagram = draw (experiment), mixed = NULL, same = NULL;

  g_assert_true (has_text (diagram, "block 1"));
  g_assert_true (has_text (diagram, "blocks 2 to 8"));
  ns_experiment_variant (experiment, 0)->post_fraction = 0.5;
  mixed = draw (experiment);
  g_assert_true (has_text (mixed, "blocks 1 to 4") && has_text (mixed, "blocks 5 to 8"));
  experiment->shape.depth = 1;
  same = draw (experiment);
  g_assert_false (has_text (same, "block 1"));
}

/* A block of one sub-layer has the box of that one alone. */
static void
test_one_sub_layer (void)
{
  g_autoptr (NsExperiment) attention = make ("attention-only", NS_STACK_SINGLE);
  g_autoptr (NsExperiment) ffn = make ("ffn-only", NS_STACK_SINGLE);
  g_autoptr (NsDiagram) first = draw (attention), second = draw (ffn);

  g_assert_true (has_text (first, "Attn") && !has_text (first, "FFN"));
  g_assert_true (has_text (second, "FFN") && !has_text (second, "Attn"));
}

/* ---- texts ---- */

typedef struct
{
  double x0, y0, x1, y1;
} Extent;

static Extent
get_extent (const NsDiagramPart *part, PangoContext *context)
{
  double width = part->width, height = part->height;

  if (part->kind != NS_DIAGRAM_BOX && part->kind != NS_DIAGRAM_SUM)
    {
      PangoLayout *layout = ns_text_new (context, part->text, TRUE, part->type * UNIT_PX, FALSE, -1, FALSE);

      ns_text_get_size (layout, &width, NULL);
      width /= UNIT_PX;
      height = part->type * 0.8; /* height of the letters, not of the line */
      g_object_unref (layout);
    }
  return (Extent){ part->x - width / 2, part->y - height / 2, part->x + width / 2, part->y + height / 2 };
}

static gboolean
overlap (const Extent *a, const Extent *b)
{
  return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

/* No label overlaps a box, a sum or another label; all lie inside the picture; each box encloses its text. */
static void
assert_texts_of (const NsDiagram *diagram, const char *id)
{
  NsTheme theme;
  PangoContext *context;
  double width, height;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  context = ns_text_context_new (&theme);
  ns_diagram_get_size (diagram, &width, &height);
  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      NsDiagramPart part;
      Extent own;

      ns_diagram_get_part (diagram, i, &part);
      if (part.kind == NS_DIAGRAM_BOX)
        {
          NsDiagramPart text = part;
          Extent inner;

          text.kind = NS_DIAGRAM_LABEL;
          inner = get_extent (&text, context);
          if (inner.x1 - inner.x0 > part.width - 0.2)
            g_error ("%s: “%s” does not fit its box: %g, %g", id, part.text, inner.x1 - inner.x0, part.width);
        }
      if (part.kind != NS_DIAGRAM_LABEL)
        continue;
      own = get_extent (&part, context);
      if (own.x0 < 0 || own.y0 < 0 || own.x1 > width || own.y1 > height)
        g_error ("%s: “%s” sticks out: %g..%g, %g..%g of %g × %g", id, part.text, own.x0, own.x1, own.y0, own.y1, width,
                 height);
      for (guint j = 0; j < ns_diagram_get_n_parts (diagram); j++)
        {
          NsDiagramPart other;
          Extent its;

          ns_diagram_get_part (diagram, j, &other);
          if (j == i || other.kind == NS_DIAGRAM_FRAME || other.kind == NS_DIAGRAM_WIRE
              || other.kind == NS_DIAGRAM_SPOT)
            continue;
          its = get_extent (&other, context);
          if (overlap (&own, &its))
            g_error ("%s: “%s” lies on “%s”", id, part.text, other.text != NULL ? other.text : "+");
        }
    }
  g_object_unref (context);
}

static void
assert_texts (const NsExperiment *experiment, const char *id)
{
  g_autoptr (NsDiagram) diagram = draw (experiment);

  assert_texts_of (diagram, id);
}

static void
test_texts (void)
{
  for_all (assert_texts);
}

/* ---- measured values ---- */

static NsResult *
run (const NsExperiment *experiment)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsExperiment) small = ns_experiment_copy (experiment);
  g_autoptr (GError) error = NULL;
  NsResult *result;

  small->shape.depth = 3;
  small->shape.d_model = small->shape.d_ff = 16;
  small->shape.heads = 2;
  small->shape.seq_len = 4;
  small->shape.batch = 1;
  small->shape.vocab = 16;
  small->sampling.seeds = 2;
  result = ns_engine_run (engine, small, 0, 2, NULL, &error);
  g_assert_no_error (error);
  return result;
}

/* The number of values: above and below the stream before the block, and each sub-layer's residual, branch and output;
 * a residual that is off has none, and a parallel block has one residual and one output. */
static guint
count_wires (const NsVariant *variant, gboolean is_decoder)
{
  if (variant->topology != NS_TOPOLOGY_SEQUENTIAL)
    return 4 + (variant->attn.residual ? 1 : 0);
  if (variant->sublayers != NS_SUB_LAYERS_BOTH)
    return 3 + (variant->sublayers == NS_SUB_LAYERS_FFN ? variant->ffn.residual : variant->attn.residual);
  return 1 + 2 * (is_decoder ? 3 : 2) + (variant->attn.residual ? 1 : 0) + (variant->ffn.residual ? 1 : 0)
         + (is_decoder && ns_variant_get_wiring (variant, NS_SUB_CROSS).residual ? 1 : 0);
}

static void
assert_measured (const NsExperiment *experiment, const char *id)
{
  g_autoptr (NsResult) result = run (experiment);
  g_autoptr (NsDiagram) diagram = ns_wiring_diagram_of_result (result, 2, -1, FALSE);
  const NsVariant *variant = ns_experiment_variant (experiment, 0);
  gboolean has_two = experiment->shape.stack == NS_STACK_ENCODER_DECODER;
  guint n = count_wires (variant, FALSE) + (has_two ? count_wires (variant, TRUE) : 0), found;

  assert_texts_of (diagram, id);
  found = count (diagram, NS_DIAGRAM_LABEL, GRADIENT_STYLE);
  if (found != n)
    g_error ("%s: %u gradients instead of %u", id, found, n);
  g_assert_false (has_text (diagram, "NaN"));
}

/* What an attention does to queries and keys is written at its box: norms, then rotary positions, which
 * cross-attention does not have. */
static void
test_scores_label (void)
{
  static const struct
  {
    const char *settings, *label;
    NsStack stack;
    guint n; /* labels in both parts */
  } rows[] = {
    { "pre", "RoPE", NS_STACK_SINGLE, 0 },
    { "pre:rotary=half", "RoPE", NS_STACK_SINGLE, 1 },
    { "pre:rotary=interleaved,topology=parallel", "RoPE", NS_STACK_SINGLE, 1 },
    { "parallel:rotary=half,norm_scale=layernorm-scaling,qk_norm=head", "QK-norm, RoPE", NS_STACK_SINGLE, 1 },
    { "parallel-two-norms:rotary=half,qk_norm=qkv-head", "QKV-norm, RoPE", NS_STACK_SINGLE, 1 },
    { "parallel-two-norms:rotary=half", "RoPE", NS_STACK_SINGLE, 1 },
    { "qk-norm", "QK-norm", NS_STACK_SINGLE, 1 },
    { "qk-norm:rotary=half", "QK-norm, RoPE", NS_STACK_SINGLE, 1 },
    { "olmo2:rotary=half", "QK-norm, RoPE", NS_STACK_SINGLE, 1 },
    { "hybrid:rotary=half", "QKV-norm, RoPE", NS_STACK_SINGLE, 1 },
    { "swin-v2:rotary=half", "cosine, RoPE", NS_STACK_SINGLE, 1 },
    { "post:rotary=half", "RoPE", NS_STACK_ENCODER_DECODER, 2 },
    { "pre:window=4", "SWA", NS_STACK_SINGLE, 1 },
    { "pre:window=4,window_full_every=1", "SWA", NS_STACK_SINGLE, 0 },
    { "parallel:window=4096,rotary=half", "RoPE, SWA", NS_STACK_SINGLE, 1 },
    { "qk-norm:window=8", "QK-norm, SWA", NS_STACK_ENCODER_DECODER, 2 },
    { "qk-norm:window=8,rotary=half", "QK, RoPE, SWA", NS_STACK_ENCODER_DECODER, 2 },
    { "swin-v2:window=8,position_bias=alibi", "cos, ALiBi, SWA", NS_STACK_SINGLE, 1 },
    { "qk-norm:rotary=half", "QK-norm, RoPE", NS_STACK_ENCODER_DECODER, 2 },
    { "qk-norm:rotary=half", "QK-norm", NS_STACK_ENCODER_DECODER, 1 },
    { "pre:position_bias=alibi", "ALiBi", NS_STACK_SINGLE, 1 },
    { "pre:position_bias=t5", "T5 bias", NS_STACK_SINGLE, 1 },
    { "ngpt", "QK-L2", NS_STACK_SINGLE, 1 },
    { "ngpt:rotary=half", "QK-L2, RoPE", NS_STACK_SINGLE, 1 },
    { "ngpt", "⊙(1 − λ)", NS_STACK_SINGLE, 2 },
    { "ngpt", "⊙λ", NS_STACK_SINGLE, 2 },
    { "hyper", "A<sub>m</sub>", NS_STACK_SINGLE, 2 },
    { "hyper", "B", NS_STACK_SINGLE, 2 },
    { "hyper:branch_scale=0.5", "×0.5 B", NS_STACK_SINGLE, 2 },
    { "hyper-dynamic", "A<sub>m</sub>(x)", NS_STACK_SINGLE, 2 },
    { "mhc", "A<sub>r</sub>(x)", NS_STACK_SINGLE, 2 },
    { "keel", "×α", NS_STACK_SINGLE, 2 },
    { "mhc:branch_scale=0.5", "×0.5 B(x)", NS_STACK_SINGLE, 2 },
    { "hyper", "8 blocks, 4 streams", NS_STACK_SINGLE, 1 },
    { "pre:experts=8", "2 of 8", NS_STACK_SINGLE, 1 },
    { "parallel:experts=8,experts_per_token=1", "1 of 8", NS_STACK_SINGLE, 1 },
    { "pre:experts=8", "2 of 8", NS_STACK_ENCODER_DECODER, 2 },
    { "pre:position_bias=t5", "T5 bias", NS_STACK_ENCODER_DECODER, 2 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (NsExperiment) experiment = make (rows[i].settings, rows[i].stack);
      g_autoptr (NsDiagram) diagram = draw (experiment);
      guint n = 0;

      for (guint p = 0; p < ns_diagram_get_n_parts (diagram); p++)
        {
          NsDiagramPart part;

          ns_diagram_get_part (diagram, p, &part);
          n += part.kind == NS_DIAGRAM_LABEL && g_strcmp0 (part.text, rows[i].label) == 0 ? 1 : 0;
        }
      g_test_message ("%s", rows[i].settings);
      g_assert_cmpuint (n, ==, rows[i].n);
      assert_texts_of (diagram, rows[i].settings);
      assert_measured (experiment, rows[i].settings);
    }
}

static void
test_measured (void)
{
  for_all (assert_measured);
}

static void
assert_value (const NsDiagram *diagram, const NsResult *result, NsQuantity quantity, gint64 site, double factor)
{
  NsStat stat;
  g_autofree char *text = NULL;

  g_assert_true (ns_result_get_stat (result, 0, quantity, site, &stat));
  text = ns_format_log10 (stat.log10_mean + log10 (factor), 2);
  if (!has_text (diagram, text))
    g_error ("%s at %d: there is no “%s”", ns_quantity_info (quantity)->name, (int) site, text);
}

/* Each wire has its own quantities, and a cut residual two ends and no values. */
static void
test_values (void)
{
  g_autoptr (NsExperiment) experiment = make ("pre:attn.residual=off,residual_scale=3", NS_STACK_SINGLE);
  g_autoptr (NsResult) result = run (experiment);
  g_autoptr (NsDiagram) diagram = ns_wiring_diagram_of_result (result, 2, -1, FALSE);
  guint n_dead = 0;

  assert_value (diagram, result, NS_Q_RMS_X, 1, 1);
  assert_value (diagram, result, NS_Q_GRAD_X, 1, 1);
  assert_value (diagram, result, NS_Q_RMS_ATTN, 2, 1);
  assert_value (diagram, result, NS_Q_GRAD_Z_ATTN, 2, 1);
  assert_value (diagram, result, NS_Q_RMS_Y_ATTN, 2, 1);
  assert_value (diagram, result, NS_Q_RMS_Y_ATTN, 2, 3); /* times the residual scale */
  assert_value (diagram, result, NS_Q_GRAD_Y_ATTN, 2, 1);
  assert_value (diagram, result, NS_Q_RMS_FFN, 2, 1);
  assert_value (diagram, result, NS_Q_GRAD_Z_FFN, 2, 1);
  assert_value (diagram, result, NS_Q_GRAD_Z_FFN, 2, 3);
  assert_value (diagram, result, NS_Q_RMS_X, 2, 1);
  assert_value (diagram, result, NS_Q_GRAD_X, 2, 1);
  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      NsDiagramPart part;

      ns_diagram_get_part (diagram, i, &part);
      n_dead += (part.flags & NS_WIRE_DEAD) != 0 ? 1 : 0;
    }
  g_assert_cmpuint (n_dead, ==, 2);
}

/* ---- the strip ---- */

static NsExperiment *
shrink (const NsExperiment *experiment)
{
  NsExperiment *small = ns_experiment_copy (experiment);

  small->shape.depth = 3;
  return small;
}

/* Every part that can be touched has an id of its own and a name, and lies beside the others. */
static void
assert_touchable (const NsDiagram *diagram, const char *id)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) ids = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      NsWiringPart what;
      NsDiagramPart part;
      g_autofree char *words = NULL;
      char *name;

      ns_diagram_get_part (diagram, i, &part);
      if (!ns_wiring_part_unpack (part.id, &what) || !g_hash_table_add (ids, GUINT_TO_POINTER (part.id)))
        continue;
      g_assert_cmpuint (ns_wiring_part_pack (what), ==, part.id);
      words = ns_wiring_part_dup_name (what);
      name = g_strdup_printf ("%s %d", words, what.part);
      if (!g_hash_table_add (names, name))
        g_error ("%s: two parts are “%s”", id, name);
    }
}

static gboolean
has_part (const NsDiagram *diagram, NsWiringPartKind kind, int part, int which)
{
  NsRect rect;

  return ns_diagram_get_rect (diagram, 1000, 100, ns_wiring_part_pack ((NsWiringPart){ kind, part, which }), &rect);
}

/* Parts that can be clicked do not overlap, so that each can be hit. */
static void
assert_apart (const NsDiagram *diagram, const char *id)
{
  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    for (guint j = 0; j < i; j++)
      {
        NsDiagramPart a, b;
        NsRect one, other;

        ns_diagram_get_part (diagram, i, &a);
        ns_diagram_get_part (diagram, j, &b);
        if (a.id == b.id || !ns_diagram_get_rect (diagram, 1000, 1000, a.id, &one)
            || !ns_diagram_get_rect (diagram, 1000, 1000, b.id, &other))
          continue;
        if (one.x + one.width > other.x && other.x + other.width > one.x && one.y + one.height > other.y
            && other.y + other.height > one.y)
          {
            NsWiringPart first, second;
            g_autofree char *first_name = NULL;
            g_autofree char *second_name = NULL;

            ns_wiring_part_unpack (a.id, &first);
            ns_wiring_part_unpack (b.id, &second);
            first_name = ns_wiring_part_dup_name (first);
            second_name = ns_wiring_part_dup_name (second);
            g_error ("%s: “%s” overlaps “%s”", id, first_name, second_name);
          }
      }
}

/* Return FALSE for the sub-layer that the blocks lack. */
static gboolean
has_sub (const NsVariant *variant, NsSub sub)
{
  return sub == NS_SUB_NONE || sub == NS_SUB_CROSS || ns_variant_has_sub (variant, sub, NS_PART_STACK);
}

static void
assert_strip (const NsExperiment *experiment, const char *id)
{
  g_autoptr (NsResult) result = run (experiment);
  gboolean has_two = experiment->shape.stack == NS_STACK_ENCODER_DECODER;
  const NsVariant *variant = ns_experiment_variant (experiment, 0);
  double width, height, measured_width, measured_height;

  for (gint64 block = 1; block <= 3; block += 2)
    {
      g_autoptr (NsExperiment) small = shrink (experiment);
      g_autoptr (NsDiagram) bare = ns_wiring_diagram_strip (small, 0, block, NULL);
      g_autoptr (NsDiagram) diagram = ns_wiring_diagram_strip (ns_result_get_experiment (result), 0, block, result);

      assert_texts_of (bare, id);
      assert_texts_of (diagram, id);
      assert_touchable (diagram, id);
      assert_apart (diagram, id);
      /* Values change nothing but themselves: nothing moves under the pointer. */
      ns_diagram_get_size (bare, &width, &height);
      ns_diagram_get_size (diagram, &measured_width, &measured_height);
      g_assert_cmpfloat (width, ==, measured_width);
      g_assert_cmpfloat (height, ==, measured_height);
      g_assert_cmpint (has_part (diagram, NS_WIRING_PART_RESIDUAL, 0, NS_SUB_ATTN), ==,
                       variant->sublayers != NS_SUB_LAYERS_FFN);
      g_assert_true (has_part (diagram, NS_WIRING_PART_RESIDUAL, 1, NS_SUB_CROSS) == has_two);
      g_assert_cmpint (has_part (diagram, NS_WIRING_PART_SUB_LAYER, has_two, NS_SUB_FFN), ==,
                       variant->sublayers != NS_SUB_LAYERS_ATTENTION);
      g_assert_true (has_part (diagram, NS_WIRING_PART_INPUT, has_two, 0));
      g_assert_true (has_part (diagram, NS_WIRING_PART_HEAD, has_two, 0));
      g_assert_true (has_part (diagram, NS_WIRING_PART_DEPTH, has_two, 0));
      /* a place has a norm, or room for one */
      for (int place = 0; place < NS_N_NORMS; place++)
        if (ns_norm_info (place)->slot == NS_SLOT_POST || ns_norm_info (place)->slot == NS_SLOT_INPUT)
          {
            gboolean in_part = has_two || ns_norm_info (place)->sub != NS_SUB_CROSS;
            gboolean shared = variant->topology != NS_TOPOLOGY_SEQUENTIAL && ns_norm_info (place)->sub == NS_SUB_FFN;
            gboolean missing = !has_sub (variant, ns_norm_info (place)->sub);

            g_assert_cmpint (has_part (diagram, NS_WIRING_PART_NORM, has_two, place)
                                 + has_part (diagram, NS_WIRING_PART_SOCKET, has_two, place),
                             ==, in_part && !shared && !missing);
          }
      if (has_two)
        g_assert_cmpfloat (width, >, 8 * height);
    }
}

static void
test_strip (void)
{
  for_all (assert_strip);
}

/* A wire that carries zeros both ways looks dead. */
static void
test_dead (void)
{
  g_autoptr (NsExperiment) experiment
      = make ("none:attn.residual=off,ffn.residual=off,init.residual=0", NS_STACK_SINGLE);
  g_autoptr (NsResult) result = run (experiment);
  g_autoptr (NsDiagram) diagram = ns_wiring_diagram_strip (ns_result_get_experiment (result), 0, 2, result);
  guint n_dead = 0;

  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      NsDiagramPart part;

      ns_diagram_get_part (diagram, i, &part);
      n_dead += (part.flags & NS_WIRE_DEAD) != 0 ? 1 : 0;
    }
  /* four ends of cut wires, and more that carry nothing */
  g_assert_cmpuint (n_dead, >, 4);
}

/* The loss unit-gradient has no head and no final norm, nor room for it. */
static void
test_unit_gradient (void)
{
  g_autoptr (NsExperiment) experiment = make ("pre", NS_STACK_SINGLE);
  g_autoptr (NsDiagram) diagram = NULL;

  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  diagram = ns_wiring_diagram_strip (experiment, 0, 1, NULL);
  g_assert_false (has_text (diagram, "Head"));
  g_assert_false (has_part (diagram, NS_WIRING_PART_NORM, 0, NS_NORM_FINAL));
  g_assert_false (has_part (diagram, NS_WIRING_PART_SOCKET, 0, NS_NORM_FINAL));
  g_assert_true (has_part (diagram, NS_WIRING_PART_HEAD, 0, 0));
}

/* ---- several ---- */

static void
test_of_experiment (void)
{
  g_autoptr (NsExperiment) experiment = make ("pre", NS_STACK_SINGLE);
  g_autoptr (NsDiagram) all = NULL, one = NULL, bare = NULL;
  NsVariant *post = ns_variant_from_text ("post", NULL);
  double width, height, one_height;

  g_free (post->name);
  post->name = g_strdup ("a < b & c");
  g_ptr_array_add (experiment->variants, post);
  all = ns_wiring_diagram_of_experiment (experiment, -1, TRUE);
  one = ns_wiring_diagram_of_experiment (experiment, 1, TRUE);
  bare = ns_wiring_diagram_of_experiment (experiment, -1, FALSE);
  g_assert_cmpuint (count (all, NS_DIAGRAM_TITLE, -1), ==, 2);
  g_assert_true (has_text (all, "Pre-LN"));
  g_assert_true (has_text (all, "a &lt; b &amp; c"));
  g_assert_cmpuint (count (one, NS_DIAGRAM_TITLE, -1), ==, 1);
  g_assert_false (has_text (one, "Pre-LN"));
  g_assert_cmpuint (count (bare, NS_DIAGRAM_TITLE, -1), ==, 0);
  g_assert_cmpuint (count (all, NS_DIAGRAM_BOX, NORM_STYLE), ==, 5);
  g_assert_cmpuint (count (one, NS_DIAGRAM_BOX, NORM_STYLE), ==, 2);
  /* The second diagram lies below the first. */
  g_assert_cmpfloat (nth (all, NS_DIAGRAM_FRAME, 1).y, >, nth (all, NS_DIAGRAM_FRAME, 0).y + 3);
  ns_diagram_get_size (all, &width, &height);
  ns_diagram_get_size (one, &width, &one_height);
  g_assert_cmpfloat (height, >, 1.8 * one_height);
}

void
add_wiring_tests (void)
{
  g_test_add_func ("/wiring/norms", test_norms);
  g_test_add_func ("/wiring/norms-elsewhere", test_norms_elsewhere);
  g_test_add_func ("/wiring/shortcut", test_shortcut);
  g_test_add_func ("/wiring/second-lines", test_second_lines);
  g_test_add_func ("/wiring/mixed", test_mixed);
  g_test_add_func ("/wiring/first-block", test_first_block);
  g_test_add_func ("/wiring/one-sub-layer", test_one_sub_layer);
  g_test_add_func ("/wiring/texts", test_texts);
  g_test_add_func ("/wiring/scores-label", test_scores_label);
  g_test_add_func ("/wiring/measured", test_measured);
  g_test_add_func ("/wiring/values", test_values);
  g_test_add_func ("/wiring/strip", test_strip);
  g_test_add_func ("/wiring/dead", test_dead);
  g_test_add_func ("/wiring/unit-gradient", test_unit_gradient);
  g_test_add_func ("/wiring/of-experiment", test_of_experiment);
}
