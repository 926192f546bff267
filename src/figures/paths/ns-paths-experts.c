/* Heat maps of the experts: how many tokens choose each, and the gradient of its matrices, block by block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/paths/ns-paths-experts.h"

#include "engine/experiment/ns-experiment.h"
#include "figures/ns-curve.h"
#include "figures/ns-format.h"
#include "figures/ns-titles.h"
#include "figures/paths/ns-paths-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

static NsPathsMap
get_experts_map (const NsPathsOptions *options)
{
  return options->experts == NS_EXPERTS_GRADIENT ? NS_MAP_EXPERT_GRAD : NS_MAP_EXPERT_LOAD;
}

static gint64
count_experts (const NsPathsLine *line)
{
  return ns_experiment_variant (line->experiment, line->variant)->experts.count;
}

NsExpertRange
ns_paths_get_expert_range (const NsPaths *paths, guint variant, gint64 part)
{
  const NsExperiment *experiment = ns_paths_get_experiment (paths);
  NsParts parts = ns_shape_get_parts (&experiment->shape);
  gint64 n = ns_experiment_variant (experiment, variant)->experts.count;
  NsExpertRange range = { { NAN, NAN }, { NAN, NAN } };

  for (gint64 site = ns_parts_get_input (&parts, part) + 1; site <= ns_parts_get_last (&parts, part); site++)
    for (gint64 e = 0; e < n; e++)
      {
        NsStat load, gradient;

        if (!ns_paths_get_stat (paths, variant, NS_MAP_EXPERT_LOAD, site, e, &load)
            || !ns_paths_get_stat (paths, variant, NS_MAP_EXPERT_GRAD, site, e, &gradient))
          continue;
        range.load[0] = fmin (range.load[0], load.mean); /* fmin() passes over NaN */
        range.load[1] = fmax (range.load[1], load.mean);
        range.log10_gradient[0] = fmin (range.log10_gradient[0], gradient.log10_mean);
        range.log10_gradient[1] = fmax (range.log10_gradient[1], gradient.log10_mean);
      }
  return range;
}

/* ---- the picture ---- */

/* Set the cells of a part's blocks, one row for each expert; return TRUE if there is a number. */
static gboolean
read_cells (const NsPathsLine *line, NsPathsMap map, NsAxisScale scale, double *value, guint8 *mark)
{
  gboolean found = FALSE;

  for (gint64 layer = 1; layer <= line->depth; layer++)
    for (gint64 e = 0; e < count_experts (line); e++)
      {
        gint64 cell = e * line->depth + layer - 1;
        NsStat stat;

        mark[cell] = NS_MARK_ABSENT;
        value[cell] = NAN;
        if (!ns_paths_get_stat (line->paths, line->variant, map, line->first + layer, e, &stat))
          continue;
        found = TRUE;
        value[cell] = ns_stat_summarize (&stat, ns_axis_get_mean (scale)).center;
        mark[cell] = isnan (value[cell])    ? NS_MARK_NAN
                     : !isinf (value[cell]) ? NS_MARK_NONE
                     : value[cell] > 0      ? NS_MARK_INF
                                            : NS_MARK_UNDERFLOW;
      }
  return found;
}

/* Add the map of a part of a variant with experts; return TRUE if it has a number. */
static gboolean
add_experts_map (const NsPathsLine *line, NsFigure *figure)
{
  gint64 n = count_experts (line), cells = n * line->depth;
  g_autofree double *x = g_new (double, line->depth), *y = g_new (double, n), *value = g_new (double, cells);
  g_autofree guint8 *mark = g_new (guint8, cells);
  g_autofree char *name = ns_paths_line_dup_name (line);
  NsHeatMap *map;

  if (n == 0 || !read_cells (line, get_experts_map (line->options), figure->colors->scale, value, mark))
    return FALSE;
  for (gint64 layer = 0; layer < line->depth; layer++)
    x[layer] = (double) (layer + 1);
  for (gint64 e = 0; e < n; e++)
    y[e] = (double) (e + 1);
  map = ns_panel_set_heat_map (ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR), name,
                               ns_paths_line_get_style (line), n, line->depth, y, x, value, mark);
  map->provisional = line->n_seeds < line->n_wanted;
  map->has_color = line->options->colors != NULL && line->options->has_color != NULL
                   && line->options->has_color[line->variant];
  if (map->has_color)
    map->color = line->options->colors[line->variant];
  return TRUE;
}

