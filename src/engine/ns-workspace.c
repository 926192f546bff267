/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-workspace.h"

#include <stdlib.h>
#include <string.h>

/* Hands out pieces of one block of memory; without memory it only counts. */
typedef struct
{
  char *base;
  guint64 used; /* G_MAXUINT64: more than can be counted */
} Arena;

static void *
take (Arena *arena, guint64 n, gsize element)
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

static ns_real *
take_reals (Arena *arena, guint64 rows, guint64 columns)
{
  guint64 n;

  if (__builtin_mul_overflow (rows, columns, &n))
    n = G_MAXUINT64;
  return take (arena, n, sizeof (ns_real));
}

/* What the variants of an experiment need, all taken together. */
typedef struct
{
  gboolean pre, branch, post, probs, output, gated;
} Needs;

static Needs
get_needs (const NsExperiment *e)
{
  Needs needs = { 0 };

  for (guint i = 0; i < e->variants->len; i++)
    {
      const NsVariant *v = ns_experiment_variant (e, i);
      gint64 blocks[2] = { 1, e->shape.depth }; /* Mix-LN: the first and the last block show both placements */

      for (int j = 0; j < 4; j++)
        {
          NsPlacement p = ns_variant_get_placement (v, j % 2 == 0 ? NS_SUB_ATTN : NS_SUB_FFN, blocks[j / 2],
                                                    e->shape.depth);
          needs.pre |= ns_placement_has_pre (p);
          needs.branch |= ns_placement_has_branch (p);
          needs.post |= ns_placement_has_post (p);
        }
      needs.probs |= v->attention != NS_ATTENTION_UNIFORM;
      needs.output |= v->attention_output;
      needs.gated |= ns_activation_is_gated ((NsActivation) v->activation);
    }
  return needs;
}

static void
take_norm (Arena *arena, NsNormCache *norm, gsize N)
{
  norm->mean = take_reals (arena, N, 1);
  norm->rstd = take_reals (arena, N, 1);
}

static void
take_sub (Arena *arena, NsSubCache *sub, const NsWorkspace *w, const Needs *needs)
{
  if (needs->pre)
    {
      sub->u_array = take_reals (arena, w->N, w->C);
      take_norm (arena, &sub->pre, w->N);
    }
  if (needs->branch)
    take_norm (arena, &sub->branch, w->N);
  if (needs->post)
    {
      sub->z_array = take_reals (arena, w->N, w->C);
      take_norm (arena, &sub->post, w->N);
    }
}

static void
take_block (Arena *arena, NsBlockCache *block, const NsWorkspace *w, const Needs *needs)
{
  NsSubCache *attn = &block->attn, *ffn = &block->ffn;

  take_sub (arena, attn, w, needs);
  take_sub (arena, ffn, w, needs);
  if (needs->probs)
    {
      attn->q.v = take_reals (arena, w->N, w->C);
      attn->k.v = take_reals (arena, w->N, w->C);
      attn->probs = take_reals (arena, w->n_probs, 1);
    }
  attn->v.v = take_reals (arena, w->N, w->C);
  attn->mixed.v = take_reals (arena, w->N, w->C);
  ffn->h.v = take_reals (arena, w->N, w->F);
  ffn->act.v = take_reals (arena, w->N, w->F);
  if (needs->gated)
    ffn->g.v = take_reals (arena, w->N, w->F);
  attn->s.v = take_reals (arena, w->N, w->C);
  ffn->s.v = take_reals (arena, w->N, w->C);
  block->middle.v = take_reals (arena, w->N, w->C);
}

/* The largest panel and whether any norm goes without its matrix. */
static gsize
panel_elements (const NsShape *shape, gsize N, gboolean *gram)
{
  static const NsTensor tensors[] = { NS_T_W_Q, NS_T_W_1, NS_T_W_2, NS_T_W_HEAD };
  gsize most = 0;

  *gram = FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (tensors); i++)
    {
      gint64 rows, columns;

      ns_tensor_get_shape (tensors[i], shape, &rows, &columns);
      most = MAX (most, ns_linear_panel_elements ((gsize) rows, (gsize) columns));
      *gram |= ns_linear_uses_gram (N, (gsize) rows, (gsize) columns, FALSE);
    }
  return most;
}

