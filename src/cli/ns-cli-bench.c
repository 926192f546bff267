/* normscope-cli bench: compare the engine's time with the time of its matrix products.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"

#include "document/ns-result-table.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/run/ns-bench.h"

#include <glib/gi18n.h>

#define MAX_ROUNDS 10000

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
  guint rounds;
  NsBench *times; /* [variants] */
} BenchJob;

static gpointer
measure (gpointer user_data, NsProgress *progress, GError **error)
{
  BenchJob *job = user_data;

  return ns_bench_run (job->engine, job->experiment, job->rounds, job->times, progress, error) ? job : NULL;
}

static void
append_time (GString *page, const char *label, double time_ms, const char *more)
{
  static const int label_width = 44;

  g_string_append_printf (page, "  %s%*s %9.3f ms%s%s\n", label, MAX (0, label_width - (int) ns_text_width (label)), "",
                          time_ms, *more != '\0' ? "  " : "", more);
}

static void
append_variant (GString *page, const char *name, const NsBench *bench)
{
  g_autofree char *printable = ns_text_dup_line (name);
  g_autofree char *ratio = g_strdup_printf (_ ("%.2f × the products"), bench->pass_ms / bench->products_ms);
  double parts_ms = bench->products_ms + bench->random_ms;
  double gflop_s = bench->gflop / bench->products_ms * 1e3;
  g_autofree char *norms = g_strdup_printf (_ ("all quantities take %.2f × this"), bench->pass_ms / bench->norms_ms);
  g_autofree char *fresh = g_strdup_printf (_ ("%.2f × products and random numbers"), bench->fresh_ms / parts_ms);
  g_autofree char *speed = g_strdup_printf (_ ("%.2f GFLOP, %.1f GFLOP/s"), bench->gflop, gflop_s);

  g_string_append_printf (page, "%s\n", printable);
  append_time (page, _ ("one seed, forward and backward, weights kept"), bench->pass_ms, ratio);
  append_time (page, _ ("the same, gradient norms and sizes alone"), bench->norms_ms, norms);
  append_time (page, _ ("one seed, weights drawn again"), bench->fresh_ms, fresh);
  append_time (page, _ ("matrix products only"), bench->products_ms, speed);
  append_time (page, _ ("random numbers only"), bench->random_ms, "");
}

static GBytes *
format_times (const BenchJob *job)
{
  GString *page = g_string_new (NULL);
  guint threads = job->times[0].threads;

  for (guint v = 0; v < job->experiment->variants->len; v++)
    append_variant (page, ns_experiment_variant (job->experiment, v)->name, &job->times[v]);
  g_string_append_printf (page, g_dngettext (GETTEXT_PACKAGE, "%u thread", "%u threads", threads), threads);
  g_string_append_printf (page, " · %s · ", ns_blas_get_core ());
  g_string_append_printf (page, g_dngettext (GETTEXT_PACKAGE, "best of %u round", "best of %u rounds", job->rounds),
                          job->rounds);
  g_string_append_printf (page, "\n%s\n", ns_blas_get_config ());
  return g_string_free_to_bytes (page);
}

static gboolean
run_bench (const NsCliOptions *options, int rounds, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsEngine) engine = NULL;
  g_autoptr (GBytes) page = NULL;
  g_autofree NsBench *times = NULL;
  BenchJob job;

  if (rounds < 1 || rounds > MAX_ROUNDS)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--rounds: %d is not allowed; allowed: from 1 to %d"),
                   rounds, MAX_ROUNDS);
      return FALSE;
    }
  experiment = ns_cli_options_load (options, NULL, error);
  if (experiment == NULL)
    return FALSE;
  engine = ns_cli_options_new_engine (options, error);
  if (engine == NULL)
    return FALSE;
  times = g_new0 (NsBench, experiment->variants->len);
  job = (BenchJob) { engine, experiment, (guint) rounds, times };
  if (ns_cli_run_job (measure, &job, error) == NULL)
    return FALSE;
  page = format_times (&job);
  return ns_cli_write (NULL, page, error);
}

int
ns_cli_bench (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_autoptr (GError) error = NULL;
  int rounds = 20;
  const GOptionEntry entries[] = {
    { "rounds", 0, 0, G_OPTION_ARG_INT, &rounds, N_ ("Time each part N times and take the best (default 20)"), "N" },
    { NULL },
  };

  if (!ns_cli_options_parse (&options, argc, argv, entries, TRUE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    {
      g_autoptr (GBytes) help
        = ns_cli_options_help ("bench", "[FILE.normscope]",
                               _ ("Compare the engine's time on this machine with the time of its matrix products."),
                               entries, TRUE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  return run_bench (&options, rounds, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
}
