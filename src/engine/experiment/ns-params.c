/* Check and set the fields of an experiment by parameter, and convert them to and from text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-params-private.h"

#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

gboolean
ns_param_parse_number (const char *text, double *value)
{
  char *end = NULL;

  if (*text == '\0' || g_ascii_isspace (*text) || strpbrk (text, "xX") != NULL)
    return FALSE;
  *value = g_ascii_strtod (text, &end);
  return *end == '\0';
}

static gboolean
refuse (const NsParam *param, const char *value, const char *where, GError **error)
{
  g_autofree char *allowed = ns_param_dup_allowed (param);
  g_autofree char *key = g_strconcat (where, ns_param_get_path (param), NULL);

  ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, key,
                           /* Translators: the key in the file, its value, the allowed values */
                           _ ("%s%s: %s is not allowed; allowed: %s"), where, ns_param_get_path (param), value,
                           allowed);
  return FALSE;
}

static gboolean
refuse_number (const NsParam *param, double value, const char *where, GError **error)
{
  g_autofree char *text = ns_dup_number (value);

  return refuse (param, text, where, error);
}

static gboolean
refuse_text (const NsParam *param, const char *value, const char *where, GError **error)
{
  double number;
  g_autofree char *quoted = NULL;

  if (value == NULL)
    return refuse (param, "null", where, error);
  if (param->type != NS_TYPE_STRING && ns_param_parse_number (value, &number))
    return refuse (param, value, where, error);
  quoted = ns_quote_text (value);
  return refuse (param, quoted, where, error);
}

/* ---- checks ---- */

static gboolean
int_is_allowed (const NsParam *param, gint64 value)
{
  return value >= (gint64) param->min && value <= (gint64) param->max;
}

static gboolean
number_is_allowed (const NsParam *param, double value)
{
  return isnan (value) ? param->nullable : value >= param->min && value <= param->max;
}

static gboolean
scale_is_allowed (const NsParam *param, NsScale value)
{
  guint n_choices = g_strv_length ((char **) param->choices);

  if (value.rule == 0)
    return number_is_allowed (param, value.number);
  return value.rule > 0 && (guint) value.rule <= n_choices;
}

static gboolean
string_is_allowed (const NsParam *param, const char *value)
{
  if (value == NULL)
    return param->nullable;
  if (param->type == NS_TYPE_LIST)
    {
      g_autofree char *list = ns_param_dup_checked_list (param, value);

      return list != NULL;
    }
  if (strlen (value) > (gsize) param->max)
    return FALSE;
  return param->one_line ? ns_text_is_line (value) : *value != '\0' && g_utf8_validate (value, -1, NULL);
}

gboolean
ns_param_check (const NsParam *param, gconstpointer base, const char *where, GError **error)
{
  switch (param->type)
    {
    case NS_TYPE_INTEGER:
    case NS_TYPE_BOOLEAN:
    case NS_TYPE_CHOICE:
      {
        gint64 value = ns_param_get_int (param, base);
        g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);

        return ns_param_is_null (param, base) || int_is_allowed (param, value) || refuse (param, text, where, error);
      }
    case NS_TYPE_NUMBER:
      {
        double value = ns_param_get_number (param, base);

        return number_is_allowed (param, value) || refuse_number (param, value, where, error);
      }
    case NS_TYPE_SCALE:
      {
        NsScale value = ns_param_get_scale (param, base);

        return scale_is_allowed (param, value)
               || refuse_number (param, value.rule == 0 ? value.number : value.rule, where, error);
      }
    case NS_TYPE_STRING:
    case NS_TYPE_LIST:
      {
        const char *value = ns_param_get_string (param, base);

        return string_is_allowed (param, value) || refuse_text (param, value, where, error);
      }
    default:
      g_return_val_if_reached (FALSE);
    }
}

/* ---- setters ---- */

