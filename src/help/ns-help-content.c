/* The contents of a page, generated from the tables and the texts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "help/ns-help-private.h"

#include "document/ns-claims.h"
#include "prose/ns-prose.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* ---- markup ---- */

void
ns_help_add_plain (GString *markup, const char *text)
{
  g_autofree char *escaped = ns_prose_escape (text);

  g_string_append (markup, escaped);
}

void
ns_help_add_paragraph (GString *markup, const char *text)
{
  if (text == NULL || text[0] == '\0')
    return;
  if (markup->len > 0)
    g_string_append (markup, "\n\n");
  g_string_append (markup, text);
}

/* Begin the next bullet of the list at the end of the text, or a new list. */
static void
begin_fact (GString *markup, const char *name)
{
  const char *line = strrchr (markup->str, '\n');
  gboolean is_list = g_str_has_prefix (line != NULL ? line + 1 : markup->str, "- ");

  if (markup->len > 0)
    g_string_append (markup, is_list ? "\n" : "\n\n");
  g_string_append_printf (markup, "- **%s:** ", name);
}

void
ns_help_add_fact (GString *markup, const char *name, const char *plain)
{
  if (plain == NULL || plain[0] == '\0')
    return;
  begin_fact (markup, name);
  ns_help_add_plain (markup, plain);
}

void
ns_help_add_code (GString *markup, const char *name, const char *code)
{
  begin_fact (markup, name);
  g_string_append_printf (markup, "`%s`", code);
}

void
ns_help_add_sentence (GString *markup, const char *plain)
{
  if (plain == NULL || plain[0] == '\0')
    return;
  if (markup->len > 0)
    g_string_append (markup, "\n\n");
  ns_help_add_plain (markup, plain);
  if (!g_str_has_suffix (plain, "."))
    g_string_append_c (markup, '.');
}

/* Formulas that belong together are separated by \quad; each gets a line, since the panel is narrow. */
void
ns_help_add_formula (GString *markup, const char *formula)
{
  g_auto (GStrv) lines = g_strsplit (formula != NULL ? formula : "", ", \\quad ", -1);

  for (char **line = lines; *line != NULL; line++)
    g_string_append_printf (markup, "%s$$%s$$", markup->len > 0 ? "\n\n" : "", *line);
}

void
ns_help_add_link (GString *markup, const char *id)
{
  const NsHelpPage *page = ns_help_find (id);
  g_autofree char *title = NULL;

  g_return_if_fail (page != NULL);
  title = ns_prose_escape (ns_help_page_get_title (page));
  g_string_append_printf (markup, "[%s](%s)", title, id);
}

/* ---- pages of the tables ---- */

static const NsHelpTopic *
find_text (const NsHelpTopic *texts, const char *id)
{
  for (; texts->id != NULL; texts++)
    if (strcmp (texts->id, id) == 0)
      return texts;
  return NULL;
}

static void
fill_view (NsHelpContent *content, guint row)
{
  const NsFigureInfo *info = ns_figure_info (row);
  const NsHelpTopic *text = find_text (ns_help_view_texts, info->id);
  GString *intro = g_string_new (NULL), *rest = g_string_new (NULL);
  g_autofree char *command = g_strdup_printf ("normscope-cli plot --figure %s", info->id);

  if (text != NULL)
    ns_help_add_paragraph (intro, _ (text->text));
  else
    ns_help_add_sentence (intro, _ (info->help));
  ns_help_add_code (rest, _ ("At the command line"), command);
  for (const NsFigureOption *option = info->options; option != NULL && option->name != NULL; option++)
    {
      g_autofree char *name = g_strconcat ("--", option->name, NULL);

      ns_help_add_fact (rest, name, _ (option->help));
    }
  content->intro = g_string_free (intro, FALSE);
  content->rest = g_string_free (rest, FALSE);
}

/* Return a bullet for each setting of a variant: a link to its page, and its value in words. */
static void
add_settings (GString *markup, const char *settings)
{
  g_auto (GStrv) pairs = g_strsplit (settings, ",", -1);

  g_string_append_printf (markup, "\n\n**%s:**\n", _ ("Settings"));
  for (char **pair = pairs; *pair != NULL; pair++)
    {
      g_auto (GStrv) sides = g_strsplit (*pair, "=", 2);
      const NsParam *param = ns_param_find (sides[0]);
      g_autofree char *words = ns_param_dup_value_words (param, sides[1]);
      g_autofree char *id = g_strconcat ("parameter:", sides[0], NULL);

      g_string_append (markup, "\n- ");
      ns_help_add_link (markup, id);
      g_string_append (markup, ": ");
      ns_help_add_plain (markup, words);
    }
}

