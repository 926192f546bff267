/* Keys reach what they should: after each item of each menu, and in a presentation. Pointer and keys go through the X
 * server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"
#include "app-input.h"

#include <string.h>

#include "app-dialogs.h"
#include "app/lecture/normscope-presenter.h"

/* Long enough for a menu to open or for a key to act on a busy machine. */
#define ACT_MS 10000
#define MAX_CLOSES 8

static gboolean
is_active (gpointer window)
{
  return gtk_window_is_active (window);
}

static gboolean
is_blank (GtkWidget *widget, gconstpointer data)
{
  return gtk_widget_has_css_class (widget, "blank") && gtk_widget_get_mapped (widget);
}

static gboolean
has_blank (gpointer fixture)
{
  return app_find (GTK_WIDGET (((Fixture *) fixture)->window), is_blank, NULL) != NULL;
}

static gboolean
is_open_popover (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget);
}

static gboolean
has_popover (gpointer window)
{
  return app_find (window, is_open_popover, NULL) != NULL;
}

static gboolean
has_no_popover (gpointer window)
{
  return !has_popover (window);
}

/* ---- menus ---- */

/* The items of menus are of a type that GTK keeps to itself. */
static gboolean
is_item (GtkWidget *widget)
{
  return g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkModelButton") && gtk_widget_get_mapped (widget);
}

static void
add_items (GtkWidget *root, GPtrArray *items)
{
  if (is_item (root))
    g_ptr_array_add (items, root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    add_items (child, items);
}

static char *
dup_text (GtkWidget *item)
{
  char *text;

  g_object_get (item, "text", &text, NULL);
  return text;
}

static GPtrArray *
open_menu (Fixture *fixture, const char *id)
{
  GPtrArray *items = g_ptr_array_new ();

  gtk_widget_grab_focus (app_get_child (fixture->window, id));
  app_input_key (GDK_KEY_Return);
  g_assert_true (app_wait_for (has_popover, fixture->window, ACT_MS));
  app_input_settle ();
  add_items (GTK_WIDGET (fixture->window), items);
  g_assert_cmpuint (items->len, >, 0);
  return items;
}

static void
close_menus (Fixture *fixture)
{
  for (int i = 0; i < MAX_CLOSES && has_popover (fixture->window); i++)
    app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (has_no_popover, fixture->window, ACT_MS));
}

static guint
count_items (Fixture *fixture, const char *id)
{
  g_autoptr (GPtrArray) items = open_menu (fixture, id);

  close_menus (fixture);
  return items->len;
}

/* Press Enter on an item, which scrolls into sight. */
static void
press_item (GtkWidget *item)
{
  g_autofree char *text = dup_text (item);

  g_test_message ("%s", text);
  gtk_widget_grab_focus (item);
  app_input_key (GDK_KEY_Return);
  app_input_settle ();
}

/* Return another window than that of the test, or NULL. */
static GtkWidget *
find_dialog (Fixture *fixture)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (window != GTK_WIDGET (fixture->window) && gtk_widget_get_mapped (window))
        return window;
    }
  return NULL;
}

static void
close_dialogs (Fixture *fixture)
{
  GtkWidget *dialog;

  app_draw_frames (3); /* some open after the menu has closed */
  for (int i = 0; i < MAX_CLOSES && (dialog = find_dialog (fixture)) != NULL; i++)
    {
      if (ADW_IS_MESSAGE_DIALOG (dialog) && app_find_text (dialog, "Discard") != NULL)
        app_answer_question ("Discard");
      else
        app_input_key (GDK_KEY_Escape);
      app_input_settle ();
      /* The window of shortcuts and some of GTK's dialogs do not have the focus at once. */
      if (i >= 2 && find_dialog (fixture) == dialog)
        gtk_window_close (GTK_WINDOW (dialog));
      app_settle ();
    }
  g_assert_null (find_dialog (fixture));
  g_assert_true (app_wait_for (is_active, fixture->window, ACT_MS));
}

static void
assert_acts (Fixture *fixture, gboolean (*predicate) (gpointer fixture), const char *key, const char *after)
{
  if (!app_wait_for (predicate, fixture, ACT_MS))
    g_error ("after “%s”, %s does nothing", after, key);
}

static void
count_cb (GSimpleAction *action, GVariant *parameter, gpointer n)
{
  *(guint *) n += 1;
}

/* A key of the application reaches it. */
static void
assert_key_works (guint *n_keys, const char *after)
{
  guint n = *n_keys;

  app_input_key (GDK_KEY_F12);
  if (*n_keys != n + 1)
    g_error ("after “%s”, no key reaches the window", after);
}

/* F5 presents, b blanks the screen, any key shows it again, Escape ends it. */
static void
assert_keys_work (Fixture *fixture, const char *after)
{
  if (!app_is_presenting (fixture))
    app_input_key (GDK_KEY_F5);
  assert_acts (fixture, app_is_presenting, "F5", after);
  app_input_key (GDK_KEY_b);
  assert_acts (fixture, has_blank, "b", after);
  app_input_key (GDK_KEY_b);
  g_assert_false (has_blank (fixture));
  app_input_key (GDK_KEY_Escape);
  assert_acts (fixture, app_is_not_presenting, "Escape", after);
  app_input_settle ();
}

