/* Two plots, one below the other, or side by side where there is little height; one alone where there is little room.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The children are the plots, perhaps within overlays; a hidden one leaves its room to the other.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PLOT_PAIR (normscope_plot_pair_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePlotPair, normscope_plot_pair, NORMSCOPE, PLOT_PAIR, GtkWidget)

G_END_DECLS
