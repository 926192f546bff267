/* The table of measured quantities, and the sites where they exist.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quantities are the gradient norms of the parameter tensors (ns-tensor.h), their sums by sub-layer and block, and the
 * statistics of the residual stream.
 */
#pragma once

#include "engine/experiment/ns-tensor.h"

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
  NS_Q_RMS_X,        /* sqrt (mean (x_l²)) */
  NS_Q_RMS_Y_ATTN,   /* of a sub-layer's output */
  NS_Q_RMS_Y_CROSS,
  NS_Q_RMS_ATTN,     /* of the branch's contribution, after branch_scale */
  NS_Q_RMS_CROSS,
  NS_Q_RMS_FFN,
  NS_Q_TOKEN_COS,    /* mean cosine between two different tokens of one sequence at x_l */
  NS_Q_LOSS,         /* at the head only */
  NS_N_QUANTITIES
} NsQuantity;

/* The kind of a number: decides whether it has a logarithm, and which pass measures it. */
typedef enum
{
  NS_KIND_GRADIENT,   /* a norm: has a log10, cannot be negative; needs the backward pass */
  NS_KIND_ACTIVATION, /* likewise, from the forward pass */
  NS_KIND_COSINE,     /* -1..1, no log10 */
  NS_KIND_LOSS,
} NsQuantityKind;

/* The object that a quantity is measured on. */
typedef enum
{
  NS_GROUP_TENSOR, /* the gradient of one parameter tensor */
  NS_GROUP_SUM,    /* the gradients of several tensors together */
  NS_GROUP_STREAM, /* the residual stream */
  NS_GROUP_BRANCH, /* what a branch adds to the stream */
  NS_GROUP_HEAD,
} NsQuantityGroup;

/* The sites where some variant has the quantity. */
typedef enum
{
  NS_SITES_TENSOR,         /* sites of its tensor, see ns_tensor_exists() */
  NS_SITES_STREAM,         /* inputs and blocks */
  NS_SITES_BLOCKS,
  NS_SITES_SEQUENTIAL_BLOCKS, /* blocks with an addition for each sub-layer */
  NS_SITES_DECODER_BLOCKS,
  NS_SITES_HEAD,
} NsQuantitySites;

/* Flags: where a quantity appears without being named by the user. CSV, NumPy and JSON hold every quantity that
 * exists. */
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
  guint uses; /* NsQuantityUse */
  guint rank; /* position in choosers, from 1; 0: at the end, in the order of the table */
} NsQuantityInfo;

/* Return the row of a quantity; static. */
const NsQuantityInfo *ns_quantity_info (NsQuantity quantity);
/* Return FALSE when there is no quantity of that name. */
gboolean ns_quantity_from_name (const char *name, NsQuantity *quantity);

/* Return TRUE for norms, which have a log10. */
gboolean ns_quantity_has_log10 (NsQuantity quantity);
/* Return TRUE for gradient norms of one or several parameters, which have estimates over the minibatches
 * (NsGradientEstimate). */
gboolean ns_quantity_is_of_parameters (NsQuantity quantity);
/* Return the name of an estimate in files and on the command line: "norm", "mean" or "expected"; static. */
const char *ns_gradient_estimate_get_name (NsGradientEstimate estimate);
/* Return a description of the estimate of parameter gradients, "norm of the mean over 16 minibatches"; NULL for one
 * minibatch. Translated; caller frees. */
char *ns_sampling_dup_estimate (const NsSampling *sampling);
/* Return TRUE for a quantity of the head, which is one number for the whole stack. */
gboolean ns_quantity_is_of_head (NsQuantity quantity);

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
 * are its blocks. The last site is the head, which holds the final norms, too. A single stack: 0..L, then L + 1. */

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
/* Return the name of a part in files and options: "stack", "encoder" or "decoder"; static. */
const char *ns_part_get_name (NsPart part);

/* Return TRUE when the variant has the quantity, or the tensor, at the site: w_3 only when gated, w_o only with an
 * output projection, cross_* only in a decoder, token_cos only when T > 1, grad_x and rms_x also at an input, w_head
 * and loss at the head. */
gboolean ns_quantity_exists (NsQuantity quantity, const NsExperiment *experiment, guint variant, gint64 site);
gboolean ns_tensor_exists (NsTensor tensor, const NsExperiment *experiment, guint variant, gint64 site);

G_END_DECLS
