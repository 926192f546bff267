/* A message about what the user just did: one at a time, until it is dismissed or its time is over.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It looks like a toast of libadwaita, whose overlay in version 1.2 ends the program when a toast is dismissed while it
 * or another one still moves.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_MESSAGE (normscope_message_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeMessage, normscope_message, NORMSCOPE, MESSAGE, GtkBox)

/* Show a text in place of the last one. Return the number of the message. */
guint normscope_message_show (NormscopeMessage *self, const char *text, guint seconds);
/* The same with a button for an action of the window, whose target, which may be NULL, is taken if it is floating. */
guint normscope_message_offer (NormscopeMessage *self, const char *text, guint seconds, const char *label,
                               const char *action, GVariant *target);
/* Hide the message of this number, if it is still the one on the screen. */
void normscope_message_dismiss (NormscopeMessage *self, guint number);

G_END_DECLS
