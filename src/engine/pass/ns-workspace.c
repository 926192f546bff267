/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-workspace.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/ops/ns-memory.h"
#include "engine/pass/ns-block-cache.h"
#include "engine/pass/ns-panel.h"

#include <string.h>

/* Take the residual stream of each site, and the caches of the blocks. */
static void
take_blocks (NsArena *arena, NsWorkspace *w, const NsShape *shape, const NsWorkspaceNeeds *needs)
{
  gint64 n_sites = ns_parts_get_input (&w->parts, w->parts.n);
  gint64 n_caches = w->keep_activations ? ns_parts_count_blocks (&w->parts) : 1;
  NsBlockCache counted = { 0 };

  w->x = ns_arena_take (arena, (guint64) n_sites, sizeof *w->x);
  w->blocks = ns_arena_take (arena, (guint64) n_caches, sizeof *w->blocks);
  if (arena->base != NULL)
    memset (w->blocks, 0, (gsize) n_caches * sizeof *w->blocks);
  for (gint64 site = 0; site < n_sites; site++)
    {
      ns_real *x = ns_arena_take_reals (arena, w->N, w->X);
      if (arena->base != NULL)
        w->x[site].v = x;
    }
  for (gint64 i = 0; i < n_caches; i++)
    ns_block_cache_take (arena, arena->base != NULL ? &w->blocks[i] : &counted, w, shape, needs,
                         w->parts.n == 2 && (i >= w->parts.depth[0] || !w->keep_activations));
}

static void
take_parts (NsArena *arena, NsWorkspace *w, const NsWorkspaceNeeds *needs)
{
  for (gint64 p = 0; p < w->parts.n; p++)
    {
      NsPartCache *part = &w->part[p];

      ns_block_cache_take_norm (arena, &part->final, w->N);
      part->out_array = ns_arena_take_reals (arena, w->N, w->C);
      if (needs->streams > 0)
        part->merged = ns_arena_take_reals (arena, w->N, w->C);
      if (needs->input_norm)
        {
          part->raw = ns_arena_take_reals (arena, w->N, w->C);
          ns_block_cache_take_norm (arena, &part->input, w->N);
        }
      if (needs->dual_residual)
        part->dual = ns_arena_take_reals (arena, w->N, w->C);
    }
}

static void
take_head (NsArena *arena, NsWorkspace *w)
{
  w->head.u.v = ns_arena_take_reals (arena, w->N, w->C);
  w->head.act.v = ns_arena_take_reals (arena, w->N, w->C);
  w->head.t.v = ns_arena_take_reals (arena, w->N, w->C);
  ns_block_cache_take_norm (arena, &w->head.norm, w->N);
}

/* Take the gradients of the experts. Those of their rows are of one gradient at a time. */
static void
take_expert_gradients (NsArena *arena, NsWorkspace *w, const NsWorkspaceNeeds *needs)
{
  if (needs->experts == 0)
    return;
  w->drows = ns_arena_take_reals (arena, w->S, w->C);
  w->dslots = ns_arena_take_reals (arena, w->S, 1);
  w->router = ns_arena_take_reals (arena, w->N, w->E);
  if (needs->shared == 0)
    return;
  w->dshared = ns_arena_take_reals (arena, w->N, w->C);
  w->dshared_h = ns_arena_take_reals (arena, w->N, w->F_shared);
  if (needs->gated)
    w->dshared_g = ns_arena_take_reals (arena, w->N, w->F_shared);
  w->dgate = ns_arena_take_reals (arena, w->N, 1);
}

