/* The real window: bursts of changes, errors, cancelling, crosshair, view, files, keyboard.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "app-widgets.h"
#include "app/flow/normscope-flow-view.h"
#include "app/sidebar/normscope-display-group.h"
#include "app/sidebar/normscope-sidebar.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"

/* ---- only the newest setting counts ---- */

static gboolean
describes (Fixture *fixture, const char *text)
{
  g_autofree char *description = app_dup_description (GTK_WIDGET (fixture->plot));

  return strstr (description, text) != NULL;
}

static gboolean
shows_depth_41 (gpointer data)
{
  Fixture *fixture = data;

  /* No result of a depth in between may be shown after the last one was set. */
  for (int depth = 2; depth < 41; depth++)
    {
      g_autofree char *end = g_strdup_printf ("block 1 to %d.", depth);

      g_assert_false (depth != 24 && describes (fixture, end));
    }
  return describes (fixture, "block 1 to 41.");
}

static void
test_burst (Fixture *fixture, gconstpointer data)
{
  for (int round = 0; round < 5; round++)
    for (int depth = 2; depth <= 41; depth++)
      app_move_slider (fixture, "shape.depth", depth);
  g_assert_true (app_wait_for (shows_depth_41, fixture, TIMEOUT_MS));
  fixture->experiment->shape.depth = 41;
  app_assert_shows (fixture);
}

typedef struct
{
  Fixture *fixture;
  char *last_seen; /* description at the end of the drag */
} Drag;

/* After the drag only the result of the last setting may be shown, whole or, on a slow machine, partial, however late
 * an older job ends. */
static gboolean
shows_last_setting (gpointer data)
{
  Drag *drag = data;
  const NsFigure *figure = normscope_plot_get_figure (drag->fixture->plot);
  g_autofree char *description = app_dup_description (GTK_WIDGET (drag->fixture->plot));

  if (strstr (description, "to 60.") != NULL)
    return TRUE;
  if (figure->is_partial && !g_str_equal (description, drag->last_seen))
    g_assert_cmpfloat (figure->x_max, ==, 60);
  else
    g_assert_cmpstr (description, ==, drag->last_seen);
  return FALSE;
}

/* The main loop runs between the events, so jobs start, deliver and are cancelled. */
static void
test_drag (Fixture *fixture, gconstpointer data)
{
  for (int round = 0; round < 3; round++)
    {
      Drag drag = { .fixture = fixture };

      for (int depth = 25; depth <= 60; depth++)
        {
          app_move_slider (fixture, "shape.depth", depth == 60 ? 24 : depth);
          app_iterate (4); /* the rate of a pointer */
        }
      app_move_slider (fixture, "shape.depth", 60);
      drag.last_seen = app_dup_description (GTK_WIDGET (fixture->plot));
      g_assert_true (app_wait_for (shows_last_setting, &drag, TIMEOUT_MS));
      g_free (drag.last_seen);
    }
  fixture->experiment->shape.depth = 60;
  app_assert_shows (fixture);
}

static void
count_cb (guint *n)
{
  ++*n;
}

/* A change of the experiment does not set the resolution of text again, which would measure every widget anew. */
static void
test_resolution (Fixture *fixture, gconstpointer data)
{
  guint n = 0;
  gulong id = g_signal_connect_swapped (gtk_settings_get_default (), "notify::gtk-xft-dpi", G_CALLBACK (count_cb), &n);

  app_move_slider (fixture, "shape.depth", 5);
  app_wait_for_idle_plot (fixture);
  g_assert_cmpuint (n, ==, 0);
  normscope_session_set_text_scale (fixture->session, 1.5);
  app_settle ();
  g_assert_cmpuint (n, ==, 1);
  normscope_session_set_text_scale (fixture->session, 1);
  app_settle ();
  g_assert_cmpuint (n, ==, 2);
  g_signal_handler_disconnect (gtk_settings_get_default (), id);
}

static void
test_one_drawing (Fixture *fixture, gconstpointer data)
{
  GtkSwitch *band = NULL;
  guint64 before;

  app_wait_until (app_has_settled, fixture->plot);
  app_settle ();
  before = normscope_plot_get_n_drawings (fixture->plot);
  app_draw_frames (18);
  g_assert_cmpuint (normscope_plot_get_n_drawings (fixture->plot), ==, before);

  normscope_plot_set_cursor (fixture->plot, 3);
  app_wait_for_frame (fixture);
  g_assert_cmpuint (normscope_plot_get_n_drawings (fixture->plot), ==, before);

  band = GTK_SWITCH (gtk_widget_get_template_child (app_find_type (GTK_WIDGET (fixture->window),
                                                                   NORMSCOPE_TYPE_DISPLAY_GROUP),
                                                    NORMSCOPE_TYPE_DISPLAY_GROUP, "band"));
  gtk_switch_set_active (band, FALSE);
  app_settle ();
  app_wait_until (app_has_settled, fixture->plot);
  app_settle ();
  g_assert_cmpuint (normscope_plot_get_n_drawings (fixture->plot), ==, before + 1);
}

