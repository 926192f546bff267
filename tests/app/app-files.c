/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-files.h"

#include <glib/gstdio.h>

const char *
app_get_folder (void)
{
  static char *folder;

  if (folder == NULL)
    {
      /* app_test_init() has set it to a folder of this run. */
      folder = g_build_filename (g_get_user_data_dir (), "files", NULL);
      g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
    }
  return folder;
}

char *
app_dup_path (const char *name)
{
  return g_build_filename (app_get_folder (), name, NULL);
}

GFile *
app_new_file (const char *name)
{
  return g_file_new_build_filename (app_get_folder (), name, NULL);
}

GBytes *
app_read_file (const char *path)
{
  char *contents;
  gsize length;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &contents, &length, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (contents, length);
}

guint
app_count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

void
app_run_command (const char *const *words)
{
  g_autofree char *program = g_test_build_filename (G_TEST_BUILT, "..", "src", "cli", "normscope-cli", NULL);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *messages = NULL;
  int status;

  g_ptr_array_add (argv, program);
  for (; *words != NULL; words++)
    g_ptr_array_add (argv, (gpointer) *words);
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &messages, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (messages, ==, "");
  g_assert_cmpint (status, ==, 0);
}
