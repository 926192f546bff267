/* Fuzz target: the experiment in a PNG, unchanged and with repaired checksums, which a fuzzer cannot guess.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../document/png-chunks.h"
#include "fuzz-picture.h"
#include "fuzz.h"

#include "document/ns-provenance.h"
#include "plot/ns-export-private.h"

#include <zlib.h>

#define FRAME_BYTES 12

static void
put_uint32 (guint8 *at, guint32 value)
{
  for (int i = 0; i < 4; i++)
    at[i] = (guint8) (value >> (24 - 8 * i));
}

static guint32
get_uint32 (const guint8 *at)
{
  return (guint32) at[0] << 24 | (guint32) at[1] << 16 | (guint32) at[2] << 8 | at[3];
}

/* Set the correct checksum in every complete chunk. */
static void
repair_checksums (guint8 *data, gsize size)
{
  gsize at = PNG_SIGNATURE_BYTES;

  while (size >= at + FRAME_BYTES && get_uint32 (data + at) <= size - at - FRAME_BYTES)
    {
      gsize length = get_uint32 (data + at);

      put_uint32 (data + at + 8 + length, (guint32) crc32 (0, data + at + 4, (uInt) length + 4));
      at += length + FRAME_BYTES;
    }
}

static GBytes *
write_png (const NsExportMetadata *metadata)
{
  GByteArray *png = png_begin ();

  png_append_chunk (png, "IEND", "", 0);
  return g_byte_array_free_to_bytes (ns_export_png_add_metadata (png, metadata));
}

int
fuzz_one (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  guint8 *copy = g_memdup2 (data, size);
  g_autoptr (GBytes) repaired = NULL;

  fuzz_expect_expansion (NS_PROVENANCE_INFLATE_BYTES + NS_PROVENANCE_INFLATE_FACTOR * size);
  fuzz_check_picture (bytes, write_png);
  repair_checksums (copy, size);
  repaired = g_bytes_new_take (copy, size);
  if (!g_bytes_equal (bytes, repaired))
    fuzz_check_picture (repaired, write_png);
  return 0;
}
