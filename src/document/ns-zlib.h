/* zlib streams in memory, with a bound on what comes out.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A zlib stream (RFC 1950) of the bytes. Caller owns it. */
GByteArray *ns_zlib_deflate (gconstpointer data, gsize length);

/* What a zlib stream holds, which has to fill the whole input. NULL when it is broken, cut off, followed by something,
 * or holds more than max_bytes: *reason is then a translated clause for a message, static. */
GByteArray *ns_zlib_inflate (gconstpointer data, gsize length, gsize max_bytes, const char **reason);

G_END_DECLS
