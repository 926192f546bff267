/* Test the parameter table, and reading and writing of settings through it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params-private.h"
#include "engine/experiment/ns-validate.h"
#include "settings.h"
#include "tests.h"

#include <math.h>
#include <string.h>

/* ---- the table ---- */

static const struct
{
  const char *path, *text;
} defaults[] = {
  { "shape.stack", "single" },
  { "shape.depth", "24" },
  { "shape.decoder_depth", "null" },
  { "shape.d_model", "128" },
  { "shape.heads", "4" },
  { "shape.d_ff", "512" },
  { "shape.seq_len", "32" },
  { "shape.batch", "2" },
  { "shape.vocab", "256" },
  { "shape.encoder_vocab", "null" },
  { "shape.kv_heads", "null" },
  { "shape.d_head", "null" },
  { "shape.patch_features", "null" },
  { "data.source", "gaussian" },
  { "data.embed_std", "1" },
  { "data.embed_scale", "1" },
  { "data.positions", "none" },
  { "data.token_types", "0" },
  { "data.class_token", "none" },
  { "data.class_token_loss", "false" },
  { "data.markov_temperature", "1" },
  { "data.task", "continuation" },
  { "data.text", "null" },
  { "loss", "cross-entropy" },
  { "sampling.seed", "0" },
  { "sampling.seeds", "8" },
  { "sampling.batches", "1" },
  { "sampling.estimate", "norm" },
  { "training.steps", "300" },
  { "training.optimizer", "adam" },
  { "training.learning_rate", "0.003" },
  { "training.momentum", "0" },
  { "training.beta1", "0.9" },
  { "training.beta2", "0.999" },
  { "training.epsilon", "1e-08" },
  { "training.weight_decay", "0" },
  { "training.clip", "null" },
  { "training.warmup", "0" },
  { "training.schedule", "constant" },
  { "training.embeddings", "true" },
  { "name", "Pre-LN" },
  { "norm", "layernorm" },
  { "norm_eps", "1e-05" },
  { "dyt_alpha", "0.5" },
  { "branch_norm_gain", "1" },
  { "sublayers", "both" },
  { "topology", "sequential" },
  { "attention", "full" },
  { "attention_output", "true" },
  { "attention_scale", "sqrt-d-head" },
  { "qk_norm", "none" },
  { "rotary", "none" },
  { "rotary_base", "10000" },
  { "rotary_dim", "null" },
  { "rotary_scaling", "none" },
  { "rotary_factor", "8" },
  { "rotary_original", "8192" },
  { "rotary_low", "1" },
  { "rotary_high", "null" },
  { "rotary_attention_factor", "null" },
  { "rotary_truncate", "true" },
  { "rotary_short_factors", "null" },
  { "rotary_long_factors", "null" },
  { "position_bias", "none" },
  { "position_buckets", "32" },
  { "position_distance", "128" },
  { "window", "null" },
  { "window_full_every", "null" },
  { "window_after", "null" },
  { "rotary_base_local", "null" },
  { "rotary_skip_every", "null" },
  { "score_cap", "null" },
  { "logit_scale", "1" },
  { "logit_cap", "null" },
  { "activation", "relu" },
  { "experts", "null" },
  { "experts_per_token", "2" },
  { "expert_weights", "normalized" },
  { "shared_experts", "null" },
  { "shared_expert_gate", "true" },
  { "bias", "false" },
  { "bias_qkv", "null" },
  { "bias_k", "null" },
  { "bias_output", "null" },
  { "bias_ffn", "null" },
  { "bias_norms", "null" },
  { "bias_head", "null" },
  { "attn.norm", "pre" },
  { "attn.residual", "true" },
  { "attn.inner_norm", "false" },
  { "cross.norm", "null" },
  { "cross.residual", "null" },
  { "cross.inner_norm", "null" },
  { "ffn.norm", "pre" },
  { "ffn.residual", "true" },
  { "ffn.inner_norm", "false" },
  { "post_fraction", "null" },
  { "first_block_pre", "false" },
  { "norm_scale", "none" },
  { "residual_scale", "1" },
  { "branch_scale", "1" },
  { "branch_parameter", "none" },
  { "block_residual", "false" },
  { "dual_residual", "false" },
  { "streams", "null" },
  { "stream_weights", "static" },
  { "ngpt", "false" },
  { "input_scale", "1" },
  { "input_norm", "false" },
  { "final_norm", "auto" },
  { "head_transform", "false" },
  { "init.scheme", "xavier-normal" },
  { "init.std", "0.02" },
  { "init.residual", "none" },
  { "init.head", "scheme" },
  { "init.truncate", "null" },
  { "init.mup_base", "null" },
  { "optimizer", "null" },
  { "learning_rate", "null" },
  { "warmup", "null" },
  { "schedule", "null" },
};

