/* Test the curves of the Paths view: the numbers of their sentences are the computed ones, and what is not defined is
 * shown as such.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-paths-private.h"
#include "engine/run/ns-result-private.h"
#include "figures/ns-links.h"
#include "figures/table/ns-figure-table.h"
#include "paths-case.h"
#include "synthetic.h"
#include "tests.h"

#include <math.h>

static const char *const pre_post[] = { "pre", "post", NULL };
static const char *const pre[] = { "pre", NULL };

/* ---- the identity path ---- */

static void
test_identity (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre_post);
  g_autoptr (NsResult) result = synthetic_result (experiment, 1);
  g_autoptr (NsReadout) readout = NULL;
  g_autoptr (NsFigure) figure = NULL;
  Case c = case_new (NS_FIGURE_IDENTITY_PATH, result, NULL);

  synthetic_set (result, 0, NS_Q_IDENTITY_SHARE, 1, 0.361, NAN);
  synthetic_set (result, 1, NS_Q_IDENTITY_SHARE, 1, -6e-7, NAN);
  assert_sentence (&c, "In Pre-LN 36 % of the gradient at block 1 is the loss gradient itself.\n"
                       "In Post-LN almost nothing of the gradient at block 1 is the loss gradient itself "
                       "(<0.1 %).");
  /* The picture and the read-out have the same number. */
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, 1, NAN);
  g_assert_cmpuint (figure->panels->len, ==, 3);
  g_assert_cmpfloat (get_series (figure, 1, 0)->y[1], ==, 0.361);
  assert_cell (readout, 0, 2, "0.361");
  g_assert_cmpstr (readout->place, ==, "Block 1");
}

/* A pin of the gradients stands at its block of every curve, and says the curve's number; others are left out. */
static void
test_pins (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre_post);
  g_autoptr (NsResult) result = synthetic_result (experiment, 1);
  g_autoptr (NsMarks) marks = ns_marks_new ();
  g_autoptr (NsFigure) figure = NULL;
  const NsPin pins[] = {
    { .panel = NS_KIND_GRADIENT, .place = { NS_PART_STACK, 2 } },
    { .panel = NS_KIND_GRADIENT, .place = { NS_PART_STACK, 1 }, .has_other = TRUE, .other = { NS_PART_STACK, 3 } },
    { .panel = NS_KIND_ACTIVATION, .place = { NS_PART_STACK, 2 } },
    { .panel = NS_KIND_GRADIENT, .place = { NS_PART_STACK, 4 } },
  };
  const NsAnnotation *annotation;
  const NsPanel *panel;
  Case c = case_new (NS_FIGURE_IDENTITY_PATH, result, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (pins); i++)
    ns_marks_add_pin (marks, &pins[i]);
  synthetic_set (result, 0, NS_Q_IDENTITY_SHARE, 1, 0.25, NAN);
  synthetic_set (result, 0, NS_Q_IDENTITY_SHARE, 2, -0.361, NAN);
  synthetic_set (result, 0, NS_Q_IDENTITY_SHARE, 3, 0.5, NAN);
  synthetic_set (result, 1, NS_Q_IDENTITY_SHARE, 2, NAN, NAN);
  synthetic_set (result, 1, NS_Q_IDENTITY, 2, 0.001, -3);
  c.options.paths.marks = marks;
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  /* A ring for the curve that has a number, the line, and two ratios. */
  panel = g_ptr_array_index (figure->panels, 1);
  g_assert_cmpuint (panel->annotations->len, ==, 4);
  annotation = g_ptr_array_index (panel->annotations, 0);
  g_assert_cmpint (annotation->kind, ==, NS_ANNOTATION_POINT);
  g_assert_cmpfloat (annotation->x, ==, 2);
  g_assert_cmpfloat (annotation->y, ==, -0.361);
  g_assert_cmpstr (annotation->text, ==, "−0.361");
  annotation = g_ptr_array_index (panel->annotations, 2);
  g_assert_cmpint (annotation->kind, ==, NS_ANNOTATION_RATIO);
  g_assert_cmpstr (annotation->text, ==, "+0.250");
  panel = g_ptr_array_index (figure->panels, 0);
  annotation = g_ptr_array_index (panel->annotations, 1);
  g_assert_cmpint (annotation->series, ==, 1);
  g_assert_cmpstr (annotation->text, ==, "0.00100");
}

