/* A published statement about depth or width, and its check against measurements.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Except for the checks point by point (bounds, band, mean-field, identity), a check compares one number for each seed
 * (an exponent or a factor) with the values that the claim accepts: expected ± tolerance, or everything up to expected
 * + tolerance for an upper bound. The 95 % t-interval over the seeds is consistent when it lies inside that range, not
 * consistent when it lies outside, and cannot tell when it contains an end. The expected exponent of a law is its local
 * one: that of the power fitted to the law at the measured points (ln L is about L⁰·⁴ over 2..128). A law is consistent
 * only if no other law of similar exponent fits as well by AICc, and if it fits (ns_fit_allows()). A law with a free
 * number has p > 0 and is compared with the others of that kind (NsFit.free).
 *
 * A check of the kind loss or learning-rates trains. Since that takes long, it is made only where every assumption
 * holds, which bounds the sizes, and with at least as many seeds as the claim needs.
 *
 * Threads: pure functions; a claim is read-only after construction and may be used from any thread.
 */
#pragma once

#include "engine/analysis/ns-laws.h"
#include "engine/experiment/ns-params.h"
#include "engine/run/ns-sweep.h"
#include "engine/train/ns-sensitivity.h"
#include "engine/train/ns-training.h"

G_BEGIN_DECLS

typedef enum
{
  NS_CHECK_EXPONENT,   /* exponent of a metric over the axis: a number, or the local exponent of a law */
  NS_CHECK_RATIO,      /* the same for the ratio of variant to `over`, seed by seed */
  NS_CHECK_BOUNDS,     /* metric (squared if a norm) within [lower, upper], both linear in x, at every x of the axis */
  NS_CHECK_PROFILE,    /* exponent of a quantity, or of its ratio to that of `over`, over the block l */
  NS_CHECK_GEOMETRIC,  /* the factor by which a quantity changes from each block to the one below, at one depth */
  NS_CHECK_HALVING,    /* the factor per block by which 1 − quantity falls, at one depth */
  NS_CHECK_BAND,       /* quantity (squared if a norm) within [lower, upper], both linear in l, at every block */
  NS_CHECK_MEAN_FIELD, /* quantity (squared if a norm) equals the mean-field recursion at every block */
  NS_CHECK_IDENTITY,   /* quantity equals that of the input, or of `over` in the same block, at every block */
  NS_CHECK_LOSS,       /* the loss at the end of the training, divided by the entropy of a token alone, within
                        * lower[0] .. upper[0] */
  NS_CHECK_RATES,      /* the factor of learning rates that train the variant (NsStabilityRange), seed by seed, or its
                        * ratio to that of `over`, within lower[0] .. upper[0] */
  NS_N_CHECKS
} NsCheckKind;

/* One setting that a claim assumes. */
typedef struct
{
  const NsParam *param;
  char *text;          /* as in the claim file: "uniform", "none|pre", "0..1e-5", or the path of another key; owned */
  const NsParam *same; /* the key that must have the same value, or NULL */
} NsAssumption;

/* Kind of the statement, which names the owner of the assumptions in texts. */
typedef enum
{
  NS_FORM_CLAIM, /* unknown kind */
  NS_FORM_THEOREM,
  NS_FORM_LEMMA,
  NS_FORM_PAPER,      /* stated without a proof */
  NS_FORM_LESSON,
  NS_FORM_DERIVATION, /* by the authors of this program */
} NsClaimForm;

