/* The token ids of a minibatch: of the pass at initialization, and of each step of a training.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sequence b has T tokens, and its targets are the tokens after each of them. In an encoder-decoder the encoder reads
 * the first T tokens of a window and the decoder goes on with the next T.
 *
 *   tokens  uniform, independent; or, with ids from a file, windows of these as of a text
 *   text    a step's windows begin anywhere, uniformly; at initialization they are the text from its beginning
 *   markov  each window is a walk of its own, which begins with the stationary distribution; the chain depends on the
 *           experiment's first seed, so that all draws have the same
 *
 * With the task reversal an encoder-decoder's targets are the encoder's tokens from the last to the first; the decoder
 * reads the token 0 and then the targets but the last.
 *
 * The ids depend on the settings of data and shape, the seed and the step only: all variants get the same.
 *
 * Threads: a source is immutable after ns_batch_source_init(); the functions are pure.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-markov.h"

/* In place of a step: the pass at initialization. */
#define NS_BATCH_INITIAL (-1)

typedef struct
{
  const NsExperiment *experiment; /* borrowed */
  gsize B, T, N;                  /* as in NsPlan */
  gint64 n_parts;
  gsize text_length;              /* bytes of a text, ids of a file; 0: random */
  NsMarkov chain;                 /* with data.source = markov */
} NsBatchSource;

/* Return the bytes of memory that the source needs; often 0. */
guint64 ns_batch_source_get_bytes (const NsExperiment *experiment);
/* Prepare a valid experiment, which has to outlive the source, with tokens: not with data.source = gaussian. The source
 * is zeroed memory or one that was prepared before. memory: of the size above, aligned for doubles, borrowed; NULL for
 * 0 bytes. */
void ns_batch_source_init (NsBatchSource *source, const NsExperiment *experiment, gpointer memory);
/* Draw the input of part 0 .. n_parts − 1 at a step, ids [N]. */
void ns_batch_draw_ids (const NsBatchSource *source, guint64 seed, gint64 step, gint64 part, gint32 *ids);
/* Draw the targets of the last part, targets [N]. */
void ns_batch_draw_targets (const NsBatchSource *source, guint64 seed, gint64 step, gint32 *targets);

/* Return the entropy, in nats, of a token alone: the loss of a model that has learned how often each token occurs. Of a
 * text it is that of its bytes, of ids from a file that of these. */
double ns_batch_source_get_symbol_entropy (const NsBatchSource *source);
/* Return the lowest loss, in nats, that a model can have on new windows: the entropy rate of a chain, ln V of random
 * tokens, 0 of a reversal, whose targets the encoder has read. NAN for a text and for ids from a file: unknown. */
double ns_batch_source_get_floor (const NsBatchSource *source);
