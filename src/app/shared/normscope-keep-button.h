/* A check button for adding a built-in variant: keep the settings of a variant that are no wiring.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Beside an imported model, Post-LN means the model wired as Post-LN; with the button off it is the built-in variant.
 * The button's child is a label.
 */
#pragma once

#include "engine/experiment/ns-variants.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Show the button if there is something to keep of `model`: settings that are no wiring and not the defaults. Hide it
 * otherwise, and if the built-in variant `id` is no wiring; NULL stands for any wiring. */
void normscope_keep_button_offer (GtkCheckButton *button, const NsVariant *model, const char *id);
/* Return the built-in variant of an id, or `model` wired like it if the button is shown and on. Caller owns it. */
NsVariant *normscope_keep_button_new_variant (GtkCheckButton *button, const NsVariant *model, const char *id,
                                              GError **error);

G_END_DECLS
