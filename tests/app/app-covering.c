/* Check that nothing in the window covers anything.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-covering.h"

#include <math.h>

#include "app/lecture/normscope-aside.h"
#include "app/lecture/normscope-palette.h"
#include "app/lecture/normscope-presenter-bar.h"
#include "app/lecture/normscope-sketch.h"
#include "app/shared/normscope-readout.h"
#include "app/shared/normscope-sentence.h"
#include "app/wiring/normscope-wiring-strip.h"
#include "plot/ns-free-place.h"

/* Points on each side of a grid. */
#define N 7
/* From the edges, whose corners may be round. */
#define INSET_PX 8.0
/* From the crosshair to a read-out. */
#define GAP_PX 14

static gboolean
is_looked_at (GtkWidget *widget)
{
  return NORMSCOPE_IS_PLOT (widget) || NORMSCOPE_IS_WIRING_STRIP (widget) || NORMSCOPE_IS_SENTENCE (widget)
         || NORMSCOPE_IS_ASIDE (widget) || NORMSCOPE_IS_PALETTE (widget) || NORMSCOPE_IS_PRESENTER_BAR (widget)
         || (GTK_IS_BUTTON (widget) && gtk_widget_get_ancestor (widget, NORMSCOPE_TYPE_ASIDE) != NULL);
}

/* Return TRUE for what belongs over a plot: the sketch of an answer, and a read-out, which is checked by the curves. */
static gboolean
is_of_plot (GtkWidget *widget)
{
  return gtk_widget_get_ancestor (widget, NORMSCOPE_TYPE_READOUT) != NULL || NORMSCOPE_IS_SKETCH (widget);
}

/* The widget that is seen at points of `widget` is in it. */
static void
assert_uncovered (GtkWidget *window, GtkWidget *widget)
{
  graphene_rect_t bounds;
  double inset;

  g_assert_true (gtk_widget_compute_bounds (widget, window, &bounds));
  inset = fmin (INSET_PX, fmin (bounds.size.width, bounds.size.height) / 4);
  for (int i = 0; i < N * N; i++)
    {
      double x = bounds.origin.x + inset + (bounds.size.width - 2 * inset) * (i % N) / (N - 1);
      double y = bounds.origin.y + inset + (bounds.size.height - 2 * inset) * (i / N) / (N - 1);
      GtkWidget *seen = gtk_widget_pick (window, x, y, GTK_PICK_NON_TARGETABLE | GTK_PICK_INSENSITIVE);

      if (seen == NULL)
        g_error ("%s is out of sight at %.0f, %.0f", G_OBJECT_TYPE_NAME (widget), x, y);
      if (seen != widget && !gtk_widget_is_ancestor (seen, widget)
          && !(NORMSCOPE_IS_PLOT (widget) && is_of_plot (seen)))
        g_error ("%s is covered by %s at %.0f, %.0f", G_OBJECT_TYPE_NAME (widget), G_OBJECT_TYPE_NAME (seen), x, y);
    }
}

/* Count the points of a panel's curves, and the bars, that a rectangle covers. */
static guint
count_points (const NsLayout *layout, guint p, const NsPanel *panel, const graphene_rect_t *rect)
{
  guint n = 0;

  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);
      const NsAxisMap *scale = ns_layout_get_series_scale (layout, p, series);

      for (gsize i = 0; i < series->n; i++)
        {
          double x = ns_scale_map (&layout->x, series->x[i]), y = ns_scale_map (scale, series->y[i]);
          gboolean is_bar = series->kind != NS_SERIES_LINE && y < rect->origin.y
                            && rect->origin.y < ns_layout_get_panel (layout, p)->plot.y
                                                    + ns_layout_get_panel (layout, p)->plot.height;

          n += graphene_rect_contains_point (rect, &GRAPHENE_POINT_INIT ((float) x, (float) y))
               || (is_bar && x > rect->origin.x && x < rect->origin.x + rect->size.width);
        }
    }
  return n;
}

guint
app_count_covered (NormscopePlot *plot, GtkWidget *readout)
{
  const NsFigure *figure = normscope_plot_get_figure (plot);
  const NsLayout *layout = normscope_plot_get_layout (plot);
  graphene_rect_t bounds;
  guint n = 0;

  g_assert_true (gtk_widget_compute_bounds (readout, GTK_WIDGET (plot), &bounds));
  for (guint p = 0; p < figure->panels->len; p++)
    n += count_points (layout, p, g_ptr_array_index (figure->panels, p), &bounds);
  return n;
}

/* Return TRUE if a read-out of this size could be somewhere. */
static gboolean
has_free_place (NormscopePlot *plot, GtkWidget *readout)
{
  NsRect place = { 0, 0, gtk_widget_get_width (readout), gtk_widget_get_height (readout) }, first;
  double x;

  return normscope_plot_get_crosshair (plot, &x, &first)
         && ns_layout_find_free_place (normscope_plot_get_figure (plot), normscope_plot_get_layout (plot), x,
                                       GAP_PX, &place);
}

static void
check (GtkWidget *window, GtkWidget *widget, NormscopePlot **plot)
{
  if (!gtk_widget_get_mapped (widget))
    return;
  if (NORMSCOPE_IS_PLOT (widget))
    *plot = NORMSCOPE_PLOT (widget);
  if (is_looked_at (widget))
    assert_uncovered (window, widget);
  else if (NORMSCOPE_IS_READOUT (widget))
    g_assert_true (app_count_covered (*plot, widget) == 0 || !has_free_place (*plot, widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (!GTK_IS_NATIVE (child))
      check (window, child, plot);
}

void
app_assert_nothing_covers (Fixture *fixture)
{
  NormscopePlot *plot = NULL;

  check (GTK_WIDGET (fixture->window), GTK_WIDGET (fixture->window), &plot);
}
