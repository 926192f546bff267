/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/normscope-files.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>

#include "app/normscope-chooser.h"
#include "app/normscope-last-session.h"
#include "app/normscope-recent.h"
#include "document/ns-experiment-json.h"
#include "document/ns-experiment-open.h"

#define SUFFIX ".normscope"

/* What the user was about to do when the question came. */
typedef enum { THEN_NOTHING, THEN_CLOSE, THEN_SHOW } Then;

struct _NormscopeFiles
{
  GObject parent_instance;

  GtkApplicationWindow *window; /* it holds us */
  NormscopeSession *session;
  GFile *file;          /* NULL: none yet */
  char *name;           /* of what has no file, or NULL */
  NsExperiment *saved;  /* as it is in the file, or as it began; NULL: the file is gone */
  char *title;

  Then then;
  NsExperiment *next; /* to be shown, with its file or its name */
  GFile *next_file;
  char *next_name;
  GtkFileChooserNative *chooser;
  gboolean closing; /* the question has been answered */
  gboolean discarded;
};

G_DEFINE_FINAL_TYPE (NormscopeFiles, normscope_files, G_TYPE_OBJECT)

enum { PROP_0, PROP_TITLE, N_PROPS };
static GParamSpec *props[N_PROPS];

static void
tell (NormscopeFiles *self, const char *message)
{
  gtk_widget_activate_action (GTK_WIDGET (self->window), "win.tell", "s", message);
}

/* ---- what the document is called ---- */

static char *
dup_name (NormscopeFiles *self)
{
  if (self->file != NULL)
    {
      g_autofree char *base = g_file_get_basename (self->file);

      return g_filename_display_name (base);
    }
  return g_strdup (self->name != NULL ? self->name : _ ("New experiment"));
}

gboolean
normscope_files_is_unsaved (NormscopeFiles *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_FILES (self), FALSE);
  return self->saved == NULL || !ns_experiment_equal (normscope_session_get_experiment (self->session), self->saved);
}

static void
show_title (NormscopeFiles *self)
{
  g_autofree char *name = dup_name (self);
  g_autofree char *title = normscope_files_is_unsaved (self) ? g_strdup_printf ("• %s", name) : g_strdup (name);

  if (g_strcmp0 (title, self->title) == 0)
    return;
  g_free (self->title);
  self->title = g_steal_pointer (&title);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_TITLE]);
}

const char *
normscope_files_get_title (NormscopeFiles *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_FILES (self), NULL);
  return self->title;
}

/* Takes `saved`. */
static void
set_document (NormscopeFiles *self, GFile *file, const char *name, NsExperiment *saved)
{
  g_autofree char *new_name = g_strdup (name);

  g_set_object (&self->file, file);
  g_free (self->name);
  self->name = g_steal_pointer (&new_name);
  g_clear_pointer (&self->saved, ns_experiment_free);
  self->saved = saved;
  show_title (self);
}

/* ---- reading and writing ---- */

/* Another file begins, and its steps; a preset is one step more. Takes the experiment. */
static void
show (NormscopeFiles *self, NsExperiment *experiment, GFile *file, const char *name)
{
  NsExperiment *saved = ns_experiment_copy (experiment);

  normscope_session_take_experiment (self->session, experiment);
  set_document (self, file, name, saved);
  if (file == NULL)
    return;
  normscope_session_forget_steps (self->session);
  normscope_recent_add (file);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_TITLE]);
}

gboolean
normscope_files_save_to (NormscopeFiles *self, GFile *file, GError **error)
{
  g_return_val_if_fail (NORMSCOPE_IS_FILES (self), FALSE);
  g_return_val_if_fail (G_IS_FILE (file), FALSE);

  if (!normscope_session_save (self->session, file, error))
    return FALSE;
  normscope_session_end_step (self->session);
  set_document (self, file, NULL, ns_experiment_copy (normscope_session_get_experiment (self->session)));
  normscope_recent_add (file);
  return TRUE;
}

/* ---- going on after a question ---- */

static void choose_save (NormscopeFiles *self);

static void
forget_then (NormscopeFiles *self)
{
  self->then = THEN_NOTHING;
  g_clear_object (&self->next_file);
  g_clear_pointer (&self->next, ns_experiment_free);
  g_clear_pointer (&self->next_name, g_free);
}

/* The dialog that brought the answer outlives it, and needs its window until then. */
static gboolean
close_cb (gpointer window)
{
  gtk_window_close (GTK_WINDOW (window));
  return G_SOURCE_REMOVE;
}

