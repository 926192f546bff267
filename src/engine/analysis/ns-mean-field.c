/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-mean-field-private.h"

#include "engine/experiment/ns-derived.h"
#include "engine/ops/ns-memory.h"

#include <math.h>

/* A gradient whose square is below this, or above its reciprocal, moves a power of two into its exponent. */
#define TINY 0x1p-400
#define STEP 400

/* Per feature: the mean square of a token, the mean product of two tokens of a sequence, and of two sequences. */
typedef struct
{
  double q, c, e;
} Moments;

/* A variant at one depth. */
typedef struct
{
  const NsExperiment *experiment;
  const NsVariant *variant;
  gint64 depth;
  double T, d, f;
  double b2; /* the square of the branch scale */
} Stack;

static Stack
make_stack (const NsExperiment *experiment, guint index, gint64 depth)
{
  const NsVariant *variant = ns_experiment_variant (experiment, index);
  double b = ns_variant_get_branch_scale (variant, depth);

  return (Stack) {
    .experiment = experiment,
    .variant = variant,
    .depth = depth,
    .T = (double) experiment->shape.seq_len,
    .d = (double) experiment->shape.d_model,
    .f = (double) experiment->shape.d_ff,
    .b2 = b * b,
  };
}

static Moments
scale (Moments x, double factor)
{
  return (Moments) { x.q * factor, x.c * factor, x.e * factor };
}

static Moments
add (Moments x, Moments y)
{
  return (Moments) { x.q + y.q, x.c + y.c, x.e + y.e };
}

static double
similarity (Moments x)
{
  return CLAMP (x.c / x.q, -1, 1);
}

static Moments
normalized (Moments x)
{
  return (Moments) { 1, similarity (x), CLAMP (x.e / x.q, -1, 1) };
}

/* ---- forward ---- */

/* ReLU halves the mean square. Two Gaussians of similarity r give the mean product k (r)/2, k (r) = (√(1 − r²) +
 * r·(π − arccos r))/π (Cho and Saul 2009), and both are positive with the probability (π − arccos r)/(2π). */
static void
relu (double r, double *product, double *both)
{
  double angle = G_PI - acos (r);

  *product = (sqrt (1 - r * r) + r * angle) / (2 * G_PI);
  *both = angle / (2 * G_PI);
}

/* One sub-layer: what the forward pass leaves for the backward pass. */
typedef struct
{
  Moments x, u;          /* its input; the branch's input, after the norm before it */
  Moments hidden, kappa; /* FFN: after ReLU; the shares of hidden features that let both gradients through */
  Moments s, branch;     /* the branch's output; the same after the norm on it */
  Moments z, y;          /* the sum; the output */
  double a2;             /* the square of the residual's scale */
  double pre, on, post;  /* what a norm before, on the branch and after multiplies the moments of a gradient by */
  gboolean has_pre, has_branch, has_post;
} SubLayer;

static void
run_attention (const Stack *stack, SubLayer *sub)
{
  double mean = (sub->u.q + (stack->T - 1) * sub->u.c) / stack->T;

  /* All tokens of a sequence get the mean over it. */
  sub->s = (Moments) { mean, mean, sub->u.e };
}

static void
run_ffn (SubLayer *sub)
{
  sub->hidden.q = sub->kappa.q = 0.5;
  relu (similarity (sub->u), &sub->hidden.c, &sub->kappa.c);
  relu (CLAMP (sub->u.e / sub->u.q, -1, 1), &sub->hidden.e, &sub->kappa.e);
  sub->hidden = scale (sub->hidden, sub->u.q);
  sub->s = sub->hidden;
}

static SubLayer
run (const Stack *stack, NsSub kind, gint64 block, Moments x)
{
  const NsVariant *variant = stack->variant;
  NsPlacement placement = ns_variant_get_placement (variant, kind, block, stack->depth);
  NsParts parts = ns_parts_single (stack->depth);
  double a = ns_variant_get_wiring (variant, kind).residual
                 ? ns_variant_get_alpha (variant, NS_PART_STACK, block, &parts)
                 : 0;
  SubLayer sub = { .x = x, .u = x, .a2 = a * a, .pre = 1, .on = 1, .post = 1 };

  sub.has_pre = ns_placement_has_pre (placement);
  sub.has_branch = ns_placement_has_branch (placement);
  sub.has_post = ns_placement_has_post (placement);
  if (sub.has_pre)
    {
      double share = variant->norm_scale == NS_NORM_SCALE_LAYERNORM_SCALING ? 1 / (double) block : 1;

      sub.u = scale (normalized (x), share);
      sub.pre = share / x.q;
    }
  if (kind == NS_SUB_ATTN)
    run_attention (stack, &sub);
  else
    run_ffn (&sub);
  sub.branch = sub.has_branch ? normalized (sub.s) : sub.s;
  sub.on = sub.has_branch ? 1 / sub.s.q : 1;
  sub.z = add (scale (x, sub.a2), scale (sub.branch, stack->b2));
  sub.y = sub.has_post ? normalized (sub.z) : sub.z;
  sub.post = sub.has_post ? 1 / sub.z.q : 1;
  return sub;
}

