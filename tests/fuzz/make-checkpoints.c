/* Write checkpoints into a folder, for the fuzz target: good ones, and small ones that describe a large training. They
 * are of this version of the program, so the corpus cannot have them.
 *
 *     make-checkpoints FOLDER
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-file.h"
#include "document/ns-training-file.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"

#include <glib/gstdio.h>
#include <math.h>

/* The first bytes of a file, in which there is no number yet; the target adds the checksum. */
#define CUT_BYTES 4096

typedef struct
{
  const char *name, *variant;
  NsStack stack;
  gboolean trains, keeps_weights;
} Case;

static const Case cases[] = {
  { "not-begun", "pre", NS_STACK_SINGLE, FALSE, FALSE },
  { "finished", "post:warmup=1", NS_STACK_SINGLE, TRUE, FALSE },
  { "with-weights", "pre:bias=on", NS_STACK_SINGLE, TRUE, TRUE },
  { "diverged",
    "pre:attn.norm=none,ffn.norm=none,final_norm=off,optimizer=sgd,learning_rate=1e6",
    NS_STACK_SINGLE, TRUE, TRUE },
  { "encoder-decoder", "post", NS_STACK_ENCODER_DECODER, TRUE, TRUE },
};

typedef struct
{
  const char *name;
  gint64 steps, depth;
  guint n_records;
  gboolean records_all;
} CutCase;

static const CutCase cut_cases[] = {
  { "cut-many-steps", 400000, 1, 1, FALSE },
  { "cut-many-records", 20000, 1, 20000, FALSE },
  { "cut-all-quantities", 2000, 1, 2000, TRUE },
  { "cut-deep", 4, 4096, 1, FALSE },
};

static NsExperiment *
make_experiment (const Case *c)
{
  NsExperiment *e = ns_experiment_new ();
  NsVariant *variant = ns_variant_from_text (c->variant, NULL);

  g_assert_nonnull (variant);
  g_ptr_array_set_size (e->variants, 0);
  g_ptr_array_add (e->variants, variant);
  e->shape = (NsShape){ .stack = c->stack, .depth = 1, .d_model = 2, .heads = 1, .d_ff = 2, .seq_len = 2, .batch = 2,
                        .vocab = 3 };
  e->data.source = NS_SOURCE_TOKENS;
  e->training.steps = 4;
  e->training.clip = NAN;
  return e;
}

static void
write_case (const Case *c, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, c->name, NULL);
  NsQuantitySet quantities = { { 0 } };
  const NsTrainingPlan plan = { .n_first = 1, .n_later = 1, .keep_weights = c->keeps_weights,
                                .quantities = &quantities };
  NsExperiment *experiment = make_experiment (c);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsTraining) training = NULL;
  g_autoptr (GError) error = NULL;

  ns_quantity_set_add (&quantities, NS_Q_GRAD_X);
  training = ns_training_new (experiment, &plan, 0, c->keeps_weights ? 1 : 2, &error);
  if (training != NULL && c->trains)
    ns_engine_train (engine, training, NULL, &error);
  if (error == NULL)
    ns_training_write_file (training, path, &error);
  if (error != NULL)
    g_error ("%s: %s", c->name, error->message);
  ns_experiment_free (experiment);
}

static void
write_cut_case (const CutCase *c, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, c->name, NULL), *bytes = NULL;
  NsQuantitySet none = { { 0 } };
  const NsTrainingPlan plan = { .n_first = c->n_records, .n_later = 1, .quantities = c->records_all ? NULL : &none };
  NsExperiment *experiment = make_experiment (&cases[0]);
  g_autoptr (NsTraining) training = NULL;
  g_autoptr (GError) error = NULL;
  gsize n = 0;

  experiment->shape.depth = c->depth;
  experiment->training.steps = c->steps;
  training = ns_training_new (experiment, &plan, 0, 2, &error);
  if (training != NULL && ns_training_write_file (training, path, &error)
      && g_file_get_contents (path, &bytes, &n, &error))
    {
      g_assert_cmpuint (n, >, CUT_BYTES);
      g_file_set_contents (path, bytes, CUT_BYTES, &error);
    }
  if (error != NULL)
    g_error ("%s: %s", c->name, error->message);
  ns_experiment_free (experiment);
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    return 2;
  g_mkdir_with_parents (argv[1], 0777);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    write_case (&cases[i], argv[1]);
  for (gsize i = 0; i < G_N_ELEMENTS (cut_cases); i++)
    write_cut_case (&cut_cases[i], argv[1]);
  return 0;
}
