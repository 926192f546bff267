/* Names and texts of users and strangers, as names, on terminals and in messages.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-settings.h"
#include "engine/experiment/ns-text.h"
#include "tests.h"

#include <string.h>

/* A character that must not reach a terminal, or 0 for a text that is a name. */
static const struct
{
  const char *text;
  gunichar control;
} texts[] = {
  { "Pre-LN", 0 },
  { "שלום \u200fעולם", 0 },
  { "سلام\u061c", 0 },
  { "👩‍🚀 e\u0301 \u200d\u200c \ufeff \ufffd", 0 },
  { "a\nb", '\n' },
  { "\x1b[2J", 0x1b },
  { "a\tb", '\t' },
  { "\x7f", 0x7f },
  { "\xc2\x80", 0x80 },
  { "a\xc2\x9f" "b", 0x9f },
  { "\u2028", 0x2028 },
  { "\u2029", 0x2029 },
  { "\u202a", 0x202a },
  { "a\u202e", 0x202e },
  { "\u2066a\u2069", 0x2066 },
  { "\ufdd0", 0xfdd0 },
  { "\ufdef", 0xfdef },
  { "\ufffe", 0xfffe },
  { "\U0001ffff", 0x1ffff },
  { "\U0010fffe", 0x10fffe },
};

static gboolean
has_control (const char *text, gboolean allow_line_feed)
{
  g_assert_true (g_utf8_validate (text, -1, NULL));
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    if (ns_text_is_control (g_utf8_get_char (p)) && !(allow_line_feed && *p == '\n'))
      return TRUE;
  return FALSE;
}

static void
test_names (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const char *text = texts[i].text;
      g_autofree char *printable = ns_text_dup_printable (text);
      g_autofree char *line = ns_text_dup_line (text);
      g_autofree char *name = ns_text_dup_name (text);
      g_autofree char *quoted = ns_quote_text (text);
      g_autofree char *in_quotes = g_strdup_printf ("\"%s\"", text);

      g_assert_cmpint (ns_text_is_line (text), ==, texts[i].control == 0);
      g_assert_true (texts[i].control == 0 || ns_text_is_control (texts[i].control));
      g_assert_false (has_control (printable, TRUE));
      g_assert_false (has_control (line, FALSE));
      g_assert_false (has_control (quoted, FALSE));
      g_assert_true (*name == '\0' || ns_text_is_line (name));
      if (texts[i].control == 0)
        {
          g_assert_cmpstr (printable, ==, text);
          g_assert_cmpstr (line, ==, text);
          g_assert_cmpstr (name, ==, text);
          g_assert_cmpstr (quoted, ==, in_quotes);
        }
    }
  g_assert_false (ns_text_is_line (""));
  g_assert_false (ns_text_is_line ("\xff"));
}

static void
assert_equal (char *text, const char *expected)
{
  g_assert_cmpstr (text, ==, expected);
  g_free (text);
}

static void
test_forms (void)
{
  assert_equal (ns_text_dup_printable ("a\nb\x1b[2J\u202e"), "a\nb\ufffd[2J\ufffd");
  assert_equal (ns_text_dup_line ("a\nb"), "a\ufffdb");
  assert_equal (ns_text_dup_name (" \t\u2067Pre\u2069\n LN\x1b \u2029"), "Pre  LN");
  assert_equal (ns_quote_text ("a\nb\t\x1b\u202e\U0001ffff\\"), "\"a\\nb\\t\\u001b\\u202e\\u1ffff\\\"");
  assert_equal (ns_text_dup_short ("", 8), "");
  assert_equal (ns_text_dup_short ("12345678", 8), "12345678");
  assert_equal (ns_text_dup_short ("123456789", 8), "123456…89 (9 characters)");
  assert_equal (ns_text_dup_short ("ääääääääößü", 8), "ääääää…ßü (11 characters)");
}

/* No text of any length makes a long message, and invalid bytes make a valid one. */
static void
test_long (void)
{
  g_autofree char *text = g_strnfill (100000, 'y');
  g_autofree char *invalid = g_strnfill (100000, '\xff');
  g_autofree char *quoted = ns_quote_text (text);
  g_autofree char *invalid_quoted = ns_quote_text (invalid);
  g_autofree char *name = ns_text_dup_name (text);

  g_assert_true (g_str_has_suffix (quoted, "…yyyyyyyyyyyyyyyyyyyy (100000 characters)\""));
  g_assert_cmpint (g_utf8_strlen (quoted, -1), ==, NS_TEXT_MAX_VALUE + (glong) strlen ("\"? (100000 characters)\""));
  g_assert_cmpuint (strlen (name), >, NS_MAX_NAME_BYTES / 2 - 10);
  g_assert_cmpuint (strlen (name), <=, NS_MAX_NAME_BYTES / 2);
  g_assert_true (g_utf8_validate (invalid_quoted, -1, NULL));
  g_assert_cmpuint (strlen (invalid_quoted), <, 500);
}

void
add_text_tests (void)
{
  g_test_add_func ("/text/names", test_names);
  g_test_add_func ("/text/forms", test_forms);
  g_test_add_func ("/text/long", test_long);
}
