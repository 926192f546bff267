/* Read expectations: --expect 'pre:w_2@last:-0.5±0.05'.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-scaling.h"

#include "cli/ns-cli.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

static void
expectation_clear (gpointer data)
{
  g_free (((NsCliExpectation *) data)->text);
}

static gboolean
refuse_expectation (const char *text, GError **error)
{
  g_autofree char *quoted = ns_text_dup_short (text, NS_TEXT_MAX_VALUE);

  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--expect: “%s” is not allowed; allowed: VARIANT:METRIC:EXPONENT±TOLERANCE, such as "
                  "'pre:w_2@last:-0.5±0.05'; +- can replace ±, and A/B as VARIANT is a ratio"),
               quoted);
  return FALSE;
}

/* Read "-0.5±0.05", "-0.5+-0.05" or "-0.5"; the minus sign can be typographic. */
static gboolean
read_interval (const char *text, double *expected, double *tolerance)
{
  g_auto (GStrv) minus = g_strsplit (text, "−", -1);
  g_autofree char *ascii = g_strjoinv ("-", minus);
  const char *sign = strstr (ascii, "±");
  const char *rest = sign != NULL ? sign + strlen ("±") : NULL;
  char *end;

  if (sign == NULL && (sign = strstr (ascii, "+-")) != NULL)
    rest = sign + strlen ("+-");
  *tolerance = 0;
  *expected = g_ascii_strtod (ascii, &end);
  while (*end == ' ')
    end++;
  if (end == ascii || !isfinite (*expected) || (sign != NULL ? end != sign : *end != '\0'))
    return FALSE;
  if (rest == NULL)
    return TRUE;
  *tolerance = g_ascii_strtod (rest, &end);
  return end != rest && *end == '\0' && isfinite (*tolerance) && *tolerance >= 0;
}

/* Return the colon before the metric, which can contain a colon itself: "post:decoder:w_2@first". */
static char *
find_metric (char *head)
{
  char *colon = strrchr (head, ':');

  for (NsPart part = NS_PART_ENCODER; colon != NULL && part <= NS_PART_DECODER; part++)
    {
      gsize length = strlen (ns_part_get_name (part));

      if ((gsize) (colon - head) > length && colon[-(gssize) length - 1] == ':'
          && strncmp (colon - length, ns_part_get_name (part), length) == 0)
        return colon - length - 1;
    }
  return colon;
}

/* Read VARIANT:METRIC:INTERVAL from the right, since a variant's name can contain colons. */
static gboolean
read_expectation (const char *text, const NsExperiment *experiment, NsCliExpectation *expectation, GError **error)
{
  const char *last = strrchr (text, ':');
  g_autofree char *head = last != NULL ? g_strndup (text, (gsize) (last - text)) : NULL;
  char *colon = head != NULL ? find_metric (head) : NULL;

  if (colon == NULL || colon == head || !read_interval (last + 1, &expectation->expected, &expectation->tolerance))
    return refuse_expectation (text, error);
  if (!ns_metric_from_text (colon + 1, &expectation->metric, error))
    {
      g_prefix_error (error, "--expect: ");
      return FALSE;
    }
  *colon = '\0';
  expectation->over = NS_MAX_VARIANTS;
  expectation->text = g_strdup (text);
  if (strchr (head, '/') == NULL || ns_cli_find_variant (experiment, "expect", head, &expectation->variant, NULL))
    return ns_cli_find_variant (experiment, "expect", head, &expectation->variant, error);
  return ns_cli_find_ratio (experiment, "expect", head, &expectation->variant, &expectation->over, error);
}

GArray *
ns_cli_expectations_read (char **texts, const NsExperiment *experiment, GError **error)
{
  g_autoptr (GArray) expectations = g_array_new (FALSE, FALSE, sizeof (NsCliExpectation));

  g_array_set_clear_func (expectations, expectation_clear);
  for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
    {
      NsCliExpectation expectation = { 0 };

      if (!read_expectation (texts[i], experiment, &expectation, error))
        {
          expectation_clear (&expectation);
          return NULL;
        }
      g_array_append_val (expectations, expectation);
    }
  return g_steal_pointer (&expectations);
}
