/* Heat maps over pairs of blocks: the gain of a random gradient, and similarities.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-curve.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/ns-titles.h"
#include "figures/paths/ns-paths-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Cosines down to this are drawn on a scale from 0: two directions can point apart by chance. */
#define NEGATIVE_COS (-0.1)

/* ---- cells ---- */

/* Set the cell of row l and column m; without a number it is absent. */
static guint8
read_cell (const NsPathsLine *line, NsPathsMap map, gint64 l, gint64 m, NsAxisScale scale, double *value)
{
  NsStat stat;

  *value = NAN;
  if (!ns_paths_get_stat (line->paths, line->variant, map, l, m, &stat))
    return NS_MARK_ABSENT;
  *value = ns_stat_summarize (&stat, ns_axis_get_mean (scale)).center;
  if (isnan (*value))
    return NS_MARK_NAN;
  return !isinf (*value) ? NS_MARK_NONE : *value > 0 ? NS_MARK_INF : NS_MARK_UNDERFLOW;
}

/* Add the variant's map, if it has a number; return TRUE then. */
static gboolean
add_blocks_map (const NsPathsLine *line, NsFigure *figure, NsPathsMap map)
{
  gint64 n = ns_experiment_get_head_site (line->experiment), n_cells = n * n;
  g_autofree double *x = g_new (double, n), *value = g_new (double, n_cells);
  g_autofree guint8 *mark = g_new (guint8, n_cells);
  gboolean found = FALSE;
  NsHeatMap *heat_map;

  for (gint64 site = 0; site < n; site++)
    x[site] = (double) ns_flow_get_site_x (line->experiment, site);
  for (gint64 l = 0; l < n && !ns_progress_is_cancelled (line->progress); l++)
    for (gint64 m = 0; m < n; m++)
      {
        gint64 cell = l * n + m;

        mark[cell] = read_cell (line, map, l, m, figure->colors->scale, &value[cell]);
        found |= mark[cell] != NS_MARK_ABSENT;
      }
  if (!found || ns_progress_is_cancelled (line->progress))
    return FALSE;
  heat_map = ns_panel_set_heat_map (ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR),
                                    ns_experiment_variant (line->experiment, line->variant)->name,
                                    ns_paths_line_get_style (line), n, n, x, x, value, mark);
  heat_map->provisional = line->n_seeds < line->n_wanted;
  heat_map->has_color = line->options->colors != NULL && line->options->has_color != NULL
                        && line->options->has_color[line->variant];
  if (heat_map->has_color)
    heat_map->color = line->options->colors[line->variant];
  return TRUE;
}

static double
find_least (const NsFigure *figure)
{
  double least = INFINITY;

  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;

      least = map != NULL ? MIN (least, map->least) : least;
    }
  return least;
}

static void
add_parts (NsFigure *figure, const NsExperiment *experiment)
{
  for (gint64 p = 0; p < ns_experiment_get_n_parts (experiment) && ns_experiment_get_n_parts (experiment) > 1; p++)
    {
      NsPart part = ns_experiment_get_part (experiment, p);
      gboolean is_encoder = part == NS_PART_ENCODER;
      const char *name = is_encoder ? _ ("Encoder") : _ ("Decoder");
      const char *title = is_encoder ? _ ("Encoder block") : _ ("Decoder block");
      double start = (double) ns_flow_get_x (experiment, p, 0);
      double end = start + (double) ns_experiment_get_depth (experiment, part);

      ns_figure_add_x_part (figure, name, title, start, end, start);
      ns_figure_add_y_part (figure, name, title, start, end, start);
    }
}

/* Make a figure of a panel for each variant, whose axes and scale of colours are set already. */
static void
add_maps (NsFigure *figure, const NsPathsLine *first, NsPathsMap map)
{
  NsPathsLine line = *first;
  gboolean found = FALSE;

  figure->x_integers = figure->square_cells = TRUE;
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    found |= line.part_index == 0 && add_blocks_map (&line, figure, map);
  if (!found)
    ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR)->message = ns_paths_dup_absence (first);
  add_parts (figure, first->experiment);
}

