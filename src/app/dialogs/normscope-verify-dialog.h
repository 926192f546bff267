/* "Verify": the self-check of the experiment at hand, with its report.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It begins at once, on a thread of its own; closing the dialog cancels it. Signal "verified" (the line that exports
 * state, see ns_verification_dup_statement()): it has passed.
 * Threads: main.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_VERIFY_DIALOG (normscope_verify_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeVerifyDialog, normscope_verify_dialog, NORMSCOPE, VERIFY_DIALOG, AdwWindow)

/* The experiment is valid; copies it. */
NormscopeVerifyDialog *normscope_verify_dialog_new (GtkWindow *parent, const NsExperiment *experiment);

G_END_DECLS
