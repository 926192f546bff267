/* The last session on disk: what the next start begins with.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two files in the user's state folder: the experiment, and where it was saved to and what was swept of it.
 * Threads: main.
 */
#pragma once

#include <gio/gio.h>

#include "app/session/normscope-scaling-settings.h"
#include "document/ns-unknown-keys.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

typedef struct
{
  NsExperiment *experiment;
  NsUnknownKeys *unknown; /* of a file of a newer version, or NULL */
  GFile *file;            /* the document, or NULL */
  NormscopeScalingSettings scaling;
} NormscopeLastSession;

/* A state folder that cannot be written to costs the session, and is no error of the user's. */
void normscope_last_session_save (const NormscopeLastSession *session);

/* Fills `session`, whose `scaling` keeps what the file does not say; caller owns the rest. FALSE without an error:
 * there is none. */
gboolean normscope_last_session_load (NormscopeLastSession *session, GError **error);

G_END_DECLS
