/* A window with the lectures that come with the program, each with a picture, its title and what it is about.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A picture is that of the lecture's first step that asks nothing, so it gives no answer away. What it shows is
 * computed in the background, but nothing is trained.
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/work/normscope-engine.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_LECTURE_GALLERY (normscope_lecture_gallery_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeLectureGallery, normscope_lecture_gallery, NORMSCOPE, LECTURE_GALLERY, AdwWindow)

/* Choosing a lecture activates win.shipped-lecture of the parent. */
NormscopeLectureGallery *normscope_lecture_gallery_new (GtkWindow *parent, NormscopeEngine *engine);

G_END_DECLS
