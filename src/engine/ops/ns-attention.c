/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-attention.h"

#include "engine/ops/ns-activation.h"
#include "engine/ops/ns-elementary.h"
#include "engine/ops/ns-lanes.h"
#include "engine/ops/ns-probe.h"

#include <string.h>

#define ATTENTION_ROW_STEP 64 /* a multiple of the product's tile */

/* Return the largest of n values. A NaN may be missed; its exponential makes the row NaN all the same. */
NS_INLINE ns_real
largest (const ns_real *x, gsize n)
{
  ns_real lane[NS_LANES], max;
  gsize i = 0;

  for (int j = 0; j < NS_LANES; j++)
    lane[j] = x[0];
  for (; i + NS_LANES <= n; i += NS_LANES)
    for (int j = 0; j < NS_LANES; j++)
      lane[j] = x[i + j] <= lane[j] ? lane[j] : x[i + j];
  for (int j = 0; j < NS_LANES; j++)
    {
      ns_real value = i + (gsize) j < n ? x[i + (gsize) j] : lane[j];

      lane[j] = value <= lane[j] ? lane[j] : value;
    }
  max = lane[0];
  for (int j = 1; j < NS_LANES; j++)
    max = lane[j] <= max ? max : lane[j];
  return max;
}

/* The entropies and squared scores summed so far. */
typedef struct
{
  double entropy, max_logit, squares;
  gsize rows, visible;
} Sums;

/* Add a row of `visible` scores, from their largest, sum = Σ e_j and dot = Σ e_j·ln e_j with e_j = exp (S_j − max):
 * P_j = e_j/sum, so −Σ P_j·ln P_j = ln sum − dot/sum. */
static void
add_row (Sums *sums, gsize visible, ns_real max, double sum, double dot)
{
  double max_logit = isnan (sum) ? NAN : max;

  if (!(sums->max_logit >= max_logit) && !isnan (sums->max_logit))
    sums->max_logit = max_logit;
  if (visible == 1)
    return;
  sums->entropy += (log (sum) - dot / sum) / log ((double) visible);
  sums->rows++;
}

/* Add the biases of the n visible positions to their scores. */
NS_INLINE void
add_bias (ns_real *S, const ns_real *bias, gsize n)
{
  for (gsize j = 0; j < n; j++)
    S[j] += bias[j];
}

/* Query t sees the keys first .. end − 1. */
NS_INLINE void
get_visible (NsScores scores, gsize t, gsize T, gsize *first, gsize *end)
{
  *first = scores.window > 0 && scores.window <= t ? t + 1 - scores.window : 0;
  *end = scores.mask == NS_MASK_CAUSAL ? t + 1 : T;
  if (scores.window > 0 && scores.window < *end - t)
    *end = t + scores.window;
}

/* S = cap·tanh (S/cap), [n]. */
NS_INLINE void
cap_scores (ns_real *S, double cap, gsize n)
{
  const ns_real c = (ns_real) cap, inverse = (ns_real) (1 / cap);

  for (gsize j = 0; j < n; j++)
    {
      ns_real slope;

      S[j] = c * ns_tanh (S[j] * inverse, &slope);
    }
}

/* P = softmax (cap (S) + bias) in place, rows first .. first + rows − 1 of [T, T]: row t becomes a distribution over
 * the visible positions. scores.bias [2T − 1] is the head's, or NULL. Add the rows to the sums, which may be NULL. */
NS_SIMD static void
softmax_rows (ns_real *P, NsScores scores, gsize first, gsize rows, gsize T, Sums *sums)
{
  for (gsize t = first; t < first + rows; t++, P += T)
    {
      gsize begin, end, visible;
      ns_real *S, max, inverse; /* S: the visible scores of row t */
      double dot = 0, sum;

      get_visible (scores, t, T, &begin, &end);
      S = P + begin;
      visible = end - begin;
      if (scores.cap > 0)
        cap_scores (S, scores.cap, visible);
      if (scores.bias != NULL)
        add_bias (S, scores.bias + T - 1 - t + begin, visible);
      max = largest (S, visible);
      if (sums != NULL)
        {
          sums->squares += ns_sum_squares (S, visible);
          sums->visible += visible;
        }
      /* P_j = exp (S_j − max), the sum in double: the largest exponent is 0, so nothing overflows */
      sum = sums != NULL ? ns_exp_shifted_dot (S, S, max, visible, &dot) : ns_exp_shifted (S, S, max, visible);

      if (sums != NULL)
        add_row (sums, visible, max, sum, dot);
      inverse = (ns_real) (1.0 / sum);

      /* divide by the sum, so that the row adds up to 1 */
      for (gsize j = 0; j < visible; j++)
        S[j] *= inverse;
      /* masked positions get the weight 0 */
      memset (P, 0, begin * sizeof *P);
      memset (P + end, 0, (T - end) * sizeof *P);
    }
}

