/* Test the engine against golden numbers that PyTorch's autograd computed in float64 (make_golden.py).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Built twice, with the engine in float and in double.
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "golden.h"

#include <math.h>
#include <string.h>

#define MIN_CASES 200

static void
test_case (gconstpointer data)
{
  g_autoptr (Golden) golden = golden_load (data);
  g_autoptr (NsResult) result = golden_run (golden->experiment);
  Summary summary = { 0 };
  g_autofree char *problem = golden_compare (golden, result, &summary);
  g_assert_cmpstr (problem, ==, NULL);
  g_assert_cmpuint (summary.compared, ==, golden_count (golden));
  g_assert_cmpint (ns_result_get_overflow (result, 0, 0), ==, 0);
  g_test_message ("%u values, largest error %.3g of the tolerance", summary.compared, summary.worst);
}

/* ---- coverage of every value of every key ---- */

static gboolean
takes (GPtrArray *all, const NsParam *param, int value)
{
  for (guint i = 0; i < all->len; i++)
    {
      const Golden *golden = g_ptr_array_index (all, i);
      gconstpointer base = param->section == NS_SECTION_VARIANT
                               ? (gconstpointer) ns_experiment_variant (golden->experiment, 0)
                               : golden->experiment;
      if (param->type == NS_TYPE_SCALE ? ns_param_get_scale (param, base).rule == value
                                       : ns_param_get_int (param, base) == value)
        return TRUE;
    }
  return FALSE;
}

static gboolean
takes_null (GPtrArray *all, const NsParam *param, gboolean null)
{
  for (guint i = 0; i < all->len; i++)
    {
      const Golden *golden = g_ptr_array_index (all, i);
      gconstpointer base = param->section == NS_SECTION_VARIANT
                               ? (gconstpointer) ns_experiment_variant (golden->experiment, 0)
                               : golden->experiment;
      if (ns_param_is_null (param, base) == null)
        return TRUE;
    }
  return FALSE;
}

static GPtrArray *
load_all (void)
{
  g_autoptr (GPtrArray) names = golden_names ();
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) golden_free);
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (all, golden_load (g_ptr_array_index (names, i)));
  return all;
}

static char *
find_gap (GPtrArray *all)
{
  gsize n;
  const NsParam *params = ns_params (&n);
  for (gsize i = 0; i < n; i++)
    {
      const NsParam *param = &params[i];
      int first = 0, last = -1;
      if (ns_param_is_of_training (param))
        continue;
      if (param->type == NS_TYPE_CHOICE)
        last = (int) g_strv_length ((char **) param->choices) - 1;
      else if (param->type == NS_TYPE_SCALE)
        last = (int) g_strv_length ((char **) param->choices);
      else if (param->type == NS_TYPE_BOOLEAN)
        last = 1;
      for (int value = first; value <= last; value++)
        if (!takes (all, param, value))
          return g_strdup_printf ("%s never takes value %d", ns_param_get_path (param), value);
      if (param->nullable && !(takes_null (all, param, TRUE) && takes_null (all, param, FALSE)))
        return g_strdup_printf ("%s is always, or never, null", ns_param_get_path (param));
    }
  return NULL;
}

static void
test_coverage (void)
{
  g_autoptr (GPtrArray) all = load_all ();
  g_assert_cmpuint (all->len, >=, MIN_CASES);
  g_autofree char *gap = find_gap (all);
  g_assert_cmpstr (gap, ==, NULL);

  guint values = 0;
  for (guint i = 0; i < all->len; i++)
    values += golden_count (g_ptr_array_index (all, i));
  g_test_message ("%u configurations, %u values", all->len, values);

  /* Without the cases with biases there must be a gap. */
  for (guint i = all->len; i-- > 0;)
    if (ns_experiment_variant (((Golden *) g_ptr_array_index (all, i))->experiment, 0)->bias)
      g_ptr_array_remove_index (all, i);
  g_autofree char *planted = find_gap (all);
  g_assert_cmpstr (planted, ==, "bias never takes value 1");
}

/* ---- planted errors ---- */

