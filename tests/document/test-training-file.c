/* Test checkpoints of a training: the same bits after reading one, after kill −9 at any moment, and errors.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-training-file.h"

#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"
#include "engine/ops/ns-checksum.h"
#include "tests.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS 60
/* Offsets in a file, and in the head of its training */
#define AT_ELAPSED 32
#define AT_THREADS 40
#define AT_N_SEEDS 48
#define AT_N_FIRST 72

#define CHILD "/training-file/subprocess/child"
#define CHILD_FILE "NORMSCOPE_TEST_TRAINING" /* environment variable */

static NsExperiment *
make_experiment (void)
{
  NsExperiment *e = ns_experiment_new ();

  g_ptr_array_set_size (e->variants, 0);
  g_ptr_array_add (e->variants, ns_variant_from_text ("pre:bias=on", NULL));
  g_ptr_array_add (e->variants, ns_variant_from_text ("post:warmup=10,optimizer=sgd,learning_rate=0.1", NULL));
  e->shape = (NsShape){ .depth = 2, .d_model = 16, .heads = 2, .d_ff = 24, .seq_len = 6, .batch = 2, .vocab = 12 };
  e->data.source = NS_SOURCE_TOKENS;
  e->training.steps = STEPS;
  return e;
}

static NsTraining *
new_training (void)
{
  const NsTrainingPlan plan = { .n_first = 5, .n_later = 4, .keep_weights = TRUE };
  NsExperiment *e = make_experiment ();
  g_autoptr (GError) error = NULL;
  NsTraining *training = ns_training_new (e, &plan, 0, 2, &error);

  g_assert_no_error (error);
  ns_experiment_free (e);
  return training;
}

static void
finish_some (NsTraining *training, guint n_threads, gint64 n_steps)
{
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, 0);
  g_autoptr (GError) error = NULL;

  ns_engine_train_until (engine, training, G_MAXUINT, n_steps, NULL, &error);
  g_assert_no_error (error);
}

static void
finish (NsTraining *training)
{
  finish_some (training, 2, STEPS);
}

static gboolean
append (gpointer user_data, gconstpointer bytes, gsize n, GError **error)
{
  g_byte_array_append (user_data, bytes, (guint) n);
  return TRUE;
}

/* All that there is of a training. */
static GByteArray *
get_bytes (NsTraining *training)
{
  GByteArray *bytes = g_byte_array_new ();

  g_assert_true (ns_training_save (training, append, bytes, NULL));
  return bytes;
}

static void
assert_same (NsTraining *a, NsTraining *b)
{
  g_autoptr (GByteArray) x = get_bytes (a), y = get_bytes (b);

  g_assert_cmpmem (x->data, x->len, y->data, y->len);
}

typedef struct
{
  NsProgress *progress;
  guint64 blocks;
} Watcher;

static gpointer
cancel_at (gpointer data)
{
  Watcher *watcher = data;
  guint64 done = 0, total = 1;

  while (done < watcher->blocks && done < total)
    {
      ns_progress_get (watcher->progress, &done, &total);
      total = MAX (total, 1);
      g_thread_yield ();
    }
  ns_progress_cancel (watcher->progress);
  return NULL;
}

/* Train until about so many blocks have been passed. */
static void
train_some (NsTraining *training, guint64 blocks)
{
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  Watcher watcher = { progress, blocks };
  GThread *thread = g_thread_new ("cancel", cancel_at, &watcher);

  ns_engine_train (engine, training, progress, NULL);
  g_thread_join (thread);
}

