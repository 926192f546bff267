/* Results with known numbers as JSON, CSV and table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-json.h"
#include "document/ns-result-csv.h"
#include "document/ns-result-json.h"
#include "document/ns-result-table.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/run/ns-result-private.h"
#include "engine/run/ns-result-rows.h"
#include "tests.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#define DEPTH   3
#define N_SEEDS 2

/* A distinct number for each place; the two seeds have this number minus and plus 1. */
static double
value_at (guint variant, guint quantity, gint64 site)
{
  return 1000.0 * (variant + 1) + 10.0 * quantity + (double) site + 0.25;
}

static void
fill (NsResult *result)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);

  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      for (gint64 site = 0; site <= ns_experiment_get_head_site (experiment); site++)
        for (guint s = 0; s < ns_result_get_n_seeds (result); s++)
          if (ns_quantity_exists ((NsQuantity) q, experiment, v, site))
            {
              double value = value_at (v, q, site) + (s == 0 ? -1 : 1);

              ns_result_set (result, v, (NsQuantity) q, site, s, value, log10 (value));
            }
}

static NsExperiment *
new_experiment (void)
{
  NsExperiment *experiment = ns_experiment_new ();

  experiment->shape.depth = DEPTH;
  experiment->sampling.seed = 100;
  experiment->sampling.seeds = 5;
  return experiment;
}

/* A result with seeds 101 and 102 of the experiment's five. */
static NsResult *
new_result (const NsExperiment *experiment)
{
  NsResult *result = ns_result_new_of (experiment, 1, N_SEEDS, NULL);

  fill (result);
  ns_result_set_elapsed (result, 14.2, 2);
  return result;
}

static char *
dup_text (GBytes *bytes)
{
  char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));

  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_true (g_str_has_suffix (text, "\n"));
  g_bytes_unref (bytes);
  return text;
}

/* ---- JSON ---- */

static JsonNode *
parse (const NsResult *result)
{
  g_autofree char *text = dup_text (ns_result_to_json (result, FALSE, NULL));
  g_autoptr (GError) error = NULL;
  JsonNode *root = json_from_string (text, &error);

  g_assert_no_error (error);
  return root;
}

/* Return the only node at a path, or NULL. */
static JsonNode *
look_up (JsonNode *root, const char *path)
{
  g_autoptr (JsonNode) found = json_path_query (path, root, NULL);
  JsonArray *array = json_node_get_array (found);

  return json_array_get_length (array) == 1 ? json_array_dup_element (array, 0) : NULL;
}

static double
number_at (JsonNode *root, const char *path)
{
  g_autoptr (JsonNode) node = look_up (root, path);

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    g_error ("no number at %s", path);
  return json_node_get_double (node);
}

static void
assert_null_at (JsonNode *root, const char *path)
{
  g_autoptr (JsonNode) node = look_up (root, path);

  if (node == NULL || !JSON_NODE_HOLDS_NULL (node))
    g_error ("no null at %s", path);
}

static void
assert_absent (JsonNode *root, const char *path)
{
  g_autoptr (JsonNode) node = look_up (root, path);

  if (node != NULL)
    g_error ("something at %s", path);
}

static void
assert_stat (JsonNode *root, const char *path, double wanted)
{
  g_autofree char *mean = g_strconcat (path, ".mean", NULL);
  g_autofree char *std = g_strconcat (path, ".std", NULL);
  g_autofree char *log10_mean = g_strconcat (path, ".log10_mean", NULL);

  g_assert_cmpfloat_with_epsilon (number_at (root, mean), wanted, 1e-9);
  g_assert_cmpfloat_with_epsilon (number_at (root, std), sqrt (2), 1e-9);
  g_assert_cmpfloat_with_epsilon (number_at (root, log10_mean), (log10 (wanted - 1) + log10 (wanted + 1)) / 2, 1e-9);
}

