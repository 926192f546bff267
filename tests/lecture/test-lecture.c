/* Lectures survive a round trip, errors name the key, and answers are measured.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-engine.h"
#include "lecture/ns-lecture-json.h"
#include "tests.h"

#include <math.h>
#include <string.h>

#define EVERYTHING LECTURES_DIR "/everything" NS_LECTURE_SUFFIX

static char *
read_everything (void)
{
  char *text = NULL;

  g_assert_true (g_file_get_contents (EVERYTHING, &text, NULL, NULL));
  return text;
}

static NsLecture *
read_text (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return ns_lecture_from_bytes (bytes, "test" NS_LECTURE_SUFFIX, error);
}

static NsLecture *
new_everything (void)
{
  g_autofree char *text = read_everything ();
  g_autoptr (GError) error = NULL;
  NsLecture *lecture = read_text (text, &error);

  g_assert_no_error (error);
  return lecture;
}

/* ---- reading and writing ---- */

static void
test_round_trip (void)
{
  g_autoptr (NsLecture) lecture = new_everything ();
  g_autoptr (GBytes) bytes = ns_lecture_to_bytes (lecture);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsLecture) again = ns_lecture_from_bytes (bytes, "again", &error);
  g_autoptr (GBytes) once_more = NULL;

  g_assert_no_error (error);
  g_assert_true (ns_lecture_equal (lecture, again));
  once_more = ns_lecture_to_bytes (again);
  g_assert_true (g_bytes_equal (bytes, once_more));
}

static void
test_contents (void)
{
  g_autoptr (NsLecture) lecture = new_everything ();
  const NsLectureStep *step = ns_lecture_get_step (lecture, 0);
  const NsNote *note = g_ptr_array_index (step->marks->notes, 0);
  const NsReference *reference = g_ptr_array_index (step->marks->references, 0);
  NsFigureOptions options;

  g_assert_cmpuint (ns_lecture_get_n_steps (lecture), ==, 6);
  g_assert_cmpstr (lecture->language, ==, "en");
  g_assert_cmpstr (step->notes, ==, "Ask first.\nThen show.");
  g_assert_cmpint (step->view.options.flow.gradient, ==, NS_Q_W_2);
  g_assert_cmpfloat (step->view.cursor, ==, 3);
  g_assert_cmpfloat (step->view.text_scale, ==, 1.5);
  g_assert_cmpint (step->view.styles[0], ==, 2);
  g_assert_cmpfloat_with_epsilon (step->view.colors[0].green, 0x34 / 255.0, 1e-9);
  g_assert_cmpint (note->kind, ==, NS_NOTE_ARROW);
  g_assert_cmpint (note->variant, ==, 1);
  g_assert_cmpstr (reference->name, ==, "before");
  ns_lecture_step_get_options (step, NULL, &options);
  g_assert_true (options.flow.marks == step->marks);
  g_assert_true (ns_lecture_get_step (lecture, 1)->view.hidden == 2);
  step = ns_lecture_get_step (lecture, 3);
  g_assert_cmpint (step->view.scaling.last[NS_SWEEP_DEPTH], ==, 12);
  g_assert_true (step->view.scaling.ratio && step->view.scaling.denominator == 1);
  g_assert_cmpuint (step->view.scaling.laws, ==, 1u << NS_LAW_SQRT | 1u << NS_LAW_LINEAR);
  step = ns_lecture_get_step (lecture, 5);
  g_assert_cmpint (step->view.options.paths.n_probes, ==, 3);
  g_assert_true (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_PATHS));
  g_assert_false (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_RESULT));
}

