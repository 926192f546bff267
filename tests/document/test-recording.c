/* A recording becomes a result with the quantities that it has; broken ones are refused with the place.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-recording.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity.h"
#include "tests.h"

#include <math.h>
#include <string.h>

#define HEAD "{\"format\": \"normscope-recording\", \"version\": 1, \"name\": \"mine\", "
#define SHAPE "\"shape\": {\"depth\": 2}, \"blocks\": [\"h.0\", \"h.1\"], "
#define EXPERIMENT "\"experiment\": {\"shape\": {\"depth\": 2, \"heads\": 1}}, "
#define INPUT "\"input\": {\"rms_x\": 1.5, \"grad_x\": 0}, "
#define FIRST                                                                                                         \
  "{\"layer\": 1, \"part\": \"stack\", \"grad\": {\"w_2\": 0.25, \"w_3\": 1}, \"parameters\": {\"a.b\": -0}, "       \
  "\"rms_x\": null, \"token_cos\": -0.5, \"unheard_of\": -3}"
#define SECOND "{\"layer\": 2, \"grad\": {\"w_2\": 1e-300, \"w_q\": 2, \"w_3\": 1}, \"rms_x\": 2, \"token_cos\": 1}"
#define SECOND_STEP "{\"layer\": 1, \"grad\": {\"w_2\": 0.5}}, {\"layer\": 2, \"grad\": {\"w_2\": 4}, \"rms_x\": 1}"
#define STEPS "\"steps\": [{\"step\": 0, " INPUT "\"layers\": [" FIRST ", " SECOND "]}]}"
#define GOOD HEAD SHAPE EXPERIMENT STEPS

static NsTraining *
read_text (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  return ns_recording_from_bytes (bytes, "mine.json", error);
}

static double
get (const NsResult *result, NsQuantity quantity, gint64 site, double *log10_value)
{
  double value = -9;

  g_assert_true (ns_result_get_value (result, 0, quantity, site, 0, &value, log10_value));
  return value;
}

static void
test_numbers (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsTraining) training = read_text (GOOD, &error);
  g_autoptr (NsResult) result = training != NULL ? ns_training_get_result (training, 0) : NULL;
  double log10_value;
  NsStat stat;

  g_assert_no_error (error);
  g_assert_cmpstr (ns_experiment_variant (ns_result_get_experiment (result), 0)->name, ==, "mine");
  g_assert_cmpuint (ns_result_get_n_seeds (result), ==, 1);
  g_assert_cmpfloat (get (result, NS_Q_W_2, 1, &log10_value), ==, 0.25);
  g_assert_cmpfloat (fabs (log10_value - log10 (0.25)), <, 1e-15);
  g_assert_cmpfloat (get (result, NS_Q_W_2, 2, &log10_value), ==, 1e-300);
  g_assert_cmpfloat (fabs (log10_value + 300), <, 1e-12);
  g_assert_cmpfloat (get (result, NS_Q_TOKEN_COS, 1, NULL), ==, -0.5);
  g_assert_cmpfloat (get (result, NS_Q_RMS_X, 0, NULL), ==, 1.5);
  g_assert_true (isnan (get (result, NS_Q_RMS_X, 1, NULL)));
  g_assert_cmpfloat (get (result, NS_Q_RMS_X, 2, NULL), ==, 2);
  /* lacking: nowhere, in one block, and in a variant without a gate */
  g_assert_false (ns_result_get_stat (result, 0, NS_Q_BLOCK, 1, &stat));
  g_assert_false (ns_result_has (result, NS_Q_W_Q));
  g_assert_false (ns_result_has (result, NS_Q_W_3));
  g_assert_false (ns_result_has (result, NS_Q_GRAD_X));
}

