/* Parameter tensors, each declared once with what it is and where it belongs.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One list, NS_TENSORS, makes the enumeration NsTensor (NS_T_W_Q), the quantity of its gradient norm (NS_Q_W_Q, in
 * ns-quantity.h) and its descriptor. Matrices are row-major [in, out], y = x·W + b.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* For a tensor outside the sub-layers: at the input, at the end of a part, at the head. */
#define NS_SUB_NONE NS_N_SUBS

typedef enum
{
  NS_ROLE_MATRIX,
  NS_ROLE_LINEAR_BIAS, /* b of y = x·W + b */
  NS_ROLE_GAIN,        /* γ of a norm */
  NS_ROLE_NORM_BIAS,   /* β of a norm */
  NS_ROLE_ALPHA,       /* α of a DyT */
  NS_ROLE_SCALE,       /* learned branch scale */
  NS_ROLE_MIX,         /* weights that mix residual streams */
  NS_ROLE_FACTOR,      /* learned factors of the features behind a matrix, of nGPT */
  NS_ROLE_TABLE,       /* rows that are looked up */
} NsTensorRole;

/* The operation within a sub-layer, or at an end of a part, that a tensor belongs to. */
typedef enum
{
  NS_SLOT_NONE,                                                  /* the branch as a whole: its scale */
  NS_SLOT_Q, NS_SLOT_K, NS_SLOT_V, NS_SLOT_O,                    /* projections of attention, and norms of q, k, v */
  NS_SLOT_1, NS_SLOT_2, NS_SLOT_3,                               /* matrices of the FFN, or of all its experts */
  NS_SLOT_ROUTER, NS_SLOT_SHARED_1, NS_SLOT_SHARED_2, NS_SLOT_SHARED_3, NS_SLOT_SHARED_GATE, /* beside the experts */
  NS_SLOT_PRE, NS_SLOT_BRANCH, NS_SLOT_POST, NS_SLOT_INNER,      /* norms of a sub-layer */
  NS_SLOT_INPUT, NS_SLOT_ENCODER_FINAL, NS_SLOT_FINAL,           /* norms at the ends of a part */
  NS_SLOT_SCORES,                                                /* scores of all blocks of a part */
  NS_SLOT_MIX_IN, NS_SLOT_MIX_STREAMS, NS_SLOT_MIX_OUT,          /* A_m, A_r and B of Hyper-Connections */
  NS_SLOT_MIX_IN_W, NS_SLOT_MIX_STREAMS_W, NS_SLOT_MIX_OUT_W,    /* the maps from the token to what it adds to them */
  NS_SLOT_MIX_SCALE,                                             /* the scales of that */
  NS_SLOT_PATCH,                                                 /* the projection of an image's patches */
  NS_SLOT_HEAD_DENSE, NS_SLOT_HEAD,                              /* dense layer and norm of the head transform */
} NsTensorSlot;

/* The places of norms: X (place, sub-layer, slot). Each has a gain, a bias and an alpha in NS_TENSORS. */
#define NS_NORM_PLACES(X)                \
  X (ATTN_PRE, ATTN, PRE)                \
  X (ATTN_BRANCH, ATTN, BRANCH)          \
  X (ATTN_POST, ATTN, POST)              \
  X (ATTN_INNER, ATTN, INNER)            \
  X (ATTN_Q, ATTN, Q)                    \
  X (ATTN_K, ATTN, K)                    \
  X (ATTN_V, ATTN, V)                    \
  X (CROSS_PRE, CROSS, PRE)              \
  X (CROSS_BRANCH, CROSS, BRANCH)        \
  X (CROSS_POST, CROSS, POST)            \
  X (CROSS_INNER, CROSS, INNER)          \
  X (CROSS_Q, CROSS, Q)                  \
  X (CROSS_K, CROSS, K)                  \
  X (CROSS_V, CROSS, V)                  \
  X (FFN_PRE, FFN, PRE)                  \
  X (FFN_BRANCH, FFN, BRANCH)            \
  X (FFN_POST, FFN, POST)                \
  X (FFN_INNER, FFN, INNER)              \
  X (INPUT, NONE, INPUT)                 \
  X (ENCODER_FINAL, NONE, ENCODER_FINAL) \
  X (FINAL, NONE, FINAL)                 \
  X (HEAD_DENSE, NONE, HEAD_DENSE)

