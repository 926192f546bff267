/* The options that put marks on a figure: pins, notes, arrows and reference curves.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-figure.h"

#include <glib/gi18n.h>

#include "cli/ns-cli.h"
#include "document/ns-recording.h"
#include "figures/table/ns-marks-text.h"
#include "import/ns-experiment-open.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-validate.h"

gboolean
ns_cli_open_recording (const char *path, NsTraining **recording, GError **error)
{
  g_autofree char *name = ns_text_dup_short (path, NS_TEXT_MAX_PATH);
  gboolean is_pipe = ns_file_is_given_pipe (path); /* which can be read once */
  g_autoptr (GBytes) bytes = !is_pipe ? ns_file_read_path (path, NS_FILE_ANY, NULL) : NULL;

  *recording = NULL;
  if (bytes == NULL || !ns_recording_is_recording (bytes))
    return TRUE;
  *recording = ns_recording_from_bytes (bytes, name, error);
  return *recording != NULL;
}

void
ns_cli_marks_add_recording (NsMarks *marks, const NsTraining *recording, guint n_variants)
{
  g_autoptr (NsResult) first = ns_training_get_result (recording, 0);
  NsReference *reference = ns_marks_add_recording (marks, first);

  reference->style = (int) (n_variants + marks->references->len - 1);
}

/* Their colours come after those of the experiment's variants. */
static gboolean
add_references (NsMarks *marks, const char *path, guint n_variants, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsTraining) recording = NULL;

  if (!ns_cli_open_recording (path, &recording, error))
    return FALSE;
  if (recording != NULL)
    {
      ns_cli_marks_add_recording (marks, recording, n_variants);
      return TRUE;
    }
  experiment = ns_experiment_open (path, NULL, error);
  if (experiment == NULL || !ns_experiment_validate (experiment, error))
    return FALSE;
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsReference *reference
          = ns_marks_add_reference (marks, ns_experiment_variant (experiment, v)->name, experiment, v, NULL);

      reference->style = (int) (n_variants + marks->references->len - 1);
    }
  return TRUE;
}

static gboolean
add_mark (NsMarks *marks, const NsFigureOption *option, const char *text, const NsExperiment *experiment,
          NsFigureKind figure, const NsFigureOptions *options, GError **error)
{
  switch (option->type)
    {
    case NS_FIGURE_OPTION_PIN:
      return ns_marks_add_pin_text (marks, text, experiment, error);
    case NS_FIGURE_OPTION_NOTE:
      return ns_marks_add_note_text (marks, NS_NOTE_TEXT, text, experiment, figure, options, error);
    case NS_FIGURE_OPTION_ARROW:
      return ns_marks_add_note_text (marks, NS_NOTE_ARROW, text, experiment, figure, options, error);
    case NS_FIGURE_OPTION_REFERENCE:
    default:
      return add_references (marks, text, experiment->variants->len, error);
    }
}

NsMarks *
ns_cli_figure_settings_make_marks (GPtrArray *settings, const NsExperiment *experiment, NsFigureKind figure,
                                   const NsFigureOptions *options, GError **error)
{
  g_autoptr (NsMarks) marks = ns_marks_new ();

  for (guint i = 0; i < settings->len; i++)
    {
      const NsCliFigureSetting *setting = settings->pdata[i];

      for (guint t = 0; setting->texts != NULL && setting->texts[t] != NULL; t++)
        {
          g_autoptr (GError) cause = NULL;

          if (add_mark (marks, setting->option, setting->texts[t], experiment, figure, options, &cause)
              && ns_marks_validate (marks, &cause))
            continue;
          g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, "--%s: %s", setting->option->name, cause->message);
          return NULL;
        }
    }
  return g_steal_pointer (&marks);
}

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
  NsQuantitySet quantities;
} MarksJob;

static gpointer
compute_reference (gpointer user_data, NsProgress *progress, GError **error)
{
  MarksJob *job = user_data;

  return ns_engine_run_quantities (job->engine, job->experiment, &job->quantities, 0,
                                   (guint) job->experiment->sampling.seeds, progress, error);
}

gboolean
ns_cli_compute_references (NsMarks *marks, const NsFlowOptions *options, NsEngine *engine, GError **error)
{
  for (guint i = 0; i < marks->references->len; i++)
    {
      NsReference *reference = g_ptr_array_index (marks->references, i);
      MarksJob job = { engine, reference->experiment, ns_flow_options_get_quantities (options) };

      if (reference->is_recorded)
        continue;
      reference->result = ns_cli_run_job (compute_reference, &job, error);
      if (reference->result == NULL)
        return FALSE;
    }
  return TRUE;
}
