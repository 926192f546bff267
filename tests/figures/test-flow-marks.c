/* Test the marks on the flow figure: their points, their words, and why one is not drawn.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-flow.h"
#include "figures/table/ns-marks-text.h"
#include "synthetic.h"
#include "tests.h"

#include <math.h>

static const char *const pre_post[] = { "pre", "post", NULL };
/* Powers of ten, so that ratios are known. */
static const double falling[] = { 0, -1, -2, -3 };
static const double rising[] = { -3, -2, -1, 0 };

typedef struct
{
  NsExperiment *experiment;
  NsResult *result;
  NsMarks *marks;
  NsFlowOptions options;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->experiment = synthetic_experiment (4, pre_post);
  fixture->result = synthetic_result (fixture->experiment, 2);
  synthetic_set_curve (fixture->result, 0, NS_Q_BLOCK, falling, G_N_ELEMENTS (falling), 0.1);
  synthetic_set_curve (fixture->result, 1, NS_Q_BLOCK, rising, G_N_ELEMENTS (rising), 0.1);
  fixture->marks = ns_marks_new ();
  ns_flow_options_init (&fixture->options);
  fixture->options.marks = fixture->marks;
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  ns_marks_free (fixture->marks);
  ns_result_unref (fixture->result);
  ns_experiment_free (fixture->experiment);
}

static void
add_pin (Fixture *fixture, const char *text)
{
  g_autoptr (GError) error = NULL;

  ns_marks_add_pin_text (fixture->marks, text, fixture->experiment, &error);
  g_assert_no_error (error);
}

static const NsAnnotation *
get_annotation (const NsFigure *figure, guint panel, guint index)
{
  const NsPanel *p = g_ptr_array_index (figure->panels, panel);

  g_assert_cmpuint (index, <, p->annotations->len);
  return g_ptr_array_index (p->annotations, index);
}

static void
assert_words (Fixture *fixture, const char *expected)
{
  g_autofree char *words = ns_flow_dup_marks (fixture->result, &fixture->options);

  g_assert_cmpstr (words, ==, expected);
}

/* A pin has a point for each visible curve and one line; their ratio is that of the means on the axis. */
static void
test_pins (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsFigure) figure = NULL;
  const NsAnnotation *annotation;

  assert_words (fixture, NULL);
  add_pin (fixture, "2");
  add_pin (fixture, "1:last");
  figure = ns_flow_figure (fixture->result, NULL, &fixture->options);
  g_assert_cmpuint (((const NsPanel *) g_ptr_array_index (figure->panels, 0))->annotations->len, ==, 5);
  annotation = get_annotation (figure, 0, 0);
  g_assert_cmpint (annotation->kind, ==, NS_ANNOTATION_POINT);
  g_assert_cmpfloat (annotation->x, ==, 2);
  g_assert_cmpfloat_with_epsilon (annotation->y, -1, 1e-9);
  g_assert_cmpint (get_annotation (figure, 0, 2)->kind, ==, NS_ANNOTATION_LINE);
  annotation = get_annotation (figure, 0, 3);
  g_assert_cmpint (annotation->kind, ==, NS_ANNOTATION_RATIO);
  g_assert_cmpfloat (annotation->other_x, ==, 4);
  g_assert_cmpfloat_with_epsilon (annotation->other_y, -3, 1e-9);
  g_assert_cmpstr (annotation->text, ==, "÷ 1000");
  g_assert_cmpstr (get_annotation (figure, 0, 4)->text, ==, "× 1000");
  assert_words (fixture, "Pin at Block 2: Pre-LN 0.100, Post-LN 0.0100.\n"
                         "Ratio of Block 4 to Block 1: Pre-LN ÷ 1000, Post-LN × 1000.");

  fixture->options.hidden = 1;
  assert_words (fixture, "Pin at Block 2: Post-LN 0.0100.\nRatio of Block 4 to Block 1: Post-LN × 1000.");
}

/* A mark without a point is kept and says why it is not drawn. */
static void
test_reasons (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsFigure) figure = NULL;
  NsNote note = { .text = (char *) "here", .place = { NS_PART_STACK, 3 }, .quantity = NS_Q_BLOCK };

  ns_marks_add_note (fixture->marks, &note);
  assert_words (fixture, "Note “here” at Block 3.");
  note.kind = NS_NOTE_ARROW;
  note.place.block = 9;
  ns_marks_add_note (fixture->marks, &note);
  note.text = (char *) "";
  note.place.block = 3;
  note.quantity = NS_Q_GRAD_X;
  ns_marks_add_note (fixture->marks, &note);
  add_pin (fixture, "0");
  ns_marks_add_reference (fixture->marks, "kept", fixture->experiment, 1, NULL);
  assert_words (fixture, "Pin at Input (not drawn: no visible curve has a value there).\n"
                         "Note “here” at Block 3.\n"
                         "Arrow “here” at Block 9 (not drawn: there are 4 blocks).\n"
                         "Arrow at Block 3 (not drawn: the plots do not show ‖∂L/∂xₗ‖).\n"
                         "Curve “kept” (not drawn: being computed).");
  figure = ns_flow_figure (fixture->result, NULL, &fixture->options);
  g_assert_cmpuint (((const NsPanel *) g_ptr_array_index (figure->panels, 0))->annotations->len, ==, 1);
  g_assert_cmpint (get_annotation (figure, 0, 0)->id, ==, NS_MARKS_ID (NS_MARKS_NOTES, 0));
}

/* A kept curve is a reference of its numbers, for any quantity, on the axis of the present stack. */
static void
test_reference (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) deeper = synthetic_experiment (6, pre_post);
  g_autoptr (NsResult) result = synthetic_result (deeper, 2);
  g_autoptr (NsFigure) figure = NULL;

  ns_marks_add_reference (fixture->marks, "kept", deeper, 1, result)->style = 5;
  assert_words (fixture, "Curve “kept”.");
  figure = ns_flow_figure (fixture->result, NULL, &fixture->options);
  for (guint p = 0; p < 2; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);
      const NsSeries *series = g_ptr_array_index (panel->series, panel->series->len - 1);
      NsStat stat;

      g_assert_cmpint (series->role, ==, NS_ROLE_REFERENCE);
      g_assert_cmpstr (series->name, ==, "kept");
      g_assert_cmpint (series->style, ==, 5);
      g_assert_cmpfloat (series->x[series->n - 1], ==, 4);
      g_assert_true (ns_result_get_stat (result, 1, p == 0 ? NS_Q_BLOCK : NS_Q_RMS_X, 4, &stat));
      g_assert_cmpfloat (series->y[series->n - 1], ==, p == 0 ? stat.log10_mean : stat.mean);
    }
}

void
add_flow_marks_tests (void)
{
#define ADD(name, test) g_test_add (name, Fixture, NULL, set_up, test, tear_down)
  ADD ("/flow-marks/pins", test_pins);
  ADD ("/flow-marks/reasons", test_reasons);
  ADD ("/flow-marks/reference", test_reference);
}
