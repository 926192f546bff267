/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-draw.h"

#include <math.h>
#include <pango/pangocairo.h>

#include "plot/ns-color-map.h"
#include "plot/ns-draw-private.h"
#include "plot/ns-heat-map.h"
#include "plot/ns-hit.h"
#include "plot/ns-text.h"
#include "plot/ns-ticks.h"

/* Clip this far outside the plot, so that a line along its edge keeps its full width. */
#define CLIP_AIR_PX 1.5

static void
draw_background (cairo_t *cr, const NsTheme *theme, double width, double height)
{
  if (theme->transparent)
    return;
  ns_draw_set_color (cr, &theme->background, 1.0);
  cairo_rectangle (cr, 0.0, 0.0, width, height);
  cairo_fill (cr);
}

static void
draw_grid (const NsPainter *painter)
{
  const NsRect *plot = &painter->place->plot;
  const NsAxisMap *y = &painter->place->y;
  cairo_t *cr = painter->cr;

  cairo_set_line_width (cr, 1.0);
  for (guint i = 0; i < painter->place->y_ticks->len; i++)
    {
      const NsTick *tick = g_ptr_array_index (painter->place->y_ticks, i);

      if (!tick->major)
        continue;
      cairo_move_to (cr, plot->x, ns_draw_snap (tick->px));
      cairo_line_to (cr, plot->x + plot->width, ns_draw_snap (tick->px));
    }
  ns_draw_set_color (cr, &painter->theme->foreground, painter->theme->grid_opacity);
  cairo_stroke (cr);

  if (y->scale == NS_AXIS_LINEAR && y->min < 0.0 && y->max > 0.0)
    {
      double zero = ns_draw_snap (ns_scale_map (y, 0.0));

      cairo_move_to (cr, plot->x, zero);
      cairo_line_to (cr, plot->x + plot->width, zero);
      ns_draw_set_color (cr, &painter->theme->foreground, painter->theme->axis_opacity);
      cairo_stroke (cr);
    }
}

static void
draw_dividers (const NsPainter *painter)
{
  const NsFigure *figure = painter->figure;
  const NsRect *plot = &painter->place->plot;

  if (painter->panel->message != NULL || (figure->x_parts->len < 2 && figure->y_parts->len < 2))
    return; /* a message stands where a divider would cross it */
  for (double x = -INFINITY; isfinite (x = ns_axis_parts_find_divider (figure->x_parts, x));)
    {
      double px = ns_draw_snap (ns_scale_map (&painter->place->x, x));

      cairo_move_to (painter->cr, px, plot->y);
      cairo_line_to (painter->cr, px, plot->y + plot->height);
    }
  for (double y = -INFINITY; isfinite (y = ns_axis_parts_find_divider (figure->y_parts, y));)
    {
      double px = ns_draw_snap (ns_scale_map (&painter->place->y, y));

      cairo_move_to (painter->cr, plot->x, px);
      cairo_line_to (painter->cr, plot->x + plot->width, px);
    }
  cairo_set_line_width (painter->cr, 1.0);
  ns_draw_set_color (painter->cr, &painter->theme->foreground, painter->theme->axis_opacity);
  cairo_stroke (painter->cr);
}

static void
add_side_ticks (cairo_t *cr, const GPtrArray *ticks, double at, double direction)
{
  for (guint i = 0; i < ticks->len; i++)
    {
      const NsTick *tick = g_ptr_array_index (ticks, i);

      cairo_move_to (cr, at, ns_draw_snap (tick->px));
      cairo_line_to (cr, at + direction * (tick->major ? NS_MAJOR_TICK_PX : NS_MINOR_TICK_PX), ns_draw_snap (tick->px));
    }
}

static void
draw_axes (const NsPainter *painter)
{
  const NsRect *plot = &painter->place->plot;
  const GPtrArray *x_ticks = painter->place->x_ticks != NULL ? painter->place->x_ticks : painter->layout->x_ticks;
  double left = ns_draw_snap (plot->x), right = ns_draw_snap (plot->x + plot->width),
         bottom = ns_draw_snap (plot->y + plot->height);
  cairo_t *cr = painter->cr;

  cairo_set_line_width (cr, 1.0);
  cairo_move_to (cr, left, plot->y);
  cairo_line_to (cr, left, bottom);
  cairo_line_to (cr, painter->place->has_right ? right : plot->x + plot->width, bottom);
  if (painter->place->has_right)
    cairo_line_to (cr, right, plot->y);
  add_side_ticks (cr, painter->place->y_ticks, left, -1.0);
  if (painter->place->has_right)
    add_side_ticks (cr, painter->place->right_ticks, right, 1.0);
  for (guint i = 0; i < x_ticks->len; i++)
    {
      const NsTick *tick = g_ptr_array_index (x_ticks, i);

      cairo_move_to (cr, ns_draw_snap (tick->px), bottom);
      cairo_line_to (cr, ns_draw_snap (tick->px), bottom + (tick->major ? NS_MAJOR_TICK_PX : NS_MINOR_TICK_PX));
    }
  ns_draw_set_color (cr, &painter->theme->foreground, painter->theme->axis_opacity);
  cairo_stroke (cr);
}

