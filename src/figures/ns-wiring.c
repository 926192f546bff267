/* A variant's wiring, laid out from left to right: the residual stream below, its branches above.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-wiring.h"

#include "engine/experiment/ns-derived.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Lengths in units of the line height of the text. */
#define BOX_HEIGHT 1.1
#define BRANCH     2.1 /* from the stream up to a branch */
#define SECOND     1.5 /* from a branch up to a parallel one */
#define DUAL       1.5 /* from the stream down to the second stream of a dual residual, or to the block's shortcut */
#define GAP        0.45
#define PART_GAP   1.3
#define TITLE      1.5 /* from a name down to its wiring */
#define BETWEEN    0.8

enum
{
  STYLE_ATTENTION = 0,
  STYLE_FFN = 2,
  STYLE_CROSS = 3,
  STYLE_NORM = 4
};

typedef struct
{
  NsDiagram *diagram;
  const NsShape *shape;
  const NsVariant *variant;
  NsWiringView view;
  double x, y;    /* where the stream ends so far */
  double cross_x; /* the centre of the last cross-attention */
  double cross_top;
} Pen;

/* ---- pieces ---- */

static void
wire (Pen *pen, double x0, double y0, double x1, double y1, NsWireFlags flags)
{
  const double xy[] = { x0, y0, x1, y1 };

  ns_diagram_add_wire (pen->diagram, 2, xy, flags);
}

static double
box_width (const char *text)
{
  return 0.75 + 0.44 * ns_diagram_count_letters (text);
}

/* Add a box whose left side is at *x, at height y; move *x past it. */
static void
put_box (Pen *pen, double *x, double y, const char *text, int style)
{
  double width = box_width (text);

  ns_diagram_add_box (pen->diagram, *x + width / 2, y, width, BOX_HEIGHT, text, style);
  *x += width + GAP;
}

static const char *
norm_name (const NsVariant *variant)
{
  static const char *const names[] = { "LN", "RMS", "DyT" };

  return names[variant->norm];
}

static void
put_norm (Pen *pen, double *x, double y)
{
  put_box (pen, x, y, norm_name (pen->variant), STYLE_NORM);
}

/* Add a norm on the stream. */
static void
stream_norm (Pen *pen)
{
  double from = pen->x;

  pen->x += GAP;
  put_norm (pen, &pen->x, pen->y);
  wire (pen, from, pen->y, pen->x, pen->y, NS_WIRE_PLAIN);
}

/* Return the label of a factor next to a wire: "×α", "×1.5", NULL for 1. */
static char *
dup_factor (NsScale scale, const char *symbol)
{
  if (scale.rule != 0)
    return g_strdup_printf ("×%s", symbol);
  return scale.number == 1 ? NULL : g_strdup_printf ("×%.3g", scale.number);
}

/* Add a label; takes the text, which may be NULL. */
static void
put_label (Pen *pen, double x, double y, char *text)
{
  if (text != NULL)
    ns_diagram_add_label (pen->diagram, x, y, text);
  g_free (text);
}

/* ---- a branch ---- */

typedef struct
{
  NsSub sub;
  const char *name;
  int style;
} Kind;

static const Kind kinds[] = {
  [NS_SUB_ATTN] = { NS_SUB_ATTN, N_ ("Attn"), STYLE_ATTENTION },
  [NS_SUB_CROSS] = { NS_SUB_CROSS, N_ ("Cross"), STYLE_CROSS },
  [NS_SUB_FFN] = { NS_SUB_FFN, N_ ("FFN"), STYLE_FFN },
};

/* Add the boxes of a branch from *x on at height y: norm, sub-layer, norm. Move *x past them. */
static void
put_branch (Pen *pen, double *x, double y, NsPlacement placement, const Kind *kind, gboolean with_pre)
{
  const NsVariant *v = pen->variant;
  double begin;

  if (with_pre && ns_placement_has_pre (placement))
    {
      if (v->norm_scale == NS_NORM_SCALE_LAYERNORM_SCALING)
        put_label (pen, *x + box_width (norm_name (v)) / 2, y - BOX_HEIGHT / 2 - 0.45, g_strdup ("×1/√l"));
      put_norm (pen, x, y);
    }
  begin = *x;
  put_box (pen, x, y, _ (kind->name), kind->style);
  if (kind->sub == NS_SUB_CROSS)
    {
      pen->cross_x = (begin + *x - GAP) / 2;
      pen->cross_top = y - BOX_HEIGHT / 2;
    }
  if (kind->sub != NS_SUB_FFN && v->qk_norm != NS_QK_NORM_NONE)
    put_label (pen, (begin + *x - GAP) / 2, y + BOX_HEIGHT / 2 + 0.42,
               g_strdup (v->qk_norm == NS_QK_NORM_QKV_HEAD ? "QKV-norm"
                         : v->qk_norm == NS_QK_NORM_COSINE ? "cosine"
                                                           : "QK-norm"));
  if (ns_variant_get_wiring (v, kind->sub).inner_norm)
    {
      put_norm (pen, x, y);
      put_box (pen, x, y, kind->sub == NS_SUB_FFN ? "W₂" : "W<sub>O</sub>", kind->style);
    }
  if (ns_placement_has_branch (placement))
    put_norm (pen, x, y);
}

