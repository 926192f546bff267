/* Pins, notes and arrows on the curves, bars and maps by block of the Paths view.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A note is about a value of a quantity, wherever that is shown, or about a curve or a cell of a figure that has none.
 *
 * A pin of the gradients' panel stands at its block in every panel: the same block, seen from another side.
 */
#include "figures/ns-flow-private.h"
#include "figures/ns-format.h"
#include "figures/paths/ns-paths-private.h"
#include "plot/ns-hit.h"

#include <math.h>

/* Get the number of a series at x; FALSE if none is drawn there. */
static gboolean
get_y (const NsSeries *series, double x, double *y)
{
  gsize i;

  if (!ns_series_find_x (series, x, &i) || ns_series_get_mark (series, i) != NS_MARK_NONE)
    return FALSE;
  *y = series->y[i];
  return TRUE;
}

/* Pin a series at x or, if it differs, the change from x to other_x. Return TRUE if it has numbers there. */
static gboolean
pin_series (NsPanel *panel, int s, double x, double other_x, int id)
{
  const NsSeries *series = g_ptr_array_index (panel->series, s);
  gboolean is_log = panel->scale == NS_AXIS_LOG10, is_ratio = other_x != x;
  g_autofree char *text = NULL;
  NsAnnotation *annotation;
  double y, other_y;

  if (series->role != NS_ROLE_DATA || !get_y (series, x, &y) || !get_y (series, other_x, &other_y))
    return FALSE;
  if (is_ratio)
    text = ns_flow_dup_change (is_log, y, other_y);
  else
    text = is_log ? ns_format_log10 (y, 3) : ns_format_cosine (y);
  annotation = ns_panel_add_annotation (panel, is_ratio ? NS_ANNOTATION_RATIO : NS_ANNOTATION_POINT, s, x, y, text, id);
  annotation->other_x = other_x;
  annotation->other_y = other_y;
  return TRUE;
}

static void
pin_panel (NsPanel *panel, double x, double other_x, int id)
{
  gboolean found = FALSE;

  for (guint s = 0; s < panel->series->len; s++)
    found |= pin_series (panel, (int) s, x, other_x, id);
  if (found && other_x == x)
    ns_panel_add_annotation (panel, NS_ANNOTATION_LINE, -1, x, NAN, NULL, id);
}

static void
add_pins (NsFigure *figure, const NsExperiment *experiment, const NsPathsOptions *options)
{
  for (guint i = 0; i < ns_marks_get_n (options->marks, NS_MARKS_PINS); i++)
    {
      const NsPin *pin = &g_array_index (options->marks->pins, NsPin, i);
      double x, other_x;

      if (pin->panel != NS_KIND_GRADIENT || !ns_place_exists (&pin->place, experiment)
          || (pin->has_other && !ns_place_exists (&pin->other, experiment)))
        continue;
      x = ns_flow_place_to_x (experiment, &pin->place);
      other_x = pin->has_other ? ns_flow_place_to_x (experiment, &pin->other) : x;
      for (guint p = 0; p < figure->panels->len; p++)
        pin_panel (g_ptr_array_index (figure->panels, p), x, other_x, NS_MARKS_ID (NS_MARKS_PINS, i));
    }
}

/* ---- notes ---- */

/* Find the panel and the point that a note is about; *series is -1 in a map. FALSE if the figure lacks it. */
static gboolean
find_point (const NsPathsMarked *marked, const NsNote *note, guint p, int *series, double *x, double *y)
{
  const NsPanel *panel = g_ptr_array_index (marked->figure->panels, p);
  const char *name = ns_experiment_variant (marked->experiment, (guint) note->variant)->name;
  double place = ns_flow_place_to_x (marked->experiment, &note->place);

  *series = -1;
  *x = place;
  if (panel->heat_map != NULL)
    {
      *x = note->has_column ? ns_flow_place_to_x (marked->experiment, &note->column) : NAN;
      *y = place;
      return note->has_column && g_strcmp0 (panel->heat_map->name, name) == 0;
    }
  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *candidate = g_ptr_array_index (panel->series, s);

      if (candidate->role != NS_ROLE_DATA || g_strcmp0 (candidate->name, name) != 0)
        continue;
      *series = (int) s;
      return get_y (candidate, place, y);
    }
  return FALSE;
}

static void
add_note (const NsPathsMarked *marked, const NsNote *note, int id)
{
  const NsExperiment *experiment = marked->experiment;

  if (note->variant < 0 || note->variant >= (int) experiment->variants->len
      || !ns_place_exists (&note->place, experiment)
      || (note->has_column && !ns_place_exists (&note->column, experiment)))
    return;
  for (guint p = 0; p < marked->figure->panels->len; p++)
    {
      gboolean is_meant = note->figure != NS_FIGURE_FLOW ? note->figure == (int) marked->kind
                                                         : p < marked->n && marked->quantities[p] == note->quantity;
      double x, y;
      int series;

      if (!is_meant || !find_point (marked, note, p, &series, &x, &y))
        continue;
      ns_panel_add_annotation (g_ptr_array_index (marked->figure->panels, p),
                               note->kind == NS_NOTE_ARROW ? NS_ANNOTATION_ARROW : NS_ANNOTATION_NOTE, series, x, y,
                               note->text, id);
      return;
    }
}

