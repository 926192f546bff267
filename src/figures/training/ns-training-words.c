/* A training in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/train/ns-training-loss.h"
#include "engine/train/ns-training-progress.h"
#include "figures/ns-curve.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/training/ns-training-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* A loss that has fallen by less than this share of the first one has not fallen. */
#define FALL 0.02
/* A loss of block 1's gradient by this factor or more is told, log10. */
#define LOST_LOG10 2.0

void
ns_training_options_init (NsTrainingOptions *options)
{
  *options = (NsTrainingOptions) { .step = -1, .quantity = NS_Q_BLOCK };
}

/* Return "single bytes" or "single tokens": what the symbol entropy is of. */
static char *
dup_symbols (const NsTraining *training)
{
  return ns_training_get_experiment (training)->data.source == NS_SOURCE_TEXT ? g_strdup (_ ("single bytes"))
                                                                               : g_strdup (_ ("single tokens"));
}

/* ---- divergence ---- */

char *
ns_training_dup_site (const NsExperiment *experiment, gint64 site)
{
  long long layer = ns_site_get_layer (experiment, site);

  if (site == ns_experiment_get_head_site (experiment))
    return g_strdup (_ ("head"));
  if (ns_experiment_get_n_parts (experiment) == 1)
    return g_strdup_printf (_ ("block %lld"), layer);
  if (ns_site_get_part (experiment, site) == NS_PART_ENCODER)
    return g_strdup_printf (_ ("block %lld of the encoder"), layer);
  return g_strdup_printf (_ ("block %lld of the decoder"), layer);
}

char *
ns_training_dup_divergence (const NsTraining *training, guint variant, guint seed)
{
  g_autofree char *place = NULL;
  gint64 step, site;

  if (!ns_training_get_divergence (training, variant, seed, &step, &site))
    return NULL;
  place = ns_training_dup_site (ns_training_get_experiment (training), site);
  /* Translators: where a training diverged; %s is a place such as “block 3” */
  return g_strdup_printf (_ ("step %lld, %s"), (long long) step, place);
}

int
ns_training_find_divergence (const NsTraining *training, guint variant, guint *n)
{
  gint64 least = G_MAXINT64, step;
  guint count = 0;
  int first = -1;

  for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
    if (ns_training_get_divergence (training, variant, s, &step, NULL))
      {
        count++;
        first = step < least ? (int) s : first;
        least = MIN (least, step);
      }
  if (n != NULL)
    *n = count;
  return first;
}

/* ---- what a loss does ---- */

static char *
dup_loss (double loss)
{
  return ns_link_mark_quantity ("loss", ns_format_signed (loss, 3));
}

/* "Pre-LN falls from 5.71 to 2.12" */
static char *
dup_course (const NsTraining *training, guint variant, double loss)
{
  const char *name = ns_experiment_variant (ns_training_get_experiment (training), variant)->name;
  double floor = ns_training_get_floor (training);
  g_autofree char *end = dup_loss (loss), *start = NULL;
  NsStat first = { .mean = NAN };

  if (ns_loss_is_near (loss, floor))
    {
      g_autofree char *known = dup_loss (floor);

      /* Translators: a variant, its loss, the lowest possible loss */
      return g_strdup_printf (_ ("%s reaches %s, near the lowest possible loss (%s)"), name, end, known);
    }
  if (ns_training_stalls (training, variant))
    {
      g_autofree char *known = dup_loss (ns_training_get_symbol_entropy (training));
      g_autofree char *symbols = dup_symbols (training);

      /* Translators: a variant, its loss, “single bytes”, their entropy */
      return g_strdup_printf (_ ("%s stalls at %s, near the entropy of %s (%s)"), name, end, symbols, known);
    }
  ns_training_get_loss_stat (training, variant, 0, &first);
  start = dup_loss (first.mean);
  if (loss > (1 + FALL) * first.mean)
    /* Translators: a variant, its first and its last loss */
    return g_strdup_printf (_ ("%s rises from %s to %s"), name, start, end);
  if (loss > (1 - FALL) * first.mean)
    return g_strdup_printf (_ ("%s does not learn: it begins at %s and ends at %s"), name, start, end);
  return g_strdup_printf (_ ("%s falls from %s to %s"), name, start, end);
}

