/* Read regular files with a size limit.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-file.h"

#include "document/ns-experiment-link.h"
#include "document/ns-provenance.h"
#include "engine/experiment/ns-settings.h"
#include "engine/experiment/ns-text.h"
#include "engine/ops/ns-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES (64 * 1024)

G_DEFINE_QUARK (ns-document-error-quark, ns_document_error)

/* ---- sizes ---- */

#define KIB ((gsize) 1024)
#define MIB ((gsize) 1024 * 1024)

/* The sizes that files may have, and why. The limits bound the memory and the time that a hostile file can cost; each
 * is larger than any file that Normscope writes. */
static const struct
{
  gsize max_bytes;
  const char *title; /* of the contents */
} limits[] = {
  /* The text of an experiment. All of Shakespeare has 5.6 MB. */
  [NS_FILE_TEXT] = { NS_MAX_TEXT_BYTES, N_ ("a text") },
  /* The text, each byte of which can need six as JSON (\u0001), and 4 MiB for the settings and names of 16 variants. */
  [NS_FILE_EXPERIMENT] = { 6 * (gsize) NS_MAX_TEXT_BYTES + 4 * MIB, N_ ("an experiment") },
  /* An experiment, and 24 MiB for the drawing: many curves of 1024 blocks, or an image of the largest size. */
  [NS_FILE_PICTURE] = { 6 * (gsize) NS_MAX_TEXT_BYTES + 28 * MIB, N_ ("a picture") },
  /* The longest link, and as many blanks and line breaks, which chats insert. */
  [NS_FILE_LINK] = { 2 * (gsize) NS_LINK_MAX_CHARS, N_ ("a link") },
  /* The longest configs have two tables with the names of 22,000 classes and are 2 MB long. */
  [NS_FILE_CONFIG] = { 4 * MIB, N_ ("a model’s config") },
  /* A claim has 2 kB, with translations into many languages 20 kB. */
  [NS_FILE_CLAIM] = { 256 * KIB, N_ ("a claim") },
  /* The descriptions of a thousand presets. */
  [NS_FILE_INDEX] = { 1 * MIB, N_ ("a list of presets or settings") },
  /* As much as one experiment with the longest text: few steps have a text as data. */
  [NS_FILE_LECTURE] = { 6 * (gsize) NS_MAX_TEXT_BYTES + 4 * MIB, N_ ("a lecture") },
  /* A million ids in decimal. */
  [NS_FILE_IDS] = { NS_MAX_TEXT_BYTES, N_ ("ids of tokens") },
  /* The names of the tensors of the largest models have some megabytes. */
  [NS_FILE_SHARDS] = { 6 * (gsize) NS_MAX_TEXT_BYTES + 4 * MIB, N_ ("an index of shards") },
};

gsize
ns_file_get_max_bytes (NsFileKind kind)
{
  return limits[kind].max_bytes;
}

gboolean
ns_file_check_size (const char *name, guint64 length, NsFileKind kind, GError **error)
{
  gsize max_bytes = limits[kind].max_bytes;
  g_autofree char *shown = NULL;

  if (length <= max_bytes)
    return TRUE;
  shown = ns_text_dup_short (name, NS_TEXT_MAX_PATH);
  /* Translators: a file, a number, "MiB" or "KiB", the contents: "an experiment" */
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("%s is too large; allowed: up to %zu %s for %s"),
               shown, max_bytes >= MIB ? max_bytes / MIB : max_bytes / KIB, max_bytes >= MIB ? "MiB" : "KiB",
               _ (limits[kind].title));
  return FALSE;
}

/* Return the kind of an experiment's source by its first bytes. A config is JSON, like an experiment; the limit for
 * configs applies when the reader has found that it is one. */
static NsFileKind
find_kind (const guint8 *head, gsize length)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (head, length);
  const char *text = ns_file_skip_bom ((const char *) head, &length);

  while (length > 0 && g_ascii_isspace (*text))
    {
      text++;
      length--;
    }
  if (ns_provenance_is_picture (bytes))
    return NS_FILE_PICTURE;
  return length >= strlen (NS_LINK_SCHEME) && memcmp (text, NS_LINK_SCHEME, strlen (NS_LINK_SCHEME)) == 0
             ? NS_FILE_LINK
             : NS_FILE_EXPERIMENT;
}

/* ---- opening ---- */

