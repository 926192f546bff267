/* Large pictures are drawn in the background.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"

#include <glib/gstdio.h>

#include "app-files.h"
#include "app-widgets.h"
#include "app/dialogs/normscope-export-dialog.h"
#include "app/work/normscope-picture-content.h"

static void
make_large (NormscopeExportDialog *dialog)
{
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "width")), 6000);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "height")), 4000);
}

/* The main loop comes back this often while a picture of 24 million pixels is drawn, on a slow machine, too: drawing
 * takes longer there as well. */
#define MIN_PULSES 5

typedef struct
{
  gint64 last_us, longest_us;
  guint n;
} Pulse;

static gboolean
pulse_cb (gpointer data)
{
  Pulse *pulse = data;
  gint64 now = g_get_monotonic_time ();

  pulse->longest_us = MAX (pulse->longest_us, now - pulse->last_us);
  pulse->last_us = now;
  pulse->n++;
  return G_SOURCE_CONTINUE;
}

/* The main loop keeps running while the picture is drawn, and the dialog shows that it is busy. */
static void
test_large (Fixture *fixture, gconstpointer data)
{
  NormscopeExportDialog *dialog = app_open_export_dialog (fixture);
  GtkWidget *spinner = app_get_child (dialog, "spinner"), *button = app_get_child (dialog, "export_button");
  g_autofree char *path = app_dup_path ("large.png");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GdkTexture) texture = NULL;
  AppSave saving;
  Pulse pulse;
  gint64 start;
  guint id;

  make_large (dialog);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (dialog));
  start = pulse.last_us = g_get_monotonic_time ();
  pulse.longest_us = 0;
  id = g_timeout_add (5, pulse_cb, &pulse);
  app_start_save (dialog, file, &saving);
  g_assert_false (saving.is_over);
  g_assert_false (gtk_widget_get_sensitive (button));
  while (!saving.is_over && !gtk_widget_get_visible (spinner))
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (saving.is_over);
  g_assert_true (gtk_spinner_get_spinning (GTK_SPINNER (spinner)));
  app_wait_for_save (&saving);
  pulse_cb (&pulse);
  g_source_remove (id);
  g_assert_no_error (saving.error);
  g_assert_cmpint (pulse.longest_us, <, (g_get_monotonic_time () - start) / 3);
  g_assert_false (gtk_widget_get_visible (spinner));
  g_assert_true (gtk_widget_get_sensitive (button));
  texture = gdk_texture_new_from_file (file, NULL);
  g_assert_cmpint (gdk_texture_get_width (texture), ==, 6000);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* Cancelling keeps the existing file and leaves no other one. */
static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  NormscopeExportDialog *dialog = app_open_export_dialog (fixture);
  g_autofree char *own = app_dup_path ("cancelled");
  g_autofree char *path = g_build_filename (own, "large.png", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autofree char *next_path = app_dup_path ("next.svg");
  g_autoptr (GFile) next_file = g_file_new_for_path (next_path);
  g_autofree char *old = NULL;
  NormscopeExportDialog *next;
  AppSave saving;

  g_assert_cmpint (g_mkdir (own, 0755), ==, 0);
  g_assert_true (g_file_set_contents (path, "old", -1, NULL));
  make_large (dialog);
  g_object_add_weak_pointer (G_OBJECT (dialog), (gpointer *) &dialog);
  app_start_save (dialog, file, &saving);
  app_settle ();
  g_assert_false (saving.is_over);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (dialog), "window.close", NULL));
  app_wait_until (app_is_null, &dialog);

  /* Exports are drawn one after the other, so once the next one is done the cancelled one has ended. */
  next = app_open_export_dialog (fixture);
  g_assert_true (app_save_to (next, next_file, NULL));
  gtk_window_destroy (GTK_WINDOW (next));
  app_settle ();
  g_assert_false (saving.is_over);
  g_assert_cmpuint (app_count_files (own), ==, 1);
  g_assert_true (g_file_get_contents (path, &old, NULL, NULL));
  g_assert_cmpstr (old, ==, "old");
}

/* ---- the clipboard ---- */

static void
read_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  *(GdkTexture **) data = gdk_clipboard_read_texture_finish (GDK_CLIPBOARD (clipboard), result, NULL);
}

static gboolean
is_read (gpointer data)
{
  return *(gpointer *) data != NULL;
}

/* A paste that comes before the picture is drawn waits for it while the main loop runs. */
static void
test_paste_early (Fixture *fixture, gconstpointer data)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (fixture->window));
  NormscopeExportDialog *dialog = app_open_export_dialog (fixture);
  NormscopePictureStyle style;
  const NormscopePicture *picture = normscope_export_dialog_get_picture (dialog, NS_EXPORT_PNG, &style);
  g_autoptr (GdkContentProvider) content = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  Pulse pulse = { 0 };
  guint id;

  style.width = 6000;
  style.height = 4000;
  style.scale = 1;
  id = g_timeout_add (5, pulse_cb, &pulse);
  content = normscope_picture_content_new ((NormscopePicture *) picture, &style);
  gtk_window_destroy (GTK_WINDOW (dialog));
  gdk_clipboard_set_content (clipboard, content);
  g_assert_true (gdk_clipboard_is_local (clipboard));
  gdk_clipboard_read_texture_async (clipboard, NULL, read_cb, &texture);
  g_assert_true (app_wait_for (is_read, &texture, TIMEOUT_MS));
  g_source_remove (id);
  g_assert_cmpuint (pulse.n, >=, MIN_PULSES);
  g_assert_cmpint (gdk_texture_get_width (texture), ==, 6000);
}

/* Replacing the clipboard and closing the window while pictures are drawn leaks nothing. */
static void
test_replace (Fixture *fixture, gconstpointer data)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (fixture->window));
  NormscopeExportDialog *dialog = app_open_export_dialog (fixture);
  g_autofree char *path = app_dup_path ("gone.png");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  AppSave saving;

  for (int i = 0; i < 3; i++)
    g_assert_true (gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.copy-picture", NULL));
  make_large (dialog);
  app_start_save (dialog, file, &saving);
  app_draw_frames (1);
  gdk_clipboard_set_text (clipboard, "");
  gtk_window_destroy (GTK_WINDOW (dialog));
  g_assert_false (saving.is_over);
}

void
add_export_large_tests (void)
{
  app_test_add ("/export-large/file", test_large);
  app_test_add ("/export-large/cancel", test_cancel);
  app_test_add ("/export-large/paste-early", test_paste_early);
  app_test_add ("/export-large/replace", test_replace);
}
