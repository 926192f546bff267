/* The values at the crosshair as a small table: a row for each variant.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: plain data; any one thread at a time.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

/* A quantity has two columns: its mean, and its spread after ×/÷ or ±. */
#define NS_READOUT_MAX_COLUMNS 8

typedef struct
{
  char *name;
  int style; /* index of the variant's colour, as in NsSeries */
  gboolean has_color;
  NsColor color;
  char *cells[NS_READOUT_MAX_COLUMNS]; /* plain text; NULL: the variant has no such value there */
} NsReadoutRow;

typedef struct
{
  char *place; /* "Block 7"; plain text */
  guint n_columns;
  char *headings[NS_READOUT_MAX_COLUMNS]; /* Pango markup; NULL: the column continues the previous one */
  GPtrArray *rows; /* NsReadoutRow, owned */
} NsReadout;

/* Take the place; the table has no columns and no rows. Free with ns_readout_free(). */
NsReadout *ns_readout_new (char *place);
void ns_readout_free (NsReadout *readout);

/* Append a column; the heading is copied. Return its index. */
guint ns_readout_add_column (NsReadout *readout, const char *heading);
/* Append a row without cells; the readout owns it. */
NsReadoutRow *ns_readout_add_row (NsReadout *readout, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsReadout, ns_readout_free)

G_END_DECLS
