/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "prose/ns-prose-private.h"

#define MAX_LINE_NUMBER_DIGITS 3
#define MAX_PAGE 200

/* One block's lines [p, end), while its text grows. */
typedef struct
{
  const char *whole;
  const char *p, *end;
  NsProse *prose;
  NsProseBlock block;
  GString *text;
  const char *open[2]; /* where *emphasis* and **strong** began, or NULL */
  guint open_at[2];    /* and the byte of the text there */
  GError **error;
} ProseParser;

static gboolean parse_inline (ProseParser *parser, const char *end, gboolean in_link);

static gboolean
prose_fail (ProseParser *parser, const char *at, const char *message)
{
  ns_prose_set_error (parser->error, NS_PROSE_ERROR_SYNTAX, parser->whole, at, "%s", message);
  return FALSE;
}

static void
add_span (ProseParser *parser, NsProseSpanKind kind, guint start, guint link)
{
  NsProseSpan span = { kind, start, (guint) parser->text->len, link };

  if (parser->block.spans == NULL)
    parser->block.spans = g_array_new (FALSE, FALSE, sizeof (NsProseSpan));
  g_array_append_val (parser->block.spans, span);
}

/* ---- formulas ---- */

/* Count a formula or a link. */
static gboolean
count_part (NsProse *prose, const char *whole, const char *at, GError **error)
{
  if (++prose->n_parts <= NS_PROSE_MAX_PARTS)
    return TRUE;
  ns_prose_set_error (error, NS_PROSE_ERROR_LIMIT, whole, at, _ ("too many formulas and links; allowed: %d"),
                      NS_PROSE_MAX_PARTS);
  return FALSE;
}

static void
add_formula (ProseParser *parser, NsMath *math, gboolean is_continued)
{
  NsProseFormula formula = { (guint) parser->text->len, is_continued, math };

  if (parser->block.formulas == NULL)
    parser->block.formulas = g_array_new (FALSE, FALSE, sizeof (NsProseFormula));
  g_array_append_val (parser->block.formulas, formula);
  g_string_append (parser->text, NS_PROSE_PLACE);
}

/* Return the end of a formula before `end`, or NULL. */
static const char *
find_dollars (const char *p, const char *end, gsize length)
{
  for (; p + length <= end; p++)
    {
      if (*p == '\\')
        p++;
      else if (*p == '$' && (length == 1 || p[1] == '$'))
        return p;
    }
  return NULL;
}

/* Parse $formula$; its pieces stay together except after a relation. */
static gboolean
parse_formula (ProseParser *parser, const char *end)
{
  const char *start = parser->p + 1, *stop = find_dollars (start, end, 1);
  NsMath *math;

  if (stop == NULL)
    return prose_fail (parser, parser->p, _ ("the $ that ends this formula is missing; \\$ is a plain dollar sign"));
  if (!count_part (parser->prose, parser->whole, parser->p, parser->error))
    return FALSE;
  math = ns_math_parse (parser->whole, start, stop, parser->error);
  if (math == NULL)
    return FALSE;
  while (math != NULL)
    {
      NsMath *rest = ns_math_split (math);

      add_formula (parser, math, rest != NULL);
      if (rest != NULL)
        g_string_append (parser->text, "\u200b");
      math = rest;
    }
  parser->p = stop + 1;
  return TRUE;
}

/* ---- words ---- */

/* Read * or **, which begins or ends a span. Signs between spaces are plain. */
static gboolean
parse_star (ProseParser *parser)
{
  const char *start = parser->p;
  gboolean is_strong = start + 1 < parser->end && start[1] == '*';
  const char *after = start + 1 + is_strong;
  gboolean is_open = parser->open[is_strong] != NULL;
  gboolean touches = is_open ? !g_ascii_isspace (start[-1]) : after < parser->end && !g_ascii_isspace (*after);

  parser->p = after;
  if (!touches)
    g_string_append_len (parser->text, start, after - start);
  else if (is_open)
    {
      add_span (parser, is_strong ? NS_PROSE_STRONG : NS_PROSE_EMPHASIS, parser->open_at[is_strong], 0);
      parser->open[is_strong] = NULL;
    }
  else
    {
      parser->open[is_strong] = start;
      parser->open_at[is_strong] = parser->text->len;
    }
  return TRUE;
}

