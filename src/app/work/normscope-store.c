/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-store.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-paths-private.h"
#include "engine/run/ns-result-rows.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* One of the three is set, a reference. */
typedef struct
{
  NsResult *result;
  NsPaths *paths;
  NsSweep *sweep;
  guint64 bytes;
  guint64 used; /* larger than that of what was used before */
} Kept;

struct _NormscopeStore
{
  guint64 max_bytes;

  GMutex lock; /* locked briefly; guards the rest */
  GArray *kept; /* Kept */
  guint64 bytes, n_uses;
};

/* What is wanted, and where it is known from. */
typedef struct
{
  const NsExperiment *experiment;
  const NsQuantitySet *quantities;
  guint first_seed, n_seeds;
  NsResultRow *rows;  /* [n_seeds, variants] */
  GPtrArray *results; /* NsResult, references to those of the rows */
  guint n_rows, n_known;
} Wanted;

static void
kept_clear (gpointer data)
{
  Kept *kept = data;

  g_clear_pointer (&kept->result, ns_result_unref);
  g_clear_pointer (&kept->paths, ns_paths_unref);
  g_clear_pointer (&kept->sweep, ns_sweep_unref);
}

NormscopeStore *
normscope_store_new (guint64 max_bytes)
{
  NormscopeStore *self = g_new0 (NormscopeStore, 1);

  g_mutex_init (&self->lock);
  self->max_bytes = max_bytes;
  self->kept = g_array_new (FALSE, FALSE, sizeof (Kept));
  g_array_set_clear_func (self->kept, kept_clear);
  return self;
}

void
normscope_store_free (NormscopeStore *self)
{
  g_array_unref (self->kept);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* ---- what is wanted ---- */

static void
wanted_init (Wanted *wanted, const NsExperiment *experiment, const NsQuantitySet *quantities, guint first_seed,
             guint n_seeds)
{
  guint n_rows = experiment->variants->len * n_seeds;

  *wanted = (Wanted){ experiment, quantities, first_seed, n_seeds, g_new0 (NsResultRow, n_rows),
                      g_ptr_array_new_with_free_func ((GDestroyNotify) ns_result_unref), n_rows, 0 };
}

static void
wanted_clear (Wanted *wanted)
{
  g_free (wanted->rows);
  g_ptr_array_unref (wanted->results);
}

/* Look for what is not known yet in a result. Return TRUE if some of it is there. */
static gboolean
look_in (Wanted *wanted, NsResult *result)
{
  guint n = ns_result_find_rows (result, wanted->experiment, wanted->quantities, wanted->first_seed, wanted->n_seeds,
                                 wanted->rows);
  gboolean has_some = n > wanted->n_known;

  if (has_some)
    g_ptr_array_add (wanted->results, ns_result_ref (result));
  wanted->n_known = n;
  return has_some;
}

/* Look in the whole store; it knows nothing of weights that are no longer those of their file. */
static void
look_up (NormscopeStore *self, Wanted *wanted)
{
  if (!ns_experiment_check_sources (wanted->experiment, NULL))
    return;
  g_mutex_lock (&self->lock);
  for (guint i = self->kept->len; i-- > 0 && wanted->n_known < wanted->n_rows;)
    {
      Kept *kept = &g_array_index (self->kept, Kept, i);

      if (kept->result != NULL && look_in (wanted, kept->result))
        kept->used = ++self->n_uses;
    }
  g_mutex_unlock (&self->lock);
}

/* Return TRUE if the result is just what is wanted. */
static gboolean
is_wanted (const Wanted *wanted, const NsResult *result)
{
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_result_has (result, q) != ns_quantity_set_has (wanted->quantities, q))
      return FALSE;
  return ns_result_get_first_seed (result) == wanted->first_seed && ns_result_get_n_seeds (result) == wanted->n_seeds
         && ns_experiment_equal (ns_result_get_experiment (result), wanted->experiment);
}

/* Return the result once all of its rows are known. */
static NsResult *
make_result (const Wanted *wanted)
{
  NsResult *result = g_ptr_array_index (wanted->results, 0);

  if (is_wanted (wanted, result))
    return ns_result_ref (result);
  return ns_result_new_from_rows (wanted->experiment, wanted->quantities, wanted->first_seed, wanted->n_seeds,
                                  wanted->rows);
}

