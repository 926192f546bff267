/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-lecture-files.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/shared/normscope-chooser.h"
#include "app/shared/normscope-recovery.h"
#include "app/window/normscope-recent.h"
#include "app/window/normscope-unsaved.h"
#include "lecture/ns-lecture-json.h"

/* What to do once unsaved changes are saved or dropped. */
typedef enum
{
  PENDING_NONE,
  PENDING_CLOSE_WINDOW,
  PENDING_TAKE, /* another lecture, or none */
} Pending;

struct _NormscopeLectureFiles
{
  GObject parent_instance;

  GtkApplicationWindow *window; /* weak */
  NormscopeLectureSession *lecture;
  NormscopeRecovery *recovery; /* or NULL: no copies are kept */
  NsLecture *left;             /* offered, or NULL */
  GtkFileChooserNative *chooser;
  Pending pending;
  NsLecture *pending_lecture;
  GFile *pending_file;
  gboolean close_confirmed;
  guint offer_source;
};

G_DEFINE_FINAL_TYPE (NormscopeLectureFiles, normscope_lecture_files, G_TYPE_OBJECT)

static void save (NormscopeLectureFiles *self);

static void
show_message (NormscopeLectureFiles *self, const char *message)
{
  gtk_widget_activate_action (GTK_WIDGET (self->window), "win.show-message", "s", message);
}

/* ---- pending ---- */

static void
cancel_pending (NormscopeLectureFiles *self)
{
  self->pending = PENDING_NONE;
  g_clear_pointer (&self->pending_lecture, ns_lecture_unref);
  g_clear_object (&self->pending_file);
}

static void
resume (NormscopeLectureFiles *self)
{
  Pending pending = self->pending;
  NsLecture *lecture = g_steal_pointer (&self->pending_lecture);
  g_autoptr (GFile) file = g_steal_pointer (&self->pending_file);

  self->pending = PENDING_NONE;
  if (pending == PENDING_CLOSE_WINDOW)
    {
      self->close_confirmed = TRUE;
      normscope_unsaved_close_window (self->window);
    }
  if (pending != PENDING_TAKE)
    return;
  normscope_lecture_session_take_lecture (self->lecture, lecture, file);
  if (file != NULL)
    normscope_recent_add (file);
  normscope_lecture_session_go_to (self->lecture, 0);
}

static void
lecture_answered_cb (NormscopeLectureFiles *self, const char *response)
{
  if (g_str_equal (response, "save"))
    save (self);
  else if (g_str_equal (response, "discard"))
    resume (self);
  else
    cancel_pending (self);
}

static void
ask_to_save_lecture (NormscopeLectureFiles *self)
{
  /* Translators: %s is the title of a lecture */
  g_autofree char *heading = g_strdup_printf (_ ("Save the changes to the lecture “%s”?"),
                                              normscope_lecture_session_get_lecture (self->lecture)->title);

  normscope_unsaved_ask (self->window, heading, G_CALLBACK (lecture_answered_cb), self);
}

/* Do it now, or after asking about unsaved changes. Takes the lecture. */
static void
request (NormscopeLectureFiles *self, Pending pending, NsLecture *lecture, GFile *file)
{
  if (self->pending != PENDING_NONE)
    {
      ns_lecture_unref (lecture);
      return;
    }
  self->pending = pending;
  self->pending_lecture = lecture;
  g_set_object (&self->pending_file, file);
  if (normscope_lecture_session_is_unsaved (self->lecture))
    ask_to_save_lecture (self);
  else
    resume (self);
}

gboolean
normscope_lecture_files_confirm_close (NormscopeLectureFiles *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_FILES (self), TRUE);
  if (self->close_confirmed || !normscope_lecture_session_is_unsaved (self->lecture))
    return TRUE;
  request (self, PENDING_CLOSE_WINDOW, NULL, NULL);
  return FALSE;
}

/* ---- opening ---- */

gboolean
normscope_lecture_files_is_lecture (GFile *file)
{
  g_autofree char *base = g_file_get_basename (file);
  g_autofree char *lower = base != NULL ? g_ascii_strdown (base, -1) : NULL;

  return lower != NULL && g_str_has_suffix (lower, NS_LECTURE_SUFFIX);
}

void
normscope_lecture_files_open (NormscopeLectureFiles *self, GFile *file)
{
  g_autoptr (GError) error = NULL;
  NsLecture *lecture;

  g_return_if_fail (NORMSCOPE_IS_LECTURE_FILES (self));
  lecture = ns_lecture_from_file (file, NULL, &error);
  if (lecture != NULL)
    request (self, PENDING_TAKE, lecture, file);
  else
    show_message (self, error->message);
}

