/* Tooltips stay away from what they would cover.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A window that presents shows no tooltips, since they would cover what an audience reads. A widget whose popover is
 * open shows none either, since it would cover the popover's first item. Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The CSS class of a window that is presented. */
#define NORMSCOPE_PRESENTED_CLASS "presented"

/* Let all widgets of the program follow these rules; call once GTK is initialized, any number of times. */
void normscope_tooltips_install (void);

/* For a widget that answers "query-tooltip" by itself. */
gboolean normscope_tooltips_may_show (GtkWidget *widget);

G_END_DECLS
