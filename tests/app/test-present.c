/* Presenting without a lecture, with pointer and keys that go through the X server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"
#include "app-input.h"

#include <stdio.h>
#include <string.h>

#include "app/lecture/normscope-change-words.h"
#include "app/lecture/normscope-last-action.h"
#include "app/lecture/normscope-palette.h"
#include "app/lecture/normscope-presenter-bar.h"
#include "app/lecture/normscope-presenter.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-variants.h"

static gboolean
is_fullscreen (gpointer window)
{
  return gtk_window_is_fullscreen (window);
}

static gboolean
is_no_fullscreen (gpointer window)
{
  return !gtk_window_is_fullscreen (window);
}

static void
start (Fixture *fixture)
{
  app_input_key (GDK_KEY_F11);
  g_assert_true (app_wait_for (app_is_presenting, fixture, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_fullscreen, fixture->window, TIMEOUT_MS));
  app_input_settle ();
}

static void
end (Fixture *fixture)
{
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (app_is_not_presenting, fixture, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_no_fullscreen, fixture->window, TIMEOUT_MS));
  app_input_settle ();
}

static gpointer
find (Fixture *fixture, GType type)
{
  return app_find_type (GTK_WIDGET (fixture->window), type);
}

static gboolean
is_css (GtkWidget *widget, gconstpointer css_class)
{
  return gtk_widget_has_css_class (widget, css_class) && gtk_widget_get_mapped (widget);
}

static GtkWidget *
find_css (Fixture *fixture, const char *css_class)
{
  return app_find (GTK_WIDGET (fixture->window), is_css, css_class);
}

static double
get_scale (Fixture *fixture)
{
  return normscope_session_get_text_scale (fixture->session);
}

/* The window before and after: what a presentation must leave as it was. */
typedef struct
{
  gboolean sidebar, header, can_undo;
  double scale, saved;
  GtkWidget *focus;
  int width, height, line;
  gboolean has_overlay;
} Looks;

static Looks
look (Fixture *fixture)
{
  g_autoptr (GSettings) settings = g_settings_new ("org.normscope.Normscope");
  GtkWidget *window = GTK_WIDGET (fixture->window);
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (window, "Text");
  Looks looks = {
    .sidebar = adw_flap_get_reveal_flap (app_get_child (window, "flap")),
    .header = gtk_widget_get_mapped (app_get_child (window, "header")),
    .can_undo = normscope_session_can_undo (fixture->session),
    .scale = get_scale (fixture),
    .saved = g_settings_get_double (settings, "type-scale"),
    .focus = gtk_window_get_focus (GTK_WINDOW (window)),
    .width = gtk_widget_get_width (window),
    .height = gtk_widget_get_height (window),
    .has_overlay = find (fixture, NORMSCOPE_TYPE_PRESENTER_BAR) != NULL
                   || find (fixture, NORMSCOPE_TYPE_PALETTE) != NULL
                   || find (fixture, NORMSCOPE_TYPE_LAST_ACTION) != NULL,
  };

  pango_layout_get_pixel_size (layout, NULL, &looks.line);
  return looks;
}

static void
assert_same (const Looks *a, const Looks *b)
{
  g_assert_cmpint (a->sidebar, ==, b->sidebar);
  g_assert_cmpint (a->header, ==, b->header);
  g_assert_cmpint (a->can_undo, ==, b->can_undo);
  g_assert_cmpfloat (a->scale, ==, b->scale);
  g_assert_cmpfloat (a->saved, ==, b->saved);
  g_assert_true (a->focus == b->focus);
  g_assert_cmpint (a->width, ==, b->width);
  g_assert_cmpint (a->height, ==, b->height);
  g_assert_cmpint (a->line, ==, b->line);
  g_assert_false (b->has_overlay);
}

static void
test_leaves_nothing (Fixture *fixture, gconstpointer data)
{
  Looks before, after;

  for (int sidebar = 1; sidebar >= 0; sidebar--)
    {
      adw_flap_set_reveal_flap (app_get_child (fixture->window, "flap"), sidebar);
      gtk_widget_grab_focus (sidebar ? GTK_WIDGET (app_find_row (fixture, "shape.depth")) : GTK_WIDGET (fixture->plot));
      app_input_settle ();
      before = look (fixture);

      start (fixture);
      g_assert_false (gtk_widget_get_mapped (app_get_child (fixture->window, "header")));
      g_assert_false (adw_flap_get_reveal_flap (app_get_child (fixture->window, "flap")));
      g_assert_cmpfloat (get_scale (fixture), >=, 1.5);
      g_assert_cmpfloat (look (fixture).saved, ==, before.saved);
      app_input_control_key (GDK_KEY_minus);
      g_assert_cmpfloat (get_scale (fixture), <, 2);
      g_assert_cmpfloat (look (fixture).saved, ==, before.saved);

      end (fixture);
      after = look (fixture);
      assert_same (&before, &after);
    }
}

