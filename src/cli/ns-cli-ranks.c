/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-ranks.h"

#include "cli/ns-cli.h"
#include "cli/ns-mpi.h"
#include "config.h"

#include <dlfcn.h>
#include <glib/gi18n.h>
#include <pthread.h>
#include <string.h>

/* Pause of a rank that has nothing to do: a call that waits would take a core. */
#define PAUSE_US 1000
/* Time in which rank 0 ends the others after an error. */
#define PATIENCE_US (30 * G_USEC_PER_SEC)

/* An item is long if waiting for it would be less than a hundredth of its time. */
#define LONG_US (100 * PAUSE_US)

/* Time between two signs of life, and after which a rank without them is told. */
#define ALIVE_US (5 * G_USEC_PER_SEC)
#define SILENT_US (30 * G_USEC_PER_SEC)

/* The first word of a message to rank 0: the item whose numbers follow, or one of these. After ASK come the first item
 * and the end of the range from which the rank wants one. The answer is an item, or ASK if none is left. ALIVE has no
 * other meaning: an item can take hours. */
#define ASK G_MAXUINT64
#define LEAVE (G_MAXUINT64 - 1)
#define FAIL (G_MAXUINT64 - 2)
#define ALIVE (G_MAXUINT64 - 3)

static const NsMpi *mpi; /* NULL before MPI begins and after its end */
static pthread_mutex_t mpi_lock = PTHREAD_MUTEX_INITIALIZER; /* held in each call */
static int n_running_ranks;
static gboolean has_left; /* this rank has sent its last message; guarded by mpi_lock */

/* ---- the environment ---- */

static gboolean
get_number (const char *name, guint *number)
{
  const char *text = g_getenv (name);
  guint64 value;

  if (text == NULL || !g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT, &value, NULL))
    return FALSE;
  *number = (guint) value;
  return TRUE;
}

/* Find how the process was started. Return FALSE if srun has started several without MPI. */
static gboolean
look (guint *n, guint *own)
{
  *n = 1;
  *own = 0;
  if (get_number ("OMPI_COMM_WORLD_SIZE", n))
    return !get_number ("OMPI_COMM_WORLD_RANK", own) || TRUE;
  if (get_number ("PMI_SIZE", n))
    return !get_number ("PMI_RANK", own) || TRUE;
  if (!get_number ("SLURM_STEP_NUM_TASKS", n) || !get_number ("SLURM_PROCID", own))
    *n = 1;
  return *n <= 1 || g_getenv ("PMIX_RANK") != NULL;
}

guint
ns_cli_ranks_get_n (void)
{
  guint n, own;

  look (&n, &own);
  return MAX (n, 1);
}

guint
ns_cli_ranks_get_own (void)
{
  guint n, own;

  look (&n, &own);
  return n > 1 ? own : 0;
}

gboolean
ns_cli_ranks_check (const char *command, gboolean shares, GError **error)
{
  guint n, own;
  gboolean has_mpi = look (&n, &own);

  if (n <= 1)
    return TRUE;
  if (!has_mpi)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("srun has started %u processes without MPI, and each would do the same; allowed: srun --mpi=pmix, "
                    "mpirun, or one process"),
                 n);
  else if (!shares)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("%s does not share its work, and each of the %u processes would do the same; allowed under mpirun: "
                    "scaling, train --map, run"),
                 command, n);
#ifndef HAVE_MPI
  else
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("mpirun has started %u processes, and this build has no MPI: each would do the same; allowed: one "
                    "process, --shard, or a build with meson setup -Dmpi=enabled"),
                 n);
  return FALSE;
#else
  return has_mpi && shares;
#endif
}

/* ---- MPI ---- */

static char *
find_module (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);

  if (self != NULL)
    {
      g_autofree char *folder = g_path_get_dirname (self);
      g_autofree char *sibling = g_build_filename (folder, NS_MPI_MODULE, NULL);

      if (g_file_test (sibling, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&sibling);
    }
  return g_build_filename (LIBEXECDIR, NS_MPI_MODULE, NULL);
}

