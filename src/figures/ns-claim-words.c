/* Claim cards in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-claim-words.h"

#include "figures/ns-claim-words-private.h"
#include "figures/ns-law-words.h"

#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

static const char *
get_verdict_text (NsVerdict verdict)
{
  switch (verdict)
    {
    case NS_VERDICT_CONSISTENT:
      return _ ("consistent");
    case NS_VERDICT_NOT_CONSISTENT:
      return _ ("not consistent");
    case NS_VERDICT_CANNOT_TELL:
      return _ ("cannot tell here");
    default:
      g_return_val_if_reached (NULL);
    }
}

char *
ns_claim_dup_verdict (const NsClaimResult *result)
{
  const char *verdict = get_verdict_text (result->verdict);

  if (result->missed == 0)
    return g_strdup (verdict);
  /* Translators: the verdict on a claim */
  return g_strdup_printf (_ ("%s, outside its assumptions"), verdict);
}

/* ---- assumptions ---- */

/* Return "Uniform", "None or 1", "0 to 10⁻⁵"; caller frees. */
static char *
dup_allowed (const NsAssumption *assumption)
{
  const NsParam *param = assumption->param;
  gboolean is_number = param->type == NS_TYPE_INTEGER || param->type == NS_TYPE_NUMBER;
  g_auto (GStrv) ends = g_strsplit (assumption->text, "..", 2);
  gboolean is_range = is_number && g_strv_length (ends) == 2;
  g_auto (GStrv) values = is_range ? g_steal_pointer (&ends) : g_strsplit (assumption->text, "|", -1);

  for (char **value = values; *value != NULL; value++)
    {
      char *words = ns_param_dup_value_words (param, *value);

      g_free (*value);
      *value = words;
    }
  /* Translators: between the ends of a range of numbers; then between the values that are allowed */
  return g_strjoinv (is_range ? _ (" to ") : _ (" or "), values);
}

char *
ns_assumption_dup_text (const NsAssumption *assumption)
{
  g_autofree char *allowed = NULL;

  if (assumption->same != NULL)
    /* Translators: two parameters that have the same value: "FFN width = Model width" */
    return g_strdup_printf (_ ("%s = %s"), _ (assumption->param->label), _ (assumption->same->label));
  allowed = dup_allowed (assumption);
  return ns_param_dup_phrase (assumption->param, allowed);
}

static char *
dup_value_of_param (const NsParam *param, const NsExperiment *experiment, guint variant)
{
  gboolean is_own = param->section == NS_SECTION_VARIANT;
  gconstpointer own = ns_experiment_variant (experiment, variant);
  g_autofree char *text = ns_param_dup_text (param, is_own ? own : experiment);

  return ns_param_dup_value_words (param, text);
}

/* The sentence of an assumption that is not met, by the form of the claim. */
static const char *
get_missed_format (NsClaimForm form)
{
  switch (form)
    {
    case NS_FORM_THEOREM:
      /* Translators: what the experiment has, then what is assumed: "4 heads; the theorem assumes 1." */
      return _ ("%s; the theorem assumes %s.");
    case NS_FORM_LEMMA:
      return _ ("%s; the lemma assumes %s.");
    case NS_FORM_PAPER:
      return _ ("%s; the paper assumes %s.");
    case NS_FORM_LESSON:
      return _ ("%s; the lessons assume %s.");
    case NS_FORM_DERIVATION:
      return _ ("%s; the derivation assumes %s.");
    case NS_FORM_CLAIM:
    default:
      return _ ("%s; the claim assumes %s.");
    }
}

/* Return "4 heads; the theorem assumes 1." or "FFN width 512; the theorem assumes 128 = Model width."; caller frees. */
static char *
dup_missed_assumption (const NsClaim *claim, guint index, const NsExperiment *experiment, const NsClaimResult *result)
{
  const NsAssumption *assumption = g_ptr_array_index (claim->assumptions, index);
  gboolean holds = ns_assumption_holds (assumption, experiment, result->variant);
  guint variant = holds ? result->over : result->variant;
  g_autofree char *value = dup_value_of_param (assumption->param, experiment, variant);
  g_autofree char *present = ns_param_dup_phrase (assumption->param, value);
  g_autofree char *allowed = NULL;
  g_autofree char *other = NULL;

  if (assumption->same == NULL)
    {
      allowed = dup_allowed (assumption);
    }
  else
    {
      other = dup_value_of_param (assumption->same, experiment, variant);
      allowed = g_strdup_printf (_ ("%s = %s"), other, _ (assumption->same->label));
    }
  return g_strdup_printf (get_missed_format (claim->form), present, allowed);
}

