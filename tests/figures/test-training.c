/* Test the figures of a training: what the curves, lines and crosses stand for, and what is said of them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/train/ns-training-loss.h"
#include "engine/train/ns-training-private.h"
#include "figures/ns-format.h"
#include "figures/table/ns-marks-text.h"
#include "paths-case.h"
#include "synthetic-training.h"
#include "tests.h"

#include <math.h>
#include <string.h>

static const char *const pre_post[] = { "pre", "post", NULL };
static const char *const pre[] = { "pre", NULL };

static Case
training_case (const NsTraining *training)
{
  Case c = { .kind = NS_FIGURE_TRAINING,
             .source = { .experiment = ns_training_get_experiment (training), .training = training, .variant = -1 } };

  ns_figure_options_init (&c.options);
  return c;
}

/* Return the series of that name and role, or fail. */
static const NsSeries *
find_series (const NsFigure *figure, guint panel, const char *name, NsSeriesRole role)
{
  const NsPanel *p = g_ptr_array_index (figure->panels, panel);

  for (guint s = 0; s < p->series->len; s++)
    if (g_strcmp0 (get_series (figure, panel, s)->name, name) == 0 && get_series (figure, panel, s)->role == role)
      return get_series (figure, panel, s);
  g_error ("the panel %u has no curve %s", panel, name);
}

static guint
count_series (const NsFigure *figure, NsSeriesRole role)
{
  const NsPanel *panel = g_ptr_array_index (figure->panels, 0);
  guint n = 0;

  for (guint s = 0; s < panel->series->len; s++)
    n += get_series (figure, 0, s)->role == role;
  return n;
}

/* ---- the curves ---- */

static void
test_curves (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre_post, 30, 3);
  Case c = training_case (training);
  const NsSeries *mean, *rate;
  NsTrainingSettings settings;
  double losses[30];
  NsStat stat;

  for (guint v = 0; v < 2; v++)
    for (guint s = 0; s < 3; s++)
      {
        for (int t = 0; t < 30; t++)
          losses[t] = 6 - 0.1 * t + v + 0.3 * s;
        synthetic_set_losses (training, v, s, losses, 30);
      }
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);

  g_assert_cmpuint (figure->panels->len, ==, 2);
  g_assert_null (figure->note);
  g_assert_cmpuint (count_series (figure, NS_ROLE_GHOST), ==, 6);
  g_assert_cmpuint (count_series (figure, NS_ROLE_DATA), ==, 2);
  mean = find_series (figure, 0, "Post-LN", NS_ROLE_DATA);
  g_assert_cmpuint (mean->n, ==, 30);
  g_assert_cmpint (mean->style, ==, 1);
  /* the first steps are means of fewer: of one, of one, …, of two from step 5 on, of three from step 10 on */
  g_assert_cmpfloat_with_epsilon (mean->y[0], 7.3, 1e-12);
  g_assert_cmpfloat_with_epsilon (mean->y[4], 6.9, 1e-12);
  g_assert_cmpfloat_with_epsilon (mean->y[5], 6.85, 1e-12);
  g_assert_cmpfloat_with_epsilon (mean->y[10], 6.4, 1e-12);
  g_assert_cmpfloat_with_epsilon (mean->y[29], 4.5, 1e-12);
  g_assert_cmpfloat (mean->x[29], ==, 29);
  /* the curve ends at the number of tables and sentence */
  g_assert_true (ns_training_get_final_loss (training, 1, &stat));
  g_assert_cmpfloat (stat.mean, ==, mean->y[29]);
  settings = ns_variant_get_training (c.source.experiment, ns_experiment_variant (c.source.experiment, 0));
  rate = find_series (figure, 1, "Pre-LN", NS_ROLE_DATA);
  for (int t = 0; t < 30; t++)
    g_assert_cmpfloat (rate->y[t], ==, ns_training_get_rate (&settings, t));
}

static void
test_log_axis (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre, 20, 1);
  Case c = training_case (training);

  synthetic_set_fall (training, 0, 5, 2);
  c.options.training.log_loss = TRUE;
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  const NsSeries *mean = find_series (figure, 0, "Pre-LN", NS_ROLE_DATA);

  g_assert_cmpint (((const NsPanel *) figure->panels->pdata[0])->scale, ==, NS_AXIS_LOG10);
  g_assert_cmpfloat_with_epsilon (mean->y[19], log10 (2), 1e-12);
}