/* A learning rate is any number, or the word; powers of ten were words once. */
static void
test_learning_rate (void)
{
  static const struct
  {
    const char *json;
    double value;
  } rates[] = { { "3.5e-4", 3.5e-4 }, { "\"1e-4\"", 1e-4 }, { "\"usual\"", 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (rates); i++)
    {
      g_autofree char *text = read_everything ();
      g_autofree char *view = g_strdup_printf ("\"update\", \"learning-rate\": %s, \"matrices-only\": true, "
                                               "\"notes\": [{ \"kind\": \"arrow\", \"block\": 2, "
                                               "\"figure\": \"gain\", \"column\": { \"block\": 3 } }]",
                                               rates[i].json);
      g_auto (GStrv) parts = g_strsplit (text, "\"gain\", \"probes\": 3", 2);
      g_autofree char *changed = g_strjoinv (view, parts);
      g_autoptr (GError) error = NULL;
      g_autoptr (NsLecture) lecture = read_text (changed, &error), again = NULL;
      g_autoptr (GBytes) bytes = NULL;
      const NsNote *note;

      g_assert_no_error (error);
      g_assert_cmpfloat (ns_lecture_get_step (lecture, 5)->view.options.paths.learning_rate, ==, rates[i].value);
      g_assert_true (ns_lecture_get_step (lecture, 5)->view.options.paths.matrices_only);
      note = g_ptr_array_index (ns_lecture_get_step (lecture, 5)->marks->notes, 0);
      g_assert_true (note->figure == NS_FIGURE_GAIN && note->has_column && note->column.block == 3);
      bytes = ns_lecture_to_bytes (lecture);
      again = ns_lecture_from_bytes (bytes, "again", &error);
      g_assert_no_error (error);
      g_assert_true (ns_lecture_equal (lecture, again));
    }
}

/* Replace a part of the sample lecture, and expect a message with the key and the advice. */
static void
test_refusals (void)
{
  static const struct
  {
    const char *from, *to, *messages[3];
  } cases[] = {
    { "\"version\": 1", "\"version\": 2", { "version: 2 needs a newer Normscope" } },
    { "\"format\": \"normscope-lecture\"", "\"format\": \"normscope-experiment\"", { "format:" } },
    { "\"format\": \"normscope-lecture\",", "", { "format: the key is missing" } },
    { "\"language\": \"en\"", "\"language\": \"a b\"", { "language:", "pt_BR" } },
    { "\"title\": \"Two curves\"", "\"titel\": \"Two curves\"", { "steps[0].title: the key is missing" } },
    { "\"title\": \"Two curves\"", "\"title\": \"Two\\ncurves\"", { "steps[0].title" } },
    { "of *each* block", "of $\\\\nosuch$", { "steps[0].text: ", "nosuch" } },
    { "\"notes\": [\"Ask first.\"", "\"note\": [\"Ask first.\"",
      { "steps[0].note: unknown key", "Did you mean “notes”" } },
    { "\"notes\": [\"Ask first.\"", "\"notes\": [\"\\u0007\"", { "steps[0].notes", "U+0007" } },
    { "\"depth\": 6", "\"depth\": 0", { "steps[0].experiment: shape.depth: 0" } },
    { "\"depth\": 6", "\"depht\": 6", { "steps[0].experiment: shape.depht: unknown key" } },
    { "\"depth\": 6", "\"depth\": NaN", { "steps[0].experiment.shape.depth", "a whole number from 1" } },
    { "\"figure\": \"flow\"", "\"figure\": \"flaw\"", { "steps[0].view.figure", "flow, scaling" } },
    { "\"quantity\": \"w_2\",\n", "\"quantity\": \"rms_x\",\n", { "steps[0].view.quantity", "a gradient norm" } },
    { "\"token-cos\": \"always\"", "\"token-cos\": 1", { "steps[0].view.token-cos", "auto, always, never" } },
    { "\"crosshair\": 3", "\"crosshair\": 7", { "steps[0].view.crosshair: 7", "0 to 6" } },
    { "\"text-size\": 1.5", "\"text-size\": 9", { "steps[0].view.text-size", "0.75 to 2" } },
    { "\"#123456\"", "\"#12345\"", { "steps[0].view.colors.Pre-LN" } },
    { "{ \"Pre-LN\": [3", "{ \"Pre-LM\": [3", { "steps[0].view.colors.Pre-LM: unknown key" } },
    { "\"block\": 2 },", "\"block\": -1 },", { "steps[0].view.pins[0].block: -1" } },
    { "\"kind\": \"arrow\"", "\"kind\": \"harrow\"", { "steps[0].view.notes[0].kind", "text, arrow" } },
    { "\"variant\": 1,", "\"variant\": 3,", { "steps[0].view.notes[1].variant: 3", "“Pre-LN”, “Post-LN”" } },
    { "\"seeds\": 1 },\n              \"variants\"", "\"seeds\": -1 },\n              \"variants\"",
      { "steps[0].view.references[0].experiment: sampling.seeds: -1" } },
    { "\"hidden\": [\"Post-LN\"]", "\"hidden\": [\"Post-LN\", \"Pre-LN\"]",
      { "steps[1].view.hidden", "every variant" } },
    { "\"kind\": \"choice\"", "\"kind\": \"voice\"", { "steps[0].question.kind", "none, choice, number, sketch" } },
    { "\"is\": \"falls\"", "\"is\": \"fails\"", { "steps[0].question.choices[0].test.is", "falls, flat, rises" } },
    { "\"kind\": \"trend\"", "\"kind\": \"friend\"",
      { "steps[0].question.choices[0].test.kind", "trend, value, ratio" } },
    { "\"variant\": \"Pre-LN\", \"quantity\": \"rms_x\", \"is\": \"falls\"", "\"variant\": \"RMS\", \"is\": \"falls\"",
      { "steps[0].question.choices[0].test.variant", "“Pre-LN”, “Post-LN”" } },
    { "\"quantity\": \"rms_x\", \"is\": \"falls\"", "\"quantity\": \"path_length\", \"is\": \"falls\"",
      { "steps[0].question.choices[0].test.quantity", "a quantity that every run measures" } },
    { "\"over\": { \"block\": \"input\" }", "\"over\": { \"block\": 7 }",
      { "steps[1].question: number.over.block: 7", "1 to 6" } },
    { "\"over\": { \"block\": \"input\" }", "\"min\": 1", { "steps[1].question.number.over: the key is missing" } },
    { "\"kind\": \"ratio\"", "\"kind\": \"trend\"", { "steps[1].question.number.kind", "value, ratio, exponent" } },
    { "\"part\": \"encoder\"", "\"part\": \"stack\", \"block\": 1", { "steps[2].question.curve.block: unknown key" } },
    { "\"figure\": \"block\", \"block\": 2", "\"figure\": \"block\", \"block\": 4", { "steps[2].view.block: 4" } },
    { "\"metric\": \"rms_x@last\"", "\"metric\": \"rms_x@least\"", { "steps[3].view.metric" } },
    { "\"first\": 1", "\"first\": 0", { "steps[3].view.first: 0" } },
    { "\"gain\", \"probes\": 3", "\"training-profile\", \"step\": -1", { "steps[5].view.step: -1" } },
    { "\"gain\", \"probes\": 3", "\"training-profile\", \"step\": \"first\"",
      { "steps[5].view.step", "a step from 0, or \"last\"" } },
    { "\"gain\", \"probes\": 3", "\"training-map\", \"quantity\": \"loss\"", { "steps[5].view.quantity", "blocks" } },
    { "\"gain\", \"probes\": 3", "\"training\", \"step\": 100000", { "steps[5]" } },
    { "\"gain\", \"probes\": 3", "\"sensitivity\", \"over\": \"width\"", { "steps[5].view.over", "depth, warmup" } },
    { "\"gain\", \"probes\": 3", "\"sensitivity\", \"step\": 1", { "steps[5].view.step: unknown key" } },
    { "\"gain\", \"probes\": 3", "\"sensitivity\"", { "steps[5].experiment: data.source" } },
    { "\"probes\": 3", "\"probes\": 0", { "steps[5].view.probes: 0", "1 to 1024" } },
    { "\"gain\", \"probes\": 3", "\"update\", \"learning-rate\": 0", { "steps[5].view.learning-rate: 0", "usual" } },
    { "\"probes\": 3", "\"optimizer\": \"adam\"", { "steps[5].view.optimizer: unknown key" } },
    { "[\"sqrt\", \"linear\"]", "[\"squirt\"]", { "steps[3].view.laws", "1/sqrt" } },
    { "\"ratio\": [\"Pre-LN\", \"Post-LN\"]", "\"ratio\": [\"Pre-LN\"]", { "steps[3].view.ratio" } },
    { "\"min\": 0.2", "\"min\": 2", { "steps[3].question: choices[0].test.tests[0]", "min is 2" } },
    { "\"kind\": \"wiring\"", "\"kind\": \"otherwise\"",
      { "steps[3].question.choices[0].test.tests[5].variant: unknown" } },
    { "\"is\": \"post\"", "\"is\": \"rms\"", { "steps[3].question.choices[0].test.tests[5].is" } },
    { "\"text\": \"None of these\"", "\"text\": \"\"", { "steps[3].question: choices[1].text: the text is empty" } },
    { "\"experiment\": {},", "", { "steps[4].experiment: the key is missing" } },
    { "\"figure\": \"wiring\" }", "\"figure\": \"wiring\" }, \"question\": { \"kind\": \"choice\", \"choices\": [] }",
      { "steps[4].question: choices: 0 choices" } },
  };
  g_autofree char *text = read_everything ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GString) broken = g_string_new (text);
      g_autoptr (GError) error = NULL;
      g_autoptr (NsLecture) lecture = NULL;

      if (g_string_replace (broken, cases[i].from, cases[i].to, 1) != 1)
        g_error ("case %zu: “%s” is not in the sample", i, cases[i].from);
      lecture = read_text (broken->str, &error);
      if (lecture != NULL)
        g_error ("case %zu is accepted: %s", i, cases[i].to);
      g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
      if (!g_str_has_prefix (error->message, "test" NS_LECTURE_SUFFIX))
        g_error ("case %zu does not name the file: %s", i, error->message);
      for (int m = 0; m < 3 && cases[i].messages[m] != NULL; m++)
        if (strstr (error->message, cases[i].messages[m]) == NULL)
          g_error ("case %zu: “%s” is not in: %s", i, cases[i].messages[m], error->message);
    }
}

