/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-figure-text.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <pango/pango.h>

#include "plot/ns-heat-map.h"
#include "plot/ns-hit.h"
#include "plot/ns-number.h"

typedef struct
{
  const NsPanel *panel;
  const NsSeries *series;
} Column;

static gboolean
is_log (const Column *column)
{
  return column->panel->scale == NS_AXIS_LOG10 && column->series->side == NS_SIDE_LEFT;
}

static void
append_number (GString *text, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value) || isinf (value))
    g_string_append (text, isnan (value) ? "nan" : value > 0 ? "inf" : "-inf");
  else
    g_string_append (text, g_ascii_formatd (buffer, sizeof buffer, "%.9g", value));
}

/* Append 10^y, also where a double would be 0 or infinite. */
static void
append_power (GString *text, double y)
{
  double exponent = floor (y);

  if (!isfinite (y) || fabs (y) < 300)
    {
      append_number (text, pow (10, y));
      return;
    }
  append_number (text, pow (10, y - exponent));
  g_string_append_printf (text, "e%+d", (int) exponent);
}

static void
append_value (GString *text, gboolean is_log10, double y)
{
  if (is_log10)
    append_power (text, y);
  else
    append_number (text, y);
}

static void
append_marked (GString *text, NsMark mark, gboolean is_log10, double y)
{
  switch (mark)
    {
    case NS_MARK_ABSENT:
      break;
    case NS_MARK_NAN:
      g_string_append (text, "nan");
      break;
    case NS_MARK_INF:
      g_string_append (text, "inf");
      break;
    case NS_MARK_UNDERFLOW:
      g_string_append (text, "0");
      break;
    case NS_MARK_CROSS:
      g_string_append (text, "×");
      break;
    case NS_MARK_FLAT:
      g_string_append (text, "–");
      break;
    case NS_MARK_NONE:
    default:
      append_value (text, is_log10, y);
    }
}

static void
append_point (GString *text, const Column *column, gsize i)
{
  append_marked (text, ns_series_get_mark (column->series, i), is_log (column), column->series->y[i]);
}

/* Return the measured series as columns, and all their x in `xs`, sorted and without duplicates. */
static GArray *
collect_columns (const NsFigure *figure, GArray *xs)
{
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (Column));
  guint n = 0;

  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        {
          Column column = { panel, g_ptr_array_index (panel->series, s) };

          if (column.series->role != NS_ROLE_DATA)
            continue;
          g_array_append_val (columns, column);
          g_array_append_vals (xs, column.series->x, (guint) column.series->n);
        }
    }
  g_array_sort (xs, ns_compare_doubles);
  for (guint i = 0; i < xs->len; i++)
    if (n == 0 || g_array_index (xs, double, i) != g_array_index (xs, double, n - 1))
      g_array_index (xs, double, n++) = g_array_index (xs, double, i);
  g_array_set_size (xs, n);
  return columns;
}

/* Names are the user's: replace characters that would start another cell. */
static void
append_cell (GString *text, const char *before, const char *name, const char *after)
{
  g_autofree char *clean = g_strdelimit (g_strconcat (before, name, after, NULL), "\t\r\n", ' ');

  g_string_append_c (text, '\t');
  g_string_append (text, clean);
}

/* Append the name of an axis, or its title without markup. */
static void
append_axis (GString *text, const char *name, const char *title)
{
  g_autofree char *plain = NULL;

  if (name != NULL)
    g_string_append (text, name);
  else if (title != NULL && pango_parse_markup (title, -1, 0, NULL, &plain, NULL, NULL))
    g_string_append (text, plain);
}

static void
append_header (GString *text, const NsFigure *figure, const GArray *columns)
{
  if (figure->x_parts->len > 0)
    /* Translators: header of the column that holds "Encoder" or "Decoder", in copied numbers */
    g_string_append_printf (text, "%s\t", _("Part"));
  append_axis (text, figure->x_name, figure->x_title);
  for (guint c = 0; c < columns->len; c++)
    {
      const Column *column = &g_array_index (columns, Column, c);
      const char *title = column->series->side == NS_SIDE_RIGHT ? column->panel->right_title
                                                                : column->panel->accessible_title;
      g_autofree char *before = g_strconcat (title != NULL ? title : "", " · ", NULL);

      if (column->series->low == NULL)
        {
          append_cell (text, before, column->series->name, "");
          continue;
        }
      /* Translators: these name columns of copied numbers: the mean and the edges of its band, one standard deviation
       * (sd) away */
      append_cell (text, before, column->series->name, is_log (column) ? _(" (geometric mean)") : _(" (mean)"));
      append_cell (text, before, column->series->name, is_log (column) ? _(" (÷ 1 sd)") : _(" (− 1 sd)"));
      append_cell (text, before, column->series->name, is_log (column) ? _(" (× 1 sd)") : _(" (+ 1 sd)"));
    }
  g_string_append_c (text, '\n');
}

