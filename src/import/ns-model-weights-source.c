/* The source of weights that reads a checkpoint's files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-model-weights-private.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-quantity.h"

#include <math.h>
#include <string.h>

NsWeightSlice *
ns_model_weights_get_slice (const NsModelWeights *w, NsPart part, gint64 layer, int target, gboolean is_head)
{
  NsParts parts = ns_shape_get_parts (&w->source.shape);
  gint64 site = is_head ? w->n_sites - 1 : ns_parts_get_input (&parts, ns_parts_find (&parts, part)) + layer;

  return &w->slices[site * NS_WEIGHT_TARGETS + target];
}

gboolean
ns_model_weights_is_at_head (NsTensor tensor)
{
  NsTensorSlot slot = ns_tensor_info (tensor)->slot;

  return slot == NS_SLOT_HEAD || slot == NS_SLOT_HEAD_DENSE || slot == NS_SLOT_FINAL || slot == NS_SLOT_ENCODER_FINAL;
}

static const NsWeightSlice *
find_slice (const NsWeightSource *source, NsWeightPlace place)
{
  const NsWeightSlice *s = ns_model_weights_get_slice ((const NsModelWeights *) source, place.part, place.layer,
                                                       place.tensor, ns_model_weights_is_at_head (place.tensor));

  return s->experts != NULL ? &s->experts[place.expert] : s;
}

static gboolean
has (const NsWeightSource *source, NsWeightPlace place, gboolean *transposed)
{
  *transposed = find_slice (source, place)->transposed;
  return find_slice (source, place)->tensor != NULL;
}

static gsize
get_row (const NsWeightSlice *s, gsize r)
{
  return s->first_row + (s->group > 0 ? r / s->group * s->stride + r % s->group : r);
}

void
ns_weight_slice_read_row (const NsWeightSlice *s, gsize row, gsize first, gsize n, float *out)
{
  ns_stored_tensor_read (s->tensor, (guint64) get_row (s, row) * s->columns + s->first_column + first, n, out, 1);
}

static void
fill (const NsWeightSource *source, NsWeightPlace place, gsize first_row, gsize rows, gsize first_column, gsize columns,
      ns_real *out)
{
  const NsWeightSlice *s = find_slice (source, place);

  if (columns == s->columns && s->group == 0) /* the rows follow one another in the file */
    {
      columns *= rows;
      rows = 1;
    }
  for (gsize r = 0; r < rows; r++)
    ns_weight_slice_read_row (s, first_row + r, first_column, columns, out + r * columns);
}

static const ns_real *
get_vector (const NsWeightSource *source, NsWeightPlace place)
{
  return find_slice (source, place)->values;
}

/* The positions of the families that have all sines before the cosines. */
static void
fill_position (const NsModelWeights *w, gsize t, float *out)
{
  gsize d = (gsize) w->source.shape.d_model, half = d / 2;
  double fastest = w->names->positions == NS_POSITION_SINES ? (double) half : (double) half - 1;

  memset (out, 0, d * sizeof *out);
  for (gsize i = 0; i < half; i++)
    {
      double angle = (double) (t + w->names->first_position) * pow (10000, -(double) i / fastest);

      out[i] = (float) sin (angle);
      out[half + i] = (float) cos (angle);
    }
}

static gboolean
get_table_row (const NsWeightSource *source, guint table, NsPart part, gsize row, float *out)
{
  const NsModelWeights *w = (const NsModelWeights *) source;
  const NsWeightSlice *s = ns_model_weights_get_slice (w, part, 0, NS_NAME_TABLE (table), FALSE);

  if (s->tensor != NULL)
    ns_weight_slice_read_row (s, row, 0, s->columns, out);
  else if (table == NS_TABLE_POSITION && w->names->positions != NS_POSITION_ROWS)
    fill_position (w, row, out);
  else
    return FALSE;
  return TRUE;
}

static gboolean
check (const NsWeightSource *source, GError **error)
{
  return ns_model_files_check (((const NsModelWeights *) source)->files, error);
}

static void
weights_free (NsWeightSource *source)
{
  NsModelWeights *w = (NsModelWeights *) source;

  for (gint64 i = 0; i < w->n_sites * NS_WEIGHT_TARGETS; i++)
    {
      g_free (w->slices[i].values);
      g_free (w->slices[i].experts);
    }
  g_free (w->slices);
  ns_model_files_free (w->files);
  g_free (source->name);
  g_free (source->checksum);
  g_free (w);
}

NsModelWeights *
ns_model_weights_new (NsModelFiles *files, const NsTensorNames *names, const NsExperiment *experiment)
{
  NsModelWeights *w = g_new0 (NsModelWeights, 1);
  const NsVariant *variant = ns_experiment_variant (experiment, 0);

  w->source = (NsWeightSource){ .has = has,
                                .fill = fill,
                                .vector = get_vector,
                                .row = get_table_row,
                                .check = check,
                                .free = weights_free,
                                .name = g_strdup (ns_model_files_get_name (files)),
                                .bytes = ns_model_files_get_bytes (files),
                                .n_tensors = ns_model_files_count_tensors (files),
                                .shape = experiment->shape,
                                .experts = variant->experts,
                                .max_tokens = G_MAXINT64,
                                .references = 1 };
  w->names = names;
  w->files = files;
  w->n_sites = ns_experiment_get_head_site (experiment) + 1;
  w->slices = g_new0 (NsWeightSlice, w->n_sites * NS_WEIGHT_TARGETS);
  return w;
}
