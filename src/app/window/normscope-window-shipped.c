/* The lectures that come with the program.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#include <glib/gi18n-lib.h>

#include "lecture/ns-lectures.h"

/* Open a lecture as one that was never saved, and show its first step. */
static void
shipped_lecture_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  g_autoptr (GError) error = NULL;
  NsLecture *lecture;

  if (normscope_lecture_session_is_unsaved (self->lecture))
    {
      normscope_window_show_message (self, _ ("Not opened: save or close your lecture first."));
      return;
    }
  lecture = ns_lectures_load (g_variant_get_string (parameter, NULL), NULL, &error);
  if (lecture == NULL)
    {
      normscope_window_show_message (self, error->message);
      return;
    }
  normscope_lecture_session_take_lecture (self->lecture, lecture, NULL);
  normscope_lecture_session_go_to (self->lecture, 0);
}

void
normscope_window_install_shipped (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.shipped-lecture", "s", shipped_lecture_cb);
}
