/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-depths.h"

#include "figures/ns-curve.h"
#include "figures/ns-flow-private.h"
#include "figures/ns-format.h"
#include "figures/ns-titles.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* The x of a decoder's input, when its encoder's blocks are at 0..1. */
#define DECODER_X 1.2

static const NsExperiment *
get_experiment_at (const GPtrArray *results, guint index)
{
  return ns_result_get_experiment (g_ptr_array_index (results, index));
}

/* Collect a quantity over x = l / L. */
static NsPoints
collect_relative (const NsResult *result, guint variant, NsQuantity quantity, NsAxisScale scale)
{
  NsPoints points = ns_points_new ();
  const NsExperiment *experiment = ns_result_get_experiment (result);

  for (gint64 p = 0; p < ns_experiment_get_n_parts (experiment); p++)
    {
      NsPart part = ns_experiment_get_part (experiment, p);
      gint64 depth = ns_experiment_get_depth (experiment, part);

      for (gint64 layer = 0; layer <= depth; layer++)
        {
          NsStat stat;

          if (ns_result_get_stat (result, variant, quantity, ns_experiment_get_site (experiment, part, layer), &stat))
            ns_points_append (&points, &stat, ns_quantity_info (quantity)->kind, scale,
                              DECODER_X * (double) p + (double) layer / (double) depth);
        }
    }
  return points;
}

static void
add_depth_curve (NsPanel *panel, const GPtrArray *results, guint index, guint variant, NsQuantity quantity,
                 const NsFlowOptions *options)
{
  const NsExperiment *experiment = get_experiment_at (results, index);
  g_auto (NsPoints) points
      = collect_relative (g_ptr_array_index (results, index), variant, quantity, panel->scale);
  g_autofree char *name = NULL;
  NsSeries *series;

  if (points.x->len == 0)
    return;
  /* Translators: the name of a curve: a variant, the number of its blocks */
  name = g_strdup_printf (_ ("%s, %d"), ns_experiment_variant (experiment, variant)->name,
                          (int) experiment->shape.depth);
  series = ns_points_add (&points, panel, name, NS_SERIES_LINE, ns_variant_get_style (options->styles, variant), FALSE);
  series->lightness = 1 - (double) (index + 1) / results->len;
  ns_series_set_variant_color (series, options->colors, options->has_color, variant);
}

static void
add_depths_panel (NsFigure *figure, const GPtrArray *results, NsQuantity quantity, NsAxisScale scale,
                  const NsFlowOptions *options)
{
  const NsExperiment *experiment = get_experiment_at (results, 0);
  NsPanel *panel = ns_figure_add_panel (figure, NULL, scale);

  ns_panel_set_titles (panel, quantity, NULL, NULL);
  ns_panel_set_subtitle (panel, ns_result_get_n_seeds (g_ptr_array_index (results, 0)), FALSE);
  ns_panel_add_estimate (panel, quantity, &experiment->sampling);
  panel->has_fixed_scale = !ns_quantity_has_log10 (quantity);
  panel->zero_based = scale == NS_AXIS_LINEAR;
  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint i = 0; i < results->len && ns_flow_is_visible (options, v); i++)
      add_depth_curve (panel, results, i, v, quantity, options);
  if (panel->series->len == 0)
    panel->message = g_strdup_printf (_ ("No visible variant has %s: choose another quantity."),
                                      ns_quantity_info (quantity)->symbol);
}

/* Return "6, 12, 24". */
static char *
dup_depths (const GPtrArray *results)
{
  GString *depths = g_string_new (NULL);

  for (guint i = 0; i < results->len; i++)
    g_string_append_printf (depths, "%s%d", i > 0 ? ", " : "", (int) get_experiment_at (results, i)->shape.depth);
  return g_string_free (depths, FALSE);
}

NsFigure *
ns_depths_figure (const GPtrArray *results, const NsFlowOptions *options)
{
  const NsResult *deepest;
  NsFigure *figure;

  g_return_val_if_fail (results != NULL && results->len > 0 && options != NULL, NULL);

  deepest = g_ptr_array_index (results, results->len - 1);
  figure = ns_figure_new ();
  /* Translators: under an axis: where the input is, and where the loss */
  figure->x_title = g_strdup (_ ("← input · Block / depth · loss →"));
  figure->x_name = g_strdup (_ ("Block / depth"));
  figure->x_scale = NS_AXIS_LINEAR;
  if (ns_experiment_get_n_parts (get_experiment_at (results, 0)) == 2)
    {
      ns_figure_add_x_part (figure, _ ("Encoder"), _ ("Encoder: block / depth"), 0, 1, 0);
      ns_figure_add_x_part (figure, _ ("Decoder"), _ ("Decoder: block / depth"), DECODER_X, DECODER_X + 1, DECODER_X);
    }
  add_depths_panel (figure, results, options->gradient, ns_flow_get_scale (deepest, options, options->gradient),
                    options);
  add_depths_panel (figure, results, options->activation, ns_flow_get_scale (deepest, options, options->activation),
                    options);
  if (options->titles)
    {
      const NsShape *shape = &get_experiment_at (results, 0)->shape;
      g_autofree char *depths = dup_depths (results);

      /* Translators: the title of an exported figure; %s are several depths */
      figure->title = g_strdup_printf (_ ("At initialization: depths %s, d_model %d, %d × %d tokens"), depths,
                                       (int) shape->d_model, (int) shape->batch, (int) shape->seq_len);
      figure->caption = ns_depths_sentence (results, options);
    }
  return figure;
}

char *
ns_depths_sentence (const GPtrArray *results, const NsFlowOptions *options)
{
  const NsExperiment *experiment;
  NsAxisScale scale;
  GString *lines = g_string_new (NULL);

  g_return_val_if_fail (results != NULL && results->len > 0 && options != NULL, g_string_free (lines, FALSE));

  experiment = get_experiment_at (results, 0);
  scale = ns_flow_get_scale (g_ptr_array_index (results, 0), options, options->gradient);
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autoptr (GString) ratios = g_string_new (NULL);

      for (guint i = 0; i < results->len && ns_flow_is_visible (options, v); i++)
        {
          g_auto (NsPoints) points
              = collect_relative (g_ptr_array_index (results, i), v, options->gradient, scale);
          const double *x = (const double *) points.x->data, *y = (const double *) points.y->data;
          const guint8 *mark = (const guint8 *) points.mark->data;
          double input = DECODER_X * (double) (ns_experiment_get_n_parts (experiment) - 1); /* of the last part */
          guint n = points.y->len, first = 0;
          g_autofree char *ratio = NULL;

          while (first < n && x[first] <= input)
            first++;
          if (n < first + 2 || mark[first] != NS_MARK_NONE || mark[n - 1] != NS_MARK_NONE)
            continue;
          ratio = ns_format_log10 (scale == NS_AXIS_LOG10 ? y[n - 1] - y[first] : log10 (y[n - 1] / y[first]), 3);
          g_string_append (ratios, ratios->len > 0 ? ", " : "");
          /* Translators: a ratio, and the depth at which it was measured */
          g_string_append_printf (ratios, _ ("%s at depth %d"), ratio,
                                  (int) get_experiment_at (results, i)->shape.depth);
        }
      if (ratios->len == 0)
        continue;
      g_string_append (lines, lines->len > 0 ? "\n" : "");
      /* Translators: a variant, then ratios: "Pre-LN, last block relative to the first: 0.48 at depth 6, …" */
      g_string_append_printf (lines, _ ("%s, last block relative to the first: %s."),
                              ns_experiment_variant (experiment, v)->name, ratios->str);
    }
  return g_string_free (lines, FALSE);
}
