/* The wiring above the plots, with the pointer and with keys through the X server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "app-dialogs.h"
#include "app-widgets.h"
#include "app-input.h"
#include "app/wiring/normscope-wiring-part.h"
#include "app/wiring/normscope-wiring-row.h"
#include "app/wiring/normscope-wiring-strip.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-rewire.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-variants.h"
#include "script/ns-torch-block.h"

static const NsVariant *
get_variant (Fixture *fixture, guint v)
{
  return ns_experiment_variant (normscope_session_get_experiment (fixture->session), v);
}

static GtkWidget *
get_strip (Fixture *fixture)
{
  return app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_WIRING_STRIP);
}

static gboolean
is_row_of (GtkWidget *widget, gconstpointer variant)
{
  return NORMSCOPE_IS_WIRING_ROW (widget) && gtk_widget_get_mapped (widget)
         && normscope_wiring_row_get_variant (NORMSCOPE_WIRING_ROW (widget)) == GPOINTER_TO_UINT (variant);
}

/* Return the row of a variant, or NULL. */
static NormscopeWiringRow *
find_row (Fixture *fixture, guint variant)
{
  return (NormscopeWiringRow *) app_find (get_strip (fixture), is_row_of, GUINT_TO_POINTER (variant));
}

static GtkWidget *
find_part (Fixture *fixture, guint variant, NsWiringPartKind kind, int part, int which)
{
  NormscopeWiringRow *row = find_row (fixture, variant);

  g_assert_nonnull (row);
  return normscope_wiring_row_find_part (row, ns_wiring_part_pack ((NsWiringPart){ kind, part, which }));
}

static GtkWidget *
get_part (Fixture *fixture, NsWiringPartKind kind, int part, int which)
{
  GtkWidget *widget = find_part (fixture, normscope_session_get_selected (fixture->session), kind, part, which);

  g_assert_nonnull (widget);
  return widget;
}

static void
assert_label (GtkWidget *part, const char *label)
{
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (part), GTK_ACCESSIBLE_PROPERTY_LABEL, label);
}

/* Undo exactly one step, and expect the former wiring. */
static void
undo_to (Fixture *fixture, const NsExperiment *before)
{
  app_activate (fixture, "win.undo");
  app_input_settle ();
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), before));
}

/* ---- residuals ---- */

static void
test_residual (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) before = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  GtkWidget *wire = get_part (fixture, NS_WIRING_PART_RESIDUAL, 0, NS_SUB_ATTN), *toggle;

  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (wire), GTK_ACCESSIBLE_ROLE_SWITCH);
  assert_label (wire, "Attention residual: connected");
  gtk_test_accessible_assert_state (GTK_ACCESSIBLE (wire), GTK_ACCESSIBLE_STATE_CHECKED, TRUE);
  g_assert_nonnull (gdk_cursor_get_texture (gtk_widget_get_cursor (wire))); /* scissors */
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (wire), "Click to cut it"));
  g_assert_true (app_input_click (wire));
  g_assert_false (get_variant (fixture, 0)->attn.residual);
  g_assert_true (get_variant (fixture, 0)->ffn.residual);
  assert_label (wire, "Attention residual: cut");
  gtk_test_accessible_assert_state (GTK_ACCESSIBLE (wire), GTK_ACCESSIBLE_STATE_CHECKED, FALSE);
  /* the sidebar's switch mirrors it */
  toggle = app_find_in_row (fixture, "attn.residual", GTK_TYPE_SWITCH);
  g_assert_false (gtk_switch_get_active (GTK_SWITCH (toggle)));
  undo_to (fixture, before);
  assert_label (wire, "Attention residual: connected");

  g_assert_true (app_input_click (wire));
  g_assert_true (app_input_click (wire));
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), before));

  /* with the keyboard, which the click has brought here */
  app_input_key (GDK_KEY_space);
  g_assert_false (get_variant (fixture, 0)->attn.residual);
  app_input_key (GDK_KEY_space);
  g_assert_true (get_variant (fixture, 0)->attn.residual);
}

