/* A text with every kind of markup, for tests and pictures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#define SAMPLE_TEXT \
  "# The norm divides\n\n" \
  "A norm subtracts the mean and *divides by the deviation*, so the **length** of $x$ no longer matters: " \
  "$\\operatorname{LN}(a x) = \\operatorname{LN}(x)$ for $a > 0$. See [the norm's page](parameter:norm.kind), also " \
  "in `block.norm`.\n\n" \
  "$$\\operatorname{LN}(x)_i = \\frac{x_i - \\bar x}{\\sqrt{\\frac{1}{d} \\sum_{j=1}^{d} (x_j - \\bar x)^2 + " \
  "\\varepsilon}}$$\n\n" \
  "Its Jacobian shrinks what comes back:\n\n" \
  "$$\\left\\| J_{\\mathrm{LN}}(x) \\right\\|_2 = \\frac{\\sqrt{d}}{\\|x - \\bar x\\|}$$\n\n" \
  "## What Theorem 1 says\n\n" \
  "- Post-LN: $\\|\\partial \\tilde L / \\partial W^{2,L}\\|_F \\le O(d \\sqrt{\\ln d})$\n" \
  "- Pre-LN: $\\|\\partial \\tilde L / \\partial W^{2,L}\\|_F \\le O\\left(d \\sqrt{\\frac{\\ln d}{L}}\\right)$, " \
  "which is smaller by $1/\\sqrt{L}$ and only *an upper bound*\n" \
  "- $(1 + \\frac{l}{2}) d \\le E\\|x_l\\|^2 \\le (1 + \\frac{3l}{2}) d$ " \
  "and $\\hat y' = \\alpha_0 \\cdot 10^{-3}$\n\n" \
  "1. Drag the depth.\n2. Look at the last block, $l = L$.\n\n" \
  "$$\\max_{l} \\left( \\frac{2}{3} \\right)^{(L-l)/2} \\approx \\prod_{k=l}^{L} \\sqrt{\\frac{2}{3}}, \\quad " \
  "\\theta_i \\sim \\left[0, \\frac{1}{d}\\right] $$\n"
