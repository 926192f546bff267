/* Use lists and sliders of the real window with clicks, keys and the wheel through the X server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-catalog.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app-dialogs.h"
#include "app-input.h"
#include "app/sidebar/normscope-variant-list.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-scale-down.h"

static const NsExperiment *
get_experiment (Fixture *fixture)
{
  return normscope_session_get_experiment (fixture->session);
}

/* ---- the catalog ---- */

static GtkWidget *
find_row (GtkWidget *catalog, const char *list, const char *title)
{
  GtkWidget *row = GTK_WIDGET (catalog_find_row (app_get_child (catalog, list), title));

  app_input_settle ();
  return row;
}

static void
wait_for_double_click (void)
{
  int ms;

  g_object_get (gtk_settings_get_default (), "gtk-double-click-time", &ms, NULL);
  app_iterate ((guint) ms + 100);
}

/* One click shows the details of a row and changes nothing; a second one, soon after, opens it. */
static void
test_catalog_preset (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) before = ns_experiment_copy (get_experiment (fixture)), scaled = NULL;
  g_autoptr (NsExperiment) full = ns_preset_load ("wide", NULL);
  GtkWidget *catalog = catalog_open (fixture, "presets"), *details = app_get_child (catalog, "preset_details");
  GtkWidget *row;

  scaled = ns_experiment_scale_down (full, NS_SCALED_D_MODEL);
  catalog_search (catalog, "wide");
  row = find_row (catalog, "preset_list", "My wide one");
  g_assert_true (app_input_click (row));
  wait_for_double_click (); /* it is no part of one */
  g_assert_false (catalog_is_closed (NULL));
  g_assert_cmpstr (catalog_get_label (details, "title"), ==, "My wide one");
  g_assert_true (ns_experiment_equal (get_experiment (fixture), before));

  app_input_double_click (row);
  g_assert_true (app_wait_for (catalog_is_closed, NULL, TIMEOUT_MS));
  app_answer_question ("_Discard");
  g_assert_true (ns_experiment_equal (get_experiment (fixture), scaled));
}

static void
test_catalog_variant (Fixture *fixture, gconstpointer data)
{
  GtkWidget *catalog = catalog_open (fixture, "variants"), *details = app_get_child (catalog, "variant_details");
  GtkWidget *row;

  catalog_search (catalog, "res-post-norm");
  row = find_row (catalog, "variant_list", "Res-post-norm");
  g_assert_true (app_input_click (row));
  wait_for_double_click ();
  g_assert_false (catalog_is_closed (NULL));
  g_assert_cmpstr (catalog_get_label (details, "title"), ==, "Res-post-norm");
  g_assert_cmpuint (normscope_session_get_n_variants (fixture->session), ==, 2);

  app_input_key (GDK_KEY_Return);
  g_assert_true (app_wait_for (catalog_is_closed, NULL, TIMEOUT_MS));
  g_assert_cmpuint (normscope_session_get_n_variants (fixture->session), ==, 3);
  g_assert_cmpstr (ns_experiment_variant (get_experiment (fixture), 2)->name, ==, "Res-post-norm");
}

/* ---- the list of variants ---- */

static GtkWidget *
get_focus (Fixture *fixture)
{
  return gtk_window_get_focus (GTK_WINDOW (fixture->window));
}

static gboolean
has_focus_inside (Fixture *fixture, gpointer widget)
{
  GtkWidget *focus = get_focus (fixture);

  return focus != NULL && (focus == widget || gtk_widget_is_ancestor (focus, widget));
}

static gboolean
is_add_button (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_MENU_BUTTON (widget)
         && g_strcmp0 (gtk_menu_button_get_icon_name (GTK_MENU_BUTTON (widget)), "list-add-symbolic") == 0;
}

/* Press Tab, or Shift+Tab, until the focus is in the widget. Return FALSE if it never is. */
static gboolean
tab_to (Fixture *fixture, gpointer widget, gboolean forward)
{
  for (int i = 0; i < 80; i++)
    {
      if (has_focus_inside (fixture, widget))
        return TRUE;
      app_input_tab (forward);
    }
  return FALSE;
}

/* From the button above the list, Tab leads to the first variant's row, its buttons and its controls; the arrow keys
 * lead to the second one, and Tab to its buttons and controls. */
