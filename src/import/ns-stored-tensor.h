/* A tensor in a file: its name, type and shape, and its numbers as floats.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-held-file.h"

G_BEGIN_DECLS

/* The most dimensions that we read. */
#define NS_STORED_MAX_DIMS 8

typedef struct
{
  char *name;
  const char *dtype;  /* "BF16", static */
  guint n_dims;
  guint64 dims[NS_STORED_MAX_DIMS];
  guint64 elements;   /* the product of dims; 1 without any */
  guint64 begin, end; /* bytes within the data */
  NsHeldFile *held;   /* the file, borrowed */
  guint64 place;      /* of the first byte in the file */
} NsStoredTensor;

/* Return the static name of a dtype of the format, and the bytes of an element; NULL if there is no such dtype. */
const char *ns_dtype_find (const char *name, guint *bytes);
/* Return the names of all dtypes, "F32, F16, …". Caller frees. */
char *ns_dtype_dup_list (void);

/* Return TRUE if the numbers can be read: F32, F16, BF16. */
gboolean ns_stored_tensor_is_readable (const NsStoredTensor *tensor);
/* Read n elements from element `first` on, into out, every `step`-th of it. The tensor must be readable. Denormals,
 * infinities and NaN keep their value. */
void ns_stored_tensor_read (const NsStoredTensor *tensor, guint64 first, gsize n, float *out, gsize step);
/* Return "[768, 2304]". Caller frees. */
char *ns_stored_tensor_dup_shape (const NsStoredTensor *tensor);

G_END_DECLS
