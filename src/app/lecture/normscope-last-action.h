/* The last change of the experiment in large letters, for a second: "Attention residual: off".
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_LAST_ACTION (normscope_last_action_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeLastAction, normscope_last_action, NORMSCOPE, LAST_ACTION, AdwBin)

/* Follow the session from its present experiment on. */
GtkWidget *normscope_last_action_new (NormscopeSession *session);

/* Take the session's present experiment as the one that is known: the step of a lecture is no action. */
void normscope_last_action_forget (NormscopeLastAction *self);
/* Show a text for as long as an action. */
void normscope_last_action_show (NormscopeLastAction *self, const char *text);

G_END_DECLS
