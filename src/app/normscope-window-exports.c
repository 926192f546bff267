/* The ways out of the window for what is on the screen.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/normscope-window-private.h"

#include <glib/gi18n-lib.h>

#include "app/normscope-export.h"

static NormscopePicture *
dup_picture (GtkWindow *window, gboolean titles)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (window);
  const NsSweep *sweep;
  NsScalingOptions options;

  if (adw_view_stack_get_visible_child (self->views) != GTK_WIDGET (self->scaling_view))
    return normscope_flow_view_dup_picture (self->flow_view, titles);
  sweep = normscope_scaling_view_get_shown (self->scaling_view, &options);
  if (sweep == NULL)
    return NULL;
  options.titles = titles;
  return normscope_picture_new (ns_scaling_figure (sweep, &options), ns_scaling_sentence (sweep, &options),
                                ns_sweep_get_experiment (sweep));
}

static void
finish_export (NormscopeWindow *self, gboolean ok, const GError *error)
{
  if (error != NULL)
    normscope_window_tell (self, error->message);
  else if (!ok)
    normscope_window_tell (self, _ ("There is no figure yet."));
}

static void
export_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  finish_export (self, normscope_export_open (GTK_WINDOW (self), dup_picture, "normscope"), NULL);
}

static void
copy_picture_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  GtkWidget *view = adw_view_stack_get_visible_child (self->views);
  g_autoptr (GError) error = NULL;
  gboolean ok = normscope_export_copy_picture (GTK_WINDOW (self), dup_picture, gtk_widget_get_width (view),
                                               gtk_widget_get_height (view),
                                               normscope_session_get_view (self->session)->text_scale, &error);

  finish_export (self, ok, error);
}

static void
copy_data_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  finish_export (self, normscope_export_copy_data (GTK_WINDOW (self), dup_picture), NULL);
}

static void
print_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  g_autoptr (GError) error = NULL;
  gboolean ok = normscope_export_print (GTK_WINDOW (self), dup_picture, NULL, &error);

  finish_export (self, ok, error);
}

void
normscope_window_install_exports (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.export", NULL, export_cb);
  gtk_widget_class_install_action (widget_class, "win.copy-picture", NULL, copy_picture_cb);
  gtk_widget_class_install_action (widget_class, "win.copy-data", NULL, copy_data_cb);
  gtk_widget_class_install_action (widget_class, "win.print", NULL, print_cb);
}
