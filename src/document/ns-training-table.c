/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-training-table.h"

#include "document/ns-result-table.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/train/ns-training-loss.h"

#include <glib/gi18n-lib.h>
#include <math.h>

typedef struct
{
  const NsTraining *training;
  GString *out;
  gsize label_width;
  gsize *widths; /* of each variant's column */
} TrainingTable;

/* Return a loss with four digits after the point, or a large one with four digits; "" for none. Caller frees. */
static char *
dup_loss (double loss)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (loss))
    return g_strdup ("");
  g_ascii_formatd (buffer, sizeof buffer, loss < 1e4 ? "%.4f" : "%.3e", loss);
  return g_strdup (buffer);
}

static char *
dup_loss_cell (const TrainingTable *table, guint variant, gint64 step)
{
  NsStat stat = { .mean = NAN };

  ns_training_get_loss_stat (table->training, variant, step, &stat);
  return dup_loss (stat.mean);
}

/* Return TRUE for the steps 0, 1, 2, 5, 10, 20, 50, … and the last one. */
static gboolean
is_shown (gint64 step, gint64 last)
{
  gint64 digit = step;

  while (digit >= 10 && digit % 10 == 0)
    digit /= 10;
  return step == last || digit == 0 || digit == 1 || digit == 2 || digit == 5;
}

/* Append a row of the table. `dup` makes the cell of a variant. */
static void
append_table_row (const TrainingTable *table, const char *label,
                  char *(*dup) (const TrainingTable *table, guint variant, gint64 step), gint64 step)
{
  guint n = ns_training_get_experiment (table->training)->variants->len;

  ns_text_append_right (table->out, label, table->label_width);
  for (guint v = 0; v < n; v++)
    {
      g_autofree char *cell = dup (table, v, step);

      g_string_append (table->out, NS_TABLE_GAP);
      ns_text_append_right (table->out, cell, table->widths[v]);
    }
  /* empty cells at the end */
  while (table->out->len > 0 && table->out->str[table->out->len - 1] == ' ')
    g_string_truncate (table->out, table->out->len - 1);
  g_string_append_c (table->out, '\n');
}

static char *
dup_name (const TrainingTable *table, guint variant, gint64 step)
{
  (void) step;
  return ns_text_dup_line (ns_experiment_variant (ns_training_get_experiment (table->training), variant)->name);
}

static char *
dup_final (const TrainingTable *table, guint variant, gint64 step)
{
  NsStat stat = { .mean = NAN };

  (void) step;
  ns_training_get_final_loss (table->training, variant, &stat);
  return dup_loss (stat.mean);
}

static char *
dup_deviation (const TrainingTable *table, guint variant, gint64 step)
{
  NsStat stat = { .std = NAN };
  g_autofree char *number = NULL;

  (void) step;
  if (!ns_training_get_final_loss (table->training, variant, &stat))
    return g_strdup ("");
  number = dup_loss (stat.std);
  return g_strconcat ("±", number, NULL);
}

static void
measure (TrainingTable *table, const char *const *labels)
{
  const NsExperiment *experiment = ns_training_get_experiment (table->training);

  for (guint i = 0; labels[i] != NULL; i++)
    table->label_width = MAX (table->label_width, ns_text_width (labels[i]));
  table->widths = g_new0 (gsize, experiment->variants->len);
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autofree char *name = dup_name (table, v, 0), *deviation = dup_deviation (table, v, 0);

      table->widths[v] = MAX (ns_text_width (name), MAX (ns_text_width (deviation), 6));
      for (gint64 step = 0; step < ns_training_get_last_step (table->training, v); step++)
        {
          g_autofree char *cell = dup_loss_cell (table, v, step);

          table->widths[v] = MAX (table->widths[v], ns_text_width (cell));
        }
    }
}

