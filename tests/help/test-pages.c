/* Test the pages of help: each row of the tables has one, every text belongs to a row, markup and links are valid, the
 * search finds, and the guide has all of them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-claims.h"
#include "help/ns-help-private.h"
#include "prose/ns-prose.h"
#include "tests.h"

#include <string.h>

/* ---- completeness ---- */

static void
assert_page (const char *prefix, const char *name, NsHelpGroup group, const char *title)
{
  g_autofree char *id = g_strconcat (prefix, name, NULL);
  const NsHelpPage *page = ns_help_find (id);

  if (page == NULL)
    g_error ("there is no page %s", id);
  g_assert_cmpint (page->group, ==, group);
  g_assert_cmpstr (ns_help_page_get_title (page), ==, title);
}

static void
test_rows (void)
{
  GPtrArray *claims = ns_claims_builtin ();
  gsize n, n_variants;
  guint n_pages, n_topics = 0;
  const NsParam *params = ns_params (&n);
  const NsBuiltinVariant *variants = ns_builtin_variants (&n_variants);

  for (gsize i = 0; i < n; i++)
    assert_page ("parameter:", ns_param_get_path (&params[i]), NS_HELP_PARAMETER, params[i].label);
  for (guint q = 0; q < NS_N_QUANTITIES; q++)
    assert_page ("quantity:", ns_quantity_info (q)->name, NS_HELP_QUANTITY, ns_quantity_info (q)->title);
  for (guint f = 0; f < NS_N_FIGURES; f++)
    assert_page ("view:", ns_figure_info (f)->id, NS_HELP_VIEW, ns_figure_info (f)->title);
  for (gsize v = 0; v < n_variants; v++)
    assert_page ("variant:", variants[v].id, NS_HELP_VARIANT, variants[v].name);
  for (guint c = 0; c < claims->len; c++)
    {
      const NsClaim *claim = g_ptr_array_index (claims, c);

      assert_page ("claim:", claim->id, NS_HELP_CLAIM, claim->title);
    }
  while (ns_help_topics[n_topics].id != NULL)
    n_topics++;
  g_assert_nonnull (ns_help_find (NS_HELP_FIRST_STEPS));
  g_assert_null (ns_help_find ("parameter:shape.height"));
  ns_help_pages (&n_pages);
  g_assert_cmpuint (n_pages, ==, n + NS_N_QUANTITIES + NS_N_FIGURES + n_variants + claims->len + n_topics);
}

/* A parameter without a text of its own has nothing about what it changes. */
static void
test_every_parameter_has_text (void)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (ns_help_parameter_get_text (&params[i])->effect == NULL)
      g_error ("%s says nothing about what it changes: add a row to src/help", ns_param_get_path (&params[i]));
  for (guint f = 0; f < NS_N_FIGURES; f++)
    {
      gboolean found = FALSE;

      for (const NsHelpTopic *text = ns_help_view_texts; text->id != NULL; text++)
        found |= strcmp (text->id, ns_figure_info (f)->id) == 0;
      if (!found)
        g_error ("the figure %s has no text in src/help/ns-help-topics.c", ns_figure_info (f)->id);
    }
}

/* A text whose row was renamed or removed would never be shown. */
static void
test_every_text_has_row (void)
{
  static const NsHelpParameterText *const lists[] = { ns_help_shared_parameter_texts, ns_help_training_parameter_texts,
                                                      ns_help_wiring_parameter_texts, ns_help_variant_parameter_texts };
  NsQuantity quantity;

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const NsHelpParameterText *text = lists[i]; text->path != NULL; text++)
      {
        const NsParam *param = ns_param_find (text->path);

        if (param == NULL || ns_help_parameter_get_text (param) != text)
          g_error ("%s: there is no such parameter, or another text", text->path);
      }
  for (const NsHelpQuantityText *text = ns_help_quantity_texts; text->name != NULL; text++)
    if (!ns_quantity_from_name (text->name, &quantity))
      g_error ("%s: there is no such quantity", text->name);
  for (const NsHelpTopic *text = ns_help_view_texts; text->id != NULL; text++)
    {
      g_autofree char *id = g_strconcat ("view:", text->id, NULL);

      g_assert_nonnull (ns_help_find (id));
    }
}