/* ---- sub-layers ---- */

/* Draw the stream under a branch, from x0 to its sum at x1, if the residual is on. */
static void
put_shortcut (Pen *pen, double x0, double x1, gboolean residual)
{
  if (!residual)
    return;
  wire (pen, x0, pen->y, x1, pen->y, NS_WIRE_PLAIN);
  put_label (pen, (x0 + x1) / 2, pen->y - 0.42, dup_factor (pen->variant->residual_scale, "α"));
}

/* Draw the end of a branch down to its sum on the stream. */
static void
join (Pen *pen, double x, double top)
{
  const NsVariant *v = pen->variant;
  gboolean learned = v->branch_parameter != NS_BRANCH_PARAMETER_NONE;
  char *factor = learned ? g_strdup (v->branch_parameter == NS_BRANCH_PARAMETER_VECTOR ? "⊙λ" : "×λ")
                         : dup_factor (v->branch_scale, "b");

  wire (pen, x, top, x, pen->y, NS_WIRE_ARROW);
  put_label (pen, x - 0.62, (top + pen->y) / 2, factor); /* inside the loop, where there is room */
  ns_diagram_add_sum (pen->diagram, x, pen->y);
  if (v->dual_residual)
    {
      wire (pen, x, pen->y, x, pen->y + DUAL, NS_WIRE_PLAIN);
      ns_diagram_add_sum (pen->diagram, x, pen->y + DUAL);
    }
}

static void
sequential_sub (Pen *pen, const Kind *kind, NsPlacement placement)
{
  double fork = pen->x, top = pen->y - BRANCH, x = fork + GAP;

  put_branch (pen, &x, top, placement, kind, TRUE);
  x = fmax (x, fork + 2.5);
  wire (pen, fork, pen->y, fork, top, NS_WIRE_PLAIN);
  wire (pen, fork, top, x, top, NS_WIRE_PLAIN);
  join (pen, x, top);
  put_shortcut (pen, fork, x, ns_variant_get_wiring (pen->variant, kind->sub).residual);
  pen->x = x;
  if (ns_placement_has_post (placement))
    stream_norm (pen);
  else
    {
      wire (pen, pen->x, pen->y, pen->x + 2 * GAP, pen->y, NS_WIRE_PLAIN);
      pen->x += 2 * GAP;
    }
}

/* Draw two parallel branches, one above the other, with one norm in common or one each. */
static void
parallel_subs (Pen *pen, NsPlacement attn, NsPlacement ffn)
{
  gboolean own = pen->variant->topology == NS_TOPOLOGY_PARALLEL_TWO_NORMS;
  double fork = pen->x, low = pen->y - BRANCH, high = low - SECOND, x = fork, x_attn, x_ffn;

  wire (pen, fork, pen->y, fork, own ? high : low, NS_WIRE_PLAIN);
  x += GAP;
  if (!own && ns_placement_has_pre (attn))
    put_norm (pen, &x, low);
  if (!own)
    {
      wire (pen, fork, low, x, low, NS_WIRE_PLAIN);
      wire (pen, x, low, x, high, NS_WIRE_PLAIN);
      fork = x;
      x += GAP;
    }
  x_attn = x_ffn = x;
  put_branch (pen, &x_attn, high, attn, &kinds[NS_SUB_ATTN], own);
  put_branch (pen, &x_ffn, low, ffn, &kinds[NS_SUB_FFN], own);
  x = fmax (x_attn, x_ffn);
  wire (pen, fork, high, x, high, NS_WIRE_PLAIN);
  wire (pen, fork, low, x, low, NS_WIRE_PLAIN);
  wire (pen, x, high, x, low, NS_WIRE_PLAIN);
  join (pen, x, low);
  put_shortcut (pen, pen->x, x, pen->variant->attn.residual);
  pen->x = x;
  if (ns_placement_has_post (attn))
    stream_norm (pen);
  else
    {
      wire (pen, pen->x, pen->y, pen->x + 2 * GAP, pen->y, NS_WIRE_PLAIN);
      pen->x += 2 * GAP;
    }
}

