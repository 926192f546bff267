/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-run-status.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-status.h"
#include "engine/experiment/ns-experiment.h"

/* Shorter runs show no progress bar. */
#define PROGRESS_DELAY_MS 300
#define PROGRESS_INTERVAL_MS 100
/* Longer runs show the time left and a cancel button. */
#define LONG_RUN_MS 1000

struct _NormscopeRunStatus
{
  NormscopeSession *session;
  NormscopeBackground *runner; /* running, or NULL */
  GtkLabel *label;
  GtkProgressBar *bar;
  GtkWidget *cancel_button;
  NsResult *result; /* on the screen, or NULL */
  NsPaths *paths;   /* likewise */
  gboolean is_stale; /* the figure on the screen has former options */
  guint progress_id;
  gint64 busy_since; /* monotonic */
};

static const NsExperiment *
get_shown_experiment (NormscopeRunStatus *self)
{
  if (self->paths != NULL)
    return ns_paths_get_experiment (self->paths);
  return self->result != NULL ? ns_result_get_experiment (self->result) : NULL;
}

/* During a long run or after a cancelled one, the figure does not belong to the current settings: say so. */
static void
append_stale_notice (NormscopeRunStatus *self, GString *text)
{
  const NsExperiment *shown = get_shown_experiment (self);

  if (shown != NULL
      && (self->is_stale || !ns_experiment_has_same_pass (shown, normscope_session_get_experiment (self->session))))
    normscope_status_append (text, _ ("⚠ Figure shows previous settings"));
}

/* Return how many seeds all variants have. */
static guint
count_seeds (const NsPaths *paths)
{
  guint n = ns_paths_get_n_seeds (paths);

  for (guint v = 0; v < ns_paths_get_experiment (paths)->variants->len; v++)
    n = MIN (n, ns_paths_count_finished (paths, v));
  return n;
}

static void
show_status (NormscopeRunStatus *self)
{
  const NsExperiment *experiment = get_shown_experiment (self);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *seeds = NULL;
  guint n, wanted;

  if (experiment == NULL)
    {
      gtk_label_set_label (self->label, "");
      gtk_widget_set_tooltip_text (GTK_WIDGET (self->label), NULL);
      return;
    }
  n = self->paths != NULL ? count_seeds (self->paths) : ns_result_get_n_seeds (self->result);
  wanted = (guint) experiment->sampling.seeds;
  if (self->result != NULL && ns_result_is_partial (self->result))
    /* Translators: the state of a run that goes on: the figure has some of the blocks */
    seeds = g_strdup (_ ("Some blocks of the first seed"));
  else if (n < wanted)
    seeds = g_strdup_printf (ngettext ("%u of %u seed", "%u of %u seeds", wanted), n, wanted);
  else
    seeds = g_strdup_printf (ngettext ("%u seed", "%u seeds", n), n);
  normscope_status_append (text, seeds);
  /* Paths that fill have no time yet. */
  normscope_status_set_machine (
      self->label,
      self->paths != NULL ? ns_paths_get_elapsed_ms (self->paths) : ns_result_get_elapsed_ms (self->result),
      self->result != NULL ? ns_result_get_threads (self->result) : 0);
  if (self->runner == NULL)
    append_stale_notice (self, text);
  gtk_label_set_label (self->label, text->str);
}

static gboolean
progress_cb (gpointer data)
{
  NormscopeRunStatus *self = data;
  guint64 done, total;

  normscope_background_get_progress (self->runner, &done, &total);
  gtk_progress_bar_set_fraction (self->bar, total > 0 ? MIN (1.0, (double) done / (double) total) : 0);
  if (g_get_monotonic_time () - self->busy_since > LONG_RUN_MS * G_TIME_SPAN_MILLISECOND)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      append_stale_notice (self, text);
      if (total > 0) /* else the figure is being made */
        normscope_status_append_progress (text, done, total, self->busy_since);
      gtk_label_set_label (self->label, text->str);
      gtk_widget_set_visible (self->cancel_button, TRUE);
    }
  if (gtk_widget_get_visible (GTK_WIDGET (self->bar)))
    return G_SOURCE_CONTINUE;
  gtk_widget_set_visible (GTK_WIDGET (self->bar), TRUE);
  self->progress_id = g_timeout_add (PROGRESS_INTERVAL_MS, progress_cb, self);
  return G_SOURCE_REMOVE;
}

void
normscope_run_status_set_running (NormscopeRunStatus *self, NormscopeBackground *runner, gboolean is_stale)
{
  self->runner = runner;
  self->is_stale = is_stale;
  if (runner != NULL && self->progress_id == 0)
    {
      self->busy_since = g_get_monotonic_time ();
      self->progress_id = g_timeout_add (PROGRESS_DELAY_MS, progress_cb, self);
    }
  if (runner == NULL)
    {
      g_clear_handle_id (&self->progress_id, g_source_remove);
      gtk_widget_set_visible (GTK_WIDGET (self->bar), FALSE);
      gtk_widget_set_visible (self->cancel_button, FALSE);
      show_status (self);
    }
}

void
normscope_run_status_set_shown (NormscopeRunStatus *self, const NsResult *result, const NsPaths *paths)
{
  NsResult *former_result = self->result;
  NsPaths *former_paths = self->paths;

  self->result = result != NULL ? ns_result_ref ((NsResult *) result) : NULL;
  self->paths = paths != NULL ? ns_paths_ref ((NsPaths *) paths) : NULL;
  g_clear_pointer (&former_result, ns_result_unref);
  g_clear_pointer (&former_paths, ns_paths_unref);
  if (!gtk_widget_get_visible (self->cancel_button)) /* else the label shows the progress */
    show_status (self);
}

NormscopeRunStatus *
normscope_run_status_new (NormscopeSession *session, GtkLabel *label, GtkProgressBar *bar, GtkWidget *cancel_button)
{
  NormscopeRunStatus *self = g_new0 (NormscopeRunStatus, 1);

  self->session = session;
  self->label = label;
  self->bar = bar;
  self->cancel_button = cancel_button;
  return self;
}

void
normscope_run_status_free (NormscopeRunStatus *self)
{
  g_clear_handle_id (&self->progress_id, g_source_remove);
  g_clear_pointer (&self->result, ns_result_unref);
  g_clear_pointer (&self->paths, ns_paths_unref);
  g_free (self);
}
