/* One block of a variant's wiring, laid out from left to right: the residual stream below, its branches above.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-sub-layers.h"
#include "figures/ns-wiring-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Lengths in units of the line height of the text. */
#define BRANCH          2.1 /* from the stream up to a branch */
#define SECOND          1.5 /* from a branch up to a parallel one */
#define SECOND_MEASURED 2.1 /* the same with values between them */
#define LABEL           0.42 /* from a box to the middle of the label at it */
#define CUT             0.8 /* gap of a residual that is off */
#define SUM_ROOM        0.5 /* from the middle of a sum to what follows it */
#define FINGER          1.3 /* height of what can be clicked around a wire */

/* ---- a branch ---- */

typedef struct
{
  NsSub sub;
  const char *name;
  int style;
} Kind;

static const Kind kinds_of_subs[] = {
  [NS_SUB_ATTN] = { NS_SUB_ATTN, N_ ("Attn"), NS_WIRING_STYLE_ATTENTION },
  [NS_SUB_CROSS] = { NS_SUB_CROSS, N_ ("Cross"), NS_WIRING_STYLE_CROSS },
  [NS_SUB_FFN] = { NS_SUB_FFN, N_ ("FFN"), NS_WIRING_STYLE_FFN },
};

/* Leave a place at (x, y) where a norm could be. */
static void
put_socket_of_sub (NsWiringPen *pen, double x, double y, NsSub sub, NsTensorSlot slot)
{
  const NsWiringPart socket = { NS_WIRING_PART_SOCKET, (int) pen->part, (int) ns_wiring_find_norm (sub, slot) };

  if (!pen->is_roomy)
    return;
  ns_diagram_set_id (pen->diagram, ns_wiring_part_pack (socket));
  ns_diagram_add_spot (pen->diagram, x, y, NS_WIRING_SOCKET, NS_WIRING_BOX_HEIGHT);
  ns_diagram_set_id (pen->diagram, 0);
}

/* The same around the corner at x where a branch begins; move *x, where its boxes begin. */
static void
put_first_socket (NsWiringPen *pen, double *x, double y, NsSub sub)
{
  put_socket_of_sub (pen, *x - NS_WIRING_GAP, y, sub, NS_SLOT_PRE);
  if (pen->is_roomy)
    *x += NS_WIRING_SOCKET / 2 - NS_WIRING_GAP + 0.1;
}

/* The same around the corner at *x where it ends, which moves. */
static void
put_last_socket (NsWiringPen *pen, double *x, double y, NsSub sub)
{
  if (pen->is_roomy)
    *x += NS_WIRING_SOCKET / 2 - NS_WIRING_GAP + 0.1;
  put_socket_of_sub (pen, *x, y, sub, NS_SLOT_BRANCH);
}

static gboolean
is_parallel (const NsWiringPen *pen)
{
  return pen->variant->topology != NS_TOPOLOGY_SEQUENTIAL;
}

/* Return what an attention does to queries, keys and scores: "QK-norm, RoPE", "QK, RoPE, SWA"; NULL for nothing. */
static char *
dup_scores_label (const NsWiringPen *pen, NsSub sub)
{
  static const char *const norms[] = { "", "QK-norm", "QK-norm", "QKV-norm", "cosine", "QK-norm" };
  static const char *const short_norms[] = { "", "QK", "QK", "QKV", "cos", "QK" }; /* next to other words */
  const NsVariant *v = pen->variant;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) words = NULL;
  gint64 layer = MAX (pen->layer, 1);
  gboolean has_norm = ns_variant_has_qk_norm (v, sub, layer);

  if (has_norm) /* nGPT's has the length 1, like those of its stream */
    g_strv_builder_add (builder, v->ngpt ? "QK-L2" : norms[v->qk_norm]);
  if (sub == NS_SUB_ATTN && ns_variant_has_rotary (v, layer))
    g_strv_builder_add (builder, "RoPE");
  if (sub == NS_SUB_ATTN && v->position_bias != NS_POSITION_BIAS_NONE)
    g_strv_builder_add (builder, v->position_bias == NS_POSITION_BIAS_T5 ? _ ("T5 bias") : "ALiBi");
  if (!isnan (v->score_cap))
    g_strv_builder_add (builder, _ ("soft cap"));
  if (sub == NS_SUB_ATTN && ns_variant_get_window (v, layer) > 0)
    g_strv_builder_add (builder, "SWA"); /* sliding-window attention */
  words = g_strv_builder_end (builder);
  if (has_norm && g_strv_length (words) > 2)
    {
      g_free (words[0]);
      words[0] = g_strdup (v->ngpt ? "QK-L2" : short_norms[v->qk_norm]);
    }
  return words[0] != NULL ? g_strjoinv (", ", words) : NULL;
}

