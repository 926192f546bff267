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
#include "engine/run/ns-paths.h"

G_BEGIN_DECLS

/* Write a dump. It is written into a temporary sibling and renamed to `directory` when complete, so a failure or a
 * cancelled `progress` (nullable) leaves no files. Replaces an empty folder or an earlier dump and refuses any other
 * folder. Errors: NS_DOCUMENT_ERROR, NS_EXPERIMENT_ERROR, NS_ENGINE_ERROR. */
gboolean ns_dump_write (NsEngine *engine, const NsExperiment *experiment, guint variant, const char *directory,
                        NsProgress *progress, GError **error);

/* What a PyTorch script computes besides the pass at initialization. */
typedef struct
{
  GArray *maps;      /* NsPathsSettings, each of another kind; contributions are always those to all blocks; or NULL */
  gboolean training; /* the first steps of the training, of an experiment that can be trained */
} NsScriptParts;

NsScriptParts *ns_script_parts_copy (const NsScriptParts *parts);
void ns_script_parts_free (NsScriptParts *parts);

/* The same with a PyTorch script, DIR/experiment.py: see ns-torch-script.h. With a gain map there are
 * DIR/probes/site000.npy …, see ns_engine_foreach_probe(); with a training DIR/input, DIR/batches and DIR/trained, see
 * ns_engine_foreach_training_array(). */
gboolean ns_dump_write_script (NsEngine *engine, const NsExperiment *experiment, guint variant,
                               const NsScriptParts *parts, const char *directory, NsProgress *progress,
                               GError **error);

/* Check that ns_dump_write() may write to the folder. Call it before a long run. */
gboolean ns_dump_check_directory (const char *directory, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsScriptParts, ns_script_parts_free)

G_END_DECLS
