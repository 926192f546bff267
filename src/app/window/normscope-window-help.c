/* Help beside the content of the window, and the bubbles of the first start.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/controls/normscope-parameter-row.h"
#include "app/help/normscope-help.h"
#include "app/help/normscope-tour.h"
#include "app/shared/normscope-flap.h"
#include "app/shared/normscope-help-button.h"
#include "app/shared/normscope-popovers.h"
#include "app/shared/normscope-sentence.h"

#define TOUR_KEY "show-first-steps"

/* ---- the panel ---- */

static void
close_help_cb (NormscopeWindow *self)
{
  GtkWidget *focus = self->help_return;

  adw_flap_set_reveal_flap (self->help_flap, FALSE);
  normscope_help_forget (NORMSCOPE_HELP (adw_flap_get_flap (self->help_flap)));
  /* Back to where the question came from. */
  if (focus != NULL && gtk_widget_get_mapped (focus))
    {
      gtk_widget_grab_focus (focus);
      /* A label selects all of its text, and the next click on a link in it would only clear the selection. */
      if (GTK_IS_LABEL (focus))
        gtk_label_select_region (GTK_LABEL (focus), 0, 0);
    }
  else
    gtk_widget_child_focus (GTK_WIDGET (self->views), GTK_DIR_TAB_FORWARD);
  g_clear_weak_pointer (&self->help_return);
}

/* A click beside the panel hides it where there is no room for both. */
static void
revealed_cb (NormscopeWindow *self)
{
  GtkWidget *help = adw_flap_get_flap (self->help_flap);

  if (help != NULL && !adw_flap_get_reveal_flap (self->help_flap))
    normscope_help_forget (NORMSCOPE_HELP (help));
}

static gboolean
has_focus (NormscopeWindow *self, GtkWidget *help)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  return focus != NULL && gtk_widget_is_ancestor (focus, help);
}

/* Return the panel, made when it is first needed, and show it. */
static NormscopeHelp *
show_panel (NormscopeWindow *self)
{
  GtkWidget *help = adw_flap_get_flap (self->help_flap);

  if (help == NULL)
    {
      help = normscope_help_new ();
      gtk_widget_add_css_class (help, "background");
      g_signal_connect_object (help, "closed", G_CALLBACK (close_help_cb), self, G_CONNECT_SWAPPED);
      adw_flap_set_flap (self->help_flap, help);
    }
  normscope_popovers_close (GTK_WINDOW (self)); /* the question may come from one */
  if (!has_focus (self, help))
    g_set_weak_pointer (&self->help_return, gtk_window_get_focus (GTK_WINDOW (self)));
  adw_flap_set_reveal_flap (self->help_flap, TRUE);
  return NORMSCOPE_HELP (help);
}

/* F1: the page about what has the focus, if that is a control with a page, else the list. */
static void
help_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  g_autofree char *page = g_strdup (normscope_help_get_page (focus));
  NormscopeHelp *help = show_panel (self);

  if (page != NULL)
    normscope_help_show_page (help, page);
  else
    normscope_help_show_contents (help);
}

static void
help_page_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_help_show_page (show_panel (NORMSCOPE_WINDOW (widget)), g_variant_get_string (parameter, NULL));
}

/* ---- the bubbles ---- */

