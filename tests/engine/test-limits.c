/* Test the memory limits of groups of processes, as the kernel writes them into files, and large blocks of memory.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/ops/ns-memory.h"
#include "engine/run/ns-engine-private.h"
#include "engine/run/ns-result-private.h"
#include "engine/run/ns-sweep.h"
#include "tests.h"

#include <glib/gstdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB ((guint64) 1 << 20)
#define NONE G_MAXUINT64

/* A file in a group's folder: "a/b/memory.max". */
typedef struct
{
  const char *path, *text;
} File;

typedef struct
{
  const char *groups;
  File files[6];
  guint64 expected;
} Case;

static const Case cases[] = {
  /* version 2 */
  { "0::/\n", { { "memory.max", "1000000\n" } }, 1000000 },
  { "0::/a\n", { { "a/memory.max", "2000000\n" } }, 2000000 },
  { "0::/a", { { "a/memory.max", "2000000" } }, 2000000 },
  { "0::/a\n", { { "a/memory.max", "max\n" } }, NONE },
  { "0::/a/b/c\n",
    { { "a/memory.max", "30\n" }, { "a/b/memory.max", "max\n" }, { "a/b/c/memory.max", "40\n" } }, 30 },
  { "0::/a/b/c\n", { { "a/memory.max", "max\n" }, { "a/b/memory.max", "20\n" }, { "a/b/c/memory.max", "40\n" } }, 20 },
  { "0::/a/b/c\n", { { "a/b/c/memory.max", "10\n" }, { "a/memory.max", "50\n" }, { "memory.max", "60\n" } }, 10 },
  { "0::/a/b\n", { { "memory.max", "7\n" } }, 7 },
  { "0::/a/b\n", { { "a/c/memory.max", "7\n" }, { "b/memory.max", "8\n" } }, NONE }, /* other groups */
  { "0::/a:b c\n", { { "a:b c/memory.max", "9\n" } }, 9 },
  { "0::/a\n", { { "a/memory.max", "0\n" } }, 0 },
  { "0::/a\n", { { "a/memory.limit_in_bytes", "5\n" } }, NONE },
  /* version 1, and both */
  { "5:cpu,cpuacct:/x\n4:memory:/a/b\n",
    { { "memory/a/memory.limit_in_bytes", "70\n" }, { "memory/a/b/memory.limit_in_bytes", "9223372036854771712\n" } },
    70 },
  { "4:memory:/a\n", { { "memory/a/memory.limit_in_bytes", "9223372036854771712\n" } }, 9223372036854771712u },
  { "4:memory:/gone\n", { { "memory/memory.limit_in_bytes", "80\n" } }, 80 }, /* a container sees its own root */
  { "4:cpu:/a\n", { { "memory/a/memory.limit_in_bytes", "80\n" } }, NONE },
  { "4:memory:/a\n0::/a\n", { { "memory/a/memory.limit_in_bytes", "80\n" }, { "a/memory.max", "90\n" } }, 80 },
  { "4:memory:/a\n0::/a\n", { { "memory/a/memory.limit_in_bytes", "80\n" }, { "a/memory.max", "60\n" } }, 60 },
  /* missing and malformed */
  { "0::/a\n", { { NULL, NULL } }, NONE },
  { "0::/a\n", { { "a/memory.max", "" } }, NONE },
  { "0::/a\n", { { "a/memory.max", "many\n" } }, NONE },
  { "0::/a\n", { { "a/memory.max", "12 kB\n" } }, NONE },
  { "0::/a\n", { { "a/memory.max", "-1\n" } }, NONE },
  { "0::/a\n", { { "a/memory.max", "18446744073709551616\n" } }, NONE },
  { "0::/a\n", { { "a/memory.max", "  123\n\n" } }, 123 },
  { "0::/a\n", { { "a/memory.max", "x\n" }, { "memory.max", "11\n" } }, 11 },
  { "", { { "memory.max", "11\n" } }, NONE },
  { "\n\n", { { "memory.max", "11\n" } }, NONE },
  { "0:/a\n", { { "a/memory.max", "11\n" } }, NONE },
  { "nonsense\n0::/a\n", { { "a/memory.max", "12\n" } }, 12 },
  { "0::\n", { { "memory.max", "13\n" } }, 13 },
  { "0::/../a\n", { { "memory.max", "16\n" } }, 16 }, /* a group outside the namespace */
};

static void
remove_all (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_all (child);
    }
  g_clear_pointer (&dir, g_dir_close);
  g_remove (path);
}

