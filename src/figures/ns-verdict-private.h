/* The parts of a verdict.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/ns-trend.h"

G_BEGIN_DECLS

typedef struct
{
  const NsResult *result;
  const NsExperiment *experiment;
  guint variant;
  NsPart part;
  gboolean overflows; /* in some seed */
  double log10_path;  /* of the identity path at the part's input; -INFINITY: there is none; NAN: not measured */
} NsWiringVerdict;

/* ---- trends (ns-verdict-trends.c) ---- */

/* Say what ‖∂L/∂x‖ does from the part's last block to its input, and rms x from the input to the last block, without a
 * capital and full stop; NULL where it is not measured. Caller frees. */
char *ns_verdict_dup_gradient (const NsWiringVerdict *verdict);
char *ns_verdict_dup_stream (const NsWiringVerdict *verdict);
/* Return TRUE if the gradient is 0 or not finite somewhere. */
gboolean ns_verdict_lacks_gradient (const NsWiringVerdict *verdict);

G_END_DECLS
