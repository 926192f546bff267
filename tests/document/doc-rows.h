/* Tables in docs/ that the program writes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

/* What stands in docs/`file` between the lines "<!-- mark…" and "<!-- /mark -->" is these rows; a test fails at the
 * first line that differs. */
void assert_rows (const char *file, const char *mark, const char *rows);
