/* Write files atomically.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-file.h"

#include "document/ns-sibling.h"
#include "engine/experiment/ns-text.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gboolean
set_write_error (GError **error, const char *path, const char *cause)
{
  g_autofree char *shown = ns_text_dup_short (path, NS_TEXT_MAX_PATH);

  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT, _ ("%s cannot be written: %s"), shown, cause);
  return FALSE;
}

/* The contents of a file: of a function that writes them, or bytes. */
typedef struct
{
  const char *path;
  NsFileFillFunc fill;
  gpointer user_data;
  GBytes *bytes;
  int *lock; /* where to put a descriptor that keeps the file locked, or NULL */
} Contents;

struct _NsFileWriter
{
  int fd;
  const char *path;
};

/* Write bytes; errno has the cause of a failure. */
static gboolean
write_data (int fd, const char *data, gsize length)
{
  while (length > 0)
    {
      gssize n = write (fd, data, MIN (length, (gsize) G_MAXINT / 2));

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return FALSE;
      data += n;
      length -= (gsize) n;
    }
  return TRUE;
}

gboolean
ns_file_put (NsFileWriter *writer, gconstpointer bytes, gsize n, GError **error)
{
  return write_data (writer->fd, bytes, n) || set_write_error (error, writer->path, g_strerror (errno));
}

/* Write the contents. FALSE with an error from the function that writes them, or with the cause in errno alone. */
static gboolean
write_all (int fd, const Contents *contents, GError **error)
{
  NsFileWriter writer = { fd, contents->path };
  const char *data;
  gsize length;

  if (contents->fill != NULL)
    return contents->fill (&writer, contents->user_data, error);
  data = g_bytes_get_data (contents->bytes, &length);
  return write_data (fd, data, length);
}

char *
ns_file_dup_target (const char *path)
{
  g_autofree char *target = g_strdup (path);

  for (int hops = 0; hops < 40 && g_file_test (target, G_FILE_TEST_IS_SYMLINK); hops++)
    {
      g_autofree char *link = g_file_read_link (target, NULL);
      g_autofree char *folder = g_path_get_dirname (target);
      char *next;

      if (link == NULL)
        break;
      next = g_path_is_absolute (link) ? g_strdup (link) : g_build_filename (folder, link, NULL);
      g_free (target);
      target = next;
    }
  return g_steal_pointer (&target);
}

/* Hand over the error of the function that wrote, or make one of the cause. */
static gboolean
report (GError **error, const char *path, int cause, GError *own)
{
  if (own == NULL)
    return set_write_error (error, path, g_strerror (cause));
  g_propagate_error (error, own);
  return FALSE;
}

static gboolean
write_in_place (const char *path, const Contents *contents, GError **error)
{
  int fd = g_open (path, O_WRONLY | O_CLOEXEC, 0);
  GError *own = NULL;
  gboolean written;
  int cause;

  if (fd < 0)
    return set_write_error (error, path, g_strerror (errno));
  written = write_all (fd, contents, &own);
  cause = errno;
  if (close (fd) != 0 && written)
    {
      written = FALSE;
      cause = errno;
    }
  return written || report (error, path, cause, own);
}

static gboolean
write_by_rename (const char *path, const char *target, int mode, const Contents *contents, GError **error)
{
  NsSibling temporary;
  GError *own = NULL;
  gboolean written;
  int fd, cause;

  if (!ns_sibling_create (target, NS_SIBLING_FILE, 0666, &temporary))
    return set_write_error (error, path, g_strerror (errno));
  /* closing a descriptor can fail, and the first keeps the lock until the file has its name */
  fd = fcntl (temporary.fd, F_DUPFD_CLOEXEC, 0);
  written = fd >= 0 && write_all (fd, contents, &own) && (mode < 0 || fchmod (fd, (mode_t) mode) == 0)
            && g_fsync (fd) == 0;
  cause = errno;
  if (fd >= 0 && close (fd) != 0 && written)
    {
      written = FALSE;
      cause = errno;
    }
  if (written && contents->lock != NULL)
    *contents->lock = fcntl (temporary.fd, F_DUPFD_CLOEXEC, 0);
  if (written && ((contents->lock != NULL && *contents->lock < 0) || g_rename (temporary.path, target) != 0))
    {
      written = FALSE;
      cause = errno;
    }
  if (!written)
    g_unlink (temporary.path);
  ns_sibling_end (&temporary);
  return written || report (error, path, cause, own);
}