/* ---- uniform attention: every visible position has the same weight ----
 *
 * P is known, so y = P·v and dv = Pᵀ·dy are means and sums along the tokens of each sequence; all heads at once, the
 * C = G·D columns of v side by side. y may be x in the three functions below. */

/* No mask, P = 1/T: each row [C] becomes the mean over its sequence. P is symmetric, so this is also its backward. */
NS_SIMD static void
mean_of_all (ns_real *y, const ns_real *x, gsize B, gsize T, gsize C)
{
  ns_real weight = (ns_real) (1.0 / (double) T);

  for (gsize b = 0; b < B; b++, x += T * C, y += T * C)
    {
      /* sum the T rows into the first */
      memmove (y, x, C * sizeof *y);
      for (gsize t = 1; t < T; t++)
        for (gsize c = 0; c < C; c++)
          y[c] += x[t * C + c];
      /* sum → mean */
      for (gsize c = 0; c < C; c++)
        y[c] *= weight;
      /* every token gets that mean */
      for (gsize t = 1; t < T; t++)
        memcpy (y + t * C, y, C * sizeof *y);
    }
}

/* Causal mask, P_ts = 1/(t + 1) for s <= t: row t becomes the mean of rows 0..t. */
NS_SIMD static void
mean_of_past (ns_real *y, const ns_real *x, gsize B, gsize T, gsize C)
{
  for (gsize b = 0; b < B; b++, x += T * C, y += T * C)
    {
      /* running sums: row t = Σ_{s <= t} x_s */
      memmove (y, x, C * sizeof *y);
      for (gsize t = 1; t < T; t++)
        for (gsize c = 0; c < C; c++)
          y[t * C + c] = y[(t - 1) * C + c] + x[t * C + c];
      /* sums → means; row 0 is its own mean */
      for (gsize t = 1; t < T; t++)
        {
          ns_real weight = (ns_real) (1.0 / (double) (t + 1));

          for (gsize c = 0; c < C; c++)
            y[t * C + c] *= weight;
        }
    }
}

/* Its backward, Pᵀ: row t becomes Σ_{s >= t} x_s/(s + 1), summed from the last token to the first. */
NS_SIMD static void
mean_of_past_transposed (ns_real *y, const ns_real *x, gsize B, gsize T, gsize C)
{
  for (gsize b = 0; b < B; b++, x += T * C, y += T * C)
    for (gsize t = T; t-- > 0;)
      {
        ns_real weight = (ns_real) (1.0 / (double) (t + 1));

        for (gsize c = 0; c < C; c++)
          y[t * C + c] = x[t * C + c] * weight;
        for (gsize c = 0; t + 1 < T && c < C; c++)
          y[t * C + c] += y[(t + 1) * C + c];
      }
}

/* y = P·v: means of v [B·T, G·D], then one copy [D] for each query head of a group, y [B·T, H·D]. */
static void
uniform_forward (ns_real *y, const ns_real *v, NsAttentionMask mask, NsAttentionShape s)
{
  gsize group = s.H / s.G;

  if (mask == NS_MASK_CAUSAL)
    mean_of_past (y, v, s.B, s.T, s.G * s.D);
  else
    mean_of_all (y, v, s.B, s.T, s.G * s.D);
  /* the means lie at the front of y; copying from the last head to the first overwrites none before it is read */
  if (group > 1)
    for (gsize head = s.B * s.T * s.H; head-- > 1;)
      memmove (y + head * s.D, y + head / group * s.D, s.D * sizeof *y);
}

