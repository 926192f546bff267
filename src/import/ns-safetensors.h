/* Read tensors in the safetensors format, in which models are published.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file is the size of the header (8 bytes, little-endian), the header (JSON) and the data. The header maps the name
 * of each tensor to its dtype, its shape and the offsets of its first byte and of the byte after its last one, within
 * the data; "__metadata__" maps strings to strings. Tensors are row-major and little-endian, cover the data without
 * holes and do not overlap. Source: the description of the format and the Rust code of huggingface/safetensors.
 *
 * Files are untrusted: everything is checked when a file is opened, so that reading a tensor cannot fail. A file that
 * others change meanwhile gives other numbers; ns_held_file_check() tells.
 * Threads: any.
 */
#pragma once

#include "document/ns-file.h"
#include "document/ns-held-file.h"
#include "import/ns-stored-tensor.h"

G_BEGIN_DECLS

/* The largest header that the format allows, in bytes. */
#define NS_SAFETENSORS_MAX_HEADER ((guint64) 100 * 1000 * 1000)

typedef struct _NsSafetensors NsSafetensors;

/* Open a file, which is then read piece by piece as its tensors are used, or take one that is open; `name` is its name
 * in messages. Return NULL and an NS_DOCUMENT_ERROR_INPUT with file, tensor, value and what is allowed if the file is
 * not of this format, damaged or hostile; for a file of Python pickles the message says how to convert it. Caller owns
 * the file. */
NsSafetensors *ns_safetensors_open (const char *path, GError **error);
NsSafetensors *ns_safetensors_new (NsHeldFile *held, const char *name, GError **error);
void ns_safetensors_free (NsSafetensors *file);

/* Return the number of tensors, and tensor i in the order of their data; both borrowed. */
guint ns_safetensors_get_n (const NsSafetensors *file);
const NsStoredTensor *ns_safetensors_get (const NsSafetensors *file, guint i);
/* Return a tensor by its name, or NULL. */
const NsStoredTensor *ns_safetensors_find (const NsSafetensors *file, const char *name);
/* Return the file that holds them. Borrowed. */
NsHeldFile *ns_safetensors_get_held (const NsSafetensors *file);
/* Return the header as text, without its padding: it names everything in the file but the numbers. Borrowed. */
GBytes *ns_safetensors_get_header (const NsSafetensors *file);
/* Return the size of the whole file in bytes. */
guint64 ns_safetensors_get_size (const NsSafetensors *file);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsSafetensors, ns_safetensors_free)

G_END_DECLS
