/* Golden numbers that PyTorch's autograd computed in float64 (make_golden.py), and the engine held against them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every quantity is held to itself, not to a scale.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

#include <json-glib/json-glib.h>

#ifdef NS_DOUBLE
#define TOLERANCE      2e-5 /* what remains is the rounding of the dumped weights to float */
#define ZERO_TOLERANCE 1e-12
#else
#define TOLERANCE      1e-3
#define ZERO_TOLERANCE 1e-6
#endif
/* ZERO_TOLERANCE: how far a gradient that is 0 in theory, or all rounding in float, may be from what is expected, as a
 * part of its block's gradient. */
/* Below this a cosine is held to the scale of cosines instead of to itself. */
#define COSINE_FLOOR 0.01

typedef struct
{
  char *name;
  NsExperiment *experiment;
  JsonNode *root;
  JsonObject *expected; /* quantity → one number or null for each site; in root */
  JsonArray *zeros;     /* names of tensors whose gradient is 0 in theory; in root */
  JsonObject *buried;   /* tensor → sites where its gradient is all rounding in float; in root */
} Golden;

/* The file of that name in data/, without ".json"; a test that cannot read it fails. */
Golden *golden_load (const char *name);
void golden_free (Golden *golden);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Golden, golden_free)
/* Of all files, sorted; owned by the caller. */
GPtrArray *golden_names (void);

/* The head's site. */
gint64 golden_last_site (const Golden *golden);
/* FALSE when the file has null, or nothing, for it. */
gboolean golden_get (const Golden *golden, const char *quantity, gint64 site, double *value);
/* How many numbers the file has. */
guint golden_count (const Golden *golden);
/* Whether the gradient is 0 in theory. */
gboolean golden_is_zero (const Golden *golden, const char *quantity);

/* How far `got` is from `want`, in units of what is allowed; more than 1 is wrong. Infinite when it is not finite. */
double golden_deviation (NsQuantityKind kind, double want, double got, double log10_got);

typedef struct
{
  guint compared;
  double worst; /* deviation, 1 = all that is allowed */
} Summary;

/* The engine's result of one seed. */
NsResult *golden_run (const NsExperiment *experiment);
/* NULL when all of the result is as expected and nothing is missing on either side, else the first difference. */
char *golden_compare (const Golden *golden, const NsResult *result, Summary *summary);
