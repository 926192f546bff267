/* The line of progress of a training.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n.h>
#include <math.h>

/* Variants in the line. */
#define MAX_SHOWN 4

/* Return the last loss of the first run of a variant that has one. */
static double
get_last_loss (const NsTraining *training, guint variant)
{
  double loss = NAN;

  for (guint s = 0; s < ns_training_get_n_seeds (training) && isnan (loss); s++)
    ns_training_get_loss (training, variant, s, ns_training_count_steps (training, variant, s) - 1, &loss);
  return loss;
}

char *
ns_cli_train_dup_progress (const NsTraining *training, NsProgress *progress, double elapsed_s)
{
  const NsExperiment *experiment = ns_training_get_experiment (training);
  guint n = experiment->variants->len, n_seeds = ns_training_get_n_seeds (training);
  double left_s = ns_cli_get_seconds_left (progress, elapsed_s);
  GString *line;
  gint64 steps = 0;

  if (isnan (left_s))
    return NULL;
  for (guint v = 0; v < n; v++)
    for (guint s = 0; s < n_seeds; s++)
      steps += ns_training_count_steps (training, v, s);
  line = g_string_new (NULL);
  g_string_append_printf (line, _ ("%lld of %lld steps, %.0f s left"), (long long) steps,
                          (long long) (ns_training_get_n_steps (training) * n * n_seeds), left_s);
  for (guint v = 0; v < MIN (n, MAX_SHOWN); v++)
    {
      double loss = get_last_loss (training, v);
      g_autofree char *name = ns_text_dup_line (ns_experiment_variant (experiment, v)->name);
      g_autofree char *name_shown = ns_text_dup_short (name, 24);

      if (!isnan (loss))
        g_string_append_printf (line, " · %s %.2f", name_shown, loss);
    }
  return g_string_free (line, FALSE);
}
