/* The lectures that come with the program, run from the first step to the last: every question has one right answer,
 * and the translations differ in their words only.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The messages of the slow tests have the answers: test-lecture shipped -m slow -p /shipped/answers --verbose. ./check
 * has them from the window's test of the lectures.
 */
#include <math.h>
#include <string.h>

#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-engine.h"
#include "lecture/ns-lecture-json.h"
#include "lecture/ns-lectures.h"
#include "prose/ns-prose.h"
#include "tests.h"

#define MIN_STEPS 5
#define MAX_STEPS 10

static const char *const languages[] = { "en", "de", NULL };

static NsLecture *
load (const char *id, const char *language)
{
  g_autoptr (GError) error = NULL;
  NsLecture *lecture = ns_lectures_load (id, language, &error);

  g_assert_no_error (error);
  return lecture;
}

/* ---- the list ---- */

/* The index, the files of the folder and the titles in them agree. */
static void
test_list (void)
{
  gsize n;
  const NsLectureInfo *list = ns_lectures_list (&n);
  g_autoptr (GKeyFile) index = g_key_file_new ();
  g_autoptr (GDir) folder = g_dir_open (SHIPPED_DIR, 0, NULL);
  guint n_files = 0;

  g_assert_cmpuint (n, ==, 11);
  g_assert_true (g_key_file_load_from_file (index, SHIPPED_DIR "/lectures.ini", G_KEY_FILE_KEEP_TRANSLATIONS, NULL));
  for (gsize i = 0; i < n; i++)
    for (const char *const *language = languages; *language != NULL; language++)
      {
        g_autofree char *name = g_strconcat (list[i].id, ".", *language, NS_LECTURE_SUFFIX, NULL);
        g_autofree char *path = g_build_filename (SHIPPED_DIR, name, NULL);
        g_autofree char *title = g_key_file_get_locale_string (index, list[i].id, "Title", *language, NULL);
        g_autoptr (NsLecture) file = ns_lecture_from_path (path, NULL), lecture = load (list[i].id, *language);

        g_assert_true (ns_lecture_equal (file, lecture));
        g_assert_cmpstr (lecture->language, ==, *language);
        g_assert_cmpstr (lecture->title, ==, title);
      }
  for (const char *name = g_dir_read_name (folder); name != NULL; name = g_dir_read_name (folder))
    n_files += g_str_has_suffix (name, NS_LECTURE_SUFFIX) ? 1 : 0;
  g_assert_cmpuint (n_files, ==, n * (G_N_ELEMENTS (languages) - 1));
}

static void
test_languages (void)
{
  g_autoptr (NsLecture) user = load ("cut-the-wires", NULL), other = load ("cut-the-wires", "xx");
  g_autoptr (GError) error = NULL;

  /* The tests run in the C locale. */
  g_assert_cmpstr (user->language, ==, "en");
  g_assert_cmpstr (other->language, ==, "en");
  g_assert_null (ns_lectures_load ("cut-the-wire", NULL, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "cut-the-wires"));
  g_assert_nonnull (strstr (error->message, "read-figure-3"));
}

/* ---- translations ---- */

/* Return a copy of a step without its words. */
static NsLectureStep *
strip_words (const NsLectureStep *step)
{
  NsLectureStep *plain = ns_lecture_step_copy (step);

  g_clear_pointer (&plain->title, g_free);
  g_clear_pointer (&plain->text, g_free);
  g_clear_pointer (&plain->notes, g_free);
  plain->title = g_strdup ("");
  plain->text = g_strdup ("");
  plain->notes = g_strdup ("");
  for (guint v = 0; v < plain->experiment->variants->len; v++)
    {
      NsVariant *variant = ns_experiment_variant (plain->experiment, v);

      g_free (variant->name);
      variant->name = g_strdup_printf ("%u", v);
    }
  if (plain->question != NULL)
    {
      g_free (plain->question->text);
      plain->question->text = g_strdup ("");
      for (guint c = 0; c < plain->question->choices->len; c++)
        {
          NsChoice *choice = g_ptr_array_index (plain->question->choices, c);

          g_free (choice->text);
          choice->text = g_strdup ("");
        }
    }
  return plain;
}

