/* What the export writes into the files of other hands: metadata into Cairo's PNG and SVG.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <cairo.h>

#include "plot/ns-export.h"

G_BEGIN_DECLS

/* Fills [0, width] x [0, height] with data. */
typedef void (*NsDrawFunc) (gconstpointer data, cairo_t *cr, const NsTheme *theme, double width, double height);

/* ns_figure_export() of any drawing. */
GBytes *ns_export_drawing (NsDrawFunc draw, gconstpointer data, const NsTheme *theme, NsExportFormat format,
                           double width, double height, double scale, const NsExportMetadata *metadata,
                           GError **error);

/* The PNG with an iTXt chunk for each text given, right after its header. Takes `png`. */
GByteArray *ns_export_png_add_metadata (GByteArray *png, const NsExportMetadata *metadata);

/* The SVG with ids counted from 1 instead of from the process's start, and with title, description and
 * metadata as its first children. Takes `svg`. */
GByteArray *ns_export_svg_finish (GByteArray *svg, const NsExportMetadata *metadata);

G_END_DECLS
