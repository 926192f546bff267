/* Links and files of newer versions: nothing is lost, and what is broken or hostile is refused.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-json.h"
#include "document/ns-experiment-link.h"
#include "document/ns-experiment-open.h"
#include "document/ns-presets.h"
#include "document/ns-zlib.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* ---- links ---- */

static void
assert_links (const NsExperiment *experiment)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsUnknownKeys) unknown = NULL;
  g_autofree char *link = ns_experiment_to_link (experiment, NULL, &error);
  g_autoptr (NsExperiment) read = NULL;

  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (link, "normscope:1:"));
  for (const char *p = link; *p != '\0'; p++)
    g_assert_true (g_ascii_isalnum (*p) || strchr ("-_:", *p) != NULL);
  read = ns_experiment_open (link, &unknown, &error);
  g_assert_no_error (error);
  g_assert_null (unknown);
  g_assert_true (ns_experiment_equal (read, experiment));
}

static void
set_text (NsExperiment *experiment, const char *text)
{
  experiment->data.source = NS_SOURCE_TEXT;
  g_free (experiment->data.text);
  experiment->data.text = g_strdup (text);
  ns_experiment_fill_text (experiment);
}

static void
test_round_trip (void)
{
  gsize n;
  const NsPreset *presets = ns_presets (&n);
  const NsBuiltinVariant *variants;

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) experiment = ns_preset_load (presets[i].id, NULL);

      assert_links (experiment);
    }
  variants = ns_builtin_variants (&n);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) experiment = ns_experiment_new ();
      g_autofree char *changed = g_strdup_printf ("%s:name=%s,norm_eps=1e-7", variants[i].id, "„Ü“ 2 \"q\" \\");

      g_ptr_array_add (experiment->variants, ns_variant_from_text (changed, NULL));
      assert_links (experiment);
      g_ptr_array_remove_index (experiment->variants, 0);
      assert_links (experiment);
    }
}

static void
test_texts (void)
{
  static const char *const texts[] = { NULL, "null", "\"", "Grüße\n\t", "a" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (NsExperiment) experiment = ns_experiment_new ();

      experiment->shape.seq_len = 1;
      set_text (experiment, texts[i]);
      assert_links (experiment);
      /* A text that is kept while the input is something else. */
      experiment->data.source = NS_SOURCE_GAUSSIAN;
      assert_links (experiment);
    }
}

static void
test_short (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autofree char *link = ns_experiment_to_link (experiment, NULL, NULL);

  g_assert_cmpuint (strlen (link), <, 40);
  g_free (link);
  set_text (experiment, NULL);
  link = ns_experiment_to_link (experiment, NULL, NULL);
  g_assert_cmpuint (strlen (link), <, 80);
}

/* As a mail wraps it. */
static void
test_blanks (void)
{
  g_autoptr (NsExperiment) experiment = ns_preset_load ("gpt2-small", NULL);
  g_autofree char *link = ns_experiment_to_link (experiment, NULL, NULL);
  g_autoptr (GString) wrapped = g_string_new ("\n  ");
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (NsUnknownKeys) unknown = NULL;
  g_autoptr (NsExperiment) read = NULL;

  for (gsize i = 0; link[i] != '\0'; i++)
    g_string_append_printf (wrapped, "%c%s", link[i], i > 20 && i % 20 == 0 ? "\r\n " : "");
  g_string_append (wrapped, "\n");
  bytes = g_bytes_new (wrapped->str, wrapped->len);
  read = ns_experiment_open_bytes (bytes, "mail", &unknown, NULL);
  g_assert_true (read != NULL && ns_experiment_equal (read, experiment));
}