/* ---- the gain ---- */

/* "4 random gradients at each block" */
static char *
dup_probes (const NsPathsLine *line)
{
  guint n = ns_paths_get_settings (line->paths)->n_probes;

  /* Translators: how many probes each number of the gain map is a mean of */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u random gradient for each block and seed",
                                       "%u random gradients for each block and seed", n),
                          n);
}

static char *
dup_statistic (const NsPathsLine *line, NsAxisScale scale)
{
  guint n = MAX (line->n_seeds, 1);

  if (n == 1)
    return g_strdup (_ ("1 seed"));
  if (scale == NS_AXIS_LOG10)
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "geometric mean of %u seed", "geometric mean of %u seeds", n),
                            n);
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "mean of %u seed", "mean of %u seeds", n), n);
}

NsFigure *
ns_paths_make_gain (const NsFigureSource *source, const NsFigureOptions *options)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  NsFigure *figure = ns_figure_new ();
  NsColorScale *colors = ns_figure_set_colors (figure, NULL, NS_AXIS_LOG10, NS_COLORS_DIVERGING, 0);
  g_autofree char *statistic = dup_statistic (&line, NS_AXIS_LOG10), *probes = dup_probes (&line);

  g_free (colors->title);
  colors->title = g_strdup (_ ("Gain of a random gradient from block <i>m</i> down to block <i>l</i>, "
                               "‖J<sub><i>l→m</i></sub>ᵀ<i>v</i>‖/‖<i>v</i>‖"));
  colors->accessible_title = g_strdup (_ ("Gain of a random gradient from block m down to block l"));
  colors->short_title = g_strdup (_ ("Gain from block <i>m</i> to <i>l</i>"));
  colors->symbol = g_strdup (_ ("gain"));
  /* Translators: the statistic, the number of probes */
  colors->subtitle = g_strdup_printf ("%s · %s", statistic, probes);
  figure->x_title = g_strdup (_ ("Gradient drawn at block <i>m</i>"));
  figure->x_name = g_strdup (_ ("m"));
  figure->y_title = g_strdup (_ ("Measured at block <i>l</i>"));
  figure->y_name = g_strdup (_ ("l"));
  add_maps (figure, &line, NS_MAP_GAIN);
  ns_paths_add_marks (&(NsPathsMarked){ figure, NS_FIGURE_GAIN, line.experiment, NULL, 0 }, &options->paths);
  ns_paths_finish_figure (figure, source, options, ns_paths_make_gain_sentence (source, options, NULL));
  return figure;
}

/* Return the layer that the sentence is about: the first block, or of a stack of one block its input. */
static gint64
get_low_layer (const NsPathsLine *line)
{
  return line->depth > 1 ? 1 : 0;
}

static char *
dup_gain_clause (const NsPathsLine *line)
{
  gint64 l = line->first + get_low_layer (line);
  g_autofree char *name = ns_paths_line_dup_name (line), *number = NULL, *percent = NULL;
  g_autofree char *place = get_low_layer (line) == 1 ? g_strdup (_ ("block 1")) : g_strdup (_ ("the input"));
  NsStat stat = { .mean = NAN, .log10_mean = NAN };
  double error;

  ns_paths_get_stat (line->paths, line->variant, NS_MAP_GAIN, l, line->last, &stat);
  error = ns_paths_get_standard_error (line->paths, line->variant, NS_MAP_GAIN, l, line->last);
  number = ns_paths_line_link (line, ns_format_log10 (stat.log10_mean, 3));
  if (stat.n > 0 && stat.n_zero == stat.n)
    return g_strdup_printf (_ ("In %s nothing of a random gradient at block %d reaches %s."), name, (int) line->depth,
                            place);
  if (!isfinite (stat.log10_mean))
    return g_strdup_printf (_ ("In %s the gain from block %d to %s is not defined."), name, (int) line->depth, place);
  percent = ns_paths_line_link (line, ns_format_percent (error / stat.mean));
  if (!isfinite (error))
    return g_strdup_printf (_ ("In %s a random gradient at block %d reaches %s with %s times its norm."), name,
                            (int) line->depth, place, number);
  /* Translators: a variant, a block, "block 1", a gain, its standard error as "2 %" */
  return g_strdup_printf (_ ("In %s a random gradient at block %d reaches %s with %s times its norm (standard error "
                             "%s)."),
                          name, (int) line->depth, place, number, percent);
}

