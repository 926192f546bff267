/* Whole files: read with a limit, written whole or not at all.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define NS_DOCUMENT_ERROR (ns_document_error_quark ())
GQuark ns_document_error_quark (void);
typedef enum
{
  NS_DOCUMENT_ERROR_INPUT,  /* cannot be read, or is not what it should be: the message names file, key and value */
  NS_DOCUMENT_ERROR_OUTPUT, /* cannot be written: the message names path and cause */
} NsDocumentError;

/* The largest file that is read at all. */
#define NS_FILE_MAX_BYTES (64u * 1024u * 1024u)

/* A local path or any other GFile; a directory, a file beyond NS_FILE_MAX_BYTES or an unreadable one is an error.
 * Blocks. Caller owns the bytes. */
GBytes *ns_file_read (GFile *file, GCancellable *cancellable, GError **error);

/* Skip the byte order mark with which editors on Windows begin a UTF-8 file: return where the text begins and adjust
 * *length. NULL data of length 0 become "". */
const char *ns_file_skip_bom (const char *data, gsize *length);

/* A UTF-8 text file: the text itself, without a byte order mark. Refuses an empty file and what is not UTF-8 or holds
 * a NUL byte. Caller frees. */
char *ns_file_read_text (GFile *file, GCancellable *cancellable, GError **error);

/* Writes the whole file or nothing: a temporary sibling, synced and renamed over `path`, so the old file stays intact
 * when anything fails. A symbolic link is followed; a device or a pipe is written to directly. Blocks. */
gboolean ns_file_write (const char *path, GBytes *bytes, GError **error);

/* The path to write a file to; what is not in a folder of this computer has none, which is an error. Caller frees. */
char *ns_file_dup_path (GFile *file, GError **error);

/* Whether writing can be expected to work: the folder is there and may be written to, `path` is not a folder. For
 * telling before a long run. */
gboolean ns_file_check_writable (const char *path, GError **error);

/* Removes a file, or a folder with all that is in it, as far as that works. Follows no symbolic link: what a link
 * points to is not ours to remove. Blocks. */
void ns_file_remove_tree (const char *path);

/* A hidden name beside `path` that ends in XXXXXX, for g_mkstemp() and g_mkdtemp(). Caller frees. */
char *ns_file_dup_sibling_template (const char *path);

G_END_DECLS
