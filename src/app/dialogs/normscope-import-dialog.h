/* "Open a Model": what a model's config was read as, what was assumed, and at which size it is to be shown.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Both sizes say what they take on this machine once a thread of the dialog's own has measured it. Signal "accepted":
 * the user wants it; the dialog closes after it.
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "document/ns-config-import.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_IMPORT_DIALOG (normscope_import_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeImportDialog, normscope_import_dialog, NORMSCOPE, IMPORT_DIALOG, AdwWindow)

/* Takes the import; `file_name` is what the user calls the config. memory_budget in bytes. */
NormscopeImportDialog *normscope_import_dialog_new (GtkWindow *parent, NsConfigImport *import, const char *file_name,
                                                    guint64 memory_budget);

/* At the size that is chosen; caller owns it. */
NsExperiment *normscope_import_dialog_dup_experiment (NormscopeImportDialog *self);

G_END_DECLS
