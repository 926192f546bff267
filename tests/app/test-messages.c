/* Test the place of messages, and their texts after a copy and an export.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"
#include "app-files.h"
#include "app-widgets.h"
#include "app-scaling.h"

#include <string.h>

#include "app/dialogs/normscope-data-dialog.h"
#include "app/dialogs/normscope-export-dialog.h"
#include "engine/experiment/ns-experiment.h"

/* Well below the time that a message is shown. */
#define LONG_TEXT                                                                                                   \
  "shape.heads: 3 does not divide the model width of 128; allowed are the divisors of 128, or another head width "    \
  "for each head, which the sidebar sets under Shape, and this sentence goes on for quite a while."

static gboolean
is_toast (GtkWidget *widget, gconstpointer data)
{
  return g_str_equal (gtk_widget_get_css_name (widget), "toast") && gtk_widget_get_mapped (widget);
}

static GtkWidget *
find_toast (Fixture *fixture)
{
  return app_find (GTK_WIDGET (fixture->window), is_toast, NULL);
}

/* Plots and everything with text in the content but the toast itself. */
static gboolean
covers (GtkWidget *widget, gconstpointer data)
{
  GtkWidget *toast = (GtkWidget *) data, *window = GTK_WIDGET (gtk_widget_get_root (toast));
  GtkWidget *scroller = gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t a, b, seen;

  if (!(NORMSCOPE_IS_PLOT (widget) || GTK_IS_LABEL (widget)) || !gtk_widget_get_mapped (widget)
      || gtk_widget_is_ancestor (widget, toast) || gtk_widget_get_native (widget) != GTK_NATIVE (window)
      || !gtk_widget_compute_bounds (widget, window, &a) || !gtk_widget_compute_bounds (toast, window, &b))
    return FALSE;
  if (scroller != NULL && gtk_widget_compute_bounds (scroller, window, &seen)
      && !graphene_rect_intersection (&a, &seen, &a))
    return FALSE;
  return graphene_rect_intersection (&a, &b, NULL);
}

static GtkWidget *
find_covered (Fixture *fixture)
{
  GtkWidget *toast = find_toast (fixture);
  GtkWidget *views = app_find_type (GTK_WIDGET (fixture->window), ADW_TYPE_VIEW_STACK);

  g_assert_nonnull (views);
  g_assert_nonnull (toast);
  return app_find (views, covers, toast);
}

/* Predicate: the window, which may have to grow for its texts, has been laid out. */
static gboolean
is_clear (gpointer fixture)
{
  return find_covered (fixture) == NULL;
}

static void
assert_covers_nothing (Fixture *fixture, const char *view_name)
{
  GtkWidget *covered;

  app_wait_for_frame (fixture);
  if (app_wait_for (is_clear, fixture, TIMEOUT_MS))
    return;
  covered = find_covered (fixture);
  g_error ("%s: the message covers %s “%s”", view_name, G_OBJECT_TYPE_NAME (covered),
           GTK_IS_LABEL (covered) ? gtk_label_get_label (GTK_LABEL (covered)) : "");
}

static gboolean
has_toast (gpointer fixture)
{
  return find_toast (fixture) != NULL;
}

static gboolean
has_no_toast (gpointer fixture)
{
  return find_toast (fixture) == NULL;
}

static void
dismiss (Fixture *fixture)
{
  GtkWidget *button = app_find_type (find_toast (fixture), GTK_TYPE_BUTTON);

  g_signal_emit_by_name (button, "clicked");
  g_assert_true (app_wait_for (has_no_toast, fixture, TIMEOUT_MS));
}

/* What is swept matters little here, and the default sweeps take a minute of a busy machine under a sanitizer. */
static void
sweep_little (Fixture *fixture)
{
  Scaling scaling = scaling_find (fixture);

  scaling_set_small_theory (&scaling);
}

static void
test_place (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    int width, height;
    double text_scale;
    const char *text;
  } cases[] = {
    { 1280, 720, 1, "Saved" }, { 1280, 720, 2, LONG_TEXT }, { 900, 560, 1, LONG_TEXT }, { 900, 560, 2, "Saved" },
  };
  static const char *const views[] = { "flow", "paths", "scaling", "training" };

  sweep_little (fixture);
  for (gsize v = 0; v < G_N_ELEMENTS (views); v++)
    for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
      {
        NormscopeView view = *normscope_session_get_view (fixture->session);

        view.text_scale = cases[i].text_scale;
        normscope_session_set_view (fixture->session, &view);
        gtk_window_set_default_size (GTK_WINDOW (fixture->window), cases[i].width, cases[i].height);
        gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", views[v]);
        if (strcmp (views[v], "training") != 0) /* it has no plot before it has trained */
          app_wait_for_idle_plot (fixture);
        normscope_window_show_message (fixture->window, cases[i].text);
        g_assert_true (app_wait_for (has_toast, fixture, TIMEOUT_MS));
        assert_covers_nothing (fixture, views[v]);
        dismiss (fixture);
      }
}

