/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-paths-data.h"

#include "document/ns-provenance.h"
#include "document/ns-result-csv.h"
#include "document/ns-result-room.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"

#include <math.h>

/* One number of a map, in the words of files. */
typedef struct
{
  const NsPaths *paths;
  guint variant;
  NsPathsMap map;
  gint64 row, column;
  const char *quantity, *part, *other; /* other: NULL for a number of one place */
  gint64 layer, other_layer;
  gboolean has_log10, has_error;
  NsStat stat;
  double standard_error;
} PathsRow;

typedef void (*PathsRowFunc) (gpointer data, const PathsRow *row);

/* ---- rows ---- */

/* Fill the place of the column. */
static void
set_other (PathsRow *row, const NsPaths *paths, NsPathsMap map, gint64 column)
{
  const NsExperiment *experiment = ns_paths_get_experiment (paths);
  gint64 site;

  switch (ns_paths_map_info (map)->kind)
    {
    case NS_PATHS_CONTRIBUTIONS:
      row->other = ns_contributor_get_name (ns_paths_get_contributor (paths, column, &site));
      row->other_layer = ns_site_get_layer (experiment, site);
      break;
    case NS_PATHS_LENGTHS:
      row->other = map == NS_MAP_LENGTH_MEAN || map == NS_MAP_LENGTH_REST ? NULL : "branches";
      row->other_layer = column;
      break;
    case NS_PATHS_UPDATE:
      row->other = map == NS_MAP_UPDATE_W ? ns_tensor_get_name ((NsTensor) column) : NULL;
      row->other_layer = row->layer;
      break;
    case NS_PATHS_ROUTING:
      row->other = "expert";
      row->other_layer = column + 1;
      break;
    default:
      row->other = ns_site_get_place (experiment, column, &row->other_layer);
    }
}

/* Fill the row of a cell. FALSE: the map has no number there, or says the same elsewhere. */
static gboolean
read_cell (PathsRow *row, const NsPaths *paths, guint variant, NsPathsMap map, gint64 r, gint64 column)
{
  gboolean is_symmetric = map == NS_MAP_COS_X || map == NS_MAP_COS_G;

  if ((is_symmetric && r > column) || !ns_paths_get_stat (paths, variant, map, r, column, &row->stat))
    return FALSE;
  row->paths = paths;
  row->variant = variant;
  row->map = map;
  row->row = r;
  row->column = column;
  row->quantity = ns_paths_map_info (map)->name;
  row->has_log10 = ns_paths_map_info (map)->has_log10;
  row->part = ns_site_get_place (ns_paths_get_experiment (paths), ns_paths_get_site (paths, map, r), &row->layer);
  set_other (row, paths, map, column);
  row->standard_error = NAN;
  row->has_error = map == NS_MAP_GAIN || map == NS_MAP_LENGTH_SHARE;
  if (row->has_error)
    row->standard_error = ns_paths_get_standard_error (paths, variant, map, r, column);
  return TRUE;
}

/* Read the numbers of one seed; NaN for what there is not. */
static void
read_seed (const PathsRow *row, guint seed, double *value, double *log10_value, double *error)
{
  NsPathsMap errors = row->map == NS_MAP_GAIN ? NS_MAP_GAIN_ERROR : NS_MAP_LENGTH_ERROR;

  *value = *log10_value = *error = NAN;
  ns_paths_get_value (row->paths, row->variant, row->map, row->row, row->column, seed, value, log10_value);
  if (row->has_error)
    ns_paths_get_value (row->paths, row->variant, errors, row->row, row->column, seed, error, NULL);
}

static void
foreach_paths_row (const NsPaths *paths, guint variant, PathsRowFunc func, gpointer data)
{
  for (guint m = 0; m < NS_N_MAPS; m++)
    {
      gint64 rows, columns;
      PathsRow row;

      ns_paths_get_size (paths, variant, (NsPathsMap) m, &rows, &columns);
      if (m == NS_MAP_GAIN_ERROR || m == NS_MAP_LENGTH_ERROR) /* a column of their own */
        continue;
      for (gint64 r = 0; r < rows; r++)
        for (gint64 c = 0; c < columns; c++)
          if (read_cell (&row, paths, variant, (NsPathsMap) m, r, c))
            func (data, &row);
    }
}

static void
count_paths_row (gpointer data, const PathsRow *row)
{
  (void) row;
  ++*(guint64 *) data;
}

