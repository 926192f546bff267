/* Compute the kept curves of a session whose numbers are not known, such as those of a file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * They run one after the other on a thread of their own and share the engine of the views. One that cannot run stays
 * without numbers until the marks change.
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/work/normscope-engine.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_REFERENCE_RUNNER (normscope_reference_runner_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeReferenceRunner, normscope_reference_runner, NORMSCOPE, REFERENCE_RUNNER, GObject)

/* Watch the session, which is referenced. */
NormscopeReferenceRunner *normscope_reference_runner_new (NormscopeSession *session, NormscopeEngine *engine);
/* Cancel what runs, for a window that closes. */
void normscope_reference_runner_stop (NormscopeReferenceRunner *self);

G_END_DECLS