/* Copy the golden numbers with one value multiplied by `factor`, or removed if `factor` is 0. */
static Golden *
golden_bend (const Golden *golden, const char *quantity, gint64 site, double factor)
{
  JsonObject *expected = json_object_new ();
  g_autoptr (GList) members = json_object_get_members (golden->expected);
  for (GList *member = members; member != NULL; member = member->next)
    {
      JsonArray *sites = json_array_new ();
      for (gint64 i = 0; i <= golden_last_site (golden); i++)
        {
          double value = 0;
          gboolean bent = g_str_equal (member->data, quantity) && i == site;
          if (golden_get (golden, member->data, i, &value) && !(bent && factor == 0))
            json_array_add_double_element (sites, bent ? value * factor : value);
          else
            json_array_add_null_element (sites);
        }
      json_object_set_array_member (expected, member->data, sites);
    }
  JsonObject *top = json_object_new ();
  json_object_set_object_member (top, "expected", expected);
  json_object_set_array_member (top, "zeros", json_array_ref (golden->zeros));
  json_object_set_object_member (top, "buried", json_object_ref (golden->buried));

  Golden *bent = g_new0 (Golden, 1);
  bent->name = g_strdup (golden->name);
  bent->experiment = ns_experiment_copy (golden->experiment);
  bent->root = json_node_new (JSON_NODE_OBJECT);
  json_node_take_object (bent->root, top);
  bent->expected = expected;
  bent->zeros = golden->zeros;
  bent->noise = golden->noise;
  bent->buried = golden->buried;
  return bent;
}

/* Files for the planted errors: a stack, an encoder-decoder and several minibatches. */
static const char *const planted_in[] = { "causal-bias-gelu", "ed-mixed-2", "batches-dyt" };

/* The comparison detects an error just above the tolerance in each value, and each missing value. */
static void
test_planted_expected (gconstpointer data)
{
  g_autoptr (Golden) golden = golden_load (data);
  g_autoptr (NsResult) result = golden_run (golden->experiment);
  for (int quantity = 0; quantity < NS_N_QUANTITIES; quantity++)
    for (gint64 site = 0; site <= golden_last_site (golden); site++)
      {
        const char *name = ns_quantity_info ((NsQuantity) quantity)->name;
        double value = 0;
        if (!golden_get (golden, name, site, &value))
          continue;
        double size = MAX (fabs (value), COSINE_FLOOR); /* the tolerance of a cosine near 0 is absolute */
        double factors[] = { 0, 1 + 3 * TOLERANCE * size / fabs (value), 1 - 3 * TOLERANCE * size / fabs (value) };
        for (guint i = 0; i < (golden_is_zero (golden, name) ? 1 : G_N_ELEMENTS (factors)); i++)
          {
            g_autoptr (Golden) bent = golden_bend (golden, name, site, factors[i]);
            Summary summary = { 0 };
            g_autofree char *problem = golden_compare (bent, result, &summary);
            g_autofree char *named = g_strdup_printf ("%s at site %d", name, (int) site);
            g_assert_nonnull (problem);
            g_assert_nonnull (strstr (problem, named));
          }
      }
}

/* Change settings of an experiment: "data.positions=none"; commas separate several. */
static void
change (NsExperiment *experiment, const char *changes)
{
  g_auto (GStrv) settings = g_strsplit (changes, ",", -1);
  for (guint i = 0; settings[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) setting = g_strsplit (settings[i], "=", 2);
      const NsParam *param = ns_param_find (setting[0]);
      g_assert_nonnull (param);
      gpointer base
          = param->section == NS_SECTION_VARIANT ? (gpointer) ns_experiment_variant (experiment, 0) : experiment;
      ns_param_set_text (param, base, setting[1], "", &error);
      g_assert_no_error (error);
    }
}