static void
test_groups (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *c = &cases[i];
      g_autofree char *root = g_dir_make_tmp ("normscope-groups-XXXXXX", NULL);
      guint64 found;

      g_assert_nonnull (root);
      for (gsize f = 0; f < G_N_ELEMENTS (c->files) && c->files[f].path != NULL; f++)
        {
          g_autofree char *path = g_build_filename (root, c->files[f].path, NULL);
          g_autofree char *folder = g_path_get_dirname (path);

          g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
          g_assert_true (g_file_set_contents (path, c->files[f].text, -1, NULL));
        }
      found = ns_limits_get_group_memory (root, c->groups);
      remove_all (root);
      if (found != c->expected)
        g_error ("case %zu, “%s”: %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, i, c->groups, found, c->expected);
    }
}

static void
test_missing_root (void)
{
  g_assert_cmpuint (ns_limits_get_group_memory ("/nonexistent", "0::/a\n4:memory:/b\n"), ==, NONE);
}

/* A folder in place of the file. */
static void
test_folder (void)
{
  g_autofree char *root = g_dir_make_tmp ("normscope-groups-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (root, "memory.max", NULL);

  g_assert_cmpint (g_mkdir (path, 0755), ==, 0);
  g_assert_cmpuint (ns_limits_get_group_memory (root, "0::/\n"), ==, NONE);
  remove_all (root);
}

/* ---- large blocks ---- */

static void
test_blocks (void)
{
  const gsize sizes[] = { 0, 1, 63, 64, 65, MIB - 1, MIB, 3 * MIB + 1 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      char *block = ns_memory_try_new (char, sizes[i]);

      g_assert_nonnull (block);
      g_assert_cmpuint ((uintptr_t) block % 64, ==, 0);
      memset (block, 1, sizes[i]);
      g_free (block);
    }
  g_assert_null (ns_memory_try (G_MAXUINT64, 1));
  g_assert_null (ns_memory_try (G_MAXUINT64 / 8 + 2, 8));
  g_assert_null (ns_memory_try ((guint64) 1 << 62, 1));
  g_assert_false (ns_memory_has_room (G_MAXUINT64));
  g_assert_true (ns_memory_has_room (0));
}

/* ---- refusals ---- */

static void
leave (guint64 bytes)
{
  g_autofree char *text = NULL;
  struct rlimit limit;

  g_assert_cmpint (getrlimit (RLIMIT_AS, &limit), ==, 0);
  if (bytes == 0)
    limit.rlim_cur = limit.rlim_max;
  else
    {
      g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
      limit.rlim_cur = g_ascii_strtoull (text, NULL, 10) * (guint64) getpagesize () + bytes;
    }
  g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
}

/* What is made of a deep experiment is refused with an error: a result, two merged ones, a sweep. */
static void
test_refusals (void)
{
  const NsShape deep = {
    .depth = 2000, .d_model = 2, .heads = 1, .d_ff = 2, .seq_len = 2, .batch = 1, .vocab = 2,
  };
  const gint64 points[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
  g_autoptr (NsExperiment) experiment = check_experiment (deep, "pre");
  g_autoptr (GError) sweep_error = NULL;
  g_autoptr (NsResult) a = NULL, b = NULL, merged = NULL;

  experiment->sampling.seeds = 10000;
  a = ns_result_new_of (experiment, 0, 2, NULL);
  b = ns_result_new_of (experiment, 2, 3, NULL);
  leave (16 * MIB);
  g_assert_false (ns_memory_has_room (1 * MIB));
  g_assert_null (ns_memory_try (1, 2 * MIB));
  g_assert_null (ns_result_new_of (experiment, 0, 2, NULL));
  g_assert_null (check_merge (a, b));
  g_assert_null (ns_sweep_new (experiment, NS_SWEEP_DEPTH, points, G_N_ELEMENTS (points), ns_metric_get_default (),
                               &sweep_error));
  leave (0);
  g_assert_error (sweep_error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY);
  merged = check_merge (a, b);
  g_assert_cmpuint (ns_result_get_n_numbers (merged), ==,
                    ns_result_get_n_numbers (a) + ns_result_get_n_numbers (b));
}

void
add_limits_tests (void)
{
  g_test_add_func ("/limits/groups", test_groups);
  g_test_add_func ("/limits/missing-root", test_missing_root);
  g_test_add_func ("/limits/folder", test_folder);
  g_test_add_func ("/limits/blocks", test_blocks);
  if (!NS_SANITIZED)
    g_test_add_func ("/limits/refusals", test_refusals);
}
