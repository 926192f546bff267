/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "prose/ns-prose-private.h"

void
ns_prose_block_append_text (const NsProseBlock *block, guint start, guint end, GString *text)
{
  guint at = start;

  for (guint i = 0; block->formulas != NULL && i < block->formulas->len; i++)
    {
      const NsProseFormula *formula = &g_array_index (block->formulas, NsProseFormula, i);

      if (formula->at < at || formula->at >= end)
        continue;
      g_string_append_len (text, block->text + at, formula->at - at);
      ns_math_append_text (formula->math, text);
      at = formula->at + strlen (NS_PROSE_PLACE);
      if (formula->is_continued)
        {
          /* The place of the break. */
          g_string_append_c (text, ' ');
          at += strlen ("\u200b");
        }
    }
  if (at < end)
    g_string_append_len (text, block->text + at, end - at);
}

char *
ns_prose_dup_plain_text (const NsProse *prose)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_return_val_if_fail (prose != NULL, NULL);
  for (guint i = 0; i < prose->blocks->len; i++)
    {
      const NsProseBlock *block = &g_array_index (prose->blocks, NsProseBlock, i);

      if (i > 0)
        g_string_append_c (text, '\n');
      if (block->kind == NS_PROSE_BULLET)
        g_string_append (text, "• ");
      else if (block->kind == NS_PROSE_NUMBER)
        g_string_append_printf (text, "%u. ", block->number);
      ns_prose_block_append_text (block, 0, strlen (block->text), text);
    }
  return g_strndup (text->str, text->len);
}

char *
ns_prose_escape (const char *text)
{
  g_autoptr (GString) escaped = g_string_new (NULL);

  g_return_val_if_fail (text != NULL, NULL);
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);
      gboolean is_first = escaped->len == 0;

      if (g_ascii_isspace (*p))
        g_string_append (escaped, is_first ? "" : " ");
      else if (g_unichar_iscntrl (c) || c == 0x2028 || c == 0x2029)
        g_string_append (escaped, "\uFFFD");
      else
        {
          if (strchr ("\\*`$[]", *p) != NULL || (is_first && strchr ("#-", *p) != NULL)
              || (*p == '.' && strspn (escaped->str, "0123456789") == escaped->len))
            g_string_append_c (escaped, '\\');
          g_string_append_unichar (escaped, c);
        }
    }
  return g_strchomp (g_strndup (escaped->str, escaped->len));
}

guint
ns_prose_get_n_links (const NsProse *prose)
{
  return prose->links->len;
}

const char *
ns_prose_get_link_page (const NsProse *prose, guint link)
{
  g_return_val_if_fail (link < prose->links->len, NULL);
  return g_array_index (prose->links, NsProseLink, link).page;
}

const char *
ns_prose_get_link_text (const NsProse *prose, guint link)
{
  g_return_val_if_fail (link < prose->links->len, NULL);
  return g_array_index (prose->links, NsProseLink, link).text;
}
