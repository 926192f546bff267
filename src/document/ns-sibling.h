/* Unfinished outputs: a hidden file or folder next to the output, renamed to it when it is complete.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The name is ".NAME.normscope-XXXXXX". The descriptor has a lock (flock) while its writer lives, so a later writer of
 * the same output can remove what a killed one left and nothing else.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  NS_SIBLING_FILE,
  NS_SIBLING_FOLDER,
} NsSiblingKind;

/* Remove the siblings of `path` whose writers are gone, and create one with the mode (less the umask). Return its
 * descriptor, open for reading and writing (for a folder: reading), and its path in *sibling, which the caller frees;
 * or -1 and errno. Close the descriptor only after renaming or removing the sibling. Blocks. */
int ns_sibling_create (const char *path, NsSiblingKind kind, int mode, char **sibling);

/* Remove the siblings of `path` whose writers are gone, files and folders with all their contents. Blocks. */
void ns_sibling_remove_abandoned (const char *path);

G_END_DECLS
