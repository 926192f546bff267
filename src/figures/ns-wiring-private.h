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
#define NS_WIRING_VALUE_WIDTH 3.6 /* room for a measured value */

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
  const NsResult *result; /* of measured values, or NULL */
  guint index;            /* of the variant in the result */
  gint64 measured;        /* the block whose values are written, from 1 */
  gint64 part, layer;     /* where the pen is */
  double x, y;            /* where the stream ends so far */
  double last_sum;        /* x of the block's last sum */
  double cross_x;         /* the centre of the last cross-attention */
  double cross_top;
} NsWiringPen;

/* ---- pieces ---- */

void ns_wiring_wire (NsWiringPen *pen, double x0, double y0, double x1, double y1, NsWireFlags flags);
double ns_wiring_box_width (const char *text);
/* Add a box, or the box of a norm, whose left side is at *x, at height y; move *x past it. */
void ns_wiring_put_box (NsWiringPen *pen, double *x, double y, const char *text, int style);
void ns_wiring_put_norm (NsWiringPen *pen, double *x, double y);
/* Return "LN", "RMS" or "DyT"; static. */
const char *ns_wiring_norm_name (const NsVariant *variant);
/* Return the label of a factor next to a wire: "×α", "×1.5", NULL for 1. */
char *ns_wiring_dup_factor (NsScale scale, const char *symbol);
/* Add a label; takes the text, which may be NULL. */
void ns_wiring_put_label (NsWiringPen *pen, double x, double y, char *text);

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
 * gradient norm below it. Set the thickness of the next wire by the logarithm of the first. Without a result do
 * nothing. */
void ns_wiring_put_values (NsWiringPen *pen, NsWiringSpot spot, NsSub sub, double x, double y);

/* Say what the values are, in two lines from height y on. */
void ns_wiring_put_legend (NsDiagram *diagram, double y);

G_END_DECLS
