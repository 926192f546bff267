/* The flow figure: gradient norms by block over activation magnitudes by block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "figures/ns-curve.h"
#include "figures/ns-flow-private.h"
#include "figures/ns-titles.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Two tokens can point apart by chance; a similarity below this needs the lower half of the axis. */
#define NEGATIVE_COS (-0.05)

/* The height of the similarity's panel, as a share of the others'. */
#define TOKEN_COS_WEIGHT 0.6

typedef struct
{
  const NsResult *result, *ghost;
  const NsFlowOptions *options;
} Flow;

/* Collect one quantity of one variant, with its x on the axis of the experiment `axis`: the result's own, or for a
 * ghost the current one. Blocks and parts that `axis` lacks are left out, so that the ghost of a deeper stack does not
 * stretch it. */
static NsPoints
points_collect (const NsResult *result, guint variant, NsQuantity quantity, NsAxisScale scale,
                const NsExperiment *axis)
{
  NsPoints points = ns_points_new ();
  const NsExperiment *experiment = ns_result_get_experiment (result);
  NsQuantityKind kind = ns_quantity_info (quantity)->kind;
  gint64 n_parts = MIN (ns_experiment_get_n_parts (experiment), ns_experiment_get_n_parts (axis));

  for (gint64 p = 0; p < n_parts; p++)
    {
      NsPart part = ns_experiment_get_part (experiment, p);
      gint64 depth;

      if (part != ns_experiment_get_part (axis, p))
        continue;
      depth = MIN (ns_experiment_get_depth (experiment, part), ns_experiment_get_depth (axis, part));
      for (gint64 layer = 0; layer <= depth; layer++)
        {
          NsStat stat;

          if (ns_result_get_stat (result, variant, quantity, ns_experiment_get_site (experiment, part, layer), &stat))
            ns_points_append (&points, &stat, kind, scale, (double) ns_flow_get_x (axis, p, layer));
        }
    }
  return points;
}

static gboolean
points_equal (const NsPoints *a, const NsPoints *b)
{
  if (a->x->len != b->x->len || a->x->len == 0)
    return a->x->len == b->x->len;
  return memcmp (a->x->data, b->x->data, a->x->len * sizeof (double)) == 0
         && memcmp (a->y->data, b->y->data, a->y->len * sizeof (double)) == 0;
}

static void
add_ghost (NsPanel *panel, const Flow *flow, guint variant, NsQuantity quantity, NsAxisScale scale, const NsPoints *now)
{
  const NsExperiment *experiment = ns_result_get_experiment (flow->result);
  const NsExperiment *former = ns_result_get_experiment (flow->ghost);
  int v = ns_ghost_find_variant (experiment, former, variant);
  g_autofree char *name = NULL;
  NsSeries *series;

  if (v < 0)
    return;
  g_auto (NsPoints) before = points_collect (flow->ghost, (guint) v, quantity, scale, experiment);
  if (before.x->len == 0 || points_equal (&before, now))
    return;
  name = ns_ghost_dup_name (experiment, variant, former, (guint) v, flow->options->in_training);
  series = ns_points_add (&before, panel, name, NS_SERIES_LINE, ns_variant_get_style (flow->options->styles, variant),
                          FALSE);
  series->role = NS_ROLE_GHOST;
  series->keeps_range = TRUE;
  ns_series_set_variant_color (series, flow->options->colors, flow->options->has_color, variant);
}

/* Add the curves that were kept; one whose numbers are not known yet is left out. */
static gboolean
add_references (const Flow *flow, NsPanel *panel, NsQuantity quantity, NsAxisScale scale)
{
  const NsMarks *marks = flow->options->marks;
  gboolean found = FALSE;

  for (guint i = 0; i < ns_marks_get_n (marks, NS_MARKS_REFERENCES); i++)
    {
      const NsReference *reference = g_ptr_array_index (marks->references, i);
      NsSeries *series;

      if (reference->result == NULL)
        continue;
      g_auto (NsPoints) points = points_collect (reference->result, reference->variant, quantity, scale,
                                                 ns_result_get_experiment (flow->result));
      if (points.x->len == 0)
        continue;
      series = ns_points_add (&points, panel, reference->name, NS_SERIES_LINE, reference->style, FALSE);
      series->role = NS_ROLE_REFERENCE;
      series->has_color = reference->has_color;
      series->color = reference->color;
      found = TRUE;
    }
  return found;
}

