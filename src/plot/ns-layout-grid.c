/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Heat maps side by side: as many columns as make the maps largest, the bar of colours at the right.
 */
#include <math.h>

#include "plot/ns-heat-map.h"
#include "plot/ns-layout-private.h"
#include "plot/ns-ticks.h"

/* The least side of a map in lines of tick labels, with and without all titles. */
#define MIN_SIDE_LINES 3.0
#define MIN_SIDE_LINES_AT_LAST 1.0

/* From this size on, all cells of a map have the same whole number of pixels. */
#define WHOLE_CELL_PX 5.0

#define BAR_LINES 1.1

/* A range of centres along one axis. */
typedef struct
{
  double first, last, step;
} AxisSpan;

/* The sizes of a grid, px. */
typedef struct
{
  NsLayoutBuilder *builder;
  AxisSpan x, y;
  double top, bottom; /* of everything below the head */
  guint n, columns, rows;
  double map_width, map_height;
  double left;       /* of the labels left of the first column */
  double bar, bar_gap; /* width of the bar, and of the gap before it */
  double labels;       /* of the bar and its labels, or its title */
  double right;        /* of the gap and these */
  double column_gap;
  double name, half;  /* height of a name, and of what tick labels need above and below a map */
  double below;       /* height of what is below the last row */
} Grid;

static double
get_cells (const AxisSpan *span)
{
  return round ((span->last - span->first) / span->step) + 1.0;
}

/* ---- the axes ---- */

static void
extend_axis (AxisSpan *span, const double *centers, gint64 n)
{
  if (n == 0)
    return;
  span->first = fmin (span->first, centers[0]);
  span->last = fmax (span->last, centers[n - 1]);
  if (n > 1)
    span->step = fmin (span->step, ns_heat_map_get_step (centers, n));
}

static void
finish_axis (AxisSpan *span, const GPtrArray *parts)
{
  if (parts->len > 0)
    {
      span->first = ((const NsAxisPart *) g_ptr_array_index (parts, 0))->start;
      span->last = ((const NsAxisPart *) g_ptr_array_index (parts, parts->len - 1))->end;
    }
  if (!(span->first <= span->last))
    span->first = span->last = 0.0;
  if (!isfinite (span->step) || parts->len > 0)
    span->step = 1.0;
}

static void
find_spans (const NsFigure *figure, Grid *grid)
{
  grid->x = grid->y = (AxisSpan){ INFINITY, -INFINITY, INFINITY };
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;

      if (map == NULL)
        continue;
      extend_axis (&grid->x, map->x, map->n_columns);
      extend_axis (&grid->y, map->y, map->n_rows);
    }
  finish_axis (&grid->x, figure->x_parts);
  finish_axis (&grid->y, figure->y_parts);
}

static NsAxisMap
make_map (NsAxisScale scale, const AxisSpan *span, double start, double end)
{
  return ns_scale_make (scale, span->first - 0.5 * span->step, span->last + 0.5 * span->step, start, end);
}

static GPtrArray *
make_ticks (const Grid *grid, const NsAxisMap *map, gboolean is_vertical)
{
  const NsFigure *figure = grid->builder->figure;
  const AxisSpan *span = is_vertical ? &grid->y : &grid->x;

  if (is_vertical && figure->y_labels != NULL)
    return ns_layout_make_label_ticks (grid->builder, map, figure->y_labels);
  return ns_layout_make_ticks (grid->builder, map, is_vertical ? figure->y_parts : figure->x_parts,
                               figure->x_integers && map->scale == NS_AXIS_LINEAR, span->first, span->last,
                               is_vertical);
}

static gboolean
has_titles (const Grid *grid)
{
  return grid->builder->dropped < NS_DROP_X_TITLE;
}

static gboolean
has_bar (const Grid *grid)
{
  return grid->builder->dropped < NS_DROP_LEGEND;
}

static NsAxisMap
make_bar_map (const Grid *grid, double start, double end)
{
  const NsAxisMap *map = &grid->builder->layout->bar.map;

  return ns_scale_make (map->scale, map->min, map->max, start, end);
}

