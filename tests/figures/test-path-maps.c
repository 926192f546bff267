/* Test the heat maps and the contributions of the Paths view, as test-paths.c tests the curves.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-engine.h"
#include "paths-case.h"
#include "synthetic.h"
#include "tests.h"

#include <math.h>
#include <string.h>

static const char *const pre_post[] = { "pre", "post", NULL };
static const char *const pre[] = { "pre", NULL };

/* ---- heat maps ---- */

static const NsHeatMap *
get_map (const NsFigure *figure, guint panel)
{
  return ((const NsPanel *) g_ptr_array_index (figure->panels, panel))->heat_map;
}

static void
test_gain (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre_post);
  g_autoptr (NsPaths) paths = synthetic_paths (experiment, NS_PATHS_GAIN, 1);
  g_autoptr (NsReadout) readout = NULL;
  g_autoptr (NsFigure) figure = NULL;
  Case c = case_new (NS_FIGURE_GAIN, NULL, paths);

  synthetic_set_map (paths, 0, NS_MAP_GAIN, 1, 3, 2.5);
  synthetic_set_map (paths, 0, NS_MAP_GAIN_ERROR, 1, 3, 0.05);
  synthetic_set_map (paths, 1, NS_MAP_GAIN, 1, 3, 0);
  assert_sentence (&c, "In Pre-LN a random gradient at block 3 reaches block 1 with 2.50 times its norm (standard "
                       "error 2.0 %).\n"
                       "In Post-LN nothing of a random gradient at block 3 reaches block 1.\n"
                       "4 random gradients for each block and seed.");
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpuint (figure->panels->len, ==, 2);
  g_assert_cmpint (figure->colors->scale, ==, NS_AXIS_LOG10);
  g_assert_cmpfloat_with_epsilon (get_map (figure, 0)->value[1 * 4 + 3], log10 (2.5), 1e-12);
  g_assert_cmpint (ns_heat_map_get_mark (get_map (figure, 1), 1, 3), ==, NS_MARK_UNDERFLOW);
  /* No gradient goes upward. */
  g_assert_cmpint (ns_heat_map_get_mark (get_map (figure, 0), 3, 1), ==, NS_MARK_ABSENT);
  readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, 3.1, 0.9);
  g_assert_cmpstr (readout->place, ==, "Block 3 → Block 1");
  assert_cell (readout, 0, 0, "2.50");
  assert_cell (readout, 0, 2, "0.050");
  g_assert_cmpstr (strstr (figure->colors->subtitle, "4 random"), ==, "4 random gradients for each block and seed");

  synthetic_set_map (paths, 0, NS_MAP_GAIN, 1, 3, NAN);
  c.options.paths.hidden = 2;
  assert_sentence (&c, "In Pre-LN the gain from block 3 to block 1 is not defined.\n"
                       "4 random gradients for each block and seed.");
}

static void
test_similarity (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre);
  g_autoptr (NsPaths) paths = synthetic_paths (experiment, NS_PATHS_SIMILARITY, 1);
  g_autoptr (NsFigure) figure = NULL, grads = NULL;
  Case c = case_new (NS_FIGURE_SIMILARITY, NULL, paths);

  synthetic_set_map (paths, 0, NS_MAP_COS_X, 1, 3, 0.25);
  synthetic_set_map (paths, 0, NS_MAP_COS_G, 1, 3, -0.5);
  assert_sentence (&c, "In Pre-LN the outputs of block 1 and of block 3 have a cosine of 0.250.");
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpfloat (get_map (figure, 0)->value[1 * 4 + 3], ==, 0.25);
  g_assert_cmpint (figure->colors->kind, ==, NS_COLORS_SEQUENTIAL);
  g_assert_cmpfloat (figure->colors->min, ==, 0);
  c.options.paths.similarity = NS_SIMILARITY_GRAD;
  assert_sentence (&c, "In Pre-LN the gradients at block 1 and at block 3 have a cosine of −0.500.");
  grads = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpfloat (get_map (grads, 0)->value[1 * 4 + 3], ==, -0.5);
  /* Directions that are opposite need a scale with a middle. */
  g_assert_cmpint (grads->colors->kind, ==, NS_COLORS_DIVERGING);
  g_assert_cmpfloat (grads->colors->min, ==, -1);
  synthetic_set_map (paths, 0, NS_MAP_COS_G, 1, 3, NAN);
  assert_sentence (&c, "In Pre-LN the similarity of the gradients at block 1 and at block 3 is not defined.");
}

