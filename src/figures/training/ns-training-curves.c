/* The loss of every variant over the steps of a training, above its learning rate.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-training-settings.h"
#include "engine/train/ns-training-loss.h"
#include "engine/train/ns-training-progress.h"
#include "figures/ns-curve.h"
#include "figures/ns-flow-private.h"
#include "figures/ns-format.h"
#include "figures/training/ns-training-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define RATE_WEIGHT 0.3
/* On a linear axis, losses of a run that explodes are shown up to this multiple of the known and the first ones. */
#define CUT 1.5
#define AIR 0.05
/* Known losses that differ by less than this share have one line. */
#define SAME 0.005
/* Between both backgrounds; a known loss belongs to no variant. */
#define GREY ((NsColor){ 0.45, 0.45, 0.45 })

typedef struct
{
  const NsTraining *training, *former; /* the latter may be NULL */
  const NsExperiment *experiment;
  const NsTrainingOptions *options;
  guint n_seeds;
  NsPanel *losses, *rates; /* rates: NULL for a recorded training */
} Curves;

static Curves
curves_new (const NsFigureSource *source, const NsFigureOptions *options)
{
  return (Curves) {
    .training = source->training,
    .former = source->former,
    .experiment = ns_training_get_experiment (source->training),
    .options = &options->training,
    .n_seeds = ns_training_count_begun_seeds (source->training),
  };
}

static gboolean
is_visible (const Curves *curves, guint variant)
{
  return ns_variant_is_visible (curves->options->hidden, variant);
}

static double
to_axis (const Curves *curves, double loss)
{
  return curves->options->log_loss ? log10 (loss) : loss;
}

static NsSeries *
add_series (const Curves *curves, NsPanel *panel, guint variant, const char *name, gint64 n, const double *x,
            const double *y)
{
  NsSeries *series = ns_panel_add_series (panel, name, NS_SERIES_LINE,
                                          ns_variant_get_style (curves->options->styles, variant), (gsize) n, x, y,
                                          NULL, NULL, NULL);

  ns_series_set_variant_color (series, curves->options->colors, curves->options->has_color, variant);
  return series;
}

/* ---- the curves of a variant ---- */

/* Add a thin curve for each seed, without a name, unless it is the same as the thick one. */
static void
add_seeds (const Curves *curves, guint variant)
{
  if (curves->n_seeds == 1 && ns_training_get_window (curves->training) == 1)
    return;
  for (guint s = 0; s < curves->n_seeds; s++)
    {
      gint64 n = ns_training_count_steps (curves->training, variant, s), k = 0;
      g_autofree double *x = g_new (double, n), *y = g_new (double, n);
      double loss;

      for (gint64 step = 0; step < n; step++)
        if (ns_training_get_loss (curves->training, variant, s, step, &loss) && isfinite (loss))
          {
            x[k] = (double) step;
            y[k++] = to_axis (curves, loss);
          }
      if (k > 0)
        add_series (curves, curves->losses, variant, NULL, k, x, y)->role = NS_ROLE_GHOST;
    }
}

/* Add the means of a variant of a training, now or before, as far as this one has steps. NULL if there are none. */
static NsSeries *
add_means (const Curves *curves, const NsTraining *training, guint of_variant, guint variant, const char *name)
{
  gint64 n = MIN (ns_training_get_last_step (training, of_variant), ns_training_get_n_steps (curves->training)), k = 0;
  g_autofree double *x = g_new (double, n), *y = g_new (double, n);
  NsStat stat;

  for (gint64 step = 0; step < n; step++)
    if (ns_training_get_smooth_loss (training, of_variant, step, &stat) && !isnan (stat.mean))
      {
        x[k] = (double) step;
        y[k++] = to_axis (curves, stat.mean);
      }
  return k > 0 ? add_series (curves, curves->losses, variant, name, k, x, y) : NULL;
}

/* Add the thick curve. Return its index in the panel, or −1 if there is none. */
static int
add_mean (const Curves *curves, guint variant)
{
  const char *name = ns_experiment_variant (curves->experiment, variant)->name;

  return add_means (curves, curves->training, variant, variant, name) != NULL ? (int) curves->losses->series->len - 1
                                                                               : -1;
}

