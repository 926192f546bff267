/* The candidate laws: names, formulas and functions.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-laws.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

static const struct
{
  const char *name;
  const char *formula; /* with the letter L */
  gboolean is_word;    /* the formula is a word, which is translated */
} laws[NS_N_LAWS] = {
  [NS_LAW_CONSTANT] = { "constant", N_("constant"), TRUE },
  [NS_LAW_INV_SQRT] = { "1/sqrt", "1/√L", FALSE },
  [NS_LAW_LN] = { "ln", "ln L", FALSE },
  [NS_LAW_LN_OVER_SQRT] = { "ln/sqrt", "ln L/√L", FALSE },
  [NS_LAW_SQRT] = { "sqrt", "√L", FALSE },
  [NS_LAW_LINEAR] = { "linear", "L", FALSE },
  [NS_LAW_POWER] = { "power", "Lᵖ", FALSE },
  [NS_LAW_EXPONENTIAL] = { "exponential", N_("exponential"), TRUE },
  [NS_LAW_STRETCHED] = { "stretched-exponential", "exp(±√(L/λ))", FALSE },
};

const char *
ns_law_get_name (NsLaw law)
{
  return laws[law].name;
}

gboolean
ns_law_from_name (const char *name, NsLaw *law)
{
  for (int i = 0; i < NS_N_LAWS; i++)
    if (strcmp (laws[i].name, name) == 0)
      {
        *law = (NsLaw) i;
        return TRUE;
      }
  return FALSE;
}

char *
ns_law_dup_formula (NsLaw law, const char *letter)
{
  GString *formula;

  if (laws[law].is_word)
    return g_strdup (_(laws[law].formula));
  formula = g_string_new (laws[law].formula);
  g_string_replace (formula, "L", letter, 0);
  return g_string_free (formula, FALSE);
}

double
ns_law_log (NsLaw law, double x)
{
  switch (law)
    {
    case NS_LAW_CONSTANT:
      return 0;
    case NS_LAW_INV_SQRT:
      return -log (x) / 2;
    case NS_LAW_LN:
      return log (log (x));
    case NS_LAW_LN_OVER_SQRT:
      return log (log (x)) - log (x) / 2;
    case NS_LAW_SQRT:
      return log (x) / 2;
    case NS_LAW_LINEAR:
    case NS_LAW_POWER:
      return log (x);
    case NS_LAW_EXPONENTIAL:
      return x;
    case NS_LAW_STRETCHED:
      return sqrt (x);
    case NS_N_LAWS:
    default:
      g_return_val_if_reached (NAN);
    }
}

gboolean
ns_law_contains (NsLaw law, NsLaw named)
{
  if (named == NS_LAW_CONSTANT)
    return law >= NS_LAW_POWER;
  return law == NS_LAW_POWER && (named == NS_LAW_INV_SQRT || named == NS_LAW_SQRT || named == NS_LAW_LINEAR);
}

void
ns_law_get_number (NsLaw law, const NsExponent *slope, double *number, double *from, double *to)
{
  double p = slope->p, low = p - slope->error, high = p + slope->error;

  switch ((int) law)
    {
    case NS_LAW_POWER:
      *number = p;
      *from = low;
      *to = high;
      break;
    case NS_LAW_EXPONENTIAL:
      *number = exp (p);
      *from = exp (low);
      *to = exp (high);
      break;
    case NS_LAW_STRETCHED:
      *number = 1 / (p * p);
      *from = 1 / (MAX (low * low, high * high));
      *to = low * high > 0 ? 1 / (MIN (low * low, high * high)) : low * high <= 0 ? INFINITY : NAN;
      break;
    default:
      *number = *from = *to = NAN;
    }
}
