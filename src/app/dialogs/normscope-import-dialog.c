/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-import-dialog.h"

#include <glib/gi18n-lib.h>

#include "app/work/normscope-worker.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-scale-down.h"
#include "engine/experiment/ns-weight-source.h"
#include "engine/run/ns-estimate.h"
#include "import/ns-trained-variant.h"

enum { FULL, SCALED, TRAINED, N_SIZES };

struct _NormscopeImportDialog
{
  AdwWindow parent_instance;

  GtkLabel *heading;
  AdwActionRow *full_row;
  AdwActionRow *scaled_row;
  AdwActionRow *trained_row;
  GtkCheckButton *full_button;
  GtkCheckButton *scaled_button;
  GtkCheckButton *trained_button;
  GtkWidget *open_button;
  GtkBox *assumptions;

  NsExperiment *sizes[N_SIZES]; /* SCALED is NULL for a small model, TRAINED without weights */
  const char *model_type;       /* static */
  gboolean tied;
  char *weights;                /* path, or NULL */
  gboolean weights_are_read;
  NormscopeWorker *worker;
};

G_DEFINE_FINAL_TYPE (NormscopeImportDialog, normscope_import_dialog, ADW_TYPE_WINDOW)

enum { IMPORT_DIALOG_SIGNAL_ACCEPTED, N_IMPORT_DIALOG_SIGNALS };
static guint import_dialog_signals[N_IMPORT_DIALOG_SIGNALS];

/* ---- estimates of the sizes ---- */

typedef struct
{
  NsExperiment *sizes[N_SIZES];
  const char *model_type; /* static */
  gboolean tied;
  char *weights;
} ImportJob;

static void
import_job_free (gpointer data)
{
  ImportJob *job = data;

  for (guint i = 0; i < N_SIZES; i++)
    g_clear_pointer (&job->sizes[i], ns_experiment_free);
  g_free (job->weights);
  g_free (job);
}

typedef struct
{
  guint size;
  char *text;
  gboolean fits;
  NsExperiment *trained; /* TRAINED: with its weights, or NULL */
} ImportDelivery;

static void
import_delivery_free (gpointer data)
{
  ImportDelivery *delivery = data;

  g_clear_pointer (&delivery->trained, ns_experiment_free);
  g_free (delivery->text);
  g_free (delivery);
}

/* Show the dimensions of a size, and below them its estimate. */
static void
show_size (NormscopeImportDialog *self, guint size, const char *estimate)
{
  AdwActionRow *const rows[N_SIZES] = { self->full_row, self->scaled_row, self->trained_row };
  const NsShape *shape = &self->sizes[FULL]->shape;
  g_autofree char *summary = NULL;
  g_autofree char *text = NULL;
  g_autofree char *markup = NULL;

  if (size == FULL && ns_shape_has_encoder_vocab (shape))
    summary = g_strdup_printf (_ ("%lld + %lld blocks, model width %lld, vocabularies %lld + %lld"),
                               (long long) shape->depth, (long long) ns_shape_get_decoder_depth (shape),
                               (long long) shape->d_model, (long long) shape->encoder_vocab, (long long) shape->vocab);
  else if (size == FULL && shape->stack == NS_STACK_ENCODER_DECODER)
    summary = g_strdup_printf (_ ("%lld + %lld blocks, model width %lld, vocabulary %lld"), (long long) shape->depth,
                               (long long) ns_shape_get_decoder_depth (shape), (long long) shape->d_model,
                               (long long) shape->vocab);
  else if (size == FULL)
    summary = g_strdup_printf (_ ("%lld blocks, model width %lld, vocabulary %lld"), (long long) shape->depth,
                               (long long) shape->d_model, (long long) shape->vocab);
  else if (size == SCALED)
    summary = ns_experiment_dup_scaling (self->sizes[FULL], self->sizes[SCALED]);
  else
    summary = g_strdup (_ ("The model with the weights of a file, beside the same model at its initialization"));
  text = g_strconcat (summary, "\n", estimate, NULL);
  markup = g_markup_escape_text (text, -1);
  adw_action_row_set_subtitle (rows[size], markup);
}

/* Nothing can be opened with weights that are still being read. Return opens, unless the focus is on a size: without
 * this, the focus would begin on Cancel. */
static void
update_open_button (NormscopeImportDialog *self)
{
  gboolean can_open = self->weights_are_read || !gtk_check_button_get_active (self->trained_button);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  gtk_widget_set_sensitive (self->open_button, can_open);
  if (can_open && (focus == NULL || GTK_IS_BUTTON (focus)))
    gtk_widget_grab_focus (self->open_button);
}

