/* Mutated model configs: each is imported as a valid experiment, or refused with a clear message.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The seed is fixed, so that a failure repeats.
 */
#include "config-fixtures.h"

#include "document/ns-file.h"
#include "engine/experiment/ns-validate.h"
#include "import/ns-config-import.h"
#include "tests.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define NAME "my.json"
#define SEED 20
#define MAX_MESSAGE 4000

/* Values that a key of any type might have, as JSON or as Python writes it. */
static const char *const values[] = { "null",     "true", "false",     "0",    "1",    "-1",      "3",
                                      "2.5",      "1e99", "1e-99",     "-0.0", "4e9",  "65537",   "4611686018427387904",
                                      "Infinity", "NaN",  "-Infinity", "\"\"", "\"x\"", "\"gelu\"", "[]",
                                      "[1]",      "[[]]", "{}",        "{\"a\": 1}",
                                      "1000000000000000019884624838656" };

/* Where a value stands before the text is complete. */
#define PLACE "\001"
#define QUOTED_PLACE "\"\\u0001\""

/* Return TRUE if the text was accepted. */
static gboolean
check_text (const char *fixture, const char *text, gsize length)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, length);
  g_autoptr (GError) error = NULL, invalid = NULL;
  g_autoptr (NsConfigImport) import = ns_config_import_from_bytes (bytes, NAME, &error);

  g_test_message ("%s: %.*s", fixture, (int) MIN (length, 3000), text);
  if (import == NULL)
    {
      g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
      g_assert_true (g_str_has_prefix (error->message, NAME));
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      g_assert_cmpuint (strlen (error->message), >, strlen (NAME) + 10);
      g_assert_cmpuint (strlen (error->message), <, MAX_MESSAGE);
      return FALSE;
    }
  g_assert_no_error (error);
  ns_experiment_validate (import->experiment, &invalid);
  g_assert_no_error (invalid);
  return TRUE;
}

static GPtrArray *
list_fixtures (void)
{
  GPtrArray *names = ns_file_list_names (CONFIGS_DIR, ".json");

  g_assert_cmpuint (names->len, >, 20);
  for (guint i = 0; i < names->len; i++)
    {
      char *name = g_ptr_array_index (names, i);

      name[strlen (name) - strlen (".json")] = '\0';
    }
  return names;
}

static JsonNode *
parse_fixture (const char *name)
{
  g_autoptr (GBytes) bytes = config_read_fixture (name);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));

  return json_from_string (text, NULL);
}

/* Return the config with the value at the place. */
static char *
dup_with (JsonNode *root, const char *value)
{
  g_autofree char *all = json_to_string (root, FALSE);
  g_autoptr (GString) text = g_string_new (all);

  g_assert_cmpuint (g_string_replace (text, QUOTED_PLACE, value, 0), ==, 1);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Try all values of a key of an object in the tree. */
static void
mutate_member (const char *fixture, JsonNode *root, JsonObject *object, const char *name, guint *n, guint *n_accepted)
{
  g_autofree char *key = g_strdup (name); /* the object frees that of a member that is removed */
  g_autoptr (JsonNode) old = json_node_copy (json_object_get_member (object, key));
  g_autofree char *without = NULL;

  json_object_set_string_member (object, key, PLACE);
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *text = dup_with (root, values[i]);

      *n_accepted += check_text (fixture, text, strlen (text)) ? 1 : 0;
      (*n)++;
    }
  json_object_remove_member (object, key);
  without = json_to_string (root, FALSE);
  *n_accepted += check_text (fixture, without, strlen (without)) ? 1 : 0;
  json_object_set_member (object, key, g_steal_pointer (&old));
}

static void
mutate_object (const char *fixture, JsonNode *root, JsonObject *object, guint *n, guint *n_accepted)
{
  g_autoptr (GList) keys = json_object_get_members (object);

  for (GList *l = keys; l != NULL; l = l->next)
    {
      JsonNode *member = json_object_get_member (object, l->data);

      if (JSON_NODE_HOLDS_OBJECT (member))
        mutate_object (fixture, root, json_node_get_object (member), n, n_accepted);
      mutate_member (fixture, root, object, l->data, n, n_accepted);
    }
}

