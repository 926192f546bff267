/* Provenance of exports: the experiment, its seeds, the program, the BLAS and the precision.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every export contains it: a PNG in iTXt chunks ("Software", "normscope:experiment"), an SVG in <metadata>
 * (normscope:software, normscope:experiment), a PDF in its document information, a CSV in comment lines, a JSON
 * result in its keys. Pictures are untrusted input: reading checks their structure and limits sizes.
 *
 * If the experiment has passed the self-check (ns-verification.h), an export can state that: a PNG in an iTXt chunk
 * ("normscope:verified"), an SVG in an element of that name, a PDF after its creator, a CSV in a comment line
 * ("verified"), a JSON result in the key "verified".
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "document/ns-json-writer.h"
#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-result.h"

G_BEGIN_DECLS

/* A compressed chunk of a PNG may expand to this much, and to this many times its size. A text shrinks to a third, so
 * every experiment remains readable, and a small picture cannot cost much memory. */
#define NS_PROVENANCE_INFLATE_BYTES ((gsize) 1024 * 1024)
#define NS_PROVENANCE_INFLATE_FACTOR 16

#define NS_PRECISION_NAME "float32"

/* Return "Normscope 0.1.0 (OpenBLAS Cooperlake, float32)" for NsExportMetadata's `software`. Caller frees. */
char *ns_provenance_dup_software (void);

/* Return the experiment with only the seeds of the result, so running it reproduces the result. Caller owns it. */
NsExperiment *ns_provenance_dup_experiment (const NsResult *result);

/* Return comment lines for the head of a table, each "# key: value" and a line feed. Caller frees. */
char *ns_provenance_dup_comment (const NsResult *result);
/* The same for an experiment with all its seeds. Caller frees. */
char *ns_provenance_dup_experiment_comment (const NsExperiment *experiment);
/* Write the first keys of a JSON file of numbers: format, version, experiment, generator, blas, precision. */
void ns_provenance_write (NsJsonWriter *writer, const char *format, gint64 version, const NsExperiment *experiment);

/* Return TRUE if the bytes begin like a PNG or an XML document. */
gboolean ns_provenance_is_picture (GBytes *bytes);

/* Return the experiment's text, unparsed, from a PNG or SVG. Return NULL and an NS_DOCUMENT_ERROR_INPUT with the file's
 * name if the picture is malformed or contains no experiment or more than one. Caller owns the bytes. */
GBytes *ns_provenance_read (GBytes *picture, const char *name, GError **error);

G_END_DECLS
