/* The items of a run: its seeds, each with all variants.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-engine-private.h"
#include "engine/run/ns-items-private.h"
#include "engine/run/ns-result-private.h"

#include <glib/gi18n-lib.h>
#include <pthread.h>
#include <string.h>

typedef struct
{
  NsResult *result;
  guint64 blocks; /* of a seed */
  gboolean *done; /* [seeds], each written once, by the thread that has the seed */
} List;

typedef struct
{
  List *list;
  NsEngine *engine, **engines; /* [n_workers], engines of a share of the threads; with one worker the engine itself */
  guint n_workers;
  NsProgress *progress;
  pthread_mutex_t lock;
  GError *error; /* the first one, guarded by lock */
} SeedsJob;

static guint
count_variants (const NsResult *result)
{
  return ns_result_get_experiment (result)->variants->len;
}

static guint
get_n (gconstpointer data)
{
  return ns_result_get_n_seeds (((const List *) data)->result);
}

/* The numbers of each variant and the site of its overflow. */
static gsize
get_length (gconstpointer data, guint item)
{
  const List *list = data;
  gsize length = 0, n;

  for (guint v = 0; v < count_variants (list->result); v++)
    {
      double *numbers;
      gint64 *overflow;

      ns_result_get_row (list->result, v, item, &numbers, &n, &overflow);
      length += n + 1;
    }
  return length;
}

static guint64
count_seed_blocks (gconstpointer data, guint item)
{
  (void) item;
  return ((const List *) data)->blocks;
}

static char *
dup_name (gconstpointer data, guint item)
{
  (void) data;
  return g_strdup_printf (_ ("seed %u"), item);
}

static gboolean
is_done (gconstpointer data, guint item)
{
  return ((const List *) data)->done[item];
}

static void
get (gconstpointer data, guint item, guint64 *words)
{
  const List *list = data;

  for (guint v = 0; v < count_variants (list->result); v++)
    {
      double *numbers;
      gint64 *overflow;
      gsize n;

      ns_result_get_row (list->result, v, item, &numbers, &n, &overflow);
      memcpy (words, numbers, n * sizeof *words);
      memcpy (words + n, overflow, sizeof *words);
      words += n + 1;
    }
}

static gboolean
set_seed (gpointer data, guint item, const guint64 *words)
{
  List *list = data;
  gint64 head = ns_experiment_get_head_site (ns_result_get_experiment (list->result));

  for (guint v = 0; v < count_variants (list->result); v++)
    {
      double *numbers;
      gint64 *overflow, site;
      gsize n;

      ns_result_get_row (list->result, v, item, &numbers, &n, &overflow);
      memcpy (&site, words + n, sizeof site);
      if (site < 0 || site > head)
        return FALSE;
      memcpy (numbers, words, n * sizeof *words);
      *overflow = site;
      words += n + 1;
    }
  list->done[item] = TRUE;
  return TRUE;
}

static void
free_list (gpointer data)
{
  List *list = data;

  ns_result_unref (list->result);
  g_free (list->done);
  g_free (list);
}

/* ---- a job ---- */

static void
clear_seeds_job (SeedsJob *job)
{
  for (guint i = 0; job->engines != NULL && i < job->n_workers; i++)
    ns_engine_free (job->engines[i]);
  g_free (job->engines);
  pthread_mutex_destroy (&job->lock);
  g_free (job);
}

/* Seeds side by side, as many as there are threads for and as fit the budget. */
static gpointer
begin_seeds (NsEngine *engine, gpointer data, guint left, NsProgress *progress, guint *n_workers, GError **error)
{
  List *list = data;
  const NsExperiment *experiment = ns_result_get_experiment (list->result);
  guint64 bytes = ns_workspace_get_bytes (experiment, FALSE, 1);
  guint n = MIN (left, engine->n_threads);
  SeedsJob *job = g_new0 (SeedsJob, 1);

  (void) error;
  while (n > 1 && bytes > engine->budget / n)
    n--;
  *job = (SeedsJob){ .list = list, .engine = engine, .n_workers = n, .progress = progress };
  pthread_mutex_init (&job->lock, NULL);
  if (n > 1)
    {
      job->engines = g_new (NsEngine *, n);
      for (guint i = 0; i < n; i++)
        job->engines[i] = ns_engine_new (ns_engine_get_team_size (engine, n), engine->budget / n);
    }
  *n_workers = n;
  return job;
}

static gboolean
run_seed (gpointer data, guint item, guint worker)
{
  SeedsJob *job = data;
  NsResult *result = job->list->result;
  g_autoptr (NsProgress) progress = ns_progress_new_part (job->progress);
  NsEngine *engine = job->engines != NULL ? job->engines[worker] : job->engine;
  GError *error = NULL;
  NsResult *one = ns_engine_run_quantities (engine, ns_result_get_experiment (result),
                                            ns_result_get_quantities (result), item, 1, progress, &error);

  if (one == NULL)
    {
      pthread_mutex_lock (&job->lock);
      if (job->error == NULL)
        job->error = g_steal_pointer (&error);
      pthread_mutex_unlock (&job->lock);
      g_clear_error (&error);
      return FALSE;
    }
  for (guint v = 0; v < count_variants (result); v++)
    ns_result_copy_row (result, v, item, one, 0);
  ns_result_unref (one);
  job->list->done[item] = TRUE;
  return TRUE;
}

static gboolean
end_seeds (gpointer data, GError **error)
{
  SeedsJob *job = data;
  gboolean ok = job->error == NULL;

  if (!ok)
    g_propagate_error (error, job->error);
  clear_seeds_job (job);
  return ok;
}

void
ns_items_add_result (NsItems *items, NsResult *result)
{
  static const NsItemKind kind = { get_n, get_length, count_seed_blocks, dup_name, is_done, get, set_seed, free_list,
                                   begin_seeds, run_seed, end_seeds, NULL };
  List *list = g_new0 (List, 1);

  list->result = ns_result_ref (result);
  list->blocks = ns_engine_count_blocks (ns_result_get_experiment (result), ns_result_get_quantities (result), 1);
  list->done = g_new0 (gboolean, ns_result_get_n_seeds (result));
  ns_items_add (items, &kind, list);
}