static void
test_defaults (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  gsize n;
  const NsParam *params = ns_params (&n);

  g_assert_cmpuint (n, ==, G_N_ELEMENTS (defaults));
  for (gsize i = 0; i < n; i++)
    {
      const NsParam *param = find (defaults[i].path);
      g_autofree char *text = ns_param_dup_text (param, base_of (param, experiment));

      g_assert_true (param == &params[i]);
      g_assert_cmpstr (ns_param_get_path (param), ==, defaults[i].path);
      g_assert_cmpstr (text, ==, defaults[i].text);
    }

  g_assert_cmpuint (experiment->variants->len, ==, 2);
  g_assert_cmpstr (ns_experiment_variant (experiment, 0)->name, ==, "Pre-LN");
  g_assert_cmpstr (ns_experiment_variant (experiment, 1)->name, ==, "Post-LN");
  g_assert_cmpint (ns_experiment_variant (experiment, 1)->attn.norm, ==, NS_PLACE_POST);
  g_assert_cmpint (ns_experiment_variant (experiment, 1)->ffn.norm, ==, NS_PLACE_POST);
  g_assert_cmpint (ns_experiment_variant (experiment, 0)->init.residual.rule, ==, NS_INIT_RESIDUAL_NONE);
  g_assert_cmpfloat (ns_experiment_variant (experiment, 0)->init.residual.number, ==, 1.0);
}

/* Each row has all that widgets, --help and messages use. */
static void
test_rows (void)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      const NsParam *param = &params[i];
      g_autofree char *allowed = ns_param_dup_allowed (param);

      g_test_message ("%s: %s", ns_param_get_path (param), allowed);
      g_assert_true (param->label != NULL && *param->label != '\0');
      g_assert_true (param->help != NULL && strlen (param->help) > 10 && strchr (param->help, '\n') == NULL);
      g_assert_true (allowed != NULL && *allowed != '\0');
      g_assert_true ((param->choices != NULL) == (param->type == NS_TYPE_CHOICE || param->type == NS_TYPE_SCALE));
      if (ns_param_is_text (param))
        continue;
      g_assert_cmpfloat (param->min, <, param->max);
      g_assert_cmpfloat (param->min, <=, param->ui_min);
      g_assert_cmpfloat (param->ui_min, <, param->ui_max);
      g_assert_cmpfloat (param->ui_max, <=, param->max);
      g_assert_cmpfloat (param->step, >, 0);
      if (param->logarithmic)
        g_assert_cmpfloat (param->ui_min, >, 0);
      if (!param->nullable)
        g_assert_true (param->fallback >= param->min && param->fallback <= param->max);
    }

  g_assert_null (ns_param_find ("depth"));
  g_assert_null (ns_param_find ("shape."));
  g_assert_null (ns_param_find ("shape.depths"));
  g_assert_null (ns_param_find ("attn"));
  g_assert_null (ns_param_find (""));
}

