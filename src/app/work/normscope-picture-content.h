/* A picture on the clipboard, as PNG and as SVG.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Both are drawn on a thread of their own from the moment it is made; who reads them before they are ready gets them
 * later, not less. A size that cannot be made is an error for the reader: check it before.
 * Threads: main.
 */
#pragma once

#include <gdk/gdk.h>

#include "app/shared/normscope-picture.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PICTURE_CONTENT (normscope_picture_content_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePictureContent, normscope_picture_content, NORMSCOPE, PICTURE_CONTENT,
                      GdkContentProvider)

/* References the picture, copies the style, whose scale is that of the PNG. */
GdkContentProvider *normscope_picture_content_new (NormscopePicture *picture, const NormscopePictureStyle *style);

G_END_DECLS
