/* Writing a session's experiment to a file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/normscope-session.h"

#include <glib/gi18n-lib.h>

#include "document/ns-experiment-json.h"

gboolean
normscope_session_save (NormscopeSession *self, GFile *file, GError **error)
{
  const GError *problem;
  g_autofree char *path = NULL;
  g_autofree char *uri = NULL;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  g_return_val_if_fail (G_IS_FILE (file), FALSE);

  problem = normscope_session_get_error (self);
  path = g_file_get_path (file);
  uri = g_file_get_uri (file);
  if (problem == NULL && path != NULL)
    return ns_experiment_save (normscope_session_get_experiment (self), path, error);
  if (problem != NULL)
    /* Translators: %s says what is wrong with the experiment */
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT,
                 _("Not saved, because the file could not be opened again: %s"), problem->message);
  else
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT,
                 _("%s cannot be written: it is not in a folder of this computer"), uri);
  return FALSE;
}
