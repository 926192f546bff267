/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"
#include "app-files.h"
#include "app-widgets.h"
#include "app-input.h"
#include "app-monkey-private.h"
#include "app-walker.h"
#include "engine/experiment/ns-params.h"

#define MAX_WINDOWS 2
#define N_FILES     3
/* Small models, so that runs end and the next action finds a result. */
#define MAX_INTEGER 48

/* ---- pointer and keys ---- */

static gboolean
is_popover (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget);
}

/* Return what a user would use next: an open popover, the newest dialog, a window. */
static GtkWidget *
pick_root (GtkWidget *window)
{
  GtkWidget *root = app_monkey_get_dialog (), *popover;
  g_autoptr (GtkWidget) held = NULL;

  if (root == NULL)
    root = window;
  held = g_object_ref (root);
  if (!gtk_window_is_active (GTK_WINDOW (root)))
    {
      gtk_window_present (GTK_WINDOW (root));
      app_input_settle ();
    }
  if (!gtk_widget_get_mapped (root)) /* a dialog that was about to close */
    return window;
  popover = app_find (root, is_popover, NULL);
  return popover != NULL && gtk_widget_get_mapped (popover) && !app_monkey_is_one_of (4) ? popover : root;
}

/* Some controls start another program. */
static gboolean
is_harmless (GtkWidget *control)
{
  const char *action = GTK_IS_ACTIONABLE (control) ? gtk_actionable_get_action_name (GTK_ACTIONABLE (control)) : NULL;

  return !ADW_IS_ABOUT_WINDOW (gtk_widget_get_root (control)) && g_strcmp0 (action, "win.open-folder") != 0;
}

static gboolean
is_in_sight (GtkWidget *control)
{
  GtkWidget *native = GTK_WIDGET (gtk_widget_get_native (control));
  graphene_rect_t bounds;
  double x, y;

  if (!gtk_widget_compute_bounds (control, native, &bounds))
    return FALSE;
  x = bounds.origin.x + bounds.size.width / 2;
  y = bounds.origin.y + bounds.size.height / 2;
  return x > 0 && y > 0 && x < gtk_widget_get_width (native) && y < gtk_widget_get_height (native);
}

static void
click_control (GtkWidget *window)
{
  g_autoptr (GPtrArray) controls = app_walk_list (pick_root (window));
  g_autoptr (GtkWidget) control = NULL;
  g_autofree char *name = NULL;

  if (controls->len == 0)
    return;
  control = g_object_ref (controls->pdata[app_monkey_roll (controls->len)]);
  name = app_walk_dup_name (control);
  if (!is_harmless (control))
    return;
  app_monkey_note ("click %s", name);
  if (!is_in_sight (control))
    {
      /* The focus scrolls it into sight. */
      gtk_widget_grab_focus (control);
      app_input_settle ();
    }
  if (app_monkey_is_one_of (8))
    app_input_double_click (control);
  else
    app_input_click_fast (control, gtk_widget_get_width (control) / 2.0, gtk_widget_get_height (control) / 2.0);
}

static void
press_key (GtkWidget *window)
{
  static const guint keys[] = { GDK_KEY_Tab,       GDK_KEY_Tab,       GDK_KEY_Tab,    GDK_KEY_ISO_Left_Tab,
                                GDK_KEY_Up,        GDK_KEY_Down,      GDK_KEY_Left,   GDK_KEY_Right,
                                GDK_KEY_Page_Up,   GDK_KEY_Page_Down, GDK_KEY_Home,   GDK_KEY_End,
                                GDK_KEY_space,     GDK_KEY_space,     GDK_KEY_Return, GDK_KEY_Escape,
                                GDK_KEY_F1,        GDK_KEY_F9,        GDK_KEY_F10,    GDK_KEY_F11,
                                GDK_KEY_BackSpace, GDK_KEY_Delete,    GDK_KEY_l,      GDK_KEY_k,
                                GDK_KEY_Escape,    GDK_KEY_Menu,      GDK_KEY_n,      GDK_KEY_p };
  guint key = APP_MONKEY_PICK (keys);
  GtkWidget *root = pick_root (window);

  if (ADW_IS_ABOUT_WINDOW (gtk_widget_get_root (root)))
    key = GDK_KEY_Escape;
  app_monkey_note ("key %s", gdk_keyval_name (key));
  app_input_keys (key, 1 + app_monkey_roll (3));
}

