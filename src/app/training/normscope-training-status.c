/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-status.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-status.h"
#include "app/shared/normscope-update.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/train/ns-training-progress.h"

/* Return "That takes about 6 seconds and 23 MiB of memory on this machine" and its parts, which wrap, or as much
 * space, so that nothing moves when the numbers arrive; caller frees. */
static char *
dup_forecast (NormscopeTrainingForecast *forecast)
{
  const char *text = normscope_training_forecast_get_text (forecast);

  if (text == NULL)
    return g_strdup_printf ("%s\n \n ", normscope_training_forecast_is_measuring (forecast)
                                         ? _ ("Measuring time and memory…")
                                         : " ");
  if (!normscope_training_forecast_get_fits (forecast))
    /* Translators: “does not fit this machine: it needs 1 TiB of memory, the machine has 16 GiB” */
    return g_strdup_printf (_ ("That %s."), text);
  /* Translators: “about 6 seconds and 23 MiB of memory on this machine”; the parts of the memory */
  return g_strdup_printf (_ ("That takes %s\n(%s)."), text, normscope_training_forecast_get_parts (forecast));
}

static gboolean
has_tokens (const NsExperiment *experiment)
{
  return experiment->data.source != NS_SOURCE_GAUSSIAN;
}

/* Return TRUE if the experiment has tokens to predict, and the loss of them. */
static gboolean
predicts (const NsExperiment *experiment)
{
  return has_tokens (experiment) && experiment->loss == NS_LOSS_CROSS_ENTROPY;
}

static char *
dup_plan (const NsExperiment *experiment, NormscopeTrainingForecast *forecast)
{
  int seeds = (int) experiment->sampling.seeds, steps = (int) experiment->training.steps;
  int variants = (int) experiment->variants->len;
  g_autofree char *of_variants = g_strdup_printf (ngettext ("%d variant", "%d variants", (gulong) variants), variants);
  g_autofree char *of_seeds = g_strdup_printf (ngettext ("%d seed", "%d seeds", (gulong) seeds), seeds);
  g_autofree char *of_steps = g_strdup_printf (ngettext ("%d step", "%d steps", (gulong) steps), steps);
  g_autoptr (GError) error = NULL;
  g_autofree char *plan = NULL, *takes = NULL;

  if (predicts (experiment) && !ns_experiment_validate_training (experiment, &error))
    return g_markup_escape_text (error->message, -1);
  /* Translators: "4 variants", "8 seeds", "300 steps" */
  plan = g_strdup_printf (_ ("Train %s with %s for %s, all with the same minibatches."), of_variants, of_seeds,
                          of_steps);
  if (!predicts (experiment))
    return g_strconcat (plan, "\n",
                        has_tokens (experiment)
                            ? _ ("A random gradient is the gradient of no loss, so Train takes the cross-entropy.")
                            : _ ("Random vectors have no next token to predict, so Train takes the sample text."),
                        NULL);
  takes = dup_forecast (forecast);
  return g_strconcat (plan, "\n", takes, NULL);
}

/* Return "40 s left" for the first n_seeds seeds at the pace of the n steps so far; caller frees. */
static char *
dup_left_of (const NsTraining *training, gint64 n, guint n_seeds)
{
  guint n_variants = ns_training_get_experiment (training)->variants->len;
  gint64 left = 0;

  for (guint v = 0; v < n_variants; v++)
    for (guint s = 0; s < n_seeds; s++)
      if (!ns_training_is_finished (training, v, s))
        left += ns_training_get_n_steps (training) - ns_training_count_steps (training, v, s);
  return normscope_status_dup_time_left (ns_training_get_elapsed_ms (training) * 1e-3 * (double) left / (double) n);
}

/* Return "seed 1 of 8: 12 s left · all: 2 min left", "40 s left" with one seed; caller frees. */
static char *
dup_left (const NsTraining *training, gint64 n)
{
  guint n_seeds = ns_training_get_n_seeds (training);
  guint seed = MIN (ns_training_count_finished_seeds (training) + 1, n_seeds);
  g_autofree char *of_seed = dup_left_of (training, n, seed), *of_all = dup_left_of (training, n, n_seeds);

  if (seed == n_seeds)
    return g_steal_pointer (&of_all);
  /* Translators: the seed that trains, the number of seeds, “12 s left”, “2 min left” */
  return g_strdup_printf (_ ("seed %u of %u: %s · all: %s"), seed, n_seeds, of_seed, of_all);
}

