/* Numbers as Pango markup, with a true minus and true superscripts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Digits are in the C locale. All strings are the caller's. Threads: any.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Numbers outside these powers of ten are written with an exponent. */
#define NS_NUMBER_PLAIN_MIN (-3)
#define NS_NUMBER_PLAIN_MAX 4

/* A number of at most `digits` significant digits as markup: "0.05", "120", "3·10<sup>−7</sup>". */
char *ns_number_to_markup (double value, int digits);

/* The same for a quantity given as log10, which may be beyond any double: "3.2·10<sup>−412</sup>". */
char *ns_log10_to_markup (double log10_value, int digits);

/* "−0.50": a fixed number of decimals, at most 17. */
char *ns_number_format_fixed (double value, int decimals);

/* "5·10<sup>−7</sup>", or "10<sup>−7</sup>" when `mantissa` is NULL. */
char *ns_number_format_power (const char *mantissa, int exponent);

G_END_DECLS
