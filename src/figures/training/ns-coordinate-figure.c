/* The figure of a coordinate check, and its verdict in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/training/ns-coordinate-figure.h"

#include "engine/experiment/ns-experiment.h"
#include "figures/ns-curve.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/ns-titles.h"
#include "figures/training/ns-training-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stddef.h>

#define COORDINATE_PAGE "view:coordinate-check"
/* Curves in a panel; with more steps, some are left out. */
#define MAX_CURVES 6

const NsFigureOption ns_coordinate_options[] = {
  { .name = "widths",
    .help = N_ ("Widths to train at, such as 32,64,128 or 64..512:4; without them a quarter to the double of the "
                "experiment's own"),
    .title = N_ ("Widths"),
    .type = NS_FIGURE_OPTION_POINTS,
    .offset = offsetof (NsFigureOptions, widths) },
  { NULL },
};

/* Return curve i's number of steps; the first is 0, the last all of them. */
static guint
get_step (const NsCoordinateCheck *check, guint i, guint n_curves)
{
  return n_curves < 2 ? 0 : ns_coordinate_check_get_n_steps (check) * i / (n_curves - 1);
}

static void
add_curve (NsPanel *panel, const NsCoordinateCheck *check, guint variant, const NsCoordinate *size, guint step,
           int style)
{
  guint n_widths, n = 0;
  const gint64 *widths = ns_coordinate_check_get_widths (check, &n_widths);
  g_autofree double *values = g_new (double, 4 * n_widths);
  g_autofree guint8 *marks = g_new (guint8, n_widths);
  double *x = values, *y = x + n_widths, *low = y + n_widths, *high = low + n_widths;
  g_autofree char *name = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u step", "%u steps", step), step);
  guint n_seeds = (guint) ns_coordinate_check_get_experiment (check)->sampling.seeds;
  gboolean is_provisional = FALSE;
  NsStat stat;

  for (guint w = 0; w < n_widths; w++)
    if (ns_coordinate_check_get_stat (check, variant, size, w, step, &stat))
      {
        x[n] = log10 ((double) widths[w]);
        marks[n] = ns_stat_to_axis (&stat, NS_KIND_ACTIVATION, NS_AXIS_LOG10, &y[n], &low[n], &high[n]);
        is_provisional |= stat.n < n_seeds;
        n++;
      }
  if (n > 0)
    ns_panel_add_series (panel, name, NS_SERIES_LINE, style, n, x, y, n_seeds > 1 ? low : NULL,
                         n_seeds > 1 ? high : NULL, marks)
        ->provisional
        = is_provisional;
}

/* Return "Size of the FFN branch, block 4" in words. Caller frees. */
static char *
dup_size_name (const NsCoordinateCheck *check, const NsCoordinate *size)
{
  g_autofree char *place = ns_training_dup_site (ns_coordinate_check_get_experiment (check), size->site);

  if (ns_quantity_is_of_head (size->quantity))
    return g_strdup (_ (ns_quantity_info (size->quantity)->title));
  return g_strdup_printf ("%s, %s", _ (ns_quantity_info (size->quantity)->title), place);
}

static void
add_variant (NsFigure *figure, const NsCoordinateCheck *check, guint variant)
{
  const NsExperiment *experiment = ns_coordinate_check_get_experiment (check);
  const char *name = ns_experiment_variant (experiment, variant)->name;
  g_autofree char *escaped = g_markup_escape_text (name, -1);
  guint n_steps = ns_coordinate_check_get_n_steps (check), n_curves = MIN (n_steps + 1, MAX_CURVES);
  NsCoordinate worst = ns_coordinate_check_get_worst (check, variant, n_steps);
  g_autofree char *size = dup_size_name (check, &worst);
  NsPanel *panel = ns_figure_add_panel (figure, NULL, NS_AXIS_LOG10);

  panel->title = g_strdup_printf ("%s: %s", escaped, size);
  panel->short_title = g_strdup (escaped);
  panel->accessible_title = g_strdup_printf ("%s: %s", name, size);
  ns_panel_set_subtitle (panel, (guint) experiment->sampling.seeds, TRUE);
  for (guint i = 0; i < n_curves; i++)
    add_curve (panel, check, variant, &worst, get_step (check, i, n_curves), (int) i);
}

