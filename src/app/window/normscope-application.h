/* The application: its actions, its shortcuts, and opening files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_APPLICATION (normscope_application_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeApplication, normscope_application, NORMSCOPE, APPLICATION, AdwApplication)

/* Set up language and translations; call it first. NORMSCOPE_LOCALEDIR names another folder of translations. */
void normscope_init_locale (void);

NormscopeApplication *normscope_application_new (GApplicationFlags flags);

/* End without asking, as after a signal: unsaved changes are offered at the next start. */
gboolean normscope_application_end (NormscopeApplication *self);

/* Return the facts that a bug report needs: versions, BLAS core, processors, display. The caller frees it. */
char *normscope_dup_troubleshooting (void);

G_END_DECLS
