/* Export a figure as the bytes of a PNG, SVG or PDF file, all drawn by ns_figure_draw().
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bytes depend only on the arguments and on the installed libraries and fonts: they hold no current date and no
 * random id. Text in SVG and PDF stays selectable where Cairo supports it.
 * Threads: any one thread at a time.
 */
#pragma once

#include "plot/ns-figure.h"
#include "plot/ns-theme.h"

G_BEGIN_DECLS

#define NS_EXPORT_ERROR (ns_export_error_quark ())
GQuark ns_export_error_quark (void);

typedef enum
{
  NS_EXPORT_ERROR_SIZE,    /* not a valid size, or beyond the limits */
  NS_EXPORT_ERROR_FORMAT,  /* an unknown extension */
  NS_EXPORT_ERROR_SURFACE, /* an error of Cairo */
  NS_EXPORT_ERROR_ROOM,    /* on paper: text is cut off or too small */
} NsExportError;

typedef enum
{
  NS_EXPORT_PNG,
  NS_EXPORT_SVG,
  NS_EXPORT_PDF,
} NsExportFormat;

/* The least size of text on paper. */
#define NS_EXPORT_MIN_TEXT_PT 6.0

#define NS_EXPORT_MIN_SIDE_PX 16.0
#define NS_EXPORT_MAX_SIDE_PX 32767
#define NS_EXPORT_MAX_BYTES (512 * 1024 * 1024)

/* UTF-8 texts, borrowed; each may be NULL. */
typedef struct
{
  const char *title;
  const char *description;
  const char *software;   /* "Normscope 0.1.0" */
  const char *experiment; /* the text of the experiment file that reproduces the figure */
  const char *verified;   /* the result of its self-check, one line */
} NsExportMetadata;

/* Draw the figure at width × height px of 1/96 inch and return the file's bytes. `scale` multiplies the pixels of a PNG
 * (2 for a sharp slide) and the page size of SVG and PDF; it does not change the layout.
 * `metadata` (nullable) goes into iTXt chunks of a PNG ("normscope:experiment" holds the experiment), the <metadata> of
 * an SVG, and the document information of a PDF. With NsTheme.paper title and scales are part of the description.
 * Return NULL with NS_EXPORT_ERROR when a size is not finite, below NS_EXPORT_MIN_SIDE_PX or beyond the limits; with
 * NsTheme.paper also when text would be cut off or below NS_EXPORT_MIN_TEXT_PT, with a size that has room. */
GBytes *ns_figure_export (const NsFigure *figure, const NsTheme *theme, NsExportFormat format, double width,
                          double height, double scale, const NsExportMetadata *metadata, GError **error);

/* Check a size as ns_figure_export() does, to report a bad one before a long run. FALSE with NS_EXPORT_ERROR_SIZE. */
gboolean ns_export_check_size (double width, double height, double scale, GError **error);

/* Find the format for a file name's extension: .png, .svg or .pdf in any case. */
gboolean ns_export_format_from_path (const char *path, NsExportFormat *format, GError **error);

G_END_DECLS
