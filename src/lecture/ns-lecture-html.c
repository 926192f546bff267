/* The hand-out of a lecture as one HTML file: texts with MathML, figures as SVG within it, questions and answers.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file is well-formed XML, too, and refers to nothing outside of it.
 */
#include "lecture/ns-lecture-picture.h"
#include "plot/ns-theme.h"
#include "prose/ns-prose.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Size of a figure in px; a narrower page shrinks it. */
#define HTML_FIGURE_WIDTH 720.0
#define HTML_FIGURE_HEIGHT 432.0

static const char html_style[] = "body { max-width: 45em; margin: 2em auto; padding: 0 1em; font-family: sans-serif; "
                            "line-height: 1.5; color: #1a1a1a; background: #fff }\n"
                            "figure { margin: 1em 0; break-inside: avoid }\n"
                            "figure svg { display: block; max-width: 100%; height: auto }\n"
                            "figcaption { font-size: 0.9em }\n"
                            "h1, h2, h3 { line-height: 1.2; break-after: avoid }\n"
                            "section { margin-top: 2.5em }\n";

/* ---- pieces ---- */

static void
append_escaped (GString *html, const char *element, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  g_string_append_printf (html, "<%s>%s</%s>\n", element, escaped, element);
}

/* A lecture that is checked has no text that cannot be parsed. */
static void
append_markup (GString *html, const char *markup)
{
  g_autoptr (NsProse) prose = ns_prose_parse (markup, NULL);
  g_autofree char *text = prose != NULL ? ns_prose_dup_html (prose, 2) : NULL;

  if (text != NULL)
    g_string_append (html, text);
}

/* ---- figures ---- */

/* Append the drawing of an SVG file with ids of its own: those of one page must differ, and Cairo numbers them from the
 * same start in each file. Title, description and experiment, before it, stay as they are. */
static void
append_svg (GString *html, const char *svg, guint step)
{
  g_autoptr (GRegex) ids = g_regex_new ("( id=\"|href=\"#|url\\(#)", 0, 0, NULL);
  g_autofree char *prefixed = g_strdup_printf ("\\1s%u-", step + 1);
  const char *root = strstr (svg, "<svg"), *end = strstr (svg, "</metadata>");
  const char *drawing = end != NULL ? end : root;
  g_autofree char *unique = g_regex_replace (ids, drawing, -1, 0, prefixed, 0, NULL);

  g_string_append_len (html, root, drawing - root);
  g_string_append (html, unique);
}

static gboolean
append_figure (GString *html, const NsLectureStep *step, guint index, const NsLectureEvidence *evidence,
               const char *software, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *svg = NULL, *sentence = NULL;
  g_auto (GStrv) lines = NULL;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  bytes = ns_lecture_step_export (step, evidence, &theme, NS_EXPORT_SVG, HTML_FIGURE_WIDTH, HTML_FIGURE_HEIGHT, 1,
                                  software, error);
  if (bytes == NULL)
    return FALSE;
  svg = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  sentence = ns_lecture_step_dup_sentence (step, evidence, &theme);
  lines = sentence != NULL ? g_strsplit (sentence, "\n", -1) : NULL;
  g_string_append (html, "<figure>\n");
  append_svg (html, svg, index);
  if (lines != NULL)
    g_string_append (html, "<figcaption>\n");
  for (guint i = 0; lines != NULL && lines[i] != NULL; i++)
    append_escaped (html, "div", lines[i]);
  g_string_append (html, lines != NULL ? "</figcaption>\n</figure>\n" : "</figure>\n");
  return TRUE;
}

/* ---- contents ---- */

static void
append_question (GString *html, const NsQuestion *question)
{
  if (question == NULL || question->kind == NS_QUESTION_NONE)
    return;
  append_escaped (html, "h3", _ ("Question"));
  append_markup (html, question->text);
  if (question->choices->len > 0)
    g_string_append (html, "<ol>\n");
  for (guint c = 0; c < question->choices->len; c++)
    {
      g_string_append (html, "<li>");
      append_markup (html, ((const NsChoice *) g_ptr_array_index (question->choices, c))->text);
      g_string_append (html, "</li>\n");
    }
  if (question->choices->len > 0)
    g_string_append (html, "</ol>\n");
}

static void
append_answers (GString *html, const NsLecture *lecture, const NsAnswer *answers)
{
  gboolean begun = FALSE;

  for (guint i = 0; i < ns_lecture_get_n_steps (lecture); i++)
    {
      const NsLectureStep *step = ns_lecture_get_step (lecture, i);
      g_autofree char *text = NULL, *line = NULL;

      if (step->question == NULL || step->question->kind == NS_QUESTION_NONE)
        continue;
      if (!begun)
        {
          g_string_append (html, "<section>\n");
          append_escaped (html, "h2", _ ("Answers, as measured"));
        }
      begun = TRUE;
      text = ns_answer_dup_text (&answers[i], step->question);
      /* Translators: the number and title of a step of a lecture, and the answer to its question */
      line = g_strdup_printf (_ ("%u. %s: %s"), i + 1, step->title, text);
      append_escaped (html, "p", line);
    }
  if (begun)
    g_string_append (html, "</section>\n");
}

static void
append_page_head (GString *html, const NsLecture *lecture, const char *software)
{
  g_autofree char *language = g_strdelimit (g_strdup (lecture->language), "_", '-');
  g_autofree char *quoted = g_markup_escape_text (language, -1), *generator = g_markup_escape_text (software, -1);

  g_string_append_printf (html,
                          "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"%s\">\n<head>\n"
                          "<meta charset=\"utf-8\"/>\n"
                          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                          "<meta name=\"generator\" content=\"%s\"/>\n",
                          quoted, generator);
  append_escaped (html, "title", lecture->title);
  g_string_append_printf (html, "<style>\n%s</style>\n</head>\n<body>\n", html_style);
  append_escaped (html, "h1", lecture->title);
}

GBytes *
ns_lecture_make_html (const NsLecture *lecture, const NsLectureEvidence *evidence, const NsAnswer *answers,
                      const char *software, GError **error)
{
  g_autoptr (GString) html = g_string_new (NULL);

  append_page_head (html, lecture, software);
  for (guint i = 0; i < ns_lecture_get_n_steps (lecture); i++)
    {
      const NsLectureStep *step = ns_lecture_get_step (lecture, i);
      g_autofree char *title = g_strdup_printf ("%u. %s", i + 1, step->title);

      g_string_append (html, "<section>\n");
      append_escaped (html, "h2", title);
      append_markup (html, step->text);
      if (!append_figure (html, step, i, &evidence[i], software, error))
        return NULL;
      append_question (html, step->question);
      g_string_append (html, "</section>\n");
    }
  append_answers (html, lecture, answers);
  g_string_append (html, "</body>\n</html>\n");
  return g_string_free_to_bytes (g_steal_pointer (&html));
}
