/* Numbers of claim cards in words, and what a claim that trains has measured.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-claim-words-private.h"

#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-variants.h"
#include "figures/ns-curve.h"
#include "figures/ns-format.h"

#include <glib/gi18n-lib.h>
#include <math.h>

char *
ns_claim_dup_number (double value, int decimals)
{
  char buffer[64];
  double shown = round (value * pow (10, decimals)) == 0 ? 0 : value; /* never −0.00 */

  g_ascii_formatd (buffer, sizeof buffer, decimals == 2 ? "%.2f" : "%.3f", fabs (shown));
  return ns_text_take_localized (g_strconcat (shown < 0 ? "−" : "", buffer, NULL));
}

const char *
ns_claim_get_variant_name (const char *id)
{
  const NsBuiltinVariant *builtin = ns_builtin_variant_find (id);

  return builtin != NULL ? builtin->name : id;
}

/* Return how many decimals the interval justifies. */
static int
get_decimals (double error)
{
  return error < 0.01 ? 3 : 2;
}

char *
ns_claim_dup_interval (double value, double error)
{
  g_autofree char *mean = ns_claim_dup_number (value, get_decimals (error));
  g_autofree char *half = isnan (error) ? NULL : ns_claim_dup_number (error, get_decimals (error));

  return half != NULL ? g_strdup_printf ("%s ± %s", mean, half) : g_steal_pointer (&mean);
}

/* "5 of 5 seeds stalled, 1 of 5 diverged"; caller frees. */
static char *
dup_outcomes (const NsClaimResult *result)
{
  guint n = result->n_seeds;

  if (result->n_diverged == 0)
    return g_strdup_printf (_ ("%u of %u seeds stalled"), result->n_stalled, n);
  return g_strdup_printf (_ ("%u of %u seeds stalled, %u diverged"), result->n_stalled, n, result->n_diverged);
}

/* Return "Accepted: 0.95 or more."; caller frees. */
static char *
dup_accepted (const NsClaimResult *result)
{
  g_autofree char *low = ns_claim_dup_number (result->low, 2);
  g_autofree char *high = isfinite (result->high) ? ns_claim_dup_number (result->high, 2) : NULL;

  if (high == NULL)
    return g_strdup_printf (_ ("Accepted: %s or more."), low);
  if (result->low > 0)
    return g_strdup_printf (_ ("Accepted: %s to %s."), low, high);
  return g_strdup_printf (_ ("Accepted: up to %s."), high);
}

char *
ns_claim_dup_loss (const NsClaimResult *result)
{
  g_autofree char *interval = isnan (result->measured) ? NULL : ns_claim_dup_interval (result->measured, result->error);
  g_autofree char *outcomes = dup_outcomes (result);
  g_autofree char *accepted = dup_accepted (result);

  if (interval == NULL)
    return g_strdup_printf (_ ("Measured: %s. %s"), outcomes, accepted);
  /* Translators: "0.68 ± 0.01", "0 of 5 seeds stalled", "Accepted: up to 0.90." */
  return g_strdup_printf (_ ("Measured: a final loss of %s times the entropy of single tokens (%s). %s"), interval,
                          outcomes, accepted);
}

/* ---- learning rates ---- */

/* Return "3.2", "at least 3.2"; caller frees. */
static char *
dup_factor (const NsClaimResult *result, guint index)
{
  g_autofree char *factor = ns_format_ratio (log10 (result->factors[index]));

  return result->n_open[index] > 0 ? g_strdup_printf (_ ("at least %s"), factor) : g_steal_pointer (&factor);
}

/* Append ", Post-LN with none of them in 2 of 5 seeds". */
static void
append_none (GString *details, const char *name, guint n_none, guint n_seeds)
{
  if (n_none > 0)
    /* Translators: a variant, and in how many seeds no learning rate trains it */
    g_string_append_printf (details, _ (", %s with none of them in %u of %u"), name, n_none, n_seeds);
}

char *
ns_claim_dup_rates (const NsClaim *claim, const NsClaimResult *result)
{
  const char *name = ns_claim_get_variant_name (claim->variant);
  const char *other = claim->over != NULL ? ns_claim_get_variant_name (claim->over) : NULL;
  g_autofree char *accepted = dup_accepted (result);
  g_autofree char *factor = dup_factor (result, 0);
  g_autofree char *other_factor = other != NULL ? dup_factor (result, 1) : NULL;
  g_autofree char *first = ns_format_log10 (log10 (result->x_min), 2);
  g_autofree char *last = ns_format_log10 (log10 (result->x_max), 2);
  g_autofree char *mean = ns_format_ratio (log10 (result->measured));
  g_autofree char *error = ns_claim_dup_number (result->error, 2);
  g_autofree char *interval = isnan (result->error) ? g_strdup (mean) : g_strdup_printf ("%s ×/÷ %s", mean, error);
  g_autoptr (GString) details = g_string_new (NULL);

  g_string_append_printf (details, g_dngettext (GETTEXT_PACKAGE, "%u seed, %u learning rates from %s to %s",
                                                "%u seeds, %u learning rates from %s to %s", result->n_seeds),
                          result->n_seeds, result->n_points, first, last);
  append_none (details, name, result->n_none[0], result->n_seeds);
  if (other == NULL)
    /* Translators: "Pre-LN", "10 ×/÷ 1.2", "5 seeds, 9 learning rates from 0.0005 to 0.06", "Accepted: 5 or more." */
    return g_strdup_printf (_ ("Measured: %s trains over a factor of %s of learning rates (%s). %s"), name, interval,
                            details->str, accepted);
  append_none (details, other, result->n_none[1], result->n_seeds);
  /* Translators: "Pre-LN", "10", "Post-LN", "3", "3.3 ×/÷ 1.2", "5 seeds, 9 learning rates from 0.0005 to 0.06",
   * "Accepted: 1.5 or more." */
  return g_strdup_printf (_ ("Measured: %s trains over a factor of %s of learning rates, %s over %s; the ratio is %s "
                             "(%s). %s"),
                          name, factor, other, other_factor, interval, details->str, accepted);
}