static void
test_json (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment ();
  g_autoptr (NsResult) result = new_result (experiment);
  g_autoptr (JsonNode) root = parse (result);
  g_autoptr (JsonNode) format = look_up (root, "$.format");
  g_autoptr (JsonNode) part = look_up (root, "$.variants[1].layers[2].part");
  g_autoptr (JsonNode) generator = look_up (root, "$.generator");
  g_autoptr (JsonNode) layers = NULL;

  g_assert_cmpstr (json_node_get_string (format), ==, "normscope-result");
  g_assert_cmpstr (json_node_get_string (part), ==, "stack");
  g_assert_true (g_str_has_prefix (json_node_get_string (generator), "normscope "));
  g_assert_cmpfloat (number_at (root, "$.version"), ==, 1);
  g_assert_cmpfloat (number_at (root, "$.variants[1].layers[2].layer"), ==, 3);
  layers = look_up (root, "$.variants[1].layers");
  g_assert_cmpuint (json_array_get_length (json_node_get_array (layers)), ==, DEPTH);

  assert_stat (root, "$.variants[0].input.grad_x", value_at (0, NS_Q_GRAD_X, 0));
  assert_stat (root, "$.variants[0].input.rms_x", value_at (0, NS_Q_RMS_X, 0));
  assert_stat (root, "$.variants[0].layers[0].grad.w_q", value_at (0, NS_T_W_Q, 1));
  assert_stat (root, "$.variants[1].layers[2].grad.w_2", value_at (1, NS_T_W_2, 3));
  assert_stat (root, "$.variants[1].layers[2].grad.block", value_at (1, NS_Q_BLOCK, 3));
  assert_stat (root, "$.variants[1].layers[1].grad_x", value_at (1, NS_Q_GRAD_X, 2));
  assert_stat (root, "$.variants[1].layers[1].rms_ffn", value_at (1, NS_Q_RMS_FFN, 2));
  assert_stat (root, "$.variants[1].head.grad.w_head", value_at (1, NS_T_W_HEAD, DEPTH + 1));

  g_assert_cmpfloat (number_at (root, "$.variants[0].layers[0].token_cos.mean"), ==, value_at (0, NS_Q_TOKEN_COS, 1));
  assert_absent (root, "$.variants[0].layers[0].token_cos.log10_mean");
  g_assert_cmpfloat (number_at (root, "$.variants[0].loss.mean"), ==, value_at (0, NS_Q_LOSS, DEPTH + 1));
  assert_absent (root, "$.variants[0].loss.log10_mean");
  assert_null_at (root, "$.variants[0].overflow");
  assert_absent (root, "$.variants[0].layers[0].grad.w_3");
  assert_absent (root, "$.variants[0].layers[0].grad.w_head");
}

/* The experiment in the file has the seeds of the result, so running it reproduces the numbers. */
static void
test_json_experiment (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment ();
  g_autoptr (NsExperiment) read = NULL;
  g_autoptr (NsResult) result = NULL;
  g_autoptr (JsonNode) root = NULL, node = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  char *text;

  /* json-glib writes 1e-08 as "1e-08.0". */
  experiment->training.epsilon = 1e-6;
  result = new_result (experiment);
  root = parse (result);
  node = look_up (root, "$.experiment");
  text = json_to_string (node, FALSE);
  bytes = g_bytes_new_take (text, strlen (text));
  read = ns_experiment_from_bytes (bytes, "result", &error);
  g_assert_no_error (error);
  experiment->sampling.seed = 101;
  experiment->sampling.seeds = N_SEEDS;
  g_assert_true (ns_experiment_equal (read, experiment));
}

static void
test_json_not_numbers (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment ();
  g_autoptr (NsResult) result = new_result (experiment);
  g_autoptr (JsonNode) root = NULL;

  for (guint s = 0; s < N_SEEDS; s++)
    {
      ns_result_set (result, 0, NS_Q_W_1, 2, s, NAN, NAN);
      ns_result_set (result, 0, NS_Q_W_2, 2, s, INFINITY, INFINITY);
      ns_result_set (result, 0, NS_Q_W_V, 2, s, 0, -400.5);
      ns_result_set (result, 0, NS_Q_W_O, 2, s, 0, -INFINITY);
    }
  ns_result_set_overflow (result, 1, 1, 2);
  root = parse (result);
  assert_null_at (root, "$.variants[0].layers[1].grad.w_1.mean");
  assert_null_at (root, "$.variants[0].layers[1].grad.w_1.log10_mean");
  assert_null_at (root, "$.variants[0].layers[1].grad.w_2.mean");
  g_assert_cmpfloat (number_at (root, "$.variants[0].layers[1].grad.w_v.mean"), ==, 0);
  g_assert_cmpfloat (number_at (root, "$.variants[0].layers[1].grad.w_v.log10_mean"), ==, -400.5);
  g_assert_cmpfloat (number_at (root, "$.variants[0].layers[1].grad.w_o.mean"), ==, 0);
  assert_null_at (root, "$.variants[0].layers[1].grad.w_o.log10_mean");
  /* The result begins at run 1 of seed 100, so index 1 is seed 102. */
  g_assert_cmpfloat (number_at (root, "$.variants[1].overflow.seed"), ==, 102);
  g_assert_cmpfloat (number_at (root, "$.variants[1].overflow.layer"), ==, 2);
}