/* Each key of each published config with each value. */
static void
test_values (void)
{
  g_autoptr (GPtrArray) names = list_fixtures ();
  guint n = 0, n_accepted = 0;

  for (guint i = 0; i < names->len; i++)
    {
      g_autoptr (JsonNode) root = parse_fixture (g_ptr_array_index (names, i));

      mutate_object (g_ptr_array_index (names, i), root, json_node_get_object (root), &n, &n_accepted);
    }
  g_test_message ("%u of %u accepted", n_accepted, n);
  g_assert_cmpuint (n_accepted, >, n / 10); /* keys that are not read, and allowed values */
  g_assert_cmpuint (n_accepted, <, n * 9 / 10);
}

/* A key that no family reads has any value, also those that JSON lacks, and changes nothing. */
static void
test_unread (void)
{
  g_autoptr (GPtrArray) names = list_fixtures ();

  for (guint i = 0; i < names->len; i++)
    for (gsize v = 0; v < G_N_ELEMENTS (values); v++)
      {
        g_autoptr (JsonNode) root = parse_fixture (g_ptr_array_index (names, i));
        g_autofree char *text = NULL;

        json_object_set_string_member (json_node_get_object (root), "nobody_reads_this", PLACE);
        text = dup_with (root, values[v]);
        g_assert_true (check_text (g_ptr_array_index (names, i), text, strlen (text)));
      }
}

/* Bytes that are lost, doubled, replaced or cut off at random. */
static void
test_bytes (void)
{
  g_autoptr (GPtrArray) names = list_fixtures ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);

  for (guint turn = 0; turn < 4000; turn++)
    {
      const char *name = g_ptr_array_index (names, turn % names->len);
      g_autoptr (GBytes) bytes = config_read_fixture (name);
      g_autoptr (GString) text = g_string_new_len (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));

      for (guint k = 1 + turn % 3; k > 0 && text->len > 0; k--)
        {
          gssize at = g_rand_int_range (rand, 0, (gint32) text->len);
          gssize most = g_rand_int_range (rand, 1, 20), n = MIN ((gssize) text->len - at, most);
          g_autofree char *piece = g_memdup2 (text->str + at, (gsize) n);

          switch (g_rand_int_range (rand, 0, 4))
            {
            case 0:
              g_string_erase (text, at, n);
              break;
            case 1:
              g_string_insert_len (text, at, piece, n);
              break;
            case 2:
              text->str[at] = (char) g_rand_int_range (rand, 0, 256);
              break;
            default:
              g_string_insert (text, at, values[(gsize) g_rand_int_range (rand, 0, G_N_ELEMENTS (values))]);
            }
        }
      if (turn % 7 == 0)
        g_string_truncate (text, (gsize) g_rand_int_range (rand, 0, (gint32) text->len + 1));
      check_text (name, text->str, text->len);
    }
}

/* Keys of one family in the config of another. */
static void
test_crossed (void)
{
  g_autoptr (GPtrArray) names = list_fixtures ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);

  for (guint i = 0; i < names->len; i++)
    for (guint j = 0; j < names->len; j++)
      {
        g_autoptr (JsonNode) root = parse_fixture (g_ptr_array_index (names, i));
        g_autoptr (JsonNode) other = parse_fixture (g_ptr_array_index (names, j));
        g_autofree char *text = NULL;
        JsonObjectIter iter;
        const char *key;
        JsonNode *member;

        json_object_iter_init (&iter, json_node_get_object (other));
        while (json_object_iter_next (&iter, &key, &member))
          if (g_rand_boolean (rand))
            json_object_set_member (json_node_get_object (root), key, json_node_copy (member));
        text = json_to_string (root, FALSE);
        check_text (g_ptr_array_index (names, i), text, strlen (text));
      }
}

void
add_config_mutations_tests (void)
{
  g_test_add_func ("/config-mutations/values", test_values);
  g_test_add_func ("/config-mutations/unread", test_unread);
  g_test_add_func ("/config-mutations/bytes", test_bytes);
  g_test_add_func ("/config-mutations/crossed", test_crossed);
}
