/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/table/ns-figure-table.h"

#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

gboolean
ns_figure_option_is_equal (const NsFigureOption *option, const NsFigureOptions *a, const NsFigureOptions *b)
{
  switch (option->type)
    {
    case NS_FIGURE_OPTION_QUANTITY:
    case NS_FIGURE_OPTION_CHOICE:
    case NS_FIGURE_OPTION_SWITCH:
    case NS_FIGURE_OPTION_BLOCK:
    case NS_FIGURE_OPTION_COUNT:
    case NS_FIGURE_OPTION_STEP:
      return G_STRUCT_MEMBER (int, a, option->offset) == G_STRUCT_MEMBER (int, b, option->offset);
    case NS_FIGURE_OPTION_NUMBER:
      return G_STRUCT_MEMBER (double, a, option->offset) == G_STRUCT_MEMBER (double, b, option->offset);
    case NS_FIGURE_OPTION_POINTS:
      return strcmp (G_STRUCT_MEMBER_P (a, option->offset), G_STRUCT_MEMBER_P (b, option->offset)) == 0;
    default:
      return TRUE;
    }
}

gboolean
ns_figure_option_offers (const NsFigureOption *option, NsQuantity quantity)
{
  g_return_val_if_fail (option->type == NS_FIGURE_OPTION_QUANTITY, FALSE);

  return option->any_kind ? ns_quantity_is_of_blocks (quantity) && !ns_quantity_takes_own_passes (quantity)
                          : ns_quantity_is_offered (quantity, option->kind);
}

gboolean
ns_figure_option_parse_step (const char *text, int *step)
{
  guint64 value = 0;

  if (strcmp (text, "last") != 0 && !g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT, &value, NULL))
    return FALSE;
  *step = strcmp (text, "last") != 0 ? (int) value : -1;
  return TRUE;
}

/* Read a whole text as a number. */
static gboolean
read_number (const char *text, double *number)
{
  char *end;

  *number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0';
}

gboolean
ns_figure_option_parse (const NsFigureOption *option, const char *text, double *value)
{
  double number;

  g_return_val_if_fail (option->type == NS_FIGURE_OPTION_NUMBER && text != NULL, FALSE);

  if (read_number (text, &number))
    {
      if (!(number >= option->least && number <= option->most))
        return FALSE;
      *value = number;
      return TRUE;
    }
  for (const NsFigureChoice *choice = option->choices; choice->word != NULL; choice++)
    if (strcmp (choice->word, text) == 0)
      {
        *value = 0;
        return TRUE;
      }
  return FALSE;
}

char *
ns_figure_option_dup_text (const NsFigureOption *option, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  double number;

  g_return_val_if_fail (option->type == NS_FIGURE_OPTION_NUMBER, NULL);

  for (const NsFigureChoice *choice = option->choices; choice->word != NULL; choice++)
    if (value == (read_number (choice->word, &number) ? number : 0))
      return g_strdup (choice->word);
  g_ascii_formatd (text, sizeof text, "%.15g", value);
  return read_number (text, &number) && number == value ? g_strdup (text)
                                                        : g_strdup (g_ascii_dtostr (text, sizeof text, value));
}

gboolean
ns_figure_option_set_points (const char *text, char points[NS_FIGURE_POINTS_SIZE], GError **error)
{
  g_autofree char *own = g_strstrip (g_strdup (text));
  g_autofree gint64 *read = NULL;
  guint n;

  if (strcmp (own, "usual") == 0)
    *own = '\0';
  if (strlen (own) >= NS_FIGURE_POINTS_SIZE)
    {
      g_autofree char *quoted = ns_quote_text (own);

      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                   _ ("%s is not allowed; allowed: up to %d characters"), quoted, NS_FIGURE_POINTS_SIZE - 1);
      return FALSE;
    }
  if (*own != '\0' && (read = ns_sweep_points_from_text (own, &n, error)) == NULL)
    return FALSE;
  memset (points, 0, NS_FIGURE_POINTS_SIZE);
  memcpy (points, own, strlen (own));
  return TRUE;
}

char *
ns_figure_option_dup_allowed (const NsFigureOption *option)
{
  const char *word = "";
  double number;

  for (const NsFigureChoice *choice = option->choices; choice->word != NULL; choice++)
    if (!read_number (choice->word, &number))
      word = choice->word;
  /* Translators: a word, and a range of numbers */
  return g_strdup_printf (_ ("%s, or a number from %g to %g"), word, option->least, option->most);
}
