/* A model with the weights of a checkpoint as a variant, beside the same model at its start.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Put a copy of `model`, named after it and the file of weights, before the variants. It draws its weights until they
 * are read. */
void ns_trained_variant_insert (NsExperiment *experiment, const NsVariant *model, const char *path);

/* Let variant 0 read its weights. Arguments and errors as of ns_model_weights_open(), and errors of
 * ns_experiment_validate(). A file is read for its checksum, which can take seconds. */
gboolean ns_trained_variant_read (NsExperiment *experiment, const char *model_type, gboolean is_tied, const char *path,
                                  char **notes, GError **error);

G_END_DECLS
