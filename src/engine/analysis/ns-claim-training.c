/* The verdict on a claim that trains.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-claim-private.h"

#include "engine/experiment/ns-settings.h"
#include "engine/train/ns-training-loss.h"

#include <math.h>

NsWhyNot
ns_claim_find_obstacle (const NsClaim *claim, const NsExperiment *experiment)
{
  const char *const ids[] = { claim->variant, claim->over };

  for (gsize i = 0; i < G_N_ELEMENTS (ids) && ids[i] != NULL; i++)
    if (ns_claim_find_missed (claim, experiment, ns_claim_find_variant (claim, experiment, ids[i])) != 0)
      return NS_WHY_NOT_ASSUMED;
  return experiment->sampling.seeds < claim->min_seeds ? NS_WHY_NOT_SEEDS : NS_WHY_NOT_NONE;
}

NsTraining *
ns_claim_training_new (const NsExperiment *experiment, GError **error)
{
  const NsQuantitySet none = { 0 };
  const NsTrainingPlan plan = { .n_first = 1, .quantities = &none };

  return ns_training_new (experiment, &plan, 0, (guint) experiment->sampling.seeds, error);
}

/* Read the final loss of each seed that has not diverged, relative to the entropy of a token alone, and count the
 * stalled and diverged seeds. Return the number of losses; *finished is FALSE while a run has not ended. */
static guint
read_losses (const NsTraining *training, double *ratios, NsClaimResult *result, gboolean *finished)
{
  double entropy = ns_training_get_symbol_entropy (training), half, last;
  gint64 n_steps = ns_training_get_n_steps (training), step, site;
  guint n = 0;

  *finished = TRUE;
  for (guint s = 0; s < result->n_seeds; s++)
    {
      if (!ns_training_is_finished (training, result->variant, s))
        {
          *finished = FALSE;
        }
      else if (ns_training_get_divergence (training, result->variant, s, &step, &site)
               || !ns_training_get_run_loss (training, result->variant, s, n_steps / 2, &half)
               || !ns_training_get_run_loss (training, result->variant, s, n_steps - 1, &last))
        {
          result->n_diverged++;
        }
      else
        {
          ratios[n++] = last / entropy;
          result->n_stalled += ns_losses_stall (half, last, entropy);
        }
    }
  return n;
}

/* A diverged seed has an infinite loss, which only a claim without an upper end accepts. */
static void
judge_losses (const double *ratios, guint n, double low, double high, NsClaimResult *result)
{
  double mean = NAN, error = NAN;

  if (n > 0)
    ns_claim_interval (ratios, n, 1, &mean, &error);
  ns_claim_judge_number (mean, error, low > 0 ? low : high, low, high, result);
  if (result->n_diverged == 0)
    return;
  if (isfinite (high))
    result->verdict = NS_VERDICT_NOT_CONSISTENT;
  else if (n == 0)
    result->verdict = NS_VERDICT_CONSISTENT;
  if (result->verdict != NS_VERDICT_CANNOT_TELL)
    result->why_not = NS_WHY_NOT_NONE;
}

void
ns_claim_evaluate_training (const NsClaim *claim, const NsExperiment *experiment, const NsTraining *training,
                            NsClaimResult *result)
{
  NsWhyNot obstacle = ns_claim_find_obstacle (claim, experiment);
  g_autofree double *ratios = NULL;
  gboolean finished;
  guint n;

  if (obstacle != NS_WHY_NOT_NONE || training == NULL)
    {
      ns_claim_cannot_tell (result, obstacle != NS_WHY_NOT_NONE ? obstacle : NS_WHY_NOT_RUN);
      return;
    }
  result->n_seeds = ns_training_get_n_seeds (training);
  ratios = g_new (double, MAX (result->n_seeds, 1));
  n = read_losses (training, ratios, result, &finished);
  if (!finished)
    {
      ns_claim_cannot_tell (result, NS_WHY_NOT_RUN);
      return;
    }
  judge_losses (ratios, n, claim->lower[0], claim->upper[0] > 0 ? claim->upper[0] : INFINITY, result);
}
