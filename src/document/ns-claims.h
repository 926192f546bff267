/* Claim cards: statements of papers and lessons with the check that settles them, as files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Those of data/claims are compiled in; others are read from files (*.claim) of the same kind, key files in UTF-8:
 *
 *     [Claim]                     Title, Statement (Title[de] … for translations), Source; Preset, Order (optional)
 *     [Assumptions]               KEY=VALUE by key path; VALUE: a value, several with | between, a range as 0..1e-5,
 *                                 or the path of a key that has to be equal (shape.d_ff=shape.d_model)
 *     [Check]                     Kind=exponent|ratio|profile|halving|band|mean-field, Variant=ID of a built-in
 *                                 variant, Metric=w_2@last, Law=constant|1/sqrt|ln|ln/sqrt|sqrt|linear or
 *                                 Exponent=NUMBER, Factor (halving), Tolerance, Bound=true for an upper bound,
 *                                 Axis=depth|d_model, Over=ID (ratio), Lower=CONSTANT;SLOPE and
 *                                 Upper=CONSTANT;SLOPE (band)
 *
 * Threads: any.
 */
#pragma once

#include "engine/analysis/ns-claim.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Those that ship with the program, in the order in which they are shown: NsClaim. Borrowed, never freed. */
GPtrArray *ns_claims_builtin (void);

/* `name` is what messages call the file, and without its end the claim's id. NULL and an NS_DOCUMENT_ERROR_INPUT that
 * names file, key and value. */
NsClaim *ns_claim_from_bytes (GBytes *bytes, const char *name, GError **error);

/* Every *.claim of a folder, by name. A broken one is skipped and its error appended to errors (char *, may be NULL);
 * so is one whose id is taken already. A folder that is not there has none. Caller owns the array of NsClaim. */
GPtrArray *ns_claims_from_folder (const char *path, GPtrArray *errors);

G_END_DECLS
