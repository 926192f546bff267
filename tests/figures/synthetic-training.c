/* Trainings with losses chosen by a test.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "synthetic-training.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training-private.h"
#include "synthetic.h"

#include <math.h>

NsTraining *
synthetic_training (const char *const *variants, gint64 n_steps, guint n_seeds)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, variants);
  const NsQuantitySet none = { { 0 } };
  const NsTrainingPlan plan = { .quantities = &none };
  GError *error = NULL;
  NsTraining *training;

  experiment->data.source = NS_SOURCE_TEXT;
  g_free (experiment->data.text);
  experiment->data.text = g_strdup ("the quick brown fox jumps over the lazy dog and then it runs away from here");
  experiment->shape.vocab = 256;
  experiment->training.steps = n_steps;
  training = ns_training_new (experiment, &plan, 0, n_seeds, &error);
  g_assert_no_error (error);
  return training;
}

void
synthetic_set_losses (NsTraining *training, guint variant, guint seed, const double *losses, gint64 n)
{
  NsRun *run = ns_training_get_run (training, variant, seed);

  for (gint64 step = 0; step < n; step++)
    run->losses[step] = losses[step];
  run->n_losses = run->n_steps = n;
  run->diverged_step = -1;
  run->finished = n == training->n_steps;
}

void
synthetic_set_fall (NsTraining *training, guint variant, double first, double last)
{
  gint64 n = training->n_steps;
  g_autofree double *losses = g_new (double, n);

  for (guint s = 0; s < training->n_seeds; s++)
    {
      for (gint64 step = 0; step < n; step++)
        {
          double left = fmax (0, 1 - 3.0 * (double) step / (double) n);

          losses[step] = last + left * (first - last) + 0.01 * (s - 0.5 * (training->n_seeds - 1));
        }
      synthetic_set_losses (training, variant, s, losses, n);
    }
}

void
synthetic_set_divergence (NsTraining *training, guint variant, guint seed, gint64 step, gint64 site)
{
  NsRun *run = ns_training_get_run (training, variant, seed);

  run->losses[step] = NAN;
  run->n_steps = step;
  run->n_losses = step + 1;
  run->diverged_step = step;
  run->diverged_site = site;
  run->finished = TRUE;
}

NsTraining *
synthetic_trained (const char *const *variants, gint64 n_steps, guint n_seeds, const NsTrainingPlan *plan,
                   double learning_rate)
{
  g_autoptr (NsTraining) made = synthetic_training (variants, n_steps, n_seeds);
  g_autoptr (NsExperiment) experiment = ns_experiment_copy (ns_training_get_experiment (made));
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  GError *error = NULL;
  NsTraining *training;

  experiment->shape.d_model = 16;
  experiment->shape.heads = 2;
  experiment->shape.d_ff = 32;
  experiment->shape.seq_len = 8;
  experiment->shape.batch = 2;
  experiment->training.learning_rate = learning_rate;
  training = ns_training_new (experiment, plan, 0, n_seeds, &error);
  g_assert_no_error (error);
  ns_engine_train (engine, training, NULL, &error);
  g_assert_no_error (error);
  return training;
}
