/* Validation of an experiment as a whole.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return TRUE when the experiment can be run, apart from memory: each value is in its range, heads divide d_model,
 * names are unique, the text fills a window, no settings exclude each other. Otherwise FALSE and an
 * NS_EXPERIMENT_ERROR with the key, its value and the allowed values. */
gboolean ns_experiment_validate (const NsExperiment *experiment, GError **error);

G_END_DECLS