static void
test_lines (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre, 20, 1);
  Case c = training_case (training);
  g_autofree char *symbols = NULL;
  const NsSeries *line;

  synthetic_set_fall (training, 0, 5, 2);
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);

  g_assert_cmpuint (count_series (figure, NS_ROLE_REFERENCE), ==, 2);
  line = find_series (figure, 0, "ln V 5.55", NS_ROLE_REFERENCE);
  g_assert_cmpfloat (line->y[1], ==, log (256));
  g_assert_cmpfloat (line->x[1], ==, 19);
  g_assert_true (line->on_line);
  symbols = g_strdup_printf ("single bytes %.2f", ns_training_get_symbol_entropy (training));
  find_series (figure, 0, symbols, NS_ROLE_REFERENCE);
}

/* Uniform tokens have one line for three names; a chain, whose tokens are about as frequent, has a floor of its own, if
 * the attention does not see what it predicts. */
static void
test_sources (void)
{
  g_autoptr (NsTraining) text = synthetic_training (pre, 4, 1);
  g_autoptr (NsExperiment) experiment = ns_experiment_copy (ns_training_get_experiment (text));
  const struct
  {
    int source;
    int attention;
    guint n;
  } sources[] = { { NS_SOURCE_TOKENS, NS_ATTENTION_CAUSAL, 1 },
                  { NS_SOURCE_MARKOV, NS_ATTENTION_CAUSAL, 2 },
                  { NS_SOURCE_MARKOV, NS_ATTENTION_FULL, 1 } };

  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    {
      GError *error = NULL;

      experiment->data.source = sources[i].source;
      ns_experiment_variant (experiment, 0)->attention = sources[i].attention;
      g_autoptr (NsTraining) training = ns_training_new (experiment, &NS_TRAINING_PLAN_DEFAULT, 0, 1, &error);
      g_assert_no_error (error);
      Case c = training_case (training);
      g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);

      g_assert_cmpuint (count_series (figure, NS_ROLE_REFERENCE), ==, sources[i].n);
    }
}

static void
test_hidden (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre_post, 20, 1);
  Case c = training_case (training);

  synthetic_set_fall (training, 0, 5, 2);
  synthetic_set_fall (training, 1, 5, 2.5);
  c.options.training.hidden = 1;
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpuint (count_series (figure, NS_ROLE_DATA), ==, 1);
  assert_sentence (&c, "Post-LN falls from 5.00 to 2.50.\nMeans over the last 2 steps.");
  c.options.training.hidden = 3;
  g_autoptr (NsFigure) empty = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_nonnull (((const NsPanel *) empty->panels->pdata[0])->message);
  assert_sentence (&c, "Every variant is hidden.");
}

/* ---- runs that end early ---- */

static void
test_divergence (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre_post, 20, 3);
  Case c = training_case (training);
  const NsAnnotation *cross;
  const NsPanel *panel;

  synthetic_set_fall (training, 0, 5, 2);
  synthetic_set_fall (training, 1, 5, 2);
  synthetic_set_divergence (training, 1, 2, 12, 2);
  synthetic_set_divergence (training, 1, 1, 7, 3);
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);

  panel = g_ptr_array_index (figure->panels, 0);
  g_assert_cmpuint (panel->annotations->len, ==, 2);
  g_assert_null (((const NsAnnotation *) panel->annotations->pdata[1])->text);
  cross = g_ptr_array_index (panel->annotations, 0);
  g_assert_cmpint (cross->kind, ==, NS_ANNOTATION_CROSS);
  g_assert_cmpfloat (cross->x, ==, 7);
  g_assert_cmpfloat_with_epsilon (cross->y, 2.3, 1e-9);
  g_assert_cmpstr (cross->text, ==, "step 7, block 3");
  g_assert_cmpstr (get_series (figure, 0, (guint) cross->series)->name, ==, "Post-LN");
  assert_sentence (&c, "Pre-LN falls from 5.00 to 2.00.\n"
                       "Post-LN falls from 5.00 to 1.99; 2 of 3 seeds diverge, the first at step 7, block 3.\n"
                       "Means over the last 2 steps and 3 seeds.");
  synthetic_set_divergence (training, 1, 0, 9, 4);
  assert_sentence (&c, "Pre-LN falls from 5.00 to 2.00.\n"
                       "Post-LN diverges with all 3 seeds, first at step 7, block 3.\n"
                       "Means over the last 2 steps and 3 seeds.");
}

