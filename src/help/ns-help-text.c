/* Pages as plain text and as Markdown.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "help/ns-help-private.h"

#include "prose/ns-prose.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MARKDOWN_WIDTH 100
#define NO_BREAK_SPACE " "
/* How ns_prose_dup_plain_text() writes the items of a list. */
#define BULLET         "• "

/* ---- lines ---- */

/* Append a paragraph in lines of at most `width` characters, the second and later ones after `indent` spaces. */
static void
append_wrapped (GString *text, const char *paragraph, guint width, guint indent)
{
  g_auto (GStrv) words = g_strsplit (paragraph, " ", -1);
  guint at = 0;

  for (char **word = words; *word != NULL; word++)
    {
      guint length = (guint) g_utf8_strlen (*word, -1);

      if (length == 0)
        continue;
      if (at > 0 && at + 1 + length > width)
        {
          g_string_append_printf (text, "\n%*s", (int) indent, "");
          at = indent;
        }
      else if (at > 0)
        {
          g_string_append_c (text, ' ');
          at++;
        }
      g_string_append (text, *word);
      at += length;
    }
  g_string_append_c (text, '\n');
}

/* ---- plain text ---- */

static void
append_plain (GString *text, const char *markup, guint width)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsProse) prose = NULL;
  g_autofree char *plain = NULL;
  g_auto (GStrv) lines = NULL;

  if (markup[0] == '\0')
    return;
  prose = ns_prose_parse (markup, &error);
  if (prose == NULL)
    {
      g_critical ("help: %s", error->message);
      return;
    }
  plain = ns_prose_dup_plain_text (prose);
  lines = g_strsplit (plain, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      gboolean is_item = g_str_has_prefix (*line, BULLET);

      if (**line == '\0')
        continue;
      if (!is_item || line == lines || !g_str_has_prefix (line[-1], BULLET))
        g_string_append_c (text, '\n');
      append_wrapped (text, *line, width, is_item ? 2 : 0);
    }
}

char *
ns_help_page_dup_text (const NsHelpPage *page, guint width)
{
  g_autoptr (NsHelpContent) content = NULL;
  GString *text;

  g_return_val_if_fail (page != NULL && width > 0, NULL);
  content = ns_help_page_get_content (page);
  text = g_string_new (ns_help_page_get_title (page));
  g_string_append_printf (text, "  (%s)\n", page->id);
  append_plain (text, content->intro, width);
  append_plain (text, content->rest, width);
  return g_string_free (text, FALSE);
}

/* ---- Markdown ---- */

/* Append a formula as plain text that Markdown leaves alone and does not break. */
static void
append_formula (GString *markdown, const char *formula, gsize length, gboolean in_line)
{
  g_autofree char *markup = g_strdup_printf ("$%.*s$", (int) length, formula);
  g_autoptr (NsProse) prose = ns_prose_parse (markup, NULL);
  g_autofree char *plain = prose != NULL ? ns_prose_dup_plain_text (prose) : g_strdup (markup);

  for (const char *c = g_strchomp (plain); *c != '\0'; c = g_utf8_next_char (c))
    {
      if (in_line && strchr ("\\`*_[]<>", *c) != NULL)
        g_string_append_c (markdown, '\\');
      if (in_line && *c == ' ')
        g_string_append (markdown, NO_BREAK_SPACE);
      else
        g_string_append_unichar (markdown, g_utf8_get_char (c));
    }
}

static void
append_anchor (GString *markdown, const char *id, gsize length)
{
  for (gsize i = 0; i < length; i++)
    g_string_append_c (markdown, id[i] == ':' || id[i] == '.' ? '-' : id[i]);
}

/* Append a paragraph of markup: only formulas and the targets of links are written otherwise in Markdown. */
static void
append_markup (GString *markdown, const char *markup)
{
  while (*markup != '\0')
    {
      const char *end = NULL;

      if (*markup == '\\' && markup[1] != '\0')
        {
          g_string_append_len (markdown, markup, 2);
          markup += 2;
        }
      else if (*markup == '$' && (end = strchr (markup + 1, '$')) != NULL)
        {
          append_formula (markdown, markup + 1, (gsize) (end - markup) - 1, TRUE);
          markup = end + 1;
        }
      else if (g_str_has_prefix (markup, "](") && (end = strchr (markup, ')')) != NULL)
        {
          g_string_append (markdown, "](#");
          append_anchor (markdown, markup + 2, (gsize) (end - markup) - 2);
          g_string_append_c (markdown, ')');
          markup = end + 1;
        }
      else
        {
          g_string_append_c (markdown, *markup++);
        }
    }
}

