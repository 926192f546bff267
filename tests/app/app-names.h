/* Names of variants in tests.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Give each variant the name of its settings, as the window does, unless a test has named it: names of tests do not
 * begin with that of a built-in variant. */
void app_name_variants (NsExperiment *experiment);

G_END_DECLS