/* Steps are a recorded training: their losses and numbers, NaN where one is lacking. */
static void
test_training (void)
{
  static const char text[] = HEAD SHAPE EXPERIMENT
    "\"steps\": [{\"step\": 0, \"loss\": 3.5, " INPUT "\"layers\": [" FIRST ", " SECOND "]}, "
    "{\"step\": 1, \"loss\": null, " INPUT "\"layers\": [" SECOND_STEP "]}, "
    "{\"step\": 2, \"loss\": 2, " INPUT "\"layers\": [" FIRST ", " SECOND "]}]}";
  g_autoptr (GError) error = NULL;
  g_autoptr (NsTraining) training = read_text (text, &error);
  g_autoptr (NsResult) second = NULL;
  double loss;
  NsStat stat;
  guint n;

  g_assert_no_error (error);
  g_assert_true (ns_training_is_recorded (training));
  g_assert_cmpint (ns_training_get_n_steps (training), ==, 3);
  g_assert_cmpint (ns_training_get_records (training, &n)[2], ==, 2);
  g_assert_cmpuint (n, ==, 3);
  g_assert_true (ns_training_is_finished (training, 0, 0));
  g_assert_true (ns_training_get_loss (training, 0, 0, 0, &loss) && loss == 3.5);
  g_assert_true (ns_training_get_loss (training, 0, 0, 1, &loss) && isnan (loss));
  g_assert_true (ns_training_get_loss (training, 0, 0, 2, &loss) && loss == 2);
  g_assert_false (ns_training_get_loss (training, 0, 0, 3, &loss));
  second = ns_training_get_result (training, 1);
  g_assert_cmpfloat (get (second, NS_Q_W_2, 1, NULL), ==, 0.5);
  g_assert_true (isnan (get (second, NS_Q_RMS_X, 1, NULL)));
  g_assert_true (ns_training_get_stat (training, 0, NS_Q_W_2, 1, 2, &stat));
  g_assert_cmpfloat (stat.mean, ==, 4);
  g_assert_false (ns_training_get_stat (training, 0, NS_Q_W_Q, 1, 1, &stat));
  g_assert_true (isnan (ns_training_get_floor (training)) && isnan (ns_training_get_symbol_entropy (training)));
  g_assert_false (ns_training_get_update_ratio (training, 0, 0, 1, NS_T_W_2, 1, &loss));
}

