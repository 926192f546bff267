/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "prose/ns-math.h"

typedef struct
{
  const char *plain, *raised, *lowered; /* NULL: Unicode has none */
} Script;

static const Script script_table[] = {
  { "0", "⁰", "₀" },  { "1", "¹", "₁" },  { "2", "²", "₂" },  { "3", "³", "₃" },  { "4", "⁴", "₄" },
  { "5", "⁵", "₅" },  { "6", "⁶", "₆" },  { "7", "⁷", "₇" },  { "8", "⁸", "₈" },  { "9", "⁹", "₉" },
  { "+", "⁺", "₊" },  { "−", "⁻", "₋" },  { "=", "⁼", "₌" },  { "(", "⁽", "₍" },  { ")", "⁾", "₎" },
  { "a", "ᵃ", "ₐ" },  { "b", "ᵇ", NULL }, { "c", "ᶜ", NULL }, { "d", "ᵈ", NULL }, { "e", "ᵉ", "ₑ" },
  { "f", "ᶠ", NULL }, { "g", "ᵍ", NULL }, { "h", "ʰ", "ₕ" },  { "i", "ⁱ", "ᵢ" },  { "j", "ʲ", "ⱼ" },
  { "k", "ᵏ", "ₖ" },  { "l", "ˡ", "ₗ" },  { "m", "ᵐ", "ₘ" },  { "n", "ⁿ", "ₙ" },  { "o", "ᵒ", "ₒ" },
  { "p", "ᵖ", "ₚ" },  { "r", "ʳ", "ᵣ" },  { "s", "ˢ", "ₛ" },  { "t", "ᵗ", "ₜ" },  { "u", "ᵘ", "ᵤ" },
  { "v", "ᵛ", "ᵥ" },  { "w", "ʷ", NULL }, { "x", "ˣ", "ₓ" },  { "y", "ʸ", NULL }, { "z", "ᶻ", NULL },
  { "L", "ᴸ", NULL }, { "N", "ᴺ", NULL }, { "T", "ᵀ", NULL }, { "′", "′", NULL }, { "ℓ", "ˡ", "ₗ" },
};

/* Append the characters as subscripts or superscripts; FALSE, with nothing appended, if Unicode lacks one. */
static gboolean
append_script_characters (const char *plain, gboolean is_raised, GString *text)
{
  gsize before = text->len;

  for (const char *p = plain; *p != '\0'; p = g_utf8_next_char (p))
    {
      gsize length = g_utf8_next_char (p) - p;
      const char *found = NULL;

      for (gsize i = 0; i < G_N_ELEMENTS (script_table) && found == NULL; i++)
        if (strlen (script_table[i].plain) == length && memcmp (script_table[i].plain, p, length) == 0)
          found = is_raised ? script_table[i].raised : script_table[i].lowered;
      if (found == NULL)
        {
          g_string_truncate (text, before);
          return FALSE;
        }
      g_string_append (text, found);
    }
  return TRUE;
}

/* Return the only symbol in nested rows, or NULL. */
static const NsMath *
get_single (const NsMath *math)
{
  while (math != NULL && math->kind == NS_MATH_ROW && math->first != NULL && math->first->next == NULL)
    math = math->first;
  return math != NULL && math->kind == NS_MATH_SYMBOL ? math : NULL;
}

static gboolean
has_operator (const NsMath *row)
{
  for (const NsMath *child = row->first; child != NULL; child = child->next)
    if (child->class == NS_MATH_BIN || child->class == NS_MATH_REL || child->class == NS_MATH_OP
        || child->kind == NS_MATH_FRACTION || (child->kind == NS_MATH_ROW && has_operator (child)))
      return TRUE;
  return FALSE;
}

static void
append_in_parentheses (const NsMath *math, gboolean needed, GString *text)
{
  if (needed)
    g_string_append_c (text, '(');
  ns_math_append_text (math, text);
  if (needed)
    g_string_append_c (text, ')');
}

