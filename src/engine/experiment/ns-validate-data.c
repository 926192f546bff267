/* Validation of tokens: those of a text, of a chain, from a file; the vocabularies of encoder and decoder.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-validate-private.h"
#include "engine/ops/ns-markov.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static gboolean
check_text (const NsExperiment *experiment, GError **error)
{
  const char *text = experiment->data.text;
  gint64 seq_len = experiment->shape.seq_len;

  if (experiment->data.source != NS_SOURCE_TEXT)
    return TRUE;

  if (text == NULL)
    return ns_validate_fail (
        error, "", KEYS ("data.text", "data.source", "shape.seq_len"),
        _ ("data.text: null is not allowed when data.source = text; allowed: a text in UTF-8 of at least "
           "%lld bytes, one window of shape.seq_len"),
        (long long) seq_len);
  if (strnlen (text, (gsize) seq_len) < (gsize) seq_len)
    {
      g_autofree char *quoted = ns_quote_text (text);

      return ns_validate_fail (
          error, "", KEYS ("data.text", "shape.seq_len"),
          _ ("data.text: %s of %zu bytes is too short for a window of shape.seq_len = %lld; allowed: a text "
             "in UTF-8 of at least %lld bytes"),
          quoted, strlen (text), (long long) seq_len, (long long) seq_len);
    }
  if (experiment->shape.vocab != NS_TEXT_VOCAB)
    return ns_validate_fail (
        error, "", KEYS ("shape.vocab", "data.source"),
        _ ("shape.vocab: %lld is not allowed when data.source = text, whose tokens are bytes; allowed: %d"),
        (long long) experiment->shape.vocab, NS_TEXT_VOCAB);
  return TRUE;
}

static gboolean
check_markov (const NsExperiment *experiment, GError **error)
{
  if (experiment->data.source != NS_SOURCE_MARKOV || experiment->shape.vocab <= NS_MARKOV_MAX_STATES)
    return TRUE;
  return ns_validate_fail (
      error, "", KEYS ("shape.vocab", "data.source"),
      _ ("shape.vocab: %lld is not allowed when data.source = markov, whose states are the tokens; allowed: "
         "from 2 to %u"),
      (long long) experiment->shape.vocab, NS_MARKOV_MAX_STATES);
}

/* An encoder with a vocabulary of its own has the decoder's where both read one sequence. */
static gboolean
check_encoder_vocab (const NsExperiment *experiment, GError **error)
{
  const NsShape *shape = &experiment->shape;
  const char *key = experiment->data.task == NS_TASK_REVERSAL ? "data.task" : "data.source";
  g_autofree char *value = ns_param_dup_text (ns_param_find (key), experiment);

  if (!ns_experiment_has_one_sequence (experiment) || ns_shape_get_part_vocab (shape, 0) == shape->vocab)
    return TRUE;
  return ns_validate_fail (error, "", KEYS ("shape.encoder_vocab", "shape.vocab", key),
                           _ ("shape.encoder_vocab: %lld is not allowed when %s = %s, whose encoder and decoder have "
                              "the same tokens; allowed: null or shape.vocab = %lld"),
                           (long long) shape->encoder_vocab, key, value, (long long) shape->vocab);
}

/* Check ids from a file: within the vocabulary, and not for bytes or states of a chain. */
static gboolean
check_ids (const NsExperiment *experiment, GError **error)
{
  GBytes *bytes = experiment->data.ids;
  gsize size = 0;
  const gint32 *ids = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  /* each part reads some of them, so the smaller vocabulary counts */
  gboolean is_encoder = ns_shape_get_part_vocab (&experiment->shape, 0) < experiment->shape.vocab;
  const char *key = is_encoder ? "shape.encoder_vocab" : "shape.vocab";
  gint64 vocab = is_encoder ? experiment->shape.encoder_vocab : experiment->shape.vocab;

  if (bytes != NULL && experiment->data.source != NS_SOURCE_TOKENS)
    return ns_validate_fail (error, "", KEYS ("data.source"),
                             _ ("data.source: ids from a file are not allowed with this source; allowed: tokens"));
  for (gsize i = 0; i < size / sizeof *ids; i++)
    if (ids[i] < 0 || ids[i] >= vocab)
      return ns_validate_fail (error, "", KEYS (key),
                               _ ("%s: id %d of token %zu is not in the vocabulary; allowed: from 0 to %lld"), key,
                               (int) ids[i], i, (long long) vocab - 1);
  return TRUE;
}

gboolean
ns_validate_data (const NsExperiment *experiment, GError **error)
{
  return check_text (experiment, error) && check_markov (experiment, error) && check_encoder_vocab (experiment, error)
         && check_ids (experiment, error);
}
