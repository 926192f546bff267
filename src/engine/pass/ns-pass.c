/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-pass.h"

#include "engine/experiment/ns-derived.h"
#include "engine/ops/ns-position-bias.h"
#include "engine/ops/ns-probe.h"
#include "engine/ops/ns-progress.h"
#include "engine/ops/ns-tokens.h"
#include "engine/pass/ns-block.h"
#include "engine/pass/ns-contributions.h"
#include "engine/pass/ns-head.h"
#include "engine/pass/ns-identity.h"
#include "engine/pass/ns-input.h"
#include "engine/pass/ns-part.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-relative-bias.h"

#include <string.h>

static void
record_overflow (NsPass *pass, gint64 site)
{
  if (pass->sink.overflow != NULL)
    pass->sink.overflow (pass->sink.data, site);
}

/* Record how the tokens of each sequence differ at x_l [N, X]. Scratch: arrays of the backward pass. */
static void
measure_tokens (NsPass *pass, gint64 site, NsScaled x)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  gboolean wants_residual = ns_pass_wants (pass, NS_Q_TOKEN_RESIDUAL);
  gboolean wants_participation = ns_pass_wants (pass, NS_Q_PARTICIPATION);
  double residual, participation;

  if (ns_pass_wants (pass, NS_Q_TOKEN_COS))
    ns_pass_record (pass, NS_Q_TOKEN_COS, site, ns_token_cosine (x.v, w->features, plan->B, plan->T, plan->X), 0);
  if (!wants_residual && !wants_participation)
    return;
  /* du has room for the T·X centred tokens of a sequence, dx for min (T, C)² numbers */
  ns_token_spread (x.v, plan->B, plan->T, plan->X, w->features, w->du, w->dx, wants_residual ? &residual : NULL,
                   wants_participation ? &participation : NULL, w->linear.progress);
  if (wants_residual)
    ns_pass_record (pass, NS_Q_TOKEN_RESIDUAL, site, residual, 0);
  if (wants_participation)
    ns_pass_record (pass, NS_Q_PARTICIPATION, site, participation, 0);
}

static void
record_cosine (NsPass *pass, NsQuantity quantity, gint64 site, gint64 other)
{
  const NsScaled *x = pass->work->x;
  NsProducts products = ns_products (x[site].v, x[other].v, pass->plan.N * pass->plan.X);

  ns_pass_record (pass, quantity, site, ns_products_get_cosine (&products), 0);
}

/* Record the cosines between x_l and x_{l−1} and, at the end of a part, between each x_l and x_L [N, X]. */
static void
measure_similarity (NsPass *pass, gint64 site)
{
  gint64 layer = ns_plan_get_layer (&pass->plan, site);

  if (layer > 0 && ns_pass_wants (pass, NS_Q_COS_X_PREV))
    record_cosine (pass, NS_Q_COS_X_PREV, site, site - 1);
  if (layer == ns_plan_get_depth (&pass->plan, site) && ns_pass_wants (pass, NS_Q_COS_X_LAST))
    for (gint64 below = site - layer; below <= site; below++)
      record_cosine (pass, NS_Q_COS_X_LAST, below, site);
}

/* Record rms (x_l), ‖x_l‖ and what the tokens are like at x_l [N, X]. FALSE when x_l is no longer finite. */
static gboolean
measure_stream (NsPass *pass, gint64 site)
{
  const NsPlan *plan = &pass->plan;
  NsScaled *x = &pass->work->x[site];
  gsize n = plan->N * plan->X;
  double sum2 = ns_rescale_if_small (x, n);

  if (!isfinite (sum2))
    {
      record_overflow (pass, site);
      return FALSE;
    }
  ns_pass_record (pass, NS_Q_RMS_X, site, sqrt (sum2 / (double) n), x->exp2);
  ns_pass_record (pass, NS_Q_NORM_X, site, sqrt (sum2 / (double) plan->N), x->exp2);
  if (ns_pass_wants (pass, NS_Q_ABS_X))
    ns_pass_record (pass, NS_Q_ABS_X, site, ns_sum_absolute (x->v, n) / (double) n, x->exp2);
  measure_similarity (pass, site);
  if (plan->T > 1)
    measure_tokens (pass, site, *x);
  return TRUE;
}

/* Record ‖∂L/∂x_l‖, which pass->dx [N, X] holds, and its relation to ∂L/∂x_L. */
static void
record_grad_x (NsPass *pass, gint64 site)
{
  double sum2 = ns_rescale_gradient (&pass->dx, ns_pass_get_stream_gradient_size (pass));

  if (ns_plan_get_layer (&pass->plan, site) == ns_plan_get_depth (&pass->plan, site))
    {
      ns_identity_start (pass);
      ns_contributions_start (pass, site);
    }
  ns_pass_record (pass, NS_Q_GRAD_X, site, ns_pass_get_row_norm (pass, pass->dx.v, pass->plan.X, sum2), pass->dx.exp2);
  ns_identity_record (pass, site, sum2);
}