void
normscope_lecture_files_take (NormscopeLectureFiles *self, NsLecture *lecture)
{
  g_return_if_fail (NORMSCOPE_IS_LECTURE_FILES (self));
  request (self, PENDING_TAKE, lecture, NULL);
}

static void
open_lecture_cb (NormscopeLectureFiles *self, GVariant *uri)
{
  g_autoptr (GFile) file = g_file_new_for_uri (g_variant_get_string (uri, NULL));

  normscope_lecture_files_open (self, file);
}

static void
new_cb (NormscopeLectureFiles *self)
{
  const char *const *languages = g_get_language_names ();
  g_autofree char *language = g_strndup (languages[0], strcspn (languages[0], ".@"));

  request (self, PENDING_TAKE, ns_lecture_new (_ ("New lecture"), g_str_equal (language, "C") ? "en" : language), NULL);
}

static void
close_lecture_cb (NormscopeLectureFiles *self)
{
  if (normscope_lecture_session_is_open (self->lecture))
    request (self, PENDING_TAKE, NULL, NULL);
}

/* ---- saving ---- */

static void
save_to (NormscopeLectureFiles *self, GFile *file)
{
  g_autoptr (GError) error = NULL;

  if (!normscope_lecture_session_save (self->lecture, file, &error))
    {
      cancel_pending (self);
      show_message (self, error->message);
      return;
    }
  normscope_recent_add (file);
  resume (self);
}

static void
lecture_save_response_cb (NormscopeLectureFiles *self, int response)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = NULL;
  g_autoptr (GFile) chosen = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (self->chooser));

  if (response == GTK_RESPONSE_ACCEPT && chosen != NULL)
    file = normscope_chooser_complete_name (chosen, NS_LECTURE_SUFFIX, &error);
  if (file != NULL)
    save_to (self, file);
  else
    cancel_pending (self);
  if (error != NULL)
    show_message (self, error->message);
}

static void
save_as (NormscopeLectureFiles *self)
{
  static const char *const patterns[] = { "*" NS_LECTURE_SUFFIX, NULL };
  GFile *file = normscope_lecture_session_get_file (self->lecture);
  g_autofree char *name = NULL;

  if (!normscope_lecture_session_is_open (self->lecture))
    return;
  g_clear_object (&self->chooser);
  self->chooser = normscope_chooser_new (GTK_WINDOW (self->window), _ ("Save the Lecture"),
                                         GTK_FILE_CHOOSER_ACTION_SAVE, _ ("Normscope lectures"), patterns);
  g_signal_connect_object (self->chooser, "response", G_CALLBACK (lecture_save_response_cb), self, G_CONNECT_SWAPPED);
  name = g_strconcat (normscope_lecture_session_get_lecture (self->lecture)->title, NS_LECTURE_SUFFIX, NULL);
  if (file != NULL)
    gtk_file_chooser_set_file (GTK_FILE_CHOOSER (self->chooser), file, NULL);
  else
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (self->chooser), g_strdelimit (name, "/", '-'));
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

static void
save (NormscopeLectureFiles *self)
{
  GFile *file = normscope_lecture_session_get_file (self->lecture);

  if (file != NULL)
    save_to (self, file);
  else
    save_as (self);
}

static void
save_lecture_cb (NormscopeLectureFiles *self)
{
  if (self->pending == PENDING_NONE && normscope_lecture_session_is_open (self->lecture))
    save (self);
}

static void
save_lecture_as_cb (NormscopeLectureFiles *self)
{
  if (self->pending == PENDING_NONE)
    save_as (self);
}

/* ---- recovery ---- */

static gboolean
lecture_is_unsaved (gpointer self)
{
  return normscope_lecture_session_is_unsaved (((NormscopeLectureFiles *) self)->lecture);
}

static GBytes *
lecture_to_bytes (gpointer self)
{
  return ns_lecture_to_bytes (normscope_lecture_session_get_lecture (((NormscopeLectureFiles *) self)->lecture));
}

static gpointer
read_lecture (const char *path, GError **error)
{
  return ns_lecture_recover_from_path (path, error);
}

static const NormscopeRecoveryKind lecture_kind = {
  .suffix = NS_LECTURE_SUFFIX,
  .is_unsaved = lecture_is_unsaved,
  .to_bytes = lecture_to_bytes,
  .read = read_lecture,
};

