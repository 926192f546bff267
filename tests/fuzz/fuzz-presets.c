/* Fuzz target: the user's folder of presets. The input before a line "%%" is the folder's index, the rest an experiment
 * file; without that line, the experiment file is valid.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "fuzz.h"

#include "document/ns-presets.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "\n%%\n"
#define ID FUZZ_NAME
#define GOOD "{\"format\": \"normscope-experiment\"}"

/* Created for this process and removed at its end. */
static char *data_folder, *folder, *index_path, *file_path;
static gsize n_builtin;

static void
remove_folder (void)
{
  g_autofree char *own = g_path_get_dirname (folder);

  g_unlink (index_path);
  g_unlink (file_path);
  g_rmdir (folder);
  g_rmdir (own);
  g_rmdir (data_folder);
}

static void
make_folder (void)
{
  data_folder = g_dir_make_tmp ("normscope-fuzz-XXXXXX", NULL);
  FUZZ_CHECK (data_folder != NULL);
  g_setenv ("XDG_DATA_HOME", data_folder, TRUE);
  folder = ns_presets_dup_folder ();
  FUZZ_CHECK (g_str_has_prefix (folder, data_folder));
  ns_presets (&n_builtin);
  FUZZ_CHECK (n_builtin > 0);
  FUZZ_CHECK (g_mkdir_with_parents (folder, 0700) == 0);
  index_path = g_build_filename (folder, "presets.ini", NULL);
  file_path = g_build_filename (folder, ID ".normscope", NULL);
  atexit (remove_folder);
}

static void
check_text (const char *text)
{
  FUZZ_CHECK (text != NULL && g_utf8_validate (text, -1, NULL));
}

static void
check_preset (const NsPreset *preset)
{
  check_text (preset->title);
  check_text (preset->description);
  check_text (preset->group);
  FUZZ_CHECK (preset->source == NULL || g_utf8_validate (preset->source, -1, NULL));
  FUZZ_CHECK (preset->notes == NULL || g_utf8_validate (preset->notes, -1, NULL));
  FUZZ_CHECK (preset->not_confirmed != NULL);
}

static gsize
check_problems (void)
{
  const char *const *problems = ns_presets_get_problems ();
  gsize n = 0;

  for (; problems[n] != NULL; n++)
    {
      check_text (problems[n]);
      if (strstr (problems[n], folder) == NULL || g_utf8_strlen (problems[n], -1) > FUZZ_MAX_MESSAGE)
        fuzz_fail (__FILE__, __LINE__, "a problem names its file and is short", problems[n]);
    }
  return n;
}

/* Check that a refused file is reported as a problem and an accepted one can be loaded. */
static void
check_list (void)
{
  gsize n;
  const NsPreset *presets, *preset;
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) experiment = NULL;

  ns_presets_reload ();
  presets = ns_presets (&n);
  FUZZ_CHECK (n == n_builtin || n == n_builtin + 1);
  for (gsize i = 0; i < n; i++)
    check_preset (&presets[i]);
  preset = ns_preset_find (ID);
  FUZZ_CHECK ((preset != NULL) == (n > n_builtin));
  if (check_problems () == 0)
    FUZZ_CHECK (preset != NULL);
  experiment = ns_preset_load (ID, &error);
  FUZZ_CHECK ((preset != NULL) == (experiment != NULL));
  if (experiment == NULL)
    fuzz_check_error (error);
  else
    fuzz_check_experiment (experiment);
}

/* Write in place, since these files need not survive a crash. */
static void
put (const char *path, const char *text, gsize length)
{
  FUZZ_CHECK (g_file_set_contents_full (path, text, (gssize) length, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

int
fuzz_one (const guint8 *data, gsize size)
{
  const char *text = size > 0 ? (const char *) data : "";
  const char *mark = memmem (text, size, MARK, strlen (MARK));

  if (folder == NULL)
    make_folder ();
  put (index_path, text, mark != NULL ? (gsize) (mark + 1 - text) : size);
  if (mark != NULL)
    put (file_path, mark + strlen (MARK), (gsize) (text + size - mark) - strlen (MARK));
  else
    put (file_path, GOOD, strlen (GOOD));
  check_list ();
  return 0;
}
