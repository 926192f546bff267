/* Write experiments as JSON, as a document or within one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: a writer belongs to one thread.
 */
#pragma once

#include "document/ns-json-writer.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Write the whole experiment as the value of `key`; as the document if NULL. */
void ns_experiment_write (NsJsonWriter *writer, const char *key, const NsExperiment *experiment);

/* Write only the keys that differ from the defaults, without `format` and `version`.
 * ns_experiment_from_minimal() reads an equal experiment back. */
void ns_experiment_write_minimal (NsJsonWriter *writer, const char *key, const NsExperiment *experiment);

G_END_DECLS