static gboolean
parse_code (ProseParser *parser, const char *end)
{
  const char *stop = memchr (parser->p + 1, '`', end - parser->p - 1);
  guint start = parser->text->len;

  if (stop == NULL)
    return prose_fail (parser, parser->p, _ ("the ` that ends this code is missing; \\` is a plain one"));
  for (parser->p++; parser->p < stop; parser->p++)
    g_string_append_c (parser->text, g_ascii_isspace (*parser->p) ? ' ' : *parser->p);
  add_span (parser, NS_PROSE_CODE, start, 0);
  parser->p = stop + 1;
  return TRUE;
}

/* Return the ] of the [ at `p` if a ( follows it: then this is a link. */
static const char *
find_link (const char *p, const char *end)
{
  for (p++; p + 1 < end; p++)
    {
      const char *stop = *p == '$' ? find_dollars (p + 1, end, 1) : NULL;

      if (stop != NULL)
        p = stop;
      else if (*p == '\\')
        p++;
      else if (*p == '[')
        return NULL;
      else if (*p == ']')
        return p[1] == '(' ? p : NULL;
    }
  return NULL;
}

static gboolean
parse_link (ProseParser *parser, const char *bracket, const char *end)
{
  const char *page = bracket + 2, *stop = memchr (page, ')', end - page);
  NsProseLink link = { NULL, NULL };
  guint start = parser->text->len, index = parser->prose->links->len;
  g_autoptr (GString) text = g_string_new (NULL);

  if (stop == NULL)
    return prose_fail (parser, bracket + 1, _ ("the ) that ends this page is missing"));
  for (const char *p = page; p < stop; p++)
    if (!g_ascii_isalnum (*p) && strchr ("-_.:/@", *p) == NULL)
      return prose_fail (parser, p, _ ("not allowed in the name of a page; allowed: letters, digits and - _ . : / @"));
  if (stop == page || stop - page > MAX_PAGE)
    return prose_fail (parser, page, _ ("the name of a page has 1 to 200 characters"));
  if (!count_part (parser->prose, parser->whole, parser->p, parser->error))
    return FALSE;

  /* Links have their place in the order of the text, so this one comes before its contents are read. */
  link.page = g_strndup (page, stop - page);
  g_array_append_val (parser->prose->links, link);
  parser->p++;
  if (!parse_inline (parser, bracket, TRUE))
    return FALSE;
  parser->block.text = parser->text->str;
  ns_prose_block_append_text (&parser->block, start, parser->text->len, text);
  parser->block.text = NULL;
  g_strstrip (text->str);
  if (*text->str == '\0')
    return prose_fail (parser, bracket, _ ("a link needs a text"));
  g_array_index (parser->prose->links, NsProseLink, index).text = g_strdup (text->str);
  add_span (parser, NS_PROSE_LINK, start, index);
  parser->p = stop + 1;
  return TRUE;
}

static gboolean
parse_escape (ProseParser *parser, const char *end)
{
  if (parser->p + 1 == end || !g_ascii_ispunct (parser->p[1]))
    return prose_fail (parser, parser->p,
                       _ ("a backslash must stand before a sign such as * $ ` [ or \\; a command such as "
                          "\\alpha must stand between $ and $"));
  g_string_append_c (parser->text, parser->p[1]);
  parser->p += 2;
  return TRUE;
}

/* Line ends and repeated spaces are one space. */
static void
parse_space (ProseParser *parser, const char *end)
{
  while (parser->p < end && g_ascii_isspace (*parser->p))
    parser->p++;
  if (parser->text->len > 0 && parser->text->str[parser->text->len - 1] != ' ')
    g_string_append_c (parser->text, ' ');
}