static void
press_control_key (GtkWidget *window)
{
  static const guint keys[] = { GDK_KEY_z, GDK_KEY_y,     GDK_KEY_1, GDK_KEY_2,    GDK_KEY_plus, GDK_KEY_minus,
                                GDK_KEY_0, GDK_KEY_comma, GDK_KEY_r, GDK_KEY_e,    GDK_KEY_l,    GDK_KEY_v,
                                GDK_KEY_a, GDK_KEY_c,     GDK_KEY_x, GDK_KEY_Home, GDK_KEY_End,  GDK_KEY_3,
                                GDK_KEY_4, GDK_KEY_C };
  guint key = APP_MONKEY_PICK (keys);

  app_monkey_note ("key Ctrl+%s", gdk_keyval_name (key));
  pick_root (window);
  app_input_control_key (key);
}

/* Messages one after the other, and keys to their buttons while they fade. */
static void
press_keys_of_messages (GtkWidget *window)
{
  static const guint keys[] = { GDK_KEY_l, GDK_KEY_C };

  app_monkey_note ("messages, Shift+Tab, Escape");
  pick_root (window);
  for (guint n = 2 + app_monkey_roll (3); n > 0; n--)
    {
      app_input_control_key (APP_MONKEY_PICK (keys));
      app_iterate (app_monkey_roll (4) * 100);
    }
  app_input_tab (FALSE);
  app_input_keys (app_monkey_is_one_of (2) ? GDK_KEY_Escape : GDK_KEY_space, 1 + app_monkey_roll (2));
}

static void
type_text (GtkWidget *window)
{
  static const char *const texts[] = { "3", "12", "-1", "1e-3", "0.5", "x", "1e999", "nan", "post", "a b" };
  const char *text = APP_MONKEY_PICK (texts);

  app_monkey_note ("type “%s”", text);
  if (ADW_IS_ABOUT_WINDOW (gtk_widget_get_root (pick_root (window))))
    return;
  app_input_type (text);
  if (app_monkey_is_one_of (2))
    app_input_key (GDK_KEY_Return);
}

/* Anywhere: move, click with either button, drag or turn the wheel. */
static void
use_pointer (GtkWidget *window)
{
  g_autoptr (GtkWidget) root = g_object_ref (GTK_WIDGET (gtk_widget_get_root (pick_root (window))));
  double x = app_monkey_roll_between (0, gtk_widget_get_width (root));
  double y = app_monkey_roll_between (0, gtk_widget_get_height (root));
  GtkWidget *hit = gtk_widget_pick (root, x, y, GTK_PICK_DEFAULT);

  if (hit == NULL || app_walk_is_left_out (hit) || !is_harmless (hit))
    return;
  app_monkey_note ("pointer at %.0f, %.0f on %s", x, y, G_OBJECT_TYPE_NAME (hit));
  switch (app_monkey_roll (5))
    {
    case 0:
      app_input_click_fast (root, x, y);
      break;
    case 4:
      app_input_right_click_fast (root, x, y);
      break;
    case 1:
      app_input_point_at (root, x, y);
      break;
    case 2:
      app_input_point_at (root, x, y);
      for (guint n = 1 + app_monkey_roll (4), down = app_monkey_roll (2); n > 0; n--)
        app_input_scroll (down);
      break;
    default:
      /* Not in the header bar, which would move the window away. */
      if (gtk_widget_get_ancestor (hit, ADW_TYPE_HEADER_BAR) != NULL)
        break;
      app_input_point_at (root, x, y);
      app_input_press ();
      app_input_point_at (root, x + app_monkey_roll_between (-200, 200), y + app_monkey_roll_between (-50, 50));
      app_input_release ();
    }
}

static gboolean
has_menu (GtkWidget *widget, gconstpointer data)
{
  static const char *const types[] = { "NormscopePlot", "NormscopeWiringRow", "NormscopeProse", NULL };

  return g_strv_contains (types, G_OBJECT_TYPE_NAME (widget)) && gtk_widget_get_mapped (widget)
         && app_monkey_is_one_of (2);
}

/* The menu of something in a view, which the keys of the view show. */
static void
open_menu (GtkWidget *window)
{
  guint view = app_monkey_roll (4);
  GtkWidget *widget;

  app_monkey_note ("menu in view %u", view + 1);
  pick_root (window);
  app_input_control_key (GDK_KEY_1 + view);
  widget = app_find (window, has_menu, NULL);
  if (widget == NULL)
    return;
  app_input_right_click_fast (widget, app_monkey_roll_between (0, gtk_widget_get_width (widget)),
                              app_monkey_roll_between (0, gtk_widget_get_height (widget)));
  if (app_monkey_is_one_of (2))
    app_input_key (GDK_KEY_Escape);
}

/* ---- from within ---- */

static NormscopeSession *
get_session (GtkWidget *window)
{
  return normscope_window_get_session (NORMSCOPE_WINDOW (window));
}

