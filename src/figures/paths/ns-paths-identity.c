/* The identity path by block: how much of the gradient has passed no branch.
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

/* A share below this is called almost nothing. */
#define LITTLE_SHARE 0.005

NsFigure *
ns_paths_make_identity (const NsFigureSource *source, const NsFigureOptions *options)
{
  NsFigure *figure = ns_flow_figure_new ();
  gsize n;
  const NsQuantity *quantities = ns_paths_list_quantities (NS_FIGURE_IDENTITY_PATH, &options->paths, &n);

  for (gsize q = 0; q < n; q++)
    {
      NsFlowOptions flow = ns_paths_get_flow_options (&options->paths, quantities[q]);

      ns_flow_add_panel (figure, source->result, source->ghost, &flow, quantities[q], NS_SERIES_LINE);
    }
  ns_flow_add_parts (figure, ns_result_get_experiment (source->result));
  ns_paths_add_marks (&(NsPathsMarked){ figure, NS_FIGURE_IDENTITY_PATH, ns_result_get_experiment (source->result),
                                        quantities, n },
                      &options->paths);
  ns_paths_finish_figure (figure, source, options, ns_paths_make_identity_sentence (source, options, NULL));
  return figure;
}

/* Say where: block 1, or in a stack of one block, where nothing lies between it and the loss, the input. */
static char *
dup_place (const NsPathsLine *line)
{
  return line->depth > 1 ? g_strdup (_ ("block 1")) : g_strdup (_ ("the input"));
}

/* In an encoder the gradient does not begin at the loss. */
static char *
dup_identity_share (const NsPathsLine *line, const char *name, const char *share, const char *place)
{
  if (line->part == NS_PART_ENCODER)
    /* Translators: a variant, a share as "36 %", "block 1" */
    return g_strdup_printf (_ ("In %s %s of the gradient at %s is the gradient at its last block itself."), name, share,
                            place);
  /* Translators: a variant, a share as "36 %", "block 1" */
  return g_strdup_printf (_ ("In %s %s of the gradient at %s is the loss gradient itself."), name, share, place);
}

static char *
dup_nothing (const NsPathsLine *line, const char *name, const char *place)
{
  if (line->part == NS_PART_ENCODER)
    return g_strdup_printf (_ ("In %s nothing of the gradient at %s is the gradient at its last block itself: every "
                               "path passes a branch."),
                            name, place);
  return g_strdup_printf (_ ("In %s nothing of the gradient at %s is the loss gradient itself: every path passes a "
                             "branch."),
                          name, place);
}

static char *
dup_little (const NsPathsLine *line, const char *name, const char *share, const char *place)
{
  if (line->part == NS_PART_ENCODER)
    return g_strdup_printf (_ ("In %s almost nothing of the gradient at %s is the gradient at its last block itself "
                               "(%s)."),
                            name, place, share);
  return g_strdup_printf (_ ("In %s almost nothing of the gradient at %s is the loss gradient itself (%s)."), name,
                          place, share);
}

/* A share that is no part: the branches add a gradient that points against it. */
static char *
dup_beyond (const NsPathsLine *line, const char *name, const char *share, const char *place)
{
  if (line->part == NS_PART_ENCODER)
    return g_strdup_printf (_ ("In %s the gradient at its last block makes up %s of the gradient at %s; the branches "
                               "make up the difference to 100 %%."),
                            name, share, place);
  return g_strdup_printf (_ ("In %s the loss gradient makes up %s of the gradient at %s; the branches make up the "
                             "difference to 100 %%."),
                          name, share, place);
}

static char *
dup_identity_clause (const NsPathsLine *line)
{
  gint64 layer = line->depth > 1 ? 1 : 0;
  NsStat share = ns_paths_line_get_quantity (line, NS_Q_IDENTITY_SHARE, layer);
  NsStat path = ns_paths_line_get_quantity (line, NS_Q_IDENTITY, layer);
  g_autofree char *name = ns_paths_line_dup_name (line), *place = dup_place (line);
  g_autofree char *number = ns_paths_line_link (line, ns_format_percent (share.mean));

  if (!isfinite (share.mean))
    return g_strdup_printf (_ ("In %s the share of the loss gradient is not defined at %s."), name, place);
  if (path.n_zero == path.n)
    return dup_nothing (line, name, place);
  if (fabs (share.mean) < LITTLE_SHARE)
    return dup_little (line, name, number, place);
  if (share.mean < 0 || share.mean >= 1 + LITTLE_SHARE)
    return dup_beyond (line, name, number, place);
  return dup_identity_share (line, name, number, place);
}

char *
ns_paths_make_identity_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  return ns_paths_dup_sentence (source, options, dup_identity_clause, NS_PAGE_OF_QUANTITY "identity_share",
                                N_ ("The shares are arithmetic means over %u seeds."), NULL, links);
}

NsReadout *
ns_paths_make_identity_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  gsize n;
  const NsQuantity *quantities = ns_paths_list_quantities (NS_FIGURE_IDENTITY_PATH, &options->paths, &n);

  return ns_paths_read_quantities (source, options, quantities, n, x);
}
