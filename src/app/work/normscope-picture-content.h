/* Clipboard content with a picture, as PNG and as SVG.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drawing of both formats starts on a worker thread at construction. Reads that come earlier wait for it. A size that
 * is not possible makes every read fail, so check the size first.
 *
 * Threads: main.
 */
#pragma once

#include <gdk/gdk.h>

#include "app/shared/normscope-picture.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PICTURE_CONTENT (normscope_picture_content_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePictureContent, normscope_picture_content, NORMSCOPE, PICTURE_CONTENT,
                      GdkContentProvider)

/* Reference the picture and copy the style; its scale applies to the PNG only. */
GdkContentProvider *normscope_picture_content_new (NormscopePicture *picture, const NormscopePictureStyle *style);
/* Reference the picture, and offer its numbers as a table with tabs. */
GdkContentProvider *normscope_picture_content_new_table (NormscopePicture *picture);

G_END_DECLS