/* ---- norms ---- */

static void
get_middle (GtkWidget *widget, GtkWidget *in, double *x, double *y)
{
  gtk_widget_translate_coordinates (widget, in, gtk_widget_get_width (widget) / 2.0,
                                    gtk_widget_get_height (widget) / 2.0, x, y);
}

/* Drag a norm to a point of the row. */
static void
drag_to (GtkWidget *norm, double x, double y)
{
  GtkWidget *row = gtk_widget_get_parent (norm);
  double from_x, from_y;

  get_middle (norm, row, &from_x, &from_y);
  app_input_point_at (norm, gtk_widget_get_width (norm) / 2.0, gtk_widget_get_height (norm) / 2.0);
  app_input_press ();
  for (int step = 1; step <= 4; step++)
    app_input_point_at (row, from_x + (x - from_x) * step / 4, from_y + (y - from_y) * step / 4);
  app_input_release ();
}

static void
drag_norm (Fixture *fixture, NsNormPlace from, NsNormPlace to)
{
  GtkWidget *norm = get_part (fixture, NS_WIRING_PART_NORM, 0, from);
  GtkWidget *socket = get_part (fixture, NS_WIRING_PART_SOCKET, 0, to);
  double x, y;

  get_middle (socket, gtk_widget_get_parent (norm), &x, &y);
  drag_to (norm, x, y);
}

static void
test_drag (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) before = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  GtkWidget *norm = get_part (fixture, NS_WIRING_PART_NORM, 0, NS_NORM_FFN_PRE);

  assert_label (norm, "FFN norm: before the sub-layer (Pre-LN)");
  drag_norm (fixture, NS_NORM_FFN_PRE, NS_NORM_FFN_POST);
  g_assert_cmpint (get_variant (fixture, 0)->ffn.norm, ==, NS_PLACE_POST);
  g_assert_cmpint (get_variant (fixture, 0)->attn.norm, ==, NS_PLACE_PRE);
  assert_label (get_part (fixture, NS_WIRING_PART_NORM, 0, NS_NORM_FFN_POST),
                "FFN norm: after the addition (Post-LN)");
  g_assert_true (gtk_widget_has_focus (get_part (fixture, NS_WIRING_PART_NORM, 0, NS_NORM_FFN_POST)));
  undo_to (fixture, before);

  drag_norm (fixture, NS_NORM_ATTN_PRE, NS_NORM_ATTN_BRANCH);
  g_assert_cmpint (get_variant (fixture, 0)->attn.norm, ==, NS_PLACE_BRANCH);
  undo_to (fixture, before);

  /* off the wiring: gone */
  norm = get_part (fixture, NS_WIRING_PART_NORM, 0, NS_NORM_FFN_PRE);
  drag_to (norm, 2, 2);
  g_assert_cmpint (get_variant (fixture, 0)->ffn.norm, ==, NS_PLACE_NONE);
  undo_to (fixture, before);

  /* back where it was, and Escape: nothing happens */
  norm = get_part (fixture, NS_WIRING_PART_NORM, 0, NS_NORM_FFN_PRE);
  app_input_point_at (norm, 4, 4);
  app_input_press ();
  app_input_point_at (norm, 60, 40);
  app_input_point_at (norm, 6, 4);
  app_input_release ();
  app_input_point_at (norm, 4, 4);
  app_input_press ();
  app_input_point_at (norm, 200, 40);
  app_input_key (GDK_KEY_Escape);
  app_input_release ();
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), before));

  /* the final norm to the input */
  drag_norm (fixture, NS_NORM_FINAL, NS_NORM_INPUT);
  g_assert_true (get_variant (fixture, 0)->input_norm);
  g_assert_cmpint (get_variant (fixture, 0)->final_norm, ==, NS_FINAL_NORM_OFF);
  undo_to (fixture, before);
}

/* Only where a norm is allowed is there a socket: no placement has one on the branch and one after the addition. A
 * click on a socket adds a norm. */
