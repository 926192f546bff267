/* An experiment as a PyTorch script.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-torch-script.h"

#include "document/ns-decimal.h"
#include "document/ns-experiment-json.h"
#include "document/ns-provenance.h"
#include "ns-document-resources.h"

#include <math.h>
#include <string.h>

#define TEMPLATE "/org/normscope/document/torch-script.py"

/* Python's reader of JSON takes NaN and Infinity, which JSON itself has no word for. */
static void
append_number (GString *out, double value)
{
  char buffer[NS_DECIMAL_SIZE];

  if (isnan (value))
    g_string_append (out, "NaN");
  else if (isinf (value))
    g_string_append (out, value > 0 ? "Infinity" : "-Infinity");
  else
    g_string_append (out, ns_decimal_format (buffer, value));
}

/* "w_q": [null, 0.1, …], a number a site; nothing when the variant has the quantity nowhere. */
static void
append_quantity (GString *out, const NsResult *result, NsQuantity quantity)
{
  gint64 head = ns_experiment_get_head_site (ns_result_get_experiment (result));
  g_autoptr (GString) list = g_string_new (NULL);
  gboolean found = FALSE;

  for (gint64 site = 0; site <= head; site++)
    {
      double value;

      if (site > 0)
        g_string_append (list, ", ");
      if (ns_result_get_value (result, 0, quantity, site, 0, &value, NULL))
        {
          append_number (list, value);
          found = TRUE;
        }
      else
        g_string_append (list, "null");
    }
  if (found)
    g_string_append_printf (out, "%s\n  \"%s\": [%s]", out->len > 1 ? "," : "", ns_quantity_info (quantity)->name,
                            list->str);
}

static char *
dup_numbers (const NsResult *result)
{
  GString *out = g_string_new ("{");

  for (guint q = 0; q < NS_N_QUANTITIES; q++)
    append_quantity (out, result, (NsQuantity) q);
  g_string_append (out, "\n}");
  return g_string_free (out, FALSE);
}

/* Appends the template up to the mark, then the text; what is left of the template. */
static const char *
fill (GString *out, const char *rest, const char *mark, const char *text)
{
  const char *at = strstr (rest, mark);

  g_assert (at != NULL);
  g_string_append_len (out, rest, at - rest);
  g_string_append (out, text);
  return at + strlen (mark);
}

GBytes *
ns_torch_script_new (const NsResult *result)
{
  g_autoptr (GBytes) bytes = g_resource_lookup_data (ns_document_get_resource (), TEMPLATE,
                                                     G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autoptr (NsExperiment) experiment = ns_provenance_dup_experiment (result);
  g_autofree char *numbers = dup_numbers (result);
  g_autoptr (GBytes) json = ns_experiment_to_bytes (experiment);
  g_autofree char *settings = NULL;
  GString *out = g_string_new (NULL);
  const char *rest;

  g_assert (bytes != NULL);
  g_return_val_if_fail (experiment->variants->len == 1 && experiment->sampling.seeds == 1, NULL);

  /* Within r""" … """ a quote of JSON text is either escaped, as Python wants it too, or stands alone or in a pair. */
  settings = g_strndup (g_bytes_get_data (json, NULL), g_bytes_get_size (json));
  rest = g_bytes_get_data (bytes, NULL);
  rest = fill (out, rest, "@EXPERIMENT@", g_strchomp (settings));
  rest = fill (out, rest, "@NUMBERS@", numbers);
  g_string_append (out, rest);
  return g_string_free_to_bytes (out);
}
