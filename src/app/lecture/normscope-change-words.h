/* The difference between two experiments in a few words, for the last row of a lecture hall.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* More differences than this are another experiment rather than an action. */
#define NORMSCOPE_CHANGE_MAX_WORDS 3

/* Return what differs in `after`, a line for each parameter, in the words of the parameter table: "Depth 48",
 * "Attention residual: off". With several variants, a line of one of them begins with its name. Return NULL if nothing
 * differs, or too much. Translated; the caller frees it. */
char *normscope_change_dup_words (const NsExperiment *before, const NsExperiment *after);

G_END_DECLS
