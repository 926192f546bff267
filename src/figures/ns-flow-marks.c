/* Pins, notes and arrows on the flow figure, and their description.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-text.h"
#include "figures/ns-flow-private.h"
#include "figures/ns-format.h"
#include "plot/ns-hit.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Return the quantity of the panel, or FALSE if the figure does not show it. */
static gboolean
get_quantity (const NsResult *result, const NsFlowOptions *options, NsQuantityKind panel, NsQuantity *quantity)
{
  if (panel == NS_KIND_GRADIENT)
    *quantity = options->gradient;
  else if (panel == NS_KIND_ACTIVATION)
    *quantity = options->activation;
  else
    *quantity = NS_Q_TOKEN_COS;
  return panel != NS_KIND_COSINE || ns_flow_shows_token_cos (ns_result_get_experiment (result), options);
}

/* Read the statistic of a curve at a block. FALSE if it is hidden or has no number there that can be drawn. */
static gboolean
get_stat_at_place (const NsResult *result, const NsFlowOptions *options, guint variant, NsQuantity quantity,
                   const NsPlace *place, NsStat *stat)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);

  return variant < experiment->variants->len && ns_flow_is_visible (options, variant)
         && ns_place_exists (place, experiment)
         && ns_result_get_stat (result, variant, quantity,
                                ns_experiment_get_site (experiment, place->part, place->block), stat);
}

static char *
dup_value_of_curve (const NsResult *result, const NsFlowOptions *options, NsQuantity quantity, const NsStat *stat)
{
  g_autofree char *spread = NULL;

  if (ns_quantity_info (quantity)->kind == NS_KIND_COSINE)
    return ns_format_cosine (stat->mean);
  return ns_format_stat_parts (stat, ns_flow_get_mean (result, options, quantity), &spread);
}

char *
ns_flow_dup_change (gboolean is_log, double first, double second)
{
  double change = second - first;
  g_autofree char *number = NULL;

  if (!isfinite (change))
    return NULL;
  if (!is_log)
    {
      number = ns_text_take_localized (g_strdup_printf ("%.3f", fabs (change)));
      return g_strdup_printf ("%s%s", change < 0 ? "−" : "+", number);
    }
  number = ns_format_ratio (fabs (change));
  /* Translators: a later value compared with an earlier one: times, or divided by, a number */
  return g_strdup_printf (change < 0 ? _("÷ %s") : _("× %s"), number);
}

/* Return the change from the first to the second; NULL if it is no number. */
static char *
dup_ratio_of_places (const NsResult *result, const NsFlowOptions *options, NsQuantity quantity, const NsStat *first,
                     const NsStat *second)
{
  NsMeanKind mean = ns_flow_get_mean (result, options, quantity);

  if (ns_quantity_info (quantity)->kind == NS_KIND_COSINE)
    return ns_flow_dup_change (FALSE, first->mean, second->mean);
  return ns_flow_dup_change (TRUE, ns_stat_get_log10 (first, mean), ns_stat_get_log10 (second, mean));
}

/* Return the values, or ratios, of a pin for one curve; NULL without a number. */
static char *
dup_pin_text (const NsResult *result, const NsFlowOptions *options, guint variant, const NsPin *pin)
{
  NsQuantity quantity;
  NsStat stat, other;

  if (!get_quantity (result, options, pin->panel, &quantity)
      || !get_stat_at_place (result, options, variant, quantity, &pin->place, &stat))
    return NULL;
  if (!pin->has_other)
    return dup_value_of_curve (result, options, quantity, &stat);
  if (!get_stat_at_place (result, options, variant, quantity, &pin->other, &other))
    return NULL;
  return dup_ratio_of_places (result, options, quantity, &stat, &other);
}

/* ---- annotations ---- */

static NsPanel *
find_panel (NsFigure *figure, NsQuantityKind kind)
{
  guint index = kind == NS_KIND_GRADIENT ? 0 : kind == NS_KIND_ACTIVATION ? 1 : 2;

  return index < figure->panels->len ? g_ptr_array_index (figure->panels, index) : NULL;
}

/* Find the series of a variant and its number at x. */
static int
find_series (const NsPanel *panel, const char *name, double x, double *y)
{
  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);
      gsize i;

      if (series->role != NS_ROLE_DATA || g_strcmp0 (series->name, name) != 0)
        continue;
      if (!ns_series_find_x (series, x, &i) || ns_series_get_mark (series, i) != NS_MARK_NONE)
        return -1;
      *y = series->y[i];
      return (int) s;
    }
  return -1;
}

