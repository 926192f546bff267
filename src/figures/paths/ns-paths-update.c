/* The size of one optimizer step: how far it moves the output of every block.
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
#include <string.h>

static NsStat
get_stat (const NsPathsLine *line, NsPathsMap map, gint64 row)
{
  NsStat stat = { .mean = NAN, .log10_mean = NAN };

  ns_paths_get_stat (line->paths, line->variant, map, row, 0, &stat);
  return stat;
}

static const char *
get_optimizer (const NsPathsLine *line)
{
  return ns_paths_get_settings (line->paths)->optimizer == NS_OPTIMIZER_SGD ? _ ("SGD") : _ ("Adam");
}

/* Return the learning rate in as many digits as it has, three at most. */
static char *
dup_rate (const NsPathsLine *line)
{
  double rate = ns_paths_get_settings (line->paths)->learning_rate;
  int digits = 1;

  for (; digits < 3; digits++)
    {
      double unit = pow (10, floor (log10 (rate)) + 1 - digits);

      if (fabs (round (rate / unit) * unit - rate) < 1e-9 * rate)
        break;
    }
  return ns_format_log10 (log10 (rate), digits);
}

/* Return "W₂" from the symbol of the tensor's gradient, "‖∂L/∂W₂‖". */
static char *
dup_symbol (NsTensor tensor)
{
  static const char before[] = "‖∂L/∂", after[] = "‖";
  const char *symbol = ns_quantity_info (ns_tensor_get_quantity (tensor))->symbol;

  g_return_val_if_fail (g_str_has_prefix (symbol, before) && g_str_has_suffix (symbol, after), g_strdup (symbol));
  return g_strndup (symbol + strlen (before), strlen (symbol) - strlen (before) - strlen (after));
}

/* Read the change of a tensor at a layer; FALSE if it has none, or does not take part in the step. */
static gboolean
get_weight (const NsPathsLine *line, NsTensor tensor, gint64 layer, NsStat *stat)
{
  return ns_paths_get_stat (line->paths, line->variant, NS_MAP_UPDATE_W, line->first + layer, tensor, stat)
         && stat->n_zero < stat->n;
}

/* ---- the picture ---- */

/* Add the curve of a variant over the blocks of all parts. An input that no parameter moves is left out. */
static void
add_update_curve (const NsPathsLine *first, NsPanel *panel)
{
  NsPathsLine line = *first;
  g_auto (NsPoints) points = ns_points_new ();
  NsSeries *series;

  do
    for (gint64 layer = 0; layer <= line.depth; layer++)
      {
        NsStat stat;

        if (ns_paths_get_stat (line.paths, line.variant, NS_MAP_UPDATE_X, line.first + layer, 0, &stat)
            && (layer > 0 || stat.n_zero < stat.n))
          ns_points_append (&points, &stat, NS_KIND_ACTIVATION, panel->scale,
                            (double) ns_flow_get_x (line.experiment, line.part_index, layer));
      }
  while (ns_paths_line_next (&line) && line.variant == first->variant);
  if (points.x->len == 0)
    return;
  series = ns_points_add (&points, panel, ns_experiment_variant (first->experiment, first->variant)->name,
                          NS_SERIES_LINE, ns_paths_line_get_style (first), first->options->band && first->n_seeds > 1);
  ns_paths_line_dress (first, series);
}

/* Append "SGD, η = 0.001" and the statistic. */
static void
set_update_subtitle (const NsPathsLine *line, NsPanel *panel)
{
  g_autofree char *rate = dup_rate (line), *subtitle = NULL;

  ns_panel_set_subtitle (panel, MAX (line->n_seeds, 1), line->options->band);
  subtitle = g_steal_pointer (&panel->subtitle);
  panel->subtitle = g_strdup_printf ("%s, η = %s · %s", get_optimizer (line), rate, subtitle);
}

