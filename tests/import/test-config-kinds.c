/* Model configs of other kinds: keys that rewire a known family, unknown families, multimodal models.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config-fixtures.h"

#include "import/ns-config-families.h"
#include "import/ns-config-import.h"
#include "import/ns-config-nearest.h"
#include "import/ns-config-rewiring.h"
#include "document/ns-file.h"
#include "document/ns-presets.h"
#include "tests.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* ---- keys that rewire ---- */

/* Import the fixture with "key": value. */
static NsConfigImport *
import_with (const char *fixture, const char *key, const char *value, GError **error)
{
  g_autoptr (GBytes) whole = config_read_fixture (fixture);
  gsize length;
  const char *data = g_bytes_get_data (whole, &length);
  g_autofree char *members = g_strndup (data, length);
  g_autofree char *text = g_strdup_printf ("{\"%s\": %s, %s", key, value, strchr (members, '{') + 1);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return ns_config_import_from_bytes (bytes, "my.json", error);
}

/* Each key of the table is refused with other values, accepted with neutral ones, and in docs/FORMATS.md. */
static void
test_rewirings (void)
{
  static const char *const others[] = { "7.5", "true", "\"mamba\"", "[\"mamba\"]", "{\"a\": 1}" };
  g_autofree char *path = g_build_filename (CONFIGS_DIR, "../../../docs/FORMATS.md", NULL);
  g_autofree char *page = NULL;
  gsize n;
  const NsConfigRewiring *rows = ns_config_get_rewirings (&n);

  g_assert_true (g_file_get_contents (path, &page, NULL, NULL));
  for (gsize i = 0; i < n; i++)
    {
      g_auto (GStrv) neutral = g_strsplit (rows[i].neutral, "|", -1);
      g_autofree char *quoted = g_strdup_printf ("`%s`", rows[i].key);

      g_test_message ("%s", rows[i].key);
      g_assert_nonnull (strstr (page, quoted));
      for (gsize k = 0; k < G_N_ELEMENTS (others); k++)
        {
          g_autoptr (GError) error = NULL;
          g_autofree char *start = g_strdup_printf ("my.json: %s: ", rows[i].key);

          g_assert_null (import_with ("llama-7b", rows[i].key, others[k], &error));
          g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
          g_assert_true (g_str_has_prefix (error->message, start));
          g_assert_nonnull (strstr (error->message, "no such key, since "));
          g_assert_true (*neutral == NULL || **neutral == '\0' || strstr (error->message, *neutral) != NULL);
        }
      for (char **value = neutral; *value != NULL; value++)
        {
          g_autofree char *list = g_strdup_printf ("[%s, %s]", *value, *value);
          g_autoptr (NsConfigImport) import = NULL;
          g_autoptr (NsConfigImport) of_list = NULL;

          if (**value == '\0')
            continue;
          import = import_with ("llama-7b", rows[i].key, *value, NULL);
          of_list = import_with ("llama-7b", rows[i].key, list, NULL);
          g_assert_true (import != NULL && of_list != NULL);
        }
      for (gsize k = 0; k < 2; k++)
        {
          g_autoptr (NsConfigImport) import = import_with ("llama-7b", rows[i].key, k == 0 ? "null" : "[]", NULL);

          g_assert_nonnull (import);
        }
    }
}

/* ---- what comes near ---- */

static void
test_nearest (void)
{
  gsize n;
  const NsConfigNearest *rows = ns_config_get_nearest (&n);

  g_assert_cmpuint (n, >, 70);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *type = g_strdup_printf ("{\"model_type\": \"%s\"}", rows[i].model_type);
      g_autoptr (GBytes) bytes = g_bytes_new (type, strlen (type));
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", rows[i].model_type);
      g_assert_true (i == 0 || strcmp (rows[i - 1].model_type, rows[i].model_type) < 0);
      g_assert_null (ns_config_find_family (rows[i].model_type));
      g_assert_true (rows[i].family == NULL || ns_config_find_family (rows[i].family) != NULL);
      g_assert_nonnull (ns_preset_find (rows[i].preset));
      /* Without sizes no family can read it, so the preset is what works. */
      g_assert_null (ns_config_import_from_bytes (bytes, "my.json", &error));
      g_assert_nonnull (strstr (error->message, rows[i].difference));
      g_assert_nonnull (strstr (error->message, rows[i].preset));
    }
}