static void
go_on (NormscopeFiles *self)
{
  Then then = self->then;
  g_autoptr (GFile) file = g_steal_pointer (&self->next_file);
  NsExperiment *next = g_steal_pointer (&self->next);
  g_autofree char *name = g_steal_pointer (&self->next_name);

  self->then = THEN_NOTHING;
  switch (then)
    {
    case THEN_CLOSE:
      self->closing = TRUE;
      g_idle_add_full (G_PRIORITY_DEFAULT, close_cb, g_object_ref (self->window), g_object_unref);
      break;
    case THEN_SHOW:
      show (self, next, file, name);
      break;
    case THEN_NOTHING:
    default:
      break;
    }
}

static void
save_and_go_on (NormscopeFiles *self, GFile *file)
{
  g_autoptr (GError) error = NULL;

  if (normscope_files_save_to (self, file, &error))
    {
      go_on (self);
      return;
    }
  forget_then (self);
  tell (self, error->message);
}

static void
save (NormscopeFiles *self)
{
  if (self->file != NULL)
    save_and_go_on (self, self->file);
  else
    choose_save (self);
}

static void
answered_cb (NormscopeFiles *self, const char *response)
{
  if (g_str_equal (response, "save"))
    save (self);
  else if (g_str_equal (response, "discard"))
    {
      self->discarded = self->then == THEN_CLOSE;
      go_on (self);
    }
  else
    forget_then (self);
}

static void
ask (NormscopeFiles *self)
{
  g_autofree char *name = dup_name (self);
  /* Translators: %s is the name of an experiment */
  g_autofree char *heading = g_strdup_printf (_ ("Save the changes to “%s”?"), name);
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self->window), heading,
                                              _ ("Without saving, the changes are lost."));

  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "discard", _ ("_Discard"),
                                    "save", _ ("_Save"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "save", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "save");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (answered_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* One thing after another: while a question is open, nothing else begins. Takes the experiment. */
static void
begin_to_show (NormscopeFiles *self, NsExperiment *experiment, GFile *file, const char *name, gboolean question)
{
  if (self->then != THEN_NOTHING)
    {
      ns_experiment_free (experiment);
      return;
    }
  self->then = THEN_SHOW;
  self->next = experiment;
  self->next_file = file != NULL ? g_object_ref (file) : NULL;
  self->next_name = g_strdup (name);
  if (question)
    ask (self);
  else
    go_on (self);
}

void
normscope_files_open (NormscopeFiles *self, GFile *file)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsUnknownKeys) unknown = NULL;
  g_autofree char *name = NULL;
  NsExperiment *experiment;

  g_return_if_fail (NORMSCOPE_IS_FILES (self));
  g_return_if_fail (G_IS_FILE (file));

  /* Nobody is asked about changes for the sake of a file that cannot be shown. */
  experiment = ns_experiment_from_file (file, NULL, &error);
  if (experiment == NULL)
    {
      /* A picture that Normscope made holds its experiment, but is no place to save the next one in. */
      experiment = ns_experiment_open_file (file, NULL, &unknown, NULL);
      name = g_file_get_basename (file);
    }
  if (experiment != NULL && unknown == NULL)
    begin_to_show (self, experiment, name == NULL ? file : NULL, name, normscope_files_is_unsaved (self));
  else
    tell (self, error->message);
  if (unknown != NULL)
    ns_experiment_free (experiment);
}

void
normscope_files_show_preset (NormscopeFiles *self, NsExperiment *experiment, const char *name)
{
  g_return_if_fail (NORMSCOPE_IS_FILES (self));
  g_return_if_fail (experiment != NULL && name != NULL);
  /* Trying presets one after the other is what they are for; undo brings back what had no file. */
  begin_to_show (self, experiment, NULL, name, self->file != NULL && normscope_files_is_unsaved (self));
}

gboolean
normscope_files_may_close (NormscopeFiles *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_FILES (self), TRUE);
  if (self->closing || !normscope_files_is_unsaved (self))
    return TRUE;
  if (self->then == THEN_NOTHING)
    {
      self->then = THEN_CLOSE;
      ask (self);
    }
  return FALSE;
}

/* ---- choosing a file ---- */

static void
new_chooser (NormscopeFiles *self, const char *title, GtkFileChooserAction action, GCallback callback)
{
  static const char *const patterns[] = { "*" SUFFIX, NULL };

  g_clear_object (&self->chooser);
  self->chooser = normscope_chooser_new (GTK_WINDOW (self->window), title, action, _ ("Normscope experiments"),
                                         patterns);
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
open_cb (NormscopeFiles *self)
{
  if (self->then != THEN_NOTHING)
    return;
  new_chooser (self, _ ("Open an Experiment"), GTK_FILE_CHOOSER_ACTION_OPEN, G_CALLBACK (open_response_cb));
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

static void
save_response_cb (NormscopeFiles *self, int response)
{
  g_autoptr (GFile) chosen = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (self->chooser));
  g_autoptr (GFile) file = NULL;
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT && chosen != NULL)
    file = normscope_chooser_complete_name (chosen, SUFFIX, &error);
  if (file != NULL)
    save_and_go_on (self, file);
  else
    forget_then (self);
  if (error != NULL)
    tell (self, error->message);
}