/* ---- backward ---- */

/* The gradients of one sub-layer, as moments, and of its parameters, as squared norms. */
typedef struct
{
  Moments dy, dz, dx;
  double w_v, w_1, w_2;
  double b_v, b_1, b_2; /* 0 without the bias */
  double others;        /* the gains and biases of its norms, and its learned scale */
} Gradients;

static const Moments ones = { 1, 1, 1 };

/* Sum a·b over the pairs of tokens that the chosen estimate averages (MODEL, "Minibatches"). */
static double
sum_pairs (const Stack *stack, Moments a, Moments b)
{
  const NsSampling *sampling = &stack->experiment->sampling;
  double N = (double) stack->experiment->shape.batch * stack->T, M = (double) sampling->batches;
  double within = N * a.q * b.q + N * (stack->T - 1) * a.c * b.c + N * (N - stack->T) * a.e * b.e;
  double between = N * N * a.e * b.e;

  if (M < 2 || sampling->estimate == NS_ESTIMATE_NORM)
    return within;
  return sampling->estimate == NS_ESTIMATE_EXPECTED ? between : (within + (M - 1) * between) / M;
}

static double
get_bias (const Stack *stack, NsTensor bias, Moments gradient)
{
  return ns_variant_has_bias (stack->variant, bias) ? stack->d * sum_pairs (stack, ones, gradient) : 0;
}

static double
get_norm (const Stack *stack, NsTensor bias, Moments input, Moments gradient)
{
  return stack->d * sum_pairs (stack, normalized (input), gradient) + get_bias (stack, bias, gradient);
}

/* Return the part of a sub-layer's sum that is not of its matrices and their biases; `in` is the gradient of the
 * branch's input. */
static double
sum_others (const Stack *stack, const SubLayer *sub, const Gradients *g, Moments in)
{
  double sum = 0;

  if (sub->has_pre)
    sum += get_norm (stack, NS_T_BIAS_ATTN_PRE, sub->x, scale (in, sub->pre * sub->x.q));
  if (sub->has_branch)
    sum += get_norm (stack, NS_T_BIAS_ATTN_BRANCH, sub->s, scale (g->dz, stack->b2));
  if (sub->has_post)
    sum += get_norm (stack, NS_T_BIAS_ATTN_POST, sub->z, g->dy);
  if (stack->variant->branch_parameter != NS_BRANCH_PARAMETER_NONE)
    sum += stack->d * sum_pairs (stack, sub->branch, g->dz);
  return sum;
}

static double
get_sum (const Gradients *g)
{
  return g->w_v + g->w_1 + g->w_2 + g->b_v + g->b_1 + g->b_2 + g->others;
}

/* `in` is the gradient of the values, before the map. */
static void
set_attention_norms (const Stack *stack, const SubLayer *sub, Moments in, Gradients *g)
{
  g->w_v = stack->d * stack->d * sum_pairs (stack, sub->u, in);
  g->b_v = get_bias (stack, NS_T_B_V, in);
}

/* `out` is the gradient of the branch's output, `in` that of its input. */
static void
set_ffn_norms (const Stack *stack, const SubLayer *sub, Moments out, Moments in, Gradients *g)
{
  g->w_2 = stack->d * stack->f * sum_pairs (stack, sub->hidden, out);
  g->b_2 = get_bias (stack, NS_T_B_2, out);
  /* d·f times the moments of a hidden feature's gradient, which are d/f·in since W_2 has the variance 1/f */
  g->w_1 = stack->d * stack->d * sum_pairs (stack, sub->u, in);
  g->b_1 = get_bias (stack, NS_T_B_1, in);
}

/* Without `has_norms` compute the moments alone. */
static Gradients
run_back (const Stack *stack, NsSub kind, const SubLayer *sub, Moments dy, gboolean has_norms)
{
  Gradients g = { .dy = dy, .dz = scale (dy, sub->post) };
  Moments out = scale (g.dz, stack->b2 * sub->on), in;

  if (kind == NS_SUB_ATTN)
    {
      double mean = (out.q + (stack->T - 1) * out.c) / stack->T;

      /* Every token receives the mean of the gradients of its sequence. */
      in = (Moments) { mean, mean, out.e };
      if (has_norms)
        set_attention_norms (stack, sub, in, &g);
    }
  else
    {
      in = (Moments) { out.q * sub->kappa.q, out.c * sub->kappa.c, out.e * sub->kappa.e };
      if (has_norms)
        set_ffn_norms (stack, sub, out, in, &g);
    }
  if (has_norms)
    g.others = sum_others (stack, sub, &g, in);
  g.dx = add (scale (g.dz, sub->a2), scale (in, sub->pre));
  return g;
}