static void
test_save (void)
{
  g_autoptr (NsLecture) lecture = new_everything ();
  g_autofree char *folder = g_dir_make_tmp ("normscope-lecture-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a" NS_LECTURE_SUFFIX, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsLecture) again = NULL;
  g_autoptr (NsLecture) broken = ns_lecture_copy (lecture);
  NsLectureStep *step = ns_lecture_step_copy (ns_lecture_get_step (broken, 0));

  g_assert_true (ns_lecture_save (lecture, path, &error));
  g_assert_no_error (error);
  /* What could not be read is not written, and the file stays. */
  g_free (step->title);
  step->title = g_strdup ("");
  ns_lecture_replace_step (broken, 0, step);
  g_assert_false (ns_lecture_save (broken, path, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  g_clear_error (&error);
  again = ns_lecture_from_path (path, &error);
  g_assert_no_error (error);
  g_assert_true (ns_lecture_equal (lecture, again));
  ns_file_remove_tree (folder);
}

/* ---- values ---- */

static void
test_list (void)
{
  g_autoptr (NsLecture) lecture = new_everything ();
  g_autoptr (NsLecture) copy = ns_lecture_copy (lecture);
  NsLectureStep *first = ns_lecture_get_step (lecture, 0), *second = ns_lecture_get_step (lecture, 1);

  ns_lecture_move_step (copy, 0, 2);
  g_assert_true (ns_lecture_get_step (copy, 2) == first && ns_lecture_get_step (copy, 0) == second);
  g_assert_false (ns_lecture_equal (lecture, copy));
  ns_lecture_move_step (copy, 2, 0);
  g_assert_true (ns_lecture_equal (lecture, copy));
  ns_lecture_remove_step (copy, 1);
  ns_lecture_take_step (copy, 1, ns_lecture_step_copy (second));
  g_assert_true (ns_lecture_get_step (copy, 1) != second && ns_lecture_equal (lecture, copy));
}

/* ---- answers ---- */

typedef struct
{
  NsEngine *engine;
  NsLecture *lecture;
  NsResult *result;
  NsSweep *sweep;
} Measured;

static void
measure (Measured *measured, guint index)
{
  const NsLectureStep *step = ns_lecture_get_step (measured->lecture, index);
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&measured->result, ns_result_unref);
  g_clear_pointer (&measured->sweep, ns_sweep_unref);
  if (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_RESULT))
    measured->result = ns_engine_run (measured->engine, step->experiment, 0,
                                      (guint) step->experiment->sampling.seeds, NULL, &error);
  if (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_SWEEP))
    {
      measured->sweep = ns_lecture_step_new_sweep (step, &error);
      g_assert_no_error (error);
      g_assert_true (ns_engine_run_sweep (measured->engine, measured->sweep, NULL, &error));
    }
  g_assert_no_error (error);
}

