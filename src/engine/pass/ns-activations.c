/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-activations.h"

#include "engine/ops/ns-memory.h"
#include "engine/pass/ns-block-cache.h"

#include <string.h>

/* What the memory of an experiment's sites is laid out by. */
typedef struct
{
  NsWorkspace sizes;
  NsWorkspaceNeeds needs;
  const NsShape *shape;
} Layout;

static Layout
get_layout (const NsExperiment *experiment)
{
  return (Layout){ ns_workspace_get_sizes (experiment, TRUE), ns_workspace_get_needs (experiment), &experiment->shape };
}

/* Take x_l and, above the input, the cache of block l. */
static void
take_site (NsArena *arena, const Layout *layout, gint64 site, NsScaled *x, NsBlockCache *block)
{
  *x = (NsScaled){ ns_arena_take_reals (arena, layout->sizes.N, layout->sizes.X), 0 };
  if (site == 0)
    return;
  memset (block, 0, sizeof *block);
  ns_block_cache_take (arena, block, &layout->sizes, layout->shape, &layout->needs, FALSE);
}

static guint64
count_bytes (const Layout *layout, gint64 site)
{
  NsArena counter = { NULL, 0 };
  NsBlockCache block;
  NsScaled x;

  take_site (&counter, layout, site, &x, &block);
  return counter.used;
}

/* of the arrays that list the activations of a site */
#define SITE_BYTES (sizeof (NsScaled) + sizeof (NsBlockCache) + sizeof (gpointer) + sizeof (guint64))

guint64
ns_activations_get_bytes (const NsExperiment *experiment)
{
  Layout layout = get_layout (experiment);
  guint64 bytes;

  if (__builtin_mul_overflow (count_bytes (&layout, 1) + SITE_BYTES, (guint64) experiment->shape.depth, &bytes)
      || __builtin_add_overflow (count_bytes (&layout, 0) + SITE_BYTES, bytes, &bytes))
    return G_MAXUINT64;
  return bytes;
}

static void
drop_sites (NsActivations *self, gint64 first)
{
  for (gint64 site = first; site < self->n_sites; site++)
    g_free (self->memory[site]);
  self->n_sites = MIN (self->n_sites, first);
}

/* Give a site memory of that size; FALSE when the system has none. */
static gboolean
reserve (NsActivations *self, gint64 site, guint64 bytes)
{
  if (site < self->n_sites && self->bytes[site] == bytes)
    return TRUE;
  if (site < self->n_sites)
    g_free (self->memory[site]);
  self->memory[site] = ns_memory_try (bytes, 1);
  self->bytes[site] = bytes;
  self->n_sites = MAX (self->n_sites, site + 1);
  return self->memory[site] != NULL;
}

gboolean
ns_activations_resize (NsActivations *self, const NsExperiment *experiment, gint64 n_kept)
{
  Layout layout = get_layout (experiment);
  gint64 n_sites = experiment->shape.depth + 1;
  guint64 block_bytes = count_bytes (&layout, 1);

  drop_sites (self, n_sites);
  if (!ns_memory_resize ((gpointer *) &self->x, (guint64) n_sites, sizeof *self->x)
      || !ns_memory_resize ((gpointer *) &self->blocks, (guint64) n_sites, sizeof *self->blocks)
      || !ns_memory_resize ((gpointer *) &self->memory, (guint64) n_sites, sizeof *self->memory)
      || !ns_memory_resize ((gpointer *) &self->bytes, (guint64) n_sites, sizeof *self->bytes))
    return FALSE;
  for (gint64 site = n_kept; site < n_sites; site++)
    {
      NsArena arena = { NULL, 0 };

      if (!reserve (self, site, site > 0 ? block_bytes : count_bytes (&layout, 0)))
        {
          drop_sites (self, n_kept);
          return FALSE;
        }
      arena.base = self->memory[site];
      take_site (&arena, &layout, site, &self->x[site], site > 0 ? &self->blocks[site - 1] : NULL);
    }
  return TRUE;
}

void
ns_activations_clear (NsActivations *self)
{
  drop_sites (self, 0);
  g_free (self->x);
  g_free (self->blocks);
  g_free (self->memory);
  g_free (self->bytes);
  *self = (NsActivations){ 0 };
}

void
ns_workspace_use (NsWorkspace *workspace, const NsActivations *activations)
{
  if (workspace->own_blocks == NULL)
    {
      workspace->own_x = workspace->x;
      workspace->own_blocks = workspace->blocks;
      workspace->own_keep_activations = workspace->keep_activations;
    }
  workspace->x = activations != NULL ? activations->x : workspace->own_x;
  workspace->blocks = activations != NULL ? activations->blocks : workspace->own_blocks;
  workspace->keep_activations = activations != NULL || workspace->own_keep_activations;
}
