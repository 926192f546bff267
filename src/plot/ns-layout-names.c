/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-layout-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* The most that names take of the picture's width, and a legend of its height. */
#define MAX_NAME_SHARE 0.25
#define MAX_LEGEND_SHARE 0.3
#define NAME_GAP_PX 10.0

/* The least width, in font sizes, to which the name of a former curve is wrapped. */
#define GHOST_NAME_EM 6.0

typedef struct
{
  NsLabel *label;
  double wanted; /* y of its middle, px */
} Name;

/* Names that touch and therefore move together. */
typedef struct
{
  guint first, n;
  double offset; /* mean over the names of wanted top minus the height of all names above */
} Run;

static gboolean
looks_same (const NsSeries *a, const NsSeries *b)
{
  if (a->kind == NS_SERIES_STACK || b->kind == NS_SERIES_STACK)
    return a->kind == b->kind && a->style == b->style;
  /* A difference common to all variants is named once. */
  if (a->role == NS_ROLE_GHOST && b->role == NS_ROLE_GHOST)
    return g_strcmp0 (a->name, b->name) == 0;
  return a->style == b->style && a->role == b->role && g_strcmp0 (a->name, b->name) == 0
         && a->has_color == b->has_color
         && (!a->has_color
             || (a->color.red == b->color.red && a->color.green == b->color.green
                 && a->color.blue == b->color.blue));
}

/* Return what a series is called in the figure. */
static const char *
get_name (const NsSeries *series)
{
  return series->kind == NS_SERIES_STACK ? series->group : series->name;
}

static gboolean
is_empty (const char *name)
{
  return name == NULL || name[0] == '\0';
}

void
ns_layout_collect_named (NsLayoutBuilder *builder)
{
  for (guint p = 0; p < builder->figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (builder->figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        {
          const NsSeries *series = g_ptr_array_index (panel->series, s);
          NsNamed named = { (int) p, (int) s, series, series->kind == NS_SERIES_LINE };
          gboolean known = FALSE;

          if (series->n == 0 || series->on_line || is_empty (get_name (series)))
            continue;
          for (guint i = 0; i < builder->named->len && !known; i++)
            {
              NsNamed *other = &g_array_index (builder->named, NsNamed, i);

              known = looks_same (other->data, series);
              if (known && !other->is_line && named.is_line)
                *other = named;
            }
          if (!known)
            g_array_append_val (builder->named, named);
        }
    }
}

/* Measured series are bold, laws and predictions are not. */
static gboolean
is_bold (const NsSeries *series)
{
  return series->role == NS_ROLE_DATA;
}

static PangoLayout *
shape_name (const NsLayoutBuilder *builder, const NsSeries *series, double max_width)
{
  gboolean is_ghost = series->role == NS_ROLE_GHOST;

  return ns_text_new (builder->context, series->name, FALSE, is_ghost ? builder->tick_px : builder->axis_px,
                      is_bold (series), is_ghost ? max_width : -1.0, is_ghost);
}

/* Return the width of the widest name of a panel. Those of former curves are wrapped, so that the plot keeps its width
 * when they come and go; NAN when some series has no end to be named at. */
static double
find_widest_name (const NsLayoutBuilder *builder, int panel, gboolean ghosts, double max_width)
{
  double widest = 0.0;

  for (guint i = 0; i < builder->named->len; i++)
    {
      const NsNamed *named = &g_array_index (builder->named, NsNamed, i);
      g_autoptr (PangoLayout) text = NULL;
      double width;

      if (!named->is_line)
        return NAN;
      if (named->panel != panel || (named->data->role == NS_ROLE_GHOST) != ghosts)
        continue;
      text = shape_name (builder, named->data, max_width);
      ns_text_get_size (text, &width, NULL);
      widest = fmax (widest, width);
    }
  return widest;
}

static double
get_ghost_width (const NsLayoutBuilder *builder, int panel)
{
  return fmax (find_widest_name (builder, panel, FALSE, -1.0), GHOST_NAME_EM * builder->tick_px);
}

double
ns_layout_measure_names (NsLayoutBuilder *builder, int panel)
{
  double widest = find_widest_name (builder, panel, FALSE, -1.0);

  if (isnan (widest))
    return NAN;
  widest = fmax (widest, find_widest_name (builder, panel, TRUE, get_ghost_width (builder, panel)));
  if (widest > MAX_NAME_SHARE * builder->layout->width)
    return NAN;
  return widest > 0.0 ? widest + NAME_GAP_PX : 0.0;
}

/* Find the pixel at which a curve ends: its last number, or its last mark when it has no number. */
static void
find_end_of_curve (const NsLayoutBuilder *builder, const NsNamed *named, double *x, double *y)
{
  const NsPanelLayout *panel = ns_layout_get_panel (builder->layout, named->panel);
  const NsAxisMap *scale = ns_layout_get_series_scale (builder->layout, named->panel, named->data);
  const NsSeries *series = named->data;
  double top = panel->plot.y, bottom = panel->plot.y + panel->plot.height;

  for (gsize i = series->n; i-- > 0;)
    if (ns_series_get_mark (series, i) == NS_MARK_NONE)
      {
        *x = ns_scale_map (&builder->layout->x, series->x[i]);
        *y = CLAMP (ns_scale_map (scale, series->y[i]), top, bottom);
        return;
      }
  *x = ns_scale_map (&builder->layout->x, series->x[series->n - 1]);
  *y = ns_series_get_mark (series, series->n - 1) == NS_MARK_UNDERFLOW ? bottom : top;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  double left = ((const Name *) a)->wanted, right = ((const Name *) b)->wanted;

  return left < right ? -1 : left > right;
}

/* Move names apart by the least squared distance that keeps their order: isotonic regression by pooling adjacent
 * violators. */
static void
move_apart (GArray *names, double top, double bottom)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (Run));
  double above = 0.0, room = bottom - top;

  for (guint i = 0; i < names->len; i++)
    {
      const Name *name = &g_array_index (names, Name, i);
      Run run = { i, 1, name->wanted - 0.5 * name->label->rect.height - above };

      while (runs->len > 0)
        {
          const Run *last = &g_array_index (runs, Run, runs->len - 1);

          if (last->offset < run.offset)
            break;
          run.offset = (last->offset * last->n + run.offset * run.n) / (last->n + run.n);
          run.first = last->first;
          run.n += last->n;
          g_array_set_size (runs, runs->len - 1);
        }
      g_array_append_val (runs, run);
      above += name->label->rect.height;
    }

  room -= above;
  above = 0.0;
  for (guint r = 0; r < runs->len; r++)
    {
      const Run *run = &g_array_index (runs, Run, r);
      double offset = CLAMP (run->offset, top, top + room);

      for (guint i = run->first; i < run->first + run->n; i++)
        {
          NsLabel *label = g_array_index (names, Name, i).label;

          label->rect.y = offset + above;
          above += label->rect.height;
        }
    }
}

