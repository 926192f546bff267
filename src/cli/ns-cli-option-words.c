/* Read the words of single options.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options.h"
#include "engine/experiment/ns-text.h"

#include "cli/ns-cli.h"
#include "document/ns-suggest.h"

#include <glib/gi18n.h>
#include <string.h>

/* Set the error of a name that is no quantity's: with the most similar name, and not with all, which fill a screen. */
static void
refuse_quantity (const char *option, const char *name, GError **error)
{
  const char *all[NS_N_QUANTITIES + 1] = { NULL };
  const char *nearest;
  g_autofree char *quoted = ns_text_dup_short (name, NS_TEXT_MAX_VALUE);
  g_autofree char *question = NULL;

  for (guint q = 0; q < NS_N_QUANTITIES; q++)
    all[q] = ns_quantity_info ((NsQuantity) q)->name;
  nearest = ns_suggest (name, all);
  question = nearest != NULL ? g_strdup_printf (_ ("Did you mean “%s”? "), nearest) : g_strdup ("");
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--%s: “%s” is not a quantity. %sAllowed: those that “normscope-cli help quantity” lists"), option,
               quoted, question);
}

gboolean
ns_cli_parse_quantities (const char *option, const char *text, GArray *quantities, GError **error)
{
  g_auto (GStrv) names = g_strsplit (text, ",", -1);

  for (guint i = 0; names[i] != NULL; i++)
    {
      NsQuantity quantity;

      if (!ns_quantity_from_name (g_strstrip (names[i]), &quantity))
        {
          refuse_quantity (option, names[i], error);
          return FALSE;
        }
      g_array_append_val (quantities, quantity);
    }
  return TRUE;
}

int
ns_cli_parse_choice (const char *option, const char *word, const char *const *words, GError **error)
{
  g_autofree char *quoted = ns_text_dup_short (word, NS_TEXT_MAX_VALUE);
  g_autofree char *advice = NULL;

  for (int i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], word) == 0)
      return i;
  advice = ns_suggest_dup_text (word, words);
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s: “%s” is not allowed. %s"), option, quoted, advice);
  return -1;
}

const char *const ns_cli_picture_formats[] = { "png", "svg", "pdf", NULL };

int
ns_cli_format_from_name (const char *output, const char *const *formats, GError **error)
{
  g_autofree char *base = output != NULL ? g_path_get_basename (output) : NULL;
  const char *dot = base != NULL ? strrchr (base, '.') : NULL;
  g_autofree char *file = NULL;
  g_autofree char *extension = NULL;
  g_autofree char *all = NULL;

  /* "run-0.5" has no extension. */
  if (dot == NULL || dot == base || !g_ascii_isalpha (dot[1]) || g_ascii_strcasecmp (dot, ".txt") == 0)
    return 0;
  for (int i = 1; formats[i] != NULL; i++)
    if (g_ascii_strcasecmp (dot + 1, formats[i]) == 0)
      return i;
  file = ns_text_dup_short (output, NS_TEXT_MAX_PATH);
  extension = ns_text_dup_short (dot, NS_TEXT_MAX_VALUE);
  all = g_strjoinv (", .", (char **) formats + 1);
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("%s: the extension “%s” is not supported; allowed: .%s, .txt or none for a table, or --format"), file,
               extension, all);
  return -1;
}
