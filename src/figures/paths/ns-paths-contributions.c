/* Who wrote the stream: the shares of the input and of every sub-layer in a block's output, as stacked bars.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/paths/ns-paths-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* The blocks of a deep stack are drawn in this many groups at most. */
#define MAX_GROUPS 24
/* The first block of all is this much lighter than the last. */
#define LIGHTEST 0.75

/* From the bottom of a bar upward. */
static const NsContributor order[] = { NS_CONTRIBUTOR_INPUT, NS_CONTRIBUTOR_ATTN, NS_CONTRIBUTOR_CROSS,
                                       NS_CONTRIBUTOR_FFN, NS_CONTRIBUTOR_BIAS };

static const char *
get_contributor_word (NsContributor contributor)
{
  switch (contributor)
    {
    case NS_CONTRIBUTOR_ATTN:
      return _ ("attention");
    case NS_CONTRIBUTOR_CROSS:
      return _ ("cross-attention");
    case NS_CONTRIBUTOR_FFN:
      return _ ("FFN");
    case NS_CONTRIBUTOR_BIAS:
      return _ ("biases of norms");
    case NS_CONTRIBUTOR_INPUT:
    case NS_N_CONTRIBUTORS:
    default:
      return _ ("input");
    }
}

static gint64
get_row (const NsPathsLine *line, gint64 layer)
{
  return ns_paths_get_settings (line->paths)->all_blocks ? line->first + layer : line->part_index;
}

/* Add up the shares of one kind of contributor at the layers first .. last in the output of block `whole`. FALSE if
 * there are none. */
static gboolean
sum_shares (const NsPathsLine *line, gint64 whole, NsContributor contributor, gint64 first, gint64 last, double *sum)
{
  gboolean found = FALSE;

  *sum = 0;
  for (gint64 layer = first; layer <= MIN (last, whole); layer++)
    {
      gint64 column = ns_contributor_get_column (contributor, line->first + layer);
      NsStat stat;

      if (!ns_paths_get_stat (line->paths, line->variant, NS_MAP_SHARE, get_row (line, whole), column, &stat))
        continue;
      *sum += stat.mean;
      found = TRUE;
    }
  return found;
}

/* ---- the picture ---- */

/* The blocks whose contributors make one series. */
typedef struct
{
  NsContributor contributor;
  gint64 first, last; /* layers */
} Group;

static char *
dup_group_name (const Group *group)
{
  const char *word = get_contributor_word (group->contributor);

  if (group->contributor == NS_CONTRIBUTOR_INPUT)
    return g_strdup (word);
  if (group->first == group->last)
    /* Translators: a sub-layer such as “attention”, the number of its block */
    return g_strdup_printf (_ ("%s of block %d"), word, (int) group->first);
  return g_strdup_printf (_ ("%s of blocks %d to %d"), word, (int) group->first, (int) group->last);
}

static gint64
get_deepest (const NsPathsLine *line)
{
  NsParts parts = ns_shape_get_parts (&line->experiment->shape);

  return ns_parts_get_deepest (&parts);
}

/* Append the group's shares in the output of each block of the line's part. */
static gboolean
collect (const NsPathsLine *line, const Group *group, GArray *x, GArray *y, GArray *mark)
{
  gboolean all_blocks = ns_paths_get_settings (line->paths)->all_blocks, found = FALSE;

  for (gint64 whole = all_blocks ? 1 : line->depth; whole <= line->depth && !ns_progress_is_cancelled (line->progress);
       whole++)
    {
      double position = (double) ns_flow_get_x (line->experiment, line->part_index, whole), sum;
      guint8 sign = NS_MARK_NONE;

      if (!sum_shares (line, whole, group->contributor, group->first, group->last, &sum))
        continue;
      if (!isfinite (sum))
        sign = isnan (sum) ? NS_MARK_NAN : NS_MARK_INF;
      found = TRUE;
      g_array_append_val (x, position);
      g_array_append_val (y, sum);
      g_array_append_val (mark, sign);
    }
  return found;
}

/* Add a series with the group's shares in both parts. */
static void
add_group (const NsPathsLine *first, NsPanel *panel, int hue, const Group *group)
{
  NsPathsLine line = *first;
  g_autoptr (GArray) x = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) y = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) mark = g_array_new (FALSE, FALSE, sizeof (guint8));
  g_autofree char *name = dup_group_name (group);
  gint64 deepest = get_deepest (first);
  double age = deepest > 1 ? (double) (deepest - group->last) / (double) (deepest - 1) : 0;
  gboolean found = FALSE;

  do
    found |= collect (&line, group, x, y, mark);
  while (ns_paths_line_next (&line) && line.variant == first->variant);
  if (!found)
    return;
  if (group->contributor == NS_CONTRIBUTOR_INPUT)
    age = 0;
  ns_panel_add_stack (panel, name, hue, get_contributor_word (group->contributor), LIGHTEST * CLAMP (age, 0, 1), x->len,
                      (const double *) x->data, (const double *) y->data, (const guint8 *) mark->data)
      ->provisional = line.n_seeds < line.n_wanted;
}

static void
add_contributor (const NsPathsLine *line, NsPanel *panel, int hue)
{
  NsContributor contributor = order[hue];
  gint64 deepest = get_deepest (line), size = (deepest + MAX_GROUPS - 1) / MAX_GROUPS;

  if (contributor == NS_CONTRIBUTOR_INPUT)
    add_group (line, panel, hue, &(Group){ contributor, 0, 0 });
  else
    for (gint64 first = 1; first <= deepest; first += size)
      add_group (line, panel, hue, &(Group){ contributor, first, MIN (first + size - 1, deepest) });
}

