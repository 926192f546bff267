/* A variant's wiring, laid out from left to right: the residual stream below, its branches above.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-wiring.h"

#include "engine/experiment/ns-derived.h"
#include "figures/ns-wiring-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Lengths in units of the line height of the text. */
#define BRANCH          2.1 /* from the stream up to a branch */
#define SECOND          1.5 /* from a branch up to a parallel one */
#define SECOND_MEASURED 2.1 /* the same with values between them */
#define DUAL            1.5 /* from the stream down to a dual residual's second stream, or to the block's shortcut */
#define PART_GAP        1.3
#define TITLE           1.5 /* from a name down to its wiring */
#define BETWEEN         0.8
#define CUT             0.8 /* gap of a residual that is off */

typedef NsWiringPen Pen;

/* ---- the stream ---- */

/* Add a norm on the stream. */
static void
stream_norm (Pen *pen)
{
  double from = pen->x;

  pen->x += NS_WIRING_GAP;
  ns_wiring_put_norm (pen, &pen->x, pen->y);
  ns_wiring_wire (pen, from, pen->y, pen->x, pen->y, NS_WIRE_PLAIN);
}

/* ---- a branch ---- */

typedef struct
{
  NsSub sub;
  const char *name;
  int style;
} Kind;

static const Kind kinds[] = {
  [NS_SUB_ATTN] = { NS_SUB_ATTN, N_ ("Attn"), NS_WIRING_STYLE_ATTENTION },
  [NS_SUB_CROSS] = { NS_SUB_CROSS, N_ ("Cross"), NS_WIRING_STYLE_CROSS },
  [NS_SUB_FFN] = { NS_SUB_FFN, N_ ("FFN"), NS_WIRING_STYLE_FFN },
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
        ns_wiring_put_label (pen, *x + ns_wiring_box_width (ns_wiring_norm_name (v)) / 2,
                             y - NS_WIRING_BOX_HEIGHT / 2 - 0.45, g_strdup ("×1/√l"));
      ns_wiring_put_norm (pen, x, y);
    }
  begin = *x;
  ns_wiring_put_box (pen, x, y, _ (kind->name), kind->style);
  if (kind->sub == NS_SUB_CROSS)
    {
      pen->cross_x = (begin + *x - NS_WIRING_GAP) / 2;
      pen->cross_top = y - NS_WIRING_BOX_HEIGHT / 2;
    }
  if (kind->sub != NS_SUB_FFN && v->qk_norm != NS_QK_NORM_NONE)
    ns_wiring_put_label (pen, (begin + *x - NS_WIRING_GAP) / 2, y + NS_WIRING_BOX_HEIGHT / 2 + 0.42,
                         g_strdup (v->qk_norm == NS_QK_NORM_QKV_HEAD ? "QKV-norm"
                                   : v->qk_norm == NS_QK_NORM_COSINE ? "cosine"
                                                                     : "QK-norm"));
  if (ns_variant_get_wiring (v, kind->sub).inner_norm)
    {
      ns_wiring_put_norm (pen, x, y);
      ns_wiring_put_box (pen, x, y, kind->sub == NS_SUB_FFN ? "W₂" : "W<sub>O</sub>", kind->style);
    }
  if (ns_placement_has_branch (placement))
    ns_wiring_put_norm (pen, x, y);
}

/* ---- sub-layers ---- */

static double
get_second (const Pen *pen)
{
  return pen->result != NULL ? SECOND_MEASURED : SECOND;
}

/* Draw the stream under a branch, from x0 to its sum at x1, if the residual is on; with measured values also the ends
 * of one that is off. */
static void
put_shortcut (Pen *pen, double x0, double x1, NsSub sub)
{
  char *factor = ns_wiring_dup_factor (pen->variant->residual_scale, "α");
  double middle = (x0 + x1) / 2;

  if (!ns_variant_get_wiring (pen->variant, sub).residual)
    {
      g_free (factor);
      if (pen->result != NULL)
        {
          ns_wiring_wire (pen, x0, pen->y, middle - CUT / 2, pen->y, NS_WIRE_DEAD);
          ns_wiring_wire (pen, middle + CUT / 2, pen->y, x1, pen->y, NS_WIRE_DEAD);
        }
      return;
    }
  if (factor != NULL && pen->result != NULL) /* the values are in the middle */
    middle = x0 + NS_WIRING_GAP + 0.3;
  ns_wiring_put_label (pen, middle, pen->y - 0.42, factor);
  ns_wiring_put_values (pen, NS_WIRING_SHORTCUT, sub, (x0 + x1) / 2, pen->y);
  ns_wiring_wire (pen, x0, pen->y, x1, pen->y, NS_WIRE_PLAIN);
  ns_diagram_set_thickness (pen->diagram, 1);
}

