/* A text with typeset formulas and links, as src/prose draws it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It wraps to its width and takes family and size of its font from its style, so it follows the text size. Screen
 * readers get the plain text as its label. Ctrl+C and its menu copy the plain text. Links are focused with Tab and
 * activated with Enter, Space or a click.
 * Signal "link" (const char *page): a link was activated.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PROSE (normscope_prose_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeProse, normscope_prose, NORMSCOPE, PROSE, GtkWidget)

GtkWidget *normscope_prose_new (void);

/* Show markup of ns-prose.h. Markup that is not valid is shown as it is: FALSE with an NS_PROSE_ERROR. */
gboolean normscope_prose_set_markup (NormscopeProse *self, const char *markup, GError **error);
/* Draw type this many times as large as the style says; 1 at first. */
void normscope_prose_set_scale (NormscopeProse *self, double scale);
/* Return the markup, owned by the widget; "" at first. */
const char *normscope_prose_get_markup (NormscopeProse *self);

G_END_DECLS
