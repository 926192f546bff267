/* Help on the settings that all variants share: shape, data, loss and seeds.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "help/ns-help-private.h"

#include <glib/gi18n-lib.h>

const NsHelpParameterText ns_help_shared_parameter_texts[] = {
  { .path = "shape.stack",
    .effect = N_ ("A single stack reads one sequence and ends in the head. With an encoder and a decoder, each has as "
                  "many blocks as the depth says; the decoder’s blocks have a third sub-layer, the cross-attention, "
                  "which reads the encoder’s output. The plots then show both parts side by side. The decay of "
                  "Post-LN’s gradients toward the bottom, known from the original Transformer, appears in the "
                  "decoder."),
    .source = "Vaswani et al. 2017, section 3.1; Xiong et al. 2020, section 3.4",
    .before = "post", .after = "post", .place = NS_HELP_IN_PAIR,
    .see = "parameter:cross.norm parameter:cross.residual" },
  { .path = "shape.depth",
    .formula = "x_{l} = \\mathrm{block}_{l}(x_{\\mathrm{l-1}}), \\quad l = 1, \\ldots, L",
    .effect = N_ ("More blocks mean more additions to the residual stream and a longer way for the gradient. If no "
                  "norm stands in the stream, as in Pre-LN, the stream grows from block to block and each branch "
                  "counts for less in it. If each block ends in a norm, as in Post-LN, the stream keeps its size. "
                  "Block 7 has the same weights at every depth, unless a setting of the variant depends on the depth, "
                  "so that what changes in the picture is due to the depth alone."),
    .see = "view:scaling topic:exponent" },
  { .path = "shape.decoder_depth",
    .formula = "y_{l} = \\mathrm{block}_{l}(y_{\\mathrm{l-1}}, m), \\quad l = 1, \\ldots, L_{d}",
    .effect = N_ ("The decoder gets a depth of its own. Many models that generate text have a deep encoder and a "
                  "shallow decoder, since only the decoder runs once for each token. Rules that contain the depth "
                  "take that of their own part; DeepNorm and Sub-LN scale the encoder by both. A sweep over depths "
                  "keeps the ratio. A single stack ignores this setting."),
    .source = "Kasai et al. 2020 (deep encoder, shallow decoder), arXiv:2006.10369; Wang et al. 2022 (DeepNorm), "
              "table 1",
    .see = "parameter:shape.depth parameter:shape.stack" },
  { .path = "shape.d_model",
    .formula = "x_{l} : [B, T, d]",
    .effect = N_ ("Every matrix of a block has this width on at least one side, so that weights, memory and time grow "
                  "with its square. Norms and sizes average over more features, and the seeds differ less. The "
                  "Scaling view can put the width on its axis; the FFN then keeps its ratio to it."),
    .see = "view:scaling parameter:shape.d_ff" },
  { .path = "shape.heads",
    .formula = "d_{\\mathrm{head}} = d / h, \\quad A = h \\cdot d_{\\mathrm{head}}",
    .effect = N_ ("Each head has a softmax of its own over the tokens, on its own share of the features. More heads do "
                  "not change the number of weights, since each is narrower, unless the head width is set."),
    .source = "Vaswani et al. 2017, section 3.2.2",
    .see = "parameter:shape.d_head parameter:shape.kv_heads" },
  { .path = "shape.d_ff",
    .formula = "W_{1} : [d, f], \\quad W_{2} : [f, d]",
    .effect = N_ ("The FFN first widens a token to so many features and then sums them up again. Four times the model "
                  "width is usual. The initialization divides by the width, so that the output keeps its size."),
    .source = "Vaswani et al. 2017, section 3.3",
    .see = "parameter:activation parameter:shape.d_model" },
  { .path = "shape.seq_len",
    .effect = N_ ("Attention averages over more tokens, and the mean of many independent tokens is small, so that it "
                  "adds less to each. Token similarity needs at least two tokens. The time of attention grows with "
                  "the square. The loss is a mean over all tokens of the batch: with random targets its gradients "
                  "shrink as they grow in number."),
    .see = "quantity:token_cos parameter:attention" },
  { .path = "shape.batch",
    .formula = "N = B \\cdot T",
    .effect = N_ ("The loss is the mean over the $N$ tokens of all sequences. With random targets the gradients of the "
                  "tokens are independent and average out, so that the gradient norm falls as $1/\\sqrt{N}$; with a "
                  "text the targets share a distribution and much of it stays. Activations hardly change."),
    .see = "topic:minibatches parameter:data.source" },
  { .path = "shape.vocab",
    .effect = N_ ("With random tokens or a text, the embedding has a row for each token. With cross-entropy the head "
                  "has a column for each, and the loss at the start is about the logarithm of this number. A text "
                  "consists of bytes: its vocabulary is 256."),
    .see = "parameter:data.source parameter:loss parameter:init.head" },
  { .path = "shape.encoder_vocab",
    .formula = "x_{0} = s \\cdot E_{e}[\\mathrm{id}] + P, \\quad y_{0} = s \\cdot E[\\mathrm{id}] + P",
    .effect = N_ ("A model that translates from one language into another often has two lists of tokens. The encoder "
                  "then looks its tokens up in a table of its own, with as many rows as this number; the decoder "
                  "keeps the other, which a tied head shares. At the start the rows of both are random, and the "
                  "curves hardly change unless so few tokens are left that they repeat. In a training each table "
                  "learns from its own side. With a text, a Markov chain or a reversal both sides have the same "
                  "tokens, so the two numbers must be equal."),
    .source = "Ng et al. 2019 (FSMT: WMT19 models), arXiv:1907.06616",
    .see = "parameter:shape.vocab parameter:shape.stack" },
  { .path = "shape.kv_heads",
    .formula = "i \\to \\text{⌊} i / (h / h_{\\mathrm{kv}}) \\text{⌋}",
    .effect = N_ ("Query head $i$ reads the keys and values of the head above. $W_{K}$ and $W_{V}$ have fewer "
                  "columns, and their gradients sum over the query heads that share them."),
    .source = "Ainslie et al. 2023 (grouped queries)",
    .see = "parameter:shape.heads quantity:w_k quantity:w_v" },
  { .path = "shape.d_head",
    .formula = "W_{Q} : [d, A], \\quad A = h \\cdot d_{\\mathrm{head}}",
    .effect = N_ ("Sets the width of a head apart from the model width, as some models do. Queries, keys and values "
                  "then have more or fewer features than the residual stream, and the attention’s factor follows the "
                  "head width."),
    .see = "parameter:shape.heads parameter:attention_scale" },
  { .path = "shape.patch_features",
    .formula = "x_{0} = s \\cdot (p \\cdot W_{\\mathrm{patch}} + b_{\\mathrm{patch}}) + P[t], "
               "\\quad p \\sim N(0, 1)",
    .effect = N_ ("Gives an image pixels: each token is a patch of so many independent numbers, and the first matrix "
                  "of the model maps it to the model width. Its gradient is measured at the input; a class token has "
                  "no part in it."),
    .source = "Dosovitskiy et al. 2020 (ViT), equation 1",
    .see = "parameter:data.class_token parameter:data.embed_scale quantity:w_patch" },
  { .path = "data.source",
    .effect = N_ ("Gaussian vectors are independent for each token, with random targets: the input of the theory. "
                  "Random tokens are rows of an embedding, and each is to predict the next one. A text does the same "
                  "with real bytes, so that tokens repeat and the targets have a distribution. A Markov chain’s next "
                  "token depends on the last one, with known probabilities. The targets decide how much of a gradient "
                  "averages out over the tokens."),
    .see = "parameter:data.embed_std parameter:data.text topic:minibatches" },
  { .path = "data.embed_std",
    .formula = "E, P, S \\sim N(0, \\sigma^{2})",
    .effect = N_ ("The size of the stream at the input. Without a norm in the stream, as in Pre-LN, it decides how "
                  "much the first branches count: next to a small input they dominate. If a norm follows the first "
                  "addition, as in Post-LN, it fades."),
    .see = "parameter:data.embed_scale parameter:input_norm quantity:rms_x" },
  { .path = "data.embed_scale",
    .formula = "x_{0}[t] = s \\cdot E[\\mathrm{id}_{t}] + P[t]",
    .effect = N_ ("Makes the token embedding larger than the positions that are added to it, and the stream larger at "
                  "the input. The original Transformer multiplies by $\\sqrt{d}$."),
    .source = "Vaswani et al. 2017, section 3.4",
    .see = "parameter:data.embed_std parameter:data.positions" },
  { .path = "data.positions",
    .formula = "P[t, 2i] = \\operatorname{sin}(t / 10000^{2i/d}), \\quad P[t, 2i+1] = \\cos(t / 10000^{2i/d})",
    .effect = N_ ("Sinusoidal positions follow the equation, learned ones are random at the start. They are the same "
                  "for every sequence and make equal tokens differ. Neighbouring sinusoidal positions are alike, "
                  "which raises the token similarity at the input."),
    .source = "Vaswani et al. 2017, section 3.5",
    .see = "quantity:token_cos parameter:data.embed_scale" },
  { .path = "data.token_types",
    .formula = "x_{0}[t] = s \\cdot E[\\mathrm{id}_{t}] + P[t] + S[\\text{⌊} t \\cdot n / T \\text{⌋}]",
    .effect = N_ ("All tokens of a segment get the same vector added, which makes them more alike at the input."),
    .source = "Devlin et al. 2018 (BERT)",
    .see = "quantity:token_cos parameter:data.source" },
  { .path = "data.class_token",
    .formula = "x_{0} = [c, s \\cdot g] + P[t], \\quad g \\sim N(0, 1)",
    .effect = N_ ("Turns the Gaussian input into an image as a vision transformer embeds it: one learned vector and "
                  "patches. A class token of 0 stays 0 without positions, and the norm that reads it multiplies its "
                  "gradient by $1/\\sqrt{\\epsilon}$."),
    .source = "Dosovitskiy et al. 2020 (ViT)",
    .see = "parameter:data.embed_scale parameter:data.positions parameter:shape.patch_features" },
  { .path = "data.class_token_loss",
    .formula = "L = -\\ln p_{0}[\\mathrm{class}]",
    .effect = N_ ("The class token alone predicts a class, as in a vision transformer, so that every gradient comes "
                  "through it: those of the other tokens are smaller, and 0 after the last attention."),
    .source = "Dosovitskiy et al. 2020 (ViT), equation 4",
    .see = "parameter:data.class_token parameter:loss quantity:loss" },
  { .path = "data.markov_temperature",
    .formula = "P_{ij} = \\operatorname{softmax}_{j}(z_{ij} / \\tau), \\quad z_{ij} \\sim N(0, 1)",
    .effect = N_ ("A low temperature leaves few likely successors to each token, a high one makes them all alike. The "
                  "entropy rate of the chain is known, and no model can have a lower loss. The chain is drawn from the "
                  "first seed and is the same for all draws; its states are the tokens of the vocabulary, at most "
                  "512."),
    .see = "parameter:data.source parameter:shape.vocab parameter:sampling.seed" },
  { .path = "data.task",
    .effect = N_ ("An encoder and a decoder can read one text: the encoder a window, the decoder the next one. Or the "
                  "decoder has to write the encoder’s tokens from the last to the first, which it can only through the "
                  "cross-attention. A single stack and a Gaussian input ignore it."),
    .see = "parameter:shape.stack parameter:data.source" },
  { .path = "data.text",
    .effect = N_ ("The bytes of the text are the tokens, in consecutive windows; it wraps round where it is too short. "
                  "It is the same for every seed. The experiment’s file contains it."),
    .see = "parameter:data.source" },
  { .path = "loss",
    .formula = "L = -\\frac{1}{N} \\sum_{n} \\ln \\operatorname{softmax}(h_{n} \\cdot "
               "W_{\\mathrm{head}})[\\mathrm{target}_{n}]",
    .effect = N_ ("Cross-entropy is the loss of training; its gradient at the stack’s output depends on the head and "
                  "the targets. The unit gradient replaces head and loss by a random gradient of norm 1, so that what "
                  "is measured depends on the stack alone, and is comparable over widths."),
    .see = "quantity:loss parameter:init.head parameter:final_norm" },
  { .path = "sampling.seed",
    .effect = N_ ("The same seed gives the same weights and input on every machine, with any number of threads. "
                  "Another one shows how much of a picture is chance."),
    .see = "parameter:sampling.seeds topic:statistics" },
  { .path = "sampling.seeds",
    .effect = N_ ("More draws narrow the intervals of the Scaling view, and the mean moves less; the band keeps its "
                  "width, which is one standard deviation of a single draw. Time grows in proportion."),
    .see = "topic:statistics view:scaling" },
  { .path = "sampling.batches",
    .formula = "g_{m} = \\nabla L_{m}, \\quad m = 1, \\ldots, M",
    .effect = N_ ("With several minibatches the gradient separates into what all of them agree on and what is noise "
                  "of one minibatch. Which of the two is drawn, the estimate decides."),
    .see = "parameter:sampling.estimate topic:minibatches" },
  { .path = "sampling.estimate",
    .formula = "\\frac{1}{M} \\sum_{m} \\|g_{m}\\|, \\quad \\|\\bar{g}\\|, \\quad "
               "\\sqrt{\\frac{M \\|\\bar{g}\\|^{2} - \\frac{1}{M} \\sum_{m} \\|g_{m}\\|^{2}}{M - 1}}",
    .effect = N_ ("In this order: the average norm of one minibatch’s gradient, the norm of the gradient of all "
                  "minibatches together, and the norm of the gradient over infinitely many data, of which the square "
                  "has no bias. Papers differ in what they plot."),
    .source = "Xiong et al. 2020, figure 3, averages gradients before it takes the norm",
    .see = "parameter:sampling.batches topic:minibatches" },
  { .path = NULL },
};
