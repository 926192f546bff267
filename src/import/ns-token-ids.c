/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-token-ids.h"

#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_BYTES 6
/* Magic, version and the length of the dict: two bytes in version 1, four in later ones. */
#define NPY_PREFIX_BYTES 10
#define NPY_LONG_PREFIX_BYTES 12

static gboolean refuse_ids (GError **error, const char *name, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse_ids (GError **error, const char *name, const char *format, ...)
{
  g_autofree char *shown = ns_text_dup_short (name, NS_TEXT_MAX_PATH), *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", shown, message);
  return FALSE;
}

static gboolean
add_id (GByteArray *ids, gint64 value, const char *name, GError **error)
{
  gint32 id = (gint32) value;

  if (value < 0 || value > G_MAXINT32)
    return refuse_ids (error, name, _ ("token %u: %lld is not an id; allowed: from 0 to %d"),
                       ids->len / (guint) sizeof id, (long long) value, G_MAXINT32);
  g_byte_array_append (ids, (const guint8 *) &id, sizeof id);
  return TRUE;
}

/* ---- .npy ---- */

typedef struct
{
  guint bytes; /* of an integer */
  gboolean is_signed;
  guint64 dims[2];
  guint n_dims;
} Array;

/* Return what follows a key of the dict, without blanks, or NULL. */
static const char *
find_value (const char *dict, const char *key)
{
  const char *at = strstr (dict, key);

  if (at == NULL)
    return NULL;
  at += strlen (key);
  while (*at == ' ')
    at++;
  if (*at++ != ':')
    return NULL;
  while (*at == ' ')
    at++;
  return at;
}

static gboolean
read_type (Array *array, const char *dict, const char *name, GError **error)
{
  const char *descr = find_value (dict, "'descr'");
  gsize length = descr != NULL && *descr != '\0' ? strcspn (descr + 1, "'") : 0;
  g_autofree char *type = descr != NULL ? g_strndup (descr, MIN (length + 2, 40)) : g_strdup ("");
  g_autofree char *quoted = NULL;
  char order, kind;
  guint bytes;

  if (sscanf (type, "'%c%c%u'", &order, &kind, &bytes) == 3 && (kind == 'i' || kind == 'u')
      && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && (order == '<' || (order == '|' && bytes == 1)))
    {
      array->bytes = bytes;
      array->is_signed = kind == 'i';
      return TRUE;
    }
  quoted = ns_quote_text (type);
  return refuse_ids (error, name, _ ("descr: %s is not allowed; allowed: little-endian integers, such as <i4 and <i8"),
                     quoted);
}

static gboolean
read_dims (Array *array, const char *dict, const char *name, GError **error)
{
  const char *at = find_value (dict, "'shape'"), *order = find_value (dict, "'fortran_order'");
  char *end;

  if (order == NULL || !g_str_has_prefix (order, "False"))
    return refuse_ids (error, name, _ ("fortran_order: allowed: False. In Python: numpy.ascontiguousarray (IDS)"));
  if (at == NULL || *at++ != '(')
    return refuse_ids (error, name, _ ("shape is missing; allowed: one or two dimensions"));
  while (g_ascii_isdigit (*at) && array->n_dims < 3)
    {
      guint64 dim = g_ascii_strtoull (at, &end, 10);

      if (array->n_dims < 2)
        array->dims[array->n_dims] = dim;
      array->n_dims++;
      at = end;
      while (*at == ',' || *at == ' ')
        at++;
    }
  if (*at != ')' || array->n_dims < 1 || array->n_dims > 2 || array->dims[0] > G_MAXINT32
      || array->dims[1] > G_MAXINT32)
    return refuse_ids (error, name, _ ("shape: allowed: one or two dimensions"));
  return TRUE;
}

static gint64
read_integer (const Array *array, const guint8 *data)
{
  guint64 value = 0;

  for (guint i = array->bytes; i-- > 0;)
    value = value << 8 | data[i];
  if (array->is_signed && array->bytes < 8 && value >> (8 * array->bytes - 1) != 0)
    value |= G_MAXUINT64 << (8 * array->bytes);
  return value > G_MAXINT64 && !array->is_signed ? G_MAXINT64 : (gint64) value;
}

static gboolean
read_npy (GByteArray *ids, const guint8 *data, gsize length, Array *array, const char *name, GError **error)
{
  gsize prefix = length > NPY_MAGIC_BYTES && data[NPY_MAGIC_BYTES] == 1 ? NPY_PREFIX_BYTES : NPY_LONG_PREFIX_BYTES;
  g_autofree char *dict = NULL;
  guint64 n;
  gsize size;

  if (length < NPY_LONG_PREFIX_BYTES || data[NPY_MAGIC_BYTES] < 1 || data[NPY_MAGIC_BYTES] > 3)
    return refuse_ids (error, name, _ ("it is not an .npy file of version 1, 2 or 3, or truncated"));
  size = data[8] | (gsize) data[9] << 8;
  if (prefix == NPY_LONG_PREFIX_BYTES)
    size |= (gsize) data[10] << 16 | (gsize) data[11] << 24;
  if (size > length - prefix)
    return refuse_ids (error, name, _ ("its header has %zu bytes, and %zu follow. The file may be truncated"), size,
                       length - prefix);
  dict = g_strndup ((const char *) data + prefix, size);
  if (!read_type (array, dict, name, error) || !read_dims (array, dict, name, error))
    return FALSE;
  n = array->dims[0] * (array->n_dims == 2 ? array->dims[1] : 1);
  data += prefix + size;
  length -= prefix + size;
  if (n > length / array->bytes || n * array->bytes != length)
    return refuse_ids (error, name, _ ("%zu bytes follow the header; its shape and type need %llu"), length,
                       (unsigned long long) (n * array->bytes));
  for (guint64 i = 0; i < n; i++)
    if (!add_id (ids, read_integer (array, data + i * array->bytes), name, error))
      return FALSE;
  return TRUE;
}

/* ---- text ---- */

static gboolean
is_separator (char c)
{
  return g_ascii_isspace (c) || c == ',';
}

static gboolean
read_ids (GByteArray *ids, const char *text, gsize length, const char *name, GError **error)
{
  const char *end;
  g_autofree char *copy = NULL;

  text = ns_file_skip_bom (text, &length);
  copy = g_strndup (text, length); /* ends at a NUL, which is then refused as a short text is */
  if (strlen (copy) < length)
    return refuse_ids (error, name, _ ("it is not a text of numbers: byte %zu is 0"), strlen (copy) + 1);
  for (const char *at = copy; *at != '\0'; at = end)
    {
      gint64 value;

      while (is_separator (*at))
        at++;
      if (*(end = at) == '\0')
        break;
      value = g_ascii_strtoll (at, (char **) &end, 10);
      if (end == at || (*end != '\0' && !is_separator (*end)))
        {
          g_autofree char *word = g_strndup (at, strcspn (at, " \t\r\n,")), *quoted = ns_quote_text (word);

          return refuse_ids (error, name,
                             _ ("token %u: %s is not an id; allowed: whole numbers, with blanks, commas or "
                                "line breaks between them"),
                             ids->len / (guint) sizeof (gint32), quoted);
        }
      if (!add_id (ids, value, name, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- either ---- */

GBytes *
ns_token_ids_from_bytes (GBytes *bytes, const char *name, gint64 *rows, gint64 *columns, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autoptr (GByteArray) ids = g_byte_array_new ();
  Array array = { 0 };
  gboolean is_npy = length >= NPY_MAGIC_BYTES && memcmp (data, NPY_MAGIC, NPY_MAGIC_BYTES) == 0;

  if (is_npy ? !read_npy (ids, (const guint8 *) data, length, &array, name, error)
             : !read_ids (ids, data, length, name, error))
    return NULL;
  if (ids->len == 0)
    {
      refuse_ids (error, name, _ ("it has no ids; allowed: at least one"));
      return NULL;
    }
  *rows = array.n_dims == 2 ? (gint64) array.dims[0] : 0;
  *columns = array.n_dims == 2 ? (gint64) array.dims[1] : 0;
  return g_byte_array_free_to_bytes (g_steal_pointer (&ids));
}

GBytes *
ns_token_ids_read (const char *path, gint64 *rows, gint64 *columns, GError **error)
{
  g_autoptr (GBytes) bytes = ns_file_read_path (path, NS_FILE_IDS, error);

  return bytes != NULL ? ns_token_ids_from_bytes (bytes, path, rows, columns, error) : NULL;
}
