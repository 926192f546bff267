/* Experiments as JSON text, within another file too.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; a writer belongs to one.
 */
#pragma once

#include "document/ns-json-writer.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* The whole experiment as the value of `key` (NULL: as the document). */
void ns_experiment_write (NsJsonWriter *writer, const char *key, const NsExperiment *experiment);

/* The document without `format` and `version`, with only the keys that differ from the defaults: the least from which
 * ns_experiment_from_minimal() gives an equal experiment. */
void ns_experiment_write_minimal (NsJsonWriter *writer, const NsExperiment *experiment);

G_END_DECLS