static void
measured_init (Measured *measured)
{
  *measured = (Measured) { .engine = ns_engine_new (1, 0), .lecture = new_everything () };
}

static void
measured_clear (Measured *measured)
{
  g_clear_pointer (&measured->result, ns_result_unref);
  g_clear_pointer (&measured->sweep, ns_sweep_unref);
  ns_lecture_unref (measured->lecture);
  ns_engine_free (measured->engine);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Measured, measured_clear)

static gboolean
evaluate (const Measured *measured, const NsQuestion *question, guint64 hidden, NsAnswer *answer, GError **error)
{
  const NsQuestionSource source = { .result = measured->result, .sweep = measured->sweep, .hidden = hidden };

  return ns_question_evaluate (question, &source, answer, error);
}

static void
test_answers (void)
{
  g_auto (Measured) measured;
  g_autoptr (GError) error = NULL;
  NsStat input, last;
  double sum = 0;

  measured_init (&measured);
  for (guint i = 0; i < 4; i++)
    {
      const NsLectureStep *step = ns_lecture_get_step (measured.lecture, i);
      g_auto (NsAnswer) answer = { 0 };
      g_autofree char *text = NULL;

      measure (&measured, i);
      g_assert_true (evaluate (&measured, step->question, step->view.hidden, &answer, &error));
      g_assert_no_error (error);
      text = ns_answer_dup_text (&answer, step->question);
      g_test_message ("%s: %s", step->title, text);
      switch (i)
        {
        case 0: /* Pre-LN's stream grows */
          g_assert_cmpuint (answer.right, ==, 1u << 2);
          break;
        case 1: /* compare with the numbers of the seeds */
          for (guint s = 0; s < 2; s++)
            {
              double a, b;

              g_assert_true (ns_result_get_value (measured.result, 0, NS_Q_RMS_X, 6, s, NULL, &a));
              g_assert_true (ns_result_get_value (measured.result, 0, NS_Q_RMS_X, 0, s, NULL, &b));
              sum += (a - b) / 2;
            }
          g_assert_cmpfloat_with_epsilon (answer.number, pow (10, sum), 1e-12);
          g_assert_true (answer.is_factor && answer.spread > 1);
          break;
        case 2:
          g_assert_cmpuint (answer.n, ==, 3);
          g_assert_true (ns_result_get_stat (measured.result, 1, NS_Q_BLOCK, 1, &input));
          g_assert_true (ns_result_get_stat (measured.result, 1, NS_Q_BLOCK, 3, &last));
          g_assert_cmpfloat (answer.log10_values[0], ==, input.log10_mean);
          g_assert_cmpfloat (answer.log10_values[2], ==, last.log10_mean);
          g_assert_true (answer.is_log);
          break;
        default:
          g_assert_cmpuint (answer.right, ==, 1);
          break;
        }
    }
}

