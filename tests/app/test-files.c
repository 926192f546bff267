/* Experiment files in the real window: saving, opening, questions about unsaved changes, the last session.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"

#include <glib/gstdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app-files.h"
#include "app-widgets.h"
#include "app/session/normscope-last-session.h"
#include "app/window/normscope-recent.h"
#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "figures/ns-flow.h"
#include "plot/ns-export.h"

static void
change_depth (Fixture *fixture, int depth)
{
  app_move_slider (fixture, "shape.depth", depth);
  fixture->experiment->shape.depth = depth;
}

static const char *
get_title (Fixture *fixture)
{
  return gtk_window_get_title (GTK_WINDOW (fixture->window));
}

/* ---- tests ---- */

static void
test_save_and_open (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("first.normscope");
  g_autoptr (NsExperiment) saved = NULL;

  change_depth (fixture, 12);
  app_assert_shows (fixture);
  g_assert_cmpstr (get_title (fixture), ==, "• New experiment — Normscope");
  app_activate (fixture, "win.save-as");
  /* The extension is appended. */
  app_choose_file (app_get_folder (), "first");
  g_assert_cmpstr (get_title (fixture), ==, "first.normscope — Normscope");
  saved = ns_experiment_from_path (g_file_peek_path (file), NULL);
  g_assert_nonnull (saved);
  g_assert_true (ns_experiment_equal (saved, fixture->experiment));

  /* A change shows the dot, and undo removes it. */
  change_depth (fixture, 20);
  g_assert_cmpstr (get_title (fixture), ==, "• first.normscope — Normscope");
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  g_assert_cmpstr (get_title (fixture), ==, "first.normscope — Normscope");
  change_depth (fixture, 20);
  app_activate (fixture, "win.save");
  g_clear_pointer (&saved, ns_experiment_free);
  saved = ns_experiment_from_path (g_file_peek_path (file), NULL);
  g_assert_cmpint (saved->shape.depth, ==, 20);

  change_depth (fixture, 6);
  app_activate (fixture, "win.open");
  app_choose_file (app_get_folder (), "first.normscope");
  app_answer_question ("_Discard");
  fixture->experiment->shape.depth = 20;
  app_assert_shows (fixture);
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), fixture->experiment));
  g_assert_false (normscope_session_can_undo (fixture->session));
}

/* Return a pixel of the widget, at its left edge in half its height. */
static guint32
get_edge_pixel (GtkWidget *widget)
{
  g_autoptr (GdkTexture) texture = app_grab (widget);
  int width = gdk_texture_get_width (texture), height = gdk_texture_get_height (texture);
  g_autofree guint32 *pixels = g_new (guint32, (gsize) width * (gsize) height);

  gdk_texture_download (texture, (guchar *) pixels, (gsize) width * sizeof (guint32));
  return pixels[(gsize) (height / 2) * (gsize) width + 2];
}

/* While a file is over the window, GTK sets the state "drop(active)" on the widget that takes it: it is framed. */
static void
test_drop_highlight (Fixture *fixture, gconstpointer data)
{
  GtkWidget *content = adw_application_window_get_content (ADW_APPLICATION_WINDOW (fixture->window));
  guint32 before = get_edge_pixel (content), during;

  gtk_widget_set_state_flags (content, GTK_STATE_FLAG_DROP_ACTIVE, FALSE);
  app_settle ();
  during = get_edge_pixel (content);
  g_assert_cmphex (during, !=, before);
  gtk_widget_unset_state_flags (content, GTK_STATE_FLAG_DROP_ACTIVE);
  app_settle ();
  g_assert_cmphex (get_edge_pixel (content), ==, before);
}

static void
test_drop (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("dropped.normscope");

  fixture->experiment->shape.depth = 9;
  g_assert_true (ns_experiment_save (fixture->experiment, g_file_peek_path (file), NULL));
  app_drop_file (fixture, file);
  app_answer_question ("_Discard");
  app_assert_shows (fixture);
}

