/* A popover with the text of a note or arrow, or the name of a kept curve.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "figures/ns-marks.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_NOTE_EDITOR (normscope_note_editor_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeNoteEditor, normscope_note_editor, NORMSCOPE, NOTE_EDITOR, GtkPopover)

/* Edit the mark of that id, or a new one (−1). Signal "text" (int id, int NsNoteKind, const char *): the user has
 * finished; the text is a valid one. */
GtkWidget *normscope_note_editor_new (int id, NsNoteKind kind, const char *text);

G_END_DECLS