/* ---- errors keep the figure ---- */

static void
test_heads (Fixture *fixture, gconstpointer data)
{
  g_autofree char *description = app_dup_description (GTK_WIDGET (fixture->plot));

  app_type_number (fixture, "shape.heads", "5");
  app_assert_unchanged (fixture, description);
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "shape.heads: 5"));
  g_assert_cmpint ((int) gtk_spin_button_get_value (GTK_SPIN_BUTTON (
                       app_find_in_row (fixture, "shape.heads", GTK_TYPE_SPIN_BUTTON))), ==, 5);
  /* The row is marked, too, although its group is collapsed. */
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (app_find_row (fixture, "shape.heads")), "invalid"));
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (app_find_row (fixture, "shape.depth")), "invalid"));

  app_type_number (fixture, "shape.heads", "8");
  fixture->experiment->shape.heads = 8;
  app_assert_shows (fixture);
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (app_find_row (fixture, "shape.heads")), "invalid"));
}

static gboolean
is_refused (gpointer data)
{
  return app_find_text (GTK_WIDGET (((Fixture *) data)->window), "Restore Settings") != NULL;
}

static gboolean
is_not_refused (gpointer data)
{
  return !is_refused (data);
}

static void
test_memory (Fixture *fixture, gconstpointer data)
{
  g_autofree char *description = app_dup_description (GTK_WIDGET (fixture->plot));
  GtkWidget *back;

  app_type_number (fixture, "shape.d_model", "65536");
  app_type_number (fixture, "shape.seq_len", "65536");
  app_type_number (fixture, "shape.batch", "65536");
  g_assert_true (app_wait_for (is_refused, fixture, TIMEOUT_MS));
  app_assert_unchanged (fixture, description);

  back = app_find_text (GTK_WIDGET (fixture->window), "Restore Settings");
  g_signal_emit_by_name (GTK_IS_BUTTON (back) ? back : gtk_widget_get_ancestor (back, GTK_TYPE_BUTTON), "clicked");
  g_assert_true (app_wait_for (is_not_refused, fixture, TIMEOUT_MS));
  app_assert_shows (fixture);
  g_assert_cmpint ((int) gtk_spin_button_get_value (GTK_SPIN_BUTTON (
                       app_find_in_row (fixture, "shape.d_model", GTK_TYPE_SPIN_BUTTON))), ==, 32);
}

static gboolean
is_visible (gpointer widget)
{
  return gtk_widget_get_visible (widget);
}

static gboolean
is_hidden (gpointer widget)
{
  return !gtk_widget_get_visible (widget);
}

static gboolean
says_blocks (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_LABEL (widget) && strstr (gtk_label_get_label (GTK_LABEL (widget)), "blocks · ") != NULL;
}

static gboolean
is_cancel_button (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), "_Cancel") == 0;
}

static gboolean
says_stale (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_LABEL (widget) && strstr (gtk_label_get_label (GTK_LABEL (widget)), "previous\302\240settings") != NULL;
}

static gboolean
shows_part (gpointer view)
{
  return app_find (view, says_blocks, NULL) != NULL && app_find (view, says_stale, NULL) == NULL;
}

/* A long run shows its progress and what it has so far, and can be cancelled; the next change runs as usual. After it
 * was cancelled, the status line says that the figure shows the previous settings. */
static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  NormscopeSession *session = normscope_window_get_session (fixture->window);
  GtkWidget *view = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_FLOW_VIEW);
  GtkWidget *cancel = app_find (view, is_cancel_button, NULL);

  g_assert_nonnull (cancel);
  g_assert_false (gtk_widget_get_visible (cancel));
  g_assert_null (app_find (view, says_stale, NULL));
  normscope_session_set_int (session, ns_param_find ("shape.depth"), 4096, NULL);
  normscope_session_set_int (session, ns_param_find ("sampling.seeds"), 10000, NULL);
  g_assert_true (app_wait_for (is_visible, cancel, TIMEOUT_MS));
  app_wait_until (shows_part, view);
  g_signal_emit_by_name (cancel, "clicked");
  g_assert_true (app_wait_for (is_hidden, cancel, TIMEOUT_MS));
  g_assert_null (app_find (view, says_blocks, NULL));
  g_assert_nonnull (app_find (view, says_stale, NULL));

  normscope_session_set_int (session, ns_param_find ("shape.depth"), 5, NULL);
  normscope_session_set_int (session, ns_param_find ("sampling.seeds"), fixture->experiment->sampling.seeds, NULL);
  fixture->experiment->shape.depth = 5;
  app_assert_shows (fixture);
  g_assert_null (app_find (view, says_stale, NULL));
}

