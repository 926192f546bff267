/* A variant's wiring, shown beside where it was asked for, and on its way to the clipboard.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A popover with the wiring of one of the experiment's variants as it is now. The caller gives it a parent and takes it
 * out again when it has closed. */
GtkWidget *normscope_wiring_popover_new (const NsExperiment *experiment, guint variant);

G_END_DECLS
