/* Numbers as text that reads back to the same value, in the C locale.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* At least G_ASCII_DTOSTR_BUF_SIZE bytes. */
#define NS_DECIMAL_SIZE G_ASCII_DTOSTR_BUF_SIZE

/* The fewest digits that give the same double back: "0.1", "1e-05", "24"; "nan", "inf", "-inf". Returns buffer. */
char *ns_decimal_format (char buffer[NS_DECIMAL_SIZE], double value);

G_END_DECLS