static void
test_round_trip (void)
{
  g_autofree char *folder = g_dir_make_tmp ("normscope-training-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "run.training", NULL);
  g_autoptr (NsTraining) whole = new_training ();

  finish (whole);
  for (guint64 blocks = 0; blocks <= 960; blocks += 80)
    {
      g_autoptr (NsTraining) part = new_training (), read = NULL;
      g_autoptr (GError) error = NULL;

      if (blocks > 0)
        train_some (part, blocks);
      ns_training_write_file (part, path, &error);
      g_assert_no_error (error);
      read = ns_training_read_file (path, &error);
      g_assert_no_error (error);
      assert_same (part, read);
      finish (read);
      assert_same (whole, read);
    }
  g_unlink (path);
  g_rmdir (folder);
}

/* ---- kill −9 ---- */

typedef struct
{
  NsTraining *training;
  const char *path;
  atomic_bool ended;
} Saver;

static gpointer
save (gpointer data)
{
  Saver *saver = data;

  while (!saver->ended)
    g_assert_true (ns_training_write_file (saver->training, saver->path, NULL));
  return NULL;
}

/* The process that is killed: go on from the file if there is one, and write it all the time. */
static void
run_child (void)
{
  const char *path = g_getenv (CHILD_FILE);
  g_autoptr (NsTraining) training = g_file_test (path, G_FILE_TEST_EXISTS) ? ns_training_read_file (path, NULL)
                                                                          : new_training ();
  Saver saver = { .training = training, .path = path };
  GThread *thread;

  g_assert_nonnull (training);
  thread = g_thread_new ("save", save, &saver);
  finish (training);
  saver.ended = TRUE;
  g_thread_join (thread);
  g_assert_true (ns_training_write_file (training, path, NULL));
}

static ino_t
get_inode (const char *path)
{
  GStatBuf info;

  return g_stat (path, &info) == 0 ? info.st_ino : 0;
}

/* Start the child, and kill it after it has replaced the file `changes` times, a little later each time. */
static void
run_and_kill (const char *path, guint changes)
{
  const char *program = g_test_get_filename (G_TEST_BUILT, "test-document", NULL);
  ino_t inode = get_inode (path);
  gulong wait = 137 * changes; /* µs */
  pid_t pid = fork ();
  int status;

  g_assert_cmpint (pid, >=, 0);
  if (pid == 0)
    {
      dup2 (open ("/dev/null", O_WRONLY), STDOUT_FILENO); /* its results are not those of this program */
      execl (program, program, "-p", CHILD, NULL);
      _exit (5);
    }
  while (changes > 0 && waitpid (pid, &status, WNOHANG) == 0)
    {
      ino_t now = get_inode (path);

      changes -= now != inode && now != 0 ? 1 : 0;
      inode = now;
    }
  if (changes > 0)
    return; /* it has ended */
  g_usleep (wait);
  kill (pid, SIGKILL);
  waitpid (pid, &status, 0);
}

static void
test_kill (void)
{
  g_autofree char *folder = g_dir_make_tmp ("normscope-training-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "run.training", NULL);
  g_autoptr (NsTraining) whole = new_training (), read = NULL;
  g_autoptr (GError) error = NULL;
  double elapsed = 0;

  finish (whole);
  g_setenv (CHILD_FILE, path, TRUE);
  for (guint i = 1; i <= 8; i++)
    {
      g_autoptr (NsTraining) left = NULL;

      run_and_kill (path, i);
      left = ns_training_read_file (path, &error); /* whole at any moment */
      g_assert_no_error (error);
      g_assert_cmpfloat (ns_training_get_elapsed_ms (left), >=, elapsed); /* also what the killed one took */
      elapsed = ns_training_get_elapsed_ms (left);
    }
  read = ns_training_read_file (path, &error);
  g_assert_no_error (error);
  finish (read);
  g_assert_cmpfloat (ns_training_get_elapsed_ms (read), >=, elapsed);
  g_assert_cmpfloat (ns_training_get_elapsed_ms (read), >, 0);
  assert_same (whole, read);
  ns_file_remove_tree (folder);
}

/* ---- errors ---- */

static void
assert_refused_for (const char *path, gconstpointer bytes, gsize n, const char *cause)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsTraining) training = NULL;

  g_assert_true (g_file_set_contents (path, bytes, (gssize) n, NULL));
  training = ns_training_read_file (path, &error);
  g_assert_null (training);
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, path));
  if (strstr (error->message, cause) == NULL)
    g_error ("%s", error->message);
}

static void
assert_refused (const char *path, gconstpointer bytes, gsize n)
{
  assert_refused_for (path, bytes, n, "");
}

