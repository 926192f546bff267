/* One page of help: title, text with formulas, and the wiring without and with a setting.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signal "link" with the id of the page (const char *) that a link leads to.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "help/ns-help.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_HELP_PAGE (normscope_help_page_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeHelpPage, normscope_help_page, NORMSCOPE, HELP_PAGE, GtkWidget)

GtkWidget *normscope_help_page_new (void);

/* Show a page from its beginning. */
void normscope_help_page_show (NormscopeHelpPage *self, const NsHelpPage *page);

G_END_DECLS
