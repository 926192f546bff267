/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-recovery.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "document/ns-file.h"
#include "document/ns-sibling.h"

#define PREFIX "unsaved-"
/* Pause after the last change, and the longest time after the first. */
#define DELAY_MS 1000
#define MAX_DELAY_MS 4000

struct _NormscopeRecovery
{
  const NormscopeRecoveryKind *kind;
  gpointer owner;
  char *path;
  int lock;        /* descriptor that holds the lock of the copy; -1: there is none */
  guint source;    /* of the pending write, or 0 */
  gint64 first_us; /* the first change since the last write */
  gboolean waits;  /* work that was taken over is not opened yet: keep its copy */
  gboolean is_left;
};

static char *
dup_recovery_folder (void)
{
  return g_build_filename (g_get_user_state_dir (), "normscope", NULL);
}

static void
unlock (NormscopeRecovery *self)
{
  if (self->lock >= 0)
    close (self->lock);
  self->lock = -1;
}

static void
remove_copy (NormscopeRecovery *self)
{
  if (self->lock >= 0)
    g_unlink (self->path);
  unlock (self);
}

/* ---- writing ---- */

static void
write_copy (NormscopeRecovery *self)
{
  g_autofree char *folder = g_path_get_dirname (self->path);
  g_autoptr (GBytes) bytes = self->kind->to_bytes (self->owner);
  g_autoptr (GError) error = NULL;
  int lock;

  g_clear_handle_id (&self->source, g_source_remove);
  if (bytes == NULL)
    return;
  g_mkdir_with_parents (folder, 0700);
  lock = ns_file_write_locked (self->path, bytes, &error);
  if (lock < 0)
    {
      g_info ("Cannot keep a copy of the work: %s", error->message);
      return;
    }
  unlock (self);
  self->lock = lock;
}

static gboolean
write_cb (gpointer self)
{
  write_copy (self);
  return G_SOURCE_REMOVE;
}

void
normscope_recovery_changed (NormscopeRecovery *self)
{
  gint64 now = g_get_monotonic_time ();

  if (self->is_left)
    return;
  if (!self->kind->is_unsaved (self->owner))
    {
      g_clear_handle_id (&self->source, g_source_remove);
      if (!self->waits)
        remove_copy (self);
      return;
    }
  self->waits = FALSE;
  if (self->source == 0)
    self->first_us = now;
  else if (now - self->first_us > (MAX_DELAY_MS - DELAY_MS) * G_TIME_SPAN_MILLISECOND)
    return;
  g_clear_handle_id (&self->source, g_source_remove);
  self->source = g_timeout_add (DELAY_MS, write_cb, self);
}

void
normscope_recovery_leave (NormscopeRecovery *self)
{
  if (self->source != 0)
    write_copy (self);
  self->is_left = TRUE;
}

/* ---- taking over ---- */

/* Lock a copy that was left, and get its path. Return -1 if there is none. */
static int
lock_left (const NormscopeRecoveryKind *kind, char **path)
{
  g_autofree char *folder = dup_recovery_folder ();
  g_autoptr (GPtrArray) names = ns_file_list_names (folder, kind->suffix);

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      g_autofree char *left = g_build_filename (folder, name, NULL);
      int lock = g_str_has_prefix (name, PREFIX) ? ns_sibling_lock (left) : -1;

      if (lock < 0)
        continue;
      *path = g_steal_pointer (&left);
      return lock;
    }
  return -1;
}

gboolean
normscope_recovery_finds (const NormscopeRecoveryKind *kind)
{
  g_autofree char *path = NULL;
  int lock = lock_left (kind, &path);

  if (lock >= 0)
    close (lock);
  return lock >= 0;
}

gpointer
normscope_recovery_take (NormscopeRecovery *self, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autofree char *left = NULL, *kept = NULL;
  gpointer work;
  int lock = self->lock < 0 && self->source == 0 ? lock_left (self->kind, &left) : -1;

  if (lock < 0)
    return NULL;
  work = self->kind->read (left, &cause);
  if (work != NULL)
    {
      g_free (self->path);
      self->path = g_steal_pointer (&left);
      self->lock = lock;
      self->waits = TRUE;
      return work;
    }
  kept = g_strconcat (left, ".unreadable", NULL);
  g_rename (left, kept);
  close (lock);
  /* Translators: the first %s is what is wrong with a file, the second is the file */
  g_set_error (error, cause->domain, cause->code, _ ("%s. The unsaved work is kept in %s"), cause->message, kept);
  return NULL;
}

void
normscope_recovery_discard (NormscopeRecovery *self)
{
  self->waits = FALSE;
  normscope_recovery_changed (self);
}

/* ---- the value ---- */

NormscopeRecovery *
normscope_recovery_new (const NormscopeRecoveryKind *kind, gpointer owner)
{
  NormscopeRecovery *self = g_new0 (NormscopeRecovery, 1);
  g_autofree char *folder = dup_recovery_folder ();
  g_autofree char *id = g_uuid_string_random ();
  g_autofree char *name = g_strconcat (PREFIX, id, kind->suffix, NULL);

  self->kind = kind;
  self->owner = owner;
  self->lock = -1;
  self->path = g_build_filename (folder, name, NULL);
  return self;
}

void
normscope_recovery_free (NormscopeRecovery *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  if (self->waits || self->is_left)
    unlock (self);
  else
    remove_copy (self);
  g_free (self->path);
  g_free (self);
}
