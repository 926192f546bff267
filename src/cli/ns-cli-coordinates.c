/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-coordinates.h"

#include "cli/ns-cli.h"
#include "document/ns-coordinate-data.h"
#include "engine/experiment/ns-experiment.h"

#include <glib/gi18n.h>

typedef struct
{
  NsEngine *engine;
  NsCoordinateCheck *check;
} CoordinatesJob;

static gpointer
run_coordinate_check (gpointer user_data, NsProgress *progress, GError **error)
{
  CoordinatesJob *job = user_data;

  return ns_engine_check_coordinates (job->engine, job->check, progress, error) ? job : NULL;
}

/* The wide models take most of the time, so that the time that is left is not known before. */
static char *
dup_coordinates_progress (gpointer user_data, NsProgress *progress, double elapsed_s)
{
  const CoordinatesJob *job = user_data;
  guint n;

  (void) progress;
  (void) elapsed_s;
  ns_coordinate_check_get_widths (job->check, &n);
  return g_strdup_printf (_ ("%u of %u widths"), ns_coordinate_check_count_widths (job->check), n);
}

gboolean
ns_cli_coordinates_run (NsEngine *engine, NsCoordinateCheck *check, gboolean keeps, GError **error)
{
  const NsCliWatch watch = { .dup_progress = dup_coordinates_progress, .keeps = keeps };
  CoordinatesJob job = { engine, check };

  return ns_cli_run_watched_job (run_coordinate_check, &job, &watch, error) != NULL;
}

/* ---- train --coordinate-check ---- */

static GBytes *
format_check (const NsCoordinateCheck *check, int format, NsCsvFlags flags)
{
  if (format == 1)
    return ns_coordinate_check_to_csv (check, flags);
  return format == 2 ? ns_coordinate_check_to_json (check) : ns_coordinate_check_to_table (check);
}

gboolean
ns_cli_coordinates_write (const NsCliOptions *options, const NsCliCoordinatesRequest *request, GError **error)
{
  static const char *const formats[] = { "table", "csv", "json", NULL };
  int format = request->format != NULL ? ns_cli_parse_choice ("format", request->format, formats, error)
                                       : ns_cli_format_from_name (request->output, formats, error);
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsCoordinateCheck) check = NULL;
  g_autoptr (NsEngine) engine = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (format < 0)
    return FALSE;
  experiment = ns_cli_options_load (options, NULL, error);
  if (experiment == NULL || !ns_cli_check_output (request->output, error))
    return FALSE;
  check = ns_coordinate_check_new_from_text (experiment, request->widths != NULL ? request->widths : "", error);
  if (check == NULL)
    {
      if (request->widths != NULL)
        g_prefix_error (error, "--widths: ");
      return FALSE;
    }
  engine = ns_cli_options_new_engine (options, error);
  if (engine == NULL || !ns_cli_coordinates_run (engine, check, TRUE, error))
    return FALSE;
  bytes = format_check (check, format, request->flags);
  return ns_cli_write (request->output, bytes, error);
}