static gboolean
is_missed (const NsClaimResult *result, guint index)
{
  return (result->missed & G_GUINT64_CONSTANT (1) << index) != 0;
}

/* Claims are about one stack; in an encoder-decoder, name the part that was measured. */
static const char *
get_part (const NsClaim *claim, const NsExperiment *experiment)
{
  if (ns_experiment_get_n_parts (experiment) == 1)
    return "";
  if (claim->metric.part == NS_PART_ENCODER)
    return _ (" Measured in the encoder.");
  return _ (" Measured in the decoder.");
}

char *
ns_claim_dup_assumptions (const NsClaim *claim, const NsExperiment *experiment, const NsClaimResult *result)
{
  g_autoptr (GPtrArray) missed = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *list = NULL;
  g_autofree char *text = NULL;

  if (claim->assumptions->len == 0 || result->variant == NS_MAX_VARIANTS)
    return g_strdup ("");
  for (guint i = 0; i < claim->assumptions->len; i++)
    if (is_missed (result, i))
      g_ptr_array_add (missed, dup_missed_assumption (claim, i, experiment, result));
  if (missed->len == 0)
    return g_strconcat (_ ("All assumptions are met."), get_part (claim, experiment), NULL);
  g_ptr_array_add (missed, NULL);
  list = g_strjoinv (" ", (char **) missed->pdata);
  /* Translators: followed by a sentence for each assumption that is not met */
  text = g_strdup_printf (_ ("Not met: %s"), list);
  return g_strconcat (text, get_part (claim, experiment), NULL);
}

char *
ns_claim_dup_assumption_count (const NsClaim *claim, const NsClaimResult *result)
{
  guint n = claim->assumptions->len, n_missed = 0;

  if (result == NULL || result->variant == NS_MAX_VARIANTS)
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u assumption", "%u assumptions", n), n);
  for (guint i = 0; i < n; i++)
    n_missed += is_missed (result, i);
  if (n_missed == 0)
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u assumption, met", "%u assumptions, all met", n), n);
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u of %u assumption not met", "%u of %u assumptions not met",
                                       n),
                          n_missed, n);
}

char *
ns_claim_dup_assumption_list (const NsClaim *claim, const NsExperiment *experiment, const NsClaimResult *result)
{
  GString *list = g_string_new (NULL);
  gboolean is_known = result != NULL && result->variant != NS_MAX_VARIANTS;

  for (guint i = 0; i < claim->assumptions->len; i++)
    {
      g_autofree char *line = is_known && is_missed (result, i)
                                  ? dup_missed_assumption (claim, i, experiment, result)
                                  : ns_assumption_dup_text (g_ptr_array_index (claim->assumptions, i));

      g_string_append_printf (list, "%s%s%s", i > 0 ? "\n" : "", !is_known ? "" : is_missed (result, i) ? "✗ " : "✓ ",
                              line);
    }
  return g_string_free (list, FALSE);
}

/* ---- what was measured ---- */

static const char *
get_letter (const NsClaim *claim)
{
  if (ns_check_is_by_block (claim->kind))
    return "l";
  return claim->axis == NS_SWEEP_D_MODEL ? "d" : "L";
}

static char *
dup_range (const NsClaim *claim, const NsClaimResult *result)
{
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u seed, %s = %g to %g", "%u seeds, %s = %g to %g",
                                       result->n_seeds),
                          result->n_seeds, get_letter (claim), result->x_min, result->x_max);
}