/* Each kind of test says yes and no as the numbers do. */
static void
test_wrong_answers (void)
{
  g_auto (Measured) measured;
  g_autoptr (GError) error = NULL;
  g_autoptr (NsLectureStep) step = NULL;
  g_auto (NsAnswer) answer = { 0 };
  NsChoice *choice;

  measured_init (&measured);
  measure (&measured, 0);
  step = ns_lecture_step_copy (ns_lecture_get_step (measured.lecture, 0));

  /* Two right choices, then none, are errors of the question. */
  choice = g_ptr_array_index (step->question->choices, 0);
  choice->test->word = NS_RUNS_RISES;
  g_assert_false (evaluate (&measured, step->question, 0, &answer, &error));
  g_assert_nonnull (strstr (error->message, "more than one choice is right: 1: falls; 3: rises"));
  g_assert_cmpuint (answer.n_right, ==, 2);
  g_clear_error (&error);
  ns_answer_clear (&answer);
  for (guint c = 0; c < 3; c++)
    {
      choice = g_ptr_array_index (step->question->choices, c);
      choice->test->word = NS_RUNS_PEAKS;
    }
  g_assert_false (evaluate (&measured, step->question, 0, &answer, &error));
  g_assert_nonnull (strstr (error->message, "no choice is right"));
  g_clear_error (&error);
  ns_answer_clear (&answer);

  /* One that holds otherwise. */
  choice->test->kind = NS_TEST_OTHERWISE;
  g_assert_true (evaluate (&measured, step->question, 0, &answer, &error));
  g_assert_cmpuint (answer.right, ==, 1u << 2);
}

