/* Claims: published statements and the checks that test them, as key files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Claims in data/claims are compiled in; others are read from files (*.claim) of the same format, key files in UTF-8:
 *
 *     [Claim]                     Title, Statement (Title[de] … for translations), Source;
 *                                 Form=claim|theorem|lemma|paper|lesson|derivation, Preset, Order (optional)
 *     [Assumptions]               KEY=VALUE by key path; VALUE: a value, several separated by |, a range like 0..1e-5,
 *                                 or the path of a key with the same value (shape.d_ff=shape.d_model)
 *     [Check]                     Kind=exponent|ratio|bounds|profile|geometric|halving|band|mean-field|identity|loss|
 *                                 learning-rates,
 *                                 Variant=ID of a built-in variant, Metric=w_2@last,
 *                                 Law=NAME (ns_law_get_name()) or Exponent=NUMBER, Factor (geometric,
 *                                 halving), Tolerance, Bound=true for an upper bound, Axis=depth|d_model, Over=ID
 *                                 (ratio, identity, learning-rates), Lower=CONSTANT;SLOPE and Upper=CONSTANT;SLOPE
 *                                 (bounds, band), From=NUMBER (exponent, ratio, profile),
 *                                 Least=NUMBER, Most=NUMBER (loss, learning-rates, which have neither Metric nor
 *                                 Tolerance), Rates=1e-4..1e-1:10 (learning-rates)
 *
 * Threads: any.
 */
#pragma once

#include "engine/analysis/ns-claim.h"

#include <gio/gio.h>

G_BEGIN_DECLS

#define NS_CLAIM_SUFFIX ".claim"

/* Return the built-in claims (NsClaim) in display order. Borrowed, never freed. */
GPtrArray *ns_claims_builtin (void);

/* Read a claim; `name` is the file's name in messages, and without its extension the claim's id. Return NULL and an
 * NS_DOCUMENT_ERROR_INPUT with file, key and value. Caller owns the claim. */
NsClaim *ns_claim_from_bytes (GBytes *bytes, const char *name, GError **error);

/* Read every *.claim of a folder, sorted by name. Skip an invalid claim, or one whose id is taken, and append the error
 * to errors (char *, may be NULL). Return an empty array if the folder is missing. Caller owns the array of NsClaim. */
GPtrArray *ns_claims_from_folder (const char *path, GPtrArray *errors);

/* Return an experiment that meets the claim's assumptions: its preset, or a copy of `experiment` if it has none, with
 * the claim's variants added if missing, every unmet assumption applied, and at least two seeds, five for a training.
 * Return NULL and an error if there is no room for another variant. Caller owns the experiment. */
NsExperiment *ns_claim_set_up (const NsClaim *claim, const NsExperiment *experiment, GError **error);

G_END_DECLS