static void
test_sockets (Fixture *fixture, gconstpointer data)
{
  normscope_session_select (fixture->session, 1);
  app_input_settle ();
  g_assert_null (find_part (fixture, 1, NS_WIRING_PART_SOCKET, 0, NS_NORM_ATTN_BRANCH));
  g_assert_true (app_input_click (get_part (fixture, NS_WIRING_PART_SOCKET, 0, NS_NORM_ATTN_PRE)));
  g_assert_cmpint (get_variant (fixture, 1)->attn.norm, ==, NS_PLACE_PRE_POST);
  g_assert_true (app_input_click (get_part (fixture, NS_WIRING_PART_SOCKET, 0, NS_NORM_FINAL)));
  g_assert_cmpint (get_variant (fixture, 1)->final_norm, ==, NS_FINAL_NORM_ON);
  g_assert_cmpint (get_variant (fixture, 0)->attn.norm, ==, NS_PLACE_PRE);
}

static void
test_keys (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) before = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  GtkWidget *row = GTK_WIDGET (find_row (fixture, 0)), *norm;
  guint n_visited = 1;

  /* Tab goes through the parts from left to right. */
  gtk_widget_grab_focus (get_part (fixture, NS_WIRING_PART_INPUT, 0, 0));
  for (; !gtk_widget_has_focus (get_part (fixture, NS_WIRING_PART_HEAD, 0, 0)); n_visited++)
    {
      GtkWidget *former = gtk_window_get_focus (GTK_WINDOW (fixture->window)), *next;

      app_input_tab (TRUE);
      next = gtk_window_get_focus (GTK_WINDOW (fixture->window));
      g_assert_true (next != former && gtk_widget_get_parent (next) == row);
      g_assert_cmpint (n_visited, <, 20);
    }
  /* input, two norms, two sub-layers, two residuals, depth, final norm, head */
  g_assert_cmpuint (n_visited, ==, 10);
  app_input_tab (FALSE);
  g_assert_true (gtk_widget_has_focus (get_part (fixture, NS_WIRING_PART_NORM, 0, NS_NORM_FINAL)));
  app_input_key (GDK_KEY_Left);
  app_input_key (GDK_KEY_Right);
  g_assert_true (gtk_widget_has_focus (get_part (fixture, NS_WIRING_PART_NORM, 0, NS_NORM_FINAL)));

  /* Space takes a norm, arrows move it, Enter puts it down. */
  norm = get_part (fixture, NS_WIRING_PART_NORM, 0, NS_NORM_ATTN_PRE);
  gtk_widget_grab_focus (norm);
  app_input_key (GDK_KEY_space);
  app_input_key (GDK_KEY_Right);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (norm), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                       "Move to: Attention norm: on the branch");
  app_input_key (GDK_KEY_Right);
  app_input_key (GDK_KEY_Return);
  g_assert_cmpint (get_variant (fixture, 0)->attn.norm, ==, NS_PLACE_POST);
  g_assert_true (gtk_widget_has_focus (get_part (fixture, NS_WIRING_PART_NORM, 0, NS_NORM_ATTN_POST)));
  undo_to (fixture, before);
  gtk_widget_grab_focus (get_part (fixture, NS_WIRING_PART_NORM, 0, NS_NORM_ATTN_PRE));
  app_input_key (GDK_KEY_space);
  app_input_key (GDK_KEY_Right);
  app_input_key (GDK_KEY_Escape);
  app_input_key (GDK_KEY_Right);
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), before));

  /* Delete removes it, and the focus stays in the wiring. */
  gtk_widget_grab_focus (get_part (fixture, NS_WIRING_PART_NORM, 0, NS_NORM_FFN_PRE));
  app_input_key (GDK_KEY_Delete);
  g_assert_cmpint (get_variant (fixture, 0)->ffn.norm, ==, NS_PLACE_NONE);
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (GTK_WINDOW (fixture->window)), row));
  undo_to (fixture, before);
}

/* ---- settings ---- */

static gboolean
has_popover (gpointer row)
{
  GtkWidget *popover = app_find_type (row, GTK_TYPE_POPOVER);

  return popover != NULL && gtk_widget_get_mapped (popover);
}

