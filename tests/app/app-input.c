/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-input.h"

#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>
#include <gdk/x11/gdkx.h>
#include <math.h>
#include <stdlib.h>

#include "app-widgets.h"

#define WINDOW_MANAGER_MS 10000
#define STEP_PX 5
#define MAX_ATTEMPTS 3
#define EFFECT_MS 3000

static Display *server; /* a separate connection for these events only */
static GPid window_manager;
static unsigned int button = 1; /* of clicks */

/* ---- the server ---- */

/* Return TRUE if a window manager has announced itself by its window. */
static gboolean
has_window_manager (gpointer data)
{
  Atom name = XInternAtom (server, "_NET_SUPPORTING_WM_CHECK", False), type;
  unsigned long n = 0, rest;
  unsigned char *value = NULL;
  int format;

  XGetWindowProperty (server, DefaultRootWindow (server), name, 0, 1, False, XA_WINDOW, &type, &format, &n, &rest,
                      &value);
  if (value != NULL)
    XFree (value);
  return n > 0;
}

static const char *
start_window_manager (void)
{
  /* Without configuration it has no menus and keys that interfere. */
  static char *argv[] = { (char *) "openbox", (char *) "--config-file", (char *) "/dev/null", NULL };

  if (has_window_manager (NULL))
    return NULL;
  if (!g_spawn_async (NULL, argv, NULL,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL
                          | G_SPAWN_STDERR_TO_DEV_NULL,
                      NULL, NULL, &window_manager, NULL))
    return "openbox is not installed";
  g_assert_true (app_wait_for (has_window_manager, NULL, WINDOW_MANAGER_MS));
  return NULL;
}

static void
disconnect_from_server (void)
{
  if (window_manager != 0)
    kill (window_manager, SIGTERM);
  XAutoRepeatOn (server);
  XCloseDisplay (server);
}

const char *
app_input_prepare (void)
{
  GdkDisplay *display = gdk_display_get_default ();
  int number;

  if (server != NULL)
    return start_window_manager ();
  if (!GDK_IS_X11_DISPLAY (display))
    return "the display is no X server";
  server = XOpenDisplay (gdk_display_get_name (display));
  g_assert_nonnull (server);
  atexit (disconnect_from_server);
  if (!XTestQueryExtension (server, &number, &number, &number, &number))
    return "the X server has no XTest";
  /* On a busy machine a key stays down for longer than the delay of the repetition. */
  XAutoRepeatOff (server);
  return start_window_manager ();
}

/* ---- waiting ---- */

static gboolean
set_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

static gboolean
is_set (gpointer data)
{
  return *(gboolean *) data;
}

static GtkWidget *
get_active_window (void)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
  GtkWidget *active = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (active == NULL || gtk_window_is_active (GTK_WINDOW (window)))
        active = window;
    }
  return active;
}

static void
wait_for_events (void)
{
  gboolean idle = FALSE;

  /* Afterwards the resulting events are in the queue of GDK's connection. */
  XSync (server, False);
  gdk_display_sync (gdk_display_get_default ());
  /* GDK handles one event at a time, at the default priority: wait until none is left. */
  g_idle_add_full (G_PRIORITY_DEFAULT + 1, set_cb, &idle, NULL);
  g_assert_true (app_wait_for (is_set, &idle, TIMEOUT_MS));
}

void
app_input_settle (void)
{
  GtkWidget *window;

  wait_for_events ();
  window = get_active_window ();
  if (window == NULL)
    return;
  /* GDK holds events back while a frame is drawn. */
  app_draw_frame (window);
  wait_for_events ();
}

/* ---- the pointer ---- */

