/* Test the encoder-decoder in the flow figure, its sentence, its readout and the titles of the scaling figure.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-engine.h"
#include "engine/run/ns-result-private.h"
#include "figures/ns-flow.h"
#include "figures/ns-marks.h"
#include "figures/ns-scaling.h"
#include "synthetic.h"
#include "tests.h"

#include <math.h>
#include <string.h>

static const char *const pre_post[] = { "pre", "post", NULL };

/* decoder_depth 0: as many blocks as the encoder. */
static NsResult *
make_depths (gint64 depth, gint64 decoder_depth, const char *const *variants, guint n_seeds)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (depth, variants);

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  experiment->shape.decoder_depth = decoder_depth;
  return synthetic_result (experiment, n_seeds);
}

static NsResult *
make (gint64 depth, const char *const *variants, guint n_seeds)
{
  return make_depths (depth, 0, variants, n_seeds);
}

/* Set a straight line in log10 over the blocks of a part. */
static void
set_line (NsResult *result, guint variant, NsQuantity quantity, NsPart part, double first, double last)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  gboolean is_decoder = part == NS_PART_DECODER && experiment->shape.decoder_depth > 0;
  gint64 depth = is_decoder ? experiment->shape.decoder_depth : experiment->shape.depth;

  for (gint64 block = 1; block <= depth; block++)
    {
      double value = first + (last - first) * (double) (block - 1) / (double) MAX (depth - 1, 1);

      synthetic_set (result, variant, quantity, ns_experiment_get_site (experiment, part, block), pow (10, value),
                     value);
    }
}

static void
set_both (NsResult *result, guint variant, double encoder, double decoder)
{
  set_line (result, variant, NS_Q_BLOCK, NS_PART_ENCODER, 0, encoder);
  set_line (result, variant, NS_Q_BLOCK, NS_PART_DECODER, -1, -1 + decoder);
}

static void
assert_sentence (const NsResult *result, NsQuantity quantity, const char *expected)
{
  NsFlowOptions options;
  g_autofree char *text = NULL;
  g_autofree char *all = NULL;

  ns_flow_options_init (&options);
  options.gradient = quantity;
  text = ns_flow_sentence (result, &options);
  all = synthetic_dup_sentence (expected, ns_result_get_n_seeds (result), options.log_gradient);
  g_assert_cmpstr (text, ==, all);
}

static const NsSeries *
get_series (const NsFigure *figure, guint panel, guint series)
{
  const NsPanel *of = g_ptr_array_index (figure->panels, panel);

  g_assert_cmpuint (series, <, of->series->len);
  return g_ptr_array_index (of->series, series);
}

/* ---- the figure ---- */

static void
test_axis (void)
{
  static const gint64 depths[] = { 1, 6, 24, 1000 };

  for (gsize d = 0; d < G_N_ELEMENTS (depths); d++)
    {
      gint64 depth = depths[d];
      g_autoptr (NsResult) result = make (depth, pre_post, 1);
      const NsExperiment *experiment = ns_result_get_experiment (result);
      NsFlowOptions options;
      g_autoptr (NsFigure) figure = NULL;

      ns_flow_options_init (&options);
      figure = ns_flow_figure (result, NULL, &options);
      g_assert_cmpuint (figure->x_parts->len, ==, 2);
      g_assert_cmpuint (get_series (figure, 0, 0)->n, ==, 2 * depth);
      g_assert_cmpuint (get_series (figure, 1, 0)->n, ==, 2 * (depth + 1));
      for (guint p = 0; p < 2; p++)
        {
          const NsAxisPart *part = g_ptr_array_index (figure->x_parts, p);

          g_assert_cmpstr (part->name, ==, p == 0 ? "Encoder" : "Decoder");
          g_assert_cmpfloat (part->start - part->offset, ==, 0);
          g_assert_cmpfloat (part->end - part->offset, ==, (double) depth);
          for (gint64 block = 0; block <= depth; block++)
            {
              gint64 site = ns_experiment_get_site (experiment, p == 0 ? NS_PART_ENCODER : NS_PART_DECODER, block);
              const NsSeries *curve = get_series (figure, 0, 1), *bars = get_series (figure, 1, 1);
              gsize at = (gsize) (p * (depth + 1) + block);
              NsStat stat;

              g_assert_true (ns_result_get_stat (result, 1, NS_Q_RMS_X, site, &stat));
              g_assert_cmpfloat (bars->x[at] - part->offset, ==, (double) block);
              g_assert_cmpfloat (bars->y[at], ==, stat.mean);
              if (block == 0)
                continue;
              at = (gsize) (p * depth + block - 1);
              g_assert_true (ns_result_get_stat (result, 1, NS_Q_BLOCK, site, &stat));
              g_assert_cmpfloat (curve->x[at] - part->offset, ==, (double) block);
              g_assert_cmpfloat (curve->y[at], ==, stat.log10_mean);
            }
        }
      g_assert_cmpfloat (get_series (figure, 1, 0)->x[2 * depth + 1], ==, (double) ns_flow_get_last_x (experiment));
    }
}

