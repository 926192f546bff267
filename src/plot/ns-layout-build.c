/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-layout-private.h"

#include <math.h>

#define PX_PER_PT (96.0 / 72.0)
#define AXIS_PT 12.0
#define TICK_PT 11.0
#define TITLE_PT 14.0

/* The least height of a plot, in lines of tick labels. */
#define MIN_PLOT_LINES 2.5

/* Plots shrink to this before a legend is dropped; colours are meaningless without it. */
#define MIN_PLOT_LINES_WITH_LEGEND 1.0

static void
set_sizes (NsLayoutBuilder *builder)
{
  double scale = isfinite (builder->theme->text_scale) ? CLAMP (builder->theme->text_scale, 0.25, 8.0) : 1.0;
  double shorter = fmin (builder->layout->width, builder->layout->height);
  g_autoptr (PangoLayout) axis = NULL;
  double script_line;

  /* No text is larger than the picture, so that no export reaches the largest size of FreeType. */
  scale = fmin (scale, shorter / (TITLE_PT * PX_PER_PT));
  builder->title_px = TITLE_PT * PX_PER_PT * scale;
  builder->axis_px = AXIS_PT * PX_PER_PT * scale;
  builder->tick_px = TICK_PT * PX_PER_PT * scale;
  builder->outer = ceil (0.6 * builder->tick_px);
  builder->gap = ceil (0.8 * builder->tick_px);

  axis = ns_text_new (builder->context, "X", FALSE, builder->axis_px, FALSE, -1.0, FALSE);
  ns_text_get_size (axis, NULL, &builder->axis_line);
  builder->ruler = ns_text_new (builder->context, "0", FALSE, builder->tick_px, FALSE, -1.0, FALSE);
  ns_text_get_size (builder->ruler, NULL, &builder->tick_line);
  ns_text_set_markup (builder->ruler, "10<sup>0</sup>", builder->tick_px);
  ns_text_get_size (builder->ruler, NULL, &builder->power_line);
  builder->title_line = ceil (1.1 * builder->axis_line);
  ns_text_set_markup (axis, "X<sub>1</sub>", builder->axis_px);
  ns_text_get_size (axis, NULL, &script_line);
  builder->subtitle_line = builder->tick_line + fmax (0.0, ceil (script_line) - builder->title_line);
}

static gboolean
is_dropped (const NsLayoutBuilder *builder, NsLayoutDrop what)
{
  return builder->dropped >= what;
}

static gboolean
has_subtitle (const NsLayoutBuilder *builder, const NsPanel *panel)
{
  return panel->subtitle != NULL && !builder->theme->paper && !is_dropped (builder, NS_DROP_SUBTITLES);
}

/* Place title and note in one row and return its height. Without a title, the note goes into the first panel's
 * subtitle row, or into its title row if that has no right axis. */
static double
place_header (NsLayoutBuilder *builder, double y, gboolean *note_is_placed)
{
  const NsFigure *figure = builder->figure;
  const NsPanel *first = figure->panels->len > 0 ? g_ptr_array_index (figure->panels, 0) : NULL;
  double width = builder->layout->width, room = width - 2 * builder->outer, height = 0.0;
  gboolean has_title = figure->title != NULL && !builder->theme->paper && !is_dropped (builder, NS_DROP_TITLE);
  gboolean has_room;

  *note_is_placed = figure->note == NULL;
  has_room = first != NULL && (first->right_title == NULL || has_subtitle (builder, first));
  if (!*note_is_placed && (has_title || (first != NULL && !has_room)))
    {
      NsLabel *note = ns_layout_add_label (builder, NS_LABEL_NOTE, figure->note, FALSE, builder->tick_px, FALSE,
                                           0.45 * room, FALSE);

      note->rect.x = width - builder->outer - note->rect.width;
      note->rect.y = y;
      room -= note->rect.width + builder->gap;
      height = note->rect.height;
      *note_is_placed = TRUE;
    }
  if (has_title)
    {
      NsLabel *title = ns_layout_add_label (builder, NS_LABEL_TITLE, figure->title, FALSE, builder->title_px, TRUE,
                                            room, FALSE);

      title->rect.x = builder->outer;
      title->rect.y = y;
      height = fmax (height, title->rect.height);
    }
  return height > 0.0 ? height + 0.4 * builder->axis_line : 0.0;
}

