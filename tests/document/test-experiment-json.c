/* Experiment files: experiments survive a round trip, and errors name the key.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-json.h"
#include "document/ns-json-check.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "tests.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#define FORMAT "\"format\": \"normscope-experiment\""

static GBytes *
bytes_of (const char *text)
{
  return g_bytes_new (text, strlen (text));
}

static NsExperiment *
read_text (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = bytes_of (text);

  return ns_experiment_from_bytes (bytes, "test.normscope", error);
}

static char *
write_text (const NsExperiment *experiment)
{
  g_autoptr (GBytes) bytes = ns_experiment_to_bytes (experiment);

  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* ---- reading back ---- */

static void
assert_reads_back (const NsExperiment *experiment)
{
  g_autofree char *text = write_text (experiment);
  g_autofree char *again = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) read = read_text (text, &error);

  g_assert_no_error (error);
  g_assert_true (ns_experiment_equal (read, experiment));
  again = write_text (read);
  g_assert_cmpstr (again, ==, text);
}

static double
random_number (const NsParam *param)
{
  /* Cover all magnitudes down to denormals, so a loss of digits shows. */
  double value = g_test_rand_double_range (0, 1) * pow (10, g_test_rand_int_range (-310, 6));

  return CLAMP (value, param->min, param->max);
}

static void
randomize (const NsParam *param, gpointer base)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  guint n_choices = param->choices != NULL ? g_strv_length ((char **) param->choices) : 0;

  if (param->nullable && g_test_rand_bit ())
    {
      g_assert_true (ns_param_set_string (param, base, NULL, "", NULL));
      return;
    }
  switch (param->type)
    {
    case NS_TYPE_INTEGER:
      ns_param_set_int (param, base, (gint64) g_test_rand_double_range (param->min, param->max), "", &error);
      break;
    case NS_TYPE_NUMBER:
      ns_param_set_number (param, base, random_number (param), "", &error);
      break;
    case NS_TYPE_BOOLEAN:
      ns_param_set_int (param, base, g_test_rand_bit (), "", &error);
      break;
    case NS_TYPE_CHOICE:
      ns_param_set_int (param, base, g_test_rand_int_range (0, (gint32) n_choices), "", &error);
      break;
    case NS_TYPE_SCALE:
      if (g_test_rand_bit ())
        ns_param_set_number (param, base, random_number (param), "", &error);
      else
        ns_param_set_string (param, base, param->choices[g_test_rand_int_range (0, (gint32) n_choices)], "", &error);
      break;
    case NS_TYPE_STRING:
      /* A text may contain what a name may not. */
      text = g_strdup_printf ("Größe \"%d\"\\ ∂L/∂W₂ 漢字 🙂 שלום%s", g_test_rand_int (),
                              param->one_line ? "" : " \n\r\t\x01\x7f\xc2\x85\u2028\u202e\u2066\uffff\U0001fffe");
      ns_param_set_string (param, base, text, "", &error);
      break;
    case NS_TYPE_LIST:
      text = g_strdup_printf ("%.17g 1e-06 %.3g", random_number (param), random_number (param));
      ns_param_set_string (param, base, text, "", &error);
      break;
    default:
      g_assert_not_reached ();
    }
  g_assert_no_error (error);
}

/* Return random values of a variant that are valid in the experiment. `suffix` makes its name unique. */
static NsVariant *
random_variant (const NsExperiment *experiment, const char *suffix)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (;;)
    {
      g_autoptr (NsExperiment) alone = ns_experiment_copy (experiment);
      NsVariant *variant = ns_variant_new ("any");
      char *name;

      g_ptr_array_set_size (alone->variants, 0);
      g_ptr_array_add (alone->variants, variant);
      for (gsize i = 0; i < n; i++)
        if (params[i].section == NS_SECTION_VARIANT)
          randomize (&params[i], variant);
      variant->ffn = variant->attn;
      if (!ns_experiment_validate (alone, NULL))
        continue;
      variant = ns_variant_copy (variant);
      name = g_strdup_printf ("%s (%s)", variant->name, suffix);
      g_free (variant->name);
      variant->name = name;
      return variant;
    }
}

