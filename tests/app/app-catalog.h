/* Finding one's way in the catalog in a test.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-fixture.h"

G_BEGIN_DECLS

/* The user's presets: "wide" ("My wide one"), which can be scaled down and runs at once as it is, a broken file and one
 * of a newer version. Before the first catalog. */
void catalog_write_presets (void);

/* Opens it at a page; borrowed. */
GtkWidget *catalog_open (Fixture *fixture, const char *page);
/* Closes it and fails when anybody holds it. */
void catalog_close (GtkWidget *catalog);
/* A predicate for app_wait_for(). */
gboolean catalog_is_closed (gpointer data);

/* The text of a bound label. */
const char *catalog_get_label (GtkWidget *details, const char *name);

/* Types the words and waits until they have been searched. */
void catalog_search (GtkWidget *catalog, const char *words);
guint catalog_count_rows (GtkListBox *list);
/* The row whose label, as it is read out, is the title; fails when there is none. */
GtkListBoxRow *catalog_find_row (GtkListBox *list, const char *title);
void catalog_select_row (GtkWidget *catalog, const char *list, const char *title);

G_END_DECLS
