/* Pins, notes, arrows and kept curves on the flow plots: pointer, keys, menu and editor.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A click pins a block, another one removes the pin; with Shift the ratio to the last pin is drawn. The right button
 * and the menu key open a menu. All marks are in the session.
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/shared/normscope-plot.h"

G_BEGIN_DECLS

typedef struct _NormscopeFlowMarks NormscopeFlowMarks;

/* Put marks on the plot by pointer, keys and menus. Both are borrowed and outlive the return value. */
NormscopeFlowMarks *normscope_flow_marks_new (NormscopePlot *plot, NormscopeSession *session);
void normscope_flow_marks_free (NormscopeFlowMarks *self);

/* Set the result on the screen, which is referenced; NULL: no mark can be added. */
void normscope_flow_marks_set_result (NormscopeFlowMarks *self, NsResult *result);

G_END_DECLS
