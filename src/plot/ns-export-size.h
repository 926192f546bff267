/* How large an exported figure is, as a person says it: in pixels or in centimetres, at a resolution.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "plot/ns-export.h"

G_BEGIN_DECLS

/* What one px of the drawing is. */
#define NS_PX_PER_INCH 96.0
#define NS_CM_PER_INCH 2.54

typedef struct
{
  gboolean is_cm;       /* else pixels of a PNG */
  double width, height; /* in these */
  double dpi;           /* pixels of a PNG for each inch */
  double text_scale;    /* NsTheme's */
} NsExportSize;

typedef struct
{
  const char *id; /* on the command line */
  NsExportSize size;
} NsExportPreset;

/* A 16:9 slide, one column of a paper, two columns of it; static, *n of them. */
const NsExportPreset *ns_export_presets (gsize *n);

/* ns_figure_export()'s width and height in px, and its scale. On paper a vector is as large as it says, whatever the
 * resolution of a PNG. */
void ns_export_size_resolve (const NsExportSize *size, NsExportFormat format, double *width, double *height,
                             double *scale);

G_END_DECLS
