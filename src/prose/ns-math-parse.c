/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "prose/ns-prose-private.h"

typedef struct
{
  const char *whole; /* for the place in messages */
  const char *p, *end;
  guint depth;
  GError **error;
} MathParser;

static NsMath *parse_row (MathParser *parser, char until);

static NsMath *
math_new (NsMathKind kind, NsMathClass class)
{
  NsMath *math = g_new0 (NsMath, 1);

  math->kind = kind;
  math->class = class;
  return math;
}

static NsMath *
symbol_new (char *text, NsMathClass class, NsMathFont font)
{
  NsMath *math = math_new (NS_MATH_SYMBOL, class);

  math->text = text;
  math->font = font;
  return math;
}

void
ns_math_free (NsMath *math)
{
  while (math != NULL)
    {
      NsMath *next = math->next;

      ns_math_free (math->first);
      ns_math_free (math->sub);
      ns_math_free (math->sup);
      g_free (math->text);
      g_free (math);
      math = next;
    }
}

static NsMath *
math_fail (MathParser *parser, const char *at, const char *message)
{
  ns_prose_set_error (parser->error, NS_PROSE_ERROR_SYNTAX, parser->whole, at, "%s", message);
  return NULL;
}

static void
skip_spaces (MathParser *parser)
{
  while (parser->p < parser->end && g_ascii_isspace (*parser->p))
    parser->p++;
}

/* ---- commands ---- */

/* Return the length of the command's name after a backslash. */
static gsize
measure_name (const MathParser *parser)
{
  const char *p = parser->p;

  while (p < parser->end && g_ascii_isalpha (*p))
    p++;
  if (p == parser->p && p < parser->end)
    p = g_utf8_next_char (p);
  return p - parser->p;
}

static NsMath *
fail_unknown (MathParser *parser, const char *at, gsize length)
{
  g_autofree char *name = g_utf8_substring (at, 0, MIN (g_utf8_strlen (at, length), 30));
  const char *const *names = ns_math_get_commands ();
  g_autoptr (GString) allowed = g_string_new (NULL);

  for (guint i = 0; names[i] != NULL; i++)
    if (g_ascii_isalpha (names[i][0]))
      g_string_append_printf (allowed, "%s\\%s", allowed->len > 0 ? " " : "", names[i]);
  ns_prose_set_error (parser->error, NS_PROSE_ERROR_SYNTAX, parser->whole, at,
                      _ ("%s is not a command for formulas. Allowed: %s"), name, allowed->str);
  return NULL;
}

/* Return the braced group or the one symbol that follows a command or a script's sign. */
static NsMath *
parse_argument (MathParser *parser, const char *owner)
{
  skip_spaces (parser);
  if (parser->p == parser->end || strchr ("}^_'", *parser->p) != NULL)
    return math_fail (parser, owner, _ ("something is missing after this; allowed: a sign, a command or {…}"));
  if (*parser->p != '{')
    return parse_row (parser, '\0');
  parser->p++;
  return parse_row (parser, '}');
}

/* \mathrm{…}, \text{…}: the words as they are. */
static NsMath *
parse_words (MathParser *parser, const NsMathCommand *command, const char *owner)
{
  g_autoptr (GString) words = g_string_new (NULL);

  skip_spaces (parser);
  if (parser->p == parser->end || *parser->p != '{')
    return math_fail (parser, owner, _ ("words in {…} must follow this"));
  for (parser->p++; parser->p < parser->end && *parser->p != '}'; parser->p++)
    {
      if (strchr ("{$^_", *parser->p) != NULL)
        return math_fail (parser, parser->p, _ ("words in {…} cannot contain this"));
      if (*parser->p == '\\' && ++parser->p == parser->end)
        break;
      g_string_append_c (words, g_ascii_isspace (*parser->p) ? ' ' : *parser->p);
    }
  if (parser->p == parser->end)
    return math_fail (parser, owner, _ ("the } that ends this is missing"));
  parser->p++;
  return symbol_new (g_string_free (g_steal_pointer (&words), FALSE), command->class, command->font);
}

/* Return the delimiter after \left or \right as static text, "" for ".", or NULL. */
static const char *
parse_delimiter (MathParser *parser, const char *owner)
{
  static const struct
  {
    const char *source, *text;
  } delimiters[] = {
    { "(", "(" },   { ")", ")" },   { "[", "[" }, { "]", "]" },        { "|", "|" },        { "\\|", "‖" },
    { "\\{", "{" }, { "\\}", "}" }, { ".", "" },  { "\\langle", "⟨" }, { "\\rangle", "⟩" },
  };

  skip_spaces (parser);
  for (gsize i = 0; i < G_N_ELEMENTS (delimiters); i++)
    {
      gsize length = strlen (delimiters[i].source);

      if ((gsize) (parser->end - parser->p) >= length && memcmp (parser->p, delimiters[i].source, length) == 0)
        {
          parser->p += length;
          return delimiters[i].text;
        }
    }
  math_fail (parser, owner,
             _ ("a delimiter is missing after this; allowed: ( ) [ ] | \\| \\{ \\} \\langle \\rangle and ."));
  return NULL;
}

