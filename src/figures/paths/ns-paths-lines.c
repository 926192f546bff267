/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-curve.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/paths/ns-paths-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* ---- options ---- */

void
ns_paths_options_init (NsPathsOptions *options)
{
  *options = (NsPathsOptions) {
    .all_blocks = TRUE,
    .n_probes = NS_PATHS_DEFAULT_PROBES,
    .log_axis = TRUE,
    .band = TRUE,
  };
}

NsPathsSettings
ns_paths_options_get_settings (const NsPathsOptions *options, NsPathsKind kind)
{
  return (NsPathsSettings) {
    .kind = kind,
    .optimizer = options->optimizer,
    .learning_rate = options->learning_rate > 0 ? options->learning_rate
                                                : ns_optimizer_get_learning_rate (options->optimizer),
    .matrices_only = kind == NS_PATHS_UPDATE && options->matrices_only,
    .n_probes = (guint) options->n_probes,
    .all_blocks = kind == NS_PATHS_CONTRIBUTIONS && options->all_blocks,
  };
}

NsFlowOptions
ns_paths_get_flow_options (const NsPathsOptions *options, NsQuantity quantity)
{
  NsFlowOptions flow;

  ns_flow_options_init (&flow);
  flow.gradient = quantity;
  flow.log_gradient = options->log_axis;
  flow.bars_axis = options->log_axis ? NS_BARS_AXIS_LOG : NS_BARS_AXIS_LINEAR;
  flow.band = options->band;
  flow.hidden = options->hidden;
  flow.n_seeds_wanted = options->n_seeds_wanted;
  flow.colors = options->colors;
  flow.has_color = options->has_color;
  flow.styles = options->styles;
  flow.marks = options->marks;
  return flow;
}

/* ---- lines ---- */

/* Count the seeds that every variant has finished. */
static guint
count_seeds (const NsPaths *paths)
{
  guint n = ns_paths_get_n_seeds (paths);

  for (guint v = 0; v < ns_paths_get_experiment (paths)->variants->len; v++)
    n = MIN (n, ns_paths_count_finished (paths, v));
  return n;
}

NsPathsLine
ns_paths_line_new (const NsFigureSource *source, const NsFigureOptions *options)
{
  const NsExperiment *experiment = source->paths != NULL ? ns_paths_get_experiment (source->paths)
                                                         : ns_result_get_experiment (source->result);

  return (NsPathsLine) {
    .options = &options->paths,
    .experiment = experiment,
    .result = source->result,
    .paths = source->paths,
    .progress = source->progress,
    .n_seeds = source->paths != NULL ? count_seeds (source->paths) : ns_result_get_n_seeds (source->result),
    .n_wanted = source->paths != NULL ? ns_paths_get_n_seeds (source->paths) : options->paths.n_seeds_wanted,
    .depth = ns_experiment_get_depth (experiment, ns_experiment_get_part (experiment, 0)),
  };
}

/* Find the first visible variant from `variant` on, and go to its first part. */
static gboolean
go_to_variant (NsPathsLine *line, guint variant)
{
  while (variant < line->experiment->variants->len && !ns_variant_is_visible (line->options->hidden, variant))
    variant++;
  line->variant = variant;
  line->part_index = 0;
  line->part = ns_experiment_get_part (line->experiment, 0);
  line->first = 0;
  line->last = line->depth = ns_experiment_get_depth (line->experiment, line->part);
  return variant < line->experiment->variants->len;
}

gboolean
ns_paths_line_start (NsPathsLine *line)
{
  return go_to_variant (line, 0);
}

gboolean
ns_paths_line_next (NsPathsLine *line)
{
  if (line->part_index + 1 >= ns_experiment_get_n_parts (line->experiment))
    return go_to_variant (line, line->variant + 1);
  line->part_index++;
  line->part = ns_experiment_get_part (line->experiment, line->part_index);
  line->first = ns_experiment_get_site (line->experiment, line->part, 0);
  line->depth = ns_experiment_get_depth (line->experiment, line->part);
  line->last = line->first + line->depth;
  return TRUE;
}

char *
ns_paths_line_dup_name (const NsPathsLine *line)
{
  const char *name = ns_experiment_variant (line->experiment, line->variant)->name;

  switch (line->part)
    {
    case NS_PART_ENCODER:
      /* Translators: a variant's name */
      return g_strdup_printf (_ ("%s (encoder)"), name);
    case NS_PART_DECODER:
      return g_strdup_printf (_ ("%s (decoder)"), name);
    case NS_PART_STACK:
    default:
      return g_strdup (name);
    }
}

NsStat
ns_paths_line_get_quantity (const NsPathsLine *line, NsQuantity quantity, gint64 layer)
{
  NsStat stat = { .mean = NAN, .log10_mean = NAN };

  ns_result_get_stat (line->result, line->variant, quantity, line->first + layer, &stat);
  return stat;
}

NsMeanKind
ns_paths_line_get_mean (const NsPathsLine *line)
{
  return ns_axis_get_mean (line->options->log_axis ? NS_AXIS_LOG10 : NS_AXIS_LINEAR);
}

int
ns_paths_line_get_style (const NsPathsLine *line)
{
  return ns_variant_get_style (line->options->styles, line->variant);
}

char *
ns_paths_line_link (const NsPathsLine *line, char *number)
{
  return ns_link_mark (line->page, number);
}

void
ns_paths_line_dress (const NsPathsLine *line, NsSeries *series)
{
  series->provisional = line->n_seeds < line->n_wanted;
  ns_series_set_variant_color (series, line->options->colors, line->options->has_color, line->variant);
}

/* ---- sentences ---- */