/* Add a series for each visible variant that has the quantity; return FALSE when none has. */
static gboolean
add_measured_quantity (const Flow *flow, NsPanel *panel, NsQuantity quantity, NsSeriesKind kind, NsAxisScale scale)
{
  const NsFlowOptions *options = flow->options;
  const NsExperiment *experiment = ns_result_get_experiment (flow->result);
  guint n_seeds = ns_result_get_n_seeds (flow->result);
  gboolean band = options->band && n_seeds > 1 && kind == NS_SERIES_LINE;
  gboolean found = FALSE;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_auto (NsPoints) points = points_collect (flow->result, v, quantity, scale, experiment);
      NsSeries *series;

      if (!ns_flow_is_visible (options, v) || (points.x->len == 0 && !ns_result_is_partial (flow->result)))
        continue;
      if (flow->ghost != NULL)
        add_ghost (panel, flow, v, quantity, scale, &points);
      if (points.x->len == 0)
        continue;
      series = ns_points_add (&points, panel, ns_experiment_variant (experiment, v)->name, kind,
                              ns_variant_get_style (options->styles, v), band);
      series->provisional = n_seeds < options->n_seeds_wanted;
      ns_series_set_variant_color (series, options->colors, options->has_color, v);
      found = TRUE;
    }
  return add_references (flow, panel, quantity, scale) || found;
}

static guint
count_visible (const NsResult *result, const NsFlowOptions *options)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  guint n = 0;

  for (guint v = 0; v < experiment->variants->len; v++)
    n += ns_flow_is_visible (options, v) ? 1 : 0;
  return n;
}

/* Return TRUE if a visible variant has the quantity at the site. */
static gboolean
exists (const Flow *flow, NsQuantity quantity, gint64 site)
{
  const NsExperiment *experiment = ns_result_get_experiment (flow->result);

  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_flow_is_visible (flow->options, v) && ns_quantity_exists (quantity, experiment, v, site))
      return TRUE;
  return FALSE;
}

/* Return TRUE if the run that goes on will measure the quantity. */
static gboolean
is_on_its_way (const Flow *flow, NsQuantity quantity)
{
  gint64 head = ns_experiment_get_head_site (ns_result_get_experiment (flow->result));

  for (gint64 site = 0; site < head && ns_result_is_partial (flow->result); site++)
    if (exists (flow, quantity, site))
      return TRUE;
  return FALSE;
}

static char *
dup_absence (const Flow *flow, NsQuantity quantity)
{
  if (count_visible (flow->result, flow->options) == 0)
    return g_strdup (_("Every variant is hidden: show one in the list of variants."));
  if (flow->options->in_training && ns_quantity_takes_own_passes (quantity))
    return g_strdup_printf (_ ("“%s” takes passes of its own, which a training leaves out."),
                            _ (ns_quantity_info (quantity)->title));
  if (!ns_result_has (flow->result, quantity) || is_on_its_way (flow, quantity))
    return g_strdup_printf (_("“%s” is not measured yet."), _(ns_quantity_info (quantity)->title));
  return g_strdup_printf (_("No visible variant has %s: choose another quantity."),
                          ns_quantity_info (quantity)->symbol);
}

static NsPanel *
add_panel (const Flow *flow, NsFigure *figure, NsQuantity quantity, NsSeriesKind kind)
{
  NsAxisScale scale = ns_flow_get_scale (flow->result, flow->options, quantity);
  NsPanel *panel = ns_figure_add_panel (figure, NULL, scale);

  ns_panel_set_titles (panel, quantity, NULL, NULL);
  ns_panel_set_subtitle (panel, ns_result_get_n_seeds (flow->result),
                         flow->options->band && kind == NS_SERIES_LINE);
  ns_panel_add_estimate (panel, quantity, &ns_result_get_experiment (flow->result)->sampling);
  panel->zero_based = scale == NS_AXIS_LINEAR;
  panel->has_fixed_scale = !ns_quantity_has_log10 (quantity);
  if (!add_measured_quantity (flow, panel, quantity, kind, scale) && panel->series->len == 0)
    panel->message = dup_absence (flow, quantity);
  return panel;
}

/* A linear axis that one variant needs for itself becomes a logarithmic one: say so, and whose it is. */
static void
explain_scale (const Flow *flow, NsPanel *panel)
{
  int variant = ns_flow_find_flattening (flow->result, flow->options);
  g_autofree char *subtitle = NULL;

  if (flow->options->bars_axis != NS_BARS_AXIS_AUTO || variant < 0)
    return;
  subtitle = g_steal_pointer (&panel->subtitle);
  /* Translators: under the title of a plot whose axis became logarithmic by itself; first scale and statistic, then the
   * name of a variant */
  panel->subtitle = g_strdup_printf (_("%s · on a linear one %s would flatten others"), subtitle,
                                     ns_experiment_variant (ns_result_get_experiment (flow->result), variant)->name);
}

/* Return the panel of token similarity, or NULL if no visible variant has one: of a single token there is none. */
static NsPanel *
add_token_cos (const Flow *flow, NsFigure *figure)
{
  NsPanel *panel = add_panel (flow, figure, NS_Q_TOKEN_COS, NS_SERIES_LINE);
  double min, max;

  if (panel->series->len == 0)
    {
      g_ptr_array_remove (figure->panels, panel);
      return NULL;
    }
  panel->weight = TOKEN_COS_WEIGHT;
  panel->has_range = TRUE;
  panel->min = ns_panel_get_data_range (panel, NS_SIDE_LEFT, &min, &max) && min < NEGATIVE_COS ? -1 : 0;
  panel->max = 1;
  return panel;
}

