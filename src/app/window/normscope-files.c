/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-files-private.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/window/normscope-recent.h"
#include "app/window/normscope-unsaved.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-weight-source.h"

G_DEFINE_FINAL_TYPE (NormscopeFiles, normscope_files, G_TYPE_OBJECT)

enum { FILES_PROP_0, FILES_PROP_TITLE, N_FILES_PROPS };
static GParamSpec *files_props[N_FILES_PROPS];

void
normscope_files_show_message (NormscopeFiles *self, const char *message)
{
  gtk_widget_activate_action (GTK_WIDGET (self->window), "win.show-message", "s", message);
}

/* ---- title ---- */

const NormscopeDocument *
normscope_files_get_saved (NormscopeFiles *self)
{
  return g_ptr_array_index (self->documents, normscope_session_get_document (self->session));
}

gboolean
normscope_files_is_unsaved (NormscopeFiles *self)
{
  const NormscopeDocument *saved;

  g_return_val_if_fail (NORMSCOPE_IS_FILES (self), FALSE);
  saved = normscope_files_get_saved (self);
  return saved->experiment == NULL
         || !ns_experiment_equal (normscope_session_get_experiment (self->session), saved->experiment);
}

void
normscope_files_update_title (NormscopeFiles *self)
{
  g_autofree char *name = normscope_document_dup_name (normscope_files_get_saved (self));
  g_autofree char *title = normscope_files_is_unsaved (self) ? g_strdup_printf ("• %s", name) : g_strdup (name);

  if (self->recovery != NULL)
    normscope_recovery_changed (self->recovery);
  if (g_strcmp0 (title, self->title) == 0)
    return;
  g_free (self->title);
  self->title = g_steal_pointer (&title);
  g_object_notify_by_pspec (G_OBJECT (self), files_props[FILES_PROP_TITLE]);
}

const char *
normscope_files_get_title (NormscopeFiles *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_FILES (self), NULL);
  return self->title;
}

GFile *
normscope_files_dup_folder (NormscopeFiles *self)
{
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  const NormscopeDocument *saved;
  GFile *folder = NULL;

  g_return_val_if_fail (NORMSCOPE_IS_FILES (self), NULL);
  saved = normscope_files_get_saved (self);
  if (saved->file != NULL)
    folder = g_file_get_parent (saved->file);
  return folder != NULL ? folder : g_file_new_for_path (documents != NULL ? documents : g_get_home_dir ());
}

void
normscope_files_set_saved (NormscopeFiles *self, NormscopeDocument *document)
{
  gpointer *saved = &g_ptr_array_index (self->documents, normscope_session_get_document (self->session));

  normscope_document_free (*saved);
  *saved = normscope_document_steal (document);
  normscope_files_update_title (self);
}

/* ---- reading and writing ---- */

/* Return the row of a figure that a view of the window shows, or NULL. */
static const NsFigureInfo *
find_figure (const char *id, NsFigureKind *kind)
{
  for (*kind = 0; id != NULL && *kind < NS_N_FIGURES; (*kind)++)
    if (ns_figure_info (*kind)->view != NULL && strcmp (ns_figure_info (*kind)->id, id) == 0)
      return ns_figure_info (*kind);
  return NULL;
}

/* Put the document into the session, with the figure that it wants to be shown in. */
static void
show_in_session (NormscopeFiles *self, const NormscopeDocument *document, guint number)
{
  NsFigureKind kind;
  const NsFigureInfo *info = find_figure (document->figure, &kind);
  gboolean is_chosen = info != NULL
                       && (ns_view_offers (NS_VIEW_PATHS, kind) || ns_view_offers (NS_VIEW_TRAINING, kind));
  g_autoptr (GError) error = NULL;
  NsViewChoice choice;

  if (is_chosen)
    {
      choice = *normscope_session_get_choice (self->session, info->view);
      choice.figure = kind;
    }
  normscope_session_set_recording (self->session, document->recording);
  normscope_session_take_document_in (self->session, ns_experiment_copy (document->experiment), number,
                                      is_chosen ? &choice : NULL);
  if (document->recording != NULL && !normscope_session_keep_recording (self->session, document->recording, &error))
    normscope_files_show_message (self, error->message);
  if (info != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self->window), "win.show-view", "s", info->view);
}

