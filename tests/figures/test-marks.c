/* Test the marks of the flow figure as a value.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-marks.h"
#include "synthetic.h"
#include "tests.h"


static const char *const pre_post[] = { "pre", "post", NULL };

static const NsPin pin = { NS_KIND_GRADIENT, { NS_PART_STACK, 3 }, TRUE, { NS_PART_STACK, 12 } };
static const NsNote note = {
  .kind = NS_NOTE_TEXT,
  .text = (char *) "falls",
  .place = { NS_PART_STACK, 5 },
  .quantity = NS_Q_BLOCK,
  .variant = 1,
};

static NsMarks *
make (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (4, pre_post);
  g_autoptr (NsResult) result = synthetic_result (experiment, 2);
  NsMarks *marks = ns_marks_new ();

  ns_marks_add_pin (marks, &pin);
  ns_marks_add_note (marks, &note);
  ns_marks_add_reference (marks, "kept", experiment, 1, result);
  return marks;
}

static void
assert_refused (NsMarks *marks, const char *key)
{
  g_autoptr (NsMarks) owned = marks;
  g_autoptr (GError) error = NULL;

  g_assert_false (ns_marks_validate (owned, &error));
  g_assert_cmpstr (ns_experiment_error_get_key (error), ==, key);
  g_assert_nonnull (strstr (error->message, key));
  g_assert_nonnull (strstr (error->message, "allowed"));
}

static void
test_copies (void)
{
  g_autoptr (NsMarks) marks = make ();
  g_autoptr (NsMarks) copy = ns_marks_copy (marks);
  g_autoptr (NsMarks) empty = ns_marks_new ();
  NsReference *reference = g_ptr_array_index (copy->references, 0);

  g_assert_true (ns_marks_equal (marks, copy));
  g_assert_cmpuint (reference->experiment->variants->len, ==, 1);
  g_assert_cmpstr (ns_experiment_variant (reference->experiment, 0)->name, ==, "Post-LN");
  g_assert_cmpuint (reference->variant, ==, 1);
  g_assert_true (ns_marks_equal (NULL, empty));
  g_assert_false (ns_marks_equal (marks, empty));
  g_assert_null (ns_marks_copy (NULL));

  g_clear_pointer (&reference->result, ns_result_unref);
  g_assert_true (ns_marks_equal (marks, copy));
  reference->experiment->shape.depth++;
  g_assert_false (ns_marks_equal (marks, copy));
  reference->experiment->shape.depth--;
  ((NsNote *) g_ptr_array_index (copy->notes, 0))->place.block++;
  g_assert_false (ns_marks_equal (marks, copy));
  g_ptr_array_remove_index (copy->notes, 0);
  ns_marks_add_note (copy, &note);
  g_assert_true (ns_marks_equal (marks, copy));
  g_array_index (copy->pins, NsPin, 0).has_other = FALSE;
  g_assert_false (ns_marks_equal (marks, copy));
}

static void
test_refuses (void)
{
  g_autofree char *long_text = g_strnfill (NS_MARKS_MAX_CHARACTERS + 1, 'a');
  g_autoptr (NsMarks) fine = make ();
  NsMarks *marks;
  NsNote *bad;

  g_assert_true (ns_marks_validate (fine, NULL));

  marks = make ();
  g_array_index (marks->pins, NsPin, 0).place.block = -1;
  assert_refused (marks, "pins[0].block");
  marks = make ();
  g_array_index (marks->pins, NsPin, 0).other.block = 1 << 20;
  assert_refused (marks, "pins[0].to");
  marks = make ();
  for (guint i = 0; i < NS_MARKS_MAX_PINS; i++)
    ns_marks_add_pin (marks, &pin);
  assert_refused (marks, "pins");

  marks = make ();
  bad = ns_marks_add_note (marks, &note);
  bad->variant = NS_MAX_VARIANTS;
  assert_refused (marks, "notes[1].variant");
  for (int i = 0; i < 3; i++)
    {
      const char *texts[] = { "", "two\nlines", long_text };

      marks = make ();
      bad = ns_marks_add_note (marks, &note);
      g_free (bad->text);
      bad->text = g_strdup (texts[i]);
      assert_refused (marks, "notes[1].text");
    }
  ns_marks_add_note (fine, &(NsNote){ .kind = NS_NOTE_ARROW, .place = note.place, .quantity = NS_Q_BLOCK });
  g_assert_true (ns_marks_validate (fine, NULL));

  marks = make ();
  ((NsReference *) g_ptr_array_index (marks->references, 0))->experiment->shape.heads = 5;
  assert_refused (marks, "references[0].experiment");
}

static void
test_edits (void)
{
  g_autoptr (NsMarks) marks = make ();
  g_autoptr (NsExperiment) experiment = synthetic_experiment (12, pre_post);
  NsPlace place = { NS_PART_STACK, 12 };
  NsReference *second;

  g_assert_true (ns_place_exists (&place, experiment));
  experiment->shape.depth = 11;
  g_assert_false (ns_place_exists (&place, experiment));
  place.part = NS_PART_DECODER;
  g_assert_false (ns_place_exists (&place, experiment));
  experiment->shape.depth = 12;
  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  g_assert_true (ns_place_exists (&place, experiment));

  /* A ratio is no pin of its first block. */
  g_assert_cmpint (ns_marks_find_pin (marks, NS_KIND_GRADIENT, &pin.place), ==, -1);
  ns_marks_add_pin (marks, &(NsPin){ .panel = NS_KIND_GRADIENT, .place = pin.place });
  g_assert_cmpint (ns_marks_find_pin (marks, NS_KIND_GRADIENT, &pin.place), ==, 1);
  g_assert_cmpint (ns_marks_find_pin (marks, NS_KIND_ACTIVATION, &pin.place), ==, -1);

  second = ns_marks_add_reference (marks, "kept", experiment, 0, NULL);
  g_assert_cmpstr (second->name, ==, "kept 2");

  ns_marks_remove_variant (marks, 0);
  g_assert_cmpint (((NsNote *) g_ptr_array_index (marks->notes, 0))->variant, ==, 0);
  ns_marks_remove_variant (marks, 0);
  g_assert_cmpuint (marks->notes->len, ==, 0);
}

void
add_marks_tests (void)
{
  g_test_add_func ("/marks/copies", test_copies);
  g_test_add_func ("/marks/refuses", test_refuses);
  g_test_add_func ("/marks/edits", test_edits);
}
