/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-walker.h"

#include <adwaita.h>
#include <string.h>

#include "app-widgets.h"
#include "app-input.h"
#include "app-watchdog.h"
#include "engine/experiment/ns-params.h"

#define CLOSE_MS 2000
#define POPOVER_MS 500
#define MAX_CLOSES 10
/* Of a longer list, as that of all quantities, the first ones and the last: its rows are alike. */
#define MAX_VALUES 9
/* Of controls with one name, as the buttons of all cards, the first ones. */
#define MAX_ALIKE 3

/* ---- what is left out ---- */

/* By a part of the name that app_walk_dup_name() gives. */
static const struct
{
  const char *name, *reason;
} left_out[] = {
  { "GtkWindowControls", "the buttons of the title bar close and hide the window" },
  { "GtkFileChooser", "GTK's own dialog; it is opened and closed" },
  { "GtkPrint", "GTK's own dialog; it is opened and closed" },
  { "GtkLinkButton", "opens another program" },
  { "“Help on ", "opens a page beside the views: test-help.c does it for rows, and opens every page" },
  { "“Print…”", "the dialog of the system looks for printers; test-documents.c prints to a file" },
};

static gboolean
is_left_out (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (left_out); i++)
    if (strstr (name, left_out[i].name) != NULL)
      return TRUE;
  return FALSE;
}

/* ---- finding ---- */

typedef enum
{
  NOT_A_CONTROL,
  CHOOSER,  /* a list to choose from */
  TOGGLE,   /* on and off */
  NUMBER,   /* steps up and down */
  SLIDER,
  TEXT,
  BUTTON,
  EXPANDER,
} Kind;

/* Its class is private to GTK. */
static gboolean
is_menu_item (GtkWidget *widget)
{
  return g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkModelButton");
}

static Kind
get_kind (GtkWidget *widget)
{
  if (GTK_IS_DROP_DOWN (widget) || ADW_IS_COMBO_ROW (widget))
    return CHOOSER;
  if (GTK_IS_SWITCH (widget) || GTK_IS_CHECK_BUTTON (widget) || GTK_IS_TOGGLE_BUTTON (widget))
    return TOGGLE;
  if (GTK_IS_SPIN_BUTTON (widget))
    return NUMBER;
  if (GTK_IS_SCALE (widget))
    return SLIDER;
  if (GTK_IS_TEXT (widget))
    return TEXT;
  if (ADW_IS_EXPANDER_ROW (widget))
    return EXPANDER;
  if (GTK_IS_BUTTON (widget) || GTK_IS_MENU_BUTTON (widget) || is_menu_item (widget))
    return BUTTON;
  return NOT_A_CONTROL;
}

/* Types of the ancestors that tell where it is, the titles of its rows, its label and its tooltip. */
char *
app_walk_dup_name (GtkWidget *widget)
{
  GString *name = g_string_new (G_OBJECT_TYPE_NAME (widget));
  const char *tooltip = gtk_widget_get_tooltip_text (widget);

  if (GTK_IS_BUTTON (widget) && gtk_button_get_label (GTK_BUTTON (widget)) != NULL)
    g_string_append_printf (name, " “%s”", gtk_button_get_label (GTK_BUTTON (widget)));
  if (is_menu_item (widget))
    {
      g_autofree char *text = NULL;

      g_object_get (widget, "text", &text, NULL);
      g_string_append_printf (name, " “%s”", text);
    }
  if (tooltip != NULL)
    g_string_append_printf (name, " “%s”", tooltip);
  for (GtkWidget *w = gtk_widget_get_parent (widget); w != NULL; w = gtk_widget_get_parent (w))
    {
      const char *type = G_OBJECT_TYPE_NAME (w);

      if (ADW_IS_PREFERENCES_ROW (w) && adw_preferences_row_get_title (ADW_PREFERENCES_ROW (w)) != NULL)
        g_string_append_printf (name, " in “%s”", adw_preferences_row_get_title (ADW_PREFERENCES_ROW (w)));
      else if (NORMSCOPE_IS_PARAMETER_ROW (w))
        g_string_append_printf (name, " in %s",
                                ns_param_get_path (normscope_parameter_row_get_param (NORMSCOPE_PARAMETER_ROW (w))));
      else if (g_str_has_prefix (type, "Normscope") || GTK_IS_NATIVE (w) || strstr (type, "WindowControls") != NULL)
        g_string_append_printf (name, " in %s", type);
    }
  return g_string_free (name, FALSE);
}

typedef struct
{
  GHashTable *used; /* names with the number of the control among those of the same name */
  GHashTable *seen; /* names in this search, with their count */
  char *name;       /* of what was found */
} Search;

/* Parts of a control are no controls of their own. */
static gboolean
is_part (GtkWidget *widget)
{
  for (GtkWidget *w = gtk_widget_get_parent (widget); w != NULL && !GTK_IS_NATIVE (w); w = gtk_widget_get_parent (w))
    if (GTK_IS_DROP_DOWN (w) || GTK_IS_SPIN_BUTTON (w) || GTK_IS_MENU_BUTTON (w) || is_menu_item (w))
      return TRUE;
  return FALSE;
}