static void
test_identity_undefined (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre);
  g_autoptr (NsResult) result = synthetic_result (experiment, 1);
  g_autoptr (NsFigure) figure = NULL;
  Case c = case_new (NS_FIGURE_IDENTITY_PATH, result, NULL);

  synthetic_set (result, 0, NS_Q_IDENTITY_SHARE, 1, 1.31, NAN);
  assert_sentence (&c, "In Pre-LN the loss gradient makes up 131 % of the gradient at block 1; the branches make up "
                       "the difference to 100 %.");
  synthetic_set (result, 0, NS_Q_IDENTITY_SHARE, 1, 0, NAN);
  synthetic_set (result, 0, NS_Q_IDENTITY, 1, 0, -INFINITY);
  assert_sentence (&c, "In Pre-LN nothing of the gradient at block 1 is the loss gradient itself: every path passes a "
                       "branch.");
  synthetic_set (result, 0, NS_Q_IDENTITY_SHARE, 1, NAN, NAN);
  assert_sentence (&c, "In Pre-LN the share of the loss gradient is not defined at block 1.");
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpint (ns_series_get_mark (get_series (figure, 0, 0), 1), ==, NS_MARK_UNDERFLOW);
  g_assert_cmpint (ns_series_get_mark (get_series (figure, 1, 0), 1), ==, NS_MARK_NAN);
  ns_result_set_overflow (result, 0, 0, 2);
  assert_sentence (&c, "Pre-LN: the forward pass overflows in block 2.");
  c.options.paths.hidden = 1;
  assert_sentence (&c, "Every variant is hidden.");
}

/* An encoder's gradient does not begin at the loss; a stack of one block has only its input. */
static void
test_identity_parts (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (2, pre), one = synthetic_experiment (1, pre);
  g_autoptr (NsResult) result = NULL, single = synthetic_result (one, 2);
  Case c, of_one = case_new (NS_FIGURE_IDENTITY_PATH, single, NULL);

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  result = synthetic_result (experiment, 1);
  c = case_new (NS_FIGURE_IDENTITY_PATH, result, NULL);
  synthetic_set (result, 0, NS_Q_IDENTITY_SHARE, 1, 0.25, NAN);
  synthetic_set (result, 0, NS_Q_IDENTITY_SHARE, 4, 0.5, NAN);
  assert_sentence (&c, "In Pre-LN (encoder) 25 % of the gradient at block 1 is the gradient at its last block itself.\n"
                       "In Pre-LN (decoder) 50 % of the gradient at block 1 is the loss gradient itself.");
  synthetic_set (single, 0, NS_Q_IDENTITY_SHARE, 0, 0.5, NAN);
  assert_sentence (&of_one, "In Pre-LN 50 % of the gradient at the input is the loss gradient itself.\n"
                            "The shares are arithmetic means over 2 seeds.");
  of_one.options.paths.n_seeds_wanted = 8;
  assert_sentence (&of_one, "From 2 of 8 seeds, more may change this:\n"
                            "In Pre-LN 50 % of the gradient at the input is the loss gradient itself.\n"
                            "The shares are arithmetic means over 2 seeds.");
}

static void
test_links (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre);
  g_autoptr (NsResult) result = synthetic_result (experiment, 2);
  g_autoptr (GArray) links = NULL;
  Case c = case_new (NS_FIGURE_IDENTITY_PATH, result, NULL);
  g_autofree char *sentence = NULL, *linked = NULL;
  const NsLink *link;

  synthetic_set (result, 0, NS_Q_IDENTITY_SHARE, 1, 0.361, NAN);
  sentence = ns_figure_info (c.kind)->make_sentence (&c.source, &c.options, &links);
  g_assert_cmpuint (links->len, ==, 2);
  link = &g_array_index (links, NsLink, 0);
  linked = g_strndup (sentence + link->start, link->end - link->start);
  g_assert_cmpstr (linked, ==, "36 %");
  g_assert_cmpstr (g_array_index (links, NsLink, 0).page, ==, "quantity:identity_share");
  g_assert_cmpstr (g_array_index (links, NsLink, 1).page, ==, NS_PAGE_STATISTICS);
}