/* An exported picture opens as its experiment, but is not saved to. */
static void
test_picture (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("figure.png");
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsResult) result = NULL;
  g_autoptr (NsFigure) figure = NULL;
  g_autoptr (GBytes) text = NULL;
  g_autoptr (GBytes) picture = NULL;
  NsExportMetadata metadata = { .software = "test" };
  NsFlowOptions options;
  NsTheme theme;

  fixture->experiment->shape.depth = 3;
  result = ns_engine_run (engine, fixture->experiment, 0, 1, NULL, NULL);
  ns_flow_options_init (&options);
  figure = ns_flow_figure (result, NULL, &options);
  text = ns_experiment_to_bytes (fixture->experiment);
  metadata.experiment = g_bytes_get_data (text, NULL);
  ns_theme_init (&theme, NS_THEME_LIGHT);
  picture = ns_figure_export (figure, &theme, NS_EXPORT_PNG, 400, 300, 1, &metadata, NULL);
  g_assert_true (g_file_set_contents (g_file_peek_path (file), g_bytes_get_data (picture, NULL),
                                      (gssize) g_bytes_get_size (picture), NULL));

  normscope_window_open (fixture->window, file);
  app_answer_question ("_Discard");
  app_assert_shows (fixture);
  app_activate (fixture, "win.save");
  app_choose_file (app_get_folder (), "from-picture");
  g_assert_cmpstr (get_title (fixture), ==, "from-picture.normscope — Normscope");
}

static void
test_bad_files (Fixture *fixture, gconstpointer data)
{
  static const char text[] = "{\"format\": \"normscope-experiment\", \"version\": 1, \"shape\": {\"depth\": 0}}";
  g_autoptr (GFile) bad = app_new_file ("bad.normscope");
  g_autoptr (GFile) gone = app_new_file ("gone.normscope");
  g_autoptr (GFile) nowhere = app_new_file ("no such folder/x.normscope");
  g_autoptr (GError) error = NULL;
  g_autofree char *title = g_strdup (get_title (fixture));

  g_assert_true (g_file_set_contents (g_file_peek_path (bad), text, -1, NULL));
  normscope_window_open (fixture->window, bad);
  g_assert_true (app_wait_for_toast (fixture, "shape.depth"));
  normscope_window_open (fixture->window, gone);
  app_assert_shows (fixture);
  g_assert_cmpstr (get_title (fixture), ==, title);
  g_assert_true (normscope_session_can_undo (fixture->session));

  g_assert_false (normscope_files_save_to (normscope_window_get_files (fixture->window), nowhere, &error));
  g_assert_nonnull (strstr (error->message, "no such folder"));
  g_assert_cmpstr (get_title (fixture), ==, title);
}

/* Files of excessive size or depth are refused with a message, and fast. */
static void
test_hostile_files (Fixture *fixture, gconstpointer data)
{
  g_autofree char *nested_path
    = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "png", "bad-nested", NULL);
  g_autoptr (GFile) nested = g_file_new_for_path (nested_path);
  g_autoptr (GFile) large = app_new_file ("large.png");
  g_autofree char *title = g_strdup (get_title (fixture));
  clock_t start = clock ();

  g_assert_true (g_file_set_contents (g_file_peek_path (large), "\x89PNG\r\n\x1a\n", -1, NULL));
  g_assert_cmpint (truncate (g_file_peek_path (large), G_GINT64_CONSTANT (2) << 30), ==, 0);
  normscope_window_open (fixture->window, large);
  g_assert_true (app_wait_for_toast (fixture, "64 MiB for a picture"));
  g_assert_cmpint (clock () - start, <, 10 * CLOCKS_PER_SEC);
  normscope_window_open (fixture->window, nested);
  g_assert_true (app_wait_for_toast (fixture, "nested deeper"));
  app_assert_shows (fixture);
  g_assert_cmpstr (get_title (fixture), ==, title);
  g_assert_cmpint (g_unlink (g_file_peek_path (large)), ==, 0);
}

/* A failed save keeps the old file and the dot in the title. */
static void
test_unwritable (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("blocked.normscope");
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  g_assert_true (normscope_files_save_to (normscope_window_get_files (fixture->window), file, NULL));
  g_assert_true (g_file_get_contents (g_file_peek_path (file), &before, NULL, NULL));
  change_depth (fixture, 3);
  /* Rename the folder: permissions do not stop root. */
  {
    g_autofree char *moved = g_strconcat (app_get_folder (), ".moved", NULL);

    g_assert_cmpint (g_rename (app_get_folder (), moved), ==, 0);
    app_activate (fixture, "win.save");
    g_assert_true (app_wait_for_toast (fixture, "blocked.normscope"));
    g_assert_cmpint (g_rename (moved, app_get_folder ()), ==, 0);
  }
  g_assert_cmpstr (get_title (fixture), ==, "• blocked.normscope — Normscope");
  app_assert_shows (fixture);
  g_assert_true (g_file_get_contents (g_file_peek_path (file), &after, NULL, NULL));
  g_assert_cmpstr (before, ==, after);

  /* "Save" in the question does not close the window if saving fails. */
  g_assert_cmpint (g_unlink (g_file_peek_path (file)), ==, 0);
  g_assert_cmpint (g_mkdir (g_file_peek_path (file), 0700), ==, 0);
  gtk_window_close (GTK_WINDOW (fixture->window));
  app_answer_question ("_Save");
  app_draw_frames (12);
  g_assert_nonnull (fixture->window);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (fixture->window)));
}

