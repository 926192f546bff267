/* Presets: built-in experiments and the user's own.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-presets.h"

#include "document/ns-experiment-json.h"
#include "document/ns-file.h"
#include "document/ns-key-file.h"
#include "document/ns-short-text.h"
#include "document/ns-suggest.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"

#include "ns-document-resources.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define PRESETS "/org/normscope/document/presets/"
#define INDEX "presets.ini"
#define SUFFIX ".normscope"

typedef struct _PresetList PresetList;
struct _PresetList
{
  GArray *presets;     /* NsPreset; never freed, since callers keep pointers into it */
  GPtrArray *problems; /* char *, NULL-terminated */
  PresetList *before;  /* the previous list, kept reachable for leak checkers */
};

static GMutex presets_lock;
static PresetList *current; /* guarded by lock */

static GBytes *
lookup_builtin (const char *name, GError **error)
{
  g_autofree char *path = g_strconcat (PRESETS, name, NULL);

  return g_resource_lookup_data (ns_document_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
}

static gssize
find (const PresetList *list, const char *id)
{
  for (guint i = 0; i < list->presets->len; i++)
    if (strcmp (g_array_index (list->presets, NsPreset, i).id, id) == 0)
      return i;
  return -1;
}

/* Insert after the last preset of the same group, so groups stay contiguous. */
static void
add (PresetList *list, const NsPreset *preset)
{
  guint at = list->presets->len;

  for (guint i = 0; i < list->presets->len; i++)
    if (strcmp (g_array_index (list->presets, NsPreset, i).group, preset->group) == 0)
      at = i + 1;
  g_array_insert_val (list->presets, at, *preset);
}

static void add_problem (PresetList *list, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
add_problem (PresetList *list, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_ptr_array_add (list->problems, ns_short_text (text, NS_SHORT_MAX_MESSAGE));
}

/* ---- presets.ini ---- */

static gboolean
refuse_preset (const char *id, const char *key, const char *value, const char *allowed, GError **error)
{
  g_autofree char *quoted = ns_short_text (value, NS_SHORT_MAX_QUOTED);

  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("[%s] %s: “%s” is not allowed; allowed: %s"), id,
               key, quoted, allowed);
  return FALSE;
}

static gboolean
read_variant (GKeyFile *index, NsPreset *preset, GError **error)
{
  g_autofree char *id = g_key_file_get_string (index, preset->id, "Variant", NULL);
  g_autoptr (GString) ids = g_string_new (NULL);
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  if (id == NULL)
    return TRUE;
  preset->variant = ns_builtin_variant_find (id);
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (ids, "%s%s", i > 0 ? ", " : "", builtins[i].id);
  return preset->variant != NULL || refuse_preset (preset->id, "Variant", id, ids->str, error);
}

static gboolean
read_not_confirmed (GKeyFile *index, NsPreset *preset, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_string_list (index, preset->id, "NotConfirmed", NULL, NULL);
  g_autoptr (GPtrArray) params = g_ptr_array_new ();

  for (char **key = keys; key != NULL && *key != NULL; key++)
    {
      const NsParam *param = ns_param_find (*key);

      if (param == NULL)
        return refuse_preset (preset->id, "NotConfirmed", *key, _ ("key paths such as shape.heads or norm_eps"), error);
      g_ptr_array_add (params, (gpointer) param);
    }
  g_ptr_array_add (params, NULL);
  preset->not_confirmed = (const NsParam *const *) g_ptr_array_free (g_steal_pointer (&params), FALSE);
  return TRUE;
}

static gboolean
check_preset_keys (GKeyFile *index, const char *id, GError **error)
{
  static const char *const allowed[]
    = { "Title", "Description", "Group", "Variant", "Figure", "Source", "NotConfirmed", "Notes", NULL };
  g_auto (GStrv) keys = g_key_file_get_keys (index, id, NULL, NULL);

  for (char **key = keys; *key != NULL; key++)
    {
      g_autofree char *plain = g_strndup (*key, strcspn (*key, "["));

      if (!g_strv_contains (allowed, plain))
        {
          g_autofree char *advice = ns_suggest_dup_text (plain, allowed);

          g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("[%s] %s: unknown key. %s"), id, *key,
                       advice);
          return FALSE;
        }
    }
  return TRUE;
}

