/* Append to checkpoints of items.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/items/ns-items-file-private.h"

#include "engine/experiment/ns-text.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A record is safe from the end of the process at once, and from that of the system after this time. */
#define SYNC_US G_USEC_PER_SEC

struct _NsItemsFile
{
  int fd;
  char *path;
  guint64 head_sum;
  goffset end; /* of the whole records */
  gint64 synced; /* time */
};

static gboolean
fail (const char *path, int cause, GError **error)
{
  g_autofree char *shown = ns_text_dup_short (path, NS_TEXT_MAX_PATH);

  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT, _ ("%s cannot be written: %s"), shown,
               g_strerror (cause));
  return FALSE;
}

/* Append bytes, or none of them. */
static gboolean
append (NsItemsFile *file, gconstpointer bytes, gsize length, GError **error)
{
  const char *data = bytes;
  gsize left = length;

  while (left > 0)
    {
      gssize n = write (file->fd, data, MIN (left, (gsize) G_MAXINT / 2));
      int cause = errno;

      if (n < 0 && cause == EINTR)
        continue;
      if (n < 0)
        {
          while (ftruncate (file->fd, file->end) != 0 && errno == EINTR)
            ;
          return fail (file->path, cause, error);
        }
      data += n;
      left -= (gsize) n;
    }
  file->end += (goffset) length;
  return TRUE;
}

gboolean
ns_items_file_sync (NsItemsFile *file, GError **error)
{
  file->synced = g_get_monotonic_time ();
  return g_fsync (file->fd) == 0 || fail (file->path, errno, error);
}

/* ---- opening ---- */

static gboolean
set_input_error (const char *path, const char *cause, GError **error)
{
  g_autofree char *shown = ns_text_dup_short (path, NS_TEXT_MAX_PATH);

  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", shown, cause);
  return FALSE;
}

/* Lock the file. On a file system without locks nothing is locked. */
static gboolean
lock (const NsItemsFile *file, GError **error)
{
  while (flock (file->fd, LOCK_EX | LOCK_NB) != 0)
    if (errno == EWOULDBLOCK)
      return set_input_error (file->path, _ ("another process is writing the checkpoint"), error);
    else if (errno != EINTR)
      break;
  return TRUE;
}

static gboolean
cut (NsItemsFile *file, goffset end, GError **error)
{
  file->end = end;
  while (ftruncate (file->fd, end) != 0)
    if (errno != EINTR)
      return fail (file->path, errno, error);
  return TRUE;
}

/* Return TRUE if the file is empty, or what a process that was killed there has written of the head. */
static gboolean
is_begun (GBytes *bytes, GBytes *head)
{
  gsize n = g_bytes_get_size (bytes);

  return n == 0
         || (n < g_bytes_get_size (head)
             && memcmp (g_bytes_get_data (bytes, NULL), g_bytes_get_data (head, NULL), n) == 0);
}

/* Read the items of the file, and cut what follows them. */
static gboolean
go_on (NsItemsFile *file, const NsItemsHead *head, GBytes *bytes, NsItems *items, guint64 *torn, GError **error)
{
  g_autoptr (NsItemsRecords) records = ns_items_records_read (bytes, file->path, error);

  if (records == NULL || !ns_items_head_check (head, ns_items_records_get_head (records), file->path, error)
      || !ns_items_records_fill (records, items, error))
    return FALSE;
  *torn = ns_items_records_get_torn (records);
  file->end = (goffset) (g_bytes_get_size (bytes) - *torn);
  return *torn == 0 || cut (file, file->end, error);
}

static gboolean
read_or_begin (NsItemsFile *file, const NsItemsHead *head, NsItems *items, guint64 *torn, GError **error)
{
  g_autoptr (GBytes) own = ns_items_head_to_bytes (head);
  g_autoptr (GBytes) bytes = NULL;
  gsize length;
  const char *data = g_bytes_get_data (own, &length);

  memcpy (&file->head_sum, data + length - sizeof file->head_sum, sizeof file->head_sum);
  bytes = ns_file_read_whole (file->fd, file->path, error);
  if (bytes == NULL)
    return FALSE;
  if (is_begun (bytes, own))
    return cut (file, 0, error) && append (file, data, length, error) && ns_items_file_sync (file, error);
  if (!go_on (file, head, bytes, items, torn, error))
    return FALSE;
  /* the head of the file may be written otherwise */
  memcpy (&file->head_sum, (const char *) g_bytes_get_data (bytes, NULL) + ns_items_get_head_length (bytes) - 8,
          sizeof file->head_sum);
  return TRUE;
}

NsItemsFile *
ns_items_file_open (const char *path, const NsItemsHead *head, NsItems *items, guint64 *torn, GError **error)
{
  const char *obstacle = ns_file_find_obstacle (path);
  NsItemsFile *file;
  int fd;

  *torn = 0;
  if (obstacle != NULL)
    {
      set_input_error (path, obstacle, error);
      return NULL;
    }
  do
    fd = g_open (path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  while (fd < 0 && errno == EINTR);
  if (fd < 0)
    {
      fail (path, errno, error);
      return NULL;
    }
  file = g_new0 (NsItemsFile, 1);
  file->fd = fd;
  file->path = g_strdup (path);
  if (lock (file, error) && read_or_begin (file, head, items, torn, error))
    return file;
  ns_items_file_close (file);
  return NULL;
}

void
ns_items_file_close (NsItemsFile *file)
{
  if (file == NULL)
    return;
  close (file->fd);
  g_free (file->path);
  g_free (file);
}

/* ---- records ---- */

/* Return the record of an item; its numbers begin at the third word. */
static guint64 *
make_record (const NsItems *items, guint item, guint64 head_sum, gsize *n_words)
{
  gsize n = ns_items_get_length (items, item);
  guint64 *record = g_new (guint64, n + 3);

  record[0] = item;
  record[1] = n;
  ns_items_get (items, item, record + 2);
  record[n + 2] = ns_items_get_record_sum (head_sum, record, (n + 2) * sizeof *record);
  *n_words = n + 3;
  return record;
}

gboolean
ns_items_file_append (NsItemsFile *file, const NsItems *items, guint item, GError **error)
{
  gsize n;
  g_autofree guint64 *record = make_record (items, item, file->head_sum, &n);

  return append (file, record, n * sizeof *record, error)
         && (g_get_monotonic_time () - file->synced < SYNC_US || ns_items_file_sync (file, error));
}

typedef struct
{
  const NsItemsHead *head;
  const NsItems *items;
} Contents;

static gboolean
put_all (NsFileWriter *writer, gpointer user_data, GError **error)
{
  const Contents *contents = user_data;
  g_autoptr (GBytes) head = ns_items_head_to_bytes (contents->head);
  gsize length, n;
  const char *data = g_bytes_get_data (head, &length);
  guint64 head_sum;

  memcpy (&head_sum, data + length - sizeof head_sum, sizeof head_sum);
  if (!ns_file_put (writer, data, length, error))
    return FALSE;
  for (guint i = 0; i < ns_items_get_n (contents->items); i++)
    if (ns_items_is_done (contents->items, i))
      {
        g_autofree guint64 *record = make_record (contents->items, i, head_sum, &n);

        if (!ns_file_put (writer, record, n * sizeof *record, error))
          return FALSE;
      }
  return TRUE;
}

gboolean
ns_items_file_write (const char *path, const NsItemsHead *head, const NsItems *items, GError **error)
{
  Contents contents = { head, items };

  return ns_file_write_by (path, put_all, &contents, error);
}
