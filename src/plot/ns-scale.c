/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-scale.h"

#include <math.h>

NsAxisMap
ns_scale_make (NsAxisScale scale, double min, double max, double start_px, double end_px)
{
  NsAxisMap result = { scale, min, max, start_px, end_px };

  if (!isfinite (min) || !isfinite (max) || !isfinite (max - min))
    {
      result.min = 0.0;
      result.max = 1.0;
    }
  else if (max < min)
    {
      result.min = max;
      result.max = min;
    }

  /* A range narrower than the rounding of its ends has no usable inverse. */
  if (result.max - result.min <= 1e-13 * fmax (fabs (result.min), fabs (result.max)))
    {
      double half = fmax (0.5, 1e-12 * fabs (result.min));

      result.min -= half;
      result.max += half;
    }
  return result;
}

double
ns_scale_map (const NsAxisMap *scale, double value)
{
  double share = (value - scale->min) / (scale->max - scale->min);

  return scale->start_px + share * (scale->end_px - scale->start_px);
}

double
ns_scale_unmap (const NsAxisMap *scale, double px)
{
  double length = scale->end_px - scale->start_px;

  if (length == 0.0)
    return scale->min;
  return scale->min + (px - scale->start_px) / length * (scale->max - scale->min);
}

double
ns_scale_get_length (const NsAxisMap *scale)
{
  return fabs (scale->end_px - scale->start_px);
}
