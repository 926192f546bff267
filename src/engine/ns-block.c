/* The wiring of a block: where norms, residual and scales stand around the branches.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   u = norm_pre (x), s = F (u), s = norm_branch (s), z = a·x + b·s, y = norm_post (z)
 *
 * each norm where the placement has it. Backward runs the same lines upwards.
 */
#include "engine/ns-pass.h"

#include "engine/ns-probe.h"

#include <string.h>

/* The tensors and quantities of one sub-layer. */
typedef struct
{
  NsSub sub;
  NsTensor pre, branch, post;
  NsQuantity rms;
} Kind;

static const Kind attn_kind = { NS_SUB_ATTN, NS_T_GAIN_ATTN_PRE, NS_T_GAIN_ATTN_BRANCH, NS_T_GAIN_ATTN_POST,
                                NS_Q_RMS_ATTN };
static const Kind ffn_kind = { NS_SUB_FFN, NS_T_GAIN_FFN_PRE, NS_T_GAIN_FFN_BRANCH, NS_T_GAIN_FFN_POST, NS_Q_RMS_FFN };

static NsPlacement
placement (const NsPass *pass, const Kind *kind, gint64 block)
{
  return ns_variant_get_placement (pass->plan.variant, kind->sub, block, pass->plan.depth);
}

/* The residual scale where the residual is on, else 0. */
static double
shortcut (const NsPass *pass, const Kind *kind)
{
  const NsVariant *v = pass->plan.variant;

  return (kind->sub == NS_SUB_ATTN ? v->attn : v->ffn).residual ? pass->plan.a : 0;
}

static gsize
stream_size (const NsPass *pass)
{
  return pass->plan.N * pass->plan.C;
}

/* ---- forward ---- */

/* u = norm_pre (x)·norm_scale, or x itself. */
static NsScaled
enter (NsPass *pass, NsSubCache *c, NsScaled x, const Kind *kind, gint64 block)
{
  double scale = ns_plan_get_norm_scale (&pass->plan, block);

  c->x = x;
  if (!ns_placement_has_pre (placement (pass, kind, block)))
    return x;
  c->u = ns_pass_norm_forward (pass, &c->pre, c->u_array, x, kind->pre, block);
  if (scale != 1)
    ns_scale (c->u.v, scale, stream_size (pass));
  return c->u;
}

/* What the branch adds before its scale: norm_branch (s), or s. */
static NsScaled
leave_branch (NsPass *pass, NsSubCache *c, const Kind *kind, gint64 block, gboolean measure)
{
  NsScaled s = c->s;

  if (ns_placement_has_branch (placement (pass, kind, block)))
    s = ns_pass_norm_forward (pass, &c->branch, pass->work->branch, c->s, kind->branch, block);
  if (measure)
    {
      double n = (double) stream_size (pass);
      double rms = pass->plan.b * sqrt (ns_sum_squares (s.v, stream_size (pass)) / n);
      ns_pass_record (pass, kind->rms, block, rms, s.exp2);
    }
  return s;
}

/* z = a·x + b·s, at the larger of the two scales; z may be x's or s's array. What is switched off is not touched, so
 * that an Inf in it does no harm. */
static NsScaled
add (NsPass *pass, ns_real *z, double a, NsScaled x, double b, NsScaled s)
{
  gsize n = stream_size (pass);
  double e;

  x.exp2 += ns_take_power (&a);
  s.exp2 += ns_take_power (&b);
  e = MAX (x.exp2, s.exp2);
  if (a != 0 && b != 0)
    {
      ns_add (z, a * exp2 (x.exp2 - e), x.v, b * exp2 (s.exp2 - e), s.v, n);
      return (NsScaled){ z, e };
    }
  if (a == 0)
    {
      x = s;
      a = b;
    }
  memmove (z, x.v, n * sizeof *z);
  if (a != 1)
    ns_scale (z, a, n);
  return (NsScaled){ z, x.exp2 };
}

