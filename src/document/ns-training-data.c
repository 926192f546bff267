/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-training-data.h"

#include "document/ns-provenance.h"
#include "document/ns-result-csv.h"
#include "document/ns-npy-rows-private.h"
#include "document/ns-result-room.h"
#include "document/ns-training-rows-private.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/train/ns-training-loss.h"

#include <math.h>

static void
get_stat (const NsTrainingRow *row, NsStat *stat)
{
  ns_stat_init (stat, row->values, row->log10_values, row->n);
}

/* ---- CSV ---- */

typedef struct
{
  GString *csv;
  char *name;
  gboolean per_seed;
} TrainingCsv;

static void
append_training_place (const TrainingCsv *target, const NsTrainingRow *row)
{
  g_string_append_printf (target->csv, "%s,%" G_GINT64_FORMAT ",%s,%" G_GINT64_FORMAT ",%s,%s", target->name, row->step,
                          row->part, row->layer, row->quantity, row->kind);
}

static void
append_training_statistics (const TrainingCsv *target, const NsTrainingRow *row)
{
  NsStat stat;

  get_stat (row, &stat);
  append_training_place (target, row);
  ns_csv_append_statistics (target->csv, &stat, row->has_log10);
  g_string_append_printf (target->csv, ",%u\n", stat.n);
}

static void
append_training_csv_row (gpointer data, const NsTrainingRow *row)
{
  TrainingCsv *target = data;

  if (!target->per_seed)
    {
      append_training_statistics (target, row);
      return;
    }
  for (guint i = 0; i < row->n; i++)
    {
      append_training_place (target, row);
      g_string_append_printf (target->csv, ",%" G_GINT64_FORMAT, row->seeds[i]);
      ns_csv_append_number (target->csv, row->values[i]);
      ns_csv_append_optional (target->csv, row->has_log10, row->has_log10 ? row->log10_values[i] : NAN);
      g_string_append_c (target->csv, '\n');
    }
}

GBytes *
ns_training_to_csv (const NsTraining *training, NsCsvFlags flags)
{
  g_autoptr (NsExperiment) experiment = ns_training_dup_experiment (training);
  TrainingCsv target = { .per_seed = (flags & NS_CSV_PER_SEED) != 0 };
  gboolean done = TRUE;

  if (!ns_training_has_room (training, target.per_seed, NS_ROW_BYTES))
    return NULL;
  target.csv = ns_csv_begin (experiment, flags);
  g_string_append (target.csv, "variant,step,part,layer,quantity,kind,");
  g_string_append (target.csv, target.per_seed ? "seed,value,log10_value\n"
                                               : NS_CSV_STATISTICS ",seeds\n");
  for (guint v = 0; v < experiment->variants->len && done; v++)
    {
      target.name = ns_csv_dup_field (ns_experiment_variant (experiment, v)->name);
      done = ns_training_foreach_row (training, v, TRUE, append_training_csv_row, &target);
      g_free (target.name);
    }
  if (done)
    return g_string_free_to_bytes (target.csv);
  g_string_free (target.csv, TRUE);
  return NULL;
}

/* ---- JSON ---- */

typedef struct
{
  NsJsonWriter writer;
  const NsTraining *training;
  gboolean per_seed;
} TrainingJson;

/* Write a value for each run, null where the row has none, so that each has the same place in all rows. */
static void
write_training_seeds (TrainingJson *target, const NsTrainingRow *row)
{
  const NsTraining *training = target->training;
  gint64 first = ns_training_get_experiment (training)->sampling.seed + ns_training_get_first_seed (training);
  guint i = 0;

  ns_json_open_compact (&target->writer, "seeds", '[');
  for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
    {
      gboolean has = i < row->n && row->seeds[i] == first + s;

      ns_json_number (&target->writer, NULL, has ? row->values[i] : NAN);
      i += has;
    }
  ns_json_close (&target->writer, ']');
}

static void
write_training_row (gpointer data, const NsTrainingRow *row)
{
  TrainingJson *target = data;
  NsJsonWriter *writer = &target->writer;
  NsStat stat;

  get_stat (row, &stat);
  ns_json_open_compact (writer, NULL, '{');
  ns_json_integer (writer, "step", row->step);
  ns_json_string (writer, "part", row->part);
  ns_json_integer (writer, "layer", row->layer);
  ns_json_string (writer, "quantity", row->quantity);
  ns_json_statistics (writer, &stat, row->has_log10);
  if (target->per_seed)
    write_training_seeds (target, row);
  ns_json_close (writer, '}');
}

