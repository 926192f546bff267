/* A row of the list of variants: line, name, visibility, and a menu.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Actions, with their keys in the row: variant.help (F1), variant.rename (F2), variant.duplicate (Ctrl+D),
 * variant.remove (Delete).
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_VARIANT_ROW (normscope_variant_row_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeVariantRow, normscope_variant_row, NORMSCOPE, VARIANT_ROW, GtkListBoxRow)

/* Return a row for the session's variant at `index`. */
GtkWidget *normscope_variant_row_new (NormscopeSession *session, guint index);
guint normscope_variant_row_get_index (NormscopeVariantRow *self);
/* Show the variant that the session now has at the index of the row. */
void normscope_variant_row_refresh (NormscopeVariantRow *self);

G_END_DECLS