static gboolean
has_scores_label (const NsWiringPen *pen, NsSub sub)
{
  g_autofree char *label = dup_scores_label (pen, sub);

  /* blocks with a window or rotary positions and blocks without take the same room */
  return label != NULL
         || (sub == NS_SUB_ATTN
             && (pen->variant->window.size > 0 || pen->variant->rotary.pairs != NS_ROTARY_NONE));
}

static gboolean
has_experts (const NsWiringPen *pen, NsSub sub)
{
  return sub == NS_SUB_FFN && pen->variant->experts.count > 0;
}

/* Return how many experts a token has, and of how many. */
static char *
dup_experts_label (const NsWiringPen *pen)
{
  const NsExperts *experts = &pen->variant->experts;

  /* Translators: in a diagram: a token passes through two experts of eight */
  return g_strdup_printf (_ ("%d of %d"), (int) experts->per_token, (int) experts->count);
}

/* Add the label below the box at height y, and above a parallel attention, whose FFN is below. */
static void
put_label_of_box (NsWiringPen *pen, double x, double y, NsSub sub)
{
  double offset = NS_WIRING_BOX_HEIGHT / 2 + LABEL;
  char *label = sub != NS_SUB_FFN        ? dup_scores_label (pen, sub)
                : has_experts (pen, sub) ? dup_experts_label (pen)
                                         : NULL;

  if (label != NULL)
    ns_wiring_put_label (pen, x, is_parallel (pen) && sub != NS_SUB_FFN ? y - offset : y + offset, label);
}

/* Add the boxes of a branch from *x on at height y: norm, sub-layer, norm. Move *x past them. */
static void
put_branch (NsWiringPen *pen, double *x, double y, NsPlacement placement, const Kind *kind, gboolean with_pre)
{
  const NsVariant *v = pen->variant;
  const NsWiringPart sub_layer = { NS_WIRING_PART_SUB_LAYER, (int) pen->part, kind->sub };
  double begin;

  if (with_pre && !ns_placement_has_pre (placement))
    put_first_socket (pen, x, y, kind->sub);

  if (with_pre && ns_placement_has_pre (placement))
    {
      if (v->norm_scale == NS_NORM_SCALE_LAYERNORM_SCALING)
        ns_wiring_put_label (pen, *x + ns_wiring_box_width (ns_wiring_norm_name (v)) / 2,
                             y - NS_WIRING_BOX_HEIGHT / 2 - 0.45, g_strdup ("×1/√l"));
      ns_wiring_put_norm (pen, x, y, ns_wiring_find_norm (kind->sub, NS_SLOT_PRE));
    }
  begin = *x;
  ns_diagram_set_id (pen->diagram, ns_wiring_part_pack (sub_layer));
  ns_wiring_put_box (pen, x, y, has_experts (pen, kind->sub) ? "MoE" : _ (kind->name), kind->style);
  ns_diagram_set_id (pen->diagram, 0);
  if (kind->sub == NS_SUB_CROSS)
    {
      pen->cross_x = (begin + *x - NS_WIRING_GAP) / 2;
      pen->cross_top = y - NS_WIRING_BOX_HEIGHT / 2;
    }
  put_label_of_box (pen, (begin + *x - NS_WIRING_GAP) / 2, y, kind->sub);
  if (ns_variant_get_wiring (v, kind->sub).inner_norm)
    {
      ns_wiring_put_norm (pen, x, y, ns_wiring_find_norm (kind->sub, NS_SLOT_INNER));
      ns_wiring_put_box (pen, x, y, kind->sub == NS_SUB_FFN ? "W₂" : "W<sub>O</sub>", kind->style);
    }
  if (ns_placement_has_branch (placement))
    ns_wiring_put_norm (pen, x, y, ns_wiring_find_norm (kind->sub, NS_SLOT_BRANCH));
  else
    put_last_socket (pen, x, y, kind->sub);
}