/* Place the titles of the x axis above `y` and return their top. ns_layout_place_x_titles() sets their x. */
static double
place_x_titles (NsLayoutBuilder *builder, double y)
{
  const NsFigure *figure = builder->figure;
  guint n = MAX (figure->x_parts->len, figure->x_title != NULL ? 1 : 0);
  double top = y;

  for (guint k = 0; k < n && !is_dropped (builder, NS_DROP_X_TITLE); k++)
    {
      const char *text = figure->x_parts->len == 0
                             ? figure->x_title
                             : ((const NsAxisPart *) g_ptr_array_index (figure->x_parts, k))->title;
      NsLabel *label = ns_layout_add_label (builder, NS_LABEL_X_TITLE, text, TRUE, builder->axis_px, FALSE,
                                            builder->layout->width - 2 * builder->outer, FALSE);

      label->rect.y = y - label->rect.height;
      top = fmin (top, label->rect.y);
    }
  return top;
}

/* Place the caption and return its top. */
static double
place_caption (NsLayoutBuilder *builder)
{
  const NsFigure *figure = builder->figure;
  NsLayout *layout = builder->layout;
  double y = layout->height - builder->outer;

  if (figure->caption != NULL && !builder->theme->paper && !is_dropped (builder, NS_DROP_CAPTION))
    {
      NsLabel *caption = ns_layout_add_label (builder, NS_LABEL_CAPTION, figure->caption, FALSE, builder->tick_px,
                                              FALSE, layout->width - 2 * builder->outer, TRUE);

      if (caption->rect.height > 0.3 * layout->height)
        {
          pango_layout_set_height (caption->pango, (int) (0.3 * layout->height * PANGO_SCALE));
          pango_layout_set_ellipsize (caption->pango, PANGO_ELLIPSIZE_END);
          ns_text_get_size (caption->pango, &caption->rect.width, &caption->rect.height);
        }
      y -= caption->rect.height;
      caption->rect.x = builder->outer;
      caption->rect.y = y;
      y -= 0.4 * builder->axis_line;
    }
  return y;
}

/* Add a label in the row of a panel's head that starts at `y`: at the right end, or at the left margin. Take its width
 * from *room. */
static NsLabel *
add_to_row (NsLayoutBuilder *builder, NsLabelRole role, const char *text, double size_px, double y, gboolean at_right,
            double max_width, double *room)
{
  gboolean is_markup = role == NS_LABEL_Y_TITLE || role == NS_LABEL_RIGHT_TITLE;
  NsLabel *label = ns_layout_add_label (builder, role, text, is_markup, size_px, FALSE, max_width, FALSE);

  label->rect.x = at_right ? builder->layout->width - builder->outer - label->rect.width : builder->outer;
  label->rect.y = y + fmax (0.0, builder->axis_line - label->rect.height);
  *room -= label->rect.width + builder->gap;
  return label;
}

/* Place the title, in its short form where the long one does not fit. */
static void
place_panel_title (NsLayoutBuilder *builder, const NsPanel *panel, NsPanelLayout *out, double y, double room)
{
  double arrow = panel->has_chooser ? builder->gap : 0.0, rest = room - arrow;
  NsLabel *label = add_to_row (builder, NS_LABEL_Y_TITLE, panel->title, builder->axis_px, y, FALSE, -1.0, &rest);

  if (rest + builder->gap < 0.0)
    {
      g_ptr_array_remove (builder->layout->labels, label);
      label = add_to_row (builder, NS_LABEL_Y_TITLE, panel->short_title != NULL ? panel->short_title : panel->title,
                          builder->axis_px, y, FALSE, fmax (0.0, room - arrow), &rest);
    }
  if (panel->has_chooser)
    {
      out->chooser = label->rect;
      out->chooser.width += arrow;
    }
}

/* Place the titles of a panel in one row and its subtitle in a second one. `with_note`: the figure's note is at the
 * right end of the last row. */