typedef void (*DrawSeries) (const NsPainter *painter, const NsSeries *series);

static void
draw_lines (const NsPainter *painter, NsSeriesRole role, DrawSeries draw)
{
  for (guint s = 0; s < painter->panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (painter->panel->series, s);

      if (series->kind == NS_SERIES_LINE && series->role == role)
        draw (painter, series);
    }
}

/* Heat maps have no grid: it would hide cells. */
static void
draw_map_panel (const NsPainter *painter, gboolean with_cells)
{
  if (with_cells)
    ns_draw_heat_map (painter);
  draw_dividers (painter);
  draw_axes (painter);
  if (with_cells)
    ns_draw_annotations (painter, TRUE);
  if (with_cells)
    ns_draw_annotations (painter, FALSE);
}

static void
draw_panel (const NsPainter *painter)
{
  const NsRect *plot = &painter->place->plot;
  cairo_t *cr = painter->cr;

  draw_grid (painter);
  draw_dividers (painter);
  cairo_save (cr);
  cairo_rectangle (cr, plot->x - CLIP_AIR_PX, plot->y - CLIP_AIR_PX, plot->width + 2 * CLIP_AIR_PX,
                   plot->height + 2 * CLIP_AIR_PX);
  cairo_clip (cr);
  cairo_new_path (cr);
  ns_draw_annotations (painter, TRUE);
  ns_draw_bars (painter);
  ns_draw_stack (painter);
  draw_lines (painter, NS_ROLE_GHOST, ns_draw_line);
  draw_lines (painter, NS_ROLE_REFERENCE, ns_draw_band);
  draw_lines (painter, NS_ROLE_DATA, ns_draw_band);
  draw_lines (painter, NS_ROLE_REFERENCE, ns_draw_line);
  draw_lines (painter, NS_ROLE_DATA, ns_draw_line);
  cairo_restore (cr);
  draw_axes (painter);
  draw_lines (painter, NS_ROLE_DATA, ns_draw_markers);
  ns_draw_marks (painter);
  ns_draw_annotations (painter, FALSE);
}

/* Draw what is there without any series. */
static void
draw_empty_panel (const NsPainter *painter)
{
  draw_grid (painter);
  draw_dividers (painter);
  draw_axes (painter);
}

static const NsSeries *
get_labelled_series (const NsFigure *figure, const NsLabel *label)
{
  const NsPanel *panel;

  if (label->panel < 0 || label->series < 0 || label->panel >= (int) figure->panels->len)
    return NULL;
  panel = g_ptr_array_index (figure->panels, label->panel);
  return label->series < (int) panel->series->len ? g_ptr_array_index (panel->series, label->series) : NULL;
}

/* Draw the shades of a hue from the lightest one to the darkest one. */
static void
draw_hue_swatch (cairo_t *cr, const NsTheme *theme, int hue, double lightest, double darkest, double width,
                 double height)
{
  double side = 0.6 * height;
  cairo_pattern_t *shades = cairo_pattern_create_linear (0.0, 0.0, width, 0.0);

  for (int i = 0; i <= 4; i++)
    {
      NsColor color = ns_theme_get_hue (theme, hue, lightest + 0.25 * i * (darkest - lightest));

      cairo_pattern_add_color_stop_rgb (shades, 0.25 * i, color.red, color.green, color.blue);
    }
  cairo_rectangle (cr, 0.0, 0.5 * (height - side), width, side);
  cairo_set_source (cr, shades);
  cairo_fill (cr);
  cairo_pattern_destroy (shades);
}