static void
take_text (GKeyFile *index, const char *id, const char *key, const char **text)
{
  g_autofree char *value = g_key_file_get_locale_string (index, id, key, NULL, NULL);

  if (value != NULL)
    *text = ns_text_dup_printable (value);
}

/* Read the preset's group of the index; leaves the preset unchanged on error. */
static gboolean
read_description (NsPreset *preset, GKeyFile *index, GError **error)
{
  NsPreset described = *preset;

  if (!check_preset_keys (index, preset->id, error) || !read_variant (index, &described, error)
      || !read_not_confirmed (index, &described, error))
    return FALSE;
  take_text (index, preset->id, "Title", &described.title);
  take_text (index, preset->id, "Description", &described.description);
  take_text (index, preset->id, "Group", &described.group);
  take_text (index, preset->id, "Figure", &described.figure);
  take_text (index, preset->id, "Source", &described.source);
  take_text (index, preset->id, "Notes", &described.notes);
  *preset = described;
  return TRUE;
}

/* ---- built-in presets ---- */

/* Copy the built-in presets of the previous list, since they never change. */
static void
copy_builtins (PresetList *list, const PresetList *before)
{
  for (guint i = 0; i < before->presets->len; i++)
    if (g_array_index (before->presets, NsPreset, i).path == NULL)
      g_array_append_val (list->presets, g_array_index (before->presets, NsPreset, i));
}

/* The index is compiled in, so an error in it is a programming error. */
static void
add_builtins (PresetList *list)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = lookup_builtin (INDEX, &error);
  g_autoptr (GKeyFile) index = g_key_file_new ();
  g_auto (GStrv) ids = NULL;

  g_assert_no_error (error);
  g_key_file_load_from_bytes (index, bytes, G_KEY_FILE_KEEP_TRANSLATIONS, &error);
  g_assert_no_error (error);
  ids = g_key_file_get_groups (index, NULL);
  for (char **id = ids; *id != NULL; id++)
    {
      NsPreset preset = { .id = g_strdup (*id), .description = "", .group = "" };

      preset.title = preset.id;
      read_description (&preset, index, &error);
      g_assert_no_error (error);
      add (list, &preset);
    }
}

/* ---- the user's presets ---- */

char *
ns_presets_dup_folder (void)
{
  return g_build_filename (g_get_user_data_dir (), "normscope", "presets", NULL);
}

/* Load the folder's index; return an empty one if it is missing or unreadable. */
static GKeyFile *
load_index (PresetList *list, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  GKeyFile *index = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    return g_key_file_new ();
  bytes = ns_file_read_path (path, NS_FILE_INDEX, &error);
  if (bytes == NULL)
    add_problem (list, "%s", error->message);
  else if ((index = ns_key_file_from_bytes (bytes, _ ("a group named after each preset's file"), &error)) == NULL)
    add_problem (list, "%s: %s", path, error->message);
  return index != NULL ? index : g_key_file_new ();
}

static void
add_user_file (PresetList *list, const char *folder, const char *name, GKeyFile *index, const char *index_path)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *shown = g_filename_display_name (path);
  g_autofree char *id = g_strndup (name, strlen (name) - strlen (SUFFIX));
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) experiment = NULL;
  static const NsParam *const none[] = { NULL };
  NsPreset preset = { .description = "", .group = _ ("My presets"), .not_confirmed = none };

  if (!ns_text_is_line (id))
    {
      add_problem (list,
                   _ ("%s: the file name is not allowed; allowed: a non-empty UTF-8 name without control characters "
                      "before %s"),
                   shown, SUFFIX);
      return;
    }
  if (find (list, id) >= 0)
    {
      add_problem (list, _ ("%s: the name “%s” is taken by a built-in preset"), shown, id);
      return;
    }
  experiment = ns_experiment_from_path (path, &error);
  if (experiment == NULL)
    {
      add_problem (list, "%s", error->message);
      return;
    }
  preset.id = preset.title = g_steal_pointer (&id);
  preset.path = g_steal_pointer (&path);
  if (g_key_file_has_group (index, preset.id) && !read_description (&preset, index, &error))
    add_problem (list, "%s: %s", index_path, error->message);
  add (list, &preset);
}

