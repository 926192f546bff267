/* Scale an experiment down to a size that runs in seconds.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-scale-down.h"

#include "engine/experiment/ns-changes.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Below this width a head's attention scores are too noisy to resemble those of the original. */
#define MIN_D_HEAD 16

/* A shape of width d_model; the higher the score, the more ratios it keeps. */
typedef struct
{
  gint64 d_model, heads, kv_heads, d_head, d_ff;
  int score;
} Candidate;

/* Return a·b/c rounded to a whole number, at least 1; *exact is TRUE when it is one. */
static gint64
scaled (gint64 a, gint64 b, gint64 c, gboolean *exact)
{
  double value = (double) a * (double) b / (double) c;

  *exact = fmod ((double) a * (double) b, (double) c) == 0;
  return MAX (1, (gint64) (value + 0.5));
}

/* Return the largest number of heads, a multiple of `group` up to `most`, that divides the features into heads of at
 * least MIN_D_HEAD; a smaller head only when no other number fits. 0 when none does. */
static gint64
choose_heads (gint64 features, gint64 group, gint64 most)
{
  gint64 best = 0;

  for (gint64 heads = group; heads <= MIN (most, features); heads += group)
    if (features % heads == 0 && (best == 0 || features / heads >= MIN_D_HEAD))
      best = heads;
  return best;
}

static Candidate
get_candidate (const NsShape *shape, gint64 d_model)
{
  Candidate c = { .d_model = d_model };
  gint64 group = shape->heads / ns_shape_get_kv_heads (shape);
  gint64 features = shape->heads * ns_shape_get_d_head (shape), scaled_features, heads;
  gboolean exact_ff, exact_features;

  c.d_ff = scaled (shape->d_ff, d_model, shape->d_model, &exact_ff);
  scaled_features = scaled (features, d_model, shape->d_model, &exact_features);
  heads = choose_heads (scaled_features, group, shape->heads);
  /* Too few features for a whole group of query heads: make the group smaller. */
  c.heads = heads > 0 ? heads : choose_heads (scaled_features, 1, group);
  c.kv_heads = heads > 0 ? heads / group : 1;
  c.d_head = scaled_features / c.heads;
  c.score = 2 * exact_ff + 2 * exact_features + 4 * (heads > 0) + 2 * (c.d_head >= MIN_D_HEAD) + (d_model % 8 == 0);
  return c;
}

static Candidate
choose (const NsShape *shape, gint64 max_d_model)
{
  Candidate best = get_candidate (shape, max_d_model);

  for (gint64 d_model = max_d_model - 1; d_model >= MAX (1, max_d_model / 2); d_model--)
    {
      Candidate c = get_candidate (shape, d_model);

      if (c.score > best.score)
        best = c;
    }
  return best;
}

/* Return std·factor, rounded to the four digits that are displayed. */
static double
grow (double std, double factor, const char *path)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof text, "%.4g", std * factor);
  return MIN (g_ascii_strtod (text, NULL), ns_param_find (path)->max);
}

/* Scale the deviations that do not depend on the width. */
static void
scale_deviations (NsExperiment *experiment, double factor)
{
  if (experiment->data.embed_scale.rule == NS_EMBED_SCALE_SQRT_D_MODEL)
    experiment->data.embed_std = grow (experiment->data.embed_std, factor, "data.embed_std");
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsVariant *variant = ns_experiment_variant (experiment, v);

      if (variant->init.scheme == NS_INIT_NORMAL)
        variant->init.std = grow (variant->init.std, factor, "init.std");
      if (variant->init.head.rule == 0)
        variant->init.head.number = grow (variant->init.head.number, factor, "init.head");
    }
}

static void
scale_widths (NsExperiment *experiment, gint64 max_d_model)
{
  NsShape *shape = &experiment->shape;
  Candidate c = choose (shape, max_d_model);
  gint64 d_head = ns_shape_get_d_head (shape);

  scale_deviations (experiment, sqrt ((double) shape->d_model / (double) c.d_model));
  if (shape->kv_heads > 0)
    shape->kv_heads = c.kv_heads;
  if (shape->d_head > 0 || c.heads * c.d_head != c.d_model)
    shape->d_head = c.d_head;
  shape->d_model = c.d_model;
  shape->heads = c.heads;
  shape->d_ff = c.d_ff;
  ns_experiment_fit_rotary (experiment, d_head);
}

gboolean
ns_experiment_can_scale_down (const NsExperiment *experiment)
{
  const NsShape *shape = &experiment->shape;

  return shape->d_model > NS_SCALED_D_MODEL || (double) shape->seq_len * (double) shape->batch > NS_SCALED_TOKENS
         || shape->vocab > NS_SCALED_VOCAB || ns_shape_get_part_vocab (shape, 0) > NS_SCALED_VOCAB;
}

NsExperiment *
ns_experiment_scale_down (const NsExperiment *experiment, gint64 max_d_model)
{
  NsExperiment *smaller = ns_experiment_copy (experiment);
  NsShape *shape = &smaller->shape;

  g_return_val_if_fail (max_d_model >= 8, smaller);

  if (shape->d_model > max_d_model)
    scale_widths (smaller, max_d_model);
  shape->vocab = MIN (shape->vocab, NS_SCALED_VOCAB);
  shape->encoder_vocab = MIN (shape->encoder_vocab, NS_SCALED_VOCAB);
  shape->seq_len = MIN (shape->seq_len, NS_SCALED_TOKENS);
  shape->batch = MIN (shape->batch, NS_SCALED_TOKENS / shape->seq_len);
  return smaller;
}

char *
ns_experiment_dup_scaling (const NsExperiment *from, const NsExperiment *to)
{
  g_autofree char *changes = ns_experiment_dup_changes (from, to);

  return changes != NULL ? g_strdup_printf (_ ("%s; depth and wiring are unchanged"), changes) : NULL;
}