char *
ns_paths_make_gain_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  g_autofree char *probes = dup_probes (&line);
  char *after = line.n_seeds > 0 ? g_strdup_printf ("%s.", probes) : NULL;

  return ns_paths_dup_sentence (source, options, dup_gain_clause, "view:gain", ns_mean_get_format (NS_MEAN_GEOMETRIC),
                                after, links);
}

/* ---- similarity ---- */

static NsPathsMap
get_similarity_map (const NsPathsOptions *options)
{
  return options->similarity == NS_SIMILARITY_GRAD ? NS_MAP_COS_G : NS_MAP_COS_X;
}

NsFigure *
ns_paths_make_similarity (const NsFigureSource *source, const NsFigureOptions *options)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  gboolean is_grad = options->paths.similarity == NS_SIMILARITY_GRAD;
  NsFigure *figure = ns_figure_new ();
  NsColorScale *colors = ns_figure_set_colors (figure, NULL, NS_AXIS_LINEAR, NS_COLORS_SEQUENTIAL, 0);
  g_autofree char *statistic = dup_statistic (&line, NS_AXIS_LINEAR);

  g_free (colors->title);
  colors->title = g_strdup (is_grad
                                ? _ ("Similarity of the gradients at two blocks, cos (∂L/∂<i>x<sub>l</sub></i>, "
                                     "∂L/∂<i>x<sub>m</sub></i>)")
                                : _ ("Similarity of the outputs of two blocks, cos (<i>x<sub>l</sub></i>, "
                                     "<i>x<sub>m</sub></i>)"));
  colors->accessible_title = g_strdup (is_grad ? _ ("Similarity of the gradients at two blocks")
                                               : _ ("Similarity of the outputs of two blocks"));
  colors->short_title = g_strdup (is_grad ? _ ("Similarity of gradients") : _ ("Similarity of outputs"));
  colors->symbol = g_strdup ("cos");
  colors->subtitle = g_strdup (statistic);
  figure->x_title = g_strdup (_ ("Block <i>m</i>"));
  figure->x_name = g_strdup (_ ("m"));
  figure->y_title = g_strdup (_ ("Block <i>l</i>"));
  figure->y_name = g_strdup (_ ("l"));
  add_maps (figure, &line, get_similarity_map (&options->paths));
  ns_paths_add_marks (&(NsPathsMarked){ figure, NS_FIGURE_SIMILARITY, line.experiment, NULL, 0 }, &options->paths);
  if (find_least (figure) < NEGATIVE_COS)
    colors->kind = NS_COLORS_DIVERGING;
  colors->has_range = TRUE;
  colors->min = colors->kind == NS_COLORS_DIVERGING ? -1 : 0;
  colors->max = 1;
  ns_paths_finish_figure (figure, source, options, ns_paths_make_similarity_sentence (source, options, NULL));
  return figure;
}