/* A curve that is the same as its mean is drawn once. */
static void
test_few_steps (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre, 5, 1);
  Case c = training_case (training);

  synthetic_set_fall (training, 0, 5, 2);
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpuint (count_series (figure, NS_ROLE_GHOST), ==, 0);
  g_assert_cmpstr (((const NsPanel *) figure->panels->pdata[0])->subtitle, ==, "linear scale · 1 seed");
}

/* A run that diverges at once has no curve, but its cross. */
static void
test_divergence_at_once (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre, 20, 1);
  Case c = training_case (training);
  const NsPanel *panel;

  synthetic_set_fall (training, 0, 5, 2);
  synthetic_set_divergence (training, 0, 0, 0, ns_experiment_get_head_site (c.source.experiment));
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  panel = g_ptr_array_index (figure->panels, 0);
  g_assert_cmpuint (panel->annotations->len, ==, 1);
  g_assert_cmpint (((const NsAnnotation *) panel->annotations->pdata[0])->series, ==, -1);
  assert_sentence (&c, "Pre-LN diverges at step 0, head.");
}

/* The curves of the others stay readable when a loss explodes. */
static void
test_explosion (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre_post, 20, 1);
  Case c = training_case (training);
  double losses[20];
  const NsPanel *panel;

  synthetic_set_fall (training, 0, 5, 2);
  for (int t = 0; t < 20; t++)
    losses[t] = 5 * pow (10, t);
  synthetic_set_losses (training, 1, 0, losses, 20);
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  panel = g_ptr_array_index (figure->panels, 0);
  g_assert_true (panel->has_range);
  g_assert_cmpfloat_with_epsilon (panel->max, 1.5 * log (256), 1e-9);
  g_assert_cmpfloat (panel->min, <, 2);
  g_assert_nonnull (strstr (panel->subtitle, "8.32"));
  assert_sentence (&c, "Pre-LN falls from 5.00 to 2.00.\nPost-LN rises from 5.00 to 2.75·10¹⁹.\n"
                       "Means over the last 2 steps.");
}

static void
test_unfinished (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre_post, 20, 1);
  Case c = training_case (training);
  const double losses[] = { 5, 4, 3 };

  synthetic_set_losses (training, 0, 0, losses, 3);
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpstr (figure->note, ==, "0 of 20 steps");
  assert_sentence (&c, "Pre-LN is at 3.00 after 3 of 20 steps.\nPost-LN has not begun.\n"
                       "Means over the last 2 steps.");
}

/* ---- what is said of a loss ---- */

static void
assert_course (double first, double last, const char *expected)
{
  g_autoptr (NsTraining) training = synthetic_training (pre, 5, 1);
  Case c = training_case (training);

  synthetic_set_fall (training, 0, first, last);
  assert_sentence (&c, expected);
}

static void
test_courses (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre, 5, 1);
  double entropy = ns_training_get_symbol_entropy (training);
  g_autofree char *stalled = g_strdup_printf ("Pre-LN stalls at %.3g, near the entropy of single bytes (%.3g).",
                                              entropy, entropy);
  g_autofree char *passes = g_strdup_printf ("Pre-LN falls from %.3g to %.3g.", 1.2 * entropy, 0.9 * entropy);

  assert_course (5.7, entropy, stalled);
  assert_course (1.2 * entropy, 0.9 * entropy, passes);
  assert_course (5.7, 5.69, "Pre-LN does not learn: it begins at 5.70 and ends at 5.69.");
  assert_course (5.7, 7.5, "Pre-LN rises from 5.70 to 7.50.");
}

/* A loss that has reached the entropy only now is on its way. */
static void
test_passing (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre, 5, 1);
  Case c = training_case (training);
  double entropy = ns_training_get_symbol_entropy (training);
  const double losses[] = { 5.7, 5, 4.5, 4, entropy };
  g_autofree char *text = g_strdup_printf ("Pre-LN falls from 5.70 to %.3g.", entropy);

  synthetic_set_losses (training, 0, 0, losses, 5);
  assert_sentence (&c, text);
}