/* ---- the sizes ---- */

/* Set the widths at the left and right of maps of the present height. */
static void
measure_sides (Grid *grid)
{
  NsLayoutBuilder *builder = grid->builder;
  const NsFigure *figure = builder->figure;
  double height = grid->map_height * grid->rows + (grid->rows - 1.0) * (grid->name + grid->half);
  NsAxisMap y = make_map (NS_AXIS_LINEAR, &grid->y, fmax (1.0, grid->map_height), 0.0);
  NsAxisMap x = make_map (grid->builder->figure->x_scale, &grid->x, 0.0, fmax (1.0, grid->map_width));
  g_autoptr (GPtrArray) y_ticks = make_ticks (grid, &y, TRUE);
  g_autoptr (GPtrArray) x_ticks = make_ticks (grid, &x, FALSE);
  gboolean has_title = has_titles (grid) && (figure->y_title != NULL || figure->y_parts->len > 0);
  double label = ns_layout_get_widest (builder, y_ticks), x_label = ns_layout_get_widest (builder, x_ticks);

  label += NS_TICK_GAP_PX + (has_title ? builder->axis_line + 0.4 * builder->gap : 0.0);
  grid->left = fmax (grid->left, ceil (fmax (label, 0.5 * x_label)));
  grid->column_gap = fmax (grid->column_gap, ceil (fmax (1.5 * builder->gap, x_label + builder->gap)));
  if (has_bar (grid))
    {
      NsAxisMap bar = make_bar_map (grid, fmax (1.0, height), 0.0);
      g_autoptr (GPtrArray) ticks = ns_layout_make_side_ticks (builder, &bar);

      double right;

      grid->bar = ceil (BAR_LINES * builder->tick_px);
      right = grid->bar + NS_TICK_GAP_PX + ns_layout_get_widest (builder, ticks);
      if (figure->colors->symbol != NULL)
        {
          g_autoptr (PangoLayout) symbol = ns_text_new (builder->context, figure->colors->symbol, TRUE,
                                                        builder->axis_px, FALSE, -1.0, FALSE);
          double width;

          ns_text_get_size (symbol, &width, NULL);
          right = fmax (right, width);
        }
      grid->bar_gap = fmax (grid->bar_gap, ceil (fmax (2.0 * builder->gap, 0.5 * x_label + builder->gap)));
      grid->labels = fmax (grid->labels, ceil (right));
      grid->right = grid->bar_gap + grid->labels;
    }
  else
    grid->right = fmax (grid->right, ceil (0.5 * x_label));
}

/* Set the size of a map in the present number of columns. */
static void
fit_maps (Grid *grid)
{
  const NsLayoutBuilder *builder = grid->builder;
  double width = builder->layout->width - 2.0 * builder->outer - grid->left - grid->right
                 - (grid->columns - 1.0) * grid->column_gap;
  double height = grid->bottom - grid->top - grid->below - grid->rows * grid->name - (grid->rows - 1.0) * grid->half;
  double nx = get_cells (&grid->x), ny = get_cells (&grid->y);

  grid->map_width = fmax (1.0, floor (width / grid->columns));
  grid->map_height = fmax (1.0, floor (height / grid->rows));
  if (builder->figure->square_cells)
    {
      double unit = fmin (grid->map_width / (nx * grid->x.step), grid->map_height / (ny * grid->y.step));

      if (unit >= WHOLE_CELL_PX)
        unit = floor (unit);
      grid->map_width = fmax (1.0, floor (unit * nx * grid->x.step));
      grid->map_height = fmax (1.0, floor (unit * ny * grid->y.step));
    }
}

