/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lecture/ns-lectures.h"

#include "document/ns-file.h"
#include "document/ns-suggest.h"
#include "engine/experiment/ns-text.h"
#include "lecture/ns-lecture-json.h"
#include "ns-lecture-resources.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define FOLDER "/org/normscope/lecture/lectures/"
#define INDEX  "lectures.ini"

static GBytes *
lookup (const char *name)
{
  g_autofree char *path = g_strconcat (FOLDER, name, NULL);

  return g_resource_lookup_data (ns_lecture_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
}

/* The index is compiled in, so an error in it is a programming error. */
static GArray *
load_list (void)
{
  GArray *list = g_array_new (TRUE, TRUE, sizeof (NsLectureInfo));
  g_autoptr (GBytes) bytes = lookup (INDEX);
  g_autoptr (GKeyFile) index = g_key_file_new ();
  g_auto (GStrv) ids = NULL;

  if (bytes == NULL || !g_key_file_load_from_bytes (index, bytes, G_KEY_FILE_KEEP_TRANSLATIONS, NULL))
    g_error ("%s is missing or broken", INDEX);
  ids = g_key_file_get_groups (index, NULL);
  for (char **id = ids; *id != NULL; id++)
    {
      NsLectureInfo info = { g_strdup (*id), g_key_file_get_locale_string (index, *id, "Title", NULL, NULL),
                             g_key_file_get_locale_string (index, *id, "About", NULL, NULL) };

      g_array_append_val (list, info);
    }
  return list;
}

const NsLectureInfo *
ns_lectures_list (gsize *n)
{
  static GArray *list;
  static gsize once;

  if (g_once_init_enter (&once))
    {
      list = load_list ();
      g_once_init_leave (&once, 1);
    }
  if (n != NULL)
    *n = list->len;
  return (const NsLectureInfo *) (gpointer) list->data;
}

static gboolean
refuse (const char *id, GError **error)
{
  gsize n;
  const NsLectureInfo *list = ns_lectures_list (&n);
  g_autofree const char **ids = g_new0 (const char *, n + 1);
  g_autofree char *quoted = ns_text_dup_short (id, -1);
  g_autofree char *advice = NULL;

  for (gsize i = 0; i < n; i++)
    ids[i] = list[i].id;
  advice = ns_suggest_dup_text (id, ids);
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("There is no lecture “%s”. %s"), quoted, advice);
  return FALSE;
}

static gboolean
check_id (const char *id, GError **error)
{
  gsize n;
  const NsLectureInfo *list = ns_lectures_list (&n);

  for (gsize i = 0; i < n; i++)
    if (strcmp (list[i].id, id) == 0)
      return TRUE;
  return refuse (id, error);
}

NsLecture *
ns_lectures_load (const char *id, const char *language, GError **error)
{
  const char *const one[] = { language, NULL };
  const char *const *languages = language != NULL ? one : g_get_language_names ();
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *name = NULL;

  if (!check_id (id, error))
    return NULL;
  for (; *languages != NULL && bytes == NULL; languages++)
    {
      g_free (name);
      name = g_strconcat (id, ".", *languages, NS_LECTURE_SUFFIX, NULL);
      bytes = lookup (name);
    }
  if (bytes == NULL)
    {
      g_free (name);
      name = g_strconcat (id, ".en", NS_LECTURE_SUFFIX, NULL);
      bytes = lookup (name);
    }
  return ns_lecture_from_bytes (bytes, name, error);
}
