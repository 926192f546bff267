/* Reading paths, while they are computed and after.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/run/ns-paths-private.h"

#include <math.h>

#define FEW_SEEDS 16

const NsExperiment *
ns_paths_get_experiment (const NsPaths *paths)
{
  return paths->experiment;
}

const NsPathsSettings *
ns_paths_get_settings (const NsPaths *paths)
{
  return &paths->settings;
}

guint
ns_paths_get_n_seeds (const NsPaths *paths)
{
  return paths->n_seeds;
}

guint
ns_paths_get_first_seed (const NsPaths *paths)
{
  return paths->first_seed;
}

double
ns_paths_get_elapsed_ms (const NsPaths *paths)
{
  return atomic_load (&paths->elapsed_us) / 1e3;
}

gboolean
ns_paths_is_exact (const NsPaths *paths, guint variant)
{
  return paths->variants[variant].is_exact;
}

gint64
ns_paths_get_overflow (const NsPaths *paths, guint variant, guint seed)
{
  return atomic_load (&paths->variants[variant].overflow[seed]);
}

gboolean
ns_paths_is_finished (const NsPaths *paths, guint variant, guint seed)
{
  return atomic_load_explicit (&paths->variants[variant].finished[seed], memory_order_acquire);
}

guint
ns_paths_count_finished (const NsPaths *paths, guint variant)
{
  guint n = 0;

  for (guint s = 0; s < paths->n_seeds; s++)
    n += ns_paths_is_finished (paths, variant, s) ? 1 : 0;
  return n;
}

gboolean
ns_paths_is_complete (const NsPaths *paths)
{
  for (guint v = 0; v < paths->n_variants; v++)
    if (ns_paths_count_finished (paths, v) < paths->n_seeds)
      return FALSE;
  return TRUE;
}

void
ns_paths_get_size (const NsPaths *paths, guint variant, NsPathsMap map, gint64 *rows, gint64 *columns)
{
  const NsPathsTable *table = &paths->variants[variant].tables[map];

  *rows = table->rows;
  *columns = table->columns;
}

gint64
ns_paths_get_site (const NsPaths *paths, NsPathsMap map, gint64 row)
{
  NsParts parts = ns_shape_get_parts (&paths->experiment->shape);

  if (map == NS_MAP_SHARE && !paths->settings.all_blocks)
    return ns_parts_get_last (&parts, row); /* the part's last block */
  if (ns_paths_map_info (map)->kind == NS_PATHS_LENGTHS)
    return ns_parts_get_input (&parts, row); /* its input */
  if (ns_paths_map_info (map)->kind == NS_PATHS_UPDATE && map != NS_MAP_UPDATE_X && map != NS_MAP_UPDATE_W)
    return ns_experiment_get_head_site (paths->experiment);
  return row;
}

NsContributor
ns_paths_get_contributor (const NsPaths *paths, gint64 column, gint64 *site)
{
  *site = column / NS_CONTRIBUTOR_INPUT;
  if (ns_site_get_layer (paths->experiment, *site) == 0)
    return column % NS_CONTRIBUTOR_INPUT == 0 ? NS_CONTRIBUTOR_INPUT : NS_N_CONTRIBUTORS;
  return (NsContributor) (column % NS_CONTRIBUTOR_INPUT);
}

/* Return TRUE if a finished seed has a number there. */
static gboolean
is_set (const NsPaths *paths, guint variant, const NsPathsTable *table, gint64 row, gint64 column)
{
  for (guint s = 0; s < paths->n_seeds; s++)
    if (ns_paths_is_finished (paths, variant, s)
        && !isnan (table->values[ns_paths_get_index (paths, table, row, column, s)]))
      return TRUE;
  return FALSE;
}

/* Return TRUE if the contributor of the column is part of the row's whole. */
static gboolean
has_contributor (const NsPaths *paths, guint variant, const NsPathsTable *table, gint64 row, gint64 column)
{
  const NsExperiment *e = paths->experiment;
  gint64 site, whole = ns_paths_get_site (paths, NS_MAP_SHARE, row);
  NsContributor contributor = ns_paths_get_contributor (paths, column, &site);

  if (site > whole || ns_site_get_layer (e, whole) == 0 || ns_site_get_part (e, site) != ns_site_get_part (e, whole))
    return FALSE;
  if (contributor < NS_CONTRIBUTOR_BIAS)
    return ns_variant_has_sub (ns_experiment_variant (e, variant), (NsSub) contributor, ns_site_get_part (e, site));
  if (contributor == NS_CONTRIBUTOR_BIAS)
    return is_set (paths, variant, table, row, column);
  return contributor != NS_N_CONTRIBUTORS;
}

