/* Helpers of the tests of model configs.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-settings.h"

#include <gio/gio.h>

/* Return the struct that contains a parameter's field: the experiment or its first variant. */
gpointer config_get_base (const NsParam *param, NsExperiment *experiment);
/* Return the config of a file of tests/import/configs, named without its ending. */
GBytes *config_read_fixture (const char *name);
/* Return a config of this text, with " for each '. */
GBytes *config_from_text (const char *text);
/* Return a fixture with members {'key': value} replaced, with " for each '; null removes the key. */
GBytes *config_change (const char *fixture, const char *members);
/* Check that the sentences contain the words, separated by bars, and none of those after "!". */
void config_assert_notes (char **assumptions, const char *words);
