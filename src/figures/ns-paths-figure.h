/* The figures of the Paths view: why the gradient is what it is.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of ns-figure-table.h with the view "paths" make them. Maps may still be running: the figure is provisional
 * then, shows what is computed, and a note counts the finished seeds. Pure functions; any thread.
 */
#pragma once

#include "engine/run/ns-paths.h"
#include "figures/ns-marks.h"
#include "figures/ns-readout.h"

G_BEGIN_DECLS

/* The probes of a gain map, unless the user says otherwise. */
#define NS_PATHS_DEFAULT_PROBES 4

/* The vectors that a similarity map compares. */
typedef enum
{
  NS_SIMILARITY_X,    /* the outputs x_l of the blocks */
  NS_SIMILARITY_GRAD, /* the gradients ∂L/∂x_l there */
} NsSimilarityOf;

/* What an optimizer step changes. */
typedef enum
{
  NS_UPDATE_OUTPUTS, /* the outputs x_l of the blocks */
  NS_UPDATE_WEIGHTS, /* every tensor */
} NsUpdateOf;

/* What a map of the experts shows. */
typedef enum
{
  NS_EXPERTS_LOAD,     /* their shares of the tokens' choices */
  NS_EXPERTS_GRADIENT, /* the gradient norms of their matrices */
} NsExpertsOf;

/* The options of all these figures. */
typedef struct
{
  /* what is computed; ns_paths_options_get_settings() reads them */
  gboolean all_blocks; /* contributions: to every block, not only to the last one of each part */
  int n_probes;        /* gain: 1 .. NS_PATHS_MAX_PROBES for each column, variant and seed */
  NsOptimizer optimizer; /* update */
  double learning_rate;  /* update: η, or 0 for that of ns_optimizer_get_learning_rate() */
  gboolean matrices_only; /* update: only the weight matrices take the step */
  /* what is shown */
  NsSimilarityOf similarity; /* similarity */
  NsSub sub;                 /* residual against branch: the sub-layer */
  NsUpdateOf update_of;      /* update */
  NsExpertsOf experts;       /* experts */
  gboolean log_axis;         /* norms, ratios and changes on a log axis; shares and cosines have a linear one */
  gboolean band;             /* one standard deviation over the seeds to both sides */
  guint64 hidden;            /* bit v: variant v is not shown */
  guint n_seeds_wanted;      /* of a result: with fewer the figure is provisional and a note says so; 0: ignore */
  const NsColor *colors;     /* one for each variant, or NULL: the palette; borrowed */
  const gboolean *has_color; /* one for each variant, with colors */
  const int *styles;         /* for each variant the index of its colour, dash and marker; NULL: its own index */
  const NsMarks *marks;      /* of which pins of gradients stand at their block of every curve; NULL: none; borrowed */
  gboolean titles;           /* a title and a caption (the sentence), for exported figures */
} NsPathsOptions;

void ns_paths_options_init (NsPathsOptions *options);

/* Return the figure that a note in a panel of a figure belongs to, an NsFigureKind: its own, or 0 if its panels show
 * quantities, that of the panel in *quantity. Set *has_column to TRUE for maps. */
int ns_paths_get_note_figure (int figure, const NsPathsOptions *options, guint panel, gboolean *has_column,
                              NsQuantity *quantity);

/* Return the pins, notes, arrows and kept curves that a figure shows, with the values of the pins: plain text, a line
 * each; NULL if there are none. `options` are those it was made with. */
char *ns_paths_dup_marks (const NsFigure *figure, const NsPathsOptions *options);

/* Return what to compute for a figure of that kind. */
NsPathsSettings ns_paths_options_get_settings (const NsPathsOptions *options, NsPathsKind kind);

G_END_DECLS
