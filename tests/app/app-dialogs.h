/* Open and answer dialogs in tests.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-widgets.h"
#include "app/dialogs/normscope-export-dialog.h"

G_BEGIN_DECLS

/* Wait for a mapped toplevel of this type and return it, borrowed. Fail on timeout. */
GtkWidget *app_wait_for_dialog (GType type);

/* Return TRUE if a dialog of a type is mapped. */
gboolean app_has_dialog (GType type);
/* Wait for a message dialog and click one of its buttons. */
void app_answer_question (const char *button);

/* Wait for a file chooser and choose a file of a folder: an existing one, or a name to save to. */
void app_choose_file (const char *folder, const char *name);

/* Drop a file on the window. Fail unless the window takes it. */
void app_drop_file (Fixture *fixture, GFile *file);

NormscopeExportDialog *app_open_export_dialog (Fixture *fixture);

/* State of an asynchronous export. */
typedef struct
{
  gboolean is_over;
  GError *error; /* or NULL */
} AppSave;

/* Start an export without waiting, and wait for its end; the latter fails on timeout. */
void app_start_save (NormscopeExportDialog *dialog, GFile *file, AppSave *saving);
void app_wait_for_save (AppSave *saving);
/* Export and wait. */
gboolean app_save_to (NormscopeExportDialog *dialog, GFile *file, GError **error);

G_END_DECLS