/* A note stands where its quantity is shown, or in the figure that it is about; kept curves are those of quantities. */
static void
test_notes (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre_post);
  g_autoptr (NsResult) result = synthetic_result (experiment, 1);
  g_autoptr (NsPaths) paths = synthetic_paths (experiment, NS_PATHS_UPDATE, 1);
  g_autoptr (NsMarks) marks = ns_marks_new ();
  g_autoptr (NsFigure) identity = NULL, update = NULL;
  Case c = case_new (NS_FIGURE_IDENTITY_PATH, result, NULL);
  Case of_update = case_new (NS_FIGURE_UPDATE, NULL, paths);
  const NsNote notes[] = {
    { NS_NOTE_TEXT, (char *) "share", { NS_PART_STACK, 2 }, NS_Q_IDENTITY_SHARE, 1, 0, FALSE, { 0 } },
    { NS_NOTE_ARROW, (char *) "", { NS_PART_STACK, 3 }, NS_Q_BLOCK, 0, NS_FIGURE_UPDATE, FALSE, { 0 } },
    { NS_NOTE_TEXT, (char *) "elsewhere", { NS_PART_STACK, 1 }, NS_Q_W_2, 0, 0, FALSE, { 0 } },
    { NS_NOTE_TEXT, (char *) "too deep", { NS_PART_STACK, 4 }, NS_Q_IDENTITY, 0, 0, FALSE, { 0 } },
  };
  const NsAnnotation *annotation;
  const NsSeries *kept;

  for (gsize i = 0; i < G_N_ELEMENTS (notes); i++)
    ns_marks_add_note (marks, &notes[i]);
  ns_marks_add_reference (marks, "before", experiment, 0, result);
  c.options.paths.marks = of_update.options.paths.marks = marks;
  identity = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpuint (((const NsPanel *) identity->panels->pdata[0])->annotations->len, ==, 0);
  g_assert_cmpuint (((const NsPanel *) identity->panels->pdata[1])->annotations->len, ==, 1);
  annotation = ((const NsPanel *) identity->panels->pdata[1])->annotations->pdata[0];
  g_assert_cmpint (annotation->kind, ==, NS_ANNOTATION_NOTE);
  g_assert_cmpfloat (annotation->x, ==, 2);
  g_assert_cmpint (annotation->series, ==, 1);
  g_assert_cmpfloat (annotation->y, ==, get_series (identity, 1, 1)->y[2]);
  kept = get_series (identity, 0, 2);
  g_assert_cmpstr (kept->name, ==, "before");
  g_assert_cmpint (kept->role, ==, NS_ROLE_REFERENCE);
  update = ns_figure_make (of_update.kind, &of_update.source, &of_update.options, NULL);
  g_assert_cmpuint (((const NsPanel *) update->panels->pdata[0])->annotations->len, ==, 1);
  annotation = ((const NsPanel *) update->panels->pdata[0])->annotations->pdata[0];
  g_assert_cmpint (annotation->kind, ==, NS_ANNOTATION_ARROW);
  g_assert_cmpfloat (annotation->x, ==, 3);
}

/* ---- path lengths ---- */

/* Set the shares of the lengths from 0 on; the others are 0. */
static void
set_shares (NsPaths *paths, guint variant, const double *shares, gint64 n)
{
  gint64 rows, columns;
  double mean = 0;

  ns_paths_get_size (paths, variant, NS_MAP_LENGTH_SHARE, &rows, &columns);
  for (gint64 k = 0; k < columns; k++)
    {
      double share = k < n ? shares[k] : 0;

      synthetic_set_map (paths, variant, NS_MAP_LENGTH_SHARE, 0, k, share);
      mean += (double) k * share;
    }
  synthetic_set_map (paths, variant, NS_MAP_LENGTH_MEAN, 0, 0, mean);
}

