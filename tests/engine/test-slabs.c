/* Test blocks in slabs: they are apart, keep their bytes, and their memory goes back to the system.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/ops/ns-memory.h"
#include "engine/ops/ns-slabs.h"
#include "tests.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* From one byte to blocks with memory of their own. */
static const gsize sizes[] = { 1, 64, 100, 65536, 262144, NS_SLAB_BYTES / 8, NS_SLAB_BYTES / 8 + 1 };

#define N_BLOCKS 300
#define N_CHANGES 3000

typedef struct
{
  guint8 *bytes;
  gsize n;
  guint8 mark;
} Block;

/* The first and the last bytes, which those of another block would change. */
static void
assert_marked (const Block *block)
{
  for (gsize i = 0; i < MIN (block->n, 64); i++)
    {
      g_assert_cmpuint (block->bytes[i], ==, block->mark);
      g_assert_cmpuint (block->bytes[block->n - 1 - i], ==, block->mark);
    }
}

static void
take (NsSlabs *slabs, Block *block)
{
  block->n = sizes[g_test_rand_int_range (0, G_N_ELEMENTS (sizes))];
  block->mark = (guint8) g_test_rand_int ();
  block->bytes = ns_slabs_take (slabs, block->n);
  g_assert_nonnull (block->bytes);
  g_assert_cmpuint ((guintptr) block->bytes % 64, ==, 0);
  memset (block->bytes, block->mark, MIN (block->n, 64));
  memset (block->bytes + block->n - MIN (block->n, 64), block->mark, MIN (block->n, 64));
}

static void
give (NsSlabs *slabs, Block *block)
{
  if (block->bytes != NULL)
    assert_marked (block);
  ns_slabs_give (slabs, block->bytes, block->n);
  block->bytes = NULL;
}

static void
test_blocks (void)
{
  NsSlabs *slabs = ns_slabs_new ();
  Block blocks[N_BLOCKS] = { { NULL, 0, 0 } };

  for (guint i = 0; i < N_CHANGES; i++)
    {
      Block *block = &blocks[g_test_rand_int_range (0, N_BLOCKS)];

      if (block->bytes == NULL)
        take (slabs, block);
      else
        give (slabs, block);
    }
  for (guint i = 0; i < N_BLOCKS; i++)
    give (slabs, &blocks[i]);
  ns_slabs_free (slabs);
}

/* Return TRUE if there is memory at the address. */
static gboolean
is_mapped (gpointer block)
{
  gpointer page = (guint8 *) block - (guintptr) block % 4096;

  return msync (page, 4096, MS_ASYNC) == 0 || errno != ENOMEM;
}

/* A slab without blocks stays for the next ones, and goes back when told, one that was full, too. */
static void
test_memory (void)
{
  NsSlabs *slabs = ns_slabs_new ();
  gsize size = NS_SLAB_BYTES / 16;
  gpointer blocks[40];

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    g_assert_nonnull (blocks[i] = ns_slabs_take (slabs, size));
  for (guint i = 16; i < 32; i++) /* the second slab */
    {
      g_assert_true (is_mapped (blocks[i]));
      ns_slabs_give (slabs, blocks[i], size);
    }
  if (!NS_WATCHED_MEMORY)
    {
      gpointer again = ns_slabs_take (slabs, size);

      g_assert_true (again == blocks[31]); /* the last that was given back */
      ns_slabs_trim (slabs);
      g_assert_true (is_mapped (blocks[20]));
      ns_slabs_give (slabs, again, size);
      g_assert_true (is_mapped (blocks[20]));
      ns_slabs_trim (slabs);
      g_assert_false (is_mapped (blocks[20]));
      g_assert_true (is_mapped (blocks[0]));
      ns_slabs_give (slabs, blocks[3], size); /* a place in a full slab is taken before a new slab */
      ns_slabs_give (slabs, blocks[5], size);
      g_assert_true (ns_slabs_take (slabs, size) == blocks[5]);
      g_assert_true (ns_slabs_take (slabs, size) == blocks[3]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    if (i < 16 || i >= 32)
      ns_slabs_give (slabs, blocks[i], size);
  ns_slabs_trim (slabs);
  if (!NS_WATCHED_MEMORY)
    g_assert_false (is_mapped (blocks[0]));
  ns_slabs_give (slabs, NULL, size);
  ns_slabs_free (slabs);
}

/* Return TRUE if the system was asked for large pages at an address. */
static gboolean
prefers_large_pages (gconstpointer address)
{
  g_autofree char *maps = NULL;
  g_auto (GStrv) lines = NULL;
  gboolean is_there = FALSE;

  g_assert_true (g_file_get_contents ("/proc/self/smaps", &maps, NULL, NULL));
  lines = g_strsplit (maps, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      guint64 first, end;

      if (sscanf (lines[i], "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x ", &first, &end) == 2)
        is_there = first <= (guintptr) address && (guintptr) address < end;
      else if (is_there && g_str_has_prefix (lines[i], "VmFlags:"))
        return strstr (lines[i], " hg") != NULL;
    }
  return FALSE;
}

/* Large pages are for blocks that are mapped on their own: in the heap the wish would outlast the block. */
static void
test_large_pages (void)
{
  static const gsize some[] = { 1 << 20, NS_MEMORY_MAPPED_BYTES / 2, NS_MEMORY_MAPPED_BYTES - 64,
                                NS_MEMORY_MAPPED_BYTES, 3 * NS_MEMORY_MAPPED_BYTES };

  if (!g_file_test ("/sys/kernel/mm/transparent_hugepage", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("this system has no large pages to ask for");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (some); i++)
    {
      guint8 *block = ns_memory_try (1, some[i]);

      g_assert_nonnull (block);
      g_assert_cmpint (prefers_large_pages (block + some[i] / 2), ==, some[i] >= NS_MEMORY_MAPPED_BYTES);
      g_free (block);
    }
}

void
add_slabs_tests (void)
{
  g_test_add_func ("/slabs/blocks", test_blocks);
  g_test_add_func ("/slabs/memory", test_memory);
  g_test_add_func ("/slabs/large-pages", test_large_pages);
}
