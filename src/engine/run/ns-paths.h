/* The paths through the residual stream: maps over pairs of blocks, shares of what was added, lengths of paths.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * docs/MODEL.md, "Paths", defines the numbers. An NsPaths holds the maps of one kind: tables of rows and columns with a
 * number for each variant and seed. It is reference-counted.
 *
 * Threads: the thread that runs ns_engine_fill_paths() fills it; any thread may read it meanwhile, since each number
 * appears once and complete, and may take and drop references.
 */
#pragma once

#include "engine/experiment/ns-contributor.h"
#include "engine/ops/ns-kinds.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

/* What one run computes. */
typedef enum
{
  NS_PATHS_CONTRIBUTIONS,
  NS_PATHS_LENGTHS,
  NS_PATHS_GAIN,
  NS_PATHS_SIMILARITY,
  NS_PATHS_UPDATE,
  NS_PATHS_ROUTING, /* of experts; the only kind that variants with several streams have, too */
  NS_N_PATHS
} NsPathsKind;

/* The maps. Sites are those of the residual stream, 0 .. the head's site − 1 (ns-quantity.h). */
typedef enum
{
  NS_MAP_SHARE,        /* row: a whole x_l (ns_paths_get_site()); column: a contributor (ns_paths_get_contributor()) */
  NS_MAP_LENGTH_SHARE, /* row: a part, at whose input the gradient is; column: k branches; ⟨g^(k), g⟩/‖g‖² */
  NS_MAP_LENGTH_ERROR, /* likewise, the standard error of an estimated share in each seed */
  NS_MAP_LENGTH_NORM,  /* likewise, ‖g^(k)‖/‖g‖ */
  NS_MAP_LENGTH_MEAN,  /* row: a part; one column: Σ_k k·share_k */
  NS_MAP_LENGTH_REST,  /* row: a part; one column: ‖Σ_k g^(k) − g‖/‖g‖, 0 but for rounding */
  NS_MAP_GAIN,         /* row: site of x_l; column: site of x_m, whose gradient is drawn; the mean over the probes */
  NS_MAP_GAIN_ERROR,   /* likewise, the standard error of that mean in each seed */
  NS_MAP_COS_X,        /* rows and columns: sites; cosine between x_l and x_m */
  NS_MAP_COS_G,        /* likewise, between ∂L/∂x_l and ∂L/∂x_m */
  NS_MAP_UPDATE_X,     /* row: site of x_l; one column: ‖Δx_l‖/‖x_l‖ by one step */
  NS_MAP_UPDATE_H,     /* one cell: ‖Δh‖/‖h‖, h the input of the head */
  NS_MAP_LOSS_CHANGE,  /* one cell: L(θ − η·u) − L(θ) */
  NS_MAP_LOSS_CHANGE_FIRST_ORDER, /* one cell: −η·⟨g, u⟩ */
  NS_MAP_NONLINEARITY, /* one cell: ‖10·Δh(η/10) − Δh(η)‖/‖Δh(η)‖, 0 for a step so small that all is linear in it */
  NS_MAP_UPDATE_W,     /* row: site, the head's too; column: an NsTensor; ‖ΔW‖/‖W‖ of what does not start at 0 */
  NS_MAP_EXPERT_LOAD,  /* row: site; column: an expert; its share of the slots N·k. Only blocks with experts have any */
  NS_MAP_EXPERT_GRAD,  /* likewise, the gradient norm of its W_1, W_2, W_3 by the experiment's estimate */
  NS_N_MAPS
} NsPathsMap;

typedef struct
{
  const char *name; /* "cos_x": in files */
  NsPathsKind kind;
  gboolean has_log10;
} NsPathsMapInfo;

/* Return the row of a map; static. */
const NsPathsMapInfo *ns_paths_map_info (NsPathsMap map);
/* Return the name of a kind, "contributions", in files and on the command line; static. */
const char *ns_paths_kind_get_name (NsPathsKind kind);

#define NS_PATHS_MAX_PROBES 1024
/* Path lengths are exact up to this many ordinary passes, and estimated beyond. */
#define NS_PATHS_MAX_PASSES 50

typedef struct
{
  NsPathsKind kind;
  guint n_probes;        /* gain: 1 .. NS_PATHS_MAX_PROBES random gradients for each column, variant and seed */
  gboolean all_blocks;   /* contributions: those to every block, not only to the last one of each part */
  NsOptimizer optimizer; /* update */
  double learning_rate;  /* update: η, NS_PATHS_MIN_LEARNING_RATE .. NS_PATHS_MAX_LEARNING_RATE */
  gboolean matrices_only; /* update: step the weight matrices alone, as theories do */
} NsPathsSettings;

#define NS_PATHS_MIN_LEARNING_RATE 1e-12
#define NS_PATHS_MAX_LEARNING_RATE 1e6
/* A step whose nonlinearity is above this is not linear (docs/MODEL.md, "Update size"). */
#define NS_PATHS_MAX_NONLINEARITY 0.1

/* Return TRUE if both ask for the same numbers. */
gboolean ns_paths_settings_match (const NsPathsSettings *a, const NsPathsSettings *b);

/* Return the name of an optimizer, "sgd", "adam" or "adamw", in files and on the command line; static. */
const char *ns_optimizer_get_name (NsOptimizer optimizer);
/* Return the learning rate to start with for one step. */
double ns_optimizer_get_learning_rate (NsOptimizer optimizer);