static void
add_user_files (PresetList *list)
{
  g_autofree char *folder = ns_presets_dup_folder ();
  g_autofree char *index_path = g_build_filename (folder, INDEX, NULL);
  g_autoptr (GPtrArray) names = ns_file_list_names (folder, SUFFIX);
  g_autoptr (GKeyFile) index = load_index (list, index_path);
  g_auto (GStrv) groups = g_key_file_get_groups (index, NULL);

  for (guint i = 0; i < names->len; i++)
    add_user_file (list, folder, g_ptr_array_index (names, i), index, index_path);
  for (char **group = groups; *group != NULL; group++)
    {
      g_autofree char *name = g_strconcat (*group, SUFFIX, NULL);

      if (!g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        add_problem (list, _ ("%s: [%s]: there is no file %s in the folder"), index_path, *group, name);
    }
}

/* ---- the list ---- */

/* Load all presets; `before` is the list to replace, or NULL. */
static PresetList *
load_list (PresetList *before)
{
  PresetList *list = g_new0 (PresetList, 1);

  list->presets = g_array_new (TRUE, TRUE, sizeof (NsPreset));
  list->problems = g_ptr_array_new ();
  if (before != NULL)
    copy_builtins (list, before);
  else
    add_builtins (list);
  add_user_files (list);
  g_ptr_array_add (list->problems, NULL);
  list->before = before;
  return list;
}

static const PresetList *
get_list (void)
{
  const PresetList *list;

  g_mutex_lock (&presets_lock);
  if (current == NULL)
    current = load_list (NULL);
  list = current;
  g_mutex_unlock (&presets_lock);
  return list;
}

void
ns_presets_reload (void)
{
  g_mutex_lock (&presets_lock);
  current = load_list (current);
  g_mutex_unlock (&presets_lock);
}

const NsPreset *
ns_presets (gsize *n)
{
  const PresetList *list = get_list ();

  if (n != NULL)
    *n = list->presets->len;
  return (const NsPreset *) (gpointer) list->presets->data;
}

const char *const *
ns_presets_get_problems (void)
{
  return (const char *const *) get_list ()->problems->pdata;
}

const NsPreset *
ns_preset_find (const char *id)
{
  const PresetList *list = get_list ();
  gssize at = find (list, id);

  return at >= 0 ? &g_array_index (list->presets, NsPreset, at) : NULL;
}

static void
refuse_id (const char *id, GError **error)
{
  gsize n;
  const NsPreset *presets = ns_presets (&n);
  g_autofree const char **ids = g_new0 (const char *, n + 1);
  g_autofree char *quoted = ns_short_text (id, NS_SHORT_MAX_QUOTED);
  g_autofree char *advice = NULL;

  for (gsize i = 0; i < n; i++)
    ids[i] = presets[i].id;
  advice = ns_suggest_dup_text (id, ids);
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("There is no preset “%s”. %s"), quoted, advice);
}

NsExperiment *
ns_preset_load (const char *id, GError **error)
{
  const NsPreset *preset = ns_preset_find (id);
  g_autofree char *file = g_strconcat (id, SUFFIX, NULL);
  g_autoptr (GBytes) bytes = NULL;

  if (preset == NULL)
    {
      refuse_id (id, error);
      return NULL;
    }
  if (preset->path != NULL)
    return ns_experiment_from_path (preset->path, error);
  bytes = lookup_builtin (file, error);
  return bytes != NULL ? ns_experiment_from_bytes (bytes, file, error) : NULL;
}
