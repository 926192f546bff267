/* Export of figures and data from the real window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"

#include <math.h>
#include <string.h>

#include "app-files.h"
#include "app-widgets.h"
#include "app/dialogs/normscope-export-dialog.h"
#include "document/ns-experiment-json.h"

static void
plot_by_command (const char *experiment, const char *picture, const char *const *options)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  g_ptr_array_add (words, (gpointer) "plot");
  g_ptr_array_add (words, (gpointer) experiment);
  g_ptr_array_add (words, (gpointer) "-o");
  g_ptr_array_add (words, (gpointer) picture);
  for (; *options != NULL; options++)
    g_ptr_array_add (words, (gpointer) *options);
  g_ptr_array_add (words, NULL);
  app_run_command ((const char *const *) words->pdata);
}

static void
assert_same_as_command (NormscopeExportDialog *dialog, const char *experiment, const char *extension,
                        const char *const *options)
{
  g_autofree char *name = g_strconcat ("window", extension, NULL);
  g_autofree char *other_name = g_strconcat ("command", extension, NULL);
  g_autofree char *path = app_dup_path (name);
  g_autofree char *other_path = app_dup_path (other_name);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) other = NULL;

  app_save_to (dialog, file, &error);
  g_assert_no_error (error);
  plot_by_command (experiment, other_path, options);
  bytes = app_read_file (path);
  other = app_read_file (other_path);
  g_assert_cmpuint (g_bytes_get_size (bytes), >, 2000);
  g_assert_true (g_bytes_equal (bytes, other));
}

static void
test_same_as_command (Fixture *fixture, gconstpointer data)
{
  static const char *const slide[] = { "--width", "960", "--height", "540", "--scale", "2", NULL };
  static const char *const other[] = { "--width", "700", "--height", "500", "--scale", "1", "--text-scale", "1.25",
                                       "--dark", "--transparent", "--no-titles", NULL };
  static const char *const purposes[] = { "slide", "column", "columns" };
  static const char *const paper[] = { "--width-cm", "12", "--height-cm", "8", "--dpi", "150", "--text-scale", "0.77",
                                       NULL };
  NormscopeExportDialog *dialog = app_open_export_dialog (fixture);
  g_autofree char *experiment = app_dup_path ("window.normscope");

  g_assert_true (ns_experiment_save (fixture->experiment, experiment, NULL));
  assert_same_as_command (dialog, experiment, ".png", slide);
  assert_same_as_command (dialog, experiment, ".svg", slide);
  assert_same_as_command (dialog, experiment, ".pdf", slide);

  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "width")), 700);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "height")), 500);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "dpi")), 96);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "type_scale")), 1.25);
  adw_combo_row_set_selected (ADW_COMBO_ROW (app_get_child (dialog, "background")), 1);
  gtk_switch_set_active (GTK_SWITCH (app_get_child (dialog, "transparent")), TRUE);
  gtk_switch_set_active (GTK_SWITCH (app_get_child (dialog, "titles")), FALSE);
  assert_same_as_command (dialog, experiment, ".png", other);
  assert_same_as_command (dialog, experiment, ".svg", other);

  /* The presets of the dialog match --for, and sizes in cm match. */
  adw_combo_row_set_selected (ADW_COMBO_ROW (app_get_child (dialog, "background")), 0);
  gtk_switch_set_active (GTK_SWITCH (app_get_child (dialog, "transparent")), FALSE);
  gtk_switch_set_active (GTK_SWITCH (app_get_child (dialog, "titles")), TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (purposes); i++)
    {
      adw_combo_row_set_selected (ADW_COMBO_ROW (app_get_child (dialog, "preset")), i);
      assert_same_as_command (dialog, experiment, ".png", (const char *[]){ "--for", purposes[i], NULL });
      assert_same_as_command (dialog, experiment, ".pdf", (const char *[]){ "--for", purposes[i], NULL });
    }
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "width")), 12);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "height")), 8);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "dpi")), 150);
  assert_same_as_command (dialog, experiment, ".png", paper);
  assert_same_as_command (dialog, experiment, ".svg", paper);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* 8.5 cm at 300 dpi are 1004 pixels; a vector format is 8.5 cm wide at any dpi. */