static void
send_motion (GtkWidget *widget, double x, double y)
{
  GtkNative *native = gtk_widget_get_native (widget);
  GdkSurface *surface;
  graphene_point_t inside;
  double left, top;
  int scale, root_x, root_y;
  Window child;

  /* The last event, or a result that has arrived since, may have hidden it. */
  if (native == NULL || !gtk_widget_get_mapped (widget))
    return;
  surface = gtk_native_get_surface (native);
  scale = gdk_surface_get_scale_factor (surface);
  gtk_native_get_surface_transform (native, &left, &top);
  g_assert_true (gtk_widget_compute_point (widget, GTK_WIDGET (native), &GRAPHENE_POINT_INIT ((float) x, (float) y),
                                           &inside));
  XTranslateCoordinates (server, gdk_x11_surface_get_xid (surface), DefaultRootWindow (server),
                         (int) lround ((inside.x + left) * scale), (int) lround ((inside.y + top) * scale), &root_x,
                         &root_y, &child);
  XTestFakeMotionEvent (server, DefaultScreen (server), root_x, root_y, CurrentTime);
  app_input_settle ();
}

/* Move in two steps: a pointer that does not move sends no event. */
void
app_input_point_at (GtkWidget *widget, double x, double y)
{
  send_motion (widget, x + STEP_PX, y);
  send_motion (widget, x, y);
}

static void
send_button (gboolean down)
{
  XTestFakeButtonEvent (server, button, down, CurrentTime);
  app_input_settle ();
}

void
app_input_press (void)
{
  send_button (TRUE);
}

void
app_input_release (void)
{
  send_button (FALSE);
}

typedef struct
{
  GtkWidget *widget;
  gboolean was_hit;
} Click;

/* A widget that moves away between press and release, because a text around it has grown, is not clicked. */
static gboolean
event_cb (GtkEventControllerLegacy *controller, GdkEvent *event, gpointer data)
{
  Click *click = data;
  GtkNative *native = gtk_widget_get_native (click->widget);
  double x, y, left, top;

  if (gdk_event_get_event_type (event) == GDK_BUTTON_PRESS)
    click->was_hit = TRUE;
  else if (gdk_event_get_event_type (event) == GDK_BUTTON_RELEASE && native != NULL
           && gdk_event_get_surface (event) == gtk_native_get_surface (native)
           && gdk_event_get_position (event, &x, &y))
    {
      gtk_native_get_surface_transform (native, &left, &top);
      if (gtk_widget_translate_coordinates (GTK_WIDGET (native), click->widget, x - left, y - top, &x, &y))
        click->was_hit = gtk_widget_contains (click->widget, x, y);
    }
  return GDK_EVENT_PROPAGATE;
}

/* The widget itself counts press and release, before its gestures handle them. */
gboolean
app_input_click_at (GtkWidget *widget, double x, double y)
{
  GtkEventController *controller = gtk_event_controller_legacy_new ();
  Click click = { widget, FALSE };
  gpointer alive = widget;

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect (controller, "event", G_CALLBACK (event_cb), &click);
  gtk_widget_add_controller (widget, controller);
  g_object_add_weak_pointer (G_OBJECT (widget), &alive);
  /* GDK 4.8 sometimes notices the closing of a popover only after the next press, takes the press for one outside of
   * the popover, and drops it. */
  for (int attempt = 0; attempt < MAX_ATTEMPTS && !click.was_hit && alive != NULL; attempt++)
    {
      app_input_point_at (widget, x, y);
      send_button (TRUE);
      send_button (FALSE);
    }
  if (alive != NULL)
    {
      g_object_remove_weak_pointer (G_OBJECT (widget), &alive);
      gtk_widget_remove_controller (widget, controller);
    }
  return click.was_hit;
}

gboolean
app_input_click (GtkWidget *widget)
{
  return app_input_click_at (widget, gtk_widget_get_width (widget) / 2.0, gtk_widget_get_height (widget) / 2.0);
}

/* The program receives all events at once. */
static void
click_fast (GtkWidget *widget, double x, double y, int n)
{
  send_motion (widget, x, y);
  for (int i = 0; i < 2 * n; i++)
    XTestFakeButtonEvent (server, button, i % 2 == 0, CurrentTime);
  app_input_settle ();
}

