/* Errors of an experiment's settings.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment-error.h"

G_DEFINE_QUARK (ns-experiment-error-quark, ns_experiment_error)
