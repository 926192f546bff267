/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-script-dialog.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/shared/normscope-sensitive.h"
#include "app/work/normscope-worker.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training-arrays.h"

#define PROGRESS_MS 100

struct _NormscopeScriptDialog
{
  AdwWindow parent_instance;

  GtkWidget *export_button;
  GtkWidget *settings;
  AdwComboRow *variant;
  AdwEntryRow *name;
  AdwActionRow *folder_row;
  GtkLabel *note;
  GtkLabel *error_label;
  GtkProgressBar *progress_bar;

  NsExperiment *experiment;
  NsScriptParts *parts;
  GFile *folder;
  NormscopeWorker *worker;
  gboolean name_edited; /* by the user: keep the name when the variant changes */
  gboolean setting_name;
  GtkFileChooserNative *chooser;
  guint progress_id; /* 0 unless files are being written */
};

G_DEFINE_FINAL_TYPE (NormscopeScriptDialog, normscope_script_dialog, ADW_TYPE_WINDOW)

/* ---- settings ---- */

static void
show_script_error (NormscopeScriptDialog *self, const char *message)
{
  gtk_label_set_label (self->error_label, message != NULL ? message : "");
  gtk_widget_set_visible (GTK_WIDGET (self->error_label), message != NULL);
}

/* Suggest a folder name of letters, digits and "-_."; free with g_free(). */
static char *
dup_folder_name (const char *variant)
{
  GString *name = g_string_new (NULL);

  for (const char *p = variant; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar character = g_utf8_get_char (p);

      if (g_unichar_isalnum (character) || strchr ("-_.", *p) != NULL)
        g_string_append_unichar (name, character);
      else if (name->len > 0 && name->str[name->len - 1] != '-')
        g_string_append_c (name, '-');
    }
  g_string_append (name, "-pytorch");
  return g_string_free (name, FALSE);
}

/* Count the bytes of the arrays: the weights, the input, the random gradients of a gain map, the minibatches of a
 * training and the weights after it. */
static guint64
count_bytes (const NsExperiment *experiment, guint variant, const NsScriptParts *parts)
{
  const GArray *maps = parts->maps;
  const NsShape *shape = &experiment->shape;
  guint64 n_tokens = (guint64) (experiment->sampling.batches * shape->batch * shape->seq_len);
  guint64 n = n_tokens * (guint64) shape->d_model;
  gint64 own_vocab = ns_shape_has_encoder_vocab (shape) ? shape->encoder_vocab : 0;

  for (guint i = 0; maps != NULL && i < maps->len; i++)
    if (g_array_index (maps, NsPathsSettings, i).kind == NS_PATHS_GAIN)
      n *= 1 + (guint64) ns_experiment_get_head_site (experiment) * g_array_index (maps, NsPathsSettings, i).n_probes;
  for (gint64 site = 1; site <= ns_experiment_get_head_site (experiment); site++)
    for (int tensor = 0; tensor < NS_N_TENSORS; tensor++)
      if (ns_tensor_exists ((NsTensor) tensor, experiment, variant, site))
        {
          gint64 rows, columns;

          ns_tensor_get_shape ((NsTensor) tensor, shape, ns_experiment_variant (experiment, variant), &rows, &columns);
          n += (guint64) rows * (guint64) columns;
        }
  if (parts->training)
    n = 2 * (n + (guint64) ((shape->vocab + own_vocab) * shape->d_model))
        + 2 * n_tokens * (guint64) MIN (experiment->training.steps, NS_TRAINING_MAX_BATCHES);
  return n * sizeof (float);
}

static guint
get_variant (NormscopeScriptDialog *self)
{
  return MIN (adw_combo_row_get_selected (self->variant), self->experiment->variants->len - 1);
}

static void
show_script (NormscopeScriptDialog *self)
{
  guint variant;
  g_autofree char *name = NULL;
  g_autofree char *note = NULL;
  g_autofree char *size = NULL;

  if (self->experiment == NULL)
    return;
  variant = get_variant (self);
  size = g_format_size (count_bytes (self->experiment, variant, self->parts));
  /* Translators: %s is the size of the files, “12 MB” */
  note = g_strdup_printf (_ ("The folder will hold experiment.py, which builds the model with PyTorch alone, and the "
                             "weights and input of the first seed (%s). The script runs the model forward and "
                             "backward and compares its numbers with Normscope’s."),
                          size);
  if (self->parts->maps != NULL || self->parts->training)
    {
      g_autofree char *more
        = g_strconcat (note, " ",
                       self->parts->training ? _ ("It also takes the first steps of the training.")
                                             : _ ("It also computes the map that the Paths view shows."),
                       NULL);

      gtk_label_set_label (self->note, more);
    }
  else
    gtk_label_set_label (self->note, note);
  if (!self->name_edited)
    {
      self->setting_name = TRUE;
      name = dup_folder_name (ns_experiment_variant (self->experiment, variant)->name);
      gtk_editable_set_text (GTK_EDITABLE (self->name), name);
      self->setting_name = FALSE;
    }
  show_script_error (self, NULL);
}