static void
test_lengths (void)
{
  const double shares[] = { 0.1, 0.3, 0.3, 0.2, 0.1 };
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre);
  g_autoptr (NsPaths) paths = synthetic_paths (experiment, NS_PATHS_LENGTHS, 1);
  g_autoptr (NsReadout) readout = NULL;
  g_autoptr (NsFigure) figure = NULL;
  const NsPanel *panel;
  Case c = case_new (NS_FIGURE_LENGTHS, NULL, paths);

  set_shares (paths, 0, shares, G_N_ELEMENTS (shares));
  assert_sentence (&c, "Pre-LN: the gradient at the input has run through 1.90 of 6 branches on average, half of it "
                       "through at most 2, nine tenths through at most 3.");
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  panel = g_ptr_array_index (figure->panels, 0);
  for (gsize k = 0; k < 7; k++)
    g_assert_cmpfloat (get_series (figure, 0, 0)->y[k], ==, k < G_N_ELEMENTS (shares) ? shares[k] : 0);
  g_assert_cmpuint (panel->annotations->len, ==, 3);
  g_assert_cmpfloat_with_epsilon (((const NsAnnotation *) panel->annotations->pdata[0])->x, 1.9, 1e-12);
  g_assert_cmpfloat (((const NsAnnotation *) panel->annotations->pdata[1])->x, ==, 2);
  g_assert_cmpfloat (((const NsAnnotation *) panel->annotations->pdata[2])->x, ==, 3);
  readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, 3.2, NAN);
  g_assert_cmpstr (readout->place, ==, "3 branches");
  assert_cell (readout, 0, 0, "0.200");

  /* Estimated shares may have a sum that is not near 1, even a negative one. */
  synthetic_set_map (paths, 0, NS_MAP_LENGTH_SHARE, 0, 0, -3);
  assert_sentence (&c, "Pre-LN: the gradient at the input has run through 1.90 of 6 branches on average; paths of "
                       "different lengths cancel each other too much for quantiles.");
  synthetic_set_map (paths, 0, NS_MAP_LENGTH_MEAN, 0, 0, NAN);
  assert_sentence (&c, "Pre-LN: the length of the gradient's paths is not defined.");
  ns_paths_set_overflow (paths, 0, 0, 1);
  assert_sentence (&c, "Pre-LN: the forward pass overflows in block 1.");
}

/* Estimated shares have their standard error as the band, and the sentence says so. */
static void
test_lengths_estimated (void)
{
  const double shares[] = { 0.1, 0.3, 0.3, 0.2, 0.1 };
  g_autoptr (NsExperiment) experiment = synthetic_experiment (60, pre);
  g_autoptr (NsPaths) paths = synthetic_paths (experiment, NS_PATHS_LENGTHS, 1);
  g_autoptr (NsReadout) readout = NULL;
  g_autoptr (NsFigure) figure = NULL;
  const NsSeries *series;
  Case c = case_new (NS_FIGURE_LENGTHS, NULL, paths);

  g_assert_false (ns_paths_is_exact (paths, 0));
  set_shares (paths, 0, shares, G_N_ELEMENTS (shares));
  for (gint64 k = 0; k <= 120; k++)
    synthetic_set_map (paths, 0, NS_MAP_LENGTH_ERROR, 0, k, 0.02);
  assert_sentence (&c, "Pre-LN: the gradient at the input has run through 1.90 of 120 branches on average; estimated: "
                       "half of it through at most 2, nine tenths through at most 3.");
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  series = get_series (figure, 0, 0);
  /* The norms of estimated parts are not known, and the long tail without a share is not drawn. */
  g_assert_cmpuint (figure->panels->len, ==, 1);
  g_assert_cmpuint (series->n, ==, 9);
  g_assert_cmpfloat_with_epsilon (series->low[1], 0.28, 1e-12);
  g_assert_cmpfloat_with_epsilon (series->high[1], 0.32, 1e-12);
  g_assert_cmpstr (((const NsPanel *) figure->panels->pdata[0])->subtitle, ==,
                   "linear scale · 1 seed · estimated curves: ± standard error");
  readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, 1, NAN);
  assert_cell (readout, 0, 1, "± 0.020 (error)");
}