static gboolean
has_no_popover (gpointer row)
{
  return app_find_type (row, GTK_TYPE_POPOVER) == NULL;
}

static gboolean
edits (GtkWidget *widget, gconstpointer path)
{
  return NORMSCOPE_IS_PARAMETER_ROW (widget)
         && g_strcmp0 (ns_param_get_path (normscope_parameter_row_get_param (NORMSCOPE_PARAMETER_ROW (widget))), path)
                == 0;
}

static gboolean
is_gone (gpointer object)
{
  return *(gpointer *) object == NULL;
}

/* The popover returns the focus, and is gone. */
static void
assert_settings (Fixture *fixture, GtkWidget *part, gboolean by_key, const char *path)
{
  GtkWidget *row = gtk_widget_get_parent (part), *popover;

  if (by_key)
    {
      gtk_widget_grab_focus (part);
      app_input_key (GDK_KEY_Return);
    }
  else
    g_assert_true (app_input_click_until (part, has_popover, row));
  g_assert_true (app_wait_for (has_popover, row, TIMEOUT_MS));
  g_assert_nonnull (app_find (app_find_type (row, GTK_TYPE_POPOVER), edits, path));
  popover = app_find_type (row, GTK_TYPE_POPOVER);
  g_object_add_weak_pointer (G_OBJECT (popover), (gpointer *) &popover);
  app_input_key (GDK_KEY_Escape);
  g_assert_true (gtk_widget_has_focus (part));
  g_assert_true (app_wait_for (has_no_popover, row, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_gone, &popover, TIMEOUT_MS));
}

static void
test_settings (Fixture *fixture, gconstpointer data)
{
  const struct
  {
    NsWiringPartKind kind;
    int which;
    const char *path;
  } parts[] = {
    { NS_WIRING_PART_NORM, NS_NORM_ATTN_PRE, "norm" },
    { NS_WIRING_PART_SUB_LAYER, NS_SUB_ATTN, "attention" },
    { NS_WIRING_PART_SUB_LAYER, NS_SUB_FFN, "activation" },
    { NS_WIRING_PART_INPUT, 0, "data.source" },
    { NS_WIRING_PART_HEAD, 0, "loss" },
    { NS_WIRING_PART_DEPTH, 0, "shape.depth" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    for (int by_key = 0; by_key < 2; by_key++)
      assert_settings (fixture, get_part (fixture, parts[i].kind, 0, parts[i].which), by_key, parts[i].path);
}

/* ---- the menu ---- */

static void
test_menu (Fixture *fixture, gconstpointer data)
{
  GtkWidget *row = GTK_WIDGET (find_row (fixture, 0));
  GdkClipboard *clipboard = gtk_widget_get_clipboard (row);
  GdkContentFormats *formats;

  gtk_widget_grab_focus (get_part (fixture, NS_WIRING_PART_SUB_LAYER, 0, NS_SUB_ATTN));
  app_input_key (GDK_KEY_Menu);
  g_assert_true (app_wait_for (has_popover, row, TIMEOUT_MS));
  g_assert_nonnull (app_find_text (row, "Copy Picture"));
  app_input_key (GDK_KEY_Return); /* the first entry has the focus */
  g_assert_true (app_wait_for (has_no_popover, row, TIMEOUT_MS));
  formats = gdk_clipboard_get_formats (clipboard);
  g_assert_true (gdk_clipboard_is_local (clipboard));
  g_assert_true (gdk_content_formats_contain_mime_type (formats, "image/png"));
  g_assert_true (gdk_content_formats_contain_mime_type (formats, "image/svg+xml"));
}

static void
block_text_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  *(char **) data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);
}

static gboolean
has_text (gpointer data)
{
  return *(char **) data != NULL;
}