/* The sentence names the overflow of a stack. */
static void
test_overflow (Fixture *fixture, gconstpointer data)
{
  NsVariant *variant = ns_experiment_variant (fixture->experiment, 0);

  for (int sub = 0; sub < 2; sub++)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (app_find_in_row (fixture, sub == 0 ? "attn.norm" : "ffn.norm",
                                                                GTK_TYPE_DROP_DOWN)), NS_PLACE_NONE);
  variant->attn.norm = variant->ffn.norm = NS_PLACE_NONE;
  app_type_number (fixture, "branch_scale", "100000");
  variant->branch_scale.number = 1e5;
  app_assert_shows (fixture);
  g_assert_true (describes (fixture, "overflow"));
}

/* ---- the crosshair ---- */

static void
test_crosshair (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = GTK_WIDGET (fixture->plot);

  g_assert_true (gtk_widget_get_focusable (plot));
  g_assert_true (app_press_key (plot, GDK_KEY_Home));
  app_assert_readout (fixture, 0);
  g_assert_true (app_press_key (plot, GDK_KEY_Right));
  app_assert_readout (fixture, 1);
  g_assert_true (app_press_key (plot, GDK_KEY_End));
  app_assert_readout (fixture, 24);
  g_assert_true (app_press_key (plot, GDK_KEY_Left));
  app_assert_readout (fixture, 23);
  /* With another depth the crosshair stays on its block and shows the new numbers. */
  app_move_slider (fixture, "shape.depth", 30);
  fixture->experiment->shape.depth = 30;
  app_assert_shows (fixture);
  app_assert_readout (fixture, 23);
  g_assert_true (app_press_key (plot, GDK_KEY_Escape));
  g_assert_true (isnan (normscope_plot_get_cursor (fixture->plot)));
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "Point at the plots"));
}

/* ---- the view ---- */

static void
test_quantity (Fixture *fixture, gconstpointer data)
{
  GtkWidget *group = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_DISPLAY_GROUP);
  GtkDropDown *gradient = GTK_DROP_DOWN (gtk_widget_get_template_child (group, NORMSCOPE_TYPE_DISPLAY_GROUP,
                                                                        "gradient"));
  GListModel *names = gtk_drop_down_get_model (gradient);
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (names); i++)
    {
      g_autoptr (GtkStringObject) item = g_list_model_get_item (names, i);
      g_auto (GStrv) words = g_strsplit (gtk_string_object_get_string (item), " ", 2);

      g_assert_true (ns_quantity_from_name (words[0], &fixture->options.gradient));
      gtk_drop_down_set_selected (gradient, i);
      app_assert_shows (fixture);
      n++;
    }
  /* At least block, attn, ffn, grad_x, six matrices, and the gains of the two placements. */
  g_assert_cmpuint (n, >=, 14);
}

static void
test_settings (Fixture *fixture, gconstpointer data)
{
  NormscopeView view = *normscope_session_get_view (normscope_window_get_session (fixture->window));
  NormscopeWindow *second;

  view.gradient = NS_Q_GRAD_X;
  view.band = FALSE;
  view.text_scale = 1.5;
  normscope_session_set_view (normscope_window_get_session (fixture->window), &view);
  second = normscope_window_new (app_test_get_application ());
  g_assert_cmpint (normscope_session_get_view (normscope_window_get_session (second))->gradient, ==, NS_Q_GRAD_X);
  g_assert_false (normscope_session_get_view (normscope_window_get_session (second))->band);
  g_assert_cmpfloat (normscope_session_get_view (normscope_window_get_session (second))->text_scale, ==, 1.5);
  gtk_window_destroy (GTK_WINDOW (second));
}

