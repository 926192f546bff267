/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-draw-private.h"
#include "plot/ns-hit.h"
#include "plot/ns-stack.h"

/* Count the series with a mark at `x` on the same edge, and those of them before `series`. */
static void
count_marks_at (const NsPainter *painter, const NsSeries *series, double x, gboolean is_bottom, int *n, int *before)
{
  const GPtrArray *list = painter->panel->series;
  gboolean is_passed = FALSE;

  *n = *before = 0;
  for (guint s = 0; s < list->len; s++)
    {
      const NsSeries *other = g_ptr_array_index (list, s);
      NsMark mark;
      gsize i;

      is_passed = is_passed || other == series;
      if (other->role == NS_ROLE_GHOST || !ns_series_find_x (other, x, &i))
        continue;
      mark = ns_series_get_mark (other, i);
      if (mark == NS_MARK_NONE || (mark == NS_MARK_UNDERFLOW) != is_bottom)
        continue;
      (*n)++;
      *before += !is_passed;
    }
}

static void
draw_series_marks (const NsPainter *painter, const NsSeries *series)
{
  double radius = NS_MARK_RADIUS_PX * painter->theme->line_scale, width = 2.2 * radius;
  double drawn[] = { -INFINITY, -INFINITY, -INFINITY, -INFINITY };
  gboolean is_wide = ns_layout_get_slot_px (painter->layout) > 2.0 * width;
  const NsRect *plot = &painter->place->plot;

  for (gsize i = 0; i < series->n; i++)
    {
      NsMark mark = ns_series_get_mark (series, i);
      double x = ns_scale_map (&painter->layout->x, series->x[i]);
      gboolean is_bottom = mark == NS_MARK_UNDERFLOW;

      if (mark == NS_MARK_NONE || mark > NS_MARK_UNDERFLOW || !isfinite (x))
        continue;
      if (is_wide)
        {
          int n, before;

          /* Side by side, so that two variants that fail at the same block show two marks. */
          count_marks_at (painter, series, series->x[i], is_bottom, &n, &before);
          x += (before - 0.5 * (n - 1)) * fmin (width, ns_layout_get_slot_px (painter->layout) / n);
        }
      /* In a dense row, skip marks that would mostly cover each other. */
      else if (x - drawn[mark] < 1.5 * radius)
        continue;
      drawn[mark] = x;
      ns_draw_mark (painter->cr, mark, x, is_bottom ? plot->y + plot->height : plot->y, radius, painter->theme);
    }
}

/* Each kind of mark once for a bar, however many of its parts have it. */
static void
draw_stack_marks (const NsPainter *painter)
{
  g_autoptr (NsStack) stack = ns_stack_new (painter->panel);
  double radius = NS_MARK_RADIUS_PX * painter->theme->line_scale;
  const NsRect *plot = &painter->place->plot;

  for (NsMark mark = NS_MARK_NAN; mark <= NS_MARK_UNDERFLOW; mark++)
    {
      double drawn = -INFINITY;

      for (gsize i = 0; i < stack->n; i++)
        {
          double x = ns_scale_map (&painter->place->x, stack->x[i]);

          if ((stack->marks[i] & (1u << mark)) == 0 || !isfinite (x) || x - drawn < 1.5 * radius)
            continue;
          drawn = x;
          ns_draw_mark (painter->cr, mark, x, mark == NS_MARK_UNDERFLOW ? plot->y + plot->height : plot->y, radius,
                        painter->theme);
        }
    }
}

void
ns_draw_marks (const NsPainter *painter)
{
  if (ns_panel_has_stack (painter->panel))
    draw_stack_marks (painter);
  for (guint s = 0; s < painter->panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (painter->panel->series, s);

      if (series->role != NS_ROLE_GHOST && series->kind != NS_SERIES_STACK)
        draw_series_marks (painter, series);
    }
}
