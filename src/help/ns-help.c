/* The list of pages, and the search.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "help/ns-help-private.h"

#include "document/ns-claims.h"
#include "document/ns-search.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* ---- the list ---- */

static void
add (GArray *pages, NsHelpGroup group, guint row, const char *prefix, const char *name)
{
  g_autofree char *id = g_strconcat (prefix, name, NULL);
  NsHelpPage page = { g_intern_string (id), group, row };

  g_array_append_val (pages, page);
}

static GArray *
make_pages (void)
{
  GArray *pages = g_array_new (FALSE, FALSE, sizeof (NsHelpPage));
  GPtrArray *claims = ns_claims_builtin ();
  gsize n;
  const NsParam *params = ns_params (&n);
  gsize n_variants;
  const NsBuiltinVariant *variants = ns_builtin_variants (&n_variants);

  for (guint i = 0; ns_help_topics[i].id != NULL; i++)
    add (pages, NS_HELP_TOPIC, i, "", ns_help_topics[i].id);
  for (guint i = 0; i < NS_N_FIGURES; i++)
    add (pages, NS_HELP_VIEW, i, "view:", ns_figure_info (i)->id);
  for (guint i = 0; i < n; i++)
    add (pages, NS_HELP_PARAMETER, i, "parameter:", ns_param_get_path (&params[i]));
  for (guint i = 0; i < NS_N_QUANTITIES; i++)
    add (pages, NS_HELP_QUANTITY, i, "quantity:", ns_quantity_info (i)->name);
  for (guint i = 0; i < n_variants; i++)
    add (pages, NS_HELP_VARIANT, i, "variant:", variants[i].id);
  for (guint i = 0; i < claims->len; i++)
    add (pages, NS_HELP_CLAIM, i, "claim:", ((const NsClaim *) g_ptr_array_index (claims, i))->id);
  return pages;
}

static GArray *
get_pages (void)
{
  static gsize pages;

  if (g_once_init_enter (&pages))
    g_once_init_leave (&pages, (gsize) make_pages ());
  return (GArray *) pages;
}

const NsHelpPage *
ns_help_pages (guint *n)
{
  GArray *pages = get_pages ();

  if (n != NULL)
    *n = pages->len;
  return &g_array_index (pages, NsHelpPage, 0);
}

const NsHelpPage *
ns_help_find (const char *id)
{
  guint n;
  const NsHelpPage *pages = ns_help_pages (&n);

  g_return_val_if_fail (id != NULL, NULL);
  for (guint i = 0; i < n; i++)
    if (strcmp (pages[i].id, id) == 0)
      return &pages[i];
  return NULL;
}

const char *
ns_help_group_get_title (NsHelpGroup group)
{
  static const char *const titles[NS_N_HELP_GROUPS] = {
    [NS_HELP_TOPIC] = N_ ("Start here"),     [NS_HELP_VIEW] = N_ ("Views and figures"),
    [NS_HELP_PARAMETER] = N_ ("Settings"),   [NS_HELP_QUANTITY] = N_ ("Quantities"),
    [NS_HELP_VARIANT] = N_ ("Variants"),     [NS_HELP_CLAIM] = N_ ("Claims"),
  };

  g_return_val_if_fail ((guint) group < NS_N_HELP_GROUPS, "");
  return _ (titles[group]);
}

/* ---- titles ---- */

/* Return the title as it is in the source, without a translation; that of a claim is in the user's language. */
static const char *
get_title (const NsHelpPage *page)
{
  switch (page->group)
    {
    case NS_HELP_TOPIC:
      return ns_help_topics[page->row].title;
    case NS_HELP_VIEW:
      return ns_figure_info (page->row)->title;
    case NS_HELP_PARAMETER:
      return ns_params (NULL)[page->row].label;
    case NS_HELP_QUANTITY:
      return ns_quantity_info (page->row)->title;
    case NS_HELP_VARIANT:
      return ns_builtin_variants (NULL)[page->row].name;
    case NS_HELP_CLAIM:
      return ((const NsClaim *) g_ptr_array_index (ns_claims_builtin (), page->row))->title;
    default:
      g_return_val_if_reached ("");
    }
}

const char *
ns_help_page_get_title (const NsHelpPage *page)
{
  gboolean is_translated = page->group == NS_HELP_CLAIM || page->group == NS_HELP_VARIANT;

  return is_translated ? get_title (page) : _ (get_title (page));
}