static gboolean
has_tensor (NsPathsLine line, NsTensor tensor)
{
  NsStat stat;

  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    for (gint64 layer = 1; layer <= line.depth; layer++)
      if (get_weight (&line, tensor, layer, &stat))
        return TRUE;
  return FALSE;
}

/* Add the curve of a tensor over the blocks of all parts. */
static void
add_tensor (const NsPathsLine *first, NsPanel *panel, NsTensor tensor, int style)
{
  NsPathsLine line = *first;
  g_auto (NsPoints) points = ns_points_new ();
  g_autofree char *symbol = dup_symbol (tensor);
  NsStat stat;

  do
    for (gint64 layer = 1; layer <= line.depth; layer++)
      if (get_weight (&line, tensor, layer, &stat))
        ns_points_append (&points, &stat, NS_KIND_ACTIVATION, panel->scale,
                          (double) ns_flow_get_x (line.experiment, line.part_index, layer));
  while (ns_paths_line_next (&line) && line.variant == first->variant);
  if (points.x->len > 0)
    ns_points_add (&points, panel, symbol, NS_SERIES_LINE, style, first->options->band && first->n_seeds > 1)
        ->provisional = first->n_seeds < first->n_wanted;
}

/* Add a panel with a variant's tensors. */
static void
add_weights (const NsPathsLine *line, NsFigure *figure)
{
  const char *name = ns_experiment_variant (line->experiment, line->variant)->name;
  g_autofree char *escaped = g_markup_escape_text (name, -1);
  NsPanel *panel = ns_figure_add_panel (figure, NULL, line->options->log_axis ? NS_AXIS_LOG10 : NS_AXIS_LINEAR);
  int style = 0;

  g_free (panel->title);
  /* Translators: the title of a plot; the name of a variant */
  panel->title = g_strdup_printf (_ ("%s: change of each tensor by one step, ‖Δ<i>W</i>‖/‖<i>W</i>‖"), escaped);
  panel->short_title = g_strdup (escaped);
  panel->accessible_title = g_strdup_printf (_ ("%s: change of each tensor by one step, ‖ΔW‖/‖W‖"), name);
  panel->zero_based = panel->scale == NS_AXIS_LINEAR;
  set_update_subtitle (line, panel);
  /* A tensor has the same look in every panel. */
  for (NsTensor tensor = 0; tensor < NS_N_TENSORS; tensor++)
    if (has_tensor (*line, tensor))
      add_tensor (line, panel, tensor, style++);
  if (panel->series->len == 0)
    panel->message = ns_paths_dup_absence (line);
}

static void
add_outputs (const NsPathsLine *first, NsFigure *figure)
{
  NsPathsLine line = *first;
  NsPanel *panel = ns_figure_add_panel (figure, NULL, line.options->log_axis ? NS_AXIS_LOG10 : NS_AXIS_LINEAR);

  g_free (panel->title);
  panel->title = g_strdup (_ ("Change of each block's output by one step, "
                              "‖Δ<i>x<sub>l</sub></i>‖/‖<i>x<sub>l</sub></i>‖"));
  panel->short_title = g_strdup ("‖Δ<i>x<sub>l</sub></i>‖/‖<i>x<sub>l</sub></i>‖");
  panel->accessible_title = g_strdup (_ ("Change of each block's output by one step, ‖Δxₗ‖/‖xₗ‖"));
  panel->zero_based = panel->scale == NS_AXIS_LINEAR;
  set_update_subtitle (&line, panel);
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    if (line.part_index == 0)
      add_update_curve (&line, panel);
  if (panel->series->len == 0)
    panel->message = ns_paths_dup_absence (&line);
}

