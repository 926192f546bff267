/* A figure of the Paths view, and what a test asks of it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/table/ns-figure-table.h"

G_BEGIN_DECLS

/* The data of a figure, and how it is shown. */
typedef struct
{
  NsFigureKind kind;
  NsFigureSource source;
  NsFigureOptions options;
} Case;

/* Show all variants of a result or of paths; the other one is NULL. Both are borrowed. */
Case case_new (NsFigureKind kind, const NsResult *result, const NsPaths *paths);

void assert_sentence (const Case *c, const char *expected);
void assert_cell (const NsReadout *readout, guint row, guint column, const char *expected);
const NsSeries *get_series (const NsFigure *figure, guint panel, guint series);

G_END_DECLS
