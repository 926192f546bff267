/* Large blocks of memory, whose size a file determines.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GLib and GTK end the program when an allocation fails. Therefore a block that can be large is asked for here, which
 * can be refused, and a large one is granted only if enough is left for the small ones that follow it.
 */
#pragma once

#include <glib.h>

/* In a process that lives long (ns_machine_set_up_allocator()), blocks from this size on are mapped on their own. */
#define NS_MEMORY_MAPPED_BYTES ((gsize) 8 << 20)

/* Return TRUE if the system would grant that many bytes now, and leave some for small allocations. Always TRUE below
 * 1 MiB. */
gboolean ns_memory_has_room (guint64 bytes);
/* Return `n` uninitialized elements of `size` bytes, aligned to 64 bytes, or NULL if the system refuses them or if not
 * enough would be left. The caller frees them with g_free(). */
gpointer ns_memory_try (guint64 n, gsize size);
/* Ask the system for large pages, of 2 MiB, in the part of a block that is whole ones. */
void ns_memory_prefer_large_pages (gpointer block, gsize bytes);
/* Give *block, NULL or memory of g_malloc(), the size of `n` elements of `size` bytes. FALSE if the system refuses them
 * or if not enough would be left; the block stays as it is. */
gboolean ns_memory_resize (gpointer *block, guint64 n, gsize size);
/* ns_memory_try() with a typed pointer as result. */
#define ns_memory_try_new(type, n) ((type *) ns_memory_try ((n), sizeof (type)))

/* The sum and the product of numbers of bytes; G_MAXUINT64 where that is too small. */
static inline guint64
ns_saturating_add (guint64 a, guint64 b)
{
  return __builtin_add_overflow (a, b, &a) ? G_MAXUINT64 : a;
}

static inline guint64
ns_saturating_mul (guint64 a, guint64 b)
{
  return __builtin_mul_overflow (a, b, &a) ? G_MAXUINT64 : a;
}
