/* The self-check of an experiment as a user asks for it: every variant, by the engine's double build and by PyTorch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The double build of the engine has the symbols of the other one, so it is a program of its own, normscope-verify,
 * which checks one variant (engine/verify/ns-verify.h). The path is the first of these that exists: the environment
 * variable NORMSCOPE_VERIFY, the folder of the running program, the installation.
 *
 * PyTorch runs the script of ns-torch-script.h on a dump in a temporary folder. The Python is the one that
 * NORMSCOPE_PYTHON names, else the first of python3 and /usr/bin/python3 that knows torch. Without one this part is
 * not checked, which is neither passed nor failed.
 *
 * Both run at the variant's own shape, or at a smaller one where that would take more than seconds: see
 * ns_verify_dup_experiment().
 *
 * Threads: ns_verification_run() blocks; call it on a thread of its own. What it returns may be read by any.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/verify/ns-verify.h"

#include <gio/gio.h>

G_BEGIN_DECLS

#define NS_VERIFICATION_ERROR (ns_verification_error_quark ())
GQuark ns_verification_error_quark (void);
typedef enum
{
  NS_VERIFICATION_ERROR_FAILED,    /* a check could not be made: no program, no memory, no folder */
  NS_VERIFICATION_ERROR_CANCELLED,
} NsVerificationError;

typedef enum
{
  NS_TORCH_NOT_CHECKED, /* no PyTorch here */
  NS_TORCH_PASSED,
  NS_TORCH_FAILED,
} NsTorchState;

/* The largest relative difference of a number in float32 to PyTorch's in float64 that passes. */
#define NS_TORCH_TOLERANCE 1e-3

typedef struct
{
  NsExperiment *checked;  /* the variant alone, at the shape of the checks */
  gboolean is_reduced;    /* which is not the experiment's */
  NsVerifyReport *report;
  NsTorchState torch;
  double torch_error;     /* the largest relative difference; NAN when the script did not say */
  guint torch_numbers;    /* compared */
  char *torch_output;     /* what the script said when it failed, or NULL */
  gboolean passed;        /* the report passed and PyTorch did not fail */
} NsVerificationVariant;

typedef struct
{
  NsExperiment *experiment;
  GPtrArray *variants;  /* NsVerificationVariant, in the experiment's order */
  char *torch_version;  /* or NULL: there is none */
  gboolean passed;      /* every variant did */
} NsVerification;

/* Called several times a second from the thread that runs it: the part done, 0..1, and the variant at hand. FALSE
 * cancels. */
typedef gboolean (*NsVerificationStep) (gpointer data, double done, const char *variant);

/* A valid experiment; step may be NULL. NULL and an NS_VERIFICATION_ERROR when a check could not be made. A check that
 * failed is no error. Caller frees. */
NsVerification *ns_verification_run (const NsExperiment *experiment, NsVerificationStep step, gpointer data,
                                     GError **error);
void ns_verification_free (NsVerification *verification);

/* The report for people, translated, in lines. Caller frees. */
char *ns_verification_dup_text (const NsVerification *verification);
/* The verdict alone, in one sentence. Caller frees. */
char *ns_verification_dup_verdict (const NsVerification *verification);
/* The report as a JSON document. Caller owns the bytes. */
GBytes *ns_verification_to_json (const NsVerification *verification);
/* What an export states: one line of JSON with the worst errors. NULL unless it passed. Caller frees. */
char *ns_verification_dup_statement (const NsVerification *verification);

/* ---- the program's output ---- */

/* A report as the JSON that normscope-verify prints; caller owns the bytes. */
GBytes *ns_verify_report_to_json (const NsVerifyReport *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsVerification, ns_verification_free)

G_END_DECLS
