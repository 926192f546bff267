/* A published statement about depth or width, held against what was measured.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every check but those by block comes down to one number a seed (an exponent, a factor), its mean and 95 % t-interval
 * over the seeds, and the values that the claim accepts: expected ± tolerance, or all up to expected + tolerance for an
 * upper bound. An interval inside is consistent, one outside is not, one that holds both cannot tell. A law is held
 * against the measured exponent by its own local one: the power fitted to the law on the very points that were measured
 * (ln L is about L^0.4 over 2..128). A law is consistent only when no other law that is as near in exponent fits as
 * well by AICc.
 *
 * Threads: pure functions; a claim is read-only once made and may be used from any thread.
 */
#pragma once

#include "engine/analysis/ns-laws.h"
#include "engine/experiment/ns-params.h"
#include "engine/run/ns-sweep.h"

G_BEGIN_DECLS

typedef enum
{
  NS_CHECK_EXPONENT,   /* of a metric against the axis: a number, or the local exponent of a law */
  NS_CHECK_RATIO,      /* the same of variant over `over`, seed by seed */
  NS_CHECK_PROFILE,    /* the same of a quantity against the block l, at one depth */
  NS_CHECK_HALVING,    /* the factor a block by which 1 − quantity falls, at one depth */
  NS_CHECK_BAND,       /* quantity² within [lower, upper], both linear in l, at every block */
  NS_CHECK_MEAN_FIELD, /* quantity (squared when a norm) by the mean-field recursion, at every block */
} NsCheckKind;

/* One setting that a claim presumes. */
typedef struct
{
  const NsParam *param;
  char *text;          /* as in the claim file: "uniform", "none|pre", "0..1e-5", or the path of another key; owned */
  const NsParam *same; /* the key whose value this one has, or NULL */
} NsAssumption;

typedef struct
{
  char *id;                /* the file's name without its end */
  char *title, *statement; /* in the user's language */
  char *source;            /* "Xiong et al. 2020, Theorem 1" */
  char *preset;            /* the preset that puts the assumptions in place, or NULL */
  GPtrArray *assumptions;  /* NsAssumption */

  NsCheckKind kind;
  NsSweepAxis axis;    /* EXPONENT, RATIO */
  NsMetric metric;     /* its quantity and part alone where the check is by block: the blocks are that part's */
  char *variant;       /* id of a built-in variant: the wiring that the claim speaks of */
  char *over;          /* RATIO: the denominator's; else NULL */
  NsLaw law;           /* NS_N_LAWS: `expected` is a number of its own */
  double expected;     /* the exponent; HALVING: the factor */
  double tolerance;    /* >= 0: of the exponent or factor; BAND, MEAN_FIELD: as a share, of a cosine absolute */
  gboolean at_most;    /* an upper bound: less is consistent too */
  double lower[2], upper[2]; /* BAND: constant, slope by l */
} NsClaim;

NsClaim *ns_claim_new (const char *id);
void ns_claim_free (NsClaim *claim);

/* NULL and an NS_EXPERIMENT_ERROR that names path and value when the key or the value is none. */
NsAssumption *ns_assumption_new (const char *path, const char *text, GError **error);
void ns_assumption_free (NsAssumption *assumption);
/* variant is not looked at for a shared key. */
gboolean ns_assumption_holds (const NsAssumption *assumption, const NsExperiment *experiment, guint variant);

/* "exponent", "ratio", …; static. */
const char *ns_check_kind_get_name (NsCheckKind kind);
/* FALSE when there is none of that name. */
gboolean ns_check_kind_from_name (const char *name, NsCheckKind *kind);
/* "constant", "1/sqrt", "ln", "ln/sqrt", "sqrt", "linear": laws in files and on the command line; static. */
const char *ns_law_get_name (NsLaw law);
gboolean ns_law_from_name (const char *name, NsLaw *law);
gboolean ns_check_is_by_block (NsCheckKind kind);

/* ---- what has to be run ---- */

typedef struct
{
  gboolean is_sweep; /* else one result of the experiment */
  NsSweepAxis axis;
  NsMetric metric;
} NsClaimNeed;

/* What evaluating needs, each once. claims: NsClaim. Caller owns the array of NsClaimNeed. */
GArray *ns_claims_list_needs (GPtrArray *claims);

/* What has been run so far, all of the same experiment but for its depth or width; borrowed. A sweep that is missing
 * or unfinished makes a claim that needs it one that cannot be told. */
typedef struct
{
  NsSweep *const *sweeps;
  guint n_sweeps;
  const NsResult *result; /* or NULL */
} NsEvidence;

/* ---- the verdict ---- */

typedef enum { NS_VERDICT_CONSISTENT, NS_VERDICT_NOT_CONSISTENT, NS_VERDICT_CANNOT_TELL } NsVerdict;

/* Why it cannot be told. */
typedef enum
{
  NS_WHY_NOT_NONE,
  NS_WHY_NOT_VARIANT,    /* the experiment has no variant of that wiring */
  NS_WHY_NOT_QUANTITY,   /* the variant has no such tensor or quantity */
  NS_WHY_NOT_RUN,        /* the sweep or result is missing, cancelled, or still on its way */
  NS_WHY_NOT_SEEDS,      /* one seed has no interval */
  NS_WHY_NOT_POINTS,     /* too few depths, widths or blocks */
  NS_WHY_NOT_FINITE,     /* NaN, Inf or 0 where a logarithm is needed */
  NS_WHY_NOT_WIDE,       /* the interval holds values that the claim accepts and others */
  NS_WHY_NOT_RIVAL,      /* the range is too short to tell the law from `rival` */
} NsWhyNot;

typedef struct
{
  NsVerdict verdict;
  NsWhyNot why_not;
  guint variant, over;   /* NS_MAX_VARIANTS: none */
  guint64 missed;        /* bit i: assumption i is not met */
  gboolean has_measured; /* what follows is meaningful */
  double measured, error; /* mean and half the 95 % t-interval over the seeds; of `block` where that is not 0 */
  double expected;        /* the number, or the law's local exponent on these points */
  double low, high;       /* what the claim accepts; low is -INFINITY for an upper bound */
  guint n_seeds, n_points;
  double x_min, x_max;    /* of the points that were fitted: depth, width or block */
  gint64 block;           /* BAND, MEAN_FIELD: where it is the farthest from what is accepted; else 0 */
  NsLaw rival;            /* NS_N_LAWS, or the law that fits as well or better */
} NsClaimResult;

void ns_claim_evaluate (const NsClaim *claim, const NsExperiment *experiment, const NsEvidence *evidence,
                        NsClaimResult *result);

/* The exponent of the straight line through ln f (x) over ln x at the n given x >= 2. */
double ns_law_local_exponent (NsLaw law, const double *x, guint n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsClaim, ns_claim_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsAssumption, ns_assumption_free)

G_END_DECLS