/* Add a cross where a run ended in NaN or infinity, at its last finite loss; of the first run to do so with words. */
static void
add_crosses (const Curves *curves, guint variant, int series)
{
  int first = ns_training_find_divergence (curves->training, variant, NULL);

  for (guint s = 0; s < curves->n_seeds; s++)
    {
      g_autofree char *text = ns_training_dup_divergence (curves->training, variant, s);
      double loss, last = NAN;
      gint64 step;

      if (!ns_training_get_divergence (curves->training, variant, s, &step, NULL))
        continue;
      for (gint64 t = step; t >= 0 && isnan (last); t--)
        if (ns_training_get_loss (curves->training, variant, s, t, &loss) && isfinite (loss))
          last = to_axis (curves, loss);
      ns_panel_add_annotation (curves->losses, NS_ANNOTATION_CROSS, series, (double) step, last,
                               (int) s == first ? text : NULL, -1);
    }
}

/* Add the learning rates of a variant of an experiment, now or before, as far as this training has steps. */
static NsSeries *
add_rates (const Curves *curves, const NsExperiment *experiment, guint of_variant, guint variant, const char *name)
{
  const NsVariant *settings = ns_experiment_variant (experiment, of_variant);
  NsTrainingSettings training = ns_variant_get_training (experiment, settings);
  gint64 n = MIN (training.steps, ns_training_get_n_steps (curves->training));
  g_autofree double *x = g_new (double, n), *y = g_new (double, n);

  for (gint64 step = 0; step < n; step++)
    {
      x[step] = (double) step;
      y[step] = ns_training_get_rate (&training, step);
    }
  return add_series (curves, curves->rates, variant, name, n, x, y);
}

/* Return TRUE if the former training has the same losses, as when another variant was changed. */
static gboolean
is_same (const Curves *curves, guint variant, guint former)
{
  gint64 n = ns_training_get_last_step (curves->training, variant);
  NsStat a, b;

  if (n != ns_training_get_last_step (curves->former, former))
    return FALSE;
  for (gint64 step = 0; step < n; step++)
    if (ns_training_get_loss_stat (curves->training, variant, step, &a)
        && (!ns_training_get_loss_stat (curves->former, former, step, &b) || a.mean != b.mean))
      return FALSE;
  return TRUE;
}

/* Add the curves of the former training, thin; the one of the losses says what differed. */
static void
add_ghost (const Curves *curves, guint variant)
{
  const NsExperiment *before = curves->former != NULL ? ns_training_get_experiment (curves->former) : NULL;
  int v = before != NULL ? ns_ghost_find_variant (curves->experiment, before, variant) : -1;
  g_autofree char *name = NULL;
  NsSeries *loss, *rates;

  if (v < 0 || is_same (curves, variant, (guint) v))
    return;
  name = ns_ghost_dup_name (curves->experiment, variant, before, (guint) v, TRUE);
  loss = add_means (curves, curves->former, (guint) v, variant, name);
  if (loss == NULL)
    return;
  loss->role = NS_ROLE_GHOST;
  loss->keeps_range = TRUE;
  if (curves->rates == NULL || ns_training_is_recorded (curves->former))
    return;
  rates = add_rates (curves, before, (guint) v, variant, NULL);
  rates->role = NS_ROLE_GHOST;
  rates->keeps_range = TRUE;
}

/* ---- what the losses compare with ---- */

typedef struct
{
  double loss;
  char *name;
} Known;

/* Add a known loss to a list, whose names of equal ones are joined; takes the name. */
static void
add_known (Known *list, guint *n, double loss, char *name)
{
  g_autofree char *taken = name;

  if (!isfinite (loss))
    return;
  for (guint i = 0; i < *n; i++)
    if (fabs (list[i].loss - loss) <= SAME * fabs (loss))
      {
        char *joined = g_strdup_printf ("%s, %s", list[i].name, taken);

        g_free (list[i].name);
        list[i].name = joined;
        return;
      }
  list[(*n)++] = (Known) { loss, g_steal_pointer (&taken) };
}

