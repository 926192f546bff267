/* Parts of the figures of a training, in call order: figures → sentence.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts are translated; callers free char * and own figures. Pure functions; any thread.
 */
#pragma once

#include "figures/ns-figure-info.h"

G_BEGIN_DECLS

/* ---- figures, each with its sentence and its read-out: the functions of a row of the table ---- */

#define NS_TRAINING_DECLARE_FIGURE(name)                                                                               \
  NsFigure *ns_training_make_##name (const NsFigureSource *source, const NsFigureOptions *options);                    \
  char *ns_training_make_##name##_sentence (const NsFigureSource *source, const NsFigureOptions *options,              \
                                            GArray **links);                                                           \
  NsReadout *ns_training_make_##name##_readout (const NsFigureSource *source, const NsFigureOptions *options,          \
                                                double x, double y);

NS_TRAINING_DECLARE_FIGURE (curves)  /* the loss over the steps */
NS_TRAINING_DECLARE_FIGURE (profile) /* the flow figure at a step */
NS_TRAINING_DECLARE_FIGURE (map)     /* a quantity by step and block */

#undef NS_TRAINING_DECLARE_FIGURE

/* ---- in words (ns-training-words.c) ---- */

/* Sentences about the first steps are about that many, or all if there are fewer. */
#define NS_TRAINING_EARLY 10
/* Return what block 1 (of the encoder, if there is one) gains of a gradient norm from the first step to the last record
 * within these steps, *step, in log10; NAN without both. */
double ns_training_measure_gain (const NsTraining *training, guint variant, NsQuantity quantity, gint64 *step);
/* Return "block 3", "block 3 of the encoder", "head": what a site is in a sentence. */
char *ns_training_dup_site (const NsExperiment *experiment, gint64 site);
/* Return "step 37, block 5": where a run ended in NaN or infinity. NULL if it did not. */
char *ns_training_dup_divergence (const NsTraining *training, guint variant, guint seed);
/* Return the seed whose run was the first to end so, or −1, and in *n (nullable) how many did. */
int ns_training_find_divergence (const NsTraining *training, guint variant, guint *n);
/* Return "Training: depth 6, d_model 64, 8 × 32 tokens, 300 steps, 10 seeds", the title of an exported figure; of one
 * of a single step, which is −1 for none, "Training, step 37: depth 6, …". */
char *ns_training_dup_title (const NsTraining *training, gint64 step);
/* Add a row for a variant to a read-out. */
NsReadoutRow *ns_training_add_row (NsReadout *readout, const NsExperiment *experiment,
                                   const NsTrainingOptions *options, guint variant);
/* Set the note of a training that is not finished, and with options->titles the title and the caption, which is
 * taken. */
void ns_training_finish_figure (NsFigure *figure, const NsFigureSource *source, const NsFigureOptions *options,
                                char *caption);

G_END_DECLS
