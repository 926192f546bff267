/* Diagrams of boxes, sums and wires: plain data, drawn by one function.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coordinates are in units of the line height, x to the right and y downward; drawing scales them to the target. Parts
 * are drawn in this order: frames, wires, boxes, sums, labels, titles. Spots are not drawn: they only have a place.
 * Threads: a diagram belongs to one thread at a time; drawing only reads it.
 */
#pragma once

#include <cairo.h>

#include "plot/ns-export.h"
#include "plot/ns-layout.h"

G_BEGIN_DECLS

/* The most points of one wire. */
#define NS_DIAGRAM_MAX_POINTS 6

typedef struct _NsDiagram NsDiagram;

typedef enum
{
  NS_WIRE_PLAIN = 0,
  NS_WIRE_ARROW = 1 << 0, /* an arrow head at the last point */
  NS_WIRE_DASHED = 1 << 1,
  NS_WIRE_DEAD = 1 << 2, /* faint: it carries nothing */
} NsWireFlags;

typedef enum
{
  NS_DIAGRAM_FRAME,
  NS_DIAGRAM_WIRE,
  NS_DIAGRAM_BOX,
  NS_DIAGRAM_SUM,
  NS_DIAGRAM_LABEL,
  NS_DIAGRAM_TITLE,
  NS_DIAGRAM_SPOT,
  NS_DIAGRAM_N_KINDS
} NsDiagramKind;

/* One part of a diagram; its pointers are valid while the diagram is not changed. */
typedef struct
{
  NsDiagramKind kind;
  guint id; /* as set by ns_diagram_set_id() */
  double x, y, width, height; /* centre and extent, units; estimated for text, 0 for a wire */
  const char *text;           /* Pango markup, or NULL */
  double type;                /* font size, units */
  int style;                  /* of a box or a label */
  NsWireFlags flags;
  double thickness;           /* of a wire, as a multiple of the usual one */
  guint n; /* number of points of a wire */
  const double *xy; /* [2·n] points of a wire, else NULL */
} NsDiagramPart;

NsDiagram *ns_diagram_new (void);
void ns_diagram_free (NsDiagram *diagram);

/* Add a box centred at (x, y). `text` is Pango markup and is copied. `style` is an index for ns_theme_get_style(), or
 * −1 for the foreground colour. */
void ns_diagram_add_box (NsDiagram *diagram, double x, double y, double width, double height, const char *text,
                         int style);
/* Add a dashed rectangle with the corners (x0, y0) and (x1, y1), drawn behind everything else. */
void ns_diagram_add_frame (NsDiagram *diagram, double x0, double y0, double x1, double y1);
/* Add a circle with a plus sign, centred at (x, y). */
void ns_diagram_add_sum (NsDiagram *diagram, double x, double y);
/* Add a line through n points, 2 <= n <= NS_DIAGRAM_MAX_POINTS; xy [2·n] is copied. */
void ns_diagram_add_wire (NsDiagram *diagram, guint n, const double *xy, NsWireFlags flags);
/* Set the thickness of the wires that follow, as a multiple of the usual one, which is 1 at first. */
void ns_diagram_set_thickness (NsDiagram *diagram, double thickness);
/* Add small text centred at (x, y). `text` is Pango markup and is copied. */
void ns_diagram_add_label (NsDiagram *diagram, double x, double y, const char *text);
/* The same in the colour of a style, as for a box. */
void ns_diagram_add_styled_label (NsDiagram *diagram, double x, double y, const char *text, int style);
/* Add large text whose left end is at x. `text` is Pango markup and is copied. */
void ns_diagram_add_title (NsDiagram *diagram, double x, double y, const char *text);
/* Add a rectangle centred at (x, y) that is not drawn, for what can be pointed at or dropped there. */
void ns_diagram_add_spot (NsDiagram *diagram, double x, double y, double width, double height);
/* Set the id of the parts that follow, a number that only the caller understands; 0, the first, is none. Parts with the
 * same id belong together, as a wire and its value. */
void ns_diagram_set_id (NsDiagram *diagram, guint id);
/* Add copies of all parts of `other`, with their ids, shifted by (x, y). */
void ns_diagram_add_diagram (NsDiagram *diagram, const NsDiagram *other, double x, double y);

/* Count the characters of Pango markup without its tags, for an estimate of its width. */
guint ns_diagram_count_letters (const char *markup);

/* Parts are indexed in the order in which they were added. */
guint ns_diagram_get_n_parts (const NsDiagram *diagram);
void ns_diagram_get_part (const NsDiagram *diagram, guint index, NsDiagramPart *part);

/* Return the extent of all parts, measured from (0, 0) and with a margin, in units. */
void ns_diagram_get_size (const NsDiagram *diagram, double *width, double *height);

/* Draw the diagram centred and as large as fits into width × height px, without a background. FALSE after an error of
 * Cairo, as in ns-draw.h. */
gboolean ns_diagram_draw (const NsDiagram *diagram, cairo_t *cr, const NsTheme *theme, double width, double height);
/* Get the px around all parts with an id in such a drawing. FALSE if there are none. */
gboolean ns_diagram_get_rect (const NsDiagram *diagram, double width, double height, guint id, NsRect *rect);
/* Draw the diagram on the theme's background and return the file's bytes; parameters as for ns_figure_export(). */
GBytes *ns_diagram_export (const NsDiagram *diagram, const NsTheme *theme, NsExportFormat format, double width,
                           double height, double scale, const NsExportMetadata *metadata, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsDiagram, ns_diagram_free)

G_END_DECLS
