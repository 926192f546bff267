/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "prose/ns-math.h"
#include "prose/ns-prose.h"
#include "sample-texts.h"
#include "tests.h"

static void
assert_plain (const char *markup, const char *plain)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsProse) prose = ns_prose_parse (markup, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = ns_prose_dup_plain_text (prose);
  g_assert_cmpstr (text, ==, plain);
}

/* The message begins with the place and contains each of the words. */
static void
assert_refused (const char *markup, guint line, guint column, const char *word)
{
  g_autoptr (GError) error = NULL;
  NsProse *prose = ns_prose_parse (markup, &error);
  g_autofree char *place = g_strdup_printf ("line %u, column %u: ", line, column);

  g_assert_null (prose);
  g_assert_nonnull (error);
  g_assert_true (error->domain == NS_PROSE_ERROR);
  if (!g_str_has_prefix (error->message, place) || strstr (error->message, word) == NULL)
    g_error ("“%s”: “%s” instead of “%s … %s”", markup, error->message, place, word);
}

static void
test_blocks (void)
{
  assert_plain ("", "");
  assert_plain ("\n\n  \n", "");
  assert_plain ("one\ntwo  three\n\nfour", "one two three\nfour");
  assert_plain ("# A\nb", "A\nb");
  assert_plain ("## A *b*\n\n###c", "A b\n###c");
  assert_plain ("- a\n  b\n- c\n\n-d", "• a b\n• c\n-d");
  assert_plain ("3. a\n4. b", "3. a\n4. b");
  assert_plain ("It was in\n2020. Then\n1. a", "It was in 2020. Then\n1. a");
  assert_plain ("a\n$$x^2$$\nb", "a\nx²\nb");
  assert_plain ("$$\nx =\n1\n$$", "x = 1");
  assert_plain ("a\r\nb", "a b");
}

static void
test_words (void)
{
  assert_plain ("*a* **b** `c*d`", "a b c*d");
  assert_plain ("**a *b* c**", "a b c");
  assert_plain ("2 * 3 * 4, a *b*c", "2 * 3 * 4, a bc");
  assert_plain ("\\*a\\* \\$5 \\`b\\` \\\\ \\[c](d)", "*a* $5 `b` \\ [c](d)");
  assert_plain ("[1] and x[2] (3)", "[1] and x[2] (3)");
  assert_plain ("a_b_c", "a_b_c");
}

static void
test_links (void)
{
  g_autoptr (NsProse) prose =
      ns_prose_parse ("[the *depth*](parameter:shape.depth) and [$W_2$ too](quantity:w_2@last)", NULL);
  g_autofree char *text = ns_prose_dup_plain_text (prose);

  g_assert_cmpstr (text, ==, "the depth and W₂ too");
  g_assert_cmpuint (ns_prose_get_n_links (prose), ==, 2);
  g_assert_cmpstr (ns_prose_get_link_page (prose, 0), ==, "parameter:shape.depth");
  g_assert_cmpstr (ns_prose_get_link_text (prose, 0), ==, "the depth");
  g_assert_cmpstr (ns_prose_get_link_page (prose, 1), ==, "quantity:w_2@last");
  g_assert_cmpstr (ns_prose_get_link_text (prose, 1), ==, "W₂ too");
}

