/* Help on the views, and on subjects that belong to no table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "help/ns-help-private.h"

#include <glib/gi18n-lib.h>

const NsHelpTopic ns_help_topics[] = {
  { .id = NS_HELP_FIRST_STEPS,
    .title = N_ ("First steps"),
    .summary = N_ ("Four things to do in the first two minutes"),
    .text = N_ ("Normscope draws the weights of real transformers at random, runs them forward and backward, and shows "
                "how large gradients and activations are in every block, before any training. No formula is behind the "
                "controls: every point is measured.\n\n"
                "1. **Drag the depth**, or type a number: every curve follows. The first picture uses one draw of the "
                "weights, the final one all of them. A large model shows its blocks as they are measured. See "
                "[depth](parameter:shape.depth).\n"
                "2. **Cut a wire.** Click a residual in the wiring above the plots: the tokens become one vector, "
                "although most weight gradients stay large. See [attention residual](parameter:attn.residual) and "
                "[token similarity](quantity:token_cos).\n"
                "3. **Read the sentence** under the plots. It says in numbers what the picture shows; its words lead "
                "to their pages.\n"
                "4. **Open Scaling** and ask which law the depth follows. See [Scaling](view:scaling).\n\n"
                "Then move a variant from Pre-LN to Post-LN with the slider [Post-LN share](parameter:post_fraction), "
                "or start from a known model under *Presets*.\n\n"
                "F1 on a control opens its page. Everything here is also printed by `normscope-cli help`.") },
  { .id = "topic:reading-plots",
    .title = N_ ("Reading the plots"),
    .summary = N_ ("Curves, bands, axes, and the marks of values that are no numbers"),
    .text = N_ ("Each curve belongs to a variant: its name stands at its right end in its colour. The input is on the "
                "left, the loss on the right.\n\n"
                "## Axes\n\n"
                "On a logarithmic axis equal distances are equal factors, and exponential growth is a straight line. "
                "L and K, or a click on an axis, change between linear and logarithmic. A click on a title chooses "
                "what the plot shows.\n\n"
                "## Band and ghost\n\n"
                "The band is one standard deviation over the [seeds](topic:statistics). A thin line is the curve "
                "before the last change.\n\n"
                "## Marks\n\n"
                "A red triangle is an overflow, a blue one a zero or an underflow, a red diamond not a number. The "
                "line breaks there. See [beyond the range](topic:range).\n\n"
                "## Crosshair\n\n"
                "Point at a plot, or press ← and → in it, to read the values of a block in numbers.\n\n"
                "## Pins, notes and kept curves\n\n"
                "A click, or P, pins a block: its values stay. Shift-click, or Shift+P, pins a second block and shows "
                "the ratio between the two. The right button, or the menu key, adds a note or an arrow (N, Shift+N) "
                "and keeps a curve as a dashed line. A note stays at its value after the next run. If "
                "its block no longer exists, the menu still lists it. A second click removes a pin.\n\n"
                "## Follow the gradient\n\n"
                "Space in the plots plays the two passes, 4 seconds each: the activations appear from the input to "
                "the loss, then the gradient from the loss to the input. Space pauses and goes on, ← and → then step "
                "by a block, Escape ends. If the desktop wants no animations, each press is a step.") },
  { .id = "topic:placements",
    .title = N_ ("Which placement when"),
    .summary = N_ ("What the places of the norms do, each sentence with the measurement behind it"),
    .text = N_ ("Each sentence has the command that measures it at initialization, or the card that trains it. A "
                "command exits with 3 if it finds something else; tests of the program run them all. `--expect` states "
                "the exponent $p$ of a number that grows as $L^{p}$ with the depth: 0 if it does not depend on it. See "
                "[exponent and law](topic:exponent).\n\n"
                "## Pre-LN: deep stacks, no warm-up\n\n"
                "- The residuals carry the gradient of the loss to every block unchanged, at any depth. `normscope-cli "
                "scaling --d-model 64 --depths 4..32:4 --seeds 4 --variant pre --expect pre:identity@first:0±0.01`\n"
                "- So the gradient of the first block hardly depends on the depth. `normscope-cli scaling --d-model 64 "
                "--depths 4..32:4 --seeds 4 --variant pre --expect pre:block@first:0±0.15`\n"
                "- It trains with the full learning rate from the first step on: [the card](claim:train-pre).\n"
                "- The price: the stream grows with every block, so that each further one changes it by less, and its "
                "gradient falls. `normscope-cli scaling --d-model 64 --depths 4..32:4 --seeds 4 --variant pre --expect "
                "pre:rms_x@last:0.6±0.15 --expect pre:skip_ratio_ffn@last:-0.6±0.2 --expect "
                "pre:block@last:-0.5±0.15`\n\n"
                "## Post-LN: shallow stacks, or a warm-up\n\n"
                "- The norm after each addition keeps the stream, the weight of every branch in it and the gradient of "
                "the last block at the size that they have in a shallow stack. `normscope-cli scaling --d-model 64 "
                "--depths 4..32:4 --seeds 4 --variant post --expect post:rms_x@last:0±0.01 --expect "
                "post:skip_ratio_ffn@last:0±0.1 --expect post:block@last:0±0.15`\n"
                "- The price: the part of the gradient that the residuals carry falls by a factor in every block, here "
                "with a large exponent. `normscope-cli scaling --d-model 64 --depths 4..32:4 --seeds 4 --variant post "
                "--expect post:identity@first:-5.6±1`\n"
                "- A small step of Adam moves the output the further the deeper the stack is, more so than in Pre-LN. "
                "`normscope-cli scaling --d-model 64 --depths 4..32:4 --seeds 4 --variant pre --variant post --expect "
                "post/pre:update_h_adam@last:0.7±0.4`\n"
                "- With the full learning rate from the first step on it [does not train](claim:train-post), with a "
                "warm-up [it does](claim:train-post-warm-up).\n\n"
                "## Peri-LN: branches of one size\n\n"
                "- The norm on the output of each branch gives all additions the same size, and the stream grows as "
                "the root of their number. `normscope-cli scaling --d-model 64 --depths 4..32:4 --seeds 4 --variant "
                "sandwich --expect sandwich:rms_ffn@last:0±0.01 --expect sandwich:rms_x@last:0.5±0.1`\n\n"
                "## DeepNorm and Keel: deep stacks with norms after the additions\n\n"
                "- A larger residual brings the gradient to the input at its full size. `normscope-cli scaling "
                "--d-model 64 --depths 4..32:4 --seeds 4 --variant deepnorm --variant keel --expect "
                "deepnorm:grad_x@first:0±0.05 --expect keel:grad_x@first:0±0.05`\n"
                "- In DeepNorm a small step of Adam moves the output of a deep stack less than in Post-LN. "
                "`normscope-cli scaling --d-model 64 --depths 4..32:4 --seeds 4 --variant post --variant deepnorm "
                "--expect post/deepnorm:update_h_adam@last:0.9±0.6`\n\n"
                "## No norm: only if the branches start small\n\n"
                "- With branches that start at 0, as in ReZero and Fixup, neither the stream nor the gradient changes "
                "from block to block. `normscope-cli scaling --d-model 64 --depths 4..32:4 --seeds 4 --variant rezero "
                "--variant fixup --expect rezero:grad_x@first:0±0.01 --expect fixup:rms_x@last:0±0.01`") },
  { .id = "topic:statistics",
    .title = N_ ("Statistics over the seeds"),
    .summary = N_ ("Which mean is drawn, what the band is, and when a curve is called flat"),
    .text = N_ ("Each seed draws its own input and weights and gives one number for each quantity and block.\n\n"
                "- A **logarithmic axis** shows the geometric mean, with a band of one standard deviation of the "
                "logarithm, as a factor: ×/÷.\n- A **linear axis** shows the arithmetic mean, with a band of one "
                "standard deviation: ±.\n\n"
                "$$\\bar{y}_{\\mathrm{geo}} = 10^{\\operatorname{mean}(\\log_{10} y)}, \\quad \\bar{y} = "
                "\\operatorname{mean}(y)$$\n\n"
                "Sentence and read-out use the mean that the axis shows, and the sentence names it. Changes such "
                "as “to a quarter” are ratios of these means. A curve is called flat if its ends differ by less than "
                "1.25:1, or by no more than one standard deviation over the seeds.") },
  { .id = "topic:exponent",
    .title = N_ ("Exponent and law"),
    .summary = N_ ("How the Scaling view fits a power, and when it names a law"),
    .text = N_ ("The Scaling view measures one number at many depths or widths $x$ and fits\n\n"
                "$$y = c \\cdot x^{p}$$\n\n"
                "by least squares in logarithms, for each seed on its own. $p$ is the mean over the seeds, with half "
                "of Student’s interval of 95 %: points of one seed share weights, so that an interval from their "
                "residuals would be too narrow.\n\n"
                "Constant, $1/\\sqrt{x}$, $\\ln x$, $\\ln x/\\sqrt{x}$, $\\sqrt{x}$ and $x$ are compared by AICc "
                "with three laws that have a free number:\n\n"
                "- the power $x^{p}$;\n"
                "- the exponential, a factor for each block;\n"
                "- the stretched exponential $\\exp(\\pm\\sqrt{x/\\lambda})$.\n\n"
                "A law is named only if no other one fits as well; otherwise the answer is *cannot tell*. Over 2 to "
                "128, $\\ln x$ is about $x^{0.4}$: short ranges do not separate laws. If even the closest law is off "
                "by a tenth or more and by more than the seeds differ, *none of these laws fits*. A "
                "law that is off by less is named *with a small significant deviation*.\n\n"
                "## Claims\n\n"
                "A claim is consistent if the whole interval lies in what it accepts, not consistent if it lies "
                "outside, and cannot be decided otherwise. This is a statement about this range and these seeds, not "
                "a proof.") },
  { .id = "topic:minibatches",
    .title = N_ ("Gradients over minibatches"),
    .summary = N_ ("Noise of one minibatch, and what all minibatches agree on"),
    .text = N_ ("With several [minibatches](parameter:sampling.batches) each draw of the weights sees $M$ of them. "
                "The gradient of one is $g_{m}$, their mean $\\bar{g}$. Then\n\n"
                "$$E \\|\\bar{g}\\|^{2} = \\|E g\\|^{2} + \\frac{1}{M} \\operatorname{trace} \\, "
                "\\operatorname{Cov}(g)$$\n\n"
                "so the norm of the mean is too large because of the noise that is left. The "
                "[estimate](parameter:sampling.estimate) decides what is drawn. With random targets nearly all of a "
                "minibatch’s gradient is noise; with a text nearly all of it is expected.") },
  { .id = "topic:range",
    .title = N_ ("Beyond the range of a float"),
    .summary = N_ ("Overflow, underflow and exact zeros"),
    .text = N_ ("The engine computes in single precision, with sums of squares in double.\n\n"
                "**Vanishing and exploding gradients** are carried with a separate power of two, so that even a "
                "gradient of $10^{-300}$ is measured. The same holds for vanishing activations.\n\n"
                "**Overflow of the forward pass** is a result: the sentence names the block in which the activations "
                "leave the range, and everything behind it has no value.\n\n"
                "**Exact zeros.** Without residuals the tokens of a sequence become one vector, and the gradients of "
                "$W_{Q}$ and $W_{K}$ become exactly 0 once the tokens are equal bit for bit.") },
  { .id = "topic:method",
    .title = N_ ("How the numbers are confirmed"),
    .summary = N_ ("PyTorch, finite differences and adjoint identities"),
    .text = N_ ("The gradients agree with PyTorch in double precision, with finite differences, and with the adjoint "
                "identity of every operation. *Verify* in the main menu repeats these checks on your experiment; so "
                "does `normscope-cli verify`.\n\n"
                "Nothing here is trained. What the picture says about learning is what the first step can do, not "
                "where training ends.") },
  { .id = "topic:keys",
    .title = N_ ("Keys"),
    .summary = N_ ("Everything that the pointer does, a key does, too"),
    .text = N_ ("Ctrl+? opens the list of all keys. The most useful ones in a lecture:\n\n"
                "- ← and → in a plot move the crosshair from block to block.\n"
                "- L and K change an axis between linear and logarithmic.\n"
                "- Ctrl+1 shows Flow, Ctrl+2 Paths, Ctrl+3 Scaling.\n"
                "- Ctrl+Plus makes all text larger, Ctrl+0 normal again.\n"
                "- Ctrl+R draws new seeds, Ctrl+Z takes the last change back.\n"
                "- F9 hides the controls, F11 presents on the whole screen.\n"
                "- F1 on a control opens its page; Alt+← goes back to the page before, Escape closes help.") },
  { .id = "topic:files",
    .title = N_ ("Files and links"),
    .summary = N_ ("Experiments, pictures, tables and models"),
    .text = N_ ("An experiment is a JSON file, `.normscope`, with the keys that these pages name. A picture (PNG, SVG, "
                "PDF) contains its experiment: open it, or drop it on the window. So does a link, one line of text.\n\n"
                "The numbers leave as CSV, JSON or NumPy arrays, and as a PyTorch script that computes them again. A "
                "model’s `config.json` from Hugging Face opens as an experiment.") },
  { .id = "topic:command-line",
    .title = N_ ("At the command line"),
    .summary = N_ ("normscope-cli does everything without a display"),
    .text = N_ ("- `normscope-cli run FILE` prints the numbers of an experiment, `plot` draws it, `scaling` fits "
                "exponents and checks claims.\n"
                "- Every setting is an option: `--depth 48`, `--d-model 256`. Variants are `--variant post`, or with "
                "settings `--variant post:attn.residual=off`.\n"
                "- `normscope-cli COMMAND --help` lists the options, and `normscope-cli help PAGE` prints a page of "
                "this help: `normscope-cli help shape.depth`.") },
  { .id = NULL },
};

const NsHelpTopic ns_help_view_texts[] = {
  { .id = "flow",
    .text = N_ ("Above, a gradient norm for each block; below, the size of an activation; and when a residual is off, "
                "the [token similarity](quantity:token_cos) under both. Block $l$ stands under block $l$.\n\n"
                "The sentence under the plots says what the curves do, in numbers. Title and axis of each plot are "
                "choosers; *View* has the same choices in one place. See [reading the plots](topic:reading-plots).\n\n"
                "An encoder and a decoder stand side by side, the input of each at its left end.") },
  { .id = "depths",
    .text = N_ ("The gradients and the activations of the experiment at several depths, over the block as a share of "
                "the depth: 0 is the input and 1 the last block. Each variant keeps its colour, lighter in a shallower "
                "stack. What depends on the depth alone shows as a distance between the curves, what depends on the "
                "place in the stack as their common form.") },
  { .id = "scaling",
    .text = N_ ("Runs the experiment at many depths or widths and draws one number of each run, with the fitted "
                "[exponent](topic:exponent) of every variant: the gradient at the *first* or the *last* block, the "
                "largest, the *total* over all blocks, or the sum of *squares*, which is what a step of gradient "
                "descent takes off the loss.\n\n"
                "The cards below hold claims of papers. Each says whether your settings meet its assumptions, and "
                "compares it with the measurement; *Set Up* makes the settings meet them.\n\n"
                "$$\\mathrm{total} = \\sqrt{\\sum_{l} \\|g_{l}\\|^{2}}, \\quad \\mathrm{squares} = \\sum_{l} "
                "\\|g_{l}\\|^{2}$$") },
  { .id = "wiring",
    .text = N_ ("The block as a diagram: sub-layers, norms, additions, and the residual around each. A cut residual is "
                "off. “× L” is the depth. With an encoder and a decoder both blocks stand next to each other.") },
  { .id = "block",
    .text = N_ ("The wiring with measured values on its wires, for one block: the root mean square of the forward pass "
                "above a wire, the gradient norm below it, as geometric means over the seeds. A residual carries "
                "$a \\cdot \\partial L/\\partial z$ back, a branch takes $b \\cdot \\partial L/\\partial z$.") },
  { .id = "training",
    .text = N_ ("Real steps of an optimizer, from the initial weights on. A thin curve is the loss $L$ of each batch "
                "before its step, one for each seed; the thick one is the mean over the last steps and all seeds. "
                "Dashed lines say what a loss means: $\\ln V$ is that of a guess, the entropy of single tokens that of "
                "a model that knows only how often each token occurs, and the floor the lowest possible one, where it "
                "is known. A run that ends in NaN or infinity ends at a cross. Below is the learning rate $\\eta$ of "
                "each variant.") },
  { .id = "training-profile",
    .text = N_ ("The flow figure at a step of a training: gradient norms over activations, and the token similarity, "
                "by block. The first steps are recorded one by one, later ones at growing distances; shown is the last "
                "recorded step at or before the chosen one. A run that has ended in NaN or infinity before it is left "
                "out of the means.") },
  { .id = "training-map",
    .text = N_ ("A quantity of every block over the steps of a training, as a mean over the seeds: a geometric one "
                "where the scale of colours is logarithmic. The axis of steps is logarithmic, since most happens in "
                "the first ones, and counts from 1. The first steps are recorded one by one, later ones at growing "
                "distances; between them the last recorded value is shown. A run that has ended in NaN or infinity is "
                "left out from there on.\n\n"
                "A line marks the step of the slider. A click on a map moves it there.") },
  { .id = "coordinate-check",
    .text = N_ ("The sizes of what the model computes after none to four steps of training, over the width of the "
                "model: every branch, every sum before a norm, the scores of the attention and the logits. The "
                "experiment is trained at each width, its other settings being the same; the heads stay as many where "
                "they divide the width. Shown is the size that decides the verdict of its variant: the worst one.\n\n"
                "Where initialization and learning rates are scaled rightly with the width, the curves are flat: one "
                "step changes a wide model as much as a narrow one. With the standard scaling they rise, and the "
                "learning rate that suits a narrow model is too large for a wide one. The verdict is the exponent of "
                "the width after the last step, with its 95 percent interval over the seeds: flat within ±0.15. "
                "Scores and logits count only where they grow, and a fall that is there before the first step does "
                "not count: with μP their random part falls with the width. The size of the last block's output alone "
                "shows nothing where a norm ends the block (Yang et al. 2022, arXiv:2203.03466).") },
  { .id = "sensitivity",
    .text = N_ ("The loss at the end of a short training, for many learning rates (horizontally, the same for all "
                "variants) and several depths or warm-ups: the mean over the last steps of the worst, the mean or the "
                "best seed. A cross is a training that has diverged: it ended in NaN or infinity, or far above its "
                "first loss. A bar has stalled: from half of the steps on it stays within 5 percent of the entropy of "
                "single tokens, which a model has that knows only how often each occurs.\n\n"
                "A variant trains over a factor of $\\eta_{\\max}/\\eta_{\\min}$ of learning rates if all between "
                "them, without a gap, end within 5 percent of its best loss in that row, and below that entropy. The "
                "wider, the less a learning rate has to be searched for.") },
  { .id = "identity-path",
    .text = N_ ("The part $\\iota_{l}$ of the gradient that comes down through residuals and norms alone: its norm "
                "([identity](quantity:identity)), its share in the whole gradient "
                "([share](quantity:identity_share)), and how similar the whole gradient is to that at the last block "
                "([cosine](quantity:grad_cos)). In Pre-LN the identity path carries the loss gradient unchanged to "
                "every block; in Post-LN each norm scales it.") },
  { .id = "contributions",
    .text = N_ ("The output $x_{l}$ of a block is a sum of what the input and every sub-layer below have put into the "
                "stream, if the norms after an addition are held at the statistics of this run. The share of a part "
                "$c$ is $\\langle c, x_{l} \\rangle / \\|x_{l}\\|^{2}$. The shares of a block sum to 1; one below 0 "
                "points against the rest. A bar stands for each block: from its bottom the input, then attention and "
                "FFN of every block, those of older blocks lighter. In Post-LN each norm shrinks what is older, so "
                "that the last blocks write nearly all; in Pre-LN old parts stay.") },
  { .id = "gain",
    .text = N_ ("The factor $\\|J_{l \\to m}^{\\top} v\\| / \\|v\\|$ by which the norm of a random gradient $v$ at "
                "block $m$ changes on its way down to block $l$. Blue is shrunk, brown grown, and on the diagonal it "
                "is 1. Each number is a mean over several random gradients, and the read-out gives its standard "
                "error.") },
  { .id = "similarity",
    .text = N_ ("Cosines between the outputs $x_{l}$ and $x_{m}$ of any two blocks, or between the gradients there: 1 "
                "is the same direction, 0 nothing in common. Blocks that hardly change the stream form a bright "
                "square.") },
  { .id = "experts",
    .text = N_ ("Of every expert, block by block: its share of the tokens’ choices, or the gradient norm of its "
                "matrices. At initialization the router prefers some experts by chance, and the tokens of a sequence "
                "that has become one vector all choose the same; an expert that no token chooses has no gradient. "
                "Variants without experts are left out.") },
  { .id = "skip-branch",
    .text = N_ ("At every addition $z = a x + b F(x)$ of one kind of sub-layer: what the branch adds over what the "
                "residual carries, $\\|b F(x)\\| / \\|a x\\|$, and on the way down the gradient through the branch "
                "over the one along the residual, $\\|b J_{F}^{\\top} g\\| / \\|a g\\|$, $J_{F}$ with the norms before "
                "$F$ and on the branch. Below are the cosines of both pairs: at 0 the two are "
                "orthogonal. A sub-layer without its residual has none of these.") },
  { .id = "update",
    .text = N_ ("One step $\\theta' = \\theta - \\eta u$ of all parameters, with $u = g$ for SGD and $u = "
                "\\operatorname{sign} g$ for the first step of Adam. A second forward pass gives the change "
                "$\\|\\Delta x_{l}\\| / \\|x_{l}\\|$ of each block's output. The sentence adds the change of the "
                "head's input and of the loss, and says whether the step is so small that ten times a tenth of it is "
                "the same: then the curve for another $\\eta$ is this one times a factor.") },
  { .id = "lengths",
    .text = N_ ("The gradient $g$ at the input is a sum over paths, each of which runs at every addition through the "
                "residual or through the branch. $g^{(k)}$ is the sum over the paths of $k$ branches. Its share is "
                "$\\langle g^{(k)}, g \\rangle / \\|g\\|^{2}$; the shares sum to 1 and can be negative. Its norm "
                "$\\|g^{(k)}\\| / \\|g\\|$ is large where paths cancel each other. The line is at the mean length, "
                "the rings at the lengths up to which the shares reach 50 % and 90 %.\n\n"
                "In stacks deeper than 49 blocks the shares are estimated where the paths are long; the band is then "
                "the standard error of the estimate.") },
  { .id = NULL },
};