static void
test_translations (gconstpointer data)
{
  const NsLectureInfo *info = data;
  g_autoptr (NsLecture) english = load (info->id, "en");

  for (const char *const *language = languages + 1; *language != NULL; language++)
    {
      g_autoptr (NsLecture) other = load (info->id, *language);

      g_assert_cmpuint (ns_lecture_get_n_steps (other), ==, ns_lecture_get_n_steps (english));
      for (guint s = 0; s < ns_lecture_get_n_steps (english); s++)
        {
          const NsLectureStep *step = ns_lecture_get_step (english, s), *twin = ns_lecture_get_step (other, s);
          g_autoptr (NsLectureStep) a = strip_words (step), b = strip_words (twin);

          if (!ns_lecture_step_equal (a, b))
            g_error ("%s: step %u differs in %s", info->id, s + 1, *language);
          g_assert_cmpstr (step->text, !=, twin->text);
        }
    }
}

/* ---- colours ---- */

#define BLUE   0
#define ORANGE 1

/* Return the first variant whose name begins with a word, or −1. */
static int
find_named (const NsExperiment *experiment, const char *word)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (g_str_has_prefix (ns_experiment_variant (experiment, v)->name, word))
      return (int) v;
  return -1;
}

/* Pre-LN is blue and Post-LN orange, wherever they are in the list, and nothing else is: a class learns the colours,
 * and those of a model in a quiz would be its answer. */
static void
test_colors (gconstpointer data)
{
  const NsLectureInfo *info = data;

  for (const char *const *language = languages; *language != NULL; language++)
    {
      g_autoptr (NsLecture) lecture = load (info->id, *language);

      for (guint s = 0; s < ns_lecture_get_n_steps (lecture); s++)
        {
          const NsLectureStep *step = ns_lecture_get_step (lecture, s);
          int pre = find_named (step->experiment, "Pre-LN"), post = find_named (step->experiment, "Post-LN");

          for (int v = 0; v < (int) step->experiment->variants->len; v++)
            {
              int style = step->view.styles[v];

              if (step->view.has_color[v] || (style == BLUE) != (v == pre) || (style == ORANGE) != (v == post))
                g_error ("%s, %s, step %u: “%s” has style %d", info->id, *language, s + 1,
                         ns_experiment_variant (step->experiment, (guint) v)->name, style + 1);
              for (int other = 0; other < v; other++)
                g_assert_cmpint (step->view.styles[other], !=, style);
            }
        }
    }
}

/* ---- texts ---- */

/* A decimal fraction in a text would be a result that somebody has typed. */
static void
assert_no_results (const char *id, const char *text)
{
  g_autoptr (GRegex) decimals = g_regex_new ("[0-9][.,][0-9]", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  if (g_regex_match (decimals, text, 0, &match))
    {
      g_autofree char *found = g_match_info_fetch (match, 0);

      g_error ("%s: a text contains the number %s", id, found);
    }
}

static void
assert_text (const char *id, const char *markup)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsProse) prose = ns_prose_parse (markup, &error);
  g_autofree char *plain = NULL;

  g_assert_no_error (error);
  plain = ns_prose_dup_plain_text (prose);
  g_assert_cmpuint (strlen (plain), >, 0);
  assert_no_results (id, plain);
}

