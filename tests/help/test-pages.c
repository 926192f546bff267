/* Test the pages of help: each row of the tables has one, every text belongs to a row, markup and links are valid, the
 * search finds, and docs/GUIDE.md is current.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-claims.h"
#include "help/ns-help-private.h"
#include "prose/ns-prose.h"

#include <locale.h>
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

/* normscope-cli help --markdown writes the file. */
static void
test_guide (void)
{
  g_autofree char *guide = ns_help_dup_markdown ();
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "docs", "GUIDE.md", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) wanted = g_strsplit (guide, "\n", -1);
  g_auto (GStrv) found = NULL;
  GError *error = NULL;
  gsize i;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  found = g_strsplit (text, "\n", -1);
  for (i = 0; wanted[i] != NULL && found[i] != NULL; i++)
    g_assert_cmpstr (found[i], ==, wanted[i]);
  g_assert_cmpstr (found[i], ==, wanted[i]);
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/help/rows", test_rows);
  g_test_add_func ("/help/every-parameter-has-text", test_every_parameter_has_text);
  g_test_add_func ("/help/every-text-has-row", test_every_text_has_row);
  g_test_add_func ("/help/contents", test_contents);
  g_test_add_func ("/help/pictures", test_pictures);
  g_test_add_func ("/help/search", test_search);
  g_test_add_func ("/help/text", test_text);
  g_test_add_func ("/help/guide", test_guide);
  return g_test_run ();
}
