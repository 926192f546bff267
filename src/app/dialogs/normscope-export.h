/* Export the figure on screen: the actions win.export, win.copy-picture, win.copy-data and win.print.
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

/* Returns the figure that the window shows, or NULL; the caller owns it. */
typedef NormscopePicture *(*NormscopePictureFunc) (GtkWindow *window, gboolean titles);

/* Open the export dialog. FALSE when there is no figure. */
gboolean normscope_export_open (GtkWindow *window, NormscopePictureFunc get, const char *name);
/* Pixels of a copied PNG per px of the window, sharp enough for a slide. */
#define NORMSCOPE_EXPORT_COPY_SCALE 2
/* Put the figure on the clipboard as PNG and SVG, `width` × `height` px in the colours of the window. The formats are
 * offered at once and drawn on a worker thread; pasting waits until they are ready. FALSE without an error when there
 * is no figure. */
gboolean normscope_export_copy_picture (GtkWindow *window, NormscopePictureFunc get, int width, int height,
                                        double text_scale, GError **error);
/* Put the figure's numbers on the clipboard as tab-separated text. FALSE when there is no figure. */
gboolean normscope_export_copy_data (GtkWindow *window, NormscopePictureFunc get);
/* Print the figure on one landscape page. With `path` (nullable) write it to a PDF there instead, without a dialog.
 * FALSE without an error when there is no figure. */
gboolean normscope_export_print (GtkWindow *window, NormscopePictureFunc get, const char *path, GError **error);

G_END_DECLS
