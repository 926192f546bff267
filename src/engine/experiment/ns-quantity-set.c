/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-quantity-set.h"

void
ns_quantity_set_add (NsQuantitySet *set, NsQuantity quantity)
{
  set->words[quantity / 64] |= (guint64) 1 << quantity % 64;
}

gboolean
ns_quantity_set_has (const NsQuantitySet *set, NsQuantity quantity)
{
  if (set == NULL)
    return !ns_quantity_takes_own_passes (quantity);
  return (set->words[quantity / 64] >> quantity % 64 & 1) != 0;
}

/* Return TRUE if the gradient norm of the tensor is a term of the sum. */
static gboolean
is_term (NsTensor tensor, NsQuantity sum)
{
  NsSub sub = ns_tensor_info (tensor)->sub;

  return (sum == NS_Q_BLOCK && sub != NS_SUB_NONE) || (sum == NS_Q_ATTN && sub == NS_SUB_ATTN)
         || (sum == NS_Q_CROSS && sub == NS_SUB_CROSS) || (sum == NS_Q_FFN && sub == NS_SUB_FFN)
         || ((sum == NS_Q_EXPERT_GRAD_MAX || sum == NS_Q_EXPERT_GRAD_MIN) && ns_tensor_is_of_ffn (tensor));
}

NsQuantitySet
ns_quantity_set_with_terms (const NsQuantitySet *set)
{
  NsQuantitySet whole = { { 0 } };

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      if (!ns_quantity_set_has (set, q))
        continue;
      ns_quantity_set_add (&whole, q);
      for (NsTensor t = 0; t < NS_N_TENSORS && ns_quantity_info (q)->group == NS_GROUP_SUM; t++)
        if (is_term (t, q))
          ns_quantity_set_add (&whole, ns_tensor_get_quantity (t));
    }
  return whole;
}

gboolean
ns_quantity_set_needs_head (const NsQuantitySet *set)
{
  return ns_quantity_set_has (set, NS_Q_LOSS) || ns_quantity_set_has (set, NS_Q_RMS_LOGITS)
         || ns_quantity_set_needs_backward (set);
}

gboolean
ns_quantity_set_needs_gradients (const NsQuantitySet *set)
{
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_set_has (set, q) && ns_quantity_is_backward (q)
        && ns_quantity_info (q)->kind != NS_KIND_CONTRIBUTION)
      return TRUE;
  return FALSE;
}

gboolean
ns_quantity_set_needs_backward (const NsQuantitySet *set)
{
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_set_has (set, q) && ns_quantity_is_backward (q))
      return TRUE;
  return FALSE;
}
