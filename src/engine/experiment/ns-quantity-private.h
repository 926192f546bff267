/* The table of quantities, for its files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-quantity.h"

extern const NsQuantityInfo ns_quantity_tensor_rows[NS_N_TENSORS]; /* by NsTensor */