static void
test_column (Fixture *fixture, gconstpointer data)
{
  NormscopeExportDialog *dialog = app_open_export_dialog (fixture);
  NormscopePictureStyle style;

  adw_combo_row_set_selected (ADW_COMBO_ROW (app_get_child (dialog, "preset")), 1);
  normscope_export_dialog_get_picture (dialog, NS_EXPORT_PNG, &style);
  g_assert_cmpfloat_with_epsilon (style.width * style.scale, 8.5 / 2.54 * 300, 1e-9);
  normscope_export_dialog_get_picture (dialog, NS_EXPORT_PDF, &style);
  g_assert_cmpfloat_with_epsilon (style.width * style.scale, 8.5 / 2.54 * 96, 1e-9);
  /* Another unit keeps the size, but the preset becomes "custom". */
  adw_combo_row_set_selected (ADW_COMBO_ROW (app_get_child (dialog, "unit")), 0);
  g_assert_cmpfloat_with_epsilon (gtk_spin_button_get_value (app_get_child (dialog, "width")), 1004, 1);
  g_assert_cmpuint (adw_combo_row_get_selected (ADW_COMBO_ROW (app_get_child (dialog, "preset"))), ==, 3);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static void
test_refusals (Fixture *fixture, gconstpointer data)
{
  NormscopeExportDialog *dialog = app_open_export_dialog (fixture);
  static const char *const names[] = { "figure.jpg", "no such folder/figure.png", "huge.png" };
  static const char *const words[] = { ".png, .svg or .pdf", "no such folder", "at most 32767 pixels" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = app_dup_path (names[i]);
      g_autoptr (GFile) file = g_file_new_for_path (path);
      g_autoptr (GError) error = NULL;

      if (i == 2)
        {
          g_assert_true (g_file_set_contents (path, "old", -1, NULL));
          gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "dpi")), 24);
          gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "width")), 32767);
          gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "height")), 32767);
        }
      g_assert_false (app_save_to (dialog, file, &error));
      g_assert_nonnull (strstr (error->message, words[i]));
      if (i == 2)
        {
          g_autoptr (GBytes) old = app_read_file (path);

          g_assert_cmpmem (g_bytes_get_data (old, NULL), g_bytes_get_size (old), "old", 3);
        }
      else
        g_assert_false (g_file_query_exists (file, NULL));
    }
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* Return how many pixels of the plot are not transparent, drawn anew. */
static guint
count_pixels (Fixture *fixture)
{
  g_autoptr (GdkTexture) texture = NULL;
  g_autofree guint32 *pixels = NULL;
  guint n, n_drawn = 0;

  normscope_plot_scale_view (fixture->plot, GTK_WIDGET (fixture->plot), 1.5);
  app_wait_for_frame (fixture);
  normscope_plot_scale_view (fixture->plot, GTK_WIDGET (fixture->plot), 1);
  texture = app_grab (GTK_WIDGET (fixture->plot));
  n = (guint) gdk_texture_get_width (texture) * (guint) gdk_texture_get_height (texture);
  pixels = g_new0 (guint32, n);
  gdk_texture_download (texture, (guchar *) pixels, 4 * (gsize) gdk_texture_get_width (texture));
  for (guint i = 0; i < n; i++)
    n_drawn += pixels[i] != 0;
  return n_drawn;
}

/* Text of a picture of one pixel, magnified to the preview, once put Cairo's font into a state of error, and no window
 * showed anything from then on. */
static void
test_tiny (Fixture *fixture, gconstpointer data)
{
  guint n_pixels = count_pixels (fixture);
  NormscopeExportDialog *dialog = app_open_export_dialog (fixture);
  GtkWidget *size = app_get_child (dialog, "size_label");
  NormscopePictureStyle style;

  for (int unit = 0; unit < 2; unit++)
    {
      adw_combo_row_set_selected (ADW_COMBO_ROW (app_get_child (dialog, "unit")), (guint) unit);
      gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "type_scale")), 8);
      gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "dpi")), 2400);
      gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "width")), 0.1);
      gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "height")), 0.1);
      gtk_test_widget_wait_for_draw (GTK_WIDGET (dialog));
      normscope_export_dialog_get_picture (dialog, NS_EXPORT_PNG, &style);
      g_assert_cmpfloat (style.width, <, 16);
      g_assert_nonnull (strstr (gtk_label_get_label (GTK_LABEL (size)), "at least 16 pixels"));
      g_assert_false (gtk_widget_get_sensitive (app_get_child (dialog, "export_button")));
    }
  adw_combo_row_set_selected (ADW_COMBO_ROW (app_get_child (dialog, "preset")), 0);
  g_assert_null (strstr (gtk_label_get_label (GTK_LABEL (size)), "at least"));
  g_assert_true (gtk_widget_get_sensitive (app_get_child (dialog, "export_button")));
  gtk_window_destroy (GTK_WINDOW (dialog));

  g_assert_cmpuint (count_pixels (fixture), >, n_pixels / 2);
}