/* Sum the query heads of each group: x [B·T, H·D] → sums [B·T, G·D]. */
static void
add_groups (ns_real *sums, const ns_real *x, NsAttentionShape s)
{
  gsize group = s.H / s.G;

  for (gsize head = 0; head < s.B * s.T * s.G; head++, sums += s.D, x += group * s.D)
    {
      memcpy (sums, x, s.D * sizeof *sums);
      for (gsize i = 1; i < group; i++)
        for (gsize c = 0; c < s.D; c++)
          sums[c] += x[i * s.D + c];
    }
}

/* dv = Pᵀ·dy, mirroring uniform_forward(): heads of a group add up, then means run backward. */
static void
uniform_backward (ns_real *dv, const ns_real *dy, NsAttentionMask mask, NsAttentionShape s)
{
  const ns_real *sums = dy;

  if (s.G < s.H)
    {
      add_groups (dv, dy, s);
      sums = dv;
    }
  if (mask == NS_MASK_CAUSAL)
    mean_of_past_transposed (dv, sums, s.B, s.T, s.G * s.D);
  else
    mean_of_all (dv, sums, s.B, s.T, s.G * s.D);
}

/* ---- attention ---- */

/* Return how many of the T rows of a head are computed at a time: all if they take no longer than a piece. The results
 * depend on it in their last bits, so it is a function of the shape alone. */
static gsize
get_rows (NsAttentionShape s)
{
  guint64 rows = NS_PIECE_PRODUCTS / ((guint64) s.T * MAX (s.D, 1));

  return rows >= s.T ? s.T : MAX (rows / ATTENTION_ROW_STEP, 1) * ATTENTION_ROW_STEP;
}

/* Offset of query head h of sequence b in [B·T, H·D]. */
static gsize
query_at (NsAttentionShape s, gsize b, gsize h)
{
  return (b * s.T * s.H + h) * s.D;
}

/* Offset of the key and value head that it reads, in [B·T, G·D]. */
static gsize
key_at (NsAttentionShape s, gsize b, gsize h)
{
  return (b * s.T * s.G + h / (s.H / s.G)) * s.D;
}

void
ns_attention_forward (ns_real *y, ns_real *probs, const ns_real *q, const ns_real *k, const ns_real *v,
                      NsScores scores, gboolean uniform, double scale, NsAttentionShape s,
                      NsAttentionStats *stats, NsProgress *progress)
{
  const int T = (int) s.T, D = (int) s.D, A = (int) (s.H * s.D), K = (int) (s.G * s.D);
  const ns_real a = (ns_real) scale; /* A, K: row lengths of queries and of keys */
  const gsize step = get_rows (s);
  Sums sums = { .max_logit = -INFINITY };

  if (uniform)
    {
      uniform_forward (y, v, scores.mask, s);
      if (stats != NULL)
        *stats = (NsAttentionStats){ s.T > 1 ? 1 : NAN, 0, 0 };
      return;
    }
  for (gsize b = 0; b < s.B; b++)
    for (gsize h = 0; h < s.H; h++)
      {
        gsize at = query_at (s, b, h), kv = key_at (s, b, h);
        NsScores own = scores; /* the head's */
        ns_real *P = probs + (b * s.H + h) * s.T * s.T;

        if (scores.bias != NULL)
          own.bias += h * (2 * s.T - 1);
        for (gsize t = 0; t < s.T && !ns_progress_is_cancelled (progress); t += step, P += step * s.T)
          {
            const gsize rows = MIN (step, s.T - t), q_t = at + t * s.H * s.D;
            const int R = (int) rows;

            /* S = scale·q·kᵀ            [R, T] = [R, D]·[D, T], rows t .. t + R − 1 */
            ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, R, T, D, a, q + q_t, A, k + kv, K, 0, P, T);
            /* P = softmax (cap (S) + bias)  [R, T] */
            softmax_rows (P, own, t, rows, s.T, stats != NULL ? &sums : NULL);
            /* y = P·v                   [R, D] = [R, T]·[T, D] */
            ns_gemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, R, D, T, 1, P, T, v + kv, K, 0, y + q_t, A);
          }
      }
  if (stats != NULL)
    *stats = (NsAttentionStats){ sums.entropy / (double) sums.rows, sums.max_logit,
                                 sqrt (sums.squares / (double) sums.visible) };
}

