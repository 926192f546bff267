/* Options that rows of the table of figures have.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/table/ns-figure-table.h"

G_BEGIN_DECLS

/* "log", "linear": of a gboolean that is TRUE for a logarithmic axis. */
extern const NsFigureChoice ns_figure_axes[];

extern const NsFigureOption ns_flow_figure_options[];
extern const NsFigureOption ns_depths_figure_options[];
extern const NsFigureOption ns_training_curves_options[];
extern const NsFigureOption ns_training_profile_options[];
extern const NsFigureOption ns_training_map_options[];

/* The rows of marks, in an NsMarks at that offset. */
#define NS_FIGURE_PIN(field)                                                                                           \
  {                                                                                                                    \
    .name = "pin",                                                                                                     \
    .help = N_ ("Show the values of all curves at a block, as 3, or their ratio between two, as 3:12; rms_x@3 pins "   \
                "the bars, encoder:3 a block of the encoder; can be repeated"),                                        \
    .type = NS_FIGURE_OPTION_PIN, .offset = field                                                                      \
  }
#define NS_FIGURE_NOTE(field)                                                                                          \
  {                                                                                                                    \
    .name = "note",                                                                                                    \
    .help = N_ ("Write beside a value, as 5:TEXT or VARIANT/w_2@5:TEXT, in a map as ROW:COLUMN:TEXT; can be "          \
                "repeated"),                                                                                           \
    .type = NS_FIGURE_OPTION_NOTE, .offset = field                                                                     \
  }
#define NS_FIGURE_ARROW(field)                                                                                         \
  {                                                                                                                    \
    .name = "arrow",                                                                                                   \
    .help = N_ ("Draw an arrow to a value, as 5 or 5:TEXT, in a map as ROW:COLUMN; can be repeated"),                  \
    .type = NS_FIGURE_OPTION_ARROW, .offset = field                                                                    \
  }
#define NS_FIGURE_REFERENCE(field)                                                                                     \
  {                                                                                                                    \
    .name = "reference",                                                                                               \
    .help = N_ ("Draw the curves of another experiment thin and dashed; can be repeated"),                             \
    .type = NS_FIGURE_OPTION_REFERENCE, .offset = field                                                                \
  }

G_END_DECLS