static void
name_changed_cb (NormscopeScriptDialog *self)
{
  if (self->setting_name || self->experiment == NULL)
    return;
  self->name_edited = TRUE;
  show_script_error (self, NULL);
}

void
normscope_script_dialog_set_folder (NormscopeScriptDialog *self, GFile *folder)
{
  g_autofree char *shown = NULL;
  g_autofree char *markup = NULL;

  g_return_if_fail (NORMSCOPE_IS_SCRIPT_DIALOG (self));
  g_return_if_fail (G_IS_FILE (folder));

  g_set_object (&self->folder, folder);
  shown = g_file_get_parse_name (folder);
  markup = g_markup_escape_text (shown, -1);
  adw_action_row_set_subtitle (self->folder_row, markup);
  show_script_error (self, NULL);
}

static void
folder_response_cb (NormscopeScriptDialog *self, int response)
{
  g_autoptr (GFile) folder = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (self->chooser));

  if (response == GTK_RESPONSE_ACCEPT && folder != NULL)
    normscope_script_dialog_set_folder (self, folder);
}

static void
choose_folder_cb (NormscopeScriptDialog *self)
{
  g_clear_object (&self->chooser);
  self->chooser = gtk_file_chooser_native_new (_ ("Choose a Folder"), GTK_WINDOW (self),
                                               GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _ ("_Select"), _ ("_Cancel"));
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (self->chooser), TRUE);
  gtk_file_chooser_set_file (GTK_FILE_CHOOSER (self->chooser), self->folder, NULL);
  g_signal_connect_object (self->chooser, "response", G_CALLBACK (folder_response_cb), self, G_CONNECT_SWAPPED);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

/* Return the path of the new folder, or NULL with an error. */
static char *
dup_target (NormscopeScriptDialog *self, GError **error)
{
  const char *name = gtk_editable_get_text (GTK_EDITABLE (self->name));
  g_autofree char *parent = ns_file_dup_path (self->folder, error);
  g_autofree char *path = NULL;

  if (parent == NULL)
    return NULL;
  if (*name == '\0' || strchr (name, '/') != NULL || strcmp (name, ".") == 0 || strcmp (name, "..") == 0)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT,
                   _ ("“%s” is not a valid folder name: enter a name without a slash"), name);
      return NULL;
    }
  path = g_build_filename (parent, name, NULL);
  return ns_dump_check_directory (path, error) ? g_steal_pointer (&path) : NULL;
}

/* ---- on the worker's thread ---- */

typedef struct
{
  NsExperiment *experiment;
  guint variant;
  NsScriptParts *parts;
  char *path;
} ScriptJob;

static void
script_job_free (gpointer data)
{
  ScriptJob *job = data;

  ns_experiment_free (job->experiment);
  ns_script_parts_free (job->parts);
  g_free (job->path);
  g_free (job);
}

typedef struct
{
  char *path;
  GError *error; /* NULL on success */
} ScriptDelivery;

static void
script_delivery_free (gpointer data)
{
  ScriptDelivery *delivery = data;

  g_free (delivery->path);
  g_clear_error (&delivery->error);
  g_free (delivery);
}

static void deliver_result (gpointer owner, gpointer data);

static void
write_script (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  ScriptJob *job = data;
  g_autoptr (NsProgress) progress = ns_progress_new ();
  ScriptDelivery *delivery;

  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  delivery = g_new0 (ScriptDelivery, 1);
  delivery->path = g_strdup (job->path);
  ns_dump_write_script (engine, job->experiment, job->variant, job->parts, job->path, progress, &delivery->error);
  normscope_worker_enqueue_delivery (worker, serial, deliver_result, delivery, script_delivery_free);
}

/* ---- writing ---- */

static void
set_script_busy (NormscopeScriptDialog *self, gboolean busy)
{
  normscope_set_sensitive (self->settings, !busy);
  gtk_widget_set_sensitive (self->export_button, !busy);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar), busy);
  if (!busy)
    g_clear_handle_id (&self->progress_id, g_source_remove);
}