static void
add_line (const Curves *curves, const Known *known)
{
  g_autofree char *number = ns_format_signed (known->loss, 3);
  g_autofree char *name = g_strdup_printf ("%s %s", known->name, number);
  double x[] = { 0, (double) (ns_training_get_n_steps (curves->training) - 1) };
  double y[] = { to_axis (curves, known->loss), to_axis (curves, known->loss) };
  NsSeries *series;

  /* a loss of 0 has no place on a log axis */
  if (!isfinite (y[0]))
    return;
  series = ns_panel_add_series (curves->losses, name, NS_SERIES_LINE, 0, x[1] > 0 ? 2 : 1, x, y, NULL, NULL, NULL);
  series->role = NS_ROLE_REFERENCE;
  series->on_line = TRUE;
  series->has_color = TRUE;
  series->color = GREY;
}

static void
add_lines (const Curves *curves)
{
  Known list[3];
  guint n = 0;

  if (ns_training_is_recorded (curves->training))
    return;
  /* Translators: beside a line of a plot: the loss of a model that guesses, V is the size of the vocabulary */
  add_known (list, &n, log ((double) curves->experiment->shape.vocab), g_strdup (_ ("ln V")));
  /* Translators: beside a line of a plot: their entropy */
  add_known (list, &n, ns_training_get_symbol_entropy (curves->training),
             g_strdup (curves->experiment->data.source == NS_SOURCE_TEXT ? C_ ("line", "single bytes")
                                                                         : C_ ("line", "single tokens")));
  /* Translators: beside a line of a plot: the lowest possible loss */
  add_known (list, &n, ns_training_get_floor (curves->training), g_strdup (_ ("floor")));
  for (guint i = 0; i < n; i++)
    {
      add_line (curves, &list[i]);
      g_free (list[i].name);
    }
}

/* ---- the figure ---- */

/* Bound a linear axis if a loss has exploded, and say so. */
static void
bound_losses (const Curves *curves)
{
  double limit = log ((double) curves->experiment->shape.vocab), min, max;
  g_autofree char *subtitle = NULL, *number = NULL;

  for (guint v = 0; v < curves->experiment->variants->len; v++)
    {
      NsStat first;

      if (is_visible (curves, v) && ns_training_get_loss_stat (curves->training, v, 0, &first)
          && isfinite (first.mean))
        limit = fmax (limit, first.mean);
    }
  limit *= CUT;
  if (curves->options->log_loss || !ns_panel_get_data_range (curves->losses, NS_SIDE_LEFT, &min, &max) || max <= limit)
    return;
  curves->losses->has_range = TRUE;
  curves->losses->min = min - AIR * (limit - min);
  curves->losses->max = limit;
  subtitle = g_steal_pointer (&curves->losses->subtitle);
  number = ns_format_signed (limit, 3);
  /* Translators: the subtitle of a plot, the largest number on its axis */
  curves->losses->subtitle = g_strdup_printf (_ ("%s · cut at %s"), subtitle, number);
}

static void
set_curves_titles (const Curves *curves)
{
  int window = (int) ns_training_get_window (curves->training);
  const char *scale = curves->options->log_loss ? _ ("log scale") : _ ("linear scale");
  g_autofree char *mean = NULL;
  NsPanel *panel = curves->losses;

  g_free (panel->title);
  panel->title = g_strdup (_ ("Loss, <i>L</i>"));
  panel->short_title = g_strdup ("<i>L</i>");
  panel->accessible_title = g_strdup (_ ("Loss"));
  if (ns_training_is_recorded (curves->training) && window == 1)
    mean = g_strdup (_ ("recorded"));
  else if (curves->n_seeds == 1 && window == 1)
    mean = g_strdup (_ ("1 seed"));
  else if (window == 1)
    mean = g_strdup_printf (_ ("thin: each seed, thick: mean over %u seeds"), curves->n_seeds);
  else if (curves->n_seeds > 1)
    /* Translators: what a thin and a thick curve are, in the subtitle of a plot */
    mean = g_strdup_printf (_ ("thin: each seed, thick: mean over the last %d steps and %u seeds"), window,
                            curves->n_seeds);
  else
    mean = g_strdup_printf (_ ("thin: each step, thick: mean over the last %d steps"), window);
  panel->subtitle = g_strdup_printf ("%s · %s", scale, mean);
  if (curves->rates == NULL)
    return;
  g_free (curves->rates->title);
  curves->rates->title = g_strdup (_ ("Learning rate, <i>η</i>"));
  curves->rates->short_title = g_strdup ("<i>η</i>");
  curves->rates->accessible_title = g_strdup (_ ("Learning rate"));
}

