/* Choosing a file, as every dialog of the program does it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A modal chooser that is not shown yet; `patterns`, NULL-terminated, are those of the first filter, the second is all
 * files. Caller owns it, and has to keep it until its response. */
GtkFileChooserNative *normscope_chooser_new (GtkWindow *window, const char *title, GtkFileChooserAction action,
                                             const char *filter, const char *const *patterns);

/* The file itself when its name ends in `suffix` (any case), else the one with the suffix added. The chooser has asked
 * about replacing the name as typed only: a longer one that exists is an NS_DOCUMENT_ERROR_OUTPUT. */
GFile *normscope_chooser_complete_name (GFile *file, const char *suffix, GError **error);

/* Where to write after the response of a chooser that saves: a name without an extension gets `suffix` as above, any
 * other is taken at its word. NULL without an error when nothing was chosen. */
GFile *normscope_chooser_dup_chosen (GtkFileChooserNative *chooser, int response, const char *suffix, GError **error);

G_END_DECLS