/* F11 and F5 present, and leave a presentation as it is. */
static void
test_keys (Fixture *fixture, gconstpointer data)
{
  start (fixture);
  app_input_key (GDK_KEY_F11);
  app_input_key (GDK_KEY_F5);
  app_draw_frames (3);
  g_assert_true (app_is_presenting (fixture) && is_fullscreen (fixture->window));
  end (fixture);
  app_input_key (GDK_KEY_F5);
  g_assert_true (app_wait_for (app_is_presenting, fixture, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_fullscreen, fixture->window, TIMEOUT_MS));
  end (fixture);

  /* The window manager ends full screen, and with it the presentation. */
  start (fixture);
  gtk_window_unfullscreen (GTK_WINDOW (fixture->window));
  g_assert_true (app_wait_for (app_is_not_presenting, fixture, TIMEOUT_MS));
}

/* ---- the bar ---- */

static gboolean
is_asleep (gpointer bar)
{
  return !normscope_presenter_bar_is_awake (bar);
}

static gboolean
is_awake (gpointer bar)
{
  return normscope_presenter_bar_is_awake (bar);
}

static void
test_bar (Fixture *fixture, gconstpointer data)
{
  NormscopePresenterBar *bar;

  start (fixture);
  bar = find (fixture, NORMSCOPE_TYPE_PRESENTER_BAR);
  g_assert_true (app_wait_for (is_asleep, bar, TIMEOUT_MS));
  /* On a busy machine it may sleep again before the program has handled the event. */
  for (int i = 0; i < 10 && !is_awake (bar); i++)
    app_input_point_at (GTK_WIDGET (fixture->plot), 300, 200 + 5 * i);
  g_assert_true (is_awake (bar));
  g_assert_true (app_wait_for (is_asleep, bar, TIMEOUT_MS));
  for (int i = 0; i < 10 && !is_awake (bar); i++)
    app_input_tab (TRUE);
  g_assert_true (is_awake (bar));

  for (int i = 0; i < 10 && app_is_presenting (fixture); i++)
    {
      GtkWidget *button = app_find_text (GTK_WIDGET (bar), "End");

      app_input_point_at (GTK_WIDGET (fixture->plot), 300, 200 + 5 * i);
      if (button != NULL)
        app_input_click (button);
    }
  g_assert_true (app_is_not_presenting (fixture));
}

/* Any key shows the figure again, and does nothing else. */
static void
test_blank (Fixture *fixture, gconstpointer data)
{
  static const guint keys[] = { GDK_KEY_b, GDK_KEY_Escape, GDK_KEY_x, GDK_KEY_Page_Down };

  start (fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      app_input_key (i % 2 == 0 ? GDK_KEY_b : GDK_KEY_period);
      g_assert_nonnull (find_css (fixture, "blank"));
      app_input_key (keys[i]);
      g_assert_null (find_css (fixture, "blank"));
      g_assert_true (app_is_presenting (fixture));
    }
  end (fixture);
}

/* ---- the controls and the last action ---- */

static gboolean
is_action_label (GtkWidget *widget, gconstpointer data)
{
  return gtk_widget_has_css_class (widget, "last-action");
}

/* The text of the last action, which may be hidden again by now. */
static const char *
get_action (Fixture *fixture)
{
  return gtk_label_get_label (GTK_LABEL (app_find (GTK_WIDGET (fixture->window), is_action_label, NULL)));
}

static gboolean
has_action (gpointer fixture)
{
  return *get_action (fixture) != '\0';
}

static gboolean
has_depth_action (gpointer fixture)
{
  return g_str_has_prefix (get_action (fixture), "Depth ");
}

static gboolean
is_action_hidden (gpointer fixture)
{
  AdwBin *action = find (fixture, NORMSCOPE_TYPE_LAST_ACTION);

  return !gtk_revealer_get_reveal_child (GTK_REVEALER (adw_bin_get_child (action)));
}

