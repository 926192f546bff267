/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-model-files.h"

#include "document/ns-json-node.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define WHOLE "model.safetensors"
#define INDEX "model.safetensors.index.json"

struct _NsModelFiles
{
  char *name;
  GPtrArray *files;   /* NsSafetensors, owned, in the order of their names */
  GHashTable *tensors; /* NsStoredTensor by name, borrowed from the files */
};

static gboolean
refuse_file (GError **error, const char *path, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse_file (GError **error, const char *path, const char *format, ...)
{
  g_autofree char *shown = ns_text_dup_short (path, NS_TEXT_MAX_PATH), *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", shown, message);
  return FALSE;
}

/* ---- one file ---- */

/* Add a file and its tensors, of which no other file may have one. Return it, borrowed, or NULL. */
static NsSafetensors *
add_file (NsModelFiles *self, const char *path, GError **error)
{
  NsSafetensors *file = ns_safetensors_open (path, error);

  if (file == NULL)
    return NULL;
  g_ptr_array_add (self->files, file);
  for (guint i = 0; i < ns_safetensors_get_n (file); i++)
    {
      const NsStoredTensor *tensor = ns_safetensors_get (file, i);

      if (!g_hash_table_insert (self->tensors, tensor->name, (gpointer) tensor))
        {
          g_autofree char *quoted = ns_quote_text (tensor->name);

          refuse_file (error, path, _ ("tensor %s is in another shard, too; allowed: once"), quoted);
          return NULL;
        }
    }
  return file;
}

/* ---- shards ---- */

/* Add a shard. Its name is from the index, which may be hostile: it must be a name in the same folder. */
static gboolean
add_shard (NsModelFiles *self, const char *path, const char *folder, const char *name, GError **error)
{
  g_autofree char *quoted = ns_quote_text (name);
  g_autofree char *shard = NULL;

  if (*name == '\0' || strchr (name, '/') != NULL || strchr (name, '\\') != NULL || *name == '.')
    return refuse_file (error, path,
                        _ ("weight_map: the shard %s is not allowed; allowed: the name of a file in the same "
                           "folder"),
                        quoted);
  shard = g_build_filename (folder, name, NULL);
  if (!g_file_test (shard, G_FILE_TEST_EXISTS))
    return refuse_file (error, path, _ ("the shard %s is missing; allowed: all shards in the folder of the index"),
                        quoted);
  return add_file (self, shard, error) != NULL;
}

/* Check that each tensor of the index is in its shard, and that the shards have no others. */
static gboolean
check_map (const NsModelFiles *self, const char *path, JsonObject *map, GHashTable *shards, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init (&iter, map);
  while (json_object_iter_next (&iter, &name, &node))
    {
      const char *shard = ns_json_node_get_string (node);
      const NsSafetensors *file = g_ptr_array_index (self->files,
                                                     GPOINTER_TO_UINT (g_hash_table_lookup (shards, shard)));

      if (ns_safetensors_find (file, name) == NULL)
        {
          g_autofree char *quoted = ns_quote_text (name), *where = ns_quote_text (shard);

          return refuse_file (error, path, _ ("tensor %s is not in its shard %s"), quoted, where);
        }
    }
  if (json_object_get_size (map) < g_hash_table_size (self->tensors))
    return refuse_file (error, path, _ ("the shards have %u tensors, and weight_map names %u; allowed: the same"),
                        g_hash_table_size (self->tensors), json_object_get_size (map));
  return TRUE;
}

/* Return the names of the shards, sorted; NULL and an error if the map has anything but names. */
static GList *
list_shards (const char *path, JsonObject *map, GHashTable *shards, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init (&iter, map);
  while (json_object_iter_next (&iter, &name, &node))
    {
      const char *shard = ns_json_node_get_string (node);
      g_autofree char *quoted = ns_quote_text (name);

      if (shard == NULL)
        {
          refuse_file (error, path, _ ("weight_map: allowed for tensor %s: the name of a shard"), quoted);
          return NULL;
        }
      g_hash_table_add (shards, (gpointer) shard);
    }
  if (g_hash_table_size (shards) == 0)
    refuse_file (error, path, _ ("weight_map: it is empty; allowed: names of tensors with their shards"));
  return g_list_sort (g_hash_table_get_keys (shards), (GCompareFunc) strcmp);
}

static gboolean
read_index (NsModelFiles *self, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = ns_file_read_path (path, NS_FILE_SHARDS, error);
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GHashTable) shards = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GList) names = NULL;
  g_autofree char *folder = g_path_get_dirname (path), *shown = ns_text_dup_short (path, NS_TEXT_MAX_PATH);
  JsonNode *map;
  guint n = 0;

  root = bytes != NULL ? ns_json_node_from_bytes (bytes, shown, _ ("an index of tensors"), NULL, error) : NULL;
  if (root == NULL)
    return FALSE;
  map = JSON_NODE_HOLDS_OBJECT (root) ? json_object_get_member (json_node_get_object (root), "weight_map") : NULL;
  if (map == NULL || !JSON_NODE_HOLDS_OBJECT (map))
    return refuse_file (error, path, _ ("weight_map is missing; allowed: an object of names of tensors and shards"));
  names = list_shards (path, json_node_get_object (map), shards, error);
  if (names == NULL)
    return FALSE;
  for (GList *l = names; l != NULL; l = l->next, n++)
    {
      g_hash_table_insert (shards, l->data, GUINT_TO_POINTER (n));
      if (!add_shard (self, path, folder, l->data, error))
        return FALSE;
    }
  return check_map (self, path, json_node_get_object (map), shards, error);
}