gboolean
ns_cli_ranks_begin (guint64 checksum, GError **error)
{
  g_autofree char *path = find_module ();
  /* Open MPI's plug-ins use the symbols of its library. */
  void *module = dlopen (path, RTLD_NOW | RTLD_GLOBAL);
  const NsMpi *found = module != NULL ? dlsym (module, NS_MPI_SYMBOL) : NULL;
  guint64 of_first = checksum;
  int own;

  if (found == NULL)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_SYSTEM, _ ("MPI cannot be loaded: %s"), dlerror ());
      return FALSE;
    }
  mpi = found;
  if (!mpi->begin (&own, &n_running_ranks))
    g_set_error_literal (error, NS_CLI_ERROR, NS_CLI_ERROR_SYSTEM, _ ("MPI does not allow calls of several threads"));
  else if ((guint) n_running_ranks != ns_cli_ranks_get_n () || (guint) own != ns_cli_ranks_get_own ())
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_SYSTEM,
                 _ ("%u processes were started, and MPI has %d; allowed: the mpirun of the MPI that the program was "
                    "built with"),
                 ns_cli_ranks_get_n (), n_running_ranks);
  else
    {
      mpi->broadcast (&of_first, sizeof of_first);
      if (of_first == checksum)
        return TRUE;
      g_set_error_literal (error, NS_CLI_ERROR, NS_CLI_ERROR_SYSTEM,
                           _ ("the input, the program or the BLAS kernels are not those of rank 0; the environment "
                              "variable OPENBLAS_CORETYPE chooses the kernels"));
    }
  return FALSE;
}


void
ns_cli_ranks_leave (int status)
{
  if (mpi != NULL)
    mpi->abort (status);
}

/* Take a message if there is one; caller frees. */
static guint64 *
try_receive (int *rank, gsize *n_words)
{
  guint64 *words = NULL;
  int n;

  pthread_mutex_lock (&mpi_lock);
  if (mpi->probe (rank, &n))
    {
      words = g_malloc0 ((gsize) n + 1);
      mpi->receive (*rank, words, n);
      *n_words = (gsize) n / sizeof *words;
    }
  pthread_mutex_unlock (&mpi_lock);
  return words;
}

static void
send_words (int rank, const guint64 *words, gsize n)
{
  pthread_mutex_lock (&mpi_lock);
  mpi->send (rank, words, (int) (n * sizeof *words));
  pthread_mutex_unlock (&mpi_lock);
}

/* Wait for a message of rank 0 without taking a core, as the end of MPI would. */
static void
wait_for_end (void)
{
  guint64 *word;
  gsize n;
  int rank;

  while ((word = try_receive (&rank, &n)) == NULL)
    g_usleep (PAUSE_US);
  g_free (word);
}

void
ns_cli_ranks_end (void)
{
  static const guint64 word = LEAVE;

  if (mpi == NULL)
    return;
  if (ns_cli_ranks_get_own () > 0)
    wait_for_end ();
  else
    for (int rank = 1; rank < n_running_ranks; rank++)
      send_words (rank, &word, 1);
  mpi->end ();
  mpi = NULL;
}

/* ---- rank 0 ---- */

/* Name the ranks that have sent nothing for a while, once each time. `heard` [ranks] has the times of their last
 * messages; 0: none is expected. */
static void
tell_silent_ranks (gint64 *heard)
{
  gint64 now = g_get_monotonic_time ();

  for (int rank = 1; rank < n_running_ranks; rank++)
    if (heard[rank] != 0 && now - heard[rank] > SILENT_US)
      {
        ns_cli_warn (_ ("rank %d of %d has sent nothing for %d seconds: it may have been stopped, or its machine does "
                        "not answer; the run waits for it"),
                     rank, n_running_ranks, (int) (SILENT_US / G_USEC_PER_SEC));
        heard[rank] = 0;
      }
}

void
ns_cli_ranks_serve (const NsCliServer *server, NsProgress *progress)
{
  int left = n_running_ranks - 1;
  g_autofree gint64 *heard = g_new (gint64, (gsize) n_running_ranks);
  gboolean ok = TRUE;

  for (int rank = 0; rank < n_running_ranks; rank++)
    heard[rank] = g_get_monotonic_time ();

  while (left > 0 && ok && !ns_progress_is_cancelled (progress))
    {
      int rank;
      gsize n;
      g_autofree guint64 *words = try_receive (&rank, &n);

      if (words == NULL)
        {
          tell_silent_ranks (heard);
          g_usleep (PAUSE_US);
          continue;
        }
      heard[rank] = words[0] != LEAVE ? g_get_monotonic_time () : 0;
      if (words[0] == ALIVE)
        continue;
      if (words[0] == LEAVE)
        left--;
      else if (words[0] == ASK)
        {
          guint item = server->next (server->user_data, (guint) rank, (guint) words[1], (guint) words[2]);
          guint64 answer = item == NS_NO_ITEM ? ASK : item;

          send_words (rank, &answer, 1);
        }
      else if (words[0] == FAIL)
        {
          g_autofree char *message = g_strdup_printf (_ ("rank %d: %s"), rank, (const char *) (words + 1));

          server->fail (server->user_data, message);
          ok = FALSE;
        }
      else
        ok = server->accept (server->user_data, (guint) words[0], words + 1, n - 1);
    }
}

/* ---- the other ranks ---- */