/* Seeds that stall are counted where the mean does not. */
static void
test_stalled_seeds (void)
{
  g_autoptr (NsTraining) training = synthetic_training (pre, 5, 3);
  Case c = training_case (training);
  double entropy = ns_training_get_symbol_entropy (training);
  const double learns[] = { 5.7, 4, 2, 1, 1 }, stuck[] = { 5.7, entropy, entropy, entropy, entropy };

  synthetic_set_losses (training, 0, 0, learns, 5);
  synthetic_set_losses (training, 0, 1, learns, 5);
  synthetic_set_losses (training, 0, 2, stuck, 5);
  g_autofree char *one = g_strdup_printf ("Pre-LN falls from 5.70 to %.2f; 1 of 3 seeds stalls near the entropy of "
                                          "single bytes (%.2f).\nMeans over 3 seeds.",
                                          (2 + entropy) / 3, entropy);
  assert_sentence (&c, one);
  synthetic_set_losses (training, 0, 1, stuck, 5);
  g_autofree char *two = g_strdup_printf ("Pre-LN falls from 5.70 to %.2f; 2 of 3 seeds stall near the entropy of "
                                          "single bytes (%.2f).\nMeans over 3 seeds.",
                                          (1 + 2 * entropy) / 3, entropy);
  assert_sentence (&c, two);
}

/* ---- real steps, read-out, title ---- */

static void
test_real (void)
{
  g_autoptr (NsTraining) training = synthetic_trained (pre_post, 12, 2, &NS_TRAINING_PLAN_DEFAULT, 3e-3);
  Case c = training_case (training);
  ns_figure_options_set_titles (&c.options, TRUE);
  g_autofree char *sentence = NULL;
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, &sentence);
  g_autoptr (NsReadout) readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, 3.2, 0);
  g_autofree char *number = NULL;
  NsStat stat;

  g_assert_cmpstr (figure->title, ==, "Training: depth 3, d_model 16, 2 × 8 tokens, 12 steps, 2 seeds");
  g_assert_cmpstr (figure->caption, ==, sentence);
  g_assert_null (figure->note);
  g_assert_cmpstr (readout->place, ==, "Step 3");
  g_assert_cmpuint (readout->rows->len, ==, 2);
  g_assert_true (ns_training_get_loss_stat (training, 1, 3, &stat));
  number = g_strdup_printf ("%.3g", stat.mean);
  assert_cell (readout, 1, 0, number);
}

/* ---- by block ---- */

/* Every cell of the map is the value of the last record before it. */
static void
test_map (void)
{
  const NsTrainingPlan plan = { .n_first = 4, .n_later = 6, .logarithmic = TRUE };
  g_autoptr (NsTraining) training = synthetic_trained (pre_post, 40, 2, &plan, 3e-3);
  Case c = training_case (training);
  const NsHeatMap *map;
  const gint64 *records;
  guint n, record = 0;
  NsStat stat, first, tenth;

  c.kind = NS_FIGURE_TRAINING_MAP;
  g_autofree char *sentence = NULL;
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, &sentence);

  g_assert_cmpuint (figure->panels->len, ==, 2);
  map = ((const NsPanel *) figure->panels->pdata[1])->heat_map;
  g_assert_cmpint (map->n_rows, ==, 3);
  g_assert_cmpfloat (map->y[0], ==, 1);
  records = ns_training_get_records (training, &n);
  for (gint64 column = 0; column < map->n_columns; column++)
    {
      /* the last step, from 0, that begins left of the column's right edge */
      double edge = pow (10, log10 (41) * (double) (column + 1) / (double) map->n_columns), step = 0;

      while (step + 2 < edge - 1e-9)
        step++;
      while (record + 1 < n && (double) records[record + 1] <= step)
        record++;
      g_autoptr (NsResult) result = ns_training_get_result (training, record);
      for (gint64 row = 0; row < 3; row++)
        {
          g_assert_true (ns_result_get_stat (result, 1, NS_Q_BLOCK, row + 1, &stat));
          g_assert_cmpfloat_with_epsilon (map->value[row * map->n_columns + column], stat.log10_mean, 1e-12);
        }
      g_assert_cmpint (ns_training_map_find_step (training, map->x[column]), ==, records[record]);
    }
  g_assert_cmpuint (record, ==, n - 1);
  for (record = 0; record < n; record++)
    g_assert_cmpint (ns_training_map_find_step (training, ns_training_map_get_x (records[record])), ==,
                     records[record]);
  /* of block 1, to the last record within ten steps */
  for (record = 0; record + 1 < n && records[record + 1] <= 10;)
    record++;
  g_autoptr (NsResult) start = ns_training_get_result (training, 0);
  g_autoptr (NsResult) later = ns_training_get_result (training, record);
  g_assert_true (ns_result_get_stat (start, 0, NS_Q_BLOCK, 1, &first));
  g_assert_true (ns_result_get_stat (later, 0, NS_Q_BLOCK, 1, &tenth));
  g_autofree char *factor = ns_format_ratio (fabs (tenth.log10_mean - first.log10_mean));
  g_autofree char *line = g_strdup_printf ("Pre-LN: block 1 %s a factor of %s of gradient within %d steps.\n",
                                           tenth.log10_mean < first.log10_mean ? "loses" : "gains", factor,
                                           (int) records[record]);
  g_assert_true (g_str_has_prefix (sentence, line));

  /* no line without a step */
  for (guint p = 0; p < figure->panels->len; p++)
    g_assert_cmpuint (((const NsPanel *) figure->panels->pdata[p])->annotations->len, ==, 0);
  c.options.training.step = 9;
  g_autoptr (NsFigure) marked = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  for (guint p = 0; p < marked->panels->len; p++)
    {
      const GPtrArray *annotations = ((const NsPanel *) marked->panels->pdata[p])->annotations;
      const NsAnnotation *mark = annotations->pdata[0];

      g_assert_cmpuint (annotations->len, ==, 1);
      g_assert_cmpint (mark->kind, ==, NS_ANNOTATION_LINE);
      g_assert_cmpfloat_with_epsilon (mark->x, 1, 1e-12); /* log10 (9 + 1) */
    }

  /* the read-out has the same record, of the block at y */
  g_autoptr (NsReadout) readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options,
                                                                         ns_training_map_get_x (2), 1.8);
  g_autofree char *cell = NULL;
  g_assert_cmpstr (readout->place, ==, "Step 2 · Block 2");
  g_assert_true (ns_training_get_stat (training, 1, NS_Q_BLOCK, 2, 2, &stat));
  cell = ns_format_log10 (stat.log10_mean, 3);
  assert_cell (readout, 1, 0, cell);
}