typedef struct
{
  char *id;                /* the file's name without its suffix */
  char *title, *statement; /* in the user's language */
  char *source;            /* "Xiong et al. 2020, Theorem 1" */
  NsClaimForm form;
  char *preset;            /* the preset that meets the assumptions, or NULL */
  GPtrArray *assumptions;  /* NsAssumption */

  NsCheckKind kind;
  NsSweepAxis axis;    /* EXPONENT, RATIO, BOUNDS */
  NsMetric metric;     /* checks by block use its quantity, and its part as the blocks */
  char *variant;       /* id of the built-in variant whose wiring the claim is about */
  char *over;          /* RATIO: the variant in the denominator; PROFILE: likewise, or NULL; IDENTITY, RATES: the
                        * variant to compare with, or NULL; otherwise NULL */
  double *rates;       /* RATES: [n_rates] the learning rates that are trained, ascending; owned */
  guint n_rates;
  guint min_seeds;     /* LOSS, RATES: the fewest seeds, at least NS_CLAIM_MIN_TRAININGS */
  NsLaw law;           /* the expected law, of those with a free number growth by it; NS_N_LAWS: none, see `expected` */
  double expected;     /* the exponent; HALVING, GEOMETRIC: the factor */
  double from;         /* >= 2: the smallest depth, width or block of a fit */
  double tolerance;    /* >= 0, of the exponent or factor; GEOMETRIC: relative to the change from the last block to the
                        * first; BOUNDS, BAND, MEAN_FIELD, IDENTITY: relative, but absolute for a cosine */
  gboolean at_most;    /* an upper bound: smaller values are consistent, too */
  double lower[2], upper[2]; /* BOUNDS, BAND: constant and slope in x or l; LOSS, RATES: the ends, upper[0] = 0 for
                              * none */
} NsClaim;

/* Return a claim with that id, W_2 at the last block as its metric, and no law; caller owns it. */
NsClaim *ns_claim_new (const char *id);
void ns_claim_free (NsClaim *claim);

/* Return the assumption, which the caller owns, or NULL with an NS_EXPERIMENT_ERROR that names path and value if the
 * key or the value is invalid. */
NsAssumption *ns_assumption_new (const char *path, const char *text, GError **error);
void ns_assumption_free (NsAssumption *assumption);
/* Return TRUE when the experiment, or for a key of variants its variant, meets the assumption. */
gboolean ns_assumption_holds (const NsAssumption *assumption, const NsExperiment *experiment, guint variant);

/* Return the name of a check in claim files: "exponent", "ratio", …; static. */
const char *ns_check_kind_get_name (NsCheckKind kind);
/* Return FALSE when there is no check of that name. */
gboolean ns_check_kind_from_name (const char *name, NsCheckKind *kind);
/* Return TRUE if the claim is about a law with a free number. */
gboolean ns_claim_has_free_law (const NsClaim *claim);
/* Return TRUE for checks that read one result, block by block. */
gboolean ns_check_is_by_block (NsCheckKind kind);
/* Return TRUE for checks that read a training. */
gboolean ns_check_trains (NsCheckKind kind);
/* Return TRUE for checks that read a sweep: all others. */
gboolean ns_check_sweeps (NsCheckKind kind);

/* ---- needed runs ---- */

/* Fewest seeds of a claim that trains. */
#define NS_CLAIM_MIN_TRAININGS 5

typedef struct
{
  gboolean is_sweep;
  gboolean is_training;
  const NsClaim *map_of; /* the claim that needs a map of learning rates (ns_claim_map_new()), or NULL; borrowed.
                          * None of the three: one result of the experiment */
  NsSweepAxis axis;
  NsMetric metric;
  guint32 variants;         /* of the sweep; bit v: a claim is about the variant v */
  NsQuantitySet quantities; /* of that result */
} NsClaimNeed;

/* Return the variant with the wiring of the built-in variant `id` that meets the most of the claim's assumptions;
 * NS_MAX_VARIANTS when there is none. Claims are about random weights, so trained ones do not count. */
guint ns_claim_find_variant (const NsClaim *claim, const NsExperiment *experiment, const char *id);

/* Return the sweeps, runs, training and maps that the claims (NsClaim) about variants of the experiment need, each
 * once. Caller owns the array of NsClaimNeed. */
GArray *ns_claims_list_needs (GPtrArray *claims, const NsExperiment *experiment);

/* Create the training that a need is about: all seeds, with no records but the losses. NULL with an error as
 * ns_training_new(). */
NsTraining *ns_claim_training_new (const NsExperiment *experiment, GError **error);

/* Create the map that a claim of the kind learning-rates is about: its variants with its learning rates, all seeds, at
 * the depth of the experiment. NULL with an error as ns_sensitivity_new(). */