static void
activate (GtkWidget *window)
{
  static const char *const actions[] = { "win.undo",
                                         "win.undo",
                                         "win.redo",
                                         "win.redo",
                                         "win.new-seed",
                                         "win.text-larger",
                                         "win.text-smaller",
                                         "win.text-normal",
                                         "win.copy-data",
                                         "win.copy-picture",
                                         "win.copy-link",
                                         "win.paste-link",
                                         "win.fullscreen",
                                         "win.toggle-first-axis",
                                         "win.toggle-second-axis",
                                         "win.undo-set-up",
                                         "win.export-data",
                                         "win.export-script",
                                         "win.help",
                                         "win.preferences",
                                         "win.show-help-overlay",
                                         "win.export",
                                         "app.about" };
  const char *action = APP_MONKEY_PICK (actions);

  app_monkey_note ("action %s", action);
  gtk_widget_activate_action (window, action, NULL);
}

static void
activate_with_target (GtkWidget *window)
{
  static const char *const actions[][2] = { { "win.show-view", "flow" },  { "win.show-view", "paths" },
                                            { "win.show-view", "scaling" }, { "win.show-view", "training" },
                                            { "win.catalog", "presets" }, { "win.catalog", "variants" },
                                            { "win.preset", "tiny" },     { "win.preset", "default" } };
  guint i = app_monkey_roll (G_N_ELEMENTS (actions));

  app_monkey_note ("action %s of %s", actions[i][0], actions[i][1]);
  gtk_widget_activate_action (window, actions[i][0], "s", actions[i][1]);
}

static void
set_parameter (GtkWidget *window)
{
  NormscopeSession *session = get_session (window);
  gsize n;
  const NsParam *param = ns_params (&n) + app_monkey_roll ((guint) n);
  const char *path = ns_param_get_path (param);
  double number = app_monkey_is_one_of (4) ? param->ui_min : app_monkey_roll_between (0, 2 * (param->fallback + 1));

  number = CLAMP (number, param->min, param->max);
  app_monkey_note ("set %s to about %g", path, number);
  switch (param->type)
    {
    case NS_TYPE_INTEGER:
    case NS_TYPE_BOOLEAN:
      normscope_session_set_int (session, param, (gint64) MIN (number, MAX_INTEGER), NULL);
      break;
    case NS_TYPE_NUMBER:
      normscope_session_set_number (session, param, number, NULL);
      break;
    case NS_TYPE_CHOICE:
      normscope_session_set_int (session, param, app_monkey_roll (g_strv_length ((char **) param->choices)), NULL);
      break;
    case NS_TYPE_SCALE:
      normscope_session_set_scale (session, param, (NsScale){ .number = number }, NULL);
      break;
    case NS_TYPE_STRING:
      normscope_session_set_text (session, param, app_monkey_is_one_of (2) ? "A name" : "", NULL);
      break;
    case NS_TYPE_LIST:
      normscope_session_set_text (session, param, app_monkey_is_one_of (2) ? "1 2.5" : NULL, NULL);
      break;
    }
}

static void
edit_variants (GtkWidget *window)
{
  NormscopeSession *session = get_session (window);
  guint n = normscope_session_get_n_variants (session), i = app_monkey_roll (n);

  app_monkey_note ("edit variant %u of %u", i + 1, n);
  switch (app_monkey_roll (5))
    {
    case 0:
      normscope_session_duplicate_variant (session, i, NULL);
      break;
    case 1:
      normscope_session_remove_variant (session, i, NULL);
      break;
    case 2:
      normscope_session_rename_variant (session, i, app_monkey_is_one_of (2) ? "Ω" : "", NULL);
      break;
    case 3:
      normscope_session_set_hidden (session, i, app_monkey_is_one_of (2));
      break;
    default:
      normscope_session_select (session, i);
    }
}

static void
use_file (GtkWidget *window)
{
  g_autofree char *name = g_strdup_printf ("monkey-%u.normscope", app_monkey_roll (N_FILES));
  g_autoptr (GFile) file = app_new_file (name);

  if (app_monkey_is_one_of (2))
    {
      app_monkey_note ("save %s", name);
      normscope_session_save (get_session (window), file, NULL);
    }
  else
    {
      app_monkey_note ("open %s", name);
      normscope_window_open (NORMSCOPE_WINDOW (window), file);
    }
}

