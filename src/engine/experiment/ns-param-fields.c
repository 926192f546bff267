/* Read, reset, copy and compare the fields of an experiment by parameter.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-params-private.h"

#include <math.h>
#include <string.h>

/* ---- getters ---- */

gint64
ns_param_get_int (const NsParam *param, gconstpointer base)
{
  switch (param->type)
    {
    case NS_TYPE_INTEGER:
      return NS_CONST_FIELD (gint64, param, base);
    case NS_TYPE_BOOLEAN:
      return NS_CONST_FIELD (gboolean, param, base);
    case NS_TYPE_CHOICE:
      return NS_CONST_FIELD (int, param, base);
    case NS_TYPE_NUMBER:
    case NS_TYPE_SCALE:
    case NS_TYPE_STRING:
    case NS_TYPE_LIST:
      break;
    }
  g_return_val_if_reached (0);
}

double
ns_param_get_number (const NsParam *param, gconstpointer base)
{
  switch (param->type)
    {
    case NS_TYPE_NUMBER:
      return NS_CONST_FIELD (double, param, base);
    case NS_TYPE_SCALE:
      return NS_CONST_FIELD (NsScale, param, base).number;
    case NS_TYPE_INTEGER:
    case NS_TYPE_BOOLEAN:
    case NS_TYPE_CHOICE:
      return (double) ns_param_get_int (param, base);
    case NS_TYPE_STRING:
    case NS_TYPE_LIST:
      break;
    }
  g_return_val_if_reached (NAN);
}

NsScale
ns_param_get_scale (const NsParam *param, gconstpointer base)
{
  NsScale none = { 0, NAN };

  g_return_val_if_fail (param->type == NS_TYPE_SCALE, none);
  return NS_CONST_FIELD (NsScale, param, base);
}

const char *
ns_param_get_string (const NsParam *param, gconstpointer base)
{
  g_return_val_if_fail (ns_param_is_text (param), NULL);
  return NS_CONST_FIELD (char *, param, base);
}

gint64
ns_param_null_int (const NsParam *param)
{
  return param->type == NS_TYPE_INTEGER && param->min > 0 ? 0 : NS_NULL_CHOICE;
}

gboolean
ns_param_is_null (const NsParam *param, gconstpointer base)
{
  if (!param->nullable)
    return FALSE;
  if (ns_param_is_text (param))
    return ns_param_get_string (param, base) == NULL;
  if (param->type == NS_TYPE_NUMBER)
    return isnan (ns_param_get_number (param, base));
  return ns_param_get_int (param, base) == ns_param_null_int (param);
}

/* ---- defaults and equality ---- */

void
ns_param_reset (const NsParam *param, gpointer base)
{
  switch (param->type)
    {
    case NS_TYPE_INTEGER:
      NS_FIELD (gint64, param, base) = (gint64) param->fallback;
      break;
    case NS_TYPE_BOOLEAN:
    case NS_TYPE_CHOICE:
      NS_FIELD (int, param, base) = (int) param->fallback;
      break;
    case NS_TYPE_NUMBER:
      NS_FIELD (double, param, base) = param->fallback;
      break;
    case NS_TYPE_SCALE:
      NS_FIELD (NsScale, param, base) = (NsScale) { param->fallback_rule, param->fallback };
      break;
    case NS_TYPE_STRING:
    case NS_TYPE_LIST:
      g_free (NS_FIELD (char *, param, base));
      NS_FIELD (char *, param, base) = NULL;
      break;
    default:
      g_return_if_reached ();
    }
}

static gboolean
numbers_equal (double a, double b)
{
  return a == b || (isnan (a) && isnan (b));
}

gboolean
ns_param_equal (const NsParam *param, gconstpointer a, gconstpointer b)
{
  if (ns_param_is_text (param))
    return g_strcmp0 (ns_param_get_string (param, a), ns_param_get_string (param, b)) == 0;
  if (param->type == NS_TYPE_SCALE)
    {
      NsScale x = ns_param_get_scale (param, a);
      NsScale y = ns_param_get_scale (param, b);

      return x.rule == y.rule && (x.rule != 0 || numbers_equal (x.number, y.number));
    }
  if (param->type == NS_TYPE_NUMBER)
    return numbers_equal (ns_param_get_number (param, a), ns_param_get_number (param, b));
  return ns_param_get_int (param, a) == ns_param_get_int (param, b);
}

/* ---- all fields of a struct ---- */

gboolean
ns_param_is_in_variant (const NsParam *param)
{
  return param->section == NS_SECTION_VARIANT;
}

gboolean
ns_param_is_of_training (const NsParam *param)
{
  return param->section == NS_SECTION_TRAINING
         || (ns_param_is_in_variant (param) && param->offset >= G_STRUCT_OFFSET (NsVariant, training)
             && param->offset < G_STRUCT_OFFSET (NsVariant, training) + sizeof (NsVariantTraining));
}

void
ns_params_reset (gpointer base, gboolean in_variant)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (ns_param_is_in_variant (&params[i]) == in_variant)
      ns_param_reset (&params[i], base);
}

void
ns_params_clear (gpointer base, gboolean in_variant)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (ns_param_is_in_variant (&params[i]) == in_variant && ns_param_is_text (&params[i]))
      g_clear_pointer (&NS_FIELD (char *, &params[i], base), g_free);
}

void
ns_params_copy (gpointer to, gconstpointer from, gsize size, gboolean in_variant)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  memcpy (to, from, size);
  for (gsize i = 0; i < n; i++)
    if (ns_param_is_in_variant (&params[i]) == in_variant && ns_param_is_text (&params[i]))
      NS_FIELD (char *, &params[i], to) = g_strdup (ns_param_get_string (&params[i], from));
}

gboolean
ns_params_equal (gconstpointer a, gconstpointer b, gboolean in_variant, gboolean with_training)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (ns_param_is_in_variant (&params[i]) == in_variant && (with_training || !ns_param_is_of_training (&params[i]))
        && !ns_param_equal (&params[i], a, b))
      return FALSE;
  return TRUE;
}