static const struct
{
  const char *path, *min, *max, *below, *above;
} bounds[] = {
  { "shape.depth", "1", "65536", "0", "65537" },
  { "shape.d_model", "1", "65536", "0", "65537" },
  { "shape.heads", "1", "4096", "0", "4097" },
  { "shape.d_ff", "1", "1048576", "0", "1048577" },
  { "shape.seq_len", "1", "65536", "0", "65537" },
  { "shape.batch", "1", "65536", "0", "65537" },
  { "shape.vocab", "2", "1048576", "1", "1048577" },
  { "shape.decoder_depth", "1", "65536", "0", "65537" },
  { "shape.encoder_vocab", "2", "1048576", "1", "1048577" },
  { "shape.kv_heads", "1", "4096", "0", "4097" },
  { "shape.d_head", "1", "65536", "0", "65537" },
  { "data.embed_scale", "0", "1000000", "-1", "1e7" },
  { "data.embed_std", "0", "1000000", "-1e-300", "1000000.1" },
  { "data.token_types", "0", "65536", "-1", "65537" },
  { "sampling.seed", "0", "9007199254740991", "-1", "9007199254740992" },
  { "sampling.seeds", "1", "10000", "0", "10001" },
  { "sampling.batches", "1", "1024", "0", "1025" },
  { "position_buckets", "4", "4096", "3", "4097" },
  { "position_distance", "1", "1000000000", "0", "1000000001" },
  { "norm_eps", "0", "1", "-0.1", "1.1" },
  { "post_fraction", "0", "1", "-0.01", "1.01" },
  { "residual_scale", "0", "1000000", "-1", "1e7" },
  { "branch_scale", "0", "1000000", "-1", "1e7" },
  { "dyt_alpha", "0", "1000", "-0.5", "1000.5" },
  { "branch_norm_gain", "0", "1000", "-0.5", "1000.5" },
  { "attention_scale", "0", "1000", "-0.5", "1000.5" },
  { "input_scale", "0", "1000000", "-1", "1e7" },
  { "init.std", "0", "1000000", "-1", "1e7" },
  { "init.residual", "0", "1000000", "-1", "1e7" },
};

static void
test_bounds (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (bounds); i++)
    {
      const NsParam *param = find (bounds[i].path);
      gpointer base = base_of (param, experiment);
      const char *ends[] = { bounds[i].min, bounds[i].max };
      const char *outside[] = { bounds[i].below, bounds[i].above };

      for (guint e = 0; e < 2; e++)
        {
          g_autoptr (GError) error = NULL;
          g_autofree char *text = NULL;

          set (experiment, bounds[i].path, ends[e]);
          g_assert_false (ns_param_set_text (param, base, outside[e], "", &error));
          MENTIONS (error, bounds[i].path, outside[e], "allowed: a ", bounds[i].min, bounds[i].max);
          text = ns_param_dup_text (param, base);
          g_assert_cmpstr (text, ==, ends[e]);
        }
    }
}

static const struct
{
  const char *path, *text, *shown;
} nonsense[] = {
  { "shape.depth", "", "\"\"" },
  { "shape.depth", "12x", "\"12x\"" },
  { "shape.depth", " 12", "\" 12\"" },
  { "shape.depth", "12 ", "\"12 \"" },
  { "shape.depth", "0x10", "\"0x10\"" },
  { "shape.depth", "2.5", ": 2.5 is" },
  { "shape.depth", "1e9", ": 1e9 is" },
  { "shape.depth", "nan", ": nan is" },
  { "shape.depth", "-inf", ": -inf is" },
  { "shape.depth", "99999999999999999999", ": 99999999999999999999 is" },
  { "shape.depth", "null", "\"null\"" },
  { "norm_eps", "nan", ": nan is" },
  { "norm_eps", "inf", ": inf is" },
  { "norm_eps", "1,5", "\"1,5\"" },
  { "post_fraction", "nan", ": nan is" },
  { "residual_scale", "nan", ": nan is" },
  { "residual_scale", "none", "\"none\"" },
  { "bias", "maybe", "\"maybe\"" },
  { "bias", "1", ": 1 is" },
  { "bias", "null", "\"null\"" },
  { "shape.kv_heads", "", "\"\"" },
  { "shape.kv_heads", "nan", ": nan is" },
  { "shape.kv_heads", "0", ": 0 is" },
  { "shape.kv_heads", "NULL", "\"NULL\"" },
  { "shape.d_head", "2.5", ": 2.5 is" },
  { "cross.norm", "as attn", "\"as attn\"" },
  { "cross.norm", "-1", ": -1 is" },
  { "cross.residual", "-1", ": -1 is" },
  { "cross.residual", "maybe", "\"maybe\"" },
  { "cross.inner_norm", "", "\"\"" },
  { "attention_scale", "null", "\"null\"" },
  { "branch_parameter", "matrix", "\"matrix\"" },
  { "attn.norm", "Pre", "\"Pre\"" },
  { "attn.norm", "1", ": 1 is" },
  { "name", "", "\"\"" },
  { "name", "\xff\xfe", "\"\xef\xbf\xbd" },
};

