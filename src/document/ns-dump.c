/* A dump: arrays and result of one variant and its first seed.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-dump.h"

#include "document/ns-dump-folder.h"
#include "document/ns-experiment-json.h"
#include "document/ns-npy.h"
#include "document/ns-result-json.h"
#include "document/ns-torch-script.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-arrays.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

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

static gboolean
write_contents (NsEngine *engine, const NsExperiment *one, const char *directory, gboolean with_script,
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
  if (with_script)
    {
      g_autoptr (GBytes) script = ns_torch_script_new (result);

      if (!write_bytes (directory, NS_TORCH_SCRIPT_NAME, script, error))
        return FALSE;
    }
  return write_bytes (directory, "experiment.json", experiment_json, error)
         && write_bytes (directory, "result.json", result_json, error)
         && ns_engine_foreach_array (engine, one, 0, 0, write_array, &target, error)
         && check_cancelled (progress, error);
}

static gboolean
write_folder (NsEngine *engine, const NsExperiment *experiment, guint variant, const char *directory,
              gboolean with_script, NsProgress *progress, GError **error)
{
  g_autoptr (NsExperiment) one = NULL;
  g_auto (NsDumpFolder) folder = { 0 };

  g_return_val_if_fail (variant < experiment->variants->len, FALSE);

  if (!ns_experiment_validate (experiment, error) || !ns_dump_folder_open (&folder, directory, error))
    return FALSE;
  one = reduce_to_variant (experiment, variant);
  return write_contents (engine, one, folder.sibling.path, with_script, progress, error)
         && ns_dump_folder_publish (&folder, error);
}

gboolean
ns_dump_write (NsEngine *engine, const NsExperiment *experiment, guint variant, const char *directory,
               NsProgress *progress, GError **error)
{
  return write_folder (engine, experiment, variant, directory, FALSE, progress, error);
}

gboolean
ns_dump_write_script (NsEngine *engine, const NsExperiment *experiment, guint variant, const char *directory,
                      NsProgress *progress, GError **error)
{
  return write_folder (engine, experiment, variant, directory, TRUE, progress, error);
}

gboolean
ns_dump_check_directory (const char *directory, GError **error)
{
  return ns_dump_folder_check (directory, error);
}
