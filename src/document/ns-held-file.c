/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-held-file.h"

#include "document/ns-file.h"
#include "engine/experiment/ns-text.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct _NsHeldFile
{
  char *path;
  int fd;
  struct stat opened;
  atomic_int failure; /* errno of a read; 0: none */
};

NsHeldFile *
ns_held_file_open (const char *path, GError **error)
{
  g_autoptr (NsHeldFile) file = g_new0 (NsHeldFile, 1);

  file->path = g_strdup (path);
  file->fd = ns_file_open_regular (path, error);
  if (file->fd < 0)
    return NULL;
  if (fstat (file->fd, &file->opened) != 0)
    file->failure = errno;
  return ns_held_file_check (file, error) ? g_steal_pointer (&file) : NULL;
}

void
ns_held_file_free (NsHeldFile *file)
{
  if (file == NULL)
    return;
  if (file->fd >= 0)
    close (file->fd);
  g_free (file->path);
  g_free (file);
}

guint64
ns_held_file_get_size (const NsHeldFile *file)
{
  return (guint64) file->opened.st_size;
}

void
ns_held_file_read (NsHeldFile *file, guint64 offset, gpointer out, gsize n)
{
  guint8 *to = out;

  g_return_if_fail (offset <= ns_held_file_get_size (file) && n <= ns_held_file_get_size (file) - offset);

  while (n > 0)
    {
      gssize got = pread (file->fd, to, n, (off_t) offset);

      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0) /* 0: it has become shorter */
        {
          file->failure = got < 0 ? errno : ENODATA;
          memset (to, 0, n);
          return;
        }
      to += got;
      offset += (guint64) got;
      n -= (gsize) got;
    }
}

/* ---- what has changed ---- */

static gboolean
is_same_time (const struct stat *a, const struct stat *b)
{
  return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Return a clause about what is different, or NULL; caller frees. */
static char *
dup_difference (NsHeldFile *file)
{
  const struct stat *was = &file->opened;
  struct stat is;

  if (stat (file->path, &is) != 0)
    return g_strdup (g_strerror (errno));
  if (is.st_ino != was->st_ino || is.st_dev != was->st_dev)
    return g_strdup (_ ("there is another file in its place"));
  if (is.st_size != was->st_size)
    return g_strdup_printf (_ ("it had %llu bytes and has %llu"), (unsigned long long) was->st_size,
                            (unsigned long long) is.st_size);
  if (!is_same_time (&is, was))
    return g_strdup (_ ("it was written again"));
  return file->failure != 0 ? g_strdup (g_strerror (file->failure)) : NULL;
}

gboolean
ns_held_file_check (NsHeldFile *file, GError **error)
{
  g_autofree char *difference = dup_difference (file);
  g_autofree char *shown = NULL;

  if (difference == NULL)
    return TRUE;
  shown = ns_text_dup_short (file->path, NS_TEXT_MAX_PATH);
  /* Translators: a file, and what is different: "it was written again" */
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
               _ ("%s has changed since it was opened: %s; allowed: the same file until the end. Open it again"), shown,
               difference);
  return FALSE;
}
