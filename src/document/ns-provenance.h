/* What made a figure or a table: the experiment, its seeds, the program, the BLAS and the precision.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the experiment has passed the self-check (ns-verification.h), an export can state that, too: a PNG in an iTXt
 * chunk ("normscope:verified"), an SVG in an element of that name, a PDF after its creator, a CSV in one more comment
 * line ("verified"), a JSON result in the key "verified".
 *
 * Every export carries it: a PNG in iTXt chunks ("Software", "normscope:experiment"), an SVG in <metadata>
 * (normscope:software, normscope:experiment), a PDF in its document information, a CSV in comment lines, a JSON
 * result in its keys. Pictures are read back with bounds and checks, since they come from anywhere.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-result.h"

G_BEGIN_DECLS

#define NS_PRECISION_NAME "float32"

/* "Normscope 0.1.0 (OpenBLAS Cooperlake, float32)": for NsExportMetadata's `software`. Caller frees. */
char *ns_provenance_dup_software (void);

/* The experiment with the seeds that are in the result, so that running it gives these numbers. Caller owns it. */
NsExperiment *ns_provenance_dup_experiment (const NsResult *result);

/* Comment lines for the head of a table, each "# key: value" and a line feed. Caller frees. */
char *ns_provenance_dup_comment (const NsResult *result);
/* The same for an experiment of which every seed was run. Caller frees. */
char *ns_provenance_dup_comment_of (const NsExperiment *experiment);

/* Whether the bytes begin as a PNG or as XML do. */
gboolean ns_provenance_is_picture (GBytes *bytes);

/* The text of the experiment in a PNG or SVG, not yet read as one. NULL and an NS_DOCUMENT_ERROR_INPUT that names the
 * file when it is broken, carries no experiment, or more than one. Caller owns the bytes. */
GBytes *ns_provenance_read (GBytes *picture, const char *name, GError **error);

G_END_DECLS