/* A file that is cut off or changed anywhere is refused as a whole. */
static void
test_damaged (void)
{
  g_autofree char *folder = g_dir_make_tmp ("normscope-training-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "run.training", NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (NsTraining) training = new_training (), none = NULL;
  g_autoptr (GError) error = NULL;
  gsize n;

  none = ns_training_read_file (path, &error);
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  train_some (training, 100);
  g_assert_true (ns_training_write_file (training, path, NULL));
  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  for (gsize i = 0; i < n; i += 1 + n / 37)
    assert_refused (path, bytes, i);
  assert_refused (path, bytes, n - 1);
  for (gsize i = 3; i < n; i += 1 + n / 61)
    {
      bytes[i] ^= 0x55;
      assert_refused (path, bytes, n);
      bytes[i] ^= 0x55;
    }
  g_unlink (path);
  g_rmdir (folder);
}

/* Return where a text is in the bytes. */
static gsize
find (const char *bytes, gsize n, const char *text)
{
  gsize length = strlen (text);

  for (gsize i = 0; i + length <= n; i++)
    if (memcmp (bytes + i, text, length) == 0)
      return i;
  g_assert_not_reached ();
}

/* The checksum is of everything: another learning rate in the experiment is no other experiment, but damage. */
static void
test_experiment_changed (void)
{
  g_autofree char *folder = g_dir_make_tmp ("normscope-training-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "run.training", NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (NsTraining) training = new_training ();
  gsize n, at;

  train_some (training, 100);
  g_assert_true (ns_training_write_file (training, path, NULL));
  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  at = find (bytes, n, "\"learning_rate\": 0.1") + strlen ("\"learning_rate\": 0.");
  g_assert_cmpint (bytes[at], ==, '1');
  bytes[at] = '2';
  assert_refused (path, bytes, n);
  bytes[at] = '1';
  bytes = g_realloc (bytes, n + 1); /* more than there should be */
  bytes[n] = 0;
  assert_refused (path, bytes, n + 1);
  g_unlink (path);
  g_rmdir (folder);
}

/* Let the last bytes be the checksum of the others. */
static void
repair (char *bytes, gsize n)
{
  NsChecksum checksum = { 0 };
  guint64 sum;

  ns_checksum_add (&checksum, bytes, n - sizeof sum);
  sum = ns_checksum_get (&checksum);
  memcpy (bytes + n - sizeof sum, &sum, sizeof sum);
}

/* Set a number of the training's head, `offset` bytes after its magic, and the checksum that fits. */
static void
forge (char *bytes, gsize n, gsize offset, guint64 value)
{
  memcpy (bytes + find (bytes, n, "Normscope training") + offset, &value, sizeof value);
  repair (bytes, n);
}

/* A forged file with the right checksum gets no memory for runs that it does not have. */
static void
test_forged (void)
{
  g_autofree char *folder = g_dir_make_tmp ("normscope-training-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "run.training", NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (NsTraining) training = new_training (), read = NULL;
  gsize n;

  g_assert_true (ns_training_write_file (training, path, NULL));
  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  forge (bytes, n, AT_N_SEEDS, 1000000000);
  assert_refused_for (path, bytes, n, "damaged"); /* before its memory is counted */
  forge (bytes, n, AT_N_SEEDS, 3);
  assert_refused_for (path, bytes, n, "too short: the losses and records of its 60 training steps");
  forge (bytes, n, AT_N_SEEDS, 2);
  forge (bytes, n, AT_N_FIRST, G_MAXUINT64);
  assert_refused_for (path, bytes, n, "damaged");
  forge (bytes, n, AT_N_FIRST, 60);
  assert_refused_for (path, bytes, n, "too short");
  forge (bytes, n, AT_N_FIRST, 5); /* as it was */
  g_assert_true (g_file_set_contents (path, bytes, (gssize) n, NULL));
  read = ns_training_read_file (path, NULL);
  g_assert_nonnull (read);
  assert_same (training, read);
  g_unlink (path);
  g_rmdir (folder);
}

/* A small file of a training that has not begun gets no memory for the steps that it describes, and numbers to come are
 * zeros. */
static void
test_forged_steps (void)
{
  const NsTrainingPlan plan = { .n_first = 2, .n_later = 2 };
  g_autofree char *folder = g_dir_make_tmp ("normscope-training-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "run.training", NULL);
  g_autofree char *bytes = NULL, *whole = NULL;
  NsExperiment *e = make_experiment ();
  g_autoptr (NsTraining) training = NULL, read = NULL;
  g_autoptr (GError) error = NULL;
  gsize n, start;

  e->training.steps = 1000000;
  training = ns_training_new (e, &plan, 0, 2, &error);
  g_assert_no_error (error);
  g_assert_true (ns_training_write_file (training, path, NULL));
  read = ns_training_read_file (path, NULL);
  g_assert_nonnull (read);
  assert_same (training, read);
  g_assert_true (g_file_get_contents (path, &whole, &n, NULL));
  g_assert_cmpuint (n, >, 4 * sizeof (double) * 1000000);
  start = find (whole, n, "Normscope training");
  bytes = g_memdup2 (whole, n);
  for (gsize size = start + 2000; size < n; size += n / 5)
    {
      memcpy (bytes, whole, n);
      repair (bytes, size);
      assert_refused_for (path, bytes, size, "too short: the losses and records of its 1000000 training steps");
    }
  memcpy (bytes, whole, n);
  bytes[n / 2] = 1;
  repair (bytes, n);
  assert_refused_for (path, bytes, n, "damaged");
  ns_experiment_free (e);
  g_unlink (path);
  g_rmdir (folder);
}

/* A file has the time of all calls and the most threads; another version and a time that is none are refused. */
static void
test_elapsed (void)
{
  static const double wrong[] = { -1, NAN, INFINITY, 1e300 };
  g_autofree char *folder = g_dir_make_tmp ("normscope-training-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "run.training", NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (NsTraining) training = new_training (), read = NULL, end = NULL;
  double before;
  gsize n;

  finish_some (training, 4, 20);
  before = ns_training_get_elapsed_ms (training);
  g_assert_cmpfloat (before, >, 0);
  g_assert_true (ns_training_write_file (training, path, NULL));
  read = ns_training_read_file (path, NULL);
  g_assert_cmpfloat (ns_training_get_elapsed_ms (read), ==, before);
  g_assert_cmpuint (ns_training_get_threads (read), ==, 4);
  ns_training_set_elapsed (read, 1e6, 4); /* a long time, to which the rest is added */
  finish (read);
  g_assert_cmpfloat (ns_training_get_elapsed_ms (read), >, 1e6);
  g_assert_cmpfloat (ns_training_get_elapsed_ms (read), <, 2e6);
  g_assert_cmpuint (ns_training_get_threads (read), ==, 4);
  g_assert_true (ns_training_write_file (read, path, NULL));
  end = ns_training_read_file (path, NULL);
  finish (end); /* nothing is left to do */
  g_assert_cmpfloat (ns_training_get_elapsed_ms (end), ==, ns_training_get_elapsed_ms (read));
  g_assert_cmpuint (ns_training_get_threads (end), ==, 4);
  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      memcpy (bytes + AT_ELAPSED, &wrong[i], sizeof wrong[i]);
      repair (bytes, n);
      assert_refused_for (path, bytes, n, "damaged");
    }
  memcpy (bytes + AT_ELAPSED, &before, sizeof before);
  memset (bytes + AT_THREADS, 0xff, sizeof (guint64));
  repair (bytes, n);
  assert_refused_for (path, bytes, n, "damaged");
  bytes[strlen ("Normscope checkpoint ")] = '2';
  assert_refused_for (path, bytes, n, "another version");
  g_unlink (path);
  g_rmdir (folder);
}

void
add_training_file_tests (void)
{
  g_test_add_func ("/training-file/round-trip", test_round_trip);
  g_test_add_func ("/training-file/kill", test_kill);
  g_test_add_func ("/training-file/damaged", test_damaged);
  g_test_add_func ("/training-file/experiment-changed", test_experiment_changed);
  g_test_add_func ("/training-file/forged", test_forged);
  g_test_add_func ("/training-file/forged-steps", test_forged_steps);
  g_test_add_func ("/training-file/elapsed", test_elapsed);
  g_test_add_func (CHILD, run_child);
}
