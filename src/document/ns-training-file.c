/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   magic, length of the experiment, elapsed time, the experiment as JSON, what ns_training_save() writes, checksum of
 *   all before it
 *
 * The checksum is compared before anything else is read: a damaged file takes no more memory than a buffer.
 */
#include "document/ns-training-file.h"

#include "document/ns-experiment-json.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/ops/ns-checksum.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#define MAGIC "Normscope checkpoint 3\n"
/* of every version */
#define MAGIC_START "Normscope checkpoint "
#define MAX_ELAPSED_MS 1e15

typedef struct
{
  char magic[24];
  guint64 length; /* of the experiment, in bytes */
  double elapsed_ms;
  guint64 threads;
} Header;

/* ---- writing ---- */

typedef struct
{
  NsFileWriter *writer;
  NsChecksum checksum;
} Output;

static gboolean
put (gpointer user_data, gconstpointer bytes, gsize n, GError **error)
{
  Output *output = user_data;

  ns_checksum_add (&output->checksum, bytes, n);
  return ns_file_put (output->writer, bytes, n, error);
}

static gboolean
fill (NsFileWriter *writer, gpointer user_data, GError **error)
{
  NsTraining *training = user_data;
  g_autoptr (GBytes) json = ns_experiment_to_bytes (ns_training_get_experiment (training));
  Output output = { .writer = writer };
  Header header;
  gconstpointer text;
  guint64 sum;
  gsize length;

  if (!ns_file_check_contents (json, error))
    return FALSE;
  text = g_bytes_get_data (json, &length);
  memset (&header, 0, sizeof header);
  memcpy (header.magic, MAGIC, sizeof MAGIC);
  header.length = length;
  header.elapsed_ms = ns_training_get_elapsed_ms (training);
  header.threads = ns_training_get_threads (training);
  if (!put (&output, &header, sizeof header, error) || !put (&output, text, length, error)
      || !ns_training_save (training, put, &output, error))
    return FALSE;
  sum = ns_checksum_get (&output.checksum);
  return ns_file_put (writer, &sum, sizeof sum, error);
}

gboolean
ns_training_write_file (NsTraining *training, const char *path, GError **error)
{
  return ns_file_write_by (path, fill, training, error);
}

gboolean
ns_training_reserve_file (const char *path, NsSibling *lock, GError **error)
{
  g_autofree char *target = ns_file_dup_target (path);
  g_autofree char *shown = ns_text_dup_short (path, NS_TEXT_MAX_PATH);

  if (ns_sibling_reserve (target, lock))
    return TRUE;
  if (errno == EWOULDBLOCK)
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", shown,
                 _ ("another process is writing the checkpoint"));
  else
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT, _ ("%s cannot be written: %s"), shown,
                 g_strerror (errno));
  return FALSE;
}

/* ---- reading ---- */

typedef struct
{
  GInputStream *stream;
  const char *name;
  guint64 left; /* bytes before the checksum */
} Input;

static gboolean
fail_checkpoint (const char *message, GError **error)
{
  g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CHECKPOINT, message);
  return FALSE;
}

static gboolean
get (gpointer user_data, gpointer bytes, gsize n, GError **error)
{
  Input *input = user_data;
  gsize done = 0;

  if (n > input->left)
    return fail_checkpoint (_ ("The checkpoint ends too early"), error);
  if (!g_input_stream_read_all (input->stream, bytes, n, &done, NULL, error))
    return FALSE;
  input->left -= done;
  return done == n || fail_checkpoint (_ ("The checkpoint ends too early"), error);
}

static gboolean
seek (GInputStream *stream, GSeekType type, GError **error)
{
  return g_seekable_seek (G_SEEKABLE (stream), 0, type, NULL, error);
}

/* Find the size of the stream and go to its start. */
static gboolean
begin (Input *input, GError **error)
{
  goffset size;

  if (!seek (input->stream, G_SEEK_END, error))
    return FALSE;
  size = g_seekable_tell (G_SEEKABLE (input->stream));
  if (size < (goffset) (sizeof (Header) + sizeof (guint64)))
    return fail_checkpoint (_ ("This is no checkpoint of a training"), error);
  input->left = (guint64) size - sizeof (guint64);
  return seek (input->stream, G_SEEK_SET, error);
}

