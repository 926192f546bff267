/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/wiring/normscope-wiring-strip-private.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-clauses.h"
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-flow.h"
#include "figures/ns-verdict.h"
#include "figures/ns-wiring.h"

/* The time in which values of former settings stay, as the curves do: while a slider is dragged they would come and go
 * with each picture. */
#define WAIT_MS 300

G_DEFINE_FINAL_TYPE (NormscopeWiringStrip, normscope_wiring_strip, GTK_TYPE_WIDGET)

enum { WIRING_STRIP_PROP_0, WIRING_STRIP_PROP_FOLDED, N_WIRING_STRIP_PROPS };
static GParamSpec *wiring_strip_props[N_WIRING_STRIP_PROPS];

/* ---- contents ---- */

/* Return the block that the crosshair is at, or NAN's: where it was last. */
static gint64
find_block (NormscopeWiringStrip *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  double x = normscope_session_get_cursor (self->session);
  gint64 block = isnan (x) ? self->block : ns_flow_get_place (experiment, x).block;
  NsParts parts = ns_shape_get_parts (&experiment->shape);

  return CLAMP (block, 1, ns_parts_get_deepest (&parts));
}

/* Show the verdict on the selected variant as far as it has room, and which block the values are of. */
static void
show_caption (NormscopeWiringStrip *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  const char *name = ns_experiment_variant (experiment, normscope_session_get_selected (self->session))->name;
  g_autofree char *text = ns_wiring_dup_block (&experiment->shape, name, self->block);
  g_autofree char *line = NULL;

  if (self->trained != NULL && self->is_present)
    /* Translators: the first %s is "Pre-LN, block 1 of 24", the number a step of its training */
    line = g_strdup_printf (_ ("%s, step %d"), text, (int) self->step);
  else if (self->verdict != NULL)
    /* Translators: the first %s is "Pre-LN, block 1 of 24", the second one a sentence about it */
    line = g_strdup_printf (_ ("%s: %s"), text, self->verdict);
  else
    line = g_strdup (text);
  normscope_show_clauses (self->caption, line);
}

static void
caption_width_cb (gpointer data)
{
  NormscopeWiringStrip *self = data;

  self->caption_id = 0;
  show_caption (self);
}

void
normscope_wiring_strip_queue_caption (NormscopeWiringStrip *self)
{
  if (self->caption_id == 0)
    self->caption_id = g_timeout_add_once (0, caption_width_cb, self);
}

/* Return the newest sweep on the screen if it is complete, else NULL. */
static const NsSweep *
get_sweep (NormscopeWiringStrip *self)
{
  GPtrArray *tasks = normscope_scaling_runner_get_tasks (self->scaling_runner);
  const NormscopeTask *task = tasks->len > 0 ? g_ptr_array_index (tasks, 0) : NULL;

  return task != NULL && task->state == NORMSCOPE_TASK_DONE ? task->sweep : NULL;
}

static NsResult *
get_result (NormscopeWiringStrip *self)
{
  return self->trained != NULL ? self->trained : self->result;
}

/* The verdict is of a result of the present settings; no other. */
static void
update_verdict (NormscopeWiringStrip *self)
{
  g_clear_pointer (&self->verdict, g_free);
  if (self->is_present && self->trained == NULL)
    self->verdict = ns_verdict_dup (self->result, normscope_session_get_selected (self->session), get_sweep (self));
}

gboolean
normscope_wiring_strip_has_row (NormscopeWiringStrip *self, NormscopeStripShown shown, guint variant)
{
  if (shown == NORMSCOPE_STRIP_SHOWS_ALL)
    return !normscope_session_get_look (self->session, variant)->hidden;
  return shown == NORMSCOPE_STRIP_SHOWS_ONE && variant == normscope_session_get_selected (self->session);
}