/* Describe a variant that is not finished: where it is; NULL before its first step. */
static char *
dup_unfinished (const NsTraining *training, guint variant)
{
  const char *name = ns_experiment_variant (ns_training_get_experiment (training), variant)->name;
  gint64 last = ns_training_get_last_step (training, variant);
  g_autofree char *loss = NULL;
  NsStat stat;

  if (!ns_training_get_smooth_loss (training, variant, last - 1, &stat))
    return NULL;
  loss = dup_loss (stat.mean);
  /* Translators: a variant, its loss, the steps so far and in all */
  return g_strdup_printf (_ ("%s is at %s after %lld of %lld steps"), name, loss, (long long) last,
                          (long long) ns_training_get_n_steps (training));
}

/* Count the seeds that stall. */
static guint
count_stalled (const NsTraining *training, guint variant)
{
  double entropy = ns_training_get_symbol_entropy (training), half, end;
  gint64 steps = ns_training_get_n_steps (training);
  guint n = 0;

  for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
    n += ns_training_count_steps (training, variant, s) == steps
         && ns_training_get_run_loss (training, variant, s, steps / 2, &half)
         && ns_training_get_run_loss (training, variant, s, steps - 1, &end) && ns_losses_stall (half, end, entropy);
  return n;
}

/* "1 of 10 seeds stalls near the entropy of single bytes (3.11)"; NULL where the mean does or no seed. */
static char *
dup_stalled (const NsTraining *training, guint variant)
{
  guint n = count_stalled (training, variant), n_seeds = ns_training_get_n_seeds (training);
  g_autofree char *symbols = NULL, *known = NULL;
  NsStat stat;

  if (n == 0 || !ns_training_get_final_loss (training, variant, &stat) || ns_training_stalls (training, variant))
    return NULL;
  symbols = dup_symbols (training);
  known = dup_loss (ns_training_get_symbol_entropy (training));
  /* Translators: how many seeds, “single bytes”, their entropy */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u of %u seeds stalls near the entropy of %s (%s)",
                                       "%u of %u seeds stall near the entropy of %s (%s)", n),
                          n, n_seeds, symbols, known);
}

/* "2 of 3 seeds diverge, the first at step 37, block 5"; NULL if none does. */
static char *
dup_diverged (const NsTraining *training, guint variant)
{
  guint n, n_seeds = ns_training_get_n_seeds (training);
  int first = ns_training_find_divergence (training, variant, &n);
  g_autofree char *where = first >= 0 ? ns_training_dup_divergence (training, variant, (guint) first) : NULL;

  if (n == 0)
    return NULL;
  /* Translators: how many seeds diverge; “step 37, block 5” */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u of %u seeds diverges, at %s",
                                       "%u of %u seeds diverge, the first at %s", n),
                          n, n_seeds, where);
}

double
ns_training_measure_gain (const NsTraining *training, guint variant, NsQuantity quantity, gint64 *step)
{
  const NsExperiment *experiment = ns_training_get_experiment (training);
  gint64 site = ns_experiment_get_site (experiment, ns_experiment_get_part (experiment, 0), 1);
  guint record = ns_training_find_record (training, NS_TRAINING_EARLY), n;
  NsStat first, then;

  *step = ns_training_get_records (training, &n)[record];
  if (record == 0 || !ns_training_get_stat (training, variant, quantity, 0, site, &first)
      || !ns_training_get_stat (training, variant, quantity, record, site, &then) || !isfinite (first.log10_mean)
      || !isfinite (then.log10_mean))
    return NAN;
  return then.log10_mean - first.log10_mean;
}

