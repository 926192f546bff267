/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/ops/ns-memory.h"
#include "engine/pass/ns-path-lengths.h"
#include "engine/run/ns-engine-private.h"
#include "engine/run/ns-paths-private.h"

#include <glib/gi18n-lib.h>

#include <math.h>

static const NsPathsMapInfo maps[NS_N_MAPS] = {
  [NS_MAP_SHARE] = { "share", NS_PATHS_CONTRIBUTIONS, FALSE },
  [NS_MAP_LENGTH_SHARE] = { "share", NS_PATHS_LENGTHS, FALSE },
  [NS_MAP_LENGTH_ERROR] = { "share_error", NS_PATHS_LENGTHS, FALSE },
  [NS_MAP_LENGTH_NORM] = { "norm", NS_PATHS_LENGTHS, TRUE },
  [NS_MAP_LENGTH_MEAN] = { "mean_length", NS_PATHS_LENGTHS, FALSE },
  [NS_MAP_LENGTH_REST] = { "rest", NS_PATHS_LENGTHS, FALSE },
  [NS_MAP_GAIN] = { "gain", NS_PATHS_GAIN, TRUE },
  [NS_MAP_GAIN_ERROR] = { "gain_error", NS_PATHS_GAIN, FALSE },
  [NS_MAP_COS_X] = { "cos_x", NS_PATHS_SIMILARITY, FALSE },
  [NS_MAP_COS_G] = { "cos_g", NS_PATHS_SIMILARITY, FALSE },
  [NS_MAP_UPDATE_X] = { "update_x", NS_PATHS_UPDATE, TRUE },
  [NS_MAP_UPDATE_H] = { "update_h", NS_PATHS_UPDATE, TRUE },
  [NS_MAP_LOSS_CHANGE] = { "loss_change", NS_PATHS_UPDATE, FALSE },
  [NS_MAP_LOSS_CHANGE_FIRST_ORDER] = { "loss_change_first_order", NS_PATHS_UPDATE, FALSE },
  [NS_MAP_NONLINEARITY] = { "nonlinearity", NS_PATHS_UPDATE, FALSE },
  [NS_MAP_UPDATE_W] = { "update_w", NS_PATHS_UPDATE, TRUE },
  [NS_MAP_EXPERT_LOAD] = { "expert_load", NS_PATHS_ROUTING, FALSE },
  [NS_MAP_EXPERT_GRAD] = { "expert_grad", NS_PATHS_ROUTING, TRUE },
};

const NsPathsMapInfo *
ns_paths_map_info (NsPathsMap map)
{
  g_return_val_if_fail ((guint) map < NS_N_MAPS, NULL);
  return &maps[map];
}

const char *
ns_paths_kind_get_name (NsPathsKind kind)
{
  static const char *const names[NS_N_PATHS] = { "contributions", "lengths", "gain", "similarity", "update",
                                                  "routing" };

  g_return_val_if_fail ((guint) kind < NS_N_PATHS, NULL);
  return names[kind];
}

const char *
ns_contributor_get_name (NsContributor contributor)
{
  static const char *const names[NS_N_CONTRIBUTORS] = {
    [NS_CONTRIBUTOR_ATTN] = "attn", [NS_CONTRIBUTOR_CROSS] = "cross", [NS_CONTRIBUTOR_FFN] = "ffn",
    [NS_CONTRIBUTOR_BIAS] = "bias", [NS_CONTRIBUTOR_INPUT] = "input",
  };

  return names[contributor];
}

/* ---- layout ---- */

gint64
ns_contributor_get_column (NsContributor contributor, gint64 site)
{
  /* a block has no input and an input no block */
  return site * NS_CONTRIBUTOR_INPUT + (contributor == NS_CONTRIBUTOR_INPUT ? 0 : (gint64) contributor);
}

static gint64
get_rows (const NsExperiment *experiment, const NsPathsSettings *settings, NsPathsMap map)
{
  switch ((int) map)
    {
    case NS_MAP_SHARE:
      return settings->all_blocks ? ns_experiment_get_head_site (experiment) : ns_experiment_get_n_parts (experiment);
    case NS_MAP_GAIN:
    case NS_MAP_GAIN_ERROR:
    case NS_MAP_COS_X:
    case NS_MAP_COS_G:
    case NS_MAP_UPDATE_X:
    case NS_MAP_EXPERT_LOAD:
    case NS_MAP_EXPERT_GRAD:
      return ns_experiment_get_head_site (experiment);
    case NS_MAP_UPDATE_W:
      return ns_experiment_get_head_site (experiment) + 1;
    case NS_MAP_UPDATE_H:
    case NS_MAP_LOSS_CHANGE:
    case NS_MAP_LOSS_CHANGE_FIRST_ORDER:
    case NS_MAP_NONLINEARITY:
      return 1;
    default:
      return ns_experiment_get_n_parts (experiment);
    }
}