static gboolean
paths_have_room (const NsPaths *paths, gboolean per_seed)
{
  const NsExperiment *experiment = ns_paths_get_experiment (paths);
  guint64 n = 0;

  for (guint v = 0; v < experiment->variants->len; v++)
    foreach_paths_row (paths, v, count_paths_row, &n);
  if (per_seed && !g_uint64_checked_mul (&n, n, ns_paths_get_n_seeds (paths)))
    return FALSE;
  return ns_rows_have_room (n, NS_ROW_BYTES + 2 * ns_experiment_get_longest_name (experiment));
}

/* The experiment with the seeds of the result. Caller owns it. */
static NsExperiment *
dup_paths_experiment (const NsPaths *paths)
{
  NsExperiment *experiment = ns_experiment_copy (ns_paths_get_experiment (paths));

  experiment->sampling.seed += ns_paths_get_first_seed (paths);
  experiment->sampling.seeds = ns_paths_get_n_seeds (paths);
  return experiment;
}

/* Return the first site at which a seed of the variant overflowed, 0: none; *seed is its index. */
static gint64
get_first_overflow (const NsPaths *paths, guint variant, guint *seed)
{
  gint64 first = 0;

  for (guint s = 0; s < ns_paths_get_n_seeds (paths); s++)
    {
      gint64 site = ns_paths_get_overflow (paths, variant, s);

      if (site > 0 && (first == 0 || site < first))
        {
          first = site;
          *seed = s;
        }
    }
  return first;
}

/* ---- CSV ---- */

typedef struct
{
  GString *csv;
  char *name;
  gint64 first_seed;
  gboolean per_seed;
} PathsCsv;

static void
append_paths_place (const PathsCsv *target, const PathsRow *row)
{
  g_string_append_printf (target->csv, "%s,%s,%s,%" G_GINT64_FORMAT ",", target->name, row->quantity, row->part,
                          row->layer);
  if (row->other != NULL)
    g_string_append_printf (target->csv, "%s,%" G_GINT64_FORMAT, row->other, row->other_layer);
  else
    g_string_append_c (target->csv, ',');
}

/* Append a row for each seed. */
static void
append_paths_seeds (const PathsCsv *target, const PathsRow *row)
{
  for (guint s = 0; s < ns_paths_get_n_seeds (row->paths); s++)
    {
      double value, log10_value, error;

      read_seed (row, s, &value, &log10_value, &error);
      append_paths_place (target, row);
      g_string_append_printf (target->csv, ",%" G_GINT64_FORMAT, target->first_seed + s);
      ns_csv_append_number (target->csv, value);
      ns_csv_append_optional (target->csv, row->has_log10, log10_value);
      ns_csv_append_optional (target->csv, !isnan (error), error);
      g_string_append_c (target->csv, '\n');
    }
}

static void
append_paths_row (gpointer data, const PathsRow *row)
{
  PathsCsv *target = data;
  GString *csv = target->csv;

  if (target->per_seed)
    {
      append_paths_seeds (target, row);
      return;
    }
  append_paths_place (target, row);
  ns_csv_append_statistics (csv, &row->stat, row->has_log10);
  ns_csv_append_optional (csv, !isnan (row->standard_error), row->standard_error);
  g_string_append_printf (csv, ",%u\n", row->stat.n);
}

GBytes *
ns_paths_to_csv (const NsPaths *paths, NsCsvFlags flags)
{
  g_autoptr (NsExperiment) experiment = dup_paths_experiment (paths);
  PathsCsv target = { .first_seed = experiment->sampling.seed, .per_seed = (flags & NS_CSV_PER_SEED) != 0 };

  if (!paths_have_room (paths, target.per_seed))
    return NULL;
  target.csv = ns_csv_begin (experiment, flags);
  g_string_append (target.csv, "variant,quantity,part,layer,other,other_layer,");
  g_string_append (target.csv, target.per_seed
                                 ? "seed,value,log10_value,standard_error\n"
                                 : NS_CSV_STATISTICS ",standard_error,seeds\n");
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      target.name = ns_csv_dup_field (ns_experiment_variant (experiment, v)->name);
      foreach_paths_row (paths, v, append_paths_row, &target);
      g_free (target.name);
    }
  return g_string_free_to_bytes (target.csv);
}

/* ---- JSON ---- */

typedef struct
{
  NsJsonWriter writer;
  gboolean per_seed;
} PathsJson;

