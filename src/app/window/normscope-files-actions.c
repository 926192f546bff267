/* Actions of the window that open and save experiments and copy and paste links.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-files-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/dialogs/normscope-import-dialog.h"
#include "app/shared/normscope-chooser.h"
#include "app/shared/normscope-labels.h"
#include "app/window/normscope-lecture-files.h"
#include "app/window/normscope-unsaved.h"
#include "document/ns-experiment-link.h"
#include "document/ns-recording.h"
#include "import/ns-experiment-open.h"
#include "import/ns-model-files.h"
#include "engine/experiment/ns-settings.h"
#include "lecture/ns-lecture-json.h"

#define SUFFIX ".normscope"

/* ---- opening ---- */

/* Return TRUE for an experiment file. Pictures and links in files open, too, but are not saved to. */
static gboolean
is_json (GBytes *bytes)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  gsize at = length >= 3 && memcmp (data, "\357\273\277", 3) == 0 ? 3 : 0;

  while (at < length && g_ascii_isspace (data[at]))
    at++;
  return at < length && data[at] == '{';
}

/* The imported experiment has the model's name but no file: it is not saved to config.json. */
static void
imported_cb (NormscopeFiles *self, NormscopeImportDialog *dialog)
{
  NormscopeDocument document = { .experiment = normscope_import_dialog_dup_experiment (dialog) };

  document.name = normscope_label_dup_title (ns_experiment_variant (document.experiment, 0)->name,
                                             normscope_import_dialog_is_scaled_down (dialog));
  normscope_files_request_show (self, &document);
}

/* Return the path of the weights beside a config, or NULL. Caller frees. */
static char *
find_weights (GFile *config)
{
  g_autofree char *path = g_file_get_path (config);
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL;

  return folder != NULL ? ns_model_files_dup_path (folder, NULL) : NULL;
}

/* Open a config, with the weights of a checkpoint if that is what was chosen; NULL: those beside it, if any. */
static void
import_config (NormscopeFiles *self, GFile *file, GBytes *bytes, const char *shown_name, const char *chosen)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *base = g_file_get_basename (file);
  g_autofree char *display_name = g_filename_display_name (base);
  g_autofree char *weights = chosen != NULL ? g_strdup (chosen) : find_weights (file);
  NsConfigImport *import = ns_config_import_from_bytes (bytes, shown_name, &error);
  NormscopeImportDialog *dialog;

  if (import == NULL)
    {
      normscope_files_show_message (self, error->message);
      return;
    }
  dialog = normscope_import_dialog_new (GTK_WINDOW (self->window), import, display_name, weights, chosen != NULL,
                                        normscope_session_get_memory_budget (self->session));
  g_signal_connect_object (dialog, "accepted", G_CALLBACK (imported_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* Read a recording, which is kept as a curve over the experiment that simulates it. */
static void
read_recording (NormscopeDocument *document, GBytes *bytes, const char *shown_name, GError **error)
{
  document->recording = ns_recording_from_bytes (bytes, shown_name, error);
  if (document->recording != NULL)
    document->experiment = ns_recording_experiment_from_bytes (bytes, shown_name, error);
  if (document->experiment == NULL)
    g_clear_pointer (&document->recording, ns_training_unref);
}

static gboolean
is_weights (const char *path)
{
  return path != NULL
         && (g_str_has_suffix (path, ".safetensors") || g_str_has_suffix (path, ".safetensors.index.json"));
}

/* Open a model from a file of its weights; its config is in the same folder. */
static void
open_weights (NormscopeFiles *self, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GFile) config = g_file_new_build_filename (folder, "config.json", NULL);
  g_autofree char *shown_name = g_file_get_parse_name (config);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = ns_file_read (config, NS_FILE_CONFIG, NULL, &error);

  if (bytes != NULL)
    {
      import_config (self, config, bytes, shown_name, path);
      return;
    }
  g_prefix_error (&error, _ ("Weights need the model’s config.json in the same folder. "));
  normscope_files_show_message (self, error->message);
}

void
normscope_files_open (NormscopeFiles *self, GFile *file)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *shown_name = NULL, *path = g_file_get_path (file);
  NormscopeDocument document = { 0 };

  g_return_if_fail (NORMSCOPE_IS_FILES (self));
  g_return_if_fail (G_IS_FILE (file));

  if (normscope_lecture_files_is_lecture (file))
    {
      g_autofree char *uri = g_file_get_uri (file);

      gtk_widget_activate_action (GTK_WIDGET (self->window), "win.open-lecture", "s", uri);
      return;
    }
  if (is_weights (path))
    {
      open_weights (self, path);
      return;
    }
  /* Parse before asking about unsaved changes, so an unreadable file never triggers the question. */
  shown_name = g_file_get_parse_name (file);
  bytes = ns_file_read (file, NS_FILE_ANY, NULL, &error);
  if (bytes != NULL && ns_config_is_config (bytes))
    {
      import_config (self, file, bytes, shown_name, NULL);
      return;
    }
  if (bytes != NULL && ns_recording_is_recording (bytes))
    read_recording (&document, bytes, shown_name, &error);
  else if (bytes != NULL)
    document.experiment = ns_experiment_open_bytes (bytes, shown_name, NULL, &error);
  if (document.experiment == NULL)
    {
      normscope_files_show_message (self, error->message);
      return;
    }
  if (is_json (bytes) && document.recording == NULL)
    document.file = g_object_ref (file);
  else
    document.name = g_file_get_basename (file);
  normscope_files_request_show (self, &document);
}

