/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-rewire.h"

#include "engine/experiment/ns-derived.h"

#include <math.h>

/* Where one block has norms. */
typedef struct
{
  gboolean has[NS_N_NORMS];
} BlockNorms;

static const NsSub subs[] = { NS_SUB_ATTN, NS_SUB_CROSS, NS_SUB_FFN };

static NsNormPlace
find_place (NsSub sub, NsTensorSlot slot)
{
  for (int place = 0; place < NS_N_NORMS; place++)
    if (ns_norm_info (place)->sub == sub && ns_norm_info (place)->slot == slot)
      return (NsNormPlace) place;
  g_return_val_if_reached (NS_NORM_NOWHERE);
}

static void
read_block (const NsVariant *variant, gint64 block, NsPart part, const NsParts *parts, BlockNorms *norms)
{
  gint64 depth = parts->depth[ns_parts_find (parts, part)];

  *norms = (BlockNorms){ { FALSE } };
  for (gsize i = 0; i < G_N_ELEMENTS (subs); i++)
    {
      NsPlacement placement = ns_variant_get_placement (variant, subs[i], block, depth);

      norms->has[find_place (subs[i], NS_SLOT_PRE)] = ns_placement_has_pre (placement);
      norms->has[find_place (subs[i], NS_SLOT_BRANCH)] = ns_placement_has_branch (placement);
      norms->has[find_place (subs[i], NS_SLOT_POST)] = ns_placement_has_post (placement);
      norms->has[find_place (subs[i], NS_SLOT_INNER)] = ns_variant_get_wiring (variant, subs[i]).inner_norm;
    }
  norms->has[NS_NORM_INPUT] = variant->input_norm;
  norms->has[NS_NORM_FINAL] = ns_variant_ends_in_norm (variant, parts->depth[parts->n - 1]);
  norms->has[NS_NORM_ENCODER_FINAL] = ns_variant_ends_in_norm (variant, parts->depth[0]);
}

/* Add or remove the norm at a place. FALSE if it is so already. */
static gboolean
set_norm (const NsVariant *variant, BlockNorms *norms, NsNormPlace place, gboolean on)
{
  NsTensorSlot slot;

  if (place == NS_NORM_NOWHERE)
    return TRUE;
  if (norms->has[place] == on)
    return FALSE;
  norms->has[place] = on;
  slot = ns_norm_info (place)->slot;
  if (place == NS_NORM_FINAL || place == NS_NORM_ENCODER_FINAL)
    norms->has[NS_NORM_FINAL] = norms->has[NS_NORM_ENCODER_FINAL] = on;
  if (variant->topology != NS_TOPOLOGY_SEQUENTIAL && (slot == NS_SLOT_PRE || slot == NS_SLOT_POST))
    norms->has[find_place (NS_SUB_ATTN, slot)] = norms->has[find_place (NS_SUB_FFN, slot)] = on;
  return TRUE;
}

/* Return the placement of a sub-layer's norms, or −1 if none describes them. */
static int
find_placement (const BlockNorms *norms, NsSub sub)
{
  for (int placement = NS_PLACE_NONE; placement <= NS_PLACE_PRE_POST; placement++)
    if (ns_placement_has_pre (placement) == norms->has[find_place (sub, NS_SLOT_PRE)]
        && ns_placement_has_branch (placement) == norms->has[find_place (sub, NS_SLOT_BRANCH)]
        && ns_placement_has_post (placement) == norms->has[find_place (sub, NS_SLOT_POST)])
      return placement;
  return -1;
}

/* Write the wirings of the sub-layers. In a single stack cross-attention's stays as it is; elsewhere a field of it
 * stays null while it equals that of attention. */
static void
write_wirings (NsVariant *variant, const NsShape *shape, const NsWiring wirings[NS_N_SUBS])
{
  const NsWiring *attn = &wirings[NS_SUB_ATTN], *cross = &wirings[NS_SUB_CROSS];
  NsWiring *own = &variant->cross;

  variant->attn = *attn;
  variant->ffn = wirings[NS_SUB_FFN];
  if (shape->stack != NS_STACK_ENCODER_DECODER)
    return;
  if (own->norm != NS_NULL_CHOICE || cross->norm != attn->norm)
    own->norm = cross->norm;
  if (own->residual != NS_NULL_CHOICE || cross->residual != attn->residual)
    own->residual = cross->residual;
  if (own->inner_norm != NS_NULL_CHOICE || cross->inner_norm != attn->inner_norm)
    own->inner_norm = cross->inner_norm;
}

