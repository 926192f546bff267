/* The table of measured quantities, and the sites where they exist.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quantities are the gradient norms of the parameter tensors (ns-tensor.h), their sums by sub-layer and block, and the
 * statistics of the residual stream.
 */
#pragma once

#include "engine/experiment/ns-parts.h"
#include "engine/experiment/ns-tensor.h"
#include "engine/ops/ns-kinds.h"

G_BEGIN_DECLS

#define NS_QUANTITY_ENUMERATOR(name, ...) NS_Q_##name,

/* NS_Q_W_Q … NS_Q_B_HEAD are the gradient norms ‖∂L/∂tensor‖_F, one for each tensor, in the order of NsTensor. */
typedef enum
{
  NS_TENSORS (NS_QUANTITY_ENUMERATOR)
  NS_Q_ATTN,                /* root of the summed squares of the attention sub-layer's tensors */
  NS_Q_CROSS,               /* the same for the cross-attention, in a decoder */
  NS_Q_FFN,
  NS_Q_BLOCK,
  NS_Q_GRAD_X,       /* ‖∂L/∂x_l‖_F */
  NS_Q_GRAD_Y_ATTN,  /* ‖∂L/∂y_attn‖_F, y the output of a sub-layer; that of the FFN is x_l */
  NS_Q_GRAD_Y_CROSS,
  NS_Q_GRAD_Z_ATTN,  /* ‖∂L/∂z_attn‖_F, z the sum before its norm; both sub-layers' in a parallel block */
  NS_Q_GRAD_Z_CROSS,
  NS_Q_GRAD_Z_FFN,
  NS_Q_IDENTITY,       /* ‖ι_l‖_F/‖∂L/∂x_L‖_F, ι_l the part of ∂L/∂x_l that runs through no branch */
  NS_Q_IDENTITY_SHARE, /* ⟨ι_l, ∂L/∂x_l⟩/‖∂L/∂x_l‖² */
  NS_Q_GRAD_COS,       /* cosine of ∂L/∂x_l and ∂L/∂x_L */
  NS_Q_GRAD_COS_PREV,  /* cosine of ∂L/∂x_l and ∂L/∂x_{l−1} */
  NS_Q_PATH_LENGTH,    /* mean number of branches on the paths of ∂L/∂x_l */
  NS_Q_GAIN,           /* ‖Jᵀ·v‖/‖v‖, v random at the last block's output and J its Jacobian by x_l */
  NS_Q_GRAD_SKIP_RATIO_ATTN, /* ‖b·J_Fᵀ·∂L/∂z‖/‖a·∂L/∂z‖ at a sub-layer z = a·x + b·F(x), norms before F included */
  NS_Q_GRAD_SKIP_RATIO_CROSS,
  NS_Q_GRAD_SKIP_RATIO_FFN,
  NS_Q_GRAD_SKIP_COS_ATTN, /* the cosine of these two */
  NS_Q_GRAD_SKIP_COS_CROSS,
  NS_Q_GRAD_SKIP_COS_FFN,
  NS_Q_RMS_X,        /* sqrt (mean (x_l²)) */
  NS_Q_ABS_X,        /* mean (|x_l|) */
  NS_Q_NORM_X,       /* ‖x_l‖ of one token, root mean square over the tokens */
  NS_Q_RMS_Y_ATTN,   /* of a sub-layer's output */
  NS_Q_RMS_Y_CROSS,
  NS_Q_RMS_Z_ATTN,   /* of a sub-layer's sum, which a norm after the addition reads */
  NS_Q_RMS_Z_CROSS,
  NS_Q_RMS_Z_FFN,
  NS_Q_RMS_ATTN,     /* of the branch's contribution, after branch_scale */
  NS_Q_RMS_CROSS,
  NS_Q_RMS_FFN,
  NS_Q_SKIP_RATIO_ATTN, /* ‖b·F(x)‖/‖a·x‖ */
  NS_Q_SKIP_RATIO_CROSS,
  NS_Q_SKIP_RATIO_FFN,
  NS_Q_SKIP_COS_ATTN, /* the cosine of these two */
  NS_Q_SKIP_COS_CROSS,
  NS_Q_SKIP_COS_FFN,
  NS_Q_COS_X_PREV,  /* cosine of x_l and x_{l−1} */
  NS_Q_COS_X_LAST,  /* cosine of x_l and x_L */
  NS_Q_SHARE_INPUT, /* ⟨what x_0 puts into x_L, x_L⟩/‖x_L‖² */
  NS_Q_SHARE_ATTN,  /* the same of a sub-layer */
  NS_Q_SHARE_CROSS,
  NS_Q_SHARE_FFN,
  NS_Q_TOKEN_COS,    /* mean cosine between two different tokens of one sequence at x_l */
  NS_Q_TOKEN_RESIDUAL,  /* ‖X − 1x̄ᵀ‖_F/‖X‖_F of the tokens X of a sequence at x_l, x̄ their mean */
  NS_Q_PARTICIPATION,   /* (tr G)²/‖G‖_F², G the Gram matrix of the tokens less their mean */
  NS_Q_ENTROPY,         /* entropy of the attention's weights over ln (visible tokens) */
  NS_Q_ENTROPY_CROSS,
  NS_Q_MAX_LOGIT,       /* largest visible logit of the attention, after its scale */
  NS_Q_MAX_LOGIT_CROSS,
  NS_Q_RMS_SCORES,      /* root mean square of the visible logits of the attention */
  NS_Q_RMS_SCORES_CROSS,
  NS_Q_ROUTER_ENTROPY,  /* entropy of the router's softmax over ln (experts), mean over the tokens */
  NS_Q_EXPERT_LOAD_MAX, /* share of the slots N·k of the expert that has most */
  NS_Q_EXPERT_LOAD_MIN,
  NS_Q_EXPERT_GRAD_MAX, /* root of the summed squares of W_1, W_2, W_3 of the expert where it is largest */
  NS_Q_EXPERT_GRAD_MIN,
  NS_Q_LOSS,         /* at the head only */
  NS_Q_RMS_LOGITS,   /* of the head, after their scale and before a cap */
  NS_Q_UPDATE_H_SGD,    /* rms (Δh)/η at the head's input by a small step of SGD */
  NS_Q_UPDATE_H_ADAM,   /* likewise of Adam's first step */
  NS_Q_UPDATE_H_SGD_W,  /* likewise of steps on the weight matrices alone */
  NS_Q_UPDATE_H_ADAM_W,
  NS_N_QUANTITIES
} NsQuantity;

