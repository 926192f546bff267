/* Helpers of the tests of model configs.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config-fixtures.h"

#include "document/ns-file.h"
#include "document/ns-json-node.h"
#include "engine/experiment/ns-experiment.h"

#include <string.h>

gpointer
config_get_base (const NsParam *param, NsExperiment *experiment)
{
  return param->section == NS_SECTION_VARIANT ? (gpointer) ns_experiment_variant (experiment, 0) : experiment;
}

GBytes *
config_read_fixture (const char *name)
{
  g_autofree char *base = g_strconcat (name, ".json", NULL);
  g_autofree char *path = g_build_filename (CONFIGS_DIR, base, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  GBytes *bytes = ns_file_read (file, NS_FILE_CONFIG, NULL, &error);

  g_assert_no_error (error);
  return bytes;
}

void
config_assert_notes (char **assumptions, const char *words)
{
  g_autofree char *all = g_strjoinv ("\n", assumptions);
  g_auto (GStrv) halves = g_strsplit (words, "!", 2);
  g_auto (GStrv) present = g_strsplit (halves[0], "|", -1);
  g_auto (GStrv) absent = g_strsplit (halves[1] != NULL ? halves[1] : "", "|", -1);

  g_test_message ("%s", all);
  for (guint i = 0; present[i] != NULL; i++)
    g_assert_nonnull (strstr (all, present[i]));
  for (guint i = 0; absent[i] != NULL; i++)
    g_assert_null (strstr (all, absent[i]));
  for (guint i = 0; assumptions[i] != NULL; i++)
    {
      g_assert_true (g_str_has_suffix (assumptions[i], "."));
      for (guint j = 0; j < i; j++)
        g_assert_cmpstr (assumptions[i], !=, assumptions[j]);
    }
}

GBytes *
config_from_text (const char *text)
{
  g_autofree char *quoted = g_strdelimit (g_strdup (text), "'", '"');

  return g_bytes_new (quoted, strlen (quoted));
}

GBytes *
config_change (const char *fixture, const char *members)
{
  g_autoptr (GBytes) bytes = config_read_fixture (fixture);
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (JsonNode) over = NULL;
  g_autofree char *text = NULL;
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autofree char *whole = g_strndup (data, length);
  g_autofree char *quoted = g_strdelimit (g_strdup (members), "'", '"');

  node = json_from_string (whole, NULL);
  over = json_from_string (quoted, NULL);
  g_assert_nonnull (over);
  json_object_iter_init (&iter, json_node_get_object (over));
  while (json_object_iter_next (&iter, &name, &member))
    if (JSON_NODE_HOLDS_NULL (member))
      json_object_remove_member (json_node_get_object (node), name);
    else
      json_object_set_member (json_node_get_object (node), name, json_node_copy (member));
  text = ns_json_node_dup_text (node);
  return g_bytes_new (text, strlen (text));
}
