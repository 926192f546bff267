/* A popover that shows a variant's wiring and copies it to the clipboard.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return a popover with the present wiring of a variant of the experiment. The caller sets its parent, and unsets it
 * when the popover has closed. */
GtkWidget *normscope_wiring_popover_new (const NsExperiment *experiment, guint variant);

G_END_DECLS
