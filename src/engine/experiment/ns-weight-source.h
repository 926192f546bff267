/* The weights of a variant that are read instead of drawn: those of a trained model in a file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine reads no files. It asks a source for a panel of a matrix whenever it would draw one, so a model takes no
 * more memory than random weights that are drawn again. Values are true values, without the factor std. Everything is
 * checked before there is a source: its functions cannot fail. Others may change its file meanwhile, so the engine asks
 * after each job if the file is still the one that was opened.
 *
 * Threads: the engine calls the functions from any number of threads at once. References are counted atomically.
 */
#pragma once

#include "engine/experiment/ns-parts.h"
#include "engine/experiment/ns-tensor.h"
#include "engine/ops/ns-real.h"

G_BEGIN_DECLS

/* The tables of the input, which are no tensors of a block: token embedding E, that of an encoder with a table of its
 * own, positions P, token types S. */
typedef enum
{
  NS_TABLE_EMBEDDING,
  NS_TABLE_ENCODER_EMBEDDING,
  NS_TABLE_POSITION,
  NS_TABLE_TOKEN_TYPE,
  NS_N_TABLES
} NsTable;

/* In place of a table: the class token, one row. */
#define NS_TABLE_CLASS_TOKEN NS_N_TABLES

/* Return the table in which a part looks up its tokens. */
static inline NsTable
ns_shape_get_embedding (const NsShape *shape, NsPart part)
{
  return part == NS_PART_ENCODER && ns_shape_has_encoder_vocab (shape) ? NS_TABLE_ENCODER_EMBEDDING
                                                                       : NS_TABLE_EMBEDDING;
}

/* A tensor in a part of the model. layer is 1 .. L for a block, 0 for the input and for the head; expert is 0 .. E − 1
 * where each expert has a matrix of its own, else 0. */
typedef struct
{
  NsTensor tensor;
  NsPart part;
  gint64 layer;
  gsize expert;
} NsWeightPlace;

typedef struct _NsWeightSource NsWeightSource;
struct _NsWeightSource
{
  /* Return FALSE if the file has no matrix W [in, out] at this place, so that it cannot be filled. *transposed: it
   * is stored as Wᵀ [out, in]. */
  gboolean (*has) (const NsWeightSource *source, NsWeightPlace place, gboolean *transposed);
  /* Put a panel of a stored matrix into out [rows, columns]. */
  void (*fill) (const NsWeightSource *source, NsWeightPlace place, gsize first_row, gsize rows, gsize first_column,
                gsize columns, ns_real *out);
  /* Return a gain, a bias or another vector in the shape of ns_tensor_get_shape(), borrowed; NULL: the initial value. A
   * bias of the head counts even if the variant has none: the model then adds it, but does not learn it. */
  const ns_real *(*vector) (const NsWeightSource *source, NsWeightPlace place);
  /* Put a row of a table of the input into out [d_model], without embed_scale. FALSE: it is computed or drawn. */
  gboolean (*row) (const NsWeightSource *source, guint table, NsPart part, gsize row, float *out);
  /* Return FALSE with an error that names the file unless it is still as it was when it was opened; NULL: it is. */
  gboolean (*check) (const NsWeightSource *source, GError **error);
  void (*free) (NsWeightSource *source);

  /* provenance */
  char *name;       /* of the file, without its folder */
  guint64 bytes;
  char *checksum;   /* "sha256: …" */
  gsize n_tensors;  /* in the file */
  NsShape shape;    /* that the weights are for; batch and seq_len do not count */
  NsExperts experts; /* likewise */
  gint64 max_tokens; /* the longest sequence that has positions */
  int references;
};

static inline NsWeightSource *
ns_weight_source_ref (NsWeightSource *source)
{
  if (source != NULL)
    g_atomic_int_inc (&source->references);
  return source;
}

static inline void
ns_weight_source_unref (NsWeightSource *source)
{
  if (source != NULL && g_atomic_int_dec_and_test (&source->references))
    source->free (source);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsWeightSource, ns_weight_source_unref)

G_END_DECLS
