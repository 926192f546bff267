/* The last session on disk: what the next start begins with.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two files in the user's state folder: the experiment, and where it was saved to.
 * Threads: main.
 */
#pragma once

#include <gio/gio.h>

#include "engine/ns-experiment.h"

G_BEGIN_DECLS

/* `file`: the document, nullable. A state folder that cannot be written to costs the session, and is no error of the
 * user's. */
void normscope_last_session_save (const NsExperiment *experiment, GFile *file);

/* NULL without an error: there is none. `file` is set to the document or to NULL; caller owns both. */
NsExperiment *normscope_last_session_load (GFile **file, GError **error);

G_END_DECLS
