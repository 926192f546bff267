/* Experiments used lately, shared with other programs through the desktop's list.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void normscope_recent_add (GFile *file);

/* At most ten, newest first; each activates win.open-uri. It follows the list as long as it lives. */
GMenuModel *normscope_recent_menu_new (void);

G_END_DECLS