gboolean
ns_param_set_int (const NsParam *param, gpointer base, gint64 value, const char *where, GError **error)
{
  g_autofree char *text = NULL;

  if (param->type == NS_TYPE_NUMBER || param->type == NS_TYPE_SCALE)
    return ns_param_set_number (param, base, (double) value, where, error);

  text = g_strdup_printf ("%" G_GINT64_FORMAT, value);
  if (ns_param_is_text (param) || !int_is_allowed (param, value))
    return refuse (param, text, where, error);

  if (param->type == NS_TYPE_INTEGER)
    NS_FIELD (gint64, param, base) = value;
  else
    NS_FIELD (int, param, base) = (int) value;
  return TRUE;
}

gboolean
ns_param_set_number (const NsParam *param, gpointer base, double value, const char *where, GError **error)
{
  switch (param->type)
    {
    case NS_TYPE_INTEGER:
      /* Also false for NaN; keeps the conversion to an integer within 64 bits. */
      if (!(fabs (value) < 1e18) || value != floor (value))
        return refuse_number (param, value, where, error);
      return ns_param_set_int (param, base, (gint64) value, where, error);
    case NS_TYPE_NUMBER:
      if (!number_is_allowed (param, value))
        return refuse_number (param, value, where, error);
      NS_FIELD (double, param, base) = value;
      return TRUE;
    case NS_TYPE_SCALE:
      return ns_param_set_scale (param, base, (NsScale) { 0, value }, where, error);
    case NS_TYPE_BOOLEAN:
    case NS_TYPE_CHOICE:
    case NS_TYPE_STRING:
    case NS_TYPE_LIST:
    default:
      return refuse_number (param, value, where, error);
    }
}

gboolean
ns_param_set_scale (const NsParam *param, gpointer base, NsScale value, const char *where, GError **error)
{
  g_return_val_if_fail (param->type == NS_TYPE_SCALE, FALSE);

  if (!scale_is_allowed (param, value))
    return refuse_number (param, value.rule == 0 ? value.number : value.rule, where, error);
  NS_FIELD (NsScale, param, base) = value;
  return TRUE;
}

static int
find_choice (const NsParam *param, const char *name)
{
  for (int i = 0; param->choices[i] != NULL; i++)
    if (strcmp (param->choices[i], name) == 0)
      return i;
  return -1;
}

static void
set_null (const NsParam *param, gpointer base)
{
  switch (param->type)
    {
    case NS_TYPE_NUMBER:
      NS_FIELD (double, param, base) = NAN;
      break;
    case NS_TYPE_INTEGER:
      NS_FIELD (gint64, param, base) = ns_param_null_int (param);
      break;
    case NS_TYPE_CHOICE:
    case NS_TYPE_BOOLEAN:
      NS_FIELD (int, param, base) = (int) ns_param_null_int (param);
      break;
    case NS_TYPE_SCALE:
    case NS_TYPE_STRING:
    case NS_TYPE_LIST:
    default:
      g_return_if_reached ();
    }
}

gboolean
ns_param_set_string (const NsParam *param, gpointer base, const char *value, const char *where, GError **error)
{
  int choice;

  if (value == NULL && param->nullable && !ns_param_is_text (param))
    {
      set_null (param, base);
      return TRUE;
    }

  switch (param->type)
    {
    case NS_TYPE_CHOICE:
    case NS_TYPE_SCALE:
      choice = value != NULL ? find_choice (param, value) : -1;
      if (choice < 0)
        break;
      if (param->type == NS_TYPE_CHOICE)
        NS_FIELD (int, param, base) = choice;
      else
        NS_FIELD (NsScale, param, base) = (NsScale) { choice + 1, param->fallback };
      return TRUE;
    case NS_TYPE_STRING:
    case NS_TYPE_LIST:
      if (!string_is_allowed (param, value))
        break;
      if (value != NS_FIELD (char *, param, base))
        {
          char *copy = param->type == NS_TYPE_LIST && value != NULL ? ns_param_dup_checked_list (param, value)
                                                                    : g_strdup (value);

          g_free (NS_FIELD (char *, param, base));
          NS_FIELD (char *, param, base) = copy;
        }
      return TRUE;
    case NS_TYPE_INTEGER:
    case NS_TYPE_NUMBER:
    case NS_TYPE_BOOLEAN:
    default:
      break;
    }

  /* Quote the value even when it reads as a number: a number in a string has the wrong type. */
  g_autofree char *quoted = value != NULL ? ns_quote_text (value) : g_strdup ("null");
  return refuse (param, quoted, where, error);
}