static gint64
get_columns (const NsExperiment *experiment, guint variant, NsPathsMap map)
{
  NsPlan plan;

  switch ((int) map)
    {
    case NS_MAP_SHARE:
      return ns_experiment_get_head_site (experiment) * NS_CONTRIBUTOR_INPUT;
    case NS_MAP_LENGTH_SHARE:
    case NS_MAP_LENGTH_ERROR:
    case NS_MAP_LENGTH_NORM:
      ns_plan_init (&plan, experiment, variant);
      return ns_lengths_count_sums (&plan) + 1;
    case NS_MAP_LENGTH_MEAN:
    case NS_MAP_LENGTH_REST:
    case NS_MAP_UPDATE_X:
    case NS_MAP_UPDATE_H:
    case NS_MAP_LOSS_CHANGE:
    case NS_MAP_LOSS_CHANGE_FIRST_ORDER:
    case NS_MAP_NONLINEARITY:
      return 1;
    case NS_MAP_UPDATE_W:
      return NS_N_TENSORS;
    case NS_MAP_EXPERT_LOAD:
    case NS_MAP_EXPERT_GRAD:
      return ns_experiment_variant (experiment, variant)->experts.count;
    default:
      return ns_experiment_get_head_site (experiment);
    }
}

/* Fill the sizes of the variant's maps; return the bytes of their numbers. */
static guint64
lay_out_maps (NsVariantPaths *v, const NsExperiment *experiment, guint variant, const NsPathsSettings *settings,
              guint n_seeds)
{
  guint64 bytes = 0;

  for (guint m = 0; m < NS_N_MAPS; m++)
    {
      NsPathsTable *table = &v->tables[m];
      guint64 n, bytes_each;

      if (maps[m].kind != settings->kind)
        continue;
      table->rows = get_rows (experiment, settings, (NsPathsMap) m);
      table->columns = get_columns (experiment, variant, (NsPathsMap) m);
      bytes_each = sizeof (double) * (maps[m].has_log10 ? 2 : 1) + sizeof (atomic_bool);
      if (__builtin_mul_overflow ((guint64) table->rows * (guint64) table->columns,
                                  n_seeds * bytes_each, &n)
          || __builtin_add_overflow (bytes, n, &bytes))
        return G_MAXUINT64;
    }
  return bytes;
}

guint64
ns_paths_get_needed_bytes (const NsExperiment *experiment, const NsPathsSettings *settings, guint n_seeds)
{
  guint64 bytes = 0;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsVariantPaths variant = { 0 };

      if (__builtin_add_overflow (bytes, lay_out_maps (&variant, experiment, v, settings, n_seeds), &bytes))
        return G_MAXUINT64;
    }
  return bytes;
}

static gboolean
is_exact (const NsExperiment *experiment, guint variant)
{
  NsPlan plan;

  ns_plan_init (&plan, experiment, variant);
  return ns_lengths_get_cost (&plan) <= NS_PATHS_MAX_PASSES;
}

static gboolean
allocate_table (NsPathsTable *table, guint n_seeds, gboolean has_log10)
{
  gsize n = (gsize) table->rows * (gsize) table->columns * n_seeds;

  if (n == 0)
    return TRUE;
  table->values = ns_memory_try_new (double, n);
  table->log10_values = has_log10 ? ns_memory_try_new (double, n) : NULL;
  table->ready = ns_memory_try_new (atomic_bool, n);
  if (table->values == NULL || (has_log10 && table->log10_values == NULL) || table->ready == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      table->values[i] = NAN;
      atomic_init (&table->ready[i], FALSE);
      if (has_log10)
        table->log10_values[i] = NAN;
    }
  return TRUE;
}

static gboolean
allocate_variant (NsVariantPaths *variant, guint n_seeds)
{
  variant->overflow = g_new (atomic_llong, n_seeds);
  variant->finished = g_new (atomic_bool, n_seeds);
  for (guint s = 0; s < n_seeds; s++)
    {
      atomic_init (&variant->overflow[s], 0);
      atomic_init (&variant->finished[s], FALSE);
    }
  for (guint m = 0; m < NS_N_MAPS; m++)
    if (!allocate_table (&variant->tables[m], n_seeds, maps[m].has_log10))
      return FALSE;
  return TRUE;
}

/* Refuse variants with several streams, which have no residual that the paths could be counted along. */
static gboolean
check_streams (const NsExperiment *experiment, GError **error)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_experiment_variant (experiment, v)->hyper.streams > 0)
      {
        ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, "streams",
                                 _ ("variants[%u].streams: %lld is not allowed for paths, which are not built for "
                                    "several residual streams; allowed: null"),
                                 v, (long long) ns_experiment_variant (experiment, v)->hyper.streams);
        return FALSE;
      }
  return TRUE;
}

