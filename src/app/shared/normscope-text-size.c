/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-text-size.h"

#include <gtk/gtk.h>
#include <math.h>

/* 1, 1.5 and 2 are the named ones: desk, room and hall. */
static const double sizes[] = { NORMSCOPE_TEXT_SCALE_MIN, 0.85, 1.0, 1.15, 1.3, 1.5, 1.75, NORMSCOPE_TEXT_SCALE_MAX };

#define WIDGET_SHARE 0.5
/* Resolution in 1/1024 dpi where the desktop states none. */
#define DEFAULT_DPI (96 * 1024)

double
normscope_text_size_step (double scale, int direction)
{
  double best = scale;

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      if (direction > 0 && sizes[i] > scale)
        return sizes[i];
      if (direction < 0 && sizes[i] < scale)
        best = sizes[i];
    }
  return best;
}

void
normscope_text_size_apply (double scale)
{
  static int desktop_dpi;
  GtkSettings *settings = gtk_settings_get_default ();
  int present, wanted;

  g_object_get (settings, "gtk-xft-dpi", &present, NULL);
  /* Keep the desktop's value, since setting the property replaces it. */
  if (desktop_dpi == 0)
    desktop_dpi = present > 0 ? present : DEFAULT_DPI;
  wanted = (int) lround (desktop_dpi * (1 + WIDGET_SHARE * (scale - 1)));
  /* Every widget of every window is measured again, even for the same value. */
  if (wanted != present)
    g_object_set (settings, "gtk-xft-dpi", wanted, NULL);
}
