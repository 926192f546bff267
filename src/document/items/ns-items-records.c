/* Read checkpoints of items.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/items/ns-items-file-private.h"

#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* The words of a record besides its numbers. */
#define RECORD_WORDS 3

struct _NsItemsRecords
{
  GBytes *bytes;
  char *name;
  NsItemsHead *head;
  gsize start, end; /* of the whole records */
  gsize n;          /* records */
};

static gboolean
refuse_records (const char *name, GError **error, const char *why)
{
  g_autofree char *shown = ns_text_dup_short (name, NS_TEXT_MAX_PATH);

  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", shown, why);
  return FALSE;
}

static guint64
get_word (const guint8 *bytes)
{
  guint64 word;

  memcpy (&word, bytes, sizeof word);
  return word;
}

guint64
ns_items_get_record_sum (guint64 head_sum, gconstpointer record, gsize n)
{
  NsChecksum checksum = { 0 };

  ns_checksum_add (&checksum, &head_sum, sizeof head_sum);
  ns_checksum_add (&checksum, record, n);
  return ns_checksum_get (&checksum);
}

gsize
ns_items_get_head_length (GBytes *bytes)
{
  NsItemsPreamble preamble;

  memcpy (&preamble, g_bytes_get_data (bytes, NULL), sizeof preamble);
  return sizeof preamble + (gsize) preamble.length + sizeof (guint64);
}

/* Read the head. */
static gboolean
read_head (NsItemsRecords *records, const guint8 *data, gsize size, GError **error)
{
  NsItemsPreamble preamble;
  NsChecksum checksum = { 0 };
  gsize length;

  if (size < sizeof preamble + sizeof (guint64)
      || memcmp (data, NS_ITEMS_MAGIC_START, strlen (NS_ITEMS_MAGIC_START)) != 0)
    return refuse_records (records->name, error, _ ("This is no checkpoint of a sweep, a map or a run"));
  memcpy (&preamble, data, sizeof preamble);
  if (memcmp (preamble.magic, NS_ITEMS_MAGIC, sizeof NS_ITEMS_MAGIC) != 0)
    return refuse_records (records->name, error, _ ("The checkpoint is of another version of the program"));
  if (preamble.length > size - sizeof preamble - sizeof (guint64) || preamble.length % 8 != 0)
    return refuse_records (records->name, error, _ ("the head of the checkpoint is damaged"));
  if (!ns_file_check_size (records->name, preamble.length, NS_FILE_EXPERIMENT, error))
    return FALSE;
  length = sizeof preamble + (gsize) preamble.length;
  ns_checksum_add (&checksum, data, length);
  if (get_word (data + length) != ns_checksum_get (&checksum))
    return refuse_records (records->name, error, _ ("the head of the checkpoint is damaged"));
  records->start = length + sizeof (guint64);
  records->head = ns_items_head_from_text ((const char *) data + sizeof preamble, (gsize) preamble.length,
                                           records->name, error);
  return records->head != NULL;
}

/* Find the end of the records. One that is not whole may only be the last. */
static gboolean
read_records (NsItemsRecords *records, const guint8 *data, gsize size, GError **error)
{
  guint64 head_sum = get_word (data + records->start - sizeof (guint64));
  gsize at = records->start;

  while (size - at >= RECORD_WORDS * sizeof (guint64))
    {
      guint64 item = get_word (data + at), n = get_word (data + at + 8);
      gsize length;

      if (n > (size - at) / sizeof (guint64) - RECORD_WORDS)
        break;
      length = (gsize) (n + RECORD_WORDS - 1) * sizeof (guint64);
      if (get_word (data + at + length) != ns_items_get_record_sum (head_sum, data + at, length)
          || item >= ns_items_head_get_n_items (records->head))
        {
          g_autofree char *why = NULL;

          if (at + length + sizeof (guint64) == size)
            break;
          why = g_strdup_printf (_ ("The checkpoint is damaged at byte %zu, after %zu items; to go on from these, cut "
                                    "the file there: truncate -s %zu"),
                                 at, records->n, at);
          return refuse_records (records->name, error, why);
        }
      at += length + sizeof (guint64);
      records->n++;
    }
  records->end = at;
  return TRUE;
}

