/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-lecture-recovery.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "lecture/ns-lecture-json.h"

#define PREFIX "unsaved-"
/* Pause after the last edit. */
#define DELAY_MS 1000

struct _NormscopeLectureRecovery
{
  NormscopeLectureSession *lecture; /* owned */
  char *path;
  guint source;   /* of the pending write, or 0 */
  gboolean waits; /* a lecture that was taken over is not opened yet: keep its file */
};

static char *
dup_folder (void)
{
  return g_build_filename (g_get_user_state_dir (), "normscope", NULL);
}

/* ---- writing ---- */

static gboolean
write_cb (gpointer data)
{
  NormscopeLectureRecovery *self = data;
  g_autofree char *folder = g_path_get_dirname (self->path);
  g_autoptr (GBytes) bytes = ns_lecture_to_bytes (normscope_lecture_session_get_lecture (self->lecture));
  g_autoptr (GError) error = NULL;

  self->source = 0;
  g_mkdir_with_parents (folder, 0700);
  if (!ns_file_write (self->path, bytes, &error))
    g_info ("Cannot keep a copy of the lecture: %s", error->message);
  return G_SOURCE_REMOVE;
}

static void
recovery_changed_cb (NormscopeLectureRecovery *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  if (normscope_lecture_session_is_unsaved (self->lecture))
    {
      self->waits = FALSE;
      self->source = g_timeout_add (DELAY_MS, write_cb, self);
    }
  else if (!self->waits)
    g_unlink (self->path);
}

/* ---- taking over ---- */

/* Return TRUE for the file of a process that is gone. */
static gboolean
is_left (const char *name)
{
  gint64 pid;

  if (!g_str_has_prefix (name, PREFIX) || !g_str_has_suffix (name, NS_LECTURE_SUFFIX))
    return FALSE;
  pid = g_ascii_strtoll (name + strlen (PREFIX), NULL, 10);
  return pid > 0 && pid <= G_MAXINT && pid != getpid () && kill ((pid_t) pid, 0) != 0 && errno == ESRCH;
}

static char *
dup_left_path (void)
{
  g_autofree char *folder = dup_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (is_left (name))
      return g_build_filename (folder, name, NULL);
  return NULL;
}

NsLecture *
normscope_lecture_recovery_take (NormscopeLectureRecovery *self, GError **error)
{
  g_autofree char *left = dup_left_path ();
  g_autoptr (GError) cause = NULL;
  g_autofree char *kept = NULL;
  NsLecture *lecture;

  /* Only one process can rename it. */
  if (left == NULL || normscope_lecture_session_is_unsaved (self->lecture) || g_rename (left, self->path) != 0)
    return NULL;
  lecture = ns_lecture_recover_from_path (self->path, &cause);
  if (lecture != NULL)
    {
      self->waits = TRUE;
      return lecture;
    }
  kept = g_strconcat (self->path, ".unreadable", NULL);
  g_rename (self->path, kept);
  g_set_error (error, cause->domain, cause->code, _ ("%s. The lecture is kept in %s"), cause->message, kept);
  return NULL;
}

void
normscope_lecture_recovery_discard (NormscopeLectureRecovery *self)
{
  self->waits = FALSE;
  recovery_changed_cb (self);
}

/* ---- the value ---- */

NormscopeLectureRecovery *
normscope_lecture_recovery_new (NormscopeLectureSession *lecture)
{
  static guint count;
  NormscopeLectureRecovery *self = g_new0 (NormscopeLectureRecovery, 1);
  g_autofree char *folder = dup_folder ();
  g_autofree char *name = g_strdup_printf (PREFIX "%d-%u" NS_LECTURE_SUFFIX, (int) getpid (), count++);

  self->path = g_build_filename (folder, name, NULL);
  self->lecture = g_object_ref (lecture);
  g_signal_connect_swapped (lecture, "changed", G_CALLBACK (recovery_changed_cb), self);
  return self;
}

void
normscope_lecture_recovery_free (NormscopeLectureRecovery *self)
{
  if (self == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->lecture, self);
  g_clear_handle_id (&self->source, g_source_remove);
  if (!self->waits)
    g_unlink (self->path);
  g_clear_object (&self->lecture);
  g_free (self->path);
  g_free (self);
}
