/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-markov.h"

#include <math.h>
#include <string.h>

/* Uniform numbers have 24 bits. */
#define UNIFORM (1u << 24)
/* Elements of a stream that are drawn at a time */
#define PIECE 256

/* Return exp (x), |x| < 100, by additions and multiplications only, which are the same bits on every machine: the
 * Taylor series at x/2^12, then twelve squarings. The relative error is below 1e-12. */
static double
get_exp (double x)
{
  double y = x / 4096, e = 1;

  for (int n = 6; n > 0; n--)
    e = 1 + e * y / n;
  for (int i = 0; i < 12; i++)
    e *= e;
  return e;
}

guint64
ns_markov_get_bytes (gsize V)
{
  return (2 * (guint64) V * V + V) * sizeof (double);
}

/* p [V] = P_i, the probabilities from state i; float z [V]: scratch */
static void
fill_row (const NsMarkov *chain, gsize i, float *z, double *p)
{
  double sum = 0;

  ns_random_fill (chain->key, NS_DISTRIBUTION_NORMAL, i * chain->V, chain->V, z);
  for (gsize j = 0; j < chain->V; j++)
    {
      p[j] = get_exp ((double) z[j] / chain->temperature);
      sum += p[j];
    }
  for (gsize j = 0; j < chain->V; j++)
    p[j] /= sum;
}

/* pi [V]: the stationary distribution of P [V, V], which it overwrites. State i is taken out of the chain, from the
 * last one on: paths through it become direct ones. */
static void
fill_stationary (double *P, gsize V, double *pi)
{
  double sum = 1;

  for (gsize i = V - 1; i > 0; i--)
    {
      double leave = 0;

      for (gsize j = 0; j < i; j++)
        leave += P[i * V + j];
      for (gsize j = 0; j < i; j++)
        {
          double share = P[j * V + i] / leave;

          P[j * V + i] = share;
          for (gsize k = 0; k < i; k++)
            P[j * V + k] += share * P[i * V + k];
        }
    }
  pi[0] = 1;
  for (gsize i = 1; i < V; i++)
    {
      pi[i] = 0;
      for (gsize j = 0; j < i; j++)
        pi[i] += pi[j] * P[j * V + i];
      sum += pi[i];
    }
  for (gsize i = 0; i < V; i++)
    pi[i] /= sum;
}

/* Return −Σ p·ln p of n probabilities. */
static double
get_entropy (const double *p, gsize n)
{
  double entropy = 0;

  for (gsize i = 0; i < n; i++)
    entropy -= p[i] > 0 ? p[i] * log (p[i]) : 0;
  return entropy;
}

static void
accumulate (double *p, gsize n)
{
  for (gsize i = 1; i < n; i++)
    p[i] += p[i - 1];
}

static gboolean
is_filled (const NsMarkov *chain, NsRandomKey key, gsize V, double temperature, gpointer memory)
{
  return chain->V == V && chain->temperature == temperature && (gpointer) chain->cumulative == memory
         && chain->key.seed == key.seed && chain->key.block == key.block && chain->key.stream == key.stream;
}

void
ns_markov_init (NsMarkov *chain, NsRandomKey key, gsize V, double temperature, gpointer memory)
{
  double *P = (double *) memory + V * V + V, *pi;

  g_return_if_fail (V >= 2 && V <= NS_MARKOV_MAX_STATES && memory != NULL);

  if (is_filled (chain, key, V, temperature, memory))
    return;
  *chain = (NsMarkov){ .key = key, .temperature = temperature, .V = V, .cumulative = memory };
  chain->start = pi = chain->cumulative + V * V;
  for (gsize i = 0; i < V; i++)
    fill_row (chain, i, (float *) pi, chain->cumulative + i * V); /* [V] doubles hold [V] floats */
  memcpy (P, chain->cumulative, V * V * sizeof *P);
  fill_stationary (P, V, pi);
  chain->symbol_entropy = get_entropy (pi, V);
  for (gsize i = 0; i < V; i++)
    {
      chain->entropy_rate += pi[i] * get_entropy (chain->cumulative + i * V, V);
      accumulate (chain->cumulative + i * V, V);
    }
  accumulate (pi, V);
}

/* Return the first j with u < cumulative[j], cumulative [V]. */
static gsize
find_state (const double *cumulative, gsize V, double u)
{
  gsize low = 0, high = V - 1;

  while (low < high)
    {
      gsize middle = (low + high) / 2;

      if (u < cumulative[middle])
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

void
ns_markov_walk (const NsMarkov *chain, NsRandomKey key, gsize walk, gsize length, gsize first, gsize n,
                gint32 *states)
{
  const double *probabilities = chain->start;
  gint32 uniform[PIECE];

  for (gsize t = 0; t < first + n; t++)
    {
      gsize state;

      if (t % PIECE == 0)
        ns_random_ids (key, (guint64) walk * length + t, MIN (PIECE, first + n - t), UNIFORM, uniform);
      state = find_state (probabilities, chain->V, (uniform[t % PIECE] + 0.5) / UNIFORM);
      probabilities = chain->cumulative + state * chain->V;
      if (t >= first)
        states[t - first] = (gint32) state;
    }
}
