/* A snapshot of a view's figure, to be shown, or exported to a file, the clipboard or a printer.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It holds what the figure is made from. Any thread can make the figure, once; a large map takes tenths of a second. It
 * is drawn by the same functions as "normscope-cli plot", so that the same figure makes the same bytes.
 *
 * Threads: created and filled on the main thread; `figure`, `sentence` and `links` are set when the figure is made.
 * Any thread may hold a reference and export the picture, also while another thread draws its figure.
 */
#pragma once

#include <gio/gio.h>

#include "engine/experiment/ns-settings.h"
#include "figures/table/ns-figure-table.h"
#include "plot/ns-export.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount refs;
  NsFigureKind kind;
  NsFigureSource source;    /* its members are referenced; the experiment is a copy */
  NsFigureOptions *options; /* owned, with all that they borrow */
  char *verified;           /* the statement of the experiment's self-check, or NULL */

  GMutex lock; /* making */
  int is_made; /* atomic: what follows is set */
  NsFigure *figure;
  char *sentence; /* the figure in words */
  GArray *links;  /* NsLink, of the words with a page of help, or NULL */
  gint64 made_us; /* the time that took */
  const GThread *made_by; /* only to be compared: it may be gone */
} NormscopePicture;

/* Reference the source and copy the options. For figures of axes and series. */
NormscopePicture *normscope_picture_new (NsFigureKind kind, const NsFigureSource *source,
                                         const NsFigureOptions *options);
NormscopePicture *normscope_picture_ref (NormscopePicture *self);
void normscope_picture_unref (NormscopePicture *self);

/* Make the figure, unless it is made, or wait for the thread that makes it. Once `progress` (may be NULL) is cancelled,
 * return FALSE early; another call makes it again. */
gboolean normscope_picture_make (NormscopePicture *self, NsProgress *progress);
gboolean normscope_picture_is_made (NormscopePicture *self);

typedef struct
{
  double width, height; /* px, 1/96 inch */
  double scale;         /* pixels of a PNG per px */
  NsTheme theme;
} NormscopePictureStyle;

/* Return the bytes of a file with the picture, which is made if need be, and, as metadata, its experiment; the caller
 * owns them. Fail with an NS_EXPORT_ERROR if the size is not possible. A large picture takes seconds. */
GBytes *normscope_picture_export (NormscopePicture *self, const NormscopePictureStyle *style, NsExportFormat format,
                                  GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NormscopePicture, normscope_picture_unref)

G_END_DECLS
