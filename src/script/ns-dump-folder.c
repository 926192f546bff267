/* The folder of a dump: it appears under its name when it is complete.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "script/ns-dump-folder.h"

#include "document/ns-file.h"
#include "engine/experiment/ns-text.h"
#include "script/ns-torch-script.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Maximum nesting of folders: DIR/trained/encoder/block001. */
#define MAX_LEVELS 4
/* Other processes can change the target or the sibling between two steps; each try means that one of them advanced. */
#define MAX_TRIES 1000

gboolean
ns_dump_folder_refuse (GError **error, const char *path, const char *cause)
{
  g_autofree char *shown = ns_text_dup_short (path, NS_TEXT_MAX_PATH);

  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT, _ ("%s cannot be written: %s"), shown, cause);
  return FALSE;
}

/* ---- checking the folder ---- */

static gboolean
is_dump_folder (const char *name)
{
  static const char *const names[] = { "head", "encoder", "decoder", "probes", "input", "batches", "trained", NULL };

  return g_str_has_prefix (name, "block") || g_strv_contains (names, name);
}

static gboolean
is_dump_file (const char *name)
{
  return strcmp (name, "experiment.json") == 0 || strcmp (name, "result.json") == 0
         || strcmp (name, NS_TORCH_SCRIPT_NAME) == 0;
}

/* Return TRUE if the folder contains only files and folders that a dump can have. */
static gboolean
holds_dump_only (const char *path, int level)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  if (dir == NULL)
    return FALSE;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      gboolean is_folder = g_file_test (child, G_FILE_TEST_IS_DIR);

      if (g_file_test (child, G_FILE_TEST_IS_SYMLINK))
        return FALSE;
      if (is_folder && (!is_dump_folder (name) || level == MAX_LEVELS || !holds_dump_only (child, level + 1)))
        return FALSE;
      if (!is_folder && !g_str_has_suffix (name, ".npy") && (level > 1 || !is_dump_file (name)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_empty_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  return dir != NULL && g_dir_read_name (dir) == NULL;
}

static gboolean
is_earlier_dump (const char *path)
{
  g_autofree char *experiment = g_build_filename (path, "experiment.json", NULL);
  g_autofree char *input = g_build_filename (path, "x0.npy", NULL);

  return g_file_test (experiment, G_FILE_TEST_IS_REGULAR) && g_file_test (input, G_FILE_TEST_IS_REGULAR)
         && holds_dump_only (path, 1);
}

const NsFolderContents ns_dump_contents = {
  .is_earlier = is_earlier_dump,
  .refusal = N_ ("the folder contains files that are not part of a dump; allowed: a new name, an empty folder or an "
                 "earlier dump"),
};

/* Numbers of inodes are used again; the time of the change tells such folders apart. */
static gboolean
is_same_folder (const GStatBuf *a, const GStatBuf *b)
{
  return a->st_ino == b->st_ino && a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Another process can exchange the folder while its files are looked at: look again. */
static gboolean
may_replace (const char *path, const NsFolderContents *contents)
{
  for (int tries = 0; tries < MAX_TRIES; tries++)
    {
      GStatBuf before, after;

      if (g_stat (path, &before) != 0 || is_empty_folder (path) || contents->is_earlier (path))
        return TRUE;
      if (g_stat (path, &after) == 0 && is_same_folder (&before, &after))
        return FALSE;
    }
  return FALSE;
}

/* Resolve "..", a trailing slash and symbolic links, so the temporary sibling goes into the parent of the real
 * folder. */
static char *
dup_absolute (const char *directory)
{
  g_autofree char *path = g_canonicalize_filename (directory, NULL);

  for (int hops = 0; hops < 40 && g_file_test (path, G_FILE_TEST_IS_SYMLINK); hops++)
    {
      g_autofree char *link = g_file_read_link (path, NULL);
      g_autofree char *parent = g_path_get_dirname (path);

      if (link == NULL)
        break;
      g_free (path);
      path = g_canonicalize_filename (link, parent);
    }
  return g_steal_pointer (&path);
}

gboolean
ns_dump_folder_check (const char *directory, const NsFolderContents *contents, GError **error)
{
  g_autofree char *path = dup_absolute (directory);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *obstacle = NULL;

  if (*directory == '\0')
    return ns_dump_folder_refuse (error, "“”", _ ("the folder name is empty"));
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_DIR))
    return ns_dump_folder_refuse (error, directory, g_strerror (ENOTDIR));
  if (g_file_test (path, G_FILE_TEST_IS_DIR) && !may_replace (path, contents))
    return ns_dump_folder_refuse (error, directory, _ (contents->refusal));
  obstacle = ns_file_dup_folder_obstacle (parent);
  return obstacle == NULL || ns_dump_folder_refuse (error, directory, obstacle);
}

