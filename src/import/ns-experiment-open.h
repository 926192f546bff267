/* Open an experiment from any supported source. The content decides the format, not the file's name.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sources: an experiment file (JSON), a PNG or SVG exported by Normscope, a link as text or in a file, and a model's
 * config.json (ns-config-import.h).
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Open an experiment; `name` is the source's name in messages. Return NULL and an NS_DOCUMENT_ERROR_INPUT if it holds
 * no experiment. Caller owns the result. For a model's config, *assumptions (`assumptions` may be NULL) is a
 * NULL-terminated list of translated sentences about the import, to free with g_strfreev(); otherwise NULL. */
NsExperiment *ns_experiment_open_bytes (GBytes *bytes, const char *name, char ***assumptions, GError **error);
NsExperiment *ns_experiment_open_file (GFile *file, GCancellable *cancellable, GError **error);

/* The same for a link or a path; a link if no file has that name. */
NsExperiment *ns_experiment_open (const char *path_or_link, char ***assumptions, GError **error);

G_END_DECLS
