/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-drawing.h"

#include <math.h>

#define MAX_ATTEMPTS 2
#define CHECK_PX 8

GskRenderNode *
normscope_drawing_new (int width, int height, NormscopeDrawFunc draw, gpointer data)
{
  for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++)
    {
      g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
      g_autoptr (GskRenderNode) node = NULL;
      cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
      gboolean is_drawn = draw (cr, data);

      cairo_destroy (cr);
      node = gtk_snapshot_free_to_node (g_steal_pointer (&snapshot));
      if (is_drawn)
        return g_steal_pointer (&node);
    }
  return NULL;
}

void
normscope_drawing_snapshot (GtkSnapshot *snapshot, int width, int height, NormscopeDrawFunc draw, gpointer data)
{
  g_autoptr (GskRenderNode) node = normscope_drawing_new (width, height, draw, data);

  if (node != NULL)
    gtk_snapshot_append_node (snapshot, node);
}

void
normscope_drawing_fill_checks (cairo_t *cr, double width, double height)
{
  cairo_set_source_rgb (cr, 0.8, 0.8, 0.8);
  for (int y = 0; y * CHECK_PX < height; y++)
    for (int x = y % 2; x * CHECK_PX < width; x += 2)
      cairo_rectangle (cr, x * CHECK_PX, y * CHECK_PX, fmin (CHECK_PX, width - x * CHECK_PX),
                       fmin (CHECK_PX, height - y * CHECK_PX));
  cairo_fill (cr);
}