NsFigure *
ns_training_make_curves (const NsFigureSource *source, const NsFigureOptions *options)
{
  Curves curves = curves_new (source, options);
  NsFigure *figure = ns_figure_new ();
  guint n_visible = 0;

  figure->x_title = g_strdup (_ ("Step"));
  figure->x_name = g_strdup (_ ("Step"));
  figure->x_integers = TRUE;
  curves.losses = ns_figure_add_panel (figure, NULL, options->training.log_loss ? NS_AXIS_LOG10 : NS_AXIS_LINEAR);
  if (!ns_training_is_recorded (source->training))
    {
      curves.rates = ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR);
      curves.rates->weight = RATE_WEIGHT;
      curves.rates->zero_based = TRUE;
    }
  set_curves_titles (&curves);
  add_lines (&curves);
  for (guint v = 0; v < curves.experiment->variants->len; v++)
    if (is_visible (&curves, v))
      {
        add_ghost (&curves, v);
        add_seeds (&curves, v);
        add_crosses (&curves, v, add_mean (&curves, v));
        n_visible++;
        if (curves.rates != NULL)
          add_rates (&curves, curves.experiment, v, v, ns_experiment_variant (curves.experiment, v)->name);
      }
  bound_losses (&curves);
  if (n_visible > 0 && curves.losses->series->len == 0 && ns_training_is_recorded (source->training))
    curves.losses->message = g_strdup (_ ("The recording has no losses."));
  else if (n_visible == 0)
    curves.losses->message = g_strdup (_ ("Every variant is hidden: show one in the list of variants."));
  ns_training_finish_figure (figure, source, options, ns_training_make_curves_sentence (source, options, NULL));
  return figure;
}

/* ---- read-out ---- */

NsReadout *
ns_training_make_curves_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  Curves curves = curves_new (source, options);
  gint64 last = ns_training_get_n_steps (source->training) - 1;
  gint64 step = isfinite (x) ? (gint64) CLAMP (round (x), 0, (double) last) : 0;
  NsReadout *readout = ns_readout_new (g_strdup_printf (_ ("Step %lld"), (long long) step));
  g_autofree char *mean = g_strdup_printf (_ ("last %lld"), (long long) ns_training_get_window (source->training));

  (void) y;
  ns_readout_add_column (readout, "<i>L</i>");
  ns_readout_add_column (readout, NULL);
  ns_readout_add_column (readout, mean);
  if (!ns_training_is_recorded (source->training))
    ns_readout_add_column (readout, "<i>η</i>");
  for (guint v = 0; v < curves.experiment->variants->len; v++)
    {
      const NsVariant *variant = ns_experiment_variant (curves.experiment, v);
      NsTrainingSettings settings = ns_variant_get_training (curves.experiment, variant);
      NsReadoutRow *row;
      NsStat stat;

      if (!is_visible (&curves, v))
        continue;
      row = ns_training_add_row (readout, curves.experiment, curves.options, v);
      if (ns_training_get_loss_stat (source->training, v, step, &stat))
        row->cells[0] = ns_format_stat_parts (&stat, NS_MEAN_ARITHMETIC, &row->cells[1]);
      if (ns_training_get_smooth_loss (source->training, v, step, &stat))
        row->cells[2] = ns_format_signed (stat.mean, 3);
      if (!ns_training_is_recorded (source->training))
        row->cells[3] = ns_format_signed (ns_training_get_rate (&settings, step), 3);
    }
  return readout;
}
