/* What the parts of a verification share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/ns-json-writer.h"
#include "document/ns-verification.h"

/* Calls the step; FALSE and an error when it cancels. */
typedef struct
{
  NsVerificationStep step; /* or NULL */
  gpointer data;
  const char *variant;
  double done, share; /* of all: before this part, and this part */
} NsVerificationProgress;
gboolean ns_verification_go_on (const NsVerificationProgress *progress, double part, GError **error);

/* Runs a program to its end. `input` (nullable) is a file for its standard input; what it prints is gathered in
 * *output, but lines "progress DONE TOTAL" are taken out and told to `progress`. `errors` says what becomes of its
 * standard error. FALSE with error when it could not be started or was cancelled; *status is its exit status, -1 after
 * a signal. */
gboolean ns_verification_run_program (const char *const *argv, const char *input, GSubprocessFlags errors,
                                      const NsVerificationProgress *progress, char **output, int *status,
                                      GError **error);

/* The engine's part, by normscope-verify in the folder, where the experiment goes. */
gboolean ns_verification_run_engine (NsVerificationVariant *variant, const char *folder,
                                     const NsVerificationProgress *progress, GError **error);

/* The Python that knows torch, and torch's version; NULL when there is none. Caller frees both. */
char *ns_verification_find_python (const NsVerificationProgress *progress, char **version, GError **error);
/* PyTorch's part, by the script in the folder. */
gboolean ns_verification_run_torch (NsVerificationVariant *variant, const char *python, const char *folder,
                                    const NsVerificationProgress *progress, GError **error);

void ns_verify_report_write (NsJsonWriter *writer, const NsVerifyReport *report);