/* "Its block 1 loses a factor of 800 of gradient within 10 steps."; NULL if it loses less. */
static char *
dup_lost_gradient (const NsTraining *training, guint variant)
{
  const NsExperiment *experiment = ns_training_get_experiment (training);
  gint64 step, site = ns_experiment_get_site (experiment, ns_experiment_get_part (experiment, 0), 1);
  double gain = ns_training_measure_gain (training, variant, NS_Q_BLOCK, &step);
  g_autofree char *place = NULL, *factor = NULL;

  if (!(gain <= -LOST_LOG10))
    return NULL;
  place = ns_training_dup_site (experiment, site);
  factor = ns_link_mark_quantity (ns_quantity_info (NS_Q_BLOCK)->name, ns_format_ratio (-gain));
  /* Translators: of a variant named before: “block 1”, a factor, a number of steps */
  return g_strdup_printf (_ ("Its %s loses a factor of %s of gradient within %lld steps."), place, factor,
                          (long long) step);
}

/* Describe a variant; set *has_mean if it has a loss. */
static char *
dup_loss_clause (const NsTraining *training, guint variant, gboolean *has_mean)
{
  const char *name = ns_experiment_variant (ns_training_get_experiment (training), variant)->name;
  guint n_seeds = ns_training_get_n_seeds (training), n;
  int first = ns_training_find_divergence (training, variant, &n);
  g_autofree char *where = first >= 0 ? ns_training_dup_divergence (training, variant, (guint) first) : NULL;
  g_autofree char *course = NULL, *stalled = NULL, *diverged = NULL, *lost = NULL;
  NsStat stat;

  if (n == n_seeds)
    return n == 1 ? g_strdup_printf (_ ("%s diverges at %s."), name, where)
                  /* Translators: a variant, the number of seeds, “step 37, block 5” */
                  : g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s diverges with all %u seed, first at %s.",
                                                  "%s diverges with all %u seeds, first at %s.", n),
                                     name, n, where);
  if (ns_training_is_recorded (training)
      && !(ns_training_get_final_loss (training, variant, &stat) && isfinite (stat.mean)))
    /* Translators: a recording of another model's training */
    return g_strdup_printf (_ ("%s has no loss at the end."), name);
  course = ns_training_get_final_loss (training, variant, &stat) ? dup_course (training, variant, stat.mean)
                                                                 : dup_unfinished (training, variant);
  if (course == NULL)
    return g_strdup_printf (_ ("%s has not begun."), name);
  *has_mean = TRUE;
  stalled = dup_stalled (training, variant);
  diverged = dup_diverged (training, variant);
  lost = dup_lost_gradient (training, variant);
  return g_strconcat (course, stalled != NULL ? "; " : "", stalled != NULL ? stalled : "",
                      diverged != NULL ? "; " : "", diverged != NULL ? diverged : "", ".", lost != NULL ? " " : "",
                      lost, NULL);
}

/* "Means over the last 20 steps and 10 seeds."; NULL when nothing is averaged. */
static char *
dup_loss_statistic (const NsTraining *training)
{
  int window = (int) ns_training_get_window (training);
  guint n_seeds = ns_training_count_begun_seeds (training);

  if (window == 1 && n_seeds == 1)
    return NULL;
  if (n_seeds == 1)
    return g_strdup_printf (_ ("Means over the last %d steps."), window);
  if (window == 1)
    return g_strdup_printf (_ ("Means over %u seeds."), n_seeds);
  return g_strdup_printf (_ ("Means over the last %d steps and %u seeds."), window, n_seeds);
}