const char *
ns_help_page_get_summary (const NsHelpPage *page)
{
  const char *summary;

  switch (page->group)
    {
    case NS_HELP_TOPIC:
      summary = ns_help_topics[page->row].summary;
      break;
    case NS_HELP_VIEW:
      summary = ns_figure_info (page->row)->help;
      break;
    case NS_HELP_PARAMETER:
      summary = ns_params (NULL)[page->row].help;
      break;
    case NS_HELP_QUANTITY:
      summary = ns_quantity_info (page->row)->help;
      break;
    case NS_HELP_VARIANT:
      summary = ns_builtin_variants (NULL)[page->row].sentence;
      break;
    case NS_HELP_CLAIM:
    default:
      return ((const NsClaim *) g_ptr_array_index (ns_claims_builtin (), page->row))->source;
    }
  return _ (summary);
}

/* ---- contents ---- */

NsHelpContent *
ns_help_page_get_content (const NsHelpPage *page)
{
  NsHelpContent *content = ns_help_make_content (page);
  g_autofree char *related = ns_help_dup_related (page);
  char *rest = g_strconcat (content->rest, related, NULL);

  g_free (content->rest);
  content->rest = rest;
  return content;
}

void
ns_help_content_free (NsHelpContent *content)
{
  if (content == NULL)
    return;
  for (guint i = 0; i < content->n_pictures; i++)
    {
      g_free (content->pictures[i].caption);
      ns_diagram_free (content->pictures[i].diagram);
    }
  g_free (content->intro);
  g_free (content->rest);
  g_free (content);
}

/* ---- search ---- */

/* The fields of a page, each as words in the form of ns_search_dup_haystack() with a space before each. */
typedef struct
{
  char *title, *names, *text;
} Haystack;

/* The match of a word in a field; one more if it begins a word there. */
enum { MATCH_TEXT = 1, MATCH_NAMES = 3, MATCH_TITLE = 5 };

/* Join the texts, NULL-terminated, in the form for the search. */
static char *
dup_haystack (const char *const *texts)
{
  g_autofree char *joined = g_strjoinv (" ", (char **) texts);
  g_auto (GStrv) words = g_strsplit_set (joined, " \n", -1);
  GString *haystack = g_string_new (NULL);

  for (char **word = words; *word != NULL; word++)
    {
      g_autofree char *letters = ns_search_dup_haystack (*word);

      g_string_append_printf (haystack, " %s", letters);
    }
  return g_string_free (haystack, FALSE);
}

static Haystack
make_haystack (const NsHelpPage *page)
{
  g_autoptr (NsHelpContent) content = ns_help_make_content (page);
  const char *symbol = page->group == NS_HELP_QUANTITY ? ns_quantity_info (page->row)->symbol : "";
  const char *const titles[] = { ns_help_page_get_title (page), NULL };
  const char *const names[] = { page->id, symbol, get_title (page), ns_help_page_get_summary (page), NULL };
  const char *const texts[] = { content->intro, content->rest, NULL };

  return (Haystack) { dup_haystack (titles), dup_haystack (names), dup_haystack (texts) };
}

static const Haystack *
get_haystacks (void)
{
  static gsize haystacks;

  if (g_once_init_enter (&haystacks))
    {
      guint n;
      const NsHelpPage *pages = ns_help_pages (&n);
      Haystack *made = g_new (Haystack, n);

      for (guint i = 0; i < n; i++)
        made[i] = make_haystack (&pages[i]);
      g_once_init_leave (&haystacks, (gsize) made);
    }
  return (const Haystack *) haystacks;
}

static guint
match_field (const char *field, const char *letters, guint match)
{
  g_autofree char *beginning = g_strconcat (" ", letters, NULL);

  if (strstr (field, beginning) != NULL)
    return match + 1;
  return strstr (field, letters) != NULL ? match : 0;
}

static guint
match_word (const Haystack *haystack, const char *word)
{
  g_autofree char *letters = ns_search_dup_haystack (word);
  guint in_title = match_field (haystack->title, letters, MATCH_TITLE);
  guint in_names = in_title == 0 ? match_field (haystack->names, letters, MATCH_NAMES) : 0;

  if (in_title + in_names > 0)
    return in_title + in_names;
  return match_field (haystack->text, letters, MATCH_TEXT);
}

guint
ns_help_page_match (const NsHelpPage *page, const char *words)
{
  const Haystack *haystack = &get_haystacks ()[page - ns_help_pages (NULL)];
  g_auto (GStrv) parts = NULL;
  guint match = MATCH_TITLE + 1;

  g_return_val_if_fail (words != NULL, 0);
  parts = g_strsplit_set (words, " \t", -1);
  for (char **part = parts; *part != NULL && match > 0; part++)
    match = MIN (match, match_word (haystack, *part));
  return match;
}
