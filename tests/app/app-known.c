/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-known.h"

#include <gdk/x11/gdkx.h>
#include <string.h>

#include "app-widgets.h"
#include "app-input.h"

/* A tooltip appears after 500. */
#define TOOLTIP_MS     700
/* A popover is laid out in the frame in which GTK looks for its monitor. */
#define MAX_POPOVER_MS 500

/* Of a window with a popover. */
#define WIDTH          400

/* The contents of a popover are laid out with it. */
#define MAX_LAYOUT_MS  20

/* When GTK last found no monitor for a popover, and no room for a popover's contents, in µs; 0: never. */
static gint64 no_monitor_at, no_room_at;

/* It warns of a label's width when it shows its window of shortcuts, counts a release without its press where a dialog
 * opens between the two, asks for the ancestors of no widget when Return is pressed in a popover without a focus
 * (gtk_popover_activate_default(); our own calls look first), draws a row of a list that it has made after the
 * list's layout, when an adjustment moved (gtk_list_item_manager_ensure_items()); the next frame has it in place; and,
 * where a window is closed soon after the pointer came to one of its popovers, and is still held by someone, asks for
 * the pointer's place on a surface that is gone, for a tooltip (gtk_tooltip_show_tooltip()). */
static const char *const known[] = {
  "reported min width",
  "Broken accounting of active state",
  "gtk_widget_is_ancestor: assertion 'GTK_IS_WIDGET (widget)' failed",
  "Trying to snapshot GtkListItemWidget",
  "gdk_surface_get_device_position: assertion 'GDK_IS_SURFACE (surface)' failed",
  "find_at_coords: assertion 'GDK_IS_SURFACE (surface)' failed",
};

static gboolean
is_recent (gint64 at, gint64 ms)
{
  return at > 0 && g_get_monotonic_time () - at < ms * G_TIME_SPAN_MILLISECOND;
}

/* It finds no monitor for a popover whose button is off the screen, as in a window that reaches beyond it. It then fits
 * the popover into bounds that it has not set (gdk_surface_layout_popup_helper()), so its size may come out as 1 × 1,
 * less than its border. */
static gboolean
is_of_popover_off_screen (const char *message)
{
  if (strstr (message, "GDK_IS_MONITOR") != NULL)
    {
      no_monitor_at = g_get_monotonic_time ();
      return TRUE;
    }
  if (strstr (message, "attempt to allocate") == NULL)
    return FALSE;
  if (strstr (message, "attempt to allocate GtkPopoverContent ") != NULL && is_recent (no_monitor_at, MAX_POPOVER_MS))
    no_room_at = g_get_monotonic_time ();
  return is_recent (no_room_at, MAX_LAYOUT_MS);
}

/* An expression of a template (ours have none) watches the object that it is bound to. Once one weak reference is
 * removed, the others are told in another order that the object goes, and the expression may end before it is told
 * (gtk_object_expression_finalize()). Nothing is lost. */
static gboolean
is_of_expression (const char *message, char *const *callers, int n)
{
  if (strstr (message, "g_object_weak_unref: couldn't find weak ref") == NULL)
    return FALSE;
  for (int i = 0; i < n; i++)
    if (strstr (callers[i], "libgtk-4") != NULL && strstr (callers[i], "gtk_expression_") != NULL)
      return TRUE;
  return FALSE;
}

gboolean
app_known_is (const char *message, char *const *callers, int n)
{
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (strstr (message, known[i]) != NULL)
      return TRUE;
  return is_of_popover_off_screen (message) || is_of_expression (message, callers, n);
}

/* ---- what causes them ---- */

static void
ignore_end (gpointer data, GObject *former)
{
}

static void
end_expression (void)
{
  GtkWidget *label = g_object_ref_sink (gtk_label_new (NULL));
  GtkExpression *expression;

  g_object_weak_ref (G_OBJECT (label), ignore_end, NULL);
  expression
    = gtk_property_expression_new (GTK_TYPE_LABEL, gtk_object_expression_new (G_OBJECT (label)), "sensitive");
  gtk_expression_bind (expression, label, "visible", label);
  g_object_weak_unref (G_OBJECT (label), ignore_end, NULL);
  g_object_unref (label);
}

/* Open a window with a popover over its button; return the window, and the label in the popover. */
static GtkWidget *
open_popover (GtkPositionType side, GtkWidget **label, void (*prepare) (GtkWidget *window))
{
  GtkWidget *window = g_object_ref_sink (gtk_window_new ());
  GtkWidget *button = gtk_menu_button_new (), *popover = gtk_popover_new ();

  *label = gtk_label_new ("label");
  gtk_popover_set_child (GTK_POPOVER (popover), *label);
  gtk_popover_set_position (GTK_POPOVER (popover), side);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_widget_set_halign (button, GTK_ALIGN_END);
  gtk_window_set_child (GTK_WINDOW (window), button);
  gtk_window_set_default_size (GTK_WINDOW (window), WIDTH, 200);
  gtk_window_present (GTK_WINDOW (window));
  app_input_settle ();
  if (prepare != NULL)
    prepare (window);
  gtk_menu_button_popup (GTK_MENU_BUTTON (button));
  app_settle ();
  return window;
}

/* The window stays in memory while the tooltip would appear. */
static void
leave_tooltip (void)
{
  GtkWidget *label;
  g_autoptr (GtkWidget) window = open_popover (GTK_POS_BOTTOM, &label, NULL);

  gtk_widget_set_tooltip_text (label, "tooltip");
  app_input_point_at (label, 2, 2);
  gtk_window_destroy (GTK_WINDOW (window));
  app_iterate (TOOLTIP_MS);
}

/* The left edge stays, since a window manager may want to see something of each window. */
static void
move_off_screen (GtkWidget *window)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (window));
  Display *server = gdk_x11_display_get_xdisplay (gtk_widget_get_display (window));

  XMoveWindow (server, gdk_x11_surface_get_xid (surface), DisplayWidth (server, DefaultScreen (server)) - WIDTH / 4,
               100);
  app_draw_frames (12); /* the window manager answers */
}

static void
leave_screen (void)
{
  static const GtkPositionType sides[] = { GTK_POS_LEFT, GTK_POS_RIGHT, GTK_POS_TOP, GTK_POS_BOTTOM };

  for (gsize i = 0; i < G_N_ELEMENTS (sides); i++)
    {
      GtkWidget *label;
      g_autoptr (GtkWidget) window = open_popover (sides[i], &label, move_off_screen);

      gtk_window_destroy (GTK_WINDOW (window));
    }
}

void
app_known_plant (const char *what)
{
  if (g_str_equal (what, "expression"))
    end_expression ();
  else if (g_str_equal (what, "tooltip"))
    leave_tooltip ();
  else if (g_str_equal (what, "screen"))
    leave_screen ();
  else
    g_assert_not_reached ();
}
