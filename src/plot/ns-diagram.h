/* A small diagram of boxes, sums and wires: plain data in, one Cairo function out.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coordinates are in units of a line of type, x to the right and y down; a drawing scales them to its place. Frames
 * lie lowest, then wires, boxes, sums, labels and titles.
 * Threads: a diagram belongs to one thread at a time; drawing only reads it.
 */
#pragma once

#include <cairo.h>

#include "plot/ns-export.h"

G_BEGIN_DECLS

typedef struct _NsDiagram NsDiagram;

typedef enum
{
  NS_WIRE_PLAIN = 0,
  NS_WIRE_ARROW = 1 << 0, /* at its last point */
  NS_WIRE_DASHED = 1 << 1,
} NsWireFlags;

typedef enum
{
  NS_DIAGRAM_FRAME,
  NS_DIAGRAM_WIRE,
  NS_DIAGRAM_BOX,
  NS_DIAGRAM_SUM,
  NS_DIAGRAM_LABEL,
  NS_DIAGRAM_TITLE,
  NS_DIAGRAM_N_KINDS
} NsDiagramKind;

/* A part as it was added; borrowed. */
typedef struct
{
  NsDiagramKind kind;
  double x, y, width, height; /* its middle and its extent; those of a text are an estimate, those of a wire 0 */
  const char *text;           /* markup, or NULL */
  double type;                /* size of the text, in units */
  int style;                  /* of a box */
  NsWireFlags flags;
  guint n; /* points of a wire */
  const double *xy;
} NsDiagramPart;

NsDiagram *ns_diagram_new (void);
void ns_diagram_free (NsDiagram *diagram);

/* A box with its middle at (x, y); text is Pango markup, copied. style: an index of ns_theme_get_style(), or −1 for the
 * text's own colour. */
void ns_diagram_add_box (NsDiagram *diagram, double x, double y, double width, double height, const char *text,
                         int style);
/* A dashed rectangle from corner to corner, behind what it holds. */
void ns_diagram_add_frame (NsDiagram *diagram, double x0, double y0, double x1, double y1);
/* A circle with a plus. */
void ns_diagram_add_sum (NsDiagram *diagram, double x, double y);
/* A line through n >= 2 points; xy [2·n] is copied. */
void ns_diagram_add_wire (NsDiagram *diagram, guint n, const double *xy, NsWireFlags flags);
/* Small type with its middle at (x, y); markup, copied. */
void ns_diagram_add_label (NsDiagram *diagram, double x, double y, const char *text);

/* Large type that begins at x; markup, copied. */
void ns_diagram_add_title (NsDiagram *diagram, double x, double y, const char *text);
/* Copies of all parts of another diagram, its (0, 0) at (x, y). */
void ns_diagram_add_diagram (NsDiagram *diagram, const NsDiagram *other, double x, double y);

/* Of markup, without its tags: by them a width is estimated. */
guint ns_diagram_count_letters (const char *markup);

/* In the order in which they were added. */
guint ns_diagram_get_n_parts (const NsDiagram *diagram);
void ns_diagram_get_part (const NsDiagram *diagram, guint index, NsDiagramPart *part);

/* What all parts cover, from (0, 0), with a margin. */
void ns_diagram_get_size (const NsDiagram *diagram, double *width, double *height);

/* As large as fits into width × height px, in the middle. No background. */
void ns_diagram_draw (const NsDiagram *diagram, cairo_t *cr, const NsTheme *theme, double width, double height);
/* As ns_figure_export(). */
GBytes *ns_diagram_export (const NsDiagram *diagram, const NsTheme *theme, NsExportFormat format, double width,
                           double height, double scale, const NsExportMetadata *metadata, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsDiagram, ns_diagram_free)

G_END_DECLS
