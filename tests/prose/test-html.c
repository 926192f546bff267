/* Texts as HTML with MathML.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "prose/ns-prose.h"
#include "sample-texts.h"
#include "tests.h"

static char *
dup_html (const char *markup)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsProse) prose = ns_prose_parse (markup, &error);

  g_assert_no_error (error);
  return ns_prose_dup_html (prose, 2);
}

static void
assert_html (const char *markup, const char *expected)
{
  g_autofree char *html = dup_html (markup);

  g_assert_cmpstr (html, ==, expected);
}

/* Compare the formula without the elements around it. */
static void
assert_mathml (const char *formula, const char *expected)
{
  g_autofree char *markup = g_strdup_printf ("$$%s$$", formula), *html = dup_html (markup);
  g_autofree char *whole
      = g_strdup_printf ("<div><math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\"><mrow>%s</mrow>"
                         "</math></div>\n",
                         expected);

  g_assert_cmpstr (html, ==, whole);
}

static void
test_blocks (void)
{
  assert_html ("", "");
  assert_html ("a\nb\n\nc < d & e", "<p>a b</p>\n<p>c &lt; d &amp; e</p>\n");
  assert_html ("# A\n## B", "<h3>A</h3>\n<h4>B</h4>\n");
  assert_html ("- a\n- b\n\nc", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>c</p>\n");
  assert_html ("3. a\n4. b\n- c",
               "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>\n<ul>\n<li>c</li>\n</ul>\n");
}

/* Spans may lie within each other, and overlap. */
static void
test_spans (void)
{
  assert_html ("*a* **b** `c*d`, é", "<p><em>a</em> <strong>b</strong> <code>c*d</code>, é</p>\n");
  assert_html ("**a *b* c**", "<p><strong>a </strong><em><strong>b</strong></em><strong> c</strong></p>\n");
  assert_html ("*a **b* c**", "<p><em>a </em><em><strong>b</strong></em><strong> c</strong></p>\n");
  assert_html ("[the *depth*](parameter:shape.depth)", "<p>the <em>depth</em></p>\n");
}

static void
test_formulas (void)
{
  assert_mathml ("x", "<mi>x</mi>");
  assert_mathml ("12", "<mn>12</mn>");
  assert_mathml ("a + b = \\pi", "<mi>a</mi><mo>+</mo><mi>b</mi><mo>=</mo><mi>π</mi>");
  assert_mathml ("a<b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>");
  assert_mathml ("(x)", "<mo stretchy=\"false\">(</mo><mi>x</mi><mo stretchy=\"false\">)</mo>");
  assert_mathml ("x_l", "<msub><mrow><mi>x</mi></mrow><mrow><mi>l</mi></mrow></msub>");
  assert_mathml ("x^{2}", "<msup><mrow><mi>x</mi></mrow><mrow><mn>2</mn></mrow></msup>");
  assert_mathml ("x_l^2", "<msubsup><mrow><mi>x</mi></mrow><mrow><mi>l</mi></mrow><mrow><mn>2</mn></mrow></msubsup>");
  assert_mathml ("\\frac{1}{d}", "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>d</mi></mrow></mfrac>");
  assert_mathml ("\\sqrt L", "<msqrt><mrow><mi>L</mi></mrow></msqrt>");
  assert_mathml ("\\bar x",
                 "<mover accent=\"true\"><mrow><mi>x</mi></mrow><mo stretchy=\"false\">¯</mo></mover>");
  assert_mathml ("\\|x\\|", "<mo lspace=\"0\" rspace=\"0\" stretchy=\"false\">‖</mo><mi>x</mi>"
                            "<mo lspace=\"0\" rspace=\"0\" stretchy=\"false\">‖</mo>");
  assert_mathml ("\\partial L", "<mi mathvariant=\"normal\">∂</mi><mi>L</mi>");
  assert_mathml ("\\left( x \\right.", "<mrow><mo form=\"prefix\" fence=\"true\" stretchy=\"true\">(</mo>"
                                       "<mrow><mi>x</mi></mrow></mrow>");
  assert_mathml ("\\mathbf{x1}", "<mi mathvariant=\"normal\">𝐱𝟏</mi>");
  assert_mathml ("\\text{ if }", "<mtext>\u00a0if\u00a0</mtext>");
  assert_mathml ("\\mathrm{rms}", "<mi>rms</mi>");
  assert_mathml ("a\\quad b", "<mi>a</mi><mspace width=\"1.000em\"/><mi>b</mi>");
}

/* Space around the names of functions; sums have their limits above and below only where the formula stands alone. */
static void
test_operators (void)
{
  const char *space = "<mspace width=\"0.167em\"/>";
  g_autofree char *both = g_strdup_printf ("<mn>2</mn>%s<mi>ln</mi>%s<mi>d</mi>", space, space);
  g_autofree char *sum = dup_html ("$$\\sum_l x$$"), *in_line = dup_html ("$\\sum_l x$");

  assert_mathml ("2\\ln d", both);
  assert_mathml ("=\\ln(d)", "<mo>=</mo><mi>ln</mi><mo stretchy=\"false\">(</mo><mi>d</mi>"
                             "<mo stretchy=\"false\">)</mo>");
  g_assert_nonnull (strstr (sum, "<munder><mrow><mo>∑</mo></mrow><mrow><mi>l</mi></mrow></munder><mi>x</mi>"));
  g_assert_nonnull (strstr (in_line, "<msub><mrow><mo>∑</mo></mrow><mrow><mi>l</mi></mrow></msub><mi>x</mi>"));
}

/* A formula in a line is parsed in pieces, between which the line may be broken; in HTML it is one. */
static void
test_pieces (void)
{
  g_autofree char *html = dup_html ("Then *$a = b \\le c$*, too.");

  g_assert_cmpstr (html, ==,
                   "<p>Then <em><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><mrow><mi>a</mi><mo>=</mo>"
                   "<mi>b</mi><mo>≤</mo><mi>c</mi></mrow></math></em>, too.</p>\n");
}

/* What is accepted as a text is well-formed. */
static void
test_sample (void)
{
  const GMarkupParser parser = { NULL };
  g_autofree char *html = dup_html (SAMPLE_TEXT), *page = g_strdup_printf ("<html>%s</html>", html);
  GMarkupParseContext *context = g_markup_parse_context_new (&parser, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_markup_parse_context_parse (context, page, -1, &error)
                 && g_markup_parse_context_end_parse (context, &error));
  g_assert_no_error (error);
  g_markup_parse_context_free (context);
}

void
add_html_tests (void)
{
  g_test_add_func ("/html/blocks", test_blocks);
  g_test_add_func ("/html/spans", test_spans);
  g_test_add_func ("/html/formulas", test_formulas);
  g_test_add_func ("/html/operators", test_operators);
  g_test_add_func ("/html/pieces", test_pieces);
  g_test_add_func ("/html/sample", test_sample);
}