/* y = norm_post (z), or z, into the array y. */
static NsScaled
close_sub (NsPass *pass, NsSubCache *c, ns_real *y, double a, NsScaled x, NsScaled s, const Kind *kind, gint64 block)
{
  NsScaled out;

  if (ns_placement_has_post (placement (pass, kind, block)))
    {
      c->z = add (pass, c->z_array, a, x, pass->plan.b, s);
      ns_settle_forward (&c->z, stream_size (pass));
      out = ns_pass_norm_forward (pass, &c->post, y, c->z, kind->post, block);
    }
  else
    out = add (pass, y, a, x, pass->plan.b, s);
  return out;
}

static void
sequential_forward (NsPass *pass, NsBlockCache *c, NsScaled x, NsScaled *y, gint64 block, gboolean measure)
{
  NsScaled s;

  c->attn.u = enter (pass, &c->attn, x, &attn_kind, block);
  ns_attention_branch_forward (pass, &c->attn, block);
  s = leave_branch (pass, &c->attn, &attn_kind, block, measure);
  c->middle = close_sub (pass, &c->attn, c->middle.v, shortcut (pass, &attn_kind), x, s, &attn_kind, block);
  ns_settle_forward (&c->middle, stream_size (pass));

  c->ffn.u = enter (pass, &c->ffn, c->middle, &ffn_kind, block);
  ns_ffn_branch_forward (pass, &c->ffn, block);
  s = leave_branch (pass, &c->ffn, &ffn_kind, block, measure);
  *y = close_sub (pass, &c->ffn, y->v, shortcut (pass, &ffn_kind), c->middle, s, &ffn_kind, block);
}

/* y = a·x + b·(Attn (u) + FFN (u)), one u for both (GPT-J, PaLM). */
static void
parallel_forward (NsPass *pass, NsBlockCache *c, NsScaled x, NsScaled *y, gint64 block, gboolean measure)
{
  NsScaled s;

  c->attn.u = c->ffn.u = enter (pass, &c->attn, x, &attn_kind, block);
  ns_attention_branch_forward (pass, &c->attn, block);
  s = leave_branch (pass, &c->attn, &attn_kind, block, measure);
  c->middle = add (pass, c->middle.v, 0, x, 1, s);
  ns_ffn_branch_forward (pass, &c->ffn, block);
  s = leave_branch (pass, &c->ffn, &ffn_kind, block, measure);
  c->middle = add (pass, c->middle.v, 1, s, 1, c->middle);
  *y = close_sub (pass, &c->attn, y->v, shortcut (pass, &attn_kind), x, c->middle, &attn_kind, block);
}

void
ns_block_forward (NsPass *pass, gint64 block, gboolean measure)
{
  NsWorkspace *w = pass->work;
  NsBlockCache *c = ns_workspace_get_block (w, block);
  NsScaled x = w->x[block - 1], *y = &w->x[block];

  if (pass->plan.variant->topology == NS_TOPOLOGY_PARALLEL)
    parallel_forward (pass, c, x, y, block, measure);
  else
    sequential_forward (pass, c, x, y, block, measure);
}

/* ---- backward ---- */

/* dz from dy. */
static NsScaled
open_sub (NsPass *pass, const NsSubCache *c, NsScaled dy, const Kind *kind, gint64 block, NsRoot *sum)
{
  if (!ns_placement_has_post (placement (pass, kind, block)))
    return dy;
  return ns_pass_norm_backward (pass, &c->post, dy.v, dy, kind->post, block, sum);
}

/* ds of the branch from dz: b·dz through the branch norm, into work->ds. */
static NsScaled
enter_branch (NsPass *pass, const NsSubCache *c, NsScaled dz, const Kind *kind, gint64 block, NsRoot *sum)
{
  gsize n = stream_size (pass);
  NsScaled ds = add (pass, pass->work->ds, pass->plan.b, dz, 0, dz);

  if (ns_placement_has_branch (placement (pass, kind, block)))
    {
      ds = ns_pass_norm_backward (pass, &c->branch, ds.v, ds, kind->branch, block, sum);
      ns_settle_backward (&ds, n);
    }
  return ds;
}

