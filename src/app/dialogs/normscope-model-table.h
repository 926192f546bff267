/* Which model uses which placement: the presets of models in columns that sort.
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

/* Signal: "chosen" (the preset's id). */

/* Only rows with every word somewhere in them, whatever its case; "" shows all. */
void normscope_model_table_search (NormscopeModelTable *self, const char *words);

/* Tells of the selected row as a double click on it would. */
void normscope_model_table_choose (NormscopeModelTable *self);

G_END_DECLS
