/* The parameter table: each key of an experiment, declared once.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-params.h"

#include "engine/experiment/ns-param-choices.h"
#include "engine/experiment/ns-text.h"
#include "engine/ops/ns-kinds.h"
#include "engine/ops/ns-markov.h"
#include "engine/ops/ns-random.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* The largest integer that every JSON reader represents exactly, 2^53 − 1. */
#define MAX_SAFE_INTEGER 9007199254740991.0

#define SHARED(section_, key_, field_)                                                                               \
  .section = NS_SECTION_##section_, .key = (key_), .offset = G_STRUCT_OFFSET (NsExperiment, field_)
#define VARIANT(key_, field_)                                                                                        \
  .section = NS_SECTION_VARIANT, .key = (key_), .offset = G_STRUCT_OFFSET (NsVariant, field_)
#define INTEGER(min_, max_, ui_min_, ui_max_)                                                                        \
  .type = NS_TYPE_INTEGER, .min = (min_), .max = (max_), .ui_min = (ui_min_), .ui_max = (ui_max_), .step = 1
#define NUMBER(min_, max_, ui_min_, ui_max_, step_)                                                                  \
  .type = NS_TYPE_NUMBER, .min = (min_), .max = (max_), .ui_min = (ui_min_), .ui_max = (ui_max_), .step = (step_)
#define SCALE(choices_, min_, max_, ui_min_, ui_max_, step_)                                                         \
  .type = NS_TYPE_SCALE, .choices = (choices_), .min = (min_), .max = (max_), .ui_min = (ui_min_),                   \
  .ui_max = (ui_max_), .step = (step_)
#define CHOICE(choices_)                                                                                             \
  .type = NS_TYPE_CHOICE, .choices = (choices_), .min = 0, .max = G_N_ELEMENTS (choices_) - 2, .ui_min = 0,          \
  .ui_max = G_N_ELEMENTS (choices_) - 2, .step = 1
#define BOOLEAN .type = NS_TYPE_BOOLEAN, .min = 0, .max = 1, .ui_min = 0, .ui_max = 1, .step = 1
#define STRING(max_bytes) .type = NS_TYPE_STRING, .max = (max_bytes)
/* Numbers that divide angles; null is 1 for each. */
#define FACTORS .type = NS_TYPE_LIST, .min = 1e-6, .max = 1e6, .nullable = TRUE, .implied = TRUE
/* Biases of one group of maps; null means the value of another key. */
#define BIASES(key_, field_, null_label_)                                                                            \
  VARIANT (key_, biases.field_), BOOLEAN, .nullable = TRUE, .null_label = (null_label_), .implied = TRUE,            \
                                          .fallback = NS_NULL_CHOICE
/* A variant's own value of a key of training; null means the experiment's. */
#define OWN(key_, field_)                                                                                            \
  VARIANT (key_, training.field_), .nullable = TRUE, .null_label = N_ ("As all variants"), .implied = TRUE
/* A soft cap; null is none. */
#define CAP NUMBER (1e-6, 1e6, 1, 100, 1), .nullable = TRUE, .implied = TRUE, .fallback = NAN
#define STEPS(min_, ui_max_) INTEGER (min_, 1e9, min_, ui_max_)
#define RATE NUMBER (0, 1e6, 0, 0.1, 1e-4)

