/* The activations of one pass through a single stack, in memory of their own: the residual stream x_0 … x_L and the
 * cache of each block. They outlast the pass, so that the next one can go on above the blocks that both share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: activations belong to one pass at a time.
 */
#pragma once

#include "engine/pass/ns-workspace.h"

typedef struct
{
  gint64 n_sites;       /* L + 1, or 0 */
  NsScaled *x;          /* [n_sites] */
  NsBlockCache *blocks; /* [n_sites] that of site l is blocks[l − 1] */
  gpointer *memory;     /* [n_sites] of each site, owned */
  guint64 *bytes;       /* [n_sites] its size */
} NsActivations;

/* Return the bytes of the activations of an experiment with one variant; G_MAXUINT64 when they cannot be counted. */
guint64 ns_activations_get_bytes (const NsExperiment *experiment);
/* Lay the activations out for the sites of an experiment with one variant, a single stack. The first n_kept sites keep
 * their values. FALSE when the system gives no memory; only those are left then. */
gboolean ns_activations_resize (NsActivations *self, const NsExperiment *experiment, gint64 n_kept);
void ns_activations_clear (NsActivations *self);

/* Let the passes on a workspace read and write these activations, NULL: its own. */
void ns_workspace_use (NsWorkspace *workspace, const NsActivations *activations);