/* Write the losses of all steps: their mean and deviation over the runs that have reached a step, and their number. */
static void
write_losses (NsJsonWriter *writer, const NsTraining *training, guint variant)
{
  static const char *const keys[] = { "mean", "std", "seeds" };
  gint64 last = ns_training_get_last_step (training, variant);

  ns_json_open (writer, "loss", '{');
  for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      ns_json_open_compact (writer, keys[k], '[');
      for (gint64 step = 0; step < last; step++)
        {
          NsStat stat = { .mean = NAN, .std = NAN };

          ns_training_get_loss_stat (training, variant, step, &stat);
          if (k == 2)
            ns_json_integer (writer, NULL, stat.n);
          else
            ns_json_number (writer, NULL, k == 0 ? stat.mean : stat.std);
        }
      ns_json_close (writer, ']');
    }
  ns_json_close (writer, '}');
}

static void
write_divergence (NsJsonWriter *writer, const NsTraining *training, guint variant, guint seed)
{
  gint64 step, site, layer;
  const char *part;

  if (!ns_training_get_divergence (training, variant, seed, &step, &site))
    {
      ns_json_string (writer, "divergence", NULL);
      return;
    }
  part = ns_site_get_place (ns_training_get_experiment (training), site, &layer);
  ns_json_open_compact (writer, "divergence", '{');
  ns_json_integer (writer, "step", step);
  ns_json_string (writer, "part", part);
  ns_json_integer (writer, "layer", layer);
  ns_json_close (writer, '}');
}

static void
write_run (TrainingJson *target, const NsTraining *training, guint variant, guint seed)
{
  NsJsonWriter *writer = &target->writer;
  gint64 n = ns_training_count_steps (training, variant, seed);

  ns_json_open (writer, NULL, '{');
  ns_json_integer (writer, "seed", ns_training_get_experiment (training)->sampling.seed
                                       + ns_training_get_first_seed (training) + seed);
  ns_json_integer (writer, "steps", n);
  ns_json_boolean (writer, "finished", ns_training_is_finished (training, variant, seed));
  write_divergence (writer, training, variant, seed);
  if (target->per_seed)
    {
      ns_json_open_compact (writer, "loss", '[');
      for (gint64 step = 0; step < n; step++)
        {
          double loss = NAN;

          ns_training_get_loss (training, variant, seed, step, &loss);
          ns_json_number (writer, NULL, loss);
        }
      ns_json_close (writer, ']');
    }
  ns_json_close (writer, '}');
}

static gboolean
write_training_variant (TrainingJson *target, const NsTraining *training, guint variant)
{
  NsJsonWriter *writer = &target->writer;
  const NsExperiment *experiment = ns_training_get_experiment (training);
  const NsVariant *settings = ns_experiment_variant (experiment, variant);
  NsTrainingSettings rates = ns_variant_get_training (experiment, settings);
  gboolean done;

  ns_json_open (writer, NULL, '{');
  ns_json_string (writer, "name", settings->name);
  ns_json_open_compact (writer, "learning_rate", '[');
  for (gint64 step = 0; step < ns_training_get_last_step (training, variant); step++)
    ns_json_number (writer, NULL, ns_training_get_rate (&rates, step));
  ns_json_close (writer, ']');
  write_losses (writer, training, variant);
  ns_json_open (writer, "runs", '[');
  for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
    write_run (target, training, variant, s);
  ns_json_close (writer, ']');
  ns_json_open (writer, "numbers", '[');
  done = ns_training_foreach_row (training, variant, FALSE, write_training_row, target);
  ns_json_close (writer, ']');
  ns_json_close (writer, '}');
  return done;
}

