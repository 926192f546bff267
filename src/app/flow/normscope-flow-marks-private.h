/* Shared by the files of the marks: normscope-flow-marks.c → -menu.c → -edit.c.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/flow/normscope-flow-marks.h"

G_BEGIN_DECLS

/* What a gesture is about. */
typedef struct
{
  NsPlace place;
  NsQuantityKind panel;
  NsQuantity quantity;
  int variant; /* the nearest visible one */
  double x, y; /* px of the plot */
} NormscopeMarkTarget;

struct _NormscopeFlowMarks
{
  NormscopePlot *plot;
  NormscopeSession *session;
  NsResult *result;
  NsQuantityKind panel; /* the one that keys pin in: where the pointer was last */
  double pointer_x, pointer_y; /* px of the plot; NAN before the first event */
  NormscopeMarkTarget target;  /* of the menu or editor */
  GActionGroup *actions;
};

/* ---- normscope-flow-marks-edit.c ---- */

NsFlowOptions normscope_flow_marks_get_options (NormscopeFlowMarks *self);
/* Return a copy to change, and give it to the session. */
NsMarks *normscope_flow_marks_copy (NormscopeFlowMarks *self);
void normscope_flow_marks_take (NormscopeFlowMarks *self, NsMarks *marks);
void normscope_flow_marks_show_message (NormscopeFlowMarks *self, const char *message);
/* Return TRUE if the newest mark of a list would be drawn. */
gboolean normscope_flow_marks_is_drawn (NormscopeFlowMarks *self, const NsMarks *marks, NsMarksList list);
/* Return the last pin of the panel that is not at `place`, or −1. */
int normscope_flow_marks_find_last_pin (const NsMarks *marks, NsQuantityKind panel, const NsPlace *place);
/* Remove a pin and the ratios to it. */
void normscope_flow_marks_remove_pin (NsMarks *marks, NsQuantityKind panel, const NsPlace *place);
void normscope_flow_marks_toggle_pin (NormscopeFlowMarks *self, const NormscopeMarkTarget *target);
/* Pin the block, too, and draw the ratio from the last pin to it. */
void normscope_flow_marks_add_ratio (NormscopeFlowMarks *self, const NormscopeMarkTarget *target);
void normscope_flow_marks_keep_curve (NormscopeFlowMarks *self, guint variant);

/* ---- normscope-flow-marks-menu.c; both are about self->target ---- */

/* Ask for the text of a new note, if the curve has a value there. */
void normscope_flow_marks_add_note (NormscopeFlowMarks *self, NsNoteKind kind);
/* Open the menu; `id` is the mark at the pointer, or −1. */
void normscope_flow_marks_open_menu (NormscopeFlowMarks *self, int id);
void normscope_flow_marks_add_actions (NormscopeFlowMarks *self);

G_END_DECLS
