/* The table of figures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/table/ns-figure-table.h"

#include "engine/analysis/ns-mean-field.h"
#include "figures/ns-links.h"
#include "figures/ns-verdict.h"
#include "figures/ns-wiring.h"
#include "figures/paths/ns-paths-private.h"
#include "figures/table/ns-figure-rows.h"
#include "figures/training/ns-coordinate-figure.h"
#include "figures/training/ns-sensitivity-private.h"
#include "figures/training/ns-training-private.h"

#include <glib/gi18n-lib.h>
#include <stddef.h>

/* ---- flow ---- */

static NsFigure *
make_flow (const NsFigureSource *source, const NsFigureOptions *options)
{
  return ns_flow_figure (source->result, source->ghost, &options->flow);
}

static char *
make_flow_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  return ns_flow_linked_sentence (source->result, &options->flow, links);
}

/* ---- several depths ---- */

static NsFigure *
make_depths (const NsFigureSource *source, const NsFigureOptions *options)
{
  return ns_depths_figure (source->depths, &options->flow);
}

static char *
make_depths_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  return ns_links_resolve (ns_depths_sentence (source->depths, &options->flow), links);
}

/* ---- scaling ---- */

static NsFigure *
make_scaling (const NsFigureSource *source, const NsFigureOptions *options)
{
  return ns_scaling_figure (source->sweep, &options->scaling);
}

static char *
make_scaling_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  return ns_scaling_linked_sentence (source->sweep, &options->scaling, links);
}

#define SCALING(field) offsetof (NsFigureOptions, scaling.field)

static const NsFigureOption scaling_options[] = {
  { .name = "theory",
    .help = N_ ("Draw predictions over the measurement where their assumptions hold"),
    .type = NS_FIGURE_OPTION_SWITCH,
    .offset = SCALING (predictions) },
  { .name = "theory-depth",
    .help = N_ ("With --theory, draw predictions on to that depth, beyond the measurement"),
    .type = NS_FIGURE_OPTION_COUNT,
    .offset = SCALING (theory_depth),
    .max = NS_MEAN_FIELD_MAX_DEPTH },
  { NULL },
};

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

/* The verdict on each variant that is drawn, under its name if there are several. */
static char *
make_block_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  GString *lines = g_string_new (NULL);
  guint n = source->experiment->variants->len;

  for (guint v = 0; v < n; v++)
    {
      g_autofree char *verdict = NULL;

      if (source->variant >= 0 && v != (guint) source->variant)
        continue;
      verdict = ns_verdict_dup_marked (source->result, v, source->sweep);
      if (lines->len > 0)
        g_string_append_c (lines, '\n');
      if (source->variant < 0 && n > 1)
        g_string_append_printf (lines, "%s: ", ns_experiment_variant (source->experiment, v)->name);
      g_string_append (lines, verdict);
    }
  return ns_links_resolve (g_string_free (lines, FALSE), links);
}

static const NsFigureOption block_options[] = {
  { .name = "block",
    .help = N_ ("Block to measure"),
    .type = NS_FIGURE_OPTION_BLOCK,
    .offset = offsetof (NsFigureOptions, block) },
  { NULL },
};

/* ---- paths ---- */

#define PATHS(field) offsetof (NsFigureOptions, paths.field)

static const NsFigureChoice wholes[] = {
  { "all", TRUE, N_ ("Every block") },
  { "last", FALSE, N_ ("Last block") },
  { NULL },
};
static const NsFigureChoice vectors[] = {
  { "outputs", NS_SIMILARITY_X, N_ ("Outputs") },
  { "gradients", NS_SIMILARITY_GRAD, N_ ("Gradients") },
  { NULL },
};
static const NsFigureChoice of_experts[] = {
  { "load", NS_EXPERTS_LOAD, N_ ("Load") },
  { "gradient", NS_EXPERTS_GRADIENT, N_ ("Gradient") },
  { NULL },
};
static const NsFigureChoice branches[] = {
  { "attention", NS_SUB_ATTN, N_ ("Attention") },
  { "cross-attention", NS_SUB_CROSS, N_ ("Cross-attention") },
  { "ffn", NS_SUB_FFN, N_ ("FFN") },
  { NULL },
};
static const NsFigureChoice optimizers[] = {
  { "sgd", NS_OPTIMIZER_SGD, N_ ("SGD") },
  { "adam", NS_OPTIMIZER_ADAM, N_ ("Adam") },
  { NULL },
};
static const NsFigureChoice rates[] = {
  { "usual", 0, N_ ("Usual η") }, { "1e-6", 0, "η = 10⁻⁶" }, { "1e-5", 0, "η = 10⁻⁵" },
  { "1e-4", 0, "η = 10⁻⁴" },      { "1e-3", 0, "η = 10⁻³" }, { "1e-2", 0, "η = 10⁻²" },
  { "1e-1", 0, "η = 0.1" },       { "1", 0, "η = 1" },       { NULL },
};
static const NsFigureChoice changes[] = {
  { "outputs", NS_UPDATE_OUTPUTS, N_ ("Change of outputs") },
  { "weights", NS_UPDATE_WEIGHTS, N_ ("Change of weights") },
  { NULL },
};

