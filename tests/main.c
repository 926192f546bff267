/* The test program of a room. With the name of a file ("claim_rates"), it runs the tests of that file, otherwise all.
 * GLib's options select single tests: -l lists them, -p PATH runs one, or those directly below a path.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tests.h"

#include <locale.h>
#include <unistd.h>

static void
note_run (gpointer has_run)
{
  *(gboolean *) has_run = TRUE;
}

int
main (int argc, char **argv)
{
  /* Ignore presets of the user who runs the tests. */
  g_autofree char *home = g_strdup_printf ("%s/normscope-tests-%d", g_get_tmp_dir (), (int) getpid ());
  gboolean is_list = g_strv_contains ((const char *const *) argv, "-l"), has_run = FALSE;
  int status;

  setlocale (LC_ALL, "C.UTF-8");
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_test_init (&argc, &argv, NULL);
#define TEST(name)                                                           \
  if (argc == 1 || g_strv_contains ((const char *const *) argv + 1, #name)) \
    add_##name##_tests ();
  ROOM_TESTS
  g_test_queue_destroy (note_run, &has_run); /* at the end of the first test that runs */
  status = g_test_run ();
  if (!has_run && !is_list)
    {
      g_printerr ("No test has this name or path.\n");
      return 1;
    }
  return status;
}
