/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/train/ns-training-loss.h"

#include <math.h>

#define WINDOW 20
/* Where losses fall fast, the mean of many lags behind: at step t it is of t/5 at most. */
#define GROWTH 5
/* How near to a known loss, relative to it, counts as having reached it, and to 0, nats. */
#define NEAR_ZERO 0.05
/* A loss that has fallen by less than this share has not fallen. */
#define FALL 0.02

gint64
ns_training_get_last_step (const NsTraining *training, guint variant)
{
  gint64 last = 0;

  for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
    last = MAX (last, ns_training_count_steps (training, variant, s));
  return last;
}

/* Take n values as they are; losses have no logarithms of their own. */
static gboolean
make_stat (const double *values, guint n, NsStat *stat)
{
  g_autofree double *none = g_new (double, n);

  if (n == 0)
    return FALSE;
  for (guint i = 0; i < n; i++)
    none[i] = NAN;
  ns_stat_init (stat, values, none, n);
  return TRUE;
}

gboolean
ns_training_get_loss_stat (const NsTraining *training, guint variant, gint64 step, NsStat *stat)
{
  guint n_seeds = ns_training_get_n_seeds (training), n = 0;
  g_autofree double *values = g_new (double, n_seeds);

  for (guint s = 0; s < n_seeds; s++)
    if (ns_training_get_loss (training, variant, s, step, &values[n]))
      n++;
  return make_stat (values, n, stat);
}

static gint64
get_window (gint64 n_steps)
{
  return CLAMP (n_steps / 10, 1, WINDOW);
}

gint64
ns_training_get_window (const NsTraining *training)
{
  return get_window (ns_training_get_n_steps (training));
}

double
ns_losses_get_mean (const double *losses, gint64 step, gint64 n_steps)
{
  gint64 window = MIN (get_window (n_steps), 1 + step / GROWTH);
  double sum = 0;
  guint n = 0;

  for (gint64 t = step + 1 - window; t <= step; t++)
    if (isfinite (losses[t]))
      {
        sum += losses[t];
        n++;
      }
  return sum / n;
}

gboolean
ns_loss_is_near (double loss, double known)
{
  return fabs (loss - known) <= (known > 0 ? NS_LOSS_NEAR * known : NEAR_ZERO);
}

gboolean
ns_losses_stall (double half, double last, double entropy)
{
  return ns_loss_is_near (half, entropy) && ns_loss_is_near (last, entropy) && last > (1 - FALL) * half;
}

gboolean
ns_training_get_run_loss (const NsTraining *training, guint variant, guint seed, gint64 step, double *mean)
{
  gint64 window = MIN (ns_training_get_window (training), 1 + step / GROWTH);
  double sum = 0, loss;
  guint n = 0;

  for (gint64 t = step + 1 - window; t <= step; t++)
    if (ns_training_get_loss (training, variant, seed, t, &loss) && isfinite (loss))
      {
        sum += loss;
        n++;
      }
  if (n > 0)
    *mean = sum / n;
  return n > 0;
}

gboolean
ns_training_get_smooth_loss (const NsTraining *training, guint variant, gint64 step, NsStat *stat)
{
  guint n_seeds = ns_training_get_n_seeds (training), n = 0;
  g_autofree double *means = g_new (double, n_seeds);
  double loss;

  for (guint s = 0; s < n_seeds; s++)
    if (ns_training_get_loss (training, variant, s, step, &loss) && isfinite (loss)
        && ns_training_get_run_loss (training, variant, s, step, &means[n]))
      n++;
  return make_stat (means, n, stat);
}

gboolean
ns_training_get_final_loss (const NsTraining *training, guint variant, NsStat *stat)
{
  gint64 steps = ns_training_get_n_steps (training);
  guint n_seeds = ns_training_get_n_seeds (training), n = 0;
  g_autofree double *means = g_new (double, n_seeds);

  for (guint s = 0; s < n_seeds; s++)
    if (ns_training_count_steps (training, variant, s) == steps
        && !ns_training_get_divergence (training, variant, s, NULL, NULL)
        && ns_training_get_run_loss (training, variant, s, steps - 1, &means[n]))
      n++;
  return make_stat (means, n, stat);
}

gboolean
ns_training_stalls (const NsTraining *training, guint variant)
{
  NsStat half, last;

  return ns_training_get_final_loss (training, variant, &last)
         && ns_training_get_smooth_loss (training, variant, ns_training_get_n_steps (training) / 2, &half)
         && ns_losses_stall (half.mean, last.mean, ns_training_get_symbol_entropy (training));
}
