/* Shared by the files that draw a wiring.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/ns-wiring.h"

G_BEGIN_DECLS

/* Lengths in units of the line height of the text. */
#define NS_WIRING_BOX_HEIGHT  1.1
#define NS_WIRING_GAP         0.45
#define NS_WIRING_SOCKET      1.5 /* width of the place of a norm that is not there */
#define NS_WIRING_DUAL        1.5 /* from the stream down to a second stream, or to the block's shortcut */
#define NS_WIRING_VALUE_WIDTH 2.8 /* room for a measured value */

/* Styles of boxes, see ns_theme_get_style(). */
enum
{
  NS_WIRING_STYLE_ATTENTION = 0,
  NS_WIRING_STYLE_FFN = 2,
  NS_WIRING_STYLE_CROSS = 3,
  NS_WIRING_STYLE_NORM = 4
};

typedef struct
{
  NsDiagram *diagram;
  const NsShape *shape;
  const NsVariant *variant;
  NsWiringView view;
  int loss;               /* NsLoss */
  const NsResult *result; /* of measured values, or NULL */
  gboolean is_roomy;      /* leave room for values and sockets, whether or not there are values */
  guint index;            /* of the variant in the result */
  gint64 measured;        /* the block whose values are written, from 1 */
  gint64 part, layer;     /* where the pen is */
  double x, y;            /* where the stream ends so far */
  double last_sum;        /* x of the block's last sum */
  double cross_x;         /* the centre of the last cross-attention */
  double cross_top;
  gboolean is_dead;       /* the values that were written last are 0 */
} NsWiringPen;

/* ---- pieces ---- */

void ns_wiring_wire (NsWiringPen *pen, double x0, double y0, double x1, double y1, NsWireFlags flags);
double ns_wiring_box_width (const char *text);
/* Add a box, or the box of a norm, whose left side is at *x, at height y; move *x past it. */
void ns_wiring_put_box (NsWiringPen *pen, double *x, double y, const char *text, int style);
void ns_wiring_put_norm (NsWiringPen *pen, double *x, double y, NsNormPlace place);
/* Add a norm on the stream. */
void ns_wiring_put_stream_norm (NsWiringPen *pen, NsNormPlace place);
/* Return the place of a sub-layer's norm. */
NsNormPlace ns_wiring_find_norm (NsSub sub, NsTensorSlot slot);
/* Return "LN", "RMS" or "DyT"; static. */
const char *ns_wiring_norm_name (const NsVariant *variant);
/* Return the label of a factor next to a wire: "×α", "×1.5", NULL for 1. */
char *ns_wiring_dup_factor (NsScale scale, const char *symbol);
/* Add a label; takes the text, which may be NULL. */
void ns_wiring_put_label (NsWiringPen *pen, double x, double y, char *text);

/* ---- a block (ns-wiring-block.c) ---- */

/* Return the blocks of the encoder or the single stack, or of the decoder. */
gint64 ns_wiring_get_depth (const NsWiringPen *pen, gboolean is_decoder);
/* Draw one block, wired like block number `layer` of its part, with a caption below, which is taken. */
void ns_wiring_put_block (NsWiringPen *pen, gboolean is_decoder, gint64 layer, char *caption);
/* Return the y of the frame around a block. */
double ns_wiring_block_top (const NsWiringPen *pen);
double ns_wiring_block_bottom (const NsWiringPen *pen);

/* ---- measured values (ns-wiring-values.c) ---- */

/* The wires of a block that carry values. */
typedef enum
{
  NS_WIRING_BEFORE,   /* the stream that enters the block */
  NS_WIRING_SHORTCUT, /* the residual of a sub-layer */
  NS_WIRING_BRANCH,   /* what a sub-layer adds */
  NS_WIRING_AFTER,    /* the output of a sub-layer */
} NsWiringSpot;

/* Write what the result measured on a wire, centred at (x, y): the root mean square of the forward pass above it, the
 * gradient norm below it. Until ns_wiring_end_values() the thickness of wires is by the logarithm of the first, and
 * measured wires look dead if both are 0. Without a result do nothing. */
void ns_wiring_put_values (NsWiringPen *pen, NsWiringSpot spot, NsSub sub, double x, double y);
void ns_wiring_measured_wire (NsWiringPen *pen, double x0, double y0, double x1, double y1, NsWireFlags flags);
void ns_wiring_end_values (NsWiringPen *pen);

/* Say what the values are, in two lines from height y on. */
void ns_wiring_put_legend (NsDiagram *diagram, double y);

G_END_DECLS
