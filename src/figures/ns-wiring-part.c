/* The parts of a wiring that can be touched: their ids and names.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-wiring.h"

#include <glib/gi18n-lib.h>

#define PART_BIT   4
#define WHICH_BIT  5
#define KIND_MASK  0xfu
#define WHICH_MASK 0x1fu

G_STATIC_ASSERT (NS_N_NORMS <= WHICH_MASK + 1);

guint
ns_wiring_part_pack (NsWiringPart part)
{
  return (guint) part.kind | (guint) part.part << PART_BIT | (guint) part.which << WHICH_BIT;
}

gboolean
ns_wiring_part_unpack (guint id, NsWiringPart *part)
{
  *part = (NsWiringPart){ (NsWiringPartKind) (id & KIND_MASK), (int) (id >> PART_BIT & 1),
                          (int) (id >> WHICH_BIT & WHICH_MASK) };
  return id != 0;
}

static const char *
get_sub_name (NsSub sub)
{
  return sub == NS_SUB_ATTN ? _ ("Attention") : sub == NS_SUB_CROSS ? _ ("Cross-attention") : _ ("FFN");
}

static char *
dup_norm_name (NsNormPlace place)
{
  const NsNormInfo *info = ns_norm_info (place);

  switch ((int) info->slot)
    {
    case NS_SLOT_INPUT:
      return g_strdup (_ ("Norm of the input"));
    case NS_SLOT_ENCODER_FINAL:
      return g_strdup (_ ("Final norm of the encoder"));
    case NS_SLOT_FINAL:
      return g_strdup (_ ("Final norm"));
    case NS_SLOT_PRE:
      /* Translators: %s is a sub-layer: Attention, Cross-attention, FFN */
      return g_strdup_printf (_ ("%s norm: before the sub-layer"), get_sub_name (info->sub));
    case NS_SLOT_BRANCH:
      return g_strdup_printf (_ ("%s norm: on the branch"), get_sub_name (info->sub));
    case NS_SLOT_POST:
      return g_strdup_printf (_ ("%s norm: after the addition"), get_sub_name (info->sub));
    default:
      return g_strdup_printf (_ ("%s norm: within the sub-layer"), get_sub_name (info->sub));
    }
}

char *
ns_wiring_part_dup_name (NsWiringPart part)
{
  switch (part.kind)
    {
    case NS_WIRING_PART_RESIDUAL:
      /* Translators: %s is a sub-layer: Attention, Cross-attention, FFN */
      return g_strdup_printf (_ ("%s residual"), get_sub_name ((NsSub) part.which));
    case NS_WIRING_PART_NORM:
    case NS_WIRING_PART_SOCKET:
      return dup_norm_name ((NsNormPlace) part.which);
    case NS_WIRING_PART_SUB_LAYER:
      return g_strdup (get_sub_name ((NsSub) part.which));
    case NS_WIRING_PART_INPUT:
      return g_strdup (part.part == 0 ? _ ("Input") : _ ("Input of the decoder"));
    case NS_WIRING_PART_HEAD:
      return g_strdup (_ ("Head and loss"));
    case NS_WIRING_PART_DEPTH:
    default:
      return g_strdup (_ ("Depth"));
    }
}
