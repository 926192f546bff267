/* Steps of a lecture that train: their files, their pictures, their questions.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-engine.h"
#include "lecture/ns-lecture-json.h"
#include "lecture/ns-lecture-picture.h"

#include <math.h>
#include <string.h>

#include "engine/train/ns-training-loss.h"
#include "tests.h"

static NsLecture *
read_text (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return ns_lecture_from_bytes (bytes, "test" NS_LECTURE_SUFFIX, error);
}

/* A step can show a training; beside its losses the window shows the blocks of a step, whose options it has, too. */
static void
test_training (void)
{
  static const struct
  {
    const char *json;
    NsFigureKind figure;
    int step;
  } views[] = { { "\"training\", \"loss-axis\": \"log\", \"step\": 12, \"quantity\": \"w_2\"", NS_FIGURE_TRAINING, 12 },
                { "\"training-profile\", \"step\": \"last\", \"quantity\": \"w_2\"", NS_FIGURE_TRAINING_PROFILE, -1 },
                { "\"training-map\", \"quantity\": \"token_cos\"", NS_FIGURE_TRAINING_MAP, -1 },
                { "\"training-map\", \"quantity\": \"token_cos\", \"step\": 7", NS_FIGURE_TRAINING_MAP, 7 } };
  static const char experiment[] = "\"experiment\": { \"training\": { \"steps\": 13 }, \"data\": { \"source\": "
                                   "\"tokens\" } }, \"view\": { \"figure\": ";

  for (gsize i = 0; i < G_N_ELEMENTS (views); i++)
    {
      g_autofree char *text = g_strdup_printf ("{ \"format\": \"normscope-lecture\", \"version\": 1, \"title\": \"t\", "
                                               "\"steps\": [ { \"title\": \"s\", %s%s } } ] }",
                                               experiment, views[i].json);
      g_autoptr (GError) error = NULL;
      g_autoptr (NsLecture) lecture = read_text (text, &error), again = NULL;
      g_autoptr (GBytes) bytes = NULL;
      const NsLectureStep *step;

      g_assert_no_error (error);
      step = ns_lecture_get_step (lecture, 0);
      g_assert_cmpint (step->view.figure, ==, views[i].figure);
      g_assert_cmpint (step->view.options.training.step, ==, views[i].step);
      g_assert_true (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_TRAINING));
      g_assert_false (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_RESULT));
      if (views[i].figure == NS_FIGURE_TRAINING_MAP)
        g_assert_cmpint (step->view.options.training.quantity, ==, NS_Q_TOKEN_COS);
      else
        g_assert_cmpint (step->view.options.flow.gradient, ==, NS_Q_W_2);
      bytes = ns_lecture_to_bytes (lecture);
      again = ns_lecture_from_bytes (bytes, "again", &error);
      g_assert_no_error (error);
      g_assert_true (ns_lecture_equal (lecture, again));
    }
}

/* Return a lecture of one step, a training of three steps, with that view. */
static NsLecture *
new_training (const char *view)
{
  g_autofree char *text
      = g_strdup_printf ("{ \"format\": \"normscope-lecture\", \"version\": 1, \"title\": \"t\", \"steps\": [ { "
                         "\"title\": \"s\", \"experiment\": { \"shape\": { \"depth\": 2, \"d_model\": 16, \"heads\": "
                         "2, \"d_ff\": 32, \"vocab\": 64 }, \"data\": { \"source\": \"tokens\" }, \"sampling\": { "
                         "\"seeds\": 1 }, \"training\": { \"steps\": 3 } }, \"view\": { %s } } ] }",
                         view);
  g_autoptr (GError) error = NULL;
  NsLecture *lecture = read_text (text, &error);

  g_assert_no_error (error);
  return lecture;
}

/* A step is drawn after its training, with the runs of the experiment. */
static void
test_training_picture (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsLecture) lecture = new_training ("\"figure\": \"training-profile\"");
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_auto (NsLectureEvidence) evidence = { 0 };
  g_autoptr (GBytes) bytes = NULL;
  NsTheme theme;

  g_assert_true (ns_lecture_step_compute (ns_lecture_get_step (lecture, 0), engine, NULL, &evidence, &error));
  g_assert_no_error (error);
  g_assert_null (evidence.result);
  g_assert_true (ns_training_is_finished (evidence.training, 0, 0));
  ns_theme_init (&theme, NS_THEME_LIGHT);
  bytes = ns_lecture_step_export (ns_lecture_get_step (lecture, 0), &evidence, &theme, NS_EXPORT_SVG, 640, 480, 1, "x",
                                  &error);
  g_assert_no_error (error);
  g_assert_nonnull (g_strstr_len (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes),
                                 "<desc>Pre-LN: "));
}