typedef struct _NsPaths NsPaths;

/* Create maps without numbers for every variant and the seeds first_seed .. first_seed + n_seeds − 1; copies the
 * experiment. Return NULL with an NS_EXPERIMENT_ERROR for an invalid experiment, or with an NS_ENGINE_ERROR without
 * memory. */
NsPaths *ns_paths_new (const NsExperiment *experiment, const NsPathsSettings *settings, guint first_seed,
                       guint n_seeds, GError **error);
/* Copy what other paths know: finished seeds of variants that have the same passes there, which may be filled
 * meanwhile. Return TRUE if the others know nothing more. */
gboolean ns_paths_take_known (NsPaths *paths, const NsPaths *known);
/* Compute every number that is not there yet: all variants of the first seed, then those of the next. The columns of a
 * gain map come from coarse to fine; the other kinds' numbers come with the end of each variant and seed. Blocks.
 * progress may be NULL. Return FALSE with an error when the run was cancelled or is impossible; numbers computed so far
 * stay, and another call goes on after the last finished variant and seed. The same bits for any number of threads and
 * any budget. */
gboolean ns_engine_fill_paths (NsEngine *engine, NsPaths *paths, NsProgress *progress, GError **error);
/* Both together: return complete maps, or NULL with an error. Caller owns the result. */
NsPaths *ns_engine_run_paths (NsEngine *engine, const NsExperiment *experiment, const NsPathsSettings *settings,
                              guint first_seed, guint n_seeds, NsProgress *progress, GError **error);

NsPaths *ns_paths_ref (NsPaths *paths);
void ns_paths_unref (NsPaths *paths);

/* Return the experiment and the settings as they were run; owned by the result. */
const NsExperiment *ns_paths_get_experiment (const NsPaths *paths);
const NsPathsSettings *ns_paths_get_settings (const NsPaths *paths);
guint ns_paths_get_n_seeds (const NsPaths *paths);
guint ns_paths_get_first_seed (const NsPaths *paths);
/* Return the milliseconds that the last call has taken to fill it; 0 until then. */
double ns_paths_get_elapsed_ms (const NsPaths *paths);
/* Return the number of seeds of the variant that are finished, and TRUE if all seeds of all variants are. */
guint ns_paths_count_finished (const NsPaths *paths, guint variant);
gboolean ns_paths_is_complete (const NsPaths *paths);
/* Return TRUE if the variant's lengths are exact, FALSE if they are estimated. */
gboolean ns_paths_is_exact (const NsPaths *paths, guint variant);
/* Return the site at which a seed's forward pass overflowed, 0: none. Every number of that
 * seed that needs what overflowed is NaN. */
gint64 ns_paths_get_overflow (const NsPaths *paths, guint variant, guint seed);

/* Return the numbers of rows and columns of a map of the variant; 0 for a map of another kind. */
void ns_paths_get_size (const NsPaths *paths, guint variant, NsPathsMap map, gint64 *rows, gint64 *columns);
/* Return the site that a row of a map stands for. */
gint64 ns_paths_get_site (const NsPaths *paths, NsPathsMap map, gint64 row);
/* Return the contributor of a column of NS_MAP_SHARE, and its site. */
NsContributor ns_paths_get_contributor (const NsPaths *paths, gint64 column, gint64 *site);
/* Return the name of a contributor, "input", in files; static. */
const char *ns_contributor_get_name (NsContributor contributor);
gint64 ns_contributor_get_column (NsContributor contributor, gint64 site);

/* Return FALSE where the map has no number, whatever is computed: a gain upward, a contributor that the block lacks,
 * the error of one probe. A β that is not 0 and the update of a tensor have cells as soon as a seed is finished. */
gboolean ns_paths_has_cell (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column);
/* Read the statistic over the seeds computed so far, or a seed's value; *log10_value (nullable) is NaN for a map
 * without logarithms. Return FALSE, and leave the rest alone, while none is computed and where ns_paths_has_cell() is
 * FALSE. NaN is a number that is not defined, such as the cosine to a zero vector. */
gboolean ns_paths_get_stat (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column,
                            NsStat *stat);
gboolean ns_paths_get_value (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column, guint seed,
                             double *value, double *log10_value);
/* Compute the statistic of the q-quantile of the path length at the input of a part, 0 < q < 1: in each seed the first
 * length at which the sum of the shares reaches q times that of all. Return FALSE while no seed is computed. */
gboolean ns_paths_get_length_quantile (const NsPaths *paths, guint variant, gint64 part, double q, NsStat *stat);
typedef enum
{
  NS_STEP_UNKNOWN,    /* not defined, or not computed yet */
  NS_STEP_LINEAR,     /* a tenth of the step agrees: NS_MAP_NONLINEARITY is at most NS_PATHS_MAX_NONLINEARITY */
  NS_STEP_NOT_LINEAR,
  NS_STEP_TOO_SMALL,  /* a tenth of it is lost in rounding */
} NsStepSize;

/* Judge the step of an update by its means over the seeds. */
NsStepSize ns_paths_judge_step (const NsPaths *paths, guint variant);
/* Return the standard error over the seeds and probes (n >= 1) of the mean in a cell of NS_MAP_GAIN, or over the
 * random phases of one in NS_MAP_LENGTH_SHARE, from the map of its errors at the seeds computed so far; NaN without
 * one. */
double ns_paths_get_standard_error (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsPaths, ns_paths_unref)

G_END_DECLS
