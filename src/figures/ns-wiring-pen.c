/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-wiring-private.h"

void
ns_wiring_wire (NsWiringPen *pen, double x0, double y0, double x1, double y1, NsWireFlags flags)
{
  const double xy[] = { x0, y0, x1, y1 };

  ns_diagram_add_wire (pen->diagram, 2, xy, flags);
}

double
ns_wiring_box_width (const char *text)
{
  return 0.75 + 0.44 * ns_diagram_count_letters (text);
}

void
ns_wiring_put_box (NsWiringPen *pen, double *x, double y, const char *text, int style)
{
  double width = ns_wiring_box_width (text);

  ns_diagram_add_box (pen->diagram, *x + width / 2, y, width, NS_WIRING_BOX_HEIGHT, text, style);
  *x += width + NS_WIRING_GAP;
}

const char *
ns_wiring_norm_name (const NsVariant *variant)
{
  static const char *const names[] = { "LN", "RMS", "DyT" };

  return names[variant->norm];
}

void
ns_wiring_put_norm (NsWiringPen *pen, double *x, double y)
{
  ns_wiring_put_box (pen, x, y, ns_wiring_norm_name (pen->variant), NS_WIRING_STYLE_NORM);
}

char *
ns_wiring_dup_factor (NsScale scale, const char *symbol)
{
  if (scale.rule != 0)
    return g_strdup_printf ("×%s", symbol);
  return scale.number == 1 ? NULL : g_strdup_printf ("×%.3g", scale.number);
}

void
ns_wiring_put_label (NsWiringPen *pen, double x, double y, char *text)
{
  if (text != NULL)
    ns_diagram_add_label (pen->diagram, x, y, text);
  g_free (text);
}
