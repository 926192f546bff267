/* Drive the catalog in tests.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-widgets.h"

G_BEGIN_DECLS

/* Write presets of the user: "wide" ("My wide one"), which can be scaled down and runs fast in full, a broken file and
 * a file of a newer version. For app_test_prepare(). */
const char *catalog_prepare (void);

/* Open the catalog at a page; borrowed. */
GtkWidget *catalog_open (Fixture *fixture, const char *page);
/* Close the catalog. Fail if it is not finalized. */
void catalog_close (GtkWidget *catalog);
/* Predicate for app_wait_for(). */
gboolean catalog_is_closed (gpointer data);

/* Return the text of a template child that is a label. */
const char *catalog_get_label (GtkWidget *details, const char *name);

/* Type the words and wait for the search. */
void catalog_search (GtkWidget *catalog, const char *words);
guint catalog_count_rows (GtkListBox *list);
/* Return the row whose accessible label is the title. Fail if there is none. */
GtkListBoxRow *catalog_find_row (GtkListBox *list, const char *title);
void catalog_select_row (GtkWidget *catalog, const char *list, const char *title);

G_END_DECLS
