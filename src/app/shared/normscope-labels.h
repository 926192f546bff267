/* Display names for groups of parameters; those of choices are in ns-params.h.
 * Files and the command line use the keys of the parameter table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "engine/experiment/ns-params.h"

G_BEGIN_DECLS

/* Return the name of a parameter's null in a drop-down, as "Same as self-attention". Translated, borrowed. */
const char *normscope_label_for_null (const NsParam *param);

/* Return one line with the main values of a group of settings: "Width 128 · heads 4 · …". The caller frees it.
 * `group` is the group's widget name in the sidebar: "shape", "data", "layers", "biases", "norms", "init",
 * "seeds". */
char *normscope_label_dup_group_summary (const char *group, const NsExperiment *experiment, guint variant);

/* Return the title of a document: the model's name, with "scaled down" where it is opened so. The caller frees it. */
char *normscope_label_dup_title (const char *name, gboolean scaled_down);

G_END_DECLS