gboolean
ns_layout_place_names (NsLayoutBuilder *builder, int panel, double x)
{
  g_autoptr (GArray) names = g_array_new (FALSE, FALSE, sizeof (Name));
  NsRect plot = ns_layout_get_panel (builder->layout, panel)->plot;
  double total = 0.0, ghost_width = get_ghost_width (builder, panel);

  for (guint i = 0; i < builder->named->len; i++)
    {
      const NsNamed *named = &g_array_index (builder->named, NsNamed, i);
      gboolean is_ghost = named->data->role == NS_ROLE_GHOST;
      Name name;

      if (named->panel != panel)
        continue;
      name.label = ns_layout_add_label (builder, NS_LABEL_NAME, named->data->name, FALSE,
                                        is_ghost ? builder->tick_px : builder->axis_px, is_bold (named->data),
                                        is_ghost ? ghost_width : -1.0, is_ghost);
      name.label->panel = panel;
      name.label->series = named->series;
      name.label->rect.x = x + NAME_GAP_PX;
      find_end_of_curve (builder, named, &name.label->anchor_x_px, &name.label->anchor_y_px);
      name.wanted = name.label->anchor_y_px;
      total += name.label->rect.height;
      g_array_append_val (names, name);
    }
  if (total > plot.height)
    return FALSE;
  g_array_sort (names, compare_names);
  move_apart (names, plot.y, plot.y + plot.height);
  return TRUE;
}

/* Remove entries until "+ 12 more" fits after the last one. */
static void
append_more_entry (NsLayoutBuilder *builder, guint first_label, guint shown, double right, double line)
{
  GPtrArray *labels = builder->layout->labels;
  guint left_out = builder->named->len - shown;

  for (;;)
    {
      g_autofree char *text = g_strdup_printf (ngettext ("+ %u more", "+ %u more", left_out), left_out);
      NsLabel *more = ns_layout_add_label (builder, NS_LABEL_LEGEND, text, FALSE, builder->tick_px, FALSE, -1.0,
                                           FALSE);
      const NsLabel *last;

      if (labels->len - 1 == first_label)
        {
          more->rect.x = builder->outer;
          more->rect.y = line;
          return;
        }
      last = g_ptr_array_index (labels, labels->len - 2);
      more->rect.x = last->rect.x + last->rect.width + 2 * builder->gap;
      more->rect.y = last->rect.y;
      if (more->rect.x + more->rect.width <= right || labels->len - 2 == first_label)
        return;
      g_ptr_array_set_size (labels, labels->len - 2);
      left_out++;
    }
}

double
ns_layout_place_legend (NsLayoutBuilder *builder, double y, gboolean one_row)
{
  NsLayout *layout = builder->layout;
  double start = builder->outer, right = layout->width - builder->outer, x = start, line = y;
  double row = ceil (builder->axis_line * 1.15);
  double before = layout->swatch_px + 6.0;
  double widest = fmax (20.0, 0.45 * (right - start) - before);
  guint first_label = layout->labels->len;

  if (builder->named->len == 0)
    return 0.0;

  for (guint i = 0; i < builder->named->len; i++)
    {
      const NsNamed *named = &g_array_index (builder->named, NsNamed, i);
      NsLabel *label = ns_layout_add_label (builder, NS_LABEL_LEGEND, get_name (named->data), FALSE, builder->tick_px,
                                            FALSE, widest, FALSE);

      if (x > start && x + before + label->rect.width > right)
        {
          if (one_row || line + 2 * row - y > MAX_LEGEND_SHARE * layout->height)
            {
              g_ptr_array_set_size (layout->labels, layout->labels->len - 1);
              append_more_entry (builder, first_label, i, right, line);
              return line + row - y;
            }
          x = start;
          line += row;
        }
      label->panel = named->panel;
      label->series = named->series;
      label->rect.x = x + before;
      label->rect.y = line;
      x += before + label->rect.width + 2 * builder->gap;
    }
  return line + row - y;
}
