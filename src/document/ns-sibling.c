/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-sibling.h"

#include "document/ns-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define RANDOM_DIGITS 6
#define MAX_TRIES 100

/* Return ".NAME.normscope-" for the name of the path; caller frees. Truncate the name, so that the additions keep it
 * within the system's limit. */
static char *
dup_prefix (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);

  return g_strdup_printf (".%.*s.normscope-", 64, base);
}

static gboolean
is_sibling (const char *name, const char *prefix)
{
  return g_str_has_prefix (name, prefix) && strlen (name) == strlen (prefix) + RANDOM_DIGITS;
}

/* Remove the sibling if no process has it locked. Nothing is removed on a file system without locks. */
static void
remove_if_abandoned (const char *path)
{
  int fd = g_open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);

  if (fd < 0)
    return;
  if (flock (fd, LOCK_EX | LOCK_NB) == 0)
    ns_file_remove_tree (path);
  close (fd);
}

void
ns_sibling_remove_abandoned (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *prefix = dup_prefix (path);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (is_sibling (name, prefix))
      {
        g_autofree char *sibling = g_build_filename (folder, name, NULL);

        remove_if_abandoned (sibling);
      }
}

static int
create (const char *sibling, NsSiblingKind kind, int mode)
{
  int fd, cause;

  if (kind == NS_SIBLING_FILE)
    return g_open (sibling, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (g_mkdir (sibling, mode) != 0)
    return -1;
  fd = g_open (sibling, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  cause = errno;
  if (fd < 0)
    g_rmdir (sibling);
  errno = cause;
  return fd;
}

/* Lock a new sibling. Return FALSE if another process took it for abandoned before the lock, and removed it. */
static gboolean
lock (int fd, const char *sibling)
{
  GStatBuf here, there;

  while (flock (fd, LOCK_EX) != 0 && errno == EINTR)
    ;
  return fstat (fd, &here) != 0 || (g_stat (sibling, &there) == 0 && here.st_ino == there.st_ino);
}

int
ns_sibling_create (const char *path, NsSiblingKind kind, int mode, char **sibling)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *prefix = dup_prefix (path);

  ns_sibling_remove_abandoned (path);
  for (int tries = 0; tries < MAX_TRIES; tries++)
    {
      g_autofree char *name = g_strdup_printf ("%s%0*x", prefix, RANDOM_DIGITS, g_random_int () & 0xffffff);
      g_autofree char *made = g_build_filename (folder, name, NULL);
      int fd = create (made, kind, mode);

      if (fd >= 0 && lock (fd, made))
        {
          *sibling = g_steal_pointer (&made);
          return fd;
        }
      if (fd >= 0)
        close (fd);
      else if (errno != EEXIST)
        return -1;
    }
  errno = EEXIST;
  return -1;
}
