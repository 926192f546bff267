/* A worker that makes the figures of pictures, so that a large one does not block the main loop.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/shared/normscope-picture.h"
#include "app/work/normscope-worker.h"

G_BEGIN_DECLS

/* Release it with normscope_worker_release(); normscope_worker_replace() with NULL cancels it. */
NormscopeWorker *normscope_picture_maker_new (GObject *owner);

/* Make the figure of a picture, which is referenced, and deliver the picture. A newer picture cancels it. */
void normscope_picture_maker_make (NormscopeWorker *maker, NormscopePicture *picture, NormscopeDeliverFunc deliver);

G_END_DECLS
