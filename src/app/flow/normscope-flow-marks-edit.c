/* Changes of the marks: pins, ratios, kept curves.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/flow/normscope-flow-marks-private.h"

#include <glib/gi18n-lib.h>

NsFlowOptions
normscope_flow_marks_get_options (NormscopeFlowMarks *self)
{
  NsFlowOptions options;

  normscope_session_get_flow_options (self->session, &options);
  return options;
}

void
normscope_flow_marks_take (NormscopeFlowMarks *self, NsMarks *marks)
{
  g_autoptr (GError) error = NULL;

  if (!normscope_session_take_marks (self->session, marks, &error))
    normscope_flow_marks_show_message (self, error->message);
}

void
normscope_flow_marks_show_message (NormscopeFlowMarks *self, const char *message)
{
  gtk_widget_activate_action (GTK_WIDGET (self->plot), "win.show-message", "s", message);
}

NsMarks *
normscope_flow_marks_copy (NormscopeFlowMarks *self)
{
  return ns_marks_copy (normscope_session_get_marks (self->session));
}

/* Return TRUE if the newest mark of a list would be drawn. */
gboolean
normscope_flow_marks_is_drawn (NormscopeFlowMarks *self, const NsMarks *marks, NsMarksList list)
{
  NsFlowOptions options = normscope_flow_marks_get_options (self);

  options.marks = marks;
  return ns_flow_draws_mark (self->result, &options, NS_MARKS_ID (list, ns_marks_get_n (marks, list) - 1));
}

/* Remove a pin and the ratios to it. */
void
normscope_flow_marks_remove_pin (NsMarks *marks, NsQuantityKind panel, const NsPlace *place)
{
  for (guint i = marks->pins->len; i-- > 0;)
    {
      const NsPin *pin = &g_array_index (marks->pins, NsPin, i);

      if (pin->panel == panel
          && (ns_place_equal (&pin->place, place) || (pin->has_other && ns_place_equal (&pin->other, place))))
        g_array_remove_index (marks->pins, i);
    }
}

/* Return the last pin of the panel that is not at `place`, or −1. */
int
normscope_flow_marks_find_last_pin (const NsMarks *marks, NsQuantityKind panel, const NsPlace *place)
{
  for (guint i = marks->pins->len; i-- > 0;)
    {
      const NsPin *pin = &g_array_index (marks->pins, NsPin, i);

      if (pin->panel == panel && !pin->has_other && !ns_place_equal (&pin->place, place))
        return (int) i;
    }
  return -1;
}

void
normscope_flow_marks_toggle_pin (NormscopeFlowMarks *self, const NormscopeMarkTarget *target)
{
  NsMarks *marks = normscope_flow_marks_copy (self);
  NsPin pin = { .panel = target->panel, .place = target->place };

  if (ns_marks_find_pin (marks, target->panel, &target->place) >= 0)
    normscope_flow_marks_remove_pin (marks, target->panel, &target->place);
  else
    {
      ns_marks_add_pin (marks, &pin);
      if (!normscope_flow_marks_is_drawn (self, marks, NS_MARKS_PINS))
        {
          normscope_flow_marks_show_message (self, _ ("No visible curve has a value there"));
          ns_marks_free (marks);
          return;
        }
    }
  normscope_flow_marks_take (self, marks);
}

/* Pin the block, too, and draw the ratio from the last pin to it. */
void
normscope_flow_marks_add_ratio (NormscopeFlowMarks *self, const NormscopeMarkTarget *target)
{
  g_autoptr (NsMarks) marks = normscope_flow_marks_copy (self);
  int last = normscope_flow_marks_find_last_pin (marks, target->panel, &target->place);
  NsPin pin = { .panel = target->panel, .place = target->place };

  if (last < 0)
    {
      normscope_flow_marks_toggle_pin (self, target);
      return;
    }
  pin = (NsPin){ target->panel, g_array_index (marks->pins, NsPin, last).place, TRUE, target->place };
  if (ns_marks_find_pin (marks, target->panel, &target->place) < 0)
    ns_marks_add_pin (marks, &(NsPin){ .panel = target->panel, .place = target->place });
  ns_marks_add_pin (marks, &pin);
  if (normscope_flow_marks_is_drawn (self, marks, NS_MARKS_PINS))
    normscope_flow_marks_take (self, g_steal_pointer (&marks));
  else
    normscope_flow_marks_show_message (self, _ ("No visible curve has a value there"));
}

void
normscope_flow_marks_keep_curve (NormscopeFlowMarks *self, guint variant)
{
  const NsExperiment *experiment = ns_result_get_experiment (self->result);
  gboolean complete = ns_result_get_n_seeds (self->result) >= (guint) experiment->sampling.seeds
                      && !ns_result_is_partial (self->result);
  const NormscopeVariantLook *look = normscope_session_get_look (self->session, variant);
  NsMarks *marks = normscope_flow_marks_copy (self);
  g_autofree char *name = NULL;
  NsReference *reference;

  /* Translators: the name of a curve that is kept: its variant and the depth */
  name = g_strdup_printf (_ ("%s, depth %d"), ns_experiment_variant (experiment, variant)->name,
                          (int) experiment->shape.depth);
  reference = ns_marks_add_reference (marks, name, experiment, variant, complete ? self->result : NULL);
  reference->style = look->style;
  reference->has_color = look->has_color;
  reference->color = look->color;
  normscope_flow_marks_take (self, marks);
}