/* All tensors: X (name, role, sub-layer, slot). The order is that of the rows in files. */
#define NS_TENSORS(X)                                    \
  X (W_Q, MATRIX, ATTN, Q)                               \
  X (W_K, MATRIX, ATTN, K)                               \
  X (W_V, MATRIX, ATTN, V)                               \
  X (W_O, MATRIX, ATTN, O)                               \
  X (W_1, MATRIX, FFN, 1)                                \
  X (W_2, MATRIX, FFN, 2)                                \
  X (W_3, MATRIX, FFN, 3)                                \
  X (ROUTER, MATRIX, FFN, ROUTER)                        \
  X (SHARED_W_1, MATRIX, FFN, SHARED_1)                  \
  X (SHARED_W_2, MATRIX, FFN, SHARED_2)                  \
  X (SHARED_W_3, MATRIX, FFN, SHARED_3)                  \
  X (SHARED_GATE, MATRIX, FFN, SHARED_GATE)              \
  X (CROSS_W_Q, MATRIX, CROSS, Q)                        \
  X (CROSS_W_K, MATRIX, CROSS, K)                        \
  X (CROSS_W_V, MATRIX, CROSS, V)                        \
  X (CROSS_W_O, MATRIX, CROSS, O)                        \
  X (B_Q, LINEAR_BIAS, ATTN, Q)                          \
  X (B_K, LINEAR_BIAS, ATTN, K)                          \
  X (B_V, LINEAR_BIAS, ATTN, V)                          \
  X (B_O, LINEAR_BIAS, ATTN, O)                          \
  X (B_1, LINEAR_BIAS, FFN, 1)                           \
  X (B_2, LINEAR_BIAS, FFN, 2)                           \
  X (B_3, LINEAR_BIAS, FFN, 3)                           \
  X (CROSS_B_Q, LINEAR_BIAS, CROSS, Q)                   \
  X (CROSS_B_K, LINEAR_BIAS, CROSS, K)                   \
  X (CROSS_B_V, LINEAR_BIAS, CROSS, V)                   \
  X (CROSS_B_O, LINEAR_BIAS, CROSS, O)                   \
  X (GAIN_ATTN_PRE, GAIN, ATTN, PRE)                     \
  X (GAIN_ATTN_BRANCH, GAIN, ATTN, BRANCH)               \
  X (GAIN_ATTN_POST, GAIN, ATTN, POST)                   \
  X (GAIN_ATTN_INNER, GAIN, ATTN, INNER)                 \
  X (GAIN_ATTN_Q, GAIN, ATTN, Q)                         \
  X (GAIN_ATTN_K, GAIN, ATTN, K)                         \
  X (GAIN_ATTN_V, GAIN, ATTN, V)                         \
  X (GAIN_CROSS_PRE, GAIN, CROSS, PRE)                   \
  X (GAIN_CROSS_BRANCH, GAIN, CROSS, BRANCH)             \
  X (GAIN_CROSS_POST, GAIN, CROSS, POST)                 \
  X (GAIN_CROSS_INNER, GAIN, CROSS, INNER)               \
  X (GAIN_CROSS_Q, GAIN, CROSS, Q)                       \
  X (GAIN_CROSS_K, GAIN, CROSS, K)                       \
  X (GAIN_CROSS_V, GAIN, CROSS, V)                       \
  X (GAIN_FFN_PRE, GAIN, FFN, PRE)                       \
  X (GAIN_FFN_BRANCH, GAIN, FFN, BRANCH)                 \
  X (GAIN_FFN_POST, GAIN, FFN, POST)                     \
  X (GAIN_FFN_INNER, GAIN, FFN, INNER)                   \
  X (GAIN_INPUT, GAIN, NONE, INPUT)                      \
  X (GAIN_ENCODER_FINAL, GAIN, NONE, ENCODER_FINAL)      \
  X (GAIN_FINAL, GAIN, NONE, FINAL)                      \
  X (GAIN_HEAD_DENSE, GAIN, NONE, HEAD_DENSE)            \
  X (BIAS_ATTN_PRE, NORM_BIAS, ATTN, PRE)                \
  X (BIAS_ATTN_BRANCH, NORM_BIAS, ATTN, BRANCH)          \
  X (BIAS_ATTN_POST, NORM_BIAS, ATTN, POST)              \
  X (BIAS_ATTN_INNER, NORM_BIAS, ATTN, INNER)            \
  X (BIAS_ATTN_Q, NORM_BIAS, ATTN, Q)                    \
  X (BIAS_ATTN_K, NORM_BIAS, ATTN, K)                    \
  X (BIAS_ATTN_V, NORM_BIAS, ATTN, V)                    \
  X (BIAS_CROSS_PRE, NORM_BIAS, CROSS, PRE)              \
  X (BIAS_CROSS_BRANCH, NORM_BIAS, CROSS, BRANCH)        \
  X (BIAS_CROSS_POST, NORM_BIAS, CROSS, POST)            \
  X (BIAS_CROSS_INNER, NORM_BIAS, CROSS, INNER)          \
  X (BIAS_CROSS_Q, NORM_BIAS, CROSS, Q)                  \
  X (BIAS_CROSS_K, NORM_BIAS, CROSS, K)                  \
  X (BIAS_CROSS_V, NORM_BIAS, CROSS, V)                  \
  X (BIAS_FFN_PRE, NORM_BIAS, FFN, PRE)                  \
  X (BIAS_FFN_BRANCH, NORM_BIAS, FFN, BRANCH)            \
  X (BIAS_FFN_POST, NORM_BIAS, FFN, POST)                \
  X (BIAS_FFN_INNER, NORM_BIAS, FFN, INNER)              \
  X (BIAS_INPUT, NORM_BIAS, NONE, INPUT)                 \
  X (BIAS_ENCODER_FINAL, NORM_BIAS, NONE, ENCODER_FINAL) \
  X (BIAS_FINAL, NORM_BIAS, NONE, FINAL)                 \
  X (BIAS_HEAD_DENSE, NORM_BIAS, NONE, HEAD_DENSE)       \
  X (ALPHA_ATTN_PRE, ALPHA, ATTN, PRE)                   \
  X (ALPHA_ATTN_BRANCH, ALPHA, ATTN, BRANCH)             \
  X (ALPHA_ATTN_POST, ALPHA, ATTN, POST)                 \
  X (ALPHA_ATTN_INNER, ALPHA, ATTN, INNER)               \
  X (ALPHA_ATTN_Q, ALPHA, ATTN, Q)                       \
  X (ALPHA_ATTN_K, ALPHA, ATTN, K)                       \
  X (ALPHA_ATTN_V, ALPHA, ATTN, V)                       \
  X (ALPHA_CROSS_PRE, ALPHA, CROSS, PRE)                 \
  X (ALPHA_CROSS_BRANCH, ALPHA, CROSS, BRANCH)           \
  X (ALPHA_CROSS_POST, ALPHA, CROSS, POST)               \
  X (ALPHA_CROSS_INNER, ALPHA, CROSS, INNER)             \
  X (ALPHA_CROSS_Q, ALPHA, CROSS, Q)                     \
  X (ALPHA_CROSS_K, ALPHA, CROSS, K)                     \
  X (ALPHA_CROSS_V, ALPHA, CROSS, V)                     \
  X (ALPHA_FFN_PRE, ALPHA, FFN, PRE)                     \
  X (ALPHA_FFN_BRANCH, ALPHA, FFN, BRANCH)               \
  X (ALPHA_FFN_POST, ALPHA, FFN, POST)                   \
  X (ALPHA_FFN_INNER, ALPHA, FFN, INNER)                 \
  X (ALPHA_INPUT, ALPHA, NONE, INPUT)                    \
  X (ALPHA_ENCODER_FINAL, ALPHA, NONE, ENCODER_FINAL)    \
  X (ALPHA_FINAL, ALPHA, NONE, FINAL)                    \
  X (ALPHA_HEAD_DENSE, ALPHA, NONE, HEAD_DENSE)          \
  X (SCALE_ATTN, SCALE, ATTN, NONE)                      \
  X (SCALE_CROSS, SCALE, CROSS, NONE)                    \
  X (SCALE_FFN, SCALE, FFN, NONE)                        \
  X (MIX_IN_ATTN, MIX, ATTN, MIX_IN)                     \
  X (MIX_STREAMS_ATTN, MIX, ATTN, MIX_STREAMS)           \
  X (MIX_OUT_ATTN, MIX, ATTN, MIX_OUT)                   \
  X (MIX_IN_W_ATTN, MIX, ATTN, MIX_IN_W)                 \
  X (MIX_STREAMS_W_ATTN, MIX, ATTN, MIX_STREAMS_W)       \
  X (MIX_OUT_W_ATTN, MIX, ATTN, MIX_OUT_W)               \
  X (MIX_SCALE_ATTN, MIX, ATTN, MIX_SCALE)               \
  X (MIX_IN_FFN, MIX, FFN, MIX_IN)                       \
  X (MIX_STREAMS_FFN, MIX, FFN, MIX_STREAMS)             \
  X (MIX_OUT_FFN, MIX, FFN, MIX_OUT)                     \
  X (MIX_IN_W_FFN, MIX, FFN, MIX_IN_W)                   \
  X (MIX_STREAMS_W_FFN, MIX, FFN, MIX_STREAMS_W)         \
  X (MIX_OUT_W_FFN, MIX, FFN, MIX_OUT_W)                 \
  X (MIX_SCALE_FFN, MIX, FFN, MIX_SCALE)                 \
  X (S_QK, FACTOR, ATTN, Q)                              \
  X (S_U, FACTOR, FFN, 3)                                \
  X (S_V, FACTOR, FFN, 1)                                \
  X (RELATIVE_BIAS, TABLE, NONE, SCORES)                 \
  X (W_PATCH, MATRIX, NONE, PATCH)                       \
  X (B_PATCH, LINEAR_BIAS, NONE, PATCH)                  \
  X (W_HEAD_DENSE, MATRIX, NONE, HEAD_DENSE)             \
  X (B_HEAD_DENSE, LINEAR_BIAS, NONE, HEAD_DENSE)        \
  X (W_HEAD, MATRIX, NONE, HEAD)                         \
  X (B_HEAD, LINEAR_BIAS, NONE, HEAD)                    \
  X (S_Z, FACTOR, NONE, HEAD)