/* Each part has its own blocks: on the axis, back from the axis, as places, in the title and in the sentence. */
static void
test_depths (void)
{
  static const gint64 depths[][2] = { { 12, 3 }, { 3, 12 }, { 1, 40 }, { 40, 1 } };

  for (gsize d = 0; d < G_N_ELEMENTS (depths); d++)
    {
      g_autoptr (NsResult) result = make_depths (depths[d][0], depths[d][1], pre_post, 1);
      const NsExperiment *experiment = ns_result_get_experiment (result);
      g_autoptr (NsFigure) figure = NULL;
      NsFlowOptions options;
      gsize at = 0;

      ns_flow_options_init (&options);
      figure = ns_flow_figure (result, NULL, &options);
      g_assert_cmpuint (figure->x_parts->len, ==, 2);
      g_assert_cmpuint (get_series (figure, 0, 0)->n, ==, depths[d][0] + depths[d][1]);
      g_assert_cmpuint (get_series (figure, 1, 0)->n, ==, depths[d][0] + depths[d][1] + 2);
      for (guint p = 0; p < 2; p++)
        {
          const NsAxisPart *part = g_ptr_array_index (figure->x_parts, p);
          NsPlace place = { p == 0 ? NS_PART_ENCODER : NS_PART_DECODER, depths[d][p] + 1 };

          g_assert_cmpfloat (part->end - part->offset, ==, (double) depths[d][p]);
          g_assert_false (ns_place_exists (&place, experiment));
          for (place.block = 0; place.block <= depths[d][p]; place.block++, at++)
            {
              double x = get_series (figure, 1, 0)->x[at];

              g_assert_cmpfloat (x - part->offset, ==, (double) place.block);
              g_assert_cmpfloat (ns_flow_place_to_x (experiment, &place), ==, x);
              g_assert_cmpint (ns_flow_get_place (experiment, x).part, ==, place.part);
              g_assert_cmpint (ns_flow_get_place (experiment, x).block, ==, place.block);
              g_assert_true (ns_place_exists (&place, experiment));
            }
        }
      g_assert_cmpfloat (get_series (figure, 1, 0)->x[at - 1], ==, (double) ns_flow_get_last_x (experiment));
    }
}

static void
test_single_stack_has_no_parts (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (24, pre_post);
  g_autoptr (NsResult) result = synthetic_result (experiment, 2);
  NsFlowOptions options;
  g_autoptr (NsFigure) figure = NULL;

  ns_flow_options_init (&options);
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpuint (figure->x_parts->len, ==, 0);
  g_assert_cmpint (ns_flow_get_last_x (experiment), ==, 24);
}

/* A quantity without values at the inputs starts at block 1 in both parts. */
static void
test_parts_begin_where_numbers_do (void)
{
  g_autoptr (NsResult) result = make (6, pre_post, 1);
  NsFlowOptions options;
  g_autoptr (NsFigure) figure = NULL;

  ns_flow_options_init (&options);
  options.activation = NS_Q_RMS_FFN;
  figure = ns_flow_figure (result, NULL, &options);
  for (guint p = 0; p < 2; p++)
    {
      const NsAxisPart *part = g_ptr_array_index (figure->x_parts, p);

      g_assert_cmpfloat (part->start - part->offset, ==, 1);
    }
}