/* The kind of a number: decides whether it has a logarithm, and which pass measures it. */
typedef enum
{
  NS_KIND_GRADIENT,   /* a norm: has a log10, cannot be negative; needs the backward pass */
  NS_KIND_ACTIVATION, /* likewise, from the forward pass */
  NS_KIND_COSINE,     /* -1..1, no log10 */
  NS_KIND_SHARE,      /* of a gradient, 1 being all of it: no log10; needs the backward pass */
  NS_KIND_CONTRIBUTION, /* share of the stream x_L, 1 being all of it: no log10; measured in the backward pass, too */
  NS_KIND_LENGTH,     /* of the paths of a gradient: no size and perhaps negative, no log10 */
  NS_KIND_NUMBER,     /* of the forward pass, no size and perhaps negative: no log10 */
  NS_KIND_LOSS,
} NsQuantityKind;

/* The object that a quantity is measured on. */
typedef enum
{
  NS_GROUP_TENSOR, /* the gradient of one parameter tensor */
  NS_GROUP_SUM,    /* the gradients of several tensors together */
  NS_GROUP_STREAM, /* the residual stream */
  NS_GROUP_BRANCH, /* what a branch adds to the stream */
  NS_GROUP_RELATION, /* one part of the stream or its gradient relative to another; NaN where that is 0 */
  NS_GROUP_HEAD,
} NsQuantityGroup;