/* Try every number of rows, each with as few columns as hold all maps, so that the rows are as full as they can be. */
static void
choose_columns (Grid *grid)
{
  Grid best = *grid;
  double best_area = -1.0;

  for (guint rows = MAX (grid->n, 1); rows >= 1; rows--)
    {
      Grid tried = *grid;
      double area;

      tried.rows = rows;
      tried.columns = (MAX (tried.n, 1) + rows - 1) / rows;
      if ((rows - 1) * tried.columns >= MAX (tried.n, 1)) /* a row would be empty */
        continue;
      tried.map_width = tried.map_height = 0.3 * (tried.bottom - tried.top);
      /* The labels depend on the size of the maps; the room for them never shrinks, so that this ends. */
      for (int round = 0; round < 4; round++)
        {
          measure_sides (&tried);
          fit_maps (&tried);
        }
      /* Maps that are not square may be twice as wide as high. */
      area = fmin (tried.map_width, 2.0 * tried.map_height) * fmin (tried.map_width, tried.map_height);
      if (area > best_area)
        {
          best = tried;
          best_area = area;
        }
    }
  *grid = best;
}

/* ---- the places ---- */

/* Place the title, with the note at its right, and the subtitle; return the height. */
static double
place_head (NsLayoutBuilder *builder, double y, gboolean note_is_placed)
{
  const NsFigure *figure = builder->figure;
  const NsColorScale *colors = figure->colors;
  const NsPanel *first = figure->panels->len > 0 ? g_ptr_array_index (figure->panels, 0) : NULL;
  gboolean has_subtitle
      = colors->subtitle != NULL && !builder->theme->paper && builder->dropped < NS_DROP_SUBTITLES;
  double room = builder->layout->width - 2.0 * builder->outer, note_room = 0.0;
  double y_2 = y + builder->title_line - builder->axis_line + builder->subtitle_line;

  if (!note_is_placed)
    {
      NsLabel *note = ns_layout_add_label (builder, NS_LABEL_NOTE, figure->note, FALSE, builder->tick_px, FALSE,
                                           0.45 * room, FALSE);

      note->rect.x = builder->layout->width - builder->outer - note->rect.width;
      note->rect.y = (has_subtitle ? y_2 : y) + fmax (0.0, builder->axis_line - note->rect.height);
      note_room = note->rect.width + builder->gap;
    }
  if (colors->title != NULL && first != NULL)
    {
      double arrow = first->has_chooser ? builder->gap : 0.0;
      double title_room = fmax (0.0, room - arrow - (has_subtitle ? 0.0 : note_room));
      NsLabel *label = ns_layout_add_label (builder, NS_LABEL_Y_TITLE, colors->title, TRUE, builder->axis_px, FALSE,
                                            -1.0, FALSE);

      if (label->rect.width > title_room)
        {
          g_ptr_array_remove (builder->layout->labels, label);
          label = ns_layout_add_label (builder, NS_LABEL_Y_TITLE,
                                       colors->short_title != NULL ? colors->short_title : colors->title, TRUE,
                                       builder->axis_px, FALSE, title_room, FALSE);
        }
      label->panel = 0;
      label->rect.x = builder->outer;
      label->rect.y = y + fmax (0.0, builder->axis_line - label->rect.height);
      if (first->has_chooser)
        {
          NsPanelLayout *out = ns_layout_builder_get_panel (builder, 0);

          out->chooser = label->rect;
          out->chooser.width += arrow;
        }
    }
  if (has_subtitle)
    {
      NsLabel *label = ns_layout_add_label (builder, NS_LABEL_SUBTITLE, colors->subtitle, FALSE, builder->tick_px,
                                            FALSE, fmax (0.0, room - note_room), FALSE);

      label->rect.x = builder->outer;
      label->rect.y = y_2 + fmax (0.0, builder->axis_line - label->rect.height);
    }
  return builder->title_line + (has_subtitle ? builder->subtitle_line : 0.0);
}

static void
place_name (const Grid *grid, guint index, const NsRect *plot, gboolean is_last)
{
  NsLayoutBuilder *builder = grid->builder;
  const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (builder->figure->panels, index))->heat_map;
  double room = plot->width + (is_last ? 0.0 : grid->column_gap - builder->gap);
  NsLabel *label;

  if (map == NULL || map->name == NULL)
    return;
  label = ns_layout_add_label (builder, NS_LABEL_PANEL_NAME, map->name, FALSE, builder->axis_px, TRUE, room, FALSE);
  label->panel = (int) index;
  label->rect.x = plot->x;
  label->rect.y = plot->y - label->rect.height - 1.0;
}

