/* win.verify, and the statement that exports of the verified experiment carry.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#include "app/dialogs/normscope-verify-dialog.h"
#include "engine/experiment/ns-experiment.h"

static void
verified_cb (NormscopeWindow *self, const char *statement)
{
  g_free (self->verified);
  self->verified = g_strdup (statement);
}

static void
verify_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  const GError *problem = normscope_session_get_error (self->session);
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  g_autoptr (NsScriptParts) parts = normscope_window_dup_parts (self);
  NormscopeVerifyDialog *dialog;

  if (problem != NULL)
    {
      normscope_window_show_message (self, problem->message);
      return;
    }
  normscope_window_clear_verified (self);
  self->verified_experiment = ns_experiment_copy (experiment);
  dialog = normscope_verify_dialog_new (GTK_WINDOW (self), experiment, parts);
  g_signal_connect_object (dialog, "verified", G_CALLBACK (verified_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

const char *
normscope_window_get_verified (NormscopeWindow *self, const NsExperiment *experiment)
{
  if (self->verified == NULL || !ns_experiment_has_same_pass (experiment, self->verified_experiment))
    return NULL;
  return self->verified;
}

void
normscope_window_clear_verified (NormscopeWindow *self)
{
  g_clear_pointer (&self->verified, g_free);
  g_clear_pointer (&self->verified_experiment, ns_experiment_free);
}

void
normscope_window_install_verify (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.verify", NULL, verify_cb);
}