/* Return "Post-LN: the forward pass overflows in block 12.", or NULL. */
static char *
dup_overflow_clause (const NsPathsLine *line)
{
  const char *name = ns_experiment_variant (line->experiment, line->variant)->name;
  g_autofree char *clause = NULL;
  gint64 site = 0;
  guint n = 0;

  if (line->paths == NULL)
    clause = ns_flow_dup_overflow (line->result, line->variant);
  for (guint s = 0; line->paths != NULL && s < line->n_wanted; s++)
    {
      gint64 at = ns_paths_get_overflow (line->paths, line->variant, s);

      n += at > 0 ? 1 : 0;
      site = at > 0 && (site == 0 || at < site) ? at : site;
    }
  if (n > 0)
    clause = ns_flow_dup_overflow_at (line->experiment, site, n, line->n_seeds);
  return clause != NULL ? ns_link_mark (NS_PAGE_RANGE, g_strdup_printf (_ ("%s: %s."), name, clause)) : NULL;
}

static void
take_line (GString *text, char *line)
{
  if (line != NULL && *line != '\0')
    g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", line);
  g_free (line);
}

char *
ns_paths_line_dup_mean (const NsPathsLine *line, const NsStat *stat)
{
  return ns_paths_line_link (line, ns_format_log10 (ns_stat_get_log10 (stat, ns_paths_line_get_mean (line)), 2));
}

char *
ns_paths_dup_sentence (const NsFigureSource *source, const NsFigureOptions *options, NsPathsClause clause,
                       const char *page, const char *means, char *after, GArray **links)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  GString *text = g_string_new (NULL);
  gboolean more = ns_paths_line_start (&line);

  line.page = page;
  if (!more)
    take_line (text, g_strdup (_ ("Every variant is hidden.")));
  else if (line.n_seeds == 0)
    take_line (text, g_strdup (_ ("No seed is finished yet.")));
  else if (line.n_seeds < line.n_wanted)
    take_line (text, g_strdup_printf (_ ("From %u of %u seeds, more may change this:"), line.n_seeds, line.n_wanted));
  for (; more; more = ns_paths_line_next (&line))
    {
      g_autofree char *overflow = dup_overflow_clause (&line);

      if (overflow == NULL && line.paths != NULL && ns_paths_count_finished (line.paths, line.variant) == 0)
        continue;
      if (overflow == NULL)
        take_line (text, clause (&line));
      else if (line.part_index == 0)
        take_line (text, g_steal_pointer (&overflow));
    }
  take_line (text, after);
  if (line.n_seeds > 1)
    take_line (text, ns_link_mark (NS_PAGE_STATISTICS, g_strdup_printf (_ (means), line.n_seeds)));
  return ns_links_resolve (g_string_free (text, FALSE), links);
}

/* ---- figures and read-outs ---- */

char *
ns_paths_dup_absence (const NsPathsLine *line)
{
  NsPathsLine visible = *line;

  if (ns_paths_line_start (&visible))
    return g_strdup (_ ("No seed is finished yet."));
  return g_strdup (_ ("Every variant is hidden: show one in the list of variants."));
}

void
ns_paths_finish_figure (NsFigure *figure, const NsFigureSource *source, const NsFigureOptions *options, char *caption)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  g_autofree char *taken = caption;

  if (line.n_seeds < line.n_wanted)
    figure->note = g_strdup_printf (_ ("%u of %u seeds"), line.n_seeds, line.n_wanted);
  if (!options->paths.titles)
    return;
  figure->title = ns_flow_dup_title (line.experiment, line.n_seeds);
  figure->caption = g_steal_pointer (&taken);
}

static NsReadoutRow *
add_row (NsReadout *readout, const NsPathsLine *line, const char *name)
{
  NsReadoutRow *row = ns_readout_add_row (readout, name);
  const NsPathsOptions *options = line->options;

  row->style = ns_paths_line_get_style (line);
  row->has_color = options->colors != NULL && options->has_color != NULL && options->has_color[line->variant];
  if (row->has_color)
    row->color = options->colors[line->variant];
  return row;
}

NsReadoutRow *
ns_paths_add_variant_row (NsReadout *readout, const NsPathsLine *line)
{
  return add_row (readout, line, ns_experiment_variant (line->experiment, line->variant)->name);
}

NsReadoutRow *
ns_paths_add_part_row (NsReadout *readout, const NsPathsLine *line)
{
  g_autofree char *name = ns_paths_line_dup_name (line);

  return add_row (readout, line, name);
}

/* Fill two cells: the mean, and the spread. */
static void
fill_cells (NsReadoutRow *row, guint column, const NsPathsLine *line, NsQuantity quantity, gint64 layer)
{
  NsFlowOptions flow = ns_paths_get_flow_options (line->options, quantity);
  NsMeanKind mean = ns_flow_get_mean (line->result, &flow, quantity);
  NsStat stat;

  if (ns_result_get_stat (line->result, line->variant, quantity, line->first + layer, &stat))
    row->cells[column] = ns_format_stat_parts (&stat, mean, &row->cells[column + 1]);
}

NsReadout *
ns_paths_read_quantities (const NsFigureSource *source, const NsFigureOptions *options, const NsQuantity *quantities,
                          gsize n, double x)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  NsPlace place = ns_flow_get_place (line.experiment, x);
  NsReadout *readout = ns_readout_new (ns_flow_dup_place (&place));

  for (gsize q = 0; q < n; q++)
    {
      ns_readout_add_column (readout, ns_quantity_info (quantities[q])->markup);
      ns_readout_add_column (readout, NULL);
    }
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    if (line.part == place.part)
      {
        NsReadoutRow *row = ns_paths_add_variant_row (readout, &line);

        for (gsize q = 0; q < n; q++)
          fill_cells (row, 2 * (guint) q, &line, quantities[q], place.block);
      }
  return readout;
}
