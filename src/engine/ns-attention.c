/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-attention.h"

#include "engine/ns-activation.h"

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
softmax_rows (ns_real *P, gboolean causal, gsize T)
{
  for (gsize t = 0; t < T; t++, P += T)
    {
      gsize visible = causal ? t + 1 : T;
      ns_real inverse = (ns_real) (1.0 / ns_exp_shifted (P, P, largest (P, visible), visible));

      for (gsize j = 0; j < visible; j++)
        P[j] *= inverse;
      memset (P + visible, 0, (T - visible) * sizeof *P);
    }
}

/* Every position weighs the same: each token gets the mean over its sequence. Its own transpose, so that the backward
 * pass is the same map. */
NS_SIMD static void
mean_over_sequence (ns_real *y, const ns_real *x, NsAttentionShape s)
{
  ns_real weight = (ns_real) (1.0 / (double) s.T);

  for (gsize b = 0; b < s.B; b++, x += s.T * s.C, y += s.T * s.C)
    {
      memcpy (y, x, s.C * sizeof *y);
      for (gsize t = 1; t < s.T; t++)
        for (gsize c = 0; c < s.C; c++)
          y[c] += x[t * s.C + c];
      for (gsize c = 0; c < s.C; c++)
        y[c] *= weight;
      for (gsize t = 1; t < s.T; t++)
        memcpy (y + t * s.C, y, s.C * sizeof *y);
    }
}

void
ns_attention_forward (ns_real *y, ns_real *probs, const ns_real *q, const ns_real *k, const ns_real *v,
                      NsAttention kind, double scale, NsAttentionShape s)
{
  const int T = (int) s.T, C = (int) s.C, D = (int) (s.C / s.H);

  if (kind == NS_ATTENTION_UNIFORM)
    {
      mean_over_sequence (y, v, s);
      return;
    }
  for (gsize b = 0; b < s.B; b++)
    for (gsize h = 0; h < s.H; h++)
      {
        gsize at = b * s.T * s.C + h * (gsize) D;
        ns_real *P = probs + (b * s.H + h) * s.T * s.T;

        ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, T, T, D, (ns_real) scale, q + at, C, k + at, C, 0, P, T);
        softmax_rows (P, kind == NS_ATTENTION_CAUSAL, s.T);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, T, D, T, 1, P, T, v + at, C, 0, y + at, C);
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
                       const ns_real *q, const ns_real *k, const ns_real *v, NsAttention kind, double dq_scale,
                       NsAttentionShape s)
{
  const int T = (int) s.T, C = (int) s.C, D = (int) (s.C / s.H);
  const ns_real a = (ns_real) dq_scale;

  if (kind == NS_ATTENTION_UNIFORM)
    {
      mean_over_sequence (dv, dy, s);
      return;
    }
  for (gsize b = 0; b < s.B; b++)
    for (gsize h = 0; h < s.H; h++)
      {
        gsize at = b * s.T * s.C + h * (gsize) D;
        const ns_real *P = probs + (b * s.H + h) * s.T * s.T;

        ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, T, D, T, 1, P, T, dy + at, C, 0, dv + at, C);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, T, T, D, 1, dy + at, C, v + at, C, 0, scratch, T);
        softmax_backward (scratch, P, s.T);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, T, D, T, a, scratch, T, k + at, C, 0, dq + at, C);
        ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, T, D, T, a, scratch, T, q + at, C, 0, dk + at, C);
      }
}