/* Return random values, adjusted to be valid together. */
static NsExperiment *
random_experiment (void)
{
  NsExperiment *experiment = ns_experiment_new ();
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (params[i].section != NS_SECTION_VARIANT)
      randomize (&params[i], experiment);
  experiment->shape.stack = NS_STACK_SINGLE;
  experiment->shape.heads = 1;
  experiment->shape.kv_heads = g_test_rand_bit ();
  if (experiment->data.source == NS_SOURCE_TEXT)
    {
      experiment->shape.vocab = 256;
      experiment->shape.seq_len = 8;
      ns_experiment_fill_text (experiment);
    }
  if (experiment->data.source == NS_SOURCE_MARKOV)
    experiment->shape.vocab = 2 + experiment->shape.vocab % 500;
  /* One minibatch has no expected gradient. */
  experiment->sampling.batches = MAX (experiment->sampling.batches, 2);
  g_ptr_array_set_size (experiment->variants, 0);
  while (experiment->variants->len < 3)
    {
      static const char *const names[] = { "first", "second", "third" };

      g_ptr_array_add (experiment->variants, random_variant (experiment, names[experiment->variants->len]));
    }
  return experiment;
}

static void
test_round_trip (void)
{
  g_autoptr (NsExperiment) defaults = ns_experiment_new ();

  assert_reads_back (defaults);
  for (int i = 0; i < 100; i++)
    {
      g_autoptr (NsExperiment) experiment = random_experiment ();

      assert_reads_back (experiment);
    }
}

static void
test_model_example (void)
{
  static const char text[]
    = "{ " FORMAT ", \"version\": 1,\n"
      "\"shape\": {\"stack\": \"single\", \"depth\": 24, \"d_model\": 128, \"heads\": 4, \"d_ff\": 512,\n"
      "\"seq_len\": 32, \"batch\": 2, \"vocab\": 256},\n"
      "\"data\": {\"source\": \"gaussian\", \"embed_std\": 1.0, \"positions\": \"none\", \"text\": null},\n"
      "\"loss\": \"cross-entropy\", \"sampling\": {\"seed\": 0, \"seeds\": 8},\n"
      "\"variants\": [{\"name\": \"Pre-LN\", \"norm\": \"layernorm\", \"norm_eps\": 1e-5,\n"
      "\"topology\": \"sequential\", \"attention\": \"full\", \"attention_output\": true,\n"
      "\"activation\": \"relu\", \"bias\": false,\n"
      "\"attn\": {\"norm\": \"pre\", \"residual\": true}, \"ffn\": {\"norm\": \"pre\", \"residual\": true},\n"
      "\"post_fraction\": null, \"norm_scale\": \"none\", \"residual_scale\": 1.0, \"branch_scale\": 1.0,\n"
      "\"final_norm\": \"auto\", \"init\": {\"scheme\": \"xavier-normal\", \"std\": 0.02, \"residual\": \"none\"}}]}";
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) experiment = read_text (text, &error);
  g_autoptr (NsExperiment) defaults = ns_experiment_new ();

  g_assert_no_error (error);
  g_ptr_array_remove_index (defaults->variants, 1);
  g_assert_true (ns_experiment_equal (experiment, defaults));
}

static void
test_absent_keys (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) defaults = ns_experiment_new ();
  g_autoptr (NsExperiment) least = read_text ("{" FORMAT "}", &error);
  g_autoptr (NsExperiment) empty = read_text ("\xef\xbb\xbf {" FORMAT ", \"shape\": {}, \"variants\": [{}, {}]}", NULL);

  g_assert_no_error (error);
  g_assert_true (ns_experiment_equal (least, defaults));
  g_assert_nonnull (empty);
  g_assert_cmpuint (empty->variants->len, ==, 2);
  g_assert_cmpstr (ns_experiment_variant (empty, 0)->name, ==, "Pre-LN");
  g_assert_cmpstr (ns_experiment_variant (empty, 1)->name, ==, "Pre-LN 2");
}

static void
test_numbers (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) experiment
    = read_text ("{" FORMAT ", \"shape\": {\"depth\": 24.0, \"batch\": 1e1},"
                 " \"sampling\": {\"seed\": 9007199254740991}, \"data\": {\"embed_std\": 2},"
                 " \"variants\": [{\"residual_scale\": 3, \"norm_eps\": 1E-300}]}",
                 &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (experiment->shape.depth, ==, 24);
  g_assert_cmpint (experiment->shape.batch, ==, 10);
  g_assert_cmpint (experiment->sampling.seed, ==, G_GINT64_CONSTANT (9007199254740991));
  g_assert_cmpfloat (experiment->data.embed_std, ==, 2);
  g_assert_cmpfloat (ns_experiment_variant (experiment, 0)->norm_eps, ==, 1e-300);
  text = write_text (experiment);
  g_assert_nonnull (strstr (text, "\"seed\": 9007199254740991,"));
  g_assert_nonnull (strstr (text, "\"embed_std\": 2.0,"));
  g_assert_nonnull (strstr (text, "\"norm_eps\": 1e-300,"));
  g_assert_nonnull (strstr (text, "\"std\": 0.02,"));
}

