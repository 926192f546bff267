/* Find, read and drive the widgets of the window of a test.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-fixture.h"

G_BEGIN_DECLS

/* Give the window a size, and wait until it has it. */
void app_resize (Fixture *fixture, int width, int height);
/* Wait until the window has been laid out and drawn. */
void app_wait_for_frame (Fixture *fixture);

/* Return the first widget, depth first, for which the predicate holds, or NULL. */
typedef gboolean (*WidgetPredicate) (GtkWidget *widget, gconstpointer data);
GtkWidget *app_find (GtkWidget *root, WidgetPredicate predicate, gconstpointer data);
GtkWidget *app_find_type (GtkWidget *root, GType type);
/* Return the first mapped label or button whose text contains `text`, or NULL. */
GtkWidget *app_find_text (GtkWidget *root, const char *text);
/* Assert that the first clause of a text of several lines and clauses is shown. */
void app_assert_first_clause (GtkWidget *root, const char *text);
/* Wait for app_find_text() to find something, and return it, or to find nothing. Fail on timeout. */
GtkWidget *app_wait_for_text (gpointer root, const char *text);
void app_wait_until_no_text (gpointer root, const char *text);
NormscopeParameterRow *app_find_row (Fixture *fixture, const char *path);
GtkWidget *app_find_in_row (Fixture *fixture, const char *path, GType type);
NormscopeVariantRow *app_find_variant (Fixture *fixture, guint index);
/* Return a template child of a widget by its id. Fail if there is none. */
gpointer app_get_child (gpointer widget, const char *id);

/* Return the accessible description of a widget; the caller frees it. */
char *app_dup_description (GtkWidget *widget);
/* Return the sentence of fixture->experiment and fixture->options, computed by the test's own engine. */
char *app_dup_expected (Fixture *fixture);
/* Fail unless the plot's description becomes the expected sentence. */
void app_assert_shows_sentence (Fixture *fixture, const char *expected);
/* The same with app_dup_expected(). */
void app_assert_shows (Fixture *fixture);
/* Fail if the plot's description differs from `description`, or changes within 0.3 s. */
void app_assert_unchanged (Fixture *fixture, const char *description);
/* Fail unless the window shows the expected readout of the crosshair at `x`. */
void app_assert_readout (Fixture *fixture, gint64 x);
/* Predicates of a Fixture: its window presents, or does not. */
gboolean app_is_presenting (gpointer fixture);
gboolean app_is_not_presenting (gpointer fixture);
/* Predicate of the window: its visible plot is not busy. */
gboolean app_has_idle_plot (gpointer window);
/* Wait until the visible plot is not busy, and return it. Fail on timeout. */
GtkWidget *app_wait_for_idle_plot (Fixture *fixture);

/* Activate an action of the window that has no parameter. */
void app_activate (Fixture *fixture, const char *action);

/* Move the slider of a parameter's row to a value, as a drag does. */
void app_move_slider (Fixture *fixture, const char *path, double value);
void app_type_number (Fixture *fixture, const char *path, const char *text);

/* Emit a key press on the widget's own key controllers. Return TRUE if one handled it. */
gboolean app_press_key (GtkWidget *widget, guint key);

/* Wait for a toast that contains the text. Return FALSE on timeout. */
gboolean app_wait_for_toast (Fixture *fixture, const char *text);

/* Render a widget. */
GdkTexture *app_grab (GtkWidget *widget);

G_END_DECLS
