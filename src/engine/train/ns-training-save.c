/* Write a training as bytes and read it back.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   header                       sizes, plan, seeds
 *   for each variant and seed:   its counts, losses, recorded numbers and update ratios; zeros in place of those of the
 *                                steps to come; unless it has none, its state
 *
 * A reader believes no count. It allocates the losses and records of the whole training, and the states that there are:
 * thanks to the zeros, the bytes have as much from the first step on, or they are refused before.
 */
#include "engine/experiment/ns-training-settings.h"
#include "engine/experiment/ns-validate.h"
#include "engine/train/ns-optimizer.h"
#include "engine/train/ns-training-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAGIC "Normscope training 3\n"

typedef struct
{
  char magic[24];
  guint64 real_size, n_quantities; /* of the program */
  guint64 n_variants, n_seeds, first_seed;
  gint64 n_steps;
  guint64 n_first, n_later, logarithmic, keep_weights, has_quantities;
  NsQuantitySet quantities;
} Header;

typedef struct
{
  gint64 n_steps, n_losses, n_records, finished, diverged_step, diverged_site;
  guint64 n_parameters, n_moments, size, trained, has_state; /* of the state */
} RunHeader;

/* Bytes on their way out or in. */
typedef struct
{
  NsTrainingWriteFunc write; /* or */
  NsTrainingReadFunc read;
  gpointer user_data;
  guint64 left; /* to read */
  GError **error;
} Stream;

static gboolean
fail (const Stream *stream, const char *message)
{
  g_set_error_literal (stream->error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CHECKPOINT, message);
  return FALSE;
}

static gboolean
fail_damaged (const Stream *stream)
{
  return fail (stream, _ ("The checkpoint is damaged"));
}

static gboolean
fail_other (const Stream *stream)
{
  return fail (stream, _ ("The checkpoint is of another experiment or another version of the program"));
}

/* Write the bytes, or fill them. */
static gboolean
pass_bytes (Stream *stream, gpointer bytes, gsize n)
{
  if (n == 0)
    return TRUE;
  if (stream->write != NULL)
    return stream->write (stream->user_data, bytes, n, stream->error);
  if (n > stream->left)
    return fail_damaged (stream);
  stream->left -= n;
  return stream->read (stream->user_data, bytes, n, stream->error);
}

/* ---- a run ---- */

static RunHeader
describe_run (const NsTraining *training, const NsRun *run)
{
  const NsParameters *p = &training->parameters[run->variant];
  NsTrainingSettings settings
    = ns_variant_get_training (training->experiment, ns_experiment_variant (training->experiment, run->variant));

  return (RunHeader){ .n_steps = run->n_steps, .n_losses = run->n_losses, .n_records = run->n_records,
                      .finished = run->finished, .diverged_step = run->diverged_step,
                      .diverged_site = run->diverged_site, .n_parameters = p->n,
                      .n_moments = ns_optimizer_count_moments ((NsOptimizer) settings.optimizer, settings.momentum),
                      .size = p->size, .trained = p->trained, .has_state = run->trainer != NULL };
}

/* Return the number of records of the first n_losses steps. */
static gint64
count_records_before (const NsTraining *training, gint64 n_losses)
{
  gint64 n = 0;

  while (n < training->n_records && training->records[n] < n_losses)
    n++;
  return n;
}

/* Return TRUE if the counts are possible. */
static gboolean
is_valid (const NsTraining *training, const NsRun *run, const RunHeader *h)
{
  gboolean diverged = h->diverged_step != -1;

  return h->n_steps >= 0 && h->n_steps <= training->n_steps && h->n_losses == h->n_steps + (diverged ? 1 : 0)
         && h->n_losses <= training->n_steps && h->n_records == count_records_before (training, h->n_losses)
         && (h->finished == 0 || h->finished == 1) && (h->has_state == 0 || h->has_state == 1)
         && h->finished == (diverged || h->n_steps == training->n_steps)
         && (!diverged || (h->diverged_step == h->n_steps && h->diverged_site >= 0
                           && h->diverged_site <= training->parameters[run->variant].head))
         && (h->has_state || h->finished || h->n_steps == 0);
}

/* The zeros in place of the numbers to come. */
static gboolean
pass_zeros (Stream *stream, guint64 n)
{
  static const char zeros[4096] = { 0 };
  char bytes[sizeof zeros] = { 0 };

  while (n > 0)
    {
      gsize piece = MIN (n, sizeof bytes);

      if (!pass_bytes (stream, bytes, piece))
        return FALSE;
      if (memcmp (bytes, zeros, piece) != 0)
        return fail_damaged (stream);
      n -= piece;
    }
  return TRUE;
}