static void
test_every_key_is_written (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autofree char *text = write_text (experiment);
  g_autoptr (JsonParser) parser = json_parser_new ();
  gsize n;
  const NsParam *params = ns_params (&n);

  g_assert_true (json_parser_load_from_data (parser, text, -1, NULL));
  for (gsize i = 0; i < n; i++)
    {
      gboolean of_variant = params[i].section == NS_SECTION_VARIANT;
      gconstpointer base = of_variant ? (gconstpointer) ns_experiment_variant (experiment, 0) : experiment;
      gboolean absent = params[i].implied && ns_param_is_null (&params[i], base);
      g_autofree char *path = g_strdup_printf ("$.%s%s", of_variant ? "variants[0]." : "",
                                               ns_param_get_path (&params[i]));
      g_autoptr (JsonNode) found = json_path_query (path, json_parser_get_root (parser), NULL);

      g_assert_cmpuint (json_array_get_length (json_node_get_array (found)), ==, absent ? 0 : 1);
    }
  g_assert_null (strstr (text, "NaN"));
}

static void
test_sample_text (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) experiment
    = read_text ("{" FORMAT ", \"data\": {\"source\": \"text\", \"text\": null}}", &error);
  g_autoptr (NsExperiment) other = ns_experiment_new ();

  g_assert_no_error (error);
  g_assert_cmpstr (experiment->data.text, ==, ns_sample_text ());
  g_assert_cmpuint (strlen (ns_sample_text ()), >, 4096);
  g_assert_true (g_utf8_validate (ns_sample_text (), -1, NULL));
  assert_reads_back (experiment);
  ns_experiment_fill_text (other);
  g_assert_null (other->data.text);
}

/* ---- bad input ---- */

typedef struct
{
  const char *name;
  const char *text;
  const char *words[4]; /* expected in the message: key, value, allowed values */
} Bad;

#define IN_SHAPE(pair_) "{" FORMAT ", \"shape\": {" pair_ "}}"
#define IN_VARIANT(pair_) "{" FORMAT ", \"variants\": [{}, {\"name\": \"b\", " pair_ "}]}"

