/* What choices are called in the window. Files and the command line use the names in the parameter table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "engine/experiment/ns-params.h"

G_BEGIN_DECLS

/* "Pre-LN" for choice "pre" of "attn.norm"; the choice itself where it has no other name. Translated, borrowed. */
const char *normscope_label_for_choice (const NsParam *param, const char *choice);

/* What a drop-down says for null: "As the attention". Translated, borrowed. */
const char *normscope_label_for_null (const NsParam *param);

/* One line that says what a group of settings holds: "d_model 128 · 4 heads · …"; caller frees.
 * `group` is the group's widget name in the sidebar: "shape", "data", "layers", "norms", "init", "seeds". */
char *normscope_summary_of_group (const char *group, const NsExperiment *experiment, guint variant);

G_END_DECLS