static void
take_trained (NormscopeImportDialog *self, ImportDelivery *delivery)
{
  self->weights_are_read = delivery->trained != NULL && delivery->fits;
  if (self->weights_are_read)
    {
      ns_experiment_free (self->sizes[TRAINED]);
      self->sizes[TRAINED] = g_steal_pointer (&delivery->trained);
    }
  else if (gtk_check_button_get_active (self->trained_button))
    gtk_check_button_set_active (self->sizes[SCALED] != NULL ? self->scaled_button : self->full_button, TRUE);
  gtk_widget_set_sensitive (GTK_WIDGET (self->trained_row), self->weights_are_read);
  update_open_button (self);
}

static void
deliver_import (gpointer owner, gpointer data)
{
  NormscopeImportDialog *self = owner;
  ImportDelivery *delivery = data;

  show_size (self, delivery->size, delivery->text);
  if (delivery->size == TRAINED)
    take_trained (self, delivery);
  if (delivery->fits || delivery->size != FULL || self->sizes[SCALED] == NULL)
    return;
  gtk_check_button_set_active (self->scaled_button, TRUE);
  gtk_widget_set_sensitive (GTK_WIDGET (self->full_row), FALSE);
}

/* Let the experiment read its weights, on the worker's thread. Return TRUE, and in *text what they are; else the
 * reason. Caller frees. */
static gboolean
read_weights (const ImportJob *job, char **text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *notes = NULL, *size = NULL;
  const NsWeightSource *source;

  if (!ns_trained_variant_read (job->sizes[TRAINED], job->model_type, job->tied, job->weights, &notes, &error))
    {
      *text = g_strdup (error->message);
      return FALSE;
    }
  source = ns_experiment_variant (job->sizes[TRAINED], 0)->source;
  size = g_format_size_full (source->bytes, G_FORMAT_SIZE_IEC_UNITS);
  /* Translators: a file name, a number, a size as in “523 MiB” */
  *text = g_strdup_printf (_ ("%s: %zu tensors, %s"), source->name, source->n_tensors, size);
  if (notes != NULL)
    {
      g_autofree char *all = g_steal_pointer (text);

      *text = g_strdup_printf ("%s. %s", all, notes);
    }
  return TRUE;
}

/* Runs on the worker's thread. */
static void
measure_import (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  ImportJob *job = data;

  for (guint i = 0; i < N_SIZES; i++)
    {
      g_autoptr (NsProgress) progress = ns_progress_new ();
      g_autofree char *weights = NULL, *text = NULL;
      ImportDelivery *delivery;
      NsEstimate estimate = { 0 };
      gboolean is_readable;

      if (job->sizes[i] == NULL)
        continue;
      is_readable = i != TRAINED || read_weights (job, &weights);
      if (!normscope_worker_start_run (worker, serial, progress)
          || (is_readable && !ns_estimate_run (engine, job->sizes[i], progress, &estimate, NULL)))
        return;
      text = is_readable ? ns_estimate_dup_text (&estimate) : NULL;
      delivery = g_new0 (ImportDelivery, 1);
      delivery->size = i;
      delivery->text = text != NULL && weights != NULL ? g_strconcat (weights, "\n", text, NULL)
                                                       : g_strdup (text != NULL ? text : weights);
      delivery->fits = estimate.fits;
      if (i == TRAINED && is_readable)
        delivery->trained = g_steal_pointer (&job->sizes[TRAINED]);
      normscope_worker_enqueue_delivery (worker, serial, deliver_import, delivery, import_delivery_free);
    }
}

static void
start_measuring_import (NormscopeImportDialog *self)
{
  ImportJob *job = g_new0 (ImportJob, 1);

  job->model_type = self->model_type;
  job->tied = self->tied;
  job->weights = g_strdup (self->weights);
  for (guint i = 0; i < N_SIZES; i++)
    {
      if (self->sizes[i] == NULL)
        continue;
      show_size (self, i, i == TRAINED ? _ ("Reading the weights…") : _ ("Measuring time and memory…"));
      job->sizes[i] = ns_experiment_copy (self->sizes[i]);
    }
  normscope_worker_replace (self->worker, job);
}

/* ---- the dialog ---- */

gboolean
normscope_import_dialog_is_scaled_down (NormscopeImportDialog *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_IMPORT_DIALOG (self), FALSE);
  return self->sizes[SCALED] != NULL && gtk_check_button_get_active (self->scaled_button);
}

NsExperiment *
normscope_import_dialog_dup_experiment (NormscopeImportDialog *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_IMPORT_DIALOG (self), NULL);
  return ns_experiment_copy (self->sizes[gtk_check_button_get_active (self->trained_button) ? TRAINED
                                         : normscope_import_dialog_is_scaled_down (self)   ? SCALED
                                                                                           : FULL]);
}