GBytes *
ns_training_to_json (const NsTraining *training, gboolean per_seed)
{
  g_autoptr (NsExperiment) experiment = ns_training_dup_experiment (training);
  g_autoptr (GBytes) json = NULL;
  TrainingJson target = { .training = training, .per_seed = per_seed };
  NsJsonWriter *writer = &target.writer;
  gboolean done = TRUE;

  if (!ns_training_has_room (training, per_seed, NS_ROW_BYTES))
    return NULL;
  ns_json_writer_init (writer);
  ns_json_open (writer, NULL, '{');
  ns_provenance_write (writer, NS_TRAINING_FORMAT, NS_TRAINING_VERSION, experiment);
  ns_json_number (writer, "uniform_entropy", log ((double) experiment->shape.vocab));
  ns_json_number (writer, "symbol_entropy", ns_training_get_symbol_entropy (training));
  ns_json_number (writer, "floor", ns_training_get_floor (training));
  ns_json_open (writer, "variants", '[');
  for (guint v = 0; v < experiment->variants->len; v++)
    done = write_training_variant (&target, training, v) && done;
  ns_json_close (writer, ']');
  ns_json_close (writer, '}');
  json = ns_json_writer_finish (writer);
  return done ? g_steal_pointer (&json) : NULL;
}

/* ---- NumPy ---- */

#define TRAINING_QUANTITY_CHARS 28 /* of the longest quantity: update_ and a tensor */

typedef struct
{
  GString *rows;
  const char *name;
  guint name_chars;
  gboolean per_seed;
  gint64 n;
} TrainingRecords;

static void
begin_training_record (TrainingRecords *target, const NsTrainingRow *row)
{
  ns_npy_append_text (target->rows, target->name, target->name_chars);
  ns_npy_append_int64 (target->rows, row->step);
  ns_npy_append_text (target->rows, row->part, NS_NPY_PART_CHARS);
  ns_npy_append_int32 (target->rows, row->layer);
  ns_npy_append_text (target->rows, row->quantity, TRAINING_QUANTITY_CHARS);
  ns_npy_append_text (target->rows, row->kind, NS_NPY_KIND_CHARS);
  target->n++;
}

static void
append_training_record (gpointer data, const NsTrainingRow *row)
{
  TrainingRecords *target = data;
  double mean = NAN, sd_factor = NAN;
  NsStat stat;

  for (guint i = 0; target->per_seed && i < row->n; i++)
    {
      begin_training_record (target, row);
      ns_npy_append_int64 (target->rows, row->seeds[i]);
      ns_npy_append_double (target->rows, row->values[i]);
      ns_npy_append_double (target->rows, row->has_log10 ? row->log10_values[i] : NAN);
    }
  if (target->per_seed)
    return;
  get_stat (row, &stat);
  if (row->has_log10)
    ns_stat_get_geometric (&stat, &mean, &sd_factor);
  begin_training_record (target, row);
  ns_npy_append_double (target->rows, stat.mean);
  ns_npy_append_double (target->rows, stat.std);
  ns_npy_append_double (target->rows, mean);
  ns_npy_append_double (target->rows, sd_factor);
  ns_npy_append_double (target->rows, row->has_log10 ? stat.log10_mean : NAN);
  ns_npy_append_int32 (target->rows, stat.n);
}

GBytes *
ns_training_to_npy (const NsTraining *training, gboolean per_seed)
{
  const NsExperiment *experiment = ns_training_get_experiment (training);
  TrainingRecords target = { .name_chars = 1, .per_seed = per_seed };
  g_autofree char *descr = NULL;
  gboolean done = TRUE;

  for (guint v = 0; v < experiment->variants->len; v++)
    target.name_chars = MAX (target.name_chars,
                             (guint) g_utf8_strlen (ns_experiment_variant (experiment, v)->name, -1));
  if (!ns_training_has_room (
          training, per_seed,
          4 * (gsize) (target.name_chars + NS_NPY_PART_CHARS + TRAINING_QUANTITY_CHARS + NS_NPY_KIND_CHARS + 16)))
    return NULL;
  target.rows = g_string_new (NULL);
  for (guint v = 0; v < experiment->variants->len && done; v++)
    {
      target.name = ns_experiment_variant (experiment, v)->name;
      done = ns_training_foreach_row (training, v, TRUE, append_training_record, &target);
    }
  descr = g_strdup_printf ("[('variant', '<U%u'), ('step', '<i8'), ('part', '<U%d'), ('layer', '<i4'), "
                           "('quantity', '<U%d'), ('kind', '<U%d'), %s]",
                           target.name_chars, NS_NPY_PART_CHARS, TRAINING_QUANTITY_CHARS, NS_NPY_KIND_CHARS,
                           per_seed ? NS_NPY_FIELDS_OF_A_SEED : NS_NPY_FIELDS_OF_STATISTICS);
  if (done)
    return ns_npy_finish (target.rows, descr, target.n);
  g_string_free (target.rows, TRUE);
  return NULL;
}
