/* Where the rows and texts of the strip are.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/wiring/normscope-wiring-strip-private.h"

#include <math.h>

#include "engine/experiment/ns-experiment.h"

/* Px of a unit of the wiring, at text scale 1: as large as the window's type, and the least that is legible, alone and
 * among others. */
#define UNIT_PX       24.0
#define LEAST_PX      11.0
#define LEAST_MANY_PX 15.0
#define NAME_PX       104 /* column of the variants' names */
#define MARGIN_PX     6
#define LONG_VERDICT  200 /* letters of a long verdict on one part, with the block that it is of */
#define MAX_LINES     3   /* that it may take */

/* At a desk, while presenting, and for a step that is about the wiring. */
static const struct
{
  double strip, plot;
} shares[] = { { 0.2, 0.55 }, { 0.22, 0.5 }, { 0.6, 0.2 } };

void
normscope_wiring_strip_get_shares (NormscopeWiringStrip *self, double *strip, double *plot)
{
  guint i = 0;

  g_return_if_fail (NORMSCOPE_IS_WIRING_STRIP (self));
  if (self->session != NULL && normscope_session_is_presented (self->session))
    i = normscope_session_get_wiring_is_subject (self->session) ? 2 : 1;
  *strip = shares[i].strip;
  *plot = shares[i].plot;
}

/* Get the size in units of the rows that are shown, the greatest width and the sum of the heights, and their number. */
static void
get_size (NormscopeWiringStrip *self, NormscopeStripShown shown, double *width, double *height, int *n)
{
  *width = *height = 0;
  *n = 0;
  for (guint v = 0; v < self->rows->len; v++)
    if (normscope_wiring_strip_has_row (self, shown, v))
      {
        double own_width, own_height;

        normscope_wiring_row_get_size (g_ptr_array_index (self->rows, v), &own_width, &own_height);
        *width = fmax (*width, own_width);
        *height += own_height;
        ++*n;
      }
}

static int
get_label_height (GtkLabel *label, int width)
{
  int height;

  gtk_widget_measure (GTK_WIDGET (label), GTK_ORIENTATION_HORIZONTAL, -1, &height, NULL, NULL, NULL);
  gtk_widget_measure (GTK_WIDGET (label), GTK_ORIENTATION_VERTICAL, width, &height, NULL, NULL, NULL);
  return height;
}

/* Return how many lines a long verdict takes. They depend on the width alone: else the plot would move with a verdict
 * while a slider is dragged. *line_height: in px. */
static int
count_caption_lines (NormscopeWiringStrip *self, int width, int *line_height)
{
  PangoContext *context = gtk_widget_get_pango_context (GTK_WIDGET (self->caption));
  PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);
  double letters = (double) width * PANGO_SCALE / pango_font_metrics_get_approximate_char_width (metrics);
  gint64 n_parts = ns_experiment_get_n_parts (normscope_session_get_experiment (self->session));

  *line_height = PANGO_PIXELS_CEIL (pango_font_metrics_get_height (metrics));
  pango_font_metrics_unref (metrics);
  return (int) CLAMP (ceil (LONG_VERDICT * (double) n_parts / letters), 1, MAX_LINES);
}

/* Try to show rows in `max_height` px. Return the height they take, or 0 if they would be too small. */
static int
fit_rows (NormscopeWiringStrip *self, NormscopeStripShown shown, int width, int max_height)
{
  double text_scale = normscope_session_get_text_scale (self->session);
  double own_width, own_height, unit, least;
  int name_width, extra, n, line_height, n_lines = count_caption_lines (self, width, &line_height);
  gboolean is_new = self->shown != shown;

  get_size (self, shown, &own_width, &own_height, &n);
  name_width = n > 1 ? (int) (NAME_PX * (1 + (text_scale - 1) / 2)) : 0;
  least = (n > 1 ? LEAST_MANY_PX : LEAST_PX) * sqrt (text_scale);
  do
    {
      extra = n_lines * line_height + 2 * MARGIN_PX + n; /* each row is rounded up */
      unit = fmin (UNIT_PX * text_scale,
                   fmin ((width - 2 * MARGIN_PX - name_width) / own_width, (max_height - extra) / own_height));
    }
  while (unit < least && --n_lines > 0);
  if (unit < least)
    return 0;
  if (gtk_label_get_lines (self->caption) != n_lines)
    normscope_wiring_strip_queue_caption (self);
  gtk_label_set_lines (self->caption, n_lines);
  for (guint v = 0; v < self->rows->len; v++)
    normscope_wiring_row_set_scale (g_ptr_array_index (self->rows, v), unit, name_width);
  self->shown = shown;
  if (is_new)
    normscope_wiring_strip_show_rows (self, FALSE);
  return (int) floor (unit * own_height) + extra;
}