static void
accept_cb (NormscopeImportDialog *self)
{
  g_signal_emit (self, import_dialog_signals[IMPORT_DIALOG_SIGNAL_ACCEPTED], 0);
  gtk_window_close (GTK_WINDOW (self));
}

static void
add_assumption (NormscopeImportDialog *self, const char *sentence)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *bullet = gtk_label_new ("•");
  GtkWidget *label = gtk_label_new (sentence);

  gtk_widget_set_valign (bullet, GTK_ALIGN_START);
  gtk_accessible_update_state (GTK_ACCESSIBLE (bullet), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_hexpand (label, TRUE);
  /* A selectable label would take the initial focus and select its text; the choice of a size should have the focus. */
  gtk_widget_set_focusable (label, FALSE);
  gtk_box_append (GTK_BOX (row), bullet);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (self->assumptions, row);
}

/* Offer the model with its weights, as the first choice if they were opened. */
static void
offer_weights (NormscopeImportDialog *self, const NsConfigImport *import, const char *weights, gboolean is_first)
{
  gtk_widget_set_visible (GTK_WIDGET (self->trained_row), weights != NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (self->trained_row), FALSE);
  if (weights == NULL)
    return;
  self->model_type = import->model_type;
  self->tied = import->tied;
  self->weights = g_strdup (weights);
  self->sizes[TRAINED] = ns_experiment_copy (self->sizes[FULL]);
  ns_trained_variant_insert (self->sizes[TRAINED], ns_experiment_variant (self->sizes[FULL], 0), weights);
  if (is_first)
    gtk_check_button_set_active (self->trained_button, TRUE);
}

NormscopeImportDialog *
normscope_import_dialog_new (GtkWindow *parent, NsConfigImport *import, const char *file_name, const char *weights,
                             gboolean weights_first, guint64 memory_budget)
{
  g_autoptr (NsConfigImport) taken = import;
  NormscopeImportDialog *self;
  g_autofree char *heading = NULL;

  g_return_val_if_fail (import != NULL && file_name != NULL, NULL);

  self = g_object_new (NORMSCOPE_TYPE_IMPORT_DIALOG, "transient-for", parent, NULL);
  self->worker =
      normscope_worker_new (G_OBJECT (self), normscope_engine_new (0, memory_budget), measure_import, import_job_free);
  self->sizes[FULL] = g_steal_pointer (&taken->experiment);
  if (ns_experiment_can_scale_down (self->sizes[FULL]))
    {
      self->sizes[SCALED] = ns_experiment_scale_down (self->sizes[FULL], NS_SCALED_D_MODEL);
      /* The import gives a large model fewer seeds. */
      self->sizes[SCALED]->sampling.seeds = (gint64) ns_param_find ("sampling.seeds")->fallback;
    }
  gtk_widget_set_visible (GTK_WIDGET (self->scaled_row), self->sizes[SCALED] != NULL);
  gtk_check_button_set_active (self->sizes[SCALED] != NULL ? self->scaled_button : self->full_button, TRUE);
  offer_weights (self, taken, weights, weights_first);
  update_open_button (self);
  /* Translators: a file name and a model family: “config.json describes a model of the LLaMA family.” */
  heading = g_strdup_printf (_ ("%s describes a model of the %s family."), file_name, taken->family);
  gtk_label_set_label (self->heading, heading);
  for (guint i = 0; taken->assumptions[i] != NULL; i++)
    add_assumption (self, taken->assumptions[i]);
  start_measuring_import (self);
  return self;
}

static void
normscope_import_dialog_dispose (GObject *object)
{
  NormscopeImportDialog *self = NORMSCOPE_IMPORT_DIALOG (object);

  g_clear_pointer (&self->worker, normscope_worker_release);
  for (guint i = 0; i < N_SIZES; i++)
    g_clear_pointer (&self->sizes[i], ns_experiment_free);
  g_clear_pointer (&self->weights, g_free);
  G_OBJECT_CLASS (normscope_import_dialog_parent_class)->dispose (object);
}

static void
normscope_import_dialog_class_init (NormscopeImportDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_import_dialog_dispose;
  import_dialog_signals[IMPORT_DIALOG_SIGNAL_ACCEPTED]
    = g_signal_new ("accepted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-import-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeImportDialog, heading);
  gtk_widget_class_bind_template_child (widget_class, NormscopeImportDialog, full_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeImportDialog, scaled_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeImportDialog, full_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeImportDialog, scaled_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeImportDialog, trained_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeImportDialog, trained_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeImportDialog, open_button);
  gtk_widget_class_bind_template_callback (widget_class, update_open_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeImportDialog, assumptions);
  gtk_widget_class_bind_template_callback (widget_class, accept_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
normscope_import_dialog_init (NormscopeImportDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