static void
new_chooser (NormscopeFiles *self, const char *title, GtkFileChooserAction action, GCallback callback)
{
  static const char *const to_open[] = { "*" SUFFIX, "*" NS_LECTURE_SUFFIX, "*.json", "*.safetensors", NULL };
  static const char *const to_save[] = { "*" SUFFIX, NULL };
  gboolean opens = action == GTK_FILE_CHOOSER_ACTION_OPEN;

  g_clear_object (&self->chooser);
  self->chooser
    = normscope_chooser_new (GTK_WINDOW (self->window), title, action,
                             opens ? _ ("Experiments, lectures, models and recordings")
                                   : _ ("Normscope experiments"),
                             opens ? to_open : to_save);
  g_signal_connect_object (self->chooser, "response", callback, self, G_CONNECT_SWAPPED);
}

static void
open_response_cb (NormscopeFiles *self, int response)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (self->chooser));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL)
    normscope_files_open (self, file);
}

static void
open_file_cb (NormscopeFiles *self)
{
  if (normscope_files_has_pending (self))
    return;
  new_chooser (self, _ ("Open an Experiment"), GTK_FILE_CHOOSER_ACTION_OPEN, G_CALLBACK (open_response_cb));
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

static void
open_uri_cb (NormscopeFiles *self, GVariant *uri)
{
  g_autoptr (GFile) file = g_file_new_for_uri (g_variant_get_string (uri, NULL));
  normscope_files_open (self, file);
}

/* ---- saving ---- */

static void
file_save_response_cb (NormscopeFiles *self, int response)
{
  g_autoptr (GFile) chosen = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (self->chooser));
  g_autoptr (GFile) file = NULL;
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT && chosen != NULL)
    file = normscope_chooser_complete_name (chosen, SUFFIX, &error);
  if (file != NULL)
    normscope_files_save_and_resume (self, file);
  else
    normscope_files_cancel_pending (self);
  if (error != NULL)
    normscope_files_show_message (self, error->message);
}

