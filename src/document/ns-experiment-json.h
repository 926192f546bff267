/* Experiment files (*.normscope): JSON with the keys of the parameter table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading is strict: an unknown key, a wrong type or an impossible value is an NS_DOCUMENT_ERROR_INPUT with the file,
 * the key's full path ("variants[1].attn.norm"), its value and the allowed values. Absent keys have their defaults.
 * Files of a newer version are refused, since their keys may have another meaning.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "document/ns-json-node.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NS_EXPERIMENT_FORMAT "normscope-experiment"
#define NS_EXPERIMENT_VERSION 1

/* Read an experiment; `name` is the source's name in messages: a path, "standard input". The result has passed
 * ns_experiment_validate(); with source "text", a null text is replaced by the sample text. Caller owns it. */
NsExperiment *ns_experiment_from_bytes (GBytes *bytes, const char *name, GError **error);
NsExperiment *ns_experiment_from_path (const char *path, GError **error);

/* The same for the output of ns_experiment_write_minimal(): `format` may be absent. */
NsExperiment *ns_experiment_from_minimal (GBytes *bytes, const char *name, GError **error);

/* The same for an object within a file; `format` may be absent. The message begins with a key of the experiment. */
NsExperiment *ns_experiment_from_node (JsonNode *node, GError **error);
/* Return the allowed values of a key of an experiment, for ns_json_check(), or NULL. Caller frees. */
char *ns_experiment_dup_allowed (const char *path);

/* Write every key, in the table's order, indented by two spaces, with a final newline. Reading it back gives an equal
 * experiment, bit by bit. The text is NUL-terminated after the bytes' end. Caller owns the bytes. */
GBytes *ns_experiment_to_bytes (const NsExperiment *experiment);
gboolean ns_experiment_save (const NsExperiment *experiment, const char *path, GError **error);
/* Return ns_experiment_to_bytes() on one line, without the final newline, in UTF-8. Caller frees. */
char *ns_experiment_dup_line (const NsExperiment *experiment);

/* The bundled public-domain text; static, UTF-8. */
const char *ns_sample_text (void);
/* Set the sample text if the experiment's source is text and it has none. */
void ns_experiment_fill_text (NsExperiment *experiment);

G_END_DECLS
