/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-rotary.h"

/* ---- angles ---- */

/* Return the share of θ that stays where θ turns `turns` times over the original context (code of Llama 3.1; YaRN's
 * paper, eq. 11 and 13). */
static double
get_kept_by_turns (const NsRotaryRule *rule, double turns)
{
  if (rule->low == rule->high) /* a step, as in Llama 4 */
    return turns > rule->low;
  return CLAMP ((turns - rule->low) / (rule->high - rule->low), 0, 1);
}

/* Return the pair, as a real number, that turns so many times over the original context. */
static double
get_pair_of_turns (const NsRotaryRule *rule, double turns)
{
  return (double) rule->dim * log (rule->original / (2 * G_PI * turns)) / (2 * log (rule->base));
}

/* The same share as the code of YaRN has it: a ramp over the pairs, between the whole numbers around those two, or
 * between the two. */
static double
get_kept_by_pair (const NsRotaryRule *rule, gsize pair)
{
  double first = get_pair_of_turns (rule, rule->high), last = get_pair_of_turns (rule, rule->low);

  first = fmax (rule->fractional ? first : floor (first), 0);
  last = fmin (rule->fractional ? last : ceil (last), (double) rule->dim - 1);
  if (first == last)
    last += 0.001;
  return 1 - CLAMP (((double) pair - first) / (last - first), 0, 1);
}

double
ns_rotary_get_frequency (const NsRotaryRule *rule, gsize pair)
{
  double frequency = pow (rule->base, -2.0 * (double) pair / (double) rule->dim), kept;

  switch (rule->scaling)
    {
    case NS_ROTARY_SCALING_LINEAR: /* Chen et al. 2023 */
      kept = 0;
      break;
    case NS_ROTARY_SCALING_LLAMA3:
      kept = get_kept_by_turns (rule, rule->original * frequency / (2 * G_PI));
      break;
    case NS_ROTARY_SCALING_YARN:
      kept = get_kept_by_pair (rule, pair);
      break;
    case NS_ROTARY_SCALING_LONGROPE: /* Ding et al. 2024, eq. 2 */
      return rule->rescale != NULL ? frequency / rule->rescale[pair] : frequency;
    case NS_ROTARY_SCALING_NONE:
    default:
      return frequency;
    }
  return ((1 - kept) / rule->factor + kept) * frequency;
}

gboolean
ns_rotary_scaling_has_factor (NsRotaryScaling scaling)
{
  return scaling == NS_ROTARY_SCALING_YARN || scaling == NS_ROTARY_SCALING_LONGROPE;
}

double
ns_rotary_get_factor (const NsRotaryRule *rule)
{
  if (!ns_rotary_scaling_has_factor (rule->scaling))
    return 1;
  if (rule->attention_factor > 0)
    return rule->attention_factor;
  return rule->scaling == NS_ROTARY_SCALING_YARN ? 0.1 * log (rule->factor) + 1
                                                 : sqrt (1 + log (rule->factor) / log (rule->original));
}

void
ns_rotary_fill (const NsRotaryRule *rule, gsize T, ns_real *cosines, ns_real *sines)
{
  const gsize pairs = rule->dim / 2;
  const double m = ns_rotary_get_factor (rule);

  for (gsize i = 0; i < pairs; i++)
    {
      double frequency = ns_rotary_get_frequency (rule, i);

      for (gsize t = 0; t < T; t++)
        {
          cosines[t * pairs + i] = (ns_real) (m * cos ((double) t * frequency));
          sines[t * pairs + i] = (ns_real) (m * sin ((double) t * frequency));
        }
    }
}

/* ---- rotations ---- */

/* One head of one token; sign −1 turns back. The two features of a pair are `apart` from each other, the pairs `step`:
 * pairs (i, i + r/2) lie 1 from each other, pairs (2i, 2i + 1) 2. */
NS_INLINE void
turn_head (ns_real *x, const ns_real *cosines, const ns_real *sines, ns_real sign, gsize pairs, gsize step, gsize apart)
{
  for (gsize i = 0; i < pairs; i++)
    {
      ns_real a = x[i * step], b = x[i * step + apart], c = cosines[i], s = sign * sines[i];

      x[i * step] = a * c - b * s;
      x[i * step + apart] = a * s + b * c;
    }
}

/* Rows first .. first + rows − 1 of x [.., heads·D]. */
NS_SIMD static void
turn_rows (ns_real *x, const NsRotary *rotary, ns_real sign, gsize first, gsize rows, gsize heads, gsize D)
{
  const gsize pairs = rotary->pairs;

  for (gsize n = first; n < first + rows; n++)
    {
      const ns_real *c = rotary->cos + n % rotary->T * pairs, *s = rotary->sin + n % rotary->T * pairs;

      for (gsize h = 0; h < heads; h++)
        {
          ns_real *head = x + (n * heads + h) * D;

          if (rotary->interleaved)
            turn_head (head, c, s, sign, pairs, 2, 1);
          else
            turn_head (head, c, s, sign, pairs, 1, pairs);
        }
    }
}

static void
turn (ns_real *x, const NsRotary *rotary, ns_real sign, gsize rows, gsize heads, gsize D, NsProgress *progress)
{
  const gsize step = MAX (NS_PIECE_ELEMENTS / (heads * D), 1);

  for (gsize n = 0; n < rows && !ns_progress_is_cancelled (progress); n += step)
    turn_rows (x, rotary, sign, n, MIN (step, rows - n), heads, D);
}

void
ns_rotary_forward (ns_real *x, const NsRotary *rotary, gsize rows, gsize heads, gsize D, NsProgress *progress)
{
  turn (x, rotary, 1, rows, heads, D, progress);
}

void
ns_rotary_backward (ns_real *dx, const NsRotary *rotary, gsize rows, gsize heads, gsize D, NsProgress *progress)
{
  turn (dx, rotary, -1, rows, heads, D, progress);
}
