/* Progress as the engine's threads write it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/ns-engine.h"

/* Counts one block passed. FALSE when the job was cancelled: stop. NULL never is. Any thread. */
gboolean ns_progress_step (NsProgress *progress);
/* Says how many blocks a run will pass; one progress may serve several runs, whose blocks add up. */
void ns_progress_begin (NsProgress *progress, guint64 total);
