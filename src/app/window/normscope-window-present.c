/* Presenting: the window without its bars.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

/* The window, without the lecture. */
static void
fullscreen_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  normscope_presenter_start (self->presenter, normscope_files_get_title (self->files));
}

/* A lecture, if one is open, else the window. */
static void
present_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  normscope_presenter_start_lecture (self->presenter, normscope_files_get_title (self->files));
}

/* A binding, not an accelerator: what has the focus ends first, such as help, a list or a move in the wiring. */
static gboolean
window_escape_cb (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return normscope_presenter_peel (NORMSCOPE_WINDOW (widget)->presenter);
}

/* The views' names are below the views where the header bar has no room for them. */
static void
show_switcher (NormscopeWindow *self)
{
  gtk_widget_set_visible (self->switcher, !normscope_presenter_get_presenting (self->presenter)
                                              && adw_view_switcher_title_get_title_visible (self->title));
}

static gboolean
show_switcher_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  show_switcher (NORMSCOPE_WINDOW (widget));
  return G_SOURCE_REMOVE;
}

/* The header bar finds out while it is given its size: too late for the box to give another widget room, so wait for
 * the next frame. */
static void
room_cb (NormscopeWindow *self)
{
  gtk_widget_add_tick_callback (GTK_WIDGET (self), show_switcher_cb, NULL, NULL);
}

/* Hide the bars, and show them again as they were. A locked flap does not open by itself in a wider window. */
static void
look_presenting_cb (NormscopeWindow *self)
{
  gboolean presenting = normscope_presenter_get_presenting (self->presenter);
  AdwFlap *claims = normscope_scaling_view_get_flap (self->scaling_view);

  if (presenting)
    self->had_sidebar = adw_flap_get_reveal_flap (self->flap);
  /* The text of a lecture takes their place, and they would answer its questions. */
  if (presenting && normscope_presenter_has_lecture (self->presenter))
    {
      self->had_claims = adw_flap_get_reveal_flap (claims);
      adw_flap_set_reveal_flap (claims, FALSE);
    }
  else if (!presenting && self->had_claims)
    {
      self->had_claims = FALSE;
      adw_flap_set_reveal_flap (claims, TRUE);
    }
  adw_flap_set_locked (self->flap, presenting);
  adw_flap_set_reveal_flap (self->flap, !presenting && self->had_sidebar);
  gtk_widget_set_visible (GTK_WIDGET (self->header), !presenting);
  show_switcher (self);
}

/* The geometry to be saved is that of the window, not of the screen. */
static gboolean
close_request_cb (NormscopeWindow *self)
{
  normscope_presenter_end (self->presenter);
  return GDK_EVENT_PROPAGATE;
}

void
normscope_window_bind_presenter (NormscopeWindow *self)
{
  normscope_presenter_set_session (self->presenter, self->session);
  normscope_presenter_set_lecture (self->presenter, self->lecture, self->engine);
  normscope_presenter_set_plot (self->presenter, NS_FIGURE_FLOW, normscope_flow_view_get_plot (self->flow_view));
  normscope_presenter_set_plot (self->presenter, NS_FIGURE_SCALING,
                                normscope_scaling_view_get_plot (self->scaling_view));
  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    if (ns_view_offers (NS_VIEW_PATHS, kind))
      normscope_presenter_set_plot (self->presenter, kind, normscope_paths_view_get_plot (self->paths_view));
    else if (ns_view_offers (NS_VIEW_TRAINING, kind))
      {
        NormscopeTrainingPage *page = normscope_training_view_find_page (self->training_view, kind);

        normscope_presenter_set_plot (self->presenter, kind, normscope_training_page_get_plot (page, kind));
      }
  g_signal_connect_object (self->presenter, "notify::presenting", G_CALLBACK (look_presenting_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->title, "notify::title-visible", G_CALLBACK (room_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect (self, "close-request", G_CALLBACK (close_request_cb), NULL);
}

void
normscope_window_install_present (GtkWidgetClass *widget_class)
{
  g_type_ensure (NORMSCOPE_TYPE_PRESENTER);
  gtk_widget_class_install_action (widget_class, "win.fullscreen", NULL, fullscreen_cb);
  gtk_widget_class_install_action (widget_class, "win.present", NULL, present_cb);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Escape, 0, window_escape_cb, NULL);
}