static const Bad bad[] = {
  { "no-format", "{}", { "format", "missing", "normscope-experiment" } },
  { "other-format", "{\"format\": \"normscope-result\"}", { "format", "normscope-result", "normscope-experiment" } },
  { "format-type", "{\"format\": 3}", { "format", "3", "normscope-experiment" } },
  { "newer", "{" FORMAT ", \"version\": 2}", { "version", "2", "newer", "allowed: up to 1" } },
  { "version-type", "{" FORMAT ", \"version\": \"1\"}", { "version", "\"1\"", "allowed: 1" } },
  { "version-zero", "{" FORMAT ", \"version\": 0}", { "version", "0", "allowed: 1" } },
  { "not-an-object", "[]", { "[]", "object" } },
  { "unknown-top", "{" FORMAT ", \"los\": \"x\"}", { "los", "\"x\"", "“loss”", "sampling" } },
  { "unknown-in-shape", IN_SHAPE ("\"dept\": 3"), { "shape.dept", "3", "“depth”", "seq_len" } },
  { "unknown-in-variant", IN_VARIANT ("\"activaton\": \"relu\""),
    { "variants[1].activaton", "\"relu\"", "“activation”", "final_norm" } },
  { "unknown-nested", IN_VARIANT ("\"attn\": {\"nrm\": \"pre\"}"), { "variants[1].attn.nrm", "“norm”", "residual" } },
  { "unlike-anything", IN_SHAPE ("\"zzzzzzzz\": {\"a\": [1]}"), { "shape.zzzzzzzz", "{\"a\":[1]}", "d_model" } },
  { "stack", IN_SHAPE ("\"stack\": \"encoder\""), { "shape.stack", "\"encoder\"", "single, encoder-decoder" } },
  { "unknown-in-cross", IN_VARIANT ("\"cross\": {\"nrm\": \"pre\"}"), { "variants[1].cross.nrm", "“norm”" } },
  { "depth-zero", IN_SHAPE ("\"depth\": 0"), { "shape.depth", "0", "from 1 to" } },
  { "depth-huge", IN_SHAPE ("\"depth\": 1e9"), { "shape.depth", "1000000000", "from 1 to" } },
  { "depth-negative", IN_SHAPE ("\"depth\": -3"), { "shape.depth", "-3", "from 1 to" } },
  { "depth-nan", IN_SHAPE ("\"depth\": NaN"), { "shape.depth", "NaN", "from 1 to" } },
  { "depth-infinite", IN_SHAPE ("\"depth\": -Infinity"), { "shape.depth", "-Infinity", "from 1 to" } },
  { "depth-fraction", IN_SHAPE ("\"depth\": 2.5"), { "shape.depth", "2.5", "from 1 to" } },
  { "depth-string", IN_SHAPE ("\"depth\": \"3\""), { "shape.depth", "\"3\"", "from 1 to" } },
  { "depth-boolean", IN_SHAPE ("\"depth\": true"), { "shape.depth", "true", "from 1 to" } },
  { "depth-null", IN_SHAPE ("\"depth\": null"), { "shape.depth", "null", "from 1 to" } },
  { "depth-array", IN_SHAPE ("\"depth\": [3]"), { "shape.depth", "[3]", "from 1 to" } },
  { "depth-64-bits", IN_SHAPE ("\"depth\": 18446744073709551617"),
    { "shape.depth", "18446744073709551617", "from 1 to" } },
  { "number-overflow", "{" FORMAT ", \"data\": {\"embed_std\": 1e999}}", { "data.embed_std", "1e999", "from 0" } },
  { "heads", IN_SHAPE ("\"heads\": 3"), { "shape.heads", "3", "128", "1, 2, 4" } },
  { "section-type", "{" FORMAT ", \"shape\": [24]}", { "shape", "[24]", "object" } },
  { "group-type", IN_VARIANT ("\"attn\": \"pre\""), { "variants[1].attn", "\"pre\"", "object" } },
  { "choice", IN_VARIANT ("\"attn\": {\"norm\": \"prenorm\"}"),
    { "variants[1].attn.norm", "\"prenorm\"", "none, pre, post" } },
  { "choice-index", IN_VARIANT ("\"norm\": 1"), { "variants[1].norm", "1", "layernorm, rmsnorm" } },
  { "boolean-number", IN_VARIANT ("\"bias\": 1"), { "variants[1].bias", "1", "true or false" } },
  { "scale-word", IN_VARIANT ("\"residual_scale\": \"gpt2\""),
    { "variants[1].residual_scale", "\"gpt2\"", "deepnorm" } },
  { "name-empty", IN_VARIANT ("\"norm\": \"rmsnorm\"}, {\"name\": \"\""), { "variants[2].name", "\"\"", "non-empty" } },
  { "name-twice", IN_VARIANT ("\"norm\": \"rmsnorm\"}, {\"name\": \"b\""),
    { "variants[2].name", "\"b\"", "variants[1]" } },
  { "no-variants", "{" FORMAT ", \"variants\": []}", { "variants", "0", "from 1 to 16" } },
  { "variants-type", "{" FORMAT ", \"variants\": {}}", { "variants", "{}", "array" } },
  { "variant-type", "{" FORMAT ", \"variants\": [7]}", { "variants[0]", "7", "object" } },
  { "seed", "{" FORMAT ", \"sampling\": {\"seed\": -1}}", { "sampling.seed", "-1", "from 0 to" } },
  { "text-empty", "{" FORMAT ", \"data\": {\"source\": \"text\", \"text\": \"\"}}",
    { "data.text", "\"\"", "non-empty" } },
  { "text-short", "{" FORMAT ", \"data\": {\"source\": \"text\", \"text\": \"abc\"}}",
    { "data.text", "abc", "seq_len", "32" } },
  { "text-vocab", "{" FORMAT ", \"shape\": {\"vocab\": 64}, \"data\": {\"source\": \"text\"}}",
    { "shape.vocab", "64", "256" } },
  { "key-twice", IN_SHAPE ("\"depth\": 3, \"depth\": 4"), { "shape.depth", "duplicate" } },
  { "key-twice-escaped", IN_SHAPE ("\"depth\": 3, \"\\u0064epth\": 4"), { "duplicate" } },
  { "pair-twice-escaped", IN_SHAPE ("\"\\ud83d\\ude00\": 3, \"😀\": 4"), { "duplicate" } },
  { "slash-twice-escaped", IN_SHAPE ("\"\\/\\n\": 3, \"/\\u000a\": 4"), { "duplicate" } },
  { "comma", "{" FORMAT ",}", { "}", "key", "line 1" } },
  { "comment", "{" FORMAT "} // note", { "//", "end of the file" } },
  { "glued", IN_SHAPE ("\"depth\": 012"), { "shape.depth", "012" } },
  { "single-quotes", "{'format': 1}", { "'format'", "double quotes" } },
  { "surrogate", IN_VARIANT ("\"final_norm\": \"\\ud800\""), { "variants[1].final_norm", "surrogate" } },
  { "zero-byte", IN_VARIANT ("\"final_norm\": \"\\u0000\""), { "variants[1].final_norm", "u0000" } },
  { "empty", "", { "empty", "experiment file" } },
  { "blank", " \n\t", { "empty", "experiment file" } },
  { "truncated", "{" FORMAT ", \"shape\": {\"depth\": 3", { "shape.depth", "truncated" } },
  { "binary", "\x89PNG\r\n\x1a\n", { "byte 1", "0x89", "UTF-8" } },
};