/* An invalid experiment is not saved, since it could not be opened. */
static void
test_impossible (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("impossible.normscope");
  g_autoptr (GError) error = NULL;

  app_type_number (fixture, "shape.heads", "5");
  g_assert_nonnull (normscope_session_get_error (fixture->session));
  g_assert_false (normscope_files_save_to (normscope_window_get_files (fixture->window), file, &error));
  g_assert_nonnull (strstr (error->message, "heads"));
  g_assert_false (g_file_query_exists (file, NULL));
}

static void
test_close (void)
{
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());
  NormscopeSession *session = normscope_window_get_session (window);
  g_autoptr (GFile) file = app_new_file ("closed.normscope");
  g_autoptr (NsExperiment) saved = NULL;

  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  gtk_window_present (GTK_WINDOW (window));
  normscope_session_set_int (session, ns_param_find ("shape.depth"), 5, NULL);
  gtk_window_close (GTK_WINDOW (window));
  app_answer_question ("_Cancel");
  g_assert_nonnull (window);
  gtk_window_close (GTK_WINDOW (window));
  app_answer_question ("_Save");
  app_choose_file (app_get_folder (), "closed.normscope");
  app_wait_until (app_is_null, &window);
  saved = ns_experiment_from_path (g_file_peek_path (file), NULL);
  g_assert_nonnull (saved);
  g_assert_cmpint (saved->shape.depth, ==, 5);

  window = normscope_window_new (app_test_get_application ());
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  gtk_window_present (GTK_WINDOW (window));
  gtk_window_close (GTK_WINDOW (window));
  app_wait_until (app_is_null, &window);
}

static void
close_window (NormscopeWindow *window, const char *response)
{
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  gtk_window_present (GTK_WINDOW (window));
  gtk_window_close (GTK_WINDOW (window));
  if (response != NULL)
    app_answer_question (response);
  app_wait_until (app_is_null, &window);
}

static void
test_last_session (void)
{
  const NsParam *depth = ns_param_find ("shape.depth");
  g_autoptr (GFile) file = app_new_file ("last.normscope");
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());
  NormscopeFiles *files = normscope_window_get_files (window);
  NsViewChoice choice;

  normscope_window_keep_session (window, TRUE);
  normscope_session_set_int (normscope_window_get_session (window), depth, 7, NULL);
  choice = *normscope_session_get_paths (normscope_window_get_session (window));
  choice.figure = NS_FIGURE_LENGTHS;
  normscope_session_set_paths (normscope_window_get_session (window), &choice);
  g_assert_true (normscope_files_save_to (files, file, NULL));
  close_window (window, NULL);

  window = normscope_window_new (app_test_get_application ());
  normscope_window_keep_session (window, TRUE);
  g_assert_cmpint (normscope_session_get_experiment (normscope_window_get_session (window))->shape.depth, ==, 7);
  g_assert_cmpuint (ns_view_choice_compare (normscope_session_get_paths (normscope_window_get_session (window)),
                                            &choice),
                    ==, 0);
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (window)), ==, "last.normscope — Normscope");
  g_assert_false (normscope_session_can_undo (normscope_window_get_session (window)));
  /* Discarded changes are not restored. */
  normscope_session_set_int (normscope_window_get_session (window), depth, 11, NULL);
  close_window (window, "_Discard");

  window = normscope_window_new (app_test_get_application ());
  normscope_window_keep_session (window, TRUE);
  g_assert_cmpint (normscope_session_get_experiment (normscope_window_get_session (window))->shape.depth, ==, 7);
  close_window (window, NULL);
}

/* A session of a newer version is not shown, and not replaced by the next one. */
/* A session whose second file is that of an earlier one, since the program was killed in between, has no document: Save
 * would replace another one. */