/* The menu copies the block of its row as code, or says why it cannot. */
static void
test_copy_code (Fixture *fixture, gconstpointer data)
{
  GtkWidget *row;
  g_autofree char *text = NULL, *expected = NULL;

  normscope_session_select (fixture->session, 1);
  app_input_settle ();
  row = GTK_WIDGET (find_row (fixture, 1));
  gtk_widget_grab_focus (get_part (fixture, NS_WIRING_PART_SUB_LAYER, 0, NS_SUB_ATTN));
  app_input_key (GDK_KEY_Menu);
  g_assert_true (app_wait_for (has_popover, row, TIMEOUT_MS));
  app_input_keys (GDK_KEY_Down, 2);
  app_input_key (GDK_KEY_Return);
  g_assert_true (app_wait_for (has_no_popover, row, TIMEOUT_MS));
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (row), NULL, block_text_cb, &text);
  g_assert_true (app_wait_for (has_text, &text, TIMEOUT_MS));
  expected = ns_torch_block_dup (normscope_session_get_experiment (fixture->session), 1, NULL);
  g_assert_cmpstr (text, ==, expected);
  g_assert_nonnull (strstr (text, "x = norm(x + attn(x), gain_attn_post)"));

  normscope_session_set_int (fixture->session, ns_param_find ("window"), 2, NULL);
  gtk_widget_activate_action (GTK_WIDGET (find_row (fixture, normscope_session_get_selected (fixture->session))),
                              "wiring.copy-code", NULL);
  g_assert_true (app_wait_for_toast (fixture, "no short form in PyTorch"));
}

static gboolean
is_written (gpointer data)
{
  return g_file_test (data, G_FILE_TEST_EXISTS);
}

/* Open the menu with the keyboard and save the picture. */
static void
save_picture (Fixture *fixture, const char *folder, const char *name)
{
  GtkWidget *row = GTK_WIDGET (find_row (fixture, 0));

  gtk_widget_grab_focus (get_part (fixture, NS_WIRING_PART_SUB_LAYER, 0, NS_SUB_ATTN));
  app_input_key (GDK_KEY_Menu);
  g_assert_true (app_wait_for (has_popover, row, TIMEOUT_MS));
  app_input_key (GDK_KEY_Down);
  app_input_key (GDK_KEY_Return);
  app_choose_file (folder, name);
}

/* "Save Picture…" writes what the file's name asks for, with the experiment in it, and says why it cannot. */
static void
test_save (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_dir_make_tmp ("normscope-strip-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "wiring.svg", NULL);
  g_autofree char *text = NULL;

  save_picture (fixture, folder, "wiring.svg");
  g_assert_true (app_wait_for (is_written, path, TIMEOUT_MS));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "<svg"));
  g_assert_nonnull (strstr (text, "normscope-experiment"));
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "Saved as “wiring.svg”"));
  save_picture (fixture, folder, "wiring.jpg");
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "wiring.jpg"));
  /* nothing but the first one is there */
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* ---- values ---- */

static char *
dup_words (Fixture *fixture)
{
  return app_dup_description (GTK_WIDGET (find_row (fixture, normscope_session_get_selected (fixture->session))));
}

static gboolean
has_values (gpointer data)
{
  g_autofree char *words = dup_words (data);

  return strstr (words, "0.") != NULL;
}

static gboolean
has_caption (gpointer data)
{
  return app_find_text (get_strip (data), "block 2 of ") != NULL;
}

/* The values are those of the crosshair's block, which stays where it was when the crosshair goes. */
static void
test_values (Fixture *fixture, gconstpointer data)
{
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autofree char *third = NULL;

  g_assert_true (app_wait_for (has_values, fixture, TIMEOUT_MS));
  first = dup_words (fixture);
  g_assert_nonnull (app_find_text (get_strip (fixture), "Pre-LN, block 1 of "));
  g_assert_nonnull (app_find_text (get_strip (fixture), "This is Pre-LN.")); /* the verdict */
  normscope_session_set_cursor (fixture->session, 2);
  g_assert_true (has_caption (fixture));
  second = dup_words (fixture);
  g_assert_cmpstr (first, !=, second);
  normscope_session_set_cursor (fixture->session, NAN);
  third = dup_words (fixture);
  g_assert_cmpstr (second, ==, third);
  /* no values of other settings: the change is there before its result */
  g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("attn.residual"), FALSE, NULL));
  g_assert_false (has_values (fixture));
  g_assert_null (app_find_text (get_strip (fixture), "This is"));
  g_assert_true (app_wait_for (has_values, fixture, TIMEOUT_MS));
}

