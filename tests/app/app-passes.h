/* Count the passes that the engine begins.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program is linked so that calls of ns_pass_init() come here first.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Return the number of passes since the start of the program, of any engine: a variant and a seed of a run, of paths,
 * of a sweep, of a step of a training. */
guint app_passes_count (void);

G_END_DECLS
