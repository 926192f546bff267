/* How a result is stored, shared by the files that fill and read it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/run/ns-result.h"

#include <stdatomic.h>

G_BEGIN_DECLS

/* In place of the site of an overflow: the seed has no numbers. */
#define NS_RESULT_MISSING (-1)

typedef struct
{
  double value, log10_value;
} NsResultNumber;

/* The numbers of a variant: a row of `row_length` for each seed. In a row, the numbers of a quantity are contiguous,
 * from site `first_site` on, followed by those of its other estimates. */
typedef struct
{
  gsize row_length;
  gsize start[NS_N_QUANTITIES];
  gint64 first_site[NS_N_QUANTITIES];
  gint64 n_sites[NS_N_QUANTITIES]; /* 0: the variant does not have the quantity */
  NsResultNumber *numbers;
  guint8 *is_set;   /* of a partial result, as the numbers: TRUE once it is set; NULL: all count */
  gint64 *overflow; /* [n_seeds], a site, 0 or NS_RESULT_MISSING */
} NsResultTable;

struct _NsResult
{
  /* changed by any thread that holds a reference; everything else is constant once the result is published */
  atomic_uint ref_count;
  NsExperiment *experiment;
  NsQuantitySet quantities;
  guint first_seed, n_seeds;
  double elapsed_ms;
  guint threads;
  guint n_tables; /* one for each variant */
  NsResultTable *tables;
};

/* Return how many estimates of the quantity a result of the experiment has. */
guint ns_result_count_estimates (const NsExperiment *experiment, NsQuantity quantity);
/* Return the index of a number in the table; it exists. */
gsize ns_result_table_get_index (const NsResultTable *table, NsQuantity quantity, guint estimate, gint64 site,
                                 guint seed);

G_END_DECLS
