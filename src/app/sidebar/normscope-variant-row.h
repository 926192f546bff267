/* A row of the list of variants: its line, its name, whether it is shown, and what can be done with it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Actions: variant.rename, variant.duplicate, variant.remove; F2, Ctrl+D and Delete in the row.
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_VARIANT_ROW (normscope_variant_row_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeVariantRow, normscope_variant_row, NORMSCOPE, VARIANT_ROW, GtkListBoxRow)

/* The row of the session's variant number `index`; it follows that one until normscope_variant_row_refresh(). */
GtkWidget *normscope_variant_row_new (NormscopeSession *session, guint index);
guint normscope_variant_row_get_index (NormscopeVariantRow *self);
/* Shows what the session has at its index now. */
void normscope_variant_row_refresh (NormscopeVariantRow *self);

G_END_DECLS
