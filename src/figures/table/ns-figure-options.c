/* The options of all figures together.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/table/ns-figure-table.h"

#include <string.h>

void
ns_figure_options_init (NsFigureOptions *options)
{
  ns_flow_options_init (&options->flow);
  ns_scaling_options_init (&options->scaling);
  ns_paths_options_init (&options->paths);
  ns_training_options_init (&options->training);
  ns_sensitivity_options_init (&options->sensitivity);
  options->wiring_names = FALSE;
  options->block = 1;
  memset (options->widths, 0, sizeof options->widths);
}

void
ns_figure_options_set_band (NsFigureOptions *options, gboolean band)
{
  options->flow.band = options->scaling.band = options->paths.band = band;
}

void
ns_figure_options_set_titles (NsFigureOptions *options, gboolean titles)
{
  options->flow.titles = options->scaling.titles = options->paths.titles = titles;
  options->training.titles = options->sensitivity.titles = options->wiring_names = titles;
}

NsTrainingPlan
ns_figure_get_training_plan (NsFigureKind kind, const NsFigureOptions *options, NsQuantitySet *recorded)
{
  NsTrainingPlan plan = NS_TRAINING_PLAN_DEFAULT;

  *recorded = (NsQuantitySet) { { 0 } };
  plan.logarithmic = TRUE;
  plan.quantities = recorded;
  switch (kind)
    {
    case NS_FIGURE_TRAINING_PROFILE:
      *recorded = ns_flow_options_get_quantities (&options->flow);
      break;
    case NS_FIGURE_TRAINING_MAP:
      ns_quantity_set_add (recorded, options->training.quantity);
      break;
    default: /* the sentence says what becomes of the gradient in the first steps */
      ns_quantity_set_add (recorded, NS_Q_BLOCK);
      plan.n_later = 0;
      break;
    }
  return plan;
}

/* ---- what they borrow ---- */

/* The places of one figure's borrowed arrays. */
typedef struct
{
  const NsColor **colors;
  const gboolean **has_color;
  const int **styles;
  const NsMarks **marks; /* NULL: the figure has none */
} Borrowed;

#define N_BORROWERS 5

static void
find_borrowed (NsFigureOptions *options, Borrowed borrowed[N_BORROWERS])
{
  NsFlowOptions *flow = &options->flow;
  NsPathsOptions *paths = &options->paths;
  NsScalingOptions *scaling = &options->scaling;
  NsTrainingOptions *training = &options->training;
  NsSensitivityOptions *sensitivity = &options->sensitivity;

  borrowed[0] = (Borrowed) { &flow->colors, &flow->has_color, &flow->styles, &flow->marks };
  borrowed[1] = (Borrowed) { &paths->colors, &paths->has_color, &paths->styles, &paths->marks };
  borrowed[2] = (Borrowed) { &scaling->colors, &scaling->has_color, &scaling->styles, NULL };
  borrowed[3] = (Borrowed) { &training->colors, &training->has_color, &training->styles, NULL };
  borrowed[4] = (Borrowed) { &sensitivity->colors, &sensitivity->has_color, &sensitivity->styles, NULL };
}

NsFigureOptions *
ns_figure_options_copy (const NsFigureOptions *options, guint n_variants)
{
  NsFigureOptions *copy = g_memdup2 (options, sizeof *options);
  Borrowed borrowed[N_BORROWERS];

  find_borrowed (copy, borrowed);
  for (guint i = 0; i < N_BORROWERS; i++)
    {
      const Borrowed *b = &borrowed[i];

      *b->colors = g_memdup2 (*b->colors, n_variants * sizeof **b->colors);
      *b->has_color = g_memdup2 (*b->has_color, n_variants * sizeof **b->has_color);
      *b->styles = g_memdup2 (*b->styles, n_variants * sizeof **b->styles);
      if (b->marks != NULL)
        *b->marks = ns_marks_copy (*b->marks);
    }
  if (copy->scaling.theory != NULL)
    ns_scaling_theory_ref ((NsScalingTheory *) copy->scaling.theory);
  return copy;
}

void
ns_figure_options_free (NsFigureOptions *options)
{
  Borrowed borrowed[N_BORROWERS];

  if (options == NULL)
    return;
  find_borrowed (options, borrowed);
  for (guint i = 0; i < N_BORROWERS; i++)
    {
      g_free ((NsColor *) *borrowed[i].colors);
      g_free ((gboolean *) *borrowed[i].has_color);
      g_free ((int *) *borrowed[i].styles);
      if (borrowed[i].marks != NULL)
        ns_marks_free ((NsMarks *) *borrowed[i].marks);
    }
  ns_scaling_theory_unref ((NsScalingTheory *) options->scaling.theory);
  g_free (options);
}
