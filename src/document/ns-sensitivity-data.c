/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-sensitivity-data.h"

#include "document/ns-npy-rows-private.h"
#include "document/ns-provenance.h"
#include "document/ns-result-room.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"

#include <math.h>

#define MAP_ROW_BYTES 512 /* of all columns except the name, which doubles its quotes */

static const char *const outcomes[] = { "learned", "stalled", "diverged" };
#define OUTCOME_CHARS 8

/* A cell, and what a file says of it. */
typedef struct
{
  const NsSensitivity *map;
  const char *name;
  guint variant, point, rate;
  gint64 at;                         /* the depth or the warm-up */
  double learning_rate;
  NsSensitivityCell worst, mean, best;
} MapRow;

typedef void (*MapRowFunc) (gpointer data, const MapRow *row);

static void
foreach_map_row (const NsSensitivity *map, guint variant, MapRowFunc func, gpointer data)
{
  const NsSensitivityPlan *plan = ns_sensitivity_get_plan (map);
  MapRow row = { .map = map, .variant = variant,
                 .name = ns_experiment_variant (ns_sensitivity_get_experiment (map), variant)->name };

  for (row.point = 0; row.point < plan->n_points; row.point++)
    for (row.rate = 0; row.rate < plan->n_rates; row.rate++)
      {
        row.at = plan->points[row.point];
        row.learning_rate = plan->rates[row.rate];
        if (ns_sensitivity_get_cell (map, variant, row.point, row.rate, NS_SEEDS_WORST, &row.worst)
            && ns_sensitivity_get_cell (map, variant, row.point, row.rate, NS_SEEDS_MEAN, &row.mean)
            && ns_sensitivity_get_cell (map, variant, row.point, row.rate, NS_SEEDS_BEST, &row.best))
          func (data, &row);
      }
}

static const char *
get_axis (const NsSensitivity *map)
{
  return ns_sensitivity_get_plan (map)->axis == NS_SENSITIVITY_DEPTH ? "depth" : "warmup";
}

static gboolean
map_has_room (const NsSensitivity *map)
{
  gsize name = ns_experiment_get_longest_name (ns_sensitivity_get_experiment (map));

  return ns_rows_have_room (ns_sensitivity_get_n_runs (map), MAP_ROW_BYTES + 4 * name);
}

/* Return the experiment with the seeds of the map. Caller owns it. */
static NsExperiment *
dup_map_experiment (const NsSensitivity *map)
{
  NsExperiment *experiment = ns_experiment_copy (ns_sensitivity_get_experiment (map));

  experiment->sampling.seeds = ns_sensitivity_get_n_seeds (map);
  return experiment;
}

/* ---- CSV ---- */

typedef struct
{
  GString *csv;
  char *name;
  gboolean per_seed;
} MapCsv;

static void
append_map_place (const MapCsv *target, const MapRow *row)
{
  g_string_append_printf (target->csv, "%s,%" G_GINT64_FORMAT, target->name, row->at);
  ns_csv_append_number (target->csv, row->learning_rate);
}

static void
append_map_seeds (const MapCsv *target, const MapRow *row)
{
  gint64 first = ns_sensitivity_get_experiment (row->map)->sampling.seed;
  NsSensitivityRun run;

  for (guint s = 0; s < ns_sensitivity_get_n_seeds (row->map); s++)
    {
      if (!ns_sensitivity_get_run (row->map, row->variant, row->point, row->rate, s, &run))
        continue;
      append_map_place (target, row);
      g_string_append_printf (target->csv, ",%" G_GINT64_FORMAT, first + s);
      ns_csv_append_number (target->csv, run.loss);
      g_string_append_printf (target->csv, ",%s,", outcomes[run.outcome]);
      if (run.step >= 0)
        g_string_append_printf (target->csv, "%" G_GINT64_FORMAT, run.step);
      g_string_append_c (target->csv, '\n');
    }
}

static void
append_map_csv_row (gpointer data, const MapRow *row)
{
  MapCsv *target = data;

  if (target->per_seed)
    {
      append_map_seeds (target, row);
      return;
    }
  append_map_place (target, row);
  ns_csv_append_number (target->csv, row->worst.loss);
  ns_csv_append_number (target->csv, row->mean.loss);
  ns_csv_append_number (target->csv, row->best.loss);
  g_string_append_printf (target->csv, ",%s,%u,%u,%u\n", outcomes[row->worst.outcome], row->worst.n,
                          row->worst.n_diverged, row->worst.n_stalled);
}