static gboolean
has_no_values (gpointer data)
{
  return !has_values (data);
}

static gboolean
is_of_seven_blocks (gpointer data)
{
  return app_find_text (get_strip (data), " of 7: ") != NULL;
}

/* While a slider of the shape is dragged the values and the verdict do not come and go with each picture; those of a
 * run that takes long do go. */
static void
test_dragged_values (Fixture *fixture, gconstpointer data)
{
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  gint64 moved;

  g_assert_true (app_wait_for (has_values, fixture, TIMEOUT_MS));
  first = dup_words (fixture);
  app_move_slider (fixture, "shape.depth", 7);
  second = dup_words (fixture);
  g_assert_cmpstr (first, ==, second);
  g_assert_nonnull (app_find_text (get_strip (fixture), "This is"));
  for (moved = g_get_monotonic_time (); !is_of_seven_blocks (fixture); app_iterate (1))
    {
      /* a slow machine may need longer than they stay */
      g_assert_true (has_values (fixture) || g_get_monotonic_time () - moved > 250000);
      g_assert_cmpint (g_get_monotonic_time () - moved, <, 1000 * (gint64) TIMEOUT_MS);
    }
  g_assert_true (has_values (fixture));
  g_clear_pointer (&second, g_free);
  second = dup_words (fixture);
  g_assert_cmpstr (first, !=, second);
  /* a run that takes long */
  g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("shape.depth"), 3000, NULL));
  g_assert_true (has_values (fixture));
  g_assert_true (app_wait_for (has_no_values, fixture, TIMEOUT_MS));
  g_assert_null (app_find_text (get_strip (fixture), "This is"));
  g_assert_nonnull (app_find_text (get_strip (fixture), " of 3000"));
  g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("shape.depth"), 7, NULL));
  g_assert_true (app_wait_for (is_of_seven_blocks, fixture, TIMEOUT_MS));
}

/* ---- size ---- */

static void
set_variants (Fixture *fixture, const char *const *variants)
{
  NsExperiment *experiment = ns_experiment_copy (normscope_session_get_experiment (fixture->session));

  g_ptr_array_set_size (experiment->variants, 0);
  for (; *variants != NULL; variants++)
    g_ptr_array_add (experiment->variants, ns_variant_from_text (*variants, NULL));
  normscope_session_take_experiment (fixture->session, experiment);
  app_input_settle ();
}

static void
set_text_scale (Fixture *fixture, double text_scale)
{
  NormscopeView view = *normscope_session_get_view (fixture->session);

  view.text_scale = text_scale;
  normscope_session_set_view (fixture->session, &view);
  app_input_settle ();
  app_wait_for_frame (fixture);
}

/* The strip takes at most a fifth of the height, and leaves the plot its share at any text size; it shows all variants
 * where they are legible, else the selected one, else nothing but why. */
