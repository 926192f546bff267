/* Experiments that ship with the program.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-presets.h"

#include "document/ns-experiment-json.h"
#include "document/ns-suggest.h"

#include "ns-document-resources.h"

#include <glib/gi18n-lib.h>

#define PRESETS "/org/normscope/document/presets/"

typedef struct
{
  NsPreset *presets; /* [n] */
  const char **ids;  /* [n] and NULL */
  gsize n;
} PresetList;

static GBytes *
lookup (const char *name, GError **error)
{
  g_autofree char *path = g_strconcat (PRESETS, name, NULL);

  return g_resource_lookup_data (ns_document_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
}

/* Compiled in, so what is wrong with it is our own mistake. */
static PresetList *
load_list (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = lookup ("presets.ini", &error);
  g_autoptr (GKeyFile) index = g_key_file_new ();
  g_auto (GStrv) ids = NULL;
  PresetList *list = g_new0 (PresetList, 1);

  g_assert_no_error (error);
  g_key_file_load_from_bytes (index, bytes, G_KEY_FILE_KEEP_TRANSLATIONS, &error);
  g_assert_no_error (error);
  ids = g_key_file_get_groups (index, &list->n);
  list->presets = g_new0 (NsPreset, list->n);
  list->ids = g_new0 (const char *, list->n + 1);
  for (gsize i = 0; i < list->n; i++)
    {
      list->presets[i].id = g_steal_pointer (&ids[i]);
      list->presets[i].title
        = g_key_file_get_locale_string (index, list->presets[i].id, "Title", NULL, &error);
      g_assert_no_error (error);
      list->presets[i].description
        = g_key_file_get_locale_string (index, list->presets[i].id, "Description", NULL, &error);
      g_assert_no_error (error);
      list->ids[i] = list->presets[i].id;
    }
  return list;
}

static const PresetList *
get_list (void)
{
  static PresetList *list;

  if (g_once_init_enter (&list))
    g_once_init_leave (&list, load_list ());
  return list;
}

const NsPreset *
ns_presets (gsize *n)
{
  const PresetList *list = get_list ();

  if (n != NULL)
    *n = list->n;
  return list->presets;
}

NsExperiment *
ns_preset_load (const char *id, GError **error)
{
  const PresetList *list = get_list ();
  g_autofree char *file = g_strconcat (id, ".normscope", NULL);
  g_autoptr (GBytes) bytes = NULL;

  if (!g_strv_contains (list->ids, id))
    {
      g_autofree char *advice = ns_suggest_dup_text (id, list->ids);

      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("There is no preset “%s”. %s"), id, advice);
      return NULL;
    }
  bytes = lookup (file, error);
  return bytes != NULL ? ns_experiment_from_bytes (bytes, file, error) : NULL;
}
