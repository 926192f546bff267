/* Drop-downs that can shrink in a narrow window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Let a drop-down with a model of GtkStringObject shrink: its button shows the text up to the first two spaces and
 * ellipsizes it; the list shows the whole text. */
void normscope_drop_down_set_narrow (GtkDropDown *drop_down);

G_END_DECLS