/* Any quantity of blocks: a cosine has a linear scale of its own, and the input a row. */
static void
test_map_of_similarity (void)
{
  const NsTrainingPlan plan = { .n_first = 3, .n_later = 1 };
  g_autoptr (NsTraining) training = synthetic_trained (pre, 12, 1, &plan, 3e-3);
  Case c = training_case (training);
  const NsHeatMap *map;
  NsStat stat;

  c.kind = NS_FIGURE_TRAINING_MAP;
  c.options.training.quantity = NS_Q_TOKEN_COS;
  g_autofree char *sentence = NULL;
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, &sentence);
  map = ((const NsPanel *) figure->panels->pdata[0])->heat_map;
  g_assert_cmpint (map->n_rows, ==, 4);
  g_assert_cmpint (figure->colors->scale, ==, NS_AXIS_LINEAR);
  g_assert_cmpfloat (figure->colors->max, ==, 1);
  g_assert_true (ns_training_get_stat (training, 0, NS_Q_TOKEN_COS, 0, 3, &stat));
  g_assert_cmpfloat (map->value[3 * map->n_columns], ==, stat.mean);
  g_autofree char *from = ns_format_cosine (stat.mean);
  g_autofree char *line = g_strdup_printf ("Pre-LN: token similarity at block 3 goes from %s to ", from);
  g_assert_true (g_str_has_prefix (sentence, line));
}

/* The parts of an encoder-decoder are named, and have no rows of weights for their inputs. */
static void
test_map_of_parts (void)
{
  g_autoptr (NsTraining) made = synthetic_training (pre, 3, 1);
  g_autoptr (NsExperiment) experiment = ns_experiment_copy (ns_training_get_experiment (made));
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autofree char *sentence = NULL;
  GError *error = NULL;
  const NsAxisPart *decoder;

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  experiment->shape.depth = 2;
  experiment->shape.d_model = 16;
  experiment->shape.heads = 2;
  experiment->shape.d_ff = 32;
  experiment->shape.seq_len = 8;
  experiment->shape.batch = 1;
  g_autoptr (NsTraining) training = ns_training_new (experiment, &NS_TRAINING_PLAN_DEFAULT, 0, 1, &error);
  g_assert_no_error (error);
  ns_engine_train (engine, training, NULL, &error);
  g_assert_no_error (error);
  Case c = training_case (training);
  c.kind = NS_FIGURE_TRAINING_MAP;
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, &sentence);
  const NsHeatMap *map = ((const NsPanel *) figure->panels->pdata[0])->heat_map;

  g_assert_nonnull (strstr (sentence, "block 1 of the encoder "));
  g_assert_cmpint (map->n_rows, ==, 4);
  g_assert_cmpuint (figure->y_parts->len, ==, 2);
  decoder = g_ptr_array_index (figure->y_parts, 1);
  g_assert_cmpstr (decoder->title, ==, "Decoder block");
  g_assert_cmpfloat (decoder->start, ==, map->y[2]);
  g_assert_cmpfloat (decoder->start - decoder->offset, ==, 1);
  g_autoptr (NsReadout) readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, 0, map->y[3]);
  g_assert_cmpstr (readout->place, ==, "Step 0 · Decoder block 2");
}