static const NsParam param_table[] = {
  { SHARED (SHAPE, "stack", shape.stack), CHOICE (stacks), .fallback = NS_STACK_SINGLE, .label = N_ ("Stack"),
    .help = N_ ("A single stack of blocks, or an encoder and a decoder") },
  { SHARED (SHAPE, "depth", shape.depth), INTEGER (1, 65536, 1, 1024), .logarithmic = TRUE, .fallback = 24,
    .unit = N_ ("blocks"), .label = N_ ("Depth"),
    .count_one = N_ ("1 block"), .count = N_ ("%s blocks"),
    .help = N_ ("Number of transformer blocks, L") },
  { SHARED (SHAPE, "decoder_depth", shape.decoder_depth), INTEGER (1, 65536, 1, 1024), .logarithmic = TRUE,
    .nullable = TRUE, .implied = TRUE, .null_label = N_ ("Same as encoder"), .unit = N_ ("blocks"),
    .label = N_ ("Decoder depth"),
    .count_one = N_ ("1 block in the decoder"), .count = N_ ("%s blocks in the decoder"),
    .help = N_ ("Number of the decoder's blocks in an encoder-decoder; by default as many as the encoder has") },
  { SHARED (SHAPE, "d_model", shape.d_model), INTEGER (1, 65536, 8, 2048), .logarithmic = TRUE, .fallback = 128,
    .unit = N_ ("features"), .label = N_ ("Model width"),
    .help = N_ ("Features of each token in the residual stream, d") },
  { SHARED (SHAPE, "heads", shape.heads), INTEGER (1, 4096, 1, 64), .fallback = 4, .unit = N_ ("heads"),
    .label = N_ ("Attention heads"),
    .count_one = N_ ("1 head"), .count = N_ ("%s heads"),
    .help = N_ ("Number of attention heads, h; must divide the model width unless the head width is set") },
  { SHARED (SHAPE, "d_ff", shape.d_ff), INTEGER (1, 1048576, 8, 8192), .logarithmic = TRUE, .fallback = 512,
    .unit = N_ ("features"), .label = N_ ("FFN width"),
    .help = N_ ("Hidden features of the feed-forward network, f; with a gated activation the width of each half") },
  { SHARED (SHAPE, "seq_len", shape.seq_len), INTEGER (1, 65536, 1, 1024), .logarithmic = TRUE, .fallback = 32,
    .unit = N_ ("tokens"), .label = N_ ("Sequence length"),
    .count_one = N_ ("1 token in a sequence"), .count = N_ ("%s tokens in a sequence"),
    .help = N_ ("Tokens in each sequence, T") },
  { SHARED (SHAPE, "batch", shape.batch), INTEGER (1, 65536, 1, 64), .logarithmic = TRUE, .fallback = 2,
    .unit = N_ ("sequences"), .label = N_ ("Batch size"),
    .count_one = N_ ("1 sequence"), .count = N_ ("%s sequences"), .help = N_ ("Sequences in the batch, B") },
  { SHARED (SHAPE, "vocab", shape.vocab), INTEGER (2, 1048576, 2, 65536), .logarithmic = TRUE, .fallback = 256,
    .unit = N_ ("tokens"), .label = N_ ("Vocabulary"),
    .help = N_ ("Number of different tokens, V: the rows of the embedding and the classes of the head") },
  { SHARED (SHAPE, "encoder_vocab", shape.encoder_vocab), INTEGER (2, 1048576, 2, 65536), .logarithmic = TRUE,
    .nullable = TRUE, .implied = TRUE, .null_label = N_ ("Same as decoder"), .unit = N_ ("tokens"),
    .label = N_ ("Encoder vocabulary"),
    .help = N_ ("Number of different tokens of an encoder with an embedding of its own, as in a translation between "
                "two languages; by default it shares the decoder's") },

  { SHARED (SHAPE, "kv_heads", shape.kv_heads), INTEGER (1, 4096, 1, 64),
    .nullable = TRUE, .null_label = N_ ("Same as heads"), .unit = N_ ("heads"),
    .label = N_ ("Key and value heads"),
    .count_one = N_ ("1 key and value head"), .count = N_ ("%s key and value heads"),
    .help = N_ ("Number of key and value heads, each shared by a group of query heads (grouped-query attention); by "
                "default one for each query head") },
  { SHARED (SHAPE, "d_head", shape.d_head), INTEGER (1, 65536, 1, 256),
    .nullable = TRUE, .null_label = N_ ("d_model / heads"), .unit = N_ ("features"),
    .label = N_ ("Head width"),
    .help = N_ ("Features of one attention head; by default the model width divided by the number of heads") },

  { SHARED (SHAPE, "patch_features", shape.patch_features), INTEGER (1, 65536, 1, 4096), .logarithmic = TRUE,
    .nullable = TRUE, .implied = TRUE, .null_label = N_ ("No patches"), .null_start = 768, .unit = N_ ("pixels"),
    .label = N_ ("Patch pixels"),
    .help = N_ ("Numbers of a patch of an image, rows times columns times colours (768 in ViT-B/16): the Gaussian "
                "input is patches of such pixels, which a matrix maps to the model width; by default it has that "
                "width") },
  { SHARED (DATA, "source", data.source), CHOICE (sources), .fallback = NS_SOURCE_GAUSSIAN, .label = N_ ("Input"),
    .help = N_ ("Source of the input: Gaussian vectors, random tokens, the bytes of a text, or a Markov chain") },
  { SHARED (DATA, "embed_std", data.embed_std), NUMBER (0, 1e6, 0, 4, 0.01), .fallback = 1,
    .label = N_ ("Embedding deviation"),
    .help = N_ ("Standard deviation of the token embeddings, learned positions, token types and class token") },
  { SHARED (DATA, "embed_scale", data.embed_scale), SCALE (embed_scales, 0, 1e6, 0, 64, 0.1), .fallback = 1,
    .label = N_ ("Embedding scale"),
    .help = N_ ("Factor on the token embeddings, or on the patches of an image, before positions are added; "
                "sqrt-d-model is the square root of the model width") },
  { SHARED (DATA, "positions", data.positions), CHOICE (positions), .fallback = NS_POSITIONS_NONE,
    .label = N_ ("Positions"), .help = N_ ("Position vectors added to the token embeddings") },
  { SHARED (DATA, "token_types", data.token_types), INTEGER (0, 65536, 0, 8), .fallback = 0,
    .unit = N_ ("segments"), .label = N_ ("Token types"),
    .help = N_ ("Segments of each sequence of tokens; the tokens of a segment share one more vector (BERT: 1 for a "
                "sentence, 2 for a pair); 0 for none") },
  { SHARED (DATA, "class_token", data.class_token), CHOICE (class_tokens), .fallback = NS_CLASS_TOKEN_NONE,
    .label = N_ ("Class token"),
    .help = N_ ("Vector in front of the Gaussian patches of an image (ViT), 0 or normal at the start; scale and "
                "positions of the embedding then apply to Gaussian input, too") },
  { SHARED (DATA, "class_token_loss", data.class_token_loss), BOOLEAN, .fallback = FALSE,
    .label = N_ ("Class token predicts alone"),
    .help = N_ ("Loss of the class token's prediction alone, as in ViT, instead of the mean over all tokens; without a "
                "class token it has no effect") },
  { SHARED (DATA, "markov_temperature", data.markov_temperature),
    NUMBER (NS_MARKOV_MIN_TEMPERATURE, 100, NS_MARKOV_MIN_TEMPERATURE, 4, 0.05), .fallback = 1,
    .label = N_ ("Markov temperature"),
    .help = N_ ("Temperature of the Markov chain's transitions: the lower, the more predictable is the next token") },
  { SHARED (DATA, "task", data.task), CHOICE (tasks), .fallback = NS_TASK_CONTINUATION, .label = N_ ("Decoder task"),
    .help = N_ ("Tokens that the decoder is to predict: those after the encoder's, or the encoder's in reverse "
                "order") },
  { SHARED (DATA, "text", data.text), STRING (NS_MAX_TEXT_BYTES), .nullable = TRUE, .label = N_ ("Text"),
    .help = N_ ("The text, if the input is one: its bytes are the tokens; null selects the sample text") },

  { SHARED (TOP, "loss", loss), CHOICE (losses), .fallback = NS_LOSS_CROSS_ENTROPY, .label = N_ ("Loss"),
    .help = N_ ("Cross-entropy after a linear head, or a random gradient of norm 1 at the output of the stack") },

  { SHARED (SAMPLING, "seed", sampling.seed), INTEGER (0, MAX_SAFE_INTEGER, 0, MAX_SAFE_INTEGER), .fallback = 0,
    .label = N_ ("First seed"), .help = N_ ("Seed of the first random draw; each further draw adds 1") },
  { SHARED (SAMPLING, "seeds", sampling.seeds), INTEGER (1, 10000, 1, 64), .logarithmic = TRUE, .fallback = 8,
    .unit = N_ ("draws"), .label = N_ ("Seeds"),
    .count_one = N_ ("1 seed"), .count = N_ ("%s seeds"),
    .help = N_ ("Number of random draws of weights and input for the statistics") },
  { SHARED (SAMPLING, "batches", sampling.batches), INTEGER (1, 1024, 1, 64), .logarithmic = TRUE, .fallback = 1,
    .unit = N_ ("minibatches"), .label = N_ ("Minibatches"),
    .count_one = N_ ("1 minibatch"), .count = N_ ("%s minibatches"),
    .help = N_ ("Number of minibatches on each draw of the weights, M, each of the batch size") },
  { SHARED (SAMPLING, "estimate", sampling.estimate), CHOICE (estimates), .fallback = NS_ESTIMATE_NORM,
    .label = N_ ("Gradient over minibatches"),
    .help = N_ ("The mean of the minibatches' gradient norms, the norm of their mean gradient, or the norm of the "
                "expected gradient (unbiased in its square)") },

  { SHARED (TRAINING, "steps", training.steps), STEPS (1, 10000), .logarithmic = TRUE, .fallback = 300,
    .unit = N_ ("steps"), .label = N_ ("Training steps"),
    .count_one = N_ ("1 training step"), .count = N_ ("%s training steps"),
    .help = N_ ("Number of steps of the optimizer, each on a new minibatch") },
  { SHARED (TRAINING, "optimizer", training.optimizer), CHOICE (optimizers), .fallback = NS_OPTIMIZER_ADAM,
    .label = N_ ("Optimizer"),
    .help = N_ ("Stochastic gradient descent with momentum, Adam, or Adam with decoupled weight decay") },
  { SHARED (TRAINING, "learning_rate", training.learning_rate), RATE, .fallback = 3e-3,
    .label = N_ ("Learning rate"), .help = N_ ("Largest learning rate, which the warm-up ends at") },
  { SHARED (TRAINING, "momentum", training.momentum), NUMBER (0, 1, 0, 1, 0.01), .fallback = 0,
    .label = N_ ("Momentum"), .help = N_ ("Share of the former step that SGD keeps") },
  { SHARED (TRAINING, "beta1", training.beta1), NUMBER (0, 0.999999, 0, 0.999999, 0.01), .fallback = 0.9,
    .label = N_ ("Adam beta 1"), .help = N_ ("Share that Adam keeps of the mean of the gradients") },
  { SHARED (TRAINING, "beta2", training.beta2), NUMBER (0, 0.999999, 0, 0.999999, 0.001), .fallback = 0.999,
    .label = N_ ("Adam beta 2"), .help = N_ ("Share that Adam keeps of the mean of the squared gradients") },
  { SHARED (TRAINING, "epsilon", training.epsilon), NUMBER (0, 1, 0, 1e-4, 1e-8), .fallback = 1e-8,
    .label = N_ ("Adam epsilon"), .help = N_ ("Added to the root of Adam's mean of the squared gradients") },
  { SHARED (TRAINING, "weight_decay", training.weight_decay), NUMBER (0, 1e3, 0, 1, 0.01), .fallback = 0,
    .label = N_ ("Weight decay"),
    .help = N_ ("Decay of the matrices, not of vectors such as gains and biases: with AdamW the share of a weight, "
                "times the learning rate, that each step takes off; with the others the factor on the weight that is "
                "added to its gradient") },
  { SHARED (TRAINING, "clip", training.clip), NUMBER (1e-9, 1e9, 0.01, 10, 0.1), .nullable = TRUE, .fallback = NAN,
    .label = N_ ("Gradient clipping"),
    .help = N_ ("Largest norm of all gradients together; longer ones are scaled down to it; null for no limit") },
  { SHARED (TRAINING, "warmup", training.warmup), STEPS (0, 10000), .fallback = 0, .unit = N_ ("steps"),
    .label = N_ ("Warm-up"),
    .help = N_ ("Steps in which the learning rate grows linearly to its largest value; 0 for none") },
  { SHARED (TRAINING, "schedule", training.schedule), CHOICE (schedules), .fallback = NS_SCHEDULE_CONSTANT,
    .label = N_ ("Schedule"),
    .help = N_ ("Learning rate after the warm-up: constant, falling along a half cosine or linearly to 0 at the last "
                "step, or as one over the root of the step") },
  { SHARED (TRAINING, "embeddings", training.embeddings), BOOLEAN, .fallback = TRUE,
    .label = N_ ("Train embeddings"),
    .help = N_ ("Train token embeddings, learned positions, token types and class token too, or keep them as they "
                "are at initialization") },

  { VARIANT ("name", name), STRING (NS_MAX_NAME_BYTES), .one_line = TRUE, .label = N_ ("Name"),
    .help = N_ ("Name of the variant, unique within the experiment") },
  { VARIANT ("norm", norm), CHOICE (norm_types), .fallback = NS_NORM_LAYERNORM, .label = N_ ("Norm"),
    .help = N_ ("Kind of normalization: LayerNorm, RMSNorm (does not subtract the mean) or DyT (a tanh instead of a "
                "norm)") },
  { VARIANT ("norm_eps", norm_eps), NUMBER (0, 1, 0, 1e-3, 1e-6), .fallback = 1e-5, .label = N_ ("Norm epsilon"),
    .help = N_ ("Added to the variance, or to the mean square, before the norm takes the square root") },
  { VARIANT ("dyt_alpha", dyt_alpha), NUMBER (0, 1e3, 0, 2, 0.05), .fallback = 0.5, .label = N_ ("DyT alpha"),
    .help = N_ ("Initial factor on the input of DyT's tanh") },
  { VARIANT ("branch_norm_gain", branch_norm_gain), NUMBER (0, 1e3, 0, 1, 0.01), .fallback = 1,
    .label = N_ ("Branch norm gain"),
    .help = N_ ("Initial gain of the norms on the branches; 0 makes each block the identity (Swin Transformer V2)") },
  { VARIANT ("sublayers", sublayers), CHOICE (sub_layers), .fallback = NS_SUB_LAYERS_BOTH, .label = N_ ("Sub-layers"),
    .help = N_ ("Sub-layers of every block: attention and FFN, attention alone (attention-only transformer) or the FFN "
                "alone (residual MLP)") },
  { VARIANT ("topology", topology), CHOICE (topologies), .fallback = NS_TOPOLOGY_SEQUENTIAL,
    .label = N_ ("Topology"),
    .help = N_ ("Attention followed by the FFN, or both in parallel, with one shared norm (GPT-J, PaLM) or a norm each "
                "(GPT-NeoX)") },
  { VARIANT ("attention", attention), CHOICE (attentions), .fallback = NS_ATTENTION_FULL, .label = N_ ("Attention"),
    .help = N_ ("Each token attends to all tokens, to itself and earlier ones, or to all with equal weight (W_Q = W_K "
                "= 0)") },
  { VARIANT ("attention_output", attention_output), BOOLEAN, .fallback = TRUE, .label = N_ ("Output projection"),
    .help = N_ ("Apply an output matrix W_O after the attention") },
  { VARIANT ("attention_scale", attention_scale), SCALE (attention_scales, 0, 1e3, 0, 1, 0.01),
    .fallback = 1, .fallback_rule = NS_ATTENTION_SCALE_SQRT_D_HEAD, .label = N_ ("Attention scale"),
    .help = N_ ("Factor on the products of queries and keys; sqrt-d-head is one over the square root of the head "
                "width") },
  { VARIANT ("qk_norm", qk_norm), CHOICE (qk_norms), .fallback = NS_QK_NORM_NONE, .label = N_ ("QK-norm"),
    .help = N_ ("Norm on queries and keys: over all features (full), within each head (head), within each head and on "
                "values too (qkv-head), or 10 times their cosine instead of the product (cosine)") },
  { VARIANT ("rotary", rotary.pairs), CHOICE (rotaries), .fallback = NS_ROTARY_NONE, .label = N_ ("Rotary positions"),
    .help = N_ ("Turn pairs of features of queries and keys by an angle that grows with the token's position (RoPE), "
                "in self-attention: feature i with one of the other half (LLaMA, GPT-NeoX), or neighbours "
                "(interleaved, GPT-J)") },
  { VARIANT ("rotary_base", rotary.base), NUMBER (2, 1e12, 2, 1e6, 1000), .logarithmic = TRUE, .fallback = 10000,
    .label = N_ ("Rotary base"),
    .help = N_ ("Base of the angles' geometric series: the larger, the more slowly the last pairs turn") },
  { VARIANT ("rotary_dim", rotary.dim), INTEGER (2, 65536, 2, 256),
    .nullable = TRUE, .null_label = N_ ("Whole head"), .implied = TRUE,
    .unit = N_ ("features"),
    .label = N_ ("Rotary width"),
    .help = N_ ("Features of each head that turn, an even number; by default the whole head") },
  { VARIANT ("rotary_scaling", rotary.scaling), CHOICE (rotary_scalings), .fallback = NS_ROTARY_SCALING_NONE,
    .label = N_ ("Rotary scaling"),
    .help = N_ ("Slower angles for a context that is longer than in the training: all divided by the factor (linear), "
                "those of slow pairs alone (llama3; yarn, which also multiplies queries and keys), or each by a number "
                "of its own (longrope, which multiplies them, too)") },
  { VARIANT ("rotary_factor", rotary.factor), NUMBER (1, 1e6, 1, 64, 0.5), .fallback = 8,
    .label = N_ ("Rotary factor"), .help = N_ ("Factor by which the context is longer than in the training") },
  { VARIANT ("rotary_original", rotary.original), INTEGER (1, 1e9, 1, 131072), .logarithmic = TRUE, .fallback = 8192,
    .unit = N_ ("tokens"), .label = N_ ("Rotary original context"),
    .help = N_ ("Tokens of the context in the training, before it became longer") },
  { VARIANT ("rotary_low", rotary.low), NUMBER (1e-6, 1e6, 0.5, 64, 0.5), .fallback = 1,
    .label = N_ ("Rotary low turns"),
    .help = N_ ("Pairs that turn fewer times over the original context have their angle divided by the factor (1 with "
                "llama3 and yarn)") },
  { VARIANT ("rotary_high", rotary.high), NUMBER (1e-6, 1e6, 0.5, 64, 0.5), .nullable = TRUE, .implied = TRUE,
    .fallback = NAN, .label = N_ ("Rotary high turns"),
    .help = N_ ("Pairs that turn more often over the original context keep their angle; by default 4 with llama3, 32 "
                "with yarn") },
  { VARIANT ("rotary_attention_factor", rotary.attention_factor), NUMBER (1e-6, 1e6, 0.5, 2, 0.01), .nullable = TRUE,
    .implied = TRUE, .fallback = NAN, .label = N_ ("Rotary attention factor"),
    .help = N_ ("Factor on turned queries and on turned keys with yarn, by default 1 plus a tenth of the factor's "
                "natural logarithm, and with longrope, by default the root of 1 plus the logarithm of the factor over "
                "that of the original context") },
  { VARIANT ("rotary_truncate", rotary.truncate), BOOLEAN, .fallback = TRUE, .label = N_ ("Rotary truncation"),
    .help = N_ ("Round the ends of yarn's ramp to whole pairs, outwards (off in gpt-oss)") },
  { VARIANT ("rotary_short_factors", rotary.short_factors), FACTORS, .label = N_ ("Rotary short factors"),
    .help = N_ ("Numbers that divide the angles of longrope's pairs, one for each pair, in sequences up to the "
                "original context; by default 1") },
  { VARIANT ("rotary_long_factors", rotary.long_factors), FACTORS, .label = N_ ("Rotary long factors"),
    .help = N_ ("Numbers that divide the angles of longrope's pairs, one for each pair, in sequences longer than the "
                "original context; by default 1") },
  { VARIANT ("position_bias", position_bias), CHOICE (position_biases), .fallback = NS_POSITION_BIAS_NONE,
    .label = N_ ("Position bias"),
    .help = N_ ("Lower the scores of self-attention by the distance of the two tokens times a slope of each head "
                "(alibi), also times the attention scale (alibi-scaled, as in Falcon), or add a learned number for "
                "each head and range of distances, shared by all blocks (t5)") },
  { VARIANT ("position_buckets", position_buckets), INTEGER (4, 4096, 4, 128), .fallback = 32,
    .label = N_ ("Position buckets"),
    .help = N_ ("Ranges of distances that have a learned bias of their own (t5); without a causal mask half of them "
                "are for earlier tokens, the others for later ones") },
  { VARIANT ("position_distance", position_distance), INTEGER (1, 1e9, 16, 4096), .logarithmic = TRUE,
    .fallback = 128, .unit = N_ ("tokens"), .label = N_ ("Position distance"),
    .help = N_ ("Distance from which on all tokens share the last bias (t5)") },
  { VARIANT ("window", window.size), INTEGER (2, 1e9, 2, 1024),
    .nullable = TRUE, .null_label = N_ ("All tokens"), .implied = TRUE,
    .logarithmic = TRUE, .unit = N_ ("tokens"), .label = N_ ("Attention window"),
    .help = N_ ("Tokens that a token sees at most in self-attention: itself and earlier ones, without a mask as many "
                "on the other side; null for all") },
  { VARIANT ("window_full_every", window.full_every), INTEGER (1, 65536, 1, 64),
    .nullable = TRUE, .null_label = N_ ("No block"), .null_start = 2, .implied = TRUE,
    .unit = N_ ("blocks"), .label = N_ ("Full attention every"),
    .help = N_ ("Every how many blocks one has full attention instead of the window (2 in Gemma 2, 6 in Gemma 3); "
                "null for none") },
  { VARIANT ("window_after", window.after), INTEGER (1, 65536, 1, 64),
    .nullable = TRUE, .null_label = N_ ("No block"), .null_start = 1, .implied = TRUE,
    .unit = N_ ("blocks"), .label = N_ ("Window after"),
    .help = N_ ("Number of blocks at the bottom that have full attention, the others the window (Qwen2); null for "
                "none") },
  { VARIANT ("rotary_base_local", rotary.base_local), NUMBER (2, 1e12, 2, 1e6, 1000), .nullable = TRUE,
    .implied = TRUE, .logarithmic = TRUE, .fallback = NAN, .label = N_ ("Rotary base in windows"),
    .help = N_ ("Base of the rotary angles in blocks with a window, without the scaling (Gemma 3); by default they "
                "have base and scaling of all blocks") },
  { VARIANT ("rotary_skip_every", rotary.skip_every), INTEGER (1, 65536, 1, 64),
    .nullable = TRUE, .null_label = N_ ("No block"), .null_start = 4, .implied = TRUE,
    .unit = N_ ("blocks"), .label = N_ ("No rotary every"),
    .help = N_ ("Every how many blocks one has no rotary positions (NoPE; 4 in Llama 4); null for none") },
  { VARIANT ("score_cap", score_cap), CAP, .label = N_ ("Soft cap of scores"),
    .help = N_ ("Keep the scores of attention between minus and plus this number by a tanh (Gemma 2: 50); null is no "
                "cap") },
  { VARIANT ("logit_scale", logit_scale), SCALE (logit_scales, 1e-6, 1e6, 0.01, 4, 0.01), .fallback = 1,
    .label = N_ ("Logit scale"),
    .help = N_ ("Factor on the logits of the head; inverse-sqrt-d-model is one over the square root of the model "
                "width (T5, PaLM)") },
  { VARIANT ("logit_cap", logit_cap), CAP, .label = N_ ("Soft cap of logits"),
    .help = N_ ("Keep the logits of the head between minus and plus this number by a tanh (Gemma 2: 30); null is no "
                "cap") },
  { VARIANT ("activation", activation), CHOICE (activations), .fallback = NS_ACT_RELU, .label = N_ ("Activation"),
    .help = N_ ("Non-linearity of the FFN; SwiGLU and GEGLU are gated by a third matrix W_3; -tanh approximates GELU "
                "by tanh") },
  { VARIANT ("experts", experts.count), INTEGER (2, 1024, 2, 128), .nullable = TRUE, .null_start = 8, .implied = TRUE,
    .logarithmic = TRUE, .label = N_ ("Experts"),
    .help = N_ ("Replace the FFN by that many of its size, of which a router chooses a few for each token (mixture of "
                "experts); null for one plain FFN") },
  { VARIANT ("experts_per_token", experts.per_token), INTEGER (1, 1024, 1, 16), .fallback = 2,
    .label = N_ ("Experts per token"), .help = N_ ("Experts that a token passes through, at most all of them") },
  { VARIANT ("expert_weights", experts.weights), CHOICE (expert_weights), .fallback = NS_EXPERT_WEIGHTS_NORMALIZED,
    .label = N_ ("Expert weights"),
    .help = N_ ("Weights of a token's experts: the router's softmax, normalized to the sum 1 (normalized; Mixtral, "
                "Qwen3-MoE) or as it is over all experts (softmax; Qwen2-MoE), or the sigmoid of the expert's logit, "
                "on its input instead of its output (sigmoid-input; Llama 4)") },
  { VARIANT ("shared_experts", experts.shared), INTEGER (1, 1024, 1, 16),
    .nullable = TRUE, .null_start = 1, .implied = TRUE,
    .label = N_ ("Shared experts"),
    .help = N_ ("Width of an FFN that every token passes through, in widths of one expert, weighted by the sigmoid of "
                "one number for each token (Qwen2-MoE); null for none") },
  { VARIANT ("shared_expert_gate", experts.shared_gate), BOOLEAN, .fallback = TRUE,
    .label = N_ ("Gate of the shared expert"),
    .help = N_ ("Weight the shared expert by the sigmoid of one number for each token (Qwen2-MoE), or add it as it is "
                "(Llama 4)") },
  { VARIANT ("bias", bias), BOOLEAN, .fallback = FALSE, .label = N_ ("Biases"),
    .help = N_ ("Add biases to linear maps and LayerNorms; all start at 0") },
  { BIASES ("bias_qkv", qkv, N_ ("Same as biases")), .label = N_ ("Query, key and value biases"),
    .help = N_ ("Add biases to the projections of queries, keys and values; by default as bias") },
  { BIASES ("bias_k", k, N_ ("Same as q, k, v")), .label = N_ ("Key biases"),
    .help = N_ ("Add biases to the projection of keys; by default as for queries and values (bias_qkv)") },
  { BIASES ("bias_output", output, N_ ("Same as biases")), .label = N_ ("Attention output biases"),
    .help = N_ ("Add biases to the attention's output projection; by default as bias") },
  { BIASES ("bias_ffn", ffn, N_ ("Same as biases")), .label = N_ ("FFN biases"),
    .help = N_ ("Add biases to the matrices of the FFN; by default as bias") },
  { BIASES ("bias_norms", norms, N_ ("Same as biases")), .label = N_ ("Norm biases"),
    .help = N_ ("Add biases to the norms, unless they are RMSNorms, which have none; by default as bias") },
  { BIASES ("bias_head", head, N_ ("Same as biases")), .label = N_ ("Head biases"),
    .help = N_ ("Add biases to the head; by default as bias") },
  { VARIANT ("attn.norm", attn.norm), CHOICE (placements), .fallback = NS_PLACE_PRE,
    .label = N_ ("Attention norm"),
    .help = N_ ("Norms around the attention: before it (pre), after the addition (post), on the branch (branch), "
                "before it and on the branch (sandwich), before it and after the addition (pre-post)") },
  { VARIANT ("attn.residual", attn.residual), BOOLEAN, .fallback = TRUE, .label = N_ ("Attention residual"),
    .help = N_ ("Add the attention's input to its output, in encoder and decoder alike") },
  { VARIANT ("attn.inner_norm", attn.inner_norm), BOOLEAN, .fallback = FALSE, .label = N_ ("Attention inner norm"),
    .help = N_ ("Normalize before the attention's output projection (Sub-LN)") },
  { VARIANT ("cross.norm", cross.norm), CHOICE (placements),
    .nullable = TRUE, .null_label = N_ ("Same as self-attention"), .implied = TRUE,
    .fallback = NS_NULL_CHOICE, .label = N_ ("Cross-attention norm"),
    .help = N_ ("Norms around the decoder's cross-attention; by default those of the attention") },
  { VARIANT ("cross.residual", cross.residual), BOOLEAN,
    .nullable = TRUE, .null_label = N_ ("Same as self-attention"), .implied = TRUE, .fallback = NS_NULL_CHOICE,
    .label = N_ ("Cross-attention residual"),
    .help = N_ ("Add the cross-attention's input to its output; by default as for the attention") },
  { VARIANT ("cross.inner_norm", cross.inner_norm), BOOLEAN,
    .nullable = TRUE, .null_label = N_ ("Same as self-attention"), .implied = TRUE,
    .fallback = NS_NULL_CHOICE, .label = N_ ("Cross-attention inner norm"),
    .help = N_ ("Normalize before the cross-attention's output projection; by default as for the attention") },
  { VARIANT ("ffn.norm", ffn.norm), CHOICE (placements), .fallback = NS_PLACE_PRE, .label = N_ ("FFN norm"),
    .help = N_ ("Norms around the FFN: before it (pre), after the addition (post), on the branch (branch), before it "
                "and on the branch (sandwich), before it and after the addition (pre-post)") },
  { VARIANT ("ffn.residual", ffn.residual), BOOLEAN, .fallback = TRUE, .label = N_ ("FFN residual"),
    .help = N_ ("Add the FFN's input to its output, in encoder and decoder alike") },
  { VARIANT ("ffn.inner_norm", ffn.inner_norm), BOOLEAN, .fallback = FALSE, .label = N_ ("FFN inner norm"),
    .help = N_ ("Normalize before the FFN's last matrix (Sub-LN, NormFormer)") },
  { VARIANT ("post_fraction", post_fraction), NUMBER (0, 1, 0, 1, 0.01), .nullable = TRUE, .fallback = NAN,
    .label = N_ ("Post-LN share"),
    .help = N_ ("Share of the blocks, from the bottom, that are Post-LN while the others are Pre-LN (Mix-LN); null "
                "keeps the norms of attention and FFN") },
  { VARIANT ("first_block_pre", first_block_pre), BOOLEAN, .fallback = FALSE, .label = N_ ("Pre-LN first block"),
    .help = N_ ("Make the first block of each stack Pre-LN, whatever the norms of the others (HybridNorm*)") },
  { VARIANT ("norm_scale", norm_scale), CHOICE (norm_scales), .fallback = NS_NORM_SCALE_NONE,
    .label = N_ ("Norm scale"),
    .help = N_ ("Factor after the norm before each sub-layer: none, or one over the square root of the block's "
                "number") },
  { VARIANT ("residual_scale", residual_scale), SCALE (residual_scales, 0, 1e6, 0, 4, 0.01), .fallback = 1,
    .label = N_ ("Residual scale"),
    .help = N_ ("Factor on the residual connection; deepnorm is the fourth root of twice the depth, admin and "
                "admin-constant grow with the number of sub-layers, keel is that number") },
  { VARIANT ("branch_scale", branch_scale), SCALE (branch_scales, 0, 1e6, 0, 4, 0.01), .fallback = 1,
    .label = N_ ("Branch scale"),
    .help = N_ ("Factor on each sub-layer's output before it is added; inverse-sqrt-depth is one over the square root "
                "of the depth") },
  { VARIANT ("branch_parameter", branch_parameter), CHOICE (branch_parameters), .fallback = NS_BRANCH_PARAMETER_NONE,
    .label = N_ ("Learned branch scale"),
    .help = N_ ("Make the branch scale a learned parameter: one number (ReZero, SkipInit) or one for each feature "
                "(LayerScale)") },
  { VARIANT ("block_residual", block_residual), BOOLEAN, .fallback = FALSE, .label = N_ ("Block residual"),
    .help = N_ ("Add the block's input once more before its last norm (B2T)") },
  { VARIANT ("dual_residual", dual_residual), BOOLEAN, .fallback = FALSE, .label = N_ ("Dual residual"),
    .help = N_ ("Also add the sub-layers' outputs to a second stream without norms, which joins at the end "
                "(ResiDual)") },
  { VARIANT ("streams", hyper.streams), INTEGER (1, NS_MAX_STREAMS, 1, 8), .nullable = TRUE, .implied = TRUE,
    .unit = N_ ("streams"), .label = N_ ("Residual streams"),
    .help = N_ ("Residual streams that learned weights mix before and after every sub-layer (Hyper-Connections); null "
                "for one stream with a plain residual") },
  { VARIANT ("stream_weights", hyper.weights), CHOICE (stream_weights), .fallback = NS_STREAM_WEIGHTS_STATIC,
    .label = N_ ("Weights of streams"),
    .help = N_ ("Weights that mix several streams: the same for all tokens (static), with a part that depends on the "
                "token (dynamic), or also positive and, between the streams, with rows and columns of sum 1 (manifold; "
                "mHC)") },
  { VARIANT ("ngpt", ngpt), BOOLEAN, .fallback = FALSE, .label = N_ ("Normalized (nGPT)"),
    .help = N_ ("Give every token's vector and every row of the matrices the length 1, and move the stream toward each "
                "sub-layer's output by a learned step that starts at the branch scale (nGPT)") },
  { VARIANT ("input_scale", input_scale), SCALE (input_scales, 0, 1e6, 0, 4, 0.01), .fallback = 1,
    .label = N_ ("Input scale"),
    .help = N_ ("Factor on the input of the stack; t-fixup is one over the fourth root of nine times the depth") },
  { VARIANT ("input_norm", input_norm), BOOLEAN, .fallback = FALSE, .label = N_ ("Input norm"),
    .help = N_ ("Normalize between the embedding and the first block (BERT)") },
  { VARIANT ("final_norm", final_norm), CHOICE (final_norms), .fallback = NS_FINAL_NORM_AUTO,
    .label = N_ ("Final norm"),
    .help = N_ ("Norm between the last block and the head; auto is on unless the last block ends in a norm") },
  { VARIANT ("head_transform", head_transform), BOOLEAN, .fallback = FALSE, .label = N_ ("Head transform"),
    .help = N_ ("A dense layer, the activation and a norm between the stack and the output matrix (the masked-LM head "
                "of BERT)") },
  { VARIANT ("init.scheme", init.scheme), CHOICE (schemes), .fallback = NS_INIT_XAVIER_NORMAL,
    .label = N_ ("Initialization"), .help = N_ ("Distribution that the weights are drawn from") },
  { VARIANT ("init.std", init.std), NUMBER (0, 1e6, 0, 1, 0.001), .fallback = 0.02, .label = N_ ("Deviation"),
    .help = N_ ("Standard deviation of the weights when the initialization is normal") },
  { VARIANT ("init.residual", init.residual), SCALE (init_residuals, 0, 1e6, 0, 4, 0.01), .fallback = 1,
    .fallback_rule = NS_INIT_RESIDUAL_NONE, .label = N_ ("Residual initialization"),
    .help = N_ ("Factor on the last matrix of each branch: none, gpt2 (one over the square root of twice the depth), "
                "wang (its own deviation) or a number; deepnorm, sub-ln and t-fixup scale all matrices except those of "
                "queries and keys, ds-init scales every matrix, fixup sets the last one to 0 and scales the others") },
  { VARIANT ("init.head", init.head), SCALE (init_heads, 0, 1e6, 0, 1, 0.001), .fallback = 0.02,
    .fallback_rule = NS_INIT_HEAD_SCHEME, .label = N_ ("Head initialization"),
    .help = N_ ("Weights of the output projection: scheme (as the blocks), lecun (normal, deviation one over the root "
                "of the model width), tied (the embedding's matrix), or the deviation of normal ones") },
  { VARIANT ("init.truncate", init.truncate), NUMBER (NS_TRUNCATE_MIN, NS_TRUNCATE_MAX, 1, 4, 0.5), .nullable = TRUE,
    .implied = TRUE, .fallback = NAN, .label = N_ ("Truncation"),
    .help = N_ ("Draw normal weights again that lie beyond this many standard deviations (BERT: 2, OLMo: 3); null "
                "keeps them all") },
  { VARIANT ("init.mup_base", init.mup_base), INTEGER (1, 1e6, 16, 1024),
    .nullable = TRUE, .null_label = N_ ("Standard"), .implied = TRUE,
    .label = N_ ("μP base width"),
    .help = N_ ("Scale initialization, attention and learning rates with the width as in μP, so that the model is the "
                "standard one at this width; null is the standard scaling at any width") },
  { OWN ("optimizer", optimizer), CHOICE (optimizers), .fallback = NS_NULL_CHOICE, .label = N_ ("Optimizer"),
    .help = N_ ("Optimizer of this variant; by default that of all variants (training.optimizer)") },
  { OWN ("learning_rate", learning_rate), RATE, .fallback = NAN, .label = N_ ("Learning rate"),
    .help = N_ ("Learning rate of this variant; by default that of all variants (training.learning_rate)") },
  { OWN ("warmup", warmup), STEPS (0, 10000), .fallback = NS_NULL_CHOICE, .unit = N_ ("steps"),
    .label = N_ ("Warm-up"),
    .help = N_ ("Steps of warm-up of this variant; by default those of all variants (training.warmup)") },
  { OWN ("schedule", schedule), CHOICE (schedules), .fallback = NS_NULL_CHOICE, .label = N_ ("Schedule"),
    .help = N_ ("Learning rate of this variant after the warm-up; by default as for all variants "
                "(training.schedule)") },
};

const NsParam *
ns_params (gsize *n)
{
  if (n != NULL)
    *n = G_N_ELEMENTS (param_table);
  return param_table;
}
