/* What the tests of settings share: keys by their path, what a message has to mention, an experiment of one variant.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-params.h"

/* The row of a key, which has to exist. */
const NsParam *find (const char *path);
/* What holds the key: the experiment, or its first variant. */
gpointer base_of (const NsParam *param, NsExperiment *experiment);
/* Sets a key from text; it has to be allowed. */
void set (NsExperiment *experiment, const char *path, const char *text);

/* An error of a value whose message begins with its key and holds each of the NULL-terminated needles. */
void assert_mentions (const GError *error, const char *const *needles);
#define MENTIONS(error_, ...) assert_mentions ((error_), (const char *const[]) { __VA_ARGS__, NULL })

/* An experiment of one variant, DEPTH blocks deep; caller frees. */
#define DEPTH 8
NsExperiment *one_variant (const char *text);
