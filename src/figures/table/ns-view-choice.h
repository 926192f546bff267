/* What a view with several figures shows: one of them, and the options of all. The window keeps and saves it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures are the rows of ns-figure-table.h with the name of the view, their options those of the rows.
 *
 * Threads: any; no state.
 */
#pragma once

#include "figures/table/ns-figure-table.h"

G_BEGIN_DECLS

/* The names of such views in NsFigureInfo.view. */
#define NS_VIEW_PATHS "paths"
#define NS_VIEW_TRAINING "training"

typedef struct
{
  const char *view; /* static */
  NsFigureKind figure;
  /* Only what the rows' options set is used; borrowed pointers are NULL. */
  NsFigureOptions options;
} NsViewChoice;

/* Kinds of differences between two choices. */
typedef enum
{
  NS_VIEW_CHANGED_FIGURE = 1 << 0,  /* another figure */
  NS_VIEW_CHANGED_OPTIONS = 1 << 1, /* another option of some figure */
} NsViewChange;

/* Set the defaults: the first figure of the view. */
void ns_view_choice_init (NsViewChoice *choice, const char *view);
/* Return NsViewChange flags of two choices of one view; 0 if they are equal. */
guint ns_view_choice_compare (const NsViewChoice *a, const NsViewChoice *b);

/* Return TRUE if the view offers the figure. */
gboolean ns_view_offers (const char *view, NsFigureKind figure);
/* Return the settings of the paths that the figure needs. Return FALSE, and set nothing, if it needs none. */
gboolean ns_view_choice_get_settings (const NsViewChoice *choice, NsPathsSettings *settings);

/* Return TRUE if the paths were computed with the settings of the choice. */
gboolean ns_view_choice_is_met (const NsViewChoice *choice, const NsPaths *paths);

/* Write the choice to a group of a key file, and read it; one of no view (NULL) is skipped. Missing and invalid keys
 * leave a value unchanged. */
void ns_view_choice_write (const NsViewChoice *choice, GKeyFile *file);
void ns_view_choice_read (NsViewChoice *choice, GKeyFile *file);

G_END_DECLS
