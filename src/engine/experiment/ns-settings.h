/* The settings of an experiment: a shared shape, data and seeds, plus a list of variants that differ only in wiring
 * and initialization.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plain structs. ns-params.h declares the key, range and default of each field. Threads: an experiment belongs to one
 * thread; a job gets a copy.
 */
#pragma once

#include "engine/ops/ns-kinds.h"

#include <glib.h>

G_BEGIN_DECLS

/* The weights of a variant that come from a file (ns-weight-source.h). */
struct _NsWeightSource;

#define NS_MAX_VARIANTS 16
/* Maximum sizes of data.text and of a variant's name. A name made of all its settings has about 900 bytes. */
#define NS_MAX_TEXT_BYTES (6u * 1024u * 1024u)
#define NS_MAX_NAME_BYTES 4096u

typedef enum { NS_STACK_SINGLE, NS_STACK_ENCODER_DECODER } NsStack;
typedef enum { NS_SOURCE_GAUSSIAN, NS_SOURCE_TOKENS, NS_SOURCE_TEXT, NS_SOURCE_MARKOV } NsSource;
/* The tokens of a text are its bytes. */
#define NS_TEXT_VOCAB 256
typedef enum { NS_TASK_CONTINUATION, NS_TASK_REVERSAL } NsTask;
typedef enum { NS_POSITIONS_NONE, NS_POSITIONS_SINUSOIDAL, NS_POSITIONS_LEARNED } NsPositions;
typedef enum { NS_CLASS_TOKEN_NONE, NS_CLASS_TOKEN_ZERO, NS_CLASS_TOKEN_NORMAL } NsClassToken;
typedef enum { NS_SCHEDULE_CONSTANT, NS_SCHEDULE_COSINE, NS_SCHEDULE_LINEAR, NS_SCHEDULE_INVERSE_SQRT } NsSchedule;
typedef enum { NS_LOSS_CROSS_ENTROPY, NS_LOSS_UNIT_GRADIENT } NsLoss;
typedef enum { NS_TOPOLOGY_SEQUENTIAL, NS_TOPOLOGY_PARALLEL, NS_TOPOLOGY_PARALLEL_TWO_NORMS } NsTopology;
/* The sub-layers of every block. */
typedef enum { NS_SUB_LAYERS_BOTH, NS_SUB_LAYERS_ATTENTION, NS_SUB_LAYERS_FFN } NsSubLayers;
typedef enum { NS_ATTENTION_FULL, NS_ATTENTION_CAUSAL, NS_ATTENTION_UNIFORM } NsAttention;
typedef enum
{
  NS_QK_NORM_NONE,
  NS_QK_NORM_FULL,
  NS_QK_NORM_HEAD,
  NS_QK_NORM_QKV_HEAD,
  NS_QK_NORM_COSINE,
  NS_QK_NORM_HEAD_ROTARY
} NsQkNorm;
typedef enum { NS_ROTARY_NONE, NS_ROTARY_HALF, NS_ROTARY_INTERLEAVED } NsRotaryPairs;
typedef enum
{
  NS_POSITION_BIAS_NONE,
  NS_POSITION_BIAS_ALIBI,
  NS_POSITION_BIAS_ALIBI_SCALED,
  NS_POSITION_BIAS_T5
} NsPositionBias;
typedef enum
{
  NS_EXPERT_WEIGHTS_NORMALIZED,
  NS_EXPERT_WEIGHTS_SOFTMAX,
  NS_EXPERT_WEIGHTS_SIGMOID_INPUT
} NsExpertWeights;
typedef enum { NS_STREAM_WEIGHTS_STATIC, NS_STREAM_WEIGHTS_DYNAMIC, NS_STREAM_WEIGHTS_MANIFOLD } NsStreamWeights;
typedef enum { NS_BRANCH_PARAMETER_NONE, NS_BRANCH_PARAMETER_SCALAR, NS_BRANCH_PARAMETER_VECTOR } NsBranchParameter;
typedef enum
{
  NS_PLACE_NONE,
  NS_PLACE_PRE,
  NS_PLACE_POST,
  NS_PLACE_SANDWICH,
  NS_PLACE_BRANCH,
  NS_PLACE_PRE_POST,
  NS_PLACE_BRANCH_POST, /* of nGPT; no choice of a parameter */
} NsPlacement;
typedef enum { NS_NORM_SCALE_NONE, NS_NORM_SCALE_LAYERNORM_SCALING } NsNormScale;
typedef enum { NS_FINAL_NORM_AUTO, NS_FINAL_NORM_ON, NS_FINAL_NORM_OFF } NsFinalNorm;
typedef enum
{
  NS_INIT_XAVIER_NORMAL,
  NS_INIT_XAVIER_UNIFORM,
  NS_INIT_LECUN_NORMAL,
  NS_INIT_KAIMING_NORMAL,
  NS_INIT_NORMAL,
  NS_INIT_SMALL,
  NS_INIT_MITCHELL,
  NS_INIT_T5,
  NS_INIT_FAIRSEQ,
} NsInitScheme;

