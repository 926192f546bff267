/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-data.h"

#include <glib/gi18n-lib.h>

#include "document/ns-coordinate-data.h"
#include "document/ns-file.h"
#include "document/ns-paths-data.h"
#include "document/ns-result-csv.h"
#include "document/ns-result-json.h"
#include "document/ns-result-npy.h"
#include "document/ns-sensitivity-data.h"
#include "document/ns-sweep-data.h"
#include "document/ns-training-data.h"
#include "figures/ns-scaling.h"

static const char *const data_suffixes[] = {
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
normscope_data_new_paths (const NsPaths *paths)
{
  NormscopeData *self = g_new0 (NormscopeData, 1);

  self->paths = ns_paths_ref ((NsPaths *) paths);
  return self;
}

NormscopeData *
normscope_data_new_sweep (const NsSweep *sweep)
{
  NormscopeData *self = g_new0 (NormscopeData, 1);

  self->sweep = ns_sweep_ref ((NsSweep *) sweep);
  return self;
}

NormscopeData *
normscope_data_new_training (const NsTraining *training)
{
  NormscopeData *self = g_new0 (NormscopeData, 1);

  self->training = ns_training_ref ((NsTraining *) training);
  return self;
}

NormscopeData *
normscope_data_new_sensitivity (const NsSensitivity *map)
{
  NormscopeData *self = g_new0 (NormscopeData, 1);

  self->sensitivity = ns_sensitivity_ref ((NsSensitivity *) map);
  return self;
}

NormscopeData *
normscope_data_new_coordinates (const NsCoordinateCheck *check)
{
  NormscopeData *self = g_new0 (NormscopeData, 1);

  self->coordinates = ns_coordinate_check_ref ((NsCoordinateCheck *) check);
  return self;
}

gboolean
normscope_data_has_seeds (const NormscopeData *self)
{
  return self->sweep == NULL && self->coordinates == NULL;
}

gboolean
normscope_data_has_npy (const NormscopeData *self)
{
  return self->result != NULL || self->training != NULL || self->sensitivity != NULL;
}

void
normscope_data_free (NormscopeData *self)
{
  g_clear_pointer (&self->result, ns_result_unref);
  g_clear_pointer (&self->paths, ns_paths_unref);
  g_clear_pointer (&self->sweep, ns_sweep_unref);
  g_clear_pointer (&self->training, ns_training_unref);
  g_clear_pointer (&self->sensitivity, ns_sensitivity_unref);
  g_clear_pointer (&self->coordinates, ns_coordinate_check_unref);
  g_free (self->verified);
  g_free (self);
}

const char *
normscope_data_get_suffix (NormscopeDataFormat format)
{
  return data_suffixes[format];
}

gboolean
normscope_data_format_from_name (const NormscopeData *self, const char *name, NormscopeDataFormat *format,
                                 GError **error)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (int i = NORMSCOPE_DATA_CSV; i <= (normscope_data_has_npy (self) ? NORMSCOPE_DATA_NPY : NORMSCOPE_DATA_JSON); i++)
    if (g_str_has_suffix (lower, data_suffixes[i]))
      {
        *format = (NormscopeDataFormat) i;
        return TRUE;
      }
  if (!normscope_data_has_npy (self))
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

static GBytes *
export_paths (const NsPaths *paths, NormscopeDataFormat format, gboolean per_seed)
{
  if (format == NORMSCOPE_DATA_CSV)
    return ns_paths_to_csv (paths, NS_CSV_PROVENANCE | (per_seed ? NS_CSV_PER_SEED : 0));
  return per_seed ? ns_paths_to_json_per_seed (paths) : ns_paths_to_json (paths);
}

static GBytes *
export_training (const NsTraining *training, NormscopeDataFormat format, gboolean per_seed)
{
  switch (format)
    {
    case NORMSCOPE_DATA_JSON:
      return ns_training_to_json (training, per_seed);
    case NORMSCOPE_DATA_NPY:
      return ns_training_to_npy (training, per_seed);
    case NORMSCOPE_DATA_CSV:
    default:
      return ns_training_to_csv (training, NS_CSV_PROVENANCE | (per_seed ? NS_CSV_PER_SEED : 0));
    }
}

static GBytes *
export_sensitivity (const NsSensitivity *map, NormscopeDataFormat format, gboolean per_seed)
{
  if (format == NORMSCOPE_DATA_CSV)
    return ns_sensitivity_to_csv (map, NS_CSV_PROVENANCE | (per_seed ? NS_CSV_PER_SEED : 0));
  return format == NORMSCOPE_DATA_JSON ? ns_sensitivity_to_json (map, per_seed)
                                       : ns_sensitivity_to_npy (map, per_seed);
}

static GBytes *
export_coordinates (const NsCoordinateCheck *check, NormscopeDataFormat format)
{
  return format == NORMSCOPE_DATA_CSV ? ns_coordinate_check_to_csv (check, NS_CSV_PROVENANCE)
                                      : ns_coordinate_check_to_json (check);
}

GBytes *
normscope_data_export (const NormscopeData *self, NormscopeDataFormat format, gboolean per_seed)
{
  if (self->sweep != NULL)
    return export_sweep (self, format);
  if (self->paths != NULL)
    return export_paths (self->paths, format, per_seed);
  if (self->training != NULL)
    return export_training (self->training, format, per_seed);
  if (self->sensitivity != NULL)
    return export_sensitivity (self->sensitivity, format, per_seed);
  if (self->coordinates != NULL)
    return export_coordinates (self->coordinates, format);
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
