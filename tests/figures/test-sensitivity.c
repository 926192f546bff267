/* Test the figure of a sensitivity map: cells, marks, axes, its sentence and its read-out.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-sensitivity-private.h"
#include "figures/table/ns-figure-table.h"
#include "plot/ns-figure-text.h"
#include "synthetic.h"
#include "tests.h"

#include <math.h>
#include <string.h>

#define SEEDS 2

static const char *const variants[] = { "pre", "post", NULL };

static NsSensitivity *
new_map (NsSensitivityAxis axis, const char *points, const char *rates)
{
  g_autoptr (NsExperiment) e = synthetic_experiment (3, variants);
  g_auto (NsSensitivityPlan) plan = { 0 };
  g_autoptr (GError) error = NULL;
  NsSensitivity *map;

  e->data.source = NS_SOURCE_TEXT;
  g_free (e->data.text);
  e->data.text = g_strdup ("the quick brown fox jumps over the lazy dog and then it runs away from here");
  e->shape.vocab = 256;
  ns_sensitivity_plan_init (&plan, e, axis);
  g_assert_true (ns_sensitivity_plan_set_points (&plan, points, NULL));
  g_assert_true (ns_sensitivity_plan_set_rates (&plan, rates, NULL));
  map = ns_sensitivity_new (e, &plan, SEEDS, &error);
  g_assert_no_error (error);
  map->entropy = 3;
  return map;
}

/* Set a cell: seeds at loss and loss + 0.1; NAN: the second seed diverges. */
static void
set_cell (NsSensitivity *map, guint variant, guint point, guint rate, double loss)
{
  for (guint s = 0; s < SEEDS; s++)
    {
      NsSensitivityNumbers *run = ns_sensitivity_at (map, variant, point, rate, s);
      double last = isnan (loss) ? (s == 0 ? 2.0 : NAN) : loss + 0.1 * s;

      *run = (NsSensitivityNumbers){ .first = 5, .half = last, .last = last, .step = isnan (last) ? 7 : -1 };
      run->finished = TRUE;
      map->n_finished++;
    }
}

static void
set_row (NsSensitivity *map, guint variant, guint point, const double *losses)
{
  for (guint r = 0; r < map->plan.n_rates; r++)
    set_cell (map, variant, point, r, losses[r]);
}

static const double wide[] = { 4.5, 2.1, 2.05, 2.0, 2.95 }, narrow[] = { 4.5, 3.5, 2.0, 2.95, NAN },
                    flat[] = { 2.95, 2.95, 2.95, 2.95, NAN };

static NsSensitivity *
new_full_map (void)
{
  NsSensitivity *map = new_map (NS_SENSITIVITY_DEPTH, "2,8", "1e-4..1:5");

  set_row (map, 0, 0, wide);
  set_row (map, 0, 1, narrow);
  set_row (map, 1, 0, narrow);
  set_row (map, 1, 1, flat);
  return map;
}

static NsFigure *
make (const NsSensitivity *map, NsFigureOptions *options, char **sentence)
{
  NsFigureSource source = { .experiment = map->experiment, .sensitivity = map, .variant = -1 };

  return ns_figure_make (NS_FIGURE_SENSITIVITY, &source, options, sentence);
}

static const NsHeatMap *
get_map (const NsFigure *figure, guint panel)
{
  return ((const NsPanel *) g_ptr_array_index (figure->panels, panel))->heat_map;
}

static double
get_value (const NsFigure *figure, gint64 column)
{
  const NsHeatMap *map = get_map (figure, 0);

  g_assert_cmpint (ns_heat_map_get_mark (map, 0, column), ==, NS_MARK_NONE);
  return map->value[column];
}

static void
test_cells (void)
{
  g_autoptr (NsSensitivity) map = new_full_map ();
  NsFigureOptions options;
  g_autoptr (NsFigure) figure = NULL, best = NULL;
  g_autofree char *sentence = NULL, *tsv = NULL;

  ns_figure_options_init (&options);
  figure = make (map, &options, &sentence);
  g_assert_cmpuint (figure->panels->len, ==, 2);
  g_assert_null (figure->note);
  g_assert_cmpstr (figure->y_labels[0], ==, "2");
  g_assert_cmpstr (figure->y_labels[1], ==, "8");
  g_assert_cmpint (get_map (figure, 0)->n_columns, ==, 5);
  g_assert_cmpfloat_with_epsilon (get_map (figure, 0)->x[1], -3, 1e-9);
  g_assert_cmpfloat_with_epsilon (get_value (figure, 3), 2.1, 1e-12); /* the worst */
  g_assert_cmpint (ns_heat_map_get_mark (get_map (figure, 0), 0, 4), ==, NS_MARK_FLAT);
  g_assert_cmpint (ns_heat_map_get_mark (get_map (figure, 0), 1, 4), ==, NS_MARK_CROSS);
  g_assert_cmpstr (figure->colors->subtitle, ==,
                   "worst of 2 seeds · ✕ diverged · – stalled at the entropy of single bytes (3.00)");
  tsv = ns_figure_to_tsv (figure);
  g_assert_nonnull (strstr (tsv, "Pre-LN\t8\t4.6\t3.6\t2.1\t–\t×\n"));
  g_assert_nonnull (strstr (tsv, "\t0.0001\t0.001\t0.01\t0.1\t1\n"));

  options.sensitivity.seeds = NS_SEEDS_BEST;
  options.sensitivity.hidden = 1;
  best = make (map, &options, NULL);
  g_assert_cmpuint (best->panels->len, ==, 1);
  g_assert_cmpfloat_with_epsilon (get_value (best, 4), 2.0, 1e-12);
}

