/* The options of the command train: which go together.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-train-private.h"

#include "cli/ns-cli.h"
#include "engine/train/ns-training.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_RECORDS 100000

static const char *const train_formats[] = { "table", "csv", "json", "npy", NULL };

void
ns_cli_train_request_clear (NsCliTrainRequest *request)
{
  g_free (request->output);
  g_free (request->format);
  ns_cli_items_request_clear (&request->items);
  g_strfreev (request->quantities);
  g_free (request->widths);
  g_free (request->over);
  g_free (request->of_seeds);
  ns_cli_sensitivity_request_clear (&request->sensitivity);
}

int
ns_cli_train_choose_format (const NsCliTrainRequest *request, GError **error)
{
  return request->format != NULL ? ns_cli_parse_choice ("format", request->format, train_formats, error)
                                 : ns_cli_format_from_name (request->output, train_formats, error);
}

/* Write provenance to files by default, since they outlive the command line, but not to pipes. */
gboolean
ns_cli_train_wants_provenance (const NsCliTrainRequest *request)
{
  gboolean is_file = request->output != NULL && strcmp (request->output, "-") != 0;

  return request->provenance || (is_file && !request->no_provenance);
}

static gboolean
check_records (const char *option, int value, GError **error)
{
  if (value >= 0 && value <= MAX_RECORDS)
    return TRUE;
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s: %d is not allowed; allowed: from 0 to %d"), option,
               value, MAX_RECORDS);
  return FALSE;
}

gboolean
ns_cli_train_check_request (const NsCliTrainRequest *request, int format, GError **error)
{
  if (request->per_seed && format == NS_CLI_TRAIN_TABLE)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--per-seed: a table shows means only; allowed with --format csv, json or npy"));
  else if (request->quantities != NULL && format == NS_CLI_TRAIN_TABLE)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--quantity: a table shows losses only; allowed with --format csv, json or npy"));
  else if (request->provenance && request->no_provenance)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--provenance and --no-provenance exclude each other"));
  else
    return check_records ("first", request->first, error) && check_records ("later", request->later, error);
  return FALSE;
}

/* Refuse an option that says what one training records, with another one that makes many. */
gboolean
ns_cli_train_check_no_records (const NsCliTrainRequest *request, const char *with, GError **error)
{
  const char *option = request->items.checkpoint != NULL && !request->map                     ? "checkpoint"
                       : request->estimate                                              ? "estimate"
                       : request->quantities != NULL                                    ? "quantity"
                       : request->logarithmic                                           ? "logarithmic"
                       : request->first != (int) NS_TRAINING_PLAN_DEFAULT.n_first       ? "first"
                       : request->later != (int) NS_TRAINING_PLAN_DEFAULT.n_later       ? "later"
                       : request->coordinate_check && (request->map || request->per_seed) ? "coordinate-check"
                                                                                          : NULL;

  if (option != NULL && strcmp (option, "coordinate-check") == 0)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--coordinate-check: not allowed with --map and --per-seed; allowed: without these"));
  else if (option != NULL)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--%s has no meaning with --%s, which keeps no steps; allowed: without --%s"), option, with, with);
  return option == NULL;
}

/* Refuse an option of a map without one. */
gboolean
ns_cli_train_check_no_map (const NsCliTrainRequest *request, GError **error)
{
  const char *option = request->over != NULL                 ? "over"
                       : request->items.shard != NULL        ? "shard"
                       : request->of_seeds != NULL           ? "of-seeds"
                       : request->sensitivity.rates != NULL  ? "learning-rates"
                       : request->sensitivity.points != NULL ? "points"
                                                             : NULL;

  if (option == NULL && request->widths != NULL && !request->coordinate_check)
    {
      g_set_error_literal (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                           _ ("--widths is of a coordinate check; allowed: with --coordinate-check"));
      return FALSE;
    }

  if (option != NULL)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s is of a map; allowed: with --map"), option);
  return option == NULL;
}