static void
test_json_absent (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment ();
  g_autoptr (NsResult) result = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (JsonNode) head = NULL;

  experiment->shape.seq_len = 1;
  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  ns_experiment_variant (experiment, 0)->activation = NS_ACT_SWIGLU;
  ns_experiment_variant (experiment, 0)->attention_output = FALSE;
  result = new_result (experiment);
  root = parse (result);
  head = look_up (root, "$.variants[1].head.grad");
  assert_null_at (root, "$.variants[0].loss");
  assert_null_at (root, "$.variants[0].input.token_cos");
  assert_null_at (root, "$.variants[0].layers[0].token_cos");
  assert_stat (root, "$.variants[0].layers[0].grad.w_3", value_at (0, NS_T_W_3, 1));
  assert_absent (root, "$.variants[0].layers[0].grad.w_o");
  assert_absent (root, "$.variants[0].head.grad.w_head");
  g_assert_cmpuint (json_object_get_size (json_node_get_object (head)), ==, 0);
}

/* ---- CSV ---- */

static void
test_csv (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment ();
  g_autoptr (NsResult) result = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autofree char *cosine = g_strdup_printf ("\nPre-LN,stack,3,token_cos,cosine,%.2f,1.4142135623730951,,,,2\n",
                                             value_at (0, NS_Q_TOKEN_COS, 3));

  ns_param_set_string (ns_param_find ("name"), ns_experiment_variant (experiment, 1), "a \"b\", c", "", NULL);
  result = new_result (experiment);
  for (guint s = 0; s < N_SEEDS; s++)
    {
      ns_result_set (result, 0, NS_Q_W_1, 2, s, NAN, NAN);
      ns_result_set (result, 0, NS_Q_W_2, 2, s, INFINITY, INFINITY);
      ns_result_set (result, 0, NS_Q_W_V, 2, s, 0.125, -INFINITY);
    }
  text = dup_text (ns_result_to_csv (result, NS_CSV_PLAIN, NULL));
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpstr (lines[0], ==, "variant,part,layer,quantity,kind,mean,std,geometric_mean,sd_factor,log10_mean,seeds");
  g_assert_null (strchr (text, '\r'));
  g_assert_nonnull (strstr (text, "\nPre-LN,stack,2,w_1,gradient,nan,nan,nan,nan,nan,2\n"));
  g_assert_nonnull (strstr (text, "\nPre-LN,stack,2,w_2,gradient,inf,"));
  g_assert_nonnull (strstr (text, "\nPre-LN,stack,2,w_v,gradient,0.125,0,0,nan,-inf,2\n"));
  g_assert_nonnull (strstr (text, cosine));
  g_assert_nonnull (strstr (text, "\nPre-LN,head,4,loss,loss,"));
  g_assert_nonnull (strstr (text, "\nPre-LN,input,0,grad_x,gradient,"));
  g_assert_nonnull (strstr (text, "\n\"a \"\"b\"\", c\",stack,1,block,gradient,"));
  for (guint i = 1; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      const char *rest = g_str_has_prefix (lines[i], "\"") ? strrchr (lines[i], '"') : lines[i];
      g_auto (GStrv) fields = g_strsplit (rest, ",", -1);

      g_assert_cmpuint (g_strv_length (fields), ==, 11);
    }
}

/* ---- several minibatches ---- */

/* Set the value of an estimate for both seeds of Pre-LN. */
static void
set_estimate (NsResult *result, NsQuantity quantity, NsGradientEstimate estimate, double value)
{
  for (guint s = 0; s < N_SEEDS; s++)
    ns_result_set_estimate (result, 0, quantity, estimate, 2, s, value, log10 (value));
}

