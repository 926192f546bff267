/* Pictures as the bytes of their files, read back by the tests of the plot library.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

gboolean picture_contains (GBytes *bytes, const char *text);

/* Caller destroys; fails when it is no whole PNG. */
cairo_surface_t *picture_read_png (GBytes *bytes);

G_END_DECLS
