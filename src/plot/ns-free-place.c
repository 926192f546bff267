/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-free-place.h"

#include <math.h>

/* Curves and bars are sampled at this distance. */
#define SAMPLE_PX 3.0
/* From a curve's middle to its edge and its markers. */
#define REACH_PX 4.0
/* A label counts as this many px of a curve, the crosshair as fewer. */
#define LABEL_WEIGHT     1000.0
#define CROSSHAIR_WEIGHT 30.0
/* Heights that are tried, evenly from top to bottom: of a plot, then of the whole picture, whose titles leave room. */
#define N_HEIGHTS         5
#define N_PICTURE_HEIGHTS 40

typedef struct
{
  double x, y; /* px */
} Sample;

static void
add_line (GArray *samples, Sample from, Sample to)
{
  int n = (int) CLAMP (ceil (hypot (to.x - from.x, to.y - from.y) / SAMPLE_PX), 1, 10000);

  for (int i = 1; i <= n; i++)
    {
      Sample sample = { from.x + (to.x - from.x) * i / n, from.y + (to.y - from.y) * i / n };

      g_array_append_val (samples, sample);
    }
}

static void
add_series (GArray *samples, const NsLayout *layout, guint panel, const NsSeries *series)
{
  const NsRect *plot = &ns_layout_get_panel (layout, panel)->plot;
  const NsAxisMap *scale = ns_layout_get_series_scale (layout, panel, series);
  double bottom = plot->y + plot->height;
  double base = scale->scale == NS_AXIS_LOG10 ? bottom : CLAMP (ns_scale_map (scale, 0), plot->y, bottom);
  Sample former = { NAN, NAN };

  for (gsize i = 0; i < series->n; i++)
    {
      gboolean is_number = ns_series_get_mark (series, i) == NS_MARK_NONE && isfinite (series->y[i]);
      Sample point = { ns_scale_map (&layout->x, series->x[i]), NAN };

      if (is_number)
        point.y = CLAMP (ns_scale_map (scale, series->y[i]), plot->y, bottom);
      if (is_number && series->kind != NS_SERIES_LINE)
        add_line (samples, (Sample) { point.x, base }, point);
      else if (is_number)
        add_line (samples, isnan (former.y) ? point : former, point);
      former = point;
    }
}

static GArray *
take_samples (const NsFigure *figure, const NsLayout *layout)
{
  GArray *samples = g_array_new (FALSE, FALSE, sizeof (Sample));

  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        add_series (samples, layout, p, g_ptr_array_index (panel->series, s));
    }
  return samples;
}

static gboolean
overlaps (const NsRect *a, const NsRect *b)
{
  return a->x < b->x + b->width && a->x + a->width > b->x && a->y < b->y + b->height && a->y + a->height > b->y;
}

static double
count (const GArray *samples, const NsLayout *layout, const NsRect *rect)
{
  double covered = 0;

  for (guint i = 0; i < samples->len; i++)
    {
      const Sample *at = &g_array_index (samples, Sample, i);

      if (at->x > rect->x - REACH_PX && at->x < rect->x + rect->width + REACH_PX && at->y > rect->y - REACH_PX
          && at->y < rect->y + rect->height + REACH_PX)
        covered += SAMPLE_PX;
    }
  for (guint i = 0; i < layout->labels->len; i++)
    if (overlaps (&((const NsLabel *) g_ptr_array_index (layout->labels, i))->rect, rect))
      covered += LABEL_WEIGHT;
  for (guint p = 0; p < layout->panels->len; p++)
    if (overlaps (&ns_layout_get_panel (layout, p)->chooser, rect))
      covered += LABEL_WEIGHT;
  return covered;
}

typedef struct
{
  const GArray *samples;
  const NsLayout *layout;
  double x_px, gap_px; /* of the crosshair */
  NsRect best;
  double least;        /* what `best` covers */
} Search;

/* Try places in a part of the picture, beside the crosshair and at both ends, until one is free. */
static void
search (Search *self, const NsRect *part, int n_heights)
{
  double width = self->best.width, height = self->best.height, end = part->x + MAX (part->width - width, 0);
  const double xs[] = { self->x_px + self->gap_px, self->x_px - self->gap_px - width, end, part->x };

  for (int h = 0; h < n_heights; h++)
    for (gsize i = 0; i < G_N_ELEMENTS (xs) && self->least > 0; i++)
      {
        NsRect place = { xs[i], part->y + MAX (part->height - height, 0) * h / (n_heights - 1), width, height };
        double covered;

        if (xs[i] < part->x || xs[i] > end)
          continue;
        covered = count (self->samples, self->layout, &place);
        if (place.x < self->x_px && self->x_px < place.x + width && covered > 0)
          covered += CROSSHAIR_WEIGHT;
        if (covered < self->least)
          {
            self->least = covered;
            self->best = place;
          }
      }
}

gboolean
ns_layout_find_free_place (const NsFigure *figure, const NsLayout *layout, double x_px, double gap_px, NsRect *place)
{
  g_autoptr (GArray) samples = NULL;
  Search self = { .layout = layout, .x_px = x_px, .gap_px = gap_px, .least = INFINITY };
  NsRect picture;

  g_return_val_if_fail (figure != NULL && layout != NULL && place != NULL, FALSE);
  self.best = *place;
  self.samples = samples = take_samples (figure, layout);
  for (guint p = 0; p < layout->panels->len; p++)
    search (&self, &ns_layout_get_panel (layout, p)->plot, N_HEIGHTS);
  picture = (NsRect) { 0, 0, layout->width, layout->height };
  search (&self, &picture, N_PICTURE_HEIGHTS);
  *place = self.best;
  return self.least == 0;
}