/* Place a title of an axis in the middle between two pixels: below `at`, or, of a y axis, right of it and upright. */
static void
place_axis_title (const Grid *grid, const char *text, const char *short_text, double start, double end, double at,
                  gboolean is_upright)
{
  NsLayoutBuilder *builder = grid->builder;
  NsLabel *label = ns_layout_add_label (builder, is_upright ? NS_LABEL_ROW_TITLE : NS_LABEL_X_TITLE, text, TRUE,
                                        builder->axis_px, FALSE, -1.0, FALSE);
  NsRect rect;

  ns_layout_fit_title (label, short_text, end - start);
  rect = label->rect;
  rect.x = 0.5 * (start + end - rect.width);
  if (is_upright)
    label->rect = (NsRect){ at, 0.5 * (start + end - rect.width), rect.height, rect.width };
  else
    label->rect = (NsRect){ rect.x, at, rect.width, rect.height };
  label->is_upright = is_upright;
}

/* Place the titles of an axis: one over [start, end], or one for each part along `map`. */
static void
place_axis_titles (const Grid *grid, const char *title, const char *name, const GPtrArray *parts, const NsAxisMap *map,
                   double at, gboolean is_upright)
{
  for (guint k = 0; k < parts->len; k++)
    {
      const NsAxisPart *part = g_ptr_array_index (parts, k);
      double a = ns_scale_map (map, part->start - 0.5), b = ns_scale_map (map, part->end + 0.5);

      place_axis_title (grid, part->title, part->name, fmin (a, b), fmax (a, b), at, is_upright);
    }
  if (parts->len == 0 && title != NULL)
    place_axis_title (grid, title, name != NULL ? name : title, fmin (map->start_px, map->end_px),
                      fmax (map->start_px, map->end_px), at, is_upright);
}

static void
place_map (const Grid *grid, guint index, double x, double y)
{
  NsLayoutBuilder *builder = grid->builder;
  const NsFigure *figure = builder->figure;
  NsPanelLayout *out = ns_layout_builder_get_panel (builder, index);
  guint column = index % grid->columns;
  gboolean is_lowest = index + grid->columns >= grid->n;
  double bottom, below;

  out->plot = (NsRect){ x + column * (grid->map_width + grid->column_gap),
                        y + index / grid->columns * (grid->map_height + grid->name + grid->half) + grid->name,
                        grid->map_width, grid->map_height };
  bottom = out->plot.y + out->plot.height;
  below = bottom + grid->half;
  out->x = make_map (grid->builder->figure->x_scale, &grid->x, out->plot.x, out->plot.x + out->plot.width);
  out->y = make_map (NS_AXIS_LINEAR, &grid->y, bottom, out->plot.y);
  place_name (grid, index, &out->plot, column + 1 == grid->columns);
  if (column == 0)
    {
      out->y_ticks = make_ticks (grid, &out->y, TRUE);
      ns_layout_place_tick_labels (builder, out->y_ticks, NS_LABEL_Y_TICK, (int) index,
                                   out->plot.x - NS_TICK_GAP_PX);
      if (has_titles (grid) && (figure->y_parts->len > 0 || index == 0))
        {
          NsAxisMap axis = out->y;

          /* Without parts, one title for all rows. */
          if (figure->y_parts->len == 0)
            axis.start_px += (grid->rows - 1.0) * (grid->map_height + grid->name + grid->half);
          place_axis_titles (grid, figure->y_title, figure->y_name, figure->y_parts, &axis, x - grid->left, TRUE);
        }
    }
  else
    out->y_ticks = g_ptr_array_new ();
  if (!is_lowest)
    return;
  out->x_ticks = make_ticks (grid, &out->x, FALSE);
  ns_layout_place_tick_labels (builder, out->x_ticks, NS_LABEL_X_TICK, (int) index, below);
  if (!has_titles (grid))
    return;
  below += builder->tick_line + 1.0;
  if (figure->x_parts->len > 0)
    place_axis_titles (grid, NULL, NULL, figure->x_parts, &out->x, below, FALSE);
  else if (index + 1 == grid->n && figure->x_title != NULL)
    {
      /* One title for the whole last row. */
      NsAxisMap axis = out->x;

      axis.start_px -= column * (grid->map_width + grid->column_gap);
      place_axis_titles (grid, figure->x_title, figure->x_name, figure->x_parts, &axis, below, FALSE);
    }
}

