/* Parts of a NumPy array of records, which its writers share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The records are bytes in a GString, since a GByteArray is limited to 4 GiB.
 */
#pragma once

#include <glib.h>

/* The last fields of a record: of one seed, and of the statistics over the seeds. */
#define NS_NPY_FIELDS_OF_A_SEED "('seed', '<i8'), ('value', '<f8'), ('log10_value', '<f8')"
#define NS_NPY_FIELDS_OF_STATISTICS                                                                                  \
  "('mean', '<f8'), ('std', '<f8'), ('geometric_mean', '<f8'), ('sd_factor', '<f8'), ('log10_mean', '<f8'), "       \
  "('seeds', '<i4')"

/* Characters of the text fields: the longest part and kind. */
#define NS_NPY_PART_CHARS 13
#define NS_NPY_KIND_CHARS 10

void ns_npy_append_int32 (GString *rows, gint64 value);
void ns_npy_append_int64 (GString *rows, gint64 value);
void ns_npy_append_double (GString *rows, double value);
/* Append a '<U' field: UCS-4, padded with zeros. */
void ns_npy_append_text (GString *rows, const char *text, guint chars);
/* Return the file of n records, and free the rows. Caller owns the bytes. */
GBytes *ns_npy_finish (GString *rows, const char *descr, gint64 n);
