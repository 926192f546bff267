/* What all flaps of the window have in common.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main thread only.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Let a flap have a shadow only while it is folded. Otherwise a flap sets the style classes of the shadow, which does
 * not show, in each layout; GTK then asks for a further frame to apply them, and a picture that is ready shortly after
 * that frame waits for the one after it. */
void normscope_flap_set_up (AdwFlap *flap);

G_END_DECLS
