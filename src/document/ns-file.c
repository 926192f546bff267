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

static gboolean
write_all (int fd, GBytes *bytes)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);

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

/* Resolve symbolic links, so writing keeps the link and replaces its target. */
static char *
dup_target (const char *path)
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

static gboolean
write_in_place (const char *path, GBytes *bytes, GError **error)
{
  int fd = g_open (path, O_WRONLY | O_CLOEXEC, 0);
  gboolean written;
  int cause;

  if (fd < 0)
    return set_write_error (error, path, g_strerror (errno));
  written = write_all (fd, bytes);
  cause = errno;
  if (close (fd) != 0 && written)
    {
      written = FALSE;
      cause = errno;
    }
  return written || set_write_error (error, path, g_strerror (cause));
}

char *
ns_file_dup_sibling_template (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *base = g_path_get_basename (path);
  /* Truncate the name so the additions keep it within the system's limit. */
  g_autofree char *name = g_strdup_printf (".%.*s.XXXXXX", 64, base);

  return g_build_filename (folder, name, NULL);
}

static gboolean
write_by_rename (const char *path, const char *target, int mode, GBytes *bytes, GError **error)
{
  NsSibling temporary;
  gboolean written;
  int fd, cause;

  if (!ns_sibling_create (target, NS_SIBLING_FILE, 0666, &temporary))
    return set_write_error (error, path, g_strerror (errno));
  /* closing a descriptor can fail, and the first keeps the lock until the file has its name */
  fd = fcntl (temporary.fd, F_DUPFD_CLOEXEC, 0);
  written = fd >= 0 && write_all (fd, bytes) && (mode < 0 || fchmod (fd, (mode_t) mode) == 0) && g_fsync (fd) == 0;
  cause = errno;
  if (fd >= 0 && close (fd) != 0 && written)
    {
      written = FALSE;
      cause = errno;
    }
  if (written && g_rename (temporary.path, target) != 0)
    {
      written = FALSE;
      cause = errno;
    }
  if (!written)
    g_unlink (temporary.path);
  ns_sibling_end (&temporary);
  return written || set_write_error (error, path, g_strerror (cause));
}

gboolean
ns_file_check_contents (GBytes *bytes, GError **error)
{
  if (bytes == NULL)
    g_set_error_literal (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT,
                         _ ("The system refused memory for the contents of the file"));
  return bytes != NULL;
}

gboolean
ns_file_write (const char *path, GBytes *bytes, GError **error)
{
  g_autofree char *target = dup_target (path);
  GStatBuf info;

  if (!ns_file_check_contents (bytes, error) || !ns_file_check_writable (path, error))
    return FALSE;
  if (g_stat (target, &info) != 0)
    return write_by_rename (path, target, -1, bytes, error);
  if (!S_ISREG (info.st_mode))
    return write_in_place (path, bytes, error);
  return write_by_rename (path, target, info.st_mode & 07777, bytes, error);
}

gboolean
ns_file_check_writable (const char *path, GError **error)
{
  g_autofree char *target = dup_target (path);
  g_autofree char *folder = g_path_get_dirname (target);
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
  if (g_access (folder, F_OK) != 0 || g_access (folder, W_OK) != 0)
    {
      int reason = errno;
      g_autofree char *shown = ns_text_dup_short (folder, NS_TEXT_MAX_PATH);
      g_autofree char *cause = g_strdup_printf ("%s: %s", shown, g_strerror (reason));

      return set_write_error (error, path, cause);
    }
  return TRUE;
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