/* Files contain every estimate, and the selected one where readers without support for estimates find the numbers. */
static void
test_estimates (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment ();
  g_autoptr (NsResult) result = NULL, merged = NULL, second = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *csv = NULL, *seeds = NULL, *table = NULL;
  g_autofree NsResultRow *rows = NULL;
  guint n_rows = (N_SEEDS + 1) * experiment->variants->len;
  double value;

  experiment->sampling.batches = 4;
  experiment->sampling.estimate = NS_ESTIMATE_MEAN;
  result = new_result (experiment);
  set_estimate (result, NS_Q_W_2, NS_ESTIMATE_NORM, 8);
  set_estimate (result, NS_Q_W_2, NS_ESTIMATE_MEAN, 4);
  set_estimate (result, NS_Q_W_2, NS_ESTIMATE_EXPECTED, NAN);

  root = parse (result);
  g_assert_cmpfloat (number_at (root, "$.variants[0].layers[1].grad.w_2.mean"), ==, 4);
  g_assert_cmpfloat (number_at (root, "$.variants[0].layers[1].grad.w_2.estimates.norm.mean"), ==, 8);
  g_assert_cmpfloat (number_at (root, "$.variants[0].layers[1].grad.w_2.estimates.mean.mean"), ==, 4);
  assert_null_at (root, "$.variants[0].layers[1].grad.w_2.estimates.expected.mean");
  assert_absent (root, "$.variants[0].layers[1].rms_x.estimates");
  assert_absent (root, "$.variants[0].layers[1].grad_x.estimates");

  csv = dup_text (ns_result_to_csv (result, NS_CSV_PLAIN, NULL));
  g_assert_true (g_str_has_prefix (csv, "variant,part,layer,quantity,kind,estimate,mean,std,"));
  g_assert_nonnull (strstr (csv, "\nPre-LN,stack,2,w_2,gradient,norm,8,0,"));
  g_assert_nonnull (strstr (csv, "\nPre-LN,stack,2,w_2,gradient,mean,4,0,"));
  g_assert_nonnull (strstr (csv, "\nPre-LN,stack,2,w_2,gradient,expected,nan,nan,"));
  g_assert_nonnull (strstr (csv, "\nPre-LN,stack,2,grad_x,gradient,,"));
  seeds = dup_text (ns_result_to_csv (result, NS_CSV_PER_SEED, NULL));
  g_assert_nonnull (strstr (seeds, "\nPre-LN,stack,2,w_2,gradient,mean,102,4,"));
  table = dup_text (ns_result_to_table (result, NULL, 0, NULL));
  g_assert_nonnull (strstr (table, "2 seeds · norm of the mean over 4 minibatches · "));

  second = ns_result_new_of (experiment, 1 + N_SEEDS, 1, NULL);
  ns_result_set_estimate (second, 0, NS_Q_W_2, NS_ESTIMATE_NORM, 2, 0, 3, log10 (3));
  rows = g_new0 (NsResultRow, n_rows);
  ns_result_find_rows (result, experiment, NULL, 1, N_SEEDS + 1, rows);
  g_assert_cmpuint (ns_result_find_rows (second, experiment, NULL, 1, N_SEEDS + 1, rows), ==, n_rows);
  merged = ns_result_new_from_rows (experiment, NULL, 1, N_SEEDS + 1, rows);
  g_assert_true (ns_result_get_value_of (merged, 0, NS_Q_W_2, NS_ESTIMATE_NORM, 2, N_SEEDS, &value, NULL));
  g_assert_cmpfloat (value, ==, 3);
  g_assert_true (ns_result_get_value (merged, 0, NS_Q_W_2, 2, 1, &value, NULL));
  g_assert_cmpfloat (value, ==, 4);
}

/* ---- table ---- */