gboolean
ns_paths_has_cell (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column)
{
  const NsVariantPaths *v = &paths->variants[variant];
  const NsPathsTable *table = &v->tables[map];

  if (row < 0 || row >= table->rows || column < 0 || column >= table->columns)
    return FALSE;
  switch ((int) map)
    {
    case NS_MAP_SHARE:
      return has_contributor (paths, variant, table, row, column);
    case NS_MAP_LENGTH_ERROR:
      return !v->is_exact;
    case NS_MAP_LENGTH_NORM:
    case NS_MAP_LENGTH_REST:
      return v->is_exact;
    case NS_MAP_GAIN:
      return row <= column;
    case NS_MAP_GAIN_ERROR:
      return row <= column && paths->settings.n_probes > 1;
    case NS_MAP_UPDATE_W: /* what a parameter that starts at 0 changes by has no ratio */
      return is_set (paths, variant, table, row, column);
    case NS_MAP_EXPERT_LOAD:
    case NS_MAP_EXPERT_GRAD:
      return ns_quantity_exists (NS_Q_EXPERT_LOAD_MAX, paths->experiment, variant, row);
    default:
      return TRUE;
    }
}

gboolean
ns_paths_get_value (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column, guint seed,
                    double *value, double *log10_value)
{
  const NsPathsTable *table = &paths->variants[variant].tables[map];
  gsize i = ns_paths_get_index (paths, table, row, column, seed);

  if (!ns_paths_has_cell (paths, variant, map, row, column)
      || (!atomic_load_explicit (&table->ready[i], memory_order_acquire)
          && !ns_paths_is_finished (paths, variant, seed)))
    return FALSE;
  *value = table->values[i];
  if (log10_value != NULL)
    *log10_value = table->log10_values != NULL ? table->log10_values[i] : NAN;
  return TRUE;
}

gboolean
ns_paths_get_stat (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column, NsStat *stat)
{
  /* A figure of a map reads millions of cells. */
  double few[2 * FEW_SEEDS];
  g_autofree double *many = paths->n_seeds > FEW_SEEDS ? g_new (double, 2 * paths->n_seeds) : NULL;
  double *values = many != NULL ? many : few, *log10_values = values + paths->n_seeds;
  guint n = 0;

  for (guint s = 0; s < paths->n_seeds; s++)
    if (ns_paths_get_value (paths, variant, map, row, column, s, &values[n], &log10_values[n]))
      n++;
  if (n == 0)
    return FALSE;
  ns_stat_init (stat, values, log10_values, n);
  return TRUE;
}

/* Set the shares of all lengths in one seed; FALSE while one of them is not computed. */
static gboolean
get_shares (const NsPaths *paths, guint variant, gint64 part, guint seed, double *shares, gint64 n)
{
  for (gint64 k = 0; k < n; k++)
    if (!ns_paths_get_value (paths, variant, NS_MAP_LENGTH_SHARE, part, k, seed, &shares[k], NULL))
      return FALSE;
  return TRUE;
}

static double
get_quantile (const double *shares, gint64 n, double q)
{
  double sum = 0, total = 0; /* 1, but for the error of an estimate */
  gint64 k = -1;

  for (gint64 i = 0; i < n; i++)
    total += shares[i];
  while (sum < q * total && ++k < n)
    sum += shares[k];
  /* The estimated shares of lengths that cancel each other can have any sum. */
  return k < n && total > 0 ? (double) k : NAN;
}

gboolean
ns_paths_get_length_quantile (const NsPaths *paths, guint variant, gint64 part, double q, NsStat *stat)
{
  gint64 columns = paths->variants[variant].tables[NS_MAP_LENGTH_SHARE].columns;
  g_autofree double *values = g_new (double, paths->n_seeds), *none = g_new (double, paths->n_seeds);
  g_autofree double *shares = g_new (double, columns);
  guint n = 0;

  for (guint s = 0; s < paths->n_seeds; s++)
    if (get_shares (paths, variant, part, s, shares, columns))
      {
        values[n] = get_quantile (shares, columns, q);
        none[n++] = NAN;
      }
  if (n == 0)
    return FALSE;
  ns_stat_init (stat, values, none, n);
  return TRUE;
}

double
ns_paths_get_standard_error (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column)
{
  NsPathsMap errors = map == NS_MAP_GAIN ? NS_MAP_GAIN_ERROR : NS_MAP_LENGTH_ERROR;
  double square = 0, value;
  guint n = 0;

  g_return_val_if_fail (map == NS_MAP_GAIN || map == NS_MAP_LENGTH_SHARE, NAN);
  for (guint s = 0; s < paths->n_seeds; s++)
    if (ns_paths_get_value (paths, variant, errors, row, column, s, &value, NULL))
      {
        square += value * value;
        n++;
      }
  return n > 0 ? sqrt (square) / n : NAN;
}
