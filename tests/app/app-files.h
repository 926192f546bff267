/* Files in a test: where they go, what is in them, and what the command makes of the same.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* This run's own, where no user keeps anything; app_test_run() removes it at the end, with all that is in it. */
const char *app_get_folder (void);
/* Of that name in it, whether there is one or not; caller owns them. */
char *app_dup_path (const char *name);
GFile *app_new_file (const char *name);

/* Fails when it cannot be read. */
GBytes *app_read_file (const char *path);
/* And folders; not those in them. */
guint app_count_files (const char *folder);

/* normscope-cli with these words, NULL-terminated; fails unless it ends well and says nothing on standard error. */
void app_run_command (const char *const *words);

G_END_DECLS
