/* Fuzz target: texts with formulas.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

#include "prose/ns-prose.h"

#include <stdio.h>
#include <string.h>

static void
check_refused (const GError *error)
{
  guint line, column;

  FUZZ_CHECK (error != NULL && error->domain == NS_PROSE_ERROR);
  FUZZ_CHECK (g_utf8_validate (error->message, -1, NULL));
  FUZZ_CHECK (g_utf8_strlen (error->message, -1) <= FUZZ_MAX_MESSAGE);
  FUZZ_CHECK (sscanf (error->message, "line %u, column %u: ", &line, &column) == 2 && line >= 1 && column >= 1);
}

/* The plain text can be shown again as it is: its lines become one paragraph. */
static void
check_plain_text (const NsProse *prose)
{
  g_autofree char *plain = ns_prose_dup_plain_text (prose), *escaped = ns_prose_escape (plain), *again_text = NULL;
  g_autoptr (NsProse) again = NULL;
  char **words, **again_words;

  FUZZ_CHECK (g_utf8_validate (plain, -1, NULL));
  if (strlen (escaped) > NS_PROSE_MAX_BYTES)
    return;
  again = ns_prose_parse (escaped, NULL);
  FUZZ_CHECK (again != NULL);
  again_text = ns_prose_dup_plain_text (again);
  words = g_strsplit_set (plain, " \n\t\r", -1);
  again_words = g_strsplit_set (again_text, " \n\t\r", -1);
  for (guint i = 0, j = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      {
        FUZZ_CHECK (again_words[j] != NULL && strcmp (words[i], again_words[j]) == 0);
        j++;
      }
  g_strfreev (words);
  g_strfreev (again_words);
}

/* As HTML, every text is well-formed. */
static void
check_html (const NsProse *prose)
{
  const GMarkupParser parser = { NULL };
  g_autofree char *html = ns_prose_dup_html (prose, 2), *page = g_strdup_printf ("<html>%s</html>", html);
  GMarkupParseContext *context = g_markup_parse_context_new (&parser, 0, NULL, NULL);

  FUZZ_CHECK (g_markup_parse_context_parse (context, page, -1, NULL));
  FUZZ_CHECK (g_markup_parse_context_end_parse (context, NULL));
  g_markup_parse_context_free (context);
}

int
fuzz_one (const guint8 *data, gsize size)
{
  g_autofree char *text = size > 0 ? g_strndup ((const char *) data, size) : g_strdup ("");
  g_autoptr (GError) error = NULL;
  g_autoptr (NsProse) prose = NULL;

  /* Readers of files check this before a text gets here. */
  if (!g_utf8_validate (text, -1, NULL))
    return 0;
  prose = ns_prose_parse (text, &error);
  if (prose == NULL)
    {
      check_refused (error);
      return 0;
    }
  FUZZ_CHECK (error == NULL);
  for (guint i = 0; i < ns_prose_get_n_links (prose); i++)
    {
      FUZZ_CHECK (*ns_prose_get_link_page (prose, i) != '\0');
      FUZZ_CHECK (*ns_prose_get_link_text (prose, i) != '\0');
    }
  check_plain_text (prose);
  check_html (prose);
  return 0;
}
