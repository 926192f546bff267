/* The options of the flow figure, which a training has at every step, and of the other figures of a training.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/table/ns-figure-rows.h"

#include <glib/gi18n-lib.h>
#include <stddef.h>

const NsFigureChoice ns_figure_axes[] = { { "log", TRUE, NULL }, { "linear", FALSE, NULL }, { NULL } };
static const NsFigureChoice bars_axes[] = {
  { "auto", NS_BARS_AXIS_AUTO, NULL },
  { "log", NS_BARS_AXIS_LOG, NULL },
  { "linear", NS_BARS_AXIS_LINEAR, NULL },
  { NULL },
};
static const NsFigureChoice token_cos_modes[] = {
  { "auto", NS_TOKEN_COS_AUTO, NULL },
  { "always", NS_TOKEN_COS_ALWAYS, NULL },
  { "never", NS_TOKEN_COS_NEVER, NULL },
  { NULL },
};

static const NsFigureChoice factors[] = {
  { "none", 0, N_ ("None") }, { "0.9", 0, "× 0.9" },   { "0.95", 0, "× 0.95" }, { "0.99", 0, "× 0.99" },
  { "1.01", 0, "× 1.01" },    { "1.05", 0, "× 1.05" }, { "1.1", 0, "× 1.1" },   { NULL },
};

#define FLOW(field) offsetof (NsFigureOptions, flow.field)
#define TRAINING(field) offsetof (NsFigureOptions, training.field)

/* What is drawn by block, and on which axes. */
/* clang-format off */
#define AXES_ROWS                                                                                                      \
  { .name = "quantity",                                                                                                \
    .short_name = 'q',                                                                                                 \
    .help = N_ ("Gradient norm of the curves"),                                                                        \
    .type = NS_FIGURE_OPTION_QUANTITY,                                                                                 \
    .offset = FLOW (gradient),                                                                                         \
    .kind = NS_KIND_GRADIENT },                                                                                        \
  { .name = "magnitude",                                                                                               \
    .help = N_ ("Activation of the bars"),                                                                             \
    .type = NS_FIGURE_OPTION_QUANTITY,                                                                                 \
    .offset = FLOW (activation),                                                                                       \
    .kind = NS_KIND_ACTIVATION },                                                                                      \
  { .name = "gradient-axis",                                                                                           \
    .help = N_ ("Axis of the curves"),                                                                                 \
    .type = NS_FIGURE_OPTION_CHOICE,                                                                                   \
    .offset = FLOW (log_gradient),                                                                                     \
    .choices = ns_figure_axes },                                                                                       \
  { .name = "activation-axis",                                                                                         \
    .help = N_ ("Axis of the bars; auto is log when one variant would flatten another"),                               \
    .type = NS_FIGURE_OPTION_CHOICE,                                                                                   \
    .offset = FLOW (bars_axis),                                                                                        \
    .choices = bars_axes }

#define FLOW_ROWS                                                                                                      \
  AXES_ROWS,                                                                                                           \
  { .name = "token-cos",                                                                                               \
    .help = N_ ("Panel of token similarity; auto draws it when a residual is off"),                                    \
    .type = NS_FIGURE_OPTION_CHOICE,                                                                                   \
    .offset = FLOW (token_cos),                                                                                        \
    .choices = token_cos_modes },                                                                                      \
  { .name = "factor",                                                                                                  \
    .help = N_ ("Draw dashed how a gradient would change by this factor in every block, from the last number of each " \
                "curve on"),                                                                                           \
    .type = NS_FIGURE_OPTION_NUMBER,                                                                                   \
    .offset = FLOW (factor),                                                                                           \
    .choices = factors,                                                                                                \
    .least = NS_FLOW_MIN_FACTOR,                                                                                       \
    .most = NS_FLOW_MAX_FACTOR }
/* clang-format on */

const NsFigureOption ns_flow_figure_options[] = {
  FLOW_ROWS,
  { .name = "theory",
    .help = N_ ("Draw predictions over the measurement where their assumptions hold"),
    .type = NS_FIGURE_OPTION_SWITCH,
    .offset = FLOW (predictions) },
  NS_FIGURE_PIN (FLOW (marks)),
  NS_FIGURE_NOTE (FLOW (marks)),
  NS_FIGURE_ARROW (FLOW (marks)),
  NS_FIGURE_REFERENCE (FLOW (marks)),
  { NULL },
};

const NsFigureOption ns_depths_figure_options[] = { AXES_ROWS, { NULL } };

const NsFigureOption ns_training_curves_options[] = {
  { .name = "loss-axis",
    .help = N_ ("Axis of the losses"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = TRAINING (log_loss),
    .choices = ns_figure_axes },
  { NULL },
};

#define STEP_ROW                                                                                                       \
  {                                                                                                                    \
    .name = "step",                                                                                                    \
    .help = N_ ("Step of the training; the last recorded one at or before it is shown, and a map has a line there"),   \
    .type = NS_FIGURE_OPTION_STEP, .offset = TRAINING (step)                                                           \
  }

const NsFigureOption ns_training_profile_options[] = {
  STEP_ROW,
  FLOW_ROWS,
  NS_FIGURE_PIN (FLOW (marks)),
  NS_FIGURE_NOTE (FLOW (marks)),
  NS_FIGURE_ARROW (FLOW (marks)),
  { NULL },
};

const NsFigureOption ns_training_map_options[] = {
  { .name = "quantity",
    .short_name = 'q',
    .help = N_ ("Quantity of the maps"),
    .type = NS_FIGURE_OPTION_QUANTITY,
    .offset = TRAINING (quantity),
    .kind = NS_KIND_GRADIENT,
    .any_kind = TRUE },
  STEP_ROW,
  { NULL },
};
