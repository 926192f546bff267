/* From a row of the parameter table to a widget: bounds, steps, names, help and the place on a slider.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "engine/ns-experiment.h"

G_BEGIN_DECLS

/* Whether a slider of it is logarithmic: its positions are then natural logarithms. */
gboolean normscope_parameter_is_logarithmic (const NsParam *param);
/* The position of a value on the slider, within what it offers. */
double normscope_parameter_to_slider (const NsParam *param, double value);
/* The value at a position: a whole number of steps. */
double normscope_parameter_from_slider (const NsParam *param, double position);

/* Where a key takes the value on a logarithmic slider: by a step, to the double, to the half. FALSE: as GTK does. */
gboolean normscope_parameter_step (const NsParam *param, GtkScrollType scroll, double *value);

/* Whether a message is about this parameter: it names its key. */
gboolean normscope_parameter_is_named_in (const NsParam *param, const char *message);

/* Widgets with bounds, steps, accessible name and description; floating. */
GtkSpinButton *normscope_parameter_make_spin (const NsParam *param);
GtkScale *normscope_parameter_make_slider (const NsParam *param);
/* *names, borrowed: the drop-down's model; a scale's begins with "Number". */
GtkDropDown *normscope_parameter_make_drop_down (const NsParam *param, GtkStringList **names);
GtkSwitch *normscope_parameter_make_switch (const NsParam *param);

G_END_DECLS
