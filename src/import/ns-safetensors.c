/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-safetensors.h"

#include "document/ns-json-node.h"
#include "engine/experiment/ns-text.h"
#include "engine/ops/ns-memory.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define SIZE_BYTES 8 /* of the header's size */
#define METADATA "__metadata__"

struct _NsSafetensors
{
  NsHeldFile *held; /* the whole file */
  GBytes *header;
  GPtrArray *tensors; /* NsStoredTensor, owned, in the order of their data */
  GHashTable *by_name;
};

/* ---- errors ---- */

static gboolean refuse_tensor (GError **error, const char *tensor, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse_tensor (GError **error, const char *tensor, const char *format, ...)
{
  g_autofree char *quoted = tensor != NULL ? ns_quote_text (tensor) : NULL;
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (quoted != NULL)
    /* Translators: the name of a tensor, and what is wrong with it */
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("tensor %s: %s"), quoted, message);
  else
    g_set_error_literal (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, message);
  return FALSE;
}

/* Return TRUE for the first bytes of a zip archive or of a pickle, the two containers of torch.save(). A header of 640
 * bytes, 0x280, begins like a pickle; its object begins after the size. */
static gboolean
is_pickle (const guint8 *data, gsize length)
{
  if (length < 4 || (length > sizeof (guint64) && data[sizeof (guint64)] == '{'))
    return FALSE;
  return memcmp (data, "PK\003\004", 4) == 0 || (data[0] == 0x80 && data[1] >= 2 && data[1] <= 5);
}

static gboolean
refuse_pickle (GError **error)
{
  return refuse_tensor (error, NULL,
                        _ ("it is a file of Python pickles (torch.save), which run code when they are opened; allowed: "
                           "safetensors. In Python: from safetensors.torch import save_file; "
                           "save_file (torch.load (OLD, weights_only=True), \"model.safetensors\")"));
}

/* ---- a tensor of the header ---- */

/* Return the items of a list of integers from 0 on, FALSE if the node is anything else or longer than `max`. */
static gboolean
read_list (JsonNode *node, guint64 *items, guint max, guint *n)
{
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  if (array == NULL || json_array_get_length (array) > max)
    return FALSE;
  *n = json_array_get_length (array);
  for (guint i = 0; i < *n; i++)
    {
      gint64 value;

      if (!ns_json_node_get_integer (json_array_get_element (array, i), &value) || value < 0)
        return FALSE;
      items[i] = (guint64) value;
    }
  return TRUE;
}

static char *
dup_value (JsonNode *node)
{
  return node != NULL ? ns_json_node_dup_short (node) : g_strdup (_ ("nothing"));
}

static gboolean
read_dtype (NsStoredTensor *tensor, JsonObject *object, guint *bytes, GError **error)
{
  JsonNode *node = json_object_get_member (object, "dtype");
  const char *name = ns_json_node_get_string (node);

  tensor->dtype = name != NULL ? ns_dtype_find (name, bytes) : NULL;
  if (tensor->dtype == NULL)
    {
      g_autofree char *value = dup_value (node), *allowed = ns_dtype_dup_list ();

      return refuse_tensor (error, tensor->name, _ ("dtype: %s is not allowed; allowed: %s"), value, allowed);
    }
  return TRUE;
}

static gboolean
read_shape (NsStoredTensor *tensor, JsonObject *object, guint bytes, GError **error)
{
  JsonNode *node = json_object_get_member (object, "shape");
  g_autofree char *value = dup_value (node);
  gboolean has_zero = FALSE;
  guint64 all_bytes;

  if (!read_list (node, tensor->dims, NS_STORED_MAX_DIMS, &tensor->n_dims))
    return refuse_tensor (error, tensor->name, _ ("shape: %s is not allowed; allowed: up to %d integers from 0"), value,
                          NS_STORED_MAX_DIMS);
  tensor->elements = 1;
  for (guint i = 0; i < tensor->n_dims; i++)
    has_zero = has_zero || tensor->dims[i] == 0;
  for (guint i = 0; i < tensor->n_dims && !has_zero; i++)
    if (__builtin_mul_overflow (tensor->elements, tensor->dims[i], &tensor->elements))
      return refuse_tensor (error, tensor->name, _ ("shape: %s has more elements than 64 bits count"), value);
  if (has_zero)
    tensor->elements = 0;
  if (__builtin_mul_overflow (tensor->elements, bytes, &all_bytes) || all_bytes > G_MAXSIZE)
    return refuse_tensor (error, tensor->name, _ ("shape: %s of %s has more bytes than 64 bits count"), value,
                          tensor->dtype);
  return TRUE;
}