/* Return the first widget below `root`, depth first, for which the predicate holds, or NULL. */
static GtkWidget *
find (GtkWidget *root, gboolean (*predicate) (GtkWidget *widget, gconstpointer data), gconstpointer data)
{
  if (predicate (root, data))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find (child, predicate, data);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
is_row (GtkWidget *widget, gconstpointer path)
{
  return NORMSCOPE_IS_PARAMETER_ROW (widget)
         && ns_param_find (path) == normscope_parameter_row_get_param (NORMSCOPE_PARAMETER_ROW (widget));
}

static gboolean
is_mapped_sentence (GtkWidget *widget, gconstpointer data)
{
  return NORMSCOPE_IS_SENTENCE (widget) && gtk_widget_get_mapped (widget);
}

static gboolean
is_mapped_type (GtkWidget *widget, gconstpointer name)
{
  return g_str_equal (G_OBJECT_TYPE_NAME (widget), name) && gtk_widget_get_mapped (widget);
}

/* The buttons of a view switcher are named like the pages of its stack. */
static gboolean
is_switch_to (GtkWidget *widget, gconstpointer title)
{
  g_autofree char *label = NULL;

  if (!GTK_IS_TOGGLE_BUTTON (widget) || !gtk_widget_get_mapped (widget)
      || g_object_class_find_property (G_OBJECT_GET_CLASS (widget), "label") == NULL)
    return FALSE;
  g_object_get (widget, "label", &label, NULL);
  return g_strcmp0 (label, title) == 0;
}

static void
add_stop (NormscopeTour *tour, GtkWidget *target, GtkPositionType side, const char *title, const char *text)
{
  if (target != NULL)
    normscope_tour_add (tour, target, side, title, text);
}

/* Point at the wiring above the plots if it is unfolded, else at the switch. */
static void
add_cut (NormscopeWindow *self)
{
  GtkWidget *content = adw_application_window_get_content (ADW_APPLICATION_WINDOW (self));
  GtkWidget *wiring = find (content, is_mapped_type, "NormscopeWiringStrip");

  if (wiring != NULL)
    add_stop (self->tour, wiring, GTK_POS_BOTTOM, _ ("Cut a wire"),
              _ ("Click a residual, and see the tokens become one vector. Another click connects it again."));
  else
    add_stop (self->tour, find (GTK_WIDGET (self->sidebar), is_row, "attn.residual"), GTK_POS_RIGHT, _ ("Cut a wire"),
              _ ("Switch a residual off, and see the tokens become one vector."));
}

static void
ended_cb (NormscopeWindow *self)
{
  if (self->settings != NULL)
    g_settings_set_boolean (self->settings, TOUR_KEY, FALSE);
}

/* The bubbles end when something is opened: a menu or a list, ... */
static void
tour_focus_cb (NormscopeTour *tour, GParamSpec *pspec, GtkWindow *window)
{
  GtkWidget *focus = gtk_window_get_focus (window);

  if (focus != NULL && gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) != NULL)
    normscope_tour_end (tour);
}

/* ... help or a lecture's panel beside the views, ... */
static void
tour_flap_cb (NormscopeTour *tour, GParamSpec *pspec, AdwFlap *flap)
{
  if (adw_flap_get_reveal_flap (flap))
    normscope_tour_end (tour);
}

/* ... a file, a preset or a step, ... */
static void
tour_changed_cb (NormscopeTour *tour, guint change)
{
  if ((change & NORMSCOPE_CHANGED_REPLACED) != 0)
    normscope_tour_end (tour);
}

/* ... or another view. */
static void
end_with_others (NormscopeWindow *self)
{
  g_signal_connect_object (self, "notify::focus-widget", G_CALLBACK (tour_focus_cb), self->tour, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->help_flap, "notify::reveal-flap", G_CALLBACK (tour_flap_cb), self->tour,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->lecture_flap, "notify::reveal-flap", G_CALLBACK (tour_flap_cb), self->tour,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "changed::settings", G_CALLBACK (tour_changed_cb), self->tour,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->views, "notify::visible-child", G_CALLBACK (normscope_tour_end), self->tour,
                           G_CONNECT_SWAPPED);
}