char *
ns_flow_dup_title (const NsExperiment *experiment, guint n_seeds)
{
  const NsShape *shape = &experiment->shape;
  NsParts parts = ns_shape_get_parts (shape);
  int d_model = (int) shape->d_model, batch = (int) shape->batch, seq_len = (int) shape->seq_len;

  if (parts.n == 2)
    /* Translators: the title of an exported figure; blocks of the encoder + the decoder */
    return g_strdup_printf (
        g_dngettext (GETTEXT_PACKAGE,
                     "At initialization: depth %1$d + %2$d, d_model %3$d, %4$d × %5$d tokens, %6$u seed",
                     "At initialization: depth %1$d + %2$d, d_model %3$d, %4$d × %5$d tokens, %6$u seeds", n_seeds),
        (int) parts.depth[0], (int) parts.depth[1], d_model, batch, seq_len, n_seeds);
  /* Translators: the title of an exported figure; the last number counts the random seeds */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                       "At initialization: depth %d, d_model %d, %d × %d tokens, %u seed",
                                       "At initialization: depth %d, d_model %d, %d × %d tokens, %u seeds", n_seeds),
                          (int) parts.depth[0], d_model, batch, seq_len, n_seeds);
}

NsFigure *
ns_flow_figure_new (void)
{
  NsFigure *figure = ns_figure_new ();

  /* Translators: under the axis of block numbers: where the input is, and where the loss */
  figure->x_title = g_strdup (_("← input · Block · loss →"));
  figure->x_name = g_strdup (_("Block"));
  figure->x_scale = NS_AXIS_LINEAR;
  figure->x_integers = TRUE;
  return figure;
}

NsPanel *
ns_flow_add_panel (NsFigure *figure, const NsResult *result, const NsResult *ghost, const NsFlowOptions *options,
                   NsQuantity quantity, NsSeriesKind kind)
{
  const Flow flow = { result, ghost, options };

  return add_panel (&flow, figure, quantity, kind);
}

/* Return TRUE if a panel has a number at the site, now or at the end of the run. */
static gboolean
is_shown (const Flow *flow, gint64 site)
{
  return exists (flow, flow->options->gradient, site) || exists (flow, flow->options->activation, site)
         || (ns_flow_shows_token_cos (ns_result_get_experiment (flow->result), flow->options)
             && exists (flow, NS_Q_TOKEN_COS, site));
}

/* Give the axis of a partial result all blocks that the curves will have. */
static void
set_x_range (const Flow *flow, NsFigure *figure)
{
  const NsExperiment *experiment = ns_result_get_experiment (flow->result);

  figure->is_partial = TRUE;
  for (gint64 site = 0; site < ns_experiment_get_head_site (experiment); site++)
    if (is_shown (flow, site))
      {
        double x = (double) ns_flow_get_site_x (experiment, site);

        figure->x_min = isnan (figure->x_min) ? x : figure->x_min;
        figure->x_max = x;
      }
  for (guint p = 0; p < figure->x_parts->len; p++)
    {
      NsAxisPart *part = g_ptr_array_index (figure->x_parts, p);
      gint64 input = ns_experiment_get_site (experiment, ns_experiment_get_part (experiment, p), 0);

      if (is_shown (flow, input))
        part->start = part->offset;
    }
}

NsFigure *
ns_flow_figure (const NsResult *result, const NsResult *ghost, const NsFlowOptions *options)
{
  Flow flow = { result, ghost, options };
  NsFigure *figure;
  NsPanel *gradients, *activations, *token_cos = NULL;
  guint n_seeds;

  g_return_val_if_fail (result != NULL && options != NULL, NULL);

  figure = ns_flow_figure_new ();
  gradients = add_panel (&flow, figure, options->gradient, NS_SERIES_LINE);
  activations = add_panel (&flow, figure, options->activation, NS_SERIES_BARS);
  explain_scale (&flow, activations);
  if (ns_flow_shows_token_cos (ns_result_get_experiment (result), options))
    token_cos = add_token_cos (&flow, figure);
  if (options->predictions && !ns_result_is_partial (result))
    ns_flow_add_predictions (result, options, gradients, activations, token_cos);
  ns_flow_add_parts (figure, ns_result_get_experiment (result));
  if (options->factor > 0)
    ns_flow_add_factor (figure, gradients, options->factor);
  ns_flow_add_marks (result, options, figure);

  n_seeds = ns_result_get_n_seeds (result);
  if (ns_result_is_partial (result))
    {
      set_x_range (&flow, figure);
      /* Translators: above a figure that lacks blocks, while its run goes on */
      figure->note = g_strdup (_("Still running"));
    }
  else if (n_seeds < options->n_seeds_wanted)
    figure->note = g_strdup_printf (_("%u of %u seeds"), n_seeds, options->n_seeds_wanted);
  if (options->titles)
    {
      figure->title = ns_flow_dup_title (ns_result_get_experiment (result), n_seeds);
      figure->caption = ns_flow_sentence (result, options);
    }
  return figure;
}
