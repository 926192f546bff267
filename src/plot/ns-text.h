/* Text of the same size on every surface: a private helper of layout and drawing.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <pango/pangocairo.h>

#include "plot/ns-theme.h"

G_BEGIN_DECLS

/* Create a context without hinting and with unrounded advances, so that text is as wide in a file as on the screen. */
PangoContext *ns_text_context_new (const NsTheme *theme);

/* Shape a text; the caller owns the layout. With width_px >= 0 it is wrapped (`wrap`) or ellipsized at that width, else
 * it is one line of its natural width. Markup that does not parse is shown as plain text. */
PangoLayout *ns_text_new (PangoContext *context, const char *text, gboolean is_markup, double size_px,
                          gboolean bold, double width_px, gboolean wrap);

/* Replace the text; markup that does not parse is shown as plain text. `size_px` is the layout's font size. */
void ns_text_set_markup (PangoLayout *layout, const char *markup, double size_px);

/* Return the size of the logical rectangle, px; each pointer may be NULL. */
void ns_text_get_size (PangoLayout *layout, double *width_px, double *height_px);

/* What the text on a surface is like. */
typedef struct
{
  double unit;     /* px of the surface in a px of the drawing */
  double least_px; /* the smallest font, px of the drawing; INFINITY: no text yet */
  char *cut;       /* the first text that is cut off, owned; NULL: none */
  GString *svg;    /* owned; collects the text as SVG elements, in place of drawing it; NULL: it is drawn */
} NsTextRecord;

/* Record the text that is drawn to a surface from now on; the record outlives the surface. */
void ns_text_record (cairo_surface_t *surface, NsTextRecord *record);
void ns_text_record_clear (NsTextRecord *record);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsTextRecord, ns_text_record_clear)
/* Record that something does not fit, by its name. */
void ns_text_record_cut (cairo_t *cr, const char *text);

/* Draw a layout at the current point, as Pango does. All text of figures and diagrams is drawn by this. */
void ns_text_show (cairo_t *cr, PangoLayout *layout);

/* Return TRUE if a drawing has succeeded. After an error, drop the thread's fonts, so that text gets new ones, also
 * that of layouts which exist: Cairo marks a font face that has failed once, as FreeType does above 65535 pixels, and
 * refuses it from then on at every size, and Pango keeps it. */
gboolean ns_text_check (cairo_status_t status);

G_END_DECLS
