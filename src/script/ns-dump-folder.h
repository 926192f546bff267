/* The folder of a dump, or of another output of many files: it appears under its name when it is complete.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A dump is written into a hidden sibling (ns-sibling.h), whose lock tells other processes that it is in use.
 * Publishing exchanges the sibling with an earlier dump in one step, so any number of processes can write to one name,
 * and a reader finds one of their dumps there at any time. The next dump of that name removes what a killed process
 * left.
 * Threads: any; a folder belongs to one thread.
 */
#pragma once

#include "document/ns-sibling.h"

G_BEGIN_DECLS

/* What a folder may hold so that an output replaces it. */
typedef struct
{
  gboolean (*is_earlier) (const char *path); /* TRUE if the folder is an earlier output of the same kind */
  const char *refusal;                       /* why any other folder stays, N_() marked */
} NsFolderContents;

/* A dump. */
extern const NsFolderContents ns_dump_contents;

typedef struct
{
  const NsFolderContents *contents;
  char *target;      /* absolute, symbolic links resolved */
  NsSibling sibling; /* the folder to write into */
  gboolean is_published;
} NsDumpFolder;

/* Check that the folder can be written: it does not exist, is empty or holds an earlier output. Otherwise
 * NS_DOCUMENT_ERROR_OUTPUT. */
gboolean ns_dump_folder_check (const char *directory, const NsFolderContents *contents, GError **error);

/* Check the folder, remove what killed processes left of its name, and create the sibling. Clear it in any case. */
gboolean ns_dump_folder_open (NsDumpFolder *folder, const char *directory, const NsFolderContents *contents,
                              GError **error);
/* Move the complete sibling to the target. An earlier dump there is removed; any other folder stays, with an error. */
gboolean ns_dump_folder_publish (NsDumpFolder *folder, GError **error);
/* Remove the sibling unless it was published. */
void ns_dump_folder_clear (NsDumpFolder *folder);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsDumpFolder, ns_dump_folder_clear)

/* Set an NS_DOCUMENT_ERROR_OUTPUT for the path and return FALSE. */
gboolean ns_dump_folder_refuse (GError **error, const char *path, const char *cause);

G_END_DECLS