static void
set_read_error (GError **error, const char *name, const char *cause)
{
  g_autofree char *shown = ns_text_dup_short (name, NS_TEXT_MAX_PATH);
  /* GIO's causes can contain the name once more. */
  g_autofree char *why = ns_text_dup_short (cause, NS_TEXT_MAX_PATH);

  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("%s cannot be read: %s"), shown, why);
}

/* Return a clause about a file that is not regular, or NULL. */
static const char *
find_obstacle (mode_t mode)
{
  if (S_ISREG (mode))
    return NULL;
  if (S_ISDIR (mode))
    return _ ("it is a folder");
  if (S_ISFIFO (mode))
    return _ ("it is a named pipe; allowed: a regular file");
  if (S_ISSOCK (mode))
    return _ ("it is a socket; allowed: a regular file");
  return _ ("it is a device; allowed: a regular file");
}

const char *
ns_file_find_obstacle (const char *path)
{
  struct stat info;

  return stat (path, &info) == 0 ? find_obstacle (info.st_mode) : NULL;
}

gboolean
ns_file_is_given_pipe (const char *path)
{
  struct stat info;

  return (g_str_has_prefix (path, "/dev/fd/") || g_str_has_prefix (path, "/proc/self/fd/"))
         && stat (path, &info) == 0 && S_ISFIFO (info.st_mode);
}

/* Open a regular file without blocking, or, with `pipes`, a pipe that was given to this process. Look first, since
 * merely opening a device can have effects, and opening a pipe wakes its writer; look again, since the name may mean
 * another file by then. Return -1 and *cause if it cannot be opened. */
static int
open_regular (const char *path, gboolean pipes, goffset *size, const char **cause)
{
  gboolean is_pipe = pipes && ns_file_is_given_pipe (path);
  struct stat info;
  int fd;

  *cause = is_pipe ? NULL : ns_file_find_obstacle (path);
  if (*cause != NULL)
    return -1;
  fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (is_pipe ? 0 : O_NONBLOCK));
  if (fd < 0 || fstat (fd, &info) != 0)
    *cause = g_strerror (errno);
  else
    *cause = is_pipe && S_ISFIFO (info.st_mode) ? NULL : find_obstacle (info.st_mode);
  if (*cause == NULL)
    {
      *size = info.st_size;
      return fd;
    }
  if (fd >= 0)
    close (fd);
  return -1;
}

/* ---- reading ---- */

typedef struct
{
  const char *name;
  NsFileKind kind;
  goffset size;    /* as the system reports it; 0 for a stream */
  int fd;          /* or -1 */
  GInputStream *stream;
  GCancellable *cancellable;
} Source;

/* Return the number of bytes, 0 at the end, or -1. */
static gssize
read_some (const Source *source, guint8 *chunk, GError **error)
{
  for (;;)
    {
      gssize n;
      int cause;

      if (source->stream != NULL)
        return g_input_stream_read (source->stream, chunk, READ_BYTES, source->cancellable, error);
      if (g_cancellable_set_error_if_cancelled (source->cancellable, error))
        return -1;
      n = read (source->fd, chunk, READ_BYTES);
      cause = errno;
      if (n >= 0)
        return n;
      if (cause == EINTR)
        continue;
      g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (cause), g_strerror (cause));
      return -1;
    }
}

/* Count the bytes while reading, since the reported size can be wrong: a file grows, and those in /proc have size 0. */
static GBytes *
read_limited (Source *source, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) cause = NULL;
  g_autofree guint8 *chunk = g_malloc (READ_BYTES);

  for (;;)
    {
      gssize n = read_some (source, chunk, &cause);
      NsFileKind kind;

      if (n < 0)
        {
          set_read_error (error, source->name, cause->message);
          return NULL;
        }
      if (n == 0)
        return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
      g_byte_array_append (bytes, chunk, (guint) n);
      kind = source->kind == NS_FILE_ANY ? find_kind (bytes->data, MIN (bytes->len, READ_BYTES)) : source->kind;
      if (!ns_file_check_size (source->name, MAX ((guint64) source->size, bytes->len), kind, error))
        return NULL;
    }
}

static GBytes *
read_path (const char *path, NsFileKind kind, GCancellable *cancellable, GError **error)
{
  Source source = { .name = path, .kind = kind, .cancellable = cancellable };
  const char *cause;
  GBytes *bytes;

  source.fd = open_regular (path, cancellable == NULL, &source.size, &cause);
  if (source.fd < 0)
    {
      set_read_error (error, path, cause);
      return NULL;
    }
  bytes = read_limited (&source, error);
  close (source.fd);
  return bytes;
}

