/* Check generated tables in docs/.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

/* Check that the lines of docs/`file` between "<!-- mark…" and "<!-- /mark -->" equal `rows`; fail at the first
 * difference. */
void assert_rows (const char *file, const char *mark, const char *rows);