/* Return "block 3", "decoder 3" or "head"; caller frees. */
static char *
dup_place (const NsExperiment *experiment, gint64 site)
{
  long long layer = ns_site_get_layer (experiment, site);

  if (site == ns_experiment_get_head_site (experiment))
    return g_strdup (_ ("head"));
  if (ns_experiment_get_n_parts (experiment) == 1)
    return g_strdup_printf (_ ("block %lld"), layer);
  return ns_site_get_part (experiment, site) == NS_PART_ENCODER ? g_strdup_printf (_ ("encoder %lld"), layer)
                                                                 : g_strdup_printf (_ ("decoder %lld"), layer);
}

/* Append a line for each run that diverged. */
static void
append_divergences (const TrainingTable *table)
{
  const NsExperiment *experiment = ns_training_get_experiment (table->training);

  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint s = 0; s < ns_training_get_n_seeds (table->training); s++)
      {
        g_autofree char *name = NULL, *place = NULL;
        gint64 step, site;

        if (!ns_training_get_divergence (table->training, v, s, &step, &site))
          continue;
        name = dup_name (table, v, 0);
        place = dup_place (experiment, site);
        /* Translators: the second %s is a place such as “block 3” */
        g_string_append_printf (table->out, _ ("%s diverged with seed %lld at step %lld, first in %s"), name,
                                (long long) (experiment->sampling.seed
                                             + ns_training_get_first_seed (table->training) + s),
                                (long long) step, place);
        g_string_append_c (table->out, '\n');
      }
}

/* Append what the losses compare with. */
static void
append_entropies (const TrainingTable *table)
{
  double symbols = ns_training_get_symbol_entropy (table->training), floor = ns_training_get_floor (table->training);
  g_autofree char *uniform_text = dup_loss (log ((double) ns_training_get_experiment (table->training)->shape.vocab));
  g_autofree char *symbols_text = dup_loss (symbols), *floor_text = dup_loss (floor);

  g_string_append_printf (table->out, _ ("entropy of uniform tokens %s"), uniform_text);
  if (!isnan (symbols))
    g_string_append_printf (table->out, _ (" · of the tokens’ frequencies %s"), symbols_text);
  if (!isnan (floor))
    g_string_append_printf (table->out, _ (" · lowest possible loss %s"), floor_text);
  g_string_append_c (table->out, '\n');
}

static void
append_training_footer (const TrainingTable *table)
{
  guint seeds = ns_training_get_n_seeds (table->training), threads = ns_training_get_threads (table->training);

  g_string_append_printf (table->out, g_dngettext (GETTEXT_PACKAGE, "%u seed", "%u seeds", seeds), seeds);
  g_string_append (table->out, " · ");
  g_string_append_printf (table->out, g_dngettext (GETTEXT_PACKAGE, "%u thread", "%u threads", threads), threads);
  g_string_append_printf (table->out, " · %s · ", ns_blas_get_core ());
  g_string_append_printf (table->out, _ ("%.0f ms"), ns_training_get_elapsed_ms (table->training));
  g_string_append_c (table->out, '\n');
}

GBytes *
ns_training_to_table (const NsTraining *training)
{
  const NsExperiment *experiment = ns_training_get_experiment (training);
  g_autofree char *final = g_strdup_printf (_ ("last %lld"), (long long) ns_training_get_window (training));
  g_autofree char *longest = g_strdup_printf ("%lld", (long long) ns_training_get_n_steps (training));
  const char *labels[] = { _ ("step"), final, longest, NULL };
  TrainingTable table = { .training = training, .out = g_string_new (NULL) };
  gint64 last = 0;

  measure (&table, labels);
  for (guint v = 0; v < experiment->variants->len; v++)
    last = MAX (last, ns_training_get_last_step (training, v));
  append_table_row (&table, _ ("step"), dup_name, 0);
  for (gint64 step = 0; step < last; step++)
    if (is_shown (step, last - 1))
      {
        g_autofree char *label = g_strdup_printf ("%lld", (long long) step);

        append_table_row (&table, label, dup_loss_cell, step);
      }
  append_table_row (&table, final, dup_final, 0);
  if (ns_training_get_n_seeds (training) > 1)
    append_table_row (&table, "", dup_deviation, 0);
  append_divergences (&table);
  append_entropies (&table);
  append_training_footer (&table);
  g_free (table.widths);
  return g_string_free_to_bytes (table.out);
}