static gboolean
is_row_of (GtkWidget *widget, gconstpointer path)
{
  if (!NORMSCOPE_IS_PARAMETER_ROW (widget) || !gtk_widget_get_mapped (widget))
    return FALSE;
  return strcmp (ns_param_get_path (normscope_parameter_row_get_param (NORMSCOPE_PARAMETER_ROW (widget))), path) == 0;
}

static GtkWidget *
find_in_palette (Fixture *fixture, const char *path, GType type)
{
  return app_find_type (app_find (find (fixture, NORMSCOPE_TYPE_PALETTE), is_row_of, path), type);
}

static gboolean
shows_controls (gpointer fixture)
{
  NormscopePalette *palette = find (fixture, NORMSCOPE_TYPE_PALETTE);

  return gtk_widget_get_mapped (GTK_WIDGET (palette))
         && app_find (GTK_WIDGET (palette), is_row_of, "attn.residual") != NULL;
}

static void
test_controls (Fixture *fixture, gconstpointer data)
{
  const NsExperiment *experiment;

  start (fixture);
  app_input_key (GDK_KEY_c);
  g_assert_true (app_wait_for (shows_controls, fixture, TIMEOUT_MS));
  app_input_settle ();
  g_assert_true (app_input_click (find_in_palette (fixture, "attn.residual", GTK_TYPE_SWITCH)));
  experiment = normscope_session_get_experiment (fixture->session);
  g_assert_false (ns_experiment_variant (experiment, normscope_session_get_selected (fixture->session))->attn.residual);
  g_assert_true (app_wait_for (has_action, fixture, TIMEOUT_MS));
  g_assert_nonnull (strstr (get_action (fixture), "Attention residual: off"));
  g_assert_true (app_wait_for (is_action_hidden, fixture, TIMEOUT_MS));

  /* The keyboard reaches the depth. */
  gtk_widget_grab_focus (find_in_palette (fixture, "shape.depth", GTK_TYPE_SCALE));
  app_input_key (GDK_KEY_Right);
  g_assert_true (app_wait_for (has_depth_action, fixture, TIMEOUT_MS));
  app_input_control_key (GDK_KEY_z);
  app_input_control_key (GDK_KEY_z);
  g_assert_true (ns_experiment_variant (normscope_session_get_experiment (fixture->session), 0)->attn.residual);

  app_input_key (GDK_KEY_c);
  g_assert_false (shows_controls (fixture));
  end (fixture);
}

/* ---- the words of a change ---- */

static void
assert_words (const NsExperiment *before, const NsExperiment *after, const char *expected)
{
  g_autofree char *words = normscope_change_dup_words (before, after);

  g_assert_cmpstr (words, ==, expected);
}

static void
test_words (void)
{
  g_autoptr (NsExperiment) before = ns_experiment_new (), after = ns_experiment_copy (before);

  assert_words (before, after, NULL);
  after->shape.depth = 48;
  assert_words (before, after, "Depth 48");
  ns_experiment_variant (after, 0)->attn.residual = FALSE;
  assert_words (before, after, "Depth 48\nPre-LN — Attention residual: off");
  ns_experiment_variant (after, 0)->ffn.residual = FALSE;
  ns_experiment_variant (after, 0)->ffn.norm = NS_PLACE_NONE;
  assert_words (before, after, NULL);

  g_clear_pointer (&after, ns_experiment_free);
  after = ns_experiment_copy (before);
  g_free (ns_experiment_variant (after, 1)->name);
  ns_experiment_variant (after, 1)->name = g_strdup ("Another name");
  assert_words (before, after, NULL);
  g_ptr_array_remove_index (after->variants, 1);
  assert_words (before, after, "Removed: Post-LN");
  assert_words (after, before, "Added: Post-LN");
  g_ptr_array_remove_index (before->variants, 1);
  ns_experiment_variant (after, 0)->attn.norm = NS_PLACE_POST;
  assert_words (before, after, "Attention norm: Post-LN");
}

void
add_present_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add_func ("/present/words", test_words);
  app_test_add ("/present/leaves-nothing", test_leaves_nothing);
  app_test_add ("/present/keys", test_keys);
  app_test_add ("/present/bar", test_bar);
  app_test_add ("/present/blank", test_blank);
  app_test_add ("/present/controls", test_controls);
}
