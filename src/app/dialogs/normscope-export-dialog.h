/* The dialog "Export Figure": choose size and look with a preview, then the file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The dialog exports the figure it was opened with. Errors are shown in the dialog, which stays open; an existing file
 * is then unchanged. A large picture takes seconds; meanwhile the dialog shows a spinner, and closing it cancels the
 * export.
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/shared/normscope-picture.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_EXPORT_DIALOG (normscope_export_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeExportDialog, normscope_export_dialog, NORMSCOPE, EXPORT_DIALOG, AdwWindow)

/* Takes the picture with title and caption, and the one without. `name` is the suggested file name, without its
 * extension. */
NormscopeExportDialog *normscope_export_dialog_new (GtkWindow *parent, NormscopePicture *titled,
                                                    NormscopePicture *plain, const char *name);

/* Return the picture to export (borrowed) and its style, as currently chosen. */
NormscopePicture *normscope_export_dialog_get_picture (NormscopeExportDialog *self, NsExportFormat format,
                                                       NormscopePictureStyle *style);

/* Called once on the main thread: the file is written, or `error` (borrowed) says why not. */
typedef void (*NormscopeSavedFunc) (NormscopeExportDialog *self, const GError *error, gpointer data);

/* Draw the picture as currently chosen and write it in the format of the file's extension, on a worker thread. `saved`
 * is called before this returns if the file cannot be written at all, and never if the dialog is closed first: the file
 * is then unchanged or complete. */
void normscope_export_dialog_save_to (NormscopeExportDialog *self, GFile *file, NormscopeSavedFunc saved,
                                      gpointer data);

G_END_DECLS