static void
test_size (Fixture *fixture, gconstpointer data)
{
  static const char *const six[] = { "pre", "post", "deepnorm", "sandwich", "rezero", "sub-ln", NULL };
  static const double scales[] = { 1, 1.5, 2 };
  static const int sizes[][2] = { { 1270, 720 }, { 1270, 1010 }, { 960, 600 } };
  GtkWidget *strip = get_strip (fixture);
  guint n_both = 0, n_none = 0;

  for (int many = 0; many < 2; many++)
    {
      if (many)
        set_variants (fixture, six);
      for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
        for (gsize i = 0; i < G_N_ELEMENTS (scales); i++)
          {
            int height, window;

            set_text_scale (fixture, scales[i]);
            app_resize (fixture, sizes[s][0], sizes[s][1]);
            app_wait_for_idle_plot (fixture);
            app_wait_for_frame (fixture);
            height = gtk_widget_get_height (strip);
            window = gtk_widget_get_height (GTK_WIDGET (fixture->window));
            g_test_message ("%d × %d, text %g: strip %d, plot %d", sizes[s][0], sizes[s][1], scales[i], height,
                            gtk_widget_get_height (GTK_WIDGET (fixture->plot)));
            g_assert_cmpint (height, <=, 0.2 * window);
            if (height > 0)
              g_assert_cmpfloat (gtk_widget_get_height (GTK_WIDGET (fixture->plot)), >=, 0.55 * window);
            n_both += find_row (fixture, 0) != NULL && find_row (fixture, 1) != NULL ? 1 : 0;
            n_none += find_row (fixture, 0) == NULL ? 1 : 0;
          }
    }
  g_assert_cmpuint (n_both, >, 0);
  g_assert_cmpuint (n_none, >, 0);
}

static gboolean
has_verdict (gpointer data)
{
  return app_find_text (get_strip (data), "This is Pre-LN.") != NULL;
}

/* The whole verdict can be read in a small window, and its length changes nothing else's place. */
static void
test_verdict (Fixture *fixture, gconstpointer data)
{
  GtkWidget *strip = get_strip (fixture);
  GtkWidget *caption;
  int height;

  app_resize (fixture, 1270, 720);
  g_assert_true (app_wait_for (has_verdict, fixture, TIMEOUT_MS));
  app_wait_for_frame (fixture);
  caption = app_find_text (strip, "This is Pre-LN.");
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (caption))));
  g_assert_cmpint (pango_layout_get_line_count (gtk_label_get_layout (GTK_LABEL (caption))), ==, 2);
  height = gtk_widget_get_height (strip);
  normscope_session_set_int (fixture->session, ns_param_find ("attn.residual"), 0, NULL);
  app_input_settle ();
  g_assert_cmpint (gtk_widget_get_height (strip), ==, height);
  app_wait_for_idle_plot (fixture);
  app_wait_for_frame (fixture);
  /* a longer one ends with a clause */
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (caption))));
  g_assert_cmpint (gtk_widget_get_height (strip), ==, height);
}

/* F4 folds and unfolds. */
static void
test_fold (Fixture *fixture, gconstpointer data)
{
  GtkWidget *strip = get_strip (fixture);
  int height = gtk_widget_get_height (GTK_WIDGET (fixture->plot));
  gboolean folded;

  app_input_key (GDK_KEY_F4);
  g_object_get (strip, "folded", &folded, NULL);
  g_assert_true (folded);
  app_wait_for_frame (fixture);
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (fixture->plot)), >, height + 60);
  g_assert_null (find_row (fixture, 0));
  app_input_key (GDK_KEY_F4);
  app_wait_for_frame (fixture);
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (fixture->plot)), ==, height);
  g_assert_nonnull (find_row (fixture, 0));
}

/* In rows of several variants a gesture selects the variant that it touches. */
static void
test_rows (Fixture *fixture, gconstpointer data)
{
  app_resize (fixture, 1270, 1010);
  g_assert_nonnull (find_row (fixture, 0));
  g_assert_nonnull (find_row (fixture, 1));
  g_assert_cmpuint (normscope_session_get_selected (fixture->session), ==, 0);
  g_assert_true (app_input_click (find_part (fixture, 1, NS_WIRING_PART_RESIDUAL, 0, NS_SUB_FFN)));
  g_assert_cmpuint (normscope_session_get_selected (fixture->session), ==, 1);
  g_assert_false (get_variant (fixture, 1)->ffn.residual);
  g_assert_true (get_variant (fixture, 0)->ffn.residual);
  normscope_session_set_hidden (fixture->session, 0, TRUE);
  app_wait_for_frame (fixture);
  g_assert_null (find_row (fixture, 0));
  g_assert_nonnull (find_row (fixture, 1));
}

