/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-wait.h"

#include "app/shared/normscope-plot.h"

#define POLL_MS 20
/* A frame takes 17 ms; a window that draws none, 50 ms. */
#define FRAME_MS 50
#define IDLE_MS  1000

static gboolean
expire_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_CONTINUE;
}

/* What the predicate asks for may come without an event of the main loop: a file, memory. */
static gboolean
poll_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

gboolean
app_wait_for (gboolean (*predicate) (gpointer data), gpointer data, guint ms)
{
  gboolean expired = FALSE, holds;
  guint id = g_timeout_add (ms, expire_cb, &expired), poll_id = g_timeout_add (POLL_MS, poll_cb, NULL);

  while (!(holds = predicate (data)) && !expired)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (id);
  g_source_remove (poll_id);
  return holds;
}

void
app_wait_until_named (gboolean (*predicate) (gpointer data), gpointer data, const char *name, const char *place)
{
  if (!app_wait_for (predicate, data, TIMEOUT_MS))
    g_error ("%s: %s does not hold after %d s", place, name, TIMEOUT_MS / 1000);
}

static gboolean
never (gpointer data)
{
  return FALSE;
}

void
app_iterate (guint ms)
{
  app_wait_for (never, NULL, ms);
}

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

static void
painted_cb (GdkFrameClock *clock, gboolean *painted)
{
  *painted = TRUE;
}

/* GDK delivers motion at the start of the next frame, followed by layout. */
void
app_draw_frame (GtkWidget *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);
  gboolean painted = FALSE;
  gulong id;

  if (clock == NULL || !gtk_widget_get_mapped (window))
    return;
  g_object_ref (clock);
  id = g_signal_connect (clock, "after-paint", G_CALLBACK (painted_cb), &painted);
  gdk_frame_clock_request_phase (clock, GDK_FRAME_CLOCK_PHASE_PAINT);
  app_wait_for (is_set, &painted, FRAME_MS);
  /* The window may have closed, and with it the clock. */
  if (g_signal_handler_is_connected (clock, id))
    g_signal_handler_disconnect (clock, id);
  g_object_unref (clock);
}

void
app_draw_frames (guint n)
{
  GListModel *windows = gtk_window_get_toplevels ();

  while (n-- > 0)
    {
      gboolean idle = FALSE;
      guint id;

      for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
        {
          g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

          app_draw_frame (window);
        }
      /* after everything else that is ready, unless something always is: a drawing that takes longer than a frame */
      id = g_idle_add_full (G_MAXINT, set_cb, &idle, NULL);
      if (!app_wait_for (is_set, &idle, IDLE_MS))
        g_source_remove (id);
    }
}

void
app_settle (void)
{
  app_draw_frames (3);
}

gboolean
app_is_null (gpointer pointer)
{
  return *(gpointer *) pointer == NULL;
}

gboolean
app_is_mapped (gpointer widget)
{
  return gtk_widget_get_mapped (widget);
}

gboolean
app_is_visible (gpointer widget)
{
  return gtk_widget_get_visible (widget);
}

gboolean
app_is_sensitive (gpointer widget)
{
  return gtk_widget_is_sensitive (widget);
}

gboolean
app_has_settled (gpointer plot)
{
  return normscope_plot_has_settled (plot);
}
