/* Numbers in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The decimal point is a point in every language, as on the axes. Pure functions; any thread; the caller frees what
 * they return.
 */
#pragma once

#include "engine/run/ns-result.h"

G_BEGIN_DECLS

/* Format 10^log10_value with 1 to 15 significant digits: "0.123", "1.2·10⁻³⁰⁴", "NaN", "+∞", "0". */
char *ns_format_log10 (double log10_value, int digits);

/* Format a ratio >= 1, given its log10: "4.1", "41", "2.3·10⁵", "10³¹²". */
char *ns_format_ratio (double log10_ratio);

/* Format a cosine: "0.998"; ">0.999" for a value below 1 that would round up to it. */
char *ns_format_cosine (double cosine);

/* Format mean and standard deviation, "0.123 ± 0.01"; the mean alone where a double cannot hold both: "1.2·10⁻³⁰⁴",
 * "NaN". */
char *ns_format_stat (const NsStat *stat);

/* Return log10 of the mean where a double holds it, else the mean of the log10. A mean of 0 gives -INFINITY; NAN and
 * INFINITY are passed on. */
double ns_stat_get_log10 (const NsStat *stat);

G_END_DECLS