/* Estimates of the gradient norm of a parameter from several minibatches (docs/MODEL.md, "Minibatches"). */
typedef enum
{
  NS_ESTIMATE_NORM,     /* the mean of the norms of the minibatches */
  NS_ESTIMATE_MEAN,     /* the norm of the mean gradient */
  NS_ESTIMATE_EXPECTED, /* the norm of the expected gradient; its square is unbiased */
  NS_N_ESTIMATES
} NsGradientEstimate;

/* The sub-layers of a block; only a decoder's blocks have cross-attention. */
typedef enum { NS_SUB_ATTN, NS_SUB_FFN, NS_SUB_CROSS, NS_N_SUBS } NsSub;

/* The stack that a block belongs to: the single stack, or the encoder or decoder. */
typedef enum { NS_PART_STACK, NS_PART_ENCODER, NS_PART_DECODER } NsPart;

/* A number (rule 0), or a named rule r > 0 that computes it: choice r − 1 of the parameter. */
typedef struct
{
  int rule;
  double number;
} NsScale;

/* The rules of each parameter of type NsScale, in the order of its choices. */
enum { NS_EMBED_SCALE_SQRT_D_MODEL = 1 };
enum { NS_INPUT_SCALE_T_FIXUP = 1 };
enum { NS_ATTENTION_SCALE_SQRT_D_HEAD = 1 };
enum
{
  NS_RESIDUAL_SCALE_DEEPNORM = 1,
  NS_RESIDUAL_SCALE_ADMIN,
  NS_RESIDUAL_SCALE_ADMIN_CONSTANT,
  NS_RESIDUAL_SCALE_KEEL
};
enum { NS_LOGIT_SCALE_INVERSE_SQRT_D_MODEL = 1 };
enum { NS_BRANCH_SCALE_INVERSE_SQRT_DEPTH = 1 };
enum
{
  NS_INIT_RESIDUAL_NONE = 1,
  NS_INIT_RESIDUAL_GPT2,
  NS_INIT_RESIDUAL_DEEPNORM,
  NS_INIT_RESIDUAL_WANG,
  NS_INIT_RESIDUAL_SUB_LN,
  NS_INIT_RESIDUAL_T_FIXUP,
  NS_INIT_RESIDUAL_DS_INIT,
  NS_INIT_RESIDUAL_FIXUP,
};
enum { NS_INIT_HEAD_SCHEME = 1, NS_INIT_HEAD_LECUN, NS_INIT_HEAD_TIED };

/* The value of a choice or boolean that is null. A null integer is 0, or this value if it may be 0. */
#define NS_NULL_CHOICE (-1)

typedef struct
{
  int stack; /* NsStack */
  gint64 depth, d_model, heads, d_ff, seq_len, batch, vocab;
  gint64 kv_heads; /* 0 is null: as many as heads */
  gint64 d_head;   /* 0 is null: d_model/heads */
  gint64 decoder_depth; /* 0 is null: depth. Of an encoder-decoder only */
  gint64 encoder_vocab; /* 0 is null: vocab and the decoder's embedding. Of an encoder-decoder only */
  gint64 patch_features; /* 0 is null: a Gaussian input has d_model features */
} NsShape;

typedef struct
{
  int source; /* NsSource */
  double embed_std;
  NsScale embed_scale;
  int positions;      /* NsPositions */
  gint64 token_types; /* segments of a sequence; 0: no token types */
  int class_token;    /* NsClassToken */
  gboolean class_token_loss; /* of the class token alone */
  double markov_temperature;
  int task;           /* NsTask */
  char *text;         /* UTF-8, owned, or NULL */
  GBytes *ids;        /* a reference, or NULL: gint32 each, the tokens instead of random ones. No parameter, and not in
                         experiment files */
} NsData;

typedef struct
{
  gint64 seed;  /* draw s of 0 .. seeds − 1 uses seed + s */
  gint64 seeds;
  gint64 batches; /* minibatches of shape.batch sequences for each draw of the weights */
  int estimate;   /* NsGradientEstimate */
} NsSampling;

/* How the weights are trained. Nothing of it changes a pass at initialization (ns_experiment_has_same_pass()). */
typedef struct
{
  gint64 steps;
  int optimizer; /* NsOptimizer */
  double learning_rate;
  double momentum, beta1, beta2, epsilon, weight_decay;
  double clip;   /* the largest global norm of the gradient; NAN is null: no limit */
  gint64 warmup; /* steps */
  int schedule;  /* NsSchedule, after the warm-up */
  gboolean embeddings; /* train token embeddings, learned positions, token types and class token */
} NsTrainingSettings;

/* A variant's own values of keys of NsTrainingSettings; read them with ns_variant_get_training(). */
typedef struct
{
  int optimizer;        /* NS_NULL_CHOICE: as the experiment's */
  double learning_rate; /* NAN: as the experiment's */
  gint64 warmup;        /* NS_NULL_CHOICE: as the experiment's */
  int schedule;         /* NS_NULL_CHOICE: as the experiment's */
} NsVariantTraining;

