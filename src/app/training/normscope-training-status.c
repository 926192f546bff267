/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-status.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-update.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-training-settings.h"

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

  if (!ns_experiment_validate_training (experiment, &error))
    return g_markup_escape_text (error->message, -1);
  /* Translators: "4 variants", "8 seeds", "300 steps" */
  plan = g_strdup_printf (_ ("Train %s with %s for %s, all with the same minibatches."), of_variants, of_seeds,
                          of_steps);
  takes = dup_forecast (forecast);
  return g_strconcat (plan, "\n", takes, NULL);
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
  gboolean trainable = ns_experiment_validate_training (experiment, NULL);
  g_autofree char *plan = dup_plan (experiment, forecast);

  gtk_widget_set_sensitive (GTK_WIDGET (button), normscope_session_get_error (session) == NULL);
  gtk_button_set_label (button, trainable ? _ ("Train") : _ ("Train on Text"));
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
normscope_training_set_text (NormscopeSession *session)
{
  if (ns_experiment_validate_training (normscope_session_get_experiment (session), NULL))
    return;
  normscope_session_set_int (session, ns_param_find ("data.source"), NS_SOURCE_TEXT, NULL);
  normscope_session_set_int (session, ns_param_find ("loss"), NS_LOSS_CROSS_ENTROPY, NULL);
}
