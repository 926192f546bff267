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

/* Return a new floating widget. It emits "done" when another list than the variant's was typed, with the text as on the
 * command line, or NULL if it is empty. */
GtkWidget *normscope_list_entry_new (const NsParam *param);
/* Show the variant's list; `keep` leaves the text that was typed and refused, so that the user can correct it. */
void normscope_list_entry_set_list (NormscopeListEntry *self, const char *list, gboolean keep);

G_END_DECLS
