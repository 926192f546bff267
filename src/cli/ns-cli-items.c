/* Compute items: keep them in a checkpoint, or take them from checkpoints.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-items.h"

#include "cli/ns-cli-ranks.h"
#include "cli/ns-cli-schedule.h"
#include "cli/ns-cli.h"
#include "engine/experiment/ns-text.h"
#include "engine/ops/ns-checksum.h"

#include <glib/gi18n.h>
#include <math.h>
#include <pthread.h>

/* Time between two lines of progress under mpirun. */
#define TELL_US (10 * G_USEC_PER_SEC)
/* Items that a message names. */
#define MAX_NAMES 8

typedef struct
{
  const NsCliItemsPlan *plan;
  NsEngine *engine;
  NsItems *items;
  NsItemsFile *file; /* or NULL */
  pthread_mutex_t lock; /* guards the rest */
  NsCliSchedule *schedule;
  guint n_done;
  GError *error;        /* of the file, or of another rank */
  NsProgress *progress; /* of the job */
  gint64 start, told;   /* times; `told` is that of the last line of progress under mpirun */
} Share;

gboolean
ns_cli_items_plan_is_shared (const NsCliItemsPlan *plan)
{
  return plan->checkpoint != NULL || plan->records != NULL || ns_cli_ranks_get_n () > 1;
}

/* ---- the job ---- */

static guint
take_for (gpointer user_data, guint rank, guint first, guint end)
{
  Share *share = user_data;
  guint item;

  pthread_mutex_lock (&share->lock);
  item = share->error == NULL ? ns_cli_schedule_take (share->schedule, rank, first, end) : NS_NO_ITEM;
  pthread_mutex_unlock (&share->lock);
  return item;
}

static guint
take_item (gpointer user_data, guint first, guint end)
{
  return take_for (user_data, 0, first, end);
}

static gboolean
finish_item (gpointer user_data, guint item)
{
  Share *share = user_data;
  gboolean ok;

  pthread_mutex_lock (&share->lock);
  share->n_done++;
  if (share->error == NULL && share->file != NULL)
    ns_items_file_append (share->file, share->items, item, &share->error);
  ok = share->error == NULL;
  pthread_mutex_unlock (&share->lock);
  return ok;
}

static gpointer
compute_share (gpointer user_data, NsProgress *progress, GError **error)
{
  Share *share = user_data;
  const NsItemsFlow flow = { take_item, finish_item, share };

  ns_progress_begin (progress, ns_cli_schedule_count_blocks (share->schedule));
  return ns_engine_run_items (share->engine, share->items, &flow, progress, error) ? share : NULL;
}

static char *
dup_items_progress (gpointer user_data, NsProgress *progress, double elapsed_s)
{
  Share *share = user_data;
  double left_s = ns_cli_get_seconds_left (progress, elapsed_s);
  guint done;

  if (isnan (left_s))
    return NULL;
  pthread_mutex_lock (&share->lock);
  done = share->n_done;
  pthread_mutex_unlock (&share->lock);
  return g_strdup_printf (_ ("%u of %u items, %.0f s left"), done, ns_cli_schedule_get_n (share->schedule),
                          left_s);
}

/* ---- several ranks ---- */

static void
fail_by_other (gpointer user_data, const char *message)
{
  Share *share = user_data;

  pthread_mutex_lock (&share->lock);
  if (share->error == NULL)
    share->error = g_error_new_literal (NS_CLI_ERROR, NS_CLI_ERROR_SYSTEM, message);
  pthread_mutex_unlock (&share->lock);
}

static gboolean
accept_of_other (gpointer user_data, guint item, const guint64 *numbers, gsize n)
{
  Share *share = user_data;

  if (item >= ns_items_get_n (share->items) || n != ns_items_get_length (share->items, item)
      || !ns_items_set (share->items, item, numbers))
    {
      fail_by_other (share, _ ("another rank sent an item with impossible numbers"));
      return FALSE;
    }
  ns_progress_skip (share->progress, ns_items_count_blocks (share->items, item));
  return finish_item (share, item);
}

static void *
serve (void *data)
{
  Share *share = data;
  const NsCliServer server = { take_for, accept_of_other, fail_by_other, share };

  ns_cli_ranks_serve (&server, share->progress);
  return NULL;
}

static gpointer
compute_with_ranks (gpointer user_data, NsProgress *progress, GError **error)
{
  Share *share = user_data;
  pthread_t server;
  gpointer value;

  if (ns_cli_ranks_get_own () > 0)
    return ns_cli_ranks_work (share->engine, share->items, progress, error) ? share : NULL;
  share->progress = progress;
  if (pthread_create (&server, NULL, serve, share) != 0)
    {
      g_set_error_literal (error, NS_CLI_ERROR, NS_CLI_ERROR_SYSTEM, _ ("the system refused a thread"));
      return NULL;
    }
  value = compute_share (share, progress, error);
  pthread_join (server, NULL);
  return share->error == NULL ? value : NULL;
}

/* Under mpirun no output is a terminal: print a line now and then. */
static void
tell_progress (gpointer user_data)
{
  Share *share = user_data;
  gint64 now = g_get_monotonic_time ();
  g_autofree char *text = NULL;

  if (ns_cli_ranks_get_own () > 0)
    ns_cli_ranks_tell_alive ();
  if (share->told == 0)
    share->start = share->told = now;
  if (ns_cli_ranks_get_own () > 0 || now - share->told < TELL_US || share->progress == NULL)
    return;
  share->told = now;
  text = dup_items_progress (share, share->progress, (double) (now - share->start) / 1e6);
  if (text != NULL)
    ns_cli_warn ("%s", text);
}

