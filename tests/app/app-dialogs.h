/* Opening and answering the program's dialogs in a test.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-fixture.h"
#include "app/dialogs/normscope-export-dialog.h"

G_BEGIN_DECLS

/* The mapped toplevel of this type; fails when none comes. Borrowed. */
GtkWidget *app_wait_for_dialog (GType type);

/* Clicks a button of the question that is up, or comes up. */
void app_answer (const char *button);

/* Chooses a file of a folder in the chooser that is up, or comes up: one that exists, or a name to save under. */
void app_choose (const char *folder, const char *name);

NormscopeExportDialog *app_open_export_dialog (Fixture *fixture);

/* A picture on its way to its file. */
typedef struct
{
  gboolean is_over;
  GError *error; /* or NULL */
} AppSaving;

/* Returns at once; the other one waits, and fails when it takes too long. */
void app_begin_to_save (NormscopeExportDialog *dialog, GFile *file, AppSaving *saving);
void app_wait_until_saved (AppSaving *saving);
/* Both. */
gboolean app_save_to (NormscopeExportDialog *dialog, GFile *file, GError **error);

G_END_DECLS
