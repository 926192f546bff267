/* The real window in a test: made, found one's way in, driven as a hand would, and read as a screen reader would.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/shared/normscope-plot.h"
#include "app/sidebar/normscope-parameter-row.h"
#include "app/sidebar/normscope-variant-row.h"
#include "app/window/normscope-application.h"
#include "app/window/normscope-window.h"
#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"
#include "figures/ns-flow.h"

G_BEGIN_DECLS

/* Long enough for a busy machine under a sanitizer, short enough for a test that hangs. */
#define PATIENCE_MS 60000

typedef struct
{
  NormscopeWindow *window;
  NormscopePlot *plot;
  NormscopeSession *session;
  NsEngine *engine;         /* the test's own */
  NsExperiment *experiment; /* what the window should show, kept by the test, not read from the window */
  NsFlowOptions options;    /* likewise */
} Fixture;

/* Sets up GTK and the application; FALSE (and a skipped plan printed) without a display. Run the tests with
 * app_test_run(). */
gboolean app_test_init (int *argc, char ***argv);
int app_test_run (void);
GtkApplication *app_test_get_application (void);
/* g_test_add() with the fixture: a fresh window with a small shape, or with everything as a user first sees it, shown
 * with its complete picture; afterwards destroyed without a leak. */
typedef void (*AppTest) (Fixture *fixture, gconstpointer data);
void app_test_add (const char *path, AppTest test);
void app_test_add_with_defaults (const char *path, AppTest test);

/* Iterates the main loop until the predicate holds; FALSE after ms. */
gboolean app_wait_for (gboolean (*predicate) (gpointer data), gpointer data, guint ms);
/* Iterates for about ms. */
void app_iterate (guint ms);
/* Until the window's pending layout and drawing are done. */
void app_wait_for_frame (Fixture *fixture);

/* The first widget, depth first, for which the predicate holds; NULL. */
typedef gboolean (*WidgetPredicate) (GtkWidget *widget, gconstpointer data);
GtkWidget *app_find (GtkWidget *root, WidgetPredicate predicate, gconstpointer data);
GtkWidget *app_find_type (GtkWidget *root, GType type);
/* The label, or the button, that says so. */
GtkWidget *app_find_text (GtkWidget *root, const char *text);
NormscopeParameterRow *app_find_row (Fixture *fixture, const char *path);
GtkWidget *app_find_in_row (Fixture *fixture, const char *path, GType type);
NormscopeVariantRow *app_find_variant (Fixture *fixture, guint index);
/* A bound child of a widget's own template by its id; fails when there is none. */
gpointer app_get_child (gpointer widget, const char *id);

/* What an assistive technology reads; caller frees. */
char *app_dup_description (GtkWidget *widget);
/* The sentence that fixture->experiment and fixture->options deserve, by an engine run of the test's own. */
char *app_dup_expected (Fixture *fixture);
/* Fails unless the plot's description becomes the expected sentence. */
void app_assert_shows (Fixture *fixture);
/* Fails when the description is, or within a moment becomes, anything else. */
void app_assert_keeps (Fixture *fixture, const char *description);
/* Fails unless the window says the crosshair's readout at x, of what it should show. */
void app_assert_reads (Fixture *fixture, gint64 x);
/* The plot in sight, once it computes no more; fails when it goes on for too long. */
GtkWidget *app_wait_for_idle_plot (Fixture *fixture);

/* Activates an action of the window that takes no parameter. */
void app_act (Fixture *fixture, const char *action);

/* Moves a row's slider to a value, as a drag would. */
void app_move_slider (Fixture *fixture, const char *path, double value);
void app_type_number (Fixture *fixture, const char *path, const char *text);

/* Emits a key press on the widget's own key controller; TRUE when it was taken. */
gboolean app_press_key (GtkWidget *widget, guint key);

/* Whether a toast is up that contains the text. */
gboolean app_wait_for_toast (Fixture *fixture, const char *text);

/* The window as pixels. */
GdkTexture *app_grab (GtkWidget *widget);

G_END_DECLS