/* dx from du through norm_pre. */
static NsScaled
leave (NsPass *pass, const NsSubCache *c, NsScaled du, const Kind *kind, gint64 block, NsRoot *sum)
{
  double scale = ns_plan_get_norm_scale (&pass->plan, block);

  if (!ns_placement_has_pre (placement (pass, kind, block)))
    return du;
  if (scale != 1)
    ns_scale (du.v, scale, stream_size (pass));
  return ns_pass_norm_backward (pass, &c->pre, du.v, du, kind->pre, block, sum);
}

static void
sequential_sub_backward (NsPass *pass, NsSubCache *c, const Kind *kind, gint64 block, NsRoot *sum)
{
  NsScaled dz, ds, du;

  dz = open_sub (pass, c, pass->dx, kind, block, sum);
  ds = enter_branch (pass, c, dz, kind, block, sum);
  if (kind->sub == NS_SUB_ATTN)
    du = ns_attention_branch_backward (pass, c, block, ds, sum);
  else
    du = ns_ffn_branch_backward (pass, c, block, ds, sum);
  if (pass->satisfied)
    return;
  du = leave (pass, c, du, kind, block, sum);
  /* the shortcut's a·dz and the branch's du meet */
  pass->dx = add (pass, pass->work->dx, 1, du, shortcut (pass, kind), dz);
  ns_settle_backward (&pass->dx, stream_size (pass));
}

static void
parallel_backward (NsPass *pass, NsBlockCache *c, gint64 block)
{
  NsScaled dz, ds, du, du_attn = { c->middle.v, 0 }; /* what the forward pass left in middle has been used up */

  dz = open_sub (pass, &c->attn, pass->dx, &attn_kind, block, &pass->attn_sum);
  ds = enter_branch (pass, &c->attn, dz, &attn_kind, block, &pass->attn_sum);
  du = ns_attention_branch_backward (pass, &c->attn, block, ds, &pass->attn_sum);
  du_attn = add (pass, du_attn.v, 0, du, 1, du);
  ds = enter_branch (pass, &c->ffn, dz, &ffn_kind, block, &pass->ffn_sum);
  du = ns_ffn_branch_backward (pass, &c->ffn, block, ds, &pass->ffn_sum);
  du = add (pass, du.v, 1, du_attn, 1, du);
  du = leave (pass, &c->attn, du, &attn_kind, block, &pass->attn_sum);
  pass->dx = add (pass, pass->work->dx, 1, du, shortcut (pass, &attn_kind), dz);
  ns_settle_backward (&pass->dx, stream_size (pass));
}

void
ns_block_backward (NsPass *pass, gint64 block)
{
  NsBlockCache *c = ns_workspace_get_block (pass->work, block);
  NsRoot all = { 0, 0 };

  pass->attn_sum = pass->ffn_sum = all;
  if (pass->plan.variant->topology == NS_TOPOLOGY_PARALLEL)
    parallel_backward (pass, c, block);
  else
    {
      sequential_sub_backward (pass, &c->ffn, &ffn_kind, block, &pass->ffn_sum);
      if (pass->satisfied)
        return;
      sequential_sub_backward (pass, &c->attn, &attn_kind, block, &pass->attn_sum);
    }
  ns_pass_record (pass, NS_Q_ATTN, block, sqrt (pass->attn_sum.sum2), pass->attn_sum.exp2);
  ns_pass_record (pass, NS_Q_FFN, block, sqrt (pass->ffn_sum.sum2), pass->ffn_sum.exp2);
  ns_root_add (&all, sqrt (pass->attn_sum.sum2), pass->attn_sum.exp2);
  ns_root_add (&all, sqrt (pass->ffn_sum.sum2), pass->ffn_sum.exp2);
  ns_pass_record (pass, NS_Q_BLOCK, block, sqrt (all.sum2), all.exp2);
}
