/* The data of a sweep, for the files that fill and read it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-result-private.h"
#include "engine/run/ns-sweep.h"

#include <stdatomic.h>

typedef struct
{
  double value, log10_value; /* written once, before `ready` */
  atomic_bool ready;         /* stored with release by the thread that computed the value, loaded with acquire by
                              * readers */
} SweepValue;

struct _NsSweep
{
  atomic_int references;
  NsExperiment *experiment;
  NsSweepAxis axis;
  NsMetric metric;
  guint32 variants; /* bit v: the variant v is measured */
  gint64 *points;   /* [n_points] */
  guint n_points;
  SweepValue *values; /* [variants][n_points][seeds] */
  atomic_llong elapsed_us;
};

/* Return the value at a point; owned by the sweep. */
SweepValue *ns_sweep_at (const NsSweep *sweep, guint variant, guint point, guint seed);

/* Set the time that the sweep took. */
void ns_sweep_set_elapsed_ms (NsSweep *sweep, double elapsed_ms);
/* Return TRUE when one forward pass to the deepest stack serves every point. */
gboolean ns_sweep_grows (const NsSweep *sweep, guint variant);
/* Return TRUE when the backward pass may stop after the last block. That holds for a metric at the last block, unless
 * it is of the encoder, whose last block and final norm come after the whole decoder. */
gboolean ns_sweep_ends_at_last_block (const NsSweep *sweep);
/* Return what the sweep measures, with the terms of a sum. */
NsQuantitySet ns_sweep_get_wanted (const NsSweep *sweep);

/* The items of a sweep (ns-items-private.h): for each seed, those of each measured variant. */
typedef struct
{
  NsSweep *sweep;
  guint variants[NS_MAX_VARIANTS];   /* the measured ones */
  guint starts[NS_MAX_VARIANTS + 1]; /* a variant's first item of each seed; after the last variant, their number */
  guint n_variants;
  guint64 *blocks; /* [items of a seed] */
} NsSweepList;

NsSweepList *ns_sweep_list_new (NsSweep *sweep);
void ns_sweep_list_free (gpointer list);
/* Find what an item computes: the variant, which is returned, and a seed at the points *first .. *end − 1. */
guint ns_sweep_list_find (const NsSweepList *list, guint item, guint *seed, guint *first, guint *end);
guint ns_sweep_list_get_n (gconstpointer list);
gsize ns_sweep_list_get_length (gconstpointer list, guint item);
guint64 ns_sweep_list_count_blocks (gconstpointer list, guint item);
guint ns_sweep_list_get_group (gconstpointer list, guint item);
char *ns_sweep_list_dup_name (gconstpointer list, guint item);
gboolean ns_sweep_list_is_done (gconstpointer list, guint item);
void ns_sweep_list_get (gconstpointer list, guint item, guint64 *numbers);
gboolean ns_sweep_list_set (gpointer list, guint item, const guint64 *numbers);