static void
test_bad (gconstpointer data)
{
  const Bad *test = data;
  g_autoptr (GError) error = NULL;

  g_assert_null (read_text (test->text, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, "test.normscope"));
  for (gsize i = 0; i < G_N_ELEMENTS (test->words) && test->words[i] != NULL; i++)
    if (strstr (error->message, test->words[i]) == NULL)
      g_error ("“%s” is not in: %s", test->words[i], error->message);
}

static void
test_too_many_variants (void)
{
  GString *text = g_string_new ("{" FORMAT ", \"variants\": [");
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 40; i++)
    g_string_append_printf (text, "%s{\"name\": \"v%d\"}", i > 0 ? ", " : "", i);
  g_string_append (text, "]}");
  g_assert_null (read_text (text->str, &error));
  g_assert_nonnull (strstr (error->message, "variants: 40"));
  g_assert_nonnull (strstr (error->message, "from 1 to 16"));
  g_string_free (text, TRUE);
}

/* A recursive parser would overflow the stack. */
static void
test_nesting (void)
{
  static const char *const openings[] = { "[", "{\"a\":" };

  for (gsize i = 0; i < G_N_ELEMENTS (openings); i++)
    {
      GString *text = g_string_new ("{" FORMAT ", \"shape\": ");
      g_autoptr (GError) error = NULL;

      for (int level = 0; level < 1000000; level++)
        g_string_append (text, openings[i]);
      g_assert_null (read_text (text->str, &error));
      g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, "nested"));
      g_assert_cmpuint (strlen (error->message), <, 1000);
      g_string_free (text, TRUE);
    }
}

static void
test_too_large (void)
{
  gsize size = ns_file_get_max_bytes (NS_FILE_EXPERIMENT) + 1;
  char *blanks = g_malloc (size);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  memset (blanks, ' ', size);
  bytes = g_bytes_new_take (blanks, size);
  g_assert_null (ns_experiment_from_bytes (bytes, "big.normscope", &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "40 MiB"));
}

static void
test_many_keys (void)
{
  GString *text = g_string_new ("{" FORMAT);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 100000; i++)
    g_string_append_printf (text, ",\"k%d\":0", i);
  g_string_append_c (text, '}');
  g_assert_null (read_text (text->str, &error));
  g_assert_nonnull (strstr (error->message, "too many values; allowed: 65536"));
  g_string_free (text, TRUE);
}

