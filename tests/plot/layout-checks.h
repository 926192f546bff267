/* Checks of a layout that hold for every figure.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "plot/ns-layout.h"

G_BEGIN_DECLS

gboolean rects_overlap (const NsRect *a, const NsRect *b);

/* Fail, naming `what`, if a label leaves the picture or lies over another one or over a plot. */
void assert_labels (const NsLayout *layout, const char *what);

guint count_role (const NsLayout *layout, NsLabelRole role);

G_END_DECLS
