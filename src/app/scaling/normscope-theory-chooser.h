/* The chooser of the theory in the scaling view: none, over the sweep, or on to a depth.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "figures/ns-scaling-settings.h"

G_BEGIN_DECLS

/* Fill the drop-down with its choices. */
void normscope_theory_chooser_fill (GtkDropDown *chooser);
/* Select the choice of the settings, and write into the note why the experiment has no theory of their quantity. */
void normscope_theory_chooser_show (GtkDropDown *chooser, GtkLabel *note, const NsScalingSettings *settings,
                                    const NsExperiment *experiment);
/* Set the selected choice in the settings. A depth between the choices, from a lecture, stays. */
void normscope_theory_chooser_read (GtkDropDown *chooser, NsScalingSettings *settings);

G_END_DECLS
