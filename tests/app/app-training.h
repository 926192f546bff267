/* Drive the pages of the Training view in tests.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-widgets.h"
#include "figures/table/ns-figure-table.h"

G_BEGIN_DECLS

/* Predicate for app_wait_for(). */
typedef gboolean (*TrainingPredicate) (gpointer fixture);

/* Return the page that shows the figure, a NormscopeTrainingPage; borrowed. */
gpointer training_find_page (Fixture *fixture, NsFigureKind figure);
/* Click the page's button, and wait until all is computed and the plot's description tells so. */
void training_fill (Fixture *fixture, gpointer page, TrainingPredicate is_full, TrainingPredicate is_told);
/* Click the page's button, wait until there is something, and pause with Space. */
void training_begin_and_pause (Fixture *fixture, gpointer page, TrainingPredicate has_some);

G_END_DECLS