static void
take_gradients (NsArena *arena, NsWorkspace *w, gsize T, const NsWorkspaceNeeds *needs)
{
  w->dx = ns_arena_take_reals (arena, w->N, w->X);
  w->ds = ns_arena_take_reals (arena, w->N, w->C);
  w->du = ns_arena_take_reals (arena, w->N, w->X);
  if (needs->streams > 0)
    w->dmixed_out = ns_arena_take_reals (arena, w->N, w->C);
  if (needs->attention)
    {
      w->dmixed = ns_arena_take_reals (arena, w->N, w->A);
      w->dv = ns_arena_take_reals (arena, w->N, w->K);
    }
  if (needs->probs)
    {
      w->dq = ns_arena_take_reals (arena, w->N, w->A);
      w->dk = ns_arena_take_reals (arena, w->N, w->K);
      w->scratch_tt = ns_arena_take_reals (arena, needs->score_cap ? 2 * T : T, T);
    }
  if (needs->ffn)
    w->dh = ns_arena_take_reals (arena, MAX (w->N, w->S), w->F);
  if (needs->ffn && needs->gated)
    w->dg = ns_arena_take_reals (arena, MAX (w->N, w->S), w->F);
  take_expert_gradients (arena, w, needs);
  w->end_gradient = ns_arena_take_reals (arena, w->N, w->X);
  w->above_gradient = ns_arena_take_reals (arena, w->N, w->X);
  w->share = ns_arena_take_reals (arena, w->N, w->C);
  if (needs->post || needs->block_residual || needs->dual_residual)
    w->identity = ns_arena_take_reals (arena, w->N, w->C);
  if (needs->block_residual)
    {
      w->dskip = ns_arena_take_reals (arena, w->N, w->C);
      w->identity_skip = ns_arena_take_reals (arena, w->N, w->C);
      w->share_skip = ns_arena_take_reals (arena, w->N, w->C);
    }
  if (needs->dual_residual)
    w->dr = ns_arena_take_reals (arena, w->N, w->C);
  if (w->parts.n == 2)
    {
      w->dsource = ns_arena_take_reals (arena, w->N, w->C);
      w->dsource_part = ns_arena_take_reals (arena, w->N, w->C);
    }
}

static void
take_linear (NsArena *arena, NsWorkspace *w, const NsExperiment *e, guint team_size)
{
  gsize gram, panel = ns_panel_get_elements (e, w->N, w->M, &gram);

  w->linear.panel = ns_arena_take (arena, team_size, sizeof (ns_real *));
  w->linear.partial = ns_arena_take (arena, 2 * NS_LINEAR_MAX_PANELS, sizeof (double));
  for (guint t = 0; t < team_size; t++)
    {
      ns_real *p = ns_arena_take_reals (arena, panel, 1);
      if (arena->base != NULL)
        w->linear.panel[t] = p;
    }
  if (gram > 0)
    {
      w->linear.gram_x = ns_arena_take_reals (arena, gram, gram);
      w->linear.gram_y = ns_arena_take_reals (arena, gram, gram);
    }
}

/* Return the elements of the largest map from a token to the weights of the streams. */
static gsize
get_map_size (const NsWorkspace *w, const NsWorkspaceNeeds *needs)
{
  return needs->token_streams == 0 ? 0 : needs->manifold ? w->X * w->n * w->n : w->C * w->n;
}

static void
take_token_mix (NsArena *arena, NsWorkspace *w, const NsWorkspaceNeeds *needs)
{
  NsTokenMixArrays *t = &w->token_mix;
  gsize n = w->n;

  if (needs->token_streams == 0)
    return;
  t->normed = ns_arena_take_reals (arena, w->N, w->X);
  t->dnormed = ns_arena_take_reals (arena, w->N, w->X);
  t->mean = ns_arena_take_reals (arena, w->N, n);
  t->rstd = ns_arena_take_reals (arena, w->N, n);
  for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
    {
      t->l[part] = ns_arena_take_reals (arena, w->N, ns_mix_part_get_size (part, n));
      t->dl[part] = ns_arena_take_reals (arena, w->N, ns_mix_part_get_size (part, n));
    }
  t->gradient = ns_arena_take (arena, w->N * n * (n + 2), sizeof (double));
  t->base = ns_arena_take (arena, n * (n + 2), sizeof (double));
  t->dbase = ns_arena_take (arena, w->M * n * (n + 2), sizeof (double));
  t->dscale = ns_arena_take (arena, w->M * NS_N_MIX_PARTS, sizeof (double));
  t->dmap = ns_arena_take_reals (arena, get_map_size (w, needs), 1);
}

static void
take_position_bias (NsArena *arena, NsWorkspace *w, const NsShape *shape, const NsWorkspaceNeeds *needs)
{
  guint64 H = (guint64) shape->heads, offsets = 2 * (guint64) shape->seq_len - 1;

  for (gint64 p = 0; p < w->parts.n && needs->position_bias; p++)
    {
      w->position_bias[p] = ns_arena_take_reals (arena, H, offsets);
      if (needs->buckets > 0)
        w->bias_table[p] = ns_arena_take_reals (arena, (guint64) needs->buckets, H);
    }
  if (needs->buckets == 0)
    return;
  w->dbias = ns_arena_take (arena, H * offsets, sizeof (double));
  w->dbias_table = ns_arena_take (arena, (guint64) w->M * (guint64) needs->buckets * H, sizeof (double));
}

