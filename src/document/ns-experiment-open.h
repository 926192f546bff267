/* Opens an experiment from whatever holds one, told by its content and not by its name.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An experiment file (JSON), a PNG or SVG that Normscope made, a link, as text or in a file, or a model's config.json
 * (ns-config-import.h).
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* `name` is what messages call the source. NULL and an NS_DOCUMENT_ERROR_INPUT when it holds no experiment. Caller owns
 * it.
 * *assumptions (may be NULL) is what was assumed where a model's config was read: sentences, NULL-terminated,
 * translated; NULL for everything else. Caller frees with g_strfreev(). */
NsExperiment *ns_experiment_open_bytes (GBytes *bytes, const char *name, char ***assumptions, GError **error);
NsExperiment *ns_experiment_open_file (GFile *file, GCancellable *cancellable, GError **error);

/* The same for a link, or the path of any of the files above: a link when there is no file of that name. */
NsExperiment *ns_experiment_open (const char *path_or_link, char ***assumptions, GError **error);

G_END_DECLS