/* ---- contents ---- */

static void
assert_markup (const char *id, const char *markup)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsProse) prose = ns_prose_parse (markup, &error);
  g_autofree char *plain = NULL;

  if (prose == NULL)
    g_error ("%s: %s\n%s", id, error->message, markup);
  for (guint i = 0; i < ns_prose_get_n_links (prose); i++)
    if (ns_help_find (ns_prose_get_link_page (prose, i)) == NULL)
      g_error ("%s leads to %s, which does not exist", id, ns_prose_get_link_page (prose, i));
  plain = ns_prose_dup_plain_text (prose);
  if (strchr (plain, '\\') != NULL || strchr (plain, '$') != NULL || strstr (plain, "**") != NULL)
    g_error ("%s has markup in its plain text: %s", id, plain);
}

/* Every page parses, its links lead to pages, and its summary is one line of plain text. */
static void
test_contents (void)
{
  guint n, n_pictures = 0, n_related = 0;
  const NsHelpPage *pages = ns_help_pages (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (NsHelpContent) content = ns_help_page_get_content (&pages[i]);
      const char *summary = ns_help_page_get_summary (&pages[i]);

      g_assert_cmpuint (strlen (content->intro), >, 20);
      assert_markup (pages[i].id, content->intro);
      if (content->rest[0] != '\0')
        assert_markup (pages[i].id, content->rest);
      g_assert_true (g_utf8_validate (summary, -1, NULL) && strchr (summary, '\n') == NULL);
      n_related += strstr (content->rest, "](") != NULL ? 1 : 0;
      n_pictures += content->n_pictures;
      for (guint p = 0; p < content->n_pictures; p++)
        g_assert_true (content->pictures[p].diagram != NULL && content->pictures[p].caption[0] != '\0');
    }
  g_test_message ("%u pages, %u with links, %u wirings", n, n_related, n_pictures);
  g_assert_cmpuint (n_pictures, >, 60);
  g_assert_cmpuint (n_related, >, n / 2);
}

/* The two wirings of a setting differ. */
static void
test_pictures (void)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      const NsHelpParameterText *text = ns_help_parameter_get_text (&params[i]);
      g_autofree char *id = g_strconcat ("parameter:", ns_param_get_path (&params[i]), NULL);
      g_autoptr (NsHelpContent) content = ns_help_page_get_content (ns_help_find (id));

      g_assert_cmpuint (content->n_pictures, ==, text->before != NULL ? 2 : 0);
      if (text->before == NULL)
        continue;
      g_assert_cmpstr (content->pictures[0].caption, !=, content->pictures[1].caption);
    }
}

/* ---- search ---- */

/* Return the page that a search puts first. */
static const NsHelpPage *
find_best (const char *words)
{
  guint n, best = 0;
  const NsHelpPage *pages = ns_help_pages (&n), *found = NULL;

  for (guint i = 0; i < n; i++)
    {
      guint match = ns_help_page_match (&pages[i], words);

      if (match > best)
        {
          best = match;
          found = &pages[i];
        }
    }
  return found;
}