/* "Measured: L⁰·³⁷, exponent 0.37 ± 0.02 (8 seeds, L = 2 to 128), off by 4 %. …"; caller frees. */
static char *
dup_measured_law (const NsClaim *claim, const NsClaimResult *result)
{
  const NsExponent slope = { .p = result->measured, .error = result->error, .n_seeds = result->n_seeds };
  g_autofree char *law = ns_scaling_dup_law (claim->law, &slope, get_letter (claim));
  g_autofree char *number = ns_scaling_dup_law_number (claim->law, &slope, get_letter (claim));
  g_autofree char *range = dup_range (claim, result);
  g_autofree char *off = ns_scaling_dup_percent (result->off);

  /* Translators: a law, its number, the seeds and the range, a percentage */
  return g_strdup_printf (_ ("Measured: %s, %s (%s), off by %s. Expected: growth by this law, with any number."), law,
                          number, range, off);
}

static char *
dup_expected_exponent (const NsClaim *claim, const NsClaimResult *result)
{
  g_autofree char *expected = ns_claim_dup_number (result->expected, 2);
  g_autofree char *tolerance = ns_claim_dup_number (claim->tolerance, 2);
  g_autofree char *formula = claim->law < NS_N_LAWS ? ns_law_dup_formula (claim->law, get_letter (claim)) : NULL;

  if (formula == NULL && claim->at_most)
    return g_strdup_printf (_ ("Expected: %s at most, with a tolerance of %s."), expected, tolerance);
  if (formula == NULL)
    return g_strdup_printf (_ ("Expected: %s ± %s."), expected, tolerance);
  if (claim->at_most)
    return g_strdup_printf (_ ("Expected: %s at most, whose exponent over these points is %s, with a tolerance of %s."),
                            formula, expected, tolerance);
  return g_strdup_printf (_ ("Expected: %s, whose exponent over these points is %s, ± %s."), formula, expected,
                          tolerance);
}

/* "rms_x²"; caller frees. */
static char *
dup_quantity (const NsClaim *claim)
{
  const NsQuantityInfo *info = ns_quantity_info (claim->metric.quantity);

  return g_strconcat (info->symbol, ns_quantity_has_log10 (claim->metric.quantity) ? "²" : "", NULL);
}

/* "block 7", "L = 64"; caller frees. */
static char *
dup_place (const NsClaim *claim, const NsClaimResult *result)
{
  if (ns_check_is_by_block (claim->kind))
    return g_strdup_printf (_ ("block %d"), (int) result->at);
  return g_strdup_printf ("%s = %g", get_letter (claim), result->at);
}

static char *
dup_measured_block (const NsClaim *claim, const NsClaimResult *result)
{
  g_autofree char *interval = ns_claim_dup_interval (result->measured, result->error);
  g_autofree char *low = ns_claim_dup_number (result->low, 2);
  g_autofree char *high = ns_claim_dup_number (result->high, 2);
  g_autofree char *quantity = dup_quantity (claim);
  g_autofree char *place = dup_place (claim, result);

  /* Translators: "block 7" or "L = 64", which contradicts the claim the most; then the range that the claim accepts
   * there */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                       "Measured at its most extreme, %s: %s = %s (%u seed). Accepted there: %s to %s.",
                                       "Measured at its most extreme, %s: %s = %s (%u seeds). Accepted there: %s to "
                                       "%s.",
                                       result->n_seeds),
                          place, quantity, interval, result->n_seeds, low, high);
}

/* "‖∂L/∂xₗ‖ / ‖∂L/∂xₗ‖ at the input"; caller frees. */
static char *
dup_comparison (const NsClaim *claim)
{
  const char *name = ns_quantity_info (claim->metric.quantity)->symbol;
  const char *sign = ns_quantity_has_log10 (claim->metric.quantity) ? "/" : "−";

  if (claim->over == NULL)
    /* Translators: a quantity, "/" or "−", the same quantity */
    return g_strdup_printf (_ ("%s %s %s at the input"), name, sign, name);
  return g_strdup_printf (_ ("%s %s that of %s"), name, sign, ns_claim_get_variant_name (claim->over));
}

/* "1 ± 10⁻⁶"; "1" where the error is 0 or none: an identity holds to the last digits or not at all. Caller frees. */
static char *
dup_exactly (double value, double error)
{
  char buffer[NS_NUMBER_SIZE];
  g_autofree char *mean = ns_text_dup_typeset_number (g_ascii_formatd (buffer, sizeof buffer, "%.6g", value));
  g_autofree char *half = ns_text_dup_typeset_number (g_ascii_formatd (buffer, sizeof buffer, "%.2g", error));

  return error > 0 ? g_strdup_printf ("%s ± %s", mean, half) : g_steal_pointer (&mean);
}