/* ---- the clipboard ---- */

static void
text_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  *(char **) data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);
}

static gboolean
is_set (gpointer data)
{
  return *(gpointer *) data != NULL;
}

static void
test_copy_data (Fixture *fixture, gconstpointer data)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (fixture->window));
  g_autoptr (NsResult) result = ns_engine_run (fixture->engine, fixture->experiment, 0,
                                               (guint) fixture->experiment->sampling.seeds, NULL, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_auto (GStrv) heads = NULL;
  g_auto (GStrv) cells = NULL;
  NsStat stat;

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.copy-data", NULL));
  gdk_clipboard_read_text_async (clipboard, NULL, text_cb, &text);
  g_assert_true (app_wait_for (is_set, &text, TIMEOUT_MS));
  lines = g_strsplit (text, "\n", -1);
  heads = g_strsplit (lines[0], "\t", -1);
  g_assert_cmpstr (heads[0], ==, "Block");
  g_assert_nonnull (strstr (heads[1], "Pre-LN"));
  /* One line with the header, one for the input and each of 24 blocks, and an empty one at the end. */
  g_assert_cmpuint (g_strv_length (lines), ==, 27);
  cells = g_strsplit (lines[25], "\t", -1);
  g_assert_cmpuint (g_strv_length (cells), ==, g_strv_length (heads));
  g_assert_cmpstr (cells[0], ==, "24");
  g_assert_true (ns_result_get_stat (result, 0, NS_Q_BLOCK, 24, &stat));
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (cells[1], NULL), pow (10, stat.log10_mean), 1e-8 * stat.mean);
}

static void
texture_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  *(GdkTexture **) data = gdk_clipboard_read_texture_finish (GDK_CLIPBOARD (clipboard), result, NULL);
}

static void
test_copy_picture (Fixture *fixture, gconstpointer data)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (fixture->window));
  g_autoptr (GdkTexture) texture = NULL;

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.copy-picture", NULL));
  g_assert_true (gdk_content_formats_contain_mime_type (gdk_clipboard_get_formats (clipboard), "image/png"));
  g_assert_true (gdk_content_formats_contain_mime_type (gdk_clipboard_get_formats (clipboard), "image/svg+xml"));
  gdk_clipboard_read_texture_async (clipboard, NULL, texture_cb, &texture);
  g_assert_true (app_wait_for (is_set, &texture, TIMEOUT_MS));
  g_assert_cmpint (gdk_texture_get_width (texture), >, 2 * 400);
}

/* ---- the Paths view ---- */

static void
test_paths (Fixture *fixture, gconstpointer data)
{
  static const char *const slide[] = { "--figure", "lengths", "--width", "960", "--height", "540", "--scale", "2",
                                       NULL };
  NsViewChoice choice = *normscope_session_get_paths (fixture->session);
  g_autofree char *experiment = app_dup_path ("paths.normscope");
  NormscopeExportDialog *dialog;

  choice.figure = NS_FIGURE_LENGTHS;
  normscope_session_set_paths (fixture->session, &choice);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "paths");
  app_settle ();
  app_wait_for_idle_plot (fixture);
  g_assert_true (ns_experiment_save (fixture->experiment, experiment, NULL));
  dialog = app_open_export_dialog (fixture);
  assert_same_as_command (dialog, experiment, ".png", slide);
  assert_same_as_command (dialog, experiment, ".svg", slide);
  assert_same_as_command (dialog, experiment, ".pdf", slide);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* ---- the scaling view ---- */

static void
show_scaling (Fixture *fixture)
{
  NsScalingSettings settings = *normscope_session_get_scaling (fixture->session);

  settings.last[NS_SWEEP_DEPTH] = 8;
  settings.last[NS_SWEEP_D_MODEL] = 48; /* the claims need widths; keep them cheap */
  normscope_session_set_scaling (fixture->session, &settings);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "scaling");
  app_settle ();
  app_wait_for_idle_plot (fixture);
}