/* Draw a straight piece of the stream: short, or long enough for the values measured on it. */
static void
put_stream (Pen *pen, NsWiringSpot spot, NsSub sub)
{
  double length = pen->result != NULL ? NS_WIRING_VALUE_WIDTH + NS_WIRING_GAP : 2 * NS_WIRING_GAP;

  ns_wiring_put_values (pen, spot, sub, pen->x + length / 2, pen->y);
  ns_wiring_wire (pen, pen->x, pen->y, pen->x + length, pen->y, NS_WIRE_PLAIN);
  ns_diagram_set_thickness (pen->diagram, 1);
  pen->x += length;
}

/* Draw the end of a branch down to its sum on the stream. */
static void
join (Pen *pen, double x, double top)
{
  const NsVariant *v = pen->variant;
  gboolean learned = v->branch_parameter != NS_BRANCH_PARAMETER_NONE;
  char *factor = learned ? g_strdup (v->branch_parameter == NS_BRANCH_PARAMETER_VECTOR ? "⊙λ" : "×λ")
                         : ns_wiring_dup_factor (v->branch_scale, "b");

  ns_wiring_wire (pen, x, top, x, pen->y, NS_WIRE_ARROW);
  ns_wiring_put_label (pen, x - 0.62, (top + pen->y) / 2, factor); /* inside the loop, where there is room */
  ns_diagram_add_sum (pen->diagram, x, pen->y);
  if (v->dual_residual)
    {
      ns_wiring_wire (pen, x, pen->y, x, pen->y + DUAL, NS_WIRE_PLAIN);
      ns_diagram_add_sum (pen->diagram, x, pen->y + DUAL);
    }
}

/* Draw the stream from the sum at x on, through the norm after it. */
static void
put_output (Pen *pen, double x, NsSub sub, NsPlacement placement)
{
  pen->x = pen->last_sum = x;
  if (ns_placement_has_post (placement))
    stream_norm (pen);
  if (!ns_placement_has_post (placement) || pen->result != NULL)
    put_stream (pen, NS_WIRING_AFTER, sub);
}

static void
sequential_sub (Pen *pen, const Kind *kind, NsPlacement placement)
{
  double fork = pen->x, top = pen->y - BRANCH, x = fork + NS_WIRING_GAP;

  put_branch (pen, &x, top, placement, kind, TRUE);
  x = fmax (x, fork + (pen->result != NULL ? NS_WIRING_VALUE_WIDTH + 1.5 : 2.5));
  ns_wiring_wire (pen, fork, pen->y, fork, top, NS_WIRE_PLAIN);
  ns_wiring_wire (pen, fork, top, x, top, NS_WIRE_PLAIN);
  ns_wiring_put_values (pen, NS_WIRING_BRANCH, kind->sub, x + NS_WIRING_VALUE_WIDTH / 2 + 0.2, top + 0.3);
  join (pen, x, top);
  ns_diagram_set_thickness (pen->diagram, 1);
  put_shortcut (pen, fork, x, kind->sub);
  put_output (pen, x, kind->sub, placement);
}

/* Draw two parallel branches, one above the other, with one norm in common or one each. */
static void
parallel_subs (Pen *pen, NsPlacement attn, NsPlacement ffn)
{
  gboolean own = pen->variant->topology == NS_TOPOLOGY_PARALLEL_TWO_NORMS;
  double fork = pen->x, low = pen->y - BRANCH, high = low - get_second (pen), x = fork, x_attn, x_ffn;

  ns_wiring_wire (pen, fork, pen->y, fork, own ? high : low, NS_WIRE_PLAIN);
  x += NS_WIRING_GAP;
  if (!own && ns_placement_has_pre (attn))
    ns_wiring_put_norm (pen, &x, low);
  if (!own)
    {
      ns_wiring_wire (pen, fork, low, x, low, NS_WIRE_PLAIN);
      ns_wiring_wire (pen, x, low, x, high, NS_WIRE_PLAIN);
      fork = x;
      x += NS_WIRING_GAP;
    }
  x_attn = x_ffn = x;
  put_branch (pen, &x_attn, high, attn, &kinds[NS_SUB_ATTN], own);
  put_branch (pen, &x_ffn, low, ffn, &kinds[NS_SUB_FFN], own);
  x = fmax (x_attn, x_ffn);
  if (pen->result != NULL)
    x += NS_WIRING_VALUE_WIDTH;
  ns_wiring_put_values (pen, NS_WIRING_BRANCH, NS_SUB_ATTN, x - NS_WIRING_VALUE_WIDTH / 2, high);
  ns_wiring_put_values (pen, NS_WIRING_BRANCH, NS_SUB_FFN, x - NS_WIRING_VALUE_WIDTH / 2, low);
  ns_diagram_set_thickness (pen->diagram, 1);
  ns_wiring_wire (pen, fork, high, x, high, NS_WIRE_PLAIN);
  ns_wiring_wire (pen, fork, low, x, low, NS_WIRE_PLAIN);
  ns_wiring_wire (pen, x, high, x, low, NS_WIRE_PLAIN);
  join (pen, x, low);
  put_shortcut (pen, pen->x, x, NS_SUB_ATTN);
  put_output (pen, x, NS_SUB_FFN, attn);
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

  return pen->y - BRANCH - (parallel ? get_second (pen) : 0) - NS_WIRING_BOX_HEIGHT / 2 - (labelled ? 0.95 : 0.4);
}

