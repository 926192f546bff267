/* "Export Data": how the numbers are to be written, and the file they go to.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The numbers are those of the moment the dialog was opened. What cannot be written is told in the dialog, which stays
 * open; a file that was there stays as it was.
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/dialogs/normscope-data.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_DATA_DIALOG (normscope_data_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeDataDialog, normscope_data_dialog, NORMSCOPE, DATA_DIALOG, AdwWindow)

/* Takes the data; `name` is suggested for the file. */
NormscopeDataDialog *normscope_data_dialog_new (GtkWindow *parent, NormscopeData *data, const char *name);

/* The format is that of the name's extension. FALSE with an error: nothing was written. */
gboolean normscope_data_dialog_save_to (NormscopeDataDialog *self, GFile *file, GError **error);

G_END_DECLS
