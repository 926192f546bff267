/* A dump: arrays and result of one variant and its first seed.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "script/ns-dump.h"

#include "document/ns-experiment-json.h"
#include "document/ns-npy.h"
#include "document/ns-result-json.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-weight-source.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-arrays.h"
#include "script/ns-dump-folder.h"
#include "script/ns-torch-script.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

NsScriptParts *
ns_script_parts_copy (const NsScriptParts *parts)
{
  NsScriptParts *copy = g_new0 (NsScriptParts, 1);

  copy->maps = parts->maps != NULL ? g_array_copy (parts->maps) : NULL;
  copy->training = parts->training;
  return copy;
}

void
ns_script_parts_free (NsScriptParts *parts)
{
  g_clear_pointer (&parts->maps, g_array_unref);
  g_free (parts);
}

typedef struct
{
  const char *directory;
  NsProgress *progress;
} Target;

static gboolean
check_cancelled (NsProgress *progress, GError **error)
{
  if (!ns_progress_is_cancelled (progress))
    return TRUE;
  g_set_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED, _ ("Cancelled"));
  return FALSE;
}

static gboolean
write_array (const NsArray *array, gpointer user_data, GError **error)
{
  const Target *target = user_data;
  g_autofree char *name = g_strconcat (array->name, ".npy", NULL);
  g_autofree char *path = g_build_filename (target->directory, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  if (!check_cancelled (target->progress, error))
    return FALSE;
  if (g_mkdir_with_parents (folder, 0777) != 0)
    return ns_dump_folder_refuse (error, folder, g_strerror (errno));
  return ns_npy_write (path, array->n_dims, array->dims, array->values, array->ids, error);
}

static gboolean
write_bytes (const char *directory, const char *name, GBytes *bytes, GError **error)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  return ns_file_write (path, bytes, error);
}

/* Reduce the experiment to the variant and the seed whose arrays the folder contains. */
static NsExperiment *
reduce_to_variant (const NsExperiment *experiment, guint variant)
{
  NsExperiment *one = ns_experiment_copy (experiment);
  NsVariant *kept = ns_variant_copy (ns_experiment_variant (experiment, variant));

  kept->cross = ns_variant_get_wiring (kept, NS_SUB_CROSS); /* write every key */
  g_ptr_array_set_size (one->variants, 0);
  g_ptr_array_add (one->variants, kept);
  one->sampling.seeds = 1;
  return one;
}

/* Compute the maps and the training and write the script, with the probes of a gain map. */
static gboolean
write_script (NsEngine *engine, const NsResult *result, const NsExperiment *one, const NsScriptParts *parts,
              const char *directory, NsProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_paths_unref);
  const GArray *maps = parts->maps;
  Target target = { directory, progress };
  NsTrainingStart training;
  g_autoptr (GBytes) script = NULL;

  for (guint i = 0; maps != NULL && i < maps->len; i++)
    {
      NsPathsSettings settings = g_array_index (maps, NsPathsSettings, i);
      NsPaths *one_kind;

      settings.all_blocks = settings.kind == NS_PATHS_CONTRIBUTIONS;
      one_kind = ns_engine_run_paths (engine, one, &settings, 0, 1, progress, error);
      if (one_kind == NULL)
        return FALSE;
      g_ptr_array_add (paths, one_kind);
      if (settings.kind == NS_PATHS_GAIN
          && !ns_engine_foreach_probe (one, 0, settings.n_probes, write_array, &target, error))
        return FALSE;
    }
  if (parts->training
      && !ns_engine_foreach_training_array (engine, one, 0, 0, write_array, &target, &training, progress, error))
    return FALSE;
  script = ns_torch_script_new (result, &(NsTorchScriptMore){ paths, parts->training ? &training : NULL });
  return write_bytes (directory, NS_TORCH_SCRIPT_NAME, script, error);
}

static gboolean
write_contents (NsEngine *engine, const NsExperiment *one, const char *directory, const NsScriptParts *parts,
                NsProgress *progress, GError **error)
{
  Target target = { directory, progress };
  g_autoptr (NsResult) result = NULL;
  g_autoptr (GBytes) experiment_json = ns_experiment_to_bytes (one);
  g_autoptr (GBytes) result_json = NULL;

  /* Run first, since the run can fail. */
  result = ns_engine_run (engine, one, 0, 1, progress, error);
  if (result == NULL)
    return FALSE;
  result_json = ns_result_to_json (result, FALSE, NULL);
  if (parts != NULL && !write_script (engine, result, one, parts, directory, progress, error))
    return FALSE;
  return write_bytes (directory, "experiment.json", experiment_json, error)
         && write_bytes (directory, "result.json", result_json, error)
         && ns_engine_foreach_array (engine, one, 0, 0, write_array, &target, error)
         && check_cancelled (progress, error);
}

static gboolean
write_folder (NsEngine *engine, const NsExperiment *experiment, guint variant, const char *directory,
              const NsScriptParts *parts, NsProgress *progress, GError **error)
{
  g_autoptr (NsExperiment) one = NULL;
  g_auto (NsDumpFolder) folder = { 0 };

  g_return_val_if_fail (variant < experiment->variants->len, FALSE);

  if (!ns_experiment_validate (experiment, error)
      || !ns_dump_folder_open (&folder, directory, &ns_dump_contents, error))
    return FALSE;
  if (parts != NULL && ns_experiment_variant (experiment, variant)->source != NULL)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s: the script starts with the gains and biases of an initialization, and the weights of %s are "
                      "trained; allowed: variants with random weights"),
                   ns_experiment_variant (experiment, variant)->name,
                   ns_experiment_variant (experiment, variant)->source->name);
      return FALSE;
    }
  one = reduce_to_variant (experiment, variant);
  return write_contents (engine, one, folder.sibling.path, parts, progress, error)
         && ns_dump_folder_publish (&folder, error);
}

gboolean
ns_dump_write (NsEngine *engine, const NsExperiment *experiment, guint variant, const char *directory,
               NsProgress *progress, GError **error)
{
  return write_folder (engine, experiment, variant, directory, NULL, progress, error);
}

gboolean
ns_dump_write_script (NsEngine *engine, const NsExperiment *experiment, guint variant, const NsScriptParts *parts,
                      const char *directory, NsProgress *progress, GError **error)
{
  return write_folder (engine, experiment, variant, directory, parts, progress, error);
}

gboolean
ns_dump_check_directory (const char *directory, GError **error)
{
  return ns_dump_folder_check (directory, &ns_dump_contents, error);
}
