/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "settings.h"

#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"

#include <string.h>

gpointer
base_of (const NsParam *param, NsExperiment *experiment)
{
  return param->section == NS_SECTION_VARIANT ? (gpointer) ns_experiment_variant (experiment, 0)
                                              : (gpointer) experiment;
}

const NsParam *
find (const char *path)
{
  const NsParam *param = ns_param_find (path);

  if (param == NULL)
    g_error ("no key %s", path);
  return param;
}

void
set (NsExperiment *experiment, const char *path, const char *text)
{
  GError *error = NULL;

  ns_param_set_text (find (path), base_of (find (path), experiment), text, "", &error);
  g_assert_no_error (error);
}

void
assert_mentions (const GError *error, const char *const *needles)
{
  g_assert_nonnull (error);
  g_assert_true (error->domain == NS_EXPERIMENT_ERROR);
  g_assert_cmpint (error->code, ==, NS_EXPERIMENT_ERROR_VALUE);
  g_assert_nonnull (ns_experiment_error_get_key (error));
  if (!g_str_has_prefix (error->message, ns_experiment_error_get_key (error)))
    g_error ("\"%s\" does not begin with the key %s", error->message, ns_experiment_error_get_key (error));
  for (; *needles != NULL; needles++)
    if (strstr (error->message, *needles) == NULL)
      g_error ("\"%s\" does not mention \"%s\"", error->message, *needles);
}

NsExperiment *
one_variant (const char *text)
{
  NsExperiment *experiment = ns_experiment_new ();
  GError *error = NULL;
  NsVariant *variant = ns_variant_from_text (text, &error);

  g_assert_no_error (error);
  experiment->shape.depth = DEPTH;
  g_ptr_array_set_size (experiment->variants, 0);
  g_ptr_array_add (experiment->variants, variant);
  ns_experiment_validate (experiment, &error);
  g_assert_no_error (error);
  return experiment;
}
