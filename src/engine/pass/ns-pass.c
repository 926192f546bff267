/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-pass.h"

#include "engine/ops/ns-loss.h"
#include "engine/ops/ns-probe.h"
#include "engine/ops/ns-progress.h"
#include "engine/pass/ns-block.h"
#include "engine/pass/ns-input.h"
#include "engine/pass/ns-part.h"
#include "engine/pass/ns-pass-parameters.h"

static void
record_overflow (NsPass *pass, gint64 site)
{
  if (pass->sink.overflow != NULL)
    pass->sink.overflow (pass->sink.data, site);
}

/* Record rms (x_l) and the token similarity at x_l [N, C]. FALSE when x_l is no longer finite. */
static gboolean
measure_stream (NsPass *pass, gint64 site)
{
  const NsPlan *plan = &pass->plan;
  NsScaled *x = &pass->work->x[site];
  gsize n = plan->N * plan->C;
  double sum2 = ns_rescale_if_small (x, n);

  if (!isfinite (sum2))
    {
      record_overflow (pass, site);
      return FALSE;
    }
  ns_pass_record (pass, NS_Q_RMS_X, site, sqrt (sum2 / (double) n), x->exp2);
  if (plan->T > 1 && ns_pass_wants (pass, NS_Q_TOKEN_COS))
    ns_pass_record (pass, NS_Q_TOKEN_COS, site, ns_token_cosine (x->v, pass->work->features, plan->B, plan->T, plan->C),
                    0);
  return TRUE;
}

/* Record ‖∂L/∂x_l‖, which pass->dx [N, C] holds. */
static void
record_grad_x (NsPass *pass, gint64 site)
{
  double sum2 = ns_rescale_gradient (&pass->dx, pass->plan.N * pass->plan.C);

  ns_pass_record (pass, NS_Q_GRAD_X, site, ns_pass_get_row_norm (pass, pass->dx.v, pass->plan.C, sum2), pass->dx.exp2);
}

/* Return TRUE when the job was cancelled, so that the last results may be incomplete. */
static gboolean
is_cancelled (const NsPass *pass)
{
  return ns_progress_is_cancelled (pass->work->linear.progress);
}

NsPassState
ns_pass_forward (NsPass *pass, gint64 first, gint64 last, NsProgress *progress)
{
  pass->work->linear.progress = progress;
  for (gint64 site = first; site <= last; site++)
    {
      gint64 layer = ns_plan_get_layer (&pass->plan, site), part = site / (pass->plan.depth + 1);

      if (layer > 0 && !ns_progress_step (progress))
        return NS_PASS_CANCELLED;
      /* site 0: draw the inputs. Layer 0 of a decoder: the encoder ends first. Layer 0: x → x_0. Else x_{l−1} → x_l. */
      if (site == 0)
        ns_pass_load_input (pass);
      if (layer == 0 && part > 0)
        ns_part_output_forward (pass, part - 1);
      if (layer == 0)
        ns_part_input_forward (pass, part);
      else
        {
          ns_block_forward (pass, site, TRUE);
          pass->cached_site = site;
        }
      if (is_cancelled (pass))
        return NS_PASS_CANCELLED;
      if (!measure_stream (pass, site))
        return NS_PASS_OVERFLOWED;
    }
  return NS_PASS_DONE;
}

/* Cross-entropy over V classes, h [N, C]:
 *
 *   logits = h·W_head                     [N, V] = [N, C]·[C, V]
 *   L = cross-entropy (logits, targets);  dlogits in place
 *   dW_head = hᵀ·dlogits;  dh = dlogits·W_headᵀ  [N, C], in pass->dx
 *
 * Return L. */
static double
cross_entropy_head (NsPass *pass, NsScaled h)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  gint64 site = ns_plan_get_head_site (plan);
  NsMatrix W = ns_pass_get_matrix (pass, NS_T_W_HEAD, site);
  NsScaled dlogits = { w->logits, 0 };
  double power = ns_take_power (&W.std), loss;

  ns_linear_forward (w->logits, h.v, &W, 1, 0, plan->N, &w->linear);
  loss = ns_cross_entropy (w->logits, w->targets, exp2 (h.exp2 + power), plan->N, plan->V, w->linear.progress);
  if (isfinite (loss))
    {
      ns_pass_record (pass, NS_Q_LOSS, site, loss, 0);
      w->linear.gram_x_valid = FALSE;
      ns_pass_matrix_gradient (pass, NS_T_W_HEAD, site, h, dlogits, NULL);
      ns_linear_backward (pass->dx.v, dlogits.v, &W, 1, 0, plan->N, &w->linear);
      pass->dx.exp2 = power;
    }
  return loss;
}

