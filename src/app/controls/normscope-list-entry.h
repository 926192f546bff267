/* The text of a list of numbers. It is done when Return is pressed or the focus leaves.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <adwaita.h>

#include "engine/experiment/ns-params.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_LIST_ENTRY (normscope_list_entry_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeListEntry, normscope_list_entry, NORMSCOPE, LIST_ENTRY, AdwBin)

/* Emits "done" with the list that was typed in the form of files, or NULL for an empty one, if it is not the one that
 * was set. */
GtkWidget *normscope_list_entry_new (const NsParam *param);
/* Show the list that holds; `keep` leaves what was typed, so that it can be mended. */
void normscope_list_entry_set_list (NormscopeListEntry *self, const char *list, gboolean keep);

G_END_DECLS
