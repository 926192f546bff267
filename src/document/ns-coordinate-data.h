/* A coordinate check as a table, CSV or JSON: the sizes of each variant, width and step, and the verdicts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Widths without a finished training are left out. The caller owns what is returned.
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-csv.h"
#include "engine/analysis/ns-coordinate-check.h"

#include <gio/gio.h>

G_BEGIN_DECLS

#define NS_COORDINATE_FORMAT "normscope-coordinate-check"
#define NS_COORDINATE_VERSION 2

GBytes *ns_coordinate_check_to_csv (const NsCoordinateCheck *check, NsCsvFlags flags);
GBytes *ns_coordinate_check_to_json (const NsCoordinateCheck *check);
/* Return a table for reading, translated. */
GBytes *ns_coordinate_check_to_table (const NsCoordinateCheck *check);

G_END_DECLS
