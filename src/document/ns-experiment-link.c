/* An experiment as a short link.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-link.h"

#include "document/ns-experiment-json.h"
#include "document/ns-experiment-write.h"
#include "document/ns-zlib.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define PREFIX NS_LINK_SCHEME "1:"
/* Characters in a block of base64. */
#define QUAD 4

static char *
refuse_link (const char *name, const char *cause, GError **error)
{
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
               _ ("%s is not a link to an experiment: %s; allowed: a link that begins with %s, as printed by "
                  "“normscope-cli link”"),
               name, cause, PREFIX);
  return NULL;
}

char *
ns_experiment_to_link (const NsExperiment *experiment, GError **error)
{
  g_autofree char *json = NULL;
  g_autofree char *base64 = NULL;
  g_autoptr (GByteArray) stream = NULL;
  NsJsonWriter writer;
  gsize length;

  ns_json_writer_init (&writer);
  writer.tight = TRUE;
  ns_experiment_write_minimal (&writer, NULL, experiment);
  json = ns_json_writer_finish_text (&writer);
  stream = ns_zlib_deflate (json, strlen (json));
  base64 = g_base64_encode (stream->data, stream->len);
  length = strlen (PREFIX) + strlen (base64);
  if (strlen (json) > NS_LINK_MAX_JSON_BYTES || length > NS_LINK_MAX_CHARS)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("the experiment is too long for a link: %zu characters for %zu bytes; allowed: %u characters "
                      "for %u bytes. Save it as a file instead"),
                   length, strlen (json), NS_LINK_MAX_CHARS, NS_LINK_MAX_JSON_BYTES);
      return NULL;
    }
  for (char *p = base64; *p != '\0'; p++)
    *p = *p == '+' ? '-' : *p == '/' ? '_' : *p;
  *(base64 + strcspn (base64, "=")) = '\0';
  return g_strconcat (PREFIX, base64, NULL);
}

/* Return the link without blanks, or NULL and an error if it is too long. */
static char *
dup_compact (const char *link, const char *name, GError **error)
{
  GString *compact;

  /* Limit the length including blanks before copying. */
  if (strnlen (link, 2 * NS_LINK_MAX_CHARS) >= 2 * NS_LINK_MAX_CHARS)
    return refuse_link (name, _ ("it is too long"), error);
  compact = g_string_new (NULL);
  for (const char *p = link; *p != '\0'; p++)
    if (!g_ascii_isspace (*p))
      g_string_append_c (compact, *p);
  if (compact->len > NS_LINK_MAX_CHARS)
    {
      g_string_free (compact, TRUE);
      return refuse_link (name, _ ("it is too long"), error);
    }
  return g_string_free (compact, FALSE);
}

/* Decode base64url text; return NULL and an error if it is invalid. */
static guchar *
decode (const char *text, const char *name, gsize *length, GError **error)
{
  g_autoptr (GString) base64 = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p++)
    {
      if (!g_ascii_isalnum (*p) && *p != '-' && *p != '_')
        {
          g_autofree char *cause =
              g_strdup_printf (_ ("character %zu of its data is not one of A–Z a–z 0–9 - _"), (gsize) (p - text) + 1);

          return (guchar *) refuse_link (name, cause, error);
        }
      g_string_append_c (base64, *p == '-' ? '+' : *p == '_' ? '/' : *p);
    }
  if (base64->len == 0 || base64->len % QUAD == 1)
    return (guchar *) refuse_link (name, _ ("it is truncated"), error);
  while (base64->len % QUAD != 0)
    g_string_append_c (base64, '=');
  return g_base64_decode (base64->str, length);
}

NsExperiment *
ns_experiment_from_link (const char *link, const char *name, GError **error)
{
  g_autofree char *compact = dup_compact (link, name, error);
  g_autofree guchar *stream = NULL;
  g_autoptr (GByteArray) json = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const char *reason;
  gsize length;

  if (compact == NULL)
    return NULL;
  if (!g_str_has_prefix (compact, PREFIX))
    {
      refuse_link (name, _ ("it has a different prefix"), error);
      return NULL;
    }
  stream = decode (compact + strlen (PREFIX), name, &length, error);
  if (stream == NULL)
    return NULL;
  json = ns_zlib_inflate (stream, length, NS_LINK_MAX_JSON_BYTES, &reason);
  if (json == NULL)
    {
      refuse_link (name, reason, error);
      return NULL;
    }
  bytes = g_byte_array_free_to_bytes (g_steal_pointer (&json));
  return ns_experiment_from_minimal (bytes, name, error);
}
