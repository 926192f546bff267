/* Fuzz target: links. Bytes that do not begin like a link are encoded as one, since a fuzzer cannot guess a zlib stream
 * with its checksum in base64.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "fuzz.h"

#include "document/ns-experiment-link.h"
#include "document/ns-zlib.h"

#include <string.h>

static void
check_link (const char *link)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) experiment = ns_experiment_from_link (link, FUZZ_NAME, &error);
  g_autoptr (NsExperiment) again = NULL;
  g_autofree char *written = NULL;

  if (experiment == NULL)
    {
      fuzz_check_error (error);
      return;
    }
  fuzz_check_experiment (experiment);
  written = ns_experiment_to_link (experiment, &error);
  if (written == NULL)
    {
      /* A long text does not fit into a link; this error does not name the source. */
      FUZZ_CHECK (g_error_matches (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT) && *error->message != '\0');
      return;
    }
  again = ns_experiment_from_link (written, FUZZ_NAME, &error);
  if (again == NULL)
    fuzz_fail (__FILE__, __LINE__, "a written link can be read", error->message);
  FUZZ_CHECK (ns_experiment_equal (experiment, again));
}

/* Encode the bytes as a link: the prefix and a zlib stream in base64url. */
static char *
dup_encoded_link (const guint8 *data, gsize size)
{
  g_autoptr (GByteArray) stream = ns_zlib_deflate (data, size);
  g_autofree char *base64 = g_base64_encode (stream->data, stream->len);

  for (char *p = base64; *p != '\0'; p++)
    *p = *p == '+' ? '-' : *p == '/' ? '_' : *p;
  *(base64 + strcspn (base64, "=")) = '\0';
  return g_strconcat (NS_LINK_SCHEME, "1:", base64, NULL);
}

int
fuzz_one (const guint8 *data, gsize size)
{
  g_autofree char *link = g_strndup (size > 0 ? (const char *) data : "", size);

  fuzz_expect_expansion (NS_LINK_MAX_JSON_BYTES);
  check_link (link);
  if (!g_str_has_prefix (link, NS_LINK_SCHEME))
    {
      g_autofree char *encoded = dup_encoded_link (data, size);

      check_link (encoded);
    }
  return 0;
}
