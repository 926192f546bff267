/* Laws and their numbers in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `letter` is that of the axis: "L", "d", or "l" for blocks. Pure functions; any thread; the caller frees what they
 * return.
 */
#pragma once

#include "engine/analysis/ns-laws.h"

G_BEGIN_DECLS

/* ---- cells of tables ---- */

/* Return "−0.49 ± 0.03", "−0.49" without an interval, "–" without an exponent. */
char *ns_scaling_dup_exponent (const NsExponent *exponent);
/* Return "−0.49" and in *error "0.03", with as many decimals as the interval is worth; NULL without an interval. */
char *ns_scaling_dup_exponent_parts (const NsExponent *exponent, char **error);
/* Return "0.97", ">0.99", "<0.01"; "–" for a weight that is not finite. */
char *ns_scaling_dup_weight (double weight);
/* Return "2 %", "0.3 %", "<0.1 %", ">1000 %"; "–" for NAN. */
char *ns_scaling_dup_percent (double relative_error);

/* ---- laws ---- */

/* Return "L⁻⁰·⁴⁹" for "−0.49". */
char *ns_scaling_dup_power (const char *letter, const char *exponent);
/* Return "1/√L"; a law with a free number with it: "L⁻⁰·⁴⁹", "0.56ᴸ", "exp(−√(L/12))". */
char *ns_scaling_dup_law (NsLaw law, const NsExponent *slope, const char *letter);
/* Return the free number of a law with its interval: "exponent −0.49 ± 0.03", "× 0.56 a block, 0.55 to 0.58", "λ =
 * 12.3, 11.0 to 13.9". */
char *ns_scaling_dup_law_number (NsLaw law, const NsExponent *slope, const char *letter);

G_END_DECLS