/* A ghost of another depth is drawn at the same blocks of the same part. A single stack gives no ghost. */
static void
test_ghost (void)
{
  g_autoptr (NsResult) now = make (6, pre_post, 1), before = make (24, pre_post, 1);
  g_autoptr (NsExperiment) single = synthetic_experiment (6, pre_post);
  g_autoptr (NsResult) other = synthetic_result (single, 1);
  NsFlowOptions options;
  g_autoptr (NsFigure) figure = NULL, plain = NULL;
  const NsSeries *ghost;

  set_line (before, 0, NS_Q_BLOCK, NS_PART_DECODER, -3, 20);
  ns_flow_options_init (&options);
  figure = ns_flow_figure (now, before, &options);
  ghost = get_series (figure, 0, 0);
  g_assert_cmpint (ghost->role, ==, NS_ROLE_GHOST);
  g_assert_cmpuint (ghost->n, ==, 12);
  g_assert_cmpfloat (ghost->x[11], ==, (double) ns_flow_get_last_x (ns_result_get_experiment (now)));
  g_assert_cmpfloat (ghost->y[6], ==, -3);
  g_assert_cmpfloat_with_epsilon (ghost->y[11], -3 + 23.0 * 5 / 23, 1e-9);

  plain = ns_flow_figure (now, other, &options);
  for (guint s = 0; s < 2; s++)
    g_assert_cmpint (get_series (plain, 0, s)->role, ==, NS_ROLE_DATA);
}

static void
test_title (void)
{
  g_autoptr (NsResult) result = make (6, pre_post, 8);
  NsFlowOptions options;
  g_autoptr (NsFigure) figure = NULL;

  ns_flow_options_init (&options);
  options.titles = TRUE;
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpstr (figure->title, ==, "At initialization: depth 6 + 6, d_model 128, 2 × 32 tokens, 8 seeds");
}

/* Tokens also collapse if only the cross-attention lacks its residual. */
static void
test_cross_residual_shows_similarity (void)
{
  static const char *const variants[] = { "pre:cross.residual=off", NULL };
  g_autoptr (NsResult) result = make (6, variants, 1);
  g_autoptr (NsExperiment) single = synthetic_experiment (6, variants);
  g_autoptr (NsResult) single_result = synthetic_result (single, 1);
  NsFlowOptions options;
  g_autoptr (NsFigure) figure = NULL, without = NULL;

  ns_flow_options_init (&options);
  figure = ns_flow_figure (result, NULL, &options);
  without = ns_flow_figure (single_result, NULL, &options);
  g_assert_cmpuint (figure->panels->len, ==, 3);
  g_assert_cmpuint (without->panels->len, ==, 2);
}

/* ---- the sentence ---- */

static void
test_sentence (void)
{
  g_autoptr (NsResult) result = make (6, pre_post, 8);

  set_both (result, 0, log10 (1 / 2.2), log10 (1 / 1.6));
  set_both (result, 1, log10 (1.1), log10 (13));
  assert_sentence (result, NS_Q_BLOCK,
                   "Pre-LN: encoder falls to 45 % from block 1 to 6; decoder falls to 63 % from block 1 to 6.\n"
                   "Post-LN: encoder flat; decoder rises to 13 times from block 1 to 6.\n"
                   "At the top of the decoder Post-LN is 21 times Pre-LN.");
}

/* The top is the last block of the decoder; its seeds decide whether two variants are close. */
static void
test_spread_at_the_top (void)
{
  g_autoptr (NsResult) result = make (6, pre_post, 2);
  gint64 top = ns_experiment_get_site (ns_result_get_experiment (result), NS_PART_DECODER, 6);

  set_both (result, 0, 0, 0);
  set_both (result, 1, 0, 0);
  for (guint s = 0; s < 2; s++)
    {
      double value = s == 0 ? -3 : 0;

      ns_result_set (result, 0, NS_Q_BLOCK, top, s, pow (10, value), value);
    }
  assert_sentence (result, NS_Q_BLOCK,
                   "Pre-LN: encoder flat; decoder shows no trend beyond the spread of the seeds.\n"
                   "Post-LN: encoder flat; decoder flat.\n"
                   "At the top of the decoder Pre-LN and Post-LN differ by no more than the spread of the seeds.");
}

