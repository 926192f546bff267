/* How results and variants are shown: settings of the view, without influence on any number.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; no state.
 */
#pragma once

#include "figures/ns-flow.h"

G_BEGIN_DECLS

typedef struct
{
  NsQuantity gradient;
  NsQuantity activation;
  gboolean log_gradient;
  NsBarsAxis bars_axis;
  gboolean band;
  gboolean ghost; /* keep the curves before the last change as thin lines */
  gboolean predictions;
  double factor; /* of the dashed line per block; 0: none */
  NsTokenCosMode token_cos;
  double text_scale; /* 0.75 to 2 */
  guint memory_mib;  /* memory budget of the engines, from the next run on */
} NormscopeView;

/* How one variant is shown. */
typedef struct
{
  gboolean hidden;
  int style;          /* index in the palette, kept while other variants come and go */
  gboolean has_color; /* the user chose a colour */
  NsColor color;
} NormscopeVariantLook;

/* Set the defaults. */
void normscope_view_init (NormscopeView *view);
gboolean normscope_view_equal (const NormscopeView *a, const NormscopeView *b);
/* Compare looks as they appear: the colour counts only if it is used. */
gboolean normscope_variant_look_equal (const NormscopeVariantLook *a, const NormscopeVariantLook *b);

G_END_DECLS
