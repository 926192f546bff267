/* A view's figure on its way out of the window: to a file, the clipboard, a printer.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It goes through the same functions as "normscope-cli plot", so that the same figure makes the same bytes.
 * Threads: made and completed on the main thread, then only read: any thread may hold a reference and export it, while
 * another one draws its figure.
 */
#pragma once

#include <gio/gio.h>

#include "engine/experiment/ns-settings.h"
#include "plot/ns-export.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount refs;
  NsFigure *figure;
  char *sentence;            /* what it shows, in words */
  NsExperiment *experiment;  /* that made it */
  char *verified;            /* what its self-check found, or NULL; owned */
} NormscopePicture;

/* Takes figure and sentence, copies the experiment. */
NormscopePicture *normscope_picture_new (NsFigure *figure, char *sentence, const NsExperiment *experiment);
NormscopePicture *normscope_picture_ref (NormscopePicture *self);
void normscope_picture_unref (NormscopePicture *self);

/* How it is drawn. */
typedef struct
{
  double width, height; /* px of 1/96 inch */
  double scale;         /* pixels of a PNG for each of these */
  NsTheme theme;
} NormscopePictureStyle;

/* The file's bytes, with what made the picture inside; caller owns them. An NS_EXPORT_ERROR for a size that cannot be
 * made. Takes seconds for a large one. */
GBytes *normscope_picture_export (const NormscopePicture *self, const NormscopePictureStyle *style,
                                  NsExportFormat format, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NormscopePicture, normscope_picture_unref)

G_END_DECLS
