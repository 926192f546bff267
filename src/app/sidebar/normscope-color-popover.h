/* A popover that chooses the colour of a curve: from the palette, any other, or automatic.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signal "chosen" (const NsColor *, NULL for automatic).
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "plot/ns-theme.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_COLOR_POPOVER (normscope_color_popover_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeColorPopover, normscope_color_popover, NORMSCOPE, COLOR_POPOVER, GtkPopover)

/* Set the theme that the palette is drawn with now. */
void normscope_color_popover_init_theme (NsTheme *theme);

G_END_DECLS
