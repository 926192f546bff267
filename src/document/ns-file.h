/* Read regular files with a size limit; write files atomically.
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
  NS_DOCUMENT_ERROR_INPUT,  /* unreadable or invalid; the message has the file, the key and its value */
  NS_DOCUMENT_ERROR_OUTPUT, /* cannot be written; the message has the path and the cause */
} NsDocumentError;

/* The contents of a file. They decide how large it may be; the sizes and their reasons are in ns-file-read.c. */
typedef enum
{
  NS_FILE_TEXT,
  NS_FILE_EXPERIMENT,
  NS_FILE_PICTURE,
  NS_FILE_LINK,
  NS_FILE_CONFIG,
  NS_FILE_CLAIM,
  NS_FILE_INDEX,
  NS_FILE_LECTURE,
  NS_FILE_IDS,
  NS_FILE_SHARDS,
  NS_FILE_ANY, /* an experiment, a picture or a link; the first bytes tell which */
} NsFileKind;

/* Return the maximum size. Not for NS_FILE_ANY. */
gsize ns_file_get_max_bytes (NsFileKind kind);
/* Check a length; a greater one is an NS_DOCUMENT_ERROR_INPUT with the name. Not for NS_FILE_ANY. */
gboolean ns_file_check_size (const char *name, guint64 length, NsFileKind kind, GError **error);

/* Read a local or remote file. Every reader of the program uses these functions. Opens only regular files, without
 * waiting for the other end of a pipe, and looks at the size before reading. A folder, a pipe, a device, a socket, an
 * unreadable file or one that is too large is an NS_DOCUMENT_ERROR_INPUT. A pipe that was given to this process, as the
 * shell does for <(…), is read to its end where there is no cancellable, up to the same size; it can be read once.
 * Blocks. Caller owns the bytes. */
GBytes *ns_file_read (GFile *file, NsFileKind kind, GCancellable *cancellable, GError **error);
GBytes *ns_file_read_path (const char *path, NsFileKind kind, GError **error);
/* Return TRUE if the path names a pipe that is open in this process: "/dev/fd/63". */
gboolean ns_file_is_given_pipe (const char *path);
/* Open a local regular file for reading, as above; -1 with an error. Caller closes the descriptor. */
int ns_file_open_regular (const char *path, GError **error);
/* Read a local file of any size, as long as there is memory for it; `name` is the name in messages. Files are read and
 * not mapped: the system ends a program that uses a page of a map that another program has cut off. */
GBytes *ns_file_read_whole (int fd, const char *name, GError **error);
/* Read standard input to its end, whatever it is, up to the same size. */
GBytes *ns_file_read_standard_input (NsFileKind kind, GCancellable *cancellable, GError **error);

/* Skip a UTF-8 byte order mark, which editors on Windows write: return the start of the text and adjust *length. Return
 * "" for NULL data of length 0. */
const char *ns_file_skip_bom (const char *data, gsize *length);

/* Read a UTF-8 text file without its byte order mark. An empty file, invalid UTF-8 or a NUL byte is an
 * NS_DOCUMENT_ERROR_INPUT. Caller frees. */
char *ns_file_read_text (GFile *file, GCancellable *cancellable, GError **error);

/* Return TRUE if there are bytes. NULL means that the system refused memory for them: NS_DOCUMENT_ERROR_OUTPUT. */
gboolean ns_file_check_contents (GBytes *bytes, GError **error);

/* Return the file that a path names, without symbolic links at its end: writing keeps the link and replaces its target.
 * Caller frees. */
char *ns_file_dup_target (const char *path);
/* Write a file atomically: write and sync a temporary sibling, then rename it to `path`, so a failure leaves the old
 * file intact. Follows symbolic links; writes to a device or a pipe directly. Checks the
 * contents first. Blocks. */
gboolean ns_file_write (const char *path, GBytes *bytes, GError **error);
/* The same for a regular file, which is locked from its first byte on (ns_sibling_lock()): return a descriptor that
 * holds the lock while it is open, or -1. */
int ns_file_write_locked (const char *path, GBytes *bytes, GError **error);

/* Write a file in the same way, piece by piece: `fill` calls ns_file_put() for each, and returns FALSE with an error to
 * give up. */
typedef struct _NsFileWriter NsFileWriter;
typedef gboolean (*NsFileFillFunc) (NsFileWriter *writer, gpointer user_data, GError **error);
gboolean ns_file_write_by (const char *path, NsFileFillFunc fill, gpointer user_data, GError **error);
gboolean ns_file_put (NsFileWriter *writer, gconstpointer bytes, gsize n, GError **error);

/* Return a clause about something that is neither a regular file nor missing: "it is a folder", "it is a named pipe;
 * …". Translated and static; NULL for a file. */
const char *ns_file_find_obstacle (const char *path);

/* Return the path of a local file for the window to write to; a remote file, a pipe or a device, for which it could
 * wait for ever, is an NS_DOCUMENT_ERROR_OUTPUT. Caller frees. */
char *ns_file_dup_path (GFile *file, GError **error);

/* Return why no file can be made in a folder, "/a/b: Permission denied", or NULL. Caller frees. */
char *ns_file_dup_folder_obstacle (const char *folder);

/* Check that `path` can probably be written: its folder exists and is writable, and `path` is not a folder. Call it
 * before a long run. */
gboolean ns_file_check_writable (const char *path, GError **error);

/* Return the names of a folder's files that end in `suffix`, sorted; none if the folder is missing. Caller owns the
 * array of char *. */
GPtrArray *ns_file_list_names (const char *folder, const char *suffix);

/* Remove a file, or a folder with everything in it; ignores errors. Removes symbolic links, but not their targets.
 * Blocks. */
void ns_file_remove_tree (const char *path);

G_END_DECLS
