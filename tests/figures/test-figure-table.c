/* Test the table of figures: valid ids and options, and a figure from every row.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity.h"
#include "figures/ns-wiring.h"
#include "figures/table/ns-figure-table.h"
#include "synthetic-sweep.h"
#include "synthetic-training.h"
#include "synthetic.h"
#include "tests.h"

#include <string.h>

static const char *const pre_post[] = { "pre", "post", NULL };

static gboolean
is_id (const char *text)
{
  return *text != '\0' && strspn (text, "abcdefghijklmnopqrstuvwxyz-") == strlen (text);
}

static void
test_rows (void)
{
  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    {
      const NsFigureInfo *info = ns_figure_info (kind);

      g_assert_true (is_id (info->id));
      for (NsFigureKind other = 0; other < kind; other++)
        g_assert_cmpstr (ns_figure_info (other)->id, !=, info->id);
      g_assert_cmpuint (strlen (info->title), >, 2);
      g_assert_cmpuint (strlen (info->help), >, 10);
      g_assert_true ((info->make != NULL) != (info->make_diagram != NULL));
      /* A view reads the values at its crosshair. */
      g_assert_true (g_strcmp0 (info->view, "paths") != 0 || info->make_readout != NULL);
      g_assert_true (info->view != NULL || info->make == NULL || info->needs == NS_FIGURE_NEEDS_TRAINING
                     || info->needs == NS_FIGURE_NEEDS_SENSITIVITY
                     || info->needs == NS_FIGURE_NEEDS_COORDINATES || info->needs == NS_FIGURE_NEEDS_DEPTHS);
    }
}

/* A number is written as a text that reads back; what is out of range is refused. */
static void
assert_number (const NsFigureOption *o, double fallback)
{
  const double values[] = { fallback, o->least, o->most, 3.5e-4, 0.1, 1.0 / 3 };
  static const char *const refused[] = { "", "x", "1e-3x", "nan", "inf", "-1", "0" };
  double read = 7;

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *text = ns_figure_option_dup_text (o, values[i]);

      g_assert_true (ns_figure_option_parse (o, text, &read));
      g_assert_cmpfloat (read, ==, values[i]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    g_assert_false (ns_figure_option_parse (o, refused[i], &read));
  g_assert_cmpfloat (read, ==, values[G_N_ELEMENTS (values) - 1]);
}

/* Every default is a valid value of its option. */
static void
test_options (void)
{
  NsFigureOptions defaults;

  ns_figure_options_init (&defaults);
  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    for (const NsFigureOption *o = ns_figure_info (kind)->options; o != NULL && o->name != NULL; o++)
      {
        gboolean found = FALSE;

        g_test_message ("%s", o->name);
        g_assert_true (is_id (o->name));
        g_assert_cmpuint (strlen (o->help), >, 10);
        g_assert_cmpuint (o->offset + sizeof (int), <=, sizeof defaults);
        if (o->type == NS_FIGURE_OPTION_QUANTITY)
          g_assert_true (ns_figure_option_offers (o, G_STRUCT_MEMBER (NsQuantity, &defaults, o->offset)));
        if (o->type == NS_FIGURE_OPTION_SWITCH)
          g_assert_false (G_STRUCT_MEMBER (gboolean, &defaults, o->offset));
        if (o->type == NS_FIGURE_OPTION_NUMBER)
          assert_number (o, G_STRUCT_MEMBER (double, &defaults, o->offset));
        if (o->type != NS_FIGURE_OPTION_CHOICE)
          continue;
        for (const NsFigureChoice *choice = o->choices; choice->word != NULL; choice++)
          {
            g_assert_true (is_id (choice->word) || g_ascii_strtod (choice->word, NULL) > 0);
            g_assert_true (o->title == NULL || choice->title != NULL);
            found |= choice->value == G_STRUCT_MEMBER (int, &defaults, o->offset);
          }
        g_assert_true (found);
      }
}

static void
test_shared_options (void)
{
  NsFigureOptions options;

  ns_figure_options_init (&options);
  g_assert_true (options.flow.band && options.scaling.band && options.paths.band);
  g_assert_false (options.flow.titles || options.scaling.titles || options.paths.titles || options.wiring_names);
  g_assert_false (options.training.titles);
  ns_figure_options_set_band (&options, FALSE);
  ns_figure_options_set_titles (&options, TRUE);
  g_assert_false (options.flow.band || options.scaling.band || options.paths.band);
  g_assert_true (options.flow.titles && options.scaling.titles && options.paths.titles && options.wiring_names);
  g_assert_true (options.training.titles && options.sensitivity.titles);
}

/* Return an empty map. */
static NsSensitivity *
make_map (const NsExperiment *experiment)
{
  g_auto (NsSensitivityPlan) plan = { 0 };

  ns_sensitivity_plan_init (&plan, experiment, NS_SENSITIVITY_DEPTH);
  return ns_sensitivity_new (experiment, &plan, 2, NULL);
}

/* Return a coordinate check of two widths. */
static NsCoordinateCheck *
synthetic_coordinates (const NsExperiment *experiment)
{
  static const gint64 widths[] = { 8, 16 };
  NsCoordinateCheck *check = ns_coordinate_check_new (experiment, widths, G_N_ELEMENTS (widths), 1, NULL);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);

  g_assert_true (ns_engine_check_coordinates (engine, check, NULL, NULL));
  return check;
}

