/* A file that is read piece by piece while others may change it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file is read by pread and never mapped: the system ends a program that uses a page of a map that another program
 * has cut off. Reading cannot fail; ns_held_file_check() tells afterwards if what was read is what was opened.
 *
 * Threads: any number may read and check at once.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _NsHeldFile NsHeldFile;

/* Open a regular file, and note its size, its time and which file it is. NULL with an NS_DOCUMENT_ERROR_INPUT. Caller
 * owns it. */
NsHeldFile *ns_held_file_open (const char *path, GError **error);
void ns_held_file_free (NsHeldFile *file); /* NULL is allowed */

/* Return the size that the file had when it was opened. */
guint64 ns_held_file_get_size (const NsHeldFile *file);
/* Put the n bytes from `offset` on, which are within that size, into out; zeros for those that cannot be read. */
void ns_held_file_read (NsHeldFile *file, guint64 offset, gpointer out, gsize n);
/* Return FALSE with an NS_DOCUMENT_ERROR_INPUT that names the file and what is different, unless it is still the file
 * that was opened, with the same size and time, and everything could be read. */
gboolean ns_held_file_check (NsHeldFile *file, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsHeldFile, ns_held_file_free)

G_END_DECLS
