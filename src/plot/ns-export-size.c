/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-export-size.h"

static const NsExportPreset presets[] = {
  { "slide", { FALSE, 1920, 1080, 192, 1.0 } },
  { "column", { TRUE, 8.5, 9, 300, 0.7 } },
  { "columns", { TRUE, 17.5, 11, 300, 0.75 } },
};

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
