/* A snapshot of a view's figure, to be exported to a file, the clipboard or a printer.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It is drawn by the same functions as "normscope-cli plot", so that the same figure makes the same bytes.
 *
 * Threads: created and filled on the main thread, immutable from then on. Any thread may hold a reference and export
 * the picture, also while another thread draws its figure.
 */
#pragma once

#include <gio/gio.h>

#include "engine/experiment/ns-settings.h"
#include "figures/ns-figure-table.h"
#include "plot/ns-export.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount refs;
  NsFigure *figure;
  char *sentence;           /* the figure in words */
  NsExperiment *experiment; /* the experiment of the figure */
  char *verified;           /* the statement of the experiment's self-check, or NULL */
} NormscopePicture;

/* Make the figure and its sentence, and copy the experiment. For figures of axes and series. */
NormscopePicture *normscope_picture_new (NsFigureKind kind, const NsFigureSource *source,
                                         const NsFigureOptions *options);
NormscopePicture *normscope_picture_ref (NormscopePicture *self);
void normscope_picture_unref (NormscopePicture *self);

typedef struct
{
  double width, height; /* px, 1/96 inch */
  double scale;         /* pixels of a PNG per px */
  NsTheme theme;
} NormscopePictureStyle;

/* Return the bytes of a file with the picture and, as metadata, its experiment; the caller owns them. Fail with an
 * NS_EXPORT_ERROR if the size is not possible. A large picture takes seconds. */
GBytes *normscope_picture_export (const NormscopePicture *self, const NormscopePictureStyle *style,
                                  NsExportFormat format, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NormscopePicture, normscope_picture_unref)

G_END_DECLS
