/* A row of the sidebar that edits one parameter. Control, bounds, step, unit and help come from the parameter table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A number has a spin button and, with the property "slider", also a slider; a boolean has a switch, a choice a
 * drop-down, a scale a drop-down and a spin button. The reason why a value is refused is shown under the row. A double
 * click on the name or the slider restores the default.
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/session/normscope-session.h"
#include "engine/experiment/ns-params.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PARAMETER_ROW (normscope_parameter_row_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeParameterRow, normscope_parameter_row, NORMSCOPE, PARAMETER_ROW, AdwPreferencesRow)

/* Construct-only properties: "path", as for ns_param_find(), and "slider". */
void normscope_parameter_row_set_session (NormscopeParameterRow *self, NormscopeSession *session);

/* Both are borrowed; the slider is NULL if the row has none. */
const NsParam *normscope_parameter_row_get_param (NormscopeParameterRow *self);
GtkScale *normscope_parameter_row_get_slider (NormscopeParameterRow *self);

G_END_DECLS
