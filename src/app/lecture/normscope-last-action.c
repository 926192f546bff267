/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-last-action.h"

#include "app/lecture/normscope-change-words.h"
#include "engine/experiment/ns-experiment.h"

#define SHOW_MS 1000
#define ACTION_FADE_MS 120

struct _NormscopeLastAction
{
  AdwBin parent_instance;

  GtkRevealer *revealer;
  GtkLabel *label;
  NormscopeSession *session;
  NsExperiment *known; /* the experiment before the next change */
  guint hide_id;
};

G_DEFINE_FINAL_TYPE (NormscopeLastAction, normscope_last_action, ADW_TYPE_BIN)

static gboolean
hide_action_cb (gpointer data)
{
  NormscopeLastAction *self = data;

  self->hide_id = 0;
  gtk_revealer_set_reveal_child (self->revealer, FALSE);
  return G_SOURCE_REMOVE;
}

void
normscope_last_action_show (NormscopeLastAction *self, const char *text)
{
  g_return_if_fail (NORMSCOPE_IS_LAST_ACTION (self));
  g_return_if_fail (text != NULL);
  gtk_label_set_label (self->label, text);
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
  g_clear_handle_id (&self->hide_id, g_source_remove);
  self->hide_id = g_timeout_add (SHOW_MS, hide_action_cb, self);
}

void
normscope_last_action_forget (NormscopeLastAction *self)
{
  g_return_if_fail (NORMSCOPE_IS_LAST_ACTION (self));
  g_clear_pointer (&self->known, ns_experiment_free);
  self->known = ns_experiment_copy (normscope_session_get_experiment (self->session));
}

static void
action_changed_cb (NormscopeLastAction *self, guint change)
{
  g_autofree char *words = NULL;

  if ((change & (NORMSCOPE_CHANGED_EXPERIMENT | NORMSCOPE_CHANGED_TRAINING)) == 0)
    return;
  if ((change & NORMSCOPE_CHANGED_REPLACED) == 0)
    words = normscope_change_dup_words (self->known, normscope_session_get_experiment (self->session));
  normscope_last_action_forget (self);
  if (words != NULL)
    {
      g_auto (GStrv) lines = g_strsplit (words, "\n", -1);
      g_autofree char *line = g_strjoinv (" · ", lines);

      normscope_last_action_show (self, line);
    }
}

static void
normscope_last_action_dispose (GObject *object)
{
  NormscopeLastAction *self = NORMSCOPE_LAST_ACTION (object);

  g_clear_handle_id (&self->hide_id, g_source_remove);
  g_clear_pointer (&self->known, ns_experiment_free);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_last_action_parent_class)->dispose (object);
}

static void
normscope_last_action_class_init (NormscopeLastActionClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_last_action_dispose;
}

static void
normscope_last_action_init (NormscopeLastAction *self)
{
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "accessible-role", GTK_ACCESSIBLE_ROLE_STATUS, "xalign", 0.0,
                                   "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  GtkWidget *revealer = gtk_revealer_new ();

  self->label = GTK_LABEL (label);
  self->revealer = GTK_REVEALER (revealer);
  gtk_widget_add_css_class (label, "last-action");
  gtk_revealer_set_child (self->revealer, label);
  gtk_revealer_set_transition_type (self->revealer, GTK_REVEALER_TRANSITION_TYPE_CROSSFADE);
  gtk_revealer_set_transition_duration (self->revealer, ACTION_FADE_MS);
  adw_bin_set_child (ADW_BIN (self), revealer);
}

GtkWidget *
normscope_last_action_new (NormscopeSession *session)
{
  NormscopeLastAction *self = g_object_new (NORMSCOPE_TYPE_LAST_ACTION, NULL);

  self->session = g_object_ref (session);
  normscope_last_action_forget (self);
  g_signal_connect_object (session, "changed", G_CALLBACK (action_changed_cb), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
