/* Marks as they are typed on a command line.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure functions; any thread.
 */
#pragma once

#include "figures/ns-figure-info.h"

G_BEGIN_DECLS

/* Add a pin: "3", "last", or with a second block for their ratio "3:12". A quantity before the first block chooses the
 * panel (gradients without one): "rms_x@3". In an encoder-decoder a part comes before each block, and the decoder's
 * need none: "encoder:3:decoder:12". Fail with an NS_EXPERIMENT_ERROR for a text that is no pin and for a block that
 * the experiment lacks. */
gboolean ns_marks_add_pin_text (NsMarks *marks, const char *text, const NsExperiment *experiment, GError **error);

/* Add a note or an arrow: "BLOCK:TEXT", with part and quantity as above (without one the gradient of the options) and
 * the variant, if not the first visible one, in front: "Post-LN/w_2@5:falls here". In the figure of a map two blocks
 * come before the text, row and column. The text of an arrow may be missing. */
gboolean ns_marks_add_note_text (NsMarks *marks, NsNoteKind kind, const char *text, const NsExperiment *experiment,
                                 NsFigureKind figure, const NsFigureOptions *options, GError **error);

G_END_DECLS