/* ---- sub-layers ---- */

static double
get_second (const NsWiringPen *pen)
{
  return pen->is_roomy ? SECOND_MEASURED : SECOND;
}

/* Return TRUE if there are several streams with weights that depend on the token. */
static gboolean
of_token (const NsWiringPen *pen)
{
  return pen->variant->hyper.streams > 0 && pen->variant->hyper.weights != NS_STREAM_WEIGHTS_STATIC;
}

/* Return a weight of several streams; where it depends on the token, as a function of x. Caller frees. */
static char *
dup_mix (const NsWiringPen *pen, const char *weight)
{
  return g_strconcat (weight, of_token (pen) ? "(x)" : "", NULL);
}

/* Draw the stream under a branch, from x0 to its sum at x1: the residual, with a gap if it is off. */
static void
put_shortcut (NsWiringPen *pen, double x0, double x1, NsSub sub)
{
  const NsWiringPart residual = { NS_WIRING_PART_RESIDUAL, (int) pen->part, sub };
  gboolean is_one = pen->variant->residual_scale.rule == NS_RESIDUAL_SCALE_KEEL && pen->variant->first_block_pre
                    && pen->layer == 1;
  char *factor = pen->variant->hyper.streams > 0 ? dup_mix (pen, "A<sub>r</sub>")
                 : pen->variant->ngpt            ? g_strdup ("⊙(1 − λ)")
                 : is_one                        ? NULL
                                                 : ns_wiring_dup_factor (pen->variant->residual_scale, "α");
  double middle = (x0 + x1) / 2;

  ns_diagram_set_id (pen->diagram, ns_wiring_part_pack (residual));
  ns_diagram_add_spot (pen->diagram, middle, pen->y, x1 - x0 - 2 * NS_WIRING_GAP, FINGER);
  if (ns_variant_get_wiring (pen->variant, sub).residual)
    {
      /* The values are in the middle. */
      ns_wiring_put_label (pen, pen->is_roomy ? x0 + NS_WIRING_GAP + 0.3 : middle, pen->y - 0.42, factor);
      ns_wiring_put_values (pen, NS_WIRING_SHORTCUT, sub, middle, pen->y);
      ns_wiring_measured_wire (pen, x0, pen->y, x1, pen->y, NS_WIRE_PLAIN);
    }
  else
    {
      g_free (factor);
      ns_wiring_wire (pen, x0, pen->y, middle - CUT / 2, pen->y, NS_WIRE_DEAD);
      ns_wiring_wire (pen, middle + CUT / 2, pen->y, x1, pen->y, NS_WIRE_DEAD);
    }
  ns_wiring_end_values (pen);
  ns_diagram_set_id (pen->diagram, 0);
}

/* Draw a straight piece of the stream: short, or long enough for the values measured on it. */
static void
put_stream (NsWiringPen *pen, NsWiringSpot spot, NsSub sub)
{
  double length = pen->is_roomy ? NS_WIRING_VALUE_WIDTH + NS_WIRING_GAP : 2 * NS_WIRING_GAP;

  ns_wiring_put_values (pen, spot, sub, pen->x + length / 2, pen->y);
  ns_wiring_measured_wire (pen, pen->x, pen->y, pen->x + length, pen->y, NS_WIRE_PLAIN);
  ns_wiring_end_values (pen);
  pen->x += length;
}

/* Draw the end of a branch down to its sum on the stream. */
static void
join_branch (NsWiringPen *pen, double x, double top)
{
  const NsVariant *v = pen->variant;
  gboolean learned = v->branch_parameter != NS_BRANCH_PARAMETER_NONE || v->ngpt;
  gboolean is_vector = v->branch_parameter == NS_BRANCH_PARAMETER_VECTOR || v->ngpt;
  g_autofree char *scale = learned ? g_strdup (is_vector ? "⊙λ" : "×λ") : ns_wiring_dup_factor (v->branch_scale, "b");
  g_autofree char *out = dup_mix (pen, "B");
  char *factor = v->hyper.streams == 0 ? g_steal_pointer (&scale)
                 : scale != NULL       ? g_strdup_printf ("%s %s", scale, out)
                                       : g_steal_pointer (&out);

  ns_wiring_measured_wire (pen, x, top, x, pen->y, NS_WIRE_ARROW);
  /* inside the loop, where there is room */
  ns_wiring_put_label (pen, x - (of_token (pen) ? 0.85 : 0.62), (top + pen->y) / 2, factor);
  ns_diagram_add_sum (pen->diagram, x, pen->y);
  if (v->dual_residual)
    {
      ns_wiring_wire (pen, x, pen->y, x, pen->y + NS_WIRING_DUAL, NS_WIRE_PLAIN);
      ns_diagram_add_sum (pen->diagram, x, pen->y + NS_WIRING_DUAL);
    }
}

