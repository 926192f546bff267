/* Links survive a round trip; broken, hostile and newer ones are refused.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-json.h"
#include "document/ns-experiment-link.h"
#include "import/ns-experiment-open.h"
#include "document/ns-presets.h"
#include "document/ns-zlib.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"
#include "tests.h"

#include <string.h>

/* ---- links ---- */

static void
assert_links (const NsExperiment *experiment)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *link = ns_experiment_to_link (experiment, &error);
  g_autoptr (NsExperiment) read = NULL;

  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (link, "normscope:1:"));
  for (const char *p = link; *p != '\0'; p++)
    g_assert_true (g_ascii_isalnum (*p) || strchr ("-_:", *p) != NULL);
  read = ns_experiment_open (link, NULL, &error);
  g_assert_no_error (error);
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
      /* The text is kept while another source is selected. */
      experiment->data.source = NS_SOURCE_GAUSSIAN;
      assert_links (experiment);
    }
}

static void
test_short (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autofree char *link = ns_experiment_to_link (experiment, NULL);

  g_assert_cmpuint (strlen (link), <, 40);
  g_free (link);
  set_text (experiment, NULL);
  link = ns_experiment_to_link (experiment, NULL);
  g_assert_cmpuint (strlen (link), <, 80);
}

/* A link wrapped by a mail program. */
static void
test_blanks (void)
{
  g_autoptr (NsExperiment) experiment = ns_preset_load ("gpt2-small", NULL);
  g_autofree char *link = ns_experiment_to_link (experiment, NULL);
  g_autoptr (GString) wrapped = g_string_new ("\n  ");
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (NsExperiment) read = NULL;

  for (gsize i = 0; link[i] != '\0'; i++)
    g_string_append_printf (wrapped, "%c%s", link[i], i > 20 && i % 20 == 0 ? "\r\n " : "");
  g_string_append (wrapped, "\n");
  bytes = g_bytes_new (wrapped->str, wrapped->len);
  read = ns_experiment_open_bytes (bytes, "mail", NULL, NULL);
  g_assert_true (read != NULL && ns_experiment_equal (read, experiment));
}

static void
assert_refused (const char *link, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (ns_experiment_from_link (link, "the link", &error));
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
  g_autofree char *link = ns_experiment_to_link (experiment, NULL);
  gsize length = strlen (link);

  for (gsize cut = 0; cut < length; cut++)
    {
      g_autofree char *part = g_strndup (link, cut);

      assert_refused (part, "");
    }
  /* Skip the last character, whose low bits may be unused padding. */
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
  assert_refused (bomb, "decompressed data is too large");
  g_free (bomb);
  /* Here the link itself exceeds its limit. */
  bomb = link_of (blanks, much);
  assert_refused (bomb, "too long");
  long_link = g_strdup_printf ("normscope:1:%.*s", 10 * 1024 * 1024, blanks);
  assert_refused (long_link, "too long");
  memset (blanks, '[', 100000);
  nested = link_of (blanks, 100000);
  assert_refused (nested, "nested");
  assert_refused (unknown_key, "shape.dept");
  assert_refused (wrong_value, "shape.depth");
  assert_refused ("normscope:2:eNqrrgUAAXUA-Q", "it has a different prefix");
  assert_refused ("normscope:1:eNqr*gUAAXUA-Q", "character 5");
  assert_refused ("normscope:1:", "truncated");
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
  g_assert_null (ns_experiment_to_link (experiment, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
}

/* ---- newer versions ---- */

/* Refuse a newer file whatever its content, since its keys may have another meaning. */
static void
test_newer (void)
{
  static const char *const texts[] = {
    "{\"format\": \"normscope-experiment\", \"version\": 3, \"experts\": {\"n\": [1, {\"x\": null}]}}",
    "{\"format\": \"normscope-experiment\", \"version\": 3, \"shape\": {\"depth\": 5}}",
    "{\"format\": \"normscope-experiment\", \"shape\": {\"depth\": \"x\"}, \"version\": 3}",
    "{\"version\": 3, \"shape\": {\"depth\": 5}}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (texts[i], strlen (texts[i]));
      g_autofree char *link = link_of (texts[i], strlen (texts[i]));
      g_autoptr (GError) error = NULL;

      assert_refused (link, "version: 3 needs a newer Normscope");
      if (strstr (texts[i], "format") == NULL)
        continue;
      g_assert_null (ns_experiment_open_bytes (bytes, "newer", NULL, &error));
      g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, "newer: version: 3 needs a newer Normscope"));
    }
}

/* Errors in a file of this version name the key's path. */
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
    { "{\"format\": \"normscope-experiment\", \"version\": 0}", "version" },
    { "{\"version\": 2, \"experts\": 2}", "format" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (cases[i].text, strlen (cases[i].text));
      g_autoptr (GError) error = NULL;

      g_assert_null (ns_experiment_from_bytes (bytes, "strict", &error));
      g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
      if (strstr (error->message, cases[i].words) == NULL)
        g_error ("“%s” is not in: %s", cases[i].words, error->message);
    }
}

void
add_link_tests (void)
{
  g_test_add_func ("/link/round-trip", test_round_trip);
  g_test_add_func ("/link/texts", test_texts);
  g_test_add_func ("/link/short", test_short);
  g_test_add_func ("/link/blanks", test_blanks);
  g_test_add_func ("/link/damaged", test_damaged);
  g_test_add_func ("/link/hostile", test_hostile);
  g_test_add_func ("/link/too-long", test_too_long);
  g_test_add_func ("/link/newer", test_newer);
  g_test_add_func ("/link/strict", test_strict);
}
