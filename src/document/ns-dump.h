/* A dump: the first seed's arrays of one variant and what the engine makes of them, for NumPy and PyTorch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * DIR/experiment.json   the experiment with this variant and this seed alone, every key present
 * DIR/result.json       its result
 * DIR/x0.npy, targets.npy, upstream.npy, block001/w_q.npy …, head/w_head.npy   as ns_engine_foreach_array() gives
 * Threads: that of the engine.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

/* Writes into a temporary sibling, which takes the name `directory` when it is complete: a failure or a cancelled
 * `progress` (nullable) leaves nothing behind. An earlier dump or an empty folder of that name is replaced, any other
 * folder with something in it is refused. Errors: NS_DOCUMENT_ERROR, NS_EXPERIMENT_ERROR, NS_ENGINE_ERROR. */
gboolean ns_dump_write (NsEngine *engine, const NsExperiment *experiment, guint variant, const char *directory,
                        NsProgress *progress, GError **error);

/* The same, and DIR/experiment.py beside the arrays: see ns-torch-script.h. */
gboolean ns_dump_write_script (NsEngine *engine, const NsExperiment *experiment, guint variant, const char *directory,
                               NsProgress *progress, GError **error);

/* Whether ns_dump_write() may put a dump there. For telling before a long run. */
gboolean ns_dump_check_directory (const char *directory, GError **error);

G_END_DECLS
