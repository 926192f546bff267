/* Controls for a parameter: bounds, steps, names and help from its row in the table, and slider positions.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "engine/experiment/ns-params.h"

G_BEGIN_DECLS

/* Convert a value to its position on the slider, clamped to the range of the slider. Positions of a logarithmic slider
 * are natural logarithms. */
double normscope_parameter_to_slider (const NsParam *param, double value);
/* Convert a position to a value, rounded to a whole number of steps. */
double normscope_parameter_from_slider (const NsParam *param, double position);

/* Return a value with its unit, as screen readers say it: "24 blocks", or "–" for NAN. The caller frees it. */
char *normscope_parameter_dup_text (const NsParam *param, double value);

/* Change the value as a key does on a logarithmic slider: by one step, to its double or to its half. Return FALSE to
 * leave the key to GTK. */
gboolean normscope_parameter_step (const NsParam *param, GtkScrollType scroll, double *value);

/* Return TRUE if the parameter has a drop-down that offers null first, and then "Number", on and off, or the choices.
 * FALSE for a nullable number (post_fraction): its slider is the whole control. */
gboolean normscope_parameter_has_null (const NsParam *param);
/* Convert between a value of ns_param_get_int() and its index in the drop-down. */
int normscope_parameter_to_item (const NsParam *param, gint64 value);
/* `shape` gives the number that "Number" starts with: the one that null stood for. */
gint64 normscope_parameter_from_item (const NsParam *param, int item, const NsShape *shape);

/* Set the accessible name and description of a control, and centre it in its row. */
void normscope_parameter_name_control (const NsParam *param, GtkWidget *control);
/* Return a new floating label of a row; css_class may be NULL. */
GtkLabel *normscope_parameter_make_label (const char *text, const char *css_class);
/* Return new floating widgets with bounds, steps, accessible name and description. The mouse wheel changes a number
 * only while its control has the focus; otherwise it scrolls what is around. */
GtkSpinButton *normscope_parameter_make_spin (const NsParam *param);
GtkScale *normscope_parameter_make_slider (const NsParam *param);
/* Add a mark with a name to a slider. A drag that comes near it stops there. */
void normscope_parameter_add_mark (GtkScale *slider, const NsParam *param, double value, const char *name);
/* `names` is set to the model of the drop-down, borrowed. */
GtkDropDown *normscope_parameter_make_drop_down (const NsParam *param, GtkStringList **names);
/* Return the button of the parameter's page of help, which takes the room that is left, and note the page for F1 in the
 * row. */
GtkWidget *normscope_parameter_make_help_button (const NsParam *param, GtkWidget *row);
GtkSwitch *normscope_parameter_make_switch (const NsParam *param);

G_END_DECLS