GBytes *
ns_sensitivity_to_csv (const NsSensitivity *map, NsCsvFlags flags)
{
  g_autoptr (NsExperiment) experiment = dup_map_experiment (map);
  MapCsv target = { .per_seed = (flags & NS_CSV_PER_SEED) != 0 };

  if (!map_has_room (map))
    return NULL;
  target.csv = ns_csv_begin (experiment, flags);
  g_string_append_printf (target.csv, "variant,%s,learning_rate,%s\n", get_axis (map),
                          target.per_seed ? "seed,loss,outcome,step"
                                          : "worst,mean,best,outcome,seeds,diverged,stalled");
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      target.name = ns_csv_dup_field (ns_experiment_variant (experiment, v)->name);
      foreach_map_row (map, v, append_map_csv_row, &target);
      g_free (target.name);
    }
  return g_string_free_to_bytes (target.csv);
}

/* ---- JSON ---- */

typedef struct
{
  NsJsonWriter writer;
  gboolean per_seed;
} MapJson;

static void
write_map_seeds (NsJsonWriter *writer, const MapRow *row)
{
  NsSensitivityRun run;

  ns_json_open_compact (writer, "runs", '[');
  for (guint s = 0; s < ns_sensitivity_get_n_seeds (row->map); s++)
    {
      if (!ns_sensitivity_get_run (row->map, row->variant, row->point, row->rate, s, &run))
        continue;
      ns_json_open_compact (writer, NULL, '{');
      ns_json_integer (writer, "seed", ns_sensitivity_get_experiment (row->map)->sampling.seed + s);
      ns_json_number (writer, "loss", run.loss);
      ns_json_string (writer, "outcome", outcomes[run.outcome]);
      if (run.step >= 0)
        ns_json_integer (writer, "step", run.step);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');
}

static void
write_map_row (gpointer data, const MapRow *row)
{
  MapJson *target = data;
  NsJsonWriter *writer = &target->writer;

  ns_json_open_compact (writer, NULL, '{');
  ns_json_integer (writer, get_axis (row->map), row->at);
  ns_json_number (writer, "learning_rate", row->learning_rate);
  ns_json_number (writer, "worst", row->worst.loss);
  ns_json_number (writer, "mean", row->mean.loss);
  ns_json_number (writer, "best", row->best.loss);
  ns_json_string (writer, "outcome", outcomes[row->worst.outcome]);
  ns_json_integer (writer, "seeds", row->worst.n);
  ns_json_integer (writer, "diverged", row->worst.n_diverged);
  ns_json_integer (writer, "stalled", row->worst.n_stalled);
  if (target->per_seed)
    write_map_seeds (writer, row);
  ns_json_close (writer, '}');
}

/* Write the learning rates that train the variant, by the worst of its seeds. */
static void
write_ranges (NsJsonWriter *writer, const NsSensitivity *map, guint variant)
{
  const NsSensitivityPlan *plan = ns_sensitivity_get_plan (map);

  ns_json_open (writer, "ranges", '[');
  for (guint p = 0; p < plan->n_points; p++)
    {
      NsStabilityRange range;

      if (!ns_sensitivity_is_finished (map, variant, p))
        continue;
      ns_json_open_compact (writer, NULL, '{');
      ns_json_integer (writer, get_axis (map), plan->points[p]);
      if (ns_sensitivity_get_range (map, variant, p, NS_SEEDS_WORST, &range))
        {
          ns_json_number (writer, "factor", range.factor);
          ns_json_number (writer, "first", plan->rates[range.first]);
          ns_json_number (writer, "last", plan->rates[range.last]);
          ns_json_number (writer, "best", plan->rates[range.best]);
          ns_json_number (writer, "loss", range.loss);
          ns_json_boolean (writer, "open", range.is_open);
        }
      else
        ns_json_string (writer, "factor", NULL);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');
}

GBytes *
ns_sensitivity_to_json (const NsSensitivity *map, gboolean per_seed)
{
  g_autoptr (NsExperiment) experiment = dup_map_experiment (map);
  MapJson target = { .per_seed = per_seed };
  NsJsonWriter *writer = &target.writer;

  if (!map_has_room (map))
    return NULL;
  ns_json_writer_init (writer);
  ns_json_open (writer, NULL, '{');
  ns_provenance_write (writer, NS_SENSITIVITY_FORMAT, NS_SENSITIVITY_VERSION, experiment);
  ns_json_number (writer, "uniform_entropy", log ((double) experiment->shape.vocab));
  ns_json_number (writer, "symbol_entropy", ns_sensitivity_get_symbol_entropy (map));
  ns_json_open (writer, "variants", '[');
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      ns_json_open (writer, NULL, '{');
      ns_json_string (writer, "name", ns_experiment_variant (experiment, v)->name);
      write_ranges (writer, map, v);
      ns_json_open (writer, "cells", '[');
      foreach_map_row (map, v, write_map_row, &target);
      ns_json_close (writer, ']');
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');
  ns_json_close (writer, '}');
  return ns_json_writer_finish (writer);
}

/* ---- NumPy ---- */

typedef struct
{
  GString *rows;
  guint name_chars;
  gboolean per_seed;
  gint64 n;
} MapRecords;

static void
begin_map_record (MapRecords *target, const MapRow *row)
{
  ns_npy_append_text (target->rows, row->name, target->name_chars);
  ns_npy_append_int64 (target->rows, row->at);
  ns_npy_append_double (target->rows, row->learning_rate);
  target->n++;
}

static void
append_map_record (gpointer data, const MapRow *row)
{
  MapRecords *target = data;
  NsSensitivityRun run;

  for (guint s = 0; target->per_seed && s < ns_sensitivity_get_n_seeds (row->map); s++)
    {
      if (!ns_sensitivity_get_run (row->map, row->variant, row->point, row->rate, s, &run))
        continue;
      begin_map_record (target, row);
      ns_npy_append_int64 (target->rows, ns_sensitivity_get_experiment (row->map)->sampling.seed + s);
      ns_npy_append_double (target->rows, run.loss);
      ns_npy_append_text (target->rows, outcomes[run.outcome], OUTCOME_CHARS);
      ns_npy_append_int64 (target->rows, run.step);
    }
  if (target->per_seed)
    return;
  begin_map_record (target, row);
  ns_npy_append_double (target->rows, row->worst.loss);
  ns_npy_append_double (target->rows, row->mean.loss);
  ns_npy_append_double (target->rows, row->best.loss);
  ns_npy_append_text (target->rows, outcomes[row->worst.outcome], OUTCOME_CHARS);
  ns_npy_append_int32 (target->rows, row->worst.n);
  ns_npy_append_int32 (target->rows, row->worst.n_diverged);
  ns_npy_append_int32 (target->rows, row->worst.n_stalled);
}

GBytes *
ns_sensitivity_to_npy (const NsSensitivity *map, gboolean per_seed)
{
  const NsExperiment *experiment = ns_sensitivity_get_experiment (map);
  MapRecords target = { .name_chars = 1, .per_seed = per_seed };
  g_autofree char *descr = NULL;

  for (guint v = 0; v < experiment->variants->len; v++)
    target.name_chars = MAX (target.name_chars,
                             (guint) g_utf8_strlen (ns_experiment_variant (experiment, v)->name, -1));
  if (!map_has_room (map))
    return NULL;
  target.rows = g_string_new (NULL);
  for (guint v = 0; v < experiment->variants->len; v++)
    foreach_map_row (map, v, append_map_record, &target);
  descr = g_strdup_printf ("[('variant', '<U%u'), ('%s', '<i8'), ('learning_rate', '<f8'), %s]", target.name_chars,
                           get_axis (map),
                           per_seed ? "('seed', '<i8'), ('loss', '<f8'), ('outcome', '<U8'), ('step', '<i8')"
                                    : "('worst', '<f8'), ('mean', '<f8'), ('best', '<f8'), ('outcome', '<U8'), "
                                      "('seeds', '<i4'), ('diverged', '<i4'), ('stalled', '<i4')");
  return ns_npy_finish (target.rows, descr, target.n);
}
