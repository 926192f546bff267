/* The lectures that come with the program.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#include "app/lecture/normscope-lecture-gallery.h"
#include "lecture/ns-lectures.h"

/* Open a lecture as one that was never saved. */
static void
shipped_lecture_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  g_autoptr (GError) error = NULL;
  NsLecture *lecture = ns_lectures_load (g_variant_get_string (parameter, NULL), NULL, &error);

  if (lecture != NULL)
    normscope_lecture_files_take (self->lecture_files, lecture);
  else
    normscope_window_show_message (self, error->message);
}

static void
lectures_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  gtk_window_present (GTK_WINDOW (normscope_lecture_gallery_new (GTK_WINDOW (self), self->engine)));
}

void
normscope_window_install_shipped (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.lectures", NULL, lectures_cb);
  gtk_widget_class_install_action (widget_class, "win.shipped-lecture", "s", shipped_lecture_cb);
}