NsResult *
normscope_store_find (NormscopeStore *self, const NsExperiment *experiment, const NsQuantitySet *quantities)
{
  NsResult *result = NULL;
  Wanted wanted;

  wanted_init (&wanted, experiment, quantities, 0, (guint) experiment->sampling.seeds);
  look_up (self, &wanted);
  if (wanted.n_known == wanted.n_rows)
    result = make_result (&wanted);
  wanted_clear (&wanted);
  return result;
}

/* ---- keeping ---- */

/* Return the bytes of n numbers with their logarithms, and of the experiment's text. */
static guint64
count_bytes (const NsExperiment *experiment, guint64 n)
{
  return n * 2 * sizeof (double) + (experiment->data.text != NULL ? strlen (experiment->data.text) : 0);
}

static gboolean
is_part (NsResult *part, NsResult *whole)
{
  gboolean is_known;
  Wanted wanted;

  wanted_init (&wanted, ns_result_get_experiment (part), ns_result_get_quantities (part),
               ns_result_get_first_seed (part), ns_result_get_n_seeds (part));
  look_in (&wanted, whole);
  is_known = wanted.n_known == wanted.n_rows;
  wanted_clear (&wanted);
  return is_known;
}

/* Call with the lock held. */
static void
drop (NormscopeStore *self, guint i)
{
  self->bytes -= g_array_index (self->kept, Kept, i).bytes;
  g_array_remove_index (self->kept, i);
}

static gboolean
has_all_seeds (const Kept *kept)
{
  return kept->result == NULL
         || ns_result_get_n_seeds (kept->result) == (guint) ns_result_get_experiment (kept->result)->sampling.seeds;
}

/* Return the place of what is the least loss; the last one stays. */
static guint
find_least (NormscopeStore *self)
{
  guint least = 0;

  for (guint i = 1; i + 1 < self->kept->len; i++)
    {
      const Kept *a = &g_array_index (self->kept, Kept, i), *b = &g_array_index (self->kept, Kept, least);

      if (has_all_seeds (a) == has_all_seeds (b) ? a->used < b->used : has_all_seeds (b))
        least = i;
    }
  return least;
}

/* Keep what is taken, and make room for it. Call with the lock held. */
static void
keep (NormscopeStore *self, Kept kept)
{
  kept.used = ++self->n_uses;
  self->bytes += kept.bytes;
  g_array_append_val (self->kept, kept);
  while (self->bytes > self->max_bytes && self->kept->len > 1)
    drop (self, find_least (self));
}

void
normscope_store_add (NormscopeStore *self, NsResult *result)
{
  Kept kept = { .result = ns_result_ref (result),
                .bytes = count_bytes (ns_result_get_experiment (result), ns_result_get_n_numbers (result)) };

  g_mutex_lock (&self->lock);
  for (guint i = self->kept->len; i-- > 0;)
    {
      NsResult *other = g_array_index (self->kept, Kept, i).result;

      if (other != NULL && is_part (other, result))
        drop (self, i);
    }
  keep (self, kept);
  g_mutex_unlock (&self->lock);
}

void
normscope_store_join_paths (NormscopeStore *self, NsPaths *paths)
{
  const NsExperiment *experiment = ns_paths_get_experiment (paths);
  guint64 bytes = ns_paths_get_needed_bytes (experiment, ns_paths_get_settings (paths), ns_paths_get_n_seeds (paths));
  gboolean is_known = ns_experiment_check_sources (experiment, NULL);
  gboolean is_kept = bytes <= self->max_bytes / 2; /* larger maps would drop all results */

  g_mutex_lock (&self->lock);
  for (guint i = self->kept->len; i-- > 0;)
    {
      const NsPaths *other = g_array_index (self->kept, Kept, i).paths;

      if (other == paths || (other != NULL && is_known && ns_paths_take_known (paths, other) && is_kept))
        drop (self, i);
    }
  if (is_kept)
    keep (self, (Kept) { .paths = ns_paths_ref (paths), .bytes = count_bytes (experiment, 0) + bytes });
  g_mutex_unlock (&self->lock);
}

