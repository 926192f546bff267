/* A sortable table of the model presets: which model uses which norm placement.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_MODEL_TABLE (normscope_model_table_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeModelTable, normscope_model_table, NORMSCOPE, MODEL_TABLE, GtkWidget)

/* Signal: "chosen" (const char *: the preset's id). */

/* Show only rows that contain every word, ignoring case; "" shows all rows. */
void normscope_model_table_search (NormscopeModelTable *self, const char *words);

/* Activate the selected row, like a double click: emits "chosen". */
void normscope_model_table_activate_selected (NormscopeModelTable *self);

G_END_DECLS