/* An experiment of the largest text can be saved and opened; one more byte is refused, and so is a longer name. */
static void
test_long_strings (void)
{
  g_autofree char *whole = g_strnfill (NS_MAX_TEXT_BYTES, '\x01');
  g_autofree char *longer = g_strconcat (whole, "x", NULL);
  g_autofree char *name = g_strnfill (NS_MAX_NAME_BYTES + 1, 'n');
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (NsExperiment) again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (ns_param_set_string (ns_param_find ("data.text"), experiment, whole, "", &error));
  g_assert_no_error (error);
  bytes = ns_experiment_to_bytes (experiment);
  again = ns_experiment_from_bytes (bytes, "long.normscope", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (again->data.text, ==, whole);
  g_assert_false (ns_param_set_string (ns_param_find ("data.text"), experiment, longer, "", &error));
  g_assert_nonnull (strstr (error->message, "at most 6291456 bytes"));
  g_clear_error (&error);
  g_assert_false (
      ns_param_set_string (ns_param_find ("name"), ns_experiment_variant (experiment, 0), name, "", &error));
  g_assert_nonnull (strstr (error->message, "at most 4096 bytes"));
}

/* Each object has keys of its own, and only a key that is too long is refused for its length. */
static void
test_long_keys (void)
{
  for (guint length = NS_JSON_MAX_KEY_BYTES; length <= NS_JSON_MAX_KEY_BYTES + 1; length++)
    {
      g_autofree char *key = g_strnfill (length, 'k');
      g_autofree char *text
        = g_strdup_printf ("[{\"%s\": {\"%s\": 0}, \"a\": 1}, {\"%s\": 0, \"a\": 1}]", key, key, key);
      g_autoptr (GError) error = NULL;
      gboolean is_json = ns_json_check (text, strlen (text), NS_JSON_MAX_VALUES, "keys", "JSON", NULL, &error);

      g_assert_cmpint (is_json, ==, length == NS_JSON_MAX_KEY_BYTES);
      if (!is_json)
        g_assert_cmpstr (error->message, ==,
                         "keys, line 1, column 3: [0]: a key of 1025 bytes is too long; allowed: up to 1024");
    }
}

static void
test_truncated_anywhere (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autofree char *text = write_text (experiment);
  gsize whole = strlen (g_strchomp (text));
  g_autoptr (NsExperiment) complete = read_text (text, NULL);

  for (gsize length = 0; length < whole; length++)
    {
      g_autofree char *head = g_strndup (text, length);
      g_autoptr (GError) error = NULL;

      g_assert_null (read_text (head, &error));
      g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
    }
  g_assert_nonnull (complete);
}

/* Random damage gives either a valid experiment or an error. */
static void
test_broken_bytes (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autofree char *text = write_text (experiment);
  gsize length = strlen (text);
  guint read = 0, refused = 0;

  for (int i = 0; i < 4000; i++)
    {
      g_autofree char *broken = g_memdup2 (text, length);
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (NsExperiment) result = NULL;
      g_autoptr (GError) error = NULL;

      for (int k = g_test_rand_int_range (1, 4); k > 0; k--)
        broken[g_test_rand_int_range (0, (gint32) length)] = (char) g_test_rand_int_range (0, 256);
      bytes = g_bytes_new (broken, length);
      result = ns_experiment_from_bytes (bytes, "broken", &error);
      g_assert_true ((result == NULL) == (error != NULL));
      if (result != NULL)
        g_assert_true (ns_experiment_validate (result, NULL));
      read += result != NULL;
      refused += result == NULL;
    }
  g_assert_cmpuint (read, >, 0);
  g_assert_cmpuint (refused, >, 1000);
}

void
add_experiment_json_tests (void)
{
  g_test_add_func ("/experiment-json/round-trip", test_round_trip);
  g_test_add_func ("/experiment-json/model-example", test_model_example);
  g_test_add_func ("/experiment-json/absent-keys", test_absent_keys);
  g_test_add_func ("/experiment-json/numbers", test_numbers);
  g_test_add_func ("/experiment-json/every-key-is-written", test_every_key_is_written);
  g_test_add_func ("/experiment-json/sample-text", test_sample_text);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *path = g_strconcat ("/experiment-json/bad/", bad[i].name, NULL);

      g_test_add_data_func (path, &bad[i], test_bad);
    }
  g_test_add_func ("/experiment-json/bad/too-many-variants", test_too_many_variants);
  g_test_add_func ("/experiment-json/bad/nesting", test_nesting);
  g_test_add_func ("/experiment-json/bad/too-large", test_too_large);
  g_test_add_func ("/experiment-json/bad/many-keys", test_many_keys);
  g_test_add_func ("/experiment-json/long-strings", test_long_strings);
  g_test_add_func ("/experiment-json/bad/long-keys", test_long_keys);
  g_test_add_func ("/experiment-json/bad/truncated-anywhere", test_truncated_anywhere);
  g_test_add_func ("/experiment-json/bad/broken-bytes", test_broken_bytes);
}
