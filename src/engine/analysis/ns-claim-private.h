/* What the checks of claims share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/analysis/ns-claim.h"

G_BEGIN_DECLS

/* A fit needs as many points. */
#define NS_CLAIM_MIN_POINTS 4

/* One number of each seed at each x, x ascending. */
typedef struct
{
  guint n, n_seeds;
  double *x;      /* [n]: depths, widths or blocks */
  double *values; /* [n_seeds][n] */
} NsClaimTable;

void ns_claim_table_init (NsClaimTable *table, guint n, guint n_seeds);
void ns_claim_table_clear (NsClaimTable *table);

void ns_claim_cannot_tell (NsClaimResult *result, NsWhyNot why_not);

/* Compute the mean over the seeds of n values that lie `stride` apart, and half its 95 % t-interval, NAN with one
 * seed. */
void ns_claim_interval (const double *values, guint n, gsize stride, double *mean, double *error);
/* Compare mean ± error with low..high. */
NsVerdict ns_claim_judge (double mean, double error, double low, double high);
/* The verdict on one number, from low..high, with `expected` to show. */
void ns_claim_judge_number (double measured, double error, double expected, double low, double high,
                            NsClaimResult *result);
/* The verdict on an exponent; the table holds logarithms to base 10. */
void ns_claim_judge_exponent (const NsClaim *claim, const NsClaimTable *table, NsClaimResult *result);
/* The worst verdict of all points, shown by the point whose interval reaches out the farthest; the table holds what is
 * compared, and low and high [n] what is accepted before the tolerance. A relative tolerance is a share of high. */
void ns_claim_judge_points (const NsClaim *claim, const NsClaimTable *table, const double *low, const double *high,
                            gboolean relative, NsClaimResult *result);
/* Whether a band is about the square: of all but a cosine. */
gboolean ns_claim_is_squared (const NsClaim *claim);
/* Square the values of the table, if the claim is about them. */
void ns_claim_table_square (const NsClaim *claim, NsClaimTable *table);
/* The claim's band at each x of the table. */
void ns_claim_get_band (const NsClaim *claim, const NsClaimTable *table, double *low, double *high);

/* The checks by block. */
void ns_claim_evaluate_blocks (const NsClaim *claim, const NsResult *from, NsClaimResult *result);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsClaimTable, ns_claim_table_clear)

G_END_DECLS
