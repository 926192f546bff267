/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-batch.h"

#include "engine/experiment/ns-quantity.h"
#include "engine/ops/ns-memory.h"

#include <math.h>
#include <string.h>

guint64
ns_batch_source_get_bytes (const NsExperiment *experiment)
{
  return experiment->data.source == NS_SOURCE_MARKOV ? ns_markov_get_bytes ((gsize) experiment->shape.vocab) : 0;
}

void
ns_batch_source_init (NsBatchSource *source, const NsExperiment *experiment, gpointer memory)
{
  const NsShape *shape = &experiment->shape;
  const NsData *data = &experiment->data;
  NsRandomKey key = { (guint64) experiment->sampling.seed, 0, NS_STREAM_MARKOV, 0, 0 };

  source->experiment = experiment;
  source->B = (gsize) (experiment->sampling.batches * shape->batch);
  source->T = (gsize) shape->seq_len;
  source->N = source->B * source->T;
  source->n_parts = ns_experiment_get_n_parts (experiment);
  source->text_length = data->source == NS_SOURCE_TEXT ? strlen (data->text) : 0;
  if (data->source == NS_SOURCE_TOKENS && data->ids != NULL)
    source->text_length = g_bytes_get_size (data->ids) / sizeof (gint32);
  if (data->source == NS_SOURCE_MARKOV)
    ns_markov_init (&source->chain, key, (gsize) shape->vocab, data->markov_temperature, memory);
}

/* Return the key of a step's random numbers; block 0 is that of the pass at initialization. */
static NsRandomKey
get_key (guint64 seed, gint64 step, NsStream stream)
{
  return (NsRandomKey){ seed, (guint32) (step + 1), stream, 0, 0 };
}

/* ---- text ---- */

/* Return the first byte of sequence b of a part. A window and the target of its last token lie within the text if it is
 * long enough; else the text repeats. */
static gsize
get_first_byte (const NsBatchSource *source, guint64 seed, gint64 step, gint64 part, gsize b)
{
  gsize window = (gsize) source->n_parts * source->T;
  gint32 first = 0;

  /* At initialization a decoder goes on where the encoder ends with its last sequence. */
  if (step == NS_BATCH_INITIAL)
    return (gsize) part * source->N + b * source->T;
  if (source->text_length > window)
    ns_random_ids (get_key (seed, step, NS_STREAM_WINDOW), b, 1, (guint32) (source->text_length - window), &first);
  return (gsize) first + (gsize) part * source->T;
}

/* ids [T]: the bytes first, first + 1, … of the text, or the ids of a file from `first` on. Both repeat. */
static void
read_text (const NsBatchSource *source, gsize first, gint32 *ids)
{
  GBytes *given = source->experiment->data.ids;
  const gint32 *all = given != NULL ? g_bytes_get_data (given, NULL) : NULL;

  for (gsize t = 0; all != NULL && t < source->T; t++)
    ids[t] = all[(first + t) % source->text_length];
  for (gsize t = 0; all == NULL && t < source->T; t++)
    ids[t] = (guchar) source->experiment->data.text[(first + t) % source->text_length];
}

/* ---- all sources ---- */

/* ids [T]: the tokens of sequence b of a part, from its `shift`-th on. */
static void
draw_sequence (const NsBatchSource *source, guint64 seed, gint64 step, gint64 part, gsize shift, gsize b, gint32 *ids)
{
  gsize T = source->T, window = (gsize) source->n_parts * T + 1;
  NsStream stream = part == 0 ? NS_STREAM_IDS : NS_STREAM_TARGET_IDS;

  switch ((NsSource) source->experiment->data.source)
    {
    case NS_SOURCE_TEXT:
      read_text (source, get_first_byte (source, seed, step, part, b) + shift, ids);
      break;
    case NS_SOURCE_MARKOV:
      ns_markov_walk (&source->chain, get_key (seed, step, NS_STREAM_MARKOV_WALK), b, window,
                      (gsize) part * T + shift, T, ids);
      break;
    case NS_SOURCE_TOKENS:
      if (source->experiment->data.ids != NULL)
        {
          read_text (source, get_first_byte (source, seed, step, part, b) + shift, ids);
          break;
        }
      ns_random_ids (get_key (seed, step, stream), b * T + shift, T,
                     (guint32) ns_shape_get_part_vocab (&source->experiment->shape, part), ids);
      break;
    case NS_SOURCE_GAUSSIAN:
    default:
      g_return_if_reached ();
    }
}