void
normscope_store_join_sweep (NormscopeStore *self, NsSweep *sweep)
{
  const NsExperiment *experiment = ns_sweep_get_experiment (sweep);
  guint64 n_numbers;
  guint n_points;

  ns_sweep_get_points (sweep, &n_points);
  g_mutex_lock (&self->lock);
  for (guint i = self->kept->len; i-- > 0;)
    {
      const NsSweep *other = g_array_index (self->kept, Kept, i).sweep;

      if (other == sweep || (other != NULL && ns_sweep_take_known (sweep, other)))
        drop (self, i);
    }
  n_numbers = (guint64) experiment->variants->len * n_points * ns_sweep_get_n_seeds (sweep);
  keep (self, (Kept) { .sweep = ns_sweep_ref (sweep), .bytes = count_bytes (experiment, n_numbers) });
  g_mutex_unlock (&self->lock);
}

/* ---- running ---- */

/* Return what has to run: the variants that some seed lacks, for the seeds from the first to the last that some variant
 * lacks. */
static NsExperiment *
dup_lacking (const Wanted *wanted, guint *first, guint *n)
{
  NsExperiment *lacking = ns_experiment_copy (wanted->experiment);
  guint n_variants = wanted->experiment->variants->len, last = 0;

  *first = wanted->n_seeds;
  for (guint v = n_variants; v-- > 0;)
    {
      gboolean is_known = TRUE;

      for (guint s = 0; s < wanted->n_seeds; s++)
        if (wanted->rows[s * n_variants + v].result == NULL)
          {
            is_known = FALSE;
            *first = MIN (*first, s);
            last = MAX (last, s);
          }
      if (is_known)
        g_ptr_array_remove_index (lacking->variants, v);
    }
  *n = last + 1 - *first;
  return lacking;
}

/* Shows a partial result of what runs together with what is known. */
typedef struct
{
  const Wanted *wanted;
  const NsResultWatch *watch;
} Expansion;

static void
show_expanded (gpointer data, NsResult *partial)
{
  const Expansion *expansion = data;
  Wanted wanted = *expansion->wanted;
  NsResult *expanded = NULL;

  wanted.rows = g_memdup2 (wanted.rows, wanted.n_rows * sizeof *wanted.rows);
  wanted.results = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_result_unref);
  look_in (&wanted, partial);
  if (wanted.n_known == wanted.n_rows)
    expanded = make_result (&wanted);
  if (expanded != NULL)
    expansion->watch->show (expansion->watch->user_data, expanded);
  wanted_clear (&wanted);
  ns_result_unref (partial);
}

/* Run what is lacking. */
static gboolean
complete (Wanted *wanted, NsEngine *engine, const NsResultWatch *watch, NsProgress *progress, GError **error)
{
  Expansion expansion = { wanted, watch };
  NsResultWatch expanded = { 0 };
  guint first, n;
  g_autoptr (NsExperiment) lacking = dup_lacking (wanted, &first, &n);
  g_autoptr (NsResult) result = NULL;

  if (watch != NULL)
    expanded = *watch;
  expanded.show = show_expanded;
  expanded.user_data = &expansion;
  result = ns_engine_run_watched (engine, lacking, wanted->quantities, wanted->first_seed + first, n,
                                  watch != NULL ? &expanded : NULL, progress, error);
  if (result != NULL)
    look_in (wanted, result);
  return result != NULL;
}

NsResult *
normscope_store_run (NormscopeStore *self, NsEngine *engine, const NsExperiment *experiment,
                     const NsQuantitySet *quantities, guint first_seed, guint n_seeds, const NsResultWatch *watch,
                     NsProgress *progress, GError **error)
{
  NsResult *result = NULL;
  gboolean is_known;
  Wanted wanted;

  wanted_init (&wanted, experiment, quantities, first_seed, n_seeds);
  look_up (self, &wanted);
  is_known = wanted.n_known == wanted.n_rows;
  if (is_known || complete (&wanted, engine, watch, progress, error))
    {
      result = make_result (&wanted);
      if (result == NULL)
        g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                             _ ("The system refused memory for the result"));
    }
  wanted_clear (&wanted);
  if (result != NULL && !is_known)
    normscope_store_add (self, result);
  return result;
}
