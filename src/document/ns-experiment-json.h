/* Experiment files (*.normscope): JSON, derived key by key from the parameter table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading is strict: an unknown key, a wrong type or an impossible value is an NS_DOCUMENT_ERROR_INPUT that names the
 * file, the key's full path ("variants[1].attn.norm"), its value and what is allowed. Absent keys are defaults.
 * A file of a newer version is refused by its number, since keys may mean something else there.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NS_EXPERIMENT_FORMAT "normscope-experiment"
#define NS_EXPERIMENT_VERSION 1

/* `name` is what messages call the source: a path, "standard input". The experiment has passed
 * ns_experiment_validate(); a null text with source "text" has become the sample text. Caller owns it. */
NsExperiment *ns_experiment_from_bytes (GBytes *bytes, const char *name, GError **error);
NsExperiment *ns_experiment_from_path (const char *path, GError **error);

/* The same for what ns_experiment_write_minimal() wrote: `format` may be absent. */
NsExperiment *ns_experiment_from_minimal (GBytes *bytes, const char *name, GError **error);

/* Every key, in the table's order, indented by two spaces, ending in a newline. Reading it back gives an equal
 * experiment, bit by bit. The text is NUL-terminated after the bytes' end. Caller owns the bytes. */
GBytes *ns_experiment_to_bytes (const NsExperiment *experiment);
gboolean ns_experiment_save (const NsExperiment *experiment, const char *path, GError **error);
/* The same as ns_experiment_to_bytes() on one line without its end, UTF-8. Caller frees. */
char *ns_experiment_dup_line (const NsExperiment *experiment);

/* The public-domain text that ships with the program; static, UTF-8. */
const char *ns_sample_text (void);
/* Gives an experiment on text that has none the sample text; else does nothing. */
void ns_experiment_fill_text (NsExperiment *experiment);

G_END_DECLS
