/* Export pages as the bytes of a PDF file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bytes depend only on the arguments and on the installed libraries and fonts.
 * Threads: any one thread at a time.
 */
#pragma once

#include <cairo.h>

#include "plot/ns-export.h"

G_BEGIN_DECLS

/* Draws page 0 .. n_pages − 1 of `data` in px of 1/96 inch. */
typedef void (*NsDrawPageFunc) (gpointer data, cairo_t *cr, guint page);

/* Return the file's bytes; the pages have width × height px. Of the metadata (nullable), title, description and
 * software go into the document. NULL with NS_EXPORT_ERROR after an error of Cairo. */
GBytes *ns_export_pages (NsDrawPageFunc draw, gpointer data, guint n_pages, double width, double height,
                         const NsExportMetadata *metadata, GError **error);

G_END_DECLS
