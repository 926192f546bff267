/* Formulas as MathML Core.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Browsers put the space around operators and relations themselves, by their dictionary. They have no word for the
 * space around "ln" and no bold type, so these are written out.
 */
#include <string.h>

#include "prose/ns-math.h"

static void append_mathml (const NsMath *math, gboolean is_display, GString *out);

static void
append_token (GString *out, const char *open, const char *text, const char *close)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  g_string_append_printf (out, "%s%s%s", open, escaped, close);
}

/* Append letters and digits as those of Unicode's mathematical bold. */
static void
append_bold (const char *text, GString *out)
{
  g_autoptr (GString) bold = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    g_string_append_unichar (bold, g_ascii_isupper (*p)   ? 0x1D400 + (gunichar) (*p - 'A')
                                   : g_ascii_islower (*p) ? 0x1D41A + (gunichar) (*p - 'a')
                                   : g_ascii_isdigit (*p) ? 0x1D7CE + (gunichar) (*p - '0')
                                                          : g_utf8_get_char (p));
  append_token (out, "<mi mathvariant=\"normal\">", bold->str, "</mi>");
}

static void
append_symbol (const NsMath *math, GString *out)
{
  gboolean is_single = g_utf8_strlen (math->text, -1) == 1;

  if (math->class == NS_MATH_BIN || math->class == NS_MATH_REL || math->class == NS_MATH_PUNCT
      || math->font == NS_MATH_BIG)
    append_token (out, "<mo>", math->text, "</mo>");
  else if (math->class == NS_MATH_OPEN || math->class == NS_MATH_CLOSE)
    append_token (out, "<mo stretchy=\"false\">", math->text, "</mo>");
  else if (math->font == NS_MATH_BOLD)
    append_bold (math->text, out);
  else if (g_ascii_isdigit (*math->text))
    append_token (out, "<mn>", math->text, "</mn>");
  else if (strchr (math->text, ' ') != NULL)
    {
      /* Spaces at the ends of an element would be dropped. */
      g_auto (GStrv) words = g_strsplit (math->text, " ", -1);
      g_autofree char *text = g_strjoinv ("\u00a0", words);

      append_token (out, "<mtext>", text, "</mtext>");
    }
  else if (is_single && g_unichar_ispunct (g_utf8_get_char (math->text)) && strstr ("∂∇∞⊤", math->text) == NULL)
    append_token (out, "<mo lspace=\"0\" rspace=\"0\" stretchy=\"false\">", math->text, "</mo>");
  else
    append_token (out, is_single && math->font == NS_MATH_ROMAN ? "<mi mathvariant=\"normal\">" : "<mi>", math->text,
                  "</mi>");
}

/* ---- rows ---- */

/* Return TRUE for "ln" and "max" with or without scripts, but not for signs such as ∑. */
static gboolean
is_word_operator (const NsMath *math)
{
  const NsMath *core = math->kind == NS_MATH_SCRIPTS ? math->first : math;

  return math->class == NS_MATH_OP && core != NULL && core->kind == NS_MATH_SYMBOL && core->font != NS_MATH_BIG;
}

/* A thin space stands between "ln" and an operand on either side: "2 ln d", but "ln(d)" and "= ln d". */
static gboolean
needs_thin_space (const NsMath *left, const NsMath *right)
{
  gboolean ends_operand = left->class != NS_MATH_BIN && left->class != NS_MATH_REL && left->class != NS_MATH_OPEN
                          && left->class != NS_MATH_PUNCT && left->kind != NS_MATH_SPACE;
  gboolean begins_operand = right->class != NS_MATH_BIN && right->class != NS_MATH_REL
                            && right->class != NS_MATH_CLOSE && right->class != NS_MATH_PUNCT
                            && right->kind != NS_MATH_SPACE;

  return (is_word_operator (left) && begins_operand && right->class != NS_MATH_OPEN && right->kind != NS_MATH_FENCE)
         || (is_word_operator (right) && ends_operand);
}

void
ns_math_append_mathml (const NsMath *row, gboolean is_display, GString *out)
{
  for (const NsMath *child = row->first; child != NULL; child = child->next)
    {
      append_mathml (child, is_display, out);
      if (child->next != NULL && needs_thin_space (child, child->next))
        g_string_append (out, "<mspace width=\"0.167em\"/>");
    }
}

static void
append_group (const NsMath *math, gboolean is_display, GString *out)
{
  g_string_append (out, "<mrow>");
  if (math != NULL && math->kind == NS_MATH_ROW)
    ns_math_append_mathml (math, is_display, out);
  else if (math != NULL)
    append_mathml (math, is_display, out);
  g_string_append (out, "</mrow>");
}

/* ---- what has parts ---- */

static void
append_scripts (const NsMath *math, gboolean is_display, GString *out)
{
  gboolean is_stacked = is_display && math->first != NULL && math->first->limits;
  const char *element = math->sup == NULL   ? is_stacked ? "munder" : "msub"
                        : math->sub == NULL ? is_stacked ? "mover" : "msup"
                                            : is_stacked ? "munderover" : "msubsup";

  g_string_append_printf (out, "<%s>", element);
  append_group (math->first, is_display, out);
  if (math->sub != NULL)
    append_group (math->sub, FALSE, out);
  if (math->sup != NULL)
    append_group (math->sup, FALSE, out);
  g_string_append_printf (out, "</%s>", element);
}

/* The accents are combining characters, which need a base of their own in MathML. */
static const char *
get_accent (const char *combining)
{
  return strcmp (combining, "\u0302") == 0 ? "^" : strcmp (combining, "\u0303") == 0 ? "~" : "\u00af";
}

static void
append_mathml (const NsMath *math, gboolean is_display, GString *out)
{
  char width[G_ASCII_DTOSTR_BUF_SIZE];

  switch ((NsMathKind) math->kind)
    {
    case NS_MATH_ROW:
      append_group (math, is_display, out);
      break;
    case NS_MATH_SYMBOL:
      append_symbol (math, out);
      break;
    case NS_MATH_SCRIPTS:
      append_scripts (math, is_display, out);
      break;
    case NS_MATH_FRACTION:
      g_string_append (out, "<mfrac>");
      append_group (math->first, FALSE, out);
      append_group (math->sub, FALSE, out);
      g_string_append (out, "</mfrac>");
      break;
    case NS_MATH_ROOT:
      g_string_append (out, "<msqrt>");
      append_group (math->first, is_display, out);
      g_string_append (out, "</msqrt>");
      break;
    case NS_MATH_ACCENT:
      g_string_append (out, "<mover accent=\"true\">");
      append_group (math->first, is_display, out);
      append_token (out, "<mo stretchy=\"false\">", get_accent (math->text), "</mo></mover>");
      break;
    case NS_MATH_FENCE:
      g_string_append (out, "<mrow>");
      if (*math->text != '\0')
        append_token (out, "<mo form=\"prefix\" fence=\"true\" stretchy=\"true\">", math->text, "</mo>");
      append_group (math->first, is_display, out);
      if (*math->right != '\0')
        append_token (out, "<mo form=\"postfix\" fence=\"true\" stretchy=\"true\">", math->right, "</mo>");
      g_string_append (out, "</mrow>");
      break;
    case NS_MATH_SPACE:
      g_ascii_formatd (width, sizeof width, "%.3f", (double) math->space);
      g_string_append_printf (out, "<mspace width=\"%sem\"/>", width);
      break;
    }
}