/* Cross-attention, and the encoder's own parts. */
static void
test_encoder_decoder (Fixture *fixture, gconstpointer data)
{
  NsExperiment *experiment = ns_experiment_copy (normscope_session_get_experiment (fixture->session));

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  normscope_session_take_experiment (fixture->session, experiment);
  app_resize (fixture, 1270, 900);
  app_wait_for_idle_plot (fixture);
  assert_label (get_part (fixture, NS_WIRING_PART_RESIDUAL, 1, NS_SUB_CROSS), "Cross-attention residual: connected");
  g_assert_true (app_input_click (get_part (fixture, NS_WIRING_PART_RESIDUAL, 1, NS_SUB_CROSS)));
  g_assert_true (get_variant (fixture, 0)->cross.residual == FALSE && get_variant (fixture, 0)->attn.residual);
  g_assert_true (app_input_click (get_part (fixture, NS_WIRING_PART_RESIDUAL, 0, NS_SUB_ATTN)));
  g_assert_false (get_variant (fixture, 0)->attn.residual);
}

static gboolean
is_at_block_700 (gpointer data)
{
  return app_find_text (get_strip (data), "block 700 of 1000") != NULL;
}

/* The wiring does not depend on the depth, but for its number. That is there at once where the user touches it. */
static void
test_depths (Fixture *fixture, gconstpointer data)
{
  static const gint64 depths[] = { 1, 24, 1000 };

  gtk_widget_grab_focus (get_part (fixture, NS_WIRING_PART_DEPTH, 0, 0));
  for (gsize i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      g_autofree char *label = g_strdup_printf (depths[i] == 1 ? "Depth: %d block" : "Depth: %d blocks",
                                                (int) depths[i]);

      g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("shape.depth"), depths[i], NULL));
      assert_label (get_part (fixture, NS_WIRING_PART_DEPTH, 0, 0), label);
      app_wait_for_frame (fixture);
    }
  normscope_session_set_cursor (fixture->session, 700);
  g_assert_true (app_wait_for (is_at_block_700, fixture, TIMEOUT_MS));
}

static gboolean
is_about_exponent (GtkWidget *widget, gconstpointer data)
{
  const char *tooltip = GTK_IS_LABEL (widget) ? gtk_widget_get_tooltip_text (widget) : NULL;

  return tooltip != NULL && strstr (tooltip, "∝") != NULL;
}

/* The tooltip has the whole verdict. */
static gboolean
has_exponent (gpointer fixture)
{
  return app_find (get_strip (fixture), is_about_exponent, NULL) != NULL;
}

/* The verdict has the exponent once a sweep of the same settings is there, and not with other settings. */
static void
test_exponent (Fixture *fixture, gconstpointer data)
{
  g_assert_true (app_wait_for (has_values, fixture, TIMEOUT_MS));
  g_assert_false (has_exponent (fixture));
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "scaling");
  g_assert_true (app_wait_for (has_exponent, fixture, TIMEOUT_MS));
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "flow");
  normscope_session_set_int (fixture->session, ns_param_find ("attn.residual"), FALSE, NULL);
  g_assert_true (app_wait_for (has_values, fixture, TIMEOUT_MS));
  g_assert_false (has_exponent (fixture));
}

void
add_strip_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/strip/residual", test_residual);
  app_test_add ("/strip/drag", test_drag);
  app_test_add ("/strip/sockets", test_sockets);
  app_test_add ("/strip/keys", test_keys);
  app_test_add ("/strip/settings", test_settings);
  app_test_add ("/strip/menu", test_menu);
  app_test_add ("/strip/code", test_copy_code);
  app_test_add ("/strip/save", test_save);
  app_test_add ("/strip/values", test_values);
  app_test_add ("/strip/dragged-values", test_dragged_values);
  app_test_add ("/strip/exponent", test_exponent);
  app_test_add ("/strip/size", test_size);
  app_test_add ("/strip/verdict", test_verdict);
  app_test_add ("/strip/fold", test_fold);
  app_test_add ("/strip/rows", test_rows);
  app_test_add ("/strip/encoder-decoder", test_encoder_decoder);
  app_test_add ("/strip/depths", test_depths);
}