/* Return TRUE when the job was cancelled, so that the last results may be incomplete. */
static gboolean
pass_is_cancelled (const NsPass *pass)
{
  return ns_progress_is_cancelled (pass->work->linear.progress);
}

NsPassState
ns_pass_forward (NsPass *pass, gint64 first, gint64 last, NsProgress *progress)
{
  pass->work->linear.progress = progress;
  for (gint64 site = first; site <= last; site++)
    {
      gint64 layer = ns_plan_get_layer (&pass->plan, site), part = ns_plan_get_index (&pass->plan, site);

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
      if (pass_is_cancelled (pass))
        return NS_PASS_CANCELLED;
      if (!measure_stream (pass, site))
        return NS_PASS_OVERFLOWED;
    }
  return NS_PASS_DONE;
}

/* L = Σ upstream ⊙ h, whose gradient is the upstream gradient, drawn into work->input [N, C]. Return L. */
static double
unit_gradient_forward (const NsPass *pass, NsScaled h)
{
  const NsWorkspace *w = pass->work;
  double value = 0;

  for (gsize i = 0; i < w->N * w->C; i++)
    value += (double) w->input[i] * h.v[i];
  return value * exp2 (h.exp2);
}

static double
loss_forward (NsPass *pass, NsScaled h)
{
  return pass->work->logits != NULL ? ns_head_forward (pass, h) : unit_gradient_forward (pass, h);
}

static void
loss_backward (NsPass *pass, NsScaled h)
{
  NsWorkspace *w = pass->work;

  pass->dx = (NsScaled){ w->dx, 0 };
  pass->has_dsource = FALSE;
  if (w->logits != NULL)
    ns_head_backward (pass, h);
  else
    for (gsize i = 0; i < w->N * w->C; i++)
      w->dx[i] = w->input[i];
}

double
ns_pass_loss (NsPass *pass)
{
  return loss_forward (pass, ns_part_output_forward (pass, pass->plan.parts.n - 1));
}

NsPassState
ns_pass_head (NsPass *pass, double *loss)
{
  gint64 part = pass->plan.parts.n - 1, head = ns_plan_get_head_site (&pass->plan);
  NsScaled h = ns_part_output_forward (pass, part);
  double value = loss_forward (pass, h);

  if (pass_is_cancelled (pass))
    return NS_PASS_CANCELLED;
  if (loss != NULL)
    *loss = value;
  if (!isfinite (value))
    {
      record_overflow (pass, head);
      return NS_PASS_OVERFLOWED;
    }
  if (pass->work->logits != NULL)
    ns_pass_record (pass, NS_Q_LOSS, head, value, 0);
  loss_backward (pass, h);
  if (pass_is_cancelled (pass))
    return NS_PASS_CANCELLED;
  ns_part_output_backward (pass, part);
  record_grad_x (pass, head - 1);
  return NS_PASS_DONE;
}

/* Carry pass->dx from ∂L/∂x_0 of a part through its input norm and, in a decoder, replace it by ∂L/∂x_L of the encoder,
 * whose output only the cross-attentions read. */
static void
part_boundary_backward (NsPass *pass, gint64 site)
{
  gint64 part = ns_plan_get_index (&pass->plan, site);
  gsize n = ns_pass_get_gradient_size (pass);

  ns_part_input_backward (pass, part);
  if (part == 0)
    return;
  if (!pass->has_dsource) /* the pass began at the decoder's input, which does not depend on the encoder */
    pass->dsource = (NsScaled){ memset (pass->work->dsource, 0, n * sizeof *pass->work->dsource), 0 };
  pass->dx = ns_scaled_add (pass->work->dx, 0, pass->dsource, 1, pass->dsource, n);
  ns_part_output_backward (pass, part - 1);
  record_grad_x (pass, site - 1);
}

void
ns_pass_fill_cache (NsPass *pass, gint64 site)
{
  /* without a cache for each block, run the block forward again to fill the one cache */
  if (!pass->work->keep_activations && pass->cached_site != site)
    ns_block_forward (pass, site, FALSE);
  pass->cached_site = site;
}

/* Run the backward pass from ∂L/∂x at the site `highest`, in pass->dx. */
static NsPassState
backward (NsPass *pass, gint64 highest, gint64 lowest, NsProgress *progress)
{
  /* contributions to x_L need no gradient */
  gboolean needs_gradients = ns_quantity_set_needs_gradients (pass->sink.wanted);

  pass->work->linear.progress = progress;
  ns_relative_bias_clear_gradient (pass);
  for (gint64 site = highest; site >= lowest && !pass->satisfied; site--)
    {
      if (ns_plan_get_layer (&pass->plan, site) == 0)
        {
          part_boundary_backward (pass, site);
          continue;
        }
      if (!ns_progress_step (progress))
        return NS_PASS_CANCELLED;
      ns_pass_fill_cache (pass, site);
      ns_contributions_block_backward (pass, site);
      if (!needs_gradients)
        continue;
      ns_identity_block_backward (pass, site);
      ns_block_backward (pass, site);
      if (pass_is_cancelled (pass))
        return NS_PASS_CANCELLED;
      if (pass->satisfied)
        break;
      if (ns_plan_get_layer (&pass->plan, site) == 1)
        {
          ns_part_add_dual_gradient (pass);
          ns_identity_add_dual_gradient (pass);
        }
      record_grad_x (pass, site - 1);
    }
  return NS_PASS_DONE;
}

