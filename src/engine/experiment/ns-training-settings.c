/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-training-settings.h"

#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-weight-source.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

NsTrainingSettings
ns_variant_get_training (const NsExperiment *experiment, const NsVariant *variant)
{
  NsTrainingSettings training = experiment->training;
  const NsVariantTraining *own = &variant->training;

  if (own->optimizer != NS_NULL_CHOICE)
    training.optimizer = own->optimizer;
  if (!isnan (own->learning_rate))
    training.learning_rate = own->learning_rate;
  if (own->warmup != NS_NULL_CHOICE)
    training.warmup = own->warmup;
  if (own->schedule != NS_NULL_CHOICE)
    training.schedule = own->schedule;
  return training;
}

double
ns_training_get_rate (const NsTrainingSettings *training, gint64 step)
{
  double rate = training->learning_rate, t = (double) step, W = (double) training->warmup;
  /* t ≥ W and t < S, so S > W */
  double done = (t - W) / ((double) training->steps - W);

  if (step < training->warmup)
    return rate * (t + 1) / W;
  switch ((NsSchedule) training->schedule)
    {
    case NS_SCHEDULE_COSINE:
      return rate * (1 + cos (G_PI * done)) / 2;
    case NS_SCHEDULE_LINEAR:
      return rate * (1 - done);
    case NS_SCHEDULE_INVERSE_SQRT:
      return rate * sqrt (MAX (W, 1) / (t + 1));
    case NS_SCHEDULE_CONSTANT:
    default:
      return rate;
    }
}

#define N_COMPARED 16 /* rows; tables that differ do so in the first ones */

/* Return TRUE if the encoder and the decoder read the same tables from a file, or draw them. */
static gboolean
has_common_tables (const NsExperiment *experiment, const NsWeightSource *source)
{
  gsize C = (gsize) experiment->shape.d_model;
  gboolean two = ns_shape_has_encoder_vocab (&experiment->shape); /* embeddings, also in a training */
  gsize n_rows[NS_N_TABLES] = { [NS_TABLE_EMBEDDING] = two ? 0 : (gsize) experiment->shape.vocab,
                                [NS_TABLE_POSITION] = (gsize) experiment->shape.seq_len,
                                [NS_TABLE_TOKEN_TYPE] = (gsize) experiment->data.token_types };
  g_autofree float *rows = NULL;

  if (source == NULL || experiment->shape.stack != NS_STACK_ENCODER_DECODER)
    return TRUE;
  rows = g_new (float, 2 * C);
  for (guint table = 0; table < NS_N_TABLES; table++)
    for (gsize row = 0; row < MIN (n_rows[table], N_COMPARED); row++)
      {
        gboolean read[] = { source->row (source, table, NS_PART_ENCODER, row, rows),
                            source->row (source, table, NS_PART_DECODER, row, rows + C) };

        if (read[0] != read[1] || (read[0] && memcmp (rows, rows + C, C * sizeof *rows) != 0))
          return FALSE;
      }
  return TRUE;
}

gboolean
ns_experiment_validate_training (const NsExperiment *experiment, GError **error)
{
  if (experiment->data.source == NS_SOURCE_GAUSSIAN)
    {
      ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, "data.source",
                               _ ("data.source: gaussian is not allowed for training, since Gaussian vectors have no "
                                  "next token to predict; allowed: tokens, text or markov"));
      return FALSE;
    }
  if (experiment->loss != NS_LOSS_CROSS_ENTROPY)
    {
      ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, "loss",
                               _ ("loss: unit-gradient is not allowed for training, since a random gradient is the "
                                  "gradient of no loss; allowed: cross-entropy"));
      return FALSE;
    }
  for (guint v = 0; v < experiment->variants->len; v++)
    if (!has_common_tables (experiment, ns_experiment_variant (experiment, v)->source))
      {
        ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, "variants",
                                 _ ("variants[%u]: the encoder and the decoder of %s have tables of their own, and a "
                                    "training here has one for both; allowed: weights with common tables"),
                                 v, ns_experiment_variant (experiment, v)->source->name);
        return FALSE;
      }
  return TRUE;
}