static char *
dup_measured_identity (const NsClaim *claim, const NsClaimResult *result)
{
  g_autofree char *place = dup_place (claim, result);
  g_autofree char *comparison = dup_comparison (claim);
  g_autofree char *measured = dup_exactly (result->measured, result->error);
  g_autofree char *accepted = dup_exactly (result->expected, claim->tolerance);

  /* Translators: "block 7", "‖∂L/∂xₗ‖ / ‖∂L/∂xₗ‖ at the input", "1 ± 0.001", "1 ± 10⁻⁶" */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                       "Measured at its most extreme, %s: %s = %s (%u seed). Accepted: %s.",
                                       "Measured at its most extreme, %s: %s = %s (%u seeds). Accepted: %s.",
                                       result->n_seeds),
                          place, comparison, measured, result->n_seeds, accepted);
}

static char *
dup_measured_factor (const NsClaim *claim, const NsClaimResult *result)
{
  g_autofree char *interval = ns_claim_dup_interval (result->measured, result->error);
  g_autofree char *range = dup_range (claim, result);
  g_autofree char *expected = ns_claim_dup_number (result->expected, 3);
  g_autofree char *low = ns_claim_dup_number (result->low, 3);
  g_autofree char *high = ns_claim_dup_number (result->high, 3);

  if (claim->at_most)
    return g_strdup_printf (_ ("Measured: a factor of %s from each block to the one below (%s). Expected: %s at most, "
                               "accepted up to %s."),
                            interval, range, expected, high);
  return g_strdup_printf (_ ("Measured: a factor of %s from each block to the one below (%s). Expected: %s, accepted "
                             "from %s to %s."),
                          interval, range, expected, low, high);
}

char *
ns_claim_dup_measured (const NsClaim *claim, const NsClaimResult *result)
{
  g_autofree char *interval = NULL;
  g_autofree char *range = NULL;
  g_autofree char *expected = NULL;
  g_autofree char *tolerance = NULL;

  if (!result->has_measured)
    return g_strdup ("");
  if (claim->kind == NS_CHECK_LOSS)
    return ns_claim_dup_loss (result);
  if (claim->kind == NS_CHECK_RATES)
    return ns_claim_dup_rates (claim, result);
  if (claim->kind == NS_CHECK_IDENTITY)
    return dup_measured_identity (claim, result);
  if (claim->kind == NS_CHECK_GEOMETRIC)
    return dup_measured_factor (claim, result);
  if (result->at > 0)
    return dup_measured_block (claim, result);
  if (ns_claim_has_free_law (claim))
    return dup_measured_law (claim, result);
  interval = ns_claim_dup_interval (result->measured, result->error);
  range = dup_range (claim, result);
  if (claim->kind == NS_CHECK_HALVING)
    {
      expected = ns_claim_dup_number (result->expected, 2);
      tolerance = ns_claim_dup_number (claim->tolerance, 2);
      return g_strdup_printf (_ ("Measured: a factor of %s a block (%s). Expected: %s ± %s."), interval, range,
                              expected, tolerance);
    }
  expected = dup_expected_exponent (claim, result);
  return g_strdup_printf (_ ("Measured: exponent %s (%s). %s"), interval, range, expected);
}

/* ---- why the verdict is open ---- */

static char *
dup_missing_variant (const NsClaim *claim, const NsClaimResult *result)
{
  const char *id = result->variant == NS_MAX_VARIANTS ? claim->variant : claim->over;

  return g_strdup_printf (_ ("The experiment has no variant that is wired like %s."), ns_claim_get_variant_name (id));
}

