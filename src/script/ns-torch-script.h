/* An experiment as a readable PyTorch script that needs only torch and contains the expected numbers.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The script reads the arrays of a dump in its folder, runs the same forward and backward pass in float64, prints the
 * table and the largest relative difference to the expected numbers; its exit status is 1 if that exceeds 1e-3. With
 * --own-weights it draws weights and input itself and prints only the table. The numbers can include maps of
 * engine/run/ns-paths.h, which the script computes by autograd, too, and the first steps of a training, which it takes
 * with torch.optim.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/run/ns-paths.h"
#include "engine/train/ns-training-arrays.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* The script's file name. */
#define NS_TORCH_SCRIPT_NAME "experiment.py"

/* What a script compares besides the result, of the same experiment. */
typedef struct
{
  const GPtrArray *paths;          /* NsPaths, each of another kind, contributions to all blocks; NULL: none */
  const NsTrainingStart *training; /* NULL: none */
} NsTorchScriptMore;

/* Write the script for a result of one variant and one seed. UTF-8; caller owns the bytes. */
GBytes *ns_torch_script_new (const NsResult *result, const NsTorchScriptMore *more);

G_END_DECLS
