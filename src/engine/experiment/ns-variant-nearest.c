/* The built-in variant whose wiring is nearest.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-variant-name-private.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"

#include <string.h>

/* Return TRUE when a difference in the setting is one of wiring. A final norm that is automatic in both follows the
 * placements. A tanh instead of a norm is another wiring; another kind of norm is not. */
static gboolean
is_wiring (const NsParam *param, const NsBuiltinVariant *builtin, const NsVariant *a, const NsVariant *b)
{
  if (strcmp (param->key, "final_norm") == 0)
    return a->final_norm != NS_FINAL_NORM_AUTO || b->final_norm != NS_FINAL_NORM_AUTO;
  if (strcmp (param->key, "norm") == 0)
    return (a->norm == NS_NORM_DYT) != (b->norm == NS_NORM_DYT);
  return ns_builtin_variant_is_wiring_key (builtin, param->key);
}

/* Return TRUE when the variant may be called after the row: a wiring, or the kind of norm that it has. */
static gboolean
is_candidate (const NsBuiltinVariant *builtin, const NsVariant *model, const NsVariant *variant)
{
  return ns_builtin_variant_is_wiring (builtin)
         || (builtin->group == NS_VARIANT_NORM && model->norm == variant->norm);
}

char *
ns_variant_dup_nearest_wiring (const NsVariant *variant, gboolean has_cross, gboolean *is_equal)
{
  g_autoptr (NsVariant) unified = ns_variant_dup_unified (variant);
  g_autoptr (GPtrArray) fewest = NULL;
  const NsBuiltinVariant *nearest = NULL;
  guint fewest_in_all = G_MAXUINT;
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);
  GString *name;

  if (!has_cross) /* its settings do not count */
    unified->cross = (NsWiring){ NS_NULL_CHOICE, NS_NULL_CHOICE, NS_NULL_CHOICE };
  for (gsize i = 0; i < n; i++)
    {
      NsVariant model = *ns_builtin_variant_get_unified (i); /* borrows from it */
      g_autoptr (GPtrArray) all = NULL, found = NULL;

      if (!is_candidate (&builtins[i], &model, unified))
        continue;
      if (!has_cross)
        model.cross = unified->cross;
      all = ns_variant_list_differences (unified, &model);
      found = g_ptr_array_new ();
      for (guint d = 0; d < all->len; d++)
        if (is_wiring (g_ptr_array_index (all, d), &builtins[i], variant, ns_builtin_variant_get (i)))
          g_ptr_array_add (found, g_ptr_array_index (all, d));
      if (fewest != NULL
          && (found->len > fewest->len || (found->len == fewest->len && all->len >= fewest_in_all)))
        continue;
      nearest = &builtins[i];
      fewest_in_all = all->len;
      g_clear_pointer (&fewest, g_ptr_array_unref);
      fewest = g_steal_pointer (&found);
    }
  name = g_string_new (nearest->name);
  ns_variant_append_differences (name, unified, fewest);
  if (is_equal != NULL)
    *is_equal = fewest->len == 0;
  return g_string_free (name, FALSE);
}
