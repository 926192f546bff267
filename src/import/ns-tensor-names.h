/* The names that each model family gives its tensors, and how they are laid out in its files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One table for each family of ns-config-families.h, as Hugging Face's Transformers names the tensors.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/experiment/ns-weight-source.h"

G_BEGIN_DECLS

/* Which rows of the stored matrix [out, in], or elements of a bias, belong to a tensor. A is the width of all queries,
 * K that of all keys, D that of a head. */
typedef enum
{
  NS_PIECE_WHOLE,
  NS_PIECE_QKV_Q,   /* of q, k and v one below the other, A + K + K rows */
  NS_PIECE_QKV_K,
  NS_PIECE_QKV_V,
  NS_PIECE_HEADS_Q, /* for each head of keys: the queries that share it, it, and its values; 3·D rows with H of them */
  NS_PIECE_HEADS_K,
  NS_PIECE_HEADS_V,
  NS_PIECE_GATE,    /* of gate and up, F rows each */
  NS_PIECE_UP,
} NsPiece;

/* In place of a part: every part, or the single stack. */
#define NS_NAME_ANY_PART (-1)
/* In place of a tensor: a table of the input. */
#define NS_NAME_TABLE(table) ((int) NS_N_TENSORS + (int) (table))

/* One tensor. */
typedef struct
{
  const char *name; /* "layers.*.fc1.weight|…": alternatives; * is the block's number from 0, # the
                     * expert's */
  int target;       /* an NsTensor, or NS_NAME_TABLE() */
  int part;         /* an NsPart, or NS_NAME_ANY_PART */
  NsPiece piece;
} NsTensorName;

/* Where positions come from that the family does not learn. The features of the program's own sinusoidal positions
 * alternate sine and cosine; these families have all sines first. */
typedef enum
{
  NS_POSITION_ROWS,     /* of a table in the file */
  NS_POSITION_SINES,    /* sin (t/10000^(2i/d)), then cos */
  NS_POSITION_FAIRSEQ,  /* sin (t·10000^(−i/(d/2 − 1))), then cos */
} NsPositionKind;

#define NS_NAMES_MAX_GROUPS 8

typedef struct
{
  const char *model_type;
  const char *prefixes;         /* "model.|": of the names, which may also stand without */
  const NsTensorName *groups[NS_NAMES_MAX_GROUPS]; /* each ended by a row without a name */
  const char *accepted;         /* patterns of tensors that change nothing: buffers, copies of a tied matrix */
  const char *left_out;         /* patterns of weights that an experiment cannot express */
  const char *unused;           /* patterns of weights of heads that this model does not have; NULL: none */
  gboolean conv1d;              /* matrices of blocks are stored as [in, out] */
  gboolean one_more;            /* gains are 1 + w */
  gboolean always_tied;         /* the head is the embedding, whatever the config says */
  NsPositionKind positions;
  guint first_position;         /* the row of token 0 */
} NsTensorNames;

/* Return the table of a model_type; NULL: the family has none. */
const NsTensorNames *ns_tensor_names_find (const char *model_type);
/* Return the row of a tensor or a table in a part, or NULL. */
const NsTensorName *ns_tensor_names_get (const NsTensorNames *names, int target, NsPart part);
/* Return TRUE if a name matches one of the patterns, which are separated by bars. */
gboolean ns_tensor_names_match (const char *patterns, const char *name);

G_END_DECLS
