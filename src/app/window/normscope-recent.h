/* Recently used experiments, in the list that the desktop shares between programs.
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

/* Return a menu of at most ten files, newest first, which follows the list. Its items activate win.open-uri. */
GMenuModel *normscope_recent_menu_new (void);

G_END_DECLS