/* The profile is the flow figure of the record's result, with its sentence and its read-out. */
static void
test_profile (void)
{
  const NsTrainingPlan plan = { .n_first = 4, .n_later = 2 };
  g_autoptr (NsTraining) training = synthetic_trained (pre_post, 20, 2, &plan, 3e-3);
  Case c = training_case (training);
  const struct
  {
    int step;
    guint record;
    gint64 shown;
  } steps[] = { { 0, 0, 0 }, { 2, 2, 2 }, { 10, 3, 3 }, { 19, 5, 19 }, { 1000, 5, 19 }, { -1, 5, 19 } };

  c.kind = NS_FIGURE_TRAINING_PROFILE;
  c.options.flow.gradient = NS_Q_GRAD_X;
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      c.options.training.step = steps[i].step;
      g_autoptr (NsResult) result = ns_training_get_result (training, steps[i].record);
      g_autofree char *expected = ns_flow_sentence (result, &c.options.flow);
      g_autofree char *note = g_strdup_printf ("Step %d", (int) steps[i].shown);
      g_autofree char *place = g_strdup_printf ("Step %d · Block 2", (int) steps[i].shown);
      g_autofree char *sentence = NULL;
      g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, &sentence);
      g_autoptr (NsReadout) readout = ns_figure_info (c.kind)->make_readout (&c.source, &c.options, 2, 0);
      NsStat stat;

      g_assert_cmpstr (sentence, ==, expected);
      g_assert_cmpstr (figure->note, ==, note);
      g_assert_cmpstr (readout->place, ==, place);
      g_assert_true (ns_result_get_stat (result, 1, NS_Q_GRAD_X, 3, &stat));
      g_assert_cmpfloat (find_series (figure, 0, "Post-LN", NS_ROLE_DATA)->y[3], ==, stat.log10_mean);
    }
  ns_figure_options_set_titles (&c.options, TRUE);
  g_autoptr (NsFigure) titled = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  g_assert_cmpstr (titled->title, ==, "Training, step 19: depth 3, d_model 16, 2 × 8 tokens, 2 seeds");
  g_assert_nonnull (titled->caption);
}

/* Pins and notes have the values of the step; a note of a variant that is not there and kept curves are left out. */
static void
test_profile_marks (void)
{
  const NsTrainingPlan plan = { .n_first = 3, .n_later = 3 };
  g_autoptr (NsTraining) training = synthetic_trained (pre_post, 20, 2, &plan, 3e-3);
  const NsExperiment *experiment = ns_training_get_experiment (training);
  const NsNote of_none
      = { .text = (char *) "of none", .place = { NS_PART_STACK, 1 }, .quantity = NS_Q_GRAD_X, .variant = 7 };
  g_autoptr (NsMarks) marks = ns_marks_new ();
  g_autoptr (NsResult) first = ns_training_get_result (training, 0);
  Case c = training_case (training);
  char *pinned[2] = { NULL };

  c.kind = NS_FIGURE_TRAINING_PROFILE;
  c.options.flow.gradient = NS_Q_GRAD_X;
  c.options.flow.marks = marks;
  ns_marks_add_pin (marks, &(NsPin){ .panel = NS_KIND_GRADIENT, .place = { NS_PART_STACK, 2 } });
  g_assert_true (ns_marks_add_note_text (marks, NS_NOTE_TEXT, "Post-LN/1:here", experiment, c.kind, &c.options,
                                         NULL));
  ns_marks_add_note (marks, &of_none);
  ns_marks_add_reference (marks, "kept", experiment, 0, first);
  for (int i = 0; i < 2; i++)
    {
      c.options.training.step = i == 0 ? 0 : 19;
      g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, NULL);
      const NsPanel *panel = figure->panels->pdata[0];
      const NsSeries *series = find_series (figure, 0, "Post-LN", NS_ROLE_DATA);
      guint n_points = 0, n_notes = 0;

      for (guint a = 0; a < panel->annotations->len; a++)
        {
          const NsAnnotation *annotation = panel->annotations->pdata[a];

          g_assert_cmpstr (annotation->text, !=, "of none");
          if (annotation->kind == NS_ANNOTATION_NOTE)
            {
              g_assert_cmpstr (annotation->text, ==, "here");
              g_assert_cmpfloat (annotation->x, ==, 1);
              g_assert_cmpfloat (annotation->y, ==, series->y[1]);
              n_notes++;
            }
          if (annotation->kind != NS_ANNOTATION_POINT || panel->series->pdata[annotation->series] != series)
            continue;
          pinned[i] = ns_format_log10 (series->y[2], 3);
          if (i == 1)
            g_assert_cmpstr (pinned[0], !=, pinned[1]);
          g_assert_cmpstr (annotation->text, ==, pinned[i]);
          n_points++;
        }
      g_assert_cmpuint (n_points, ==, 1);
      g_assert_cmpuint (n_notes, ==, 1);
      for (guint s = 0; s < panel->series->len; s++)
        g_assert_cmpint (((const NsSeries *) panel->series->pdata[s])->role, ==, NS_ROLE_DATA);
    }
  g_free (pinned[0]);
  g_free (pinned[1]);
}

