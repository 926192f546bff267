/* The dialog "Open a Model": shows how a model's config was read and what was assumed, and lets the user choose a size.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A worker thread estimates the time and memory of both sizes on this machine. Signal "accepted": the user pressed
 * Open; the dialog closes afterwards.
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "import/ns-config-import.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_IMPORT_DIALOG (normscope_import_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeImportDialog, normscope_import_dialog, NORMSCOPE, IMPORT_DIALOG, AdwWindow)

/* Takes the import. `file_name` is the config's name for display; memory_budget is in bytes. */
NormscopeImportDialog *normscope_import_dialog_new (GtkWindow *parent, NsConfigImport *import, const char *file_name,
                                                    guint64 memory_budget);

/* Return TRUE if the chosen size is the smaller one. */
gboolean normscope_import_dialog_is_scaled_down (NormscopeImportDialog *self);
/* Return the experiment at the chosen size; the caller owns it. */
NsExperiment *normscope_import_dialog_dup_experiment (NormscopeImportDialog *self);

G_END_DECLS