static void
tour_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  GtkWidget *content = adw_application_window_get_content (ADW_APPLICATION_WINDOW (self));

  if (normscope_presenter_get_presenting (self->presenter))
    return;
  adw_view_stack_set_visible_child (self->views, GTK_WIDGET (self->flow_view));
  adw_flap_set_reveal_flap (self->flap, TRUE);
  if (self->tour != NULL)
    normscope_tour_end (self->tour);
  g_clear_object (&self->tour);
  self->tour = normscope_tour_new (GTK_OVERLAY (content));
  g_signal_connect_object (self->tour, "ended", G_CALLBACK (ended_cb), self, G_CONNECT_SWAPPED);
  end_with_others (self);
  add_stop (self->tour, find (GTK_WIDGET (self->sidebar), is_row, "shape.depth"), GTK_POS_RIGHT, _ ("Drag the depth"),
            _ ("Every curve follows. The first picture is of one draw of the weights, the last one of all."));
  add_cut (self);
  add_stop (self->tour, find (GTK_WIDGET (self->views), is_mapped_sentence, NULL), GTK_POS_TOP,
            _ ("Read the sentence"),
            _ ("It says in numbers what the picture shows. Its underlined words lead to their page of help."));
  add_stop (self->tour, find (content, is_switch_to, _ (ns_figure_info (NS_FIGURE_SCALING)->title)), GTK_POS_BOTTOM,
            _ ("Open Scaling"), _ ("Ask which law the depth follows, and compare it with what papers claim."));
  normscope_tour_start (self->tour);
}

static gboolean
first_tour_cb (gpointer data)
{
  gtk_widget_activate_action (data, "win.show-tour", NULL);
  return G_SOURCE_REMOVE;
}

void
normscope_window_show_first_steps (NormscopeWindow *self)
{
  g_return_if_fail (NORMSCOPE_IS_WINDOW (self));
  /* Where nothing can be remembered, the bubbles would come back at every start. */
  if (self->settings == NULL || !g_settings_get_boolean (self->settings, TOUR_KEY))
    return;
  g_timeout_add_full (G_PRIORITY_LOW, 500, first_tour_cb, g_object_ref (self), g_object_unref);
}

/* ---- the window ---- */

/* A presentation begins with the plots alone; F1 still opens help in it. */
static void
help_presenting_cb (NormscopeWindow *self)
{
  if (!normscope_presenter_get_presenting (self->presenter))
    return;
  adw_flap_set_reveal_flap (self->help_flap, FALSE);
  if (self->tour != NULL)
    normscope_tour_end (self->tour);
}

/* The bubbles lie over everything. */
static void
add_overlay (AdwApplicationWindow *window)
{
  g_autoptr (GtkWidget) content = g_object_ref (adw_application_window_get_content (window));
  GtkWidget *overlay = gtk_overlay_new ();

  adw_application_window_set_content (window, overlay);
  gtk_overlay_set_child (GTK_OVERLAY (overlay), content);
}

void
normscope_window_init_help (NormscopeWindow *self)
{
  GtkWidget *content = g_object_ref (adw_flap_get_content (self->flap));

  self->help_flap = ADW_FLAP (adw_flap_new ());
  adw_flap_set_content (self->flap, NULL);
  adw_flap_set_flap_position (self->help_flap, GTK_PACK_END);
  adw_flap_set_reveal_flap (self->help_flap, FALSE);
  /* Otherwise a window that becomes too narrow for both would hide help instead of laying it over the views. */
  adw_flap_set_locked (self->help_flap, TRUE);
  adw_flap_set_swipe_to_open (self->help_flap, FALSE);
  adw_flap_set_swipe_to_close (self->help_flap, FALSE);
  adw_flap_set_content (self->help_flap, content);
  adw_flap_set_separator (self->help_flap, gtk_separator_new (GTK_ORIENTATION_VERTICAL));
  adw_flap_set_content (self->flap, GTK_WIDGET (self->help_flap));
  normscope_flap_set_up (self->help_flap);
  g_signal_connect_object (self->help_flap, "notify::reveal-flap", G_CALLBACK (revealed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->presenter, "notify::presenting", G_CALLBACK (help_presenting_cb), self,
                           G_CONNECT_SWAPPED);
  g_object_unref (content);
  add_overlay (ADW_APPLICATION_WINDOW (self));
}

void
normscope_window_dispose_help (NormscopeWindow *self)
{
  g_clear_weak_pointer (&self->help_return);
  g_clear_object (&self->tour);
}

void
normscope_window_install_help (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.help", NULL, help_cb);
  gtk_widget_class_install_action (widget_class, "win.help-page", "s", help_page_cb);
  gtk_widget_class_install_action (widget_class, "win.show-tour", NULL, tour_cb);
}