static void
test_tab_past_variants (Fixture *fixture, gconstpointer data)
{
  GtkWidget *add = app_find (GTK_WIDGET (fixture->window), is_add_button, NULL);
  GtkWidget *residual = app_find_in_row (fixture, "ffn.residual", GTK_TYPE_SWITCH);
  GtkWidget *rows[] = { GTK_WIDGET (app_find_variant (fixture, 0)), GTK_WIDGET (app_find_variant (fixture, 1)) };

  for (guint v = 0; v < 2; v++)
    {
      gtk_widget_grab_focus (add);
      app_input_tab (TRUE);
      g_assert_true (get_focus (fixture) == rows[v]);
      g_assert_true (tab_to (fixture, app_get_child (rows[v], "visible_button"), TRUE));
      g_assert_true (tab_to (fixture, residual, TRUE));
      g_assert_cmpuint (normscope_session_get_selected (fixture->session), ==, v);
      app_input_key (GDK_KEY_space);
      g_assert_false (ns_experiment_variant (get_experiment (fixture), v)->ffn.residual);

      g_assert_true (tab_to (fixture, app_get_child (rows[v], "visible_button"), FALSE));
      g_assert_cmpuint (normscope_session_get_selected (fixture->session), ==, v);
      g_assert_true (tab_to (fixture, add, FALSE));
      g_assert_cmpuint (normscope_session_get_selected (fixture->session), ==, v);
      app_input_tab (TRUE);
      app_input_key (GDK_KEY_Down);
    }
  g_assert_cmpuint (normscope_session_get_selected (fixture->session), ==, 1);
  g_assert_true (ns_experiment_variant (get_experiment (fixture), 0)->attn.residual);
}

/* A button of a row that is not selected keeps the focus within that row. */
static void
test_tab_from_other_row (Fixture *fixture, gconstpointer data)
{
  GtkWidget *row = GTK_WIDGET (app_find_variant (fixture, 1)), *button = app_get_child (row, "visible_button");

  g_assert_true (app_input_click (button));
  g_assert_true (normscope_session_get_look (fixture->session, 1)->hidden);
  for (int i = 0; i < 8; i++)
    {
      app_input_tab (i >= 4);
      g_assert_cmpuint (normscope_session_get_selected (fixture->session), ==, 0);
    }
}

/* ---- sliders ---- */

static GtkWidget *
find_slider (Fixture *fixture, const char *path)
{
  return app_find_in_row (fixture, path, GTK_TYPE_SCALE);
}

static gboolean
is_knob (GtkWidget *widget, gconstpointer data)
{
  return g_strcmp0 (gtk_widget_get_css_name (widget), "slider") == 0;
}

/* The middle of the knob, in px from the slider's left. */
static double
get_knob_x (GtkWidget *slider)
{
  graphene_rect_t knob;

  g_assert_true (gtk_widget_compute_bounds (app_find (slider, is_knob, NULL), slider, &knob));
  return graphene_rect_get_x (&knob) + graphene_rect_get_width (&knob) / 2.0;
}

#define KNOB_Y 2

/* Drag the knob to `x` and leave it there. */
static void
drag_to (GtkWidget *slider, double x)
{
  app_input_point_at (slider, get_knob_x (slider), KNOB_Y);
  app_input_press ();
  app_input_point_at (slider, x, KNOB_Y);
  app_input_release ();
}

/* A drag that ends near a mark ends at the mark; one that ends between two does not. */
static void
test_marks_snap (Fixture *fixture, gconstpointer data)
{
  static const double values[] = { 0, 0.25, 1 };
  GtkWidget *slider = find_slider (fixture, "post_fraction");
  double x[G_N_ELEMENTS (values)], between;
  int double_click_ms;

  /* Two drags in a row are no double click, which would restore the default. */
  g_object_get (gtk_settings_get_default (), "gtk-double-click-time", &double_click_ms, NULL);
  g_object_set (gtk_settings_get_default (), "gtk-double-click-time", 1, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      app_move_slider (fixture, "post_fraction", values[i]);
      app_input_settle ();
      x[i] = get_knob_x (slider);
    }
  between = (x[1] + x[2]) / 2;
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    for (double off = -6; off <= 6; off += 4)
      {
        drag_to (slider, between + off);
        g_assert_cmpfloat_with_epsilon (normscope_session_get_post_fraction (fixture->session),
                                        0.625 + off / (x[2] - x[0]), 0.02);
        drag_to (slider, x[i] + off);
        g_assert_cmpfloat (normscope_session_get_post_fraction (fixture->session), ==, values[i]);
      }
  g_object_set (gtk_settings_get_default (), "gtk-double-click-time", double_click_ms, NULL);
}

