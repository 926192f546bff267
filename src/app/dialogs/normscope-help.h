/* Help: how to read the plots, what the controls do, where the science comes from, and the keys.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Controls, sources and keys come from the tables of parameters and built-in variants, from the claims, and from the
 * window of shortcuts.
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_HELP (normscope_help_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeHelp, normscope_help, NORMSCOPE, HELP, AdwWindow)

NormscopeHelp *normscope_help_new (GtkWindow *parent);

G_END_DECLS
