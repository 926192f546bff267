/* A dump: arrays and result of one variant and its first seed, for NumPy and PyTorch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * DIR/experiment.json   the experiment with only this variant and this seed, with every key
 * DIR/result.json       its result
 * DIR/x0.npy, targets.npy, upstream.npy, block001/w_q.npy …, head/w_head.npy   see ns_engine_foreach_array()
 * Threads: the engine's thread.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

/* Write a dump. It is written into a temporary sibling and renamed to `directory` when complete, so a failure or a
 * cancelled `progress` (nullable) leaves no files. Replaces an empty folder or an earlier dump and refuses any other
 * folder. Errors: NS_DOCUMENT_ERROR, NS_EXPERIMENT_ERROR, NS_ENGINE_ERROR. */
gboolean ns_dump_write (NsEngine *engine, const NsExperiment *experiment, guint variant, const char *directory,
                        NsProgress *progress, GError **error);

/* The same with a PyTorch script, DIR/experiment.py: see ns-torch-script.h. */
gboolean ns_dump_write_script (NsEngine *engine, const NsExperiment *experiment, guint variant, const char *directory,
                               NsProgress *progress, GError **error);

/* Check that ns_dump_write() may write to the folder. Call it before a long run. */
gboolean ns_dump_check_directory (const char *directory, GError **error);

G_END_DECLS
