/* Fuzz target: token ids in an .npy file or a text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

#include "import/ns-token-ids.h"

int
fuzz_one (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  gint64 rows = -1, columns = -1;
  g_autoptr (GBytes) ids = ns_token_ids_from_bytes (bytes, FUZZ_NAME, &rows, &columns, &error);
  gsize length;
  const gint32 *values;

  if (ids == NULL)
    {
      fuzz_check_error (error);
      return 0;
    }
  FUZZ_CHECK (error == NULL);
  values = g_bytes_get_data (ids, &length);
  FUZZ_CHECK (length > 0 && length % sizeof *values == 0);
  length /= sizeof *values;
  FUZZ_CHECK (rows >= 0 && columns >= 0 && (rows == 0) == (columns == 0));
  FUZZ_CHECK (rows == 0 || (gsize) rows * (gsize) columns == length);
  for (gsize i = 0; i < length; i++)
    FUZZ_CHECK (values[i] >= 0);
  return 0;
}