static void
test_formulas (void)
{
  static const struct
  {
    const char *formula, *plain;
  } cases[] = {
    { "\\|\\partial L/\\partial W_2\\| \\le O(d\\sqrt{\\ln d})", "‖∂L/∂W₂‖ ≤ O(d√(ln d))" },
    { "\\frac{\\partial L}{\\partial W_2}", "∂L/∂W₂" },
    { "\\frac{a + b}{2d}", "(a + b)/(2d)" },
    { "\\frac 1 L", "1/L" },
    { "\\sqrt L + \\sqrt{2L}", "√L + √(2L)" },
    { "x_{l+1} = x_l + F(x_l)", "xₗ₊₁ = xₗ + F(xₗ)" },
    { "e^{-x^2}", "e^(−x²)" },
    { "W_Q^\\top", "W_Q^⊤" },
    { "10^{-3}", "10⁻³" },
    { "\\bar x_i, \\hat{ab}", "x̄ᵢ, (ab)̂" },
    { "\\left( \\frac{2}{3} \\right)^{(L-l)/2}", "(2/3)^((L − l)/2)" },
    { "\\sum_{l=1}^{L} a_l", "∑ₗ₌₁ᴸ aₗ" },
    { "-1 \\le x \\times -2", "−1 ≤ x × −2" },
    { "\\alpha\\beta\\Gamma \\cdot \\ell", "αβΓ · ℓ" },
    { "\\mathrm{rms}(x) \\approx \\text{about one}", "rms(x) ≈ about one" },
    { "\\operatorname{LN}(x + F(x))", "LN(x + F(x))" },
    { "f''(x)", "f′′(x)" },
    { "0{,}5 \\ldots 1.5", "0,5…1.5" },
    { "a≤b", "a ≤ b" },
    { "\\{x : |x| < 1\\}", "{x : |x| < 1}" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *inside = g_strdup_printf ("$%s$", cases[i].formula);
      g_autofree char *alone = g_strdup_printf ("$$ %s $$", cases[i].formula);

      assert_plain (inside, cases[i].plain);
      assert_plain (alone, cases[i].plain);
    }
}

static void
test_refused (void)
{
  assert_refused ("a $\\foo$", 1, 4, "\\foo is not a command for formulas. Allowed: \\Delta");
  assert_refused ("one\n\nä $x + \\fraction{1}{2}$", 3, 8, "\\frac ");
  assert_refused ("a $x", 1, 3, "missing");
  assert_refused ("$$x$", 1, 1, "missing");
  assert_refused ("$$x$$ y", 1, 6, "alone");
  assert_refused ("$x^2^3$", 1, 5, "second superscript");
  assert_refused ("$x_2^3_4$", 1, 7, "second subscript");
  assert_refused ("$\\frac{1}$", 1, 2, "missing");
  assert_refused ("$x^$", 1, 3, "missing");
  assert_refused ("${x$", 1, 2, "}");
  assert_refused ("$x}$", 1, 3, "{");
  assert_refused ("$\\left( x$", 1, 7, "\\right");
  assert_refused ("$x \\right)$", 1, 4, "\\left");
  assert_refused ("$\\left x \\right)$", 1, 2, "delimiter");
  assert_refused ("$\\mathrm x$", 1, 2, "{…}");
  assert_refused ("$\\text{a^2}$", 1, 9, "cannot contain");
  assert_refused ("$x \" y$", 1, 4, "letters");
  assert_refused ("$ $", 1, 2, "empty");
  assert_refused ("a *b", 1, 3, "\\*");
  assert_refused ("a **b*", 1, 3, "**");
  assert_refused ("a `b", 1, 3, "\\`");
  assert_refused ("\\alpha", 1, 1, "between $ and $");
  assert_refused ("[a](b c)", 1, 6, "allowed: letters");
  assert_refused ("[a]()", 1, 5, "1 to 200");
  assert_refused ("[a](b", 1, 4, "missing");
  assert_refused ("[](b)", 1, 2, "text");
  assert_refused ("# ", 1, 3, "text");
  assert_refused ("a\001", 1, 2, "U+0001");
  assert_refused ("a\n\342\200\250", 2, 1, "U+2028");
}

/* Nested groups up to the limit are fine, one more is refused; so are a text that is too long and too many formulas. */
static void
test_limits (void)
{
  for (int depth = NS_PROSE_MAX_DEPTH - 1; depth <= NS_PROSE_MAX_DEPTH; depth++)
    {
      g_autoptr (GString) text = g_string_new ("$x");
      g_autoptr (GError) error = NULL;
      g_autoptr (NsProse) prose = NULL;

      for (int i = 0; i < depth; i++)
        g_string_append (text, "_{x");
      for (int i = 0; i < depth; i++)
        g_string_append (text, "}");
      g_string_append (text, "$");
      prose = ns_prose_parse (text->str, &error);
      g_assert_true ((prose != NULL) == (depth < NS_PROSE_MAX_DEPTH));
      if (prose == NULL)
        g_assert_error (error, NS_PROSE_ERROR, NS_PROSE_ERROR_LIMIT);
    }
  for (int extra = 0; extra < 2; extra++)
    {
      g_autofree char *letters = g_strnfill (NS_PROSE_MAX_BYTES + extra, 'a');
      g_autoptr (NsProse) prose = ns_prose_parse (letters, NULL);
      g_autoptr (GString) formulas = g_string_new (NULL);
      g_autoptr (NsProse) many = NULL;

      for (int i = 0; i < NS_PROSE_MAX_PARTS / 2 + extra; i++)
        g_string_append (formulas, "$x$ [a](b) ");
      many = ns_prose_parse (formulas->str, NULL);
      g_assert_true ((prose != NULL) == (extra == 0));
      g_assert_true ((many != NULL) == (extra == 0));
    }
}

/* Escaped text is shown as it is, and stays one paragraph. */
static void
test_escape (void)
{
  static const char *const texts[] = {
    "plain", "a * b **c** $d$ `e` [f](g) \\alpha", "# 1", "- a", "12. b", "x_1^2 {y}", "‖∂L/∂W₂‖",
  };
  g_autofree char *lines = ns_prose_escape (" \n# a\n\n# b\001 ");

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *escaped = ns_prose_escape (texts[i]);

      assert_plain (escaped, texts[i]);
    }
  assert_plain (lines, "# a # b\uFFFD");
}