/* The axis of norms, in a figure with curves of them. A click on the axis changes it in the window. */
#define AXIS                                                                                                           \
  {                                                                                                                    \
    .name = "norm-axis", .help = N_ ("Axis of norms, ratios and changes; shares and cosines have a linear one"),       \
    .type = NS_FIGURE_OPTION_CHOICE, .offset = PATHS (log_axis), .choices = ns_figure_axes                             \
  }

static const NsFigureOption contributions_options[] = {
  { .name = "to",
    .help = N_ ("Split the output of the last block, or of every block"),
    .title = N_ ("Blocks"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = PATHS (all_blocks),
    .choices = wholes },
  { NULL },
};

static const NsFigureOption identity_options[] = {
  AXIS,
  NS_FIGURE_PIN (PATHS (marks)),
  NS_FIGURE_NOTE (PATHS (marks)),
  NS_FIGURE_ARROW (PATHS (marks)),
  NS_FIGURE_REFERENCE (PATHS (marks)),
  { NULL },
};

static const NsFigureOption lengths_options[] = { AXIS, { NULL } };

static const NsFigureOption gain_options[] = {
  { .name = "probes",
    .help = N_ ("Random gradients for each block and seed"),
    .title = N_ ("Probes"),
    .type = NS_FIGURE_OPTION_COUNT,
    .offset = PATHS (n_probes),
    .max = NS_PATHS_MAX_PROBES },
  NS_FIGURE_NOTE (PATHS (marks)),
  NS_FIGURE_ARROW (PATHS (marks)),
  { NULL },
};

static const NsFigureOption similarity_options[] = {
  { .name = "of",
    .help = N_ ("What is compared between two blocks"),
    .title = N_ ("Compare"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = PATHS (similarity),
    .choices = vectors },
  NS_FIGURE_NOTE (PATHS (marks)),
  NS_FIGURE_ARROW (PATHS (marks)),
  { NULL },
};

static const NsFigureOption skip_options[] = {
  { .name = "branch",
    .help = N_ ("Sub-layer that is compared with its residual"),
    .title = N_ ("Branch"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = PATHS (sub),
    .choices = branches },
  AXIS,
  NS_FIGURE_PIN (PATHS (marks)),
  NS_FIGURE_NOTE (PATHS (marks)),
  NS_FIGURE_ARROW (PATHS (marks)),
  NS_FIGURE_REFERENCE (PATHS (marks)),
  { NULL },
};

static const NsFigureOption update_options[] = {
  { .name = "optimizer",
    .help = N_ ("Optimizer of the step"),
    .title = N_ ("Optimizer"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = PATHS (optimizer),
    .choices = optimizers },
  { .name = "learning-rate",
    .help = N_ ("Learning rate of the step; usual depends on the optimizer"),
    .title = N_ ("Learning rate"),
    .type = NS_FIGURE_OPTION_NUMBER,
    .offset = PATHS (learning_rate),
    .choices = rates,
    .least = NS_PATHS_MIN_LEARNING_RATE,
    .most = NS_PATHS_MAX_LEARNING_RATE },
  { .name = "change-of",
    .help = N_ ("What the step changes: the outputs of the blocks, or the weights, each relative to its norm"),
    .title = N_ ("Change of"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = PATHS (update_of),
    .choices = changes },
  { .name = "matrices-only",
    .help = N_ ("Step the weight matrices alone, without biases, norms and branch scales"),
    .title = N_ ("Matrices only"),
    .type = NS_FIGURE_OPTION_SWITCH,
    .offset = PATHS (matrices_only) },
  AXIS,
  NS_FIGURE_PIN (PATHS (marks)),
  NS_FIGURE_NOTE (PATHS (marks)),
  NS_FIGURE_ARROW (PATHS (marks)),
  { NULL },
};

/* ---- the table ---- */

static const NsFigureOption experts_options[] = {
  { .name = "experts",
    .help = N_ ("What is shown of every expert: its load, or the gradient norm of its matrices"),
    .title = N_ ("Show"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = PATHS (experts),
    .choices = of_experts },
  { NULL },
};

static const NsFigureInfo table[NS_N_FIGURES] = {
  [NS_FIGURE_FLOW] = { .id = "flow",
                       .title = N_ ("Flow"),
                       .help = N_ ("gradient norms and activations by block"),
                       .view = "flow",
                       .needs = NS_FIGURE_NEEDS_RESULT,
                       .make = make_flow,
                       .make_sentence = make_flow_sentence,
                       .options = ns_flow_figure_options },
  [NS_FIGURE_SCALING] = { .id = "scaling",
                          .title = N_ ("Scaling"),
                          .help = N_ ("one quantity against depth or width"),
                          .view = "scaling",
                          .needs = NS_FIGURE_NEEDS_SWEEP,
                          .make = make_scaling,
                          .make_sentence = make_scaling_sentence,
                          .options = scaling_options },
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
                        .make_sentence = make_block_sentence,
                        .options = block_options },
  [NS_FIGURE_CONTRIBUTIONS] = { .id = "contributions",
                                .title = N_ ("Contributions"),
                                .help = N_ ("what the input and every sub-layer put into each block's output"),
                                .view = "paths",
                                .needs = NS_FIGURE_NEEDS_PATHS,
                                .paths_kind = NS_PATHS_CONTRIBUTIONS,
                                .make = ns_paths_make_contributions,
                                .make_sentence = ns_paths_make_contributions_sentence,
                                .by_block = TRUE,
                                .make_readout = ns_paths_make_contributions_readout,
                                .options = contributions_options },
  [NS_FIGURE_IDENTITY_PATH] = { .id = "identity-path",
                                .title = N_ ("Identity path"),
                                .help = N_ ("how much of the gradient comes down through no branch, by block"),
                                .view = "paths",
                                .by_block = TRUE,
                                .needs = NS_FIGURE_NEEDS_RESULT,
                                .make = ns_paths_make_identity,
                                .make_sentence = ns_paths_make_identity_sentence,
                                .make_readout = ns_paths_make_identity_readout,
                                .options = identity_options },
  [NS_FIGURE_GAIN] = { .id = "gain",
                       .title = N_ ("Gain"),
                       .help = N_ ("the factor by which a random gradient's norm changes from any block down to any "
                                   "other"),
                       .view = "paths",
                       .by_block = TRUE,
                       .needs = NS_FIGURE_NEEDS_PATHS,
                       .paths_kind = NS_PATHS_GAIN,
                       .make = ns_paths_make_gain,
                       .make_sentence = ns_paths_make_gain_sentence,
                       .make_readout = ns_paths_make_gain_readout,
                       .options = gain_options },
  [NS_FIGURE_SIMILARITY] = { .id = "similarity",
                             .title = N_ ("Similarity"),
                             .help = N_ ("cosines between the outputs, or the gradients, of any two blocks"),
                             .view = "paths",
                             .by_block = TRUE,
                             .needs = NS_FIGURE_NEEDS_PATHS,
                             .paths_kind = NS_PATHS_SIMILARITY,
                             .make = ns_paths_make_similarity,
                             .make_sentence = ns_paths_make_similarity_sentence,
                             .make_readout = ns_paths_make_similarity_readout,
                             .options = similarity_options },
  [NS_FIGURE_LENGTHS] = { .id = "lengths",
                          .title = N_ ("Path lengths"),
                          .help = N_ ("the gradient at the input by the number of branches that its paths run through"),
                          .view = "paths",
                          .needs = NS_FIGURE_NEEDS_PATHS,
                          .paths_kind = NS_PATHS_LENGTHS,
                          .make = ns_paths_make_lengths,
                          .make_sentence = ns_paths_make_lengths_sentence,
                          .make_readout = ns_paths_make_lengths_readout,
                          .options = lengths_options },
  [NS_FIGURE_SKIP_BRANCH] = { .id = "skip-branch",
                              .title = N_ ("Skip against branch"),
                              .help = N_ ("what each branch adds, and the gradient that it passes, relative to its "
                                          "residual"),
                              .view = "paths",
                              .needs = NS_FIGURE_NEEDS_RESULT,
                              .by_block = TRUE,
                              .make = ns_paths_make_skip,
                              .make_sentence = ns_paths_make_skip_sentence,
                              .make_readout = ns_paths_make_skip_readout,
                              .options = skip_options },
  [NS_FIGURE_UPDATE] = { .id = "update",
                         .title = N_ ("Update size"),
                         .help = N_ ("how far one step of an optimizer moves each block's output"),
                         .view = "paths",
                         .needs = NS_FIGURE_NEEDS_PATHS,
                         .paths_kind = NS_PATHS_UPDATE,
                         .by_block = TRUE,
                         .make = ns_paths_make_update,
                         .make_sentence = ns_paths_make_update_sentence,
                         .make_readout = ns_paths_make_update_readout,
                         .options = update_options },
  [NS_FIGURE_EXPERTS] = { .id = "experts",
                          .title = N_ ("Experts"),
                          .help = N_ ("how many tokens choose each expert of every block, and the gradient of its "
                                      "matrices"),
                          .view = "paths",
                          .needs = NS_FIGURE_NEEDS_PATHS,
                          .paths_kind = NS_PATHS_ROUTING,
                          .make = ns_paths_make_experts,
                          .make_sentence = ns_paths_make_experts_sentence,
                          .make_readout = ns_paths_make_experts_readout,
                          .options = experts_options },
  [NS_FIGURE_TRAINING] = { .id = "training",
                           .title = N_ ("Loss and blocks"),
                           .help = N_ ("the loss over the steps of a training, and the learning rate"),
                           .view = "training",
                           .needs = NS_FIGURE_NEEDS_TRAINING,
                           .make = ns_training_make_curves,
                           .make_sentence = ns_training_make_curves_sentence,
                           .make_readout = ns_training_make_curves_readout,
                           .options = ns_training_curves_options },
  [NS_FIGURE_TRAINING_PROFILE] = { .id = "training-profile",
                                   .title = N_ ("Training by block"),
                                   .help = N_ ("gradient norms and activations by block at a step of a training"),
                                   .view = "training",
                                   .needs = NS_FIGURE_NEEDS_TRAINING,
                                   .by_block = TRUE,
                                   .make = ns_training_make_profile,
                                   .make_sentence = ns_training_make_profile_sentence,
                                   .make_readout = ns_training_make_profile_readout,
                                   .options = ns_training_profile_options },
  [NS_FIGURE_TRAINING_MAP] = { .id = "training-map",
                               .title = N_ ("Training by step and block"),
                               .help = N_ ("any quantity by block over the steps of a training"),
                               .view = "training",
                               .needs = NS_FIGURE_NEEDS_TRAINING,
                               .make = ns_training_make_map,
                               .make_sentence = ns_training_make_map_sentence,
                               .make_readout = ns_training_make_map_readout,
                               .options = ns_training_map_options },
  [NS_FIGURE_SENSITIVITY] = { .id = "sensitivity",
                              .title = N_ ("Sensitivity"),
                              .help = N_ ("the loss at the end of a training over learning rate and depth, or learning "
                                          "rate and warm-up"),
                              .view = "training",
                              .needs = NS_FIGURE_NEEDS_SENSITIVITY,
                              .make = ns_sensitivity_make_figure,
                              .make_sentence = ns_sensitivity_make_sentence,
                              .make_readout = ns_sensitivity_make_readout,
                              .options = ns_sensitivity_options },
  [NS_FIGURE_COORDINATE_CHECK] = { .id = "coordinate-check",
                                   .title = N_ ("Coordinate check"),
                                   .help = N_ ("the size that depends on the width most, of branches, sums, scores and "
                                               "logits, after the first steps of a training"),
                                   .view = "training",
                                   .needs = NS_FIGURE_NEEDS_COORDINATES,
                                   .make = ns_coordinate_make_figure,
                                   .make_sentence = ns_coordinate_make_sentence,
                                   .make_readout = ns_coordinate_make_readout,
                                   .options = ns_coordinate_options },
  [NS_FIGURE_DEPTHS] = { .id = "depths",
                         .title = N_ ("Shallow and deep"),
                         .help = N_ ("gradient norms and activations of several depths over block / depth"),
                         .needs = NS_FIGURE_NEEDS_DEPTHS,
                         .make = make_depths,
                         .make_sentence = make_depths_sentence,
                         .options = ns_depths_figure_options },
};

const NsFigureInfo *
ns_figure_info (NsFigureKind kind)
{
  g_return_val_if_fail ((guint) kind < NS_N_FIGURES, NULL);
  return &table[kind];
}

gboolean
ns_figure_takes (NsFigureKind kind, NsFigureOptionType type)
{
  for (const NsFigureOption *option = ns_figure_info (kind)->options; option != NULL && option->name != NULL; option++)
    if (option->type == type)
      return TRUE;
  return FALSE;
}

gboolean
ns_figure_suits (NsFigureKind kind, const NsExperiment *experiment)
{
  gboolean has_experts = FALSE;

  for (guint v = 0; v < experiment->variants->len; v++)
    has_experts |= ns_experiment_variant (experiment, v)->experts.count > 0;
  return kind != NS_FIGURE_EXPERTS || has_experts;
}

NsFigure *
ns_figure_make (NsFigureKind kind, const NsFigureSource *source, const NsFigureOptions *options, char **sentence)
{
  return ns_figure_make_linked (kind, source, options, sentence, NULL);
}

NsFigure *
ns_figure_make_linked (NsFigureKind kind, const NsFigureSource *source, const NsFigureOptions *options,
                       char **sentence, GArray **links)
{
  const NsFigureInfo *info = ns_figure_info (kind);

  g_return_val_if_fail (info != NULL && info->make != NULL, NULL);

  if (sentence != NULL)
    *sentence = info->make_sentence != NULL ? info->make_sentence (source, options, links) : NULL;
  return info->make (source, options);
}
