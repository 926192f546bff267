/* Counter-based random numbers: a value depends on (seed, block, stream, element) and on nothing else.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Philox 4x32-10 (Salmon et al. 2011) with key = the 64-bit seed and counter = (element group, element group >> 32,
 * block, stream). 64 consecutive elements make a group of 16 counters: word w of counter i of a group belongs to
 * element 16·w + i. Words 0 and 1 give a Box–Muller pair for elements i and 16 + i, words 2 and 3 for 32 + i and 48
 * + i. A truncated normal number is the first of those of the streams stream + a·2^24, a = 0, 1, 2 …, that lies within
 * the bounds: exactly the normal distribution within them. Only IEEE operations without contraction are used, so the
 * numbers are the same bits on every machine.
 *
 * Threads: pure functions.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Streams. Their numbers make an experiment repeatable: they never change. */
typedef enum
{
  NS_STREAM_W_Q = 0, NS_STREAM_W_K, NS_STREAM_W_V, NS_STREAM_W_O, NS_STREAM_W_1, NS_STREAM_W_2, NS_STREAM_W_3,
  NS_STREAM_CROSS_W_Q, NS_STREAM_CROSS_W_K, NS_STREAM_CROSS_W_V, NS_STREAM_CROSS_W_O,
  NS_STREAM_ROUTER, NS_STREAM_SHARED_W_1, NS_STREAM_SHARED_W_2, NS_STREAM_SHARED_W_3, NS_STREAM_SHARED_GATE,
  NS_STREAM_DECODER_W_Q = 16, NS_STREAM_DECODER_W_K, NS_STREAM_DECODER_W_V, NS_STREAM_DECODER_W_O,
  NS_STREAM_DECODER_W_1, NS_STREAM_DECODER_W_2, NS_STREAM_DECODER_W_3,
  NS_STREAM_DECODER_ROUTER, NS_STREAM_DECODER_SHARED_W_1, NS_STREAM_DECODER_SHARED_W_2, NS_STREAM_DECODER_SHARED_W_3,
  NS_STREAM_DECODER_SHARED_GATE,
  NS_STREAM_W_HEAD = 32, NS_STREAM_RELATIVE_BIAS, NS_STREAM_DECODER_RELATIVE_BIAS,
  NS_STREAM_W_HEAD_DENSE, NS_STREAM_W_PATCH,
  NS_STREAM_EMBEDDING = 64, NS_STREAM_POSITION, NS_STREAM_INPUT, NS_STREAM_IDS, NS_STREAM_UPSTREAM,
  NS_STREAM_TARGET_INPUT, NS_STREAM_TARGET_IDS, NS_STREAM_TOKEN_TYPE, NS_STREAM_CLASS_TOKEN,
  NS_STREAM_PROBE, NS_STREAM_PHASE, NS_STREAM_WINDOW, NS_STREAM_MARKOV, NS_STREAM_MARKOV_WALK,
  NS_STREAM_ENCODER_EMBEDDING,
  NS_STREAM_TEST = 128,
} NsStream;

typedef struct
{
  guint64 seed;
  guint32 block; /* 1..L; 0 outside the blocks; of the data, 1 + the step of a training, 0 at initialization */
  guint32 stream;
  float truncate; /* normal numbers beyond ± this, at least NS_TRUNCATE_MIN, are drawn again; 0: none */
  guint32 row;    /* elements of a row; each row is scaled to the root mean square 1, so to the length √row. 0: none */
} NsRandomKey;

/* Of the numbers drawn 38 % are within the smallest bounds, so 256 streams are enough. */
#define NS_TRUNCATE_MIN 0.5
#define NS_TRUNCATE_MAX 10

typedef enum { NS_DISTRIBUTION_NORMAL, NS_DISTRIBUTION_UNIFORM } NsDistribution;

/* Draw elements first .. first + n - 1 of a stream of mean 0 and, unless truncated, variance 1. */
void ns_random_fill (NsRandomKey key, NsDistribution distribution, guint64 first, gsize n, float *out);
/* Draw the same numbers, without rows, one by one with Random123's Philox: the reference for tests of
 * ns_random_fill(). */
void ns_random_fill_plain (NsRandomKey key, NsDistribution distribution, guint64 first, gsize n, float *out);
/* Draw elements first .. first + n - 1 of a stream of integers uniform in 0 .. bound - 1; bound <= 2^24. */
void ns_random_ids (NsRandomKey key, guint64 first, gsize n, guint32 bound, gint32 *out);

G_END_DECLS
