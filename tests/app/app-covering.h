/* Check that nothing in the window covers anything.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-fixture.h"

G_BEGIN_DECLS

/* Fail, with the names of the two, if one of what an audience looks at lies over another or out of sight: plots,
 * wiring, sentence, a lecture's text and its buttons, controls, the bar; or a read-out over a curve or a bar though
 * there is room for it. */
void app_assert_nothing_covers (Fixture *fixture);
/* Return the number of points and bars that a read-out lies on. */
guint app_count_covered (NormscopePlot *plot, GtkWidget *readout);

G_END_DECLS
