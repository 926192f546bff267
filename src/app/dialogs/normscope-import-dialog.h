/* The dialog "Open a Model": shows how a model's config was read and what was assumed, and lets the user choose a size.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With the weights of a checkpoint, the full model can be opened as two variants, with these and with random ones. A
 * worker thread reads them, and estimates the time and memory of each size on this machine. Signal "accepted": the user
 * pressed Open; the dialog closes afterwards.
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "import/ns-config-import.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_IMPORT_DIALOG (normscope_import_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeImportDialog, normscope_import_dialog, NORMSCOPE, IMPORT_DIALOG, AdwWindow)

/* Takes the import. `file_name` is the config's name for display; memory_budget is in bytes. `weights` is the path of
 * the model's weights, or NULL; weights_first makes them the first choice. */
NormscopeImportDialog *normscope_import_dialog_new (GtkWindow *parent, NsConfigImport *import, const char *file_name,
                                                    const char *weights, gboolean weights_first,
                                                    guint64 memory_budget);

/* Return TRUE if the chosen size is the smaller one. */
gboolean normscope_import_dialog_is_scaled_down (NormscopeImportDialog *self);
/* Return the experiment at the chosen size; the caller owns it. */
NsExperiment *normscope_import_dialog_dup_experiment (NormscopeImportDialog *self);

G_END_DECLS