void
normscope_wiring_strip_show_rows (NormscopeWiringStrip *self, gboolean settings)
{
  guint n = normscope_session_get_n_variants (self->session);

  self->block = find_block (self);
  for (guint i = self->rows->len; i > n; i--)
    {
      gtk_widget_unparent (g_ptr_array_index (self->rows, i - 1));
      g_ptr_array_remove_index (self->rows, i - 1);
    }
  for (guint v = 0; v < n; v++)
    {
      if (v == self->rows->len)
        {
          GtkWidget *row = normscope_wiring_row_new (self->session);

          gtk_widget_insert_before (row, GTK_WIDGET (self), GTK_WIDGET (self->caption));
          g_ptr_array_add (self->rows, row);
        }
      if (settings || normscope_wiring_strip_has_row (self, self->shown, v))
        normscope_wiring_row_show (g_ptr_array_index (self->rows, v), v, self->block,
                                   self->is_present ? get_result (self) : NULL);
    }
  show_caption (self);
}

/* While a question is open, nothing measured is shown. */
static void
compare_result (NormscopeWiringStrip *self)
{
  NsResult *result = get_result (self);

  self->is_present = result != NULL && !normscope_session_get_asking (self->session)
                     && ns_experiment_has_same_pass (ns_result_get_experiment (result),
                                                     normscope_session_get_experiment (self->session));
}

