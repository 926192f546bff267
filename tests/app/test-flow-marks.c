/* Pins, ratios, notes, arrows and kept curves on the flow plots, with pointer and keys through the X server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "app-widgets.h"
#include "app-input.h"
#include "app/shared/normscope-note-editor.h"
#include "app/flow/normscope-flow-view.h"
#include "engine/experiment/ns-experiment.h"

static const NsMarks *
get_marks (Fixture *fixture)
{
  return normscope_session_get_marks (fixture->session);
}

static const NsPanel *
get_panel (Fixture *fixture, guint panel)
{
  return g_ptr_array_index (normscope_plot_get_figure (fixture->plot)->panels, panel);
}

static guint
count (Fixture *fixture, guint panel, NsAnnotationKind kind)
{
  const GPtrArray *annotations = get_panel (fixture, panel)->annotations;
  guint n = 0;

  for (guint i = 0; i < annotations->len; i++)
    n += ((const NsAnnotation *) g_ptr_array_index (annotations, i))->kind == kind;
  return n;
}

/* Return the px of a block, in the middle of a panel's plot. */
static void
find_block (Fixture *fixture, guint panel, double block, double *x, double *y)
{
  NsRect plot = { 0 };

  normscope_plot_set_cursor (fixture->plot, block);
  g_assert_true (normscope_plot_get_crosshair (fixture->plot, x, &plot));
  normscope_plot_set_cursor (fixture->plot, NAN);
  *y = plot.y + 0.5 * plot.height;
  if (panel > 0)
    *y += 0.5 * gtk_widget_get_height (GTK_WIDGET (fixture->plot));
}

static void
click (Fixture *fixture, guint panel, double block)
{
  double x, y;

  find_block (fixture, panel, block, &x, &y);
  g_assert_true (app_input_click_at (GTK_WIDGET (fixture->plot), x, y));
}

static void
shift_click (Fixture *fixture, guint panel, double block)
{
  double x, y;

  find_block (fixture, panel, block, &x, &y);
  g_assert_true (app_input_shift_click_at (GTK_WIDGET (fixture->plot), x, y));
}

static void
assert_described (Fixture *fixture, const char *text, gboolean expected)
{
  g_autofree char *description = app_dup_description (GTK_WIDGET (fixture->plot));

  g_assert_cmpint (strstr (description, text) != NULL, ==, expected);
}

static void
undo (Fixture *fixture)
{
  app_activate (fixture, "win.undo");
  app_input_settle ();
}

/* A click pins, another one on the block removes the pin; both can be undone. */
static void
test_pin (Fixture *fixture, gconstpointer data)
{
  guint n_variants = fixture->experiment->variants->len;
  g_autoptr (NormscopePicture) picture = NULL;

  click (fixture, 0, 2);
  g_assert_cmpuint (get_marks (fixture)->pins->len, ==, 1);
  g_assert_cmpuint (count (fixture, 0, NS_ANNOTATION_POINT), ==, n_variants);
  g_assert_cmpuint (count (fixture, 1, NS_ANNOTATION_POINT), ==, 0);
  assert_described (fixture, "Pin at Block 2: Pre-LN ", TRUE);
  /* Exported pictures have it, too. */
  picture = normscope_flow_view_dup_picture (app_get_child (fixture->window, "flow_view"), TRUE);
  g_assert_true (normscope_picture_make (picture, NULL));
  g_assert_cmpuint (((const NsPanel *) g_ptr_array_index (picture->figure->panels, 0))->annotations->len, ==,
                    n_variants + 1);

  click (fixture, 1, 3);
  g_assert_cmpuint (get_marks (fixture)->pins->len, ==, 2);
  g_assert_cmpuint (count (fixture, 1, NS_ANNOTATION_POINT), ==, n_variants);

  click (fixture, 0, 2);
  g_assert_cmpuint (get_marks (fixture)->pins->len, ==, 1);
  g_assert_cmpuint (count (fixture, 0, NS_ANNOTATION_POINT), ==, 0);
  undo (fixture);
  g_assert_cmpuint (count (fixture, 0, NS_ANNOTATION_POINT), ==, n_variants);
  undo (fixture);
  undo (fixture);
  g_assert_true (ns_marks_are_empty (get_marks (fixture)));
  assert_described (fixture, "Pin", FALSE);
}

/* The gradient curves have no value at the input. */
static void
test_no_value (Fixture *fixture, gconstpointer data)
{
  click (fixture, 0, 0);
  g_assert_true (ns_marks_are_empty (get_marks (fixture)));
  g_assert_true (app_wait_for_toast (fixture, "No visible curve"));
  click (fixture, 1, 0);
  g_assert_cmpuint (get_marks (fixture)->pins->len, ==, 1);
}

