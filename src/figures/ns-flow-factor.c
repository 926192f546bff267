/* The line of a constant factor per block beside each curve of the flow figure.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-flow-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* y_l = y_L·f^(L − l), with L the last block of its part that has a number; straight on a logarithmic axis. */
static void
add_line (const NsFigure *figure, NsPanel *panel, const NsSeries *curve, const char *name, double factor)
{
  g_autoptr (GArray) x = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) y = g_array_new (FALSE, FALSE, sizeof (double));
  gboolean is_log = panel->scale == NS_AXIS_LOG10, has_end = FALSE;
  gsize end = 0;
  NsSeries *series;

  for (gsize i = curve->n; i-- > 0;)
    {
      double blocks, value;

      has_end = has_end
                && ns_figure_find_x_part (figure, curve->x[i]) == ns_figure_find_x_part (figure, curve->x[end]);
      if (!has_end && ns_series_get_mark (curve, i) != NS_MARK_NONE)
        continue;
      end = has_end ? end : i;
      has_end = TRUE;
      blocks = curve->x[end] - curve->x[i];
      value = is_log ? curve->y[end] + blocks * log10 (factor) : curve->y[end] * pow (factor, blocks);
      if (!isfinite (value))
        break;
      g_array_prepend_val (x, curve->x[i]);
      g_array_prepend_val (y, value);
    }
  if (x->len == 0)
    return;
  series = ns_panel_add_series (panel, name, NS_SERIES_LINE, curve->style, x->len, (const double *) x->data,
                                (const double *) y->data, NULL, NULL, NULL);
  series->role = NS_ROLE_REFERENCE;
  series->keeps_range = TRUE;
  series->has_color = curve->has_color;
  series->color = curve->color;
}

void
ns_flow_add_factor (const NsFigure *figure, NsPanel *panel, double factor)
{
  /* Translators: the name of a dashed line: a gradient that changes by this factor in every block */
  g_autofree char *name = g_strdup_printf (_ ("× %.6g per block"), factor);
  guint n = panel->series->len;

  /* It is the same for all, so that it is named once. */
  for (guint i = 0; i < n; i++)
    {
      const NsSeries *curve = g_ptr_array_index (panel->series, i);

      if (curve->role == NS_ROLE_DATA)
        add_line (figure, panel, curve, panel->series->len == n ? name : "", factor);
    }
}