static void
lay_out (Arena *arena, NsWorkspace *w, const NsExperiment *e, guint team_size)
{
  const NsShape *shape = &e->shape;
  Needs needs = get_needs (e);
  gsize T = (gsize) shape->seq_len, panel;
  gint64 depth = shape->depth, n_caches = w->keep_activations ? depth : 1;
  NsBlockCache counted = { 0 };
  gboolean gram;

  w->x = take (arena, (guint64) depth + 1, sizeof *w->x);
  w->blocks = take (arena, (guint64) n_caches, sizeof *w->blocks);
  if (arena->base != NULL)
    memset (w->blocks, 0, (gsize) n_caches * sizeof *w->blocks);
  for (gint64 l = 0; l <= depth; l++)
    {
      ns_real *x = take_reals (arena, w->N, w->C);
      if (arena->base != NULL)
        w->x[l].v = x;
    }
  for (gint64 l = 0; l < n_caches; l++)
    take_block (arena, arena->base != NULL ? &w->blocks[l] : &counted, w, &needs);

  take_norm (arena, &w->final, w->N);
  w->final_out = take_reals (arena, w->N, w->C);
  w->targets = take (arena, w->N, sizeof *w->targets);
  w->input = take (arena, (guint64) w->N * w->C, sizeof *w->input);
  if (e->loss == NS_LOSS_CROSS_ENTROPY)
    w->logits = take_reals (arena, w->N, w->V);
  w->branch = take_reals (arena, w->N, w->C);
  w->dx = take_reals (arena, w->N, w->C);
  w->ds = take_reals (arena, w->N, w->C);
  w->du = take_reals (arena, w->N, w->C);
  w->dmixed = take_reals (arena, w->N, w->C);
  w->dv = take_reals (arena, w->N, w->C);
  if (needs.probs)
    {
      w->dq = take_reals (arena, w->N, w->C);
      w->dk = take_reals (arena, w->N, w->C);
      w->scratch_tt = take_reals (arena, T, T);
    }
  w->dh = take_reals (arena, w->N, w->F);
  if (needs.gated)
    w->dg = take_reals (arena, w->N, w->F);
  w->features = take (arena, MAX (MAX (w->C, w->F), w->V), sizeof (double));
  w->features2 = take (arena, w->C, sizeof (double));

  panel = panel_elements (shape, w->N, &gram);
  w->linear.panel = take (arena, team_size, sizeof (ns_real *));
  w->linear.partial = take (arena, NS_LINEAR_MAX_PANELS, sizeof (double));
  for (guint t = 0; t < team_size; t++)
    {
      ns_real *p = take_reals (arena, panel, 1);
      if (arena->base != NULL)
        w->linear.panel[t] = p;
    }
  if (gram)
    {
      w->linear.gram_x = take_reals (arena, w->N, w->N);
      w->linear.gram_y = take_reals (arena, w->N, w->N);
    }
}

static NsWorkspace
sizes_of (const NsExperiment *e, gboolean keep_activations)
{
  const NsShape *shape = &e->shape;
  NsWorkspace w = { .N = (gsize) (shape->batch * shape->seq_len),
                    .C = (gsize) shape->d_model,
                    .F = (gsize) shape->d_ff,
                    .V = (gsize) shape->vocab,
                    .keep_activations = keep_activations };
  guint64 probs;

  if (__builtin_mul_overflow ((guint64) w.N, (guint64) (shape->seq_len * shape->heads), &probs))
    probs = G_MAXUINT64;
  w.n_probs = probs;
  return w;
}

guint64
ns_workspace_get_bytes (const NsExperiment *experiment, gboolean keep_activations, guint team_size)
{
  NsWorkspace w = sizes_of (experiment, keep_activations);
  Arena counter = { NULL, 0 };

  lay_out (&counter, &w, experiment, team_size);
  return counter.used;
}

static gboolean
memory_reserve (NsWorkspaceMemory *memory, guint64 bytes)
{
  if (memory->bytes >= bytes && memory->bytes / 4 <= bytes)
    return TRUE;
  ns_workspace_memory_clear (memory);
  if (bytes > G_MAXSIZE - 64)
    return FALSE;
  memory->memory = aligned_alloc (64, (bytes + 63) / 64 * 64);
  memory->bytes = memory->memory != NULL ? bytes : 0;
  return memory->memory != NULL;
}

gboolean
ns_workspace_init (NsWorkspace *workspace, NsWorkspaceMemory *memory, const NsExperiment *experiment,
                   gboolean keep_activations, NsTeam *team)
{
  Arena arena = { NULL, 0 };

  if (!memory_reserve (memory, ns_workspace_get_bytes (experiment, keep_activations, ns_team_size (team))))
    return FALSE;
  *workspace = sizes_of (experiment, keep_activations);
  arena.base = memory->memory;
  lay_out (&arena, workspace, experiment, ns_team_size (team));
  workspace->linear.team = team;
  return TRUE;
}

void
ns_workspace_memory_clear (NsWorkspaceMemory *memory)
{
  free (memory->memory);
  *memory = (NsWorkspaceMemory){ NULL, 0 };
}

NsBlockCache *
ns_workspace_get_block (NsWorkspace *workspace, gint64 block)
{
  return &workspace->blocks[workspace->keep_activations ? block - 1 : 0];
}