static void
test_nonsense (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (nonsense); i++)
    {
      const NsParam *param = find (nonsense[i].path);
      gpointer base = base_of (param, experiment);
      g_autofree char *before = ns_param_dup_text (param, base);
      g_autofree char *allowed = ns_param_dup_allowed (param);
      g_autofree char *after = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_false (ns_param_set_text (param, base, nonsense[i].text, "variants[3].", &error));
      MENTIONS (error, "variants[3].", nonsense[i].path, nonsense[i].shown, allowed);
      after = ns_param_dup_text (param, base);
      g_assert_cmpstr (before, ==, after);
    }
}

/* A message quotes only the beginning of a long value. */
static void
test_long_value (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autofree char *text = g_strnfill (100000, 'z');
  g_autoptr (GError) error = NULL;

  g_assert_false (ns_param_set_text (find ("loss"), experiment, text, "", &error));
  MENTIONS (error, "loss", "zzz…zzz", "cross-entropy");
  g_assert_cmpuint (strlen (error->message), <, 300);
}

static const struct
{
  const char *path, *text, *read_back;
} round_trips[] = {
  { "shape.depth", "48", "48" },
  { "shape.depth", "1e3", "1000" },
  { "shape.depth", "+7", "7" },
  { "sampling.seed", "9007199254740991", "9007199254740991" },
  { "norm_eps", "1e-12", "1e-12" },
  { "norm_eps", "0.1", "0.1" },
  { "norm_eps", "0.30000000000000004", "0.30000000000000004" },
  { "branch_scale", "0.333333333333333315", "0.3333333333333333" },
  { "post_fraction", "0.25", "0.25" },
  { "post_fraction", "null", "null" },
  { "residual_scale", "deepnorm", "deepnorm" },
  { "residual_scale", "1.5", "1.5" },
  { "init.residual", "gpt2", "gpt2" },
  { "init.residual", "0.5", "0.5" },
  { "bias", "on", "true" },
  { "bias", "off", "false" },
  { "bias", "true", "true" },
  { "bias", "false", "false" },
  { "attn.norm", "pre-post", "pre-post" },
  { "init.scheme", "normal", "normal" },
  { "shape.kv_heads", "2", "2" },
  { "shape.kv_heads", "null", "null" },
  { "shape.d_head", "256", "256" },
  { "shape.d_head", "null", "null" },
  { "cross.norm", "branch", "branch" },
  { "cross.norm", "none", "none" },
  { "cross.norm", "null", "null" },
  { "cross.residual", "off", "false" },
  { "cross.residual", "on", "true" },
  { "cross.residual", "null", "null" },
  { "cross.inner_norm", "true", "true" },
  { "cross.inner_norm", "null", "null" },
  { "data.embed_scale", "sqrt-d-model", "sqrt-d-model" },
  { "attention_scale", "0.0833333333333333333", "0.08333333333333333" },
  { "branch_scale", "inverse-sqrt-depth", "inverse-sqrt-depth" },
  { "input_scale", "t-fixup", "t-fixup" },
  { "name", "Größe = 1, \"x\"", "Größe = 1, \"x\"" },
  { "data.text", "To be", "To be" },
  { "data.text", "null", "null" },
};

static void
test_round_trips (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (NsExperiment) other = ns_experiment_new ();
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < G_N_ELEMENTS (round_trips); i++)
    {
      const NsParam *param = find (round_trips[i].path);
      g_autofree char *text = NULL;

      set (experiment, round_trips[i].path, round_trips[i].text);
      text = ns_param_dup_text (param, base_of (param, experiment));
      g_assert_cmpstr (text, ==, round_trips[i].read_back);
    }

  for (gsize i = 0; i < n; i++)
    for (int c = 0; params[i].choices != NULL && params[i].choices[c] != NULL; c++)
      {
        g_autofree char *text = NULL;

        set (experiment, ns_param_get_path (&params[i]), params[i].choices[c]);
        text = ns_param_dup_text (&params[i], base_of (&params[i], experiment));
        g_assert_cmpstr (text, ==, params[i].choices[c]);
      }

  g_assert_false (ns_experiment_equal (experiment, other));
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *text = ns_param_dup_text (&params[i], base_of (&params[i], experiment));

      set (other, ns_param_get_path (&params[i]), text);
    }
  g_assert_true (ns_experiment_equal (experiment, other));
}