/* The wiring of one sub-layer. */
typedef struct
{
  int norm;            /* NsPlacement */
  gboolean residual;
  gboolean inner_norm; /* before the branch's last matrix */
} NsWiring;

/* The groups of maps and norms that have biases; read them with ns_variant_has_bias(). */
typedef struct
{
  int qkv, output, ffn, norms, head; /* a gboolean, or NS_NULL_CHOICE: as the variant's `bias` */
  int k;                             /* of keys alone; NS_NULL_CHOICE: as `qkv` */
} NsBiases;

/* Rotary positions of self-attention; the angles come from ns_variant_get_rotary_rule(). */
typedef struct
{
  int pairs;       /* NsRotaryPairs */
  double base;
  gint64 dim;      /* 0 is null: the whole head */
  int scaling;     /* NsRotaryScaling */
  double factor;
  gint64 original; /* tokens */
  double low;
  double high;     /* NAN is null: the rule's own */
  double attention_factor; /* of YaRN and LongRoPE; NAN is null: the rule's own */
  gboolean truncate;       /* of YaRN: whole pairs at the ends of its ramp */
  char *short_factors;    /* of LongRoPE, a number for each pair; NULL: 1. Up to `original` tokens, and beyond */
  char *long_factors;
  double base_local; /* of blocks with a window; NAN is null: they have the rule of all */
  gint64 skip_every; /* every how many blocks one has none; 0 is null: all have them */
} NsRotarySettings;

/* Hyper-Connections: several residual streams and learned matrices that mix them. */
typedef struct
{
  gint64 streams; /* 0 is null: one stream, with a residual, and the rest has no effect */
  int weights;    /* NsStreamWeights */
} NsHyperSettings;

/* The window of self-attention; ns_variant_get_window() says which blocks have it. */
typedef struct
{
  gint64 size;       /* tokens; 0 is null: none */
  gint64 full_every; /* 0 is null: no block has full attention for its number */
  gint64 after;      /* 0 is null: from the first block on */
} NsWindowSettings;

/* The experts that replace the FFN (docs/MODEL.md, "A block"). */
typedef struct
{
  gint64 count;     /* E; 0 is null: a plain FFN, and the rest has no effect */
  gint64 per_token; /* k */
  int weights;      /* NsExpertWeights */
  gint64 shared;    /* width of the shared expert, over that of one expert; 0 is null: none */
  gboolean shared_gate; /* weight it by the sigmoid of one number for each token */
} NsExperts;

typedef struct
{
  int scheme; /* NsInitScheme */
  double std;
  NsScale residual;
  NsScale head; /* a number: the deviation of W_head */
  double truncate; /* of normal weights, in standard deviations; NAN is null: not truncated */
  gint64 mup_base; /* width at which μP equals the standard scaling; 0 is null: standard at any width */
} NsInit;

typedef struct
{
  char *name; /* owned, never NULL or empty, unique within the experiment */
  int norm;   /* NsNormKind */
  double norm_eps;
  double dyt_alpha;
  double branch_norm_gain;
  int sublayers; /* NsSubLayers */
  int topology;  /* NsTopology */
  int attention; /* NsAttention */
  gboolean attention_output;
  int activation; /* NsActivation */
  NsExperts experts;
  gboolean bias;
  NsBiases biases;
  NsWiring attn, ffn;
  NsWiring cross; /* NS_NULL_CHOICE in a field: the value of attn's field */
  int qk_norm;    /* NsQkNorm */
  NsScale attention_scale;
  NsRotarySettings rotary;
  int position_bias;    /* NsPositionBias */
  NsWindowSettings window;
  double score_cap;     /* NAN is null: the scores have no soft cap */
  NsScale logit_scale;
  double logit_cap;     /* NAN is null: the logits have none */
  gint64 position_buckets, position_distance; /* of T5's biases */
  double post_fraction; /* NAN is null: attn.norm and ffn.norm hold in every block */
  gboolean first_block_pre;
  int norm_scale;       /* NsNormScale */
  NsScale residual_scale;
  NsScale branch_scale;
  int branch_parameter; /* NsBranchParameter */
  gboolean block_residual, dual_residual;
  NsHyperSettings hyper;
  gboolean ngpt;        /* vectors and matrices of length 1 (docs/MODEL.md, "nGPT") */
  NsScale input_scale;
  gboolean input_norm;
  int final_norm; /* NsFinalNorm */
  gboolean head_transform; /* a dense layer, the activation and a norm before W_head */
  NsInit init;
  NsVariantTraining training;
  struct _NsWeightSource *source; /* a reference, or NULL: the weights are drawn. No parameter; files do not hold it */
} NsVariant;

typedef struct
{
  NsShape shape;
  NsData data;
  int loss; /* NsLoss */
  NsSampling sampling;
  NsTrainingSettings training;
  GPtrArray *variants; /* NsVariant, owned; 1 .. NS_MAX_VARIANTS of them */
} NsExperiment;

/* Return variant v, owned by the experiment. */
static inline NsVariant *
ns_experiment_variant (const NsExperiment *experiment, guint v)
{
  return (NsVariant *) g_ptr_array_index (experiment->variants, v);
}

G_END_DECLS
