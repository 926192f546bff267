/* Declarations shared by the parts of a verification.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "script/ns-verification.h"

/* Progress of a verification. */
typedef struct
{
  NsVerificationStep step; /* callback, or NULL */
  gpointer data;
  const char *variant;
  double done, share; /* fractions of the whole: finished, and of the current program */
} NsVerificationProgress;

/* Run normscope-verify on the variant; the experiment file is written to `folder`. */
gboolean ns_verification_run_engine (NsVerificationVariant *variant, const char *folder,
                                     const NsVerificationProgress *progress, GError **error);

/* Return a Python interpreter with torch, and torch's version; NULL if there is none. Runs Python in `folder`, which
 * must be empty or the user's own. Caller frees both. */
char *ns_verification_find_python (const char *folder, const NsVerificationProgress *progress, char **version,
                                   GError **error);
/* Run the variant's PyTorch script in `folder`, with these parts. */
gboolean ns_verification_run_torch (NsVerificationVariant *variant, const NsScriptParts *parts, const char *python,
                                    const char *folder, const NsVerificationProgress *progress, GError **error);