static guint
count_visible (NormscopeWiringStrip *self)
{
  guint n = 0;

  for (guint v = 0; v < normscope_session_get_n_variants (self->session); v++)
    n += normscope_session_get_look (self->session, v)->hidden ? 0 : 1;
  return n;
}

int
normscope_wiring_strip_fit (NormscopeWiringStrip *self, int width, int max_height)
{
  int height = 0;

  g_return_val_if_fail (NORMSCOPE_IS_WIRING_STRIP (self), 0);

  if (self->folded || self->session == NULL || width <= 2 * MARGIN_PX)
    {
      self->shown = NORMSCOPE_STRIP_SHOWS_NOTHING;
      return 0;
    }
  if (count_visible (self) > 1)
    height = fit_rows (self, NORMSCOPE_STRIP_SHOWS_ALL, width, max_height);
  if (height == 0)
    height = fit_rows (self, NORMSCOPE_STRIP_SHOWS_ONE, width, max_height);
  if (height > 0)
    return height;
  height = get_label_height (self->hint, width);
  self->shown = height <= max_height ? NORMSCOPE_STRIP_SHOWS_HINT : NORMSCOPE_STRIP_SHOWS_NOTHING;
  return self->shown == NORMSCOPE_STRIP_SHOWS_HINT ? height : 0;
}

/* A single row is in the middle; several begin at one edge. */
static void
allocate_row (NormscopeWiringStrip *self, GtkWidget *row, int width, int *y)
{
  GtkAllocation place = { MARGIN_PX, *y, 0, 0 };
  int minimum;

  normscope_wiring_row_get_px (NORMSCOPE_WIRING_ROW (row), &place.width, &place.height);
  if (self->shown == NORMSCOPE_STRIP_SHOWS_ONE)
    place.x = MAX ((width - place.width) / 2, 0);
  gtk_widget_measure (row, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  gtk_widget_size_allocate (row, &place, -1);
  *y += place.height;
}

void
normscope_wiring_strip_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopeWiringStrip *self = NORMSCOPE_WIRING_STRIP (widget);
  gboolean has_rows = self->shown == NORMSCOPE_STRIP_SHOWS_ONE || self->shown == NORMSCOPE_STRIP_SHOWS_ALL;
  GtkLabel *label = has_rows ? self->caption : self->hint;
  int y = MARGIN_PX, label_height = get_label_height (label, width);

  for (guint v = 0; v < self->rows->len; v++)
    {
      gboolean is_shown = normscope_wiring_strip_has_row (self, self->shown, v);

      gtk_widget_set_child_visible (g_ptr_array_index (self->rows, v), is_shown);
      if (is_shown)
        allocate_row (self, g_ptr_array_index (self->rows, v), width, &y);
    }
  gtk_widget_set_child_visible (GTK_WIDGET (self->caption), has_rows);
  gtk_widget_set_child_visible (GTK_WIDGET (self->hint), self->shown == NORMSCOPE_STRIP_SHOWS_HINT);
  if (self->shown != NORMSCOPE_STRIP_SHOWS_NOTHING)
    gtk_widget_size_allocate (GTK_WIDGET (label),
                              &(GtkAllocation){ 0, has_rows ? y + MARGIN_PX : MAX (height - label_height, 0), width,
                                                label_height },
                              -1);
  if (has_rows && gtk_widget_get_width (GTK_WIDGET (label)) != self->caption_width)
    {
      self->caption_width = gtk_widget_get_width (GTK_WIDGET (label));
      normscope_wiring_strip_queue_caption (self);
    }
}

/* The shelf gives the strip what normscope_wiring_strip_fit() returns. */
void
normscope_wiring_strip_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                                int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = 0;
}
