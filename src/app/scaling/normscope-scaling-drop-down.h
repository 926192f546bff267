/* A drop-down that gives way in a narrow window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* For a model of GtkStringObject. The button shows a text up to its first two blanks, shortened where there is no room;
 * the list shows all of it. */
void normscope_make_drop_down_narrow (GtkDropDown *drop_down);

G_END_DECLS