static void
lecture_recovered_cb (NormscopeLectureFiles *self, const char *response)
{
  if (g_str_equal (response, "recover"))
    {
      normscope_lecture_session_take_lecture (self->lecture, g_steal_pointer (&self->left), NULL);
      normscope_lecture_session_set_unsaved (self->lecture);
      normscope_lecture_session_go_to (self->lecture, 0);
    }
  else
    normscope_recovery_discard (self->recovery);
  gtk_widget_activate_action (GTK_WIDGET (self->window), "win.offer-experiment", NULL);
}

static gboolean
offer_cb (gpointer data)
{
  NormscopeLectureFiles *self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *heading = NULL;

  self->offer_source = 0;
  self->left = normscope_recovery_take (self->recovery, &error);
  if (error != NULL)
    show_message (self, error->message);
  if (self->left == NULL)
    {
      gtk_widget_activate_action (GTK_WIDGET (self->window), "win.offer-experiment", NULL);
      return G_SOURCE_REMOVE;
    }
  /* Translators: %s is the title of a lecture */
  heading = g_strdup_printf (_ ("Recover the lecture “%s”?"), self->left->title);
  normscope_unsaved_offer (self->window, heading, G_CALLBACK (lecture_recovered_cb), self);
  return G_SOURCE_REMOVE;
}

void
normscope_lecture_files_keep (NormscopeLectureFiles *self)
{
  g_return_if_fail (NORMSCOPE_IS_LECTURE_FILES (self) && self->recovery == NULL);
  self->recovery = normscope_recovery_new (&lecture_kind, self);
}

void
normscope_lecture_files_offer (NormscopeLectureFiles *self)
{
  g_return_if_fail (NORMSCOPE_IS_LECTURE_FILES (self) && self->recovery != NULL);
  /* The dialog opens above the window, which is presented first. */
  if (self->offer_source == 0)
    self->offer_source = g_idle_add (offer_cb, self);
}

gboolean
normscope_lecture_files_can_offer (void)
{
  return normscope_recovery_finds (&lecture_kind);
}

void
normscope_lecture_files_leave (NormscopeLectureFiles *self)
{
  g_return_if_fail (NORMSCOPE_IS_LECTURE_FILES (self) && self->recovery != NULL);
  normscope_recovery_leave (self->recovery);
}

/* ---- the object ---- */

static void
lecture_changed_cb (NormscopeLectureFiles *self)
{
  static const char *const names[] = { "save-lecture", "save-lecture-as", "close-lecture" };
  gboolean is_open = normscope_lecture_session_is_open (self->lecture);

  for (gsize i = 0; self->window != NULL && i < G_N_ELEMENTS (names); i++)
    {
      GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->window), names[i]);

      g_simple_action_set_enabled (G_SIMPLE_ACTION (action), is_open);
    }
  if (self->recovery != NULL)
    normscope_recovery_changed (self->recovery);
}

NormscopeLectureFiles *
normscope_lecture_files_new (GtkApplicationWindow *window, NormscopeLectureSession *lecture)
{
  NormscopeLectureFiles *self = g_object_new (NORMSCOPE_TYPE_LECTURE_FILES, NULL);

  g_set_weak_pointer (&self->window, window);
  self->lecture = g_object_ref (lecture);
  normscope_unsaved_add_action (window, "open-lecture", G_VARIANT_TYPE_STRING, G_CALLBACK (open_lecture_cb), self);
  normscope_unsaved_add_action (window, "new-lecture", NULL, G_CALLBACK (new_cb), self);
  normscope_unsaved_add_action (window, "save-lecture", NULL, G_CALLBACK (save_lecture_cb), self);
  normscope_unsaved_add_action (window, "save-lecture-as", NULL, G_CALLBACK (save_lecture_as_cb), self);
  normscope_unsaved_add_action (window, "close-lecture", NULL, G_CALLBACK (close_lecture_cb), self);
  g_signal_connect_object (lecture, "changed", G_CALLBACK (lecture_changed_cb), self, G_CONNECT_SWAPPED);
  lecture_changed_cb (self);
  return self;
}

static void
normscope_lecture_files_finalize (GObject *object)
{
  NormscopeLectureFiles *self = NORMSCOPE_LECTURE_FILES (object);

  g_clear_handle_id (&self->offer_source, g_source_remove);
  cancel_pending (self);
  g_clear_pointer (&self->recovery, normscope_recovery_free);
  g_clear_pointer (&self->left, ns_lecture_unref);
  g_clear_object (&self->chooser);
  g_clear_object (&self->lecture);
  g_clear_weak_pointer (&self->window);
  G_OBJECT_CLASS (normscope_lecture_files_parent_class)->finalize (object);
}

static void
normscope_lecture_files_class_init (NormscopeLectureFilesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_lecture_files_finalize;
}

static void
normscope_lecture_files_init (NormscopeLectureFiles *self)
{
}
