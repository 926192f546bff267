/* A quantity by block over the steps of a training, as heat maps.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/train/ns-training-progress.h"
#include "figures/ns-curve.h"
#include "figures/ns-flow-private.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/training/ns-training-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Columns of a map: its axis is logarithmic, and its cells are equally wide. */
#define COLUMNS 240
#define VALUE_ROUNDING 1e-9

/* ---- steps ---- */

/* Return the distance from the axis' start to its end. */
static double
get_length (const NsTraining *training)
{
  return log10 ((double) ns_training_get_n_steps (training) + 1);
}

double
ns_training_map_get_x (gint64 step)
{
  return log10 ((double) step + 1);
}

/* Return the record that a column shows: the last one of a step that begins in it or before. */
static guint
find_record (const NsTraining *training, gint64 column)
{
  double edge = get_length (training) * ((double) column + 1) / COLUMNS;

  return ns_training_find_record (training, (gint64) ceil (pow (10, edge) - 2 - VALUE_ROUNDING));
}

/* Return the record that the map shows at x. */
static guint
find_record_at (const NsTraining *training, double x)
{
  double column = isfinite (x) ? floor (COLUMNS * x / get_length (training) + VALUE_ROUNDING) : 0;

  return find_record (training, (gint64) CLAMP (column, 0, COLUMNS - 1));
}

gint64
ns_training_map_find_step (const NsTraining *training, double x)
{
  guint n;

  return ns_training_get_records (training, &n)[find_record_at (training, x)];
}

/* ---- the maps ---- */

static NsAxisScale
get_scale (NsQuantity quantity)
{
  return ns_quantity_has_log10 (quantity) ? NS_AXIS_LOG10 : NS_AXIS_LINEAR;
}

/* Set the cell of a record and a site; without a number it is absent. */
static guint8
read_number (const NsTraining *training, guint variant, NsQuantity quantity, guint record, gint64 site, double *value)
{
  NsStat stat;

  *value = NAN;
  if (!ns_training_get_stat (training, variant, quantity, record, site, &stat))
    return NS_MARK_ABSENT;
  *value = ns_stat_summarize (&stat, ns_axis_get_mean (get_scale (quantity))).center;
  if (isnan (*value))
    return NS_MARK_NAN;
  return !isinf (*value) ? NS_MARK_NONE : *value > 0 ? NS_MARK_INF : NS_MARK_UNDERFLOW;
}

/* Fill the row of a site. Return FALSE if it has no number at any step. */
static gboolean
fill_row (const NsFigureSource *source, const NsTrainingOptions *options, guint variant, gint64 site, double *value,
          guint8 *mark)
{
  gboolean found = FALSE;
  guint filled = G_MAXUINT;

  for (gint64 c = 0; c < COLUMNS; c++)
    {
      guint record = find_record (source->training, c);

      if (record == filled)
        {
          value[c] = value[c - 1];
          mark[c] = mark[c - 1];
          continue;
        }
      mark[c] = read_number (source->training, variant, options->quantity, record, site, &value[c]);
      found |= mark[c] != NS_MARK_ABSENT;
      filled = record;
    }
  return found;
}

static void
add_blocks_map (const NsFigureSource *source, const NsTrainingOptions *options, NsFigure *figure, guint variant)
{
  const NsExperiment *experiment = ns_training_get_experiment (source->training);
  gint64 n_sites = ns_experiment_get_head_site (experiment), n_rows = 0;
  g_autofree double *x = g_new (double, COLUMNS), *y = g_new (double, n_sites);
  gint64 n_cells = COLUMNS * n_sites;
  g_autofree double *value = g_new (double, n_cells);
  g_autofree guint8 *mark = g_new (guint8, n_cells);
  NsHeatMap *map;

  for (gsize c = 0; c < COLUMNS; c++)
    x[c] = get_length (source->training) * ((double) c + 0.5) / COLUMNS;
  for (gint64 site = 0; site < n_sites && !ns_progress_is_cancelled (source->progress); site++)
    {
      /* weights are in blocks, not at the input */
      if (!fill_row (source, options, variant, site, value + n_rows * COLUMNS, mark + n_rows * COLUMNS)
          && !ns_quantity_exists (options->quantity, experiment, variant, site))
        continue;
      y[n_rows++] = (double) ns_flow_get_site_x (experiment, site);
    }
  map = ns_panel_set_heat_map (ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR),
                               ns_experiment_variant (experiment, variant)->name,
                               ns_variant_get_style (options->styles, variant), n_rows, COLUMNS, y, x, value, mark);
  map->has_color = options->colors != NULL && options->has_color != NULL && options->has_color[variant];
  if (map->has_color)
    map->color = options->colors[variant];
}

