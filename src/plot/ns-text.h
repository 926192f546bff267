/* Type of a known size, whatever the surface: the private helper of ns-layout.c and ns-draw.c.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <pango/pangocairo.h>

#include "plot/ns-theme.h"

G_BEGIN_DECLS

/* A context without hinting and with unrounded advances, so that text is as wide in a file as on the screen. */
PangoContext *ns_text_context_new (const NsTheme *theme);

/* A shaped text; the caller's. `width_px` < 0: one line, as wide as it is; else wrapped there, or (not `wrap`)
 * ellipsized there. Markup that does not parse is shown as it is. */
PangoLayout *ns_text_new (PangoContext *context, const char *text, gboolean is_markup, double size_px,
                          gboolean bold, double width_px, gboolean wrap);

/* Replaces the text by markup; what does not parse is shown as it is. `size_px` is the layout's own. */
void ns_text_set_markup (PangoLayout *layout, const char *markup, double size_px);

/* Size of the logical rectangle in px; each may be NULL. */
void ns_text_get_size (PangoLayout *layout, double *width_px, double *height_px);

G_END_DECLS