/* Set values by type, as the JSON reader does. */
static void
test_typed (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NsVariant *variant = ns_experiment_variant (experiment, 0);
  const struct
  {
    const char *path;
    double value;
  } wrong[] = {
    { "shape.depth", 2.5 },
    { "shape.depth", 1e300 },
    { "shape.depth", NAN },
    { "norm_eps", NAN },
    { "norm_eps", INFINITY },
    { "bias", 1.0 },
    { "data.text", 3.0 },
    { "attn.norm", 1.0 },
    { "residual_scale", NAN },
    { "branch_scale", -1.0 },
    { "post_fraction", 2.0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;
      const NsParam *param = find (wrong[i].path);

      g_assert_false (ns_param_set_number (param, base_of (param, experiment), wrong[i].value, "", &error));
      MENTIONS (error, wrong[i].path, "allowed: ");
    }

  g_autoptr (GError) quoted = NULL;
  g_assert_false (ns_param_set_string (find ("shape.depth"), experiment, "48", "", &quoted));
  MENTIONS (quoted, "shape.depth: \"48\" is not allowed", "a whole number from 1 to 65536");
  g_autoptr (GError) null = NULL;
  g_assert_false (ns_param_set_string (find ("loss"), experiment, NULL, "", &null));
  MENTIONS (null, "loss: null is not allowed");
  g_autoptr (GError) index = NULL;
  g_assert_false (ns_param_set_int (find ("loss"), experiment, 2, "", &index));
  MENTIONS (index, "loss: 2 is not allowed");
  g_autoptr (GError) rule = NULL;
  g_assert_false (ns_param_set_scale (find ("residual_scale"), variant, (NsScale) { 5, 0 }, "", &rule));
  MENTIONS (rule, "residual_scale: 5 is not allowed", "or deepnorm, admin, admin-constant");

  g_assert_true (ns_param_set_number (find ("shape.depth"), experiment, 12.0, "", NULL));
  g_assert_cmpint (experiment->shape.depth, ==, 12);
  g_assert_true (ns_param_set_int (find ("post_fraction"), variant, 1, "", NULL));
  g_assert_cmpfloat (variant->post_fraction, ==, 1.0);
  g_assert_true (ns_param_set_string (find ("post_fraction"), variant, NULL, "", NULL));
  g_assert_true (isnan (variant->post_fraction));
  g_assert_true (ns_param_set_string (find ("residual_scale"), variant, "deepnorm", "", NULL));
  g_assert_cmpint (variant->residual_scale.rule, ==, NS_RESIDUAL_SCALE_DEEPNORM);
  g_assert_true (ns_param_set_number (find ("residual_scale"), variant, 2.5, "", NULL));
  g_assert_cmpint (variant->residual_scale.rule, ==, 0);
  g_assert_cmpfloat (variant->residual_scale.number, ==, 2.5);
  g_assert_true (ns_param_set_string (find ("name"), variant, variant->name, "", NULL));
  g_assert_cmpstr (variant->name, ==, "Pre-LN");
}

/* Nullable integers, choices and booleans: their stored null, and no other value is null. */
static void
test_null (void)
{
  static const struct
  {
    const char *path, *other;
    gint64 held;
    const char *allowed;
  } nullable[] = {
    { "shape.decoder_depth", "2", 0, "a whole number from 1 to 65536, or null" },
    { "shape.encoder_vocab", "64", 0, "a whole number from 2 to 1048576, or null" },
    { "shape.kv_heads", "2", 0, "a whole number from 1 to 4096, or null" },
    { "shape.d_head", "64", 0, "a whole number from 1 to 65536, or null" },
    { "shape.patch_features", "64", 0, "a whole number from 1 to 65536, or null" },
    { "cross.norm", "none", NS_NULL_CHOICE, "one of none, pre, post, sandwich, branch, pre-post, or null" },
    { "cross.residual", "false", NS_NULL_CHOICE, "true or false, or null" },
    { "cross.inner_norm", "false", NS_NULL_CHOICE, "true or false, or null" },
    { "rotary_dim", "32", 0, "a whole number from 2 to 65536, or null" },
    { "window", "8", 0, "a whole number from 2 to 1000000000, or null" },
    { "window_full_every", "6", 0, "a whole number from 1 to 65536, or null" },
    { "window_after", "3", 0, "a whole number from 1 to 65536, or null" },
    { "rotary_skip_every", "4", 0, "a whole number from 1 to 65536, or null" },
    { "experts", "8", 0, "a whole number from 2 to 1024, or null" },
    { "shared_experts", "2", 0, "a whole number from 1 to 1024, or null" },
    { "streams", "4", 0, "a whole number from 1 to 16, or null" },
    { "bias_qkv", "true", NS_NULL_CHOICE, "true or false, or null" },
    { "bias_k", "true", NS_NULL_CHOICE, "true or false, or null" },
    { "bias_output", "true", NS_NULL_CHOICE, "true or false, or null" },
    { "bias_ffn", "true", NS_NULL_CHOICE, "true or false, or null" },
    { "bias_norms", "true", NS_NULL_CHOICE, "true or false, or null" },
    { "bias_head", "true", NS_NULL_CHOICE, "true or false, or null" },
    { "init.mup_base", "64", 0, "a whole number from 1 to 1000000, or null" },
    { "optimizer", "sgd", NS_NULL_CHOICE, "one of sgd, adam, adamw, or null" },
    { "warmup", "0", NS_NULL_CHOICE, "a whole number from 0 to 1000000000, or null" },
    { "schedule", "constant", NS_NULL_CHOICE, "one of constant, cosine, linear, inverse-sqrt, or null" },
  };
  gsize n, n_nullable = 0;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    n_nullable += params[i].nullable && params[i].type != NS_TYPE_NUMBER && !ns_param_is_text (&params[i]);
  g_assert_cmpuint (n_nullable, ==, G_N_ELEMENTS (nullable));

  for (gsize i = 0; i < G_N_ELEMENTS (nullable); i++)
    {
      const NsParam *param = find (nullable[i].path);
      g_autoptr (NsExperiment) a = ns_experiment_new (), b = ns_experiment_new ();
      gpointer base = base_of (param, a);
      g_autofree char *allowed = ns_param_dup_allowed (param);
      g_autoptr (GError) error = NULL, other_error = NULL, number_error = NULL;

      g_test_message ("%s", nullable[i].path);
      g_assert_cmpstr (allowed, ==, nullable[i].allowed);
      /* these two were always in files */
      g_assert_cmpint (param->implied, ==, !g_str_equal (nullable[i].path, "shape.kv_heads")
                                               && !g_str_equal (nullable[i].path, "shape.d_head"));
      g_assert_true (ns_param_is_null (param, base));
      g_assert_cmpint (ns_param_get_int (param, base), ==, nullable[i].held);
      /* the stored null is not a valid value */
      g_assert_false (ns_param_set_int (param, base, nullable[i].held, "", &error));
      MENTIONS (error, nullable[i].path, "is not allowed; allowed: ", nullable[i].allowed);
      g_assert_false (ns_param_set_int (param, base, -2, "", &other_error));
      MENTIONS (other_error, nullable[i].path, ": -2 is not allowed");
      g_assert_false (ns_param_set_number (param, base, NAN, "", &number_error));
      MENTIONS (number_error, nullable[i].path, ": nan is not allowed");
      g_assert_true (ns_param_is_null (param, base));

      set (a, nullable[i].path, nullable[i].other);
      g_assert_false (ns_param_is_null (param, base));
      g_assert_false (ns_experiment_equal (a, b));
      set (b, nullable[i].path, nullable[i].other);
      g_assert_true (ns_experiment_equal (a, b));
      {
        g_autoptr (NsExperiment) copy = ns_experiment_copy (a);

        g_assert_true (ns_experiment_equal (a, copy));
      }
      /* JSON's null */
      g_assert_true (ns_param_set_string (param, base, NULL, "", NULL));
      g_assert_true (ns_param_is_null (param, base));
      g_assert_false (ns_experiment_equal (a, b));
      set (b, nullable[i].path, "null");
      g_assert_true (ns_experiment_equal (a, b));
      g_assert_true (ns_experiment_validate (a, NULL));
    }
}

/* ns_param_reset() restores each default, including null. */
static void
test_reset (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new (), fresh = ns_experiment_new ();
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      gpointer base = base_of (&params[i], experiment);

      if (ns_param_is_text (&params[i]))
        continue;
      set (experiment, ns_param_get_path (&params[i]),
           params[i].choices != NULL            ? params[i].choices[0]
           : params[i].type == NS_TYPE_BOOLEAN  ? "true"
           : params[i].type == NS_TYPE_INTEGER  ? (params[i].min > 2 ? "5" : "2")
           : params[i].min > 0.25               ? "3"
                                                : "0.25");
      ns_param_reset (&params[i], base);
      g_assert_true (ns_param_equal (&params[i], base, base_of (&params[i], fresh)));
    }
  g_assert_true (ns_experiment_equal (experiment, fresh));
}

