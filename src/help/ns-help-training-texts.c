/* Help on the settings of training.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "help/ns-help-private.h"

#include <glib/gi18n-lib.h>

/* The effect of a variant's own value. */
#define OWN_EFFECT                                                                                                   \
  N_ ("Two variants that are wired alike can then differ in their training alone, such as Post-LN with and without "   \
      "warm-up. Nothing at initialization depends on it.")

const NsHelpParameterText ns_help_training_parameter_texts[] = {
  { .path = "training.steps",
    .effect = N_ ("The loss falls for longer, and the time grows in proportion. The cosine and the linear schedule "
                  "stretch with the steps."),
    .see = "parameter:training.schedule parameter:shape.batch" },
  { .path = "training.optimizer",
    .formula = "\\theta \\leftarrow \\theta - \\eta \\frac{\\hat{m}}{\\sqrt{\\hat{v}} + \\epsilon}, \\quad "
               "m \\leftarrow \\beta_{1} m + (1 - \\beta_{1}) g, \\quad v \\leftarrow \\beta_{2} v + (1 - \\beta_{2}) "
               "g^{2}",
    .effect = N_ ("SGD moves each weight by its gradient, so that blocks with small gradients hardly learn. Adam "
                  "divides by the size of the recent gradients: every weight moves by about the learning rate, "
                  "however small its gradient is. AdamW is Adam with a decay that this division does not change."),
    .source = "Kingma & Ba 2015; Loshchilov & Hutter 2019 (AdamW)",
    .see = "parameter:training.learning_rate parameter:training.weight_decay view:update" },
  { .path = "training.learning_rate",
    .formula = "\\theta \\leftarrow \\theta - \\eta \\cdot u",
    .effect = N_ ("The size of each step. Too small a rate learns slowly; too large a one stalls or diverges. How "
                  "wide the range between them is depends on where the norms are."),
    .see = "parameter:training.warmup parameter:training.schedule" },
  { .path = "training.momentum",
    .formula = "b \\leftarrow \\mu b + g, \\quad \\theta \\leftarrow \\theta - \\eta b",
    .effect = N_ ("SGD goes on in the direction of its former steps, which evens out the minibatches and makes "
                  "steps up to $1/(1 - \\mu)$ times as long. The Adam optimizers ignore it."),
    .see = "parameter:training.optimizer" },
  { .path = "training.beta1",
    .formula = "m \\leftarrow \\beta_{1} m + (1 - \\beta_{1}) g",
    .effect = N_ ("Adam’s direction is a mean over about the last $1/(1 - \\beta_{1})$ gradients. SGD ignores it."),
    .source = "Kingma & Ba 2015",
    .see = "parameter:training.optimizer" },
  { .path = "training.beta2",
    .formula = "v \\leftarrow \\beta_{2} v + (1 - \\beta_{2}) g^{2}",
    .effect = N_ ("Adam measures the size of the gradients over about the last $1/(1 - \\beta_{2})$ steps. A "
                  "smaller value follows faster when gradients shrink or grow. SGD ignores it."),
    .source = "Kingma & Ba 2015",
    .see = "parameter:training.optimizer" },
  { .path = "training.epsilon",
    .formula = "\\theta \\leftarrow \\theta - \\eta \\frac{\\hat{m}}{\\sqrt{\\hat{v}} + \\epsilon}",
    .effect = N_ ("Adam’s steps shrink where the gradients are smaller than epsilon; without it a gradient of 0 "
                  "divides by 0. SGD ignores it."),
    .source = "Kingma & Ba 2015",
    .see = "parameter:training.optimizer" },
  { .path = "training.weight_decay",
    .formula = "\\theta \\leftarrow (1 - \\eta \\lambda) \\theta",
    .effect = N_ ("Pulls the matrices toward 0: weights, token embeddings, learned positions and token types. "
                  "Gains, biases, branch scales and the class token are vectors and keep their size. The equation "
                  "is AdamW’s; SGD and Adam add $\\lambda \\theta$ to the gradient instead."),
    .source = "Loshchilov & Hutter 2019",
    .see = "parameter:training.optimizer" },
  { .path = "training.clip",
    .formula = "g \\leftarrow g \\cdot \\min(1, c / \\|g\\|)",
    .effect = N_ ("Bounds the length of the gradient of all trained parameters together. It limits explosion; a "
                  "gradient that vanishes in some blocks it leaves as it is."),
    .source = "Pascanu et al. 2013",
    .see = "parameter:training.learning_rate" },
  { .path = "training.warmup",
    .formula = "\\eta_{t} = \\eta \\frac{t + 1}{W}, \\quad t = 0, \\ldots, W - 1",
    .effect = N_ ("Small first steps, as Post-LN needs them: while the learning rate is still low, the norms’ "
                  "inputs stay small and the tokens different. Pre-LN trains without."),
    .source = "Vaswani et al. 2017, section 5.3; Xiong et al. 2020, section 3.2",
    .see = "parameter:training.learning_rate parameter:training.schedule variant:post variant:pre" },
  { .path = "training.schedule",
    .formula = "\\eta_{t} = \\frac{\\eta}{2} (1 + \\cos (\\pi \\frac{t - W}{S - W})), \\quad "
               "\\eta_{t} = \\eta (1 - \\frac{t - W}{S - W}), \\quad "
               "\\eta_{t} = \\eta \\sqrt{\\frac{\\max(W, 1)}{t + 1}}",
    .effect = N_ ("How the rate of step $t$ falls after $W$ steps of warm-up: cosine, linear, and the schedule of "
                  "the original Transformer. Smaller steps at the end settle the noise of the minibatches."),
    .source = "Loshchilov & Hutter 2017 (cosine); Vaswani et al. 2017, equation 3",
    .see = "parameter:training.warmup parameter:training.steps" },
  { .path = "training.embeddings",
    .effect = N_ ("Frozen embeddings keep the input of the stack as it is at initialization, so that only blocks, "
                  "norms and head learn. A head that is tied to the embedding is then frozen, too."),
    .see = "parameter:data.embed_std parameter:init.head" },
  { .path = "optimizer", .effect = OWN_EFFECT, .see = "parameter:training.optimizer" },
  { .path = "learning_rate", .effect = OWN_EFFECT, .see = "parameter:training.learning_rate" },
  { .path = "warmup", .effect = OWN_EFFECT, .see = "parameter:training.warmup" },
  { .path = "schedule", .effect = OWN_EFFECT, .see = "parameter:training.schedule" },
  { .path = NULL },
};