static void
test_sentence (void)
{
  g_autoptr (NsSensitivity) map = new_full_map ();
  NsFigureOptions options;
  g_autoptr (NsFigure) figure = NULL;
  g_autofree char *sentence = NULL;

  ns_figure_options_init (&options);
  figure = make (map, &options, &sentence);
  g_assert_cmpstr (sentence, ==,
                   "Pre-LN trains over a factor of 100 of learning rates at depth 2, and of 1 at depth 8.\n"
                   "Post-LN trains over a factor of 1 of learning rates at depth 2, and with none of them at depth 8.\n"
                   "A learning rate trains a variant if the loss is within 5 % of its best one and more than 5 % below "
                   "the entropy of single bytes (3.00); worst of 2 seeds.");
}

/* While the map fills, empty cells, a note, and no claim about a row that is not finished. */
static void
test_filling (void)
{
  g_autoptr (NsSensitivity) map = new_map (NS_SENSITIVITY_WARMUP, "0,10", "1e-4..1:5");
  NsFigureOptions options;
  g_autoptr (NsFigure) figure = NULL;
  g_autofree char *sentence = NULL;

  set_row (map, 0, 0, wide);
  set_row (map, 0, 1, wide);
  set_cell (map, 1, 0, 2, 2.0);
  ns_figure_options_init (&options);
  options.sensitivity.titles = TRUE;
  figure = make (map, &options, &sentence);
  g_assert_cmpstr (figure->note, ==, "22 of 40 trainings");
  g_assert_nonnull (strstr (figure->colors->subtitle, "worst of 2 seeds, as far as trained"));
  g_assert_cmpint (ns_heat_map_get_mark (get_map (figure, 1), 0, 1), ==, NS_MARK_ABSENT);
  g_assert_cmpint (ns_heat_map_get_mark (get_map (figure, 1), 0, 2), ==, NS_MARK_NONE);
  g_assert_true (g_str_has_prefix (sentence, "Pre-LN trains over a factor of 100 of learning rates without warm-up, "
                                             "and of 100 with 10 steps of warm-up.\n"
                                             "Post-LN is still being trained.\n"));
  g_assert_true (g_str_has_prefix (figure->title, "Learning rate × warm-up: depth 3"));
  g_assert_cmpstr (figure->caption, ==, sentence);
}

/* Rates that are not evenly spaced meet in the middle between them. */
static void
test_uneven (void)
{
  g_autoptr (NsSensitivity) map = new_map (NS_SENSITIVITY_DEPTH, "2", "1e-3,2e-3,1e-1");
  const NsSensitivityPlan *plan = ns_sensitivity_get_plan (map);
  NsFigureOptions options;
  g_autoptr (NsFigure) figure = NULL;
  const double losses[] = { 2.0, 2.2, 2.4 };
  guint point, rate;

  set_row (map, 0, 0, losses);
  ns_figure_options_init (&options);
  figure = make (map, &options, NULL);
  for (gint64 c = 0; c < get_map (figure, 0)->n_columns; c++)
    {
      double x = get_map (figure, 0)->x[c], middle = 0.5 * (log10 (2e-3) + log10 (1e-1));
      guint expected = x < 0.5 * (log10 (1e-3) + log10 (2e-3)) ? 0 : x < middle ? 1 : 2;

      g_assert_true (ns_sensitivity_find_cell (plan, x, 0, &point, &rate));
      g_assert_cmpuint (rate, ==, expected);
      g_assert_cmpfloat_with_epsilon (get_value (figure, c), losses[expected] + 0.1, 1e-12);
    }
  g_assert_false (ns_sensitivity_find_cell (plan, log10 (1e-1) + 1, 0, &point, &rate));
  g_assert_false (ns_sensitivity_find_cell (plan, -2, 0.6, &point, &rate));
}

static void
test_readout (void)
{
  g_autoptr (NsSensitivity) map = new_full_map ();
  NsFigureOptions options;
  NsFigureSource source = { .experiment = map->experiment, .sensitivity = map, .variant = -1 };
  g_autoptr (NsReadout) readout = NULL;
  const NsReadoutRow *row;

  ns_figure_options_init (&options);
  readout = ns_figure_info (NS_FIGURE_SENSITIVITY)->make_readout (&source, &options, log10 (map->plan.rates[4]), 1);
  g_assert_cmpstr (readout->place, ==, "Learning rate 1.0, depth 8");
  row = g_ptr_array_index (readout->rows, 0);
  g_assert_cmpstr (row->cells[0], ==, "✕");
  g_assert_cmpstr (row->cells[1], ==, "1 of 2 seeds diverges");
}

void
add_sensitivity_tests (void)
{
  g_test_add_func ("/sensitivity/cells", test_cells);
  g_test_add_func ("/sensitivity/sentence", test_sentence);
  g_test_add_func ("/sensitivity/filling", test_filling);
  g_test_add_func ("/sensitivity/uneven", test_uneven);
  g_test_add_func ("/sensitivity/readout", test_readout);
}