/* Return the bytes of the losses and records to come. */
static guint64
get_bytes_to_come (const NsTraining *training, const NsRun *run, const RunHeader *h)
{
  guint64 records = training->n_records - (guint64) h->n_records;
  double *numbers;
  gint64 *overflow;
  gsize n;

  ns_result_get_row (training->rows, run->variant, run->seed, &numbers, &n, &overflow);
  return (guint64) (training->n_steps - h->n_losses) * sizeof *run->losses
         + records * (n * sizeof *numbers + sizeof *overflow + run->n_parameters * sizeof *run->ratios);
}

/* The losses, numbers and update ratios. */
static gboolean
pass_numbers (Stream *stream, const NsTraining *training, NsRun *run, const RunHeader *h)
{
  gboolean ok = pass_bytes (stream, run->losses, (gsize) h->n_losses * sizeof *run->losses);

  for (guint r = 0; ok && r < h->n_records; r++)
    {
      double *numbers;
      gint64 *overflow;
      gsize n;

      ns_result_get_row (training->rows, run->variant, r * training->n_seeds + run->seed, &numbers, &n, &overflow);
      ok = pass_bytes (stream, numbers, n * sizeof *numbers) && pass_bytes (stream, overflow, sizeof *overflow)
           && ((*overflow >= 0 && *overflow <= training->parameters[run->variant].head) || fail_damaged (stream));
    }
  return ok
         && pass_bytes (stream, run->ratios, (gsize) h->n_records * run->n_parameters * sizeof *run->ratios)
         && pass_zeros (stream, get_bytes_to_come (training, run, h));
}

static gboolean
pass_state (Stream *stream, NsTrainer *trainer)
{
  return pass_bytes (stream, &trainer->step, sizeof trainer->step)
         && pass_bytes (stream, trainer->values, trainer->parameters.size * sizeof (ns_real))
         && pass_bytes (stream, trainer->moments, trainer->n_moments * trainer->parameters.trained * sizeof (ns_real));
}

/* Return the bytes of pass_state(); the counts are those of the experiment. */
static guint64
get_saved_state_bytes (const RunHeader *h)
{
  return sizeof (gint64) + (h->size + h->n_moments * h->trained) * sizeof (ns_real);
}

static gboolean
save_run (Stream *stream, const NsTraining *training, NsRun *run)
{
  RunHeader h;
  gboolean ok;

  ns_run_lock (run);
  h = describe_run (training, run);
  ok = pass_bytes (stream, &h, sizeof h) && pass_numbers (stream, training, run, &h)
       && (!h.has_state || pass_state (stream, run->trainer));
  pthread_mutex_unlock (&run->lock);
  return ok;
}

static gboolean
load_run (Stream *stream, const NsTraining *training, NsRun *run)
{
  RunHeader h, own = describe_run (training, run);

  if (!pass_bytes (stream, &h, sizeof h))
    return FALSE;
  if (h.n_parameters != own.n_parameters || h.n_moments != own.n_moments || h.size != own.size
      || h.trained != own.trained)
    return fail_other (stream);
  if (!is_valid (training, run, &h))
    return fail_damaged (stream);
  if (!pass_numbers (stream, training, run, &h))
    return FALSE;
  run->n_steps = h.n_steps;
  run->n_losses = h.n_losses;
  run->n_records = (guint) h.n_records;
  run->diverged_step = h.diverged_step;
  run->diverged_site = h.diverged_site;
  run->finished = h.finished != 0;
  if (!h.has_state)
    return TRUE;
  if (get_saved_state_bytes (&h) > stream->left)
    return fail_damaged (stream);
  run->trainer = ns_training_new_trainer (training, run, NULL);
  if (run->trainer == NULL)
    {
      g_set_error_literal (stream->error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                           _ ("The system refused memory for the weights of the checkpoint"));
      return FALSE;
    }
  return pass_state (stream, run->trainer) && (run->trainer->step == h.n_steps || fail_damaged (stream));
}

/* ---- all ---- */

static Header
describe (const NsTraining *training)
{
  const NsTrainingPlan *plan = &training->plan;

  return (Header){ .magic = MAGIC, .real_size = sizeof (ns_real), .n_quantities = NS_N_QUANTITIES,
                   .n_variants = training->experiment->variants->len, .n_seeds = training->n_seeds,
                   .first_seed = training->first_seed, .n_steps = training->n_steps, .n_first = plan->n_first,
                   .n_later = plan->n_later, .logarithmic = plan->logarithmic != FALSE,
                   .keep_weights = plan->keep_weights != FALSE, .has_quantities = plan->quantities != NULL,
                   .quantities = training->quantities };
}

gboolean
ns_training_save (NsTraining *training, NsTrainingWriteFunc func, gpointer user_data, GError **error)
{
  Stream stream = { .write = func, .user_data = user_data, .error = error };
  Header h = describe (training);
  gboolean ok = pass_bytes (&stream, &h, sizeof h);

  for (guint i = 0; ok && i < training->n_runs; i++)
    ok = save_run (&stream, training, &training->runs[i]);
  return ok;
}

/* Add a·b. FALSE on overflow. */
static gboolean
add_product (guint64 *sum, guint64 a, guint64 b)
{
  return !__builtin_mul_overflow (a, b, &a) && !__builtin_add_overflow (*sum, a, sum);
}

