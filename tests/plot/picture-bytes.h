/* Read back the bytes of picture files in tests.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

gboolean picture_contains (GBytes *bytes, const char *text);

/* Read a PNG; the test fails if it is not valid. Free with cairo_surface_destroy(). */
cairo_surface_t *picture_read_png (GBytes *bytes);

G_END_DECLS
