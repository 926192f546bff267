/* Fuzz target: claim files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "fuzz.h"

#include "document/ns-claims.h"

#include <math.h>

static void
check_text (const char *text)
{
  FUZZ_CHECK (text != NULL && *text != '\0' && g_utf8_validate (text, -1, NULL));
}

static void
check_values (const NsClaim *claim)
{
  check_text (claim->title);
  check_text (claim->statement);
  check_text (claim->source);
  check_text (claim->variant);
  FUZZ_CHECK (g_strcmp0 (claim->id, FUZZ_NAME) == 0);
  FUZZ_CHECK (claim->kind == NS_CHECK_IDENTITY || claim->kind == NS_CHECK_RATES || claim->kind == NS_CHECK_PROFILE
              || (claim->kind == NS_CHECK_RATIO) == (claim->over != NULL));
  FUZZ_CHECK ((claim->kind == NS_CHECK_RATES) == (claim->rates != NULL) && claim->n_rates <= 64);
  for (guint i = 0; i < claim->n_rates; i++)
    FUZZ_CHECK (isfinite (claim->rates[i]) && claim->rates[i] > (i > 0 ? claim->rates[i - 1] : 0));
  FUZZ_CHECK (claim->kind < NS_N_CHECKS && claim->law <= NS_N_LAWS);
  FUZZ_CHECK (isfinite (claim->expected) && isfinite (claim->tolerance) && claim->tolerance >= 0);
  for (int i = 0; i < 2; i++)
    FUZZ_CHECK (isfinite (claim->lower[i]) && isfinite (claim->upper[i]));
  FUZZ_CHECK (claim->assumptions->len <= 64);
}

static void
check_equal (const NsClaim *a, const NsClaim *b)
{
  FUZZ_CHECK (g_strcmp0 (a->title, b->title) == 0 && g_strcmp0 (a->statement, b->statement) == 0);
  FUZZ_CHECK (g_strcmp0 (a->source, b->source) == 0 && g_strcmp0 (a->preset, b->preset) == 0);
  FUZZ_CHECK (g_strcmp0 (a->variant, b->variant) == 0 && g_strcmp0 (a->over, b->over) == 0);
  FUZZ_CHECK (a->kind == b->kind && a->axis == b->axis && a->law == b->law && a->at_most == b->at_most);
  FUZZ_CHECK (a->expected == b->expected && a->tolerance == b->tolerance);
  for (int i = 0; i < 2; i++)
    FUZZ_CHECK (a->lower[i] == b->lower[i] && a->upper[i] == b->upper[i]);
  FUZZ_CHECK (a->n_rates == b->n_rates);
  for (guint i = 0; i < a->n_rates; i++)
    FUZZ_CHECK (a->rates[i] == b->rates[i]);
  FUZZ_CHECK (a->assumptions->len == b->assumptions->len);
  for (guint i = 0; i < a->assumptions->len; i++)
    {
      const NsAssumption *first = g_ptr_array_index (a->assumptions, i);
      const NsAssumption *second = g_ptr_array_index (b->assumptions, i);

      FUZZ_CHECK (first->param == second->param && first->same == second->same);
      FUZZ_CHECK (g_strcmp0 (first->text, second->text) == 0);
    }
}

/* Write the claim with GLib's key file writer, since claims have no writer of their own, and read it again. */
static void
check_again (GBytes *bytes, const NsClaim *claim)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) written = NULL;
  g_autoptr (NsClaim) again = NULL;
  char *text;
  gsize length;

  FUZZ_CHECK (g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_KEEP_TRANSLATIONS, NULL));
  text = g_key_file_to_data (file, &length, NULL);
  written = g_bytes_new_take (text, length);
  again = ns_claim_from_bytes (written, FUZZ_NAME ".claim", &error);
  if (again == NULL)
    fuzz_fail (__FILE__, __LINE__, "a written claim can be read", error->message);
  check_equal (claim, again);
}

/* Without evidence, the verdict is that the claim cannot be decided. */
static void
check_use (const NsClaim *claim)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NsEvidence evidence = { 0 };
  NsClaimResult result;

  ns_claim_evaluate (claim, experiment, &evidence, &result);
  FUZZ_CHECK (result.verdict == NS_VERDICT_CANNOT_TELL && result.why_not != NS_WHY_NOT_NONE);
}

int
fuzz_one (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsClaim) claim = ns_claim_from_bytes (bytes, FUZZ_NAME ".claim", &error);

  if (claim == NULL)
    {
      fuzz_check_error (error);
      return 0;
    }
  FUZZ_CHECK (error == NULL);
  check_values (claim);
  check_again (bytes, claim);
  check_use (claim);
  return 0;
}
