/* Validation of an experiment as a whole.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Whether the experiment can be run as it stands, apart from memory: each value in range (names the key, its
 * value, what is allowed), heads divide d_model, names unique, variants present, a text that fills a window, … */
gboolean ns_experiment_validate (const NsExperiment *experiment, GError **error);

G_END_DECLS
