/* From a row of the parameter table to a widget: bounds, steps, names, help and the place on a slider.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "engine/experiment/ns-params.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Whether a slider of it is logarithmic: its positions are then natural logarithms. */
gboolean normscope_parameter_is_logarithmic (const NsParam *param);
/* The position of a value on the slider, within what it offers. */
double normscope_parameter_to_slider (const NsParam *param, double value);
/* The value at a position: a whole number of steps. */
double normscope_parameter_from_slider (const NsParam *param, double position);

/* Where a key takes the value on a logarithmic slider: by a step, to the double, to the half. FALSE: as GTK does. */
gboolean normscope_parameter_step (const NsParam *param, GtkScrollType scroll, double *value);

/* Whether it is chosen in a drop-down that offers null first: then "Number", on and off, or the choices. Of a number
 * that can be null (post_fraction) the slider is the whole control. */
gboolean normscope_parameter_has_null (const NsParam *param);
/* Between a value as ns_param_get_int() has it and its place in the drop-down; a choice's is its own. */
int normscope_parameter_to_item (const NsParam *param, gint64 value);
/* `shape` says what a number is that was null until now. */
gint64 normscope_parameter_from_item (const NsParam *param, int item, const NsShape *shape);

/* Widgets with bounds, steps, accessible name and description; floating. */
GtkSpinButton *normscope_parameter_make_spin (const NsParam *param);
GtkScale *normscope_parameter_make_slider (const NsParam *param);
/* *names, borrowed: the drop-down's model; a scale's begins with "Number", one that can be null with what that is. */
GtkDropDown *normscope_parameter_make_drop_down (const NsParam *param, GtkStringList **names);
GtkSwitch *normscope_parameter_make_switch (const NsParam *param);

G_END_DECLS
