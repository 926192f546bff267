/* Fuzz target: a model's config.json.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "fuzz.h"

#include "import/ns-config-import.h"

static void
check_text (const char *text)
{
  FUZZ_CHECK (text != NULL && *text != '\0' && g_utf8_validate (text, -1, NULL));
  if (g_utf8_strlen (text, -1) > FUZZ_MAX_MESSAGE)
    fuzz_fail (__FILE__, __LINE__, "the sentence is short", text);
}

int
fuzz_one (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsConfigImport) import = ns_config_import_from_bytes (bytes, FUZZ_NAME, &error);
  g_autoptr (NsConfigImport) again = ns_config_import_from_bytes (bytes, FUZZ_NAME, NULL);

  ns_config_is_config (bytes);
  FUZZ_CHECK ((import != NULL) == (again != NULL));
  if (import == NULL)
    {
      fuzz_check_error (error);
      return 0;
    }
  FUZZ_CHECK (error == NULL);
  check_text (import->family);
  for (guint i = 0; import->assumptions[i] != NULL; i++)
    check_text (import->assumptions[i]);
  FUZZ_CHECK (import->experiment->variants->len == 1);
  fuzz_check_experiment (import->experiment);
  FUZZ_CHECK (ns_experiment_equal (import->experiment, again->experiment));
  return 0;
}