/* ---- a block ---- */

/* Draw the block residual (B2T): the block's input, under the stream, to the block's last sum. */
static void
put_block_residual (Pen *pen, double from, double to)
{
  const double xy[] = { from, pen->y, from, pen->y + DUAL, to, pen->y + DUAL, to, pen->y };

  if (pen->variant->block_residual)
    ns_diagram_add_wire (pen->diagram, 4, xy, NS_WIRE_ARROW);
}

static double
block_top (const Pen *pen)
{
  gboolean parallel = pen->variant->topology != NS_TOPOLOGY_SEQUENTIAL;
  gboolean labelled = pen->variant->norm_scale != NS_NORM_SCALE_NONE;

  return pen->y - BRANCH - (parallel ? SECOND : 0) - BOX_HEIGHT / 2 - (labelled ? 0.95 : 0.4);
}

static double
block_bottom (const Pen *pen)
{
  gboolean second = pen->variant->dual_residual || pen->variant->block_residual;

  return pen->y + 0.75 + (second ? DUAL : 0);
}

/* Draw one block, wired like block number `layer` of the stack, with a caption below. Takes the caption. */
static void
put_block (Pen *pen, gboolean is_decoder, gint64 layer, char *caption)
{
  const NsVariant *v = pen->variant;
  gint64 depth = pen->shape->depth;
  double begin = pen->x, last_sum;

  wire (pen, pen->x, pen->y, pen->x + 2 * GAP, pen->y, NS_WIRE_PLAIN);
  pen->x += 2 * GAP;
  if (v->topology != NS_TOPOLOGY_SEQUENTIAL)
    parallel_subs (pen, ns_variant_get_placement (v, NS_SUB_ATTN, layer, depth),
                   ns_variant_get_placement (v, NS_SUB_FFN, layer, depth));
  else
    {
      sequential_sub (pen, &kinds[NS_SUB_ATTN], ns_variant_get_placement (v, NS_SUB_ATTN, layer, depth));
      if (is_decoder)
        sequential_sub (pen, &kinds[NS_SUB_CROSS], ns_variant_get_placement (v, NS_SUB_CROSS, layer, depth));
      sequential_sub (pen, &kinds[NS_SUB_FFN], ns_variant_get_placement (v, NS_SUB_FFN, layer, depth));
    }
  last_sum = pen->x
             - (ns_placement_has_post (ns_variant_get_placement (v, NS_SUB_FFN, layer, depth))
                    ? 2 * GAP + box_width (norm_name (v))
                    : 2 * GAP);
  put_block_residual (pen, begin + GAP, last_sum);
  if (v->dual_residual)
    wire (pen, begin, pen->y + DUAL, pen->x, pen->y + DUAL, NS_WIRE_PLAIN);
  ns_diagram_add_frame (pen->diagram, begin + GAP / 2, block_top (pen), pen->x - GAP / 2, block_bottom (pen));
  if (pen->view == NS_WIRING_BLOCK) /* too small to read */
    g_clear_pointer (&caption, g_free);
  put_label (pen, (begin + pen->x) / 2, block_bottom (pen) + 0.5, caption);
}

static char *
dup_caption (const Pen *pen, gboolean is_decoder)
{
  long long depth = pen->shape->depth;

  if (pen->shape->stack == NS_STACK_SINGLE)
    return g_strdup_printf (_ ("%lld blocks"), depth);
  return is_decoder ? g_strdup_printf (_ ("decoder: %lld blocks"), depth)
                    : g_strdup_printf (_ ("encoder: %lld blocks"), depth);
}

/* Draw one block of each kind in a part: one, or the two of a mixed stack. */
static void
put_blocks (Pen *pen, gboolean is_decoder)
{
  gint64 depth = pen->shape->depth;
  gint64 n_post =
      isnan (pen->variant->post_fraction) ? 0 : (gint64) floor (pen->variant->post_fraction * (double) depth);

  if (n_post <= 0 || n_post >= depth)
    put_block (pen, is_decoder, 1, dup_caption (pen, is_decoder));
  else
    {
      put_block (pen, is_decoder, 1, g_strdup_printf (_ ("blocks 1 to %lld"), (long long) n_post));
      put_block (pen, is_decoder, depth,
                 g_strdup_printf (_ ("blocks %lld to %lld"), (long long) n_post + 1, (long long) depth));
    }
}

