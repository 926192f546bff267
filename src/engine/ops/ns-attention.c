/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-attention.h"

#include "engine/ops/ns-activation.h"

#include <string.h>

/* The largest of n values. A NaN among them may go unseen here: its own exponential will make the row NaN. */
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
  for (int j = 0; i + j < n; j++)
    lane[j] = x[i + j] <= lane[j] ? lane[j] : x[i + j];
  max = lane[0];
  for (int j = 1; j < NS_LANES; j++)
    max = lane[j] <= max ? max : lane[j];
  return max;
}

/* Row t of the scores becomes a distribution over the first `visible` positions, 0 beyond. */
NS_SIMD static void
softmax_rows (ns_real *P, NsAttentionMask mask, gsize T)
{
  for (gsize t = 0; t < T; t++, P += T)
    {
      gsize visible = mask == NS_MASK_CAUSAL ? t + 1 : T;
      ns_real inverse = (ns_real) (1.0 / ns_exp_shifted (P, P, largest (P, visible), visible));

      for (gsize j = 0; j < visible; j++)
        P[j] *= inverse;
      memset (P + visible, 0, (T - visible) * sizeof *P);
    }
}

/* ---- every visible position weighs the same ---- */

/* Each of the rows [B·T, C] becomes the mean of its sequence: a map that is its own transpose. Here as below y may be
 * x. */
NS_SIMD static void
mean_of_all (ns_real *y, const ns_real *x, gsize B, gsize T, gsize C)
{
  ns_real weight = (ns_real) (1.0 / (double) T);

  for (gsize b = 0; b < B; b++, x += T * C, y += T * C)
    {
      memmove (y, x, C * sizeof *y);
      for (gsize t = 1; t < T; t++)
        for (gsize c = 0; c < C; c++)
          y[c] += x[t * C + c];
      for (gsize c = 0; c < C; c++)
        y[c] *= weight;
      for (gsize t = 1; t < T; t++)
        memcpy (y + t * C, y, C * sizeof *y);
    }
}

/* Row t of each sequence becomes the mean of rows 0..t. */
NS_SIMD static void
mean_of_past (ns_real *y, const ns_real *x, gsize B, gsize T, gsize C)
{
  for (gsize b = 0; b < B; b++, x += T * C, y += T * C)
    {
      memmove (y, x, C * sizeof *y);
      for (gsize t = 1; t < T; t++)
        for (gsize c = 0; c < C; c++)
          y[t * C + c] = y[(t - 1) * C + c] + x[t * C + c];
      for (gsize t = 1; t < T; t++)
        {
          ns_real weight = (ns_real) (1.0 / (double) (t + 1));

          for (gsize c = 0; c < C; c++)
            y[t * C + c] *= weight;
        }
    }
}

/* Its transpose: row t becomes the sum of rows s >= t, each over s + 1. */
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

/* The means of [B·T, G·D] go to the front of y, then to every head of their group: from the last to the first, so that
 * none is written over before it has been read. */
static void
uniform_forward (ns_real *y, const ns_real *v, NsAttentionMask mask, NsAttentionShape s)
{
  gsize group = s.H / s.G;

  if (mask == NS_MASK_CAUSAL)
    mean_of_past (y, v, s.B, s.T, s.G * s.D);
  else
    mean_of_all (y, v, s.B, s.T, s.G * s.D);
  if (group > 1)
    for (gsize head = s.B * s.T * s.H; head-- > 1;)
      memmove (y + head * s.D, y + head / group * s.D, s.D * sizeof *y);
}

/* Heads [B·T, H·D] are added up to those of their groups, [B·T, G·D]. */
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

/* Where a query head, and the head of keys and values that it reads, begin. */
static gsize
query_at (NsAttentionShape s, gsize b, gsize h)
{
  return (b * s.T * s.H + h) * s.D;
}

static gsize
key_at (NsAttentionShape s, gsize b, gsize h)
{
  return (b * s.T * s.G + h / (s.H / s.G)) * s.D;
}

void
ns_attention_forward (ns_real *y, ns_real *probs, const ns_real *q, const ns_real *k, const ns_real *v,
                      NsAttentionMask mask, gboolean uniform, double scale, NsAttentionShape s)
{
  const int T = (int) s.T, D = (int) s.D, A = (int) (s.H * s.D), K = (int) (s.G * s.D);
  const ns_real a = (ns_real) scale;

  if (uniform)
    {
      uniform_forward (y, v, mask, s);
      return;
    }
  for (gsize b = 0; b < s.B; b++)
    for (gsize h = 0; h < s.H; h++)
      {
        gsize at = query_at (s, b, h), kv = key_at (s, b, h);
        ns_real *P = probs + (b * s.H + h) * s.T * s.T;

        ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, T, T, D, a, q + at, A, k + kv, K, 0, P, T);
        softmax_rows (P, mask, s.T);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, T, D, T, 1, P, T, v + kv, K, 0, y + at, A);
      }
}

/* dS = P ⊙ (dP − rowsum (P ⊙ dP)), in place of dP. */
NS_SIMD static void
softmax_backward (ns_real *dP, const ns_real *P, gsize T)
{
  for (gsize t = 0; t < T; t++, dP += T, P += T)
    {
      double lane[NS_LANES] = { 0 }, dot = 0;
      gsize i = 0;

      for (; i + NS_LANES <= T; i += NS_LANES)
        for (int j = 0; j < NS_LANES; j++)
          lane[j] += (double) P[i + j] * dP[i + j];
      for (int j = 0; i + j < T; j++)
        lane[j] += (double) P[i + j] * dP[i + j];
      for (int j = 0; j < NS_LANES; j++)
        dot += lane[j];
      for (i = 0; i < T; i++)
        dP[i] = P[i] * (dP[i] - (ns_real) dot);
    }
}

void
ns_attention_backward (ns_real *dq, ns_real *dk, ns_real *dv, ns_real *scratch, const ns_real *dy, const ns_real *probs,
                       const ns_real *q, const ns_real *k, const ns_real *v, NsAttentionMask mask, gboolean uniform,
                       double dq_scale, NsAttentionShape s)
{
  const int T = (int) s.T, D = (int) s.D, A = (int) (s.H * s.D), K = (int) (s.G * s.D);
  const ns_real a = (ns_real) dq_scale;

  if (uniform)
    {
      uniform_backward (dv, dy, mask, s);
      return;
    }
  for (gsize b = 0; b < s.B; b++)
    for (gsize h = 0; h < s.H; h++)
      {
        gsize at = query_at (s, b, h), kv = key_at (s, b, h);
        const ns_real *P = probs + (b * s.H + h) * s.T * s.T;
        const ns_real add = h % (s.H / s.G) == 0 ? 0 : 1; /* the first of a group sets what the others add to */

        ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, T, D, T, 1, P, T, dy + at, A, add, dv + kv, K);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, T, T, D, 1, dy + at, A, v + kv, K, 0, scratch, T);
        softmax_backward (scratch, P, s.T);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, T, D, T, a, scratch, T, k + kv, K, 0, dq + at, A);
        ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, T, D, T, a, scratch, T, q + at, A, add, dk + kv, K);
      }
}