/* Return TRUE if a map has a row at y. */
static gboolean
has_row (const NsFigure *figure, double y)
{
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsHeatMap *map = ((const NsPanel *) figure->panels->pdata[p])->heat_map;

      for (gint64 row = 0; map != NULL && row < map->n_rows; row++)
        if (map->y[row] == y)
          return TRUE;
    }
  return FALSE;
}

static void
add_parts (NsFigure *figure, const NsExperiment *experiment)
{
  gint64 n = ns_experiment_get_n_parts (experiment);

  for (gint64 p = 0; p < n && n > 1; p++)
    {
      NsPart part = ns_experiment_get_part (experiment, p);
      gboolean is_encoder = part == NS_PART_ENCODER;
      double offset = (double) ns_flow_get_x (experiment, p, 0);
      double end = offset + (double) ns_experiment_get_depth (experiment, part);

      ns_figure_add_y_part (figure, is_encoder ? _ ("Encoder") : _ ("Decoder"),
                            is_encoder ? _ ("Encoder block") : _ ("Decoder block"),
                            has_row (figure, offset) ? offset : offset + 1, end, offset);
    }
}

/* A cosine has a range of its own, and a number that may be negative a middle. */
static void
set_range (NsFigure *figure, NsQuantity quantity)
{
  NsColorScale *colors = figure->colors;
  double least = INFINITY;

  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsHeatMap *map = ((const NsPanel *) figure->panels->pdata[p])->heat_map;

      least = map != NULL ? fmin (least, map->least) : least;
    }
  if (ns_quantity_is_signed (quantity) && least < 0)
    colors->kind = NS_COLORS_DIVERGING;
  if (ns_quantity_info (quantity)->kind != NS_KIND_COSINE)
    return;
  colors->has_range = TRUE;
  colors->min = least < 0 ? -1 : 0;
  colors->max = 1;
}

static void
set_blocks_titles (NsFigure *figure, NsQuantity quantity, guint n_seeds)
{
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  g_autofree char *words = g_markup_escape_text (_ (info->title), -1);
  gboolean has_symbol = info->kind != NS_KIND_COSINE;
  NsColorScale *colors = figure->colors;

  g_free (colors->title);
  colors->title = has_symbol ? g_strdup_printf (_ ("%s, %s"), words, info->markup) : g_strdup (words);
  colors->accessible_title = g_strdup (_ (info->title));
  colors->short_title = g_strdup (has_symbol ? info->markup : words);
  colors->symbol = has_symbol ? g_strdup (info->markup) : NULL;
  if (n_seeds == 1)
    colors->subtitle = g_strdup (_ ("1 seed"));
  else if (colors->scale == NS_AXIS_LOG10)
    colors->subtitle = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "geometric mean of %u seed",
                                                     "geometric mean of %u seeds", n_seeds),
                                        n_seeds);
  else
    colors->subtitle = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "mean of %u seed", "mean of %u seeds", n_seeds),
                                        n_seeds);
  figure->x_scale = NS_AXIS_LOG10;
  figure->x_integers = TRUE;
  /* Translators: the title of a logarithmic axis of steps, whose first one is 0 */
  figure->x_title = g_strdup (_ ("Step + 1"));
  figure->x_name = g_strdup (_ ("Step + 1"));
  figure->y_title = g_strdup (_ ("Block"));
  figure->y_name = g_strdup (_ ("Block"));
}

/* Draw a line at the step. */
static void
mark_step (NsFigure *figure, gint64 step)
{
  for (guint p = 0; p < figure->panels->len && step >= 0; p++)
    ns_panel_add_annotation (g_ptr_array_index (figure->panels, p), NS_ANNOTATION_LINE, -1,
                             ns_training_map_get_x (step), NAN, NULL, -1);
}

NsFigure *
ns_training_make_map (const NsFigureSource *source, const NsFigureOptions *options)
{
  const NsExperiment *experiment = ns_training_get_experiment (source->training);
  const NsTrainingOptions *own = &options->training;
  NsFigure *figure = ns_figure_new ();

  ns_figure_set_colors (figure, NULL, get_scale (own->quantity), NS_COLORS_SEQUENTIAL, 0);
  set_blocks_titles (figure, own->quantity, ns_training_count_begun_seeds (source->training));
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_variant_is_visible (own->hidden, v))
      add_blocks_map (source, own, figure, v);
  set_range (figure, own->quantity);
  add_parts (figure, experiment);
  mark_step (figure, own->step);
  if (figure->panels->len == 0)
    ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR)->message
        = g_strdup (_ ("Every variant is hidden: show one in the list of variants."));
  ns_training_finish_figure (figure, source, options, ns_training_make_map_sentence (source, options, NULL));
  return figure;
}

/* ---- sentence ---- */

/* Get the first value of the sentence, and that at the last record within the early steps; axis units. FALSE if
 * either is no number. */
