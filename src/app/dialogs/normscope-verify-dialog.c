/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-verify-dialog.h"

#include <glib/gi18n-lib.h>

#include "app/work/normscope-worker.h"
#include "engine/experiment/ns-experiment.h"
#include "script/ns-verification.h"

/* Least time between two updates of the progress bar. */
#define STEP_US (100 * 1000)

struct _NormscopeVerifyDialog
{
  AdwWindow parent_instance;

  GtkButton *close_button;
  GtkProgressBar *progress_bar;
  GtkWidget *verdict;
  GtkImage *verdict_icon;
  GtkLabel *verdict_label;
  GtkWidget *report;
  GtkTextView *report_text;

  NormscopeWorker *worker;
};

G_DEFINE_FINAL_TYPE (NormscopeVerifyDialog, normscope_verify_dialog, ADW_TYPE_WINDOW)

enum { VERIFY_DIALOG_SIGNAL_VERIFIED, N_VERIFY_DIALOG_SIGNALS };
static guint verify_dialog_signals[N_VERIFY_DIALOG_SIGNALS];

/* ---- deliveries from the worker's thread ---- */

typedef struct
{
  double done;   /* 0..1 */
  char *variant; /* being checked; NULL in the last delivery */
  NsVerification *verification;
  GError *error;
} VerifyDelivery;

static void
verify_delivery_free (gpointer data)
{
  VerifyDelivery *delivery = data;

  g_free (delivery->variant);
  g_clear_pointer (&delivery->verification, ns_verification_free);
  g_clear_error (&delivery->error);
  g_free (delivery);
}

/* Show the verdict as text, icon and colour, so that it does not depend on colour alone. */
static void
show_verdict (NormscopeVerifyDialog *self, const char *text, const char *icon, const char *style)
{
  gtk_label_set_label (self->verdict_label, text);
  gtk_image_set_from_icon_name (self->verdict_icon, icon);
  gtk_widget_add_css_class (self->verdict, style);
  gtk_widget_set_visible (self->verdict, TRUE);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar), FALSE);
  gtk_button_set_label (self->close_button, _ ("_Close"));
  gtk_widget_grab_focus (GTK_WIDGET (self->close_button));
}

static void
show_report (NormscopeVerifyDialog *self, const NsVerification *verification)
{
  g_autofree char *verdict = ns_verification_dup_verdict (verification);
  g_autofree char *text = ns_verification_dup_text (verification);
  g_autofree char *statement = ns_verification_dup_statement (verification);

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->report_text), text, -1);
  gtk_widget_set_visible (self->report, TRUE);
  if (!verification->passed)
    show_verdict (self, verdict, "dialog-error-symbolic", "error");
  else if (verification->torch_version == NULL)
    show_verdict (self, verdict, "dialog-warning-symbolic", "warning");
  else
    show_verdict (self, verdict, "emblem-ok-symbolic", "success");
  if (statement != NULL)
    g_signal_emit (self, verify_dialog_signals[VERIFY_DIALOG_SIGNAL_VERIFIED], 0, statement);
}

static void
deliver_step (gpointer owner, gpointer data)
{
  NormscopeVerifyDialog *self = owner;
  const VerifyDelivery *delivery = data;

  if (delivery->variant != NULL)
    {
      gtk_progress_bar_set_fraction (self->progress_bar, delivery->done);
      gtk_progress_bar_set_text (self->progress_bar, delivery->variant);
    }
  else if (delivery->verification != NULL)
    show_report (self, delivery->verification);
  else
    show_verdict (self, delivery->error->message, "dialog-error-symbolic", "error");
}

/* ---- on the worker's thread ---- */

typedef struct
{
  NormscopeWorker *worker;
  guint64 serial;
  NsProgress *progress;
  gint64 delivered_us; /* monotonic time of the last delivery */
} Run;

typedef struct
{
  NsExperiment *experiment;
  NsScriptParts *parts;
} VerifyJob;

static void
verify_job_free (gpointer data)
{
  VerifyJob *job = data;

  ns_experiment_free (job->experiment);
  ns_script_parts_free (job->parts);
  g_free (job);
}

static gboolean
step (gpointer data, double done, const char *variant)
{
  Run *run = data;
  gint64 now = g_get_monotonic_time ();

  if (now - run->delivered_us >= STEP_US)
    {
      VerifyDelivery *delivery = g_new0 (VerifyDelivery, 1);

      delivery->done = done;
      delivery->variant = g_strdup (variant);
      normscope_worker_enqueue_delivery (run->worker, run->serial, deliver_step, delivery, verify_delivery_free);
      run->delivered_us = now;
    }
  return !ns_progress_is_cancelled (run->progress);
}

static void
verify (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  VerifyJob *job = data;
  g_autoptr (NsProgress) progress = ns_progress_new ();
  Run run = { worker, serial, progress, 0 };
  VerifyDelivery *delivery;

  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  delivery = g_new0 (VerifyDelivery, 1);
  delivery->verification = ns_verification_run (job->experiment, job->parts, step, &run, &delivery->error);
  normscope_worker_enqueue_delivery (worker, serial, deliver_step, delivery, verify_delivery_free);
}

/* ---- the object ---- */

NormscopeVerifyDialog *
normscope_verify_dialog_new (GtkWindow *parent, const NsExperiment *experiment, const NsScriptParts *parts)
{
  NormscopeVerifyDialog *self;
  VerifyJob *job;

  g_return_val_if_fail (experiment != NULL, NULL);

  self = g_object_new (NORMSCOPE_TYPE_VERIFY_DIALOG, "transient-for", parent, NULL);
  gtk_progress_bar_set_text (self->progress_bar, ns_experiment_variant (experiment, 0)->name);
  self->worker = normscope_worker_new (G_OBJECT (self), NULL, verify, verify_job_free);
  job = g_new0 (VerifyJob, 1);
  job->experiment = ns_experiment_copy (experiment);
  job->parts = ns_script_parts_copy (parts);
  normscope_worker_replace (self->worker, job);
  return self;
}

static void
normscope_verify_dialog_dispose (GObject *object)
{
  NormscopeVerifyDialog *self = NORMSCOPE_VERIFY_DIALOG (object);

  g_clear_pointer (&self->worker, normscope_worker_release);
  G_OBJECT_CLASS (normscope_verify_dialog_parent_class)->dispose (object);
}

static void
normscope_verify_dialog_class_init (NormscopeVerifyDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_verify_dialog_dispose;
  verify_dialog_signals[VERIFY_DIALOG_SIGNAL_VERIFIED] = g_signal_new (
      "verified", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-verify-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeVerifyDialog, close_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVerifyDialog, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVerifyDialog, verdict);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVerifyDialog, verdict_icon);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVerifyDialog, verdict_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVerifyDialog, report);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVerifyDialog, report_text);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
normscope_verify_dialog_init (NormscopeVerifyDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
