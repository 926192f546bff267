/* The theme of figures that match the window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "plot/ns-theme.h"

G_BEGIN_DECLS

/* Set the theme to light or dark and to normal or high contrast, as the window is now. */
void normscope_theme_init (NsTheme *theme);

/* The same for a plot: in the font of the widget, at a scale, on a transparent ground. */
void normscope_theme_init_for_plot (NsTheme *theme, GtkWidget *widget, double text_scale);

G_END_DECLS
