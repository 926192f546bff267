/* Unfinished outputs: a hidden file or folder next to the output, renamed to it when it is complete.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The name is ".NAME.normscope-" and six random characters. The descriptor has a lock (flock) while its writer lives,
 * so a later writer of the same output can remove what a killed one left and nothing else. A program that ends by
 * choice, on SIGINT or SIGTERM, removes all its own.
 * Threads: any; all share one list of unfinished outputs.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  NS_SIBLING_FILE,
  NS_SIBLING_FOLDER,
} NsSiblingKind;

typedef struct
{
  char *path;
  int fd; /* open for reading and writing (for a folder: reading); holds the lock */
  int note;
} NsSibling;

/* Remove the siblings of `path` whose writers are gone, and create one with the mode (less the umask). Return FALSE and
 * errno on failure. Call ns_sibling_end() once it is renamed or removed. Blocks. */
gboolean ns_sibling_create (const char *path, NsSiblingKind kind, int mode, NsSibling *sibling);
/* The same, to keep other processes from writing to the path, which may not exist yet, until the sibling is removed.
 * FALSE and EWOULDBLOCK if another process has a sibling of it. */
gboolean ns_sibling_reserve (const char *path, NsSibling *sibling);
/* Remove such a sibling, and end it. */
void ns_sibling_release (NsSibling *sibling);
/* Call it before renaming a folder: ns_sibling_remove_unfinished() no longer removes it. Does not return once that
 * function has begun in another thread, since the program ends. */
void ns_sibling_keep (NsSibling *sibling);
/* Close the descriptor and forget the sibling. Does not return either in that case. */
void ns_sibling_end (NsSibling *sibling);
/* Remove the siblings that exist in this process. The program must end at once. A signal's handler may call it while no
 * folder is among them. */
void ns_sibling_remove_unfinished (void);

/* Lock a file or a folder whose writer is gone: return a descriptor that holds the lock while it is open, or -1; then
 * errno is EWOULDBLOCK if another one holds it, also on another machine that shares the file system. On a file system
 * without locks it is always -1. */
int ns_sibling_lock (const char *path);

/* Remove the siblings of `path` whose writers are gone, files and folders with all their contents. Return TRUE and
 * EWOULDBLOCK if there are others. Blocks. */
gboolean ns_sibling_remove_abandoned (const char *path);

G_END_DECLS
