/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-last-session.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "document/ns-experiment-json.h"
#include "import/ns-experiment-open.h"

#define GROUP "session"
#define KEY_FILE "file"
#define KEY_SUM "experiment-sha256"
#define KEY_NAME "name"
#define KEY_EXPERIMENT "experiment"

static char *
dup_path (const char *name)
{
  return g_build_filename (g_get_user_state_dir (), "normscope", name, NULL);
}

static GKeyFile *
details_new (const NormscopeLastSession *session)
{
  GKeyFile *details = g_key_file_new ();
  g_autofree char *uri = session->file != NULL ? g_file_get_uri (session->file) : g_strdup ("");

  g_key_file_set_string (details, GROUP, KEY_FILE, uri);
  ns_view_choice_write (&session->paths, details);
  ns_view_choice_write (&session->training, details);
  ns_scaling_settings_write (&session->scaling, details);
  return details;
}

/* Read all but the file. */
static void
read_views (NormscopeLastSession *session, GKeyFile *details)
{
  ns_view_choice_read (&session->paths, details);
  ns_view_choice_read (&session->training, details);
  ns_scaling_settings_read (&session->scaling, details);
}

static GFile *
read_file (GKeyFile *details)
{
  g_autofree char *uri = g_key_file_get_string (details, GROUP, KEY_FILE, NULL);

  return uri != NULL && *uri != '\0' ? g_file_new_for_uri (uri) : NULL;
}

static GBytes *
details_to_bytes (GKeyFile *details)
{
  gsize length;
  char *text = g_key_file_to_data (details, &length, NULL);

  return g_bytes_new_take (text, length);
}

void
normscope_last_session_save (const NormscopeLastSession *session)
{
  g_autofree char *path = dup_path ("last-session.normscope");
  g_autofree char *details_path = dup_path ("last-session.ini");
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GKeyFile) details = details_new (session);
  g_autoptr (GBytes) experiment = ns_experiment_to_bytes (session->experiment);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *sum = NULL;

  g_mkdir_with_parents (folder, 0700);
  sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, experiment);
  g_key_file_set_string (details, GROUP, KEY_SUM, sum);
  bytes = details_to_bytes (details);
  if (!ns_file_write (path, experiment, &error) || !ns_file_write (details_path, bytes, &error))
    g_info ("Cannot save the session: %s", error->message);
}

/* Return TRUE if the details belong to this experiment. The two files are written one after the other: if the program
 * is killed between them, the details name the file of the former experiment, and Save would write this one into it.
 * Older versions wrote no checksum. */
static gboolean
belongs_to_experiment (GKeyFile *details, const char *experiment_path)
{
  g_autofree char *wanted = g_key_file_get_string (details, GROUP, KEY_SUM, NULL);
  g_autoptr (GBytes) experiment = ns_file_read_path (experiment_path, NS_FILE_EXPERIMENT, NULL);
  g_autofree char *sum = experiment != NULL ? g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, experiment) : NULL;

  return wanted == NULL || g_strcmp0 (sum, wanted) == 0;
}

gboolean
normscope_last_session_load (NormscopeLastSession *session, GError **error)
{
  g_autofree char *path = dup_path ("last-session.normscope");
  g_autofree char *details_path = dup_path ("last-session.ini");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GKeyFile) details = g_key_file_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) cause = NULL;

  session->file = NULL;
  if (!g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    return FALSE;
  session->experiment = ns_experiment_open_file (file, NULL, &cause);
  if (session->experiment == NULL)
    {
      g_autofree char *kept_path = dup_path ("unreadable-session.normscope");

      if (g_rename (path, kept_path) == 0)
        g_set_error (error, cause->domain, cause->code, _ ("%s. The session is kept in %s"), cause->message, kept_path);
      else
        g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  bytes = ns_file_read_path (details_path, NS_FILE_INDEX, NULL);
  if (bytes == NULL || !g_key_file_load_from_bytes (details, bytes, G_KEY_FILE_NONE, NULL))
    return TRUE;
  read_views (session, details);
  if (belongs_to_experiment (details, path))
    session->file = read_file (details);
  return TRUE;
}

GBytes *
normscope_last_session_to_bytes (const NormscopeLastSession *session)
{
  g_autoptr (GKeyFile) details = details_new (session);
  g_autoptr (GBytes) experiment = ns_experiment_to_bytes (session->experiment);
  gsize length;
  const char *text = g_bytes_get_data (experiment, &length);
  g_autofree char *copy = g_strndup (text, length);

  g_key_file_set_string (details, GROUP, KEY_NAME, session->name);
  g_key_file_set_string (details, GROUP, KEY_EXPERIMENT, copy);
  return details_to_bytes (details);
}

gboolean
normscope_last_session_read (NormscopeLastSession *session, const char *path, GError **error)
{
  g_autoptr (GKeyFile) details = g_key_file_new ();
  g_autoptr (GBytes) bytes = ns_file_read_path (path, NS_FILE_EXPERIMENT, error);
  g_autoptr (GBytes) experiment = NULL;
  char *text;

  if (bytes == NULL || !g_key_file_load_from_bytes (details, bytes, G_KEY_FILE_NONE, error)
      || (text = g_key_file_get_string (details, GROUP, KEY_EXPERIMENT, error)) == NULL)
    return FALSE;
  experiment = g_bytes_new_take (text, strlen (text));
  session->experiment = ns_experiment_open_bytes (experiment, path, NULL, error);
  if (session->experiment == NULL)
    return FALSE;
  session->name = g_key_file_get_string (details, GROUP, KEY_NAME, NULL);
  session->file = read_file (details);
  read_views (session, details);
  return TRUE;
}
