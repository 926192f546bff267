/* Drive the scaling view in tests.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-widgets.h"
#include "app/scaling/normscope-scaling-bar.h"

G_BEGIN_DECLS

typedef struct
{
  Fixture *fixture;
  GtkWidget *view;
  NormscopeScalingBar *bar;
  NormscopePlot *plot;
} Scaling;

/* Find the view, its bar and its plot in the fixture's window. */
Scaling scaling_find (Fixture *fixture);
/* Show the scaling view with the small experiment of scaling_set_small_theory(). */
Scaling scaling_begin (Fixture *fixture);
/* Show the experiment of the theory in a small shape, and sweep few points. */
void scaling_set_small_theory (Scaling *scaling);
/* Show a view by its name: "flow" or "scaling". */
void scaling_show_view (Scaling *scaling, const char *name);
/* Return a template child of the bar, borrowed. */
GtkWidget *scaling_get_child (Scaling *scaling, const char *name);
/* Return a template child of a claim's card, borrowed. */
GtkWidget *scaling_get_card_child (Scaling *scaling, const char *id, const char *name);

/* Run a sweep of the fixture's experiment with the test's own engine. The caller owns it. */
NsSweep *scaling_run_sweep (Scaling *scaling, NsSweepAxis axis, const char *points_text, const char *metric_text);
/* Fail unless the plot's description becomes, or comes to contain, the text. */
void scaling_assert_describes (Scaling *scaling, const char *text, gboolean is_whole);
/* Fail unless the view comes to show the sweep's sentence. */
void scaling_assert_shows (Scaling *scaling, NsSweep *sweep, const NsScalingOptions *options);
/* Predicate for app_wait_for(). */
gboolean scaling_is_idle (gpointer scaling);
/* Wait for all sweeps, also those of the claims. */
void scaling_wait_until_idle (Scaling *scaling);

G_END_DECLS