static guint
corner_pixel (GtkWidget *widget)
{
  g_autoptr (GdkTexture) texture = app_grab (widget);
  int width = gdk_texture_get_width (texture), height = gdk_texture_get_height (texture);
  g_autofree guint32 *pixels = g_new (guint32, (gsize) width * (gsize) height);

  gdk_texture_download (texture, (guchar *) pixels, (gsize) width * 4);
  return pixels[(gsize) width * 2 + (gsize) width - 2] & 0xff;
}

static void
test_dark (Fixture *fixture, gconstpointer data)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  g_assert_cmpuint (corner_pixel (GTK_WIDGET (fixture->plot)), >, 0xf0);
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_FORCE_DARK);
  g_assert_cmpuint (corner_pixel (GTK_WIDGET (fixture->plot)), <, 0x40);
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_DEFAULT);
  g_assert_cmpuint (corner_pixel (GTK_WIDGET (fixture->plot)), >, 0xf0);
}

static gboolean
is_dimming (GtkWidget *widget, gconstpointer flap)
{
  return gtk_widget_get_parent (widget) == flap && g_str_equal (gtk_widget_get_css_name (widget), "dimming");
}

static void
test_small (Fixture *fixture, gconstpointer data)
{
  AdwFlap *flap = ADW_FLAP (app_find_type (GTK_WIDGET (fixture->window), ADW_TYPE_FLAP));

  app_resize (fixture, 910, 570);
  g_assert_false (adw_flap_get_folded (flap));
  g_assert_false (gtk_widget_get_visible (app_find (GTK_WIDGET (flap), is_dimming, flap)));
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (fixture->plot)), >=, 540);
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (fixture->plot)), >=, 240);

  app_resize (fixture, 860, 570);
  g_assert_true (adw_flap_get_folded (flap));
  g_assert_false (adw_flap_get_reveal_flap (flap));
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (fixture->plot)), >=, 800);

  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-sidebar", NULL);
  g_assert_true (adw_flap_get_reveal_flap (flap));
  app_settle ();
  g_assert_true (gtk_widget_get_mapped (app_find (GTK_WIDGET (flap), is_dimming, flap)));
}

static void
count_frame (guint *n_frames)
{
  (*n_frames)++;
}

static gboolean
has_frame (gpointer n_frames)
{
  return *(guint *) n_frames > 0;
}

/* A frame that shows nothing new would delay the picture after it. */
static void
test_one_frame (Fixture *fixture, gconstpointer data)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (fixture->window));
  guint n_frames = 0;
  gulong id;

  app_wait_until (app_has_settled, fixture->plot);
  app_settle ();
  id = g_signal_connect_swapped (clock, "before-paint", G_CALLBACK (count_frame), &n_frames);
  gtk_widget_queue_resize (app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_SIDEBAR));
  g_assert_true (app_wait_for (has_frame, &n_frames, TIMEOUT_MS));
  app_iterate (300); /* asks for no frame itself */
  g_assert_cmpuint (n_frames, ==, 1);
  g_signal_handler_disconnect (clock, id);
}

static void
assert_names_below (Fixture *fixture, gboolean below)
{
  GtkWidget *bar = app_find_type (GTK_WIDGET (fixture->window), ADW_TYPE_VIEW_SWITCHER_BAR);

  app_settle ();
  g_assert_cmpint (gtk_widget_get_visible (bar), ==, below);
  if (below)
    g_assert_cmpint (gtk_widget_get_height (bar), >=, 30);
}

/* The views' names move from the header bar below the views and back, without a warning of GTK. */
static void
test_switcher (Fixture *fixture, gconstpointer data)
{
  for (int round = 0; round < 2; round++)
    {
      gtk_window_set_default_size (GTK_WINDOW (fixture->window), 700, 570);
      assert_names_below (fixture, TRUE);
      gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.fullscreen", NULL);
      assert_names_below (fixture, FALSE);
      gtk_widget_activate_action (app_get_child (fixture->window, "presenter"), "present.end", NULL);
      assert_names_below (fixture, TRUE);
      gtk_window_set_default_size (GTK_WINDOW (fixture->window), 1280, 570);
      assert_names_below (fixture, FALSE);
    }
}

/* ---- files and presets ---- */

static void
test_preset (Fixture *fixture, gconstpointer data)
{
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.preset", "s", "tiny");
  app_answer_question ("_Discard");
  ns_experiment_free (fixture->experiment);
  fixture->experiment = ns_preset_load ("tiny", NULL);
  g_assert_nonnull (fixture->experiment);
  app_assert_shows (fixture);
}

