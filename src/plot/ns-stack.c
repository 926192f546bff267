/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-stack.h"

#include <math.h>

#include "plot/ns-heat-map.h"
#include "plot/ns-number.h"

/* Return the x of all series, ascending, each once. */
static GArray *
collect_x (const NsPanel *panel)
{
  GArray *xs = g_array_new (FALSE, FALSE, sizeof (double));
  const NsSeries *longest = NULL;
  guint known, n = 0;

  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);

      if (series->kind == NS_SERIES_STACK && (longest == NULL || series->n > longest->n))
        longest = series;
    }
  if (longest == NULL)
    return xs;
  g_array_append_vals (xs, longest->x, (guint) longest->n);
  known = xs->len;
  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);
      guint at = 0;

      for (gsize i = 0; series->kind == NS_SERIES_STACK && i < series->n; i++)
        {
          while (at < known && g_array_index (xs, double, at) < series->x[i])
            at++;
          if (at == known || g_array_index (xs, double, at) != series->x[i])
            g_array_append_val (xs, series->x[i]);
        }
    }
  if (xs->len == known)
    return xs;
  g_array_sort (xs, ns_compare_doubles);
  for (guint i = 0; i < xs->len; i++)
    if (n == 0 || g_array_index (xs, double, i) != g_array_index (xs, double, n - 1))
      g_array_index (xs, double, n++) = g_array_index (xs, double, i);
  g_array_set_size (xs, n);
  return xs;
}

NsStack *
ns_stack_new (const NsPanel *panel)
{
  NsStack *stack = g_new0 (NsStack, 1);
  GArray *xs = collect_x (panel);

  stack->n = xs->len;
  stack->low = g_new0 (double, MAX (1, xs->len));
  stack->high = g_new0 (double, MAX (1, xs->len));
  stack->marks = g_new0 (guint8, MAX (1, xs->len));
  stack->x = (double *) (gpointer) g_array_free (xs, FALSE);
  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);
      gsize at = 0;

      for (gsize i = 0; series->kind == NS_SERIES_STACK && i < series->n; i++)
        {
          while (stack->x[at] < series->x[i])
            at++;
          stack->marks[at] |= (guint8) (1u << ns_series_get_mark (series, i));
          if (ns_series_get_mark (series, i) != NS_MARK_NONE)
            continue;
          stack->low[at] += fmin (0.0, series->y[i]);
          stack->high[at] += fmax (0.0, series->y[i]);
        }
    }
  return stack;
}

void
ns_stack_free (NsStack *stack)
{
  if (stack == NULL)
    return;
  g_free (stack->x);
  g_free (stack->low);
  g_free (stack->high);
  g_free (stack->marks);
  g_free (stack);
}

gboolean
ns_panel_has_stack (const NsPanel *panel)
{
  for (guint s = 0; s < panel->series->len; s++)
    if (((const NsSeries *) g_ptr_array_index (panel->series, s))->kind == NS_SERIES_STACK)
      return TRUE;
  return FALSE;
}

/* Find the point of a stacked series at `x` that is a number. */
static gboolean
find_number (const NsSeries *series, double x, gsize *index)
{
  gint64 i = -1;

  if (series->kind == NS_SERIES_STACK)
    i = ns_heat_map_find (series->x, (gint64) series->n, 1e-9 * fmax (1.0, fabs (x)), x);
  *index = (gsize) MAX (i, 0);
  return i >= 0 && ns_series_get_mark (series, *index) == NS_MARK_NONE;
}

gboolean
ns_stack_get_bar (const NsPanel *panel, double x, double *low, double *high)
{
  gboolean is_there = FALSE;

  *low = *high = 0.0;
  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);
      gsize i;

      if (!find_number (series, x, &i))
        continue;
      is_there = TRUE;
      *low += fmin (0.0, series->y[i]);
      *high += fmax (0.0, series->y[i]);
    }
  return is_there;
}

int
ns_stack_find_part (const NsPanel *panel, double x, double y, double *from, double *to)
{
  double low = 0.0, high = 0.0;

  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);
      double *edge, before;
      gsize i;

      if (!find_number (series, x, &i))
        continue;
      edge = series->y[i] < 0.0 ? &low : &high;
      before = *edge;
      *edge += series->y[i];
      if (y < fmin (before, *edge) || y > fmax (before, *edge) || before == *edge)
        continue;
      *from = before;
      *to = *edge;
      return (int) s;
    }
  return -1;
}
