/* Measured values on the wires of a block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/pass/ns-sub-layer.h"
#include "figures/ns-format.h"
#include "figures/ns-wiring-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define DIGITS     2
#define OFF_WIRE   0.48 /* from a wire to the middle of a value */
/* A wire of rms 1 has the thickness UNIT, and one of ten times that PER_DECADE more. */
#define UNIT       1.5
#define PER_DECADE 0.75
#define THINNEST   0.4
#define THICKEST   4.0

#define LEGEND_X    10.0
#define LEGEND_LINE 0.9

enum
{
  STYLE_FORWARD = -1,
  STYLE_GRADIENT = 1
};

/* log10 of a quantity's mean, times a factor; NAN where the variant does not have it. */
static double
measure (const NsWiringPen *pen, NsQuantity quantity, gint64 layer, double factor)
{
  const NsExperiment *experiment = ns_result_get_experiment (pen->result);
  gint64 site = ns_experiment_get_site (experiment, ns_experiment_get_part (experiment, pen->part), layer);
  NsStat stat;

  if (!ns_result_get_stat (pen->result, pen->index, quantity, site, &stat))
    return NAN;
  return stat.log10_mean + log10 (factor);
}

/* The quantities of the stream before a sub-layer, or after it: those of the block's ends, or within the block. */
static void
get_stream (const NsWiringPen *pen, NsSub sub, gboolean after, double *forward, double *backward)
{
  gboolean is_sequential = pen->variant->topology == NS_TOPOLOGY_SEQUENTIAL;
  gboolean has_cross = pen->part == 1;
  NsSub first = ns_variant_get_first_sub (pen->variant), last = ns_variant_get_last_sub (pen->variant);
  NsSub before = has_cross && sub == NS_SUB_FFN ? NS_SUB_CROSS : NS_SUB_ATTN;
  const NsSubLayer *inner = &ns_sub_layers[after ? sub : before];

  if (after ? sub == last : sub == first || !is_sequential)
    {
      gint64 layer = pen->layer - (after ? 0 : 1);

      *forward = measure (pen, NS_Q_RMS_X, layer, 1);
      *backward = measure (pen, NS_Q_GRAD_X, layer, 1);
      return;
    }
  *forward = measure (pen, inner->rms_y, pen->layer, 1);
  *backward = measure (pen, inner->grad_y, pen->layer, 1);
}

static void
put_value (NsWiringPen *pen, double x, double y, double log10_value, int style)
{
  g_autofree char *text = ns_format_log10 (log10_value, DIGITS);

  ns_diagram_add_styled_label (pen->diagram, x, y, text, style);
}

void
ns_wiring_put_values (NsWiringPen *pen, NsWiringSpot spot, NsSub sub, double x, double y)
{
  /* the sub-layers of a parallel block share their addition */
  NsQuantity grad_z = ns_sub_layers[pen->variant->topology == NS_TOPOLOGY_SEQUENTIAL ? sub : NS_SUB_ATTN].grad_z;
  double forward = NAN, backward = NAN, a;
  NsParts parts;

  if (pen->result == NULL)
    return;
  switch (spot)
    {
    case NS_WIRING_BEFORE:
    case NS_WIRING_AFTER:
      get_stream (pen, sub, spot == NS_WIRING_AFTER, &forward, &backward);
      break;
    case NS_WIRING_SHORTCUT: /* a·x forward, a·∂L/∂z backward */
      parts = ns_shape_get_parts (pen->shape);
      a = ns_variant_get_alpha (pen->variant, ns_parts_get_part (&parts, pen->part), pen->layer, &parts);
      get_stream (pen, sub, FALSE, &forward, &backward);
      forward += log10 (fabs (a));
      backward = measure (pen, grad_z, pen->layer, fabs (a));
      break;
    case NS_WIRING_BRANCH:
    default:
      forward = measure (pen, ns_sub_layers[sub].rms, pen->layer, 1);
      backward = measure (pen, grad_z, pen->layer, 1);
      break;
    }
  put_value (pen, x, y - OFF_WIRE, forward, STYLE_FORWARD);
  put_value (pen, x, y + OFF_WIRE, backward, STYLE_GRADIENT);
  pen->is_dead = forward == -INFINITY && backward == -INFINITY;
  if (!isnan (forward))
    ns_diagram_set_thickness (pen->diagram, CLAMP (UNIT + PER_DECADE * forward, THINNEST, THICKEST));
}

void
ns_wiring_measured_wire (NsWiringPen *pen, double x0, double y0, double x1, double y1, NsWireFlags flags)
{
  ns_wiring_wire (pen, x0, y0, x1, y1, flags | (pen->is_dead ? NS_WIRE_DEAD : NS_WIRE_PLAIN));
}

void
ns_wiring_end_values (NsWiringPen *pen)
{
  pen->is_dead = FALSE;
  ns_diagram_set_thickness (pen->diagram, 1);
}

void
ns_wiring_put_legend (NsDiagram *diagram, double y)
{
  const char *forward = _ ("above a wire: root mean square of the activations");
  const char *gradient = _ ("below a wire: norm of their gradient");

  ns_diagram_add_styled_label (diagram, LEGEND_X, y, forward, STYLE_FORWARD);
  ns_diagram_add_styled_label (diagram, LEGEND_X, y + LEGEND_LINE, gradient, STYLE_GRADIENT);
}