static void
test_table (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment ();
  g_autoptr (NsResult) result = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  gsize width = 0;

  ns_param_set_string (ns_param_find ("name"), ns_experiment_variant (experiment, 1), "漢字\x1b[31m", "", NULL);
  result = new_result (experiment);
  for (guint s = 0; s < N_SEEDS; s++)
    {
      ns_result_set (result, 0, NS_Q_GRAD_X, 2, s, 0, -400.5);
      ns_result_set (result, 0, NS_Q_RMS_X, 2, s, NAN, NAN);
      ns_result_set (result, 0, NS_Q_ATTN, 2, s, 0, -INFINITY);
      ns_result_set (result, 0, NS_Q_FFN, 2, s, 1.5e-7, log10 (1.5e-7));
    }
  ns_result_set_overflow (result, 1, 0, DEPTH + 1);
  text = dup_text (ns_result_to_table (result, NULL, 0, NULL));
  lines = g_strsplit (text, "\n", -1);
  g_assert_true (g_str_has_prefix (lines[0], "Pre-LN · loss "));
  g_assert_nonnull (strstr (lines[1], "‖∂L/∂·‖"));
  g_assert_nonnull (strstr (lines[2], "token_cos"));
  for (guint i = 2; i < 2 + 1 + 1 + DEPTH; i++)
    {
      if (width == 0)
        width = ns_text_width (lines[i]);
      g_assert_cmpuint (ns_text_width (lines[i]), ==, width);
    }
  g_assert_nonnull (strstr (lines[5], " 3.162e-401 "));
  g_assert_nonnull (strstr (lines[5], " NaN "));
  g_assert_nonnull (strstr (lines[5], " 1.500e-07 "));
  g_assert_nonnull (strstr (text, "overflows in the head with seed 101"));
  g_assert_null (strchr (text, 0x1b));
  g_assert_nonnull (strstr (text, "\n2 seeds · geometric means of gradient norms, arithmetic means of the rest · "));
  g_assert_nonnull (strstr (text, " · 14 ms\n"));
}

static void
test_table_columns (void)
{
  const NsQuantity chosen[] = { NS_Q_W_2, NS_Q_W_3, NS_Q_W_HEAD };
  const NsQuantity none[] = { NS_Q_W_3 };
  g_autoptr (NsExperiment) experiment = new_experiment ();
  g_autoptr (NsResult) result = new_result (experiment);
  g_autofree char *text = dup_text (ns_result_to_table (result, chosen, G_N_ELEMENTS (chosen), NULL));
  g_autofree char *empty = dup_text (ns_result_to_table (result, none, G_N_ELEMENTS (none), NULL));
  g_autofree char *head = g_strdup_printf ("\n head          %.0f\n", value_at (0, NS_T_W_HEAD, DEPTH + 1));

  g_assert_nonnull (strstr (text, "block   w_2  w_head\n"));
  g_assert_nonnull (strstr (text, head));
  g_assert_null (strstr (text, "w_3"));
  g_assert_null (strstr (text, "input"));
  g_assert_nonnull (strstr (empty, "none of these quantities"));
}

/* ---- an encoder and a decoder ---- */

static NsResult *
new_translation (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment ();

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  ns_experiment_variant (experiment, 0)->input_norm = TRUE;
  return new_result (experiment);
}

static void
assert_text_at (JsonNode *root, const char *path, const char *wanted)
{
  g_autoptr (JsonNode) node = look_up (root, path);

  g_assert_nonnull (node);
  g_assert_cmpstr (json_node_get_string (node), ==, wanted);
}

static void
test_parts_json (void)
{
  g_autoptr (NsResult) result = new_translation ();
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (JsonNode) layers = NULL;
  const gint64 decoder = DEPTH + 1, head = 2 * (DEPTH + 1);

  ns_result_set_overflow (result, 1, 0, decoder + 2);
  root = parse (result);
  layers = look_up (root, "$.variants[0].layers");
  g_assert_cmpuint (json_array_get_length (json_node_get_array (layers)), ==, 2 * DEPTH);
  assert_text_at (root, "$.variants[0].layers[0].part", "encoder");
  assert_text_at (root, "$.variants[0].layers[3].part", "decoder");
  g_assert_cmpfloat (number_at (root, "$.variants[0].layers[2].layer"), ==, DEPTH);
  g_assert_cmpfloat (number_at (root, "$.variants[0].layers[3].layer"), ==, 1);
  assert_stat (root, "$.variants[0].layers[0].grad.w_q", value_at (0, NS_T_W_Q, 1));
  assert_stat (root, "$.variants[0].layers[3].grad.w_q", value_at (0, NS_T_W_Q, decoder + 1));
  assert_stat (root, "$.variants[0].layers[3].grad.cross_w_o", value_at (0, NS_T_CROSS_W_O, decoder + 1));
  assert_stat (root, "$.variants[0].layers[5].grad.cross", value_at (0, NS_Q_CROSS, decoder + 3));
  assert_stat (root, "$.variants[0].layers[5].rms_cross", value_at (0, NS_Q_RMS_CROSS, decoder + 3));
  assert_absent (root, "$.variants[0].layers[0].grad.cross");
  assert_absent (root, "$.variants[0].layers[0].rms_cross");
  assert_stat (root, "$.variants[0].input.rms_x", value_at (0, NS_Q_RMS_X, 0));
  assert_stat (root, "$.variants[0].decoder_input.rms_x", value_at (0, NS_Q_RMS_X, decoder));
  assert_stat (root, "$.variants[0].decoder_input.grad.gain_input", value_at (0, NS_T_GAIN_INPUT, decoder));
  assert_absent (root, "$.variants[1].input.grad");
  assert_stat (root, "$.variants[0].head.grad.gain_encoder_final", value_at (0, NS_T_GAIN_ENCODER_FINAL, head));
  assert_text_at (root, "$.variants[1].overflow.part", "decoder");
  g_assert_cmpfloat (number_at (root, "$.variants[1].overflow.layer"), ==, 2);
  assert_null_at (root, "$.variants[0].overflow");
}