static void
test_search (void)
{
  static const char *const searches[][2] = {
    { "depth", "parameter:shape.depth" },       { "token sim", "quantity:token_cos" },
    { "token_cos", "quantity:token_cos" },      { "attention residual", "parameter:attn.residual" },
    { "d-model", "parameter:shape.d_model" },   { "first steps", "first-steps" },
    { "deepnorm", "variant:deepnorm" },         { "scaling", "view:scaling" },
    { "rank collapse", "claim:rank-collapse-scaled" }, { "Theorem 1", "claim:theorem-1-post" },
  };
  guint n, n_empty = 0;
  const NsHelpPage *pages = ns_help_pages (&n);

  for (gsize i = 0; i < G_N_ELEMENTS (searches); i++)
    {
      const NsHelpPage *page = find_best (searches[i][0]);

      if (page == NULL || strcmp (page->id, searches[i][1]) != 0)
        g_error ("“%s” finds %s, not %s", searches[i][0], page != NULL ? page->id : "nothing", searches[i][1]);
    }
  g_assert_null (find_best ("xylophone"));
  g_assert_null (find_best ("depth xylophone"));
  for (guint i = 0; i < n; i++)
    n_empty += ns_help_page_match (&pages[i], "") > 0 ? 1 : 0;
  g_assert_cmpuint (n_empty, ==, n);
}

/* ---- other forms ---- */

static void
test_text (void)
{
  g_autofree char *text = ns_help_page_dup_text (ns_help_find ("parameter:attn.residual"), 72);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  g_assert_true (g_str_has_prefix (text, "Attention residual  (parameter:attn.residual)\n"));
  g_assert_nonnull (strstr (text, "--attn-residual"));
  g_assert_nonnull (strstr (text, "Dong et al. 2021"));
  for (char **line = lines; *line != NULL; line++)
    g_assert_cmpint (g_utf8_strlen (*line, -1), <=, 72);
}

/* Return the letters and digits of Markdown or plain text, without the targets of links: what a reader reads. */
static char *
dup_letters (const char *text, gssize length)
{
  g_autofree char *copy = length < 0 ? g_strdup (text) : g_strndup (text, (gsize) length);
  GString *letters = g_string_new (NULL);

  for (const char *c = copy; *c != '\0'; c = g_utf8_next_char (c))
    {
      const char *end = g_str_has_prefix (c, "](#") ? strchr (c, ')') : NULL;

      if (end != NULL)
        c = end;
      else if (g_unichar_isalnum (g_utf8_get_char (c)))
        g_string_append_unichar (letters, g_utf8_get_char (c));
    }
  return g_string_free (letters, FALSE);
}

/* Return how a page begins in the guide. */
static char *
dup_anchor (const NsHelpPage *page)
{
  g_autofree char *id = g_strdelimit (g_strdup (page->id), ":.", '-');

  return g_strdup_printf ("<a id=\"%s\"></a>", id);
}

/* Return the end of a page's text, of which only headings of a lower level are a part. */
static const char *
find_end (const char *line)
{
  while (*line != '\0' && !g_str_has_prefix (line, "<a id=") && !g_str_has_prefix (line, "## ")
         && !g_str_has_prefix (line, "### "))
    {
      line += strcspn (line, "\n");
      line += *line == '\n' ? 1 : 0;
    }
  return line;
}

/* Return the first thing that is wrong in the guide, or NULL. Each page is in it once, under its title and with all of
 * its words, or is a line in the list of tensors. Links lead to pages, no markup is left, headings stand alone, and
 * lines are as wide as other prose. Caller frees. */
