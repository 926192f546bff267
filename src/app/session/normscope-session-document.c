/* Saving the session's experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-session-private.h"

#include <glib/gi18n-lib.h>

#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-settings.h"

gboolean
normscope_session_save (NormscopeSession *self, GFile *file, GError **error)
{
  const GError *problem;
  g_autofree char *path = NULL;
  g_autoptr (GBytes) bytes = NULL;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  g_return_val_if_fail (G_IS_FILE (file), FALSE);

  problem = normscope_session_get_error (self);
  if (problem != NULL)
    {
      /* Translators: %s is the reason why the experiment is invalid */
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT,
                   _ ("Not saved: an invalid experiment cannot be opened again. %s"), problem->message);
      return FALSE;
    }
  path = ns_file_dup_path (file, error);
  if (path == NULL)
    return FALSE;
  bytes = ns_experiment_to_bytes (self->state.experiment);
  return ns_file_write (path, bytes, error);
}