static void
place_panel_titles (NsLayoutBuilder *builder, guint index, double y, gboolean with_note)
{
  const NsPanel *panel = g_ptr_array_index (builder->figure->panels, index);
  gboolean with_subtitle = has_subtitle (builder, panel);
  double room = builder->layout->width - 2.0 * builder->outer, room_2 = room;
  double y_2 = y + builder->title_line - builder->axis_line + builder->subtitle_line;
  double *last_room = with_subtitle ? &room_2 : &room;
  guint first = builder->layout->labels->len;

  if (panel->right_title != NULL)
    add_to_row (builder, NS_LABEL_RIGHT_TITLE, panel->right_title, builder->axis_px, y, TRUE, 0.45 * room, &room);
  if (with_note)
    add_to_row (builder, NS_LABEL_NOTE, builder->figure->note, builder->tick_px, with_subtitle ? y_2 : y, TRUE,
                0.45 * *last_room, last_room);
  if (panel->title != NULL)
    place_panel_title (builder, panel, ns_layout_builder_get_panel (builder, index), y, room);
  if (with_subtitle)
    add_to_row (builder, NS_LABEL_SUBTITLE, panel->subtitle, builder->tick_px, y_2, FALSE, fmax (0.0, room_2),
                &room_2);
  for (guint i = first; i < builder->layout->labels->len; i++)
    ((NsLabel *) g_ptr_array_index (builder->layout->labels, i))->panel = (int) index;
}

/* Stack the panels between top and bottom. FALSE when a plot is too low to read. */
static gboolean
stack_panels (NsLayoutBuilder *builder, double top, double bottom, gboolean note_is_placed)
{
  const GPtrArray *panels = builder->figure->panels;
  /* Tick labels extend half a line above and below each plot, and superscripts above that. */
  double half = ceil (0.5 * builder->tick_line) + 1.0;
  double head = builder->title_line + half + builder->power_line - builder->tick_line;
  double plots = bottom - top - panels->len * (head + half), weights = 0.0, y = top;
  double least_lines = builder->dropped < NS_DROP_X_TITLE ? MIN_PLOT_LINES : MIN_PLOT_LINES_WITH_LEGEND;
  double least = least_lines * builder->tick_line;
  gboolean is_readable = TRUE;

  for (guint p = 0; p < panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (panels, p);

      weights += fmax (0.0, panel->weight);
      plots -= has_subtitle (builder, panel) ? builder->subtitle_line : 0.0;
    }

  for (guint p = 0; p < panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (panels, p);
      NsPanelLayout *out = ns_layout_builder_get_panel (builder, p);
      double share = weights > 0.0 ? fmax (0.0, panel->weight) / weights : 1.0 / panels->len;
      double plot_y = y + head + (has_subtitle (builder, panel) ? builder->subtitle_line : 0.0);

      place_panel_titles (builder, p, y, p == 0 && !note_is_placed);
      out->plot.y = round (plot_y);
      out->plot.height = fmax (1.0, floor (plots * share));
      is_readable = is_readable && out->plot.height >= least;
      y = plot_y + fmax (1.0, plots * share) + half;
    }
  return is_readable;
}

static void
place_message (NsLayoutBuilder *builder, guint index)
{
  const NsPanel *panel = g_ptr_array_index (builder->figure->panels, index);
  NsRect plot = ns_layout_builder_get_panel (builder, index)->plot;
  NsLabel *label;

  if (panel->message == NULL)
    return;
  label = ns_layout_add_label (builder, NS_LABEL_MESSAGE, panel->message, FALSE, builder->axis_px, FALSE,
                               fmax (1.0, 0.85 * plot.width), TRUE);
  pango_layout_set_alignment (label->pango, PANGO_ALIGN_CENTER);
  if (label->rect.height > plot.height)
    {
      pango_layout_set_height (label->pango, (int) (plot.height * PANGO_SCALE));
      pango_layout_set_ellipsize (label->pango, PANGO_ELLIPSIZE_END);
      ns_text_get_size (label->pango, &label->rect.width, &label->rect.height);
    }
  label->panel = (int) index;
  label->rect.x = plot.x + 0.5 * (plot.width - label->rect.width);
  label->rect.y = plot.y + 0.5 * (plot.height - label->rect.height);
}

static void
reset (NsLayoutBuilder *builder)
{
  NsLayout *layout = builder->layout;

  g_ptr_array_set_size (layout->labels, 0);
  g_array_set_size (layout->annotations, 0);
  g_array_set_size (layout->panels, 0);
  g_array_set_size (layout->panels, builder->figure->panels->len);
  g_clear_pointer (&layout->x_ticks, g_ptr_array_unref);
  g_clear_pointer (&layout->bar.ticks, g_ptr_array_unref);
  layout->bar.rect = (NsRect){ 0, 0, 0, 0 };
}

/* Lay heat maps out. */
static gboolean
try_build_grid (NsLayoutBuilder *builder)
{
  gboolean note_is_placed, is_readable;
  double top = builder->outer;

  reset (builder);
  top += place_header (builder, top, &note_is_placed);
  is_readable = ns_layout_place_grid (builder, top, place_caption (builder), note_is_placed);
  for (guint p = 0; p < builder->layout->panels->len; p++)
    {
      place_message (builder, p);
      ns_layout_place_annotations (builder, p);
    }
  return is_readable;
}