static gboolean
check_magic (const char *bytes, GError **error)
{
  if (memcmp (bytes, MAGIC, sizeof MAGIC) == 0)
    return TRUE;
  if (memcmp (bytes, MAGIC_START, strlen (MAGIC_START)) == 0)
    return fail_checkpoint (_ ("The checkpoint is of another version of the program"), error);
  return fail_checkpoint (_ ("This is no checkpoint of a training"), error);
}

/* Read everything once and compare the checksum. */
static gboolean
check (Input *input, GError **error)
{
  NsChecksum checksum = { 0 };
  guint64 wanted;
  char buffer[16 * 1024];

  while (input->left > 0)
    {
      gsize n = MIN (input->left, sizeof buffer);

      if (!get (input, buffer, n, error))
        return FALSE;
      if (checksum.n_bytes == 0 && !check_magic (buffer, error))
        return FALSE;
      ns_checksum_add (&checksum, buffer, n);
    }
  input->left = sizeof wanted;
  if (!get (input, &wanted, sizeof wanted, error))
    return FALSE;
  return wanted == ns_checksum_get (&checksum) || fail_checkpoint (_ ("The checkpoint is damaged"), error);
}

static NsExperiment *
read_trained_experiment (Input *input, Header *header, GError **error)
{
  g_autoptr (GBytes) json = NULL;
  g_autofree char *text = NULL;

  if (!get (input, header, sizeof *header, error)
      || !ns_file_check_size (input->name, header->length, NS_FILE_EXPERIMENT, error))
    return NULL;
  if (header->length == 0 || header->length > input->left || !(header->elapsed_ms >= 0)
      || header->elapsed_ms > MAX_ELAPSED_MS || header->threads > G_MAXINT)
    {
      fail_checkpoint (_ ("The checkpoint is damaged"), error);
      return NULL;
    }
  text = g_malloc (header->length);
  if (!get (input, text, header->length, error))
    return NULL;
  json = g_bytes_new (text, header->length);
  return ns_experiment_from_bytes (json, input->name, error);
}

static NsTraining *
read_training (Input *input, GError **error)
{
  NsExperiment *experiment;
  NsTraining *training;
  Header header;

  if (!begin (input, error) || !check (input, error) || !begin (input, error))
    return NULL;
  experiment = read_trained_experiment (input, &header, error);
  if (experiment == NULL)
    return NULL;
  training = ns_training_load (experiment, input->left, get, input, error);
  ns_experiment_free (experiment);
  if (training != NULL)
    ns_training_set_elapsed (training, header.elapsed_ms, (guint) header.threads);
  return training;
}

/* Return TRUE if the error is of the input and does not name it yet. */
static gboolean
lacks_name (const GError *error)
{
  return error->domain == G_IO_ERROR || error->domain == NS_EXPERIMENT_ERROR
         || g_error_matches (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CHECKPOINT);
}

NsTraining *
ns_training_read_stream (GInputStream *stream, const char *name, GError **error)
{
  g_autofree char *shown = ns_text_dup_short (name, NS_TEXT_MAX_PATH);
  Input input = { .stream = stream, .name = name };
  GError *cause = NULL;
  NsTraining *training = read_training (&input, &cause);

  if (training != NULL)
    return training;
  if (lacks_name (cause))
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", shown, cause->message);
      g_error_free (cause);
    }
  else
    g_propagate_error (error, cause);
  return NULL;
}

NsTraining *
ns_training_read_file (const char *path, GError **error)
{
  g_autofree char *shown = ns_text_dup_short (path, NS_TEXT_MAX_PATH);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = NULL;
  const char *obstacle = ns_file_find_obstacle (path);
  g_autoptr (GError) cause = NULL;

  if (obstacle == NULL)
    {
      stream = g_file_read (file, NULL, &cause);
      obstacle = cause != NULL ? cause->message : NULL;
    }
  if (obstacle == NULL)
    return ns_training_read_stream (G_INPUT_STREAM (stream), path, error);
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", shown, obstacle);
  return NULL;
}