NsPaths *
ns_paths_new (const NsExperiment *experiment, const NsPathsSettings *settings, guint first_seed, guint n_seeds,
              GError **error)
{
  const NsJobLayout layout = { .needed = ns_paths_get_needed_bytes (experiment, settings, n_seeds) };
  gboolean ok;
  NsPaths *paths;

  g_return_val_if_fail (n_seeds >= 1 && settings->kind < NS_N_PATHS, NULL);
  g_return_val_if_fail (settings->kind != NS_PATHS_GAIN
                        || (settings->n_probes >= 1 && settings->n_probes <= NS_PATHS_MAX_PROBES), NULL);
  g_return_val_if_fail (settings->kind != NS_PATHS_UPDATE
                        || (settings->learning_rate >= NS_PATHS_MIN_LEARNING_RATE
                            && settings->learning_rate <= NS_PATHS_MAX_LEARNING_RATE), NULL);
  if (!ns_experiment_validate (experiment, error)
      || (settings->kind != NS_PATHS_ROUTING && !check_streams (experiment, error)))
    return NULL;
  if (!ns_engine_check_memory (experiment, layout.needed, error))
    {
      /* Translators: the id of a map, before what it needs too much memory for */
      g_prefix_error (error, _ ("the map “%s”: "), ns_paths_kind_get_name (settings->kind));
      return NULL;
    }
  ok = ns_memory_has_room (layout.needed);
  paths = g_new0 (NsPaths, 1);
  atomic_init (&paths->ref_count, 1);
  atomic_init (&paths->elapsed_us, 0);
  paths->experiment = ns_experiment_copy (experiment);
  paths->settings = *settings;
  paths->first_seed = first_seed;
  paths->n_seeds = n_seeds;
  paths->n_variants = experiment->variants->len;
  paths->variants = g_new0 (NsVariantPaths, paths->n_variants);
  for (guint v = 0; v < paths->n_variants && ok; v++)
    {
      lay_out_maps (&paths->variants[v], experiment, v, settings, n_seeds);
      paths->variants[v].is_exact = is_exact (experiment, v);
      ok = allocate_variant (&paths->variants[v], n_seeds);
    }
  if (ok)
    return paths;
  ns_paths_unref (paths);
  ns_engine_refuse_memory (&layout, error);
  return NULL;
}

NsPaths *
ns_paths_ref (NsPaths *paths)
{
  atomic_fetch_add (&paths->ref_count, 1);
  return paths;
}

void
ns_paths_unref (NsPaths *paths)
{
  if (paths == NULL || atomic_fetch_sub (&paths->ref_count, 1) != 1)
    return;
  for (guint v = 0; v < paths->n_variants; v++)
    {
      g_free (paths->variants[v].overflow);
      g_free (paths->variants[v].finished);
      for (guint m = 0; m < NS_N_MAPS; m++)
        {
          g_free (paths->variants[v].tables[m].values);
          g_free (paths->variants[v].tables[m].log10_values);
          g_free (paths->variants[v].tables[m].ready);
        }
    }
  g_free (paths->variants);
  ns_experiment_free (paths->experiment);
  g_free (paths);
}

/* ---- filling ---- */

gsize
ns_paths_get_index (const NsPaths *paths, const NsPathsTable *table, gint64 row, gint64 column, guint seed)
{
  return (gsize) (row * table->columns + column) * paths->n_seeds + seed;
}

void
ns_paths_set (NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column, guint seed, double value,
              double log10_value)
{
  NsPathsTable *table = &paths->variants[variant].tables[map];
  gsize i = ns_paths_get_index (paths, table, row, column, seed);

  if (atomic_load_explicit (&table->ready[i], memory_order_relaxed))
    return; /* readers may be reading the same number */
  table->values[i] = value;
  if (table->log10_values != NULL)
    table->log10_values[i] = log10_value;
  atomic_store_explicit (&table->ready[i], TRUE, memory_order_release);
}

void
ns_paths_add (NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column, guint seed, double value)
{
  NsPathsTable *table = &paths->variants[variant].tables[map];
  double *cell = &table->values[ns_paths_get_index (paths, table, row, column, seed)];

  *cell = isnan (*cell) ? value : *cell + value;
}

void
ns_paths_set_overflow (NsPaths *paths, guint variant, guint seed, gint64 site)
{
  atomic_store (&paths->variants[variant].overflow[seed], site);
}

void
ns_paths_start (NsPaths *paths, guint variant, guint seed)
{
  for (guint m = 0; m < NS_N_MAPS; m++)
    {
      NsPathsTable *table = &paths->variants[variant].tables[m];

      for (gsize i = seed; i < (gsize) (table->rows * table->columns) * paths->n_seeds; i += paths->n_seeds)
        if (!atomic_load_explicit (&table->ready[i], memory_order_relaxed))
          table->values[i] = NAN;
    }
}

void
ns_paths_finish (NsPaths *paths, guint variant, guint seed)
{
  atomic_store_explicit (&paths->variants[variant].finished[seed], TRUE, memory_order_release);
}

void
ns_paths_set_elapsed (NsPaths *paths, double elapsed_ms)
{
  atomic_store (&paths->elapsed_us, (long long) (1e3 * elapsed_ms));
}