/* ---- the sibling ---- */

gboolean
ns_dump_folder_open (NsDumpFolder *folder, const char *directory, const NsFolderContents *contents, GError **error)
{
  *folder = (NsDumpFolder) { .contents = contents };
  if (!ns_dump_folder_check (directory, contents, error))
    return FALSE;
  folder->target = dup_absolute (directory);
  return ns_sibling_create (folder->target, NS_SIBLING_FOLDER, 0777, &folder->sibling)
         || ns_dump_folder_refuse (error, directory, g_strerror (errno));
}

void
ns_dump_folder_clear (NsDumpFolder *folder)
{
  if (folder->sibling.path != NULL && !folder->is_published)
    ns_file_remove_tree (folder->sibling.path);
  if (folder->sibling.path != NULL)
    ns_sibling_end (&folder->sibling);
  g_clear_pointer (&folder->target, g_free);
}

/* ---- publishing ---- */

/* Move an earlier folder aside, the sibling to its place, and remove the earlier one: for a file system without the
 * exchange. Return 0 or the cause. */
static int
replace_in_steps (const char *from, const char *to)
{
  NsSibling aside;
  int cause;

  if (g_rename (from, to) == 0)
    return 0;
  if (errno != EEXIST && errno != ENOTEMPTY)
    return errno;
  if (!ns_sibling_create (to, NS_SIBLING_FOLDER, 0777, &aside))
    return errno;
  ns_sibling_keep (&aside);
  cause = g_rename (to, aside.path) == 0 && g_rename (from, to) == 0 ? 0 : errno;
  /* If another process has filled the place meanwhile, its dump stays. */
  if (cause == 0 || g_rename (aside.path, to) != 0)
    ns_file_remove_tree (aside.path);
  ns_sibling_end (&aside);
  return cause;
}

/* Move the sibling to the target, or exchange the two. Return 0 or the cause. */
static int
move_to_target (const char *from, const char *to, gboolean *exchanged)
{
  *exchanged = FALSE;
#ifdef RENAME_EXCHANGE
  if (renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno == EEXIST && renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
    {
      *exchanged = TRUE;
      return 0;
    }
  if (errno != EINVAL && errno != ENOSYS)
    return errno;
#endif
  return replace_in_steps (from, to);
}

gboolean
ns_dump_folder_publish (NsDumpFolder *folder, GError **error)
{
  const char *path = folder->sibling.path;
  int cause = 0;

  ns_sibling_keep (&folder->sibling);
  for (int tries = 0; tries < MAX_TRIES; tries++)
    {
      gboolean exchanged;

      /* The target can have changed during the run. */
      if (g_file_test (folder->target, G_FILE_TEST_EXISTS) && !may_replace (folder->target, folder->contents))
        return ns_dump_folder_refuse (error, folder->target, _ (folder->contents->refusal));
      cause = move_to_target (path, folder->target, &exchanged);
      /* The target came or went between the steps. */
      if (cause == ENOENT || cause == EEXIST || cause == ENOTEMPTY)
        continue;
      if (cause != 0)
        break;
      folder->is_published = TRUE;
      if (exchanged)
        ns_file_remove_tree (path);
      return TRUE;
    }
  return ns_dump_folder_refuse (error, folder->target, g_strerror (cause));
}