static gboolean
progress_cb (gpointer data)
{
  NormscopeScriptDialog *self = data;
  guint64 done, total;

  normscope_worker_get_progress (self->worker, &done, &total);
  /* Progress counts the blocks that are run first; writing the files has no measure. */
  if (done < total)
    gtk_progress_bar_set_fraction (self->progress_bar, (double) done / (double) total);
  else
    gtk_progress_bar_pulse (self->progress_bar);
  return G_SOURCE_CONTINUE;
}

static void
deliver_result (gpointer owner, gpointer data)
{
  NormscopeScriptDialog *self = owner;
  ScriptDelivery *delivery = data;
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (self));
  g_autofree char *base = NULL;
  g_autofree char *text = NULL;
  g_autofree char *uri = NULL;

  set_script_busy (self, FALSE);
  if (delivery->error != NULL)
    {
      show_script_error (self, delivery->error->message);
      return;
    }
  base = g_path_get_basename (delivery->path);
  /* Translators: %s is a folder's name */
  text = g_strdup_printf (_ ("experiment.py and its arrays are in “%s”."), base);
  uri = g_filename_to_uri (delivery->path, NULL, NULL);
  if (parent != NULL && uri != NULL)
    gtk_widget_activate_action (GTK_WIDGET (parent), "win.show-folder-message", "(ss)", text, uri);
  gtk_window_close (GTK_WINDOW (self));
}

static void
script_export_cb (NormscopeScriptDialog *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  ScriptJob *job;

  if (self->progress_id != 0)
    return;
  path = dup_target (self, &error);
  show_script_error (self, path == NULL ? error->message : NULL);
  if (path == NULL)
    return;
  job = g_new0 (ScriptJob, 1);
  job->experiment = ns_experiment_copy (self->experiment);
  job->variant = get_variant (self);
  job->parts = ns_script_parts_copy (self->parts);
  job->path = g_steal_pointer (&path);
  gtk_progress_bar_set_fraction (self->progress_bar, 0);
  set_script_busy (self, TRUE);
  self->progress_id = g_timeout_add (PROGRESS_MS, progress_cb, self);
  normscope_worker_replace (self->worker, job);
}

/* ---- the object ---- */

NormscopeScriptDialog *
normscope_script_dialog_new (GtkWindow *parent, const NsExperiment *experiment, guint variant,
                             const NsScriptParts *parts, GFile *folder, guint64 memory_budget)
{
  NormscopeScriptDialog *self;
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  g_return_val_if_fail (experiment != NULL && G_IS_FILE (folder), NULL);
  g_return_val_if_fail (variant < experiment->variants->len, NULL);

  self = g_object_new (NORMSCOPE_TYPE_SCRIPT_DIALOG, "transient-for", parent, NULL);
  self->worker = normscope_worker_new (G_OBJECT (self), normscope_engine_new (0, memory_budget), write_script,
                                       script_job_free);
  for (guint v = 0; v < experiment->variants->len; v++)
    gtk_string_list_append (names, ns_experiment_variant (experiment, v)->name);
  adw_combo_row_set_model (self->variant, G_LIST_MODEL (names));
  adw_combo_row_set_selected (self->variant, variant);
  normscope_script_dialog_set_folder (self, folder);
  self->experiment = ns_experiment_copy (experiment);
  self->parts = ns_script_parts_copy (parts);
  show_script (self);
  return self;
}

static void
normscope_script_dialog_dispose (GObject *object)
{
  NormscopeScriptDialog *self = NORMSCOPE_SCRIPT_DIALOG (object);

  g_clear_handle_id (&self->progress_id, g_source_remove);
  g_clear_pointer (&self->worker, normscope_worker_release);
  g_clear_object (&self->chooser);
  g_clear_object (&self->folder);
  g_clear_pointer (&self->experiment, ns_experiment_free);
  g_clear_pointer (&self->parts, ns_script_parts_free);
  G_OBJECT_CLASS (normscope_script_dialog_parent_class)->dispose (object);
}

static void
normscope_script_dialog_class_init (NormscopeScriptDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_script_dialog_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-script-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeScriptDialog, export_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScriptDialog, settings);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScriptDialog, variant);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScriptDialog, name);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScriptDialog, folder_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScriptDialog, note);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScriptDialog, error_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScriptDialog, progress_bar);
  gtk_widget_class_bind_template_callback (widget_class, show_script);
  gtk_widget_class_bind_template_callback (widget_class, name_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, choose_folder_cb);
  gtk_widget_class_bind_template_callback (widget_class, script_export_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
normscope_script_dialog_init (NormscopeScriptDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