/* ---- the update ---- */

static void
test_update (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre);
  g_autoptr (NsPaths) paths = synthetic_paths (experiment, NS_PATHS_UPDATE, 1);
  g_autoptr (NsReadout) readout = NULL;
  g_autoptr (NsFigure) figure = NULL;
  Case c = case_new (NS_FIGURE_UPDATE, NULL, paths);

  synthetic_set_map (paths, 0, NS_MAP_UPDATE_X, 0, 0, 0);
  synthetic_set_map (paths, 0, NS_MAP_UPDATE_X, 2, 0, 0.03);
  synthetic_set_map (paths, 0, NS_MAP_UPDATE_H, 0, 0, 0.021);
  synthetic_set_map (paths, 0, NS_MAP_LOSS_CHANGE, 0, 0, -0.02);
  synthetic_set_map (paths, 0, NS_MAP_LOSS_CHANGE_FIRST_ORDER, 0, 0, -0.022);
  synthetic_set_map (paths, 0, NS_MAP_NONLINEARITY, 0, 0, 0.01);
  assert_sentence (&c, "In Pre-LN a step of SGD with η = 0.001 moves the input of the head by 0.021 times its norm and "
                       "the loss by −0.020 (to first order −0.022); linear in η.");
  synthetic_set_map (paths, 0, NS_MAP_NONLINEARITY, 0, 0, 0.3);
  assert_sentence (&c, "In Pre-LN a step of SGD with η = 0.001 moves the input of the head by 0.021 times its norm and "
                       "the loss by −0.020 (to first order −0.022); not linear in η.");
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  /* The drawn input is no parameter: the curve begins at block 1. */
  g_assert_cmpfloat (get_series (figure, 0, 0)->x[0], ==, 1);
  g_assert_cmpfloat_with_epsilon (get_series (figure, 0, 0)->y[1], log10 (0.03), 1e-12);
  readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, 2, NAN);
  assert_cell (readout, 0, 0, "0.0300");
  synthetic_set_map (paths, 0, NS_MAP_UPDATE_H, 0, 0, NAN);
  assert_sentence (&c, "In Pre-LN the change by a step of SGD with η = 0.001 is not defined.");
}

/* The changes of the weights: a panel for each variant, a curve for each tensor that takes part. */
static void
test_update_weights (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre_post);
  g_autoptr (NsPaths) paths = synthetic_paths (experiment, NS_PATHS_UPDATE, 1);
  g_autoptr (NsReadout) readout = NULL;
  g_autoptr (NsFigure) figure = NULL, linear = NULL;
  Case c = case_new (NS_FIGURE_UPDATE, NULL, paths);

  c.options.paths.update_of = NS_UPDATE_WEIGHTS;
  for (guint v = 0; v < 2; v++)
    for (gint64 site = 0; site <= 4; site++)
      for (NsTensor tensor = 0; tensor < NS_N_TENSORS; tensor++)
        if (ns_paths_has_cell (paths, v, NS_MAP_UPDATE_W, site, tensor))
          synthetic_set_map (paths, v, NS_MAP_UPDATE_W, site, tensor, 0);
  for (gint64 site = 1; site <= 3; site++)
    {
      synthetic_set_map (paths, 0, NS_MAP_UPDATE_W, site, NS_T_W_Q, 0.01 * (double) site);
      synthetic_set_map (paths, 0, NS_MAP_UPDATE_W, site, NS_T_W_1, 0.004 / (double) site);
      synthetic_set_map (paths, 1, NS_MAP_UPDATE_W, site, NS_T_W_Q, 0);
      synthetic_set_map (paths, 1, NS_MAP_UPDATE_W, site, NS_T_W_1, 0.02);
    }
  assert_sentence (&c, "In Pre-LN a step of SGD with η = 0.001 changes the weights of the blocks by 0.0013 (W₁ of "
                       "block 3) to 0.030 (W_Q of block 3) times their norm.\n"
                       "In Post-LN a step of SGD with η = 0.001 changes the weights of the blocks by 0.020 (W₁ of "
                       "block 1) to 0.020 (W₁ of block 1) times their norm.");
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpuint (figure->panels->len, ==, 2);
  g_assert_cmpstr (get_series (figure, 0, 0)->name, ==, "W_Q");
  g_assert_cmpfloat_with_epsilon (get_series (figure, 0, 0)->y[2], log10 (0.03), 1e-12);
  /* What takes no part has no curve; the other keeps its look. */
  g_assert_cmpuint (((const NsPanel *) figure->panels->pdata[1])->series->len, ==, 1);
  g_assert_cmpstr (get_series (figure, 1, 0)->name, ==, "W₁");
  g_assert_cmpint (get_series (figure, 1, 0)->style, ==, get_series (figure, 0, 1)->style);
  readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, 3, NAN);
  assert_cell (readout, 0, 0, "0.0300");
  assert_cell (readout, 1, 0, NULL);
  assert_cell (readout, 1, 1, "0.0200");
  c.options.paths.log_axis = FALSE;
  linear = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpfloat (get_series (linear, 0, 0)->y[2], ==, 0.03);
  g_assert_true (ns_figure_can_change_scale (linear, 0) && !ns_figure_can_change_scale (linear, 2));
}