void
ns_paths_add_marks (const NsPathsMarked *marked, const NsPathsOptions *options)
{
  /* The panels of a map have no curves to pin. */
  if (marked->figure->colors == NULL)
    add_pins (marked->figure, marked->experiment, options);
  for (guint i = 0; i < ns_marks_get_n (options->marks, NS_MARKS_NOTES); i++)
    add_note (marked, g_ptr_array_index (options->marks->notes, i), NS_MARKS_ID (NS_MARKS_NOTES, i));
}

/* ---- words ---- */

/* Append what the panels write at a pin. */
static void
append_values (GString *text, const NsFigure *figure, int id)
{
  const char *panel_separator = ": ";

  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);
      const char *separator = panel_separator;

      for (guint a = 0; a < panel->annotations->len; a++)
        {
          const NsAnnotation *annotation = g_ptr_array_index (panel->annotations, a);
          const NsSeries *series;

          if (annotation->id != id || annotation->series < 0 || annotation->text == NULL)
            continue;
          series = g_ptr_array_index (panel->series, annotation->series);
          if (separator == panel_separator && panel->accessible_title != NULL)
            g_string_append_printf (text, "%s%s, %s %s", separator, panel->accessible_title, series->name,
                                    annotation->text);
          else
            g_string_append_printf (text, "%s%s %s", separator, series->name, annotation->text);
          separator = ", ";
          panel_separator = "; ";
        }
    }
}

static gboolean
has_annotation (const NsFigure *figure, int id)
{
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint a = 0; a < panel->annotations->len; a++)
        if (((const NsAnnotation *) g_ptr_array_index (panel->annotations, a))->id == id)
          return TRUE;
    }
  return FALSE;
}

/* Return TRUE if the figure shows a mark. A kept curve is a series with its name, not an annotation. */
static gboolean
shows_mark (const NsFigure *figure, const NsMarks *marks, int id)
{
  const NsReference *reference;

  if (NS_MARKS_ID_LIST (id) != NS_MARKS_REFERENCES)
    return has_annotation (figure, id);
  reference = g_ptr_array_index (marks->references, NS_MARKS_ID_INDEX (id));
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        if (g_strcmp0 (((const NsSeries *) g_ptr_array_index (panel->series, s))->name, reference->name) == 0)
          return TRUE;
    }
  return FALSE;
}

char *
ns_paths_dup_marks (const NsFigure *figure, const NsPathsOptions *options)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_return_val_if_fail (figure != NULL && options != NULL, NULL);

  for (int list = 0; list < NS_N_MARKS_LISTS; list++)
    for (guint i = 0; i < ns_marks_get_n (options->marks, list); i++)
      {
        int id = NS_MARKS_ID (list, i);
        g_autofree char *name = NULL;

        if (!shows_mark (figure, options->marks, id))
          continue;
        name = ns_flow_dup_bare_mark_name (options->marks, id);
        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", name);
        if (list == NS_MARKS_PINS)
          append_values (text, figure, id);
        g_string_append_c (text, '.');
      }
  return text->len > 0 ? g_strdup (text->str) : NULL;
}

const NsQuantity *
ns_paths_list_quantities (NsFigureKind kind, const NsPathsOptions *options, gsize *n)
{
  static const NsQuantity identity[] = { NS_Q_IDENTITY, NS_Q_IDENTITY_SHARE, NS_Q_GRAD_COS };
  static const NsQuantity skip[NS_N_SUBS][4] = {
    [NS_SUB_ATTN] = { NS_Q_SKIP_RATIO_ATTN, NS_Q_GRAD_SKIP_RATIO_ATTN, NS_Q_SKIP_COS_ATTN, NS_Q_GRAD_SKIP_COS_ATTN },
    [NS_SUB_CROSS] = { NS_Q_SKIP_RATIO_CROSS, NS_Q_GRAD_SKIP_RATIO_CROSS, NS_Q_SKIP_COS_CROSS,
                       NS_Q_GRAD_SKIP_COS_CROSS },
    [NS_SUB_FFN] = { NS_Q_SKIP_RATIO_FFN, NS_Q_GRAD_SKIP_RATIO_FFN, NS_Q_SKIP_COS_FFN, NS_Q_GRAD_SKIP_COS_FFN },
  };

  *n = kind == NS_FIGURE_IDENTITY_PATH ? G_N_ELEMENTS (identity)
       : kind == NS_FIGURE_SKIP_BRANCH ? G_N_ELEMENTS (skip[0])
                                       : 0;
  return kind == NS_FIGURE_SKIP_BRANCH ? skip[options->sub] : identity;
}

int
ns_paths_get_note_figure (int figure, const NsPathsOptions *options, guint panel, gboolean *has_column,
                          NsQuantity *quantity)
{
  gsize n;
  const NsQuantity *quantities = ns_paths_list_quantities ((NsFigureKind) figure, options, &n);

  *has_column = figure == NS_FIGURE_GAIN || figure == NS_FIGURE_SIMILARITY;
  *quantity = n > 0 ? quantities[MIN (panel, n - 1)] : NS_Q_BLOCK;
  return *has_column || figure == NS_FIGURE_UPDATE ? figure : NS_FIGURE_FLOW;
}
