/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-weights.h"

#include "engine/ops/ns-slabs.h"
#include "engine/pass/ns-plan.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct _Making Making;

typedef struct
{
  NsSlabs *slabs; /* that the values are in */
  NsRandomKey key;
  NsDistribution distribution;
  gsize first_row, in, out;
  ns_real *values;
  Making *making; /* while the values are drawn; guarded by the store's lock. Once NULL, they never change */
} Entry;

/* The passes of a seed that run; 0: they have ended. */
typedef struct
{
  guint64 seed;
  guint n;
} Passes;

struct _NsWeights
{
  guint64 budget;
  gboolean keeps;
  pthread_mutex_t lock;
  pthread_cond_t made;
  /* guarded by lock: */
  GHashTable *entries; /* Entry, key and value are the same */
  NsSlabs *slabs;
  GArray *passes; /* Passes, of each seed once since the last trim */
  guint64 bytes;
};

static guint
entry_hash (gconstpointer p)
{
  const Entry *e = p;

  return (guint) (((e->key.seed * 31 + e->key.block) * 131 + e->key.stream) * 521 + e->first_row) * 2
         + (guint) e->distribution;
}

static gboolean
entry_equal (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;

  return x->key.seed == y->key.seed && x->key.block == y->key.block && x->key.stream == y->key.stream
         && x->key.truncate == y->key.truncate && x->key.row == y->key.row
         && x->distribution == y->distribution && x->first_row == y->first_row
         && x->in == y->in && x->out == y->out;
}

static guint64
entry_bytes (const Entry *e)
{
  return (guint64) e->in * e->out * sizeof (ns_real);
}

static void
entry_free (gpointer p)
{
  Entry *e = p;

  ns_slabs_give (e->slabs, e->values, entry_bytes (e));
  g_free (e);
}

NsWeights *
ns_weights_new (guint64 budget)
{
  NsWeights *weights = g_new0 (NsWeights, 1);

  weights->budget = budget;
  weights->entries = g_hash_table_new_full (entry_hash, entry_equal, NULL, entry_free);
  weights->slabs = ns_slabs_new ();
  weights->passes = g_array_new (FALSE, FALSE, sizeof (Passes));
  pthread_mutex_init (&weights->lock, NULL);
  pthread_cond_init (&weights->made, NULL);
  return weights;
}

void
ns_weights_free (NsWeights *weights)
{
  if (weights == NULL)
    return;
  g_hash_table_unref (weights->entries);
  ns_slabs_free (weights->slabs);
  g_array_unref (weights->passes);
  pthread_cond_destroy (&weights->made);
  pthread_mutex_destroy (&weights->lock);
  g_free (weights);
}

void
ns_weights_keep (NsWeights *weights)
{
  weights->keeps = TRUE;
}

gboolean
ns_weights_get_keeps (const NsWeights *weights)
{
  return weights->keeps;
}

/* ---- the passes of a seed ---- */

/* Return the passes of the seed, which are added. Call with the lock held. */
static Passes *
get_passes (NsWeights *weights, guint64 seed)
{
  for (guint i = 0; i < weights->passes->len; i++)
    if (g_array_index (weights->passes, Passes, i).seed == seed)
      return &g_array_index (weights->passes, Passes, i);
  g_array_append_vals (weights->passes, &(Passes){ seed, 0 }, 1);
  return &g_array_index (weights->passes, Passes, weights->passes->len - 1);
}

void
ns_weights_begin (NsWeights *weights, guint64 seed)
{
  pthread_mutex_lock (&weights->lock);
  get_passes (weights, seed)->n++;
  pthread_mutex_unlock (&weights->lock);
}

void
ns_weights_end (NsWeights *weights, guint64 seed)
{
  pthread_mutex_lock (&weights->lock);
  get_passes (weights, seed)->n--;
  pthread_mutex_unlock (&weights->lock);
}

/* Drop the matrices of a seed. Call with the lock held. */
static void
drop_seed (NsWeights *weights, guint64 seed)
{
  GHashTableIter iter;
  gpointer p;

  g_hash_table_iter_init (&iter, weights->entries);
  while (g_hash_table_iter_next (&iter, &p, NULL))
    {
      const Entry *e = p;

      if (e->key.seed != seed)
        continue;
      weights->bytes -= entry_bytes (e);
      g_hash_table_iter_remove (&iter);
    }
}

