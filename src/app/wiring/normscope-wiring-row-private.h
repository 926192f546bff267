/* Shared by the files of a row.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/wiring/normscope-wiring-part.h"
#include "app/wiring/normscope-wiring-row.h"
#include "engine/experiment/ns-rewire.h"

G_BEGIN_DECLS

struct _NormscopeWiringRow
{
  GtkWidget parent_instance;

  NormscopeSession *session;
  guint variant;
  gint64 block;
  NsDiagram *diagram;
  GskRenderNode *picture; /* of the diagram; NULL after a change */
  GtkLabel *name;
  GPtrArray *parts; /* NormscopeWiringPart, from left to right */
  GtkFileChooserNative *chooser; /* of a picture to save, or NULL */
  double unit;
  int name_width;

  /* A norm that is on the move, by pointer or keys. */
  guint taken;     /* its id, or 0 */
  GArray *sockets; /* guint ids of where it may go, from left to right */
  guint target;    /* the id of one of them, or 0: nowhere */
  gboolean by_pointer;
  double pointer_x, pointer_y;
};

/* Get the px of a part in the row. FALSE if it is not there. */
gboolean normscope_wiring_row_get_rect (NormscopeWiringRow *self, guint id, NsRect *rect);
/* Move a norm in the session, or, unless `apply`, only say whether it may. */
gboolean normscope_wiring_row_move_norm (NormscopeWiringRow *self, int part, NsNormPlace from, NsNormPlace to,
                                         gboolean apply);

/* ---- the context menu (normscope-wiring-menu.c) ---- */

void normscope_wiring_menu_install (GtkWidgetClass *widget_class);
void normscope_wiring_menu_add (NormscopeWiringRow *self);

/* ---- gestures (normscope-wiring-gestures.c) ---- */

void normscope_wiring_gestures_add_to_part (NormscopeWiringRow *self, GtkWidget *part);
/* Draw the places where the norm on the move may go. */
void normscope_wiring_gestures_snapshot (NormscopeWiringRow *self, GtkSnapshot *snapshot);
/* Put a norm that is on the move back. */
void normscope_wiring_gestures_cancel (NormscopeWiringRow *self);

G_END_DECLS
