/* Test the settings of training: a variant's own values, learning rates, what they leave alone.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "settings.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "tests.h"

#include <math.h>
#include <string.h>

#define RATE 0.02

static NsTrainingSettings
new_settings (NsSchedule schedule, gint64 warmup, gint64 steps)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NsTrainingSettings training = experiment->training;

  training.steps = steps;
  training.learning_rate = RATE;
  training.warmup = warmup;
  training.schedule = schedule;
  return training;
}

/* Rates written out by hand, as multiples of the learning rate. */
static void
test_rates_by_hand (void)
{
  static const struct
  {
    NsSchedule schedule;
    gint64 warmup, steps, step;
    double factor;
  } rows[] = {
    { NS_SCHEDULE_CONSTANT, 0, 10, 0, 1 },
    { NS_SCHEDULE_CONSTANT, 0, 10, 9, 1 },
    { NS_SCHEDULE_CONSTANT, 4, 10, 0, 0.25 },
    { NS_SCHEDULE_CONSTANT, 4, 10, 2, 0.75 },
    { NS_SCHEDULE_CONSTANT, 4, 10, 3, 1 },
    { NS_SCHEDULE_CONSTANT, 4, 10, 4, 1 },
    { NS_SCHEDULE_CONSTANT, 1, 10, 0, 1 },
    { NS_SCHEDULE_COSINE, 0, 4, 0, 1 },
    { NS_SCHEDULE_COSINE, 0, 4, 1, 0.85355339059327376 }, /* (1 + 1/√2)/2 */
    { NS_SCHEDULE_COSINE, 0, 4, 2, 0.5 },
    { NS_SCHEDULE_COSINE, 0, 4, 3, 0.14644660940672624 },
    { NS_SCHEDULE_COSINE, 2, 8, 1, 1 },
    { NS_SCHEDULE_COSINE, 2, 8, 2, 1 },
    { NS_SCHEDULE_COSINE, 2, 8, 4, 0.75 }, /* a third of the half period */
    { NS_SCHEDULE_COSINE, 2, 8, 5, 0.5 },
    { NS_SCHEDULE_LINEAR, 0, 5, 0, 1 },
    { NS_SCHEDULE_LINEAR, 0, 5, 4, 0.2 },
    { NS_SCHEDULE_LINEAR, 3, 8, 2, 1 },
    { NS_SCHEDULE_LINEAR, 3, 8, 3, 1 },
    { NS_SCHEDULE_LINEAR, 3, 8, 7, 0.2 },
    { NS_SCHEDULE_INVERSE_SQRT, 0, 100, 0, 1 },
    { NS_SCHEDULE_INVERSE_SQRT, 0, 100, 3, 0.5 },
    { NS_SCHEDULE_INVERSE_SQRT, 4, 100, 3, 1 },
    { NS_SCHEDULE_INVERSE_SQRT, 4, 100, 15, 0.5 },
    /* the training ends within the warm-up */
    { NS_SCHEDULE_COSINE, 20, 10, 9, 0.5 },
    { NS_SCHEDULE_LINEAR, 10, 10, 9, 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      NsTrainingSettings training = new_settings (rows[i].schedule, rows[i].warmup, rows[i].steps);

      g_test_message ("schedule %d, warm-up %d of %d, step %d", (int) rows[i].schedule, (int) rows[i].warmup,
                      (int) rows[i].steps, (int) rows[i].step);
      g_assert_cmpfloat_with_epsilon (ns_training_get_rate (&training, rows[i].step), RATE * rows[i].factor, 1e-15);
    }
}

/* Vaswani et al. 2017, equation 3, whose steps count from 1; the peak is the learning rate. */
static void
test_noam (void)
{
  const double W = 7;
  NsTrainingSettings training = new_settings (NS_SCHEDULE_INVERSE_SQRT, (gint64) W, 50);

  for (gint64 step = 1; step <= 50; step++)
    {
      double s = (double) step, noam = MIN (1 / sqrt (s), s * pow (W, -1.5)) * sqrt (W);

      g_assert_cmpfloat_with_epsilon (ns_training_get_rate (&training, step - 1), RATE * noam, 1e-15);
    }
}

/* The sums over all steps have a closed form. */
static void
test_sums (void)
{
  const gint64 W = 10, S = 110;
  const double n = (double) (S - W), ramp = (double) (W + 1) / 2;
  static const NsSchedule schedules[] = { NS_SCHEDULE_CONSTANT, NS_SCHEDULE_COSINE, NS_SCHEDULE_LINEAR };
  const double wanted[] = { ramp + n, ramp + (n + 1) / 2, ramp + (n + 1) / 2 };

  for (gsize i = 0; i < G_N_ELEMENTS (schedules); i++)
    {
      NsTrainingSettings training = new_settings (schedules[i], W, S);
      double sum = 0;

      for (gint64 step = 0; step < S; step++)
        sum += ns_training_get_rate (&training, step);
      g_assert_cmpfloat_with_epsilon (sum, RATE * wanted[i], 1e-12);
    }
}

/* A variant's own values, of which each row sets more, hide those of the experiment. */
static void
test_own_values (void)
{
  static const struct
  {
    const char *settings;
    NsTrainingSettings wanted; /* without the fields that no row sets */
  } rows[] = {
    { "training.learning_rate=0.5,training.warmup=7,training.optimizer=adamw,training.schedule=linear,training.clip=2",
      { .learning_rate = 0.5, .warmup = 7, .optimizer = NS_OPTIMIZER_ADAMW, .schedule = NS_SCHEDULE_LINEAR } },
    { "warmup=0",
      { .learning_rate = 0.5, .warmup = 0, .optimizer = NS_OPTIMIZER_ADAMW, .schedule = NS_SCHEDULE_LINEAR } },
    { "learning_rate=0,optimizer=sgd,schedule=constant",
      { .learning_rate = 0, .warmup = 0, .optimizer = NS_OPTIMIZER_SGD, .schedule = NS_SCHEDULE_CONSTANT } },
    { "warmup=null",
      { .learning_rate = 0, .warmup = 7, .optimizer = NS_OPTIMIZER_SGD, .schedule = NS_SCHEDULE_CONSTANT } },
  };
  g_autoptr (NsExperiment) experiment = one_variant ("post");

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (GStrv) settings = g_strsplit_set (rows[i].settings, ",=", -1);
      NsTrainingSettings training;

      for (guint k = 0; settings[k] != NULL; k += 2)
        set (experiment, settings[k], settings[k + 1]);
      training = ns_variant_get_training (experiment, ns_experiment_variant (experiment, 0));
      g_assert_cmpfloat (training.learning_rate, ==, rows[i].wanted.learning_rate);
      g_assert_cmpint (training.warmup, ==, rows[i].wanted.warmup);
      g_assert_cmpint (training.optimizer, ==, rows[i].wanted.optimizer);
      g_assert_cmpint (training.schedule, ==, rows[i].wanted.schedule);
      g_assert_cmpfloat (training.clip, ==, 2);
      g_assert_cmpint (experiment->training.warmup, ==, 7);
    }
}

