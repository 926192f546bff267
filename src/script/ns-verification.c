/* A verification, variant by variant.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "script/ns-verification-private.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-weight-source.h"

#include "document/ns-file.h"
#include "document/ns-sibling.h"

#include <errno.h>
#include <glib/gi18n-lib.h>

/* Approximate share of the engine's check in the time of a variant. */
#define ENGINE_SHARE 0.6

G_DEFINE_QUARK (ns-verification-error-quark, ns_verification_error)

static void
variant_free (NsVerificationVariant *variant)
{
  ns_experiment_free (variant->checked);
  g_clear_pointer (&variant->report, ns_verify_report_free);
  g_free (variant->torch_output);
  g_free (variant);
}

void
ns_verification_free (NsVerification *verification)
{
  ns_experiment_free (verification->experiment);
  g_ptr_array_unref (verification->variants);
  g_free (verification->torch_version);
  g_free (verification);
}

static gboolean
is_same_shape (const NsExperiment *a, const NsExperiment *b)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (params[i].section == NS_SECTION_SHAPE && ns_param_get_int (&params[i], a) != ns_param_get_int (&params[i], b))
      return FALSE;
  return TRUE;
}

static NsVerificationVariant *
variant_new (const NsExperiment *experiment, guint v)
{
  NsVerificationVariant *variant = g_new0 (NsVerificationVariant, 1);

  variant->checked = ns_verify_dup_experiment (experiment, v);
  variant->is_reduced = !is_same_shape (variant->checked, experiment);
  return variant;
}

static gboolean
check_variant (NsVerificationVariant *variant, const NsScriptParts *parts, const char *python, const char *folder,
               NsVerificationProgress *progress, GError **error)
{
  double share = progress->share;

  progress->share = python != NULL ? ENGINE_SHARE * share : share;
  if (!ns_verification_run_engine (variant, folder, progress, error))
    return FALSE;
  progress->done += progress->share;
  progress->share = share - progress->share;
  if (python != NULL && !ns_verification_run_torch (variant, parts, python, folder, progress, error))
    return FALSE;
  progress->done += progress->share;
  progress->share = share;
  variant->passed = variant->report->passed && variant->torch != NS_TORCH_FAILED;
  return TRUE;
}

static gboolean
check_variants (NsVerification *self, const NsScriptParts *parts, const char *folder, NsVerificationStep step,
                gpointer data, GError **error)
{
  guint n = self->experiment->variants->len;
  NsVerificationProgress progress = { step, data, ns_experiment_variant (self->experiment, 0)->name, 0, 1.0 / n };
  GError *cause = NULL;
  g_autofree char *python = ns_verification_find_python (folder, &progress, &self->torch_version, &cause);

  if (cause != NULL)
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  self->passed = TRUE;
  for (guint v = 0; v < n; v++)
    {
      NsVerificationVariant *variant = variant_new (self->experiment, v);

      g_ptr_array_add (self->variants, variant);
      progress.variant = ns_experiment_variant (self->experiment, v)->name;
      if (!check_variant (variant, parts, python, folder, &progress, error))
        return FALSE;
      self->passed &= variant->passed;
    }
  return TRUE;
}

/* Return the file of the first variant whose weights are read, or NULL. */
static const char *
find_weights (const NsExperiment *experiment)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_experiment_variant (experiment, v)->source != NULL)
      return ns_experiment_variant (experiment, v)->source->name;
  return NULL;
}

NsVerification *
ns_verification_run (const NsExperiment *experiment, const NsScriptParts *parts, NsVerificationStep step, gpointer data,
                     GError **error)
{
  g_autoptr (NsVerification) self = g_new0 (NsVerification, 1);
  g_autofree char *place = g_build_filename (g_get_tmp_dir (), "verify", NULL);
  NsSibling folder;
  gboolean done;
  int cause;

  self->experiment = ns_experiment_copy (experiment);
  self->variants = g_ptr_array_new_with_free_func ((GDestroyNotify) variant_free);
  if (find_weights (experiment) != NULL)
    {
      g_set_error (error, NS_VERIFICATION_ERROR, NS_VERIFICATION_ERROR_FAILED,
                   _ ("The check draws its weights, so it says nothing about those of %s; allowed: variants with "
                      "random weights"),
                   find_weights (experiment));
      return NULL;
    }
  done = ns_sibling_create (place, NS_SIBLING_FOLDER, 0700, &folder);
  cause = errno;
  if (!done)
    {
      g_set_error (error, NS_VERIFICATION_ERROR, NS_VERIFICATION_ERROR_FAILED,
                   _ ("The check cannot create a temporary folder: %s"), g_strerror (cause));
      return NULL;
    }
  done = check_variants (self, parts, folder.path, step, data, error);
  ns_file_remove_tree (folder.path);
  ns_sibling_end (&folder);
  return done ? g_steal_pointer (&self) : NULL;
}