/* ---- residual against branch ---- */

static void
test_skip (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre);
  g_autoptr (NsResult) result = synthetic_result (experiment, 1);
  g_autoptr (NsReadout) readout = NULL;
  g_autoptr (NsFigure) figure = NULL;
  Case c = case_new (NS_FIGURE_SKIP_BRANCH, result, NULL);

  c.options.paths.sub = NS_SUB_FFN;
  synthetic_set (result, 0, NS_Q_SKIP_RATIO_FFN, 1, 0.71, log10 (0.71));
  synthetic_set (result, 0, NS_Q_SKIP_RATIO_FFN, 3, 0.13, log10 (0.13));
  synthetic_set (result, 0, NS_Q_GRAD_SKIP_RATIO_FFN, 1, 0.6, log10 (0.6));
  synthetic_set (result, 0, NS_Q_GRAD_SKIP_RATIO_FFN, 3, 0, -INFINITY);
  synthetic_set (result, 0, NS_Q_SKIP_COS_FFN, 3, NAN, NAN);
  assert_sentence (&c, "In Pre-LN the FFN adds 0.71 times its residual in block 1 and 0.13 times in block 3; it passes "
                       "0.60 and 0 times the gradient that the residual passes.");
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpuint (figure->panels->len, ==, 4);
  g_assert_cmpfloat_with_epsilon (get_series (figure, 0, 0)->y[0], log10 (0.71), 1e-12);
  g_assert_cmpint (ns_series_get_mark (get_series (figure, 1, 0), 2), ==, NS_MARK_UNDERFLOW);
  g_assert_cmpint (ns_series_get_mark (get_series (figure, 2, 0), 2), ==, NS_MARK_NAN);
  readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, 1, NAN);
  assert_cell (readout, 0, 0, "0.710");
  assert_cell (readout, 0, 2, "0.600");
}

/* Without a residual there is nothing to compare a branch with; a single stack has no cross-attention. */
static void
test_skip_undefined (void)
{
  static const char *const cut[] = { "pre:attn.residual=off", NULL };
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, cut), one = synthetic_experiment (1, pre);
  g_autoptr (NsResult) result = synthetic_result (experiment, 1), single = synthetic_result (one, 1);
  g_autoptr (NsFigure) figure = NULL;
  Case c = case_new (NS_FIGURE_SKIP_BRANCH, result, NULL);
  Case of_one = case_new (NS_FIGURE_SKIP_BRANCH, single, NULL);

  assert_sentence (&c, "In Pre-LN, no attention residual the attention has no residual of its own.");
  figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_nonnull (((const NsPanel *) figure->panels->pdata[0])->message);
  synthetic_set (single, 0, NS_Q_SKIP_RATIO_ATTN, 1, 2, log10 (2));
  synthetic_set (single, 0, NS_Q_GRAD_SKIP_RATIO_ATTN, 1, 0.5, log10 (0.5));
  assert_sentence (&of_one, "In Pre-LN the attention of block 1 adds 2.0 times its residual, and passes 0.50 times the "
                            "gradient that the residual passes.");
  synthetic_set (single, 0, NS_Q_SKIP_RATIO_ATTN, 1, NAN, NAN);
  assert_sentence (&of_one, "In Pre-LN the ratio of the attention to its residual is not defined.");
}