static void
add_pin (const NsResult *result, const NsFlowOptions *options, NsFigure *figure, const NsPin *pin, int id)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  NsPanel *panel = find_panel (figure, pin->panel);
  gboolean found = FALSE;
  double x, other_x;

  if (panel == NULL || !ns_place_exists (&pin->place, experiment)
      || (pin->has_other && !ns_place_exists (&pin->other, experiment)))
    return;
  x = ns_flow_place_to_x (experiment, &pin->place);
  other_x = pin->has_other ? ns_flow_place_to_x (experiment, &pin->other) : x;
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      const char *name = ns_experiment_variant (experiment, v)->name;
      g_autofree char *text = dup_pin_text (result, options, v, pin);
      double y = NAN, other_y = NAN;
      int series = text != NULL ? find_series (panel, name, x, &y) : -1;
      NsAnnotation *annotation;

      if (series < 0 || (pin->has_other && find_series (panel, name, other_x, &other_y) < 0))
        continue;
      annotation = ns_panel_add_annotation (panel, pin->has_other ? NS_ANNOTATION_RATIO : NS_ANNOTATION_POINT, series,
                                            x, y, text, id);
      annotation->other_x = other_x;
      annotation->other_y = pin->has_other ? other_y : y;
      found = TRUE;
    }
  if (found && !pin->has_other)
    ns_panel_add_annotation (panel, NS_ANNOTATION_LINE, -1, x, NAN, NULL, id);
}

static void
add_note (const NsResult *result, const NsFlowOptions *options, NsFigure *figure, const NsNote *note, int id)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  NsPanel *panel = find_panel (figure, ns_quantity_info (note->quantity)->kind);
  double x, y;
  int series;

  if (panel == NULL || !ns_flow_draws_mark (result, options, id))
    return;
  x = ns_flow_place_to_x (experiment, &note->place);
  series = find_series (panel, ns_experiment_variant (experiment, (guint) note->variant)->name, x, &y);
  if (series >= 0)
    ns_panel_add_annotation (panel, note->kind == NS_NOTE_ARROW ? NS_ANNOTATION_ARROW : NS_ANNOTATION_NOTE, series, x,
                             y, note->text, id);
}

void
ns_flow_add_marks (const NsResult *result, const NsFlowOptions *options, NsFigure *figure)
{
  const NsMarks *marks = options->marks;

  for (guint i = 0; i < ns_marks_get_n (marks, NS_MARKS_PINS); i++)
    add_pin (result, options, figure, &g_array_index (marks->pins, NsPin, i), NS_MARKS_ID (NS_MARKS_PINS, i));
  for (guint i = 0; i < ns_marks_get_n (marks, NS_MARKS_NOTES); i++)
    add_note (result, options, figure, g_ptr_array_index (marks->notes, i), NS_MARKS_ID (NS_MARKS_NOTES, i));
}

/* ---- words ---- */

gboolean
ns_flow_draws_mark (const NsResult *result, const NsFlowOptions *options, int id)
{
  guint index = NS_MARKS_ID_INDEX (id);
  NsQuantity quantity;
  NsStat stat;

  g_return_val_if_fail (result != NULL && options != NULL, FALSE);
  g_return_val_if_fail (index < ns_marks_get_n (options->marks, NS_MARKS_ID_LIST (id)), FALSE);

  if (NS_MARKS_ID_LIST (id) == NS_MARKS_REFERENCES)
    return ((const NsReference *) g_ptr_array_index (options->marks->references, index))->result != NULL;
  if (NS_MARKS_ID_LIST (id) == NS_MARKS_NOTES)
    {
      const NsNote *note = g_ptr_array_index (options->marks->notes, index);

      return note->figure == 0 && get_quantity (result, options, ns_quantity_info (note->quantity)->kind, &quantity)
             && quantity == note->quantity && note->variant >= 0
             && get_stat_at_place (result, options, (guint) note->variant, quantity, &note->place, &stat);
    }
  for (guint v = 0; v < ns_result_get_experiment (result)->variants->len; v++)
    {
      g_autofree char *text = dup_pin_text (result, options, v, &g_array_index (options->marks->pins, NsPin, index));

      if (text != NULL)
        return TRUE;
    }
  return FALSE;
}