/* Each key of training, and no other one, leaves the pass the same. */
static void
test_same_pass (void)
{
  static const char *const texts[] = { "1", "0.5", "true", "false", "other" };
  gsize n;
  guint n_training = 0;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) a = ns_experiment_new (), b = ns_experiment_copy (a);
      gpointer base = base_of (&params[i], b);
      gboolean of_training = g_str_has_prefix (ns_param_get_path (&params[i]), "training.")
                             || strcmp (params[i].key, "optimizer") == 0 || strcmp (params[i].key, "learning_rate") == 0
                             || strcmp (params[i].key, "warmup") == 0 || strcmp (params[i].key, "schedule") == 0;

      g_test_message ("%s", ns_param_get_path (&params[i]));
      g_assert_true (ns_experiment_has_same_pass (a, b));
      for (gsize t = 0; t < G_N_ELEMENTS (texts) && ns_experiment_equal (a, b); t++)
        ns_param_set_text (&params[i], base, texts[t], "", NULL);
      if (ns_experiment_equal (a, b))
        g_assert_true (ns_param_set_int (&params[i], base, (gint64) params[i].max, "", NULL));
      g_assert_false (ns_experiment_equal (a, b));
      g_assert_cmpint (ns_experiment_has_same_pass (a, b), ==, of_training);
      g_assert_cmpint (ns_param_is_of_training (&params[i]), ==, of_training);
      n_training += of_training ? 1 : 0;
    }
  g_assert_cmpuint (n_training, ==, 16);
}

static void
test_validate (void)
{
  g_autoptr (NsExperiment) experiment = one_variant ("post");
  g_autoptr (GError) error = NULL, loss_error = NULL;

  g_assert_true (ns_experiment_validate (experiment, NULL));
  g_assert_false (ns_experiment_validate_training (experiment, &error));
  MENTIONS (error, "data.source: gaussian is not allowed", "allowed: tokens");

  set (experiment, "data.source", "tokens");
  g_assert_true (ns_experiment_validate_training (experiment, NULL));
  set (experiment, "loss", "unit-gradient");
  g_assert_false (ns_experiment_validate_training (experiment, &loss_error));
  MENTIONS (loss_error, "loss: unit-gradient is not allowed", "allowed: cross-entropy");
}

void
add_training_settings_tests (void)
{
  g_test_add_func ("/training-settings/rates-by-hand", test_rates_by_hand);
  g_test_add_func ("/training-settings/noam", test_noam);
  g_test_add_func ("/training-settings/sums", test_sums);
  g_test_add_func ("/training-settings/own-values", test_own_values);
  g_test_add_func ("/training-settings/same-pass", test_same_pass);
  g_test_add_func ("/training-settings/validate", test_validate);
}