/* Write a list with one number for each seed: values, logarithms or standard errors. */
static void
write_paths_seeds (NsJsonWriter *writer, const char *key, const PathsRow *row, int which)
{
  ns_json_open_compact (writer, key, '[');
  for (guint s = 0; s < ns_paths_get_n_seeds (row->paths); s++)
    {
      double numbers[3];

      read_seed (row, s, &numbers[0], &numbers[1], &numbers[2]);
      ns_json_number (writer, NULL, numbers[which]);
    }
  ns_json_close (writer, ']');
}

static void
write_paths_row (gpointer data, const PathsRow *row)
{
  PathsJson *target = data;
  NsJsonWriter *writer = &target->writer;

  ns_json_open_compact (writer, NULL, '{');
  ns_json_string (writer, "quantity", row->quantity);
  ns_json_string (writer, "part", row->part);
  ns_json_integer (writer, "layer", row->layer);
  if (row->other != NULL)
    {
      ns_json_string (writer, "other", row->other);
      ns_json_integer (writer, "other_layer", row->other_layer);
    }
  ns_json_statistics (writer, &row->stat, row->has_log10);
  if (!isnan (row->standard_error))
    ns_json_number (writer, "standard_error", row->standard_error);
  if (target->per_seed)
    {
      write_paths_seeds (writer, "seeds", row, 0);
      if (row->has_log10)
        write_paths_seeds (writer, "log10_seeds", row, 1);
      if (!isnan (row->standard_error))
        write_paths_seeds (writer, "standard_error_seeds", row, 2);
    }
  ns_json_close (writer, '}');
}

static void
write_paths_overflow (NsJsonWriter *writer, const NsPaths *paths, guint variant)
{
  const NsExperiment *experiment = ns_paths_get_experiment (paths);
  guint seed = 0;
  gint64 site = get_first_overflow (paths, variant, &seed), layer;
  const char *place;

  if (site == 0)
    {
      ns_json_string (writer, "overflow", NULL);
      return;
    }
  place = ns_site_get_place (experiment, site, &layer);
  ns_json_open_compact (writer, "overflow", '{');
  ns_json_integer (writer, "seed", experiment->sampling.seed + ns_paths_get_first_seed (paths) + seed);
  ns_json_integer (writer, "layer", layer);
  ns_json_string (writer, "part", place);
  ns_json_close (writer, '}');
}

static GBytes *
to_json (const NsPaths *paths, gboolean per_seed)
{
  g_autoptr (NsExperiment) experiment = dup_paths_experiment (paths);
  const NsPathsSettings *settings = ns_paths_get_settings (paths);
  PathsJson target = { .per_seed = per_seed };
  NsJsonWriter *writer = &target.writer;

  if (!paths_have_room (paths, per_seed))
    return NULL;
  ns_json_writer_init (writer);
  ns_json_open (writer, NULL, '{');
  ns_provenance_write (writer, NS_PATHS_FORMAT, NS_PATHS_VERSION, experiment);
  ns_json_string (writer, "of", ns_paths_kind_get_name (settings->kind));
  if (settings->kind == NS_PATHS_GAIN)
    ns_json_integer (writer, "probes", settings->n_probes);
  if (settings->kind == NS_PATHS_UPDATE)
    {
      ns_json_string (writer, "optimizer", ns_optimizer_get_name (settings->optimizer));
      ns_json_number (writer, "learning_rate", settings->learning_rate);
      ns_json_boolean (writer, "matrices_only", settings->matrices_only);
    }
  ns_json_open (writer, "variants", '[');
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      ns_json_open (writer, NULL, '{');
      ns_json_string (writer, "name", ns_experiment_variant (experiment, v)->name);
      write_paths_overflow (writer, paths, v);
      if (settings->kind == NS_PATHS_LENGTHS)
        ns_json_boolean (writer, "exact", ns_paths_is_exact (paths, v));
      ns_json_open (writer, "numbers", '[');
      foreach_paths_row (paths, v, write_paths_row, &target);
      ns_json_close (writer, ']');
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');
  ns_json_close (writer, '}');
  return ns_json_writer_finish (writer);
}

GBytes *
ns_paths_to_json (const NsPaths *paths)
{
  return to_json (paths, FALSE);
}

GBytes *
ns_paths_to_json_per_seed (const NsPaths *paths)
{
  return to_json (paths, TRUE);
}