/* ---- the whole diagram ---- */

static gboolean
has_final_norm (const NsVariant *v, gint64 depth)
{
  if (v->final_norm != NS_FINAL_NORM_AUTO)
    return v->final_norm == NS_FINAL_NORM_ON;
  return v->dual_residual || !ns_placement_has_post (ns_variant_get_placement (v, NS_SUB_FFN, depth, depth));
}

/* Draw the norm after the last block. A dual residual has it on its second stream, which then joins the first. */
static void
put_end (Pen *pen)
{
  gboolean norm = has_final_norm (pen->variant, pen->shape->depth);
  double from = pen->x, x = pen->x + GAP;

  if (!pen->variant->dual_residual)
    {
      if (norm)
        stream_norm (pen);
      return;
    }
  if (norm)
    put_norm (pen, &x, pen->y + DUAL);
  wire (pen, from, pen->y + DUAL, x, pen->y + DUAL, NS_WIRE_PLAIN);
  wire (pen, from, pen->y, x, pen->y, NS_WIRE_PLAIN);
  wire (pen, x, pen->y + DUAL, x, pen->y, NS_WIRE_ARROW);
  ns_diagram_add_sum (pen->diagram, x, pen->y);
  pen->x = x;
}

/* Draw a part: the name of its input, the input's scale and norm, the blocks, the final norm. */
static void
put_part (Pen *pen, const char *input, gboolean is_decoder)
{
  pen->x = 0.9;
  ns_diagram_add_label (pen->diagram, 0.45, pen->y, input);
  put_label (pen, pen->x + 0.7, pen->y - 0.45, dup_factor (pen->variant->input_scale, "c"));
  if (pen->variant->input_norm)
    stream_norm (pen);
  put_blocks (pen, is_decoder);
  put_end (pen);
}

/* Draw the wire from the encoder's end at (x, y) around to the decoder's cross-attention. */
static void
connect_encoder (Pen *pen, double x, double y)
{
  double between = y + 1.9;
  const double xy[] = { x, y, x + GAP, y, x + GAP, between, pen->cross_x, between, pen->cross_x, pen->cross_top };

  ns_diagram_add_wire (pen->diagram, 5, xy, NS_WIRE_ARROW);
}

static void
put_head (Pen *pen)
{
  double from = pen->x;

  pen->x += GAP;
  put_box (pen, &pen->x, pen->y, _ ("Head"), -1);
  wire (pen, from, pen->y, from + GAP, pen->y, NS_WIRE_PLAIN);
}

static void
put_whole (Pen *pen)
{
  gboolean has_decoder = pen->shape->stack == NS_STACK_ENCODER_DECODER;
  double end_x, end_y;

  put_part (pen, "x₀", FALSE);
  end_x = pen->x;
  end_y = pen->y;
  if (has_decoder)
    {
      pen->y = block_bottom (pen) + PART_GAP + (pen->y - block_top (pen));
      put_part (pen, "y₀", TRUE);
      connect_encoder (pen, end_x, end_y);
    }
  put_head (pen);
}

NsDiagram *
ns_wiring_diagram (const NsShape *shape, const NsVariant *variant, NsWiringView view)
{
  Pen pen = { .diagram = ns_diagram_new (), .shape = shape, .variant = variant, .view = view };

  pen.y = -block_top (&pen) + 0.3;
  if (view == NS_WIRING_WHOLE)
    put_whole (&pen);
  else
    put_blocks (&pen, shape->stack == NS_STACK_ENCODER_DECODER);
  return pen.diagram;
}

NsDiagram *
ns_wiring_diagram_of_experiment (const NsExperiment *experiment, int only, gboolean names)
{
  NsDiagram *all = ns_diagram_new ();
  double y = 0;

  for (guint v = only >= 0 ? (guint) only : 0; v < experiment->variants->len; v++)
    {
      const NsVariant *variant = ns_experiment_variant (experiment, v);
      g_autoptr (NsDiagram) own = ns_wiring_diagram (&experiment->shape, variant, NS_WIRING_WHOLE);
      g_autofree char *name = g_markup_escape_text (variant->name, -1);
      double width, height;

      if (names)
        {
          ns_diagram_add_title (all, 0.3, y + TITLE / 2, name);
          y += TITLE;
        }
      ns_diagram_add_diagram (all, own, 0, y);
      ns_diagram_get_size (own, &width, &height);
      y += height + BETWEEN;
      if (only >= 0)
        break;
    }
  return all;
}
