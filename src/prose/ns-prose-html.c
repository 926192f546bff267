/* Texts as HTML.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "prose/ns-prose-private.h"

/* Elements of the spans. The pages of links are in the program, so a link is its text. */
static const char *const span_elements[] = {
  [NS_PROSE_EMPHASIS] = "em",
  [NS_PROSE_STRONG] = "strong",
  [NS_PROSE_CODE] = "code",
  [NS_PROSE_LINK] = NULL,
};

/* ---- within a block ---- */

/* Return where the set of spans changes next. */
static guint
find_boundary (const NsProseBlock *block, guint at, guint end)
{
  for (guint i = 0; block->spans != NULL && i < block->spans->len; i++)
    {
      const NsProseSpan *span = &g_array_index (block->spans, NsProseSpan, i);

      if (span->start > at)
        end = MIN (end, span->start);
      if (span->end > at)
        end = MIN (end, span->end);
    }
  return end;
}

static gboolean
is_within (const NsProseBlock *block, NsProseSpanKind kind, guint at)
{
  for (guint i = 0; block->spans != NULL && i < block->spans->len; i++)
    {
      const NsProseSpan *span = &g_array_index (block->spans, NsProseSpan, i);

      if (span->kind == kind && span->start <= at && at < span->end)
        return TRUE;
    }
  return FALSE;
}

static const NsProseFormula *
find_formula (const NsProseBlock *block, guint at)
{
  for (guint i = 0; block->formulas != NULL && i < block->formulas->len; i++)
    {
      const NsProseFormula *formula = &g_array_index (block->formulas, NsProseFormula, i);

      if (formula->at == at)
        return formula;
    }
  return NULL;
}

/* Append a formula with the pieces that continue it, as one element; return the byte after it. */
static guint
append_formula (const NsProseFormula *formula, gboolean is_display, GString *html)
{
  g_string_append_printf (html, "<math xmlns=\"http://www.w3.org/1998/Math/MathML\"%s><mrow>",
                          is_display ? " display=\"block\"" : "");
  for (; formula->is_continued; formula++)
    ns_math_append_mathml (formula->math, is_display, html);
  ns_math_append_mathml (formula->math, is_display, html);
  g_string_append (html, "</mrow></math>");
  return formula->at + (guint) strlen (NS_PROSE_PLACE);
}

/* Append a piece of the text that lies within the same spans, and its formulas; return the byte after it: a formula may
 * end later. */
static guint
append_piece (const NsProseBlock *block, guint at, guint end, GString *html)
{
  while (at < end)
    {
      const NsProseFormula *formula = find_formula (block, at);

      if (formula != NULL)
        at = append_formula (formula, block->kind == NS_PROSE_DISPLAY, html);
      else
        {
          const char *from = block->text + at, *next = g_utf8_next_char (from);
          g_autofree char *escaped = g_markup_escape_text (from, next - from);

          g_string_append (html, escaped);
          at += (guint) (next - from);
        }
    }
  return at;
}

static void
append_inline (const NsProseBlock *block, GString *html)
{
  guint length = (guint) strlen (block->text);

  for (guint at = 0; at < length;)
    {
      guint from = at;

      for (NsProseSpanKind kind = 0; kind < G_N_ELEMENTS (span_elements); kind++)
        if (span_elements[kind] != NULL && is_within (block, kind, from))
          g_string_append_printf (html, "<%s>", span_elements[kind]);
      at = append_piece (block, at, find_boundary (block, at, length), html);
      for (NsProseSpanKind kind = G_N_ELEMENTS (span_elements); kind-- > 0;)
        if (span_elements[kind] != NULL && is_within (block, kind, from))
          g_string_append_printf (html, "</%s>", span_elements[kind]);
    }
}

/* ---- blocks ---- */

/* Return the list that holds the block, or NULL. */
static const char *
get_list (const NsProseBlock *block)
{
  return block->kind == NS_PROSE_BULLET ? "ul" : block->kind == NS_PROSE_NUMBER ? "ol" : NULL;
}

static void
append_block (const NsProseBlock *block, guint level, GString *html)
{
  g_autofree char *element = block->kind == NS_PROSE_HEADING   ? g_strdup_printf ("h%u", MIN (level + block->number, 6))
                             : block->kind == NS_PROSE_DISPLAY ? g_strdup ("div")
                                                               : g_strdup (get_list (block) != NULL ? "li" : "p");

  g_string_append_printf (html, "<%s>", element);
  append_inline (block, html);
  g_string_append_printf (html, "</%s>\n", element);
}

char *
ns_prose_dup_html (const NsProse *prose, guint level)
{
  GString *html = g_string_new (NULL);
  const char *open = NULL;

  g_return_val_if_fail (prose != NULL, NULL);
  for (guint i = 0; i < prose->blocks->len; i++)
    {
      const NsProseBlock *block = &g_array_index (prose->blocks, NsProseBlock, i);
      const char *list = get_list (block);

      if (open != NULL && open != list)
        g_string_append_printf (html, "</%s>\n", open);
      if (list != NULL && open != list && block->kind == NS_PROSE_NUMBER)
        g_string_append_printf (html, "<ol start=\"%u\">\n", block->number);
      else if (list != NULL && open != list)
        g_string_append_printf (html, "<%s>\n", list);
      open = list;
      append_block (block, level, html);
    }
  if (open != NULL)
    g_string_append_printf (html, "</%s>\n", open);
  return g_string_free (html, FALSE);
}