NsFigure *
ns_paths_make_experts (const NsFigureSource *source, const NsFigureOptions *options)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  gboolean is_grad = options->paths.experts == NS_EXPERTS_GRADIENT, found = FALSE, any = FALSE;
  NsFigure *figure = ns_figure_new ();
  NsColorScale *colors = ns_figure_set_colors (figure, NULL, is_grad ? NS_AXIS_LOG10 : NS_AXIS_LINEAR,
                                               NS_COLORS_SEQUENTIAL, 0);

  g_free (colors->title);
  colors->title = g_strdup (is_grad ? _ ("Gradient of each expert, ‖∂L/∂<i>θ<sub>e</sub></i>‖")
                                    : _ ("Load of each expert: its share of the tokens’ choices"));
  colors->accessible_title = g_strdup (is_grad ? _ ("Gradient norm of each expert") : _ ("Load of each expert"));
  colors->short_title = g_strdup (is_grad ? _ ("Gradient of each expert") : _ ("Load of each expert"));
  colors->symbol = g_strdup (is_grad ? "‖∂L/∂θₑ‖" : _ ("load"));
  figure->x_title = g_strdup (_ ("Block"));
  figure->x_name = g_strdup (_ ("block"));
  figure->y_title = g_strdup (_ ("Expert"));
  figure->y_name = g_strdup (_ ("expert"));
  figure->x_integers = TRUE;
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    {
      any |= count_experts (&line) > 0;
      found |= add_experts_map (&line, figure);
    }
  if (!found)
    ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR)->message
        = any ? ns_paths_dup_absence (&line) : g_strdup (_ ("No variant that is shown has experts"));
  ns_paths_finish_figure (figure, source, options, ns_paths_make_experts_sentence (source, options, NULL));
  return figure;
}

/* ---- the sentence and the read-out ---- */

static char *
dup_experts_clause (const NsPathsLine *line)
{
  NsExpertRange range = ns_paths_get_expert_range (line->paths, line->variant, line->part_index);
  gboolean is_grad = line->options->experts == NS_EXPERTS_GRADIENT;
  g_autofree char *name = ns_paths_line_dup_name (line), *low = NULL, *high = NULL;

  if (count_experts (line) == 0)
    return g_strdup_printf (_ ("%s has no experts."), name);
  if (isnan (range.load[0]))
    return g_strdup_printf (_ ("In %s the loads of the experts are not defined."), name);
  low = ns_paths_line_link (line, ns_format_log10 (is_grad ? range.log10_gradient[0] : log10 (range.load[0]), 3));
  high = ns_paths_line_link (line, ns_format_log10 (is_grad ? range.log10_gradient[1] : log10 (range.load[1]), 3));
  if (is_grad)
    return g_strdup_printf (_ ("In %s the gradient norms of the experts go from %s to %s."), name, low, high);
  /* Translators: a variant; shares of the tokens' choices; one over the number of experts */
  return g_strdup_printf (_ ("In %s the loads of the experts go from %s to %s; equal ones would be %.3g."), name, low,
                          high, 1 / (double) count_experts (line));
}

char *
ns_paths_make_experts_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  gboolean is_grad = options->paths.experts == NS_EXPERTS_GRADIENT;

  return ns_paths_dup_sentence (source, options, dup_experts_clause, "view:experts",
                                ns_mean_get_format (is_grad ? NS_MEAN_GEOMETRIC : NS_MEAN_ARITHMETIC), NULL, links);
}

NsReadout *
ns_paths_make_experts_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  gint64 block = isfinite (x) ? llround (x) : 1, expert = isfinite (y) ? llround (y) : 1;
  /* Translators: the numbers of a block and of an expert */
  NsReadout *readout = ns_readout_new (g_strdup_printf (_ ("Block %d · expert %d"), (int) block, (int) expert));

  ns_readout_add_column (readout, _ ("load"));
  ns_readout_add_column (readout, NULL);
  ns_readout_add_column (readout, "‖∂L/∂θₑ‖");
  ns_readout_add_column (readout, NULL);
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    if (count_experts (&line) > 0)
      {
        NsReadoutRow *row = ns_paths_add_part_row (readout, &line);
        gint64 site = line.first + block;
        NsStat stat;

        if (block < 1 || block > line.depth)
          continue;
        if (ns_paths_get_stat (line.paths, line.variant, NS_MAP_EXPERT_LOAD, site, expert - 1, &stat))
          row->cells[0] = ns_format_stat_parts (&stat, NS_MEAN_ARITHMETIC, &row->cells[1]);
        if (ns_paths_get_stat (line.paths, line.variant, NS_MAP_EXPERT_GRAD, site, expert - 1, &stat))
          row->cells[2] = ns_format_stat_parts (&stat, NS_MEAN_GEOMETRIC, &row->cells[3]);
      }
  return readout;
}
