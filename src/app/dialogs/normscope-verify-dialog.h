/* The dialog "Verify": runs the self-check of an experiment and shows its report.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The check starts at once on a worker thread; closing the dialog cancels it. Signal "verified" (const char *: the line
 * for exports, see ns_verification_dup_statement()): the check has passed.
 * Threads: main.
 */
#pragma once

#include "script/ns-dump.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_VERIFY_DIALOG (normscope_verify_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeVerifyDialog, normscope_verify_dialog, NORMSCOPE, VERIFY_DIALOG, AdwWindow)

/* Copies the experiment, which must be valid. parts: also check these by PyTorch. */
NormscopeVerifyDialog *normscope_verify_dialog_new (GtkWindow *parent, const NsExperiment *experiment,
                                                    const NsScriptParts *parts);

G_END_DECLS
