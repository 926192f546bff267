/* The items of a sweep, and their numbers.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-own-passes.h"
#include "engine/run/ns-sweep-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Return TRUE when the head's backward pass measures the quantity at the last block. */
static gboolean
is_known_at_end (NsQuantity quantity)
{
  return ns_quantity_info (quantity)->sites == NS_SITES_STREAM;
}

gboolean
ns_sweep_ends_at_last_block (const NsSweep *sweep)
{
  NsMetric metric = sweep->metric;
  NsTensor tensor;
  gboolean is_encoder_final = ns_quantity_get_tensor (metric.quantity, &tensor)
                              && ns_tensor_info (tensor)->slot == NS_SLOT_ENCODER_FINAL;

  return metric.where == NS_AT_LAST && metric.part != NS_PART_ENCODER && !is_encoder_final
         && !ns_quantity_is_of_input (metric.quantity);
}

gboolean
ns_sweep_grows (const NsSweep *sweep, guint variant)
{
  return sweep->axis == NS_SWEEP_DEPTH && !ns_variant_depends_on_depth (sweep->experiment, variant);
}

NsQuantitySet
ns_sweep_get_wanted (const NsSweep *sweep)
{
  NsQuantitySet wanted = { { 0 } };

  ns_quantity_set_add (&wanted, sweep->metric.quantity);
  return ns_quantity_set_with_terms (&wanted);
}

/* ---- the list ---- */

/* Return the place of an item among those of its seed. */
static guint
get_place (const NsSweepList *list, guint item)
{
  return item % list->starts[list->n_variants];
}

guint
ns_sweep_list_find (const NsSweepList *list, guint item, guint *seed, guint *first, guint *end)
{
  guint place = get_place (list, item), v = 0;
  gboolean grows;

  while (place >= list->starts[v + 1])
    v++;
  grows = ns_sweep_grows (list->sweep, list->variants[v]);
  *seed = item / list->starts[list->n_variants];
  *first = grows ? 0 : place - list->starts[v];
  *end = grows ? list->sweep->n_points : *first + 1;
  return list->variants[v];
}

guint
ns_sweep_list_get_n (gconstpointer data)
{
  const NsSweepList *list = data;

  return list->starts[list->n_variants] * ns_sweep_get_n_seeds (list->sweep);
}

gsize
ns_sweep_list_get_length (gconstpointer data, guint item)
{
  guint seed, first, end;

  ns_sweep_list_find (data, item, &seed, &first, &end);
  return 2 * (end - first);
}

guint64
ns_sweep_list_count_blocks (gconstpointer data, guint item)
{
  const NsSweepList *list = data;

  return list->blocks[get_place (list, item)];
}

guint
ns_sweep_list_get_group (gconstpointer data, guint item)
{
  const NsSweepList *list = data;

  return item / list->starts[list->n_variants];
}

char *
ns_sweep_list_dup_name (gconstpointer data, guint item)
{
  const NsSweepList *list = data;
  const NsSweep *sweep = list->sweep;
  guint seed, first, end, variant = ns_sweep_list_find (list, item, &seed, &first, &end);
  g_autofree char *metric = ns_metric_dup_text (&sweep->metric);
  const char *name = ns_experiment_variant (sweep->experiment, variant)->name;

  if (end > first + 1)
    return g_strdup_printf (_ ("%s of %s, seed %u"), metric, name, seed);
  if (sweep->axis == NS_SWEEP_DEPTH)
    return g_strdup_printf (_ ("%s of %s, depth %lld, seed %u"), metric, name, (long long) sweep->points[first], seed);
  return g_strdup_printf (_ ("%s of %s, d_model %lld, seed %u"), metric, name, (long long) sweep->points[first], seed);
}

gboolean
ns_sweep_list_is_done (gconstpointer data, guint item)
{
  const NsSweepList *list = data;
  guint seed, first, end, variant = ns_sweep_list_find (list, item, &seed, &first, &end);

  for (guint p = first; p < end; p++)
    if (!ns_sweep_get_value (list->sweep, variant, p, seed, NULL, NULL))
      return FALSE;
  return TRUE;
}

void
ns_sweep_list_get (gconstpointer data, guint item, guint64 *numbers)
{
  const NsSweepList *list = data;
  guint seed, first, end, variant = ns_sweep_list_find (list, item, &seed, &first, &end);

  for (guint p = first; p < end; p++, numbers += 2)
    {
      const SweepValue *value = ns_sweep_at (list->sweep, variant, p, seed);

      memcpy (&numbers[0], &value->value, sizeof (double));
      memcpy (&numbers[1], &value->log10_value, sizeof (double));
    }
}

gboolean
ns_sweep_list_set (gpointer data, guint item, const guint64 *numbers)
{
  const NsSweepList *list = data;
  guint seed, first, end, variant = ns_sweep_list_find (list, item, &seed, &first, &end);

  for (guint p = first; p < end; p++, numbers += 2)
    {
      SweepValue *value = ns_sweep_at (list->sweep, variant, p, seed);

      memcpy (&value->value, &numbers[0], sizeof (double));
      memcpy (&value->log10_value, &numbers[1], sizeof (double));
      atomic_store_explicit (&value->ready, TRUE, memory_order_release);
    }
  return TRUE;
}

void
ns_sweep_list_free (gpointer data)
{
  NsSweepList *list = data;

  ns_sweep_unref (list->sweep);
  g_free (list->blocks);
  g_free (list);
}

/* Return the blocks that a variant passes at a point, besides those that a growing stack has passed before. */
static guint64
count_point_blocks (const NsSweep *sweep, const NsExperiment *e, guint variant, const NsQuantitySet *wanted)
{
  guint64 L = (guint64) ns_experiment_count_blocks (e), blocks = ns_own_passes_count_steps (e, variant, wanted);
  gboolean is_backward = ns_quantity_is_backward (sweep->metric.quantity), ends = ns_sweep_ends_at_last_block (sweep);

  if (!ns_sweep_grows (sweep, variant))
    blocks += L;
  if (is_backward && !is_known_at_end (sweep->metric.quantity))
    blocks += ends ? 1 : L;
  else if (is_backward && !ends)
    blocks += L;
  return blocks;
}

NsSweepList *
ns_sweep_list_new (NsSweep *sweep)
{
  NsSweepList *list = g_new0 (NsSweepList, 1);
  NsQuantitySet wanted = ns_sweep_get_wanted (sweep);

  list->sweep = ns_sweep_ref (sweep);
  for (guint v = 0; v < sweep->experiment->variants->len; v++)
    if (ns_sweep_measures (sweep, v))
      {
        list->variants[list->n_variants] = v;
        list->starts[list->n_variants + 1]
            = list->starts[list->n_variants] + (ns_sweep_grows (sweep, v) ? 1 : sweep->n_points);
        list->n_variants++;
      }
  list->blocks = g_new0 (guint64, list->starts[list->n_variants]);
  for (guint p = 0; p < sweep->n_points; p++)
    {
      g_autoptr (NsExperiment) e = ns_sweep_make_experiment (sweep, p);

      for (guint i = 0; i < list->n_variants; i++)
        {
          guint64 *blocks = &list->blocks[list->starts[i]];
          gboolean grows = ns_sweep_grows (sweep, list->variants[i]);

          blocks[grows ? 0 : p] += count_point_blocks (sweep, e, list->variants[i], &wanted);
          if (grows && p == sweep->n_points - 1)
            blocks[0] += (guint64) ns_experiment_count_blocks (e); /* forward, to the deepest stack */
        }
    }
  return list;
}