static char *
dup_similarity_clause (const NsPathsLine *line)
{
  gboolean is_grad = line->options->similarity == NS_SIMILARITY_GRAD;
  g_autofree char *name = ns_paths_line_dup_name (line), *number = NULL;
  g_autofree char *place = get_low_layer (line) == 1 ? g_strdup (_ ("block 1")) : g_strdup (_ ("the input"));
  NsStat stat = { .mean = NAN };
  int depth = (int) line->depth;

  ns_paths_get_stat (line->paths, line->variant, get_similarity_map (line->options), line->first + get_low_layer (line),
                     line->last, &stat);
  number = ns_paths_line_link (line, ns_format_cosine (stat.mean));
  if (!isfinite (stat.mean))
    /* Translators: a variant, "block 1", a block */
    return is_grad ? g_strdup_printf (_ ("In %s the similarity of the gradients at %s and at block %d is not defined."),
                                      name, place, depth)
                   : g_strdup_printf (_ ("In %s the similarity of %s and the output of block %d is not defined."), name,
                                      place, depth);
  if (is_grad)
    return g_strdup_printf (_ ("In %s the gradients at %s and at block %d have a cosine of %s."), name, place, depth,
                            number);
  return get_low_layer (line) == 1
             ? g_strdup_printf (_ ("In %s the outputs of block 1 and of block %d have a cosine of %s."), name, depth,
                                number)
             : g_strdup_printf (_ ("In %s the input and the output of block %d have a cosine of %s."), name, depth,
                                number);
}

char *
ns_paths_make_similarity_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  return ns_paths_dup_sentence (source, options, dup_similarity_clause, "view:similarity",
                                ns_mean_get_format (NS_MEAN_ARITHMETIC), NULL, links);
}

/* ---- read-outs ---- */

/* Return the table with its place, "From block 12 to block 3" or "Block 3 · Block 12", and the cell's sites. */
static NsReadout *
find_cell (const NsPathsLine *line, double x, double y, const char *format, gint64 *l, gint64 *m)
{
  NsPlace column = ns_flow_get_place (line->experiment, isfinite (x) ? x : 0);
  NsPlace row = ns_flow_get_place (line->experiment, isfinite (y) ? y : 0);
  g_autofree char *from = ns_flow_dup_place (&column), *to = ns_flow_dup_place (&row);

  *m = ns_experiment_get_site (line->experiment, column.part, column.block);
  *l = ns_experiment_get_site (line->experiment, row.part, row.block);
  return ns_readout_new (g_strdup_printf (format, from, to));
}

NsReadout *
ns_paths_make_gain_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  gint64 l, m;
  /* Translators: two blocks, the gradient comes from the first down to the second */
  NsReadout *readout = find_cell (&line, x, y, _ ("%s → %s"), &l, &m);

  ns_readout_add_column (readout, _ ("gain"));
  ns_readout_add_column (readout, NULL);
  ns_readout_add_column (readout, _ ("standard error"));
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    if (line.part_index == 0)
      {
        NsReadoutRow *row = ns_paths_add_variant_row (readout, &line);
        double error = ns_paths_get_standard_error (line.paths, line.variant, NS_MAP_GAIN, l, m);
        NsStat stat;

        if (!ns_paths_get_stat (line.paths, line.variant, NS_MAP_GAIN, l, m, &stat))
          continue;
        row->cells[0] = ns_format_stat_parts (&stat, NS_MEAN_GEOMETRIC, &row->cells[1]);
        row->cells[2] = isfinite (error) ? ns_format_log10 (log10 (error), 2) : NULL;
      }
  return readout;
}

NsReadout *
ns_paths_make_similarity_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  gint64 l, m;
  NsReadout *readout = find_cell (&line, x, y, "%s · %s", &l, &m);

  ns_readout_add_column (readout, "cos");
  ns_readout_add_column (readout, NULL);
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    if (line.part_index == 0)
      {
        NsReadoutRow *row = ns_paths_add_variant_row (readout, &line);
        NsStat stat;

        if (ns_paths_get_stat (line.paths, line.variant, get_similarity_map (&options->paths), l, m, &stat))
          row->cells[0] = ns_format_stat_parts (&stat, NS_MEAN_ARITHMETIC, &row->cells[1]);
      }
  return readout;
}
