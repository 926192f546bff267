/* The size of an exported figure as a user gives it: pixels or centimetres, and a resolution.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; no state.
 */
#pragma once

#include "plot/ns-export.h"

G_BEGIN_DECLS

/* The px of a drawing, as in CSS. */
#define NS_PX_PER_INCH 96.0
#define NS_CM_PER_INCH 2.54

typedef struct
{
  gboolean is_cm;       /* unit of width and height: cm, else pixels of a PNG */
  double width, height;
  double dpi;           /* pixels of a PNG per inch */
  double text_scale;    /* for NsTheme.text_scale */
} NsExportSize;

typedef struct
{
  const char *id; /* name on the command line */
  gboolean paper; /* for NsTheme.paper */
  NsExportSize size;
} NsExportPreset;

/* Return a preset, or NULL beyond the last one: a size of its own. */
const NsExportPreset *ns_export_get_preset (guint index);
/* Set what a theme has for that purpose: paper and the width of lines. NULL is allowed. */
void ns_export_preset_apply (const NsExportPreset *preset, NsTheme *theme);

/* Return the presets (a 16:9 slide, one column of a paper, two columns); static, *n of them. */
const NsExportPreset *ns_export_presets (gsize *n);

/* Compute the arguments of ns_figure_export(): width and height in px, and scale. In centimetres the resolution affects
 * PNG only: an SVG or PDF has the given size on paper. */
void ns_export_size_resolve (const NsExportSize *size, NsExportFormat format, double *width, double *height,
                             double *scale);

G_END_DECLS