/* Give all panels axes of the same length in decades, so that their slopes can be compared. */
static void
share_scale (NsFigure *figure)
{
  double longest = 0;

  for (guint p = 0; p < figure->panels->len; p++)
    {
      NsPanel *panel = g_ptr_array_index (figure->panels, p);

      panel->min = INFINITY;
      panel->max = -INFINITY;
      for (guint i = 0; i < panel->series->len; i++)
        {
          const NsSeries *series = g_ptr_array_index (panel->series, i);

          for (gsize n = 0; n < series->n; n++)
            if (series->mark == NULL || series->mark[n] == NS_MARK_NONE)
              {
                panel->min = MIN (panel->min, series->y[n]);
                panel->max = MAX (panel->max, series->y[n]);
              }
        }
      longest = MAX (longest, panel->max - panel->min);
    }
  longest += 2 * MAX (0.08 * longest, 0.1);
  for (guint p = 0; p < figure->panels->len; p++)
    {
      NsPanel *panel = g_ptr_array_index (figure->panels, p);
      double middle = 0.5 * (panel->min + panel->max);

      panel->has_range = panel->min <= panel->max;
      panel->min = middle - 0.5 * longest;
      panel->max = middle + 0.5 * longest;
    }
}

static char *
dup_title (const NsCoordinateCheck *check)
{
  const NsExperiment *e = ns_coordinate_check_get_experiment (check);
  guint n_seeds = (guint) e->sampling.seeds;

  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "Coordinate check: depth %d, %d × %d tokens, %u seed",
                                       "Coordinate check: depth %d, %d × %d tokens, %u seeds", n_seeds),
                          (int) e->shape.depth, (int) e->shape.batch, (int) e->shape.seq_len, n_seeds);
}

NsFigure *
ns_coordinate_make_figure (const NsFigureSource *source, const NsFigureOptions *options)
{
  const NsCoordinateCheck *check = source->coordinates;
  NsFigure *figure = ns_figure_new ();
  guint n_widths, done = ns_coordinate_check_count_widths (check);
  const gint64 *widths = ns_coordinate_check_get_widths (check, &n_widths);

  for (guint v = 0; v < ns_coordinate_check_get_experiment (check)->variants->len; v++)
    if (ns_variant_is_visible (options->training.hidden, v))
      add_variant (figure, check, v);
  share_scale (figure);
  figure->x_title = g_strdup (_ ("Width d = d<sub>model</sub>"));
  figure->x_scale = NS_AXIS_LOG10;
  figure->x_integers = TRUE;
  figure->x_min = log10 ((double) widths[0]);
  figure->x_max = log10 ((double) widths[n_widths - 1]);
  if (done < n_widths)
    figure->note = g_strdup_printf (_ ("%u of %u widths"), done, n_widths);
  if (figure->panels->len == 0)
    ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR)->message
        = g_strdup (_ ("Every variant is hidden: show one in the list of variants."));
  if (options->training.titles)
    {
      figure->title = dup_title (check);
      figure->caption = ns_coordinate_make_sentence (source, options, NULL);
    }
  return figure;
}

/* ---- words ---- */

