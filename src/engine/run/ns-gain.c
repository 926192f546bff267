/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-gain.h"

#include "engine/ops/ns-probe.h"

/* More rows at a time make the products no faster. */
#define MAX_ROWS 512

typedef struct
{
  NsPass *pass;
  gint64 column;
  guint n_probes, probe; /* probe: the first of those that go down together */
  gsize size;            /* of an array [N, C] */
  double *log10_norm;    /* [n_probes] */
  double *logs;          /* [column + 1, n_probes] log10 of the gains */
} GainColumn;

gsize
ns_gain_get_copies (const NsPlan *plan, guint n_probes)
{
  return CLAMP (MAX_ROWS / plan->N, 1, n_probes);
}

gsize
ns_gain_count_runs (const NsPlan *plan, guint n_probes)
{
  gsize copies = ns_gain_get_copies (plan, n_probes);

  return (n_probes + copies - 1) / copies;
}

static void
keep_probe_norms (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
                  double log10_value)
{
  GainColumn *column = data;
  NsScaled dx = column->pass->dx;

  (void) quantity, (void) estimate, (void) value, (void) log10_value;
  for (guint p = column->probe; p < column->probe + column->pass->copies; p++, dx.v += column->size)
    column->logs[(guint64) site * column->n_probes + p]
      = log10 (ns_sum_squares (dx.v, column->size)) / 2 + dx.exp2 * NS_LOG10_2 - column->log10_norm[p];
}

void
ns_gain_fill_probes (guint64 seed, gint64 site, guint64 first, gsize n, float *values)
{
  ns_random_fill ((NsRandomKey){ seed, (guint32) site, NS_STREAM_PROBE, 0, 0 }, NS_DISTRIBUTION_NORMAL, first, n,
                  values);
}

/* Each v ~ N(0, I) at x_m into pass->dx, the same for every variant. */
static void
draw_probes (GainColumn *column, float *drawn)
{
  NsPass *pass = column->pass;
  ns_real *v = pass->work->dx;

  pass->dx = (NsScaled){ v, 0 };
  for (guint p = column->probe; p < column->probe + pass->copies; p++, v += column->size)
    {
      ns_gain_fill_probes (pass->seed, column->column, (guint64) p * column->size, column->size, drawn);
      for (gsize i = 0; i < column->size; i++)
        v[i] = drawn[i];
      column->log10_norm[p] = log10 (ns_sum_squares (v, column->size)) / 2;
      column->logs[(guint64) column->column * column->n_probes + p] = 0;
    }
}

/* Return the mean over the probes and its standard error from their logarithms: no double need hold the gains. */
static NsGain
average (const double *logs, guint n)
{
  double largest = -INFINITY, mean = 0, variance = 0;

  for (guint p = 0; p < n; p++)
    largest = isnan (logs[p]) ? NAN : MAX (largest, logs[p]);
  for (guint p = 0; p < n; p++)
    mean += (largest == -INFINITY ? 0 : pow (10, logs[p] - largest)) / n;
  for (guint p = 0; p < n && n > 1; p++)
    {
      double difference = (largest == -INFINITY ? 0 : pow (10, logs[p] - largest)) - mean;

      variance += difference * difference / (n - 1);
    }
  return (NsGain){ largest == -INFINITY ? 0 : mean * pow (10, largest), log10 (mean) + (mean > 0 ? largest : 0),
                   largest == -INFINITY ? 0 : sqrt (variance / n) * pow (10, largest) };
}

NsPassState
ns_gain_run_column (NsPass *pass, gint64 column, guint n_probes, float *drawn, NsGainFunc func, gpointer data,
                    NsProgress *progress)
{
  gsize copies = ns_gain_get_copies (&pass->plan, n_probes);
  g_autofree double *logs = g_new (double, (gsize) (column + 1) * n_probes), *norms = g_new (double, n_probes);
  GainColumn each = { .pass = pass, .column = column, .n_probes = n_probes, .size = pass->plan.N * pass->plan.C,
                      .log10_norm = norms, .logs = logs };
  NsSink sink = pass->sink;
  NsQuantitySet gradients = { { 0 } };
  NsPassState state = NS_PASS_DONE;

  ns_quantity_set_add (&gradients, NS_Q_GRAD_X);
  pass->sink = (NsSink){ .record = keep_probe_norms, .data = &each, .wanted = &gradients };
  for (; each.probe < n_probes && state == NS_PASS_DONE; each.probe += copies)
    {
      pass->copies = MIN (copies, n_probes - each.probe);
      draw_probes (&each, drawn);
      state = ns_pass_backward_from (pass, column, 0, progress);
    }
  pass->copies = 1;
  pass->sink = sink;
  for (gint64 site = 0; site <= column && state == NS_PASS_DONE; site++)
    func (data, site, average (logs + (guint64) site * n_probes, n_probes));
  return state;
}