static void
test_hidden_extreme (void)
{
  g_auto (Measured) measured;
  g_autoptr (NsQuestion) question = ns_question_new (NS_QUESTION_CHOICE);
  NsChoice *choice;
  g_auto (NsAnswer) answer = { 0 };

  measured_init (&measured);
  measure (&measured, 0);
  for (guint c = 0; c < 2; c++)
    {
      choice = g_ptr_array_index (question->choices, c);
      choice->test->kind = NS_TEST_EXTREME;
      choice->test->of = (NsPoint) { .variant = 1, .quantity = NS_Q_RMS_X, .block = NS_BLOCK_LAST };
      choice->test->word = c == 0 ? NS_EXTREME_LARGEST : NS_EXTREME_SMALLEST;
    }
  choice = g_ptr_array_index (question->choices, 2);
  choice->test->kind = NS_TEST_OTHERWISE;
  g_assert_true (evaluate (&measured, question, 0, &answer, NULL));
  g_assert_cmpuint (answer.right, ==, 1u << 1);
  ns_answer_clear (&answer);
  /* Alone, it is both the largest and the smallest. */
  g_assert_false (evaluate (&measured, question, 1, &answer, NULL));
  g_assert_cmpuint (answer.right, ==, 3);
}

void
add_lecture_tests (void)
{
  g_test_add_func ("/lecture/round-trip", test_round_trip);
  g_test_add_func ("/lecture/contents", test_contents);
  g_test_add_func ("/lecture/learning-rate", test_learning_rate);
  g_test_add_func ("/lecture/refusals", test_refusals);
  g_test_add_func ("/lecture/save", test_save);
  g_test_add_func ("/lecture/list", test_list);
  g_test_add_func ("/lecture/answers", test_answers);
  g_test_add_func ("/lecture/wrong-answers", test_wrong_answers);
  g_test_add_func ("/lecture/hidden-extreme", test_hidden_extreme);
}