static gboolean
parse_inline (ProseParser *parser, const char *end, gboolean in_link)
{
  while (parser->p < end)
    {
      const char *bracket;
      gboolean is_fine = TRUE;

      if (*parser->p == '*')
        is_fine = parse_star (parser);
      else if (*parser->p == '`')
        is_fine = parse_code (parser, end);
      else if (*parser->p == '$')
        is_fine = parse_formula (parser, end);
      else if (*parser->p == '\\')
        is_fine = parse_escape (parser, end);
      else if (*parser->p == '[' && !in_link && (bracket = find_link (parser->p, end)) != NULL)
        is_fine = parse_link (parser, bracket, end);
      else if (g_ascii_isspace (*parser->p))
        parse_space (parser, end);
      else
        g_string_append_c (parser->text, *parser->p++);
      if (!is_fine)
        return FALSE;
    }
  return TRUE;
}

/* ---- blocks ---- */

static void
block_clear (NsProseBlock *block)
{
  g_free (block->text);
  g_clear_pointer (&block->spans, g_array_unref);
  for (guint i = 0; block->formulas != NULL && i < block->formulas->len; i++)
    ns_math_free (g_array_index (block->formulas, NsProseFormula, i).math);
  g_clear_pointer (&block->formulas, g_array_unref);
}

static void
link_clear (NsProseLink *link)
{
  g_free (link->page);
  g_free (link->text);
}

/* Parse the lines [start, end) and add them as a block. */
static gboolean
add_block (NsProse *prose, NsProseBlockKind kind, guint number, const char *whole, const char *start, const char *end,
           GError **error)
{
  ProseParser parser = { .whole = whole, .p = start, .end = end, .prose = prose, .error = error };
  gboolean is_fine;

  while (parser.p < end && g_ascii_isspace (*parser.p))
    parser.p++;
  parser.block.kind = kind;
  parser.block.number = number;
  parser.text = g_string_new (NULL);
  if (kind == NS_PROSE_DISPLAY)
    {
      NsMath *math = count_part (prose, whole, start, error) ? ns_math_parse (whole, parser.p, end, error) : NULL;

      is_fine = math != NULL;
      if (is_fine)
        add_formula (&parser, math, FALSE);
    }
  else
    is_fine = parse_inline (&parser, end, FALSE);
  for (int i = 0; i < 2 && is_fine; i++)
    if (parser.open[i] != NULL)
      is_fine = prose_fail (&parser, parser.open[i],
                            i == 0 ? _ ("the * that ends this emphasis is missing; \\* is a plain star")
                             : _ ("the ** that ends this strong text is missing; \\* is a plain star"));
  if (is_fine && parser.text->len == 0)
    is_fine = prose_fail (&parser, start, _ ("a heading or a list item needs a text"));

  while (parser.text->len > 0 && parser.text->str[parser.text->len - 1] == ' ')
    g_string_truncate (parser.text, parser.text->len - 1);
  parser.block.text = g_strndup (parser.text->str, parser.text->len);
  g_string_free (parser.text, TRUE);
  if (!is_fine)
    {
      block_clear (&parser.block);
      return FALSE;
    }
  g_array_append_val (prose->blocks, parser.block);
  return TRUE;
}

static const char *
find_line_end (const char *p)
{
  return p + strcspn (p, "\n");
}

static gboolean
is_blank (const char *line)
{
  const char *end = find_line_end (line);

  while (line < end && g_ascii_isspace (*line))
    line++;
  return line == end;
}

/* Recognize the sign that begins a block; return the start of its text and set kind and number. */
static const char *
find_marker (const char *line, NsProseBlockKind *kind, guint *number)
{
  gsize digits = strspn (line, "0123456789"), hashes = strspn (line, "#");

  *kind = NS_PROSE_PARAGRAPH;
  *number = 0;
  if ((hashes == 1 || hashes == 2) && line[hashes] == ' ')
    {
      *kind = NS_PROSE_HEADING;
      *number = hashes;
      return line + hashes + 1;
    }
  if (line[0] == '-' && line[1] == ' ')
    {
      *kind = NS_PROSE_BULLET;
      return line + 2;
    }
  if (digits > 0 && digits <= MAX_LINE_NUMBER_DIGITS && line[digits] == '.' && line[digits + 1] == ' ')
    {
      *kind = NS_PROSE_NUMBER;
      *number = (guint) g_ascii_strtoull (line, NULL, 10);
      return line + digits + 2;
    }
  if (line[0] == '$' && line[1] == '$')
    {
      *kind = NS_PROSE_DISPLAY;
      return line + 2;
    }
  return line;
}