static void
open_broken_or_foreign (GtkWidget *window)
{
  static const char *const contents[][2] = {
    { "monkey-config.json", "{\"model_type\": \"gpt2\", \"n_layer\": 2, \"n_embd\": 32, \"n_head\": 4, "
                            "\"vocab_size\": 20, \"n_positions\": 4}" },
    { "monkey-broken.normscope", "{\"shape\": {\"depth\": [" },
  };
  guint i = app_monkey_roll (G_N_ELEMENTS (contents));
  g_autofree char *path = app_dup_path (contents[i][0]);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  app_monkey_note ("open %s", contents[i][0]);
  g_assert_true (g_file_set_contents (path, contents[i][1], -1, NULL));
  normscope_window_open (NORMSCOPE_WINDOW (window), file);
}

static gboolean
is_export_dialog (GtkWidget *dialog)
{
  return dialog != NULL && NORMSCOPE_IS_EXPORT_DIALOG (dialog);
}

static gboolean
has_export_dialog (gpointer data)
{
  return is_export_dialog (app_monkey_get_dialog ());
}

static void
export_picture (GtkWidget *window)
{
  static const char *const names[] = { "monkey.png", "monkey.svg", "monkey.pdf", "monkey.jpg" };
  static const char *const spins[] = { "width", "height", "dpi", "type_scale" };
  const char *name = APP_MONKEY_PICK (names);
  g_autoptr (GFile) file = app_new_file (name);
  g_autoptr (GError) error = NULL;
  NormscopeExportDialog *dialog;

  app_monkey_note ("export %s", name);
  gtk_widget_activate_action (window, "win.export", NULL);
  if (!app_wait_for (has_export_dialog, NULL, 200))
    return;
  dialog = NORMSCOPE_EXPORT_DIALOG (app_monkey_get_dialog ());
  for (gsize i = 0; i < G_N_ELEMENTS (spins); i++)
    if (app_monkey_is_one_of (3))
      gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, spins[i])),
                                 app_monkey_is_one_of (4) ? 0 : app_monkey_roll_between (0, 400));
  adw_combo_row_set_selected (ADW_COMBO_ROW (app_get_child (dialog, "format")), app_monkey_roll (3));
  app_save_to (dialog, file, &error);
  gtk_window_close (GTK_WINDOW (dialog));
}

static void
print_figure (GtkWidget *window)
{
  g_autofree char *path = app_dup_path ("monkey-print.pdf");

  app_monkey_note ("print to a file");
  normscope_window_print_to (NORMSCOPE_WINDOW (window), path, NULL);
}

static void
resize (GtkWidget *window)
{
  int width = 900 + (int) app_monkey_roll (380), height = 560 + (int) app_monkey_roll (464);

  app_monkey_note ("resize to %d × %d", width, height);
  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
}

static void
change_theme (GtkWidget *window)
{
  static const AdwColorScheme schemes[] = { ADW_COLOR_SCHEME_FORCE_LIGHT, ADW_COLOR_SCHEME_FORCE_DARK };
  AdwColorScheme scheme = APP_MONKEY_PICK (schemes);

  app_monkey_note ("theme %d", scheme);
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), scheme);
}

static void
change_windows (GtkWidget *window)
{
  if (app_monkey_count_windows () < MAX_WINDOWS && app_monkey_is_one_of (2))
    {
      app_monkey_note ("open a window");
      app_monkey_open_window ();
    }
  else if (app_monkey_is_one_of (3))
    {
      app_monkey_note ("ask a window to close");
      gtk_window_close (GTK_WINDOW (window));
    }
  else
    {
      app_monkey_note ("close a window");
      app_monkey_destroy_window (window);
    }
}

static void
verify (GtkWidget *window)
{
  app_monkey_note ("action win.verify");
  gtk_widget_activate_action (window, "win.verify", NULL);
}

static void
pause_for_results (GtkWidget *window)
{
  app_monkey_note ("wait");
  app_iterate (app_monkey_roll (120));
}

/* ---- the list ---- */

const AppMonkeyAction app_monkey_actions[] = {
  { click_control, 30, FALSE },
  { press_key, 14, FALSE },
  { press_control_key, 4, FALSE },
  { press_keys_of_messages, 1, TRUE },
  { open_menu, 4, TRUE },
  { type_text, 3, FALSE },
  { use_pointer, 12, FALSE },
  { activate, 9, TRUE },
  { activate_with_target, 3, TRUE },
  { set_parameter, 15, TRUE },
  { edit_variants, 5, TRUE },
  { use_file, 2, TRUE },
  { open_broken_or_foreign, 1, TRUE },
  { export_picture, 1, TRUE },
  { print_figure, 1, TRUE },
  { resize, 2, TRUE },
  { change_theme, 1, TRUE },
  { change_windows, 2, TRUE },
  { verify, 1, TRUE },
  { pause_for_results, 4, FALSE },
  { NULL, 0, FALSE },
};
