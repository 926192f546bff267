/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/paths/ns-paths-words.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-derived.h"
#include "figures/ns-format.h"
#include "figures/paths/ns-paths-experts.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* A line is about one part of one variant. */
typedef struct
{
  const NsPaths *paths;
  guint variant;
  gint64 part, depth;
  gint64 first, last; /* sites: of its input and its last block */
} Line;

/* Return the mean and the spread over the seeds of one number. Caller frees. */
static char *
dup_number (const Line *line, NsPathsMap map, gint64 row, gint64 column)
{
  NsStat stat = { .mean = NAN, .log10_mean = NAN };

  ns_paths_get_stat (line->paths, line->variant, map, row, column, &stat);
  return ns_format_stat (&stat, ns_paths_map_info (map)->has_log10 ? NS_MEAN_GEOMETRIC : NS_MEAN_ARITHMETIC);
}

static char *
dup_similarity_line (const Line *line)
{
  g_autofree char *x = dup_number (line, NS_MAP_COS_X, line->first, line->last);
  g_autofree char *g = dup_number (line, NS_MAP_COS_G, line->first, line->last);

  return g_strdup_printf (_ ("the cosine between the input and the output of block %d is %s; between the gradients "
                             "there, %s"), (int) line->depth, x, g);
}

/* Return the sum of the shares of all blocks' contributors of one kind, or of the input, in the last block. */
static char *
dup_sum_of_shares (const Line *line, NsContributor contributor)
{
  guint n_seeds = ns_paths_get_n_seeds (line->paths);
  g_autofree double *sums = g_new0 (double, n_seeds), *none = g_new (double, n_seeds);
  gint64 row = ns_paths_get_settings (line->paths)->all_blocks ? line->last : line->part;
  gboolean is_input = contributor == NS_CONTRIBUTOR_INPUT;
  gint64 first = is_input ? line->first : line->first + 1, last = is_input ? line->first : line->last;
  NsStat stat;

  for (guint s = 0; s < n_seeds; s++)
    {
      none[s] = NAN;
      for (gint64 site = first; site <= last; site++)
        {
          double value;

          if (ns_paths_get_value (line->paths, line->variant, NS_MAP_SHARE, row,
                                  ns_contributor_get_column (contributor, site), s, &value, NULL))
            sums[s] += value;
        }
    }
  ns_stat_init (&stat, sums, none, n_seeds);
  return ns_format_stat (&stat, NS_MEAN_ARITHMETIC);
}

static char *
dup_contributions (const Line *line)
{
  g_autofree char *input = dup_sum_of_shares (line, NS_CONTRIBUTOR_INPUT);
  g_autofree char *attn = dup_sum_of_shares (line, NS_CONTRIBUTOR_ATTN);
  g_autofree char *ffn = dup_sum_of_shares (line, NS_CONTRIBUTOR_FFN);
  g_autofree char *cross = dup_sum_of_shares (line, NS_CONTRIBUTOR_CROSS);
  const NsVariant *variant = ns_experiment_variant (ns_paths_get_experiment (line->paths), line->variant);

  if (variant->sublayers == NS_SUB_LAYERS_ATTENTION)
    return g_strdup_printf (_ ("in the output of block %d the input has a share of %s, the attention of all blocks %s"),
                            (int) line->depth, input, attn);
  if (variant->sublayers == NS_SUB_LAYERS_FFN)
    return g_strdup_printf (_ ("in the output of block %d the input has a share of %s, the FFNs of all blocks %s"),
                            (int) line->depth, input, ffn);
  if (line->part == 0)
    return g_strdup_printf (_ ("in the output of block %d the input has a share of %s, the attention of all blocks %s, "
                               "their FFNs %s"), (int) line->depth, input, attn, ffn);
  return g_strdup_printf (_ ("in the output of block %d the input has a share of %s, the attention of all blocks %s, "
                             "their cross-attention %s, their FFNs %s"), (int) line->depth, input, attn, cross, ffn);
}

static char *
dup_gain_line (const Line *line)
{
  g_autofree char *gain = dup_number (line, NS_MAP_GAIN, line->first + 1, line->last);
  guint n = ns_paths_get_settings (line->paths)->n_probes;
  double error = ns_paths_get_standard_error (line->paths, line->variant, NS_MAP_GAIN, line->first + 1, line->last);
  g_autofree char *error_text = NULL;

  if (isnan (error))
    return g_strdup_printf (_ ("a random gradient at block %d reaches block 1 with %s times its norm (1 probe for each "
                               "seed)"), (int) line->depth, gain);
  error_text = ns_format_log10 (log10 (error), 2);
  return g_strdup_printf (_ ("a random gradient at block %d reaches block 1 with %s times its norm (%u probes for each "
                             "seed, standard error %s)"), (int) line->depth, gain, n, error_text);
}

static char *
dup_lengths (const Line *line)
{
  g_autofree char *mean = dup_number (line, NS_MAP_LENGTH_MEAN, line->part, 0);
  NsStat half = { .mean = NAN }, most = { .mean = NAN };
  gint64 rows, columns;

  ns_paths_get_length_quantile (line->paths, line->variant, line->part, 0.5, &half);
  ns_paths_get_length_quantile (line->paths, line->variant, line->part, 0.9, &most);
  ns_paths_get_size (line->paths, line->variant, NS_MAP_LENGTH_SHARE, &rows, &columns);
  if (isnan (half.mean) || isnan (most.mean))
    return g_strdup (_ ("the length of the gradient's paths is not defined"));
  if (ns_paths_is_exact (line->paths, line->variant))
    return g_strdup_printf (_ ("the gradient at the input has run through %s of %d branches on average, half of it "
                               "through at most %.0f, nine tenths through at most %.0f"),
                            mean, (int) columns - 1, half.mean, most.mean);
  return g_strdup_printf (_ ("the gradient at the input has run through %s of %d branches on average; estimated: half "
                             "of it through at most %.0f, nine tenths through at most %.0f"),
                          mean, (int) columns - 1, half.mean, most.mean);
}