static void
choose_save (NormscopeFiles *self)
{
  const NormscopeDocument *saved = normscope_files_get_saved (self);
  GtkFileChooser *chooser;

  new_chooser (self, _ ("Save the Experiment"), GTK_FILE_CHOOSER_ACTION_SAVE, G_CALLBACK (file_save_response_cb));
  chooser = GTK_FILE_CHOOSER (self->chooser);
  if (saved->file != NULL)
    gtk_file_chooser_set_file (chooser, saved->file, NULL);
  else
    {
      const char *base = saved->name != NULL ? saved->name : _ ("Experiment");
      g_autofree char *name = g_strconcat (base, SUFFIX, NULL);

      gtk_file_chooser_set_current_name (chooser, g_strdelimit (name, "/", '-'));
    }
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

void
normscope_files_save (NormscopeFiles *self)
{
  const NormscopeDocument *saved = normscope_files_get_saved (self);

  if (saved->file != NULL)
    normscope_files_save_and_resume (self, saved->file);
  else
    choose_save (self);
}

static void
save_file_cb (NormscopeFiles *self)
{
  if (!normscope_files_has_pending (self))
    normscope_files_save (self);
}

static void
save_file_as_cb (NormscopeFiles *self)
{
  if (!normscope_files_has_pending (self))
    choose_save (self);
}

/* ---- links ---- */

static void
copy_link_cb (NormscopeFiles *self)
{
  const GError *problem = normscope_session_get_error (self->session);
  g_autoptr (GError) error = NULL;
  g_autofree char *message = NULL;
  g_autofree char *link = NULL;

  if (problem != NULL)
    {
      /* Translators: %s is the reason why the experiment is invalid */
      message = g_strdup_printf (_ ("Not copied: an invalid experiment cannot be opened again. %s"), problem->message);
      normscope_files_show_message (self, message);
      return;
    }
  link = ns_experiment_to_link (normscope_session_get_experiment (self->session), &error);
  if (link == NULL)
    {
      normscope_files_show_message (self, error->message);
      return;
    }
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self->window)), link);
  message = g_strdup_printf (ngettext ("A link with %zu character is on the clipboard.",
                                       "A link with %zu characters is on the clipboard.", strlen (link)),
                             strlen (link));
  normscope_files_show_message (self, message);
}

void
normscope_files_open_link (NormscopeFiles *self, const char *link)
{
  g_autoptr (GError) error = NULL;
  NormscopeDocument document = { 0 };

  g_return_if_fail (NORMSCOPE_IS_FILES (self));
  g_return_if_fail (link != NULL);

  document.experiment = ns_experiment_from_link (link, _ ("The text on the clipboard"), &error);
  if (document.experiment == NULL)
    {
      normscope_files_show_message (self, error->message);
      return;
    }
  /* Translators: the name of an experiment that was opened from a link */
  document.name = g_strdup (_ ("From a link"));
  normscope_files_request_show (self, &document);
}

static void
pasted_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  g_autoptr (NormscopeFiles) self = data;
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);

  /* The window may be gone, or show a question, by the time another program has answered. */
  if (self->window == NULL || normscope_files_has_pending (self))
    return;
  if (text == NULL)
    normscope_files_show_message (self, _ ("There is no text on the clipboard. Copy a link to an experiment first."));
  else
    normscope_files_open_link (self, text);
}

static void
paste_link_cb (NormscopeFiles *self)
{
  if (!normscope_files_has_pending (self))
    gdk_clipboard_read_text_async (gtk_widget_get_clipboard (GTK_WIDGET (self->window)), NULL, pasted_cb,
                                   g_object_ref (self));
}

/* ---- actions ---- */

void
normscope_files_add_actions (NormscopeFiles *self)
{
  normscope_unsaved_add_action (self->window, "open", NULL, G_CALLBACK (open_file_cb), self);
  normscope_unsaved_add_action (self->window, "open-uri", G_VARIANT_TYPE_STRING, G_CALLBACK (open_uri_cb), self);
  normscope_unsaved_add_action (self->window, "save", NULL, G_CALLBACK (save_file_cb), self);
  normscope_unsaved_add_action (self->window, "save-as", NULL, G_CALLBACK (save_file_as_cb), self);
  normscope_unsaved_add_action (self->window, "copy-link", NULL, G_CALLBACK (copy_link_cb), self);
  normscope_unsaved_add_action (self->window, "paste-link", NULL, G_CALLBACK (paste_link_cb), self);
}
