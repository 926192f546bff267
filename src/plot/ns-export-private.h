/* Export of any drawing, and the metadata added to the PNG and SVG files that Cairo writes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <cairo.h>

#include "plot/ns-export.h"
#include "plot/ns-text.h"

G_BEGIN_DECLS

#define NS_PT_PER_PX 0.75

/* Draws `data` in [0, width] × [0, height] px. */
typedef void (*NsDrawFunc) (gconstpointer data, cairo_t *cr, const NsTheme *theme, double width, double height);

/* As ns_figure_export(), for any drawing. */
GBytes *ns_export_drawing (NsDrawFunc draw, gconstpointer data, const NsTheme *theme, NsExportFormat format,
                           double width, double height, double scale, const NsExportMetadata *metadata,
                           GError **error);

/* Return UTF-8 text with U+FFFD in place of what XML or PDF cannot hold: controls except white space, and
 * noncharacters. NULL for NULL. Caller frees. */
char *ns_export_dup_text (const char *text);

/* Insert an iTXt chunk for each text of `metadata` (nullable) after the PNG's header. Takes `png`, returns the result.
 * */
GByteArray *ns_export_png_add_metadata (GByteArray *png, const NsExportMetadata *metadata);

/* Renumber the ids of an SVG from 1, since Cairo counts them from the start of the process, and insert title,
 * description and metadata (nullable) as first children of the root, and elements (nullable) as its last ones. Takes
 * `svg`, returns the result. */
GByteArray *ns_export_svg_finish (GByteArray *svg, const NsExportMetadata *metadata, const char *elements);

/* ---- ns-export-room.c ---- */

/* Check that all text of a drawing on paper is whole and large enough, by what was recorded of it. FALSE with an error
 * that names a size with room for it. */
gboolean ns_export_check_room (const NsTextRecord *record, NsDrawFunc draw, gconstpointer data, const NsTheme *theme,
                               double width, double height, double scale, GError **error);

/* Check the end of a PDF and that each of its objects is where its table says. Cairo 1.16 reports no error when it has
 * no memory for fonts, and writes a PDF without them or without its end. */
gboolean ns_export_pdf_is_whole (const guint8 *bytes, gsize length);

G_END_DECLS
