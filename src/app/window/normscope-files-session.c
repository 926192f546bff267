/* The last session of the window, and copies of unsaved changes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-files-private.h"

#include <glib/gi18n-lib.h>

#include "app/window/normscope-unsaved.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "import/ns-experiment-open.h"

/* ---- the last session ---- */

/* Return the session, whose members are borrowed. */
static NormscopeLastSession
get_last_session (NormscopeFiles *self)
{
  return (NormscopeLastSession) {
    .experiment = (NsExperiment *) normscope_session_get_experiment (self->session),
    .file = normscope_files_get_saved (self)->file,
    .paths = *normscope_session_get_paths (self->session),
    .training = *normscope_session_get_training (self->session),
    .scaling = *normscope_session_get_scaling (self->session),
  };
}

void
normscope_files_save_session (NormscopeFiles *self)
{
  NormscopeLastSession session;

  g_return_if_fail (NORMSCOPE_IS_FILES (self));
  session = get_last_session (self);
  if (self->changes_discarded)
    session.experiment = normscope_files_get_saved (self)->experiment;
  /* Do not replace the saved session by an invalid experiment, which could not be opened. */
  if (session.experiment != NULL && ns_experiment_validate (session.experiment, NULL))
    normscope_last_session_save (&session);
}

/* Show a session whose experiment and file are taken; a document without a file has the name. */
static void
take_session (NormscopeFiles *self, NormscopeLastSession *session, NormscopeDocument *saved)
{
  saved->file = g_steal_pointer (&session->file);
  if (saved->file != NULL)
    saved->experiment = ns_experiment_open_file (saved->file, NULL, NULL);
  normscope_files_set_saved (self, saved);
  normscope_session_take_experiment (self->session, g_steal_pointer (&session->experiment));
  normscope_session_set_paths (self->session, &session->paths);
  normscope_session_set_training (self->session, &session->training);
  normscope_session_set_scaling (self->session, &session->scaling);
  normscope_session_clear_history (self->session);
  normscope_files_update_title (self);
}

void
normscope_files_restore_session (NormscopeFiles *self)
{
  g_autoptr (GError) error = NULL;
  NormscopeDocument saved = { 0 };
  NormscopeLastSession session;

  g_return_if_fail (NORMSCOPE_IS_FILES (self));
  session = get_last_session (self);
  if (!normscope_last_session_load (&session, &error))
    {
      if (error != NULL)
        normscope_files_show_message (self, error->message);
      return;
    }
  if (session.file == NULL)
    {
      saved.name = g_strdup (_ ("Last session"));
      saved.experiment = ns_experiment_copy (session.experiment);
    }
  take_session (self, &session, &saved);
}

/* ---- recovery ---- */

static gboolean
experiment_is_unsaved (gpointer self)
{
  return normscope_files_is_unsaved (self);
}

static GBytes *
session_to_bytes (gpointer self)
{
  NormscopeLastSession session = get_last_session (self);
  g_autofree char *name = normscope_document_dup_name (normscope_files_get_saved (self));

  session.name = name;
  return ns_experiment_validate (session.experiment, NULL) ? normscope_last_session_to_bytes (&session) : NULL;
}

static gpointer
read_session (const char *path, GError **error)
{
  NormscopeLastSession *session = g_new0 (NormscopeLastSession, 1);

  ns_view_choice_init (&session->paths, NS_VIEW_PATHS);
  ns_view_choice_init (&session->training, NS_VIEW_TRAINING);
  ns_scaling_settings_init (&session->scaling);
  if (normscope_last_session_read (session, path, error))
    return session;
  normscope_left_session_free (session);
  return NULL;
}

void
normscope_left_session_free (NormscopeLastSession *session)
{
  g_clear_pointer (&session->experiment, ns_experiment_free);
  g_clear_object (&session->file);
  g_free (session->name);
  g_free (session);
}

static const NormscopeRecoveryKind session_kind = {
  .suffix = ".normscope-session",
  .is_unsaved = experiment_is_unsaved,
  .to_bytes = session_to_bytes,
  .read = read_session,
};

/* Offer the next one, if there is one, in another window. */
static void
offer_next (NormscopeFiles *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self->window), "app.recover", NULL);
}

static void
session_recovered_cb (NormscopeFiles *self, const char *response)
{
  NormscopeLastSession *left = self->left;

  if (g_str_equal (response, "recover"))
    take_session (self, left, &(NormscopeDocument) { .name = g_strdup (left->name) });
  else
    normscope_recovery_discard (self->recovery);
  g_clear_pointer (&self->left, normscope_left_session_free);
  offer_next (self);
}

/* The dialog of a former offer closes first. */
static gboolean
offer_session_cb (gpointer data)
{
  NormscopeFiles *self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *heading = NULL;

  self->offer_source = 0;
  self->left = normscope_recovery_take (self->recovery, &error);
  if (error != NULL)
    normscope_files_show_message (self, error->message);
  if (self->left == NULL)
    {
      offer_next (self);
      return G_SOURCE_REMOVE;
    }
  /* Translators: %s is the name of an experiment */
  heading = g_strdup_printf (_ ("Recover the experiment “%s”?"), self->left->name);
  normscope_unsaved_offer (self->window, heading, G_CALLBACK (session_recovered_cb), self);
  return G_SOURCE_REMOVE;
}

static void
offer_experiment_cb (NormscopeFiles *self)
{
  if (self->recovery != NULL && self->left == NULL && self->offer_source == 0)
    self->offer_source = g_idle_add (offer_session_cb, self);
}

void
normscope_files_keep (NormscopeFiles *self)
{
  g_return_if_fail (NORMSCOPE_IS_FILES (self) && self->recovery == NULL);
  self->recovery = normscope_recovery_new (&session_kind, self);
  normscope_unsaved_add_action (self->window, "offer-experiment", NULL, G_CALLBACK (offer_experiment_cb), self);
}

gboolean
normscope_files_can_offer (void)
{
  return normscope_recovery_finds (&session_kind);
}

void
normscope_files_leave (NormscopeFiles *self)
{
  g_return_if_fail (NORMSCOPE_IS_FILES (self) && self->recovery != NULL);
  self->changes_discarded = normscope_files_is_unsaved (self);
  normscope_recovery_leave (self->recovery);
}