/* A list keeps its numbers, in one form whichever way they were typed; other texts are refused and leave it. */
static void
test_lists (void)
{
  static const char *const wrong[] = { "", "  ", ",", "1 x", "1,2", "1;2", "0", "-1", "nan", "1 inf", "0x10", "1e7" };
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (NsExperiment) copy = NULL;
  const NsParam *param = ns_param_find ("rotary_long_factors");
  NsVariant *variant = ns_experiment_variant (experiment, 0);
  g_autoptr (GString) long_list = g_string_new ("1");
  g_autoptr (GError) error = NULL;
  g_autofree double *numbers = NULL;
  g_autofree char *words = NULL;
  gsize n;

  g_assert_null (ns_param_dup_numbers (NULL, &n));
  g_assert_cmpuint (n, ==, 0);
  g_assert_true (ns_param_set_text (param, variant, " 1.50,\t2e-3\n 0.1", "", NULL));
  g_assert_cmpstr (ns_param_get_string (param, variant), ==, "1.5 0.002 0.1");
  numbers = ns_param_dup_numbers (ns_param_get_string (param, variant), &n);
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpfloat (numbers[2], ==, 0.1);
  words = ns_param_dup_value_words (param, ns_param_get_string (param, variant));
  g_assert_cmpstr (words, ==, "3 numbers");

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_test_message ("“%s”", wrong[i]);
      g_assert_false (ns_param_set_text (param, variant, wrong[i], "", &error));
      g_assert_nonnull (strstr (error->message, "up to 1024 numbers from 1e-06 to 1000000, or null"));
      g_clear_error (&error);
      g_assert_cmpstr (ns_param_get_string (param, variant), ==, "1.5 0.002 0.1");
    }
  for (guint i = 1; i < NS_MAX_LIST; i++)
    g_string_append (long_list, " 1");
  copy = ns_experiment_copy (experiment);
  g_assert_true (ns_param_set_text (param, variant, long_list->str, "", NULL));
  g_string_append (long_list, " 1");
  g_assert_false (ns_param_set_text (param, variant, long_list->str, "", NULL));
  g_assert_cmpstr (ns_experiment_variant (copy, 0)->rotary.long_factors, ==, "1.5 0.002 0.1");
  g_assert_true (ns_param_set_text (param, variant, "null", "", NULL));
  g_assert_true (ns_param_is_null (param, variant));
}

void
add_params_tests (void)
{
  g_test_add_func ("/params/defaults", test_defaults);
  g_test_add_func ("/params/rows", test_rows);
  g_test_add_func ("/params/bounds", test_bounds);
  g_test_add_func ("/params/nonsense", test_nonsense);
  g_test_add_func ("/params/long-value", test_long_value);
  g_test_add_func ("/params/round-trips", test_round_trips);
  g_test_add_func ("/params/typed", test_typed);
  g_test_add_func ("/params/null", test_null);
  g_test_add_func ("/params/reset", test_reset);
  g_test_add_func ("/params/lists", test_lists);
}