static double
block_bottom (const Pen *pen)
{
  gboolean second = pen->variant->dual_residual || pen->variant->block_residual;

  return pen->y + (pen->result != NULL ? 1.0 : 0.75) + (second ? DUAL : 0);
}

/* Draw one block, wired like block number `layer` of the stack, with a caption below. Takes the caption. */
static void
put_block (Pen *pen, gboolean is_decoder, gint64 layer, char *caption)
{
  const NsVariant *v = pen->variant;
  gint64 depth = pen->shape->depth;
  double begin = pen->x;

  pen->layer = layer;
  put_stream (pen, NS_WIRING_BEFORE, NS_SUB_ATTN);
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
  put_block_residual (pen, begin + NS_WIRING_GAP, pen->last_sum);
  if (v->dual_residual)
    ns_wiring_wire (pen, begin, pen->y + DUAL, pen->x, pen->y + DUAL, NS_WIRE_PLAIN);
  ns_diagram_add_frame (pen->diagram, begin + NS_WIRING_GAP / 2, block_top (pen), pen->x - NS_WIRING_GAP / 2,
                        block_bottom (pen));
  if (pen->view == NS_WIRING_BLOCK) /* too small to read */
    g_clear_pointer (&caption, g_free);
  ns_wiring_put_label (pen, (begin + pen->x) / 2, block_bottom (pen) + 0.5, caption);
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

  if (pen->result != NULL)
    put_block (pen, is_decoder, pen->measured,
               g_strdup_printf (_ ("block %lld of %lld"), (long long) pen->measured, (long long) depth));
  else if (n_post <= 0 || n_post >= depth)
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
  double from = pen->x, x = pen->x + NS_WIRING_GAP;

  if (!pen->variant->dual_residual)
    {
      if (norm)
        stream_norm (pen);
      return;
    }
  if (norm)
    ns_wiring_put_norm (pen, &x, pen->y + DUAL);
  ns_wiring_wire (pen, from, pen->y + DUAL, x, pen->y + DUAL, NS_WIRE_PLAIN);
  ns_wiring_wire (pen, from, pen->y, x, pen->y, NS_WIRE_PLAIN);
  ns_wiring_wire (pen, x, pen->y + DUAL, x, pen->y, NS_WIRE_ARROW);
  ns_diagram_add_sum (pen->diagram, x, pen->y);
  pen->x = x;
}

/* Draw a part: the name of its input, the input's scale and norm, the blocks, the final norm. */
static void
put_part (Pen *pen, const char *input, gboolean is_decoder)
{
  pen->x = 0.9;
  pen->part = is_decoder ? 1 : 0;
  ns_diagram_add_label (pen->diagram, 0.45, pen->y, input);
  ns_wiring_put_label (pen, pen->x + 0.7, pen->y - 0.45, ns_wiring_dup_factor (pen->variant->input_scale, "c"));
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
  const double xy[] = {
    x, y, x + NS_WIRING_GAP, y, x + NS_WIRING_GAP, between, pen->cross_x, between, pen->cross_x, pen->cross_top
  };

  ns_diagram_add_wire (pen->diagram, 5, xy, NS_WIRE_ARROW);
}

static void
put_head (Pen *pen)
{
  double from = pen->x;

  pen->x += NS_WIRING_GAP;
  ns_wiring_put_box (pen, &pen->x, pen->y, _ ("Head"), -1);
  ns_wiring_wire (pen, from, pen->y, from + NS_WIRING_GAP, pen->y, NS_WIRE_PLAIN);
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

/* Draw the wirings of all variants, or of one, as ns_wiring_diagram_of_experiment() does; with a result also what it
 * measured in block `layer`. */
static NsDiagram *
put_variants (const NsExperiment *experiment, const NsResult *result, gint64 layer, int only, gboolean names)
{
  NsDiagram *all = ns_diagram_new ();
  double y = 0;

  for (guint v = only >= 0 ? (guint) only : 0; v < experiment->variants->len; v++)
    {
      const NsVariant *variant = ns_experiment_variant (experiment, v);
      g_autoptr (NsDiagram) own = ns_diagram_new ();
      Pen pen = { .diagram = own,
                  .shape = &experiment->shape,
                  .variant = variant,
                  .view = NS_WIRING_WHOLE,
                  .result = result,
                  .index = v,
                  .measured = layer };
      g_autofree char *name = g_markup_escape_text (variant->name, -1);
      double width, height;

      pen.y = -block_top (&pen) + 0.3;
      put_whole (&pen);
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
  if (result != NULL && names)
    ns_wiring_put_legend (all, y);
  return all;
}

NsDiagram *
ns_wiring_diagram_of_experiment (const NsExperiment *experiment, int only, gboolean names)
{
  return put_variants (experiment, NULL, 1, only, names);
}

NsDiagram *
ns_wiring_diagram_of_result (const NsResult *result, gint64 layer, int only, gboolean names)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);

  return put_variants (experiment, result, CLAMP (layer, 1, experiment->shape.depth), only, names);
}