/* The picture of the curves, and of the maps, has a line at the step; at the last one it has none. */
static void
test_step_line (void)
{
  static const char *const views[] = { "\"figure\": \"training\"", "\"figure\": \"training-map\"" };
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  for (gsize i = 0; i < G_N_ELEMENTS (views); i++)
    {
      g_autofree char *at_step = g_strconcat (views[i], ", \"step\": 1", NULL);
      g_autoptr (NsLecture) last = new_training (views[i]), first = new_training (at_step);
      g_auto (NsLectureEvidence) evidence = { 0 };
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) plain = NULL, marked = NULL;

      g_assert_true (ns_lecture_step_compute (ns_lecture_get_step (last, 0), engine, NULL, &evidence, &error));
      plain = ns_lecture_step_export (ns_lecture_get_step (last, 0), &evidence, &theme, NS_EXPORT_PNG, 640, 480, 1,
                                      "x", &error);
      g_assert_no_error (error);
      marked = ns_lecture_step_export (ns_lecture_get_step (first, 0), &evidence, &theme, NS_EXPORT_PNG, 640, 480, 1,
                                       "x", &error);
      g_assert_no_error (error);
      g_assert_false (g_bytes_equal (plain, marked));
    }
}

/* Without its training, a step's picture says what will be trained. */
static void
test_placeholder (void)
{
  static const char *const views[] = { "\"figure\": \"training\"", "\"figure\": \"sensitivity\"" };
  static const char *const words[] = { "2 trainings of 3 steps", "60 trainings of 3 steps" };
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 320, 200);
  cairo_t *cr = cairo_create (surface);
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  for (gsize i = 0; i < G_N_ELEMENTS (views); i++)
    {
      g_autoptr (NsLecture) lecture = new_training (views[i]);
      const NsLectureEvidence nothing = { 0 };
      g_autofree char *sentence = NULL;

      g_assert_true (ns_lecture_step_draw (ns_lecture_get_step (lecture, 0), &nothing, cr, &theme, 320, 200,
                                           &sentence));
      g_assert_nonnull (strstr (sentence, "not trained yet"));
      if (strstr (sentence, words[i]) == NULL)
        g_error ("“%s” is not in “%s”", words[i], sentence);
    }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* A sensitivity map is computed with the rows and columns of the window's, and is drawn. */
