/* Declarations shared by the parts of a PyTorch script.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "script/ns-torch-script.h"

/* Append a number as Python's JSON reader takes it: also NaN and Infinity, which are not in the JSON standard. */
void ns_torch_script_append_number (GString *out, double value);

/* Return the paths (NsPaths) of one variant and one seed as JSON: for each kind its settings and, for each map, an
 * object of rows (sites) with an object of columns each. Caller frees. */
char *ns_torch_script_dup_paths (const GPtrArray *paths);
/* Return the paths of the kind, or NULL; owned by the list, which may be NULL. */
const NsPaths *ns_torch_script_find_paths (const GPtrArray *paths, NsPathsKind kind);