static NsMath *
parse_fence (MathParser *parser, const char *owner)
{
  const char *left = parse_delimiter (parser, owner);
  NsMath *fence;

  if (left == NULL)
    return NULL;
  fence = math_new (NS_MATH_FENCE, NS_MATH_INNER);
  fence->text = g_strdup (left);
  fence->first = parse_row (parser, '\\');
  if (fence->first != NULL)
    fence->right = parse_delimiter (parser, parser->p);
  if (fence->right == NULL)
    g_clear_pointer (&fence, ns_math_free);
  return fence;
}

static NsMath *
parse_command (MathParser *parser)
{
  const char *start = parser->p++;
  gsize length = measure_name (parser);
  const NsMathCommand *command = ns_math_find_command (parser->p, length);
  NsMath *math = NULL;

  if (length == 0 || command == NULL)
    return fail_unknown (parser, start, length + 1);
  parser->p += length;
  switch (command->kind)
    {
    case NS_MATH_COMMAND_SYMBOL:
      math = symbol_new (g_strdup (command->text), command->class, command->font);
      math->limits = command->limits;
      return math;
    case NS_MATH_COMMAND_SPACE:
      math = math_new (NS_MATH_SPACE, NS_MATH_ORD);
      math->space = command->space;
      return math;
    case NS_MATH_COMMAND_WORDS:
      return parse_words (parser, command, start);
    case NS_MATH_COMMAND_LEFT:
      return parse_fence (parser, start);
    case NS_MATH_COMMAND_RIGHT:
      return math_fail (parser, start, _ ("\\right without \\left before it"));
    case NS_MATH_COMMAND_ACCENT:
      math = math_new (NS_MATH_ACCENT, NS_MATH_ORD);
      math->text = g_strdup (command->text);
      break;
    case NS_MATH_COMMAND_FRACTION:
      math = math_new (NS_MATH_FRACTION, NS_MATH_INNER);
      break;
    case NS_MATH_COMMAND_ROOT:
      math = math_new (NS_MATH_ROOT, NS_MATH_ORD);
      break;
    default:
      g_return_val_if_reached (NULL);
    }
  math->first = parse_argument (parser, start);
  if (math->first != NULL && math->kind == NS_MATH_FRACTION)
    math->sub = parse_argument (parser, start);
  if (math->first == NULL || (math->kind == NS_MATH_FRACTION && math->sub == NULL))
    g_clear_pointer (&math, ns_math_free);
  return math;
}

/* ---- signs ---- */

/* Digits with their decimal sign are one symbol. */
static NsMath *
parse_number (MathParser *parser)
{
  const char *start = parser->p;

  while (parser->p < parser->end
         && (g_ascii_isdigit (*parser->p)
             || (strchr (".,", *parser->p) != NULL && parser->p + 1 < parser->end && g_ascii_isdigit (parser->p[1]))))
    parser->p++;
  return symbol_new (g_strndup (start, parser->p - start), NS_MATH_ORD, NS_MATH_ROMAN);
}

static NsMath *
parse_character (MathParser *parser)
{
  const char *start = parser->p;
  gunichar c = g_utf8_get_char (start);
  gsize length = g_utf8_next_char (start) - start;
  const NsMathCommand *known = ns_math_find_character (start, length);
  gboolean is_letter = g_unichar_isalpha (c);
  g_autofree char *shown = g_strndup (start, length);

  if (known == NULL && !is_letter)
    {
      ns_prose_set_error (parser->error, NS_PROSE_ERROR_SYNTAX, parser->whole, start,
                          _ ("“%s” is not allowed in a formula; allowed: letters, digits, ( ) [ ] | + - * / = < > : "
                             ", ; . ! ? ' _ ^ { } and commands"),
                          shown);
      return NULL;
    }
  parser->p += length;
  if (known != NULL)
    return symbol_new (g_strdup (known->text), known->class, known->font);
  return symbol_new (g_steal_pointer (&shown), NS_MATH_ORD, c < 0x80 ? NS_MATH_ITALIC : NS_MATH_ROMAN);
}

static NsMath *
parse_atom (MathParser *parser)
{
  char c = *parser->p;

  if (c == '\\')
    return parse_command (parser);
  if (c == '{')
    {
      parser->p++;
      return parse_row (parser, '}');
    }
  if (g_ascii_isdigit (c))
    return parse_number (parser);
  return parse_character (parser);
}

