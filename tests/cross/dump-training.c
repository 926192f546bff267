/* Train the first variant of an experiment with its first seed, and write everything to compare it step by step.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     dump-training FILE.normscope FOLDER
 *
 * Built twice, with the engine in float and in double. FOLDER gets data.bin, arrays one after the other, and index.txt
 * with a line for each: step, name, type of the elements, dimensions. Step −1 has the weights at the start; step t =
 * 0, 1, … has "loss", "batch/ids", "batch/targets", in an encoder-decoder "batch/decoder_ids", and the weights after
 * its update. A run that diverges ends there.
 */
#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-trainer.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct
{
  FILE *data, *index;
  gint64 step;
} Target;

#define REAL_TYPE (sizeof (ns_real) == sizeof (double) ? "<f8" : "<f4")

static void
put (const Target *target, const char *name, const char *type, gsize element, gconstpointer values, gint64 rows,
     gint64 columns)
{
  fprintf (target->index, "%lld %s %s %lld %lld\n", (long long) target->step, name, type, (long long) rows,
           (long long) columns);
  fwrite (values, element, (gsize) (rows * columns), target->data);
}

static void
put_weights (const Target *target, const NsTrainer *trainer)
{
  const NsParameters *parameters = &trainer->parameters;
  NsPlan plan;

  ns_plan_init (&plan, trainer->experiment, trainer->variant);
  for (guint i = 0; i < parameters->n; i++)
    {
      const NsParameter *p = &parameters->list[i];
      g_autofree char *name = ns_parameter_dup_name (p, &plan);

      put (target, name, REAL_TYPE, sizeof (ns_real), trainer->values + p->offset, (gint64) p->rows,
           (gint64) p->columns);
    }
}

static void
put_batch (const Target *target, const NsTrainer *trainer)
{
  static const char *const names[] = { "batch/ids", "batch/decoder_ids" };
  const NsBatchSource *source = trainer->source;
  g_autofree gint32 *ids = g_new (gint32, source->N);
  gint64 T = (gint64) source->T, B = (gint64) source->N / T;

  for (gint64 part = 0; part < source->n_parts; part++)
    {
      ns_batch_draw_ids (source, trainer->seed, target->step, part, ids);
      put (target, names[part], "<i4", sizeof *ids, ids, B, T);
    }
  ns_batch_draw_targets (source, trainer->seed, target->step, ids);
  put (target, "batch/targets", "<i4", sizeof *ids, ids, B, T);
}

static gboolean
train (const NsExperiment *experiment, NsTrainer *trainer, Target *target)
{
  NsWorkspaceMemory memory = { 0 };
  NsWorkspace work;
  NsTrainerScratch scratch;
  const NsSink sink = { 0 };
  gboolean ok = ns_workspace_init (&work, &memory, experiment, TRUE, NULL);

  ok = ns_trainer_scratch_init (&scratch, experiment, &work, TRUE, NULL, NULL) && ok;
  target->step = -1;
  put_weights (target, trainer);
  for (gint64 t = 0; t < trainer->settings.steps && ok; t++)
    {
      NsTrainerStep step = { 0 };

      target->step = t;
      put_batch (target, trainer);
      ok = ns_trainer_step (trainer, &scratch, &sink, &step) == NS_PASS_DONE;
      put (target, "loss", "<f8", sizeof step.loss, &step.loss, 1, 1);
      put_weights (target, trainer);
    }
  ns_trainer_scratch_clear (&scratch);
  ns_workspace_memory_clear (&memory);
  return TRUE;
}

static NsExperiment *
load (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = ns_file_read_path (path, NS_FILE_EXPERIMENT, error);

  return bytes != NULL ? ns_experiment_from_bytes (bytes, path, error) : NULL;
}

static FILE *
create (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return fopen (path, "wbe");
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) experiment = NULL;
  g_autofree double *memory = NULL;
  NsBatchSource source = { 0 };
  NsTrainer *trainer;
  Target target;
  gboolean ok;

  setlocale (LC_CTYPE, "");
  if (argc != 3)
    return EXIT_FAILURE;
  experiment = load (argv[1], &error);
  if (experiment == NULL)
    {
      g_printerr ("%s\n", error->message);
      return EXIT_FAILURE;
    }
  target = (Target){ .data = create (argv[2], "data.bin"), .index = create (argv[2], "index.txt") };
  memory = g_malloc0 (ns_batch_source_get_bytes (experiment));
  ns_batch_source_init (&source, experiment, memory);
  trainer = ns_trainer_new (experiment, &source, 0, (guint64) experiment->sampling.seed, NULL);
  ok = target.data != NULL && target.index != NULL && trainer != NULL && train (experiment, trainer, &target);
  ok = fclose (target.data) == 0 && ok;
  ok = fclose (target.index) == 0 && ok;
  ns_trainer_free (trainer);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