/* Count the bytes of all runs with n_records records, without their states. FALSE if they are more than 16 EiB. */
static gboolean
count_run_bytes (const NsExperiment *experiment, const NsTrainingPlan *plan, guint64 n_seeds, guint64 n_records,
                 guint64 *bytes)
{
  guint64 n_runs = n_seeds * experiment->variants->len, rows = n_records * n_seeds;
  gboolean ok;

  *bytes = 0;
  if (rows > G_MAXUINT)
    return FALSE;
  ok = add_product (bytes, n_runs, sizeof (RunHeader))
       && add_product (bytes, n_runs * sizeof (double), (guint64) experiment->training.steps)
       && add_product (bytes, 1, ns_result_get_needed_bytes (experiment, (guint) rows, plan->quantities));
  for (guint v = 0; ok && n_records > 0 && v < experiment->variants->len; v++)
    {
      NsPlan p;

      ns_plan_init (&p, experiment, v);
      ok = add_product (bytes, rows * sizeof (double), ns_parameters_count_list (&p));
    }
  return ok;
}

/* Return TRUE if the bytes have the losses and records of the whole training. */
static gboolean
check_size (const Stream *stream, const NsExperiment *experiment, const NsTrainingPlan *plan, guint64 n_seeds)
{
  g_autofree char *needed = NULL, *available = NULL;
  guint64 bytes = 0;
  /* first without the records, whose list may be as long as that of the losses */
  gboolean ok = count_run_bytes (experiment, plan, n_seeds, 0, &bytes);

  if (ok && bytes <= stream->left)
    {
      guint n_records;

      g_free (ns_training_list_records (experiment->training.steps, plan, &n_records));
      ok = count_run_bytes (experiment, plan, n_seeds, n_records, &bytes);
    }
  if (ok && bytes <= stream->left)
    return TRUE;
  needed = ok ? g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS) : g_strdup (_ ("more than 16 EiB"));
  available = g_format_size_full (stream->left, G_FORMAT_SIZE_IEC_UNITS);
  g_set_error (stream->error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CHECKPOINT,
               _ ("The checkpoint is too short: the losses and records of its %lld training steps take at least %s, "
                  "and it has %s"),
               (long long) experiment->training.steps, needed, available);
  return FALSE;
}

/* Create the training that a header describes. */
static NsTraining *
new_from_header (const Stream *stream, const NsExperiment *experiment, const Header *h)
{
  NsTrainingPlan plan = { .n_first = (guint) h->n_first, .n_later = (guint) h->n_later,
                          .logarithmic = h->logarithmic != 0, .keep_weights = h->keep_weights != 0,
                          .quantities = h->has_quantities ? &h->quantities : NULL };
  gboolean valid = h->n_first <= G_MAXINT && h->n_later <= G_MAXINT && h->n_seeds >= 1 && h->first_seed <= G_MAXINT
                   && h->n_seeds <= stream->left / sizeof (RunHeader) / experiment->variants->len;
  NsTraining *training;
  Header own;

  if (memcmp (h->magic, MAGIC, sizeof MAGIC) != 0)
    {
      fail (stream, _ ("This is no checkpoint of a training"));
      return NULL;
    }
  if (h->real_size != sizeof (ns_real) || h->n_quantities != NS_N_QUANTITIES
      || h->n_variants != experiment->variants->len || h->n_steps != experiment->training.steps)
    {
      fail_other (stream);
      return NULL;
    }
  if (!valid)
    {
      fail_damaged (stream);
      return NULL;
    }
  if (!ns_experiment_validate (experiment, stream->error)
      || !ns_experiment_validate_training (experiment, stream->error)
      || !check_size (stream, experiment, &plan, h->n_seeds))
    return NULL;
  training = ns_training_new (experiment, &plan, (guint) h->first_seed, (guint) h->n_seeds, stream->error);
  if (training == NULL)
    return NULL;
  own = describe (training);
  if (memcmp (&own, h, sizeof own) == 0)
    return training;
  fail_damaged (stream);
  ns_training_unref (training);
  return NULL;
}

NsTraining *
ns_training_load (const NsExperiment *experiment, guint64 n_bytes, NsTrainingReadFunc func, gpointer user_data,
                  GError **error)
{
  Stream stream = { .read = func, .user_data = user_data, .left = n_bytes, .error = error };
  g_autoptr (NsTraining) training = NULL;
  Header h;

  if (!pass_bytes (&stream, &h, sizeof h))
    return NULL;
  training = new_from_header (&stream, experiment, &h);
  for (guint i = 0; training != NULL && i < training->n_runs; i++)
    if (!load_run (&stream, training, &training->runs[i]))
      return NULL;
  if (training != NULL && stream.left > 0)
    {
      fail_damaged (&stream);
      return NULL;
    }
  return g_steal_pointer (&training);
}