/* Relative position biases are the only parameters before the blocks. */
static void
test_relative_bias_json (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment ();
  g_autoptr (NsResult) result = NULL;
  g_autoptr (JsonNode) root = NULL;

  ns_experiment_variant (experiment, 0)->position_bias = NS_POSITION_BIAS_T5;
  result = new_result (experiment);
  root = parse (result);
  assert_stat (root, "$.variants[0].input.grad.relative_bias", value_at (0, NS_T_RELATIVE_BIAS, 0));
  assert_absent (root, "$.variants[1].input.grad");
}

static void
test_parts_csv (void)
{
  g_autoptr (NsResult) result = new_translation ();
  g_autofree char *text = dup_text (ns_result_to_csv (result, NS_CSV_PLAIN, NULL));
  g_autofree char *cross =
      g_strdup_printf ("\nPre-LN,decoder,3,cross_w_q,gradient,%.2f,", value_at (0, NS_T_CROSS_W_Q, 2 * DEPTH + 1));

  g_assert_nonnull (strstr (text, "\nPre-LN,input,0,gain_input,gradient,"));
  g_assert_nonnull (strstr (text, "\nPre-LN,encoder,1,w_q,gradient,"));
  g_assert_nonnull (strstr (text, "\nPre-LN,decoder_input,0,grad_x,gradient,"));
  g_assert_nonnull (strstr (text, cross));
  g_assert_nonnull (strstr (text, "\nPre-LN,head,4,gain_encoder_final,gradient,"));
  g_assert_null (strstr (text, ",stack,"));
  g_assert_null (strstr (text, ",encoder,1,cross"));
}

static void
test_parts_table (void)
{
  g_autoptr (NsResult) result = new_translation ();
  g_autofree char *text = NULL;

  ns_result_set_overflow (result, 1, 0, DEPTH + 3);
  text = dup_text (ns_result_to_table (result, NULL, 0, NULL));
  for (const char *const *label = (const char *const[]){ "source", "encoder 1", "target", "decoder 3", NULL };
       *label != NULL; label++)
    g_assert_nonnull (strstr (text, *label));
  g_assert_nonnull (strstr (text, "overflows in decoder 2 with seed 101"));
}

static void
test_text_width (void)
{
  g_assert_cmpuint (ns_text_width ("abc"), ==, 3);
  g_assert_cmpuint (ns_text_width ("‖∂L/∂·‖"), ==, 7);
  g_assert_cmpuint (ns_text_width ("漢字"), ==, 4);
  g_assert_cmpuint (ns_text_width ("a\xcc\x84"), ==, 1);
}

void
add_result_tests (void)
{
  g_test_add_func ("/result/json", test_json);
  g_test_add_func ("/result/json-experiment", test_json_experiment);
  g_test_add_func ("/result/json-not-numbers", test_json_not_numbers);
  g_test_add_func ("/result/json-absent", test_json_absent);
  g_test_add_func ("/result/csv", test_csv);
  g_test_add_func ("/result/estimates", test_estimates);
  g_test_add_func ("/result/table", test_table);
  g_test_add_func ("/result/table-columns", test_table_columns);
  g_test_add_func ("/result/parts/json", test_parts_json);
  g_test_add_func ("/result/relative-bias/json", test_relative_bias_json);
  g_test_add_func ("/result/parts/csv", test_parts_csv);
  g_test_add_func ("/result/parts/table", test_parts_table);
  g_test_add_func ("/result/text-width", test_text_width);
}