static gboolean
get_change (const NsTraining *training, guint variant, NsQuantity quantity, gint64 site, double *first, double *then,
            gint64 *step)
{
  guint record = ns_training_find_record (training, NS_TRAINING_EARLY), n;

  *step = ns_training_get_records (training, &n)[record];
  return record > 0 && read_number (training, variant, quantity, 0, site, first) == NS_MARK_NONE
         && read_number (training, variant, quantity, record, site, then) == NS_MARK_NONE;
}

static char *
dup_gradient_change (const NsTraining *training, guint variant, NsQuantity quantity)
{
  const NsExperiment *experiment = ns_training_get_experiment (training);
  const char *name = ns_experiment_variant (experiment, variant)->name;
  gint64 step, site = ns_experiment_get_site (experiment, ns_experiment_get_part (experiment, 0), 1);
  double gain = ns_training_measure_gain (training, variant, quantity, &step);
  g_autofree char *place = ns_training_dup_site (experiment, site), *factor = NULL;

  if (isnan (gain))
    /* Translators: a variant, a place such as “block 1” */
    return g_strdup_printf (_ ("%s: the gradient at %s has no number to compare."), name, place);
  factor = ns_link_mark_quantity (ns_quantity_info (quantity)->name, ns_format_ratio (fabs (gain)));
  /* Translators: a variant, a place such as “block 1”, a factor, a number of steps */
  return g_strdup_printf (gain < 0 ? _ ("%s: %s loses a factor of %s of gradient within %lld steps.")
                                   : _ ("%s: %s gains a factor of %s of gradient within %lld steps."),
                          name, place, factor, (long long) step);
}

/* Describe any other quantity at the last block. */
static char *
dup_change (const NsTraining *training, guint variant, NsQuantity quantity)
{
  const NsExperiment *experiment = ns_training_get_experiment (training);
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  const char *name = ns_experiment_variant (experiment, variant)->name;
  gboolean is_log = get_scale (quantity) == NS_AXIS_LOG10;
  gint64 step, site = ns_experiment_get_head_site (experiment) - 1;
  g_autofree char *place = ns_training_dup_site (experiment, site), *from = NULL, *to = NULL;
  double first, then;

  if (!get_change (training, variant, quantity, site, &first, &then, &step))
    /* Translators: a variant, a symbol, a place such as “block 6” */
    return g_strdup_printf (_ ("%s: %s at %s has no number to compare."), name, info->symbol, place);
  from = ns_link_mark_quantity (info->name, is_log ? ns_format_log10 (first, 3) : ns_format_cosine (first));
  to = ns_link_mark_quantity (info->name, is_log ? ns_format_log10 (then, 3) : ns_format_cosine (then));
  /* Translators: a variant, a symbol, a place such as “block 6”, two values, a number of steps */
  return g_strdup_printf (_ ("%s: %s at %s goes from %s to %s within %lld steps."), name, info->symbol, place, from,
                          to, (long long) step);
}

char *
ns_training_make_map_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  NsQuantity quantity = options->training.quantity;
  gboolean is_gradient = ns_quantity_info (quantity)->kind == NS_KIND_GRADIENT;
  GString *text = g_string_new (NULL);

  for (guint v = 0; v < ns_training_get_experiment (source->training)->variants->len; v++)
    if (ns_variant_is_visible (options->training.hidden, v))
      {
        g_autofree char *change = is_gradient ? dup_gradient_change (source->training, v, quantity)
                                              : dup_change (source->training, v, quantity);

        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", change);
      }
  if (text->len == 0)
    g_string_append (text, _ ("Every variant is hidden."));
  return ns_links_resolve (g_string_free (text, FALSE), links);
}

/* ---- read-out ---- */

NsReadout *
ns_training_make_map_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  const NsExperiment *experiment = ns_training_get_experiment (source->training);
  NsQuantity quantity = options->training.quantity;
  guint n, record = find_record_at (source->training, x);
  NsPlace block = ns_flow_get_place (experiment, isfinite (y) ? y : 0);
  g_autofree char *place = ns_flow_dup_place (&block);
  long long step = ns_training_get_records (source->training, &n)[record];
  NsReadout *readout = ns_readout_new (g_strdup_printf (_ ("Step %lld · %s"), step, place));
  NsStat stat;

  ns_readout_add_column (readout, ns_quantity_info (quantity)->markup);
  ns_readout_add_column (readout, NULL);
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_variant_is_visible (options->training.hidden, v))
      {
        NsReadoutRow *row = ns_training_add_row (readout, experiment, &options->training, v);

        if (ns_training_get_stat (source->training, v, quantity, record,
                                  ns_experiment_get_site (experiment, block.part, block.block), &stat))
          row->cells[0] = ns_format_stat_parts (&stat, ns_axis_get_mean (get_scale (quantity)), &row->cells[1]);
      }
  return readout;
}