static void
test_torn_session (void)
{
  NormscopeLastSession one = { .experiment = ns_experiment_new (), .file = app_new_file ("one.normscope") };
  NormscopeLastSession two = { .experiment = ns_experiment_new (), .file = app_new_file ("two.normscope") };
  NormscopeLastSession loaded = { 0 };
  g_autofree char *path = g_build_filename (g_get_user_state_dir (), "normscope", "last-session.ini", NULL);
  g_autofree char *details = NULL;
  gsize length;

  ns_scaling_settings_init (&one.scaling);
  ns_scaling_settings_init (&two.scaling);
  ns_scaling_settings_init (&loaded.scaling);
  two.experiment->shape.depth = 9;
  normscope_last_session_save (&one);
  g_assert_true (g_file_get_contents (path, &details, &length, NULL));
  normscope_last_session_save (&two);
  g_assert_true (normscope_last_session_load (&loaded, NULL));
  g_assert_true (g_file_equal (loaded.file, two.file));
  g_object_unref (loaded.file);
  ns_experiment_free (loaded.experiment);

  g_assert_true (g_file_set_contents (path, details, (gssize) length, NULL));
  g_assert_true (normscope_last_session_load (&loaded, NULL));
  g_assert_cmpint (loaded.experiment->shape.depth, ==, 9);
  g_assert_null (loaded.file);
  ns_experiment_free (loaded.experiment);
  ns_experiment_free (one.experiment);
  ns_experiment_free (two.experiment);
  g_object_unref (one.file);
  g_object_unref (two.file);
}

static void
test_newer_session (void)
{
  static const char newer[] = "{\"format\": \"normscope-experiment\", \"version\": 7, \"shape\": {\"depth\": 5}}";
  const char *folder = g_get_user_state_dir ();
  g_autofree char *path = g_build_filename (folder, "normscope", "last-session.normscope", NULL);
  g_autofree char *aside = g_build_filename (folder, "normscope", "unreadable-session.normscope", NULL);
  g_autofree char *kept = NULL;
  NormscopeWindow *window;

  test_last_session ();
  g_assert_true (g_file_set_contents (path, newer, -1, NULL));
  window = normscope_window_new (app_test_get_application ());
  normscope_window_keep_session (window, TRUE);
  g_assert_cmpint (normscope_session_get_experiment (normscope_window_get_session (window))->shape.depth, !=, 5);
  close_window (window, NULL);
  g_assert_true (g_file_get_contents (aside, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, newer);
}

static gboolean
lists_file (gpointer data)
{
  GMenuModel *menu = data;
  g_autofree char *label = NULL;

  return g_menu_model_get_n_items (menu) > 0
         && g_menu_model_get_item_attribute (menu, 0, G_MENU_ATTRIBUTE_LABEL, "s", &label)
         && g_str_equal (label, "a__recent.normscope");
}

static void
test_recent (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("a_recent.normscope");
  g_autoptr (GMenuModel) menu = normscope_recent_menu_new ();
  g_autofree char *uri = g_file_get_uri (file);

  g_assert_true (normscope_files_save_to (normscope_window_get_files (fixture->window), file, NULL));
  g_assert_true (app_wait_for (lists_file, menu, TIMEOUT_MS));
  change_depth (fixture, 8);
  app_activate (fixture, "win.save");
  normscope_session_set_int (fixture->session, ns_param_find ("shape.depth"), 31, NULL);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.open-uri", "s", uri);
  app_answer_question ("_Discard");
  app_assert_shows (fixture);
}

void
add_files_tests (void)
{
  app_test_add ("/files/save-and-open", test_save_and_open);
  app_test_add ("/files/drop", test_drop);
  app_test_add ("/files/drop-highlight", test_drop_highlight);
  app_test_add ("/files/picture", test_picture);
  app_test_add ("/files/bad", test_bad_files);
  app_test_add ("/files/hostile", test_hostile_files);
  app_test_add ("/files/unwritable", test_unwritable);
  app_test_add ("/files/impossible", test_impossible);
  app_test_add_func ("/files/close", test_close);
  app_test_add_func ("/files/last-session", test_last_session);
  app_test_add_func ("/files/newer-session", test_newer_session);
  app_test_add_func ("/files/torn-session", test_torn_session);
  app_test_add ("/files/recent", test_recent);
}
