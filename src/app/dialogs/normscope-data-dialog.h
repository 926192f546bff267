/* The dialog "Export Data": choose format and values, then the file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The dialog exports the numbers it was opened with. Errors are shown in the dialog, which stays open; an existing file
 * is then unchanged.
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/dialogs/normscope-data.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_DATA_DIALOG (normscope_data_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeDataDialog, normscope_data_dialog, NORMSCOPE, DATA_DIALOG, AdwWindow)

/* Takes the data; `name` is the suggested file name, without its extension. */
NormscopeDataDialog *normscope_data_dialog_new (GtkWindow *parent, NormscopeData *data, const char *name);

/* Write the file in the format of its extension. FALSE with an error when nothing was written. */
gboolean normscope_data_dialog_save_to (NormscopeDataDialog *self, GFile *file, GError **error);

G_END_DECLS
