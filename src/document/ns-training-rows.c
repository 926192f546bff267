/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-training-rows-private.h"

#include "document/ns-result-csv.h"
#include "document/ns-result-room.h"
#include "document/ns-training-data.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training-loss.h"

#include <math.h>

typedef struct
{
  const NsTraining *training;
  guint variant;
  gint64 first_seed;
  NsTrainingRowFunc func;
  gpointer data;
  NsTrainingRow row;
  double *values, *log10_values; /* [seeds], as in the row */
  gint64 *seeds;
} Walk;

static void
begin_training_row (Walk *walk, gint64 site, const char *quantity, const char *kind, gboolean has_log10)
{
  walk->row.part = ns_site_get_place (ns_training_get_experiment (walk->training), site, &walk->row.layer);
  walk->row.quantity = quantity;
  walk->row.kind = kind;
  walk->row.has_log10 = has_log10;
  walk->row.n = 0;
}

static void
add_seed (Walk *walk, guint seed, double value, double log10_value)
{
  walk->values[walk->row.n] = value;
  walk->log10_values[walk->row.n] = log10_value;
  walk->seeds[walk->row.n++] = walk->first_seed + seed;
}

static void
end_row (Walk *walk)
{
  if (walk->row.n > 0)
    walk->func (walk->data, &walk->row);
}

static void
visit_loss (Walk *walk)
{
  gint64 head = ns_experiment_get_head_site (ns_training_get_experiment (walk->training));

  begin_training_row (walk, head, ns_quantity_info (NS_Q_LOSS)->name, ns_quantity_kind_name (NS_KIND_LOSS), FALSE);
  for (guint s = 0; s < ns_training_get_n_seeds (walk->training); s++)
    {
      double loss;

      if (ns_training_get_loss (walk->training, walk->variant, s, walk->row.step, &loss))
        add_seed (walk, s, loss, NAN);
    }
  end_row (walk);
}

static void
visit_quantity (Walk *walk, const NsResult *result, guint record, NsQuantity quantity, gint64 site)
{
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  double value, log10_value;

  begin_training_row (walk, site, info->name, ns_quantity_kind_name (info->kind), ns_quantity_has_log10 (quantity));
  for (guint s = 0; s < ns_training_get_n_seeds (walk->training); s++)
    if (ns_training_count_records (walk->training, walk->variant, s) > record
        && ns_result_get_value (result, walk->variant, quantity, site, s, &value, &log10_value))
      add_seed (walk, s, value, log10_value);
  end_row (walk);
}

static void
visit_update (Walk *walk, guint record, NsTensor tensor, gint64 site)
{
  g_autofree char *name = g_strdup_printf ("update_%s", ns_tensor_get_name (tensor));

  begin_training_row (walk, site, name, "ratio", TRUE);
  for (guint s = 0; s < ns_training_get_n_seeds (walk->training); s++)
    {
      double ratio;

      if (ns_training_get_update_ratio (walk->training, walk->variant, s, record, tensor, site, &ratio))
        add_seed (walk, s, ratio, log10 (ratio));
    }
  end_row (walk);
}

static gboolean
visit_record (Walk *walk, guint record)
{
  g_autoptr (NsResult) result = ns_training_get_result (walk->training, record);
  gint64 head = ns_experiment_get_head_site (ns_training_get_experiment (walk->training));

  if (result == NULL)
    return FALSE;
  for (gint64 site = 0; site <= head; site++)
    {
      for (guint q = 0; q < NS_N_QUANTITIES; q++)
        if (q != NS_Q_LOSS)
          visit_quantity (walk, result, record, (NsQuantity) q, site);
      for (guint t = 0; t < NS_N_TENSORS; t++)
        visit_update (walk, record, (NsTensor) t, site);
    }
  return TRUE;
}

gboolean
ns_training_foreach_row (const NsTraining *training, guint variant, gboolean losses, NsTrainingRowFunc func,
                         gpointer data)
{
  guint n_seeds = ns_training_get_n_seeds (training), n_records, record = 0;
  const gint64 *records = ns_training_get_records (training, &n_records);
  gint64 first = ns_training_get_experiment (training)->sampling.seed + ns_training_get_first_seed (training);
  g_autofree double *values = g_new (double, n_seeds), *log10_values = g_new (double, n_seeds);
  g_autofree gint64 *seeds = g_new (gint64, n_seeds);
  gint64 last = ns_training_get_last_step (training, variant);
  Walk walk = { .training = training, .variant = variant, .first_seed = first, .func = func, .data = data,
                .values = values, .log10_values = log10_values, .seeds = seeds };

  walk.row = (NsTrainingRow){ .values = values, .log10_values = log10_values, .seeds = seeds };
  for (gint64 step = 0; step < last; step++)
    {
      walk.row.step = step;
      if (losses)
        visit_loss (&walk);
      if (record < n_records && records[record] == step && !visit_record (&walk, record++))
        return FALSE;
    }
  return TRUE;
}

typedef struct
{
  guint64 rows, numbers;
} Count;

static void
count_training_row (gpointer data, const NsTrainingRow *row)
{
  Count *count = data;

  count->rows++;
  count->numbers += row->n;
}

gboolean
ns_training_has_room (const NsTraining *training, gboolean per_seed, gsize row_bytes)
{
  const NsExperiment *experiment = ns_training_get_experiment (training);
  Count count = { 0 };

  for (guint v = 0; v < experiment->variants->len; v++)
    if (!ns_training_foreach_row (training, v, TRUE, count_training_row, &count))
      return FALSE;
  return ns_rows_have_room (per_seed ? count.numbers : count.rows,
                            row_bytes + 2 * ns_experiment_get_longest_name (experiment));
}

NsExperiment *
ns_training_dup_experiment (const NsTraining *training)
{
  NsExperiment *experiment = ns_experiment_copy (ns_training_get_experiment (training));

  experiment->sampling.seed += ns_training_get_first_seed (training);
  experiment->sampling.seeds = ns_training_get_n_seeds (training);
  return experiment;
}
