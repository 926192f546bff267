/* Statistics in axis units, and a variant's look.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-curve.h"

#include <math.h>

static NsMark
get_mark (double y)
{
  if (isnan (y))
    return NS_MARK_NAN;
  if (isinf (y))
    return y > 0 ? NS_MARK_INF : NS_MARK_UNDERFLOW;
  return NS_MARK_NONE;
}

NsMeanKind
ns_axis_get_mean (NsAxisScale scale)
{
  return scale == NS_AXIS_LOG10 ? NS_MEAN_GEOMETRIC : NS_MEAN_ARITHMETIC;
}

NsMark
ns_stat_to_axis (const NsStat *stat, NsQuantityKind kind, NsAxisScale scale, double *y, double *low, double *high)
{
  gboolean is_norm = kind == NS_KIND_GRADIENT || kind == NS_KIND_ACTIVATION;
  NsSummary summary = ns_stat_summarize (stat, ns_axis_get_mean (scale));
  NsMark mark;

  *y = summary.center;
  *low = summary.center - summary.spread;
  *high = summary.center + summary.spread;
  mark = get_mark (*y);
  if (scale == NS_AXIS_LINEAR && is_norm)
    {
      *low = MAX (*low, 0);
      mark = *y == 0 ? NS_MARK_UNDERFLOW : mark;
    }
  if (mark != NS_MARK_NONE)
    *low = *high = NAN;
  return mark;
}

NsPoints
ns_points_new (void)
{
  return (NsPoints) {
    .x = g_array_new (FALSE, FALSE, sizeof (double)),
    .y = g_array_new (FALSE, FALSE, sizeof (double)),
    .low = g_array_new (FALSE, FALSE, sizeof (double)),
    .high = g_array_new (FALSE, FALSE, sizeof (double)),
    .mark = g_array_new (FALSE, FALSE, sizeof (guint8)),
  };
}

void
ns_points_clear (NsPoints *points)
{
  g_array_unref (points->x);
  g_array_unref (points->y);
  g_array_unref (points->low);
  g_array_unref (points->high);
  g_array_unref (points->mark);
}

void
ns_points_append (NsPoints *points, const NsStat *stat, NsQuantityKind kind, NsAxisScale scale, double x)
{
  double y, low, high;
  guint8 mark = ns_stat_to_axis (stat, kind, scale, &y, &low, &high);

  points->has_marks |= mark != NS_MARK_NONE;
  g_array_append_val (points->x, x);
  g_array_append_val (points->y, y);
  g_array_append_val (points->low, low);
  g_array_append_val (points->high, high);
  g_array_append_val (points->mark, mark);
}

NsSeries *
ns_points_add (const NsPoints *points, NsPanel *panel, const char *name, NsSeriesKind kind, int style, gboolean band)
{
  return ns_panel_add_series (panel, name, kind, style, points->x->len, (const double *) points->x->data,
                              (const double *) points->y->data, band ? (const double *) points->low->data : NULL,
                              band ? (const double *) points->high->data : NULL,
                              points->has_marks ? (const guint8 *) points->mark->data : NULL);
}

gboolean
ns_variant_is_visible (guint64 hidden, guint variant)
{
  return variant >= 64 || (hidden >> variant & 1) == 0;
}

int
ns_variant_get_style (const int *styles, guint variant)
{
  return styles != NULL ? styles[variant] : (int) variant;
}

void
ns_series_set_variant_color (NsSeries *series, const NsColor *colors, const gboolean *has_color, guint variant)
{
  if (colors == NULL || has_color == NULL || !has_color[variant])
    return;
  series->has_color = TRUE;
  series->color = colors[variant];
}