static void
test_experts (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre), plain = synthetic_experiment (3, pre);
  g_autoptr (NsPaths) paths = NULL, none = synthetic_paths (plain, NS_PATHS_ROUTING, 1);
  g_autoptr (NsFigure) figure = NULL, gradients = NULL, empty = NULL;
  g_autoptr (NsReadout) readout = NULL;
  Case c, without = case_new (NS_FIGURE_EXPERTS, NULL, none);

  ns_experiment_variant (experiment, 0)->experts.count = 4;
  paths = synthetic_paths (experiment, NS_PATHS_ROUTING, 1);
  c = case_new (NS_FIGURE_EXPERTS, NULL, paths);
  for (gint64 site = 1; site <= 3; site++)
    for (gint64 e = 0; e < 4; e++)
      {
        synthetic_set_map (paths, 0, NS_MAP_EXPERT_LOAD, site, e, 0.25);
        synthetic_set_map (paths, 0, NS_MAP_EXPERT_GRAD, site, e, 0.1);
      }
  synthetic_set_map (paths, 0, NS_MAP_EXPERT_LOAD, 2, 3, 0.5);
  synthetic_set_map (paths, 0, NS_MAP_EXPERT_LOAD, 3, 0, 0.125);
  synthetic_set_map (paths, 0, NS_MAP_EXPERT_GRAD, 1, 1, 2);
  assert_sentence (&c, "In Pre-LN the loads of the experts go from 0.125 to 0.500; equal ones would be 0.25.");
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  /* blocks are columns, experts rows */
  g_assert_cmpint (get_map (figure, 0)->n_rows, ==, 4);
  g_assert_cmpint (get_map (figure, 0)->n_columns, ==, 3);
  g_assert_cmpfloat (get_map (figure, 0)->value[3 * 3 + 1], ==, 0.5);
  readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, 2, 4);
  g_assert_cmpstr (readout->place, ==, "Block 2 · expert 4");
  c.options.paths.experts = NS_EXPERTS_GRADIENT;
  assert_sentence (&c, "In Pre-LN the gradient norms of the experts go from 0.100 to 2.00.");
  gradients = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpfloat_with_epsilon (get_map (gradients, 0)->value[1 * 3 + 0], log10 (2), 1e-9);
  assert_sentence (&without, "Pre-LN has no experts.");
  empty = ns_figure_make (without.kind, &without.source, &without.options, NULL);
  g_assert_cmpstr (((const NsPanel *) empty->panels->pdata[0])->message, ==, "No variant that is shown has experts");
}

/* ---- contributions ---- */

/* Set the shares of the input, the attentions and the FFNs in the output of a block: nothing else has any. */
static void
set_contributions (NsPaths *paths, gint64 whole, double input, double attn, double ffn)
{
  for (gint64 site = 0; site <= whole; site++)
    for (int contributor = 0; contributor < NS_N_CONTRIBUTORS; contributor++)
      {
        double share = contributor == NS_CONTRIBUTOR_ATTN ? attn / (double) whole : ffn / (double) whole;
        gint64 column = ns_contributor_get_column ((NsContributor) contributor, site);

        if (contributor == NS_CONTRIBUTOR_INPUT && site == 0)
          synthetic_set_map (paths, 0, NS_MAP_SHARE, whole, column, input);
        else if (site > 0 && (contributor == NS_CONTRIBUTOR_ATTN || contributor == NS_CONTRIBUTOR_FFN))
          synthetic_set_map (paths, 0, NS_MAP_SHARE, whole, column, share);
        else if (site > 0 && contributor == NS_CONTRIBUTOR_BIAS)
          synthetic_set_map (paths, 0, NS_MAP_SHARE, whole, column, NAN);
      }
}

static double
sum_stack (const NsPanel *panel, double x, const char *group)
{
  double sum = 0;

  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);

      for (gsize i = 0; i < series->n; i++)
        if (series->x[i] == x && (group == NULL || strcmp (series->group, group) == 0))
          sum += series->y[i];
    }
  return sum;
}

/* Count the parts of the bar at x. */
static guint
count_stack (const NsPanel *panel, double x)
{
  guint n = 0;

  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);

      for (gsize i = 0; series->kind == NS_SERIES_STACK && i < series->n; i++)
        n += series->x[i] == x ? 1 : 0;
    }
  return n;
}