/* The sites where some variant has the quantity. */
typedef enum
{
  NS_SITES_TENSOR,         /* sites of its tensor, see ns_tensor_exists() */
  NS_SITES_STREAM,         /* inputs and blocks */
  NS_SITES_INPUTS,
  NS_SITES_BLOCKS,
  NS_SITES_SEQUENTIAL_BLOCKS, /* blocks with an addition for each sub-layer */
  NS_SITES_DECODER_BLOCKS,
  NS_SITES_EXPERT_BLOCKS, /* blocks whose FFN has experts */
  NS_SITES_ATTN_RESIDUALS,  /* blocks with a residual at the attention; a parallel block has one, the attention's */
  NS_SITES_CROSS_RESIDUALS,
  NS_SITES_FFN_RESIDUALS,
  NS_SITES_HEAD,
  NS_SITES_OUTPUT, /* the head, with any loss */
} NsQuantitySites;

/* Flags: where a quantity appears without being named by the user. CSV, NumPy and JSON hold every quantity of an
 * ordinary run that exists. */
typedef enum
{
  NS_USE_TABLE = 1 << 0,  /* a column of the tables that `run` and the PyTorch script print */
  NS_USE_FLOW = 1 << 1,   /* the flow view's choosers: curves for gradients, bars for activations */
  NS_USE_SWEEP = 1 << 2,  /* the scaling view's chooser */
  NS_USE_SCRIPT = 1 << 3, /* the PyTorch script measures it, too, and compares */
} NsQuantityUse;

typedef struct
{
  const char *name;   /* "w_q", "grad_x": in files and on the command line */
  const char *symbol; /* plain text with Unicode: "‖∂L/∂W₂‖" */
  const char *markup; /* Pango markup: "‖∂L/∂W<sub>2</sub>‖" */
  const char *title;  /* in words: "Gradient at the block's output"; N_() marked */
  const char *help;   /* exact definition in one line; N_() marked */
  const char *unit;   /* N_() marked; NULL: a pure number */
  NsQuantityKind kind;
  NsQuantityGroup group;
  NsQuantitySites sites;
  gboolean own_passes; /* takes passes of its own, so it is measured only if it is asked for by name */
  gboolean of_tokens; /* compares the tokens of a sequence: exists only when there are several */
  guint uses; /* NsQuantityUse */
  guint rank; /* position in choosers, from 1; 0: at the end, in the order of the table */
} NsQuantityInfo;

/* Return the row of a quantity; static. */
const NsQuantityInfo *ns_quantity_info (NsQuantity quantity);
/* Return FALSE when there is no quantity of that name. */
gboolean ns_quantity_from_name (const char *name, NsQuantity *quantity);

/* Return TRUE for norms, which have a log10. */
gboolean ns_quantity_has_log10 (NsQuantity quantity);
/* Return TRUE for quantities that may be negative: without a log10, they are drawn on linear axes. */
gboolean ns_quantity_is_signed (NsQuantity quantity);
/* Return TRUE when a chooser of quantities of that kind offers the quantity: one of gradients also offers shares, one
 * of activations contributions and the other numbers of the forward pass. */
gboolean ns_quantity_is_offered (NsQuantity quantity, NsQuantityKind kind);
/* Return TRUE for a quantity that the backward pass of an ordinary run measures. */
gboolean ns_quantity_is_backward (NsQuantity quantity);
/* Return TRUE for gradient norms of one or several parameters, which have estimates over the minibatches
 * (NsGradientEstimate). */
gboolean ns_quantity_is_of_parameters (NsQuantity quantity);
/* Return the name of an estimate in files and on the command line: "norm", "mean" or "expected"; static. */
const char *ns_gradient_estimate_get_name (NsGradientEstimate estimate);
/* Return a description of the estimate of parameter gradients, "norm of the mean over 16 minibatches"; NULL for one
 * minibatch. Translated; caller frees. */
