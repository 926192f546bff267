/* Actions of the window for text size and preferences.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#include "app/dialogs/normscope-preferences.h"
#include "app/shared/normscope-text-size.h"

static void
larger_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  normscope_session_set_text_scale (
      self->session, normscope_text_size_step (normscope_session_get_text_scale (self->session), 1));
}

static void
smaller_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  normscope_session_set_text_scale (
      self->session, normscope_text_size_step (normscope_session_get_text_scale (self->session), -1));
}

static void
normal_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_session_set_text_scale (NORMSCOPE_WINDOW (widget)->session, 1);
}

static void
preferences_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_window_present (
      GTK_WINDOW (normscope_preferences_new (GTK_WINDOW (widget), NORMSCOPE_WINDOW (widget)->session)));
}

/* The text of widgets has one size in the whole program: that of the window in use. */
void
normscope_window_apply_text_size (NormscopeWindow *self)
{
  if (self->session != NULL)
    normscope_text_size_apply (normscope_session_get_text_scale (self->session));
}

void
normscope_window_install_look (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.text-larger", NULL, larger_cb);
  gtk_widget_class_install_action (widget_class, "win.text-smaller", NULL, smaller_cb);
  gtk_widget_class_install_action (widget_class, "win.text-normal", NULL, normal_cb);
  gtk_widget_class_install_action (widget_class, "win.preferences", NULL, preferences_cb);
}