static void
choose_save (NormscopeFiles *self)
{
  new_chooser (self, _ ("Save the Experiment"), GTK_FILE_CHOOSER_ACTION_SAVE, G_CALLBACK (save_response_cb));
  if (self->file != NULL)
    gtk_file_chooser_set_file (GTK_FILE_CHOOSER (self->chooser), self->file, NULL);
  else
    {
      g_autofree char *name = g_strconcat (self->name != NULL ? self->name : _ ("Experiment"), SUFFIX, NULL);

      gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (self->chooser), g_strdelimit (name, "/", '-'));
    }
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

/* ---- actions ---- */

static void
open_uri_cb (NormscopeFiles *self, GVariant *uri)
{
  g_autoptr (GFile) file = g_file_new_for_uri (g_variant_get_string (uri, NULL));
  normscope_files_open (self, file);
}

static void
save_cb (NormscopeFiles *self)
{
  if (self->then == THEN_NOTHING)
    save (self);
}

static void
save_as_cb (NormscopeFiles *self)
{
  if (self->then == THEN_NOTHING)
    choose_save (self);
}

static void
add_action (NormscopeFiles *self, const char *name, const GVariantType *type, GCallback callback)
{
  g_autoptr (GSimpleAction) action = g_simple_action_new (name, type);

  g_signal_connect_object (action, "activate", callback, self, G_CONNECT_SWAPPED);
  g_action_map_add_action (G_ACTION_MAP (self->window), G_ACTION (action));
}

/* ---- the last session ---- */

void
normscope_files_keep_session (NormscopeFiles *self)
{
  const NsExperiment *experiment;

  g_return_if_fail (NORMSCOPE_IS_FILES (self));
  experiment = self->discarded ? self->saved : normscope_session_get_experiment (self->session);
  /* What could not be opened again leaves the former session where it is. */
  if (experiment != NULL && ns_experiment_validate (experiment, NULL))
    normscope_last_session_save (experiment, self->file);
}

void
normscope_files_restore_session (NormscopeFiles *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = NULL;
  NsExperiment *experiment, *saved;

  g_return_if_fail (NORMSCOPE_IS_FILES (self));
  experiment = normscope_last_session_load (&file, &error);
  if (error != NULL)
    tell (self, error->message);
  if (experiment == NULL)
    return;
  saved = file != NULL ? ns_experiment_from_file (file, NULL, NULL) : ns_experiment_copy (experiment);
  set_document (self, file, file == NULL ? _ ("Last session") : NULL, saved);
  normscope_session_take_experiment (self->session, experiment);
  normscope_session_forget_steps (self->session);
  show_title (self);
}

/* ---- the object ---- */

NormscopeFiles *
normscope_files_new (GtkApplicationWindow *window, NormscopeSession *session)
{
  NormscopeFiles *self;

  g_return_val_if_fail (GTK_IS_APPLICATION_WINDOW (window), NULL);
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (session), NULL);

  self = g_object_new (NORMSCOPE_TYPE_FILES, NULL);
  self->window = window;
  self->session = g_object_ref (session);
  self->saved = ns_experiment_copy (normscope_session_get_experiment (session));
  add_action (self, "open", NULL, G_CALLBACK (open_cb));
  add_action (self, "open-uri", G_VARIANT_TYPE_STRING, G_CALLBACK (open_uri_cb));
  add_action (self, "save", NULL, G_CALLBACK (save_cb));
  add_action (self, "save-as", NULL, G_CALLBACK (save_as_cb));
  g_signal_connect_object (session, "changed", G_CALLBACK (show_title), self, G_CONNECT_SWAPPED);
  show_title (self);
  return self;
}

static void
normscope_files_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_TITLE)
    g_value_set_string (value, NORMSCOPE_FILES (object)->title);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
normscope_files_finalize (GObject *object)
{
  NormscopeFiles *self = NORMSCOPE_FILES (object);

  forget_then (self);
  g_clear_object (&self->chooser);
  g_clear_object (&self->session);
  g_clear_object (&self->file);
  g_clear_pointer (&self->saved, ns_experiment_free);
  g_free (self->name);
  g_free (self->title);
  G_OBJECT_CLASS (normscope_files_parent_class)->finalize (object);
}

static void
normscope_files_class_init (NormscopeFilesClass *klass)
{
  G_OBJECT_CLASS (klass)->get_property = normscope_files_get_property;
  G_OBJECT_CLASS (klass)->finalize = normscope_files_finalize;
  props[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL,
                                           G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
}

static void
normscope_files_init (NormscopeFiles *self)
{
}
