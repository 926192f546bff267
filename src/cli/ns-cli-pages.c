/* normscope-cli help: print a page of help, find pages, or write all of them as Markdown.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"

#include "document/ns-result-table.h"
#include "engine/experiment/ns-text.h"
#include "help/ns-help.h"

#include <glib/gi18n.h>
#include <string.h>

/* Words on the command line, joined for the search. */
#define MAX_WORDS 8

/* Options as given on the command line; NULL if absent. */
typedef struct
{
  char *output;
  gboolean list, markdown;
} PagesRequest;

static void
pages_request_clear (PagesRequest *request)
{
  g_free (request->output);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PagesRequest, pages_request_clear)

/* ---- finding a page ---- */

/* Return the page with this id, or the first one with this name in its group: "shape.depth", "token_cos", "post". */
static const NsHelpPage *
find_page (const char *name)
{
  const NsHelpPage *exact = ns_help_find (name);
  guint n;
  const NsHelpPage *pages = ns_help_pages (&n);

  for (guint i = 0; exact == NULL && i < n; i++)
    {
      const char *colon = strchr (pages[i].id, ':');

      if (colon != NULL && strcmp (colon + 1, name) == 0)
        exact = &pages[i];
    }
  return exact;
}

static void
append_page_line (GString *list, const NsHelpPage *page, gsize width)
{
  g_string_append_printf (list, "  %s%*s  %s\n", page->id, (int) (width - strlen (page->id)), "",
                          ns_help_page_get_title (page));
}

static gsize
get_widest (const NsHelpPage *pages, guint n)
{
  gsize widest = 0;

  for (guint i = 0; i < n; i++)
    widest = MAX (widest, strlen (pages[i].id));
  return widest;
}

static GBytes *
list_pages (void)
{
  GString *list = g_string_new (NULL);
  guint n;
  const NsHelpPage *pages = ns_help_pages (&n);
  gsize widest = get_widest (pages, n);

  for (guint i = 0; i < n; i++)
    {
      if (i == 0 || pages[i].group != pages[i - 1].group)
        g_string_append_printf (list, "%s%s\n", i == 0 ? "" : "\n", ns_help_group_get_title (pages[i].group));
      append_page_line (list, &pages[i], widest);
    }
  return g_string_free_to_bytes (list);
}

/* Return the pages that match the words, best first, or NULL if there is none. */
static GBytes *
search (const char *words)
{
  GString *list = g_string_new (NULL);
  guint n, best = 0;
  const NsHelpPage *pages = ns_help_pages (&n);
  gsize widest = get_widest (pages, n);

  for (guint i = 0; i < n; i++)
    best = MAX (best, ns_help_page_match (&pages[i], words));
  for (guint match = best; match > 0; match--)
    for (guint i = 0; i < n; i++)
      if (ns_help_page_match (&pages[i], words) == match)
        append_page_line (list, &pages[i], widest);
  if (best > 0)
    return g_string_free_to_bytes (list);
  g_string_free (list, TRUE);
  return NULL;
}

static GBytes *
make_page (char **words, GError **error)
{
  g_autofree char *joined = g_strjoinv (" ", words);
  const NsHelpPage *page = find_page (joined);
  g_autofree char *quoted = NULL;
  GBytes *found;

  if (page != NULL)
    {
      char *text = ns_help_page_dup_text (page, NS_CLI_LINE_WIDTH);

      return g_bytes_new_take (text, strlen (text));
    }
  found = search (joined);
  if (found != NULL)
    return found;
  quoted = ns_text_dup_short (joined, NS_TEXT_MAX_VALUE);
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("No page of help is about “%s”. “normscope-cli help --list” lists all pages."), quoted);
  return NULL;
}

/* ---- the command ---- */

static GBytes *
make_help (const PagesRequest *request, char **words, GError **error)
{
  if (request->markdown)
    {
      char *markdown = ns_help_dup_markdown ();

      return g_bytes_new_take (markdown, strlen (markdown));
    }
  return request->list || words == NULL || words[0] == NULL ? list_pages () : make_page (words, error);
}

int
ns_cli_pages (int argc, char **argv)
{
  g_auto (PagesRequest) request = { 0 };
  const GOptionEntry own[] = {
    { "list", 'l', 0, G_OPTION_ARG_NONE, &request.list, N_ ("List all pages"), NULL },
    { "markdown", 0, 0, G_OPTION_ARG_NONE, &request.markdown, N_ ("Write all pages as one Markdown document"), NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &request.output, N_ ("Write to FILE instead of standard output"),
      N_ ("FILE") },
    { NULL },
  };
  g_auto (NsCliOptions) options = { 0 };
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  if (!ns_cli_options_parse (&options, argc, argv, own, FALSE, MAX_WORDS, &error))
    return ns_cli_fail (error);
  if (options.help)
    bytes = ns_cli_options_help ("help", "[PAGE]",
                                 _ ("Print a page of help, named by its id (“shape.depth”, “token_cos”, “view:flow”), "
                                    "or the pages that contain some words."),
                                 own, FALSE);
  else
    bytes = make_help (&request, options.files, &error);
  if (bytes == NULL || !ns_cli_write (options.help ? NULL : request.output, bytes, &error))
    return ns_cli_fail (error);
  return NS_EXIT_DONE;
}