static char *
dup_verdict (const NsCoordinateCheck *check, guint variant)
{
  const char *name = ns_experiment_variant (ns_coordinate_check_get_experiment (check), variant)->name;
  NsCoordinate worst = ns_coordinate_check_get_worst (check, variant, ns_coordinate_check_get_n_steps (check));
  g_autofree char *p = ns_scaling_dup_exponent (&worst.exponent), *size = dup_size_name (check, &worst);

  switch (worst.verdict)
    {
    case NS_COORDINATES_FLAT:
      /* Translators: a variant, a size such as “Size of the FFN branch, block 4”, and an exponent */
      return g_strdup_printf (_ ("%s is flat: no size depends on the width. Farthest out: %s, exponent %s."), name,
                              size, p);
    case NS_COORDINATES_GROW:
      return g_strdup_printf (_ ("%s is not flat: it grows with the width. Worst: %s, exponent %s."), name, size, p);
    case NS_COORDINATES_SHRINK:
      return g_strdup_printf (_ ("%s is not flat: it falls with the width. Worst: %s, exponent %s."), name, size, p);
    case NS_COORDINATES_DIVERGED:
      return g_strdup_printf (_ ("%s has diverged at one of the widths."), name);
    case NS_COORDINATES_UNKNOWN:
    default:
      if (isfinite (worst.exponent.p))
        return g_strdup_printf (_ ("%s is not decided: %s, exponent %s; more seeds or widths would narrow it."), name,
                                size, p);
      return g_strdup_printf (_ ("%s has no exponent yet."), name);
    }
}

char *
ns_coordinate_make_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  const NsCoordinateCheck *check = source->coordinates;
  guint steps = ns_coordinate_check_get_n_steps (check);
  GString *text = g_string_new (NULL);

  for (guint v = 0; v < ns_coordinate_check_get_experiment (check)->variants->len; v++)
    if (ns_variant_is_visible (options->training.hidden, v))
      {
        g_autofree char *verdict = ns_link_mark (COORDINATE_PAGE, dup_verdict (check, v));

        g_string_append_printf (text, "%s\n", verdict);
      }
  if (text->len == 0)
    g_string_append (text, _ ("Every variant is hidden."));
  else
    g_string_append_printf (text,
                            g_dngettext (GETTEXT_PACKAGE,
                                         "Checked after %u step: every branch, every sum before a norm, the scores and "
                                         "the logits; flat: exponents within ±%.2f.",
                                         "Checked after %u steps: every branch, every sum before a norm, the scores "
                                         "and the logits; flat: exponents within ±%.2f.",
                                         steps),
                            steps, NS_COORDINATE_FLAT);
  return ns_links_resolve (g_string_free (text, FALSE), links);
}

/* ---- read-out ---- */

/* Return the width nearest to x. */
static guint
find_width (const NsCoordinateCheck *check, double x)
{
  guint n, nearest = 0;
  const gint64 *widths = ns_coordinate_check_get_widths (check, &n);

  for (guint w = 1; w < n; w++)
    if (fabs (log10 ((double) widths[w]) - x) < fabs (log10 ((double) widths[nearest]) - x))
      nearest = w;
  return nearest;
}

NsReadout *
ns_coordinate_make_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  const NsCoordinateCheck *check = source->coordinates;
  const NsExperiment *experiment = ns_coordinate_check_get_experiment (check);
  guint n_steps = ns_coordinate_check_get_n_steps (check), width = find_width (check, x), n_widths;
  guint n_curves = MIN (n_steps + 1, MAX_CURVES);
  long long d = ns_coordinate_check_get_widths (check, &n_widths)[width];
  NsReadout *readout = ns_readout_new (g_strdup_printf (_ ("Width %lld"), d));
  NsStat stat;

  (void) y;
  for (guint i = 0; i < n_curves; i++)
    {
      guint step = get_step (check, i, n_curves);
      g_autofree char *heading = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u step", "%u steps", step), step);

      ns_readout_add_column (readout, heading);
    }
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_variant_is_visible (options->training.hidden, v))
      {
        NsCoordinate worst = ns_coordinate_check_get_worst (check, v, n_steps);
        NsReadoutRow *row = ns_readout_add_row (readout, ns_experiment_variant (experiment, v)->name);

        row->style = ns_variant_get_style (options->training.styles, v);
        for (guint i = 0; i < n_curves; i++)
          if (ns_coordinate_check_get_stat (check, v, &worst, width, get_step (check, i, n_curves), &stat))
            row->cells[i] = ns_format_stat (&stat, NS_MEAN_GEOMETRIC);
      }
  return readout;
}