NsFigure *
ns_paths_make_update (const NsFigureSource *source, const NsFigureOptions *options)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  gboolean is_of_weights = options->paths.update_of == NS_UPDATE_WEIGHTS;
  NsFigure *figure = ns_flow_figure_new ();

  if (!is_of_weights || !ns_paths_line_start (&line))
    add_outputs (&line, figure);
  else
    for (gboolean more = TRUE; more; more = ns_paths_line_next (&line))
      if (line.part_index == 0)
        add_weights (&line, figure);
  line = ns_paths_line_new (source, options);
  ns_flow_add_parts (figure, line.experiment);
  ns_paths_add_marks (&(NsPathsMarked){ figure, NS_FIGURE_UPDATE, line.experiment, NULL, 0 }, &options->paths);
  ns_paths_finish_figure (figure, source, options, ns_paths_make_update_sentence (source, options, NULL));
  return figure;
}

/* ---- sentence ---- */

/* Say whether the step is so small that the change is proportional to it. */
static const char *
get_judgement (const NsPathsLine *line)
{
  switch (ns_paths_judge_step (line->paths, line->variant))
    {
    case NS_STEP_LINEAR:
      return _ ("linear in η");
    case NS_STEP_NOT_LINEAR:
      return _ ("not linear in η");
    case NS_STEP_TOO_SMALL:
      return _ ("partly lost in rounding");
    case NS_STEP_UNKNOWN:
    default:
      return _ ("whether it is linear in η is not defined");
    }
}

static char *
dup_update_clause (const NsPathsLine *line)
{
  gboolean is_end = line->part_index == ns_experiment_get_n_parts (line->experiment) - 1;
  NsStat x = get_stat (line, NS_MAP_UPDATE_X, line->last), h = get_stat (line, NS_MAP_UPDATE_H, 0);
  NsStat loss = get_stat (line, NS_MAP_LOSS_CHANGE, 0);
  NsStat first_order = get_stat (line, NS_MAP_LOSS_CHANGE_FIRST_ORDER, 0);
  g_autofree char *name = ns_paths_line_dup_name (line), *rate = dup_rate (line);
  g_autofree char *of_x = ns_paths_line_dup_mean (line, &x);
  g_autofree char *of_h = ns_paths_line_dup_mean (line, &h);
  g_autofree char *change = NULL, *linear = NULL;

  if (!isfinite (is_end ? h.mean : x.mean))
    return g_strdup_printf (_ ("In %s the change by a step of %s with η = %s is not defined."), name,
                            get_optimizer (line), rate);
  if (!is_end)
    /* Translators: a variant, an optimizer, the learning rate, a block, a ratio */
    return g_strdup_printf (_ ("In %s a step of %s with η = %s moves the output of block %d by %s times its norm."),
                            name, get_optimizer (line), rate, (int) line->depth, of_x);
  change = ns_paths_line_link (line, ns_format_signed (loss.mean, 2));
  linear = ns_paths_line_link (line, ns_format_signed (first_order.mean, 2));
  /* Translators: a variant, an optimizer, the learning rate, a ratio, two changes of the loss, a judgement */
  return g_strdup_printf (_ ("In %s a step of %s with η = %s moves the input of the head by %s times its norm and the "
                             "loss by %s (to "
                             "first order %s); %s."),
                          name, get_optimizer (line), rate, of_h, change, linear, get_judgement (line));
}

/* One tensor of one block. */
typedef struct
{
  NsTensor tensor;
  gint64 layer;
  double log10_change; /* of the mean that the axis shows */
} Weight;

/* Return "0.0021 (W₂ of block 3)". */
static char *
dup_weight (const NsPathsLine *line, const Weight *weight)
{
  g_autofree char *symbol = dup_symbol (weight->tensor);
  g_autofree char *number = ns_paths_line_link (line, ns_format_log10 (weight->log10_change, 2));

  /* Translators: a number, a tensor, its block: "0.0021 (W₂ of block 3)" */
  return g_strdup_printf (_ ("%s (%s of block %d)"), number, symbol, (int) weight->layer);
}

