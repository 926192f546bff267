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
#define PART_GAP 1.3
#define TITLE    1.5 /* from a name down to its wiring */
#define BETWEEN  0.8
#define LANE     0.75 /* from a block up to the wire from the encoder, when it is beside the decoder */
#define FACTOR   1.4  /* room for the scale of the input */
#define CORNER   0.4  /* from the frame of a block to its depth beside or above it */

/* ---- the blocks of a part ---- */

static char *
dup_caption (const NsWiringPen *pen, gboolean is_decoder)
{
  long long depth = ns_wiring_get_depth (pen, is_decoder);

  if (pen->variant->hyper.streams > 0)
    return g_strdup_printf (_ ("%lld blocks, %d streams"), depth, (int) pen->variant->hyper.streams);
  if (pen->shape->stack == NS_STACK_SINGLE)
    return g_strdup_printf (_ ("%lld blocks"), depth);
  return is_decoder ? g_strdup_printf (_ ("decoder: %lld blocks"), depth)
                    : g_strdup_printf (_ ("encoder: %lld blocks"), depth);
}

/* Return TRUE if the first block has norms at other places than the second. */
static gboolean
has_other_first (const NsVariant *variant, gint64 depth)
{
  for (int sub = 0; depth > 1 && isnan (variant->post_fraction) && sub < NS_N_SUBS; sub++)
    if (ns_variant_get_placement (variant, (NsSub) sub, 1, depth)
        != ns_variant_get_placement (variant, (NsSub) sub, 2, depth))
      return TRUE;
  return FALSE;
}

/* Draw one block for the blocks first .. last, which are alike. */
static void
put_alike (NsWiringPen *pen, gboolean is_decoder, gint64 first, gint64 last)
{
  char *caption;

  if (first == 1 && last == ns_wiring_get_depth (pen, is_decoder))
    caption = dup_caption (pen, is_decoder);
  else if (first == last)
    caption = g_strdup_printf (_ ("block %lld"), (long long) first);
  else
    caption = g_strdup_printf (_ ("blocks %lld to %lld"), (long long) first, (long long) last);
  ns_wiring_put_block (pen, is_decoder, last, caption);
}

/* Draw one block of each kind in a part. */
static void
put_kinds (NsWiringPen *pen, gboolean is_decoder)
{
  gint64 depth = ns_wiring_get_depth (pen, is_decoder), first = 1;
  gint64 n_post =
      isnan (pen->variant->post_fraction) ? 0 : (gint64) floor (pen->variant->post_fraction * (double) depth);

  if (has_other_first (pen->variant, depth))
    {
      put_alike (pen, is_decoder, 1, 1);
      first = 2;
    }
  if (n_post >= first && n_post < depth)
    {
      put_alike (pen, is_decoder, first, n_post);
      first = n_post + 1;
    }
  put_alike (pen, is_decoder, first, depth);
}

static void
put_blocks (NsWiringPen *pen, gboolean is_decoder)
{
  gint64 depth = ns_wiring_get_depth (pen, is_decoder), block = MIN (pen->measured, depth);

  if (pen->view == NS_WIRING_STRIP)
    ns_wiring_put_block (pen, is_decoder, block, NULL);
  else if (pen->is_roomy)
    ns_wiring_put_block (pen, is_decoder, block,
                         g_strdup_printf (_ ("block %lld of %lld"), (long long) block, (long long) depth));
  else
    put_kinds (pen, is_decoder);
}

/* ---- the whole diagram ---- */

/* The loss unit-gradient has neither head nor final norm. */
static gboolean
has_end_norm (const NsWiringPen *pen, NsNormPlace place)
{
  gboolean is_encoder = place == NS_NORM_ENCODER_FINAL;

  return (is_encoder || pen->loss != NS_LOSS_UNIT_GRADIENT)
         && ns_variant_ends_in_norm (pen->variant, ns_wiring_get_depth (pen, !is_encoder));
}

/* Draw a piece of the stream with the place of a norm that is not there. */
static void
put_socket_of_place (NsWiringPen *pen, NsNormPlace place)
{
  const NsWiringPart socket = { NS_WIRING_PART_SOCKET, (int) pen->part, (int) place };

  if (pen->view != NS_WIRING_STRIP)
    return;
  ns_diagram_set_id (pen->diagram, ns_wiring_part_pack (socket));
  ns_diagram_add_spot (pen->diagram, pen->x + NS_WIRING_SOCKET / 2, pen->y, NS_WIRING_SOCKET, NS_WIRING_BOX_HEIGHT);
  ns_diagram_set_id (pen->diagram, 0);
  ns_wiring_wire (pen, pen->x, pen->y, pen->x + NS_WIRING_SOCKET, pen->y, NS_WIRE_PLAIN);
  pen->x += NS_WIRING_SOCKET;
}