char *
ns_training_make_curves_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  const NsTraining *training = source->training;
  g_autofree char *statistic = dup_loss_statistic (training);
  GString *text = g_string_new (NULL);
  gboolean has_mean = FALSE;

  for (guint v = 0; v < ns_training_get_experiment (training)->variants->len; v++)
    {
      g_autofree char *clause = NULL;

      if (!ns_variant_is_visible (options->training.hidden, v))
        continue;
      clause = dup_loss_clause (training, v, &has_mean);
      g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", clause);
    }
  if (text->len == 0)
    g_string_append (text, _ ("Every variant is hidden."));
  else if (statistic != NULL && has_mean)
    {
      g_autofree char *linked = ns_link_mark (NS_PAGE_STATISTICS, g_steal_pointer (&statistic));

      g_string_append_printf (text, "\n%s", linked);
    }
  return ns_links_resolve (g_string_free (text, FALSE), links);
}

/* ---- titles ---- */

char *
ns_training_dup_title (const NsTraining *training, gint64 step)
{
  const NsExperiment *experiment = ns_training_get_experiment (training);
  const NsShape *shape = &experiment->shape;
  guint n_seeds = ns_training_get_n_seeds (training);
  NsParts parts = ns_shape_get_parts (shape);
  g_autofree char *blocks = parts.n == 2 ? g_strdup_printf ("%d + %d", (int) parts.depth[0], (int) parts.depth[1])
                                         : g_strdup_printf ("%d", (int) parts.depth[0]);

  if (ns_training_is_recorded (training))
    return step >= 0 ? g_strdup_printf (_ ("Recorded training, step %lld: depth %s"), (long long) step, blocks)
                     : g_strdup_printf (_ ("Recorded training: depth %s, %lld steps"), blocks,
                                        (long long) ns_training_get_n_steps (training));
  if (step >= 0)
    /* Translators: the title of an exported figure; the last numbers count tokens and random seeds */
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                         "Training, step %lld: depth %s, d_model %d, %d × %d tokens, %u seed",
                                         "Training, step %lld: depth %s, d_model %d, %d × %d tokens, %u seeds",
                                         n_seeds),
                            (long long) step, blocks, (int) shape->d_model, (int) shape->batch, (int) shape->seq_len,
                            n_seeds);
  /* Translators: the title of an exported figure; the last number counts the random seeds */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                       "Training: depth %s, d_model %d, %d × %d tokens, %lld steps, %u seed",
                                       "Training: depth %s, d_model %d, %d × %d tokens, %lld steps, %u seeds",
                                       n_seeds),
                          blocks, (int) shape->d_model, (int) shape->batch, (int) shape->seq_len,
                          (long long) ns_training_get_n_steps (training), n_seeds);
}

NsReadoutRow *
ns_training_add_row (NsReadout *readout, const NsExperiment *experiment, const NsTrainingOptions *options,
                     guint variant)
{
  NsReadoutRow *row = ns_readout_add_row (readout, ns_experiment_variant (experiment, variant)->name);

  row->style = ns_variant_get_style (options->styles, variant);
  row->has_color = options->colors != NULL && options->has_color != NULL && options->has_color[variant];
  if (row->has_color)
    row->color = options->colors[variant];
  return row;
}

void
ns_training_finish_figure (NsFigure *figure, const NsFigureSource *source, const NsFigureOptions *options,
                           char *caption)
{
  g_autofree char *taken = caption;
  const NsTraining *training = source->training;
  gint64 steps = ns_training_get_n_steps (training), done = steps;
  guint seed = ns_training_count_finished_seeds (training); /* the one that trains */

  for (guint v = 0; v < ns_training_get_experiment (training)->variants->len; v++)
    if (seed < ns_training_get_n_seeds (training) && !ns_training_is_finished (training, v, seed))
      done = MIN (done, ns_training_count_steps (training, v, seed));
  if (done < steps)
    figure->note = g_strdup_printf (_ ("%lld of %lld steps"), (long long) done, (long long) steps);
  if (!options->training.titles)
    return;
  figure->title = ns_training_dup_title (training, -1);
  figure->caption = g_steal_pointer (&taken);
}
