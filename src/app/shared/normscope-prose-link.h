/* The focus and the accessible name of one link in a NormscopeProse, which draws it and handles the pointer.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signal "activated": Enter or Space was pressed.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PROSE_LINK (normscope_prose_link_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeProseLink, normscope_prose_link, NORMSCOPE, PROSE_LINK, GtkWidget)

GtkWidget *normscope_prose_link_new (const char *page, const char *text);
const char *normscope_prose_link_get_page (NormscopeProseLink *self);

G_END_DECLS
