/* What the parts of a verification share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/ns-verification.h"

/* Where a verification is. */
typedef struct
{
  NsVerificationStep step; /* or NULL */
  gpointer data;
  const char *variant;
  double done, share; /* parts of the whole: before this program, and of this program */
} NsVerificationProgress;

/* The engine's part, by normscope-verify in the folder, where the experiment goes. */
gboolean ns_verification_run_engine (NsVerificationVariant *variant, const char *folder,
                                     const NsVerificationProgress *progress, GError **error);

/* The Python that knows torch, and torch's version; NULL when there is none. Caller frees both. */
char *ns_verification_find_python (const NsVerificationProgress *progress, char **version, GError **error);
/* PyTorch's part, by the script in the folder. */
gboolean ns_verification_run_torch (NsVerificationVariant *variant, const char *python, const char *folder,
                                    const NsVerificationProgress *progress, GError **error);
