/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/wiring/normscope-scissors.h"

#define SIZE_PX 32

/* Trace blades that point up and handles below, closed enough that they meet where the pointer points. */
static void
trace (cairo_t *cr)
{
  cairo_move_to (cr, 12, 3);
  cairo_line_to (cr, 20, 21);
  cairo_move_to (cr, 20, 3);
  cairo_line_to (cr, 12, 21);
  cairo_new_sub_path (cr);
  cairo_arc (cr, 22, 25, 4, 0, 2 * G_PI);
  cairo_new_sub_path (cr);
  cairo_arc (cr, 10, 25, 4, 0, 2 * G_PI);
}

GdkCursor *
normscope_scissors_get_cursor (void)
{
  static GdkCursor *cursor;
  cairo_surface_t *surface;
  cairo_t *cr;

  if (cursor != NULL)
    return cursor;
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, SIZE_PX, SIZE_PX);
  cr = cairo_create (surface);
  /* dark with a bright edge, for any background */
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  trace (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_set_line_width (cr, 5);
  cairo_stroke_preserve (cr);
  cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
  cairo_set_line_width (cr, 2.2);
  cairo_stroke (cr);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  {
    int stride = cairo_image_surface_get_stride (surface);
    g_autoptr (GBytes) bytes = g_bytes_new (cairo_image_surface_get_data (surface), (gsize) stride * SIZE_PX);
    g_autoptr (GdkTexture) texture
        = gdk_memory_texture_new (SIZE_PX, SIZE_PX, GDK_MEMORY_DEFAULT, bytes, (gsize) stride);
    g_autoptr (GdkCursor) hand = gdk_cursor_new_from_name ("pointer", NULL);

    cursor = gdk_cursor_new_from_texture (texture, SIZE_PX / 2, 12, hand);
  }
  cairo_surface_destroy (surface);
  return cursor;
}