void
ns_series_draw_swatch (const NsSeries *series, cairo_t *cr, const NsTheme *theme, double width, double height)
{
  NsStyle style;
  double middle = 0.5 * height, scale;

  g_return_if_fail (series != NULL && cr != NULL && theme != NULL);

  style = ns_theme_get_series_style (theme, series);
  scale = theme->line_scale;
  cairo_save (cr);
  cairo_new_path (cr);
  if (series->kind == NS_SERIES_STACK)
    {
      draw_hue_swatch (cr, theme, series->style, series->lightness, series->lightness, width, height);
      cairo_restore (cr);
      return;
    }
  if (series->kind == NS_SERIES_BARS)
    {
      double side = fmin (0.6 * height, width);

      cairo_rectangle (cr, 0.5 * (width - side), middle - 0.5 * side, side, side);
      ns_draw_set_color (cr, &style.line, 1.0);
      cairo_fill (cr);
      cairo_restore (cr);
      return;
    }
  for (int i = 0; i < style.n_dash; i++)
    style.dash[i] *= scale;
  cairo_move_to (cr, 0.0, middle);
  cairo_line_to (cr, width, middle);
  cairo_set_dash (cr, style.dash, style.n_dash, 0.0);
  cairo_set_line_width (cr, ns_draw_get_line_width (series) * scale);
  ns_draw_set_color (cr, &style.line, 1.0);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0.0);
  if (series->role == NS_ROLE_DATA)
    {
      ns_draw_add_marker (cr, style.marker, 0.5 * width, middle, 4.0 * scale);
      ns_draw_paint_markers (cr, style.marker, 4.0 * scale, &style, &theme->background, 1.0, FALSE);
    }
  cairo_restore (cr);
}

/* A longer line to a name, as a share of the plot's width, would look like a curve. */
#define MAX_LEADER_SHARE 0.2

/* Draw a line from the curve's end to its name, unless they are close together or far apart. */
static void
draw_leader_to_name (cairo_t *cr, const NsLabel *label, const NsPanelLayout *place, const NsStyle *style)
{
  double y = label->rect.y + 0.5 * label->rect.height, end = label->rect.x - 3.0;

  /* It would cross the labels of the right axis. */
  if (place->has_right || end - label->anchor_x_px < 6.0
      || place->plot.x + place->plot.width - label->anchor_x_px > MAX_LEADER_SHARE * place->plot.width)
    return;
  if (fabs (y - label->anchor_y_px) < 2.0 && end - label->anchor_x_px < 20.0)
    return;
  cairo_move_to (cr, label->anchor_x_px + 5.0, label->anchor_y_px);
  cairo_line_to (cr, end, y);
  cairo_set_line_width (cr, 1.0);
  ns_draw_set_color (cr, &style->line, 0.5);
  cairo_stroke (cr);
}

/* Draw an arrow down at the end of a title that opens a list, whose rectangle is not empty. */
static void
draw_chooser_arrow (cairo_t *cr, const NsRect *chooser, const NsColor *color)
{
  double half = 0.16 * chooser->height, x = chooser->x + chooser->width - 1.5 * half,
         y = chooser->y + 0.5 * chooser->height;

  if (chooser->width <= 0.0)
    return;
  cairo_move_to (cr, x - half, y - 0.5 * half);
  cairo_rel_line_to (cr, 2.0 * half, 0.0);
  cairo_rel_line_to (cr, -half, 1.1 * half);
  cairo_close_path (cr);
  ns_draw_set_color (cr, color, 0.75);
  cairo_fill (cr);
}

/* Draw a swatch; that of a stack has the shades of all series of its hue. */
static void
draw_legend_swatch (const NsFigure *figure, const NsSeries *series, cairo_t *cr, const NsTheme *theme, double width,
                    double height)
{
  double lightest = series->lightness, darkest = series->lightness;

  if (series->kind != NS_SERIES_STACK)
    {
      ns_series_draw_swatch (series, cr, theme, width, height);
      return;
    }
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        {
          const NsSeries *other = g_ptr_array_index (panel->series, s);

          if (other->kind != NS_SERIES_STACK || other->style != series->style || other->n == 0)
            continue;
          lightest = fmax (lightest, other->lightness);
          darkest = fmin (darkest, other->lightness);
        }
    }
  draw_hue_swatch (cr, theme, series->style, lightest, darkest, width, height);
}

/* Return the colour of a heat map's name. */
static NsColor
get_name_color (const NsFigure *figure, const NsTheme *theme, const NsLabel *label, double *alpha)
{
  const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, label->panel))->heat_map;
  const NsSeries like = { .style = map->style, .has_color = map->has_color, .color = map->color };

  *alpha = map->provisional ? 0.6 : 1.0;
  return ns_theme_get_series_style (theme, &like).text;
}

