/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/train/ns-training-progress.h"

#include "engine/experiment/ns-settings.h"

static guint
get_n_variants (const NsTraining *training)
{
  return ns_training_get_experiment (training)->variants->len;
}

guint
ns_training_count_finished_seeds (const NsTraining *training)
{
  guint n_seeds = ns_training_get_n_seeds (training);

  for (guint s = 0; s < n_seeds; s++)
    for (guint v = 0; v < get_n_variants (training); v++)
      if (!ns_training_is_finished (training, v, s))
        return s;
  return n_seeds;
}

guint
ns_training_count_begun_seeds (const NsTraining *training)
{
  guint n = 1;
  double loss;

  for (guint s = 1; s < ns_training_get_n_seeds (training); s++)
    for (guint v = 0; v < get_n_variants (training); v++)
      if (ns_training_get_loss (training, v, s, 0, &loss))
        n = s + 1;
  return n;
}

guint
ns_training_count_reached (const NsTraining *training, guint record)
{
  guint n = 0;

  for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
    for (guint v = 0; v < get_n_variants (training); v++)
      n += record < ns_training_count_records (training, v, s) ? 1 : 0;
  return n;
}