/* Runs that are not there are left out of every mean, and a variant without any is named. */
static void
test_missing_runs (void)
{
  const NsTrainingPlan plan = { .n_first = 4, .n_later = 1 };
  g_autoptr (NsTraining) training = synthetic_trained (pre_post, 8, 3, &plan, 3e-3);
  Case c = training_case (training);
  NsRun *run = ns_training_get_run (training, 1, 1);
  double values[2];
  NsStat stat;

  c.kind = NS_FIGURE_TRAINING_PROFILE;
  c.options.training.step = 3;
  run->n_records = 2;
  g_autoptr (NsResult) result = ns_training_get_result (training, 3);
  g_assert_true (ns_result_is_missing (result, 1, 1));
  g_assert_false (ns_result_is_missing (result, 1, 0));
  g_assert_cmpint (ns_result_get_overflow (result, 1, 1), ==, 0);
  for (guint i = 0; i < 2; i++)
    g_assert_true (ns_result_get_value (result, 1, NS_Q_BLOCK, 2, 2 * i, NULL, &values[i]));
  g_assert_true (ns_result_get_stat (result, 1, NS_Q_BLOCK, 2, &stat));
  g_assert_cmpuint (stat.n, ==, 2);
  g_assert_cmpfloat_with_epsilon (stat.log10_mean, (values[0] + values[1]) / 2, 1e-12);
  g_assert_true (ns_training_get_stat (training, 1, NS_Q_BLOCK, 3, 2, &stat));
  g_assert_cmpfloat_with_epsilon (stat.log10_mean, (values[0] + values[1]) / 2, 1e-12);

  for (guint s = 0; s < 3; s++)
    ns_training_get_run (training, 1, s)->n_records = 1;
  g_autofree char *waiting = NULL;
  g_autoptr (NsFigure) figure = ns_figure_make (c.kind, &c.source, &c.options, &waiting);
  g_assert_true (g_str_has_suffix (waiting, "\nPost-LN has not reached this step."));
  g_assert_cmpuint (((const NsPanel *) figure->panels->pdata[0])->series->len, ==, 1);
  synthetic_set_divergence (training, 1, 0, 2, 3);
  g_autofree char *diverged = NULL;
  g_autoptr (NsFigure) other = ns_figure_make (c.kind, &c.source, &c.options, &diverged);
  g_assert_true (g_str_has_suffix (diverged, "\nPost-LN has diverged at step 2, block 3."));
  c.options.training.hidden = 1;
  assert_sentence (&c, "Post-LN has diverged at step 2, block 3.");
}

/* The sentence of the losses says what block 1 loses of its gradient, if that is much. */
static void
test_lost_gradient (void)
{
  const NsTrainingPlan plan = { .n_first = 4, .n_later = 1 };
  g_autoptr (NsTraining) training = synthetic_trained (pre, 16, 2, &plan, 3e-3);
  Case c = training_case (training);
  double value;

  g_autofree char *sentence = ns_figure_info (c.kind)->make_sentence (&c.source, &c.options, NULL);
  g_assert_null (strstr (sentence, "gradient"));
  for (guint s = 0; s < 2; s++)
    {
      g_assert_true (ns_result_get_value (training->rows, 0, NS_Q_BLOCK, 1, s, NULL, &value));
      ns_result_set (training->rows, 0, NS_Q_BLOCK, 1, 3 * 2 + s, 0, value - 3);
    }
  g_autofree char *lost = ns_figure_info (c.kind)->make_sentence (&c.source, &c.options, NULL);
  g_assert_nonnull (strstr (lost, ". Its block 1 loses a factor of 1000 of gradient within 3 steps.\n"));
}