static void
assert_refused (const char *link, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsUnknownKeys) unknown = NULL;

  g_assert_null (ns_experiment_from_link (link, "the link", &unknown, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  if (strstr (error->message, words) == NULL || strstr (error->message, "the link") == NULL)
    g_error ("“%s” is not in: %s", words, error->message);
}

static char *
link_of (gconstpointer json, gsize length)
{
  g_autoptr (GByteArray) stream = ns_zlib_deflate (json, length);
  g_autofree char *base64 = g_base64_encode (stream->data, stream->len);

  g_strdelimit (base64, "+", '-');
  g_strdelimit (base64, "/", '_');
  *(base64 + strcspn (base64, "=")) = '\0';
  return g_strconcat ("normscope:1:", base64, NULL);
}

static void
test_damaged (void)
{
  g_autoptr (NsExperiment) experiment = ns_preset_load ("gpt2-small", NULL);
  g_autofree char *link = ns_experiment_to_link (experiment, NULL, NULL);
  gsize length = strlen (link);

  for (gsize cut = 0; cut < length; cut++)
    {
      g_autofree char *part = g_strndup (link, cut);

      assert_refused (part, "");
    }
  /* The last character can hold bits of no byte. */
  for (gsize at = 0; at < length - 1; at++)
    {
      g_autofree char *changed = g_strdup (link);

      changed[at] = changed[at] == 'q' ? 'r' : 'q';
      assert_refused (changed, "");
    }
}

static void
test_hostile (void)
{
  gsize much = 64 * 1024 * 1024;
  g_autofree char *blanks = g_malloc (much);
  g_autofree char *bomb = NULL;
  g_autofree char *long_link = NULL;
  g_autofree char *unknown_key = link_of ("{\"shape\":{\"dept\":3}}", 20);
  g_autofree char *wrong_value = link_of ("{\"shape\":{\"depth\":-3}}", 22);
  g_autofree char *nested = NULL;
  g_autofree char *extended = NULL;

  memset (blanks, ' ', much);
  bomb = link_of (blanks, NS_LINK_MAX_JSON_BYTES + 1);
  assert_refused (bomb, "more than is read");
  g_free (bomb);
  /* So much that the link itself is beyond its limit. */
  bomb = link_of (blanks, much);
  assert_refused (bomb, "too long");
  long_link = g_strdup_printf ("normscope:1:%.*s", 10 * 1024 * 1024, blanks);
  assert_refused (long_link, "too long");
  memset (blanks, '[', 100000);
  nested = link_of (blanks, 100000);
  assert_refused (nested, "nested");
  assert_refused (unknown_key, "shape.dept");
  assert_refused (wrong_value, "shape.depth");
  assert_refused ("normscope:2:eNqrrgUAAXUA-Q", "begins with something else");
  assert_refused ("normscope:1:eNqr*gUAAXUA-Q", "character 5");
  assert_refused ("normscope:1:", "cut off");
  extended = g_strconcat (unknown_key, "AAAA", NULL);
  assert_refused (extended, "the link");
}

static void
test_too_long (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (GError) error = NULL;
  GString *text = g_string_new (NULL);

  for (int i = 0; i < 200000; i++)
    g_string_append_c (text, (char) g_test_rand_int_range ('a', 'z'));
  set_text (experiment, text->str);
  g_string_free (text, TRUE);
  g_assert_null (ns_experiment_to_link (experiment, NULL, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
}

/* ---- files of a newer version ---- */

#define NEWER                                                                                                          \
  "{\"format\": \"normscope-experiment\", \"version\": 3, \"experts\": {\"n\": [1, {\"x\": null}]},"                   \
  " \"shape\": {\"depth\": 5, \"slots\": 2}, \"data\": {\"mask\": \"span\"}, \"sampling\": {\"antithetic\": true},"    \
  " \"variants\": [{\"name\": \"a\", \"window\": 64, \"attn\": {\"norm\": \"post\", \"rope\": 1e4}},"                  \
  " {\"name\": \"b\", \"memory\": {\"norm\": \"pre\"}}, {\"name\": \"c\", \"init\": {\"mup\": \"yes\"}}]}"

static NsExperiment *
read_newer (NsUnknownKeys **unknown)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (NEWER, strlen (NEWER));
  g_autoptr (GError) error = NULL;
  NsExperiment *experiment = ns_experiment_open_bytes (bytes, "newer", unknown, &error);

  g_assert_no_error (error);
  g_assert_nonnull (*unknown);
  return experiment;
}

/* What stands at a JSON path of the file that is written, as text; "" when nothing. */
static char *
dup_at (const NsExperiment *experiment, const NsUnknownKeys *unknown, const char *path)
{
  g_autoptr (GBytes) bytes = ns_experiment_to_bytes_with (experiment, unknown);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (JsonNode) found = NULL;
  JsonArray *array;

  g_assert_true (
      json_parser_load_from_data (parser, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes), NULL));
  found = json_path_query (path, json_parser_get_root (parser), NULL);
  array = json_node_get_array (found);
  return json_array_get_length (array) == 1 ? json_to_string (json_array_get_element (array, 0), FALSE) : g_strdup ("");
}

static void
assert_at (const NsExperiment *experiment, const NsUnknownKeys *unknown, const char *path, const char *wanted)
{
  g_autofree char *found = dup_at (experiment, unknown, path);

  g_assert_cmpstr (found, ==, wanted);
}

static void
assert_all_kept (const NsExperiment *experiment, const NsUnknownKeys *unknown)
{
  assert_at (experiment, unknown, "$.version", "3");
  assert_at (experiment, unknown, "$.experts", "{\"n\":[1,{\"x\":null}]}");
  assert_at (experiment, unknown, "$.shape.slots", "2");
  assert_at (experiment, unknown, "$.shape.depth", "5");
  assert_at (experiment, unknown, "$.data.mask", "\"span\"");
  assert_at (experiment, unknown, "$.sampling.antithetic", "true");
  assert_at (experiment, unknown, "$.variants[0].window", "64");
  assert_at (experiment, unknown, "$.variants[0].attn.rope", "10000.0");
  assert_at (experiment, unknown, "$.variants[0].attn.norm", "\"post\"");
  assert_at (experiment, unknown, "$.variants[1].memory", "{\"norm\":\"pre\"}");
  assert_at (experiment, unknown, "$.variants[2].init.mup", "\"yes\"");
}

static void
test_newer (void)
{
  g_autoptr (NsUnknownKeys) unknown = NULL;
  g_autoptr (NsUnknownKeys) copy = NULL;
  g_autoptr (NsUnknownKeys) again_unknown = NULL;
  g_autoptr (NsExperiment) experiment = read_newer (&unknown);
  g_autoptr (NsExperiment) again = NULL;
  g_autofree char *warning = ns_unknown_keys_dup_warning (unknown);
  g_autoptr (GBytes) bytes = ns_experiment_to_bytes_with (experiment, unknown);

  g_assert_cmpint (experiment->shape.depth, ==, 5);
  g_assert_cmpint (ns_experiment_variant (experiment, 0)->attn.norm, ==, NS_PLACE_POST);
  g_assert_cmpint (ns_unknown_keys_get_version (unknown), ==, 3);
  g_assert_cmpuint (ns_unknown_keys_get_n (unknown), ==, 8);
  g_assert_nonnull (strstr (warning, "version 3"));
  g_assert_nonnull (strstr (warning, "shape.slots"));
  g_assert_nonnull (strstr (warning, "variants[0].attn.rope"));
  assert_all_kept (experiment, unknown);
  copy = ns_unknown_keys_copy (unknown);
  assert_all_kept (experiment, copy);
  again = ns_experiment_read (bytes, "again", &again_unknown, NULL);
  g_assert_true (ns_experiment_equal (again, experiment));
  assert_all_kept (again, again_unknown);
}

/* Variants move, are renamed, go and come while the file is open. */
static void
test_newer_edited (void)
{
  g_autoptr (NsUnknownKeys) unknown = NULL;
  g_autoptr (NsExperiment) experiment = read_newer (&unknown);
  NsVariant *a = ns_variant_copy (ns_experiment_variant (experiment, 0));
  NsVariant *b = ns_experiment_variant (experiment, 1);

  g_free (b->name);
  b->name = g_strdup ("b, renamed");
  assert_at (experiment, unknown, "$.variants[1].memory", "{\"norm\":\"pre\"}");
  g_ptr_array_remove_index (experiment->variants, 0);
  g_ptr_array_add (experiment->variants, a);
  /* Now: b (renamed and moved), c, a. */
  assert_at (experiment, unknown, "$.variants[1].init.mup", "\"yes\"");
  assert_at (experiment, unknown, "$.variants[2].window", "64");
  assert_at (experiment, unknown, "$.variants[2].attn.rope", "10000.0");
  g_ptr_array_add (experiment->variants, ns_variant_new ("new"));
  assert_at (experiment, unknown, "$.variants[3].window", "");
  assert_at (experiment, unknown, "$.variants[3].experts", "");
}

static void
test_newer_link (void)
{
  g_autoptr (NsUnknownKeys) unknown = NULL;
  g_autoptr (NsUnknownKeys) read_unknown = NULL;
  g_autoptr (NsExperiment) experiment = read_newer (&unknown);
  g_autofree char *link = ns_experiment_to_link (experiment, unknown, NULL);
  g_autoptr (NsExperiment) read = ns_experiment_from_link (link, "link", &read_unknown, NULL);

  g_assert_true (ns_experiment_equal (read, experiment));
  assert_all_kept (read, read_unknown);
}

/* Version 1 stays strict, and readers that cannot give unknown keys back refuse what is newer. */
static void
test_strict (void)
{
  static const struct
  {
    const char *text, *words;
  } cases[] = {
    { "{\"format\": \"normscope-experiment\", \"version\": 1, \"experts\": 2}", "experts" },
    { "{\"format\": \"normscope-experiment\", \"version\": 1, \"variants\": [{\"attn\": {\"rope\": 1}}]}",
      "variants[0].attn.rope" },
    { "{\"format\": \"normscope-experiment\", \"version\": 2, \"shape\": {\"depth\": \"x\"}}", "shape.depth" },
    { "{\"format\": \"normscope-experiment\", \"version\": 2, \"shape\": 3}", "shape" },
    { "{\"format\": \"normscope-experiment\", \"version\": 0}", "version" },
    { "{\"version\": 2, \"experts\": 2}", "format" },
  };
  g_autoptr (GBytes) newer = g_bytes_new_static (NEWER, strlen (NEWER));
  g_autoptr (GError) refusal = NULL;

  g_assert_null (ns_experiment_from_bytes (newer, "newer", &refusal));
  g_assert_nonnull (strstr (refusal->message, "newer Normscope"));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (cases[i].text, strlen (cases[i].text));
      g_autoptr (GError) error = NULL;
      g_autoptr (NsUnknownKeys) unknown = NULL;

      g_assert_null (ns_experiment_read (bytes, "strict", &unknown, &error));
      g_assert_null (unknown);
      g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
      if (strstr (error->message, cases[i].words) == NULL)
        g_error ("“%s” is not in: %s", cases[i].words, error->message);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/link/round-trip", test_round_trip);
  g_test_add_func ("/link/texts", test_texts);
  g_test_add_func ("/link/short", test_short);
  g_test_add_func ("/link/blanks", test_blanks);
  g_test_add_func ("/link/damaged", test_damaged);
  g_test_add_func ("/link/hostile", test_hostile);
  g_test_add_func ("/link/too-long", test_too_long);
  g_test_add_func ("/newer/kept", test_newer);
  g_test_add_func ("/newer/edited", test_newer_edited);
  g_test_add_func ("/newer/link", test_newer_link);
  g_test_add_func ("/newer/strict", test_strict);
  return g_test_run ();
}