/* A name of one long word, as in a hostile file, makes no view wider than a screen. X ends a program that asks for a
 * window of more than 32767 pixels. */
static void
test_long_names (Fixture *fixture, gconstpointer data)
{
  static const char *const views[] = { "flow", "paths", "scaling", "training" };
  g_autofree char *name = g_strnfill (NS_MAX_NAME_BYTES - 8, 'x');

  sweep_little (fixture);
  for (guint v = 0; v < fixture->experiment->variants->len; v++)
    {
      NsVariant *variant = ns_experiment_variant (fixture->experiment, v);

      g_free (variant->name);
      variant->name = g_strdup_printf ("%u%s", v, name);
    }
  fixture->keeps_names = TRUE;
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (fixture->experiment));
  for (gsize i = 0; i < G_N_ELEMENTS (views); i++)
    {
      int width;

      gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", views[i]);
      if (strcmp (views[i], "training") != 0)
        app_wait_for_idle_plot (fixture);
      app_draw_frames (30); /* until the status of a long run is there, too */
      gtk_widget_measure (GTK_WIDGET (fixture->window), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
      g_test_message ("%s: at least %d pixels", views[i], width);
      g_assert_cmpint (width, <=, 1280);
    }
}

/* ---- what they say ---- */

static void
test_copy (Fixture *fixture, gconstpointer data)
{
  app_activate (fixture, "win.copy-picture");
  g_assert_true (app_wait_for_toast (fixture, "The picture is on the clipboard: PNG with "));
  dismiss (fixture);
  app_activate (fixture, "win.copy-data");
  g_assert_true (app_wait_for_toast (fixture, "The numbers of the figure are on the clipboard"));
  dismiss (fixture);
}

static void
assert_confirms (Fixture *fixture, const char *action, const char *name)
{
  g_autofree char *path = app_dup_path (name);
  g_autofree char *text = g_strdup_printf ("Saved as “%s”", name);
  GtkWidget *dialog, *button;

  app_activate (fixture, action);
  dialog = app_wait_for_dialog (strstr (action, "data") != NULL ? NORMSCOPE_TYPE_DATA_DIALOG
                                                                : NORMSCOPE_TYPE_EXPORT_DIALOG);
  button = app_find_text (dialog, "_Export…");
  g_assert_true (GTK_IS_BUTTON (button));
  g_signal_emit_by_name (button, "clicked");
  app_choose_file (app_get_folder (), name);
  g_assert_true (app_wait_for_toast (fixture, text));
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_nonnull (app_find_text (find_toast (fixture), "_Open Folder"));
  dismiss (fixture);
}

static void
test_export (Fixture *fixture, gconstpointer data)
{
  assert_confirms (fixture, "win.export", "confirmed.png");
  assert_confirms (fixture, "win.export-data", "confirmed.csv");
}

/* ---- one at a time ---- */

static guint
count_toasts (GtkWidget *widget)
{
  guint n = is_toast (widget, NULL) && gtk_widget_get_can_target (widget);

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_toasts (child);
  return n;
}

/* The newest message replaces the former one, and each may be dismissed while others still fade. */
static void
test_one_at_a_time (Fixture *fixture, gconstpointer data)
{
  static const guint pauses_ms[] = { 0, 40, 150, 400 };
  GtkSettings *settings = gtk_settings_get_default ();

  g_object_set (settings, "gtk-enable-animations", TRUE, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (pauses_ms); i++)
    {
      normscope_window_show_message (fixture->window, "first");
      g_assert_true (app_wait_for_toast (fixture, "first"));
      app_iterate (pauses_ms[i]);
      gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-folder-message", "(ss)", "second",
                                  "file:///");
      normscope_window_show_message (fixture->window, "third");
      g_assert_cmpuint (count_toasts (GTK_WIDGET (fixture->window)), ==, 1);
      g_assert_true (app_wait_for_toast (fixture, "third"));
      app_iterate (pauses_ms[i]);
      dismiss (fixture);
    }
  g_object_set (settings, "gtk-enable-animations", FALSE, NULL);
}

void
add_messages_tests (void)
{
  app_test_add ("/messages/one-at-a-time", test_one_at_a_time);
  app_test_add ("/messages/place", test_place);
  app_test_add ("/messages/long-names", test_long_names);
  app_test_add ("/messages/copy", test_copy);
  app_test_add ("/messages/export", test_export);
}
