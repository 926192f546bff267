/* The theme of figures that match the window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "plot/ns-theme.h"

G_BEGIN_DECLS

/* Set the theme to light or dark and to normal or high contrast, as the window is now. */
void normscope_theme_init (NsTheme *theme);

G_END_DECLS
