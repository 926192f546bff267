/* The files of a checkpoint: one safetensors file, or several with an index, as model hubs lay them out.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any.
 */
#pragma once

#include "import/ns-safetensors.h"

G_BEGIN_DECLS

typedef struct _NsModelFiles NsModelFiles;

/* Open a safetensors file, the shards of an index (*.index.json), or what a folder holds of the two: model.safetensors,
 * else model.safetensors.index.json. Shards are in the folder of their index. Return NULL and an
 * NS_DOCUMENT_ERROR_INPUT if a file is missing, not readable or does not fit the index. Caller owns them. */
NsModelFiles *ns_model_files_open (const char *path, GError **error);
/* Return the path of the file or the index that a folder holds, or NULL and the same errors. Caller frees. */
char *ns_model_files_dup_path (const char *folder, GError **error);
void ns_model_files_free (NsModelFiles *files);

/* Return a tensor, or NULL; borrowed. */
const NsStoredTensor *ns_model_files_find (const NsModelFiles *files, const char *name);
/* Return the tensor that has one of the alternatives in `names` ("layers.*.fc1.weight|…"), after one of the `prefixes`
 * ("model.|decoder.") or none; * is layer − 1. Norms' gamma and beta of older files count as weight and bias. If there
 * is none, return NULL and in *missing the first name; caller frees. */
const NsStoredTensor *ns_model_files_find_any (const NsModelFiles *files, const char *prefixes, const char *names,
                                               gint64 layer, char **missing);
/* Call func for the name of each tensor, in the order of files and data. */
void ns_model_files_foreach (const NsModelFiles *files, GFunc func, gpointer data);

/* Return the name of the file or the index, without its folder; the bytes and the tensors of all files. */
const char *ns_model_files_get_name (const NsModelFiles *files);
guint64 ns_model_files_get_bytes (const NsModelFiles *files);
guint ns_model_files_count_tensors (const NsModelFiles *files);
/* Return "sha256 HEX": of one file of up to NS_MODEL_FILES_MAX_HASHED bytes, as hubs publish it. Return "sha256 of the
 * header HEX" of a larger one and "sha256 of the headers HEX" of shards, in the order of their names. Caller frees. */
#define NS_MODEL_FILES_MAX_HASHED ((guint64) 1 << 30)
char *ns_model_files_dup_checksum (const NsModelFiles *files);
/* Return FALSE with an NS_DOCUMENT_ERROR_INPUT that names the file that is not as it was when it was opened. */
gboolean ns_model_files_check (const NsModelFiles *files, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsModelFiles, ns_model_files_free)

G_END_DECLS