char *ns_sampling_dup_estimate (const NsSampling *sampling);
/* Return TRUE if the quantity is that of one stream with a residual: variants with several streams have none. */
gboolean ns_quantity_needs_one_stream (NsQuantity quantity);
/* Return TRUE for a quantity that an ordinary run leaves out, since it takes passes of its own. */
gboolean ns_quantity_takes_own_passes (NsQuantity quantity);
/* Return TRUE for the size of a step; *optimizer and *matrices_only (both or neither may
 * be NULL) say of which one. */
gboolean ns_quantity_is_of_step (NsQuantity quantity, NsOptimizer *optimizer, gboolean *matrices_only);
/* Return TRUE for a quantity of the head, which is one number for the whole stack. */
gboolean ns_quantity_is_of_head (NsQuantity quantity);
/* Return TRUE for a quantity that exists at the input of a part alone, one number for each part. */
gboolean ns_quantity_is_of_input (NsQuantity quantity);
/* Return TRUE for any other quantity. */
gboolean ns_quantity_is_of_blocks (NsQuantity quantity);

/* Return title, unit and help in the user's language, the help on a line of its own. Caller frees. */
char *ns_quantity_dup_tooltip (NsQuantity quantity);

/* Return the quantities (NsQuantity) with that use, by rank. Caller unrefs. */
GArray *ns_quantities_for_use (NsQuantityUse use);

/* Return the quantity ‖∂L/∂tensor‖_F of a tensor. */
NsQuantity ns_tensor_get_quantity (NsTensor tensor);
/* Get the tensor whose gradient a quantity measures. Return FALSE, and leave *tensor (nullable) alone, for any other
 * quantity. */
gboolean ns_quantity_get_tensor (NsQuantity quantity, NsTensor *tensor);
/* Return the name of a tensor in files and options, such as "w_q"; static. */
const char *ns_tensor_get_name (NsTensor tensor);

/* ---- sites ----
 *
 * A part (the stack; or the encoder, then the decoder) has L + 1 sites: layer 0 is its input (x_0, y_0), layers 1..L
 * are its blocks. The last site is the head, which holds the final norms, too. A single stack: 0..L, then L + 1. The
 * same of a shape alone is in ns-parts.h. */

/* Return the number of parts, 1 or 2. */
gint64 ns_experiment_get_n_parts (const NsExperiment *experiment);
gint64 ns_experiment_get_head_site (const NsExperiment *experiment);
/* Return the site of a block, or for layer 0 of the input, of a part. A part that the experiment lacks counts as its
 * last one. */
gint64 ns_experiment_get_site (const NsExperiment *experiment, NsPart part, gint64 layer);
/* Return the part of index 0 .. n_parts − 1, in the order of the sites. */
NsPart ns_experiment_get_part (const NsExperiment *experiment, gint64 index);
/* Return the part and the layer of a site other than the head. */
NsPart ns_site_get_part (const NsExperiment *experiment, gint64 site);
gint64 ns_site_get_layer (const NsExperiment *experiment, gint64 site);
/* Return L of the part that a site belongs to; the head counts as the last part's. */
gint64 ns_site_get_depth (const NsExperiment *experiment, gint64 site);
/* Return L of a part. A part that the experiment lacks counts as its last one. */
gint64 ns_experiment_get_depth (const NsExperiment *experiment, NsPart part);
/* Return the blocks of all parts. */
gint64 ns_experiment_count_blocks (const NsExperiment *experiment);
/* Return the name of a part in files and options: "stack", "encoder" or "decoder"; static. */
const char *ns_part_get_name (NsPart part);

/* Return TRUE when the variant has the quantity, or the tensor, at the site: w_3 only when gated, w_o only with an
 * output projection, cross_* only in a decoder, those of_tokens only when T > 1, grad_x and rms_x also at an input,
 * w_head and loss at the head. */
gboolean ns_quantity_exists (NsQuantity quantity, const NsExperiment *experiment, guint variant, gint64 site);
gboolean ns_tensor_exists (NsTensor tensor, const NsExperiment *experiment, guint variant, gint64 site);

G_END_DECLS
