/* The gradient at the input by the number of branches that its paths run through.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-text.h"
#include "figures/ns-curve.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/ns-titles.h"
#include "figures/paths/ns-paths-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* The axis ends where less than this is left of every curve's share. */
#define SHARE_BEYOND 1e-3
#define MIN_LENGTHS 8
#define NORM_WEIGHT 0.7

/* The quantiles of the length that are marked. */
static const double marked_quantiles[] = { 0.5, 0.9 };

static gint64
count_lengths (const NsPathsLine *line)
{
  gint64 rows, columns;

  ns_paths_get_size (line->paths, line->variant, NS_MAP_LENGTH_SHARE, &rows, &columns);
  return columns;
}

static double
get_mean (const NsPathsLine *line, NsPathsMap map, gint64 column)
{
  NsStat stat = { .mean = NAN };

  ns_paths_get_stat (line->paths, line->variant, map, line->part_index, column, &stat);
  return stat.mean;
}

static double
get_quantile (const NsPathsLine *line, double q)
{
  NsStat stat = { .mean = NAN };

  ns_paths_get_length_quantile (line->paths, line->variant, line->part_index, q, &stat);
  return stat.mean;
}

/* Return the last length that is worth drawing: no longer one of any variant has a share to speak of. */
static gint64
find_end (NsPathsLine line)
{
  gint64 end = 1;

  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    {
      gint64 k = count_lengths (&line) - 1, least = MIN (k, MIN_LENGTHS);

      while (k > least && !(fabs (get_mean (&line, NS_MAP_LENGTH_SHARE, k)) >= SHARE_BEYOND))
        k--;
      end = MAX (end, k);
    }
  return end;
}

/* The band of an estimated share is the standard error of its mean, in place of the spread over the seeds. */
static void
set_error_band (const NsPathsLine *line, NsPoints *points, gint64 k)
{
  double error = ns_paths_get_standard_error (line->paths, line->variant, NS_MAP_LENGTH_SHARE, line->part_index, k);
  guint last = points->y->len - 1;
  double y = g_array_index (points->y, double, last);

  g_array_index (points->low, double, last) = y - error;
  g_array_index (points->high, double, last) = y + error;
}

static NsSeries *
add_lengths_curve (const NsPathsLine *line, NsPanel *panel, NsPathsMap map, gint64 end)
{
  g_auto (NsPoints) points = ns_points_new ();
  const char *name = ns_experiment_variant (line->experiment, line->variant)->name;
  NsQuantityKind kind = map == NS_MAP_LENGTH_NORM ? NS_KIND_GRADIENT : NS_KIND_SHARE;
  gboolean is_exact = ns_paths_is_exact (line->paths, line->variant);
  gint64 n = MIN (count_lengths (line), end + 1);
  NsSeries *series;

  for (gint64 k = 0; k < n; k++)
    {
      NsStat stat;

      if (!ns_paths_get_stat (line->paths, line->variant, map, line->part_index, k, &stat))
        return NULL;
      ns_points_append (&points, &stat, kind, panel->scale, (double) k);
      if (!is_exact)
        set_error_band (line, &points, k);
    }
  series = ns_points_add (&points, panel, name, NS_SERIES_LINE, ns_paths_line_get_style (line),
                          line->options->band && (line->n_seeds > 1 || !is_exact));
  ns_paths_line_dress (line, series);
  return series;
}

/* Mark the mean length by a line, and the quantiles by rings on the curve. */
static void
add_marks (const NsPathsLine *line, NsPanel *panel, const NsSeries *series)
{
  int index = (int) panel->series->len - 1;
  double mean = get_mean (line, NS_MAP_LENGTH_MEAN, 0);

  if (isfinite (mean))
    ns_panel_add_annotation (panel, NS_ANNOTATION_LINE, index, mean, 0, NULL, -1);
  for (gsize i = 0; i < G_N_ELEMENTS (marked_quantiles); i++)
    {
      double length = get_quantile (line, marked_quantiles[i]);
      gint64 k = isfinite (length) ? llround (length) : -1;
      g_autofree char *text = ns_format_percent (marked_quantiles[i]);

      if (k >= 0 && (gsize) k < series->n && ns_series_get_mark (series, (gsize) k) == NS_MARK_NONE)
        ns_panel_add_annotation (panel, NS_ANNOTATION_POINT, index, (double) k, series->y[k], text, -1);
    }
}

