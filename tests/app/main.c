/* The tests of the window. Meson lists the source files; `-p /NAME` selects the tests of one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-fixture.h"

#define ADD(name) app_test_add_file (#name, add_##name##_tests);

int
main (int argc, char **argv)
{
  if (!app_test_init (&argc, &argv))
    return 0;
  APP_TESTS (ADD)
  return app_test_run ();
}