/* Read the offsets and compare them with the size of the data. */
static gboolean
read_offsets (NsStoredTensor *tensor, JsonObject *object, guint bytes, guint64 data_bytes, GError **error)
{
  JsonNode *node = json_object_get_member (object, "data_offsets");
  g_autofree char *value = dup_value (node);
  guint64 offsets[2];
  guint n;

  if (!read_list (node, offsets, 2, &n) || n != 2)
    return refuse_tensor (error, tensor->name, _ ("data_offsets: %s is not allowed; allowed: two integers from 0"),
                          value);
  if (offsets[0] > offsets[1])
    return refuse_tensor (error, tensor->name,
                          _ ("data_offsets: %s descends; allowed: the end is not before the beginning"), value);
  if (offsets[1] > data_bytes)
    return refuse_tensor (
        error, tensor->name,
        _ ("data_offsets: %s reaches beyond the data; allowed: up to %llu. The file may be truncated"), value,
        (unsigned long long) data_bytes);
  if (offsets[1] - offsets[0] != tensor->elements * bytes)
    {
      g_autofree char *shape = ns_stored_tensor_dup_shape (tensor);

      return refuse_tensor (error, tensor->name,
                            _ ("data_offsets: %s has %llu bytes; allowed: %llu, for %s of %s"),
                            value, (unsigned long long) (offsets[1] - offsets[0]),
                            (unsigned long long) (tensor->elements * bytes), shape, tensor->dtype);
    }
  tensor->begin = offsets[0];
  tensor->end = offsets[1];
  return TRUE;
}

static void
stored_tensor_free (gpointer data)
{
  NsStoredTensor *tensor = data;

  g_free (tensor->name);
  g_free (tensor);
}

static gboolean
read_tensor (NsSafetensors *file, const char *name, JsonNode *node, guint64 data_bytes, GError **error)
{
  NsStoredTensor *tensor = g_new0 (NsStoredTensor, 1);
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  guint bytes = 0;

  tensor->name = g_strdup (name);
  g_ptr_array_add (file->tensors, tensor);
  if (object == NULL)
    {
      g_autofree char *value = dup_value (node);

      return refuse_tensor (error, name, _ ("%s is not allowed; allowed: an object with dtype, shape and data_offsets"),
                            value);
    }
  if (!read_dtype (tensor, object, &bytes, error) || !read_shape (tensor, object, bytes, error)
      || !read_offsets (tensor, object, bytes, data_bytes, error))
    return FALSE;
  g_hash_table_insert (file->by_name, tensor->name, tensor);
  return TRUE;
}

/* ---- the header ---- */

static int
compare_offsets (gconstpointer a, gconstpointer b)
{
  const NsStoredTensor *x = *(NsStoredTensor *const *) a, *y = *(NsStoredTensor *const *) b;

  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

/* Sort the tensors by their data and check that these cover all of it, each byte once. */
static gboolean
check_cover (NsSafetensors *file, guint64 data_bytes, GError **error)
{
  guint64 end = 0;

  g_ptr_array_sort (file->tensors, compare_offsets);
  for (guint i = 0; i < file->tensors->len; i++)
    {
      const NsStoredTensor *tensor = ns_safetensors_get (file, i);

      if (tensor->begin < end)
        return refuse_tensor (error, tensor->name,
                              _ ("data_offsets: it begins at %llu and overlaps a tensor that ends at %llu"),
                              (unsigned long long) tensor->begin, (unsigned long long) end);
      if (tensor->begin > end)
        return refuse_tensor (
            error, tensor->name,
            _ ("data_offsets: it begins at %llu, and the bytes from %llu on before it belong to no tensor"),
            (unsigned long long) tensor->begin, (unsigned long long) end);
      end = tensor->end;
    }
  return end == data_bytes
         || refuse_tensor (
             error, NULL,
             _ ("the last tensor ends at %llu of %llu bytes of data; the bytes after it belong to no tensor"),
             (unsigned long long) end, (unsigned long long) data_bytes);
}

static gboolean
check_metadata (JsonNode *node, GError **error)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *value;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    return refuse_tensor (error, NULL, _ ("__metadata__: allowed: an object of strings"));
  json_object_iter_init (&iter, json_node_get_object (node));
  while (json_object_iter_next (&iter, &key, &value))
    if (ns_json_node_get_string (value) == NULL)
      return refuse_tensor (error, NULL, _ ("__metadata__: allowed: an object of strings"));
  return TRUE;
}