static void
append_script (const NsMath *math, gboolean is_raised, GString *text)
{
  g_autoptr (GString) plain = g_string_new (NULL);

  ns_math_append_text (math, plain);
  /* Spaces have no place in a script. */
  g_string_replace (plain, " ", "", 0);
  if (append_script_characters (plain->str, is_raised, text))
    return;
  g_string_append_c (text, is_raised ? '^' : '_');
  append_in_parentheses (math, get_single (math) == NULL, text);
}

/* ∂L/∂W and 1/l need no parentheses, 1/(2d) does. */
static gboolean
needs_parentheses_below (const NsMath *math)
{
  const NsMath *first = math->kind == NS_MATH_ROW ? math->first : math;

  if (first == NULL || first->next == NULL)
    return math->kind == NS_MATH_ROW && has_operator (math);
  return has_operator (math) || first->kind != NS_MATH_SYMBOL || strcmp (first->text, "∂") != 0;
}

static void
append_accent (const NsMath *math, GString *text)
{
  const NsMath *single = get_single (math->first);
  gboolean is_short = single != NULL && g_utf8_strlen (single->text, -1) == 1;

  append_in_parentheses (math->first, !is_short, text);
  g_string_append (text, math->text);
}

static void
append_space (GString *text)
{
  if (text->len > 0 && text->str[text->len - 1] != ' ')
    g_string_append_c (text, ' ');
}

/* Decide about a space between neighbours: "ln d" and "∑ₗ (…)", but "ln(d)". */
static gboolean
needs_space (const NsMath *left, NsMathClass before, NsMathClass after)
{
  if (before == NS_MATH_BIN || before == NS_MATH_REL || before == NS_MATH_PUNCT || after == NS_MATH_BIN
      || after == NS_MATH_REL)
    return TRUE;
  if (before == NS_MATH_OP)
    return after != NS_MATH_OPEN || left->kind == NS_MATH_SCRIPTS || left->font == NS_MATH_BIG;
  return after == NS_MATH_OP && before != NS_MATH_OPEN;
}

static void
append_row (const NsMath *row, GString *text)
{
  const NsMath *left = NULL;
  int before = -1;

  for (const NsMath *child = row->first; child != NULL; child = child->next)
    {
      NsMathClass class = ns_math_get_class (child, before);

      if (child->kind == NS_MATH_SPACE)
        {
          if (child->space > 0.2f)
            append_space (text);
          continue;
        }
      if (left != NULL && needs_space (left, (NsMathClass) before, class))
        append_space (text);
      ns_math_append_text (child, text);
      before = class;
      left = child;
    }
}

void
ns_math_append_text (const NsMath *math, GString *text)
{
  switch ((NsMathKind) math->kind)
    {
    case NS_MATH_ROW:
      append_row (math, text);
      break;
    case NS_MATH_SYMBOL:
      g_string_append (text, math->text);
      break;
    case NS_MATH_SCRIPTS:
      if (math->first != NULL)
        append_in_parentheses (math->first, math->first->kind == NS_MATH_FRACTION, text);
      if (math->sub != NULL)
        append_script (math->sub, FALSE, text);
      if (math->sup != NULL)
        append_script (math->sup, TRUE, text);
      break;
    case NS_MATH_FRACTION:
      append_in_parentheses (math->first, has_operator (math->first), text);
      g_string_append_c (text, '/');
      append_in_parentheses (math->sub, needs_parentheses_below (math->sub), text);
      break;
    case NS_MATH_ROOT:
      g_string_append (text, "√");
      append_in_parentheses (math->first, get_single (math->first) == NULL, text);
      break;
    case NS_MATH_ACCENT:
      append_accent (math, text);
      break;
    case NS_MATH_FENCE:
      g_string_append (text, math->text);
      ns_math_append_text (math->first, text);
      g_string_append (text, math->right);
      break;
    case NS_MATH_SPACE:
      break;
    }
}