/* Draw the norm after the last block. A dual residual has it on its second stream, which then joins the first. */
static void
put_end (NsWiringPen *pen, gboolean is_encoder)
{
  NsNormPlace place = is_encoder ? NS_NORM_ENCODER_FINAL : NS_NORM_FINAL;
  gboolean norm = has_end_norm (pen, place);
  double from = pen->x, x = pen->x + NS_WIRING_GAP;

  if (!pen->variant->dual_residual)
    {
      if (norm)
        ns_wiring_put_stream_norm (pen, place);
      else if (is_encoder || pen->loss != NS_LOSS_UNIT_GRADIENT)
        put_socket_of_place (pen, place);
      return;
    }
  if (norm)
    ns_wiring_put_norm (pen, &x, pen->y + NS_WIRING_DUAL, place);
  ns_wiring_wire (pen, from, pen->y + NS_WIRING_DUAL, x, pen->y + NS_WIRING_DUAL, NS_WIRE_PLAIN);
  ns_wiring_wire (pen, from, pen->y, x, pen->y, NS_WIRE_PLAIN);
  ns_wiring_wire (pen, x, pen->y + NS_WIRING_DUAL, x, pen->y, NS_WIRE_ARROW);
  ns_diagram_add_sum (pen->diagram, x, pen->y);
  pen->x = x;
}

/* Draw the name of a part's input: in a strip a box, since it can be clicked. */
static void
put_input (NsWiringPen *pen, const char *name)
{
  const NsWiringPart input = { NS_WIRING_PART_INPUT, (int) pen->part, 0 };
  gboolean is_box = pen->view == NS_WIRING_STRIP;

  ns_diagram_set_id (pen->diagram, ns_wiring_part_pack (input));
  if (is_box)
    ns_wiring_put_box (pen, &pen->x, pen->y, name, -1);
  else
    ns_diagram_add_label (pen->diagram, pen->x - 0.45, pen->y, name);
  ns_diagram_set_id (pen->diagram, 0);
  if (is_box)
    ns_wiring_wire (pen, pen->x - NS_WIRING_GAP, pen->y, pen->x, pen->y, NS_WIRE_PLAIN);
}

/* Write the depth at the upper right corner of the block that ends at the pen: beside it, or above it, where an encoder
 * is beside a decoder. */
static void
put_depth (NsWiringPen *pen, gboolean is_decoder)
{
  const NsWiringPart depth = { NS_WIRING_PART_DEPTH, (int) pen->part, 0 };
  gboolean is_single = pen->shape->stack == NS_STACK_SINGLE;
  gint64 blocks = ns_wiring_get_depth (pen, is_decoder);
  const char *part = is_decoder ? _ ("Decoder") : _ ("Encoder");
  g_autofree char *text = is_single ? g_strdup_printf ("× %" G_GINT64_FORMAT, blocks)
                                    : g_strdup_printf ("%s × %" G_GINT64_FORMAT, part, blocks);
  double width = ns_wiring_box_width (text), top = ns_wiring_block_top (pen); /* room for type of a box */
  double x = is_single ? pen->x + width / 2 : pen->x - NS_WIRING_GAP / 2 - width / 2;
  double y = is_single ? top + CORNER : top - CORNER;

  ns_diagram_set_id (pen->diagram, ns_wiring_part_pack (depth));
  ns_wiring_put_label (pen, x, y, g_steal_pointer (&text));
  ns_diagram_add_spot (pen->diagram, x, y, width, 2 * CORNER);
  ns_diagram_set_id (pen->diagram, 0);
}

/* Draw a part: the name of its input, the input's scale and norm, the blocks, the final norm. */
static void
put_part (NsWiringPen *pen, gboolean is_decoder)
{
  g_autofree char *factor = ns_wiring_dup_factor (pen->variant->input_scale, "c");

  pen->x += 0.9;
  pen->part = is_decoder ? 1 : 0;
  put_input (pen, is_decoder ? "y₀" : "x₀");
  ns_wiring_put_label (pen, pen->x + FACTOR / 2, pen->y - 0.45, g_strdup (factor));
  if (factor != NULL && pen->is_roomy) /* not where values are */
    {
      ns_wiring_wire (pen, pen->x, pen->y, pen->x + FACTOR, pen->y, NS_WIRE_PLAIN);
      pen->x += FACTOR;
    }
  if (pen->variant->input_norm)
    ns_wiring_put_stream_norm (pen, NS_NORM_INPUT);
  else
    put_socket_of_place (pen, NS_NORM_INPUT);
  put_blocks (pen, is_decoder);
  if (pen->view == NS_WIRING_STRIP)
    put_depth (pen, is_decoder);
  put_end (pen, pen->shape->stack == NS_STACK_ENCODER_DECODER && !is_decoder);
}

