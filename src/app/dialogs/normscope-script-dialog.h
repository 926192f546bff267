/* The dialog "Export as PyTorch": write a folder with a PyTorch script of one variant and the arrays it reads.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the same files as "normscope-cli script", on a worker thread. Closing the dialog cancels and removes the
 * folder. On success the parent's action win.show-folder-message ("(ss)": a text, a URI) is activated.
 * Threads: main.
 */
#pragma once

#include "script/ns-dump.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCRIPT_DIALOG (normscope_script_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScriptDialog, normscope_script_dialog, NORMSCOPE, SCRIPT_DIALOG, AdwWindow)

/* Copies the experiment, which must be valid, and what the script computes besides the pass. `variant` is preselected;
 * `folder` is the initial parent of the new folder; memory_budget is in bytes. */
NormscopeScriptDialog *normscope_script_dialog_new (GtkWindow *parent, const NsExperiment *experiment, guint variant,
                                                    const NsScriptParts *parts, GFile *folder,
                                                    guint64 memory_budget);

/* Choose the parent of the new folder. */
void normscope_script_dialog_set_folder (NormscopeScriptDialog *self, GFile *folder);

G_END_DECLS
