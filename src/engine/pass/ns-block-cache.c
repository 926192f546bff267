/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-block-cache.h"

#include "engine/experiment/ns-derived.h"

void *
ns_arena_take (NsArena *arena, guint64 n, gsize element)
{
  guint64 bytes, start = arena->used;

  if (start == G_MAXUINT64 || __builtin_mul_overflow (n, element, &bytes) || __builtin_add_overflow (bytes, 63, &bytes)
      || __builtin_add_overflow (start, bytes & ~(guint64) 63, &arena->used))
    {
      arena->used = G_MAXUINT64;
      return NULL;
    }
  return arena->base != NULL ? arena->base + start : NULL;
}

ns_real *
ns_arena_take_reals (NsArena *arena, guint64 rows, guint64 columns)
{
  guint64 n;

  if (__builtin_mul_overflow (rows, columns, &n))
    n = G_MAXUINT64;
  return ns_arena_take (arena, n, sizeof (ns_real));
}

void
ns_block_cache_take_norm (NsArena *arena, NsNormCache *norm, gsize rows)
{
  norm->mean = ns_arena_take_reals (arena, rows, 1);
  norm->rstd = ns_arena_take_reals (arena, rows, 1);
}

/* width: features of the input of the branch's last matrix, A or F */
static void
take_sub (NsArena *arena, NsSubCache *sub, const NsWorkspace *w, gsize width, const NsWorkspaceNeeds *needs)
{
  if (needs->pre)
    {
      sub->u_array = ns_arena_take_reals (arena, w->N, w->C);
      ns_block_cache_take_norm (arena, &sub->pre, w->N);
    }
  if (needs->branch)
    ns_block_cache_take_norm (arena, &sub->branch, w->N);
  if (needs->post)
    {
      sub->z_array = ns_arena_take_reals (arena, w->N, w->C);
      ns_block_cache_take_norm (arena, &sub->post, w->N);
    }
  if (needs->inner)
    {
      sub->inner_array = ns_arena_take_reals (arena, w->N, width);
      ns_block_cache_take_norm (arena, &sub->inner, w->N);
    }
  if (needs->streams > 0)
    sub->x_array = ns_arena_take_reals (arena, w->N, w->C);
  sub->s.v = ns_arena_take_reals (arena, w->N, w->C);
}

static void
take_attention (NsArena *arena, NsSubCache *attn, const NsWorkspace *w, const NsShape *shape,
                const NsWorkspaceNeeds *needs)
{
  gsize q_rows = w->N * (gsize) shape->heads, k_rows = w->N * (gsize) ns_shape_get_kv_heads (shape);

  take_sub (arena, attn, w, w->A, needs);
  if (needs->probs)
    {
      attn->q.v = ns_arena_take_reals (arena, w->N, w->A);
      attn->k.v = ns_arena_take_reals (arena, w->N, w->K);
      attn->probs = ns_arena_take_reals (arena, w->n_probs, 1);
    }
  attn->v.v = ns_arena_take_reals (arena, w->N, w->K);
  attn->mixed.v = ns_arena_take_reals (arena, w->N, w->A);
  if (needs->qk_norm)
    {
      attn->q_array = ns_arena_take_reals (arena, w->N, w->A);
      attn->k_array = ns_arena_take_reals (arena, w->N, w->K);
      ns_block_cache_take_norm (arena, &attn->q_norm, q_rows);
      ns_block_cache_take_norm (arena, &attn->k_norm, k_rows);
    }
  if (needs->v_norm)
    {
      attn->v_array = ns_arena_take_reals (arena, w->N, w->K);
      ns_block_cache_take_norm (arena, &attn->v_norm, k_rows);
    }
}

static void
take_experts (NsArena *arena, NsSubCache *ffn, const NsWorkspace *w, const NsWorkspaceNeeds *needs)
{
  NsRouting *r = &ffn->routing;

  if (needs->experts == 0)
    return;
  r->probs = ns_arena_take_reals (arena, w->N, w->E);
  r->weights = ns_arena_take_reals (arena, w->S, 1);
  r->expert = ns_arena_take (arena, w->S, sizeof *r->expert);
  r->row = ns_arena_take (arena, w->S, sizeof *r->row);
  r->token = ns_arena_take (arena, w->S, sizeof *r->token);
  r->start = ns_arena_take (arena, w->E + 1, sizeof *r->start);
  ffn->rows.v = ns_arena_take_reals (arena, w->S, w->C);
  ffn->out.v = ns_arena_take_reals (arena, w->S, w->C);
  if (needs->shared == 0)
    return;
  ffn->shared_h.v = ns_arena_take_reals (arena, w->N, w->F_shared);
  ffn->shared_act.v = ns_arena_take_reals (arena, w->N, w->F_shared);
  if (needs->gated)
    ffn->shared_g.v = ns_arena_take_reals (arena, w->N, w->F_shared);
  ffn->shared_out.v = ns_arena_take_reals (arena, w->N, w->C);
  ffn->gate = ns_arena_take_reals (arena, w->N, 1);
}

static void
take_ffn (NsArena *arena, NsSubCache *ffn, const NsWorkspace *w, const NsWorkspaceNeeds *needs)
{
  take_sub (arena, ffn, w, w->F, needs);
  ffn->h.v = ns_arena_take_reals (arena, w->S, w->F);
  ffn->act.v = ns_arena_take_reals (arena, w->S, w->F);
  if (needs->gated)
    ffn->g.v = ns_arena_take_reals (arena, w->S, w->F);
  take_experts (arena, ffn, w, needs);
}

void
ns_block_cache_take (NsArena *arena, NsBlockCache *block, const NsWorkspace *w, const NsShape *shape,
                     const NsWorkspaceNeeds *needs, gboolean is_decoder)
{
  if (needs->attention)
    take_attention (arena, &block->sub[NS_SUB_ATTN], w, shape, needs);
  if (is_decoder)
    take_attention (arena, &block->sub[NS_SUB_CROSS], w, shape, needs);
  if (needs->ffn)
    take_ffn (arena, &block->sub[NS_SUB_FFN], w, needs);
  block->middle[0].v = ns_arena_take_reals (arena, w->N, w->X);
  if (is_decoder)
    block->middle[1].v = ns_arena_take_reals (arena, w->N, w->X);
}