gboolean
app_walk_is_left_out (GtkWidget *widget)
{
  g_autofree char *name = app_walk_dup_name (widget);

  return is_left_out (name);
}

static gboolean
is_usable (GtkWidget *widget)
{
  return get_kind (widget) != NOT_A_CONTROL && gtk_widget_get_mapped (widget) && gtk_widget_is_sensitive (widget)
         && gtk_widget_get_width (widget) > 0 && !is_part (widget);
}

static void
list_controls (GtkWidget *root, GPtrArray *list)
{
  if (!gtk_widget_get_mapped (root))
    return;
  if (is_usable (root) && !app_walk_is_left_out (root))
    g_ptr_array_add (list, root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    list_controls (child, list);
}

GPtrArray *
app_walk_list (GtkWidget *root)
{
  GPtrArray *list = g_ptr_array_new ();

  list_controls (root, list);
  return list;
}

static gboolean
is_wanted (GtkWidget *widget, gconstpointer data)
{
  Search *search = (Search *) data;
  g_autofree char *name = NULL;
  char *numbered;
  guint n;

  if (!is_usable (widget))
    return FALSE;
  name = app_walk_dup_name (widget);
  if (is_left_out (name))
    return FALSE;
  n = GPOINTER_TO_UINT (g_hash_table_lookup (search->seen, name));
  numbered = g_strdup_printf ("%s, number %u", name, n + 1);
  g_hash_table_insert (search->seen, g_steal_pointer (&name), GUINT_TO_POINTER (n + 1));
  if (n >= MAX_ALIKE || g_hash_table_contains (search->used, numbered))
    {
      g_free (numbered);
      return FALSE;
    }
  search->name = numbered;
  return TRUE;
}

static GtkWidget *
find_next (GtkWidget *root, GHashTable *used, char **name)
{
  Search search = { used, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), NULL };
  GtkWidget *found = app_find (root, is_wanted, &search);

  g_hash_table_unref (search.seen);
  *name = search.name;
  return found;
}

/* ---- closing what opens ---- */

static gboolean
is_open_popover (GtkWidget *widget, gconstpointer kept)
{
  return GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget) && widget != kept;
}

/* Return the newest window above the root's, a popover in the root's window, or NULL. */
static GtkWidget *
find_opened (GtkWidget *root, guint n_windows)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
  GtkWidget *newest = NULL;

  if (g_list_model_get_n_items (windows) > n_windows)
    for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
      {
        g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

        if (window != GTK_WIDGET (gtk_widget_get_root (root)) && gtk_widget_get_mapped (window)
            && (gtk_window_get_transient_for (GTK_WINDOW (window)) != NULL
                || gtk_window_get_modal (GTK_WINDOW (window))))
          newest = window;
      }
  if (newest != NULL)
    return newest;
  return app_find (GTK_WIDGET (gtk_widget_get_root (root)), is_open_popover, gtk_widget_get_native (root));
}

static void
close_opened (GtkWidget *root, guint n_windows)
{
  GtkWidget *opened;

  for (int i = 0; i < MAX_CLOSES && (opened = find_opened (root, n_windows)) != NULL; i++)
    {
      app_input_key (GDK_KEY_Escape);
      app_input_settle ();
      /* The window of shortcuts and some of GTK's dialogs do not have the focus at once. */
      if (i >= 2 && find_opened (root, n_windows) == opened)
        {
          if (GTK_IS_WINDOW (opened))
            gtk_window_close (GTK_WINDOW (opened));
          else
            gtk_popover_popdown (GTK_POPOVER (opened));
          app_settle ();
        }
    }
}

/* ---- using ---- */

/* Keys reach the list only when the focus has moved into it. */
static gboolean
is_expanded (gpointer chooser)
{
  GtkWidget *popover = app_find (chooser, is_open_popover, NULL);
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (chooser));

  return popover != NULL && focus != NULL && gtk_widget_is_ancestor (focus, popover);
}

static gboolean
is_collapsed (gpointer chooser)
{
  return app_find (chooser, is_open_popover, NULL) == NULL;
}

static gboolean
choose (GtkWidget *chooser, guint key, guint n)
{
  /* After the first time the focus is on the chooser, and a key opens it faster. */
  if (gtk_widget_has_focus (chooser) || gtk_widget_get_focus_child (chooser) != NULL)
    app_input_key (GDK_KEY_space);
  if (is_collapsed (chooser) && !app_input_click_until (chooser, is_expanded, chooser))
    return FALSE;
  app_input_keys (key, n);
  app_input_key (GDK_KEY_Return);
  app_wait_for (is_collapsed, chooser, CLOSE_MS);
  return gtk_widget_get_mapped (chooser) && gtk_widget_is_sensitive (chooser);
}

