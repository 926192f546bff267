/* The last session on disk, restored at the next start, and the copy of an unsaved one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last session is two files in the user's state folder: the experiment, and a key file with the document's URI and
 * the settings of the views. A copy (normscope-recovery.h) has all of it in one key file.
 *
 * Threads: main.
 */
#pragma once

#include <gio/gio.h>

#include "figures/ns-scaling-settings.h"
#include "engine/experiment/ns-settings.h"
#include "figures/table/ns-view-choice.h"

G_BEGIN_DECLS

typedef struct
{
  NsExperiment *experiment;
  GFile *file; /* the document, or NULL */
  char *name;  /* of the document; in a copy only */
  NsViewChoice paths;
  NsViewChoice training;
  NsScalingSettings scaling;
} NormscopeLastSession;

/* Save the session. A failure is only logged: the user did not ask for this file. */
void normscope_last_session_save (const NormscopeLastSession *session);

/* Load the session; the caller owns its members. Settings that the file lacks keep their values in
 * `session->paths`, `session->training` and `session->scaling`.
 * Return FALSE without an error if there is no last session. A session that cannot be read, perhaps of a newer
 * version, is renamed, so that the next one does not replace it; the error names the new file. */
gboolean normscope_last_session_load (NormscopeLastSession *session, GError **error);

/* Write a session into a copy, and read one; the settings that it lacks keep their values in `session`. The caller owns
 * the bytes, and the members. */
GBytes *normscope_last_session_to_bytes (const NormscopeLastSession *session);
gboolean normscope_last_session_read (NormscopeLastSession *session, const char *path, GError **error);

G_END_DECLS