/* What is computed is what the options say. */
static void
test_settings (void)
{
  NsPathsOptions options;

  ns_paths_options_init (&options);
  options.n_probes = 7;
  g_assert_cmpuint (ns_paths_options_get_settings (&options, NS_PATHS_GAIN).n_probes, ==, 7);
  g_assert_true (ns_paths_options_get_settings (&options, NS_PATHS_CONTRIBUTIONS).all_blocks);
  options.all_blocks = FALSE;
  g_assert_false (ns_paths_options_get_settings (&options, NS_PATHS_CONTRIBUTIONS).all_blocks);
  options.optimizer = NS_OPTIMIZER_ADAM;
  g_assert_cmpfloat (ns_paths_options_get_settings (&options, NS_PATHS_UPDATE).learning_rate, ==,
                     ns_optimizer_get_learning_rate (NS_OPTIMIZER_ADAM));
  options.learning_rate = 3.5e-4;
  g_assert_cmpfloat (ns_paths_options_get_settings (&options, NS_PATHS_UPDATE).learning_rate, ==, 3.5e-4);
  g_assert_false (ns_paths_options_get_settings (&options, NS_PATHS_UPDATE).matrices_only);
  options.matrices_only = TRUE;
  g_assert_true (ns_paths_options_get_settings (&options, NS_PATHS_UPDATE).matrices_only);
  g_assert_false (ns_paths_options_get_settings (&options, NS_PATHS_GAIN).matrices_only);
}

/* While it is computed, a figure shows what there is. */
static void
test_unfinished (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, pre);

  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    {
      const NsFigureInfo *info = ns_figure_info (kind);
      NsPathsOptions defaults;
      NsPathsSettings settings;

      if (info->needs != NS_FIGURE_NEEDS_PATHS)
        continue;
      ns_paths_options_init (&defaults);
      settings = ns_paths_options_get_settings (&defaults, info->paths_kind);
      g_autoptr (NsPaths) paths = ns_paths_new (experiment, &settings, 0, 2, NULL);
      Case c = case_new (kind, NULL, paths);
      g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
      g_autoptr (NsReadout) readout = info->make_readout (&c.source, &c.options, 1, 1);

      g_assert_cmpstr (figure->note, ==, "0 of 2 seeds");
      g_assert_nonnull (((const NsPanel *) figure->panels->pdata[0])->message);
      assert_sentence (&c, "No seed is finished yet.");
    }
}

void
add_paths_tests (void)
{
  g_test_add_func ("/paths/identity", test_identity);
  g_test_add_func ("/paths/pins", test_pins);
  g_test_add_func ("/paths/notes", test_notes);
  g_test_add_func ("/paths/identity-undefined", test_identity_undefined);
  g_test_add_func ("/paths/identity-parts", test_identity_parts);
  g_test_add_func ("/paths/links", test_links);
  g_test_add_func ("/paths/lengths", test_lengths);
  g_test_add_func ("/paths/lengths-estimated", test_lengths_estimated);
  g_test_add_func ("/paths/update", test_update);
  g_test_add_func ("/paths/update-weights", test_update_weights);
  g_test_add_func ("/paths/skip", test_skip);
  g_test_add_func ("/paths/skip-undefined", test_skip_undefined);
  g_test_add_func ("/paths/settings", test_settings);
  g_test_add_func ("/paths/unfinished", test_unfinished);
}
