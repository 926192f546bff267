/* "Export as PyTorch": a folder with a script that builds one variant's model with PyTorch alone, and what it reads.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It is that of "normscope-cli script". Written by a thread of its own; closing the dialog cancels, and nothing of the
 * folder stays then. When it is done the parent's win.show-folder-message ("(ss)": a text, a uri) says so.
 * Threads: main.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCRIPT_DIALOG (normscope_script_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScriptDialog, normscope_script_dialog, NORMSCOPE, SCRIPT_DIALOG, AdwWindow)

/* Copies the experiment, which can run; `variant` is the one that is chosen first, `folder` where the new one is put
 * first. memory_budget in bytes. */
NormscopeScriptDialog *normscope_script_dialog_new (GtkWindow *parent, const NsExperiment *experiment, guint variant,
                                                    GFile *folder, guint64 memory_budget);

/* Where it goes. */
void normscope_script_dialog_set_folder (NormscopeScriptDialog *self, GFile *folder);

G_END_DECLS