/* ---- scripts ---- */

/* Read ^, _ and ' after an atom, which may be NULL. Takes `base`. */
static NsMath *
parse_scripts (MathParser *parser, NsMath *base)
{
  NsMath *scripts;

  skip_spaces (parser);
  if (parser->p == parser->end || strchr ("^_'", *parser->p) == NULL)
    return base;
  scripts = math_new (NS_MATH_SCRIPTS, base != NULL ? base->class : NS_MATH_ORD);
  scripts->first = base;
  while (parser->p < parser->end && strchr ("^_'", *parser->p) != NULL)
    {
      const char *sign = parser->p;
      NsMath **slot = *sign == '_' ? &scripts->sub : &scripts->sup;
      NsMath *argument;

      if (*slot != NULL)
        {
          ns_math_free (scripts);
          return math_fail (parser, sign,
                            *sign == '_' ? _ ("a second subscript; allowed: one, in {…}")
                                    : _ ("a second superscript; allowed: one, in {…}"));
        }
      if (*sign == '\'')
        {
          g_autoptr (GString) primes = g_string_new (NULL);

          for (; parser->p < parser->end && *parser->p == '\''; parser->p++)
            g_string_append (primes, "′");
          argument = symbol_new (g_string_free (g_steal_pointer (&primes), FALSE), NS_MATH_ORD, NS_MATH_ROMAN);
        }
      else
        {
          parser->p++;
          argument = parse_argument (parser, sign);
        }
      if (argument == NULL)
        {
          ns_math_free (scripts);
          return NULL;
        }
      *slot = argument;
      skip_spaces (parser);
    }
  return scripts;
}

/* ---- rows ---- */

static gboolean
is_at_right (const MathParser *parser)
{
  return parser->end - parser->p >= 6 && memcmp (parser->p, "\\right", 6) == 0
         && (parser->end - parser->p == 6 || !g_ascii_isalpha (parser->p[6]));
}

/* Parse up to the end of the formula ('$'), the brace of a group ('}') or the \right of a fence ('\\'), both of which
 * are consumed, or only one atom ('\0'). */
static NsMath *
parse_row (MathParser *parser, char until)
{
  const char *start = parser->p;
  gboolean is_closed = until == '$';
  g_autoptr (NsMath) row = math_new (NS_MATH_ROW, NS_MATH_ORD);
  NsMath **last = &row->first;

  if (parser->depth == NS_PROSE_MAX_DEPTH)
    {
      ns_prose_set_error (parser->error, NS_PROSE_ERROR_LIMIT, parser->whole, start,
                          _ ("too many groups inside each other; allowed: %d"), NS_PROSE_MAX_DEPTH);
      return NULL;
    }
  parser->depth++;
  for (skip_spaces (parser); parser->p < parser->end; skip_spaces (parser))
    {
      NsMath *atom = NULL;

      if (until == '}' && *parser->p == '}')
        {
          parser->p++;
          is_closed = TRUE;
          break;
        }
      if (until == '\\' && is_at_right (parser))
        {
          parser->p += strlen ("\\right");
          is_closed = TRUE;
          break;
        }
      if (*parser->p == '}')
        return math_fail (parser, parser->p, _ ("} without { before it"));
      if (strchr ("^_'", *parser->p) == NULL && (atom = parse_atom (parser)) == NULL)
        return NULL;
      if (until == '\0')
        {
          row->first = atom;
          is_closed = TRUE;
          break;
        }
      atom = parse_scripts (parser, atom);
      if (atom == NULL)
        return NULL;
      *last = atom;
      last = &atom->next;
    }
  if (!is_closed)
    return math_fail (parser, start - 1,
                      until == '}' ? _ ("the } that ends this is missing")
                                   : _ ("the \\right of this \\left is missing"));
  parser->depth--;
  return g_steal_pointer (&row);
}

NsMath *
ns_math_parse (const char *whole, const char *start, const char *end, GError **error)
{
  MathParser parser = { .whole = whole, .p = start, .end = end, .error = error };
  NsMath *row = parse_row (&parser, '$');

  if (row != NULL && row->first == NULL)
    {
      math_fail (&parser, start, _ ("an empty formula"));
      g_clear_pointer (&row, ns_math_free);
    }
  return row;
}

NsMath *
ns_math_split (NsMath *row)
{
  for (NsMath *child = row->first; child != NULL; child = child->next)
    if (child->class == NS_MATH_REL && child->next != NULL && child != row->first)
      {
        NsMath *rest = math_new (NS_MATH_ROW, NS_MATH_ORD);

        rest->first = g_steal_pointer (&child->next);
        return rest;
      }
  return NULL;
}
