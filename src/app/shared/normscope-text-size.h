/* The sizes of text that the window offers, and their effect on everything that is not a plot.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A plot draws its text at the scale itself. The text of widgets grows half as much, so that the controls, which only
 * the speaker reads, leave the plots their place.
 *
 * Threads: main.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define NORMSCOPE_TEXT_SCALE_MIN 0.75
#define NORMSCOPE_TEXT_SCALE_MAX 2.0

/* Return the next larger (direction > 0) or smaller scale of the list of sizes, or the scale itself at the end. */
double normscope_text_size_step (double scale, int direction);
/* Scale the text of all widgets of this program. */
void normscope_text_size_apply (double scale);

G_END_DECLS
