/* Drive the real window in tests through its widgets, and read it through its accessible properties.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-tests.h"
#include "app-wait.h"

#include "app/shared/normscope-plot.h"
#include "app/controls/normscope-parameter-row.h"
#include "app/sidebar/normscope-variant-row.h"
#include "app/window/normscope-application.h"
#include "app/window/normscope-window.h"
#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"
#include "figures/ns-flow.h"

G_BEGIN_DECLS

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

/* The functions of the source files that add their tests. */
#define APP_DECLARE(name) void add_##name##_tests (void);
APP_UI_TESTS (APP_DECLARE)
APP_LIVE_TESTS (APP_DECLARE)

G_END_DECLS