/* Drop the matrices of other seeds whose passes have ended: this seed needs room. Call with the lock held. */
static void
drop_ended (NsWeights *weights, guint64 seed)
{
  for (guint i = weights->passes->len; i-- > 0;)
    {
      Passes passes = g_array_index (weights->passes, Passes, i);

      if (passes.n > 0 || passes.seed == seed)
        continue;
      drop_seed (weights, passes.seed);
      g_array_remove_index_fast (weights->passes, i);
    }
}

/* ---- what is kept ---- */

/* Return TRUE if a variant of the experiment has the matrix. */
static gboolean
is_used (const Entry *e, const NsExperiment *experiment)
{
  const NsShape *shape = &experiment->shape;

  if (e->key.stream == NS_STREAM_EMBEDDING) /* which a tied head uses */
    return e->in == (gsize) shape->vocab && e->out == (gsize) shape->d_model;
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      const NsVariant *variant = ns_experiment_variant (experiment, v);
      NsTensor tensor = ns_stream_get_tensor ((NsStream) e->key.stream);
      gint64 in, out;

      ns_tensor_get_shape (tensor, shape, variant, &in, &out);
      if (variant->ngpt && e->in == (gsize) out && e->out == (gsize) in) /* drawn transposed */
        return TRUE;
      if (e->in == (gsize) in && e->out == (gsize) out
          && e->first_row < (gsize) (ns_tensor_get_count (tensor, variant) * in))
        return TRUE;
    }
  return FALSE;
}

void
ns_weights_trim (NsWeights *weights, const NsExperiment *experiment, guint64 first_seed, guint64 n_seeds)
{
  GHashTableIter iter;
  gpointer p;

  g_array_set_size (weights->passes, 0);
  g_hash_table_iter_init (&iter, weights->entries);
  while (g_hash_table_iter_next (&iter, &p, NULL))
    {
      const Entry *e = p;

      if (is_used (e, experiment) && e->key.seed >= first_seed && e->key.seed - first_seed < n_seeds)
        {
          if (!weights->keeps)
            get_passes (weights, e->key.seed); /* none: another seed may take its place */
          continue;
        }
      weights->bytes -= entry_bytes (e);
      g_hash_table_iter_remove (&iter);
    }
  ns_slabs_trim (weights->slabs);
}

void
ns_weights_clear (NsWeights *weights)
{
  g_hash_table_remove_all (weights->entries);
  ns_slabs_trim (weights->slabs);
  g_array_set_size (weights->passes, 0);
  weights->bytes = 0;
}

guint64
ns_weights_get_bytes (NsWeights *weights)
{
  guint64 bytes;

  pthread_mutex_lock (&weights->lock);
  bytes = weights->bytes;
  pthread_mutex_unlock (&weights->lock);
  return bytes;
}

/* ---- drawing ---- */

/* Draw n values from element `first` on. */
static void
fill_random (ns_real *out, NsRandomKey key, NsDistribution distribution, guint64 first, gsize n)
{
#ifdef NS_DOUBLE
  float part[1024];

  for (gsize done = 0; done < n;)
    {
      gsize take = MIN (n - done, G_N_ELEMENTS (part));

      ns_random_fill (key, distribution, first + done, take, part);
      for (gsize i = 0; i < take; i++)
        out[done + i] = part[i];
      done += take;
    }
#else
  ns_random_fill (key, distribution, first, n, out);
#endif
}

void
ns_weights_fill (ns_real *out, NsRandomKey key, NsDistribution distribution, gsize matrix_columns, gsize first_row,
                 gsize rows, gsize first_column, gsize columns)
{
  if (columns == matrix_columns)
    fill_random (out, key, distribution, (guint64) first_row * columns, rows * columns);
  else
    for (gsize r = 0; r < rows; r++)
      fill_random (out + r * columns, key, distribution, (guint64) (first_row + r) * matrix_columns + first_column,
                   columns);
}

#define PART ((gsize) 1 << 13) /* elements that one thread draws at a time, in a hundredth of a millisecond */