/* The end of one part and the start of the next make no turn. */
static void
test_parts_are_apart (void)
{
  g_autoptr (NsResult) result = make (6, pre_post, 1);

  set_both (result, 0, 3, -3);
  set_both (result, 1, 0, 0);
  assert_sentence (result, NS_Q_BLOCK,
                   "Pre-LN: encoder rises by a factor of 1000 from block 1 to 6; decoder falls by a factor of "
                   "1000 from block 1 to 6.\n"
                   "Post-LN: encoder flat; decoder flat.\n"
                   "At the top of the decoder Post-LN is 1000 times Pre-LN.");
}

static void
test_one_part_only (void)
{
  g_autoptr (NsResult) result = make (6, pre_post, 1);

  set_line (result, 0, NS_Q_CROSS, NS_PART_DECODER, 0, -1);
  set_line (result, 1, NS_Q_CROSS, NS_PART_DECODER, 0, 1);
  assert_sentence (result, NS_Q_CROSS,
                   "Pre-LN: encoder has no ‖∂L/∂θ_cross‖; decoder falls to a tenth from block 1 to 6.\n"
                   "Post-LN: encoder has no ‖∂L/∂θ_cross‖; decoder rises to 10 times from block 1 to 6.\n"
                   "At the top of the decoder Post-LN is 100 times Pre-LN.");
  assert_sentence (result, NS_Q_W_3,
                   "Pre-LN: has no ‖∂L/∂W₃‖.\n"
                   "Post-LN: has no ‖∂L/∂W₃‖.");
}

static void
test_bad_numbers (void)
{
  g_autoptr (NsResult) result = make (6, pre_post, 2);
  const NsExperiment *experiment = ns_result_get_experiment (result);

  set_both (result, 0, 0, 0);
  set_both (result, 1, 0, 0);
  synthetic_set (result, 0, NS_Q_BLOCK, ns_experiment_get_site (experiment, NS_PART_ENCODER, 2), 0, -INFINITY);
  synthetic_set (result, 0, NS_Q_BLOCK, ns_experiment_get_site (experiment, NS_PART_DECODER, 3), NAN, NAN);
  synthetic_set (result, 1, NS_Q_BLOCK, ns_experiment_get_site (experiment, NS_PART_DECODER, 4), 0, -400);
  assert_sentence (result, NS_Q_BLOCK,
                   "Pre-LN: encoder exactly 0 in block 2; decoder not a number in block 3.\n"
                   "Post-LN: encoder flat; decoder falls by a factor of 10³⁹⁹ at a low in block 4, and from "
                   "there rises by a factor of 10³⁹⁹ at block 6; decoder too small for a double in block 4.\n"
                   "At the top of the decoder Pre-LN and Post-LN are close.");
}

static void
test_overflow (void)
{
  g_autoptr (NsResult) result = make (6, pre_post, 2);
  const NsExperiment *experiment = ns_result_get_experiment (result);

  for (guint s = 0; s < 2; s++)
    ns_result_set_overflow (result, 0, s, ns_experiment_get_site (experiment, NS_PART_ENCODER, 3));
  ns_result_set_overflow (result, 1, 1, ns_experiment_get_site (experiment, NS_PART_DECODER, 2));
  assert_sentence (result, NS_Q_W_3,
                   "Pre-LN: the forward pass overflows in block 3 of the encoder.\n"
                   "Post-LN: the forward pass overflows in block 2 of the decoder with 1 of 2 seeds.");
  for (guint s = 0; s < 2; s++)
    ns_result_set_overflow (result, 0, s, ns_experiment_get_head_site (experiment));
  ns_result_set_overflow (result, 1, 0, ns_experiment_get_site (experiment, NS_PART_DECODER, 6));
  assert_sentence (result, NS_Q_W_3,
                   "Pre-LN: the forward pass overflows in the head.\n"
                   "Post-LN: the forward pass overflows in block 2 of the decoder.");
}