/* Append a paragraph, a heading, a displayed formula or the lines of a list. */
static void
append_block (GString *markdown, const char *block)
{
  g_auto (GStrv) lines = NULL;

  g_string_append_c (markdown, '\n');
  if (g_str_has_prefix (block, "$$"))
    {
      g_string_append (markdown, "    ");
      append_formula (markdown, block + 2, strlen (block) - 4, FALSE);
      g_string_append_c (markdown, '\n');
      return;
    }
  /* The headings of the document and of the page are above those of a text. */
  if (g_str_has_prefix (block, "## "))
    g_string_append (markdown, "##");
  lines = g_strsplit (block, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      g_autoptr (GString) converted = g_string_new (NULL);
      guint indent = g_str_has_prefix (*line, "- ") ? 2 : g_ascii_isdigit (**line) ? 3 : 0;

      if (**line == '\0')
        continue;
      append_markup (converted, *line);
      append_wrapped (markdown, converted->str, MARKDOWN_WIDTH, indent);
    }
}

static void
append_blocks (GString *markdown, const char *markup)
{
  g_auto (GStrv) blocks = g_strsplit (markup, "\n\n", -1);

  for (char **block = blocks; *block != NULL; block++)
    if (**block != '\0')
      append_block (markdown, *block);
}

static void
append_page (GString *markdown, const NsHelpPage *page)
{
  g_autoptr (NsHelpContent) content = ns_help_page_get_content (page);
  g_autofree char *title = ns_prose_escape (ns_help_page_get_title (page));

  g_string_append (markdown, "\n<a id=\"");
  append_anchor (markdown, page->id, strlen (page->id));
  g_string_append_printf (markdown, "\"></a>\n\n### %s\n", title);
  append_blocks (markdown, content->intro);
  append_blocks (markdown, content->rest);
}

/* Tensors of which only the row in the table is known would fill half of the document: a line has to do. */
static gboolean
is_short (const NsHelpPage *page)
{
  return page->group == NS_HELP_QUANTITY && ns_quantity_info (page->row)->group == NS_GROUP_TENSOR
         && ns_help_quantity_get_text (page->row) == NULL;
}

static void
append_short (GString *markdown, const NsHelpPage *page)
{
  const NsQuantityInfo *info = ns_quantity_info (page->row);
  g_autofree char *symbol = ns_prose_escape (info->symbol);
  g_autoptr (GString) line = g_string_new ("- <a id=\"");

  append_anchor (line, page->id, strlen (page->id));
  g_string_append_printf (line, "\"></a>`%s`: %s, %s", info->name, _ (info->help), symbol);
  append_wrapped (markdown, line->str, MARKDOWN_WIDTH, 2);
}

static void
append_tensors (GString *markdown, const NsHelpPage *pages, guint n)
{
  g_string_append_printf (markdown, "\n### %s\n\n", _ ("Other tensors"));
  for (guint i = 0; i < n; i++)
    if (is_short (&pages[i]))
      append_short (markdown, &pages[i]);
}

char *
ns_help_dup_markdown (void)
{
  guint n;
  const NsHelpPage *pages = ns_help_pages (&n);
  GString *markdown = g_string_new ("# ");

  g_string_append_printf (markdown, "%s\n\n", _ ("Guide"));
  append_wrapped (markdown,
                  _ ("These are the pages of the program’s help (F1 in the window, `normscope-cli help` at the command "
                     "line), generated from the same tables by `normscope-cli help --markdown`."),
                  MARKDOWN_WIDTH, 0);
  for (guint i = 0; i < n; i++)
    {
      if (i == 0 || pages[i].group != pages[i - 1].group)
        g_string_append_printf (markdown, "\n## %s\n", ns_help_group_get_title (pages[i].group));
      if (!is_short (&pages[i]))
        append_page (markdown, &pages[i]);
      if (pages[i].group == NS_HELP_QUANTITY && pages[i + 1].group != NS_HELP_QUANTITY)
        append_tensors (markdown, pages, n);
    }
  return g_string_free (markdown, FALSE);
}