/* ---- text ---- */

static gboolean
set_number_text (const NsParam *param, gpointer base, const char *text, const char *where, GError **error)
{
  double number;

  /* NaN represents null in the field, but typing "nan" does not mean null. */
  if (!ns_param_parse_number (text, &number) || !isfinite (number))
    return refuse_text (param, text, where, error);

  if (param->type == NS_TYPE_INTEGER)
    {
      char *end = NULL;
      gint64 whole = g_ascii_strtoll (text, &end, 10);

      /* A double would round integers beyond 2^53. */
      if (*end == '\0' && int_is_allowed (param, whole))
        return ns_param_set_int (param, base, whole, where, error);
      if (number != floor (number) || number < param->min || number > param->max)
        return refuse_text (param, text, where, error);
    }
  else if (!number_is_allowed (param, number))
    return refuse_text (param, text, where, error);
  return ns_param_set_number (param, base, number, where, error);
}

static gboolean
set_boolean_text (const NsParam *param, gpointer base, const char *text, const char *where, GError **error)
{
  if (strcmp (text, "true") == 0 || strcmp (text, "on") == 0)
    return ns_param_set_int (param, base, TRUE, where, error);
  if (strcmp (text, "false") == 0 || strcmp (text, "off") == 0)
    return ns_param_set_int (param, base, FALSE, where, error);
  return refuse_text (param, text, where, error);
}

gboolean
ns_param_set_text (const NsParam *param, gpointer base, const char *text, const char *where, GError **error)
{
  g_return_val_if_fail (text != NULL, FALSE);

  if (param->nullable && strcmp (text, "null") == 0)
    return ns_param_set_string (param, base, NULL, where, error);

  switch (param->type)
    {
    case NS_TYPE_INTEGER:
    case NS_TYPE_NUMBER:
      return set_number_text (param, base, text, where, error);
    case NS_TYPE_BOOLEAN:
      return set_boolean_text (param, base, text, where, error);
    case NS_TYPE_SCALE:
      if (find_choice (param, text) < 0)
        return set_number_text (param, base, text, where, error);
      return ns_param_set_string (param, base, text, where, error);
    case NS_TYPE_CHOICE:
      if (find_choice (param, text) < 0)
        return refuse_text (param, text, where, error);
      return ns_param_set_string (param, base, text, where, error);
    case NS_TYPE_STRING:
    case NS_TYPE_LIST:
    default:
      return ns_param_set_string (param, base, text, where, error);
    }
}

char *
ns_param_dup_text (const NsParam *param, gconstpointer base)
{
  gint64 whole;
  double number;
  NsScale scale;

  if (ns_param_is_null (param, base))
    return g_strdup ("null");
  switch (param->type)
    {
    case NS_TYPE_INTEGER:
      return g_strdup_printf ("%" G_GINT64_FORMAT, ns_param_get_int (param, base));
    case NS_TYPE_BOOLEAN:
      return g_strdup (ns_param_get_int (param, base) ? "true" : "false");
    case NS_TYPE_CHOICE:
      whole = ns_param_get_int (param, base);
      g_return_val_if_fail (int_is_allowed (param, whole), NULL);
      return g_strdup (param->choices[whole]);
    case NS_TYPE_NUMBER:
      number = ns_param_get_number (param, base);
      return ns_dup_number (number);
    case NS_TYPE_SCALE:
      scale = ns_param_get_scale (param, base);
      g_return_val_if_fail (scale_is_allowed (param, scale), NULL);
      return scale.rule == 0 ? ns_dup_number (scale.number) : g_strdup (param->choices[scale.rule - 1]);
    case NS_TYPE_STRING:
    case NS_TYPE_LIST:
      return g_strdup (ns_param_get_string (param, base));
    default:
      g_return_val_if_reached (NULL);
    }
}