/* Return the gradient of the loss at x_L. */
static Moments
get_top_gradient (const Stack *stack, Moments x)
{
  const NsExperiment *experiment = stack->experiment;
  double N = (double) experiment->shape.batch * stack->T, V = (double) experiment->shape.vocab;
  double variance = ns_mean_field_get_head_variance (experiment, stack->variant), v = stack->d * variance;
  Moments h = normalized (x), g;

  if (experiment->loss == NS_LOSS_UNIT_GRADIENT)
    return (Moments) { 1 / (N * stack->d), 0, 0 };
  /* The logits of two tokens are Gaussian, of variance v and covariance r·v; so Σp² = e^v/V, Σp·p' = e^(r·v)/V. */
  g = (Moments) { 1 + (exp (v) - 2) / V, expm1 (h.c * v) / V, expm1 (h.e * v) / V };
  g = scale (g, variance / (N * N));
  return ns_variant_ends_in_norm (stack->variant, stack->depth) ? scale (g, 1 / x.q) : g;
}

/* ---- a site ---- */

/* What the recursion knows of x_l and, above the input, of block l. Squares of gradients have been divided by
 * 2^exponent, that of the identity path by 2^path_exponent. */
typedef struct
{
  Moments x, g;
  SubLayer attn, ffn;
  Gradients g_attn, g_ffn;
  double top, path; /* the squares of ∂L/∂x_L, and of ι_l relative to it */
  int exponent, path_exponent;
} Site;

/* Return the square of a covered quantity, divided by 2^*exponent. */
static double
get_square (const Stack *stack, NsQuantity quantity, const Site *site, int *exponent)
{
  double size = (double) stack->experiment->shape.batch * stack->T * stack->d, r = similarity (site->x);
  double share = ldexp (site->path * site->top / site->g.q, site->path_exponent - site->exponent);

  *exponent = ns_quantity_is_backward (quantity) ? site->exponent : 0;
  switch ((int) quantity)
    {
    case NS_Q_RMS_X:
      return site->x.q;
    case NS_Q_TOKEN_COS:
      return r * r;
    case NS_Q_RMS_Y_ATTN:
      return site->attn.y.q;
    case NS_Q_RMS_Z_ATTN:
      return site->attn.z.q;
    case NS_Q_RMS_Z_FFN:
      return site->ffn.z.q;
    case NS_Q_RMS_ATTN:
      return stack->b2 * site->attn.branch.q;
    case NS_Q_RMS_FFN:
      return stack->b2 * site->ffn.branch.q;
    case NS_Q_GRAD_X:
      return size * site->g.q;
    case NS_Q_GRAD_Y_ATTN:
      return size * site->g_attn.dy.q;
    case NS_Q_GRAD_Z_ATTN:
      return size * site->g_attn.dz.q;
    case NS_Q_GRAD_Z_FFN:
      return size * site->g_ffn.dz.q;
    case NS_Q_IDENTITY:
      *exponent = site->path_exponent;
      return site->path;
    case NS_Q_IDENTITY_SHARE:
      *exponent = 0;
      return share * share;
    case NS_Q_GRAD_COS:
      *exponent = 0;
      return share;
    case NS_Q_W_V:
      return site->g_attn.w_v;
    case NS_Q_B_V:
      return site->g_attn.b_v;
    case NS_Q_W_1:
      return site->g_ffn.w_1;
    case NS_Q_B_1:
      return site->g_ffn.b_1;
    case NS_Q_W_2:
      return site->g_ffn.w_2;
    case NS_Q_B_2:
      return site->g_ffn.b_2;
    case NS_Q_ATTN:
      return get_sum (&site->g_attn);
    case NS_Q_FFN:
      return get_sum (&site->g_ffn);
    case NS_Q_BLOCK:
      return get_sum (&site->g_attn) + get_sum (&site->g_ffn);
    default:
      return NAN;
    }
}

/* ---- the stack ---- */

/* Fill x [depth + 1] with the moments of x_0 .. x_depth, the first `known` of which are known. */
static void
run_stack (const Stack *stack, Moments *x, gint64 known)
{
  x[0] = (Moments) { 1, 0, 0 };
  for (gint64 block = MAX (known, 1); block <= stack->depth; block++)
    {
      SubLayer attn = run (stack, NS_SUB_ATTN, block, x[block - 1]);

      x[block] = run (stack, NS_SUB_FFN, block, attn.y).y;
    }
}

