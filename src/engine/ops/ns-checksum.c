/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-checksum.h"

#include <string.h>

static guint64
mix (guint64 sum, guint64 word)
{
  sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
  return sum ^ sum >> 32;
}

void
ns_checksum_add (NsChecksum *checksum, gconstpointer bytes, gsize n)
{
  const char *p = bytes;
  gsize held = checksum->n_bytes % 8;

  checksum->n_bytes += n;
  while (n > 0)
    {
      gsize part = MIN (n, 8 - held);

      memcpy ((char *) &checksum->word + held, p, part);
      p += part;
      n -= part;
      held += part;
      for (; held == 8 && n >= 8; p += 8, n -= 8)
        {
          checksum->sum = mix (checksum->sum, checksum->word);
          memcpy (&checksum->word, p, 8);
        }
      if (held == 8)
        {
          checksum->sum = mix (checksum->sum, checksum->word);
          checksum->word = 0;
          held = 0;
        }
    }
}

guint64
ns_checksum_get (const NsChecksum *checksum)
{
  return mix (mix (checksum->sum, checksum->word), checksum->n_bytes);
}
