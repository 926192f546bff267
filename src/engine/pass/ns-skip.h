/* Skip and branch: what the two terms of a sum z = a·x + b·s, or of the gradient that leaves it, are to each other.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * docs/MODEL.md, "Skip and branch".
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* Record ‖b·s‖/‖a·x‖ as `ratio` and cos (b·s, a·x) as `cosine`, x and s [N, C]. Without a residual, a = 0, neither
 * exists; NaN where they are undefined. */
void ns_skip_record (NsPass *pass, NsQuantity ratio, NsQuantity cosine, gint64 site, double a, NsScaled x, double b,
                     NsScaled s);
