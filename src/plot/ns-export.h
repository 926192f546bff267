/* A figure as a file's bytes: PNG, SVG or PDF, all from ns_figure_draw().
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bytes depend on the arguments and the installed libraries and fonts only: no date,
 * no random id. Text in a PDF or SVG stays selectable where Cairo can keep it.
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
  NS_EXPORT_ERROR_SIZE,    /* not a size, or beyond the limits */
  NS_EXPORT_ERROR_FORMAT,  /* an unknown extension */
  NS_EXPORT_ERROR_SURFACE, /* Cairo's own complaint */
} NsExportError;

typedef enum
{
  NS_EXPORT_PNG,
  NS_EXPORT_SVG,
  NS_EXPORT_PDF,
} NsExportFormat;

#define NS_EXPORT_MAX_SIDE_PX 32767
#define NS_EXPORT_MAX_BYTES (512 * 1024 * 1024)

/* All UTF-8, each may be NULL; borrowed. */
typedef struct
{
  const char *title;
  const char *description;
  const char *software;   /* "Normscope 0.1.0" */
  const char *experiment; /* the experiment file's text, from which the figure can be made again */
  const char *verified;   /* what a self-check of it found, one line */
} NsExportMetadata;

/* The figure drawn at width x height px of 1/96 inch. `scale` multiplies the pixels of a PNG (2 for a sharp slide)
 * and the paper size of SVG and PDF; type and lines keep their place in the picture.
 * `metadata`, nullable: PNG iTXt chunks ("normscope:experiment" for the experiment), SVG <metadata>, PDF document
 * information. NULL with NS_EXPORT_ERROR when a size is not finite, below 16 px or beyond the limits. */
GBytes *ns_figure_export (const NsFigure *figure, const NsTheme *theme, NsExportFormat format, double width,
                          double height, double scale, const NsExportMetadata *metadata, GError **error);

/* Whether ns_figure_export() takes such a size, for telling before a long run. FALSE with NS_EXPORT_ERROR_SIZE. */
gboolean ns_export_check_size (double width, double height, double scale, GError **error);

/* The format a file name asks for by its extension (.png, .svg, .pdf, any case). */
gboolean ns_export_format_from_path (const char *path, NsExportFormat *format, GError **error);

G_END_DECLS