static void
test_similarity (void)
{
  g_autoptr (NsResult) result = make (6, pre_post, 1);
  const NsExperiment *experiment = ns_result_get_experiment (result);

  set_both (result, 0, 0, 0);
  set_both (result, 1, 0, 0);
  synthetic_set (result, 0, NS_Q_TOKEN_COS, ns_experiment_get_site (experiment, NS_PART_DECODER, 6), 0.998, NAN);
  synthetic_set (result, 1, NS_Q_TOKEN_COS, ns_experiment_get_site (experiment, NS_PART_ENCODER, 6), 0.9999, NAN);
  synthetic_set (result, 1, NS_Q_TOKEN_COS, ns_experiment_get_site (experiment, NS_PART_DECODER, 0), 0.995, NAN);
  synthetic_set (result, 1, NS_Q_TOKEN_COS, ns_experiment_get_site (experiment, NS_PART_DECODER, 6), 0.997, NAN);
  assert_sentence (result, NS_Q_BLOCK,
                   "Pre-LN: encoder flat; decoder flat; in the decoder tokens become one vector "
                   "(similarity 0.998).\n"
                   "Post-LN: encoder flat; decoder flat; in the encoder tokens become one vector "
                   "(similarity >0.999); in the decoder tokens are alike from the input on: similarity 0.997 at block "
                   "6.\n"
                   "At the top of the decoder Pre-LN and Post-LN are close.");

  /* A finding that holds in both parts appears once. */
  synthetic_set (result, 0, NS_Q_TOKEN_COS, ns_experiment_get_site (experiment, NS_PART_ENCODER, 6), 0.998, NAN);
  synthetic_set (result, 1, NS_Q_TOKEN_COS, ns_experiment_get_site (experiment, NS_PART_ENCODER, 6), 0.5, NAN);
  synthetic_set (result, 1, NS_Q_TOKEN_COS, ns_experiment_get_site (experiment, NS_PART_DECODER, 6), 0.5, NAN);
  assert_sentence (result, NS_Q_BLOCK,
                   "Pre-LN: encoder flat; decoder flat; in encoder and decoder tokens become one "
                   "vector (similarity 0.998).\n"
                   "Post-LN: encoder flat; decoder flat.\n"
                   "At the top of the decoder Pre-LN and Post-LN are close.");
}

static void
test_depth_one (void)
{
  g_autoptr (NsResult) result = make (1, pre_post, 1);

  set_line (result, 0, NS_Q_BLOCK, NS_PART_ENCODER, 0, 0);
  set_line (result, 0, NS_Q_BLOCK, NS_PART_DECODER, 1, 1);
  set_line (result, 1, NS_Q_BLOCK, NS_PART_ENCODER, 0, 0);
  set_line (result, 1, NS_Q_BLOCK, NS_PART_DECODER, 2, 2);
  assert_sentence (result, NS_Q_BLOCK,
                   "Pre-LN: encoder 1.00 in its only block; decoder 10.0 in its only block.\n"
                   "Post-LN: encoder 1.00 in its only block; decoder 100 in its only block.\n"
                   "At the top of the decoder Post-LN is 10 times Pre-LN.");
}

/* ---- the readout ---- */

static void
test_readout (void)
{
  g_autoptr (NsResult) result = make (24, pre_post, 1);
  const NsExperiment *experiment = ns_result_get_experiment (result);
  gint64 first_of_decoder = ns_flow_get_last_x (experiment) - 24;
  NsFlowOptions options;
  static const struct
  {
    gboolean in_decoder;
    gint64 x;
    const char *text;
  } cases[] = {
    { FALSE, -5, "Encoder input" },     { FALSE, 0, "Encoder input" }, { FALSE, 7, "Encoder block 7" },
    { FALSE, 24, "Encoder block 24" },  { FALSE, 25, "Encoder block 24" }, { TRUE, -1, "Decoder input" },
    { TRUE, 0, "Decoder input" },       { TRUE, 3, "Decoder block 3" },
    { TRUE, 24, "Decoder block 24" },   { TRUE, 90, "Decoder block 24" },
  };

  ns_flow_options_init (&options);
  options.hidden = 3;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gint64 x = cases[i].x + (cases[i].in_decoder ? first_of_decoder : 0);
      g_autofree char *text = ns_flow_readout (result, &options, x);

      g_assert_cmpstr (text, ==, cases[i].text);
    }

  options.hidden = 2;
  synthetic_set (result, 0, NS_Q_BLOCK, ns_experiment_get_site (experiment, NS_PART_DECODER, 3), 0.5, log10 (0.5));
  synthetic_set (result, 0, NS_Q_RMS_X, ns_experiment_get_site (experiment, NS_PART_DECODER, 3), 2, log10 (2));
  g_autofree char *numbers = ns_flow_readout (result, &options, first_of_decoder + 3);
  g_assert_cmpstr (numbers, ==, "Decoder block 3 · Pre-LN 0.500, rms(xₗ) 2.00");
}

