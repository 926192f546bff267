/* "Export Figure": how a picture is to be, with a preview, and the file it goes to.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figure is that of the moment the dialog was opened. What cannot be made or written is told in the dialog, which
 * stays open; a file that was there stays as it was. A large picture takes seconds, in which the dialog shows that it
 * works and can be closed, which ends it.
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/shared/normscope-picture.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_EXPORT_DIALOG (normscope_export_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeExportDialog, normscope_export_dialog, NORMSCOPE, EXPORT_DIALOG, AdwWindow)

/* Takes the picture with title and caption, and the one without; `name` is suggested for the file. */
NormscopeExportDialog *normscope_export_dialog_new (GtkWindow *parent, NormscopePicture *titled,
                                                    NormscopePicture *plain, const char *name);

/* As chosen: what goes to the file. The picture is borrowed. */
const NormscopePicture *normscope_export_dialog_get_picture (NormscopeExportDialog *self, NsExportFormat format,
                                                             NormscopePictureStyle *style);

/* On the main thread, once: the file is written, or `error` (borrowed) says why nothing was. */
typedef void (*NormscopeSavedFunc) (NormscopeExportDialog *self, const GError *error, gpointer data);

/* Draws and writes it as chosen now, on another thread, in the format of the name's extension. `saved` is called before
 * this returns when it cannot be written at all, and never when the dialog goes before: then the file is as it was, or
 * whole and new. */
void normscope_export_dialog_save_to (NormscopeExportDialog *self, GFile *file, NormscopeSavedFunc saved,
                                      gpointer data);

G_END_DECLS
