/* Residual against branch at one sub-layer of every block, on the way up and on the way down.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-curve.h"
#include "engine/experiment/ns-sub-layers.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/paths/ns-paths-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define COSINE_WEIGHT 0.7

typedef enum { RATIO, GRAD_RATIO, COSINE, GRAD_COSINE, N_PANELS } Panel; /* from the top */

static NsQuantity
get_quantity (const NsPathsOptions *options, Panel panel)
{
  gsize n;

  return ns_paths_list_quantities (NS_FIGURE_SKIP_BRANCH, options, &n)[panel];
}

NsFigure *
ns_paths_make_skip (const NsFigureSource *source, const NsFigureOptions *options)
{
  NsFigure *figure = ns_flow_figure_new ();
  gsize n;
  const NsQuantity *quantities = ns_paths_list_quantities (NS_FIGURE_SKIP_BRANCH, &options->paths, &n);

  for (Panel p = 0; p < N_PANELS; p++)
    {
      NsQuantity quantity = quantities[p];
      NsFlowOptions flow = ns_paths_get_flow_options (&options->paths, quantity);
      gboolean is_cosine = p >= COSINE;
      NsPanel *panel = ns_flow_add_panel (figure, source->result, source->ghost, &flow, quantity,
                                          is_cosine ? NS_SERIES_LINE : NS_SERIES_BARS);

      panel->weight = is_cosine ? COSINE_WEIGHT : 1;
    }
  ns_flow_add_parts (figure, ns_result_get_experiment (source->result));
  ns_paths_add_marks (&(NsPathsMarked){ figure, NS_FIGURE_SKIP_BRANCH, ns_result_get_experiment (source->result),
                                        quantities, n },
                      &options->paths);
  ns_paths_finish_figure (figure, source, options, ns_paths_make_skip_sentence (source, options, NULL));
  return figure;
}

/* ---- sentence ---- */

/* Return the ratio of branch to residual in a block, "0.71". */
static char *
dup_ratio (const NsPathsLine *line, Panel panel, gint64 layer)
{
  NsStat stat = ns_paths_line_get_quantity (line, get_quantity (line->options, panel), layer);

  return ns_paths_line_dup_mean (line, &stat);
}

static const char *
get_upstream_word (const NsPathsLine *line)
{
  switch (line->options->sub)
    {
    case NS_SUB_CROSS:
      return _ ("cross-attention");
    case NS_SUB_FFN:
      return _ ("FFN");
    case NS_SUB_ATTN:
    case NS_N_SUBS:
    default:
      return _ ("attention");
    }
}

static gboolean
has_ratio (const NsPathsLine *line, gint64 layer)
{
  NsStat stat;

  return ns_result_get_stat (line->result, line->variant, get_quantity (line->options, RATIO), line->first + layer,
                             &stat);
}

/* Return FALSE if a ratio of a block that has one is not defined, as to a residual of 0. */
static gboolean
is_defined (const NsPathsLine *line, gint64 layer)
{
  if (!has_ratio (line, layer))
    return TRUE;
  return !isnan (ns_paths_line_get_quantity (line, get_quantity (line->options, RATIO), layer).log10_mean)
         && !isnan (ns_paths_line_get_quantity (line, get_quantity (line->options, GRAD_RATIO), layer).log10_mean);
}

static char *
dup_skip_clause (const NsPathsLine *line)
{
  g_autofree char *name = ns_paths_line_dup_name (line);
  g_autofree char *first = dup_ratio (line, RATIO, 1);
  g_autofree char *last = dup_ratio (line, RATIO, line->depth);
  g_autofree char *first_back = dup_ratio (line, GRAD_RATIO, 1);
  g_autofree char *last_back = dup_ratio (line, GRAD_RATIO, line->depth);
  const char *word = get_upstream_word (line);
  const NsVariant *variant = ns_experiment_variant (line->experiment, line->variant);

  if (!ns_variant_has_sub (variant, line->options->sub, NS_PART_DECODER))
    /* Translators: a variant and the sub-layer that its blocks lack, “FFN” or “attention” */
    return g_strdup_printf (_ ("%s has no %s."), name, word);
  if (!has_ratio (line, 1) && !has_ratio (line, line->depth))
    return line->options->sub == NS_SUB_CROSS && line->part != NS_PART_DECODER
               ? NULL
               /* Translators: a variant, a sub-layer such as “attention” */
               : g_strdup_printf (_ ("In %s the %s has no residual of its own."), name, word);
  if (!is_defined (line, 1) || !is_defined (line, line->depth))
    return g_strdup_printf (_ ("In %s the ratio of the %s to its residual is not defined."), name, word);
  if (line->depth == 1 || !has_ratio (line, 1) || !has_ratio (line, line->depth))
    {
      gboolean is_first = has_ratio (line, 1);

      /* Translators: a variant, a sub-layer such as “attention”, a block, two ratios */
      return g_strdup_printf (_ ("In %s the %s of block %d adds %s times its residual, and passes %s times the "
                                 "gradient that the residual passes."),
                              name, word, is_first ? 1 : (int) line->depth, is_first ? first : last,
                              is_first ? first_back : last_back);
    }
  /* Translators: a variant, a sub-layer such as “attention”, its ratio to the residual in block 1 and in the last
   * block, that block's number; then the ratios of the gradients in both */
  return g_strdup_printf (_ ("In %s the %s adds %s times its residual in block 1 and %s times in block %d; it passes "
                             "%s and %s times the gradient that the residual passes."),
                          name, word, first, last, (int) line->depth, first_back, last_back);
}

char *
ns_paths_make_skip_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  return ns_paths_dup_sentence (source, options, dup_skip_clause, "view:skip-branch",
                                ns_mean_get_format (options->paths.log_axis ? NS_MEAN_GEOMETRIC : NS_MEAN_ARITHMETIC),
                                NULL, links);
}

/* ---- read-out ---- */

NsReadout *
ns_paths_make_skip_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  gsize n;
  const NsQuantity *quantities = ns_paths_list_quantities (NS_FIGURE_SKIP_BRANCH, &options->paths, &n);

  return ns_paths_read_quantities (source, options, quantities, n, x);
}
