/* The weights of a variant from a checkpoint.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the source can be used from any.
 */
#pragma once

#include "engine/experiment/ns-weight-source.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Bind the tensors of a file or a folder (ns-model-files.h) to those of variant 0 of an experiment that was imported
 * from a config of this model_type. `tied`: the head is the embedding, whatever the file holds. Matrices are read from
 * the files as they are used, vectors at once. Return NULL and an NS_DOCUMENT_ERROR_INPUT that names missing,
 * unexpected or misshapen tensors, or what is wrong with the files. *notes (nullable) gets sentences about weights that
 * an experiment cannot express and about those of other heads, translated, to free, or NULL. Caller owns the source. */
NsWeightSource *ns_model_weights_open (const char *path, const char *model_type, gboolean is_tied,
                                       const NsExperiment *experiment, char **notes, GError **error);

G_END_DECLS