/* Try to lay everything out. FALSE when something does not fit; the caller then raises `legend` or `dropped`. */
static gboolean
try_build (NsLayoutBuilder *builder, gboolean *names_fit)
{
  NsLayout *layout = builder->layout;
  gboolean has_bars, note_is_placed, is_readable;
  double top = builder->outer, bottom, x_labels;

  *names_fit = TRUE;
  if (builder->figure->colors != NULL)
    return try_build_grid (builder);
  reset (builder);
  ns_layout_find_x_domain (builder, &has_bars);
  top += place_header (builder, top, &note_is_placed);
  if (builder->legend && !is_dropped (builder, NS_DROP_LEGEND))
    top += ns_layout_place_legend (builder, top, is_dropped (builder, NS_DROP_LEGEND_ROWS));
  bottom = place_x_titles (builder, place_caption (builder)) - builder->tick_line - 1.0;
  is_readable = stack_panels (builder, top, bottom, note_is_placed);
  x_labels = bottom;

  for (guint p = 0; p < layout->panels->len; p++)
    ns_layout_make_y_scales (builder, p);
  *names_fit = ns_layout_find_margins (builder);
  if (!*names_fit)
    return FALSE;
  ns_layout_make_x_scale (builder, has_bars);

  ns_layout_place_tick_labels (builder, layout->x_ticks, NS_LABEL_X_TICK, (int) layout->panels->len - 1, x_labels);
  for (guint p = 0; p < layout->panels->len; p++)
    {
      NsPanelLayout *panel = ns_layout_builder_get_panel (builder, p);
      double end = layout->x.end_px;

      panel->x = layout->x;
      panel->plot.x = layout->x.start_px;
      panel->plot.width = end - layout->x.start_px;
      ns_layout_count_bars (builder, p);
      ns_layout_place_tick_labels (builder, panel->y_ticks, NS_LABEL_Y_TICK, (int) p, panel->plot.x - NS_TICK_GAP_PX);
      ns_layout_place_tick_labels (builder, panel->right_ticks, NS_LABEL_RIGHT_TICK, (int) p, end + NS_TICK_GAP_PX);
      place_message (builder, p);
      if (panel->has_right)
        end += NS_TICK_GAP_PX + ns_layout_get_widest (builder, panel->right_ticks);
      if (!builder->legend)
        *names_fit = *names_fit && ns_layout_place_names (builder, (int) p, end);
    }
  ns_layout_place_x_titles (builder);
  for (guint p = 0; p < layout->panels->len; p++)
    ns_layout_place_annotations (builder, p);
  return *names_fit && is_readable;
}

NsLayout *
ns_layout_new (const NsFigure *figure, const NsTheme *theme, double width, double height)
{
  NsLayoutBuilder builder = { .figure = figure, .theme = theme };
  NsLayout *layout;

  g_return_val_if_fail (figure != NULL && theme != NULL, NULL);

  layout = ns_layout_alloc (isfinite (width) ? fmax (width, 1.0) : 1.0, isfinite (height) ? fmax (height, 1.0) : 1.0);

  builder.layout = layout;
  builder.context = ns_text_context_new (theme);
  builder.named = g_array_new (FALSE, FALSE, sizeof (NsNamed));
  set_sizes (&builder);
  layout->swatch_px = ceil (2.4 * builder.tick_px);
  ns_layout_collect_named (&builder);
  if (figure->colors != NULL)
    {
      double min, max;

      ns_figure_get_color_range (figure, &min, &max);
      layout->bar.map = ns_scale_make (figure->colors->scale, min, max, 1.0, 0.0);
    }

  for (;;)
    {
      gboolean names_fit;

      if (try_build (&builder, &names_fit))
        break;
      if (!names_fit && !builder.legend)
        builder.legend = TRUE;
      else if (builder.dropped < NS_DROP_LEGEND)
        builder.dropped++;
      else
        break;
    }
  layout->is_crowded = is_dropped (&builder, NS_DROP_X_TITLE);
  layout->has_legend = builder.legend && !is_dropped (&builder, NS_DROP_LEGEND) && builder.named->len > 0;

  g_array_unref (builder.named);
  g_object_unref (builder.ruler);
  g_object_unref (builder.context);
  return layout;
}