static gboolean
run_items_job (Share *share, const NsItemsHead *head, GError **error)
{
  static const NsCliWatch watch = { .dup_progress = dup_items_progress, .keeps = TRUE };
  static const NsCliWatch watch_ranks = { .dup_progress = dup_items_progress, .tick = tell_progress, .keeps = TRUE };
  g_autoptr (GBytes) bytes = NULL;
  NsChecksum checksum = { 0 };

  if (ns_cli_ranks_get_n () <= 1)
    return ns_cli_run_watched_job (compute_share, share, &watch, error) != NULL;
  bytes = ns_items_head_to_bytes (head);
  ns_checksum_add (&checksum, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  return ns_cli_ranks_begin (ns_checksum_get (&checksum), error)
         && ns_cli_run_watched_job (compute_with_ranks, share, &watch_ranks, error) != NULL;
}

/* ---- what is lacking ---- */

static char *
dup_missing (const NsItems *items)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < ns_items_get_n (items); i++)
    {
      g_autofree char *name = NULL;

      if (ns_items_is_done (items, i) || n++ >= MAX_NAMES)
        continue;
      name = ns_items_dup_name (items, i);
      g_string_append_printf (names, "%s%s", n > 1 ? "; " : "", name);
    }
  if (n > MAX_NAMES)
    g_string_append (names, "; …");
  return g_strdup_printf (_ ("%u of %u items are missing: %s"), n, ns_items_get_n (items), names->str);
}

/* Tell what a checkpoint has that does not have everything. */
static void
tell_state (const Share *share)
{
  g_autofree char *shown = ns_text_dup_short (share->plan->checkpoint, NS_TEXT_MAX_PATH);
  guint done = ns_items_count_done (share->items), all = ns_items_get_n (share->items);

  if (ns_cli_get_signal () != 0)
    ns_cli_warn (_ ("interrupted; %s has %u of %u items, and the same command goes on from there"), shown, done, all);
  else
    ns_cli_warn (_ ("%s has the shard %u/%u, %u of %u items"), shown, share->plan->shard, share->plan->n_shards, done,
                 all);
}

/* ---- merging ---- */

static gboolean
take_records (const NsCliItemsPlan *plan, const NsItemsHead *head, NsItems *items, gboolean *complete, GError **error)
{
  g_autofree char *missing = NULL;

  for (guint i = 0; i < plan->records->len; i++)
    {
      const NsItemsRecords *records = g_ptr_array_index (plan->records, i);

      if (!ns_items_head_check (head, ns_items_records_get_head (records), ns_items_records_get_name (records), error)
          || !ns_items_records_fill (records, items, error))
        return FALSE;
    }
  *complete = ns_items_count_done (items) == ns_items_get_n (items);
  if (plan->merged != NULL && !ns_items_file_write (plan->merged, head, items, error))
    return FALSE;
  if (*complete)
    return TRUE;
  missing = dup_missing (items);
  if (plan->merged == NULL)
    g_set_error_literal (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, missing);
  else
    ns_cli_warn ("%s", missing);
  return plan->merged != NULL;
}

/* ---- all ---- */

static gboolean
open_file (Share *share, const NsItemsHead *head, GError **error)
{
  guint64 torn = 0;
  g_autofree char *shown = NULL;

  if (share->plan->checkpoint == NULL || ns_cli_ranks_get_own () > 0)
    return TRUE;
  share->file = ns_items_file_open (share->plan->checkpoint, head, share->items, &torn, error);
  if (torn > 0 && share->file != NULL)
    {
      shown = ns_text_dup_short (share->plan->checkpoint, NS_TEXT_MAX_PATH);
      ns_cli_warn (_ ("%s: the last %llu bytes are of an item that was being written, and were cut off"), shown,
                   (unsigned long long) torn);
    }
  return share->file != NULL;
}

gboolean
ns_cli_items_run (const NsCliItemsPlan *plan, NsEngine *engine, const NsItemsHead *head, NsItems *items,
                  gboolean *complete, GError **error)
{
  Share share = { .plan = plan, .engine = engine, .items = items };
  gboolean ok;

  *complete = FALSE;
  if (plan->records != NULL)
    return take_records (plan, head, items, complete, error);
  pthread_mutex_init (&share.lock, NULL);
  ok = open_file (&share, head, error);
  if (ok)
    {
      share.schedule = ns_cli_schedule_new (items, plan->shard, plan->n_shards, ns_cli_ranks_get_n ());
      ok = run_items_job (&share, head, error);
    }
  if (share.error != NULL && (error == NULL || *error != NULL))
    g_clear_error (&share.error);
  if (share.error != NULL)
    {
      g_propagate_error (error, share.error);
      ok = FALSE;
    }
  if (ok)
    ok = share.file == NULL || ns_items_file_sync (share.file, error);
  if (ok && ns_cli_get_signal () == 0)
    ns_cli_ranks_end ();
  *complete = ok && ns_cli_get_signal () == 0 && plan->n_shards == 0 && ns_cli_ranks_get_own () == 0;
  if (ok && !*complete && plan->checkpoint != NULL && ns_cli_ranks_get_own () == 0)
    tell_state (&share);
  ns_items_file_close (share.file);
  ns_cli_schedule_free (share.schedule);
  pthread_mutex_destroy (&share.lock);
  return ok;
}