static void
read_wirings (const NsVariant *variant, NsWiring wirings[NS_N_SUBS])
{
  for (gsize i = 0; i < G_N_ELEMENTS (subs); i++)
    wirings[subs[i]] = ns_variant_get_wiring (variant, subs[i]);
}

/* `auto` stays, or comes back, where it says the same. */
static void
write_final_norm (NsVariant *variant, const NsParts *parts, gboolean on)
{
  variant->final_norm = NS_FINAL_NORM_AUTO;
  for (gint64 part = 0; part < parts->n; part++)
    if (ns_variant_ends_in_norm (variant, parts->depth[part]) != on)
      variant->final_norm = on ? NS_FINAL_NORM_ON : NS_FINAL_NORM_OFF;
}

static gboolean
is_at_end (NsNormPlace place)
{
  return place == NS_NORM_FINAL || place == NS_NORM_ENCODER_FINAL;
}

/* A single stack has neither cross-attention nor an encoder's end, and several streams have no norm after an addition.
 * The norms of q, k and v and that of the head's dense layer do not move. */
static gboolean
has_place (const NsVariant *variant, const NsShape *shape, NsNormPlace place)
{
  const NsNormInfo *info = place != NS_NORM_NOWHERE ? ns_norm_info (place) : NULL;

  if (info != NULL && info->slot == NS_SLOT_POST && variant->hyper.streams > 0)
    return FALSE;
  return info == NULL
         || (info->slot != NS_SLOT_Q && info->slot != NS_SLOT_K && info->slot != NS_SLOT_V
             && place != NS_NORM_HEAD_DENSE
             && (shape->stack == NS_STACK_ENCODER_DECODER
                 || (place != NS_NORM_ENCODER_FINAL && info->sub != NS_SUB_CROSS)));
}

gboolean
ns_variant_move_norm (NsVariant *variant, const NsShape *shape, NsPart part, gint64 block, NsNormPlace from,
                      NsNormPlace to)
{
  NsParts parts = ns_shape_get_parts (shape);
  NsWiring wirings[NS_N_SUBS];
  gboolean placements_change = FALSE;
  BlockNorms norms, before;

  g_return_val_if_fail (variant != NULL && shape != NULL, FALSE);
  g_return_val_if_fail (from <= NS_NORM_NOWHERE && to <= NS_NORM_NOWHERE, FALSE);

  read_block (variant, block, part, &parts, &norms);
  before = norms;
  if (!has_place (variant, shape, from) || !has_place (variant, shape, to) || !set_norm (variant, &norms, from, FALSE)
      || !set_norm (variant, &norms, to, TRUE))
    return FALSE;
  read_wirings (variant, wirings);
  for (gsize i = 0; i < G_N_ELEMENTS (subs); i++)
    {
      int placement = find_placement (&norms, subs[i]);

      if (placement < 0)
        return FALSE;
      placements_change = placements_change || placement != find_placement (&before, subs[i]);
      wirings[subs[i]].norm = placement;
      wirings[subs[i]].inner_norm = norms.has[find_place (subs[i], NS_SLOT_INNER)];
    }
  if (!placements_change)
    for (gsize i = 0; i < G_N_ELEMENTS (subs); i++)
      wirings[subs[i]].norm = ns_variant_get_wiring (variant, subs[i]).norm;
  else
    {
      variant->post_fraction = NAN;
      variant->first_block_pre = FALSE;
    }
  write_wirings (variant, shape, wirings);
  variant->input_norm = norms.has[NS_NORM_INPUT];
  if (is_at_end (from) || is_at_end (to))
    write_final_norm (variant, &parts, norms.has[NS_NORM_FINAL]);
  return TRUE;
}

void
ns_variant_set_residual (NsVariant *variant, const NsShape *shape, NsSub sub, gboolean residual)
{
  NsWiring wirings[NS_N_SUBS];

  g_return_if_fail (variant != NULL && shape != NULL);
  read_wirings (variant, wirings);
  wirings[sub].residual = residual;
  if (variant->topology != NS_TOPOLOGY_SEQUENTIAL)
    wirings[NS_SUB_ATTN].residual = wirings[NS_SUB_FFN].residual = residual;
  write_wirings (variant, shape, wirings);
}
