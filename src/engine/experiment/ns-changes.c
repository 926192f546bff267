/* What changes from one experiment or variant to another, in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-changes.h"

#include "engine/experiment/ns-params-private.h"
#include "engine/experiment/ns-text.h"

#include <string.h>

/* Return the value as text, numbers with four significant digits, of a list how many it has. Caller frees. */
static char *
dup_short (const NsParam *param, gconstpointer base)
{
  g_autofree char *text = ns_param_dup_text (param, base);
  char digits[G_ASCII_DTOSTR_BUF_SIZE], *end;
  double number = g_ascii_strtod (text, &end);

  if (param->type == NS_TYPE_STRING && !ns_param_is_null (param, base))
    return ns_quote_text (text);
  if (param->type == NS_TYPE_LIST)
    return ns_param_dup_value_words (param, text);
  if (*end != '\0' || end == text || param->type == NS_TYPE_INTEGER)
    return g_steal_pointer (&text);
  return g_strdup (g_ascii_formatd (digits, sizeof digits, "%.4g", number));
}

/* Append "heads 32 → 8" if the values differ; return TRUE then. */
static gboolean
append_change (GString *list, const NsParam *param, gconstpointer from, gconstpointer to)
{
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  if (ns_param_equal (param, from, to))
    return FALSE;
  before = dup_short (param, from);
  after = dup_short (param, to);
  g_string_append_printf (list, "%s%s %s → %s", list->len > 0 ? ", " : "", param->key, before, after);
  return TRUE;
}

static gboolean
is_setting_of_variant (const NsParam *param)
{
  return ns_param_is_in_variant (param) && strcmp (param->key, "name") != 0;
}

static char *
end_list (GString *list)
{
  return g_string_free (list, list->len == 0);
}

char *
ns_variant_dup_changes (const NsVariant *from, const NsVariant *to)
{
  GString *list = g_string_new (NULL);
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (is_setting_of_variant (&params[i]))
      append_change (list, &params[i], from, to);
  return end_list (list);
}

static void
append_shared_changes (GString *list, const NsExperiment *from, const NsExperiment *to)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (!ns_param_is_in_variant (&params[i]))
      append_change (list, &params[i], from, to);
}

char *
ns_experiment_dup_shared_changes (const NsExperiment *from, const NsExperiment *to)
{
  GString *list = g_string_new (NULL);

  append_shared_changes (list, from, to);
  return end_list (list);
}

char *
ns_experiment_dup_changes (const NsExperiment *from, const NsExperiment *to)
{
  GString *list = g_string_new (NULL);
  guint n_variants = MIN (from->variants->len, to->variants->len);
  gsize n;
  const NsParam *params = ns_params (&n);

  append_shared_changes (list, from, to);
  for (gsize i = 0; i < n; i++)
    for (guint v = 0; is_setting_of_variant (&params[i]) && v < n_variants; v++)
      if (append_change (list, &params[i], ns_experiment_variant (from, v), ns_experiment_variant (to, v)))
        break;
  return end_list (list);
}
