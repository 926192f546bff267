/* zlib streams in memory, with a limit on the decompressed size.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Compress the bytes to a zlib stream (RFC 1950). Caller owns it. */
GByteArray *ns_zlib_deflate (gconstpointer data, gsize length);

/* Decompress a zlib stream that fills the whole input. Return NULL if the stream is corrupt, truncated, followed by
 * other bytes, or larger than max_bytes; *reason is then a translated clause for a message, static. */
GByteArray *ns_zlib_inflate (gconstpointer data, gsize length, gsize max_bytes, const char **reason);

G_END_DECLS
