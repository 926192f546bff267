/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-range.h"

#include <math.h>

#include "plot/ns-stack.h"

/* Margin at both ends, as a share of the range. */
#define AIR 0.05

/* Beyond this the width of a range or its margin overflows. */
#define LIMIT 1e300

static void
extend_range (double value, double *min, double *max)
{
  if (!isfinite (value))
    return;
  *min = fmin (*min, value);
  *max = fmax (*max, value);
}

static void
extend_to_stack (const NsPanel *panel, double *min, double *max)
{
  g_autoptr (NsStack) stack = ns_stack_new (panel);

  for (gsize i = 0; i < stack->n; i++)
    {
      extend_range (stack->low[i], min, max);
      extend_range (stack->high[i], min, max);
    }
}

static void
extend_to_series (const NsPanel *panel, NsSide side, gboolean keeps_range, double *min, double *max)
{
  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);

      if (series->side != side || series->kind == NS_SERIES_STACK || series->keeps_range != keeps_range)
        continue;
      for (gsize i = 0; i < series->n; i++)
        {
          if (ns_series_get_mark (series, i) != NS_MARK_NONE)
            continue;
          extend_range (series->y[i], min, max);
          if (series->low != NULL)
            {
              extend_range (series->low[i], min, max);
              extend_range (series->high[i], min, max);
            }
        }
    }
}

gboolean
ns_panel_get_data_range (const NsPanel *panel, NsSide side, double *min, double *max)
{
  double low = INFINITY, high = -INFINITY;

  g_return_val_if_fail (panel != NULL, FALSE);

  extend_to_series (panel, side, FALSE, &low, &high);
  if (side == NS_SIDE_LEFT && ns_panel_has_stack (panel))
    extend_to_stack (panel, &low, &high);
  if (low > high) /* nothing new is measured yet */
    extend_to_series (panel, side, TRUE, &low, &high);
  if (low > high)
    return FALSE;
  if (min != NULL)
    *min = low;
  if (max != NULL)
    *max = high;
  return TRUE;
}

NsRange
ns_range_from_data (NsAxisScale scale, gboolean zero_based, double min, double max)
{
  NsRange range = { 0.0, 1.0 };
  double air;

  if (!isfinite (min) || !isfinite (max) || min > max)
    return range;

  min = CLAMP (min, -LIMIT, LIMIT);
  max = CLAMP (max, -LIMIT, LIMIT);

  if (scale == NS_AXIS_LOG10)
    {
      air = AIR * (max - min);
      range.min = min - air;
      range.max = max + air;
      if (range.max - range.min < 1.0)
        {
          double middle = 0.5 * (min + max);

          range.min = middle - 0.5;
          range.max = middle + 0.5;
        }
      return range;
    }

  if (zero_based)
    {
      min = fmin (min, 0.0);
      max = fmax (max, 0.0);
    }
  /* A single value, or a spread of rounding errors: show it as flat, with a tenth of the value on each side. */
  if (max - min <= 1e-9 * fmax (fabs (min), fabs (max)))
    {
      double half = min == 0.0 ? 1.0 : 0.1 * fabs (min);

      range.min = zero_based && min == 0.0 ? 0.0 : min - half;
      range.max = max + half;
      return range;
    }
  air = AIR * (max - min);
  range.min = zero_based && min == 0.0 ? 0.0 : min - air;
  range.max = zero_based && max == 0.0 ? 0.0 : max + air;
  return range;
}

gboolean
ns_panel_get_auto_range (const NsPanel *panel, NsSide side, NsRange *range)
{
  NsAxisScale scale;
  gboolean zero_based;
  double min, max;

  g_return_val_if_fail (panel != NULL && range != NULL, FALSE);

  scale = side == NS_SIDE_LEFT ? panel->scale : NS_AXIS_LINEAR;
  zero_based = side == NS_SIDE_LEFT && panel->zero_based;

  if (!ns_panel_get_data_range (panel, side, &min, &max))
    {
      range->min = 0.0;
      range->max = 1.0;
      return FALSE;
    }
  *range = ns_range_from_data (scale, zero_based, min, max);
  return TRUE;
}

void
ns_range_memory_reset (NsRangeMemory *memory)
{
  g_return_if_fail (memory != NULL);
  memory->is_set = FALSE;
}

NsRange
ns_range_memory_update (NsRangeMemory *memory, NsAxisScale scale, NsRange wanted, gboolean settle)
{
  g_return_val_if_fail (memory != NULL, wanted);

  if (!isfinite (wanted.min) || !isfinite (wanted.max) || wanted.min >= wanted.max)
    return memory->is_set ? memory->range : (NsRange){ 0.0, 1.0 };

  if (!memory->is_set || memory->scale != scale || settle)
    {
      memory->is_set = TRUE;
      memory->scale = scale;
      memory->range = wanted;
    }
  else
    {
      memory->range.min = fmin (memory->range.min, wanted.min);
      memory->range.max = fmax (memory->range.max, wanted.max);
    }
  return memory->range;
}
