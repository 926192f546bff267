/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-data.h"

#include <glib/gi18n-lib.h>

#include "document/ns-file.h"
#include "document/ns-result-json.h"
#include "document/ns-result-npy.h"
#include "document/ns-sweep-data.h"
#include "figures/ns-scaling.h"

static const char *const suffixes[] = {
  [NORMSCOPE_DATA_CSV] = ".csv",
  [NORMSCOPE_DATA_JSON] = ".json",
  [NORMSCOPE_DATA_NPY] = ".npy",
};

NormscopeData *
normscope_data_new_result (const NsResult *result)
{
  NormscopeData *self = g_new0 (NormscopeData, 1);

  self->result = ns_result_ref ((NsResult *) result);
  return self;
}

NormscopeData *
normscope_data_new_sweep (const NsSweep *sweep)
{
  NormscopeData *self = g_new0 (NormscopeData, 1);

  self->sweep = ns_sweep_ref ((NsSweep *) sweep);
  return self;
}

void
normscope_data_free (NormscopeData *self)
{
  g_clear_pointer (&self->result, ns_result_unref);
  g_clear_pointer (&self->sweep, ns_sweep_unref);
  g_free (self->verified);
  g_free (self);
}

const char *
normscope_data_get_suffix (NormscopeDataFormat format)
{
  return suffixes[format];
}

gboolean
normscope_data_format_from_name (const NormscopeData *self, const char *name, NormscopeDataFormat *format,
                                 GError **error)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (int i = NORMSCOPE_DATA_CSV; i <= (self->sweep != NULL ? NORMSCOPE_DATA_JSON : NORMSCOPE_DATA_NPY); i++)
    if (g_str_has_suffix (lower, suffixes[i]))
      {
        *format = (NormscopeDataFormat) i;
        return TRUE;
      }
  if (self->sweep != NULL)
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT,
                 _ ("%s: the data of this view can be written as .csv or .json"), name);
  else
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT,
                 _ ("%s: data can be written as .csv, .json or .npy"), name);
  return FALSE;
}

static GBytes *
export_sweep (const NormscopeData *self, NormscopeDataFormat format)
{
  guint n_variants = ns_sweep_get_experiment (self->sweep)->variants->len;
  g_autofree NsFit *fits = NULL;
  NsSweepRatio ratio = { .numerator = self->numerator, .denominator = self->denominator };

  if (format == NORMSCOPE_DATA_CSV)
    return ns_sweep_to_csv (self->sweep, NS_CSV_PROVENANCE);
  fits = g_new0 (NsFit, n_variants);
  for (guint v = 0; v < n_variants; v++)
    ns_scaling_fit (self->sweep, v, &fits[v]);
  if (self->has_ratio)
    ns_scaling_fit_ratio (self->sweep, self->numerator, self->denominator, &ratio.fit);
  return ns_sweep_to_json (self->sweep, fits, self->has_ratio ? &ratio : NULL);
}

GBytes *
normscope_data_export (const NormscopeData *self, NormscopeDataFormat format, gboolean per_seed)
{
  if (self->sweep != NULL)
    return export_sweep (self, format);
  switch (format)
    {
    case NORMSCOPE_DATA_JSON:
      return ns_result_to_json (self->result, per_seed, self->verified);
    case NORMSCOPE_DATA_NPY:
      return ns_result_to_npy (self->result, per_seed);
    case NORMSCOPE_DATA_CSV:
    default:
      return ns_result_to_csv (self->result, NS_CSV_PROVENANCE | (per_seed ? NS_CSV_PER_SEED : 0), self->verified);
    }
}
