/* Fuzz target: the experiment in a PNG, as it is and with the checksums put right, which no fuzzer guesses.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-picture.h"
#include "fuzz.h"

#include "plot/ns-export-private.h"

#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define SIGNATURE_BYTES 8
#define FRAME_BYTES 12

static guint32
crc_of (const guint8 *data, gsize length)
{
  guint32 crc = 0xffffffffu;

  for (gsize i = 0; i < length; i++)
    {
      crc ^= data[i];
      for (int bit = 0; bit < 8; bit++)
        crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0);
    }
  return crc ^ 0xffffffffu;
}

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

/* Every chunk that lies within the bytes gets its checksum. */
static void
repair (guint8 *data, gsize size)
{
  gsize at = SIGNATURE_BYTES;

  while (size >= at + FRAME_BYTES && get_uint32 (data + at) <= size - at - FRAME_BYTES)
    {
      gsize length = get_uint32 (data + at);

      put_uint32 (data + at + 8 + length, crc_of (data + at + 4, length + 4));
      at += length + FRAME_BYTES;
    }
}

static void
append_chunk (GByteArray *png, const char *type, const guint8 *data, guint length)
{
  guint start = png->len;

  g_byte_array_set_size (png, start + FRAME_BYTES + length);
  put_uint32 (png->data + start, length);
  for (guint i = 0; i < 4; i++)
    png->data[start + 4 + i] = (guint8) type[i];
  for (guint i = 0; i < length; i++)
    png->data[start + 8 + i] = data[i];
  put_uint32 (png->data + start + 8 + length, crc_of (png->data + start + 4, length + 4));
}

static GBytes *
write_png (const NsExportMetadata *metadata)
{
  static const guint8 header[13] = { 0, 0, 0, 1, 0, 0, 0, 1, 8 };
  GByteArray *png = g_byte_array_new ();

  g_byte_array_append (png, (const guint8 *) SIGNATURE, SIGNATURE_BYTES);
  append_chunk (png, "IHDR", header, sizeof header);
  append_chunk (png, "IEND", NULL, 0);
  return g_byte_array_free_to_bytes (ns_export_png_add_metadata (png, metadata));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  guint8 *copy = g_memdup2 (data, size);
  g_autoptr (GBytes) repaired = NULL;

  fuzz_check_picture (bytes, write_png);
  repair (copy, size);
  repaired = g_bytes_new_take (copy, size);
  if (!g_bytes_equal (bytes, repaired))
    fuzz_check_picture (repaired, write_png);
  return 0;
}