char *
ns_claim_dup_why_not (const NsClaim *claim, const NsClaimResult *result)
{
  g_autofree char *law = NULL;
  g_autofree char *rival = NULL;

  switch (result->why_not)
    {
    case NS_WHY_NOT_NONE:
      return NULL;
    case NS_WHY_NOT_VARIANT:
      return dup_missing_variant (claim, result);
    case NS_WHY_NOT_QUANTITY:
      return g_strdup_printf (_ ("The variant has no %s."), ns_quantity_info (claim->metric.quantity)->symbol);
    case NS_WHY_NOT_ASSUMED:
      return g_strdup (_ ("A training takes long, so it runs only where all assumptions are met; “Set Up” meets "
                          "them."));
    case NS_WHY_NOT_RUN:
      if (ns_check_trains (claim->kind))
        return g_strdup (_ ("The training has not been run to its end."));
      if (ns_check_is_by_block (claim->kind))
        return g_strdup (_ ("The experiment has not been run."));
      return claim->axis == NS_SWEEP_D_MODEL ? g_strdup (_ ("The sweep over the width has not been run to its end."))
                                             : g_strdup (_ ("The sweep over the depth has not been run to its end."));
    case NS_WHY_NOT_SEEDS:
      if (ns_check_trains (claim->kind))
        return g_strdup_printf (_ ("A training needs at least %d seeds."), (int) claim->min_seeds);
      return g_strdup (_ ("One seed gives no interval; use two or more."));
    case NS_WHY_NOT_POINTS:
      return g_strdup_printf (_ ("Too few points for a fit; it needs %d from %g on."),
                              NS_FIT_MIN_POINTS + (ns_claim_has_free_law (claim) ? 1 : 0), claim->from);
    case NS_WHY_NOT_FINITE:
      return g_strdup (_ ("Some values are 0, infinite or not a number."));
    case NS_WHY_NOT_WIDE:
      return g_strdup (_ ("The interval contains values that the claim accepts and values that it does not; more "
                          "seeds would narrow it."));
    case NS_WHY_NOT_RIVAL:
      law = ns_law_dup_formula (claim->law, get_letter (claim));
      rival = ns_law_dup_formula (result->rival, get_letter (claim));
      return g_strdup_printf (_ ("The range is too short to tell %s from %s."), law, rival);
    case NS_WHY_NOT_OPEN:
      return g_strdup (_ ("The learning rates that train reach the first or the last one, so there may be more of "
                          "them."));
    default:
      g_return_val_if_reached (NULL);
    }
}

/* ---- the card ---- */

static void
append_line (GString *card, const char *line)
{
  if (line != NULL && *line != '\0')
    g_string_append_printf (card, "  %s\n", line);
}

/* Name the law that fits the curve better although the exponent agrees with the claim, or say that the claim's law does
 * not fit; NULL: neither. */
static char *
dup_rival (const NsClaim *claim, const NsClaimResult *result)
{
  g_autofree char *rival = NULL;
  g_autofree char *off = NULL;

  if (result->misfits)
    {
      rival = ns_law_dup_formula (claim->law, get_letter (claim));
      off = ns_scaling_dup_percent (result->off);
      /* Translators: a law and a percentage */
      return g_strdup_printf (_ ("%s is off by %s, more than the seeds differ."), rival, off);
    }
  if (result->verdict != NS_VERDICT_NOT_CONSISTENT || result->rival == NS_N_LAWS)
    return NULL;
  rival = ns_law_dup_formula (result->rival, get_letter (claim));
  return g_strdup_printf (_ ("%s is closer to the measurement."), rival);
}

char *
ns_claim_dup_card (const NsClaim *claim, const NsExperiment *experiment, const NsClaimResult *result)
{
  GString *card = g_string_new (NULL);
  g_autofree char *assumptions = ns_claim_dup_assumptions (claim, experiment, result);
  g_autofree char *measured = ns_claim_dup_measured (claim, result);
  g_autofree char *why_not = ns_claim_dup_why_not (claim, result);
  g_autofree char *rival = dup_rival (claim, result);
  g_autofree char *verdict = ns_claim_dup_verdict (result);

  /* Translators: a claim's title and the verdict on it */
  g_string_append_printf (card, _ ("%s — %s\n"), claim->title, verdict);
  append_line (card, claim->statement);
  append_line (card, claim->source);
  append_line (card, assumptions);
  append_line (card, measured);
  append_line (card, rival);
  append_line (card, why_not);
  return g_string_free (card, FALSE);
}
