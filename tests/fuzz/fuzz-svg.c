/* Fuzz target: the experiment in an SVG.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-picture.h"
#include "fuzz.h"

#include "plot/ns-export-private.h"

#include <string.h>

#define EMPTY "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\">\n</svg>\n"

static GBytes *
write_svg (const NsExportMetadata *metadata)
{
  GByteArray *svg = g_byte_array_new ();

  g_byte_array_append (svg, (const guint8 *) EMPTY, strlen (EMPTY));
  return g_byte_array_free_to_bytes (ns_export_svg_finish (svg, metadata, NULL));
}

int
fuzz_one (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);

  fuzz_check_picture (bytes, write_svg);
  return 0;
}
