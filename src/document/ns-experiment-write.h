/* Experiments as JSON text, within another file too.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; a writer belongs to one.
 */
#pragma once

#include "document/ns-json-writer.h"
#include "document/ns-unknown-keys.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* The whole experiment as the value of `key` (NULL: as the document). */
void ns_experiment_write (NsJsonWriter *writer, const char *key, const NsExperiment *experiment);

/* The same with the keys of a newer version put back where they were, and with that version. `unknown` may be NULL. */
void ns_experiment_write_with (NsJsonWriter *writer, const char *key, const NsExperiment *experiment,
                               const NsUnknownKeys *unknown);

/* The document with those keys alone that differ from the defaults, without `format`, and without `version` unless
 * there are unknown keys: the least from which ns_experiment_read_minimal() gives an equal experiment. */
void ns_experiment_write_minimal (NsJsonWriter *writer, const NsExperiment *experiment, const NsUnknownKeys *unknown);

G_END_DECLS
