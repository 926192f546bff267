/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/paths/normscope-paths-cursor.h"

#include <math.h>

#include "plot/ns-hit.h"

/* Return the last column of the heat maps: the block next to the loss. */
static double
get_last_column (const NsFigure *figure)
{
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;

      if (map != NULL && map->n_columns > 0)
        return map->x[map->n_columns - 1];
    }
  return NAN;
}

void
normscope_paths_cursor_show (NormscopePlot *plot, NormscopeSession *session, NsFigureKind figure)
{
  const NsFigure *shown = normscope_plot_get_figure (plot);
  double block = normscope_session_get_cursor (session), column = normscope_plot_get_cursor (plot);

  if (!ns_figure_info (figure)->by_block || shown == NULL)
    return;
  if (shown->colors == NULL || isnan (block))
    normscope_plot_set_cursor (plot, block);
  else
    normscope_plot_set_cell (plot, isnan (column) ? get_last_column (shown) : column,
                             ns_figure_nearest_y (shown, block));
}

void
normscope_paths_cursor_store (NormscopePlot *plot, NormscopeSession *session, NsFigureKind figure)
{
  const NsFigure *shown = normscope_plot_get_figure (plot);

  if (ns_figure_info (figure)->by_block && shown != NULL)
    normscope_session_set_cursor (session, shown->colors != NULL ? normscope_plot_get_cursor_y (plot)
                                                                 : normscope_plot_get_cursor (plot));
}