static void
test_commands (void)
{
  const char *const *commands = ns_math_get_commands ();

  for (guint i = 0; commands[i] != NULL; i++)
    {
      g_autofree char *formula = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (NsProse) prose = NULL;
      gboolean is_pair = g_str_equal (commands[i], "left") || g_str_equal (commands[i], "right");

      if (i > 0)
        g_assert_cmpstr (commands[i - 1], <, commands[i]);
      formula = is_pair ? g_strdup ("$\\left( x \\right)$") : g_strdup_printf ("$\\%s{x}{y}$", commands[i]);
      prose = ns_prose_parse (formula, &error);
      g_assert_no_error (error);
    }
}

/* Every command is in the documentation. */
static void
test_documented (void)
{
  const char *const *commands = ns_math_get_commands ();
  g_autofree char *docs_path = g_test_build_filename (G_TEST_DIST, "..", "docs", "FORMATS.md", NULL);
  g_autofree char *docs = NULL;

  g_assert_true (g_file_get_contents (docs_path, &docs, NULL, NULL));
  for (guint i = 0; commands[i] != NULL; i++)
    {
      g_autofree char *command = g_strconcat ("\\", commands[i], NULL);

      if (g_ascii_isalpha (commands[i][0]) && strstr (docs, command) == NULL)
        g_error ("%s is not in docs/FORMATS.md", command);
    }
}

static void
test_sample (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsProse) prose = ns_prose_parse (SAMPLE_TEXT, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = ns_prose_dup_plain_text (prose);
  g_assert_nonnull (strstr (text, "\nLN(x)ᵢ = (xᵢ − x̄)/√(1/d ∑ⱼ₌₁ᵈ (xⱼ − x̄)² + ε)\n"));
  g_assert_nonnull (strstr (text, "\n• Post-LN: ‖∂L̃/∂W^(2, L)‖_F ≤ O(d√(ln d))\n"));
}

void
add_parse_tests (void)
{
  g_test_add_func ("/parse/blocks", test_blocks);
  g_test_add_func ("/parse/words", test_words);
  g_test_add_func ("/parse/links", test_links);
  g_test_add_func ("/parse/formulas", test_formulas);
  g_test_add_func ("/parse/refused", test_refused);
  g_test_add_func ("/parse/limits", test_limits);
  g_test_add_func ("/parse/escape", test_escape);
  g_test_add_func ("/parse/commands", test_commands);
  g_test_add_func ("/parse/documented", test_documented);
  g_test_add_func ("/parse/sample", test_sample);
}