NsItemsRecords *
ns_items_records_read (GBytes *bytes, const char *name, GError **error)
{
  NsItemsRecords *records = g_new0 (NsItemsRecords, 1);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  records->bytes = g_bytes_ref (bytes);
  records->name = g_strdup (name);
  if (read_head (records, data, size, error) && read_records (records, data, size, error))
    return records;
  ns_items_records_free (records);
  return NULL;
}

NsItemsRecords *
ns_items_records_read_path (const char *path, GError **error)
{
  int fd = ns_file_open_regular (path, error);
  g_autoptr (GBytes) bytes = fd >= 0 ? ns_file_read_whole (fd, path, error) : NULL;

  if (fd >= 0)
    close (fd);
  return bytes != NULL ? ns_items_records_read (bytes, path, error) : NULL;
}

void
ns_items_records_free (NsItemsRecords *records)
{
  if (records == NULL)
    return;
  g_bytes_unref (records->bytes);
  g_free (records->name);
  ns_items_head_free (records->head);
  g_free (records);
}

const NsItemsHead *
ns_items_records_get_head (const NsItemsRecords *records)
{
  return records->head;
}

const char *
ns_items_records_get_name (const NsItemsRecords *records)
{
  return records->name;
}

guint64
ns_items_records_get_torn (const NsItemsRecords *records)
{
  return g_bytes_get_size (records->bytes) - records->end;
}

/* Refuse an item; `why` has %s for its name. */
static gboolean
refuse_item (const NsItemsRecords *records, const NsItems *items, guint item, const char *why, GError **error)
{
  g_autofree char *name = ns_items_dup_name (items, item);
  g_autofree char *shown = ns_text_dup_short (name, NS_TEXT_MAX_VALUE);
  g_autofree char *message = g_strdup_printf (why, shown);

  return refuse_records (records->name, error, message);
}

/* Set an item from its record. */
static gboolean
fill_item (const NsItemsRecords *records, NsItems *items, const guint8 *record, GError **error)
{
  guint item = (guint) get_word (record);
  gsize n = (gsize) get_word (record + 8);
  g_autofree guint64 *numbers = NULL, *own = NULL;

  if (n != ns_items_get_length (items, item))
    return refuse_item (records, items, item, _ ("%s has not as many numbers as it should"), error);
  numbers = g_memdup2 (record + 16, n * sizeof *numbers);
  if (!ns_items_is_done (items, item))
    return ns_items_set (items, item, numbers)
           || refuse_item (records, items, item, _ ("%s has impossible numbers"), error);
  own = g_new (guint64, n);
  ns_items_get (items, item, own);
  return memcmp (own, numbers, n * sizeof *own) == 0
         || refuse_item (records, items, item,
                         _ ("%s has other numbers than in the files before it; one of them is not of this experiment "
                            "and machine"),
                         error);
}

/* Check what there is of a record that is not whole. */
static gboolean
check_torn (const NsItemsRecords *records, const NsItems *items, GError **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (records->bytes, &size);
  const guint8 *at = data + records->end;
  guint64 item = size - records->end >= 8 ? get_word (at) : 0;
  g_autofree char *why = NULL;

  if (item < ns_items_get_n (items)
      && (size - records->end < 16 || get_word (at + 8) == ns_items_get_length (items, (guint) item)))
    return TRUE;
  why = g_strdup_printf (_ ("The checkpoint is damaged at byte %zu, after %zu items; to go on from these, cut the file "
                            "there: truncate -s %zu"),
                         records->end, records->n, records->end);
  return refuse_records (records->name, error, why);
}

gboolean
ns_items_records_fill (const NsItemsRecords *records, NsItems *items, GError **error)
{
  const guint8 *data = g_bytes_get_data (records->bytes, NULL);
  gsize at = records->start;

  g_return_val_if_fail (ns_items_get_n (items) == ns_items_head_get_n_items (records->head), FALSE);
  while (at < records->end)
    {
      if (!fill_item (records, items, data + at, error))
        return FALSE;
      at += (gsize) (get_word (data + at + 8) + RECORD_WORDS) * sizeof (guint64);
    }
  return records->end == g_bytes_get_size (records->bytes) || check_torn (records, items, error);
}
