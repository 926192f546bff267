/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-team.h"

#include <pthread.h>
#include <stdatomic.h>
#ifdef __linux__
#include <sys/resource.h>
#endif

/* A tenth of the processor's time next to a thread that has no such number: less to wait for, yet enough not to starve
 * next to other programs. */
#define NICENESS 10

/* A loop that runs, on the stack of its caller. */
typedef struct
{
  NsTeamFunc func;
  gpointer data;
  guint n_items, max_threads;
  atomic_uint next;    /* the next item to take */
  /* guarded by the pool's lock: */
  guint n_threads;     /* that have joined it, the caller included */
  guint n_helpers;     /* that are in it now */
  pthread_cond_t left; /* by the last one of them */
  GList link;          /* in the pool's list */
} Loop;

typedef struct
{
  pthread_t *threads; /* [n_helpers] */
  guint n_helpers;
  NsTeam *parts;      /* [n_helpers + 1] a team of each size */
  pthread_mutex_t lock;
  pthread_cond_t start;
  /* guarded by lock: */
  GQueue loops;       /* Loop, those that contain others first */
  gboolean gives_way;
  gboolean quit;
} Pool;

struct _NsTeam
{
  Pool *pool;
  guint size;
};

static void
take_items (Loop *loop, guint thread)
{
  guint item;

  while ((item = atomic_fetch_add_explicit (&loop->next, 1, memory_order_relaxed)) < loop->n_items)
    loop->func (loop->data, item, thread);
}

void
ns_thread_give_way (void)
{
#ifdef __linux__
  setpriority (PRIO_PROCESS, 0, MAX (getpriority (PRIO_PROCESS, 0), NICENESS)); /* 0: this thread */
#endif
}

void
ns_team_give_way (NsTeam *team)
{
  pthread_mutex_lock (&team->pool->lock);
  team->pool->gives_way = TRUE;
  pthread_mutex_unlock (&team->pool->lock);
}

/* Return the first loop that has items left and room for another thread, or NULL. Call with the lock held. */
static Loop *
find_open (Pool *pool)
{
  for (GList *l = pool->loops.head; l != NULL; l = l->next)
    {
      Loop *loop = l->data;

      if (loop->n_threads < loop->max_threads
          && atomic_load_explicit (&loop->next, memory_order_relaxed) < loop->n_items)
        return loop;
    }
  return NULL;
}

static void *
helper_main (void *data)
{
  Pool *pool = data;
  gboolean gives_way = FALSE;

  pthread_mutex_lock (&pool->lock);
  while (!pool->quit)
    {
      Loop *loop = find_open (pool);
      guint thread;

      if (loop == NULL)
        {
          pthread_cond_wait (&pool->start, &pool->lock);
          continue;
        }
      if (pool->gives_way && !gives_way)
        ns_thread_give_way ();
      gives_way = pool->gives_way;
      thread = loop->n_threads++;
      loop->n_helpers++;
      pthread_mutex_unlock (&pool->lock);
      take_items (loop, thread);
      pthread_mutex_lock (&pool->lock);
      if (--loop->n_helpers == 0)
        pthread_cond_signal (&loop->left);
    }
  pthread_mutex_unlock (&pool->lock);
  return NULL;
}

NsTeam *
ns_team_new (guint n_threads)
{
  Pool *pool;

  g_return_val_if_fail (n_threads >= 1, NULL);
  pool = g_new0 (Pool, 1);
  pool->threads = g_new0 (pthread_t, n_threads);
  pool->parts = g_new (NsTeam, n_threads);
  g_queue_init (&pool->loops);
  pthread_mutex_init (&pool->lock, NULL);
  pthread_cond_init (&pool->start, NULL);
  for (guint i = 0; i < n_threads; i++)
    pool->parts[i] = (NsTeam){ pool, i + 1 };
  /* a smaller team gives the same results */
  while (pool->n_helpers + 1 < n_threads
         && pthread_create (&pool->threads[pool->n_helpers], NULL, helper_main, pool) == 0)
    pool->n_helpers++;
  return &pool->parts[pool->n_helpers];
}

void
ns_team_free (NsTeam *team)
{
  Pool *pool;

  if (team == NULL)
    return;
  pool = team->pool;
  pthread_mutex_lock (&pool->lock);
  pool->quit = TRUE;
  pthread_cond_broadcast (&pool->start);
  pthread_mutex_unlock (&pool->lock);
  for (guint i = 0; i < pool->n_helpers; i++)
    pthread_join (pool->threads[i], NULL);
  pthread_cond_destroy (&pool->start);
  pthread_mutex_destroy (&pool->lock);
  g_free (pool->threads);
  g_free (pool->parts);
  g_free (pool);
}

NsTeam *
ns_team_get_part (NsTeam *team, guint size)
{
  size = MIN (size, ns_team_size (team));
  return size > 1 ? &team->pool->parts[size - 1] : NULL;
}

guint
ns_team_size (const NsTeam *team)
{
  return team != NULL ? team->size : 1;
}

void
ns_team_run (NsTeam *team, guint n_items, NsTeamFunc func, gpointer data)
{
  Loop loop = { .func = func, .data = data, .n_items = n_items, .max_threads = ns_team_size (team), .n_threads = 1,
                .left = PTHREAD_COND_INITIALIZER };
  Pool *pool;

  if (loop.max_threads == 1 || n_items <= 1)
    {
      for (guint item = 0; item < n_items; item++)
        func (data, item, 0);
      return;
    }
  pool = team->pool;
  loop.link.data = &loop;
  pthread_mutex_lock (&pool->lock);
  g_queue_push_tail_link (&pool->loops, &loop.link);
  for (guint i = 1; i < MIN (n_items, loop.max_threads); i++)
    pthread_cond_signal (&pool->start);
  pthread_mutex_unlock (&pool->lock);

  take_items (&loop, 0);

  pthread_mutex_lock (&pool->lock);
  g_queue_unlink (&pool->loops, &loop.link);
  while (loop.n_helpers > 0)
    pthread_cond_wait (&loop.left, &pool->lock);
  pthread_mutex_unlock (&pool->lock);
  pthread_cond_destroy (&loop.left);
}
