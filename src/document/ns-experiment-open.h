/* Opens an experiment from whatever holds one, told by its content and not by its name.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An experiment file (JSON), a PNG or SVG that Normscope made, a link, as text or in a file, or a model's config.json
 * (ns-config-import.h). A file of a newer version opens with its unknown keys given back.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "document/ns-unknown-keys.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* `name` is what messages call the source. *unknown is NULL for a file of this version. NULL and an
 * NS_DOCUMENT_ERROR_INPUT when there is no experiment in it. Caller owns the experiment and the keys. */
NsExperiment *ns_experiment_open_bytes (GBytes *bytes, const char *name, NsUnknownKeys **unknown, GError **error);
NsExperiment *ns_experiment_open_file (GFile *file, GCancellable *cancellable, NsUnknownKeys **unknown, GError **error);

/* A link, or the path of any of the files above. A path is told from a link by there being such a file. */
NsExperiment *ns_experiment_open (const char *path_or_link, NsUnknownKeys **unknown, GError **error);

/* The same, with what was assumed where a model's config was read: sentences, NULL-terminated, translated; NULL for
 * everything else. Caller frees with g_strfreev(). */
NsExperiment *ns_experiment_open_bytes_noting (GBytes *bytes, const char *name, NsUnknownKeys **unknown,
                                               char ***assumptions, GError **error);
NsExperiment *ns_experiment_open_noting (const char *path_or_link, NsUnknownKeys **unknown, char ***assumptions,
                                         GError **error);

G_END_DECLS
