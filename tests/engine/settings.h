/* Helpers of the settings' tests: look up and set keys, check messages, make an experiment of one variant.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-params.h"

/* Return the row of a key. Fails the test if there is none. */
const NsParam *find (const char *path);
/* Return the struct that holds the key: the experiment or its first variant. */
gpointer base_of (const NsParam *param, NsExperiment *experiment);
/* Set a key from text. Fails the test if the value is refused. */
void set (NsExperiment *experiment, const char *path, const char *text);

/* Assert that the error is NS_EXPERIMENT_ERROR_VALUE and that its message begins with its key and contains each of the
 * NULL-terminated needles. */
void assert_mentions (const GError *error, const char *const *needles);
#define MENTIONS(error_, ...) assert_mentions ((error_), (const char *const[]) { __VA_ARGS__, NULL })

/* Create an experiment of one variant and DEPTH blocks. Free with ns_experiment_free(). */
#define DEPTH 8
NsExperiment *one_variant (const char *text);
