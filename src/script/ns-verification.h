/* The self-check of an experiment: every variant, by the engine's double build and by PyTorch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The double build of the engine has the same symbols as the single build, so it is a separate program,
 * normscope-verify, which checks one variant (engine/verify/ns-verify.h). Its path is the first of: the environment
 * variable NORMSCOPE_VERIFY, the folder of the running program, the installation.
 *
 * PyTorch runs the script of ns-torch-script.h on a dump in a temporary folder. The interpreter is $NORMSCOPE_PYTHON,
 * else the first of python3 and /usr/bin/python3 that has torch. Without torch, this part neither passes nor fails.
 *
 * Both checks run at the variant's own shape, or at a smaller one if that would take more than seconds: see
 * ns_verify_dup_experiment().
 *
 * Threads: ns_verification_run() blocks; call it on a worker thread. Any thread may read the result.
 */
#pragma once

#include "engine/verify/ns-verify.h"
#include "script/ns-dump.h"

#include <gio/gio.h>

G_BEGIN_DECLS

#define NS_VERIFICATION_ERROR (ns_verification_error_quark ())
GQuark ns_verification_error_quark (void);
typedef enum
{
  NS_VERIFICATION_ERROR_FAILED, /* a check could not run: no program, no memory, no folder */
  NS_VERIFICATION_ERROR_CANCELLED,
} NsVerificationError;

typedef enum
{
  NS_TORCH_NOT_CHECKED, /* PyTorch was not found */
  NS_TORCH_PASSED,
  NS_TORCH_FAILED,
} NsTorchState;

/* Maximum relative difference between Normscope's float32 and PyTorch's float64 numbers. */
#define NS_TORCH_TOLERANCE 1e-3

typedef struct
{
  NsExperiment *checked; /* only this variant, at the checked shape */
  gboolean is_reduced;   /* the checked shape is smaller than the experiment's */
  NsVerifyReport *report;
  NsTorchState torch;
  double torch_error;  /* largest relative difference; NAN if the script printed none */
  guint torch_numbers; /* number of compared values */
  char *torch_output;  /* output of a failed script, or NULL */
  gboolean passed;     /* the report passed and PyTorch did not fail */
} NsVerificationVariant;

typedef struct
{
  NsExperiment *experiment;
  GPtrArray *variants; /* NsVerificationVariant, in the experiment's order */
  char *torch_version; /* NULL if PyTorch was not found */
  gboolean passed;     /* every variant passed */
} NsVerification;

/* Progress callback: the fraction done, 0..1, and the current variant. Called several times a second on the thread of
 * ns_verification_run(). Return FALSE to cancel. */
typedef gboolean (*NsVerificationStep) (gpointer data, double done, const char *variant);

/* Verify a valid experiment, by PyTorch also these parts, see ns_dump_write_script(); step may be NULL. Return NULL
 * and an NS_VERIFICATION_ERROR if a check could not run; a failed check is not an error. Caller frees. */
NsVerification *ns_verification_run (const NsExperiment *experiment, const NsScriptParts *parts,
                                     NsVerificationStep step, gpointer data, GError **error);
void ns_verification_free (NsVerification *verification);

/* Return the report as translated text. Caller frees. */
char *ns_verification_dup_text (const NsVerification *verification);
/* Return only the verdict, one translated sentence. Caller frees. */
char *ns_verification_dup_verdict (const NsVerification *verification);
/* Return the report as a JSON document. Caller owns the bytes. */
GBytes *ns_verification_to_json (const NsVerification *verification);
/* Return the statement for exports: one line of JSON with the largest errors; NULL unless it passed. Caller frees. */
char *ns_verification_dup_statement (const NsVerification *verification);

/* ---- output of normscope-verify ---- */

/* Return a report as JSON. Caller owns the bytes. */
GBytes *ns_verify_report_to_json (const NsVerifyReport *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsVerification, ns_verification_free)

G_END_DECLS