NsPassState
ns_pass_backward (NsPass *pass, gint64 lowest, NsProgress *progress)
{
  return backward (pass, ns_plan_get_head_site (&pass->plan) - 1, lowest, progress);
}

NsPassState
ns_pass_backward_from (NsPass *pass, gint64 highest, gint64 lowest, NsProgress *progress)
{
  gsize n = ns_pass_get_gradient_size (pass);

  pass->has_dsource = FALSE;
  /* x_l and all that it becomes within its part do not depend on the second stream */
  if (pass->plan.variant->dual_residual)
    pass->dr = (NsScaled){ memset (pass->work->dr, 0, n * sizeof *pass->work->dr), 0 };
  return backward (pass, highest, lowest, progress);
}

NsPassState
ns_pass_run_back (NsPass *pass, NsProgress *progress, double *loss)
{
  NsPassState state = NS_PASS_DONE;

  if (ns_quantity_set_needs_head (pass->sink.wanted))
    state = ns_pass_head (pass, loss);
  if (state == NS_PASS_DONE && ns_quantity_set_needs_backward (pass->sink.wanted))
    state = ns_pass_backward (pass, 0, progress);
  return state;
}

NsPassState
ns_pass_run (NsPass *pass, NsProgress *progress, double *loss)
{
  NsPassState state = ns_pass_forward (pass, 0, ns_plan_get_head_site (&pass->plan) - 1, progress);

  return state == NS_PASS_DONE ? ns_pass_run_back (pass, progress, loss) : state;
}

/* Compute the angles of a rule; cosines and sines are NULL without pairs. */
static NsRotary
make_rotary (const NsPass *pass, NsRotaryRule rule, ns_real *cosines, ns_real *sines)
{
  gboolean interleaved = pass->plan.variant->rotary.pairs == NS_ROTARY_INTERLEAVED;

  if (rule.dim >= 2)
    ns_rotary_fill (&rule, pass->plan.T, cosines, sines);
  return (NsRotary){ interleaved, pass->plan.T, rule.dim / 2, cosines, sines };
}

/* Compute the angles of rotary positions, if the variant has them. */
static void
prepare_rotary (NsPass *pass)
{
  const NsVariant *variant = pass->plan.variant;
  const NsShape *shape = &pass->plan.experiment->shape;
  NsWorkspace *w = pass->work;
  NsRotaryRule rule = ns_variant_get_rotary_rule (variant, shape);
  gsize n;
  g_autofree double *factors = ns_variant_dup_rotary_factors (variant, shape, &n);

  rule.rescale = factors;
  pass->rotary = make_rotary (pass, rule, w->rotary_cos, w->rotary_sin);
  pass->rotary_local = pass->rotary;
  if (ns_variant_has_local_rotary (variant))
    pass->rotary_local = make_rotary (pass, ns_variant_get_local_rotary_rule (variant, shape), w->rotary_local_cos,
                                      w->rotary_local_sin);
}

/* Compute the biases of the scores, if the variant has them. */
static void
prepare_position_bias (NsPass *pass)
{
  for (gint64 part = 0; part < pass->plan.parts.n; part++)
    switch ((NsPositionBias) pass->plan.variant->position_bias)
      {
      case NS_POSITION_BIAS_NONE:
        break;
      case NS_POSITION_BIAS_ALIBI:
      case NS_POSITION_BIAS_ALIBI_SCALED:
        ns_alibi_fill (pass->work->position_bias[part], ns_plan_get_alibi_factor (&pass->plan), pass->plan.H,
                       pass->plan.T);
        pass->position_bias[part] = pass->work->position_bias[part];
        break;
      case NS_POSITION_BIAS_T5:
      default:
        ns_relative_bias_draw (pass, part, pass->work->bias_table[part]);
        ns_relative_bias_forward (pass, part);
        pass->position_bias[part] = pass->work->position_bias[part];
        break;
      }
}

void
ns_pass_init (NsPass *pass, const NsExperiment *experiment, guint variant, guint64 seed, NsWorkspace *work,
              NsWeights *weights)
{
  *pass = (NsPass){ .seed = seed, .work = work, .weights = weights, .copies = 1 };
  ns_plan_init (&pass->plan, experiment, variant);
  pass->tokens[1] = pass->plan.N;
  /* branch norms may start at another gain than 1, [C] */
  if (work->branch_gain != NULL)
    for (gsize c = 0; c < work->C; c++)
      work->branch_gain[c] = (ns_real) pass->plan.variant->branch_norm_gain;
  if (pass->plan.variant->ngpt)
    for (gsize c = 0; c < work->C; c++)
      work->ngpt.gain[c] = (ns_real) (1 / sqrt ((double) work->C));
  prepare_rotary (pass);
  prepare_position_bias (pass);
}