static char *
dup_update (const Line *line)
{
  const NsPathsSettings *settings = ns_paths_get_settings (line->paths);
  const char *optimizer = settings->optimizer == NS_OPTIMIZER_SGD ? _ ("SGD") : _ ("Adam");
  g_autofree char *rate = ns_format_log10 (log10 (settings->learning_rate), 3);
  g_autofree char *x = dup_number (line, NS_MAP_UPDATE_X, line->last, 0);
  g_autofree char *h = dup_number (line, NS_MAP_UPDATE_H, 0, 0);
  g_autofree char *loss = dup_number (line, NS_MAP_LOSS_CHANGE, 0, 0);
  g_autofree char *first_order = dup_number (line, NS_MAP_LOSS_CHANGE_FIRST_ORDER, 0, 0);
  g_autofree char *off = dup_number (line, NS_MAP_NONLINEARITY, 0, 0);
  g_autofree char *end = NULL;

  if (line->part < ns_experiment_get_n_parts (ns_paths_get_experiment (line->paths)) - 1)
    return g_strdup_printf (_ ("a step of %s with learning rate %s changes the output of block %d by %s of its norm"),
                            optimizer, rate, (int) line->depth, x);
  switch (ns_paths_judge_step (line->paths, line->variant))
    {
    case NS_STEP_LINEAR:
      end = g_strdup_printf (_ ("the step is small enough to be linear (ten times a tenth of it differs by %s)"), off);
      break;
    case NS_STEP_NOT_LINEAR:
      end = g_strdup_printf (_ ("this is not linear in the step (ten times a tenth of it differs by %s)"), off);
      break;
    case NS_STEP_TOO_SMALL:
      end = g_strdup (_ ("a tenth of this step is lost in rounding: take a larger learning rate"));
      break;
    case NS_STEP_UNKNOWN:
    default:
      end = g_strdup (_ ("a tenth of the step has no direction to compare"));
    }
  return g_strdup_printf (_ ("a step of %s with learning rate %s changes the input of the head by %s of its norm and "
                             "the loss by %s (first order: %s); %s"),
                          optimizer, rate, h, loss, first_order, end);
}

static char *
dup_routing (const Line *line)
{
  const NsExperiment *experiment = ns_paths_get_experiment (line->paths);
  gint64 n = ns_experiment_variant (experiment, line->variant)->experts.count;
  NsExpertRange range = ns_paths_get_expert_range (line->paths, line->variant, line->part);
  g_autofree char *low = NULL, *high = NULL, *least = NULL, *most = NULL;

  if (n == 0)
    return g_strdup (_ ("no experts"));
  low = ns_format_log10 (log10 (range.load[0]), 3);
  high = ns_format_log10 (log10 (range.load[1]), 3);
  least = ns_format_log10 (range.log10_gradient[0], 3);
  most = ns_format_log10 (range.log10_gradient[1], 3);
  /* Translators: a number of experts; shares of the tokens' choices; gradient norms */
  return g_strdup_printf (_ ("%d experts with loads from %s to %s (equal ones: %.3g) and gradient norms from %s to %s"),
                          (int) n, low, high, 1 / (double) n, least, most);
}

static char *
dup_overflow_line (const Line *line)
{
  guint n = 0, n_seeds = ns_paths_get_n_seeds (line->paths);

  for (guint s = 0; s < n_seeds; s++)
    n += ns_paths_get_overflow (line->paths, line->variant, s) > 0;
  return n > 0 ? g_strdup_printf (_ ("the activations of %u of %u seeds overflow"), n, n_seeds) : NULL;
}

static char *
dup_line (const Line *line)
{
  static char *(*const kinds[NS_N_PATHS]) (const Line *) = {
    [NS_PATHS_CONTRIBUTIONS] = dup_contributions,
    [NS_PATHS_LENGTHS] = dup_lengths,
    [NS_PATHS_GAIN] = dup_gain_line,
    [NS_PATHS_SIMILARITY] = dup_similarity_line,
    [NS_PATHS_UPDATE] = dup_update,
    [NS_PATHS_ROUTING] = dup_routing,
  };
  const NsExperiment *experiment = ns_paths_get_experiment (line->paths);
  const char *name = ns_experiment_variant (experiment, line->variant)->name;
  g_autofree char *overflow = dup_overflow_line (line);
  g_autofree char *text = overflow != NULL ? NULL : kinds[ns_paths_get_settings (line->paths)->kind](line);

  if (ns_experiment_get_n_parts (experiment) == 1)
    return g_strdup_printf (_ ("%s: %s."), name, text != NULL ? text : overflow);
  return g_strdup_printf (line->part == 0 ? _ ("%s, encoder: %s.") : _ ("%s, decoder: %s."), name,
                          text != NULL ? text : overflow);
}

char *
ns_paths_dup_text (const NsPaths *paths)
{
  const NsExperiment *experiment = ns_paths_get_experiment (paths);
  NsParts parts = ns_shape_get_parts (&experiment->shape);
  GString *text = g_string_new (NULL);

  for (guint v = 0; v < experiment->variants->len; v++)
    for (gint64 part = 0; part < parts.n; part++)
      {
        Line line = { paths, v, part, parts.depth[part], ns_parts_get_input (&parts, part),
                      ns_parts_get_last (&parts, part) };
        g_autofree char *words = dup_line (&line);

        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", words);
      }
  return g_string_free (text, FALSE);
}