/* ---- files and folders ---- */

char *
ns_model_files_dup_path (const char *folder, GError **error)
{
  static const char *const names[] = { WHOLE, INDEX };
  static const char *const pickles[] = { "pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "model.pth" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (pickles); i++)
    {
      g_autofree char *path = g_build_filename (folder, pickles[i], NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        {
          refuse_file (error, path, _ ("Python pickles run code when they are opened; allowed: safetensors. In Python: "
                                       "AutoModelForCausalLM.from_pretrained (FOLDER).save_pretrained (NEW)"));
          return NULL;
        }
    }
  refuse_file (error, folder, _ ("the folder has no weights; allowed: %s, or %s with its shards"), WHOLE, INDEX);
  return NULL;
}

NsModelFiles *
ns_model_files_open (const char *path, GError **error)
{
  g_autoptr (NsModelFiles) self = g_new0 (NsModelFiles, 1);
  g_autofree char *file = NULL;
  gboolean opened;

  self->files = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_safetensors_free);
  self->tensors = g_hash_table_new (g_str_hash, g_str_equal);
  file = g_file_test (path, G_FILE_TEST_IS_DIR) ? ns_model_files_dup_path (path, error) : g_strdup (path);
  if (file == NULL)
    return NULL;
  self->name = g_path_get_basename (file);
  opened = g_str_has_suffix (file, ".json") ? read_index (self, file, error) : add_file (self, file, error) != NULL;
  return opened ? g_steal_pointer (&self) : NULL;
}

void
ns_model_files_free (NsModelFiles *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->tensors);
  g_ptr_array_unref (self->files);
  g_free (self->name);
  g_free (self);
}

const NsStoredTensor *
ns_model_files_find (const NsModelFiles *self, const char *name)
{
  return g_hash_table_lookup (self->tensors, name);
}

/* Return the name as older files have it, or NULL. Caller frees. */
static char *
dup_older_name (const char *name)
{
  if (g_str_has_suffix (name, "LayerNorm.weight"))
    return g_strdup_printf ("%.*sgamma", (int) (strlen (name) - strlen ("weight")), name);
  if (g_str_has_suffix (name, "LayerNorm.bias"))
    return g_strdup_printf ("%.*sbeta", (int) (strlen (name) - strlen ("bias")), name);
  return NULL;
}

