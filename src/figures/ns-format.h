/* Numbers in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The decimal sign is the language's, as on the axes. Pure functions; any thread; the caller frees what
 * they return.
 */
#pragma once

#include "engine/run/ns-result.h"

G_BEGIN_DECLS

/* Format 10^log10_value with 1 to 15 significant digits: "0.123", "1.2·10⁻³⁰⁴", "NaN", "+∞", "0". */
char *ns_format_log10 (double log10_value, int digits);

/* Format a ratio >= 1, given its log10: "4.1", "41", "412", "1230", "2.3·10⁵", "10³¹²". */
char *ns_format_ratio (double log10_ratio);

/* Format a change, given the log10 of its ratio, after a verb: "to a third", "to 28 %", "to 3.4 times", and from a
 * hundred on "by a factor of 280". */
char *ns_format_change (double log10_ratio);

/* Format a cosine: "0.998"; ">0.999" for a value below 1 that would round up to it. */
char *ns_format_cosine (double cosine);

/* Format a number, which may be negative, with 1 to 15 significant digits: "−0.021", "0", "NaN". */
char *ns_format_signed (double value, int digits);

/* Format a share, which may be negative, in percent with two digits, or three from 100 on: "36 %", "−4.2 %",
 * "131 %", "0 %"; "<0.1 %" for what is nearer to 0 than that, whatever its sign. */
char *ns_format_percent (double share);

/* Format the mean of that kind and one standard deviation: "0.123 ± 0.01" for ARITHMETIC, "0.123 ×/÷ 1.09" for
 * GEOMETRIC. Where a double cannot hold an arithmetic mean, take the geometric one. One seed, "NaN", "+∞" and "0" have
 * no deviation; if only some seeds are NaN, infinite or 0, their number follows. */
char *ns_format_stat (const NsStat *stat, NsMeanKind mean);
/* Format the mean alone; *spread receives the deviation with its sign, "×/÷ 1.09" or "± 0.01", or NULL; the caller
 * frees both. */
char *ns_format_stat_parts (const NsStat *stat, NsMeanKind mean, char **spread);

/* Return log10 of the mean of that kind, or of the geometric mean where a double cannot hold an arithmetic one. A mean
 * of 0 gives -INFINITY; NAN and INFINITY are passed on. */
double ns_stat_get_log10 (const NsStat *stat, NsMeanKind mean);

G_END_DECLS