/* Show a document, whose contents are taken. A file starts a new history; anything else can be undone. */
static void
show (NormscopeFiles *self, NormscopeDocument *document)
{
  const NormscopeDocument *shown = normscope_document_steal (document);

  g_ptr_array_add (self->documents, (gpointer) shown);
  show_in_session (self, shown, self->documents->len - 1);
  if (shown->file == NULL)
    return;
  normscope_session_clear_history (self->session);
  normscope_recent_add (shown->file);
  g_object_notify_by_pspec (G_OBJECT (self), files_props[FILES_PROP_TITLE]);
}

/* Return the number of a document without a file that has the name and the experiment, to use it again. */
static guint
find_document (NormscopeFiles *self, const NsExperiment *experiment, const char *name)
{
  for (guint i = 0; i < self->documents->len; i++)
    {
      const NormscopeDocument *document = g_ptr_array_index (self->documents, i);

      if (document->file == NULL && document->experiment != NULL && g_strcmp0 (document->name, name) == 0
          && ns_experiment_equal (document->experiment, experiment))
        return i;
    }
  return self->documents->len;
}

void
normscope_files_show_scene (NormscopeFiles *self, NormscopeScene *scene, const char *title)
{
  g_return_if_fail (NORMSCOPE_IS_FILES (self));
  g_return_if_fail (scene != NULL && title != NULL);

  scene->document = find_document (self, scene->experiment, title);
  if (scene->document == self->documents->len)
    {
      NormscopeDocument document = { .experiment = ns_experiment_copy (scene->experiment), .name = g_strdup (title) };

      g_ptr_array_add (self->documents, normscope_document_steal (&document));
    }
  normscope_session_take_scene (self->session, scene);
}

gboolean
normscope_files_save_to (NormscopeFiles *self, GFile *file, GError **error)
{
  NormscopeDocument saved = { 0 };

  g_return_val_if_fail (NORMSCOPE_IS_FILES (self), FALSE);
  g_return_val_if_fail (G_IS_FILE (file), FALSE);

  if (!normscope_session_save (self->session, file, error))
    return FALSE;
  normscope_session_end_step (self->session);
  saved.experiment = ns_experiment_copy (normscope_session_get_experiment (self->session));
  saved.file = g_object_ref (file);
  normscope_files_set_saved (self, &saved);
  normscope_recent_add (file);
  return TRUE;
}

/* ---- the question about unsaved changes ---- */

void
normscope_files_cancel_pending (NormscopeFiles *self)
{
  self->pending = NORMSCOPE_PENDING_NONE;
  normscope_document_clear (&self->pending_document);
}

static void
resume_pending (NormscopeFiles *self)
{
  NormscopePending pending = self->pending;
  NormscopeDocument document = self->pending_document;

  self->pending = NORMSCOPE_PENDING_NONE;
  self->pending_document = (NormscopeDocument) { 0 };
  switch (pending)
    {
    case NORMSCOPE_PENDING_CLOSE:
      self->close_confirmed = TRUE;
      normscope_unsaved_close_window (self->window);
      break;
    case NORMSCOPE_PENDING_SHOW:
      show (self, &document);
      break;
    case NORMSCOPE_PENDING_NONE:
    default:
      break;
    }
}

/* Say which variants the file leaves out: those with weights of a checkpoint. */
static void
tell_left_out (NormscopeFiles *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      const NsVariant *variant = ns_experiment_variant (experiment, v);
      g_autofree char *message = NULL;

      if (variant->source == NULL)
        continue;
      /* Translators: %s is a variant, %s is a file */
      message = g_strdup_printf (_ ("Saved without the weights of %s: an experiment file names no other file. Open %s "
                                    "again to see them."),
                                 variant->name, variant->source->name);
      normscope_files_show_message (self, message);
      return;
    }
}

void
normscope_files_save_and_resume (NormscopeFiles *self, GFile *file)
{
  g_autoptr (GError) error = NULL;

  if (normscope_files_save_to (self, file, &error))
    {
      tell_left_out (self);
      resume_pending (self);
      return;
    }
  normscope_files_cancel_pending (self);
  normscope_files_show_message (self, error->message);
}

static void
file_answered_cb (NormscopeFiles *self, const char *response)
{
  if (g_str_equal (response, "save"))
    normscope_files_save (self);
  else if (g_str_equal (response, "discard"))
    {
      self->changes_discarded = self->pending == NORMSCOPE_PENDING_CLOSE;
      resume_pending (self);
    }
  else
    normscope_files_cancel_pending (self);
}