static void
fill_variant (NsHelpContent *content, guint row)
{
  const NsBuiltinVariant *builtin = &ns_builtin_variants (NULL)[row];
  GString *intro = g_string_new (NULL), *rest = g_string_new (NULL);
  g_autofree char *option = g_strdup_printf ("--variant %s", builtin->id);
  g_autofree char *block = g_strdup_printf ("normscope-cli script --block --variant %s", builtin->id);

  ns_help_add_sentence (intro, _ (builtin->sentence));
  g_string_append (intro, "\n\n");
  ns_help_add_plain (intro, builtin->equation);
  if (builtin->note != NULL)
    ns_help_add_sentence (rest, _ (builtin->note));
  ns_help_add_fact (rest, _ ("In an encoder-decoder"), builtin->pair_equation);
  ns_help_add_fact (rest, _ ("Source"), builtin->source);
  ns_help_add_code (rest, _ ("At the command line"), option);
  ns_help_add_code (rest, _ ("As lines of PyTorch"), block);
  add_settings (rest, builtin->settings);
  content->intro = g_string_free (intro, FALSE);
  content->rest = g_string_free (rest, FALSE);
  ns_help_add_picture (content, NULL, builtin->id, NS_STACK_SINGLE, NS_WIRING_BLOCK);
}

static void
fill_claim (NsHelpContent *content, guint row)
{
  const NsClaim *claim = g_ptr_array_index (ns_claims_builtin (), row);
  GString *intro = g_string_new (NULL), *rest = g_string_new (NULL);

  ns_help_add_sentence (intro, claim->statement);
  ns_help_add_fact (rest, _ ("Source"), claim->source);
  if (claim->assumptions->len > 0)
    g_string_append_printf (rest, "\n\n**%s:**\n", _ ("Assumptions"));
  for (guint i = 0; i < claim->assumptions->len; i++)
    {
      const NsAssumption *assumption = g_ptr_array_index (claim->assumptions, i);
      g_autofree char *words = ns_assumption_dup_text (assumption);
      g_autofree char *escaped = ns_prose_escape (words);

      g_string_append_printf (rest, "\n- [%s](parameter:%s)", escaped, ns_param_get_path (assumption->param));
    }
  ns_help_add_paragraph (rest, _ ("The card in the Scaling view compares the claim with your measurement, and its "
                                  "button *Set Up* makes the settings meet the assumptions. At the command line, "
                                  "`normscope-cli scaling --claims` does the same."));
  content->intro = g_string_free (intro, FALSE);
  content->rest = g_string_free (rest, FALSE);
}

NsHelpContent *
ns_help_make_content (const NsHelpPage *page)
{
  NsHelpContent *content = g_new0 (NsHelpContent, 1);

  switch (page->group)
    {
    case NS_HELP_VIEW:
      fill_view (content, page->row);
      break;
    case NS_HELP_PARAMETER:
      ns_help_fill_parameter (content, &ns_params (NULL)[page->row]);
      break;
    case NS_HELP_QUANTITY:
      ns_help_fill_quantity (content, page->row);
      break;
    case NS_HELP_VARIANT:
      fill_variant (content, page->row);
      break;
    case NS_HELP_CLAIM:
      fill_claim (content, page->row);
      break;
    case NS_HELP_TOPIC:
    default:
      content->intro = g_strdup (_ (ns_help_topics[page->row].text));
      content->rest = g_strdup ("");
    }
  return content;
}

/* ---- related pages ---- */

static char *
dup_related_ids (const NsHelpPage *page)
{
  const NsClaim *claim;

  switch (page->group)
    {
    case NS_HELP_PARAMETER:
      return g_strdup (ns_help_parameter_get_text (&ns_params (NULL)[page->row])->see);
    case NS_HELP_QUANTITY:
      return g_strdup (ns_help_quantity_get_see (page->row));
    case NS_HELP_CLAIM:
      claim = g_ptr_array_index (ns_claims_builtin (), page->row);
      if (claim->kind == NS_CHECK_RATES)
        return g_strdup_printf ("variant:%s view:sensitivity view:training", claim->variant);
      if (ns_check_trains (claim->kind))
        return g_strdup_printf ("variant:%s parameter:warmup view:training", claim->variant);
      return g_strdup_printf ("variant:%s quantity:%s topic:exponent", claim->variant,
                              ns_quantity_info (claim->metric.quantity)->name);
    default:
      return NULL;
    }
}

char *
ns_help_dup_related (const NsHelpPage *page)
{
  g_autofree char *joined = dup_related_ids (page);
  g_auto (GStrv) ids = g_strsplit (joined != NULL ? joined : "", " ", -1);
  GString *markup = g_string_new (NULL);

  for (char **id = ids; *id != NULL; id++)
    {
      if (**id == '\0')
        continue;
      if (markup->len == 0)
        g_string_append_printf (markup, "\n\n**%s:** ", _ ("See also"));
      else
        g_string_append (markup, " · ");
      ns_help_add_link (markup, *id);
    }
  return g_string_free (markup, FALSE);
}
