/* Runs a fuzz target on the files of its corpus, whole and cut off, as a test of every build.
 *
 *     replay CORPUS
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

/* Lengths at which a file is cut off, besides none at all. */
#define N_CUTS 64

static const char *folder;

static void
run_on (const char *data, gsize length)
{
  /* A copy of its own, so that the sanitizers see a byte that is read behind the end. */
  g_autofree guint8 *copy = g_memdup2 (data, length);

  g_assert_cmpint (LLVMFuzzerTestOneInput (copy, length), ==, 0);
}

static void
test_file (gconstpointer data)
{
  g_autofree char *path = g_build_filename (folder, data, NULL);
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

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = NULL;
  const char *name;

  LLVMFuzzerInitialize (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  folder = argv[1];
  dir = g_dir_open (folder, 0, &error);
  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_assert_cmpuint (names->len, >, 3);
  g_ptr_array_sort (names, compare);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_strconcat ("/corpus/", g_ptr_array_index (names, i), NULL);

      g_test_add_data_func (path, g_ptr_array_index (names, i), test_file);
    }
  return g_test_run ();
}