gboolean
ns_file_check_contents (GBytes *bytes, GError **error)
{
  if (bytes == NULL)
    g_set_error_literal (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT,
                         _ ("The system refused memory for the contents of the file"));
  return bytes != NULL;
}

static gboolean
write_contents (const Contents *contents, GError **error)
{
  const char *path = contents->path;
  g_autofree char *target = ns_file_dup_target (path);
  GStatBuf info;

  if (!ns_file_check_writable (path, error))
    return FALSE;
  if (g_stat (target, &info) != 0)
    return write_by_rename (path, target, -1, contents, error);
  if (!S_ISREG (info.st_mode))
    return write_in_place (path, contents, error);
  return write_by_rename (path, target, info.st_mode & 07777, contents, error);
}

gboolean
ns_file_write (const char *path, GBytes *bytes, GError **error)
{
  return ns_file_check_contents (bytes, error)
         && write_contents (&(Contents){ .path = path, .bytes = bytes }, error);
}

int
ns_file_write_locked (const char *path, GBytes *bytes, GError **error)
{
  int lock = -1;

  if (ns_file_check_contents (bytes, error)
      && write_contents (&(Contents){ .path = path, .bytes = bytes, .lock = &lock }, error))
    return lock;
  if (lock >= 0)
    close (lock);
  return -1;
}

gboolean
ns_file_write_by (const char *path, NsFileFillFunc fill, gpointer user_data, GError **error)
{
  return write_contents (&(Contents){ .path = path, .fill = fill, .user_data = user_data }, error);
}

char *
ns_file_dup_folder_obstacle (const char *folder)
{
  g_autofree char *shown = NULL;
  int reason;

  if (g_access (folder, F_OK) == 0 && g_access (folder, W_OK) == 0)
    return NULL;
  reason = errno;
  shown = ns_text_dup_short (folder, NS_TEXT_MAX_PATH);
  return g_strdup_printf ("%s: %s", shown, g_strerror (reason));
}

gboolean
ns_file_check_writable (const char *path, GError **error)
{
  g_autofree char *target = ns_file_dup_target (path);
  g_autofree char *folder = g_path_get_dirname (target);
  g_autofree char *obstacle = NULL;
  GStatBuf info;

  if (*path == '\0')
    return set_write_error (error, "“”", _ ("the file name is empty"));
  if (g_stat (target, &info) == 0)
    {
      if (S_ISDIR (info.st_mode))
        return set_write_error (error, path, g_strerror (EISDIR));
      if (g_access (target, W_OK) != 0)
        return set_write_error (error, path, g_strerror (errno));
      if (!S_ISREG (info.st_mode))
        return TRUE;
    }
  else if (errno != ENOENT)
    return set_write_error (error, path, g_strerror (errno));
  else if (g_str_has_suffix (path, G_DIR_SEPARATOR_S))
    return set_write_error (error, path, g_strerror (EISDIR));
  obstacle = ns_file_dup_folder_obstacle (folder);
  return obstacle == NULL || set_write_error (error, path, obstacle);
}

char *
ns_file_dup_path (GFile *file, GError **error)
{
  g_autofree char *path = g_file_get_path (file);
  const char *obstacle = path != NULL ? ns_file_find_obstacle (path) : NULL;

  if (path == NULL)
    {
      g_autofree char *uri = g_file_get_uri (file);

      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT,
                   _ ("%s cannot be written: it is not a local file"), uri);
      return NULL;
    }
  /* Some files are written into a folder. */
  if (obstacle != NULL && !g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      set_write_error (error, path, obstacle);
      return NULL;
    }
  return g_steal_pointer (&path);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
ns_file_list_names (const char *folder, const char *suffix)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, suffix))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

void
ns_file_remove_tree (const char *path)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    {
      g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
      const char *name;

      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *child = g_build_filename (path, name, NULL);

          ns_file_remove_tree (child);
        }
      g_rmdir (path);
    }
  else
    g_unlink (path);
}
