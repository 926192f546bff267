/* The ways out of the window for the figure on it: win.export, win.copy-picture, win.copy-data, win.print.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/shared/normscope-picture.h"

G_BEGIN_DECLS

/* The figure that the window shows now; NULL: there is none yet. Caller owns it. */
typedef NormscopePicture *(*NormscopePictureFunc) (GtkWindow *window, gboolean titles);

/* Opens the dialog. FALSE: there is no figure. */
gboolean normscope_export_open (GtkWindow *window, NormscopePictureFunc get, const char *name);
/* PNG and SVG, as large as `width` x `height` px and in the colours of the window, at twice the pixels. They are on the
 * clipboard at once and drawn on a thread of their own: who pastes them before they are ready waits. */
gboolean normscope_export_copy_picture (GtkWindow *window, NormscopePictureFunc get, int width, int height,
                                        double text_scale, GError **error);
/* Tab-separated text. */
gboolean normscope_export_copy_data (GtkWindow *window, NormscopePictureFunc get);
/* One page, landscape. With `path` a PDF of it, without the dialog. */
gboolean normscope_export_print (GtkWindow *window, NormscopePictureFunc get, const char *path, GError **error);

G_END_DECLS