#define NS_NORM_ENUMERATOR(place, ...)  NS_NORM_##place,
#define NS_TENSOR_ENUMERATOR(name, ...) NS_T_##name,

typedef enum
{
  NS_NORM_PLACES (NS_NORM_ENUMERATOR)
  NS_N_NORMS
} NsNormPlace;

typedef enum
{
  NS_TENSORS (NS_TENSOR_ENUMERATOR)
  NS_N_TENSORS
} NsTensor;

typedef struct
{
  NsTensorRole role;
  NsSub sub; /* or NS_SUB_NONE */
  NsTensorSlot slot;
} NsTensorInfo;

typedef struct
{
  NsSub sub; /* or NS_SUB_NONE */
  NsTensorSlot slot;
  NsTensor gain, bias, alpha;
} NsNormInfo;

/* Return the descriptor of a tensor or a norm; static. */
const NsTensorInfo *ns_tensor_info (NsTensor tensor);
const NsNormInfo *ns_norm_info (NsNormPlace norm);

gboolean ns_tensor_is_matrix (NsTensor tensor);
/* Return TRUE for W_Q and W_K, which uniform attention sets to 0. */
gboolean ns_tensor_is_query_or_key (NsTensor tensor);
/* Return TRUE for the matrices of the FFN, of which a variant with experts has one for each expert. */
gboolean ns_tensor_is_of_ffn (NsTensor tensor);
/* Return TRUE for the router and what belongs to the shared expert, which only a variant with experts has. */
gboolean ns_tensor_is_beside_experts (NsTensor tensor);
/* Return TRUE for what the weights of streams have only where they depend on the token: the maps, and the scales. */
gboolean ns_tensor_is_of_token_mix (NsTensor tensor);
/* Return TRUE for the maps among these, which are matrices from 0 and no ns_tensor_is_matrix(). */
gboolean ns_tensor_is_token_map (NsTensor tensor);
/* Return TRUE for the matrices [d_model, out], which read vectors of the stream. */
gboolean ns_tensor_reads_stream (NsTensor tensor);
/* Return the bias b of the linear map y = x·W + b; NS_N_TENSORS if such a map never has one. */
NsTensor ns_matrix_get_bias (NsTensor matrix);

/* Get the shape rows × columns of a tensor, of one expert if there are several. A vector has one row; a scalar has one
 * row and one column. variant NULL: the largest shape that any variant can have; the tensors beside experts need the
 * variant. */
void ns_tensor_get_shape (NsTensor tensor, const NsShape *shape, const NsVariant *variant, gint64 *rows,
                          gint64 *columns);
/* Return how many matrices of that shape the tensor has, one below the other: a variant's experts, else 1. */
gint64 ns_tensor_get_count (NsTensor tensor, const NsVariant *variant);

G_END_DECLS