/* The drawing of an entry, shared by a team and by threads of other passes that need the values, too. */
struct _Making
{
  const Entry *entry;
  NsProgress *progress;
  guint n_parts;
  atomic_uint next; /* part to draw */
  guint n_others;   /* threads of other passes in it; guarded by the store's lock */
};

static gboolean
has_parts_left (Making *m)
{
  return atomic_load_explicit (&m->next, memory_order_relaxed) < m->n_parts;
}

static void
draw_parts (Making *m)
{
  const Entry *e = m->entry;
  guint part;

  while ((part = atomic_fetch_add_explicit (&m->next, 1, memory_order_relaxed)) < m->n_parts
         && !ns_progress_is_cancelled (m->progress))
    {
      gsize first = part * PART;

      fill_random (e->values + first, e->key, e->distribution, (guint64) e->first_row * e->out + first,
                   MIN (PART, e->in * e->out - first));
    }
}

/* An item is all that one thread can do. An NsTeamFunc. */
static void
draw_in_team (gpointer data, guint item, guint thread)
{
  (void) item, (void) thread;
  draw_parts (data);
}

/* Return the entry, helping the thread that draws it; NULL when there is none or that thread dropped it. Call with the
 * lock held. */
static const Entry *
look_up (NsWeights *weights, const Entry *wanted)
{
  const Entry *e;

  while ((e = g_hash_table_lookup (weights->entries, wanted)) != NULL && e->making != NULL)
    {
      Making *m = e->making;

      if (!has_parts_left (m))
        {
          pthread_cond_wait (&weights->made, &weights->lock);
          continue;
        }
      m->n_others++;
      pthread_mutex_unlock (&weights->lock);
      draw_parts (m);
      pthread_mutex_lock (&weights->lock);
      if (--m->n_others == 0)
        pthread_cond_broadcast (&weights->made);
    }
  return e;
}

/* Add an entry without values; NULL when there is no room. Call with the lock held. */
static Entry *
add_entry (NsWeights *weights, Entry wanted, Making *making)
{
  guint64 bytes = entry_bytes (&wanted);
  Entry *e;

  if (!weights->keeps)
    drop_ended (weights, wanted.key.seed);
  if (bytes > weights->budget - MIN (weights->budget, weights->bytes)
      || (wanted.values = ns_slabs_take (weights->slabs, bytes)) == NULL)
    return NULL;
  e = g_memdup2 (&wanted, sizeof wanted);
  e->making = making;
  making->entry = e;
  making->n_parts = (guint) ((wanted.in * wanted.out + PART - 1) / PART);
  weights->bytes += bytes;
  g_hash_table_add (weights->entries, e);
  return e;
}

/* Draw an entry's values. FALSE when the job was cancelled: the entry is incomplete and has been removed. Call without
 * the lock. */
static gboolean
make_entry (NsWeights *weights, Entry *e, NsTeam *team)
{
  Making *m = e->making;
  gboolean whole;

  ns_team_run (team, MIN (ns_team_size (team), m->n_parts), draw_in_team, m);

  pthread_mutex_lock (&weights->lock);
  while (m->n_others > 0)
    pthread_cond_wait (&weights->made, &weights->lock);
  e->making = NULL;
  whole = !ns_progress_is_cancelled (m->progress);
  if (!whole)
    {
      weights->bytes -= entry_bytes (e);
      g_hash_table_remove (weights->entries, e);
    }
  pthread_cond_broadcast (&weights->made);
  pthread_mutex_unlock (&weights->lock);
  return whole;
}

const ns_real *
ns_weights_get (NsWeights *weights, NsRandomKey key, NsDistribution distribution, gsize first_row, gsize in, gsize out,
                NsTeam *team, NsProgress *progress)
{
  Entry wanted = { .slabs = weights->slabs, .key = key, .distribution = distribution, .first_row = first_row,
                   .in = in, .out = out };
  Making making = { .progress = progress };
  const Entry *have;
  Entry *e = NULL;

  pthread_mutex_lock (&weights->lock);
  have = look_up (weights, &wanted);
  if (have == NULL)
    e = add_entry (weights, wanted, &making);
  pthread_mutex_unlock (&weights->lock);
  if (have != NULL)
    return have->values;
  return e != NULL && make_entry (weights, e, team) ? e->values : NULL;
}
