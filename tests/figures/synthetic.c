/* Results with values chosen by a test.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "synthetic.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-paths-private.h"
#include "engine/run/ns-result-private.h"
#include "figures/ns-paths-figure.h"

#include <math.h>

NsExperiment *
synthetic_experiment (gint64 depth, const char *const *variants)
{
  NsExperiment *experiment = ns_experiment_new ();
  GError *error = NULL;

  experiment->shape.depth = depth;
  g_ptr_array_set_size (experiment->variants, 0);
  for (; *variants != NULL; variants++)
    {
      NsVariant *variant = ns_variant_from_text (*variants, &error);

      g_assert_no_error (error);
      g_ptr_array_add (experiment->variants, variant);
    }
  ns_experiment_validate (experiment, &error);
  g_assert_no_error (error);
  return experiment;
}

NsResult *
synthetic_result (const NsExperiment *experiment, guint n_seeds)
{
  NsResult *result = ns_result_new_of (experiment, 0, n_seeds, NULL);

  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      for (gint64 site = 0; site <= ns_experiment_get_head_site (experiment); site++)
        for (guint s = 0; ns_quantity_exists ((NsQuantity) q, experiment, v, site) && s < n_seeds; s++)
          {
            double log10_value = -1 - 0.01 * (double) site - 0.0007 * q - 0.00003 * v + 0.000001 * (s + 1) * (s + 1);

            ns_result_set (result, v, (NsQuantity) q, site, s, pow (10, log10_value), log10_value);
          }
  return result;
}

NsPaths *
synthetic_paths (const NsExperiment *experiment, NsPathsKind kind, guint n_seeds)
{
  NsPathsOptions options;
  NsPathsSettings settings;
  NsPaths *paths;

  ns_paths_options_init (&options);
  settings = ns_paths_options_get_settings (&options, kind);
  paths = ns_paths_new (experiment, &settings, 0, n_seeds, NULL);
  g_assert_nonnull (paths);
  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint m = 0; m < NS_N_MAPS; m++)
      {
        gint64 rows, columns;

        ns_paths_get_size (paths, v, (NsPathsMap) m, &rows, &columns);
        for (gint64 cell = 0; cell < rows * columns; cell++)
          for (guint s = 0; s < n_seeds; s++)
            {
              double log10_value = -1 - 0.001 * (double) cell - 0.0003 * v + 0.00001 * (s + 1) * (s + 1);

              ns_paths_set (paths, v, (NsPathsMap) m, cell / columns, cell % columns, s, pow (10, log10_value),
                            log10_value);
            }
        for (guint s = 0; s < n_seeds; s++)
          ns_paths_finish (paths, v, s);
      }
  return paths;
}

void
synthetic_set_map (NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column, double value)
{
  NsPathsTable *table = &paths->variants[variant].tables[map];

  for (guint s = 0; s < ns_paths_get_n_seeds (paths); s++)
    {
      gsize i = ns_paths_get_index (paths, table, row, column, s);

      table->values[i] = value;
      if (table->log10_values != NULL)
        table->log10_values[i] = log10 (value);
    }
}

void
synthetic_set_curve (NsResult *result, guint variant, NsQuantity quantity, const double *log10_values, gsize n,
                     double spread)
{
  for (gsize i = 0; i < n; i++)
    for (guint s = 0; s < ns_result_get_n_seeds (result); s++)
      {
        double log10_value = log10_values[i] + ((s + i) % 2 == 0 ? spread : -spread);

        ns_result_set (result, variant, quantity, (gint64) i + 1, s, pow (10, log10_value), log10_value);
      }
}

void
synthetic_set (NsResult *result, guint variant, NsQuantity quantity, gint64 site, double value, double log10_value)
{
  for (guint s = 0; s < ns_result_get_n_seeds (result); s++)
    ns_result_set (result, variant, quantity, site, s, value, log10_value);
}

char *
synthetic_dup_sentence (const char *sentence, guint n_seeds, gboolean is_log)
{
  if (n_seeds < 2)
    return g_strdup (sentence);
  return g_strdup_printf ("%s\n%s means over %u seeds.", sentence, is_log ? "Geometric" : "Arithmetic", n_seeds);
}
