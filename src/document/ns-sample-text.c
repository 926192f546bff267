/* The bundled sample text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-settings.h"

#include "ns-document-resources.h"

#define SAMPLE_TEXT "/org/normscope/document/texts/sample.txt"

const char *
ns_sample_text (void)
{
  static char *text;

  if (g_once_init_enter (&text))
    {
      /* The text is compiled in, so the lookup fails only in a broken build. */
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = g_resource_lookup_data (ns_document_get_resource (), SAMPLE_TEXT,
                                                         G_RESOURCE_LOOKUP_FLAGS_NONE, &error);

      g_assert_no_error (error);
      g_once_init_leave (&text, g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)));
    }
  return text;
}

void
ns_experiment_fill_text (NsExperiment *experiment)
{
  if (experiment->data.source == NS_SOURCE_TEXT && experiment->data.text == NULL)
    experiment->data.text = g_strdup (ns_sample_text ());
}
