/* A dump: arrays and result of one variant and its first seed.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-dump.h"

#include "document/ns-experiment-json.h"
#include "document/ns-npy.h"
#include "document/ns-result-json.h"
#include "document/ns-sibling.h"
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

/* Maximum nesting of folders: DIR/encoder/block001. */
#define MAX_LEVELS 3

static gboolean
set_error (GError **error, const char *path, const char *cause)
{
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT, _ ("%s cannot be written: %s"), path, cause);
  return FALSE;
}

/* ---- checking the folder ---- */

static gboolean
is_dump_folder (const char *name)
{
  return g_str_has_prefix (name, "block") || strcmp (name, "head") == 0 || strcmp (name, "encoder") == 0
         || strcmp (name, "decoder") == 0;
}

static gboolean
is_dump_file (const char *name)
{
  return strcmp (name, "experiment.json") == 0 || strcmp (name, "result.json") == 0
         || strcmp (name, NS_TORCH_SCRIPT_NAME) == 0;
}

/* Return TRUE if the folder contains only files and folders that a dump can have. */
static gboolean
holds_dump_only (const char *path, int level)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  if (dir == NULL)
    return FALSE;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      gboolean is_folder = g_file_test (child, G_FILE_TEST_IS_DIR);

      if (g_file_test (child, G_FILE_TEST_IS_SYMLINK))
        return FALSE;
      if (is_folder && (!is_dump_folder (name) || level == MAX_LEVELS || !holds_dump_only (child, level + 1)))
        return FALSE;
      if (!is_folder && !g_str_has_suffix (name, ".npy")
          && (level > 1 || !is_dump_file (name)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_empty_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  return dir != NULL && g_dir_read_name (dir) == NULL;
}

static gboolean
is_earlier_dump (const char *path)
{
  g_autofree char *experiment = g_build_filename (path, "experiment.json", NULL);
  g_autofree char *input = g_build_filename (path, "x0.npy", NULL);

  return g_file_test (experiment, G_FILE_TEST_IS_REGULAR) && g_file_test (input, G_FILE_TEST_IS_REGULAR)
         && holds_dump_only (path, 1);
}

/* Resolve "..", a trailing slash and symbolic links, so the temporary sibling goes into the parent of the real
 * folder. */
static char *
dup_absolute (const char *directory)
{
  g_autofree char *path = g_canonicalize_filename (directory, NULL);

  for (int hops = 0; hops < 40 && g_file_test (path, G_FILE_TEST_IS_SYMLINK); hops++)
    {
      g_autofree char *link = g_file_read_link (path, NULL);
      g_autofree char *parent = g_path_get_dirname (path);

      if (link == NULL)
        break;
      g_free (path);
      path = g_canonicalize_filename (link, parent);
    }
  return g_steal_pointer (&path);
}

gboolean
ns_dump_check_directory (const char *directory, GError **error)
{
  g_autofree char *path = dup_absolute (directory);
  g_autofree char *parent = g_path_get_dirname (path);

  if (*directory == '\0')
    return set_error (error, "“”", _ ("the folder name is empty"));
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_DIR))
    return set_error (error, directory, g_strerror (ENOTDIR));
  if (g_file_test (path, G_FILE_TEST_IS_DIR) && !is_empty_folder (path) && !is_earlier_dump (path))
    return set_error (error, directory,
                      _ ("the folder contains files that are not part of a dump; allowed: a new name, an empty folder "
                         "or an earlier dump"));
  if (g_access (parent, F_OK) != 0 || g_access (parent, W_OK) != 0)
    {
      g_autofree char *cause = g_strdup_printf ("%s: %s", parent, g_strerror (errno));

      return set_error (error, directory, cause);
    }
  return TRUE;
}

/* ---- writing ---- */

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
    return set_error (error, folder, g_strerror (errno));
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

/* Create a temporary folder next to `path` and return its path. */
static char *
make_sibling (const char *path, GError **error)
{
  char *sibling = ns_file_dup_sibling_template (path);

  if (g_mkdtemp_full (sibling, 0777) != NULL)
    return sibling;
  set_error (error, path, g_strerror (errno));
  g_free (sibling);
  return NULL;
}

/* Move `from` to `path`. Keep an existing folder under another name until the move has succeeded. */
static gboolean
replace_folder (const char *from, const char *path, GError **error)
{
  g_autofree char *aside = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      aside = make_sibling (path, error);
      if (aside == NULL)
        return FALSE;
      if (g_rename (path, aside) != 0)
        {
          set_error (error, path, g_strerror (errno));
          g_rmdir (aside);
          return FALSE;
        }
    }
  if (g_rename (from, path) != 0)
    {
      set_error (error, path, g_strerror (errno));
      if (aside != NULL)
        g_rename (aside, path);
      return FALSE;
    }
  if (aside != NULL)
    ns_file_remove_tree (aside);
  return TRUE;
}

static gboolean
write_folder (NsEngine *engine, const NsExperiment *experiment, guint variant, const char *directory,
              gboolean with_script, NsProgress *progress, GError **error)
{
  g_autoptr (NsExperiment) one = NULL;
  g_autofree char *path = NULL;
  NsSibling temporary;
  gboolean written;

  g_return_val_if_fail (variant < experiment->variants->len, FALSE);

  if (!ns_experiment_validate (experiment, error) || !ns_dump_check_directory (directory, error))
    return FALSE;
  one = reduce_to_variant (experiment, variant);
  path = dup_absolute (directory);
  if (!ns_sibling_create (path, NS_SIBLING_FOLDER, 0777, &temporary))
    return set_error (error, path, g_strerror (errno));
  written = write_contents (engine, one, temporary.path, with_script, progress, error);
  if (written)
    {
      ns_sibling_keep (&temporary);
      written = replace_folder (temporary.path, path, error);
    }
  if (!written)
    ns_file_remove_tree (temporary.path);
  ns_sibling_end (&temporary);
  return written;
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