/* The system's dialog looks for printers; GTK 4.8 may warn of a label's width in the window of shortcuts, which
 * test-look.c opens. */
static gboolean
is_left_out (const char *text)
{
  return g_str_has_prefix (text, "Print") || g_str_equal (text, "Keyboard Shortcuts");
}

/* Open the menu and press an item, and in its submenu, if it has one, another. Return how many the submenu has. */
static guint
press (Fixture *fixture, const char *id, guint index, guint sub, char **text)
{
  g_autoptr (GPtrArray) items = open_menu (fixture, id);
  GtkWidget *item = g_ptr_array_index (items, index);
  guint n = 0;

  *text = dup_text (item);
  if (!gtk_widget_is_sensitive (item) || is_left_out (*text))
    return 0;
  press_item (item);
  if (!has_popover (fixture->window))
    return 0;
  g_ptr_array_set_size (items, 0);
  add_items (GTK_WIDGET (fixture->window), items);
  n = items->len - 1; /* the first one leads back */
  if (sub < n && gtk_widget_is_sensitive (item = g_ptr_array_index (items, sub + 1)))
    {
      g_free (*text);
      *text = dup_text (item);
      press_item (item);
    }
  return n;
}

/* Use each item of a menu, and then a key; after the last one of each menu and submenu, present. */
static guint
use_menu (Fixture *fixture, const char *id)
{
  static const char *const accels[] = { "F12", NULL };
  GActionMap *map = G_ACTION_MAP (app_test_get_application ());
  g_autoptr (GSimpleAction) counting = g_simple_action_new ("count", NULL);
  guint n_items = count_items (fixture, id), n = 0, n_keys = 0;

  g_signal_connect (counting, "activate", G_CALLBACK (count_cb), &n_keys);
  g_action_map_add_action (map, G_ACTION (counting));
  gtk_application_set_accels_for_action (app_test_get_application (), "app.count", accels);
  for (guint i = 0; i < n_items; i++)
    for (guint sub = 0, n_subs = 1; sub < n_subs; sub++)
      {
        g_autofree char *text = NULL;

        n_subs = press (fixture, id, i, sub, &text);
        close_menus (fixture);
        close_dialogs (fixture);
        if (app_is_presenting (fixture) || sub + 1 == n_subs || i + 1 == n_items)
          assert_keys_work (fixture, text);
        assert_key_works (&n_keys, text);
        n++;
      }
  gtk_application_set_accels_for_action (app_test_get_application (), "app.count", accels + 1);
  g_action_map_remove_action (map, "count");
  return n;
}

static void
test_presets_menu (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpuint (use_menu (fixture, "presets_button"), >, 20);
}

static void
test_main_menu (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpuint (use_menu (fixture, "main_button"), >, 25);
}

/* ---- keys of the window ---- */

/* No menu, panel or dialog opens on the stage; what changes the picture works. */
static void
test_keys (Fixture *fixture, gconstpointer data)
{
  static const guint plain[] = { GDK_KEY_F2, GDK_KEY_F8, GDK_KEY_F9, GDK_KEY_F10, GDK_KEY_F11 };
  static const guint with_control[] = { GDK_KEY_s, GDK_KEY_o,     GDK_KEY_e,        GDK_KEY_p,
                                        GDK_KEY_v, GDK_KEY_comma, GDK_KEY_question, GDK_KEY_w };
  GtkWidget *window = GTK_WIDGET (fixture->window);

  app_input_key (GDK_KEY_F11);
  g_assert_true (app_wait_for (app_is_presenting, fixture, ACT_MS));
  app_input_settle ();
  for (gsize i = 0; i < G_N_ELEMENTS (plain) + G_N_ELEMENTS (with_control); i++)
    {
      gboolean is_plain = i < G_N_ELEMENTS (plain);
      guint key = is_plain ? plain[i] : with_control[i - G_N_ELEMENTS (plain)];

      if (is_plain)
        app_input_key (key);
      else
        app_input_control_key (key);
      app_draw_frames (3);
      if (has_popover (window) || find_dialog (fixture) != NULL || !app_is_presenting (fixture)
          || adw_flap_get_reveal_flap (app_get_child (window, "flap"))
          || gtk_widget_get_mapped (app_get_child (window, "header")))
        g_error ("%s%s opens something in a presentation", is_plain ? "" : "Control+", gdk_keyval_name (key));
    }
  app_input_control_key (GDK_KEY_4);
  g_assert_true (app_wait_for (app_is_mapped, app_get_child (window, "training_view"), ACT_MS));
  app_input_control_key (GDK_KEY_1);
  g_assert_true (app_wait_for (app_is_mapped, fixture->plot, ACT_MS));
  assert_keys_work (fixture, "the keys of the window");
}

void
add_stage_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/stage/keys", test_keys);
  app_test_add ("/stage/presets-menu", test_presets_menu);
  app_test_add ("/stage/main-menu", test_main_menu);
}