/* Return why a mark is not drawn. */
static char *
dup_reason_of_mark (const NsResult *result, const NsFlowOptions *options, int id)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  guint index = NS_MARKS_ID_INDEX (id);
  gboolean exists = TRUE;
  const NsPlace *missing = NULL;
  gint64 depth;

  if (NS_MARKS_ID_LIST (id) == NS_MARKS_REFERENCES)
    return g_strdup (_("being computed"));
  if (NS_MARKS_ID_LIST (id) == NS_MARKS_NOTES)
    {
      const NsNote *note = g_ptr_array_index (options->marks->notes, index);

      missing = &note->place;
      exists = ns_place_exists (missing, experiment);
      if (exists && note->figure != 0)
        return g_strdup (_("it belongs to a figure of the Paths view"));
      if (exists && note->quantity != options->gradient && note->quantity != options->activation)
        return g_strdup_printf (_("the plots do not show %s"), ns_quantity_info (note->quantity)->symbol);
    }
  else
    {
      const NsPin *pin = &g_array_index (options->marks->pins, NsPin, index);

      missing = !ns_place_exists (&pin->place, experiment) ? &pin->place : &pin->other;
      exists = ns_place_exists (&pin->place, experiment)
               && (!pin->has_other || ns_place_exists (&pin->other, experiment));
    }
  if (exists)
    return g_strdup (ns_result_is_partial (result) ? _("not measured yet") : _("no visible curve has a value there"));
  depth = ns_experiment_get_depth (experiment, missing->part);
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "there is %d block", "there are %d blocks", (gulong) depth),
                          (int) depth);
}

/* Return the place of a note: its block or, in a map, its cell. */
static char *
dup_note_place (const NsNote *note)
{
  g_autofree char *row = ns_flow_dup_place (&note->place);
  g_autofree char *column = note->has_column ? ns_flow_dup_place (&note->column) : NULL;

  return column != NULL ? g_strdup_printf ("%s, %s", row, column) : g_steal_pointer (&row);
}

char *
ns_flow_dup_bare_mark_name (const NsMarks *marks, int id)
{
  guint index = NS_MARKS_ID_INDEX (id);
  g_autofree char *place = NULL;

  if (NS_MARKS_ID_LIST (id) == NS_MARKS_REFERENCES)
    /* Translators: a curve that was kept, by its name */
    return g_strdup_printf (_("Curve “%s”"),
                            ((const NsReference *) g_ptr_array_index (marks->references, index))->name);
  if (NS_MARKS_ID_LIST (id) == NS_MARKS_NOTES)
    {
      const NsNote *note = g_ptr_array_index (marks->notes, index);

      place = dup_note_place (note);
      if (note->text[0] == '\0')
        /* Translators: the %s are names of blocks, "Block 5" */
        return g_strdup_printf (_("Arrow at %s"), place);
      return g_strdup_printf (note->kind == NS_NOTE_ARROW ? _("Arrow “%s” at %s") : _("Note “%s” at %s"), note->text,
                              place);
    }
  else
    {
      const NsPin *pin = &g_array_index (marks->pins, NsPin, index);
      g_autofree char *other = pin->has_other ? ns_flow_dup_place (&pin->other) : NULL;

      place = ns_flow_dup_place (&pin->place);
      return other != NULL ? g_strdup_printf (_("Ratio of %s to %s"), other, place)
                           : g_strdup_printf (_("Pin at %s"), place);
    }
}

char *
ns_flow_dup_mark_name (const NsResult *result, const NsFlowOptions *options, int id)
{
  g_autofree char *name = NULL;
  g_autofree char *reason = NULL;

  g_return_val_if_fail (result != NULL && options != NULL, NULL);
  g_return_val_if_fail (NS_MARKS_ID_INDEX (id) < ns_marks_get_n (options->marks, NS_MARKS_ID_LIST (id)), NULL);

  name = ns_flow_dup_bare_mark_name (options->marks, id);
  if (ns_flow_draws_mark (result, options, id))
    return g_steal_pointer (&name);
  reason = dup_reason_of_mark (result, options, id);
  /* Translators: a mark, and the reason why it is not drawn */
  return g_strdup_printf (_("%s (not drawn: %s)"), name, reason);
}

static void
append_values (GString *text, const NsResult *result, const NsFlowOptions *options, const NsPin *pin)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  const char *separator = ": ";

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autofree char *value = dup_pin_text (result, options, v, pin);

      if (value == NULL)
        continue;
      g_string_append_printf (text, "%s%s %s", separator, ns_experiment_variant (experiment, v)->name, value);
      separator = ", ";
    }
}

char *
ns_flow_dup_marks (const NsResult *result, const NsFlowOptions *options)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_return_val_if_fail (result != NULL && options != NULL, NULL);

  for (int list = 0; list < NS_N_MARKS_LISTS; list++)
    for (guint i = 0; i < ns_marks_get_n (options->marks, list); i++)
      {
        g_autofree char *name = ns_flow_dup_mark_name (result, options, NS_MARKS_ID (list, i));

        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", name);
        if (list == NS_MARKS_PINS)
          append_values (text, result, options, &g_array_index (options->marks->pins, NsPin, i));
        g_string_append_c (text, '.');
      }
  return text->len > 0 ? g_strdup (text->str) : NULL;
}