/* Return TRUE if a line begins a new block within one of kind `inside`: numbers only from 1, unless in a list, so that
 * a line of prose may begin with a year. */
static gboolean
interrupts (const char *line, NsProseBlockKind inside)
{
  NsProseBlockKind kind;
  guint number;

  find_marker (line, &kind, &number);
  return is_blank (line) || (kind == NS_PROSE_NUMBER ? number == 1 || inside == NS_PROSE_NUMBER
                                                     : kind != NS_PROSE_PARAGRAPH);
}

/* Parse the display that begins after the $$ before `start`; return the line after it, or NULL. */
static const char *
parse_display (NsProse *prose, const char *whole, const char *start, GError **error)
{
  const char *stop = find_dollars (start, start + strlen (start), 2);

  if (stop == NULL)
    {
      ns_prose_set_error (error, NS_PROSE_ERROR_SYNTAX, whole, start - 2, "%s",
                          _ ("the $$ that ends this formula is missing"));
      return NULL;
    }
  if (!is_blank (stop + 2))
    {
      ns_prose_set_error (error, NS_PROSE_ERROR_SYNTAX, whole, stop + 2, "%s",
                          _ ("a formula in $$ stands alone on its lines; use $ within a sentence"));
      return NULL;
    }
  if (!add_block (prose, NS_PROSE_DISPLAY, 0, whole, start, stop, error))
    return NULL;
  return find_line_end (stop);
}

/* Parse the block that begins at a line which is not blank; return its end, or NULL. */
static const char *
parse_block (NsProse *prose, const char *whole, const char *line, GError **error)
{
  NsProseBlockKind kind;
  guint number;
  const char *start, *end;

  while (*line == ' ' || *line == '\t')
    line++;
  start = find_marker (line, &kind, &number);
  if (kind == NS_PROSE_DISPLAY)
    return parse_display (prose, whole, start, error);
  end = find_line_end (start);
  while (kind != NS_PROSE_HEADING && *end != '\0')
    {
      const char *next = end + 1;

      while (*next == ' ' || *next == '\t')
        next++;
      if (interrupts (next, kind))
        break;
      end = find_line_end (next);
    }
  return add_block (prose, kind, number, whole, start, end, error) ? end : NULL;
}

/* Control characters have no place in a text, and the separators of Unicode would break lines within a paragraph. */
static gboolean
check_characters (const char *text, GError **error)
{
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if ((g_unichar_iscntrl (c) && strchr ("\n\t\r", (int) c) == NULL) || c == 0x2028 || c == 0x2029)
        {
          ns_prose_set_error (error, NS_PROSE_ERROR_SYNTAX, text, p, _ ("the control character U+%04X is not allowed"),
                              c);
          return FALSE;
        }
    }
  return TRUE;
}

NsProse *
ns_prose_parse (const char *text, GError **error)
{
  g_autoptr (NsProse) prose = NULL;

  g_return_val_if_fail (text != NULL, NULL);
  if (strlen (text) > NS_PROSE_MAX_BYTES)
    {
      ns_prose_set_error (error, NS_PROSE_ERROR_LIMIT, text, text, _ ("the text has %zu bytes; allowed: %d"),
                          strlen (text), NS_PROSE_MAX_BYTES);
      return NULL;
    }
  if (!check_characters (text, error))
    return NULL;
  prose = g_new0 (NsProse, 1);
  prose->blocks = g_array_new (FALSE, FALSE, sizeof (NsProseBlock));
  g_array_set_clear_func (prose->blocks, (GDestroyNotify) block_clear);
  prose->links = g_array_new (FALSE, FALSE, sizeof (NsProseLink));
  g_array_set_clear_func (prose->links, (GDestroyNotify) link_clear);

  for (const char *p = text; *p != '\0';)
    {
      const char *end = is_blank (p) ? find_line_end (p) : parse_block (prose, text, p, error);

      if (end == NULL)
        return NULL;
      p = *end != '\0' ? end + 1 : end;
    }
  return g_steal_pointer (&prose);
}

void
ns_prose_free (NsProse *prose)
{
  if (prose == NULL)
    return;
  g_array_unref (prose->blocks);
  g_array_unref (prose->links);
  g_free (prose);
}