static const NsStoredTensor *
find_prefixed (const NsModelFiles *self, const char *prefix, const char *name)
{
  g_autofree char *full = g_strconcat (prefix, name, NULL), *older = dup_older_name (full);
  const NsStoredTensor *tensor = ns_model_files_find (self, full);

  return tensor != NULL || older == NULL ? tensor : ns_model_files_find (self, older);
}

/* Return "layers.3.fc1.weight" of "layers.*.fc1.weight". Caller frees. */
static char *
dup_name (const char *pattern, gint64 layer)
{
  const char *star = strchr (pattern, '*');

  if (star == NULL)
    return g_strdup (pattern);
  return g_strdup_printf ("%.*s%lld%s", (int) (star - pattern), pattern, (long long) layer - 1, star + 1);
}

const NsStoredTensor *
ns_model_files_find_any (const NsModelFiles *self, const char *prefixes, const char *names, gint64 layer,
                         char **missing)
{
  g_auto (GStrv) alternatives = g_strsplit (names, "|", -1), before = g_strsplit (prefixes, "|", -1);

  for (guint i = 0; alternatives[i] != NULL; i++)
    {
      g_autofree char *name = dup_name (alternatives[i], layer);
      const NsStoredTensor *tensor = find_prefixed (self, "", name);

      for (guint p = 0; tensor == NULL && before[p] != NULL; p++)
        tensor = find_prefixed (self, before[p], name);
      if (tensor != NULL)
        return tensor;
    }
  *missing = dup_name (alternatives[0], layer);
  return NULL;
}

void
ns_model_files_foreach (const NsModelFiles *self, GFunc func, gpointer data)
{
  for (guint f = 0; f < self->files->len; f++)
    {
      const NsSafetensors *file = g_ptr_array_index (self->files, f);

      for (guint i = 0; i < ns_safetensors_get_n (file); i++)
        func (ns_safetensors_get (file, i)->name, data);
    }
}

const char *
ns_model_files_get_name (const NsModelFiles *self)
{
  return self->name;
}

guint64
ns_model_files_get_bytes (const NsModelFiles *self)
{
  guint64 bytes = 0;

  for (guint f = 0; f < self->files->len; f++)
    bytes += ns_safetensors_get_size (g_ptr_array_index (self->files, f));
  return bytes;
}

guint
ns_model_files_count_tensors (const NsModelFiles *self)
{
  return g_hash_table_size (self->tensors);
}

static void
hash_file (GChecksum *checksum, NsHeldFile *held)
{
  guint64 size = ns_held_file_get_size (held);
  guint8 piece[16 * 1024];

  for (guint64 at = 0; at < size; at += sizeof piece)
    {
      gsize n = (gsize) MIN (size - at, sizeof piece);

      ns_held_file_read (held, at, piece, n);
      g_checksum_update (checksum, piece, (gssize) n);
    }
}

char *
ns_model_files_dup_checksum (const NsModelFiles *self)
{
  gboolean whole = self->files->len == 1 && ns_model_files_get_bytes (self) <= NS_MODEL_FILES_MAX_HASHED;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint f = 0; f < self->files->len; f++)
    {
      const NsSafetensors *file = g_ptr_array_index (self->files, f);
      GBytes *header = ns_safetensors_get_header (file);

      if (whole)
        hash_file (checksum, ns_safetensors_get_held (file));
      else
        g_checksum_update (checksum, g_bytes_get_data (header, NULL), (gssize) g_bytes_get_size (header));
    }
  return g_strdup_printf ("sha256%s %s", whole ? "" : self->files->len > 1 ? " of the headers" : " of the header",
                          g_checksum_get_string (checksum));
}

gboolean
ns_model_files_check (const NsModelFiles *self, GError **error)
{
  for (guint f = 0; f < self->files->len; f++)
    if (!ns_held_file_check (ns_safetensors_get_held (g_ptr_array_index (self->files, f)), error))
      return FALSE;
  return TRUE;
}
