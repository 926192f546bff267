/* Compare the engine with golden numbers that PyTorch's autograd computed in float64 (make_golden.py).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tolerances are relative to each value, not to a common scale.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

#include <json-glib/json-glib.h>

#ifdef NS_DOUBLE
#define TOLERANCE      2e-5 /* rounding of the dumped weights to float */
#define ZERO_TOLERANCE 1e-12
#else
#define TOLERANCE      1e-3
#define ZERO_TOLERANCE 1e-6
#endif
/* ZERO_TOLERANCE bounds the error of a gradient that is 0 in theory, or pure rounding in float, relative to the
 * gradient of its block. COSINE_FLOOR is the cosine below which the tolerance is absolute. */
#define COSINE_FLOOR 0.01
/* Likewise between the streams, or the gradients, of different blocks: without residuals they are nearly orthogonal,
 * and the rounding of the dumped weights turns the one against the other. */
#define SIMILARITY_FLOOR 0.2
/* Below this token_residual, rounding in float spoils the differences between the tokens. */
#define RESIDUAL_FLOOR 1e-3

typedef struct
{
  char *name;
  NsExperiment *experiment;
  JsonNode *root;
  JsonObject *expected; /* quantity → one number or null for each site; in root */
  JsonArray *zeros;     /* names of tensors whose gradient is 0 in theory; in root */
  JsonObject *noise;    /* of expected gradients: rounding in their squares is in proportion to its square; or NULL */
  JsonObject *buried;   /* tensor → sites at which its gradient is pure rounding in float; in root */
} Golden;

/* Load the case NAME of golden.jsonl. Fails the test on an error. */
Golden *golden_load (const char *name);
void golden_free (Golden *golden);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Golden, golden_free)
/* List the names of all cases, sorted. Free with g_ptr_array_unref(). */
GPtrArray *golden_names (void);

/* Return the site of the head. */
gint64 golden_last_site (const Golden *golden);
/* Get an expected value. Return FALSE if the case has none. */
gboolean golden_get (const Golden *golden, const char *quantity, gint64 site, double *value);
/* Count the values of the case. */
guint golden_count (const Golden *golden);
/* Return TRUE if the gradient of the tensor is 0 in theory. */
gboolean golden_is_zero (const Golden *golden, const char *quantity);

/* Return |got − want| in units of the tolerance; more than 1 is an error. Return Inf if a value is not finite. */
double golden_deviation (NsQuantityKind kind, double want, double got, double log10_got);

/* Likewise of an expected gradient, NaN where its square is negative; want is then the negative root. block_noise is
 * that of the block, or 0. */
double golden_expected_deviation (double want, double got, double log10_got, double noise, double block_noise);

typedef struct
{
  guint compared;
  double worst; /* largest deviation in units of the tolerance */
} Summary;

/* Run the engine with one seed. Free with ns_result_unref(). */
NsResult *golden_run (const NsExperiment *experiment);
/* Return NULL if the result has exactly the expected values, otherwise a description of the first difference;
 * g_free(). */
char *golden_compare (const Golden *golden, const NsResult *result, Summary *summary);