static char *
dup_guide_problem (const char *guide)
{
  guint n;
  const NsHelpPage *pages = ns_help_pages (&n);
  g_auto (GStrv) lines = g_strsplit (guide, "\n", -1);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *anchor = dup_anchor (&pages[i]);
      g_autofree char *title = ns_prose_escape (ns_help_page_get_title (&pages[i]));
      g_autofree char *heading = g_strdup_printf ("\n\n### %s\n", title);
      g_autofree char *page = ns_help_page_dup_text (&pages[i], 100);
      g_autofree char *wanted = dup_letters (strchr (page, '\n'), -1);
      g_autofree char *found = NULL;
      const char *start = strstr (guide, anchor);

      if (start == NULL || strstr (start + 1, anchor) != NULL)
        return g_strdup_printf ("%s is not in it once", pages[i].id);
      start += strlen (anchor);
      if (pages[i].group == NS_HELP_QUANTITY && g_str_has_prefix (start, "`"))
        continue;
      if (!g_str_has_prefix (start, heading))
        return g_strdup_printf ("%s has another title", pages[i].id);
      start += strlen (heading);
      found = dup_letters (start, find_end (start) - start);
      if (strcmp (found, wanted) != 0)
        return g_strdup_printf ("%s has other words:\n%s\n%s", pages[i].id, found, wanted);
    }
  for (const char *link = strstr (guide, "]("); link != NULL; link = strstr (link + 2, "]("))
    {
      g_autofree char *target = g_strndup (link + 3, strcspn (link + 3, ")"));
      g_autofree char *anchor = g_strdup_printf ("<a id=\"%s\"></a>", target);

      if (link[2] != '#' || strstr (guide, anchor) == NULL)
        return g_strdup_printf ("a link leads to %c%s", link[2], target);
    }
  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (strchr (lines[i], '$') != NULL)
        return g_strdup_printf ("a formula is left: %s", lines[i]);
      if (g_utf8_strlen (lines[i], -1) > 100 && !g_str_has_prefix (lines[i], "    "))
        return g_strdup_printf ("a line is too long: %s", lines[i]);
      if (lines[i][0] == '#' && ((i > 0 && lines[i - 1][0] != '\0') || lines[i + 1] == NULL || lines[i + 1][0] != '\0'))
        return g_strdup_printf ("a heading does not stand alone: %s", lines[i]);
    }
  return g_str_has_suffix (guide, "\n") ? NULL : g_strdup ("the last line does not end");
}

/* normscope-cli help --markdown writes this; the build makes the guide of it that is installed. */
static void
test_guide (void)
{
  /* A part of the guide, what an error puts in its place, and what is found then. */
  static const char *const planted[][3] = {
    { "<a id=\"topic-range\">", "<a id=\"range\">", "topic:range is not in it once" },
    { "\n### Depth\n", "\n### Height\n", "parameter:shape.depth has another title" },
    { "Each token becomes a weighted mean", "Each token becomes a mean", "parameter:attn.residual has other words" },
    { "](#variant-pre)", "](#variant-prae)", "a link leads to #variant-prae" },
    { "    z = a", "    $z = a", "a formula is left" },
    { "\n### Depth\n\n", "\n### Depth\n", "a heading does not stand alone: ### Depth" },
    { "\n\n## Quantities\n", "\n## Quantities\n", "a heading does not stand alone: ## Quantities" },
  };
  g_autofree char *guide = ns_help_dup_markdown ();
  g_autofree char *problem = dup_guide_problem (guide);

  if (problem != NULL)
    g_error ("the guide: %s", problem);
  /* How formulas look within a line and on their own. */
  g_assert_nonnull (strstr (guide, "Those of W\\_Q and W\\_K vanish"));
  g_assert_nonnull (strstr (guide, "\n    F(u) = N(softmax(c · qkᵀ)v) · W_O\n"));

  for (gsize i = 0; i < G_N_ELEMENTS (planted); i++)
    {
      g_auto (GStrv) parts = g_strsplit (guide, planted[i][0], -1);
      g_autofree char *broken = g_strjoinv (planted[i][1], parts);
      g_autofree char *found = dup_guide_problem (broken);

      if (found == NULL || !g_str_has_prefix (found, planted[i][2]))
        g_error ("“%s” in place of “%s”: %s", planted[i][1], planted[i][0], found != NULL ? found : "not found");
    }
}

void
add_pages_tests (void)
{
  g_test_add_func ("/pages/rows", test_rows);
  g_test_add_func ("/pages/every-parameter-has-text", test_every_parameter_has_text);
  g_test_add_func ("/pages/every-text-has-row", test_every_text_has_row);
  g_test_add_func ("/pages/contents", test_contents);
  g_test_add_func ("/pages/pictures", test_pictures);
  g_test_add_func ("/pages/search", test_search);
  g_test_add_func ("/pages/text", test_text);
  g_test_add_func ("/pages/guide", test_guide);
}