static void
draw (const NsBatchSource *source, guint64 seed, gint64 step, gint64 part, gsize shift, gint32 *ids)
{
  for (gsize b = 0; b < source->B; b++)
    draw_sequence (source, seed, step, part, shift, b, ids + b * source->T);
}

/* ---- reversal ---- */

static gboolean
is_reversal (const NsBatchSource *source)
{
  return source->n_parts == 2 && source->experiment->data.task == NS_TASK_REVERSAL;
}

/* ids [N]: the encoder's tokens, each sequence in reverse order. */
static void
draw_reversed (const NsBatchSource *source, guint64 seed, gint64 step, gint32 *ids)
{
  draw (source, seed, step, 0, 0, ids);
  for (gsize b = 0; b < source->B; b++, ids += source->T)
    for (gsize t = 0; t < source->T / 2; t++)
      {
        gint32 id = ids[t];

        ids[t] = ids[source->T - 1 - t];
        ids[source->T - 1 - t] = id;
      }
}

/* Move the tokens of each sequence of ids [N] by one place; the first becomes 0. */
static void
shift_right (const NsBatchSource *source, gint32 *ids)
{
  for (gsize b = 0; b < source->B; b++, ids += source->T)
    {
      memmove (ids + 1, ids, (source->T - 1) * sizeof *ids);
      ids[0] = 0;
    }
}

void
ns_batch_draw_ids (const NsBatchSource *source, guint64 seed, gint64 step, gint64 part, gint32 *ids)
{
  if (part == 0 || !is_reversal (source))
    {
      draw (source, seed, step, part, 0, ids);
      return;
    }
  draw_reversed (source, seed, step, ids);
  shift_right (source, ids);
}

void
ns_batch_draw_targets (const NsBatchSource *source, guint64 seed, gint64 step, gint32 *targets)
{
  if (is_reversal (source))
    draw_reversed (source, seed, step, targets);
  else
    draw (source, seed, step, source->n_parts - 1, 1, targets);
}

/* ---- entropies ---- */

/* Return −Σ p·ln p over the bytes of a text, or over the ids of a file. */
static double
get_text_entropy (const NsBatchSource *source)
{
  const NsData *data = &source->experiment->data;
  const gint32 *ids = data->ids != NULL ? g_bytes_get_data (data->ids, NULL) : NULL;
  gsize n = source->text_length, vocab = (gsize) source->experiment->shape.vocab;
  g_autofree gsize *counts = g_new0 (gsize, vocab);
  double entropy = 0;

  for (gsize i = 0; i < n; i++)
    counts[ids != NULL ? (guint32) ids[i] : (guchar) data->text[i]]++;
  for (gsize id = 0; id < vocab; id++)
    {
      double p = (double) counts[id] / (double) n;

      entropy -= p > 0 ? p * log (p) : 0;
    }
  return entropy;
}

double
ns_batch_source_get_symbol_entropy (const NsBatchSource *source)
{
  switch ((NsSource) source->experiment->data.source)
    {
    case NS_SOURCE_TEXT:
      return get_text_entropy (source);
    case NS_SOURCE_MARKOV:
      return source->chain.symbol_entropy;
    case NS_SOURCE_TOKENS:
      return source->experiment->data.ids != NULL ? get_text_entropy (source)
                                                  : log ((double) source->experiment->shape.vocab);
    case NS_SOURCE_GAUSSIAN:
    default:
      g_return_val_if_reached (NAN);
    }
}

double
ns_batch_source_get_floor (const NsBatchSource *source)
{
  if (is_reversal (source))
    return 0;
  switch ((NsSource) source->experiment->data.source)
    {
    case NS_SOURCE_MARKOV:
      return source->chain.entropy_rate;
    case NS_SOURCE_TOKENS:
      return source->experiment->data.ids != NULL ? NAN : log ((double) source->experiment->shape.vocab);
    case NS_SOURCE_TEXT:
    case NS_SOURCE_GAUSSIAN:
    default:
      return NAN;
    }
}
