/* A Markov chain of order 1 whose entropy is known.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From state i the chain goes to j with the probability P_ij = softmax_j (z_ij/τ), z_ij independent N(0, 1). With π its
 * stationary distribution, π = π·P, a chain that begins with π has in every step
 *
 *   symbol entropy   −Σ_i π_i·ln π_i             of a state alone
 *   entropy rate     −Σ_i π_i·Σ_j P_ij·ln P_ij   of a state that follows a known one, in nats
 *
 * The matrix has all entries above 0, so π is unique. It is computed without iteration, by elimination without
 * subtractions (Grassmann, Taksar, Heyman 1985), so that slowly mixing chains are as exact as others.
 *
 * Threads: immutable after ns_markov_init().
 */
#pragma once

#include "engine/ops/ns-random.h"

/* The time for π grows with the cube of the states. */
#define NS_MARKOV_MAX_STATES 512u
#define NS_MARKOV_MIN_TEMPERATURE 0.1

typedef struct
{
  NsRandomKey key;
  double temperature;  /* τ */
  gsize V;             /* states; 0 before the first ns_markov_init() */
  double *cumulative;  /* [V, V] Σ_{k ≤ j} P_ik */
  double *start;       /* [V] Σ_{k ≤ j} π_k */
  double entropy_rate, symbol_entropy;
} NsMarkov;

/* Return the bytes of memory that a chain of V states needs. */
guint64 ns_markov_get_bytes (gsize V);
/* Fill the chain of V states, 2 .. NS_MARKOV_MAX_STATES, with the logits of `key`. memory: of the size above, aligned
 * for doubles, borrowed. A chain that is filled already with the same arguments is left as it is. */
void ns_markov_init (NsMarkov *chain, NsRandomKey key, gsize V, double temperature, gpointer memory);
/* Draw states first .. first + n − 1 of a walk of at most `length` states; each walk of a key has its own number. */
void ns_markov_walk (const NsMarkov *chain, NsRandomKey key, gsize walk, gsize length, gsize first, gsize n,
                     gint32 *states);
