/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "picture-bytes.h"

#include <string.h>

gboolean
picture_contains (GBytes *bytes, const char *text)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  return memmem (data, size, text, strlen (text)) != NULL;
}

typedef struct
{
  const guint8 *data;
  gsize left;
} Reader;

static cairo_status_t
read_bytes (void *closure, unsigned char *out, unsigned int length)
{
  Reader *reader = closure;

  if (length > reader->left)
    return CAIRO_STATUS_READ_ERROR;
  memcpy (out, reader->data, length);
  reader->data += length;
  reader->left -= length;
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t *
picture_read_png (GBytes *bytes)
{
  Reader reader = { g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes) };
  cairo_surface_t *surface = cairo_image_surface_create_from_png_stream (read_bytes, &reader);

  g_assert_cmpint (cairo_surface_status (surface), ==, CAIRO_STATUS_SUCCESS);
  return surface;
}
