/* The functions that register the tests of a room, one for each of its files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * test-NAME.c defines add_NAME_tests(); its paths begin with /NAME. Meson defines ROOM_TESTS from its list of files.
 */
#pragma once

#include <glib.h>

#define TEST(name) void add_##name##_tests (void);
ROOM_TESTS
#undef TEST
