/* Lists of numbers in the fields of an experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-params-private.h"

#include "engine/experiment/ns-text.h"

#include <math.h>
#include <string.h>

#define BLANKS " \t\r\n"

/* Append the numbers of a text, between blanks or a comma and blanks, to the array; FALSE at what is no number. */
static gboolean
read_numbers (const char *text, GArray *numbers)
{
  gboolean has_comma = FALSE; /* after the last number, so that another one must follow */

  for (text += strspn (text, BLANKS); *text != '\0'; text += strspn (text, BLANKS))
    {
      gsize length = strcspn (text, BLANKS);
      g_autofree char *word = NULL;
      double number;

      has_comma = text[length - 1] == ',';
      word = g_strndup (text, length - has_comma);
      if (!ns_param_parse_number (word, &number))
        return FALSE;
      g_array_append_val (numbers, number);
      text += length;
    }
  return !has_comma;
}

char *
ns_param_dup_list (const double *numbers, gsize n)
{
  GString *list = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    {
      char digits[NS_NUMBER_SIZE];

      g_string_append_printf (list, "%s%s", i > 0 ? " " : "", ns_format_number (digits, numbers[i]));
    }
  return g_string_free (list, FALSE);
}

char *
ns_param_dup_checked_list (const NsParam *param, const char *text)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));

  if (!read_numbers (text, numbers) || numbers->len == 0 || numbers->len > NS_MAX_LIST)
    return NULL;
  for (guint i = 0; i < numbers->len; i++)
    {
      double number = g_array_index (numbers, double, i);

      if (!(number >= param->min && number <= param->max)) /* also for NaN */
        return NULL;
    }
  return ns_param_dup_list ((const double *) (gpointer) numbers->data, numbers->len);
}

double *
ns_param_dup_numbers (const char *list, gsize *n)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));

  *n = 0;
  if (list == NULL || !read_numbers (list, numbers))
    return NULL;
  *n = numbers->len;
  return (double *) (gpointer) g_array_free (g_steal_pointer (&numbers), FALSE);
}