static void
append_row (GString *text, const NsFigure *figure, const GArray *columns, double x)
{
  const NsAxisPart *part = ns_figure_find_x_part (figure, x);

  if (part != NULL)
    g_string_append_printf (text, "%s\t", part->name);
  if (figure->x_scale == NS_AXIS_LOG10)
    append_power (text, x);
  else
    append_number (text, part != NULL ? x - part->offset : x);
  for (guint c = 0; c < columns->len; c++)
    {
      const Column *column = &g_array_index (columns, Column, c);
      const NsSeries *series = column->series;
      gsize i;
      gboolean is_there = ns_series_find_x (series, x, &i);

      g_string_append_c (text, '\t');
      if (is_there)
        append_point (text, column, i);
      for (int edge = 0; edge < 2 && series->low != NULL; edge++)
        {
          const double *values = edge == 0 ? series->low : series->high;

          g_string_append_c (text, '\t');
          if (is_there && !isnan (values[i]))
            append_value (text, is_log (column), values[i]);
        }
    }
  g_string_append_c (text, '\n');
}

/* ---- heat maps ---- */

static void
append_map_header (GString *text, const NsFigure *figure, const NsHeatMap *map)
{
  const char *title = figure->colors->accessible_title;

  g_string_append (text, title != NULL ? title : "");
  if (figure->y_parts->len > 0)
    g_string_append_printf (text, "\t%s", _("Part"));
  g_string_append_c (text, '\t');
  append_axis (text, figure->y_name, figure->y_title);
  g_string_append (text, " \\ ");
  append_axis (text, figure->x_name, figure->x_title);
  for (gint64 column = 0; column < map->n_columns; column++)
    {
      const NsAxisPart *part = ns_figure_find_x_part (figure, map->x[column]);

      g_string_append_c (text, '\t');
      if (part != NULL)
        g_string_append_printf (text, "%s ", part->name);
      if (figure->x_scale == NS_AXIS_LOG10)
        append_power (text, map->x[column]);
      else
        append_number (text, part != NULL ? map->x[column] - part->offset : map->x[column]);
    }
  g_string_append_c (text, '\n');
}

static void
append_map (GString *text, const NsFigure *figure, const NsHeatMap *map)
{
  gboolean is_log10 = figure->colors->scale == NS_AXIS_LOG10;

  for (gint64 row = 0; row < map->n_rows; row++)
    {
      const NsAxisPart *part = ns_axis_parts_find (figure->y_parts, map->y[row]);
      g_autofree char *name = g_strdelimit (g_strdup (map->name != NULL ? map->name : ""), "\t\r\n", ' ');

      g_string_append (text, name);
      if (part != NULL)
        g_string_append_printf (text, "\t%s", part->name);
      g_string_append_c (text, '\t');
      if (figure->y_labels != NULL)
        g_string_append (text, ns_figure_get_y_label (figure, map->y[row]));
      else
        append_number (text, part != NULL ? map->y[row] - part->offset : map->y[row]);
      for (gint64 column = 0; column < map->n_columns; column++)
        {
          g_string_append_c (text, '\t');
          append_marked (text, ns_heat_map_get_mark (map, row, column), is_log10,
                         map->value[row * map->n_columns + column]);
        }
      g_string_append_c (text, '\n');
    }
}

static char *
maps_to_tsv (const NsFigure *figure)
{
  GString *text = g_string_new (NULL);

  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;

      if (map == NULL)
        continue;
      if (text->len == 0)
        append_map_header (text, figure, map);
      append_map (text, figure, map);
    }
  return g_string_free (text, FALSE);
}

char *
ns_figure_to_tsv (const NsFigure *figure)
{
  g_autoptr (GArray) xs = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) columns = NULL;
  GString *text;

  g_return_val_if_fail (figure != NULL, NULL);
  if (figure->colors != NULL)
    return maps_to_tsv (figure);
  text = g_string_new (NULL);
  columns = collect_columns (figure, xs);
  append_header (text, figure, columns);
  for (guint i = 0; i < xs->len; i++)
    append_row (text, figure, columns, g_array_index (xs, double, i));
  return g_string_free (text, FALSE);
}

/* ---- words ---- */

static void
append_words (GString *words, const char *text)
{
  if (text != NULL)
    g_string_append_printf (words, "%s%s", words->len > 0 ? "\n" : "", text);
}

static void
append_scale (GString *words, const char *title, const char *subtitle)
{
  g_autofree char *line = title != NULL && subtitle != NULL ? g_strdup_printf ("%s: %s", title, subtitle) : NULL;

  append_words (words, line);
}

char *
ns_figure_dup_words (const NsFigure *figure, const char *sentence)
{
  GString *words = g_string_new (NULL);

  append_words (words, figure->title);
  append_words (words, sentence);
  if (figure->colors != NULL)
    append_scale (words, figure->colors->accessible_title, figure->colors->subtitle);
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      append_scale (words, panel->accessible_title, panel->subtitle);
    }
  return g_string_free (words, FALSE);
}