/* Each row makes the same figure as its own function. */
static void
test_make (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (5, pre_post);
  g_autoptr (NsResult) result = synthetic_result (experiment, 2);
  g_autoptr (NsSweep) sweep = synthetic_sweep ("1..8:every", "w_2@last", pre_post, 2, NS_SWEEP_DEPTH);
  g_autoptr (NsTraining) training = synthetic_trained (pre_post, 6, 2, &NS_TRAINING_PLAN_DEFAULT, 3e-3);
  g_autoptr (NsSensitivity) map = make_map (ns_training_get_experiment (training));
  g_autoptr (NsCoordinateCheck) coordinates = synthetic_coordinates (ns_training_get_experiment (training));
  g_autoptr (GPtrArray) depths = g_ptr_array_new ();
  const NsFigureSource source = { .experiment = experiment, .result = result, .sweep = sweep, .variant = 1 };
  NsFigureOptions options;

  ns_experiment_variant (experiment, 1)->experts.count = 3;
  synthetic_set_law (sweep, 0, NS_LAW_SQRT, 0, 1, 0, 8);
  synthetic_set_law (sweep, 1, NS_LAW_CONSTANT, 0, 1, 0, 8);
  g_ptr_array_add (depths, result);
  ns_figure_options_init (&options);
  ns_figure_options_set_titles (&options, TRUE);
  options.flow.hidden = options.paths.hidden = 1;
  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    if (ns_figure_info (kind)->make != NULL)
      {
        const NsFigureInfo *info = ns_figure_info (kind);
        gboolean needs_paths = info->needs == NS_FIGURE_NEEDS_PATHS;
        g_autoptr (NsPaths) paths = needs_paths ? synthetic_paths (experiment, info->paths_kind, 2) : NULL;
        const NsFigureSource own = { .experiment = experiment, .result = needs_paths ? NULL : result, .sweep = sweep,
                                     .paths = paths, .training = training, .sensitivity = map,
                                     .coordinates = coordinates, .depths = depths, .variant = 1 };
        g_autofree char *sentence = NULL;
        g_autoptr (NsFigure) figure = ns_figure_make (kind, &own, &options, &sentence);
        g_autoptr (NsReadout) readout = info->make_readout != NULL ? info->make_readout (&own, &options, 1, 1) : NULL;

        g_assert_cmpuint (figure->panels->len, >, 0);
        g_assert_true (((const NsPanel *) figure->panels->pdata[0])->series->len > 0
                       || ((const NsPanel *) figure->panels->pdata[0])->heat_map != NULL);
        g_assert_true (readout == NULL || readout->rows->len > 0);
        g_assert_nonnull (figure->title);
        g_assert_cmpstr (figure->caption, ==, sentence);
      }
    else
      {
        g_autoptr (NsDiagram) diagram = ns_figure_info (kind)->make_diagram (&source, &options);
        double width, height;

        ns_diagram_get_size (diagram, &width, &height);
        g_assert_cmpfloat (MIN (width, height), >, 0);
      }

  g_autofree char *sentence = ns_flow_sentence (result, &options.flow);
  g_autofree char *row_sentence = NULL;
  g_autoptr (NsFigure) figure = ns_figure_make (NS_FIGURE_FLOW, &source, &options, &row_sentence);
  g_autoptr (NsDiagram) one = ns_wiring_diagram_of_experiment (experiment, 1, TRUE);
  g_autoptr (NsDiagram) diagram = ns_figure_info (NS_FIGURE_WIRING)->make_diagram (&source, &options);
  double size[2], one_size[2];

  g_assert_cmpstr (row_sentence, ==, sentence);
  g_assert_cmpuint (((const NsPanel *) figure->panels->pdata[0])->series->len, ==, 1);
  ns_diagram_get_size (one, &one_size[0], &one_size[1]);
  ns_diagram_get_size (diagram, &size[0], &size[1]);
  g_assert_cmpfloat (size[0], ==, one_size[0]);
  g_assert_cmpfloat (size[1], ==, one_size[1]);
}

void
add_figure_table_tests (void)
{
  g_test_add_func ("/figure-table/rows", test_rows);
  g_test_add_func ("/figure-table/options", test_options);
  g_test_add_func ("/figure-table/shared-options", test_shared_options);
  g_test_add_func ("/figure-table/make", test_make);
}