/* Draw the stream from the sum at x on, through the norm after it. */
static void
put_output (NsWiringPen *pen, double x, NsSub sub, NsPlacement placement)
{
  pen->x = pen->last_sum = x;
  if (ns_placement_has_post (placement))
    ns_wiring_put_stream_norm (pen, ns_wiring_find_norm (is_parallel (pen) ? NS_SUB_ATTN : sub, NS_SLOT_POST));
  else
    put_socket_of_sub (pen, x + SUM_ROOM + NS_WIRING_SOCKET / 2, pen->y, is_parallel (pen) ? NS_SUB_ATTN : sub,
                       NS_SLOT_POST);
  if (!ns_placement_has_post (placement) || pen->is_roomy)
    put_stream (pen, NS_WIRING_AFTER, sub);
}

static void
sequential_sub (NsWiringPen *pen, const Kind *kind, NsPlacement placement)
{
  double fork = pen->x, top = pen->y - BRANCH, x = fork + NS_WIRING_GAP;

  put_branch (pen, &x, top, placement, kind, TRUE);
  x = fmax (x, fork + (pen->is_roomy ? NS_WIRING_VALUE_WIDTH + 1.5 : 2.5));
  ns_wiring_wire (pen, fork, pen->y, fork, top, NS_WIRE_PLAIN);
  if (pen->variant->hyper.streams > 0)
    ns_wiring_put_label (pen, fork + (of_token (pen) ? 1.05 : 0.62), (top + pen->y) / 2,
                         dup_mix (pen, "A<sub>m</sub>"));
  ns_wiring_wire (pen, fork, top, x, top, NS_WIRE_PLAIN);
  ns_wiring_put_values (pen, NS_WIRING_BRANCH, kind->sub, x + NS_WIRING_VALUE_WIDTH / 2 + 0.2, top + 0.3);
  join_branch (pen, x, top);
  ns_wiring_end_values (pen);
  put_shortcut (pen, fork, x, kind->sub);
  put_output (pen, x, kind->sub, placement);
}

/* Draw two parallel branches, one above the other, with one norm in common or one each. */
static void
parallel_subs (NsWiringPen *pen, NsPlacement attn, NsPlacement ffn)
{
  gboolean own = pen->variant->topology == NS_TOPOLOGY_PARALLEL_TWO_NORMS;
  double fork = pen->x, low = pen->y - BRANCH, high = low - get_second (pen), x = fork, x_attn, x_ffn;

  ns_wiring_wire (pen, fork, pen->y, fork, own ? high : low, NS_WIRE_PLAIN);
  x += NS_WIRING_GAP;
  if (!own && ns_placement_has_pre (attn))
    ns_wiring_put_norm (pen, &x, low, NS_NORM_ATTN_PRE);
  else if (!own)
    put_first_socket (pen, &x, low, NS_SUB_ATTN);
  if (!own)
    {
      ns_wiring_wire (pen, fork, low, x, low, NS_WIRE_PLAIN);
      ns_wiring_wire (pen, x, low, x, high, NS_WIRE_PLAIN);
      fork = x;
      x += NS_WIRING_GAP;
    }
  x_attn = x_ffn = x;
  put_branch (pen, &x_attn, high, attn, &kinds_of_subs[NS_SUB_ATTN], own);
  put_branch (pen, &x_ffn, low, ffn, &kinds_of_subs[NS_SUB_FFN], own);
  x = fmax (x_attn, x_ffn);
  if (pen->is_roomy)
    x += NS_WIRING_VALUE_WIDTH;
  ns_wiring_put_values (pen, NS_WIRING_BRANCH, NS_SUB_ATTN, x - NS_WIRING_VALUE_WIDTH / 2, high);
  ns_wiring_measured_wire (pen, fork, high, x, high, NS_WIRE_PLAIN);
  ns_wiring_end_values (pen);
  ns_wiring_put_values (pen, NS_WIRING_BRANCH, NS_SUB_FFN, x - NS_WIRING_VALUE_WIDTH / 2, low);
  ns_wiring_measured_wire (pen, fork, low, x, low, NS_WIRE_PLAIN);
  ns_wiring_end_values (pen);
  ns_wiring_wire (pen, x, high, x, low, NS_WIRE_PLAIN);
  join_branch (pen, x, low);
  put_shortcut (pen, pen->x, x, NS_SUB_ATTN);
  put_output (pen, x, NS_SUB_FFN, attn);
}