static void
ask_to_save_file (NormscopeFiles *self)
{
  g_autofree char *name = normscope_document_dup_name (normscope_files_get_saved (self));
  /* Translators: %s is the name of an experiment */
  g_autofree char *heading = g_strdup_printf (_ ("Save the changes to “%s”?"), name);

  normscope_unsaved_ask (self->window, heading, G_CALLBACK (file_answered_cb), self);
}

gboolean
normscope_files_has_pending (NormscopeFiles *self)
{
  return self->pending != NORMSCOPE_PENDING_NONE;
}

/* A file of an earlier version may call a variant Pre-LN that no longer is. */
static void
correct_names (NsExperiment *experiment)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      const NsVariant *variant = ns_experiment_variant (experiment, v);

      if (ns_variant_name_is_wrong (variant) && !ns_variant_has_automatic_name (variant))
        ns_experiment_name_variant (experiment, v);
    }
}

void
normscope_files_request_show (NormscopeFiles *self, NormscopeDocument *document)
{
  if (normscope_files_has_pending (self))
    {
      normscope_document_clear (document);
      return;
    }
  self->pending = NORMSCOPE_PENDING_SHOW;
  self->pending_document = *document;
  *document = (NormscopeDocument) { 0 };
  correct_names (self->pending_document.experiment);
  if (normscope_files_is_unsaved (self))
    ask_to_save_file (self);
  else
    resume_pending (self);
}

void
normscope_files_show_preset (NormscopeFiles *self, NsExperiment *experiment, const char *name, const char *figure)
{
  NormscopeDocument preset = { .experiment = experiment };

  g_return_if_fail (NORMSCOPE_IS_FILES (self));
  g_return_if_fail (experiment != NULL && name != NULL);
  preset.name = g_strdup (name);
  preset.figure = g_strdup (figure);
  normscope_files_request_show (self, &preset);
}

gboolean
normscope_files_confirm_close (NormscopeFiles *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_FILES (self), TRUE);
  if (self->close_confirmed || !normscope_files_is_unsaved (self))
    return TRUE;
  if (!normscope_files_has_pending (self))
    {
      self->pending = NORMSCOPE_PENDING_CLOSE;
      ask_to_save_file (self);
    }
  return FALSE;
}

/* ---- the object ---- */

NormscopeFiles *
normscope_files_new (GtkApplicationWindow *window, NormscopeSession *session)
{
  NormscopeDocument first = { 0 };
  NormscopeFiles *self;

  g_return_val_if_fail (GTK_IS_APPLICATION_WINDOW (window), NULL);
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (session), NULL);

  first.experiment = ns_experiment_copy (normscope_session_get_experiment (session));
  self = g_object_new (NORMSCOPE_TYPE_FILES, NULL);
  g_set_weak_pointer (&self->window, window);
  self->session = g_object_ref (session);
  self->documents = g_ptr_array_new_with_free_func ((GDestroyNotify) normscope_document_free);
  g_ptr_array_add (self->documents, normscope_document_steal (&first));
  normscope_files_add_actions (self);
  g_signal_connect_object (session, "changed::settings", G_CALLBACK (normscope_files_update_title), self,
                           G_CONNECT_SWAPPED);
  normscope_files_update_title (self);
  return self;
}

static void
normscope_files_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case FILES_PROP_TITLE:
      g_value_set_string (value, NORMSCOPE_FILES (object)->title);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_files_finalize (GObject *object)
{
  NormscopeFiles *self = NORMSCOPE_FILES (object);

  g_clear_pointer (&self->recovery, normscope_recovery_free);
  g_clear_pointer (&self->left, normscope_left_session_free);
  g_clear_handle_id (&self->offer_source, g_source_remove);
  normscope_document_clear (&self->pending_document);
  g_clear_pointer (&self->documents, g_ptr_array_unref);
  g_clear_weak_pointer (&self->window);
  g_clear_object (&self->chooser);
  g_clear_object (&self->session);
  g_free (self->title);
  G_OBJECT_CLASS (normscope_files_parent_class)->finalize (object);
}

static void
normscope_files_class_init (NormscopeFilesClass *klass)
{
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  G_OBJECT_CLASS (klass)->get_property = normscope_files_get_property;
  G_OBJECT_CLASS (klass)->finalize = normscope_files_finalize;
  files_props[FILES_PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_FILES_PROPS, files_props);
}

static void
normscope_files_init (NormscopeFiles *self)
{
}