/* Say what the bands are: of a line that is estimated its error, else the spread over the seeds. */
static void
set_lengths_subtitle (const NsPathsLine *first, NsPanel *panel, NsPart part, gboolean is_norm)
{
  NsPathsLine line = *first;
  g_autofree char *subtitle = NULL;
  gboolean is_estimated = FALSE;

  ns_panel_set_subtitle (panel, line.n_seeds, line.options->band);
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    is_estimated |= line.part == part && !ns_paths_is_exact (line.paths, line.variant);
  if (!is_estimated || is_norm)
    return;
  subtitle = g_steal_pointer (&panel->subtitle);
  /* Translators: after the scale and the statistic of a plot */
  panel->subtitle = g_strdup_printf (_ ("%s · estimated curves: ± standard error"), subtitle);
}

static void
set_titles (NsPanel *panel, NsPathsMap map, NsPart part)
{
  static const char *const titles[][3] = {
    { N_ ("Share of the paths of k branches in the gradient at the input, ⟨g⁽ᵏ⁾, g⟩/‖g‖²"),
      N_ ("Share of the paths of k branches in the gradient at the encoder's input, ⟨g⁽ᵏ⁾, g⟩/‖g‖²"),
      N_ ("Share of the paths of k branches in the gradient at the decoder's input, ⟨g⁽ᵏ⁾, g⟩/‖g‖²") },
    { N_ ("Gradient on the paths of k branches at the input, ‖g⁽ᵏ⁾‖/‖g‖"),
      N_ ("Gradient on the paths of k branches at the encoder's input, ‖g⁽ᵏ⁾‖/‖g‖"),
      N_ ("Gradient on the paths of k branches at the decoder's input, ‖g⁽ᵏ⁾‖/‖g‖") },
  };
  const char *title = _ (titles[map == NS_MAP_LENGTH_NORM][part]);

  panel->title = g_markup_escape_text (title, -1);
  panel->short_title = g_strdup (map == NS_MAP_LENGTH_NORM ? "‖g⁽ᵏ⁾‖/‖g‖" : "⟨g⁽ᵏ⁾, g⟩/‖g‖²");
  panel->accessible_title = g_strdup (title);
}

/* Add a panel with the curves of one part; without any it is left out. */
static void
add_lengths_panel (const NsPathsLine *first, NsFigure *figure, NsPathsMap map, NsPart part, gint64 end)
{
  NsPathsLine line = *first;
  gboolean is_norm = map == NS_MAP_LENGTH_NORM;
  gboolean is_log = is_norm && first->options->log_axis;
  NsPanel *panel = ns_figure_add_panel (figure, NULL, is_log ? NS_AXIS_LOG10 : NS_AXIS_LINEAR);

  set_titles (panel, map, part);
  set_lengths_subtitle (first, panel, part, is_norm);
  panel->weight = is_norm ? NORM_WEIGHT : 1;
  panel->has_fixed_scale = !is_norm;
  panel->zero_based = panel->scale == NS_AXIS_LINEAR;
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    {
      NsSeries *series = line.part == part ? add_lengths_curve (&line, panel, map, end) : NULL;

      if (series != NULL && !is_norm)
        add_marks (&line, panel, series);
    }
  if (panel->series->len == 0 && is_norm)
    g_ptr_array_remove (figure->panels, panel);
  else if (panel->series->len == 0)
    panel->message = ns_paths_dup_absence (first);
}

NsFigure *
ns_paths_make_lengths (const NsFigureSource *source, const NsFigureOptions *options)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  NsFigure *figure = ns_figure_new ();
  gint64 end = find_end (line), n_parts = ns_experiment_get_n_parts (line.experiment);

  figure->x_title = g_strdup (_ ("Branches on the path, k"));
  figure->x_name = g_strdup (_ ("Branches"));
  figure->x_scale = NS_AXIS_LINEAR;
  figure->x_integers = TRUE;
  figure->x_min = 0;
  figure->x_max = (double) end;
  for (gint64 p = 0; p < n_parts; p++)
    {
      add_lengths_panel (&line, figure, NS_MAP_LENGTH_SHARE, ns_experiment_get_part (line.experiment, p), end);
      add_lengths_panel (&line, figure, NS_MAP_LENGTH_NORM, ns_experiment_get_part (line.experiment, p), end);
    }
  ns_paths_finish_figure (figure, source, options, ns_paths_make_lengths_sentence (source, options, NULL));
  return figure;
}

