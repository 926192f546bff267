/* Fuzz target: recordings of other models.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-validate.h"
#include "fuzz.h"

#include "document/ns-recording.h"

#include <math.h>

/* A norm is not negative, and its logarithm belongs to it. */
static void
check_number (const NsResult *result, NsQuantity quantity, gint64 site)
{
  double value, log10_value;

  if (!ns_result_get_value (result, 0, quantity, site, 0, &value, &log10_value))
    return;
  FUZZ_CHECK (!isinf (value));
  if (!ns_quantity_has_log10 (quantity))
    return;
  FUZZ_CHECK (!(value < 0));
  FUZZ_CHECK (isnan (value) ? isnan (log10_value) : log10_value == log10 (value));
}

static void
check_result (const NsResult *result)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);

  FUZZ_CHECK (experiment->variants->len == 1 && ns_result_get_n_seeds (result) == 1);
  FUZZ_CHECK (ns_experiment_validate (experiment, NULL));
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    for (gint64 site = 0; site <= ns_experiment_get_head_site (experiment); site++)
      check_number (result, q, site);
}

int
fuzz_one (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsResult) result = ns_recording_from_bytes (bytes, FUZZ_NAME, &error);

  g_autoptr (NsExperiment) experiment = ns_recording_experiment_from_bytes (bytes, FUZZ_NAME, NULL);

  if (experiment != NULL)
    fuzz_check_experiment (experiment);
  if (result == NULL)
    {
      fuzz_check_error (error);
      return 0;
    }
  FUZZ_CHECK (experiment != NULL);
  FUZZ_CHECK (error == NULL && ns_recording_is_recording (bytes));
  check_result (result);
  return 0;
}