static void
show_all (NormscopeWiringStrip *self)
{
  g_clear_handle_id (&self->waiting_id, g_source_remove);
  normscope_wiring_strip_show_rows (self, TRUE);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static gboolean
waited_cb (gpointer data)
{
  NormscopeWiringStrip *self = data;

  self->waiting_id = 0;
  show_all (self);
  return G_SOURCE_REMOVE;
}

/* Return TRUE if the result on the screen has the same variants as the session: only shape, data or seeds differ. */
static gboolean
has_same_variants (NormscopeWiringStrip *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  NsExperiment former = *experiment;

  former.variants = ns_result_get_experiment (self->result)->variants;
  return ns_experiment_has_same_pass (&former, experiment);
}

/* Return TRUE if the rows can wait for the result of a change. What the user touches answers at once. */
static gboolean
may_wait (NormscopeWiringStrip *self, guint change)
{
  gboolean is_touched = (gtk_widget_get_state_flags (GTK_WIDGET (self)) & GTK_STATE_FLAG_FOCUS_WITHIN) != 0;

  return change == NORMSCOPE_CHANGED_EXPERIMENT && !is_touched && !self->is_present && self->trained == NULL
         && !normscope_session_get_asking (self->session) && normscope_session_get_error (self->session) == NULL
         && has_same_variants (self);
}

static void
changed_cb (NormscopeWiringStrip *self, guint change)
{
  const guint relevant = NORMSCOPE_CHANGED_LIST | NORMSCOPE_CHANGED_VIEW;
  gboolean has_values = self->waiting_id != 0 || self->is_present;

  if (change == NORMSCOPE_CHANGED_CURSOR)
    {
      if (find_block (self) != self->block && self->waiting_id == 0)
        normscope_wiring_strip_show_rows (self, FALSE);
      return;
    }
  if ((change & relevant) == 0)
    return;
  compare_result (self);
  update_verdict (self);
  if (!has_values || !may_wait (self, change))
    show_all (self);
  else if (self->waiting_id == 0)
    self->waiting_id = g_timeout_add (WAIT_MS, waited_cb, self);
}

static void
result_cb (NormscopeWiringStrip *self, NsResult *result)
{
  g_clear_pointer (&self->result, ns_result_unref);
  self->result = ns_result_ref (result);
  compare_result (self);
  update_verdict (self);
  if (self->waiting_id != 0)
    show_all (self);
  else
    normscope_wiring_strip_show_rows (self, FALSE);
}

void
normscope_wiring_strip_show_trained (NormscopeWiringStrip *self, NsResult *result, gint64 step)
{
  NsResult *former;

  g_return_if_fail (NORMSCOPE_IS_WIRING_STRIP (self));
  former = self->trained;
  if (former == NULL && result == NULL)
    return;
  self->trained = result != NULL ? ns_result_ref (result) : NULL;
  self->step = step;
  g_clear_pointer (&former, ns_result_unref);
  compare_result (self);
  update_verdict (self);
  normscope_wiring_strip_show_rows (self, FALSE);
}

static void
swept_cb (NormscopeWiringStrip *self)
{
  if (self->waiting_id != 0)
    return;
  update_verdict (self);
  show_caption (self);
}

/* ---- the object ---- */

void
normscope_wiring_strip_set_session (NormscopeWiringStrip *self, NormscopeSession *session, NormscopeRunner *runner,
                                    NormscopeScalingRunner *scaling_runner)
{
  g_return_if_fail (NORMSCOPE_IS_WIRING_STRIP (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);
  g_return_if_fail (NORMSCOPE_IS_RUNNER (runner));
  g_return_if_fail (NORMSCOPE_IS_SCALING_RUNNER (scaling_runner));

  self->session = g_object_ref (session);
  self->scaling_runner = g_object_ref (scaling_runner);
  g_signal_connect_object (session, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (runner, "result", G_CALLBACK (result_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (scaling_runner, "changed", G_CALLBACK (swept_cb), self, G_CONNECT_SWAPPED);
  normscope_wiring_strip_show_rows (self, TRUE);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static void
normscope_wiring_strip_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case WIRING_STRIP_PROP_FOLDED:
      g_value_set_boolean (value, NORMSCOPE_WIRING_STRIP (object)->folded);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_wiring_strip_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  NormscopeWiringStrip *self = NORMSCOPE_WIRING_STRIP (object);

  switch (id)
    {
    case WIRING_STRIP_PROP_FOLDED:
      if (self->folded == g_value_get_boolean (value))
        break;
      self->folded = g_value_get_boolean (value);
      gtk_widget_queue_resize (GTK_WIDGET (self));
      g_object_notify_by_pspec (object, wiring_strip_props[WIRING_STRIP_PROP_FOLDED]);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_wiring_strip_dispose (GObject *object)
{
  NormscopeWiringStrip *self = NORMSCOPE_WIRING_STRIP (object);

  for (guint i = 0; i < self->rows->len; i++)
    gtk_widget_unparent (g_ptr_array_index (self->rows, i));
  g_ptr_array_set_size (self->rows, 0);
  g_clear_pointer ((GtkWidget **) &self->caption, gtk_widget_unparent);
  g_clear_pointer ((GtkWidget **) &self->hint, gtk_widget_unparent);
  g_clear_handle_id (&self->waiting_id, g_source_remove);
  g_clear_handle_id (&self->caption_id, g_source_remove);
  g_clear_pointer (&self->result, ns_result_unref);
  g_clear_pointer (&self->trained, ns_result_unref);
  g_clear_object (&self->scaling_runner);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_wiring_strip_parent_class)->dispose (object);
}

static void
normscope_wiring_strip_finalize (GObject *object)
{
  g_ptr_array_unref (NORMSCOPE_WIRING_STRIP (object)->rows);
  g_free (NORMSCOPE_WIRING_STRIP (object)->verdict);
  G_OBJECT_CLASS (normscope_wiring_strip_parent_class)->finalize (object);
}

static void
normscope_wiring_strip_class_init (NormscopeWiringStripClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = normscope_wiring_strip_get_property;
  object_class->set_property = normscope_wiring_strip_set_property;
  object_class->dispose = normscope_wiring_strip_dispose;
  object_class->finalize = normscope_wiring_strip_finalize;
  widget_class->measure = normscope_wiring_strip_measure;
  widget_class->size_allocate = normscope_wiring_strip_size_allocate;

  wiring_strip_props[WIRING_STRIP_PROP_FOLDED] = g_param_spec_boolean (
      "folded", NULL, NULL, FALSE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_WIRING_STRIP_PROPS, wiring_strip_props);
  gtk_widget_class_set_css_name (widget_class, "wiringstrip");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_REGION);
}

static GtkLabel *
make_label (NormscopeWiringStrip *self, const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_parent (label, GTK_WIDGET (self));
  return GTK_LABEL (label);
}

static void
normscope_wiring_strip_init (NormscopeWiringStrip *self)
{
  self->rows = g_ptr_array_new ();
  self->block = 1;
  self->shown = NORMSCOPE_STRIP_SHOWS_ONE;
  self->caption = make_label (self, NULL);
  gtk_label_set_wrap (self->caption, TRUE);
  gtk_label_set_yalign (self->caption, 0);
  self->hint = make_label (self, _ ("No room for the wiring: enlarge the window or make the text smaller (Ctrl+−)"));
  gtk_widget_add_css_class (GTK_WIDGET (self->caption), "caption-line");
  gtk_widget_add_css_class (GTK_WIDGET (self->hint), "dim-label");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->hint), gtk_label_get_label (self->hint));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Wiring"), -1);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}