/* dS = P ⊙ (dP − rowsum (P ⊙ dP)) in place of dP, [rows, T]. A masked position has P = 0, so its dS is 0. */
NS_SIMD static void
softmax_backward (ns_real *dP, const ns_real *P, gsize rows, gsize T)
{
  for (gsize t = 0; t < rows; t++, dP += T, P += T)
    {
      ns_real dot = (ns_real) ns_dot (P, dP, T);

      /* dS_j = P_j·(dP_j − dot) */
      for (gsize i = 0; i < T; i++)
        dP[i] = P[i] * (dP[i] - dot);
    }
}

/* dS ⊙= 1 − tanh² (S), with S = scale·q·kᵀ/cap, [n]. */
NS_SIMD static void
cap_backward (ns_real *dS, const ns_real *S, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      ns_real slope;

      ns_tanh (S[i], &slope);
      dS[i] *= slope;
    }
}

/* dbias += the sums of dS [rows, T] along its diagonals, rows first .. first + rows − 1 of the head. */
NS_SIMD static void
add_diagonals (double *dbias, const ns_real *dS, gsize first, gsize rows, gsize T)
{
  for (gsize t = first; t < first + rows; t++, dS += T)
    for (gsize j = 0; j < T; j++)
      dbias[T - 1 - t + j] += (double) dS[j];
}

void
ns_attention_backward (ns_real *dq, ns_real *dk, ns_real *dv, ns_real *scratch, const ns_real *dy, const ns_real *probs,
                       const ns_real *q, const ns_real *k, const ns_real *v, NsScores scores, gboolean uniform,
                       double dq_scale, NsAttentionShape s, NsProgress *progress)
{
  const int T = (int) s.T, D = (int) s.D, A = (int) (s.H * s.D), K = (int) (s.G * s.D);
  const ns_real a = (ns_real) dq_scale, over_cap = scores.cap > 0 ? (ns_real) (scores.scale / scores.cap) : 0;
  const gsize step = get_rows (s);

  if (uniform)
    {
      uniform_backward (dv, dy, scores.mask, s);
      return;
    }
  for (gsize b = 0; b < s.B; b++)
    for (gsize h = 0; h < s.H; h++)
      {
        gsize at = query_at (s, b, h), kv = key_at (s, b, h);
        const ns_real *P = probs + (b * s.H + h) * s.T * s.T;
        /* the first head of a group sets dk and dv, the others add to them */
        const ns_real add = h % (s.H / s.G) == 0 ? 0 : 1;

        /* rows t .. t + R − 1 of the head */
        for (gsize t = 0; t < s.T && !ns_progress_is_cancelled (progress); t += step)
          {
            const gsize rows = MIN (step, s.T - t), q_t = at + t * s.H * s.D, k_t = kv + t * s.G * s.D;
            const int R = (int) rows;
            ns_real *dS = scratch + t * s.T;

            /* dv (+)= Pᵀ·dy             [R, D] = [R, T]·[T, D] */
            ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, R, D, T, 1, P + t, T, dy + at, A, add, dv + k_t, K);
            /* dP = dy·vᵀ, in scratch    [R, T] = [R, D]·[D, T] */
            ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, R, T, D, 1, dy + q_t, A, v + kv, K, 0, dS, T);
            /* dS = softmax backward     [R, T] */
            softmax_backward (dS, P + t * s.T, rows, s.T);
            /* dbias += dS along diagonals  [2T − 1], before the cap, which is inside the sum */
            if (scores.dbias != NULL)
              add_diagonals (scores.dbias + h * (2 * s.T - 1), dS, t, rows, s.T);
            if (scores.cap > 0)
              {
                ns_real *S = scratch + s.T * s.T; /* [R, T], behind dS */

                /* S = scale·q·kᵀ/cap, again */
                ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, R, T, D, over_cap, q + q_t, A, k + kv, K, 0, S, T);
                cap_backward (dS, S, rows * s.T);
              }
            /* dq = dq_scale·dS·k        [R, D] = [R, T]·[T, D] */
            ns_gemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, R, D, T, a, dS, T, k + kv, K, 0, dq + q_t, A);
          }
        /* dk (+)= dq_scale·dSᵀ·q        [R, D] = [R, T]·[T, D], for which all of dS is needed */
        for (gsize t = 0; t < s.T && !ns_progress_is_cancelled (progress); t += step)
          ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, (int) MIN (step, s.T - t), D, T, a, scratch + t, T, q + at,
                   A, add, dk + kv + t * s.G * s.D, K);
      }
}