static void
test_texts (gconstpointer data)
{
  const NsLectureInfo *info = data;

  for (const char *const *language = languages; *language != NULL; language++)
    {
      g_autoptr (NsLecture) lecture = load (info->id, *language);
      guint n = ns_lecture_get_n_steps (lecture), n_questions = 0, n_tries = 0;

      g_assert_true (n >= MIN_STEPS && n <= MAX_STEPS);
      for (guint s = 0; s < n; s++)
        {
          const NsLectureStep *step = ns_lecture_get_step (lecture, s);

          assert_text (info->id, step->text);
          assert_no_results (info->id, step->notes);
          g_assert_cmpuint (strlen (step->notes), >, 0);
          n_tries += strstr (step->text, "**Try:**") != NULL || strstr (step->text, "**Ausprobieren:**") != NULL;
          if (step->question == NULL)
            continue;
          n_questions++;
          assert_text (info->id, step->question->text);
          for (guint c = 0; c < step->question->choices->len; c++)
            {
              const NsChoice *choice = g_ptr_array_index (step->question->choices, c);

              assert_text (info->id, choice->text);
            }
        }
      g_assert_cmpuint (n_questions, >=, 4);
      g_assert_cmpuint (n_tries, >=, 2);
    }
}

/* ---- answers ---- */

/* Compute each step and answer its question. The translations have the same experiments and tests. */
static void
test_answers (gconstpointer data)
{
  const NsLectureInfo *info = data;
  g_autoptr (NsLecture) lecture = load (info->id, "en");
  g_autoptr (NsEngine) engine = ns_engine_new (0, 0);

  for (guint s = 0; s < ns_lecture_get_n_steps (lecture); s++)
    {
      const NsLectureStep *step = ns_lecture_get_step (lecture, s);
      guint n_seeds = (guint) step->experiment->sampling.seeds;
      g_autoptr (GError) error = NULL;
      g_autoptr (NsResult) result = NULL;
      g_autoptr (NsSweep) sweep = NULL;
      g_autoptr (NsTraining) training = NULL;
      g_auto (NsAnswer) answer = { 0 };
      g_autofree char *text = NULL;
      gint64 start = g_get_monotonic_time ();

      if (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_RESULT))
        result = ns_engine_run (engine, step->experiment, 0, n_seeds, NULL, &error);
      g_assert_no_error (error);
      if (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_SWEEP))
        {
          sweep = ns_lecture_step_new_sweep (step, &error);
          g_assert_no_error (error);
          ns_engine_run_sweep (engine, sweep, NULL, &error);
          g_assert_no_error (error);
        }
      if (ns_question_needs_training (step->question))
        {
          training = ns_lecture_step_new_training (step, &error);
          g_assert_no_error (error);
          ns_engine_train (engine, training, NULL, &error);
          g_assert_no_error (error);
        }
      if (step->question != NULL)
        {
          const NsQuestionSource source = { result, sweep, training, step->view.hidden };
          gboolean is_clear = ns_question_evaluate (step->question, &source, &answer, &error);

          text = ns_answer_dup_text (&answer, step->question);
          if (!is_clear)
            g_error ("%s, step %u, “%s”: %s", info->id, s + 1, step->title, error->message);
          if (step->question->kind == NS_QUESTION_CHOICE)
            g_assert_cmpuint (answer.n_right, ==, 1);
        }
      g_test_message ("%u. %s (%.0f ms): %s", s + 1, step->title, (double) (g_get_monotonic_time () - start) / 1000,
                      text != NULL ? text : "no question");
    }
}

void
add_shipped_tests (void)
{
  gsize n;
  const NsLectureInfo *list = ns_lectures_list (&n);

  g_test_add_func ("/shipped/files/list", test_list);
  g_test_add_func ("/shipped/files/languages", test_languages);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *translations = g_strconcat ("/shipped/files/translations-", list[i].id, NULL);
      g_autofree char *colors = g_strconcat ("/shipped/files/colors-", list[i].id, NULL);
      g_autofree char *texts = g_strconcat ("/shipped/files/texts-", list[i].id, NULL);
      g_autofree char *answers = g_strconcat ("/shipped/answers/", list[i].id, NULL);

      g_test_add_data_func (translations, &list[i], test_translations);
      g_test_add_data_func (colors, &list[i], test_colors);
      g_test_add_data_func (texts, &list[i], test_texts);
      if (g_test_slow ())
        g_test_add_data_func (answers, &list[i], test_answers);
    }
}
