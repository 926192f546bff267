/* normscope-cli train --map: train with many learning rates at several depths or warm-ups.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-train-private.h"

#include "cli/ns-cli.h"
#include "document/ns-sensitivity-data.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training.h"

#include <glib/gi18n.h>

static GBytes *
format_map (const NsSensitivity *map, const NsCliTrainRequest *request, int format, NsSeedsChoice seeds)
{
  if (format == NS_CLI_TRAIN_CSV)
    return ns_sensitivity_to_csv (map, (request->per_seed ? NS_CSV_PER_SEED : NS_CSV_PLAIN)
                                           | (ns_cli_train_wants_provenance (request) ? NS_CSV_PROVENANCE
                                                                                                 : NS_CSV_PLAIN));
  if (format == NS_CLI_TRAIN_JSON)
    return ns_sensitivity_to_json (map, request->per_seed);
  if (format == NS_CLI_TRAIN_NPY)
    return ns_sensitivity_to_npy (map, request->per_seed);
  return ns_sensitivity_to_table (map, seeds);
}

/* What a map is asked for. */
typedef struct
{
  const NsCliTrainRequest *request;
  int format, axis, seeds;
} MapRequest;

static gboolean
map_request_init (MapRequest *wanted, const NsCliTrainRequest *request, int format, GError **error)
{
  static const char *const axes[] = { "depth", "warmup", NULL };
  static const char *const seeds[] = { "worst", "mean", "best", NULL };

  *wanted = (MapRequest){ .request = request, .format = format };
  if (request->over != NULL)
    wanted->axis = ns_cli_parse_choice ("over", request->over, axes, error);
  if (request->of_seeds != NULL && wanted->axis >= 0)
    wanted->seeds = ns_cli_parse_choice ("of-seeds", request->of_seeds, seeds, error);
  return wanted->axis >= 0 && wanted->seeds >= 0 && ns_cli_train_check_no_records (request, "map", error)
         && ns_cli_train_check_request (request, format, error);
}

/* Train the runs of a map as items. */
static gboolean
fill_items (NsEngine *engine, NsSensitivity *map, const NsCliTrainRequest *request, const NsCliItemsPlan *plan,
            gboolean *complete, GError **error)
{
  g_autoptr (NsItems) items = ns_items_new ();
  g_autoptr (NsItemsHead) head = NULL;

  ns_items_add_sensitivity (items, map);
  head = ns_items_head_new ("train --map", ns_sensitivity_get_experiment (map), ns_items_get_n (items));
  ns_items_head_set (head, "over", request->over);
  ns_items_head_set (head, "of-seeds", request->of_seeds);
  ns_items_head_set (head, "learning-rates", request->sensitivity.rates);
  ns_items_head_set (head, "points", request->sensitivity.points);
  ns_items_head_set_flag (head, "per-seed", request->per_seed);
  return ns_cli_items_run (plan, engine, head, items, complete, error);
}

static gboolean
train_and_write_map (const NsCliOptions *options, const NsExperiment *experiment, const MapRequest *wanted,
                     const NsCliItemsPlan *plan, GError **error)
{
  const NsCliTrainRequest *request = wanted->request;
  g_autoptr (NsSensitivity) map = NULL;
  g_autoptr (NsEngine) engine = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gboolean complete = TRUE;

  if (!ns_cli_check_output (request->output, error))
    return FALSE;
  map = ns_cli_sensitivity_new (&request->sensitivity, (NsSensitivityAxis) wanted->axis, experiment, error);
  engine = map != NULL ? ns_cli_options_new_engine (options, error) : NULL;
  if (engine == NULL)
    return FALSE;
  if (!(ns_cli_items_plan_is_shared (plan) ? fill_items (engine, map, request, plan, &complete, error)
                                           : ns_cli_sensitivity_fill (engine, map, TRUE, error)))
    return FALSE;
  if (!complete)
    return TRUE;
  bytes = format_map (map, request, wanted->format, (NsSeedsChoice) wanted->seeds);
  return ns_cli_write (request->output, bytes, error);
}

gboolean
ns_cli_train_map (const NsCliOptions *options, const NsCliTrainRequest *request, int format, GError **error)
{
  g_auto (NsCliItemsPlan) plan = { 0 };
  g_autoptr (NsExperiment) experiment = NULL;
  MapRequest wanted;

  if (!map_request_init (&wanted, request, format, error)
      || !ns_cli_items_plan_init (&plan, &request->items, options, request->output, error))
    return FALSE;
  experiment = ns_cli_options_load (options, NULL, error);
  return experiment != NULL && train_and_write_map (options, experiment, &wanted, &plan, error);
}

gboolean
ns_cli_train_merge (const NsCliMerge *merge, guint *missed, GError **error)
{
  const NsCliOptions options = { .help = FALSE };
  const NsItemsHead *head = merge->head;
  g_auto (NsCliTrainRequest) request = { .output = g_strdup (merge->output), .format = g_strdup (merge->format),
                               .first = (int) NS_TRAINING_PLAN_DEFAULT.n_first,
                               .later = (int) NS_TRAINING_PLAN_DEFAULT.n_later, .map = TRUE,
                               .provenance = merge->provenance, .no_provenance = merge->no_provenance,
                               .per_seed = ns_items_head_get_flag (head, "per-seed"),
                               .over = g_strdup (ns_items_head_get (head, "over")),
                               .of_seeds = g_strdup (ns_items_head_get (head, "of-seeds")),
                               .sensitivity = { .rates = g_strdup (ns_items_head_get (head, "learning-rates")),
                                                .points = g_strdup (ns_items_head_get (head, "points")) } };
  int format = ns_cli_train_choose_format (&request, error);
  MapRequest wanted;

  (void) missed;
  return format >= 0 && map_request_init (&wanted, &request, format, error)
         && train_and_write_map (&options, ns_items_head_get_experiment (head), &wanted, &merge->plan, error);
}