/* ---- a block ---- */

/* Draw the block residual (B2T): the block's input, under the stream, to the block's last sum. */
static void
put_block_residual (NsWiringPen *pen, double from, double to)
{
  const double xy[] = { from, pen->y, from, pen->y + NS_WIRING_DUAL, to, pen->y + NS_WIRING_DUAL, to, pen->y };

  if (pen->variant->block_residual)
    ns_diagram_add_wire (pen->diagram, 4, xy, NS_WIRE_ARROW);
}

double
ns_wiring_block_top (const NsWiringPen *pen)
{
  gboolean parallel = is_parallel (pen);
  gboolean labelled = pen->variant->norm_scale != NS_NORM_SCALE_NONE
                      || (parallel && has_scores_label (pen, NS_SUB_ATTN));

  return pen->y - BRANCH - (parallel ? get_second (pen) : 0) - NS_WIRING_BOX_HEIGHT / 2 - (labelled ? 0.95 : 0.4);
}

double
ns_wiring_block_bottom (const NsWiringPen *pen)
{
  gboolean second = pen->variant->dual_residual || pen->variant->block_residual;

  return pen->y + (pen->is_roomy ? 1.0 : 0.75) + (second ? NS_WIRING_DUAL : 0);
}

gint64
ns_wiring_get_depth (const NsWiringPen *pen, gboolean is_decoder)
{
  NsParts parts = ns_shape_get_parts (pen->shape);

  return parts.depth[ns_parts_find (&parts, is_decoder ? NS_PART_DECODER : NS_PART_ENCODER)];
}

void
ns_wiring_put_block (NsWiringPen *pen, gboolean is_decoder, gint64 layer, char *caption)
{
  const NsVariant *v = pen->variant;
  gint64 depth = ns_wiring_get_depth (pen, is_decoder);
  double begin = pen->x;

  pen->layer = layer;
  put_stream (pen, NS_WIRING_BEFORE, ns_variant_get_first_sub (v));
  if (is_parallel (pen))
    parallel_subs (pen, ns_variant_get_placement (v, NS_SUB_ATTN, layer, depth),
                   ns_variant_get_placement (v, NS_SUB_FFN, layer, depth));
  else
    {
      static const NsSub order[] = { NS_SUB_ATTN, NS_SUB_CROSS, NS_SUB_FFN };

      for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
        if (ns_variant_has_sub (v, order[i], is_decoder ? NS_PART_DECODER : NS_PART_STACK))
          sequential_sub (pen, &kinds_of_subs[order[i]], ns_variant_get_placement (v, order[i], layer, depth));
    }
  put_block_residual (pen, begin + NS_WIRING_GAP, pen->last_sum);
  if (v->dual_residual)
    ns_wiring_wire (pen, begin, pen->y + NS_WIRING_DUAL, pen->x, pen->y + NS_WIRING_DUAL, NS_WIRE_PLAIN);
  ns_diagram_add_frame (pen->diagram, begin + NS_WIRING_GAP / 2, ns_wiring_block_top (pen), pen->x - NS_WIRING_GAP / 2,
                        ns_wiring_block_bottom (pen));
  if (pen->view == NS_WIRING_BLOCK) /* too small to read */
    g_clear_pointer (&caption, g_free);
  ns_wiring_put_label (pen, (begin + pen->x) / 2, ns_wiring_block_bottom (pen) + 0.5, caption);
}