static void
assert_contributions (gint64 depth)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (depth, pre);
  g_autoptr (NsPaths) paths = synthetic_paths (experiment, NS_PATHS_CONTRIBUTIONS, 1);
  g_autofree char *expected
      = g_strdup_printf ("In Pre-LN the output of block %d is 15 %% input, 60 %% attention and 25 %% FFN.",
                         (int) depth);
  g_autofree char *undefined
      = g_strdup_printf ("In Pre-LN the shares in the output of block %d are not defined.", (int) depth);
  g_autoptr (NsReadout) readout = NULL;
  g_autoptr (NsFigure) figure = NULL;
  const NsPanel *panel;
  Case c = case_new (NS_FIGURE_CONTRIBUTIONS, NULL, paths);

  for (gint64 whole = 1; whole <= depth; whole++)
    set_contributions (paths, whole, 0.15, 0.6, 0.25);
  assert_sentence (&c, expected);
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  panel = g_ptr_array_index (figure->panels, 0);
  /* The blocks of a deep stack share series; the bars are as long as before. */
  g_assert_cmpuint (panel->series->len, <=, 1 + 3 * 24);
  for (gint64 whole = 1; whole <= depth; whole++)
    {
      g_assert_cmpfloat_with_epsilon (sum_stack (panel, (double) whole, "input"), 0.15, 1e-9);
      g_assert_cmpfloat_with_epsilon (sum_stack (panel, (double) whole, "attention"), 0.6, 1e-9);
      g_assert_cmpfloat_with_epsilon (sum_stack (panel, (double) whole, "FFN"), 0.25, 1e-9);
    }
  /* Older blocks are lighter. */
  if (depth > 1)
    g_assert_cmpfloat (get_series (figure, 0, 1)->lightness, >, get_series (figure, 0, 2)->lightness);
  readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, (double) depth, NAN);
  assert_cell (readout, 0, 0, "0.150");
  assert_cell (readout, 0, 1, "0.600");
  synthetic_set_map (paths, 0, NS_MAP_SHARE, depth, 0, NAN);
  assert_sentence (&c, undefined);
}

static void
test_contributions (void)
{
  assert_contributions (1);
  assert_contributions (3);
  assert_contributions (60);
}

/* Each stack of a picture of shares adds up to 1, whatever the depths of encoder and decoder. */
static void
test_stacks (void)
{
  static const struct
  {
    gint64 depth, decoder_depth; /* 0: a single stack */
    const char *variant;
  } cases[] = {
    { 3, 0, "pre" },  { 60, 0, "post" }, { 3, 40, "pre" },         { 40, 3, "post" },
    { 1, 30, "pre" }, { 25, 24, "pre" }, { 4, 4, "pre:bias=on" }, { 5, 0, "parallel" },
  };
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  GError *error = NULL;
  guint n_stacks = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
      for (int all_blocks = 0; all_blocks < 2; all_blocks++)
        {
          const char *variants[] = { cases[i].variant, NULL };
          g_autoptr (NsExperiment) experiment = synthetic_experiment (cases[i].depth, variants);
          g_autoptr (NsPaths) paths = NULL;
          g_autoptr (NsFigure) figure = NULL;
          NsFigureOptions options;
          NsPathsSettings settings;
          gint64 blocks = cases[i].depth + cases[i].decoder_depth, n_x = 0;
          Case c;

          ns_figure_options_init (&options);
          options.paths.all_blocks = all_blocks;
          settings = ns_paths_options_get_settings (&options.paths, ns_figure_info (kind)->paths_kind);
          if (ns_figure_info (kind)->needs != NS_FIGURE_NEEDS_PATHS || settings.kind != NS_PATHS_CONTRIBUTIONS)
            continue;
          experiment->shape.d_model = experiment->shape.d_ff = 16;
          experiment->shape.heads = 2;
          experiment->shape.seq_len = 4;
          experiment->shape.stack = cases[i].decoder_depth > 0 ? NS_STACK_ENCODER_DECODER : NS_STACK_SINGLE;
          experiment->shape.decoder_depth = cases[i].decoder_depth;
          paths = ns_engine_run_paths (engine, experiment, &settings, 0, 1, NULL, &error);
          g_assert_no_error (error);
          c = case_new (kind, NULL, paths);
          figure = ns_figure_make (kind, &c.source, &options, NULL);
          for (guint p = 0; p < figure->panels->len; p++)
            {
              const NsPanel *panel = g_ptr_array_index (figure->panels, p);

              for (gint64 x = 0; x <= 2 * blocks + 4; x++)
                if (count_stack (panel, (double) x) > 0)
                  {
                    g_assert_cmpfloat_with_epsilon (sum_stack (panel, (double) x, NULL), 1, 1e-4);
                    n_x++;
                  }
            }
          g_assert_cmpint (n_x, ==, all_blocks ? blocks : cases[i].decoder_depth > 0 ? 2 : 1);
          n_stacks++;
        }
  g_assert_cmpuint (n_stacks, ==, 2 * G_N_ELEMENTS (cases));
}

void
add_path_maps_tests (void)
{
  g_test_add_func ("/path-maps/gain", test_gain);
  g_test_add_func ("/path-maps/similarity", test_similarity);
  g_test_add_func ("/path-maps/experts", test_experts);
  g_test_add_func ("/path-maps/contributions", test_contributions);
  g_test_add_func ("/path-maps/stacks", test_stacks);
}
