/* Drive the real window in tests through its widgets, and read it through its accessible properties.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-tests.h"

#include "app/shared/normscope-plot.h"
#include "app/controls/normscope-parameter-row.h"
#include "app/sidebar/normscope-variant-row.h"
#include "app/window/normscope-application.h"
#include "app/window/normscope-window.h"
#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"
#include "figures/ns-flow.h"

G_BEGIN_DECLS

/* Long enough for a sanitizer on a busy machine, short enough to end a test that hangs. */
#define TIMEOUT_MS 60000

/* Set for a program that a test starts: use this folder for the user's files instead of a new one. */
#define APP_SHARED_HOME "NORMSCOPE_TEST_HOME"

typedef struct
{
  NormscopeWindow *window;
  NormscopePlot *plot;
  NormscopeSession *session;
  NsEngine *engine;         /* the test's own, to compute expected results */
  NsExperiment *experiment; /* expected experiment, kept by the test and not read from the window */
  NsFlowOptions options;    /* expected options, likewise */
  gboolean keeps_names;     /* the names of the variants are those of a file, not automatic ones */
  gboolean can_run;         /* else the test is skipped */
} Fixture;

/* Set up GTK and the application. Without a display, print a skipped plan and return FALSE. Run the tests with
 * app_test_run(), which fails if an option -p selects none. */
gboolean app_test_init (int *argc, char ***argv);
int app_test_run (void);
GtkApplication *app_test_get_application (void);

/* Let a source file add its tests; their paths begin with its name. */
void app_test_add_file (const char *name, void (*add) (void));
/* Call the function once, before the first of the file's tests. It returns why they have to be skipped, or NULL. */
typedef const char *(*AppPrepare) (void);
void app_test_prepare (AppPrepare prepare);
/* Add a test with the fixture: a new window that shows a small experiment, or the defaults, with all seeds. Teardown
 * destroys it and fails if it leaks. */
typedef void (*AppTest) (Fixture *fixture, gconstpointer data);
void app_test_add (const char *path, AppTest test);
void app_test_add_with_defaults (const char *path, AppTest test);
/* Add a test without a window. */
void app_test_add_func (const char *path, void (*func) (void));

/* Iterate the main loop until the predicate holds. Return FALSE after a timeout. */
gboolean app_wait_for (gboolean (*predicate) (gpointer data), gpointer data, guint ms);
/* The same, and fail with the predicate's name after TIMEOUT_MS. */
#define app_wait_until(predicate, ...) app_wait_until_named ((predicate), (__VA_ARGS__), #predicate, G_STRLOC)
void app_wait_until_named (gboolean (*predicate) (gpointer data), gpointer data, const char *name, const char *place);
/* Predicates: of a pointer to a pointer, of a widget, and of a plot whose axes have settled. */
gboolean app_is_null (gpointer pointer);
gboolean app_is_mapped (gpointer widget);
gboolean app_is_visible (gpointer widget);
gboolean app_is_sensitive (gpointer widget);
gboolean app_has_settled (gpointer plot);
/* Wait for app_find_text() to find something, and return it, or to find nothing. Fail on timeout. */
GtkWidget *app_wait_for_text (gpointer root, const char *text);
void app_wait_until_no_text (gpointer root, const char *text);

/* Let a window draw a frame, if it draws any. */
void app_draw_frame (GtkWidget *window);
/* Let each window draw n frames, and handle all that is ready in between: a bound for what must not happen. A frame
 * takes 17 ms, and on a busy machine longer. */
void app_draw_frames (guint n);
/* Let layout, drawing and idle sources that follow from the last change take place. */
void app_settle (void);
/* Iterate the main loop for about `ms`. Only where the program itself waits for a time. */
void app_iterate (guint ms);
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
void app_assert_shows (Fixture *fixture);
/* Fail if the plot's description differs from `description`, or changes within 0.3 s. */
void app_assert_unchanged (Fixture *fixture, const char *description);
/* Fail unless the window shows the expected readout of the crosshair at `x`. */
void app_assert_readout (Fixture *fixture, gint64 x);
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

/* The functions of the source files that add their tests. */
#define APP_DECLARE(name) void add_##name##_tests (void);
APP_UI_TESTS (APP_DECLARE)
APP_LIVE_TESTS (APP_DECLARE)

G_END_DECLS