static void
use_chooser (GtkWidget *widget)
{
  GListModel *model = GTK_IS_DROP_DOWN (widget) ? gtk_drop_down_get_model (GTK_DROP_DOWN (widget))
                                                : adw_combo_row_get_model (ADW_COMBO_ROW (widget));
  guint selected = GTK_IS_DROP_DOWN (widget) ? gtk_drop_down_get_selected (GTK_DROP_DOWN (widget))
                                             : adw_combo_row_get_selected (ADW_COMBO_ROW (widget));

  guint n = model != NULL ? g_list_model_get_n_items (model) : 0;
  gboolean ok = n > 0 && choose (widget, GDK_KEY_Home, 1);

  for (guint i = 1; ok && i < MIN (n, MAX_VALUES); i++)
    ok = choose (widget, GDK_KEY_Down, 1);
  if (ok && n > MAX_VALUES)
    ok = choose (widget, GDK_KEY_End, 1);
  if (ok && choose (widget, GDK_KEY_Home, 1) && selected != GTK_INVALID_LIST_POSITION)
    choose (widget, GDK_KEY_Down, selected);
}

static void
use (GtkWidget *widget)
{
  switch (get_kind (widget))
    {
    case CHOOSER:
      use_chooser (widget);
      break;
    case TOGGLE:
    case EXPANDER:
      app_input_click (widget);
      if (get_kind (widget) == TOGGLE)
        app_input_click (widget);
      break;
    case NUMBER:
      app_input_key (GDK_KEY_Up);
      app_input_key (GDK_KEY_Down);
      break;
    case SLIDER:
      app_input_key (GDK_KEY_Right);
      app_input_key (GDK_KEY_Left);
      app_input_click (widget);
      break;
    case TEXT:
      app_input_click (widget);
      app_input_type ("x");
      app_input_key (GDK_KEY_BackSpace);
      break;
    case BUTTON:
      app_input_click (widget);
      break;
    case NOT_A_CONTROL:
      break;
    }
}

static void
assert_answers (void)
{
  g_autofree char *name = NULL;
  double ms = app_watchdog_take_longest (&name);

  if (ms > APP_WATCHDOG_LIMIT_MS)
    g_error ("%s: the main loop did not answer for %.0f ms, %d are allowed", name, ms, APP_WATCHDOG_LIMIT_MS);
}

static gboolean use_next (GtkWidget *root, GHashTable *used);

/* Return the popover of the button, opened; NULL if it does not open. */
static GtkWidget *
open_popover (GtkWidget *button, guint n_windows)
{
  for (int i = 0; i < MAX_CLOSES && is_collapsed (button) && gtk_widget_get_mapped (button); i++)
    {
      /* A window that the last item opened late takes the click. */
      close_opened (button, n_windows);
      if (!gtk_widget_is_sensitive (button))
        return NULL;
      app_input_click (button);
      app_wait_for (is_expanded, button, POPOVER_MS);
    }
  return app_find (button, is_open_popover, NULL);
}

/* Use the controls of the popover that the button opens, opening it again when it closes. */
static void
walk_popover (GtkWidget *button, GHashTable *used, guint n_windows)
{
  GtkWidget *popover;

  while ((popover = open_popover (button, n_windows)) != NULL && use_next (popover, used))
    /* A menu that shows one of its submenus shows its own items when it opens again. */
    if (GTK_IS_POPOVER_MENU (popover) && !is_collapsed (button))
      app_input_key (GDK_KEY_Escape);
}

/* Use the next control below the root; FALSE when there is none. */
static gboolean
use_next (GtkWidget *root, GHashTable *used)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
  guint n_windows = g_list_model_get_n_items (windows);
  g_autoptr (GtkWidget) held G_GNUC_UNUSED = g_object_ref (root);
  g_autoptr (GtkWidget) widget = NULL;
  char *name;

  widget = find_next (root, used, &name);
  if (widget == NULL)
    return FALSE;
  g_object_ref (widget);
  g_hash_table_add (used, name);
  app_watchdog_name (name);
  /* The focus scrolls it into sight. */
  gtk_widget_grab_focus (widget);
  app_input_settle ();
  use (widget);
  app_input_settle ();
  if (GTK_IS_MENU_BUTTON (widget) && gtk_widget_get_mapped (widget))
    walk_popover (widget, used, n_windows);
  if (gtk_widget_get_root (root) != NULL)
    close_opened (root, n_windows);
  assert_answers ();
  return TRUE;
}

guint
app_walk (AppWalkOpen open, gpointer data)
{
  g_autoptr (GHashTable) used = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  /* GTK 4.8 warns of a label's width when it shows its window of shortcuts. */
  GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  gboolean is_over = FALSE;

  while (!is_over)
    {
      gpointer root = open (data);
      g_autofree char *former = NULL;

      g_object_add_weak_pointer (root, &root);
      app_input_settle ();
      app_watchdog_take_longest (&former);
      while (root != NULL && gtk_widget_get_mapped (root) && !is_over)
        is_over = !use_next (root, used);
      if (root != NULL)
        g_object_remove_weak_pointer (root, &root);
    }
  g_log_set_always_fatal (fatal);
  return g_hash_table_size (used);
}
