/* File choosers, set up alike for every dialog of the program.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Return a modal file chooser, not yet shown. Its first filter accepts `patterns` (NULL-terminated), its second every
 * file. The caller owns it and keeps it until its response. */
GtkFileChooserNative *normscope_chooser_new (GtkWindow *window, const char *title, GtkFileChooserAction action,
                                             const char *filter, const char *const *patterns);

/* Return `file` if its name ends in `suffix` (in any case), otherwise the file with the suffix appended. The chooser
 * asked about replacing only the name as typed, so fail with NS_DOCUMENT_ERROR_OUTPUT if the longer name exists. */
GFile *normscope_chooser_complete_name (GFile *file, const char *suffix, GError **error);

/* Return the file to write after the response of a chooser that saves. A name without a dot gets `suffix` as above, any
 * other name is used as it is. Return NULL without an error if nothing was chosen. */
GFile *normscope_chooser_dup_chosen (GtkFileChooserNative *chooser, int response, const char *suffix, GError **error);

/* Say in a window (NormscopeWindow, or NULL to say nothing) which file was written, with a button that opens its
 * folder. */
void normscope_chooser_confirm_saved (GtkWindow *window, GFile *file);

G_END_DECLS