static char *
dup_run_status (NormscopeTrainingRun *run, NormscopeTrainingForecast *forecast)
{
  const char *takes = normscope_training_forecast_get_text (forecast);
  const NsTraining *training = normscope_training_run_get_training (run);
  guint n_seeds, n_runs;
  g_autofree char *runs = NULL;
  gint64 all, n = 0;

  if (training == NULL)
    return g_strdup ("");
  n_seeds = ns_training_get_n_seeds (training);
  n_runs = ns_training_get_experiment (training)->variants->len * n_seeds;
  runs = g_strdup_printf (ngettext ("%u run", "%u runs", n_runs), n_runs);
  all = ns_training_get_n_steps (training) * n_runs;
  if (ns_training_is_recorded (training))
    {
      const char *name = ns_experiment_variant (ns_training_get_experiment (training), 0)->name;

      /* Translators: the name of a recording, its steps */
      return g_strdup_printf (ngettext ("Recording “%s” · %d step", "Recording “%s” · %d steps", (gulong) all), name,
                              (int) all);
    }
  for (guint i = 0; i < n_runs; i++)
    n += ns_training_count_steps (training, i / n_seeds, i % n_seeds);
  if (normscope_training_run_is_stale (run) && !normscope_training_run_is_running (run))
    {
      /* Translators: "4 runs" */
      g_autofree char *former = g_strdup_printf (_ ("Of the former settings · %s"), runs);

      /* Translators: “Of the former settings · 4 runs”, “about 6 seconds and 23 MiB of memory on this machine” */
      return takes != NULL ? g_strdup_printf (_ ("%s · Train: %s"), former, takes) : g_steal_pointer (&former);
    }
  if (normscope_training_run_is_running (run) && n > 0)
    {
      g_autofree char *left = dup_left (training, n);

      /* Translators: "4 runs", steps that are done, all steps, "3 min left" */
      return g_strdup_printf (_ ("%s · %d of %d steps · %s"), runs, (int) n, (int) all, left);
    }
  if (!normscope_training_run_is_finished (run))
    /* Translators: "4 runs", steps that are done, all steps */
    return g_strdup_printf (_ ("%s · %d of %d steps"), runs, (int) n, (int) all);
  /* Translators: "4 runs", steps, seconds */
  return g_strdup_printf (_ ("%s · %d steps · %.1f s"), runs, (int) n, ns_training_get_elapsed_ms (training) / 1e3);
}

void
normscope_training_show_plan (AdwStatusPage *page, GtkButton *button, NormscopeSession *session,
                              NormscopeTrainingForecast *forecast)
{
  const NsExperiment *experiment = normscope_session_get_experiment (session);
  g_autofree char *plan = dup_plan (experiment, forecast);

  gtk_widget_set_sensitive (GTK_WIDGET (button), normscope_session_get_error (session) == NULL);
  gtk_button_set_label (button, has_tokens (experiment) ? _ ("Train") : _ ("Train on Text"));
  adw_status_page_set_description (page, plan);
}

void
normscope_training_show_status (GtkLabel *label, NormscopeTrainingRun *run, NormscopeTrainingForecast *forecast)
{
  g_autofree char *status = dup_run_status (run, forecast);

  gtk_label_set_label (label, status);
  normscope_update_tooltip (GTK_WIDGET (label), normscope_training_forecast_get_parts (forecast));
}

void
normscope_training_take_tokens (GtkWidget *page, NormscopeSession *session)
{
  const NsExperiment *experiment = normscope_session_get_experiment (session);
  gboolean had_tokens = has_tokens (experiment);
  const char *message;

  if (predicts (experiment) || normscope_session_get_error (session) != NULL)
    return;
  normscope_session_predict_tokens (session);
  message = had_tokens ? _ ("Training takes the cross-entropy as its loss")
                       : _ ("Training takes the sample text, since random vectors have no next token");
  gtk_widget_activate_action (page, "win.offer-undo", "s", message);
}