/* Move a power of two from a square into its exponent, before the square underflows or overflows. */
static double
get_shift (double square, int *exponent)
{
  int shift = square > 0 && square < TINY ? STEP : square > 1 / TINY ? -STEP : 0;

  *exponent -= shift;
  return shift == 0 ? 1 : ldexp (1, shift);
}

/* Set a site to x_depth. */
static void
start (const Stack *stack, Site *site, const Moments *x)
{
  *site = (Site) { .x = x[stack->depth], .g = get_top_gradient (stack, x[stack->depth]), .path = 1 };
  site->top = site->g.q;
}

/* Compute block l of the site, which has x_l and its gradient. */
static void
enter_block (const Stack *stack, Site *site, gint64 block, const Moments *x, gboolean has_norms)
{
  site->attn = run (stack, NS_SUB_ATTN, block, x[block - 1]);
  site->ffn = run (stack, NS_SUB_FFN, block, site->attn.y);
  site->g_ffn = run_back (stack, NS_SUB_FFN, &site->ffn, site->g, has_norms);
  site->g_attn = run_back (stack, NS_SUB_ATTN, &site->attn, site->g_ffn.dx, has_norms);
}

/* Go from x_l, whose block is known, to x_(l-1). */
static void
go_down (Site *site)
{
  site->x = site->attn.x;
  site->g = site->g_attn.dx;
  site->g = scale (site->g, get_shift (site->g.q, &site->exponent));
  site->path *= site->ffn.a2 * site->ffn.post * site->attn.a2 * site->attn.post;
  site->path *= get_shift (site->path, &site->path_exponent);
}

static double
to_log10 (double square, int exponent)
{
  return isfinite (square) ? 0.5 * (log10 (square) + exponent * M_LN2 / M_LN10) : NAN;
}

gboolean
ns_mean_field_predict (const NsExperiment *experiment, guint variant, NsQuantity quantity, double *value,
                       double *log10_value)
{
  Stack stack = make_stack (experiment, variant, experiment->shape.depth);
  g_autofree Moments *x = ns_memory_try_new (Moments, (guint64) stack.depth + 1);
  Site site;

  if (x == NULL)
    return FALSE;
  run_stack (&stack, x, 0);
  start (&stack, &site, x);
  for (gint64 l = stack.depth; l >= 0; l--)
    {
      double square, log10_here;
      int exponent;

      if (l > 0)
        enter_block (&stack, &site, l, x, TRUE);
      square = get_square (&stack, quantity, &site, &exponent);
      log10_here = to_log10 (square, exponent);
      if (!ns_quantity_exists (quantity, experiment, variant, l))
        log10_here = NAN;
      if (log10_value != NULL)
        log10_value[l] = log10_here;
      if (value != NULL)
        value[l] = pow (10, log10_here);
      go_down (&site);
    }
  return TRUE;
}

/* ---- over depths ---- */

/* Return the metric of a stack, whose x [depth + 1] are known. */
static double
get_metric (const Stack *stack, NsMetric metric, const Moments *x)
{
  double sum = 0;
  int exponent = 0;
  Site site;

  start (stack, &site, x);
  for (gint64 l = stack->depth; l >= 1; l--)
    {
      double square;
      int own;

      enter_block (stack, &site, l, x, metric.where != NS_AT_FIRST || l == 1);
      square = get_square (stack, metric.quantity, &site, &own);
      if (own != exponent)
        sum = ldexp (sum, exponent - own);
      exponent = own;
      if (metric.where == NS_AT_TOTAL || metric.where == NS_AT_SQUARES)
        sum += square;
      else if (metric.where != NS_AT_MAX || !(sum >= square))
        sum = square;
      if (metric.where == NS_AT_LAST)
        break;
      go_down (&site);
    }
  return (metric.where == NS_AT_SQUARES ? 2 : 1) * to_log10 (sum, exponent);
}

gboolean
ns_mean_field_predict_metric (const NsExperiment *experiment, guint variant, NsMetric metric, const gint64 *depths,
                              guint n, double *log10_value)
{
  g_autofree Moments *x = n > 0 ? ns_memory_try_new (Moments, (guint64) depths[n - 1] + 1) : NULL;
  gboolean is_shared = !ns_variant_depends_on_depth (experiment, variant);
  gboolean exists = ns_quantity_exists (metric.quantity, experiment, variant, 1);
  gint64 known = 0;

  if (n > 0 && x == NULL)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      Stack stack = make_stack (experiment, variant, depths[i]);

      run_stack (&stack, x, known);
      known = is_shared ? depths[i] + 1 : 0;
      log10_value[i] = exists ? get_metric (&stack, metric, x) : NAN;
    }
  return TRUE;
}