/* ---- the training before the last change ---- */

static void
test_ghost (void)
{
  const NsTrainingPlan plan = { .n_first = 4, .n_later = 1 };
  g_autoptr (NsTraining) former = synthetic_trained (pre_post, 12, 2, &plan, 1e-3);
  g_autoptr (NsTraining) training = synthetic_trained (pre_post, 8, 2, &plan, 3e-3);
  Case c = training_case (training);
  const NsSeries *ghost;
  NsStat stat;

  c.source.former = former;
  g_autoptr (NsFigure) curves = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  ghost = find_series (curves, 0, "before: Training steps 12, Learning rate 0.001", NS_ROLE_GHOST);
  g_assert_cmpuint (ghost->n, ==, 8);
  g_assert_true (ns_training_get_smooth_loss (former, 0, 7, &stat));
  g_assert_cmpfloat (ghost->y[7], ==, stat.mean);
  ghost = find_series (curves, 1, NULL, NS_ROLE_GHOST);
  g_assert_cmpfloat (ghost->y[7], ==, 1e-3);

  c.kind = NS_FIGURE_TRAINING_PROFILE;
  c.options.training.step = 2;
  g_autoptr (NsFigure) profile = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  ghost = find_series (profile, 0, "before: Training steps 12, Learning rate 0.001", NS_ROLE_GHOST);
  g_assert_true (ns_training_get_stat (former, 0, NS_Q_BLOCK, 2, 1, &stat));
  g_assert_cmpfloat (ghost->y[0], ==, stat.log10_mean);
}

/* A variant that was not changed has no ghost, and a setting that it did not have is the one of all variants. */
static void
test_ghost_of_one (void)
{
  static const char *const warm[] = { "pre", "post:warmup=5,name=Post-LN", NULL };
  const NsTrainingPlan plan = { .n_first = 2, .n_later = 1 };
  g_autoptr (NsTraining) former = synthetic_trained (pre_post, 8, 1, &plan, 3e-3);
  g_autoptr (NsTraining) training = synthetic_trained (warm, 8, 1, &plan, 3e-3);
  Case c = training_case (training);

  c.source.former = former;
  g_autoptr (NsFigure) curves = ns_figure_make (c.kind, &c.source, &c.options, NULL);
  find_series (curves, 0, "before: Warm-up 0", NS_ROLE_GHOST);
  g_assert_cmpuint (count_series (curves, NS_ROLE_GHOST), ==, 1);
}

void
add_training_tests (void)
{
  g_test_add_func ("/training/curves", test_curves);
  g_test_add_func ("/training/log-axis", test_log_axis);
  g_test_add_func ("/training/lines", test_lines);
  g_test_add_func ("/training/sources", test_sources);
  g_test_add_func ("/training/hidden", test_hidden);
  g_test_add_func ("/training/divergence", test_divergence);
  g_test_add_func ("/training/divergence-at-once", test_divergence_at_once);
  g_test_add_func ("/training/few-steps", test_few_steps);
  g_test_add_func ("/training/explosion", test_explosion);
  g_test_add_func ("/training/unfinished", test_unfinished);
  g_test_add_func ("/training/courses", test_courses);
  g_test_add_func ("/training/passing", test_passing);
  g_test_add_func ("/training/real", test_real);
  g_test_add_func ("/training/stalled-seeds", test_stalled_seeds);
  g_test_add_func ("/training/lost-gradient", test_lost_gradient);
  g_test_add_func ("/training/map", test_map);
  g_test_add_func ("/training/map-of-similarity", test_map_of_similarity);
  g_test_add_func ("/training/map-of-parts", test_map_of_parts);
  g_test_add_func ("/training/profile", test_profile);
  g_test_add_func ("/training/profile-marks", test_profile_marks);
  g_test_add_func ("/training/missing-runs", test_missing_runs);
  g_test_add_func ("/training/ghost", test_ghost);
  g_test_add_func ("/training/ghost-of-one", test_ghost_of_one);
}