/* ---- sentence ---- */

static char *
dup_lengths_clause (const NsPathsLine *line)
{
  double mean = get_mean (line, NS_MAP_LENGTH_MEAN, 0);
  double half = get_quantile (line, 0.5), most = get_quantile (line, 0.9);
  int n = (int) count_lengths (line) - 1;
  g_autofree char *name = ns_paths_line_dup_name (line);
  g_autofree char *number = ns_paths_line_link (line, ns_format_signed (mean, 3)), *at_half = NULL, *at_most = NULL;
  const char *format;

  if (!isfinite (mean))
    return g_strdup_printf (_ ("%s: the length of the gradient's paths is not defined."), name);
  if (!isfinite (half) || !isfinite (most))
    return g_strdup_printf (_ ("%s: the gradient at the input has run through %s of %d branches on average; paths of "
                               "different lengths cancel each other too much for quantiles."),
                            name, number, n);
  if (ns_paths_is_exact (line->paths, line->variant))
    /* Translators: a variant, two numbers of branches; then lengths */
    format = _ ("%s: the gradient at the input has run through %s of %d branches on average, half of it through at "
                "most %s, nine tenths through at most %s.");
  else
    format = _ ("%s: the gradient at the input has run through %s of %d branches on average; estimated: half of it "
                "through at most %s, nine tenths through at most %s.");
  at_half = ns_paths_line_link (line, g_strdup_printf ("%.0f", half));
  at_most = ns_paths_line_link (line, g_strdup_printf ("%.0f", most));
  return g_strdup_printf (format, name, number, n, at_half, at_most);
}

char *
ns_paths_make_lengths_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  return ns_paths_dup_sentence (source, options, dup_lengths_clause, "view:lengths",
                                N_ ("The numbers of branches are arithmetic means over %u seeds."), NULL, links);
}

/* ---- read-out ---- */

static void
fill_share (NsReadoutRow *row, guint column, const NsPathsLine *line, gint64 k)
{
  gboolean is_exact = ns_paths_is_exact (line->paths, line->variant);
  NsStat stat;

  if (!ns_paths_get_stat (line->paths, line->variant, NS_MAP_LENGTH_SHARE, line->part_index, k, &stat))
    return;
  row->cells[column] = ns_format_stat_parts (&stat, NS_MEAN_ARITHMETIC, &row->cells[column + 1]);
  if (!is_exact)
    {
      double error = ns_paths_get_standard_error (line->paths, line->variant, NS_MAP_LENGTH_SHARE, line->part_index, k);
      g_autofree char *number = ns_format_log10 (log10 (error), 2);

      g_free (row->cells[column + 1]);
      /* Translators: a standard error */
      row->cells[column + 1] = isfinite (error) ? g_strdup_printf (_ ("± %s (error)"), number) : NULL;
    }
}

NsReadout *
ns_paths_make_lengths_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  int k = (int) llround (MAX (x, 0));
  NsReadout *readout = ns_readout_new (g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%d branch", "%d branches",
                                                                     (gulong) k), k));

  ns_readout_add_column (readout, _ ("share"));
  ns_readout_add_column (readout, NULL);
  ns_readout_add_column (readout, "‖g⁽ᵏ⁾‖/‖g‖");
  ns_readout_add_column (readout, NULL);
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    {
      NsReadoutRow *row = ns_paths_add_part_row (readout, &line);
      NsStat stat;

      fill_share (row, 0, &line, k);
      if (ns_paths_get_stat (line.paths, line.variant, NS_MAP_LENGTH_NORM, line.part_index, k, &stat))
        row->cells[2] = ns_format_stat_parts (&stat, ns_paths_line_get_mean (&line), &row->cells[3]);
    }
  return readout;
}