static void
draw_figure_label (const NsFigure *figure, const NsLayout *layout, cairo_t *cr, const NsTheme *theme,
                   const NsLabel *label, gboolean with_leader)
{
  const NsSeries *series = get_labelled_series (figure, label);
  NsColor color = theme->foreground;
  double alpha = 1.0;

  if (label->role == NS_LABEL_NOTE || label->role == NS_LABEL_MESSAGE || label->role == NS_LABEL_SUBTITLE)
    alpha = 0.75;
  if (series != NULL)
    {
      NsStyle style = ns_theme_get_series_style (theme, series);

      if (label->role == NS_LABEL_NAME)
        {
          color = style.text;
          if (with_leader)
            draw_leader_to_name (cr, label, ns_layout_get_panel (layout, (guint) label->panel), &style);
        }
      else if (label->role == NS_LABEL_ANNOTATION && label->bold)
        {
          color = style.text;
        }
      else if (label->role == NS_LABEL_LEGEND)
        {
          cairo_save (cr);
          cairo_translate (cr, label->rect.x - 6.0 - layout->swatch_px, label->rect.y);
          draw_legend_swatch (figure, series, cr, theme, layout->swatch_px, label->rect.height);
          cairo_restore (cr);
        }
    }
  if (label->role == NS_LABEL_PANEL_NAME)
    color = get_name_color (figure, theme, label, &alpha);
  if (label->role == NS_LABEL_ANNOTATION)
    ns_draw_label_background (cr, theme, &label->rect);
  ns_draw_set_color (cr, &color, alpha);
  cairo_save (cr);
  cairo_translate (cr, label->rect.x, label->rect.y + (label->is_upright ? label->rect.height : 0.0));
  if (label->is_upright)
    cairo_rotate (cr, -0.5 * G_PI);
  cairo_move_to (cr, 0.0, 0.0);
  ns_text_show (cr, label->pango);
  cairo_new_path (cr);
  cairo_restore (cr);
  if (label->role == NS_LABEL_Y_TITLE)
    draw_chooser_arrow (cr, &ns_layout_get_panel (layout, (guint) label->panel)->chooser, &color);
}

static gboolean
draw_whole_figure (const NsFigure *figure, const NsLayout *layout, cairo_t *cr, const NsTheme *theme,
                   gboolean with_series)
{
  g_return_val_if_fail (figure != NULL && layout != NULL && cr != NULL && theme != NULL, FALSE);
  g_return_val_if_fail (layout->panels->len == figure->panels->len, FALSE);

  cairo_save (cr);
  cairo_rectangle (cr, 0.0, 0.0, layout->width, layout->height);
  cairo_clip (cr);
  cairo_new_path (cr);
  draw_background (cr, theme, layout->width, layout->height);
  for (guint p = 0; p < figure->panels->len; p++)
    {
      NsPainter painter = { cr, theme, figure, layout, g_ptr_array_index (figure->panels, p),
                            ns_layout_get_panel (layout, p), p };

      if (figure->colors != NULL)
        draw_map_panel (&painter, with_series);
      else if (with_series)
        draw_panel (&painter);
      else
        draw_empty_panel (&painter);
    }
  if (figure->colors != NULL)
    ns_draw_color_bar (figure, layout, cr, theme);
  for (guint i = 0; i < layout->labels->len; i++)
    {
      const NsLabel *label = g_ptr_array_index (layout->labels, i);

      if (with_series || label->role != NS_LABEL_ANNOTATION)
        draw_figure_label (figure, layout, cr, theme, label, with_series);
    }
  cairo_restore (cr);
  return ns_text_check (cairo_status (cr));
}

gboolean
ns_figure_draw_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr, const NsTheme *theme)
{
  return draw_whole_figure (figure, layout, cr, theme, TRUE);
}

gboolean
ns_figure_draw_empty_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr, const NsTheme *theme)
{
  return draw_whole_figure (figure, layout, cr, theme, FALSE);
}

gboolean
ns_figure_draw (const NsFigure *figure, cairo_t *cr, const NsTheme *theme, double width, double height)
{
  g_autoptr (NsLayout) layout = ns_layout_new (figure, theme, width, height);

  return layout != NULL && ns_figure_draw_with_layout (figure, layout, cr, theme);
}