static void
open_file (Fixture *fixture, const char *contents)
{
  g_autofree char *dir = g_dir_make_tmp ("normscope-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "a.normscope", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GFile *files[] = { file };

  g_assert_true (g_file_set_contents (path, contents, -1, NULL));
  /* As a file manager opens it; the application has only this window. */
  g_application_open (G_APPLICATION (app_test_get_application ()), files, 1, "");
  g_unlink (path);
  g_rmdir (dir);
}

static void
test_files (Fixture *fixture, gconstpointer data)
{
  g_autofree char *description = app_dup_description (GTK_WIDGET (fixture->plot));

  open_file (fixture, "{\"format\": \"normscope-experiment\", \"version\": 1, \"shape\": {\"depth\": 0}}");
  g_assert_true (app_wait_for_toast (fixture, "shape.depth"));
  app_assert_unchanged (fixture, description);
  open_file (fixture, "{\"format\": \"normscope-expe");
  app_assert_unchanged (fixture, description);

  open_file (fixture, "{\"format\": \"normscope-experiment\", \"version\": 1, "
                      "\"shape\": {\"depth\": 5, \"d_model\": 16}}");
  app_answer_question ("_Discard");
  ns_experiment_free (fixture->experiment);
  fixture->experiment = ns_experiment_new ();
  fixture->experiment->shape.depth = 5;
  fixture->experiment->shape.d_model = 16;
  app_assert_shows (fixture);
}

/* ---- keyboard and help ---- */

static gboolean
wants_focus (GtkWidget *widget, gconstpointer data)
{
  GHashTable *seen = (GHashTable *) data;

  return gtk_widget_get_mapped (widget) && gtk_widget_is_sensitive (widget) && gtk_widget_get_focusable (widget)
         && (GTK_IS_SWITCH (widget) || GTK_IS_SCALE (widget) || NORMSCOPE_IS_PLOT (widget) || GTK_IS_TEXT (widget)
             || (GTK_IS_TOGGLE_BUTTON (widget) && gtk_widget_get_ancestor (widget, GTK_TYPE_DROP_DOWN) != NULL))
         && !g_hash_table_contains (seen, widget);
}

static void
test_keyboard (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GtkWidget *missed;

  gtk_window_set_focus (GTK_WINDOW (fixture->window), NULL);
  for (int i = 0; i < 400; i++)
    {
      GtkWidget *focus;

      gtk_widget_child_focus (GTK_WIDGET (fixture->window), GTK_DIR_TAB_FORWARD);
      focus = gtk_root_get_focus (GTK_ROOT (fixture->window));
      if (focus != NULL)
        g_hash_table_add (seen, focus);
    }
  missed = app_find (GTK_WIDGET (fixture->window), wants_focus, seen);
  if (missed != NULL)
    g_error ("Tab never comes to a %s", G_OBJECT_TYPE_NAME (missed));
}

static void
test_help (Fixture *fixture, gconstpointer data)
{
  GtkShortcutsWindow *help = gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (fixture->window));
  g_auto (GStrv) accels = NULL;
  g_autofree char *report = normscope_dup_troubleshooting ();

  g_assert_true (GTK_IS_SHORTCUTS_WINDOW (help));
  accels = gtk_application_get_accels_for_action (app_test_get_application (), "win.show-help-overlay");
  g_assert_true (g_strv_contains ((const char *const *) accels, "<Control>question"));
  g_assert_nonnull (strstr (report, ns_blas_get_core ()));
  g_assert_nonnull (strstr (report, "GTK 4"));
  g_assert_nonnull (strstr (report, "Processors"));
}

void
add_window_tests (void)
{
  app_test_add_with_defaults ("/window/burst", test_burst);
  app_test_add_with_defaults ("/window/drag", test_drag);
  app_test_add ("/window/resolution", test_resolution);
  app_test_add ("/window/one-drawing", test_one_drawing);
  app_test_add ("/window/heads", test_heads);
  app_test_add ("/window/memory", test_memory);
  app_test_add ("/window/cancel", test_cancel);
  app_test_add ("/window/overflow", test_overflow);
  app_test_add ("/window/crosshair", test_crosshair);
  app_test_add ("/window/quantity", test_quantity);
  app_test_add ("/window/remembers", test_settings);
  app_test_add ("/window/dark", test_dark);
  app_test_add ("/window/small", test_small);
  app_test_add ("/window/one-frame", test_one_frame);
  app_test_add ("/window/switcher", test_switcher);
  app_test_add ("/window/preset", test_preset);
  app_test_add ("/window/files", test_files);
  app_test_add ("/window/keyboard", test_keyboard);
  app_test_add ("/window/help", test_help);
}