/* For other placements than Pre-LN, Post-LN and mixes of the two, the slider has no value. */
static void
test_knob_without_value (Fixture *fixture, gconstpointer data)
{
  GtkWidget *slider = find_slider (fixture, "post_fraction");

  normscope_session_set_placement (fixture->session, NS_SUB_FFN, NS_PLACE_POST);
  g_assert_true (isnan (normscope_session_get_post_fraction (fixture->session)));
  g_assert_true (gtk_widget_has_css_class (slider, "none"));
  g_assert_null (gtk_test_accessible_check_property (GTK_ACCESSIBLE (slider), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "–"));

  /* A click sets the value at its position. */
  g_assert_true (app_input_click_at (slider, get_knob_x (slider) + 20, KNOB_Y));
  g_assert_false (isnan (normscope_session_get_post_fraction (fixture->session)));
  g_assert_false (gtk_widget_has_css_class (slider, "none"));
}

/* The wheel scrolls the sidebar, also over a slider, until a click focuses the slider. */
static void
test_wheel (Fixture *fixture, gconstpointer data)
{
  GtkWidget *slider = find_slider (fixture, "post_fraction");
  GtkWidget *scrolled = gtk_widget_get_ancestor (slider, GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));
  g_autoptr (NsExperiment) before = ns_experiment_copy (get_experiment (fixture));
  double middle = gtk_widget_get_width (slider) / 2.0, top = gtk_adjustment_get_value (adjustment);

  gtk_widget_grab_focus (app_find_in_row (fixture, "attn.norm", GTK_TYPE_DROP_DOWN));
  app_input_point_at (slider, middle, KNOB_Y);
  app_input_scroll (TRUE);
  app_settle ();
  g_assert_true (ns_experiment_equal (get_experiment (fixture), before));
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), >, top);

  app_input_click_at (slider, middle, KNOB_Y);
  g_assert_true (gtk_widget_has_focus (slider));
  top = gtk_adjustment_get_value (adjustment);
  g_clear_pointer (&before, ns_experiment_free);
  before = ns_experiment_copy (get_experiment (fixture));
  app_input_scroll (TRUE);
  app_settle ();
  g_assert_false (ns_experiment_equal (get_experiment (fixture), before));
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), ==, top);
}

/* ---- adding a variant ---- */

static gboolean
is_mapped (gpointer widget)
{
  return gtk_widget_get_mapped (widget);
}

static gboolean
has_third_variant (gpointer session)
{
  return normscope_session_get_n_variants (session) == 3;
}

/* The second row of the additions is Post-LN; with the button above, it keeps the selected variant's norm on the
 * input. */
static void
add_post (Fixture *fixture, gboolean keeps)
{
  GtkWidget *list = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_VARIANT_LIST);
  GtkWidget *add = app_find (GTK_WIDGET (fixture->window), is_add_button, NULL);
  GtkWidget *additions = app_get_child (list, "builtin_list"), *keep = app_get_child (list, "keep_button");
  const NsVariant *added;

  gtk_switch_set_active (GTK_SWITCH (app_find_in_row (fixture, "input_norm", GTK_TYPE_SWITCH)), TRUE);
  app_input_settle ();
  g_assert_true (app_input_click_until (add, is_mapped, additions));
  app_wait_until (app_is_mapped, keep);
  if (!keeps)
    g_assert_true (app_input_click (keep));
  g_assert_true (app_input_click (GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (additions), 1))));
  g_assert_true (app_wait_for (has_third_variant, fixture->session, TIMEOUT_MS));
  added = ns_experiment_variant (get_experiment (fixture), 2);
  g_assert_cmpint (added->attn.norm, ==, NS_PLACE_POST);
  g_assert_cmpint (added->input_norm, ==, keeps);
}

static void
test_add_keeping (Fixture *fixture, gconstpointer data)
{
  add_post (fixture, TRUE);
}

static void
test_add_as_published (Fixture *fixture, gconstpointer data)
{
  add_post (fixture, FALSE);
}

static const char *
prepare (void)
{
  catalog_prepare ();
  return app_input_prepare ();
}

void
add_pointer_and_keys_tests (void)
{
  app_test_prepare (prepare);
  app_test_add ("/pointer-and-keys/catalog-preset", test_catalog_preset);
  app_test_add ("/pointer-and-keys/catalog-variant", test_catalog_variant);
  app_test_add ("/pointer-and-keys/tab-past-variants", test_tab_past_variants);
  app_test_add ("/pointer-and-keys/tab-from-other-row", test_tab_from_other_row);
  app_test_add ("/pointer-and-keys/marks-snap", test_marks_snap);
  app_test_add ("/pointer-and-keys/knob-without-value", test_knob_without_value);
  app_test_add ("/pointer-and-keys/wheel", test_wheel);
  app_test_add ("/pointer-and-keys/add-keeping", test_add_keeping);
  app_test_add ("/pointer-and-keys/add-as-published", test_add_as_published);
}