/* ---- measured ---- */

/* Xiong et al. 2020, figure 3: 6 + 6 blocks at d_model 512, d_ff 1024, 4 heads. */
static void
test_xiong (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (6, pre_post);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsResult) result = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  NsFlowOptions options;
  GError *error = NULL;
  const char *decoder;
  NsStat first, last;

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  experiment->shape.d_model = 512;
  experiment->shape.d_ff = 1024;
  experiment->sampling.seeds = 1;
  result = ns_engine_run (engine, experiment, 0, 1, NULL, &error);
  g_assert_no_error (error);
  ns_flow_options_init (&options);
  options.gradient = NS_Q_W_2;
  text = ns_flow_sentence (result, &options);
  lines = g_strsplit (text, "\n", -1);
  g_test_message ("%s", text);

  g_assert_true (g_str_has_prefix (lines[0], "Pre-LN: encoder "));
  decoder = strstr (lines[1], "; decoder rises ");
  g_assert_nonnull (decoder);
  g_assert_true (ns_result_get_stat (result, 1, NS_Q_W_2,
                                     ns_experiment_get_site (experiment, NS_PART_DECODER, 1), &first));
  g_assert_true (ns_result_get_stat (result, 1, NS_Q_W_2,
                                     ns_experiment_get_site (experiment, NS_PART_DECODER, 6), &last));
  g_assert_cmpfloat (last.mean, >, 3 * first.mean);
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (decoder + strlen ("; decoder rises to "), NULL),
                                  last.mean / first.mean, 0.051);
  g_assert_true (g_str_has_prefix (lines[2], "At the top of the decoder Post-LN is "));
}

static void
test_metric_titles (void)
{
  static const char *const cases[][2] = {
    { "w_2@first", "decoder: ‖∂L/∂W₂‖ at the first block" },
    { "decoder:w_2@first", "decoder: ‖∂L/∂W₂‖ at the first block" },
    { "encoder:rms_x@max", "encoder: largest rms(xₗ) of all blocks" },
    { "w_head@last", "‖∂L/∂W_head‖" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      static const gint64 points[] = { 1, 2, 3, 4 };
      g_autoptr (NsExperiment) experiment = synthetic_experiment (6, pre_post);
      g_autoptr (NsSweep) sweep = NULL;
      g_autofree char *title = NULL;
      GError *error = NULL;
      NsMetric metric;

      experiment->shape.stack = NS_STACK_ENCODER_DECODER;
      g_assert_true (ns_metric_from_text (cases[i][0], &metric, NULL));
      sweep = ns_sweep_new (experiment, NS_SWEEP_DEPTH, points, G_N_ELEMENTS (points), metric, &error);
      g_assert_no_error (error);
      title = ns_scaling_dup_metric_title (ns_scaling_get_metric (sweep));
      g_assert_cmpstr (title, ==, cases[i][1]);
    }
}

void
add_parts_tests (void)
{
  g_test_add_func ("/parts/axis", test_axis);
  g_test_add_func ("/parts/depths", test_depths);
  g_test_add_func ("/parts/single-stack", test_single_stack_has_no_parts);
  g_test_add_func ("/parts/begin", test_parts_begin_where_numbers_do);
  g_test_add_func ("/parts/ghost", test_ghost);
  g_test_add_func ("/parts/title", test_title);
  g_test_add_func ("/parts/cross-residual", test_cross_residual_shows_similarity);
  g_test_add_func ("/parts/sentence", test_sentence);
  g_test_add_func ("/parts/spread", test_spread_at_the_top);
  g_test_add_func ("/parts/apart", test_parts_are_apart);
  g_test_add_func ("/parts/one-part-only", test_one_part_only);
  g_test_add_func ("/parts/bad-numbers", test_bad_numbers);
  g_test_add_func ("/parts/overflow", test_overflow);
  g_test_add_func ("/parts/similarity", test_similarity);
  g_test_add_func ("/parts/depth-one", test_depth_one);
  g_test_add_func ("/parts/readout", test_readout);
  g_test_add_func ("/parts/xiong", test_xiong);
  g_test_add_func ("/parts/metric-titles", test_metric_titles);
}