/* Draw the wire from the encoder's end at (x, y) to the decoder's cross-attention: around to the part below, or, beside
 * it, over the block. */
static void
connect_encoder (NsWiringPen *pen, double x, double y)
{
  double between = pen->view == NS_WIRING_STRIP ? ns_wiring_block_top (pen) - LANE : y + 1.9;
  double turn = x + NS_WIRING_GAP;
  const double xy[] = { x, y, turn, y, turn, between, pen->cross_x, between, pen->cross_x, pen->cross_top };

  ns_diagram_add_wire (pen->diagram, 5, xy, NS_WIRE_ARROW);
}

static const char *
get_head_text (const NsWiringPen *pen)
{
  if (pen->loss == NS_LOSS_UNIT_GRADIENT)
    /* Translators: the gradient that the loss "unit gradient" starts with, in a box */
    return _ ("‖∂L/∂h‖ = 1");
  /* Translators: in a box: the dense layer and the norm before the output matrix, and that matrix */
  return pen->variant->head_transform ? _ ("Dense, norm, head") : _ ("Head");
}

static void
put_head (NsWiringPen *pen)
{
  const NsWiringPart head = { NS_WIRING_PART_HEAD, (int) pen->part, 0 };
  double from = pen->x;

  pen->x += NS_WIRING_GAP;
  ns_diagram_set_id (pen->diagram, ns_wiring_part_pack (head));
  ns_wiring_put_box (pen, &pen->x, pen->y, get_head_text (pen), -1);
  ns_diagram_set_id (pen->diagram, 0);
  ns_wiring_wire (pen, from, pen->y, from + NS_WIRING_GAP, pen->y, NS_WIRE_PLAIN);
}

static void
put_whole (NsWiringPen *pen)
{
  gboolean has_decoder = pen->shape->stack == NS_STACK_ENCODER_DECODER, is_strip = pen->view == NS_WIRING_STRIP;
  double end_x, end_y;

  pen->y = 0.3 - ns_wiring_block_top (pen) + (has_decoder && is_strip ? LANE : 0);
  put_part (pen, FALSE);
  end_x = pen->x;
  end_y = pen->y;
  if (has_decoder)
    {
      if (is_strip)
        pen->x += PART_GAP - 0.9;
      else
        {
          pen->y = ns_wiring_block_bottom (pen) + PART_GAP + (pen->y - ns_wiring_block_top (pen));
          pen->x = 0;
        }
      put_part (pen, TRUE);
      connect_encoder (pen, end_x, end_y);
    }
  put_head (pen);
}

NsDiagram *
ns_wiring_diagram (const NsShape *shape, const NsVariant *variant, NsWiringView view)
{
  NsWiringPen pen = { .diagram = ns_diagram_new (), .shape = shape, .variant = variant, .view = view };

  if (view == NS_WIRING_WHOLE)
    {
      put_whole (&pen);
      return pen.diagram;
    }
  pen.y = 0.3 - ns_wiring_block_top (&pen);
  put_blocks (&pen, shape->stack == NS_STACK_ENCODER_DECODER);
  return pen.diagram;
}

NsDiagram *
ns_wiring_diagram_strip (const NsExperiment *experiment, guint variant, gint64 block, const NsResult *result)
{
  NsWiringPen pen = { .diagram = ns_diagram_new (),
                      .shape = &experiment->shape,
                      .variant = ns_experiment_variant (experiment, variant),
                      .view = NS_WIRING_STRIP,
                      .loss = experiment->loss,
                      .result = result,
                      .is_roomy = TRUE,
                      .index = variant,
                      .measured = MAX (block, 1) };

  put_whole (&pen);
  return pen.diagram;
}

char *
ns_wiring_dup_block (const NsShape *shape, const char *name, gint64 block)
{
  NsParts parts = ns_shape_get_parts (shape);
  int encoder = (int) parts.depth[0], decoder = (int) parts.depth[1];

  if (parts.n == 2 && encoder != decoder)
    /* Translators: the name of a variant, a block and the number of blocks in the encoder, the same in the decoder */
    return g_strdup_printf (_ ("%s, encoder block %d of %d, decoder block %d of %d"), name, MIN ((int) block, encoder),
                            encoder, MIN ((int) block, decoder), decoder);
  /* Translators: the name of a variant, a block, the number of blocks */
  return g_strdup_printf (_ ("%s, block %d of %d"), name, (int) block, encoder);
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
      NsWiringPen pen = { .diagram = own,
                          .shape = &experiment->shape,
                          .variant = variant,
                          .view = NS_WIRING_WHOLE,
                          .loss = experiment->loss,
                          .result = result,
                          .is_roomy = result != NULL,
                          .index = v,
                          .measured = layer };
      g_autofree char *name = g_markup_escape_text (variant->name, -1);
      double width, height;

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

  return put_variants (experiment, result, MAX (layer, 1), only, names);
}