/* The comparison detects a run of a slightly different experiment. */
static void
test_planted_engine (void)
{
  static const struct
  {
    const char *name, *changes;
  } wrongs[] = {
    { "causal-bias-gelu", "norm_eps=0.1" },
    { "causal-bias-gelu", "branch_scale=1.01" },
    { "causal-bias-gelu", "residual_scale=1.01" },
    { "causal-bias-gelu", "activation=silu" },
    { "causal-bias-gelu", "attention=full" },
    { "causal-bias-gelu", "final_norm=off" },
    { "causal-bias-gelu", "attn.norm=sandwich" },
    { "causal-bias-gelu", "ffn.norm=branch" },
    { "causal-bias-gelu", "attn.residual=false" },
    { "causal-bias-gelu", "ffn.residual=false" },
    { "causal-bias-gelu", "norm=rmsnorm" },
    { "causal-bias-gelu", "norm_scale=layernorm-scaling" },
    { "causal-bias-gelu", "init.std=0.0201" },
    { "causal-bias-gelu", "init.residual=none" },
    { "causal-bias-gelu", "topology=parallel" },
    { "causal-bias-gelu", "data.positions=none" },
    { "causal-bias-gelu", "data.embed_std=1.01" },
    { "causal-bias-gelu", "data.embed_scale=1.01" },
    { "bert", "data.token_types=0" },
    { "token-types", "data.token_types=3" },
    { "ed-encoder-vocab", "shape.encoder_vocab=41" },
    { "ed-encoder-vocab", "shape.encoder_vocab=null" },
    { "ed-encoder-vocab-text", "shape.encoder_vocab=null" },
    { "vit-patches", "shape.patch_features=11" },
    { "vit-patches", "shape.patch_features=null" },
    { "vit-patches", "data.class_token_loss=false" },
    { "vit-patches", "data.class_token=none" },
    { "vit-patches", "data.embed_scale=1.01" },
    { "vit", "data.class_token=none" },
    { "vit", "data.class_token=zero" },
    { "vit", "data.positions=none" },
    { "vit", "data.embed_scale=0.56" },
    { "causal-bias-gelu", "sampling.seed=1" },
    { "causal-bias-gelu", "loss=unit-gradient" },
    { "causal-bias-gelu", "post_fraction=0.34" },
    { "causal-bias-gelu", "attention_output=false" },
    { "causal-bias-gelu", "init.scheme=lecun-normal" },
    { "causal-bias-gelu", "bias=false" },
    { "causal-bias-gelu", "shape.stack=encoder-decoder" },
    { "causal-bias-gelu", "attention_scale=0.36" }, /* 8^-1/2 = 0.3536 */
    { "causal-bias-gelu", "input_scale=1.01" },
    { "causal-bias-gelu", "input_norm=true" },
    { "causal-bias-gelu", "block_residual=true" },
    { "causal-bias-gelu", "dual_residual=true" },
    { "causal-bias-gelu", "branch_parameter=scalar" },
    { "causal-bias-gelu", "streams=2" },
    { "hyper-no-final", "streams=3" },
#ifdef NS_DOUBLE
    { "gelu-tanh", "activation=gelu" }, /* differ by 1e-4 */
#endif
    { "biases-qwen2", "bias_qkv=null" },
    { "biases-qwen2", "bias=true" },
    { "biases-gpt-j", "bias_qkv=true" },
    { "biases-gpt-j", "bias_output=null" },
    { "biases-gpt-j", "bias_head=false" },
    { "biases-gpt-neox", "bias_head=null" },
    { "biases-opt", "bias_norms=null" },
    { "biases-opt", "bias_ffn=true" },
    { "biases-keys", "bias_k=false" },
    { "biases-swin-v2", "bias_k=null" },
    { "qk-head-gqa-bias", "qk_norm=full" },
    { "qk-head-gqa-bias", "qk_norm=qkv-head" },
    { "qk-cosine", "attention_scale=1.0,qk_norm=head" },
    { "dyt", "dyt_alpha=0.505" },
    { "inner", "attn.inner_norm=false" },
    { "inner", "ffn.inner_norm=false" },
    { "two-norms", "topology=parallel" },
    { "branch-gain-half", "branch_norm_gain=0.505" },
    { "layer-scale", "branch_parameter=scalar" },
    { "admin", "residual_scale=admin-constant" },
    { "ed-mixed-2", "cross.norm=null" },
    { "ed-mixed-2", "cross.inner_norm=null" },
    { "ed-mixed-2", "cross.residual=false" },
    { "ed-mixed-2", "shape.stack=single" },
    { "ed-mixed-2", "attention=uniform" },
    { "ed-deepnorm", "residual_scale=1.5650845800732873" }, /* (2L)^1/4, as in a single stack */
    { "ed-admin", "residual_scale=1.5764" },                /* with n = 2L in both parts */
    { "ed-unit", "final_norm=off" },
    { "gqa", "shape.kv_heads=1" },
    { "d-head", "shape.d_head=10" },
    { "batches-norm", "sampling.estimate=mean" },
    { "batches-mean", "sampling.estimate=norm" },
    { "batches-text", "sampling.estimate=mean" },
    { "batches-text", "sampling.batches=3" },
    { "batches-mean", "sampling.batches=3" },
    { "batches-ed", "shape.batch=1" },
    { "batches-unit", "sampling.batches=1" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (wrongs); i++)
    {
      g_autoptr (Golden) golden = golden_load (wrongs[i].name);
      g_autoptr (NsExperiment) wrong = ns_experiment_copy (golden->experiment);
      change (wrong, wrongs[i].changes);
      g_assert_false (ns_experiment_equal (wrong, golden->experiment));

      g_autoptr (NsResult) result = golden_run (wrong);
      Summary summary = { 0 };
      gboolean same_sites = ns_experiment_get_head_site (wrong) == golden_last_site (golden);
      g_autofree char *problem = same_sites ? golden_compare (golden, result, &summary) : g_strdup ("other sites");
      if (problem == NULL)
        g_test_message ("%s in %s went unnoticed", wrongs[i].changes, wrongs[i].name);
      g_assert_nonnull (problem);
    }
}

static void
test_planted_values (void)
{
  NsQuantityKind norm = NS_KIND_GRADIENT;
  g_assert_cmpfloat (golden_deviation (norm, 1, 1, 0), ==, 0);
  g_assert_cmpfloat (golden_deviation (norm, 1e-200, 1e-200 * (1 + TOLERANCE / 2), -200), <=, 1);
  g_assert_cmpfloat (golden_deviation (norm, 1, NAN, 0), >, 1);
  g_assert_cmpfloat (golden_deviation (norm, 1, INFINITY, 0), >, 1);
  g_assert_cmpfloat (golden_deviation (norm, 1, 1, NAN), >, 1);
  g_assert_cmpfloat (golden_deviation (norm, NAN, 1, 0), >, 1);
  g_assert_cmpfloat (golden_deviation (norm, 1e-200, 0, -200), >, 1);
  g_assert_cmpfloat (golden_deviation (norm, 1e-200, 1e-200, -INFINITY), >, 1);
  g_assert_cmpfloat (golden_deviation (norm, 1, 1, 2 * TOLERANCE), >, 1);
  g_assert_cmpfloat (golden_deviation (norm, 0, 1e-300, -300), >, 1);
  g_assert_cmpfloat (golden_deviation (norm, 0, 0, -INFINITY), ==, 0);
  g_assert_cmpfloat (golden_deviation (NS_KIND_COSINE, 0, 2 * TOLERANCE * COSINE_FLOOR, 0), >, 1);
  g_assert_cmpfloat (golden_deviation (NS_KIND_COSINE, 0.5, NAN, 0), >, 1);
  g_assert_cmpfloat (golden_deviation (NS_KIND_LOSS, 5, 5 + 6 * TOLERANCE, 0), >, 1);
  g_assert_cmpfloat (golden_expected_deviation (0.1, 0.1, -1, 1, 0), ==, 0);
  g_assert_cmpfloat (golden_expected_deviation (-0.1, NAN, NAN, 1, 0), ==, 0);
  g_assert_cmpfloat (golden_expected_deviation (-0.1, 0.1, -1, 0.1, 0), >, 1);
  g_assert_cmpfloat (golden_expected_deviation (0.1, NAN, NAN, 0.1, 0), >, 1);
  g_assert_cmpfloat (golden_expected_deviation (0.1, -0.1, NAN, 1, 0), >, 1);
  g_assert_cmpfloat (golden_expected_deviation (1, 1 + 3 * TOLERANCE, log10 (1 + 3 * TOLERANCE), 1, 0), >, 1);
}

/* The comparison detects a gradient that is listed as 0 in theory but is not. */
static void
test_planted_zero (void)
{
  g_autoptr (Golden) golden = golden_load ("causal-bias-gelu");
  g_autoptr (Golden) bent = golden_bend (golden, "w_q", 1, 1e-9);
  g_autoptr (NsResult) result = golden_run (golden->experiment);
  g_autoptr (JsonNode) zeros = json_from_string ("[\"b_k\", \"w_q\"]", NULL);
  Summary summary = { 0 };
  g_assert_true (golden_is_zero (golden, "b_k"));
  bent->zeros = json_node_get_array (zeros);
  g_autofree char *problem = golden_compare (bent, result, &summary);
  g_assert_nonnull (problem);
  g_assert_nonnull (strstr (problem, "w_q at site 1"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autoptr (GPtrArray) names = golden_names ();
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_strdup_printf ("/golden/%s", (char *) g_ptr_array_index (names, i));
      g_test_add_data_func (path, g_ptr_array_index (names, i), test_case);
    }
  g_test_add_func ("/golden/coverage", test_coverage);
  for (guint i = 0; i < G_N_ELEMENTS (planted_in); i++)
    {
      g_autofree char *path = g_strdup_printf ("/golden/planted/expected/%s", planted_in[i]);
      g_test_add_data_func (path, planted_in[i], test_planted_expected);
    }
  g_test_add_func ("/golden/planted/engine", test_planted_engine);
  g_test_add_func ("/golden/planted/values", test_planted_values);
  g_test_add_func ("/golden/planted/zero", test_planted_zero);
  return g_test_run ();
}