static void
add_shares_panel (const NsPathsLine *line, NsFigure *figure)
{
  const char *name = ns_experiment_variant (line->experiment, line->variant)->name;
  g_autofree char *escaped = g_markup_escape_text (name, -1);
  NsPanel *panel = ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR);

  g_free (panel->title);
  /* Translators: the title of a plot; the name of a variant */
  panel->title = g_strdup_printf (_ ("%s: shares in the output <i>x<sub>l</sub></i> of each block"), escaped);
  panel->short_title = g_strdup (escaped);
  panel->accessible_title = g_strdup_printf (_ ("%s: shares in the output of each block"), name);
  panel->zero_based = panel->has_fixed_scale = TRUE;
  for (int hue = 0; hue < (int) G_N_ELEMENTS (order); hue++)
    add_contributor (line, panel, hue);
  if (panel->series->len == 0)
    panel->message = ns_paths_dup_absence (line);
}

NsFigure *
ns_paths_make_contributions (const NsFigureSource *source, const NsFigureOptions *options)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  NsFigure *figure = ns_flow_figure_new ();

  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    if (line.part_index == 0)
      add_shares_panel (&line, figure);
  if (figure->panels->len == 0)
    ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR)->message = ns_paths_dup_absence (&line);
  ns_flow_add_parts (figure, line.experiment);
  ns_paths_finish_figure (figure, source, options, ns_paths_make_contributions_sentence (source, options, NULL));
  return figure;
}

/* ---- sentence ---- */

/* Return the share of all contributors of one kind in the last block's output, "36 %"; *is_number becomes FALSE if it
 * is not defined. */
static char *
dup_contributed_share (const NsPathsLine *line, NsContributor contributor, gboolean *is_number)
{
  gboolean is_input = contributor == NS_CONTRIBUTOR_INPUT;
  double sum;

  sum_shares (line, line->depth, contributor, is_input ? 0 : 1, is_input ? 0 : line->depth, &sum);
  *is_number &= isfinite (sum);
  return ns_paths_line_link (line, ns_format_percent (sum));
}

static char *
dup_contributions_clause (const NsPathsLine *line)
{
  gboolean is_number = TRUE;
  g_autofree char *name = ns_paths_line_dup_name (line);
  g_autofree char *input = dup_contributed_share (line, NS_CONTRIBUTOR_INPUT, &is_number);
  g_autofree char *attn = dup_contributed_share (line, NS_CONTRIBUTOR_ATTN, &is_number);
  g_autofree char *cross = dup_contributed_share (line, NS_CONTRIBUTOR_CROSS, &is_number);
  g_autofree char *ffn = dup_contributed_share (line, NS_CONTRIBUTOR_FFN, &is_number);
  const NsVariant *variant = ns_experiment_variant (line->experiment, line->variant);
  int depth = (int) line->depth;

  if (!is_number)
    return g_strdup_printf (_ ("In %s the shares in the output of block %d are not defined."), name, depth);
  if (line->part == NS_PART_DECODER)
    /* Translators: a variant, a block, and shares as "36 %" */
    return g_strdup_printf (_ ("In %s the output of block %d is %s input, %s attention, %s cross-attention and %s "
                               "FFN."),
                            name, depth, input, attn, cross, ffn);
  if (variant->sublayers == NS_SUB_LAYERS_ATTENTION)
    /* Translators: a variant, a block, and shares as "36 %" */
    return g_strdup_printf (_ ("In %s the output of block %d is %s input and %s attention."), name, depth, input, attn);
  if (variant->sublayers == NS_SUB_LAYERS_FFN)
    /* Translators: a variant, a block, and shares as "36 %" */
    return g_strdup_printf (_ ("In %s the output of block %d is %s input and %s FFN."), name, depth, input, ffn);
  /* Translators: a variant, a block, and shares as "36 %" */
  return g_strdup_printf (_ ("In %s the output of block %d is %s input, %s attention and %s FFN."), name, depth, input,
                          attn, ffn);
}

char *
ns_paths_make_contributions_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  return ns_paths_dup_sentence (source, options, dup_contributions_clause, "view:contributions",
                                ns_mean_get_format (NS_MEAN_ARITHMETIC), NULL, links);
}

/* ---- read-out ---- */

NsReadout *
ns_paths_make_contributions_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  NsPathsLine line = ns_paths_line_new (source, options);
  NsPlace place = ns_flow_get_place (line.experiment, x);
  NsReadout *readout;

  if (ns_paths_get_settings (source->paths)->all_blocks)
    place.block = MAX (place.block, 1);
  else
    place.block = ns_experiment_get_depth (line.experiment, place.part);
  readout = ns_readout_new (ns_flow_dup_place (&place));
  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    ns_readout_add_column (readout, get_contributor_word (order[i]));
  for (gboolean more = ns_paths_line_start (&line); more; more = ns_paths_line_next (&line))
    {
      NsReadoutRow *row = line.part == place.part ? ns_paths_add_variant_row (readout, &line) : NULL;

      for (guint i = 0; row != NULL && i < G_N_ELEMENTS (order); i++)
        {
          gboolean is_input = order[i] == NS_CONTRIBUTOR_INPUT;
          double sum;

          if (sum_shares (&line, place.block, order[i], is_input ? 0 : 1, is_input ? 0 : place.block, &sum))
            row->cells[i] = ns_format_signed (sum, 3);
        }
    }
  return readout;
}