static char *
dup_weights_clause (const NsPathsLine *line)
{
  g_autofree char *name = ns_paths_line_dup_name (line), *rate = dup_rate (line), *low = NULL, *high = NULL;
  Weight least = { .log10_change = INFINITY }, most = { .log10_change = -INFINITY };
  NsStat stat;

  for (NsTensor tensor = 0; tensor < NS_N_TENSORS; tensor++)
    for (gint64 layer = 1; layer <= line->depth; layer++)
      if (get_weight (line, tensor, layer, &stat))
        {
          const Weight weight = { tensor, layer, ns_stat_get_log10 (&stat, ns_paths_line_get_mean (line)) };

          if (!isfinite (weight.log10_change))
            continue;
          least = weight.log10_change < least.log10_change ? weight : least;
          most = weight.log10_change > most.log10_change ? weight : most;
        }
  if (!isfinite (least.log10_change))
    return g_strdup_printf (_ ("In %s the change by a step of %s with η = %s is not defined."), name,
                            get_optimizer (line), rate);
  low = dup_weight (line, &least);
  high = dup_weight (line, &most);
  /* Translators: a variant, an optimizer, the learning rate, two changes as "0.0021 (W₂ of block 3)" */
  return g_strdup_printf (_ ("In %s a step of %s with η = %s changes the weights of the blocks by %s to %s times their "
                             "norm."),
                          name, get_optimizer (line), rate, low, high);
}

char *
ns_paths_make_update_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  gboolean is_log = options->paths.log_axis, is_of_weights = options->paths.update_of == NS_UPDATE_WEIGHTS;
  const char *means = is_log && !is_of_weights
                          ? N_ ("Geometric means over %u seeds; changes of the loss are arithmetic ones.")
                          : ns_mean_get_format (is_log ? NS_MEAN_GEOMETRIC : NS_MEAN_ARITHMETIC);

  return ns_paths_dup_sentence (source, options, is_of_weights ? dup_weights_clause : dup_update_clause, "view:update",
                                means, NULL, links);
}

/* ---- read-out ---- */

/* Return the read-out of the tensors that the visible variants have at the block. */
static NsReadout *
read_weights (const NsPathsLine *first, const NsPlace *place)
{
  NsReadout *readout = ns_readout_new (ns_flow_dup_place (place));
  g_autoptr (GArray) tensors = g_array_new (FALSE, FALSE, sizeof (NsTensor));
  NsPathsLine line = *first;
  NsStat stat;

  for (NsTensor tensor = 0; tensor < NS_N_TENSORS; tensor++)
    {
      gboolean found = FALSE;

      for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
        found |= line.part == place->part && get_weight (&line, tensor, place->block, &stat);
      if (found)
        {
          g_autofree char *symbol = dup_symbol (tensor);

          g_array_append_val (tensors, tensor);
          ns_readout_add_column (readout, symbol);
        }
    }
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    if (line.part == place->part)
      {
        NsReadoutRow *row = ns_paths_add_variant_row (readout, &line);

        for (guint i = 0; i < tensors->len; i++)
          if (get_weight (&line, g_array_index (tensors, NsTensor, i), place->block, &stat))
            {
              g_autofree char *spread = NULL;

              row->cells[i] = ns_format_stat_parts (&stat, ns_paths_line_get_mean (&line), &spread);
            }
      }
  return readout;
}

NsReadout *
ns_paths_make_update_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  NsPlace place = ns_flow_get_place (line.experiment, x);
  NsReadout *readout;

  if (options->paths.update_of == NS_UPDATE_WEIGHTS)
    return read_weights (&line, &place);
  readout = ns_readout_new (ns_flow_dup_place (&place));
  ns_readout_add_column (readout, "‖Δ<i>x<sub>l</sub></i>‖/‖<i>x<sub>l</sub></i>‖");
  ns_readout_add_column (readout, NULL);
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    if (line.part == place.part)
      {
        NsReadoutRow *row = ns_paths_add_variant_row (readout, &line);
        NsStat stat;

        if (ns_paths_get_stat (line.paths, line.variant, NS_MAP_UPDATE_X, line.first + place.block, 0, &stat))
          row->cells[0] = ns_format_stat_parts (&stat, ns_paths_line_get_mean (&line), &row->cells[1]);
      }
  return readout;
}
