/* The arrays that a pass reads, one by one: inputs, targets, weights.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: as for ns_engine_run().
 */
#pragma once

#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

/* An array in C order (last dimension fastest). Exactly one of values and ids is not NULL. */
typedef struct
{
  const char *name;
  guint n_dims;
  gint64 dims[3];
  const float *values;
  const gint32 *ids;
} NsArray;

/* Return FALSE and set the error to stop. The array is valid during the call only. */
typedef gboolean (*NsArrayFunc) (const NsArray *array, gpointer user_data, GError **error);

/* Call func with each array of one variant and seed: "x0" and, in an encoder-decoder, "y0" [B, T, C]; "targets" [B, T];
 * with unit-gradient "upstream" [B, T, C]; then the weights [in, out] as the pass uses them, "block001/w_q" … or
 * "encoder/block001/w_q" …, and "head/w_head". Return FALSE with an error (NS_EXPERIMENT_ERROR, NS_ENGINE_ERROR, or
 * func's own) when the arrays cannot be made or func stops. */
gboolean ns_engine_foreach_array (NsEngine *engine, const NsExperiment *experiment, guint variant, guint seed,
                                  NsArrayFunc func, gpointer user_data, GError **error);
/* Call func with the random gradients of a gain map (ns-paths.h): "probes/site000" [n_probes, M·B·T, C] for each site
 * of the residual stream; those of site m start at x_m. */
gboolean ns_engine_foreach_probe (const NsExperiment *experiment, guint seed, guint n_probes, NsArrayFunc func,
                                  gpointer user_data, GError **error);

G_END_DECLS