static gboolean
read_header (NsSafetensors *file, guint64 data_start, guint64 data_bytes, GError **error)
{
  g_autoptr (JsonNode) root = ns_json_node_from_bytes (file->header, _ ("the header"), _ ("names of tensors"), NULL,
                                                       error);
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  if (root == NULL)
    return FALSE;
  json_object_iter_init (&iter, json_node_get_object (root));
  while (json_object_iter_next (&iter, &name, &node))
    if (strcmp (name, METADATA) == 0 ? !check_metadata (node, error)
                                     : !read_tensor (file, name, node, data_bytes, error))
      return FALSE;
  if (!check_cover (file, data_bytes, error))
    return FALSE;
  for (guint i = 0; i < file->tensors->len; i++)
    {
      NsStoredTensor *tensor = g_ptr_array_index (file->tensors, i);

      tensor->held = file->held;
      tensor->place = data_start + tensor->begin;
    }
  return TRUE;
}

static guint64
read_uint64 (const guint8 *data)
{
  guint64 value = 0;

  for (int i = SIZE_BYTES - 1; i >= 0; i--)
    value = value << 8 | data[i];
  return value;
}

static gboolean
read_header_bytes (NsSafetensors *file, gsize n, GError **error)
{
  guint8 *bytes = ns_memory_try_new (guint8, n);

  if (bytes == NULL)
    return refuse_tensor (error, NULL, _ ("the system refused memory for its header of %zu bytes"), n);
  ns_held_file_read (file->held, SIZE_BYTES, bytes, n);
  file->header = g_bytes_new_take (bytes, n);
  return TRUE;
}

static gboolean
read_file (NsSafetensors *file, GError **error)
{
  guint64 length = ns_held_file_get_size (file->held), header;
  guint8 head[SIZE_BYTES + 1] = { 0 };

  ns_held_file_read (file->held, 0, head, (gsize) MIN (length, sizeof head));
  if (is_pickle (head, (gsize) MIN (length, sizeof head)))
    return refuse_pickle (error);
  if (length < SIZE_BYTES + 2)
    return refuse_tensor (error, NULL, _ ("it has %zu bytes, fewer than a header; allowed: a safetensors file"),
                          (gsize) length);
  header = read_uint64 (head);
  if (header > NS_SAFETENSORS_MAX_HEADER)
    return refuse_tensor (error, NULL,
                          _ ("its header's size is %llu; allowed: up to %llu bytes. It may not be a safetensors file"),
                          (unsigned long long) header, (unsigned long long) NS_SAFETENSORS_MAX_HEADER);
  if (header > length - SIZE_BYTES)
    return refuse_tensor (error, NULL,
                          _ ("its header's size is %llu, and %zu bytes follow. The file may be truncated"),
                          (unsigned long long) header, (gsize) length - SIZE_BYTES);
  if (header == 0 || head[SIZE_BYTES] != '{')
    return refuse_tensor (error, NULL, _ ("its header does not begin with “{”; it is not a safetensors file"));
  return read_header_bytes (file, (gsize) header, error)
         && read_header (file, SIZE_BYTES + header, length - SIZE_BYTES - header, error);
}

/* ---- files ---- */

NsSafetensors *
ns_safetensors_new (NsHeldFile *held, const char *name, GError **error)
{
  g_autoptr (NsSafetensors) file = g_new0 (NsSafetensors, 1);
  g_autofree char *shown = ns_text_dup_short (name, NS_TEXT_MAX_PATH);

  file->held = held;
  file->tensors = g_ptr_array_new_with_free_func (stored_tensor_free);
  file->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  if (read_file (file, error))
    return g_steal_pointer (&file);
  g_prefix_error (error, "%s: ", shown);
  return NULL;
}

NsSafetensors *
ns_safetensors_open (const char *path, GError **error)
{
  NsHeldFile *held = ns_held_file_open (path, error);

  return held != NULL ? ns_safetensors_new (held, path, error) : NULL;
}

void
ns_safetensors_free (NsSafetensors *file)
{
  if (file == NULL)
    return;
  g_hash_table_unref (file->by_name);
  g_ptr_array_unref (file->tensors);
  if (file->header != NULL)
    g_bytes_unref (file->header);
  ns_held_file_free (file->held);
  g_free (file);
}

guint
ns_safetensors_get_n (const NsSafetensors *file)
{
  return file->tensors->len;
}

const NsStoredTensor *
ns_safetensors_get (const NsSafetensors *file, guint i)
{
  g_return_val_if_fail (i < file->tensors->len, NULL);
  return g_ptr_array_index (file->tensors, i);
}

const NsStoredTensor *
ns_safetensors_find (const NsSafetensors *file, const char *name)
{
  return g_hash_table_lookup (file->by_name, name);
}

NsHeldFile *
ns_safetensors_get_held (const NsSafetensors *file)
{
  return file->held;
}

GBytes *
ns_safetensors_get_header (const NsSafetensors *file)
{
  return file->header;
}

guint64
ns_safetensors_get_size (const NsSafetensors *file)
{
  return ns_held_file_get_size (file->held);
}
