/* Parse untrusted key files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-key-file.h"

#include "document/ns-file.h"
#include "document/ns-short-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Maximum characters of a message; names of groups and keys can have any length. */
#define MAX_MESSAGE 400

static gboolean
check_duplicates (const char *text, GError **error)
{
  g_autoptr (GHashTable) groups = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) keys = g_hash_table_new (g_str_hash, g_str_equal);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  const char *group = "";

  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *line = g_strstrip (lines[i]);
      char *equals = strchr (line, '=');

      if (*line == '[')
        {
          group = line;
          g_hash_table_remove_all (keys);
          if (!g_hash_table_add (groups, line))
            return ns_short_refuse (error, MAX_MESSAGE, _ ("line %u: duplicate %s"), i + 1, line);
        }
      else if (equals != NULL && *line != '#')
        {
          *equals = '\0';
          if (!g_hash_table_add (keys, g_strchomp (line)))
            {
              g_autofree char *name = g_strconcat (group, " ", line, NULL);

              return ns_short_refuse (error, MAX_MESSAGE, _ ("line %u: duplicate %s"), i + 1, name);
            }
        }
    }
  return TRUE;
}

/* Check the escapes of a raw value. */
static gboolean
check_value (GKeyFile *file, const char *group, const char *key, GError **error)
{
  g_autofree char *value = g_key_file_get_value (file, group, key, NULL);

  for (const char *p = strchr (value, '\\'); p != NULL; p = strchr (p + 2, '\\'))
    if (p[1] == '\0' || strchr ("sntr\\", p[1]) == NULL)
      {
        g_autofree char *escape = g_utf8_substring (p, 0, MIN (g_utf8_strlen (p, -1), 2));

        return ns_short_refuse (error, MAX_MESSAGE,
                                _ ("[%s] %s: “%s” is not allowed; allowed after a backslash: s, n, t, r or a "
                                   "backslash"),
                                group, key, escape);
      }
  return TRUE;
}

static gboolean
check_values (GKeyFile *file, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);

  for (guint i = 0; groups[i] != NULL; i++)
    {
      g_auto (GStrv) keys = g_key_file_get_keys (file, groups[i], NULL, NULL);

      for (guint k = 0; keys != NULL && keys[k] != NULL; k++)
        if (!check_value (file, groups[i], keys[k], error))
          return FALSE;
    }
  return TRUE;
}

/* Check the syntax of each line, since GLib's messages have no line number. */
static gboolean
check_lines (const char *text, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  gboolean in_group = FALSE;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *line = g_strstrip (lines[i]);
      const char *bracket = *line == '[' ? strchr (line, ']') : NULL;

      if (*line == '\0' || *line == '#')
        continue;
      if (bracket != NULL ? bracket > line + 1 && bracket[1] == '\0'
                          : *line != '[' && *line != '=' && strchr (line, '=') != NULL && in_group)
        {
          in_group = TRUE;
          continue;
        }
      return ns_short_refuse (error, MAX_MESSAGE,
                              _ ("line %u: “%s” is not allowed; allowed: [GROUP], KEY=VALUE in a group, or # and a "
                                 "comment"),
                              i + 1, line);
    }
  return TRUE;
}

GKeyFile *
ns_key_file_from_bytes (GBytes *bytes, const char *allowed, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) cause = NULL;
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autofree char *text = g_strndup (length > 0 ? data : "", length);

  if (length == 0)
    {
      ns_short_refuse (error, MAX_MESSAGE, _ ("the file is empty; allowed: %s"), allowed);
      return NULL;
    }
  if (!g_utf8_validate_len (data, length, NULL))
    {
      ns_short_refuse (error, MAX_MESSAGE, _ ("the file is not text in UTF-8; allowed: %s"), allowed);
      return NULL;
    }
  if (!check_lines (text, error))
    return NULL;
  if (!g_key_file_load_from_data (file, data, length, G_KEY_FILE_KEEP_TRANSLATIONS, &cause))
    {
      ns_short_refuse (error, MAX_MESSAGE, "%s", cause->message);
      return NULL;
    }
  return check_duplicates (text, error) && check_values (file, error) ? g_steal_pointer (&file) : NULL;
}