static void
test_scaling (Fixture *fixture, gconstpointer data)
{
  static const char *const slide[] = { "--figure", "scaling", "--depths", "1..8", "--width", "960", "--height", "540",
                                       "--scale", "2", NULL };
  g_autofree char *experiment = app_dup_path ("sweep.normscope");
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (fixture->window));
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsSweep) sweep = NULL;
  g_autofree gint64 *points = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_auto (GStrv) cells = NULL;
  NormscopeExportDialog *dialog;
  NsStat stat;
  guint n;

  show_scaling (fixture);
  g_assert_true (ns_experiment_save (fixture->experiment, experiment, NULL));
  dialog = app_open_export_dialog (fixture);
  assert_same_as_command (dialog, experiment, ".png", slide);
  assert_same_as_command (dialog, experiment, ".svg", slide);
  assert_same_as_command (dialog, experiment, ".pdf", slide);
  gtk_window_destroy (GTK_WINDOW (dialog));

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.copy-picture", NULL));
  g_assert_true (gdk_content_formats_contain_mime_type (gdk_clipboard_get_formats (clipboard), "image/png"));
  g_assert_true (gdk_content_formats_contain_mime_type (gdk_clipboard_get_formats (clipboard), "image/svg+xml"));

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.copy-data", NULL));
  gdk_clipboard_read_text_async (clipboard, NULL, text_cb, &text);
  g_assert_true (app_wait_for (is_set, &text, TIMEOUT_MS));
  lines = g_strsplit (text, "\n", -1);
  points = ns_sweep_points_from_text ("1..8", &n, NULL);
  /* One line with the header, one for each point, and an empty one at the end. */
  g_assert_cmpuint (g_strv_length (lines), ==, n + 2);
  cells = g_strsplit (lines[5], "\t", -1);
  g_assert_cmpint (g_ascii_strtoll (cells[0], NULL, 10), ==, points[4]);
  sweep = ns_sweep_new (fixture->experiment, NS_SWEEP_DEPTH, points, n,
                        normscope_session_get_scaling (fixture->session)->metric, NULL);
  g_assert_true (ns_engine_run_sweep (engine, sweep, NULL, NULL));
  g_assert_true (ns_sweep_get_stat (sweep, 0, 4, &stat));
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (cells[1], NULL), pow (10, stat.log10_mean), 1e-8 * stat.mean);
}

/* ---- printing ---- */

static char *
read_pdf (const char *tool, const char *path)
{
  const char *argv[] = { tool, path, g_str_equal (tool, "pdftotext") ? "-" : NULL, NULL };
  g_autoptr (GError) error = NULL;
  char *text = NULL;
  int status;

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &text, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  return text;
}

/* Print to a file, with the operation that Ctrl+P starts: one landscape page with its text as text. */
static void
test_print (Fixture *fixture, gconstpointer data)
{
  static const char *const words[] = { "Pre-LN", "Post-LN", "block" };
  g_autofree char *tool = g_find_program_in_path ("pdftotext");
  g_autofree char *path = app_dup_path ("printed.pdf");
  g_autoptr (GBytes) pdf = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  g_assert_true (normscope_window_print_to (fixture->window, path, &error));
  g_assert_no_error (error);
  pdf = app_read_file (path);
  g_assert_cmpmem (g_bytes_get_data (pdf, NULL), 5, "%PDF-", 5);
  if (tool == NULL)
    {
      g_test_skip ("pdftotext is not installed");
      return;
    }
  text = read_pdf ("pdftotext", path);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    g_assert_nonnull (strstr (text, words[i]));
  /* Each page ends with a form feed. */
  g_assert_true (strchr (text, '\f') == text + strlen (text) - 1);
  {
    g_autofree char *info = read_pdf ("pdfinfo", path);
    const char *size = strstr (info, "Page size:");
    double width = 0, height = 0;

    g_assert_nonnull (size);
    g_assert_cmpint (sscanf (size, "Page size: %lf x %lf", &width, &height), ==, 2);
    g_assert_cmpfloat (width, >, height);
  }

  show_scaling (fixture);
  g_assert_true (normscope_window_print_to (fixture->window, path, &error));
  g_free (text);
  text = read_pdf ("pdftotext", path);
  g_assert_nonnull (strstr (text, "Depth"));
}

void
add_export_tests (void)
{
  app_test_add ("/export/same-as-command", test_same_as_command);
  app_test_add ("/export/column", test_column);
  app_test_add ("/export/refusals", test_refusals);
  app_test_add ("/export/tiny", test_tiny);
  app_test_add ("/export/copy-data", test_copy_data);
  app_test_add ("/export/copy-picture", test_copy_picture);
  app_test_add ("/export/paths", test_paths);
  app_test_add ("/export/scaling", test_scaling);
  app_test_add ("/export/print", test_print);
}
