/* Files in tests: a temporary folder, contents, and files made by normscope-cli.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Return the folder for files of this run; app_test_run() removes it. */
const char *app_get_folder (void);
/* Return the path or the file of a name in that folder. It need not exist; the caller owns the result. */
char *app_dup_path (const char *name);
GFile *app_new_file (const char *name);

/* Return the contents of a file. Fail if it cannot be read. */
GBytes *app_read_file (const char *path);
/* Count the files and folders in a folder, not recursively. */
guint app_count_files (const char *folder);

/* Run normscope-cli with NULL-terminated arguments. Fail unless it exits with 0 and prints nothing to stderr. */
void app_run_command (const char *const *words);

G_END_DECLS