static void
place_bar (const Grid *grid, double x, double y)
{
  NsLayoutBuilder *builder = grid->builder;
  NsLayout *layout = builder->layout;
  const NsColorScale *colors = builder->figure->colors;
  double height = grid->rows * grid->map_height + (grid->rows - 1.0) * (grid->name + grid->half);
  double top = y + grid->name;

  if (!has_bar (grid) || grid->n == 0)
    return;
  layout->bar.rect = (NsRect){ x, top, grid->bar, height };
  layout->bar.map = make_bar_map (grid, top + height, top);
  layout->bar.ticks = ns_layout_make_side_ticks (builder, &layout->bar.map);
  ns_layout_place_tick_labels (builder, layout->bar.ticks, NS_LABEL_BAR_TICK, -1, x + grid->bar + NS_TICK_GAP_PX);
  if (colors->symbol != NULL)
    {
      double room = layout->width - builder->outer - x;
      NsLabel *label = ns_layout_add_label (builder, NS_LABEL_BAR_TITLE, colors->symbol, TRUE, builder->axis_px, FALSE,
                                            fmax (0.0, room), FALSE);

      label->rect.x = x;
      label->rect.y = top - grid->half - label->rect.height;
    }
}

gboolean
ns_layout_place_grid (NsLayoutBuilder *builder, double top, double bottom, gboolean note_is_placed)
{
  NsLayout *layout = builder->layout;
  const NsFigure *figure = builder->figure;
  gboolean has_title = figure->x_title != NULL || figure->x_parts->len > 0;
  Grid grid = { .builder = builder, .n = figure->panels->len, .columns = 1, .rows = 1 };
  double width, height, x, y, least;

  find_spans (figure, &grid);
  layout->cell_x = layout->slot = grid.x.step;
  layout->cell_y = grid.y.step;
  grid.top = top + place_head (builder, top, note_is_placed);
  grid.bottom = bottom;
  grid.half = ceil (0.5 * builder->tick_line) + 1.0;
  grid.name = ceil (1.15 * builder->axis_line);
  /* The highest label of the bar is between the bar and its title. */
  if (has_bar (&grid) && figure->colors->symbol != NULL)
    grid.name = ceil (builder->title_line) + grid.half;
  grid.below = grid.half + builder->tick_line + 1.0;
  if (has_titles (&grid) && has_title)
    grid.below += ceil (builder->title_line);
  choose_columns (&grid);

  width = grid.left + grid.columns * grid.map_width + (grid.columns - 1.0) * grid.column_gap + grid.right;
  height = grid.rows * (grid.name + grid.map_height) + (grid.rows - 1.0) * grid.half + grid.below;
  x = round (fmax (builder->outer, 0.5 * (layout->width - width)) + grid.left);
  y = round (grid.top + fmax (0.0, 0.5 * (bottom - grid.top - height)));
  for (guint p = 0; p < grid.n; p++)
    place_map (&grid, p, x, y);
  place_bar (&grid, x + width - grid.left - grid.right + grid.bar_gap, y);
  layout->x = grid.n > 0 ? ns_layout_get_panel (layout, 0)->x
                         : make_map (builder->figure->x_scale, &grid.x, builder->outer, layout->width);
  layout->x_ticks = g_ptr_array_new ();
  least = (builder->dropped < NS_DROP_X_TITLE ? MIN_SIDE_LINES : MIN_SIDE_LINES_AT_LAST) * builder->tick_line;
  return fmin (grid.map_width, grid.map_height) >= least;
}