/* L = Σ upstream ⊙ h, whose gradient is the upstream gradient, drawn into work->input [N, C]. Return L. */
static double
unit_gradient_head (NsPass *pass, NsScaled h)
{
  NsWorkspace *w = pass->work;
  double value = 0;

  for (gsize i = 0; i < w->N * w->C; i++)
    {
      w->dx[i] = w->input[i];
      value += (double) w->input[i] * h.v[i];
    }
  return value * exp2 (h.exp2);
}

NsPassState
ns_pass_head (NsPass *pass, double *loss)
{
  NsWorkspace *w = pass->work;
  gint64 part = pass->plan.n_parts - 1, head = ns_plan_get_head_site (&pass->plan);
  NsScaled h = ns_part_output_forward (pass, part);
  double value;

  pass->dx = (NsScaled){ w->dx, 0 };
  pass->has_dsource = FALSE;
  value = w->logits != NULL ? cross_entropy_head (pass, h) : unit_gradient_head (pass, h);
  if (is_cancelled (pass))
    return NS_PASS_CANCELLED;
  if (loss != NULL)
    *loss = value;
  if (!isfinite (value))
    {
      record_overflow (pass, head);
      return NS_PASS_OVERFLOWED;
    }
  ns_part_output_backward (pass, part);
  record_grad_x (pass, head - 1);
  return NS_PASS_DONE;
}

/* Carry pass->dx from ∂L/∂x_0 of a part through its input norm and, in a decoder, replace it by ∂L/∂x_L of the encoder,
 * whose output only the cross-attentions read. */
static void
part_boundary_backward (NsPass *pass, gint64 site)
{
  gint64 part = site / (pass->plan.depth + 1);

  ns_part_input_backward (pass, part);
  if (part == 0)
    return;
  pass->dx = ns_scaled_add (pass->work->dx, 0, pass->dsource, 1, pass->dsource, pass->plan.N * pass->plan.C);
  ns_part_output_backward (pass, part - 1);
  record_grad_x (pass, site - 1);
}

NsPassState
ns_pass_backward (NsPass *pass, gint64 lowest, NsProgress *progress)
{
  pass->work->linear.progress = progress;
  for (gint64 site = ns_plan_get_head_site (&pass->plan) - 1; site >= lowest && !pass->satisfied; site--)
    {
      if (ns_plan_get_layer (&pass->plan, site) == 0)
        {
          part_boundary_backward (pass, site);
          continue;
        }
      if (!ns_progress_step (progress))
        return NS_PASS_CANCELLED;
      /* without a cache for each block, run the block forward again to fill the one cache */
      if (!pass->work->keep_activations && pass->cached_site != site)
        ns_block_forward (pass, site, FALSE);
      pass->cached_site = 0;
      ns_block_backward (pass, site);
      if (is_cancelled (pass))
        return NS_PASS_CANCELLED;
      if (pass->satisfied)
        break;
      if (ns_plan_get_layer (&pass->plan, site) == 1)
        ns_part_add_dual_gradient (pass);
      record_grad_x (pass, site - 1);
    }
  return NS_PASS_DONE;
}

NsPassState
ns_pass_run (NsPass *pass, NsProgress *progress, double *loss)
{
  NsPassState state = ns_pass_forward (pass, 0, ns_plan_get_head_site (&pass->plan) - 1, progress);

  if (state == NS_PASS_DONE)
    state = ns_pass_head (pass, loss);
  if (state == NS_PASS_DONE)
    state = ns_pass_backward (pass, 0, progress);
  return state;
}

void
ns_pass_init (NsPass *pass, const NsExperiment *experiment, guint variant, guint64 seed, NsWorkspace *work,
              NsWeights *weights)
{
  *pass = (NsPass){ .seed = seed, .work = work, .weights = weights };
  ns_plan_init (&pass->plan, experiment, variant);
  /* branch norms may start at another gain than 1, [C] */
  if (work->branch_gain != NULL)
    for (gsize c = 0; c < work->C; c++)
      work->branch_gain[c] = (ns_real) pass->plan.variant->branch_norm_gain;
}
