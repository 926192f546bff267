/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-export-size.h"

static const NsExportPreset presets[] = {
  { "slide", FALSE, { FALSE, 1920, 1080, 192, 1.0 } },
  { "column", TRUE, { TRUE, 8.5, 9, 300, 0.77 } },
  { "columns", TRUE, { TRUE, 17.5, 11, 300, 0.77 } },
};

/* Lines and markers are thinner in print than on a screen. */
#define PAPER_LINE_SCALE 0.6

const NsExportPreset *
ns_export_get_preset (guint index)
{
  return index < G_N_ELEMENTS (presets) ? &presets[index] : NULL;
}

void
ns_export_preset_apply (const NsExportPreset *preset, NsTheme *theme)
{
  theme->paper = preset != NULL && preset->paper;
  theme->line_scale = theme->paper ? PAPER_LINE_SCALE : 1.0;
}

const NsExportPreset *
ns_export_presets (gsize *n)
{
  *n = G_N_ELEMENTS (presets);
  return presets;
}

void
ns_export_size_resolve (const NsExportSize *size, NsExportFormat format, double *width, double *height, double *scale)
{
  double density = size->dpi / NS_PX_PER_INCH;

  if (size->is_cm)
    {
      *width = size->width / NS_CM_PER_INCH * NS_PX_PER_INCH;
      *height = size->height / NS_CM_PER_INCH * NS_PX_PER_INCH;
      *scale = format == NS_EXPORT_PNG ? density : 1;
    }
  else
    {
      *width = size->width / density;
      *height = size->height / density;
      *scale = density;
    }
}