static void
take_ngpt (NsArena *arena, NsWorkspace *w, gboolean has_logits)
{
  w->ngpt.gain = ns_arena_take_reals (arena, w->C, 1);
  w->ngpt.vector = ns_arena_take_reals (arena, MAX (MAX (MAX (w->C, w->A), w->F), w->V), 1);
  w->ngpt.residual = ns_arena_take_reals (arena, w->N, w->C);
  w->ngpt.q = ns_arena_take_reals (arena, w->N, w->A);
  w->ngpt.h = ns_arena_take_reals (arena, w->N, w->F);
  w->ngpt.g = ns_arena_take_reals (arena, w->N, w->F);
  w->ngpt.logits = has_logits ? ns_arena_take_reals (arena, w->N, w->V) : NULL;
}

static void
lay_out_workspace (NsArena *arena, NsWorkspace *w, const NsExperiment *e, guint team_size)
{
  const NsShape *shape = &e->shape;
  guint64 pairs = (guint64) ns_shape_get_d_head (shape) / 2; /* at most */
  NsWorkspaceNeeds needs = ns_workspace_get_needs (e);

  take_blocks (arena, w, shape, &needs);
  take_parts (arena, w, &needs);
  w->targets = ns_arena_take (arena, w->N, sizeof *w->targets);
  w->batch_memory = ns_arena_take (arena, ns_batch_source_get_bytes (e), 1);
  w->input = ns_arena_take (arena, (guint64) w->N * w->C, sizeof *w->input);
  if (ns_experiment_has_patches (e))
    {
      w->patch.pixels = ns_arena_take_reals (arena, w->N, (gsize) shape->patch_features);
      w->patch.added = ns_arena_take_reals (arena, w->N, w->C);
    }
  if (e->loss == NS_LOSS_CROSS_ENTROPY)
    w->logits = ns_arena_take_reals (arena, w->N, w->V);
  if (e->loss == NS_LOSS_CROSS_ENTROPY && needs.logit_cap)
    w->logit_slopes = ns_arena_take_reals (arena, w->V, 1);
  if (e->loss == NS_LOSS_CROSS_ENTROPY && needs.head_transform)
    take_head (arena, w);
  w->branch = ns_arena_take_reals (arena, w->N, w->C);
  if (needs.rotary)
    {
      w->rotary_cos = ns_arena_take_reals (arena, (guint64) shape->seq_len, pairs);
      w->rotary_sin = ns_arena_take_reals (arena, (guint64) shape->seq_len, pairs);
    }
  if (needs.rotary_local)
    {
      w->rotary_local_cos = ns_arena_take_reals (arena, (guint64) shape->seq_len, pairs);
      w->rotary_local_sin = ns_arena_take_reals (arena, (guint64) shape->seq_len, pairs);
    }
  take_position_bias (arena, w, shape, &needs);
  if (needs.branch_gain)
    w->branch_gain = ns_arena_take_reals (arena, w->C, 1);
  if (needs.ngpt)
    take_ngpt (arena, w, e->loss == NS_LOSS_CROSS_ENTROPY);
  take_gradients (arena, w, (gsize) shape->seq_len, &needs);
  w->features = ns_arena_take (arena, w->M * MAX (MAX (MAX (w->X, w->A), w->F), w->V), sizeof (double));
  w->features2 = ns_arena_take (arena, w->M * MAX (MAX (w->C, w->A), w->F), sizeof (double));
  w->numbers = ns_arena_take (arena, w->M, sizeof (double));
  w->mix = ns_arena_take (arena, (needs.token_streams > 0 ? w->N : 1) * w->n * (w->n + 2), sizeof (double));
  w->dmix = ns_arena_take (arena, w->M * MAX (w->n * w->n, get_map_size (w, &needs)), sizeof (double));
  take_token_mix (arena, w, &needs);
  w->batch_norms = w->M > 1 ? ns_arena_take (arena, w->M, sizeof (double)) : NULL;
  w->batch_sums = w->M > 1 ? ns_arena_take (arena, NS_N_SUBS * w->M, sizeof (NsRoot)) : NULL;
  if (needs.experts > 0)
    w->expert_sums = ns_arena_take (arena, w->E * (1 + w->M), sizeof *w->expert_sums);
  take_linear (arena, w, e, team_size);
}

