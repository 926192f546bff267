/* Run a fuzz target on the files of its folders, complete and truncated, as a test in every build.
 *
 *     replay COUNT FOLDER…
 *
 * COUNT is the number of files in the folders corpus/NAME together.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

/* Number of lengths at which a file is truncated. */
#define N_CUTS 64

static void
run_on (const char *data, gsize length)
{
  /* Copy exactly this length, so the sanitizers detect a read past the end. */
  g_autofree guint8 *copy = g_memdup2 (data, length);

  g_assert_cmpint (LLVMFuzzerTestOneInput (copy, length), ==, 0);
}

static void
test_file (gconstpointer path)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  run_on (text, length);
  for (gsize i = 0; i < N_CUTS && i < length; i++)
    run_on (text, length <= N_CUTS ? i : length * i / N_CUTS);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

/* Add a test for each file of a folder. Return their number. */
static guint
add_folder (const char *folder)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *base = g_path_get_basename (folder);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare);
  for (guint i = 0; i < names->len; i++)
    {
      const char *file = g_ptr_array_index (names, i);
      g_autofree char *test = g_strdup_printf ("/%s/%s", base, file);

      g_test_add_data_func_full (test, g_build_filename (folder, file, NULL), test_file, g_free);
    }
  return names->len;
}

int
main (int argc, char **argv)
{
  LLVMFuzzerInitialize (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, >, 2);
  guint64 named = 0;
  for (int i = 2; i < argc; i++)
    {
      guint count = add_folder (argv[i]);
      g_autofree char *parent = g_path_get_dirname (argv[i]);

      if (g_str_has_suffix (parent, "/corpus"))
        named += count;
      else
        g_assert_cmpuint (count, >, 3);
    }
  g_assert_cmpuint (named, ==, g_ascii_strtoull (argv[1], NULL, 10));
  return g_test_run ();
}
