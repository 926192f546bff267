/* A coordinate check: the sizes of what a model computes after each of the first steps of a training, over widths (Yang
 * et al. 2022, arXiv:2203.03466, appendix D.1): every branch, every sum before a norm, the scores and the logits.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * At each width the experiment is trained for n_steps steps, d_ff and heads as in a sweep over widths (ns-sweep.h).
 * Where the scaling with the width is right, the sizes after t steps do not depend on the width. docs/MODEL.md defines
 * the verdict.
 *
 * Threads: ns_engine_check_coordinates() fills a check on its threads; any thread may read it meanwhile, and hold
 * references.
 */
#pragma once

#include "engine/analysis/ns-laws.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

#define NS_COORDINATE_STEPS 4
#define NS_COORDINATE_MAX_STEPS 100
#define NS_COORDINATE_MAX_WIDTHS 64
/* An exponent of the width within these bounds counts as flat. */
#define NS_COORDINATE_FLAT 0.15

typedef struct _NsCoordinateCheck NsCoordinateCheck;

/* Create an empty check over widths [n_widths], which ascend, and the steps 0 .. n_steps, with all seeds of the
 * experiment, which is copied. NULL with an error (NS_EXPERIMENT_ERROR, NS_ENGINE_ERROR) when it cannot be trained at
 * one of the widths. */
NsCoordinateCheck *ns_coordinate_check_new (const NsExperiment *experiment, const gint64 *widths, guint n_widths,
                                            guint n_steps, GError **error);
/* Return the widths of a text as ns_sweep_points_from_text() reads it; a quarter, the half, the whole and the double of
 * the experiment's own width if it is empty. Caller frees. */
gint64 *ns_coordinate_read_widths (const NsExperiment *experiment, const char *widths, guint *n, GError **error);
/* Create a check over these widths, and NS_COORDINATE_STEPS steps. */
NsCoordinateCheck *ns_coordinate_check_new_from_text (const NsExperiment *experiment, const char *widths,
                                                      GError **error);
NsCoordinateCheck *ns_coordinate_check_ref (NsCoordinateCheck *check);
void ns_coordinate_check_unref (NsCoordinateCheck *check);

/* Train at every width that is left, narrow ones first; blocks. FALSE with an error when the job was cancelled or
 * memory is refused; what is finished stays, and another call goes on. */
gboolean ns_engine_check_coordinates (NsEngine *engine, NsCoordinateCheck *check, NsProgress *progress, GError **error);

const NsExperiment *ns_coordinate_check_get_experiment (const NsCoordinateCheck *check);
const gint64 *ns_coordinate_check_get_widths (const NsCoordinateCheck *check, guint *n);
guint ns_coordinate_check_get_n_steps (const NsCoordinateCheck *check);
/* Return the number of trainings that have ended, of all variants, seeds and widths, and in *n_runs (nullable) that of
 * all. */
guint ns_coordinate_check_count_runs (const NsCoordinateCheck *check, guint *n_runs);
/* Return the number of widths at which all trainings have ended. */
guint ns_coordinate_check_count_widths (const NsCoordinateCheck *check);
double ns_coordinate_check_get_elapsed_ms (const NsCoordinateCheck *check); /* of all trainings so far */

typedef enum
{
  NS_COORDINATES_UNKNOWN,  /* not finished, fewer than two widths, or an interval across a bound */
  NS_COORDINATES_FLAT,
  NS_COORDINATES_GROW,     /* with the width */
  NS_COORDINATES_SHRINK,
  NS_COORDINATES_DIVERGED, /* a training has */
} NsCoordinates;

/* A size that is checked, and what it does over the widths. */
typedef struct
{
  NsQuantity quantity;
  gint64 site;
  NsCoordinates verdict;
  NsExponent exponent; /* p of size ∝ d^p and its interval over the seeds; NAN where there is no fit */
} NsCoordinate;

/* Judge every size that a variant has, after so many steps: [*n], in the order of quantities and sites; caller frees.
 * *worst is the index of the one whose verdict is the variant's: one that grows before one that falls, one that is not
 * decided, and one that is flat; among equals the one whose exponent is farthest out. */
NsCoordinate *ns_coordinate_check_judge (const NsCoordinateCheck *check, guint variant, guint step, guint *n,
                                         guint *worst);
/* Return that one. */
NsCoordinate ns_coordinate_check_get_worst (const NsCoordinateCheck *check, guint variant, guint step);
/* Get a size of a variant at widths[width] after so many steps, over the seeds that have come so far. NaN where a
 * training has diverged before. FALSE while there is no seed. */
gboolean ns_coordinate_check_get_stat (const NsCoordinateCheck *check, guint variant, const NsCoordinate *size,
                                       guint width, guint step, NsStat *stat);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsCoordinateCheck, ns_coordinate_check_unref)

G_END_DECLS
