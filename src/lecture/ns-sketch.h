/* How far a drawn curve is from the measured one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure functions; any thread.
 */
#pragma once

#include "lecture/ns-question.h"

G_BEGIN_DECLS

/* The error of a guess. */
typedef struct
{
  guint n_blocks;     /* of the curve that have a guess and can be compared; 0: there is no error */
  gboolean is_factor; /* else a difference */
  double error;       /* factor: the geometric mean over these blocks of the larger value over the smaller one, >= 1;
                       * difference: the mean of its absolute value, >= 0 */
} NsSketchError;

/* Compare a guess with the answer to a sketch question. `guess` has a value for each block of the answer, NAN where
 * nothing was drawn; with `is_log10` its logarithm. Values that have logarithms are compared by their ratio. */
NsSketchError ns_sketch_compare (const NsAnswer *answer, const double *guess, gboolean is_log10);

/* Return the error in words: "Factor of error: 1.8". Translated; caller frees. */
char *ns_sketch_error_dup_text (const NsSketchError *error);

G_END_DECLS