typedef struct
{
  NsItems *items;
  NsProgress *progress;
  guint n_threads;      /* that compute */
  pthread_mutex_t lock; /* guards the rest */
  GQueue held;          /* items to compute */
  guint n_asked;        /* not answered yet */
  guint over_end;       /* there are no more before this item */
  gint64 started;       /* when the last item was taken */
  gboolean is_short;    /* the threads took an item each within LONG_US */
} Worker;

/* Take an answer if there is one. Call with the lock held. */
static gboolean
take_answer (Worker *worker, guint end)
{
  int rank;
  gsize n;
  g_autofree guint64 *words = try_receive (&rank, &n);

  if (words == NULL)
    return FALSE;
  worker->n_asked--;
  if (words[0] == ASK)
    worker->over_end = end;
  else
    g_queue_push_tail (&worker->held, GUINT_TO_POINTER (words[0]));
  return TRUE;
}

/* Ask until as many items of the range are held or asked for. Call with the lock held. */
static void
ask (Worker *worker, guint n, guint first, guint end)
{
  const guint64 words[] = { ASK, first, end };

  for (; worker->over_end < end && worker->held.length + worker->n_asked < n; worker->n_asked++)
    send_words (0, words, G_N_ELEMENTS (words));
}

/* Note the time between two items. Call with the lock held. */
static void
note_time (Worker *worker)
{
  gint64 now = g_get_monotonic_time ();

  worker->is_short = worker->started > 0 && (now - worker->started) * worker->n_threads < LONG_US;
  worker->started = now;
}

/* All threads compute the same range, and take what was asked for in it before they go on to the next one. */
static guint
take_for_rank (gpointer user_data, guint first, guint end)
{
  Worker *worker = user_data;
  guint item = NS_NO_ITEM;

  pthread_mutex_lock (&worker->lock);
  while (worker->held.length == 0 && !ns_progress_is_cancelled (worker->progress))
    {
      ask (worker, 1, first, end);
      if (take_answer (worker, end))
        continue;
      if (worker->over_end >= end && worker->n_asked == 0)
        break;
      pthread_mutex_unlock (&worker->lock);
      g_usleep (PAUSE_US);
      pthread_mutex_lock (&worker->lock);
    }
  if (worker->held.length > 0)
    {
      item = GPOINTER_TO_UINT (g_queue_pop_head (&worker->held));
      note_time (worker);
      if (worker->is_short)
        ask (worker, worker->n_threads, first, end);
    }
  pthread_mutex_unlock (&worker->lock);
  return item;
}

static gboolean
finish_for_rank (gpointer user_data, guint item)
{
  Worker *worker = user_data;
  gsize n = ns_items_get_length (worker->items, item);
  g_autofree guint64 *words = g_new (guint64, n + 1);

  words[0] = item;
  ns_items_get (worker->items, item, words + 1);
  send_words (0, words, n + 1);
  return TRUE;
}

void
ns_cli_ranks_tell_alive (void)
{
  static const guint64 word = ALIVE;
  static gint64 told; /* time */
  gint64 now = g_get_monotonic_time ();

  if (mpi == NULL || now - told < ALIVE_US)
    return;
  told = now;
  pthread_mutex_lock (&mpi_lock);
  if (!has_left)
    mpi->send (0, &word, sizeof word);
  pthread_mutex_unlock (&mpi_lock);
}

/* Send the last message. */
static void
leave_with (const guint64 *words, gsize n)
{
  pthread_mutex_lock (&mpi_lock);
  mpi->send (0, words, (int) (n * sizeof *words));
  has_left = TRUE;
  pthread_mutex_unlock (&mpi_lock);
}

static void
send_failure (const char *message)
{
  g_autofree guint64 *words = NULL;
  gsize n = strlen (message) / sizeof *words + 2;

  words = g_new0 (guint64, n);
  words[0] = FAIL;
  memcpy (words + 1, message, strlen (message));
  leave_with (words, n);
}

gboolean
ns_cli_ranks_work (NsEngine *engine, NsItems *items, NsProgress *progress, GError **error)
{
  Worker worker = { .items = items, .progress = progress, .held = G_QUEUE_INIT,
                    .n_threads = ns_engine_get_threads (engine) };
  const NsItemsFlow flow = { take_for_rank, finish_for_rank, &worker };
  g_autoptr (GError) cause = NULL;
  gboolean ok;

  pthread_mutex_init (&worker.lock, NULL);
  ok = ns_engine_run_items (engine, items, &flow, progress, &cause);
  if (ok)
    {
      static const guint64 word = LEAVE;

      leave_with (&word, 1);
    }
  else if (!ns_progress_is_cancelled (progress))
    {
      send_failure (cause->message);
      g_usleep (PATIENCE_US);
    }
  if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  g_queue_clear (&worker.held);
  pthread_mutex_destroy (&worker.lock);
  return ok;
}
