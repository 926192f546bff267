/* Long sweeps, which go on after a restart or a crash.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sweep that has run for some seconds gets a checkpoint in the user's state folder, to which each finished item is
 * appended. The same sweep, of the same program, begins with what the checkpoint has. A finished sweep removes it.
 *
 * Threads: the worker's.
 */
#pragma once

#include "engine/run/ns-sweep.h"

G_BEGIN_DECLS

/* Do as ns_engine_run_sweep(). A checkpoint that cannot be read or written changes nothing. */
gboolean normscope_kept_sweep_run (NsEngine *engine, NsSweep *sweep, NsProgress *progress, GError **error);
/* Return the path of the checkpoint that a sweep would have, or NULL: it depends on other files. Caller frees. */
char *normscope_kept_sweep_dup_path (NsSweep *sweep);
/* Set the time after which a sweep gets a checkpoint, for tests. */
void normscope_kept_sweep_set_delay_us (gint64 delay_us);

G_END_DECLS
