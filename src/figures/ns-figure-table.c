/* The table of figures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-figure-table.h"

#include "figures/ns-wiring.h"

#include <glib/gi18n-lib.h>
#include <stddef.h>

/* ---- flow ---- */

static NsFigure *
make_flow (const NsFigureSource *source, const NsFigureOptions *options)
{
  return ns_flow_figure (source->result, source->ghost, &options->flow);
}

static char *
make_flow_sentence (const NsFigureSource *source, const NsFigureOptions *options)
{
  return ns_flow_sentence (source->result, &options->flow);
}

static const NsFigureChoice axes[] = { { "log", TRUE }, { "linear", FALSE }, { NULL } };
static const NsFigureChoice bars_axes[] = {
  { "auto", NS_BARS_AXIS_AUTO },
  { "log", NS_BARS_AXIS_LOG },
  { "linear", NS_BARS_AXIS_LINEAR },
  { NULL },
};
static const NsFigureChoice token_cos_modes[] = {
  { "auto", NS_TOKEN_COS_AUTO },
  { "always", NS_TOKEN_COS_ALWAYS },
  { "never", NS_TOKEN_COS_NEVER },
  { NULL },
};

#define FLOW(field) offsetof (NsFigureOptions, flow.field)

static const NsFigureOption flow_options[] = {
  { .name = "quantity",
    .short_name = 'q',
    .help = N_ ("Gradient norm of the curves"),
    .type = NS_FIGURE_OPTION_QUANTITY,
    .offset = FLOW (gradient),
    .kind = NS_KIND_GRADIENT },
  { .name = "magnitude",
    .help = N_ ("Activation of the bars"),
    .type = NS_FIGURE_OPTION_QUANTITY,
    .offset = FLOW (activation),
    .kind = NS_KIND_ACTIVATION },
  { .name = "gradient-axis",
    .help = N_ ("Axis of the curves"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = FLOW (log_gradient),
    .choices = axes },
  { .name = "activation-axis",
    .help = N_ ("Axis of the bars; auto is log when one variant would flatten another"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = FLOW (bars_axis),
    .choices = bars_axes },
  { .name = "token-cos",
    .help = N_ ("Panel of token similarity; auto draws it when a residual is off"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = FLOW (token_cos),
    .choices = token_cos_modes },
  { .name = "theory",
    .help = N_ ("Draw predictions over the measurement where their assumptions hold"),
    .type = NS_FIGURE_OPTION_SWITCH,
    .offset = FLOW (predictions) },
  { NULL },
};

/* ---- scaling ---- */

static NsFigure *
make_scaling (const NsFigureSource *source, const NsFigureOptions *options)
{
  return ns_scaling_figure (source->sweep, &options->scaling);
}

static char *
make_scaling_sentence (const NsFigureSource *source, const NsFigureOptions *options)
{
  return ns_scaling_sentence (source->sweep, &options->scaling);
}

/* ---- wiring ---- */

static NsDiagram *
make_wiring (const NsFigureSource *source, const NsFigureOptions *options)
{
  return ns_wiring_diagram_of_experiment (source->experiment, source->variant, options->wiring_names);
}

static NsDiagram *
make_block (const NsFigureSource *source, const NsFigureOptions *options)
{
  return ns_wiring_diagram_of_result (source->result, options->block, source->variant, options->wiring_names);
}

static const NsFigureOption block_options[] = {
  { .name = "block",
    .help = N_ ("Block to measure"),
    .type = NS_FIGURE_OPTION_BLOCK,
    .offset = offsetof (NsFigureOptions, block) },
  { NULL },
};

/* ---- the table ---- */

static const NsFigureInfo table[NS_N_FIGURES] = {
  [NS_FIGURE_FLOW] = { .id = "flow",
                       .title = N_ ("Flow"),
                       .help = N_ ("gradient norms and activations by block"),
                       .needs = NS_FIGURE_NEEDS_RESULT,
                       .make = make_flow,
                       .make_sentence = make_flow_sentence,
                       .options = flow_options },
  [NS_FIGURE_SCALING] = { .id = "scaling",
                          .title = N_ ("Scaling"),
                          .help = N_ ("one quantity against depth or width"),
                          .needs = NS_FIGURE_NEEDS_SWEEP,
                          .make = make_scaling,
                          .make_sentence = make_scaling_sentence },
  [NS_FIGURE_WIRING] = { .id = "wiring",
                         .title = N_ ("Wiring"),
                         .help = N_ ("norms, residuals and scales of all variants, or of the one that --variant names"),
                         .needs = NS_FIGURE_NEEDS_EXPERIMENT,
                         .by_variant = TRUE,
                         .make_diagram = make_wiring },
  [NS_FIGURE_BLOCK] = { .id = "block",
                        .title = N_ ("Block"),
                        .help = N_ ("the wiring with measured values on the wires of one block: activations above, "
                                    "gradient norms below"),
                        .needs = NS_FIGURE_NEEDS_RESULT,
                        .by_variant = TRUE,
                        .make_diagram = make_block,
                        .options = block_options },
};

const NsFigureInfo *
ns_figure_info (NsFigureKind kind)
{
  g_return_val_if_fail ((guint) kind < NS_N_FIGURES, NULL);
  return &table[kind];
}

void
ns_figure_options_init (NsFigureOptions *options)
{
  ns_flow_options_init (&options->flow);
  ns_scaling_options_init (&options->scaling);
  options->wiring_names = FALSE;
  options->block = 1;
}

void
ns_figure_options_set_band (NsFigureOptions *options, gboolean band)
{
  options->flow.band = options->scaling.band = band;
}

void
ns_figure_options_set_titles (NsFigureOptions *options, gboolean titles)
{
  options->flow.titles = options->scaling.titles = options->wiring_names = titles;
}

NsFigure *
ns_figure_make (NsFigureKind kind, const NsFigureSource *source, const NsFigureOptions *options, char **sentence)
{
  const NsFigureInfo *info = ns_figure_info (kind);

  g_return_val_if_fail (info != NULL && info->make != NULL, NULL);

  if (sentence != NULL)
    *sentence = info->make_sentence != NULL ? info->make_sentence (source, options) : NULL;
  return info->make (source, options);
}