/* Shift-click pins a second block and draws the ratio; removing one of the two removes the ratio. */
static void
test_ratio (Fixture *fixture, gconstpointer data)
{
  guint n_variants = fixture->experiment->variants->len;

  shift_click (fixture, 0, 1);
  g_assert_cmpuint (get_marks (fixture)->pins->len, ==, 1);
  shift_click (fixture, 0, 3);
  g_assert_cmpuint (get_marks (fixture)->pins->len, ==, 3);
  g_assert_cmpuint (count (fixture, 0, NS_ANNOTATION_RATIO), ==, n_variants);
  assert_described (fixture, "Ratio of Block 3 to Block 1: Pre-LN ", TRUE);
  click (fixture, 0, 3);
  g_assert_cmpuint (get_marks (fixture)->pins->len, ==, 1);
  g_assert_cmpuint (count (fixture, 0, NS_ANNOTATION_RATIO), ==, 0);
}

/* ---- menu and editor ---- */

static gboolean
is_open_popover (GtkWidget *widget, gconstpointer type)
{
  return G_TYPE_CHECK_INSTANCE_TYPE (widget, GPOINTER_TO_SIZE (type)) && gtk_widget_get_mapped (widget);
}

static GtkWidget *
find_popover (Fixture *fixture, GType type)
{
  return app_find (GTK_WIDGET (fixture->window), is_open_popover, GSIZE_TO_POINTER (type));
}

static gboolean
has_editor (gpointer fixture)
{
  return find_popover (fixture, NORMSCOPE_TYPE_NOTE_EDITOR) != NULL;
}

static gboolean
has_menu (gpointer fixture)
{
  return find_popover (fixture, GTK_TYPE_POPOVER_MENU) != NULL;
}

static gboolean
has_none (gpointer fixture)
{
  return !has_menu (fixture) && !has_editor (fixture);
}

static void
right_click (Fixture *fixture, guint panel, double block)
{
  double x, y;

  find_block (fixture, panel, block, &x, &y);
  g_assert_true (app_input_right_click_at (GTK_WIDGET (fixture->plot), x, y));
  g_assert_true (app_wait_for (has_menu, fixture, TIMEOUT_MS));
}

static void
click_item (Fixture *fixture, const char *text)
{
  GtkWidget *label = app_find_text (find_popover (fixture, GTK_TYPE_POPOVER_MENU), text);

  g_assert_nonnull (label);
  app_wait_for_frame (fixture);
  g_assert_true (app_input_click (gtk_widget_get_parent (label)));
}

static void
type (Fixture *fixture, const char *text)
{
  g_assert_true (app_wait_for (has_editor, fixture, TIMEOUT_MS));
  app_input_settle ();
  app_input_control_key (GDK_KEY_a);
  app_input_type (text);
  app_input_key (GDK_KEY_Return);
  g_assert_true (app_wait_for (has_none, fixture, TIMEOUT_MS));
  app_input_settle ();
}

static double
get_note_y (Fixture *fixture)
{
  const GPtrArray *annotations = get_panel (fixture, 0)->annotations;

  g_assert_cmpuint (annotations->len, ==, 1);
  return ((const NsAnnotation *) g_ptr_array_index (annotations, 0))->y;
}

static gboolean
shows_depth (gpointer data)
{
  Fixture *fixture = data;
  gint64 depth = normscope_session_get_experiment (fixture->session)->shape.depth;

  return ns_figure_nearest_x (normscope_plot_get_figure (fixture->plot), 1e9) == (double) depth
         && normscope_plot_get_figure (fixture->plot)->note == NULL;
}

static void
set_depth (Fixture *fixture, gint64 depth)
{
  app_move_slider (fixture, "shape.depth", (double) depth);
  g_assert_true (app_wait_for (shows_depth, fixture, TIMEOUT_MS));
}

