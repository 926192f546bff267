/* Open an experiment from any supported source.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-experiment-open.h"

#include "import/ns-config-import.h"
#include "document/ns-experiment-json.h"
#include "document/ns-experiment-link.h"
#include "document/ns-provenance.h"
#include "document/ns-short-text.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static gboolean
begins (const char *data, gsize length, const char *with)
{
  return length >= strlen (with) && memcmp (data, with, strlen (with)) == 0;
}

static NsExperiment *
import_config (GBytes *bytes, const char *name, char ***assumptions, GError **error)
{
  g_autoptr (NsConfigImport) import = ns_config_import_from_bytes (bytes, name, error);

  if (import == NULL)
    return NULL;
  if (assumptions != NULL)
    *assumptions = g_steal_pointer (&import->assumptions);
  return g_steal_pointer (&import->experiment);
}

NsExperiment *
ns_experiment_open_bytes (GBytes *bytes, const char *name, char ***assumptions, GError **error)
{
  gsize length, text_length;
  const char *data = g_bytes_get_data (bytes, &length);
  const char *text;
  g_autoptr (GBytes) experiment = NULL;
  g_autofree char *inner = NULL;

  if (assumptions != NULL)
    *assumptions = NULL;
  text_length = length;
  text = ns_file_skip_bom (data, &text_length);
  while (text_length > 0 && g_ascii_isspace (*text))
    {
      text++;
      text_length--;
    }
  if (begins (text, text_length, NS_LINK_SCHEME))
    {
      g_autofree char *link = g_strndup (text, text_length);

      return ns_experiment_from_link (link, name, error);
    }
  if (begins (data, length, "%PDF-"))
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s is a PDF, which cannot be opened as an experiment; allowed: an experiment file, a PNG or SVG "
                      "exported by Normscope, or a link"),
                   name);
      return NULL;
    }
  if (ns_config_is_config (bytes))
    return import_config (bytes, name, assumptions, error);
  if (!ns_provenance_is_picture (bytes))
    return ns_experiment_from_bytes (bytes, name, error);
  experiment = ns_provenance_read (bytes, name, error);
  if (experiment == NULL)
    return NULL;
  inner = g_strdup_printf (_ ("%s (embedded experiment)"), name);
  return ns_experiment_from_bytes (experiment, inner, error);
}

NsExperiment *
ns_experiment_open_file (GFile *file, GCancellable *cancellable, GError **error)
{
  g_autofree char *whole_name = g_file_get_parse_name (file);
  g_autofree char *name = ns_short_text (whole_name, NS_TEXT_MAX_PATH);
  g_autoptr (GBytes) bytes = ns_file_read (file, NS_FILE_ANY, cancellable, error);

  return bytes != NULL ? ns_experiment_open_bytes (bytes, name, NULL, error) : NULL;
}

NsExperiment *
ns_experiment_open (const char *path_or_link, char ***assumptions, GError **error)
{
  g_autofree char *name = ns_short_text (path_or_link, NS_TEXT_MAX_PATH);
  g_autoptr (GBytes) bytes = NULL;

  if (assumptions != NULL)
    *assumptions = NULL;
  if (g_str_has_prefix (path_or_link, NS_LINK_SCHEME) && !g_file_test (path_or_link, G_FILE_TEST_EXISTS))
    return ns_experiment_from_link (path_or_link, _ ("the link"), error);
  bytes = ns_file_read_path (path_or_link, NS_FILE_ANY, error);
  return bytes != NULL ? ns_experiment_open_bytes (bytes, name, assumptions, error) : NULL;
}
