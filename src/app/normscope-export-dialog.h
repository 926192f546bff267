/* "Export Figure": how a picture is to be, with a preview, and the file it goes to.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figure is that of the moment the dialog was opened. What cannot be made or written is told in the dialog, which
 * stays open; a file that was there stays as it was.
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/normscope-picture.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_EXPORT_DIALOG (normscope_export_dialog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeExportDialog, normscope_export_dialog, NORMSCOPE, EXPORT_DIALOG, AdwWindow)

/* Takes the picture with title and caption, and the one without; `name` is suggested for the file. */
NormscopeExportDialog *normscope_export_dialog_new (GtkWindow *parent, NormscopePicture *titled,
                                                    NormscopePicture *plain, const char *name);

/* As chosen: what goes to the file. The picture is borrowed. */
const NormscopePicture *normscope_export_dialog_get_picture (NormscopeExportDialog *self, NsExportFormat format,
                                                             NormscopePictureStyle *style);

/* The format is that of the name's extension. FALSE with an error: nothing was written. */
gboolean normscope_export_dialog_save_to (NormscopeExportDialog *self, GFile *file, GError **error);

G_END_DECLS