void
app_input_click_fast (GtkWidget *widget, double x, double y)
{
  click_fast (widget, x, y, 1);
}

void
app_input_right_click_fast (GtkWidget *widget, double x, double y)
{
  button = 3;
  click_fast (widget, x, y, 1);
  button = 1;
}

void
app_input_double_click (GtkWidget *widget)
{
  double x = gtk_widget_get_width (widget) / 2.0, y = gtk_widget_get_height (widget) / 2.0;

  send_motion (widget, x + STEP_PX, y);
  click_fast (widget, x, y, 2);
}

/* The wheel's notches are buttons 4 and 5 of an X server. */
void
app_input_scroll (gboolean down)
{
  XTestFakeButtonEvent (server, down ? 5 : 4, True, CurrentTime);
  XTestFakeButtonEvent (server, down ? 5 : 4, False, CurrentTime);
  app_input_settle ();
}

gboolean
app_input_click_until (GtkWidget *widget, gboolean (*predicate) (gpointer data), gpointer data)
{
  for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++)
    {
      app_input_click (widget);
      if (app_wait_for (predicate, data, EFFECT_MS))
        return TRUE;
    }
  return FALSE;
}

gboolean
app_input_right_click_at (GtkWidget *widget, double x, double y)
{
  gboolean was_hit;

  button = 3;
  was_hit = app_input_click_at (widget, x, y);
  button = 1;
  return was_hit;
}

gboolean
app_input_shift_click_at (GtkWidget *widget, double x, double y)
{
  KeyCode shift = XKeysymToKeycode (server, XK_Shift_L);
  gboolean was_hit;

  XTestFakeKeyEvent (server, shift, True, CurrentTime);
  was_hit = app_input_click_at (widget, x, y);
  XTestFakeKeyEvent (server, shift, False, CurrentTime);
  app_input_settle ();
  return was_hit;
}

/* ---- the keyboard ---- */

/* Press a key, and release it once the program has handled the press. */
static void
send_key (guint keyval, gboolean with_control)
{
  KeyCode code = XKeysymToKeycode (server, keyval), control = XKeysymToKeycode (server, XK_Control_L),
          shift = XKeysymToKeycode (server, XK_Shift_L);
  gboolean with_shift;

  g_assert_cmpuint (code, !=, 0);
  with_shift = XkbKeycodeToKeysym (server, code, 0, 0) != keyval && XkbKeycodeToKeysym (server, code, 0, 1) == keyval;
  if (with_control)
    XTestFakeKeyEvent (server, control, True, CurrentTime);
  if (with_shift)
    XTestFakeKeyEvent (server, shift, True, CurrentTime);
  XTestFakeKeyEvent (server, code, True, CurrentTime);
  wait_for_events ();
  XTestFakeKeyEvent (server, code, False, CurrentTime);
  if (with_shift)
    XTestFakeKeyEvent (server, shift, False, CurrentTime);
  if (with_control)
    XTestFakeKeyEvent (server, control, False, CurrentTime);
}

void
app_input_key (guint keyval)
{
  app_input_keys (keyval, 1);
}

void
app_input_keys (guint keyval, guint n)
{
  for (guint i = 0; i < n; i++)
    send_key (keyval, FALSE);
  app_input_settle ();
}

void
app_input_control_key (guint keyval)
{
  send_key (keyval, TRUE);
  app_input_settle ();
}

/* With Shift held, the server's keyboard gives ISO_Left_Tab for the key. */
void
app_input_tab (gboolean forward)
{
  app_input_key (forward ? GDK_KEY_Tab : GDK_KEY_ISO_Left_Tab);
}

void
app_input_type (const char *text)
{
  /* The printable characters are their own key values. */
  for (; *text != '\0'; text++)
    send_key ((guchar) *text, FALSE);
  app_input_settle ();
}
