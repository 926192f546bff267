/* The parameters of one variant, laid out one after the other in flat arrays.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values, gradient and each moment of an optimizer are arrays of the same layout: first what is trained, matrices and
 * tables before vectors, then what is frozen. So an optimizer runs over two ranges, with weight decay and without.
 * Parameters begin at multiples of 16 elements; the elements between them stay 0.
 *
 * Threads: immutable after ns_parameters_init().
 */
#pragma once

#include "engine/experiment/ns-weight-source.h"
#include "engine/pass/ns-pass-data.h"

typedef struct
{
  NsTensor tensor; /* NS_N_TENSORS: a table */
  NsTable table;
  gint64 site;
  gsize rows, columns;
  gsize offset; /* of its first element in the arrays */
  double rate;  /* factor on the learning rate, its inverse on the weight decay */
} NsParameter;

typedef struct
{
  NsParameter *list; /* in the order of the sites */
  guint n;
  guint *start;      /* [sites + 1] the first of each site in the list */
  gsize decayed;     /* elements with weight decay, the first ones of the arrays */
  gsize trained;     /* elements that are trained */
  gsize size;        /* elements of all */
  int tables[NS_N_TABLES]; /* in the list; -1: none */
  int tied_head;           /* the parameter of a tied head; -1: none */
  gint64 head;             /* the site of the head */
} NsParameters;

/* List the parameters of the plan's variant. `tables`: train the tables, too. */
void ns_parameters_init (NsParameters *parameters, const NsPlan *plan, gboolean tables);
/* Set the factors on the learning rates for an optimizer: 1, or those of μP (Yang et al. 2022, table 3). With m the
 * ratio of the widths:
 *
 *                          SGD   Adam, AdamW
 *   matrices of blocks      1        1/m
 *   head                   1/m       1/m
 *   tables, vectors         m         1
 *   those that do not grow  1         1      the head's bias, relative position biases, single numbers
 *
 * Divided by the same factor, weight decay times learning rate stays what it is, as in the mup package. */
void ns_parameters_set_rates (NsParameters *parameters, const NsPlan *plan, NsOptimizer optimizer);
void ns_parameters_clear (NsParameters *parameters);
/* Return the elements of all parameters without listing them; *trained: those that are trained. */
guint64 ns_parameters_count (const NsPlan *plan, gboolean tables, guint64 *trained);
/* Return the length of the list without making it. */
guint ns_parameters_count_list (const NsPlan *plan);
/* Set the initial values [size], those of an ordinary pass with this seed: drawn, or read from the variant's file.
 * FALSE when the job was cancelled. */
gboolean ns_parameters_start (const NsParameters *parameters, const NsPass *pass, ns_real *values,
                              NsProgress *progress);

/* Return the parameter of a tensor in the block at a site, that of a tied head being the embedding; NULL: none. */
const NsParameter *ns_parameters_find (const NsParameters *parameters, NsTensor tensor, gint64 site);
/* Return a table; NULL: none. */
const NsParameter *ns_parameters_get_table (const NsParameters *parameters, NsTable table);
/* Return TRUE if the parameter is trained. */
gboolean ns_parameters_is_trained (const NsParameters *parameters, const NsParameter *parameter);
/* Return "block001/w_q" or "input/embedding"; caller frees. */
char *ns_parameter_dup_name (const NsParameter *parameter, const NsPlan *plan);