/* Read a file that only GIO can open, for example by sftp. */
static GBytes *
read_remote (GFile *file, NsFileKind kind, GCancellable *cancellable, GError **error)
{
  g_autofree char *uri = g_file_get_uri (file);
  g_autoptr (GError) cause = NULL;
  g_autoptr (GFileInfo) info
    = g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_TYPE "," G_FILE_ATTRIBUTE_STANDARD_SIZE,
                         G_FILE_QUERY_INFO_NONE, cancellable, &cause);
  g_autoptr (GFileInputStream) stream = NULL;
  Source source = { .name = uri, .kind = kind, .fd = -1, .cancellable = cancellable };

  if (info != NULL && g_file_info_get_file_type (info) == G_FILE_TYPE_DIRECTORY)
    {
      set_read_error (error, uri, _ ("it is a folder"));
      return NULL;
    }
  if (info != NULL && g_file_info_get_file_type (info) == G_FILE_TYPE_SPECIAL)
    {
      set_read_error (error, uri, _ ("it is a device; allowed: a regular file"));
      return NULL;
    }
  stream = info != NULL ? g_file_read (file, cancellable, &cause) : NULL;
  if (stream == NULL)
    {
      set_read_error (error, uri, cause->message);
      return NULL;
    }
  source.size = g_file_info_get_size (info);
  source.stream = G_INPUT_STREAM (stream);
  return read_limited (&source, error);
}

GBytes *
ns_file_read (GFile *file, NsFileKind kind, GCancellable *cancellable, GError **error)
{
  g_autofree char *path = g_file_get_path (file);

  return path != NULL ? read_path (path, kind, cancellable, error) : read_remote (file, kind, cancellable, error);
}

GBytes *
ns_file_read_path (const char *path, NsFileKind kind, GError **error)
{
  return read_path (path, kind, NULL, error);
}

int
ns_file_open_regular (const char *path, GError **error)
{
  const char *cause;
  goffset size;
  int fd = open_regular (path, FALSE, &size, &cause);

  if (fd < 0)
    set_read_error (error, path, cause);
  return fd;
}

GBytes *
ns_file_read_whole (int fd, const char *name, GError **error)
{
  struct stat info;
  g_autofree guint8 *data = NULL;
  gsize length = 0;
  gssize n = 1;

  if (fstat (fd, &info) != 0)
    n = -1;
  else if ((data = ns_memory_try_new (guint8, (guint64) info.st_size + 1)) == NULL)
    {
      errno = ENOMEM;
      n = -1;
    }
  while (n > 0 && length < (gsize) info.st_size)
    {
      n = pread (fd, data + length, (gsize) info.st_size - length, (off_t) length);
      if (n < 0 && errno == EINTR)
        n = 1;
      else
        length += n > 0 ? (gsize) n : 0;
    }
  if (n >= 0)
    return g_bytes_new_take (g_steal_pointer (&data), length);
  set_read_error (error, name, g_strerror (errno));
  return NULL;
}

GBytes *
ns_file_read_standard_input (NsFileKind kind, GCancellable *cancellable, GError **error)
{
  Source source
    = { .name = _ ("standard input"), .kind = kind, .fd = STDIN_FILENO, .cancellable = cancellable };
  struct stat info;

  if (fstat (source.fd, &info) == 0 && S_ISREG (info.st_mode))
    source.size = info.st_size;
  return read_limited (&source, error);
}

/* ---- text ---- */

const char *
ns_file_skip_bom (const char *data, gsize *length)
{
  if (*length < 3 || memcmp (data, "\357\273\277", 3) != 0)
    return data != NULL ? data : "";
  *length -= 3;
  return data + 3;
}

char *
ns_file_read_text (GFile *file, GCancellable *cancellable, GError **error)
{
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *uri = path == NULL ? g_file_get_uri (file) : NULL;
  g_autofree char *name = ns_text_dup_short (path != NULL ? path : uri, NS_TEXT_MAX_PATH);
  g_autoptr (GBytes) bytes = ns_file_read (file, NS_FILE_TEXT, cancellable, error);
  const char *text, *end;
  gsize length;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  text = ns_file_skip_bom (text, &length);
  if (length == 0)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("%s is empty; allowed: text in UTF-8"), name);
      return NULL;
    }
  if (!g_utf8_validate_len (text, length, &end))
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s is not text in UTF-8: byte %zu is 0x%02x"), name, (gsize) (end - text) + 1, (guint8) *end);
      return NULL;
    }
  return g_strndup (text, length);
}
