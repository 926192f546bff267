/* Test the figure of a coordinate check: panels, axis, its verdict in words and its read-out.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"
#include "figures/table/ns-figure-table.h"
#include "tests.h"

#include <math.h>
#include <string.h>

static const gint64 widths[] = { 16, 32, 64 };

/* Two variants with the standard scaling and with μP. */
static NsCoordinateCheck *
new_check (double learning_rate)
{
  g_autoptr (NsExperiment) e = ns_experiment_new ();
  NsVariant *mup;
  NsCoordinateCheck *check;
  g_autoptr (GError) error = NULL;

  e->shape = (NsShape){ .depth = 2, .d_model = 32, .heads = 2, .d_ff = 64, .seq_len = 8, .batch = 4, .vocab = 19 };
  e->data.source = NS_SOURCE_TOKENS;
  e->sampling.seeds = 3;
  e->training.learning_rate = learning_rate;
  g_ptr_array_set_size (e->variants, 1);
  mup = ns_variant_copy (ns_experiment_variant (e, 0));
  g_free (mup->name);
  mup->name = g_strdup ("Scaled");
  mup->init.mup_base = 16;
  g_ptr_array_add (e->variants, mup);
  check = ns_coordinate_check_new (e, widths, G_N_ELEMENTS (widths), 2, &error);
  g_assert_no_error (error);
  return check;
}

static void
fill (NsCoordinateCheck *check)
{
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);

  g_assert_true (ns_engine_check_coordinates (engine, check, NULL, NULL));
}

/* Make the figure and, in *sentence, its words. */
static NsFigure *
make (NsCoordinateCheck *check, guint64 hidden, char **sentence)
{
  const NsFigureSource source = { .experiment = ns_coordinate_check_get_experiment (check), .coordinates = check,
                                  .variant = -1 };
  NsFigureOptions options;

  ns_figure_options_init (&options);
  options.training.hidden = hidden;
  return ns_figure_make (NS_FIGURE_COORDINATE_CHECK, &source, &options, sentence);
}

static void
test_figure (void)
{
  g_autoptr (NsCoordinateCheck) check = new_check (0.02);
  g_autofree char *empty = NULL, *sentence = NULL;
  g_autoptr (NsFigure) unfilled = make (check, 0, &empty), figure = NULL;
  const NsPanel *panels[2];
  const NsSeries *last;
  NsCoordinate worst;
  NsStat stat;

  g_assert_cmpstr (unfilled->note, ==, "0 of 3 widths");
  g_assert_nonnull (strstr (empty, "has no exponent yet"));
  fill (check);
  figure = make (check, 0, &sentence);
  g_assert_null (figure->note);
  g_assert_cmpuint (figure->panels->len, ==, 2);
  for (guint p = 0; p < 2; p++)
    {
      panels[p] = g_ptr_array_index (figure->panels, p);
      g_assert_cmpuint (panels[p]->series->len, ==, 3); /* after 0, 1 and 2 steps */
      g_assert_cmpfloat_with_epsilon (panels[p]->max - panels[p]->min, panels[0]->max - panels[0]->min, 1e-12);
    }
  last = g_ptr_array_index (panels[0]->series, 2);
  worst = ns_coordinate_check_get_worst (check, 0, 2);
  g_assert_true (ns_coordinate_check_get_stat (check, 0, &worst, 1, 2, &stat));
  g_assert_nonnull (strstr (panels[0]->title, ns_quantity_info (worst.quantity)->title));
  g_assert_nonnull (strstr (sentence, ns_quantity_info (worst.quantity)->title));
  g_assert_cmpfloat_with_epsilon (last->y[1], stat.log10_mean, 1e-12);
  g_assert_cmpfloat_with_epsilon (last->x[1], log10 (32), 1e-12);
  g_assert_cmpstr (last->name, ==, "2 steps");
  g_assert_nonnull (strstr (panels[1]->accessible_title, "Scaled"));
  g_assert_nonnull (strstr (sentence, "after 2 steps"));
}

static void
test_words (void)
{
  g_autoptr (NsCoordinateCheck) check = new_check (0.05);
  g_autofree char *both = NULL, *one = NULL, *none = NULL;
  g_autoptr (NsFigure) figure = NULL, without = NULL, hidden = NULL;

  fill (check);
  figure = make (check, 0, &both);
  g_test_message ("%s", both);
  g_assert_nonnull (strstr (both, " is not flat: it grows with the width. Worst: "));
  without = make (check, 1, &one);
  g_assert_null (strstr (one, "grows"));
  g_assert_true (g_str_has_prefix (one, "Scaled "));
  hidden = make (check, 3, &none);
  g_assert_cmpstr (none, ==, "Every variant is hidden.");
}

static void
test_readout (void)
{
  g_autoptr (NsCoordinateCheck) check = new_check (0.02);
  const NsFigureSource source = { .experiment = ns_coordinate_check_get_experiment (check), .coordinates = check,
                                  .variant = -1 };
  g_autoptr (NsReadout) readout = NULL;
  NsFigureOptions options;

  fill (check);
  ns_figure_options_init (&options);
  readout = ns_figure_info (NS_FIGURE_COORDINATE_CHECK)->make_readout (&source, &options, log10 (30), 0);
  g_assert_cmpstr (readout->place, ==, "Width 32");
  g_assert_cmpuint (readout->n_columns, ==, 3);
  g_assert_cmpuint (readout->rows->len, ==, 2);
  g_assert_nonnull (((const NsReadoutRow *) readout->rows->pdata[1])->cells[2]);
}

void
add_coordinate_tests (void)
{
  g_test_add_func ("/coordinate/figure", test_figure);
  g_test_add_func ("/coordinate/words", test_words);
  g_test_add_func ("/coordinate/readout", test_readout);
}