NsWorkspace
ns_workspace_get_sizes (const NsExperiment *e, gboolean keep_activations)
{
  const NsShape *shape = &e->shape;
  const NsWorkspaceNeeds needs = ns_workspace_get_needs (e);
  NsWorkspace w = { .N = (gsize) (e->sampling.batches * shape->batch * shape->seq_len),
                    .M = (gsize) e->sampling.batches,
                    .C = (gsize) shape->d_model,
                    .F = (gsize) shape->d_ff,
                    .V = (gsize) shape->vocab,
                    .A = (gsize) (shape->heads * ns_shape_get_d_head (shape)),
                    .K = (gsize) (ns_shape_get_kv_heads (shape) * ns_shape_get_d_head (shape)),
                    .parts = ns_shape_get_parts (shape),
                    .keep_activations = keep_activations };
  guint64 probs;

  if (__builtin_mul_overflow ((guint64) w.N, (guint64) (shape->seq_len * shape->heads), &probs))
    probs = G_MAXUINT64;
  w.n_probs = probs;
  w.n = needs.streams;
  if (__builtin_mul_overflow (w.C, MAX (w.n, 1), &w.X))
    w.X = G_MAXSIZE;
  w.E = needs.experts;
  w.F_shared = w.F * needs.shared;
  if (__builtin_mul_overflow (w.N, MAX (needs.per_token, 1), &w.S))
    w.S = G_MAXSIZE;
  return w;
}

guint64
ns_workspace_get_bytes (const NsExperiment *experiment, gboolean keep_activations, guint team_size)
{
  NsWorkspace w = ns_workspace_get_sizes (experiment, keep_activations);
  NsArena counter = { NULL, 0 };

  lay_out_workspace (&counter, &w, experiment, team_size);
  return counter.used;
}

static gboolean
memory_reserve (NsWorkspaceMemory *memory, guint64 bytes)
{
  if (memory->bytes >= bytes && memory->bytes / 4 <= bytes)
    return TRUE;
  ns_workspace_memory_clear (memory);
  memory->memory = ns_memory_try (bytes, 1);
  memory->bytes = memory->memory != NULL ? bytes : 0;
  return memory->memory != NULL;
}

gboolean
ns_workspace_init (NsWorkspace *workspace, NsWorkspaceMemory *memory, const NsExperiment *experiment,
                   gboolean keep_activations, NsTeam *team)
{
  NsArena arena = { NULL, 0 };

  if (!memory_reserve (memory, ns_workspace_get_bytes (experiment, keep_activations, ns_team_size (team))))
    return FALSE;
  *workspace = ns_workspace_get_sizes (experiment, keep_activations);
  arena.base = memory->memory;
  lay_out_workspace (&arena, workspace, experiment, ns_team_size (team));
  workspace->linear.team = team;
  return TRUE;
}

void
ns_workspace_widen (NsWorkspace *workspace, const NsExperiment *experiment, gsize copies, gpointer memory)
{
  NsArena arena = { memory, 0 };
  NsWorkspaceNeeds needs = ns_workspace_get_needs (experiment);
  gsize N = workspace->N;

  workspace->N = copies * N;
  take_gradients (&arena, workspace, (gsize) experiment->shape.seq_len, &needs);
  workspace->N = N;
}

guint64
ns_workspace_get_widened_bytes (const NsExperiment *experiment, gsize copies)
{
  NsWorkspace w = ns_workspace_get_sizes (experiment, FALSE);
  NsWorkspaceNeeds needs = ns_workspace_get_needs (experiment);
  NsArena counter = { NULL, 0 };

  w.N *= copies;
  take_gradients (&counter, &w, (gsize) experiment->shape.seq_len, &needs);
  return counter.used;
}

void
ns_workspace_memory_clear (NsWorkspaceMemory *memory)
{
  g_free (memory->memory);
  *memory = (NsWorkspaceMemory){ NULL, 0 };
}

NsBlockCache *
ns_workspace_get_block (NsWorkspace *workspace, gint64 site)
{
  gint64 inputs = ns_parts_get_index (&workspace->parts, site) + 1; /* up to the site */

  return &workspace->blocks[workspace->keep_activations ? site - inputs : 0];
}
