/* Measured answers in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-format.h"
#include "lecture/ns-question.h"
#include "prose/ns-prose.h"

#include <glib/gi18n-lib.h>
#include <math.h>

static char *
dup_choices (const NsAnswer *answer, const NsQuestion *question)
{
  GString *text = g_string_new (NULL);

  for (guint c = 0; c < question->choices->len; c++)
    {
      const NsChoice *choice = g_ptr_array_index (question->choices, c);
      g_autoptr (NsProse) prose = NULL;
      g_autofree char *plain = NULL;

      if ((answer->right >> c & 1) == 0)
        continue;
      prose = ns_prose_parse (choice->text, NULL);
      plain = prose != NULL ? ns_prose_dup_plain_text (prose) : g_strdup (choice->text);
      g_string_append_printf (text, "%s%u: %s", text->len > 0 ? "; " : "", c + 1, g_strstrip (plain));
    }
  return g_string_free (text, FALSE);
}

/* Return a number with up to three digits: "3.14", "−0.49", "1.2·10⁻³⁰". */
static char *
dup_number (double number)
{
  g_autofree char *digits = number != 0 ? ns_format_log10 (log10 (fabs (number)), 3) : g_strdup ("0");

  return number < 0 ? g_strconcat ("−", digits, NULL) : g_steal_pointer (&digits);
}

static char *
dup_measured_number (const NsAnswer *answer)
{
  g_autofree char *number = dup_number (answer->number);
  g_autofree char *spread = dup_number (answer->spread);

  if (!isfinite (answer->number))
    return g_strdup (_ ("not a finite number"));
  if (!isfinite (answer->spread) || answer->spread == (answer->is_factor ? 1 : 0))
    return g_steal_pointer (&number);
  return g_strdup_printf (answer->is_factor ? "%s ×/÷ %s" : "%s ± %s", number, spread);
}

static char *
dup_curve (const NsAnswer *answer)
{
  g_autofree char *first = NULL;
  g_autofree char *last = NULL;

  if (answer->n == 0)
    return g_strdup (_ ("no curve"));
  first = dup_number (answer->values[0]);
  last = dup_number (answer->values[answer->n - 1]);
  return g_strdup_printf (_ ("from %s in block %d to %s in block %d"), first, (int) answer->blocks[0], last,
                          (int) answer->blocks[answer->n - 1]);
}

char *
ns_answer_dup_text (const NsAnswer *answer, const NsQuestion *question)
{
  switch (answer->kind)
    {
    case NS_QUESTION_CHOICE:
      return dup_choices (answer, question);
    case NS_QUESTION_NUMBER:
      return dup_measured_number (answer);
    case NS_QUESTION_SKETCH:
      return dup_curve (answer);
    default:
      return g_strdup ("");
    }
}