static void
test_sensitivity (void)
{
  g_autoptr (NsLecture) lecture
      = new_training ("\"figure\": \"sensitivity\", \"over\": \"warmup\", \"of-seeds\": \"best\"");
  const NsLectureStep *step = ns_lecture_get_step (lecture, 0);
  g_autofree char *work = ns_lecture_step_dup_work (step);
  g_autoptr (NsEngine) engine = ns_engine_new (0, 0);
  g_auto (NsLectureEvidence) evidence = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = ns_lecture_to_bytes (lecture), picture = NULL;
  g_autoptr (NsLecture) again = ns_lecture_from_bytes (bytes, "again", &error);
  NsTheme theme;

  g_assert_no_error (error);
  g_assert_true (ns_lecture_equal (lecture, again));
  g_assert_true (ns_lecture_can_show (step->view.figure));
  g_assert_cmpint (step->view.options.sensitivity.over, ==, NS_SENSITIVITY_WARMUP);
  g_assert_cmpint (step->view.options.sensitivity.seeds, ==, NS_SEEDS_BEST);
  g_assert_true (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_SENSITIVITY));
  g_assert_false (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_TRAINING));
  g_assert_true (ns_lecture_step_compute (step, engine, NULL, &evidence, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (ns_sensitivity_count_finished (evidence.sensitivity), ==,
                    ns_sensitivity_get_n_runs (evidence.sensitivity));
  g_assert_cmpuint ((guint) g_ascii_strtoull (work, NULL, 10), ==, ns_sensitivity_get_n_runs (evidence.sensitivity));
  ns_theme_init (&theme, NS_THEME_LIGHT);
  picture = ns_lecture_step_export (step, &evidence, &theme, NS_EXPORT_SVG, 640, 480, 1, "x", &error);
  g_assert_no_error (error);
  g_assert_nonnull (g_strstr_len (g_bytes_get_data (picture, NULL), (gssize) g_bytes_get_size (picture), "<desc>"));
}

/* Return a lecture of one step that shows a coordinate check with these widths. Caller frees. */
static char *
dup_check (const char *widths)
{
  return g_strdup_printf ("{ \"format\": \"normscope-lecture\", \"version\": 1, \"title\": \"t\", \"steps\": [ "
                          "{ \"title\": \"s\", \"experiment\": { \"shape\": { \"depth\": 2, \"d_model\": 16, "
                          "\"heads\": 2, \"d_ff\": 32, \"vocab\": 64 }, \"data\": { \"source\": \"tokens\" }, "
                          "\"sampling\": { \"seeds\": 2 } }, "
                          "\"view\": { \"figure\": \"coordinate-check\", \"widths\": \"%s\" } } ] }",
                          widths);
}

/* A step can show a coordinate check, with its widths. */
static void
test_coordinates (void)
{
  g_autofree char *text = dup_check ("8,16,32");
  g_autoptr (GError) error = NULL;
  g_autoptr (NsLecture) lecture = read_text (text, &error), again = NULL, usual = NULL;
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_auto (NsLectureEvidence) evidence = { 0 };
  g_autoptr (GBytes) bytes = NULL, svg = NULL;
  g_autofree char *usual_text = dup_check ("usual");
  g_autofree char *work = NULL;
  NsTheme theme;

  g_assert_no_error (error);
  work = ns_lecture_step_dup_work (ns_lecture_get_step (lecture, 0));
  g_assert_cmpstr (ns_lecture_get_step (lecture, 0)->view.options.widths, ==, "8,16,32");
  bytes = ns_lecture_to_bytes (lecture);
  again = ns_lecture_from_bytes (bytes, "again", &error);
  g_assert_no_error (error);
  g_assert_true (ns_lecture_equal (lecture, again));
  usual = read_text (usual_text, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (ns_lecture_get_step (usual, 0)->view.options.widths, ==, "");
  g_assert_false (ns_lecture_equal (lecture, usual));
  g_assert_true (ns_lecture_step_compute (ns_lecture_get_step (lecture, 0), engine, NULL, &evidence, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (ns_coordinate_check_count_widths (evidence.coordinates), ==, 3);
  g_assert_cmpstr (work, ==, "12 trainings of 4 steps");
  ns_theme_init (&theme, NS_THEME_LIGHT);
  svg = ns_lecture_step_export (ns_lecture_get_step (lecture, 0), &evidence, &theme, NS_EXPORT_SVG, 640, 480, 1, "x",
                                &error);
  g_assert_no_error (error);
  g_assert_nonnull (g_strstr_len (g_bytes_get_data (svg, NULL), (gssize) g_bytes_get_size (svg), "exponent"));
}

/* Widths that are none, or too wide, are refused. */
static void
test_coordinates_refused (void)
{
  static const char *const cases[] = { "16,8", "8,2000000000", "wide" };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = dup_check (cases[i]);
      g_autoptr (GError) error = NULL;

      g_assert_null (read_text (text, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "view.widths"));
    }
}

/* ---- questions ---- */

/* Return a lecture of one step with a question about the training of two variants. */
static NsLecture *
read_question (const char *settings, const char *question, GError **error)
{
  g_autofree char *text
      = g_strdup_printf ("{ \"format\": \"normscope-lecture\", \"version\": 1, \"title\": \"t\", \"steps\": [ { "
                         "\"title\": \"s\", \"experiment\": { \"shape\": { \"depth\": 2, \"d_model\": 16, \"heads\": "
                         "2, \"d_ff\": 32, \"vocab\": 64 }, \"sampling\": { \"seeds\": 2 }, %s, \"variants\": [ "
                         "{ \"name\": \"Fast\", \"attention\": \"causal\", \"learning_rate\": 0.01 }, "
                         "{ \"name\": \"Still\", \"attention\": \"causal\", \"learning_rate\": 0 } ] }, "
                         "\"view\": { \"figure\": \"wiring\" }, \"question\": { %s } } ] }",
                         settings, question);

  return read_text (text, error);
}

#define TRAINED "\"data\": { \"source\": \"markov\" }, \"training\": { \"steps\": 40 }"

typedef struct
{
  NsLecture *lecture;
  NsLectureEvidence evidence;
} Asked;

static void
asked_clear (Asked *asked)
{
  ns_lecture_evidence_clear (&asked->evidence);
  g_clear_pointer (&asked->lecture, ns_lecture_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Asked, asked_clear)

/* Compute what a question needs, and answer it. FALSE with an error as ns_question_evaluate(). */
static gboolean
ask (const char *question, Asked *asked, NsAnswer *answer, GError **error)
{
  g_autoptr (NsEngine) engine = ns_engine_new (0, 0);
  const NsLectureStep *step;
  g_autoptr (GError) cause = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (NsLecture) again = NULL;
  NsQuestionSource source;

  *asked = (Asked) { .lecture = read_question (TRAINED, question, &cause) };
  g_assert_no_error (cause);
  bytes = ns_lecture_to_bytes (asked->lecture);
  again = ns_lecture_from_bytes (bytes, "again", &cause);
  g_assert_no_error (cause);
  g_assert_true (ns_lecture_equal (asked->lecture, again));
  step = ns_lecture_get_step (asked->lecture, 0);
  g_assert_true (ns_lecture_step_compute (step, engine, NULL, &asked->evidence, &cause));
  g_assert_no_error (cause);
  source = (NsQuestionSource) { asked->evidence.result, asked->evidence.sweep, asked->evidence.training, 0 };
  return ns_question_evaluate (step->question, &source, answer, error);
}

/* The loss of a choice, of a number and of a ratio are those of the training. */
static void
test_loss (void)
{
  g_auto (Asked) asked = { 0 }, again = { 0 }, ratio = { 0 };
  g_auto (NsAnswer) answer = { 0 };
  g_autoptr (GError) error = NULL;
  NsStat fast, still, first;

  g_assert_true (ask ("\"kind\": \"choice\", \"text\": \"q\", \"choices\": [ { \"text\": \"a\", \"test\": { \"kind\": "
                      "\"extreme\", \"variant\": \"Fast\", \"quantity\": \"loss\", \"step\": \"last\", \"is\": "
                      "\"smallest\" } }, { \"text\": \"b\", \"test\": { \"kind\": \"extreme\", \"variant\": \"Still\", "
                      "\"quantity\": \"loss\", \"step\": \"last\", \"is\": \"smallest\" } } ]",
                      &asked, &answer, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (answer.right, ==, 1);
  g_assert_null (asked.evidence.result); /* nothing but the training is asked for */
  g_assert_true (ns_training_get_final_loss (asked.evidence.training, 0, &fast));
  g_assert_true (ns_training_get_final_loss (asked.evidence.training, 1, &still));
  g_assert_cmpfloat (fast.mean, <, still.mean);

  g_assert_true (ask ("\"kind\": \"number\", \"text\": \"q\", \"number\": { \"kind\": \"value\", \"quantity\": "
                      "\"loss\", \"step\": 30 }",
                      &again, &answer, &error));
  g_assert_no_error (error);
  g_assert_true (ns_training_get_smooth_loss (again.evidence.training, 0, 30, &first));
  g_assert_cmpfloat_with_epsilon (answer.number, first.mean, 1e-12);
  g_assert_false (answer.is_factor);

  g_assert_true (ask ("\"kind\": \"number\", \"text\": \"q\", \"number\": { \"kind\": \"ratio\", \"variant\": "
                      "\"Still\", \"quantity\": \"loss\", \"step\": \"last\", \"over\": { \"variant\": \"Fast\" } }",
                      &ratio, &answer, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (answer.number, still.mean / fast.mean, 1e-12);
  g_assert_true (answer.is_factor && answer.spread > 1);
}

/* A quantity of a step over the same one at initialization, or at another step: what the training has recorded. */
static void
test_quantity (void)
{
  static const char *const overs[] = { "{ \"step\": 0 }", "{ \"step\": \"initial\" }" };

  for (gsize i = 0; i < G_N_ELEMENTS (overs); i++)
    {
      g_autofree char *question
          = g_strdup_printf ("\"kind\": \"number\", \"text\": \"q\", \"number\": { \"kind\": \"ratio\", \"quantity\": "
                             "\"w_2\", \"block\": \"first\", \"step\": 10, \"over\": %s }",
                             overs[i]);
      g_auto (Asked) asked = { 0 };
      g_auto (NsAnswer) answer = { 0 };
      g_autoptr (GError) error = NULL;
      NsStat then, before;

      g_assert_true (ask (question, &asked, &answer, &error));
      g_assert_no_error (error);
      g_assert_true (ns_training_get_stat (asked.evidence.training, 0, NS_Q_W_2, 10, 1, &then));
      if (i == 0)
        g_assert_true (ns_training_get_stat (asked.evidence.training, 0, NS_Q_W_2, 0, 1, &before));
      else
        g_assert_true (ns_result_get_stat (asked.evidence.result, 0, NS_Q_W_2, 1, &before));
      g_assert_true ((asked.evidence.result != NULL) == (i == 1));
      g_assert_cmpfloat_with_epsilon (log10 (answer.number), then.log10_mean - before.log10_mean, 1e-9);
    }
}

/* Forty steps bring a variant no further than the entropy of single tokens: it stalls. One whose learning rate is 0
 * does not, and does not learn. */
static void
test_outcome (void)
{
  static const char *const words[] = { "learns", "stalls", "diverges" };

  for (guint v = 0; v < 2; v++)
    {
      g_auto (Asked) asked = { 0 };
      g_auto (NsAnswer) answer = { 0 };
      g_autoptr (GError) error = NULL;
      g_autoptr (GString) question = g_string_new ("\"kind\": \"choice\", \"text\": \"q\", \"choices\": [ ");

      for (gsize w = 0; w < G_N_ELEMENTS (words); w++)
        g_string_append_printf (question,
                                "{ \"text\": \"%s\", \"test\": { \"kind\": \"outcome\", \"variant\": %u, "
                                "\"is\": \"%s\" } }, ",
                                words[w], v + 1, words[w]);
      g_string_append (question, "{ \"text\": \"none\", \"test\": { \"kind\": \"otherwise\" } } ]");
      g_assert_true (ask (question->str, &asked, &answer, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (answer.right, ==, v == 0 ? 1u << 1 : 1u << 3);
    }
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *settings, *test, *messages[3];
  } cases[] = {
    { TRAINED, "\"kind\": \"value\", \"quantity\": \"loss\", \"step\": 40",
      { "question: number.step: 40 is not allowed", "0 to 39, or \"last\"" } },
    { TRAINED, "\"kind\": \"value\", \"quantity\": \"w_2\", \"step\": 20",
      { "question: number.step: 20 is not allowed", "0 to 19, or \"last\"" } },
    { TRAINED, "\"kind\": \"value\", \"quantity\": \"loss\", \"step\": -1",
      { "question.number.step: -1", "a step from 0, \"last\" or \"initial\"" } },
    { TRAINED, "\"kind\": \"value\", \"quantity\": \"loss\", \"step\": \"first\"",
      { "question.number.step: \"first\"", "a step from 0" } },
    { TRAINED, "\"kind\": \"value\", \"quantity\": \"loss\", \"step\": 1.5", { "question.number.step: 1.5" } },
    { TRAINED, "\"kind\": \"exponent\", \"step\": 1", { "question.number.step: unknown key" } },
    { TRAINED, "\"kind\": \"ratio\", \"over\": { \"step\": 99 }", { "question: number.over.step: 99" } },
    { TRAINED, "\"kind\": \"outcome\", \"is\": \"learns\"", { "question.number.kind", "value, ratio, exponent" } },
    { "\"training\": { \"steps\": 40 }",
      "\"kind\": \"value\", \"quantity\": \"loss\", \"step\": 1",
      { "experiment: data.source: gaussian is not allowed for training" } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *question = g_strdup_printf ("\"kind\": \"number\", \"text\": \"q\", \"number\": { %s }",
                                                   cases[i].test);
      g_autoptr (GError) error = NULL;
      g_autoptr (NsLecture) lecture = read_question (cases[i].settings, question, &error);

      if (lecture != NULL)
        g_error ("%s is accepted", cases[i].test);
      for (int m = 0; m < 3 && cases[i].messages[m] != NULL; m++)
        if (strstr (error->message, cases[i].messages[m]) == NULL)
          g_error ("“%s” is not in: %s", cases[i].messages[m], error->message);
    }
}

void
add_training_tests (void)
{
  g_test_add_func ("/training/views", test_training);
  g_test_add_func ("/training/picture", test_training_picture);
  g_test_add_func ("/training/step-line", test_step_line);
  g_test_add_func ("/training/sensitivity", test_sensitivity);
  g_test_add_func ("/training/coordinates", test_coordinates);
  g_test_add_func ("/training/coordinates-refused", test_coordinates_refused);
  g_test_add_func ("/training/placeholder", test_placeholder);
  g_test_add_func ("/training/loss", test_loss);
  g_test_add_func ("/training/quantity", test_quantity);
  g_test_add_func ("/training/outcome", test_outcome);
  g_test_add_func ("/training/refusals", test_refusals);
}
