/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-kept-sweep.h"

#include <glib/gstdio.h>

#include "document/items/ns-items-file.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-sweep-private.h"

/* What takes less is sooner computed again than looked after. */
#define DELAY_US (5 * G_USEC_PER_SEC)
/* Sweeps that were left unfinished: the newest ones stay. */
#define MAX_FILES 8

static gint64 delay_us = DELAY_US;

typedef struct
{
  NsItems *items;
  NsItemsHead *head;
  char *path;        /* NULL: the sweep cannot be kept */
  guint *left;       /* [n_left] */
  guint n_left;
  gint64 start;
  GMutex lock;       /* guards the rest */
  guint next;        /* in `left` */
  NsItemsFile *file; /* or NULL */
} Keeper;

void
normscope_kept_sweep_set_delay_us (gint64 us)
{
  delay_us = us;
}

/* ---- the file ---- */

static char *
dup_folder (void)
{
  return g_build_filename (g_get_user_state_dir (), "normscope", "sweeps", NULL);
}

/* Describe the sweep. NULL if its numbers depend on other files. */
static NsItemsHead *
describe (const NsSweep *sweep, guint n_items)
{
  const NsExperiment *experiment = ns_sweep_get_experiment (sweep);
  NsMetric metric = ns_sweep_get_metric (sweep);
  g_autofree char *name = ns_metric_dup_text (&metric);
  g_autoptr (GString) texts = g_string_new (NULL);
  NsItemsHead *head;
  guint n_points;
  const gint64 *points = ns_sweep_get_points (sweep, &n_points);

  if (experiment->data.ids != NULL)
    return NULL;
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_experiment_variant (experiment, v)->source != NULL)
      return NULL;
  head = ns_items_head_new ("sweep of the window", experiment, n_items);
  for (guint p = 0; p < n_points; p++)
    g_string_append_printf (texts, "%s%lld", p > 0 ? "," : "", (long long) points[p]);
  ns_items_head_set (head, "axis", ns_sweep_get_axis (sweep) == NS_SWEEP_DEPTH ? "depth" : "d_model");
  ns_items_head_set (head, "points", texts->str);
  ns_items_head_set (head, "metric", name);
  for (guint v = 0; v < experiment->variants->len; v++)
    if (!ns_sweep_measures (sweep, v))
      ns_items_head_set (head, "not measured", ns_experiment_variant (experiment, v)->name);
  return head;
}

static char *
dup_path (const NsItemsHead *head)
{
  g_autoptr (GBytes) bytes = ns_items_head_to_bytes (head);
  g_autofree char *sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  g_autofree char *folder = dup_folder ();

  return g_build_filename (folder, sum, NULL);
}

char *
normscope_kept_sweep_dup_path (NsSweep *sweep)
{
  g_autoptr (NsItems) items = ns_items_new ();
  g_autoptr (NsItemsHead) head = NULL;

  ns_items_add_sweep (items, sweep);
  head = describe (sweep, ns_items_get_n (items));
  return head != NULL ? dup_path (head) : NULL;
}

typedef struct
{
  char *path;
  gint64 changed;
} Old;

static void
old_clear (gpointer data)
{
  g_free (((Old *) data)->path);
}

static int
compare_old (gconstpointer a, gconstpointer b)
{
  const Old *x = a, *y = b;

  return x->changed < y->changed ? 1 : x->changed > y->changed ? -1 : 0;
}

/* Remove the oldest files, so that one more is not too many. */
static void
make_room (const char *folder)
{
  g_autoptr (GArray) files = g_array_new (FALSE, FALSE, sizeof (Old));
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  g_array_set_clear_func (files, old_clear);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      Old old = { g_build_filename (folder, name, NULL), 0 };
      GStatBuf info;

      if (g_stat (old.path, &info) == 0)
        old.changed = info.st_mtime;
      g_array_append_val (files, old);
    }
  g_array_sort (files, compare_old);
  for (guint i = MAX_FILES - 1; i < files->len; i++)
    g_unlink (g_array_index (files, Old, i).path);
}

/* Open the file, and set the items that it has. Without it, or where another process writes it, the sweep runs without
 * a checkpoint. Call with the lock held. */
static void
open_file (Keeper *self)
{
  g_autoptr (GError) error = NULL;
  guint64 torn;

  self->file = ns_items_file_open (self->path, self->head, self->items, &torn, &error);
  if (self->file != NULL)
    return;
  g_info ("Cannot keep the sweep: %s", error->message);
  g_clear_pointer (&self->path, g_free);
}

/* Begin a file with the items so far. Call with the lock held. */
static void
begin_file (Keeper *self)
{
  g_autofree char *folder = dup_folder ();

  g_mkdir_with_parents (folder, 0700);
  make_room (folder);
  open_file (self);
  for (guint i = 0; self->file != NULL && i < self->next; i++)
    if (ns_items_is_done (self->items, self->left[i])
        && !ns_items_file_append (self->file, self->items, self->left[i], NULL))
      g_clear_pointer (&self->file, ns_items_file_close);
}

/* ---- the job ---- */

static guint
take (gpointer user_data, guint first, guint end)
{
  Keeper *self = user_data;
  guint item = NS_NO_ITEM;

  (void) first, (void) end;
  g_mutex_lock (&self->lock);
  if (self->next < self->n_left)
    item = self->left[self->next++];
  g_mutex_unlock (&self->lock);
  return item;
}

static gboolean
finish (gpointer user_data, guint item)
{
  Keeper *self = user_data;

  g_mutex_lock (&self->lock);
  if (self->file != NULL && !ns_items_file_append (self->file, self->items, item, NULL))
    {
      g_clear_pointer (&self->file, ns_items_file_close);
      g_clear_pointer (&self->path, g_free);
    }
  else if (self->file == NULL && self->path != NULL && g_get_monotonic_time () - self->start >= delay_us)
    begin_file (self);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

static void
list_left (Keeper *self, NsProgress *progress)
{
  guint n = ns_items_get_n (self->items);
  guint64 blocks = 0;

  self->left = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    if (!ns_items_is_done (self->items, i))
      {
        self->left[self->n_left++] = i;
        blocks += ns_items_count_blocks (self->items, i);
      }
  ns_progress_begin (progress, blocks);
}

gboolean
normscope_kept_sweep_run (NsEngine *engine, NsSweep *sweep, NsProgress *progress, GError **error)
{
  Keeper self = { .items = ns_items_new (), .start = g_get_monotonic_time () };
  const NsItemsFlow flow = { take, finish, &self };
  gboolean ok;

  g_mutex_init (&self.lock);
  ns_items_add_sweep (self.items, sweep);
  self.head = describe (sweep, ns_items_get_n (self.items));
  self.path = self.head != NULL ? dup_path (self.head) : NULL;
  if (self.path != NULL && g_file_test (self.path, G_FILE_TEST_EXISTS))
    open_file (&self);
  list_left (&self, progress);
  ok = ns_engine_run_items (engine, self.items, &flow, progress, error);
  ns_sweep_set_elapsed_ms (sweep, (double) (g_get_monotonic_time () - self.start) / 1e3);
  if (ok && self.file != NULL)
    g_unlink (self.path);
  ns_items_file_close (self.file);
  ns_items_head_free (self.head);
  ns_items_free (self.items);
  g_free (self.path);
  g_free (self.left);
  g_mutex_clear (&self.lock);
  return ok;
}
