/* Numbers as Pango markup, with a typographic minus (U+2212) and superscripts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The decimal sign is the language's. The caller frees all strings. Threads: any.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Numbers with an exponent outside this range are written in powers of ten. */
#define NS_NUMBER_PLAIN_MIN (-3)
#define NS_NUMBER_PLAIN_MAX 4

/* Compare two doubles, for g_array_sort(). */
int ns_compare_doubles (gconstpointer a, gconstpointer b);

/* Format 10^log10_value, which may be outside the range of doubles, with at most `digits` significant digits: "0.05",
 * "120", "3.2·10<sup>−412</sup>". */
char *ns_log10_to_markup (double log10_value, int digits);

/* Format with a fixed number of decimals, at most 17: "−0.50". */
char *ns_number_format_fixed (double value, int decimals);

/* Format "5·10<sup>−7</sup>", or "10<sup>−7</sup>" when `mantissa` is NULL. */
char *ns_number_format_power (const char *mantissa, int exponent);

G_END_DECLS