/* A refused config becomes importable by what its message says. */
static void
test_nearest_works (void)
{
  static const struct
  {
    const char *fixture, *changes, *way;
  } cases[] = {
    { "llama-7b", "{\"model_type\": \"granitemoe\", \"num_local_experts\": 8}",
      "{\"model_type\": \"llama\", \"num_local_experts\": null}" },
    { "gpt-j-6b", "{\"model_type\": \"codegen\"}", "{\"model_type\": \"gptj\"}" },
    { "llama-7b", "{\"model_type\": \"granite\", \"residual_multiplier\": 0.22, \"logits_scaling\": 16}",
      "{\"model_type\": \"llama\", \"logits_scaling\": null, \"residual_multiplier\": null}" },
    { "bert-base-uncased", "{\"model_type\": \"albert\"}", "{\"model_type\": \"bert\"}" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) refused = config_change (cases[i].fixture, cases[i].changes);
      g_autoptr (GBytes) accepted = config_change (cases[i].fixture, cases[i].way);
      g_autoptr (JsonNode) way = json_from_string (cases[i].way, NULL);
      g_autoptr (NsConfigImport) import = ns_config_import_from_bytes (accepted, "my.json", NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (GList) keys = json_object_get_members (json_node_get_object (way));

      g_assert_nonnull (import);
      g_assert_null (ns_config_import_from_bytes (refused, "my.json", &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, json_object_get_string_member (json_node_get_object (way),
                                                                               "model_type")));
      for (GList *key = keys; key != NULL; key = key->next)
        g_assert_nonnull (strstr (error->message, key->data));
    }
}

/* ---- text parts of multimodal models ---- */

typedef struct
{
  const char *config;
  const char *settings; /* settings and values, separated by blanks */
  const char *notes;
} TextPart;

#define SMALL_SIZES                                                                                                   \
  "\"num_hidden_layers\": 2, \"hidden_size\": 64, \"num_attention_heads\": 4, \"intermediate_size\": 96, "            \
  "\"vocab_size\": 99, \"num_key_value_heads\": 2"

static const TextPart text_parts[] = {
  { "{\"model_type\": \"llava\", \"vision_config\": {\"hidden_size\": 9}, \"tie_word_embeddings\": true, "
    "\"text_config\": {\"model_type\": \"llama\", \"_name_or_path\": \"lmsys/vicuna-7b-v1.5\", "
    "\"architectures\": [\"LlamaForCausalLM\"], \"rms_norm_eps\": 1e-5, \"vocab_size\": 32064}}",
    "shape.depth=32 shape.d_model=4096 shape.heads=32 shape.d_ff=11008 shape.vocab=32064 norm=rmsnorm norm_eps=1e-05 "
    "init.head=tied name=vicuna-7b-v1.5",
    "text part of the model (text_config)|num_hidden_layers = 32, hidden_size = 4096!ties its head|contradicts" },
  { "{\"model_type\": \"gemma3\", \"text_config\": {\"model_type\": \"gemma3_text\", \"hidden_size\": 2560, "
    "\"intermediate_size\": 10240, \"num_hidden_layers\": 34, \"sliding_window\": 1024}}",
    "shape.depth=34 shape.d_model=2560 shape.heads=8 shape.kv_heads=4 shape.d_head=256 shape.d_ff=10240 "
    "shape.vocab=262208 qk_norm=head attn.norm=sandwich",
    "num_attention_heads = 8, vocab_size = 262208!num_hidden_layers =" },
  { "{\"model_type\": \"qwen2_vl\", \"vision_config\": {}, " SMALL_SIZES "}",
    "shape.depth=2 shape.d_model=64 shape.kv_heads=2 norm=rmsnorm attention=causal", "text part of the model is" },
  { "{\"model_type\": \"qwen2_5_vl\", \"text_config\": {\"model_type\": \"qwen2_5_vl_text\", "
    "\"hidden_size\": 1024, \"num_hidden_layers\": 3, \"intermediate_size\": 96, \"num_attention_heads\": 16}}",
    "shape.d_model=1024 shape.kv_heads=8 shape.vocab=152064 norm_eps=1e-05", "num_key_value_heads = 8|(text_config)" },
  { "{\"model_type\": \"mistral3\", \"text_config\": {\"model_type\": \"mistral\", " SMALL_SIZES "}}",
    "shape.depth=2 shape.d_model=64 norm=rmsnorm", "(text_config)!Absent from the text part" },
  { "{\"model_type\": \"paligemma\", \"text_config\": {\"model_type\": \"gemma\", \"hidden_size\": 2048, "
    "\"intermediate_size\": 16384, \"num_attention_heads\": 8, \"num_hidden_layers\": 18, "
    "\"num_key_value_heads\": 1, \"vocab_size\": 257216}}",
    "shape.depth=18 shape.d_model=2048 shape.heads=8 shape.kv_heads=1 shape.vocab=257216 attn.norm=pre",
    "(text_config)!Absent from the text part" },
  { "{\"model_type\": \"blip-2\", \"text_config\": {\"model_type\": \"opt\", \"hidden_size\": 2560, "
    "\"num_hidden_layers\": 32, \"num_attention_heads\": 32, \"ffn_dim\": 10240}}",
    "shape.d_model=2560 shape.d_ff=10240 shape.vocab=50272", "vocab_size = 50272!hidden_size =" },
  { "{\"model_type\": \"internvl_chat\", \"llm_config\": {\"model_type\": \"qwen2\", " SMALL_SIZES "}}",
    "shape.d_model=64", "(llm_config)" },
  { "{\"model_type\": \"multi_modality\", \"language_config\": {\"model_type\": \"llama\", " SMALL_SIZES "}}",
    "shape.d_model=64", "(language_config)" },
  { "{\"model_type\": \"qwen2_5_omni\", \"thinker_config\": {\"text_config\": {\"model_type\": \"qwen2\", " SMALL_SIZES
    "}}}",
    "shape.d_model=64", "(thinker_config.text_config)" },
};

static void
test_text_parts (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (text_parts); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (text_parts[i].config, strlen (text_parts[i].config));
      g_autoptr (GError) error = NULL;
      g_autoptr (NsConfigImport) import = ns_config_import_from_bytes (bytes, "my.json", &error);
      g_auto (GStrv) settings = g_strsplit (text_parts[i].settings, " ", -1);

      g_assert_no_error (error);
      for (char **setting = settings; *setting != NULL; setting++)
        {
          g_autofree char *key = g_strndup (*setting, strcspn (*setting, "="));
          const NsParam *param = ns_param_find (key);
          g_autofree char *found = ns_param_dup_text (param, config_get_base (param, import->experiment));

          g_assert_cmpstr (found, ==, *setting + strlen (key) + 1);
        }
      config_assert_notes (import->assumptions, text_parts[i].notes);
    }
}

void
add_config_kinds_tests (void)
{
  g_test_add_func ("/config-kinds/rewirings", test_rewirings);
  g_test_add_func ("/config-kinds/nearest", test_nearest);
  g_test_add_func ("/config-kinds/nearest-works", test_nearest_works);
  g_test_add_func ("/config-kinds/text-parts", test_text_parts);
}