static void
test_experiment (void)
{
  static const char text[] = HEAD SHAPE
    "\"experiment\": {\"shape\": {\"depth\": 2, \"heads\": 1}, \"variants\": [{\"name\": \"a\"}, "
    "{\"name\": \"b\"}], \"sampling\": {\"seeds\": 3}}, " STEPS;
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GBytes) bad = g_bytes_new_static ("{}", 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) experiment = ns_recording_experiment_from_bytes (bytes, "mine.json", &error);
  g_autoptr (NsTraining) training = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (experiment->variants->len, ==, 2);
  g_assert_cmpstr (ns_experiment_variant (experiment, 1)->name, ==, "b");
  g_assert_cmpint (experiment->sampling.seeds, ==, 3);
  training = ns_recording_from_bytes (bytes, "mine.json", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ns_training_get_experiment (training)->variants->len, ==, 1);
  g_assert_null (ns_recording_experiment_from_bytes (bad, "mine.json", &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
}

static void
test_is_recording (void)
{
  static const struct
  {
    const char *text;
    gboolean expected;
  } cases[] = { { GOOD, TRUE },
                { "{\"format\": \"normscope-recording\"}", TRUE },
                { "{\"format\": \"normscope-experiment\", \"name\": \"normscope-recording\"}", FALSE },
                { "normscope-recording", FALSE },
                { "", FALSE } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (cases[i].text, strlen (cases[i].text));

      g_assert_true (ns_recording_is_recording (bytes) == cases[i].expected);
    }
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *text, *words[3];
  } cases[] = {
    { "", { "empty" } },
    { "[]", { "format", "null" } },
    { "{\"format\": \"normscope-result\"}", { "format", "\"normscope-result\"", "normscope-recording" } },
    { "{\"format\": \"normscope-recording\", \"version\": 2}", { "version", "2", "newer" } },
    { "{\"format\": \"normscope-recording\", \"version\": \"1\"}", { "version", "\"1\"" } },
    { HEAD SHAPE STEPS, { "experiment", "null" } },
    { HEAD SHAPE "\"experiment\": {\"shape\": {\"dept\": 2}}, " STEPS, { "experiment: shape.dept" } },
    { HEAD SHAPE "\"experiment\": {\"shape\": {\"depth\": 3}}, " STEPS, { "shape.depth: 2", "3" } },
    { HEAD SHAPE "\"experiment\": {\"shape\": {\"depth\": 2, \"stack\": \"encoder-decoder\"}}, " STEPS,
      { "shape.depth" } },
    { HEAD EXPERIMENT "\"blocks\": [1, 2], " STEPS, { "shape.depth", "null" } },
    { HEAD "\"shape\": {\"depth\": 2}, \"blocks\": [\"h.0\"], " EXPERIMENT STEPS, { "blocks", "a list of 2" } },
    { HEAD SHAPE EXPERIMENT "\"steps\": []}", { "steps", "[]", "not empty" } },
    { HEAD SHAPE EXPERIMENT "\"steps\": [3]}", { "steps[0].step" } },
    { HEAD SHAPE EXPERIMENT "\"steps\": [{\"step\": 1}]}", { "steps[0].step: 1", "0" } },
    { HEAD SHAPE EXPERIMENT "\"steps\": [{\"step\": 0, \"loss\": []}]}", { "steps[0].loss", "a number or null" } },
    { HEAD SHAPE EXPERIMENT "\"steps\": [{\"step\": 0}]}", { "steps[0].input", "object" } },
    { HEAD SHAPE EXPERIMENT "\"steps\": [{\"step\": 0, \"input\": {\"rms_x\": \"1\"}}]}",
      { "steps[0].input.rms_x: \"1\"", "a number" } },
    { HEAD SHAPE EXPERIMENT "\"steps\": [{\"step\": 0, \"input\": {\"rms_x\": -1}}]}",
      { "steps[0].input.rms_x: -1", "not negative" } },
    { HEAD SHAPE EXPERIMENT "\"steps\": [{\"step\": 0, \"input\": {\"grad\": {\"grad\": {}}}}]}",
      { "steps[0].input.grad.grad" } },
    { HEAD SHAPE EXPERIMENT "\"steps\": [{\"step\": 0, " INPUT "\"layers\": [" FIRST "]}]}",
      { "steps[0].layers", "a list of 2" } },
    { HEAD SHAPE EXPERIMENT "\"steps\": [{\"step\": 0, " INPUT "\"layers\": [" SECOND ", " FIRST "]}]}",
      { "steps[0].layers[0]: 2", "in order" } },
    { HEAD SHAPE EXPERIMENT "\"steps\": [{\"step\": 0, " INPUT "\"layers\": [" FIRST ", null]}]}",
      { "steps[0].layers[1]: null" } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (NsTraining) result = read_text (cases[i].text, &error);

      g_test_message ("%s", error != NULL ? error->message : cases[i].text);
      g_assert_null (result);
      g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
      g_assert_true (g_str_has_prefix (error->message, "mine.json"));
      for (gsize w = 0; w < G_N_ELEMENTS (cases[i].words) && cases[i].words[w] != NULL; w++)
        g_assert_nonnull (strstr (error->message, cases[i].words[w]));
    }
}

void
add_recording_tests (void)
{
  g_test_add_func ("/recording/numbers", test_numbers);
  g_test_add_func ("/recording/training", test_training);
  g_test_add_func ("/recording/experiment", test_experiment);
  g_test_add_func ("/recording/is-recording", test_is_recording);
  g_test_add_func ("/recording/refusals", test_refusals);
}