/* A note moves with its curve, waits while its block does not exist, and is edited and removed from the menu. */
static void
test_note (Fixture *fixture, gconstpointer data)
{
  gint64 depth = fixture->experiment->shape.depth;
  const NsNote *note;
  double before;

  right_click (fixture, 0, (double) depth);
  click_item (fixture, "Add Note");
  type (fixture, "the loss is here");
  g_assert_cmpuint (get_marks (fixture)->notes->len, ==, 1);
  note = g_ptr_array_index (get_marks (fixture)->notes, 0);
  g_assert_cmpstr (note->text, ==, "the loss is here");
  g_assert_cmpint (note->place.block, ==, depth);
  g_assert_cmpuint (count (fixture, 0, NS_ANNOTATION_NOTE), ==, 1);
  assert_described (fixture, "Note “the loss is here” at Block", TRUE);

  before = get_note_y (fixture);
  set_depth (fixture, depth + 4);
  g_assert_cmpuint (count (fixture, 0, NS_ANNOTATION_NOTE), ==, 1);
  g_assert_cmpfloat (get_note_y (fixture), !=, before);
  set_depth (fixture, depth - 1);
  g_assert_cmpuint (count (fixture, 0, NS_ANNOTATION_NOTE), ==, 0);
  assert_described (fixture, "(not drawn: there are", TRUE);
  set_depth (fixture, depth);
  g_assert_cmpfloat (get_note_y (fixture), ==, before);

  right_click (fixture, 0, 1);
  click_item (fixture, "Edit");
  app_input_settle ();
  app_wait_for_text (GTK_WIDGET (fixture->window), "the loss is here");
  click_item (fixture, "the loss is here");
  type (fixture, "changed");
  note = g_ptr_array_index (get_marks (fixture)->notes, 0);
  g_assert_cmpstr (note->text, ==, "changed");
  undo (fixture);
  note = g_ptr_array_index (get_marks (fixture)->notes, 0);
  g_assert_cmpstr (note->text, ==, "the loss is here");

  right_click (fixture, 0, 1);
  click_item (fixture, "Remove All");
  g_assert_true (app_wait_for (has_none, fixture, TIMEOUT_MS));
  g_assert_true (ns_marks_are_empty (get_marks (fixture)));
}

/* The kept curve stays when the variant changes, and is computed again when its numbers are lost. */
static gboolean
has_reference (gpointer data)
{
  Fixture *fixture = data;
  const NsPanel *panel = get_panel (fixture, 0);

  for (guint s = 0; s < panel->series->len; s++)
    if (((const NsSeries *) g_ptr_array_index (panel->series, s))->role == NS_ROLE_REFERENCE)
      return TRUE;
  return FALSE;
}

static void
test_keep (Fixture *fixture, gconstpointer data)
{
  g_autofree double *kept = NULL;
  const NsSeries *series;
  NsMarks *marks;
  guint last;

  right_click (fixture, 0, 2);
  click_item (fixture, "Keep Curve");
  g_assert_true (app_wait_for (has_none, fixture, TIMEOUT_MS));
  g_assert_true (has_reference (fixture));
  last = get_panel (fixture, 0)->series->len - 1;
  series = g_ptr_array_index (get_panel (fixture, 0)->series, last);
  kept = g_memdup2 (series->y, series->n * sizeof *kept);

  marks = ns_marks_copy (get_marks (fixture));
  undo (fixture);
  g_assert_false (has_reference (fixture));
  g_clear_pointer (&((NsReference *) g_ptr_array_index (marks->references, 0))->result, ns_result_unref);
  g_assert_true (normscope_session_take_marks (fixture->session, marks, NULL));
  g_assert_false (has_reference (fixture));
  g_assert_true (app_wait_for (has_reference, fixture, TIMEOUT_MS));
  series = g_ptr_array_index (get_panel (fixture, 0)->series, last);
  g_assert_cmpint (series->role, ==, NS_ROLE_REFERENCE);
  g_assert_cmpmem (series->y, series->n * sizeof *kept, kept, series->n * sizeof *kept);
  undo (fixture);
  g_assert_true (ns_marks_are_empty (get_marks (fixture)));
}

/* Everything by keys. */
static void
test_keys (Fixture *fixture, gconstpointer data)
{
  gtk_widget_grab_focus (GTK_WIDGET (fixture->plot));
  normscope_plot_set_cursor (fixture->plot, 2);
  app_input_key (GDK_KEY_p);
  g_assert_cmpuint (get_marks (fixture)->pins->len, ==, 1);
  app_input_key (GDK_KEY_Right);
  app_input_key (GDK_KEY_P);
  g_assert_cmpuint (get_marks (fixture)->pins->len, ==, 3);
  app_input_key (GDK_KEY_n);
  type (fixture, "by keys");
  g_assert_cmpuint (get_marks (fixture)->notes->len, ==, 1);
  app_input_key (GDK_KEY_N);
  type (fixture, "arrow");
  g_assert_cmpint (((NsNote *) g_ptr_array_index (get_marks (fixture)->notes, 1))->kind, ==, NS_NOTE_ARROW);
  g_assert_true (gtk_widget_is_focus (GTK_WIDGET (fixture->plot)));
  app_input_key (GDK_KEY_p);
  g_assert_cmpuint (get_marks (fixture)->pins->len, ==, 1);
  app_input_key (GDK_KEY_Menu);
  g_assert_true (app_wait_for (has_menu, fixture, TIMEOUT_MS));
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (has_none, fixture, TIMEOUT_MS));
}

void
add_flow_marks_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/flow-marks/pin", test_pin);
  app_test_add ("/flow-marks/no-value", test_no_value);
  app_test_add ("/flow-marks/ratio", test_ratio);
  app_test_add ("/flow-marks/note", test_note);
  app_test_add ("/flow-marks/keep", test_keep);
  app_test_add ("/flow-marks/keys", test_keys);
}
