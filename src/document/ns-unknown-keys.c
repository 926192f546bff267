/* Keys of a newer version's experiment file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-unknown-keys.h"

#include "document/ns-experiment-json.h"
#include "document/ns-json-node.h"
#include "document/ns-short-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Paths that a warning lists. */
#define MAX_LISTED 8
/* Characters of a key in it. */
#define MAX_KEY 60

typedef struct
{
  int variant;
  char *object, *key;
  char *value; /* JSON text */
} Entry;

struct _NsUnknownKeys
{
  gint64 version;
  GPtrArray *entries;       /* Entry */
  GPtrArray *variant_names; /* char * */
};

static Entry *
entry_new (int variant, const char *object, const char *key, const char *value)
{
  Entry *entry = g_new (Entry, 1);

  entry->variant = variant;
  entry->object = g_strdup (object);
  entry->key = g_strdup (key);
  entry->value = g_strdup (value);
  return entry;
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_free (entry->object);
  g_free (entry->key);
  g_free (entry->value);
  g_free (entry);
}

NsUnknownKeys *
ns_unknown_keys_new (gint64 version)
{
  NsUnknownKeys *unknown = g_new (NsUnknownKeys, 1);

  unknown->version = version;
  unknown->entries = g_ptr_array_new_with_free_func (entry_free);
  unknown->variant_names = g_ptr_array_new_with_free_func (g_free);
  return unknown;
}

void
ns_unknown_keys_free (NsUnknownKeys *unknown)
{
  if (unknown == NULL)
    return;
  g_ptr_array_unref (unknown->entries);
  g_ptr_array_unref (unknown->variant_names);
  g_free (unknown);
}

NsUnknownKeys *
ns_unknown_keys_copy (const NsUnknownKeys *unknown)
{
  NsUnknownKeys *copy;

  if (unknown == NULL)
    return NULL;
  copy = ns_unknown_keys_new (unknown->version);
  for (guint i = 0; i < unknown->entries->len; i++)
    {
      const Entry *entry = g_ptr_array_index (unknown->entries, i);

      g_ptr_array_add (copy->entries, entry_new (entry->variant, entry->object, entry->key, entry->value));
    }
  for (guint i = 0; i < unknown->variant_names->len; i++)
    g_ptr_array_add (copy->variant_names, g_strdup (g_ptr_array_index (unknown->variant_names, i)));
  return copy;
}

gint64
ns_unknown_keys_get_version (const NsUnknownKeys *unknown)
{
  return unknown->version;
}

guint
ns_unknown_keys_get_n (const NsUnknownKeys *unknown)
{
  return unknown->entries->len;
}

char *
ns_unknown_keys_dup_warning (const NsUnknownKeys *unknown)
{
  g_autoptr (GString) paths = g_string_new (NULL);
  guint n = unknown->entries->len;
  const char *format;

  if (n == 0)
    return g_strdup_printf (_ ("written by a newer Normscope (version %lld of the format); all of its keys are known "
                               "here"),
                            (long long) unknown->version);
  for (guint i = 0; i < MIN (n, MAX_LISTED); i++)
    {
      const Entry *entry = g_ptr_array_index (unknown->entries, i);
      g_autofree char *key = ns_short_text (entry->key, MAX_KEY);

      if (i > 0)
        g_string_append (paths, ", ");
      if (entry->variant >= 0)
        g_string_append_printf (paths, "variants[%d].", entry->variant);
      g_string_append_printf (paths, "%s%s", entry->object, key);
    }
  if (n > MAX_LISTED)
    g_string_append (paths, ", …");
  format = g_dngettext (GETTEXT_PACKAGE,
                        "written by a newer Normscope (version %lld of the format): %u key is unknown here, has no "
                        "effect and is kept on saving: %s",
                        "written by a newer Normscope (version %lld of the format): %u keys are unknown here, have no "
                        "effect and are kept on saving: %s",
                        n);
  return g_strdup_printf (format, (long long) unknown->version, n, paths->str);
}

void
ns_unknown_keys_add (NsUnknownKeys *unknown, int variant, const char *object, const char *key, JsonNode *value)
{
  g_autofree char *text = ns_json_node_dup_text (value);

  g_ptr_array_add (unknown->entries, entry_new (variant, object, key, text));
}

void
ns_unknown_keys_set_variants (NsUnknownKeys *unknown, const NsExperiment *experiment)
{
  g_ptr_array_set_size (unknown->variant_names, 0);
  for (guint v = 0; v < experiment->variants->len; v++)
    g_ptr_array_add (unknown->variant_names, g_strdup (ns_experiment_variant (experiment, v)->name));
}

static gboolean
has_variant (const NsExperiment *experiment, const char *name)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (strcmp (ns_experiment_variant (experiment, v)->name, name) == 0)
      return TRUE;
  return FALSE;
}

int
ns_unknown_keys_find_variant (const NsUnknownKeys *unknown, const NsExperiment *experiment, guint v)
{
  guint index;

  if (unknown == NULL)
    return -1;
  if (g_ptr_array_find_with_equal_func (unknown->variant_names, ns_experiment_variant (experiment, v)->name,
                                        g_str_equal, &index))
    return (int) index;
  if (v < unknown->variant_names->len && !has_variant (experiment, g_ptr_array_index (unknown->variant_names, v)))
    return (int) v;
  return -1;
}

static gboolean
is_of (const Entry *entry, int variant, const char *object)
{
  return entry->variant == variant && strcmp (entry->object, object) == 0;
}

void
ns_unknown_keys_write (const NsUnknownKeys *unknown, int variant, const char *object, NsJsonWriter *writer)
{
  for (guint i = 0; unknown != NULL && i < unknown->entries->len; i++)
    {
      const Entry *entry = g_ptr_array_index (unknown->entries, i);

      if (is_of (entry, variant, object))
        ns_json_raw (writer, entry->key, entry->value);
    }
}

gboolean
ns_unknown_keys_has (const NsUnknownKeys *unknown, int variant, const char *object)
{
  for (guint i = 0; unknown != NULL && i < unknown->entries->len; i++)
    if (is_of (g_ptr_array_index (unknown->entries, i), variant, object))
      return TRUE;
  return FALSE;
}