NsSensitivity *ns_claim_map_new (const NsClaim *claim, const NsExperiment *experiment, GError **error);
/* Return TRUE if a map is the one that ns_claim_map_new() would create; the experiment must have the claim's
 * variants. */
gboolean ns_claim_map_fits (const NsClaim *claim, const NsExperiment *experiment, const NsSensitivity *map);

/* The runs so far, all of the same experiment except for its depth or width; borrowed. A claim whose run is missing
 * or unfinished gets the verdict "cannot tell". */
typedef struct
{
  NsSweep *const *sweeps;
  guint n_sweeps;
  const NsResult *result; /* or NULL */
  const NsTraining *training; /* or NULL */
  NsSensitivity *const *maps; /* of any experiments; those that do not fit a claim are not read */
  guint n_maps;
} NsEvidence;

/* ---- the verdict ---- */

typedef enum { NS_VERDICT_CONSISTENT, NS_VERDICT_NOT_CONSISTENT, NS_VERDICT_CANNOT_TELL } NsVerdict;

/* The reason for NS_VERDICT_CANNOT_TELL. */
typedef enum
{
  NS_WHY_NOT_NONE,
  NS_WHY_NOT_VARIANT,    /* the experiment has no variant with the wiring */
  NS_WHY_NOT_QUANTITY,   /* the variant has no such tensor or quantity */
  NS_WHY_NOT_RUN,        /* the sweep or result is missing, cancelled or unfinished */
  NS_WHY_NOT_SEEDS,      /* one seed gives no interval, and a training needs min_seeds */
  NS_WHY_NOT_ASSUMED,    /* LOSS, RATES: an assumption is not met, so nothing is trained */
  NS_WHY_NOT_POINTS,     /* too few depths, widths or blocks */
  NS_WHY_NOT_FINITE,     /* NaN, Inf or 0 where a logarithm is needed */
  NS_WHY_NOT_WIDE,       /* the interval contains values that the claim accepts and others */
  NS_WHY_NOT_RIVAL,      /* the range does not separate the law from `rival` */
  NS_WHY_NOT_OPEN,       /* RATES: a range reaches the first or last learning rate, so it may be wider */
} NsWhyNot;

typedef struct
{
  NsVerdict verdict;
  NsWhyNot why_not;
  guint variant, over;   /* NS_MAX_VARIANTS: none */
  guint64 missed;        /* bit i: assumption i is not met */
  gboolean has_measured; /* the fields below are meaningful */
  double measured, error; /* mean, half the 95 % t-interval over the seeds; of a law with a free number its p; at `at`
                           * unless that is 0; IDENTITY: of the
                           * ratio, or of the difference of cosines; RATES: geometric mean, interval ×/÷ error */
  double expected;        /* the claim's number, or the law's local exponent at these points */
  double low, high;       /* the range that the claim accepts; low is -INFINITY for an upper bound */
  guint n_seeds, n_points;
  guint n_stalled, n_diverged; /* LOSS: seeds; `measured` is of those that have not diverged, NAN without any */
  double x_min, x_max;    /* range of the points: depth, width, block or learning rate */
  double factors[2];      /* RATES: the geometric means of the factors, of variant and over */
  guint n_none[2];        /* RATES: seeds that no learning rate trains; their factor counts as 1 */
  guint n_open[2];        /* RATES: seeds whose range may be wider */
  double at;              /* BOUNDS, BAND, MEAN_FIELD, IDENTITY: the depth, width or block farthest outside the accepted
                           * range; else 0 */
  double off;             /* relative error of the claim's law; NAN: none */
  gboolean misfits;       /* it is too large for the claim's law (ns_fit_allows()) */
  NsLaw rival;            /* the law that fits as well or better; NS_N_LAWS: none */
} NsClaimResult;

/* Compare the claim with the evidence of the experiment. Report assumptions that are not met in `missed`, and
 * evaluate the claim in any case. */
void ns_claim_evaluate (const NsClaim *claim, const NsExperiment *experiment, const NsEvidence *evidence,
                        NsClaimResult *result);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsClaim, ns_claim_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsAssumption, ns_assumption_free)

G_END_DECLS
