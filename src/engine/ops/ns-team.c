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

struct _NsTeam
{
  guint size;
  pthread_t *threads; /* size - 1 */
  pthread_mutex_t lock;
  pthread_cond_t start, finished;
  /* guarded by lock: */
  guint64 round;  /* grows by one with each loop */
  guint idle;     /* helpers that have finished the round */
  gboolean gives_way;
  gboolean quit;
  /* written before a round starts, read by all threads during it: */
  NsTeamFunc func;
  gpointer data;
  guint n_items;
  atomic_uint next; /* the next item to take */
};

typedef struct
{
  NsTeam *team;
  guint index;
} Helper;

static void
take_items (NsTeam *team, guint thread)
{
  guint item;

  while ((item = atomic_fetch_add_explicit (&team->next, 1, memory_order_relaxed)) < team->n_items)
    team->func (team->data, item, thread);
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
  pthread_mutex_lock (&team->lock);
  team->gives_way = TRUE;
  pthread_mutex_unlock (&team->lock);
}

static void *
helper_main (void *data)
{
  Helper helper = *(Helper *) data;
  NsTeam *team = helper.team;
  guint64 seen = 0;
  gboolean gives_way = FALSE;

  g_free (data);
  pthread_mutex_lock (&team->lock);
  for (;;)
    {
      while (team->round == seen && !team->quit)
        pthread_cond_wait (&team->start, &team->lock);
      if (team->quit)
        break;
      seen = team->round;
      if (team->gives_way && !gives_way)
        ns_thread_give_way ();
      gives_way = team->gives_way;
      pthread_mutex_unlock (&team->lock);
      take_items (team, helper.index);
      pthread_mutex_lock (&team->lock);
      if (++team->idle == team->size - 1)
        pthread_cond_signal (&team->finished);
    }
  pthread_mutex_unlock (&team->lock);
  return NULL;
}

NsTeam *
ns_team_new (guint n_threads)
{
  NsTeam *team = g_new0 (NsTeam, 1);

  g_return_val_if_fail (n_threads >= 1, NULL);
  team->threads = g_new0 (pthread_t, n_threads);
  pthread_mutex_init (&team->lock, NULL);
  pthread_cond_init (&team->start, NULL);
  pthread_cond_init (&team->finished, NULL);
  pthread_mutex_lock (&team->lock);
  for (team->size = 1; team->size < n_threads; team->size++)
    {
      Helper *helper = g_new (Helper, 1);

      *helper = (Helper){ team, team->size };
      if (pthread_create (&team->threads[team->size - 1], NULL, helper_main, helper) != 0)
        {
          g_free (helper);
          break; /* a smaller team gives the same results */
        }
    }
  pthread_mutex_unlock (&team->lock);
  return team;
}

void
ns_team_free (NsTeam *team)
{
  if (team == NULL)
    return;
  pthread_mutex_lock (&team->lock);
  team->quit = TRUE;
  pthread_cond_broadcast (&team->start);
  pthread_mutex_unlock (&team->lock);
  for (guint i = 0; i + 1 < team->size; i++)
    pthread_join (team->threads[i], NULL);
  pthread_cond_destroy (&team->start);
  pthread_cond_destroy (&team->finished);
  pthread_mutex_destroy (&team->lock);
  g_free (team->threads);
  g_free (team);
}

guint
ns_team_size (const NsTeam *team)
{
  return team != NULL ? team->size : 1;
}

void
ns_team_run (NsTeam *team, guint n_items, NsTeamFunc func, gpointer data)
{
  if (ns_team_size (team) == 1 || n_items <= 1)
    {
      for (guint item = 0; item < n_items; item++)
        func (data, item, 0);
      return;
    }
  pthread_mutex_lock (&team->lock);
  team->func = func;
  team->data = data;
  team->n_items = n_items;
  team->idle = 0;
  atomic_store_explicit (&team->next, 0, memory_order_relaxed);
  team->round++;
  pthread_cond_broadcast (&team->start);
  pthread_mutex_unlock (&team->lock);

  take_items (team, 0);

  pthread_mutex_lock (&team->lock);
  while (team->idle < team->size - 1)
    pthread_cond_wait (&team->finished, &team->lock);
  pthread_mutex_unlock (&team->lock);
}
