/* Progress as the engine's threads write it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/ns-engine.h"

/* Counts one block passed. FALSE when the job was cancelled: stop. NULL never is. Any thread. */
gboolean ns_progress_step (NsProgress *progress);
/* Whether the job was cancelled, at no measurable cost: long work asks between its pieces, and what it then leaves
 * undone is never used. Once TRUE it stays so. NULL never is. Any thread. */
gboolean ns_progress_stops (NsProgress *progress);
/* Says how many blocks a run will pass; one progress may serve several runs, whose blocks add up. */
void ns_progress_begin (NsProgress *progress, guint64 total);
/* Says beforehand how many blocks runs to come will pass, so that the total stands from the beginning: each run then
 * begins with blocks of these, while there are any. One thread at a time reserves and begins. */
void ns_progress_reserve (NsProgress *progress, guint64 total);
