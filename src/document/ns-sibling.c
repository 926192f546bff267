/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-sibling.h"

#include "document/ns-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdatomic.h>
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

/* Return whether the path still names the open file. */
static gboolean
is_at (int fd, const char *path)
{
  GStatBuf here, there;

  return fstat (fd, &here) != 0 || (g_stat (path, &there) == 0 && here.st_ino == there.st_ino);
}

/* A network file system locks a file only for one that may write it. Between opening and locking, the writer may have
 * given the file its last name, and another have made a file of the same name. */
int
ns_sibling_lock (const char *path)
{
  static const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int fd = g_open (path, O_RDWR | flags, 0), reason;

  if (fd < 0)
    fd = g_open (path, O_RDONLY | flags, 0);
  if (fd < 0)
    return -1;
  if (flock (fd, LOCK_EX | LOCK_NB) == 0 && is_at (fd, path))
    return fd;
  reason = errno;
  close (fd);
  errno = reason;
  return -1;
}

/* Remove the sibling if no process has it locked; return TRUE if one has. Nothing is removed on a file system without
 * locks. */
static gboolean
remove_if_abandoned (const char *path)
{
  int fd;

  errno = 0;
  fd = ns_sibling_lock (path);
  if (fd < 0)
    return errno == EWOULDBLOCK;
  ns_file_remove_tree (path);
  close (fd);
  return FALSE;
}

gboolean
ns_sibling_remove_abandoned (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *prefix = dup_prefix (path);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  gboolean others = FALSE;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (is_sibling (name, prefix))
      {
        g_autofree char *sibling = g_build_filename (folder, name, NULL);

        others = remove_if_abandoned (sibling) || others;
      }
  if (others)
    errno = EWOULDBLOCK;
  return others;
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
  /* Another process took it for abandoned, and removed it: its name is as good as taken. */
  errno = cause == ENOENT ? EEXIST : cause;
  return fd;
}

/* Lock a new sibling. Return FALSE if another process took it for abandoned before the lock, and removed it. */
static gboolean
lock_file (int fd, const char *sibling)
{
  while (flock (fd, LOCK_EX) != 0 && errno == EINTR)
    ;
  return is_at (fd, sibling);
}

/* ---- the list of unfinished outputs ---- */

#define MAX_UNFINISHED 64

static _Atomic (char *) unfinished[MAX_UNFINISHED];

/* Note a path before it exists, so that a signal in between leaves nothing. Return -1 and errno if the list is full. */
static int
note (const char *path)
{
  char *copy = g_strdup (path);

  for (int i = 0; i < MAX_UNFINISHED; i++)
    {
      char *none = NULL;

      if (atomic_compare_exchange_strong (&unfinished[i], &none, copy))
        return i;
    }
  g_free (copy);
  errno = EMFILE;
  return -1;
}

static void
forget (int number)
{
  int cause = errno;
  char *path = atomic_exchange (&unfinished[number], NULL);

  while (path == NULL) /* ns_sibling_remove_unfinished() has it */
    pause ();
  g_free (path);
  errno = cause;
}

void
ns_sibling_remove_unfinished (void)
{
  for (int i = 0; i < MAX_UNFINISHED; i++)
    {
      const char *path = atomic_exchange (&unfinished[i], NULL); /* not freed: a handler must not */

      /* another thread may still be adding files to a folder */
      for (int tries = 0; path != NULL && tries < MAX_TRIES && g_file_test (path, G_FILE_TEST_EXISTS); tries++)
        ns_file_remove_tree (path);
    }
}

/* ---- one output ---- */

gboolean
ns_sibling_create (const char *path, NsSiblingKind kind, int mode, NsSibling *sibling)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *prefix = dup_prefix (path);

  ns_sibling_remove_abandoned (path);
  for (int tries = 0; tries < MAX_TRIES; tries++)
    {
      g_autofree char *name = g_strdup_printf ("%s%0*x", prefix, RANDOM_DIGITS, g_random_int () & 0xffffff);
      g_autofree char *made = g_build_filename (folder, name, NULL);
      int number = note (made), fd;

      if (number < 0)
        return FALSE;
      fd = create (made, kind, mode);
      if (fd >= 0 && lock_file (fd, made))
        {
          *sibling = (NsSibling){ g_steal_pointer (&made), fd, number };
          return TRUE;
        }
      forget (number);
      if (fd >= 0)
        close (fd);
      else if (errno != EEXIST)
        return FALSE;
    }
  errno = EEXIST;
  return FALSE;
}

/* Of two processes that look and create at once, the lock of the folder lets one be the first. */
gboolean
ns_sibling_reserve (const char *path, NsSibling *sibling)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = g_open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), cause;
  gboolean is_made;

  if (fd < 0)
    return FALSE;
  while (flock (fd, LOCK_EX) != 0 && errno == EINTR)
    ;
  is_made = !ns_sibling_remove_abandoned (path) && ns_sibling_create (path, NS_SIBLING_FILE, 0666, sibling);
  cause = errno;
  close (fd);
  errno = cause;
  return is_made;
}

void
ns_sibling_release (NsSibling *sibling)
{
  if (sibling->path == NULL)
    return;
  g_unlink (sibling->path);
  ns_sibling_end (sibling);
}

void
ns_sibling_keep (NsSibling *sibling)
{
  forget (sibling->note);
  sibling->note = -1;
}

void
ns_sibling_end (NsSibling *sibling)
{
  if (sibling->note >= 0)
    forget (sibling->note);
  close (sibling->fd);
  g_free (sibling->path);
  *sibling = (NsSibling){ NULL, -1, -1 };
}
