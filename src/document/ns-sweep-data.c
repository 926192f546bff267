/* A sweep as CSV or JSON.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-sweep-data.h"

#include "document/ns-provenance.h"
#include "document/ns-result-room.h"
#include "engine/experiment/ns-settings.h"
#include "engine/experiment/ns-text.h"

#include <math.h>

#define SCALING_FORMAT "normscope-scaling"
#define SCALING_VERSION 1

static const char *const axis_names[] = { [NS_SWEEP_DEPTH] = "depth", [NS_SWEEP_D_MODEL] = "d_model" };
static const char *const status_names[] = {
  [NS_FIT_OK] = "ok",
  [NS_FIT_TOO_FEW_POINTS] = "too-few-points",
  [NS_FIT_TOO_SHORT] = "too-short",
  [NS_FIT_NOT_FINITE] = "not-finite",
  [NS_FIT_NONE] = "none",
};

static const char *
get_name (const NsSweep *sweep, guint variant)
{
  return ns_experiment_variant (ns_sweep_get_experiment (sweep), variant)->name;
}

static const char *
get_estimate (const NsSweep *sweep)
{
  return ns_gradient_estimate_get_name ((NsGradientEstimate) ns_sweep_get_experiment (sweep)->sampling.estimate);
}

/* ---- JSON ---- */

void
ns_exponent_write (NsJsonWriter *writer, const NsExponent *exponent)
{
  ns_json_open_compact (writer, "exponent", '{');
  ns_json_number (writer, "p", exponent->p);
  ns_json_number (writer, "error", exponent->error);
  ns_json_number (writer, "std", exponent->std);
  ns_json_integer (writer, "seeds", exponent->n_seeds);
  ns_json_close (writer, '}');
}

static void
write_fit (NsJsonWriter *writer, const NsFit *fit)
{
  gboolean has_laws = fit->status != NS_FIT_TOO_FEW_POINTS && fit->status != NS_FIT_NOT_FINITE;

  ns_exponent_write (writer, &fit->exponent);
  ns_json_string (writer, "status", status_names[fit->status]);
  ns_json_string (writer, "best", fit->status == NS_FIT_OK ? ns_law_get_name (fit->best) : NULL);
  ns_json_boolean (writer, "deviates", fit->deviates);
  ns_json_open (writer, "laws", '[');
  for (int law = 0; has_laws && law < NS_N_LAWS; law++)
    {
      const NsExponent *slope = &fit->laws[law].slope;
      double number, from, to;

      ns_law_get_number ((NsLaw) law, slope, &number, &from, &to);
      ns_json_open_compact (writer, NULL, '{');
      ns_json_string (writer, "law", ns_law_get_name ((NsLaw) law));
      ns_json_number (writer, "weight", fit->laws[law].weight);
      ns_json_number (writer, "relative_error", fit->laws[law].relative_error);
      ns_json_number (writer, "misfit", fit->laws[law].misfit);
      ns_json_number (writer, "aicc", fit->laws[law].aicc);
      if (law >= NS_LAW_POWER)
        {
          ns_json_number (writer, "number", number);
          ns_json_number (writer, "number_from", from);
          ns_json_number (writer, "number_to", to);
        }
      if (law == NS_LAW_STRETCHED)
        ns_json_integer (writer, "sign", slope->p < 0 ? -1 : 1);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');
}

static void
write_sweep_variant (NsJsonWriter *writer, const NsSweep *sweep, guint variant, const NsFit *fit)
{
  guint n;
  const gint64 *points = ns_sweep_get_points (sweep, &n);

  ns_json_open (writer, NULL, '{');
  ns_json_string (writer, "name", get_name (sweep, variant));
  ns_json_open (writer, "points", '[');
  for (guint i = 0; i < n; i++)
    {
      NsStat stat = { NAN, NAN, NAN, NAN, 0, 0, 0 };

      ns_sweep_get_stat (sweep, variant, i, &stat);
      ns_json_open_compact (writer, NULL, '{');
      ns_json_integer (writer, axis_names[ns_sweep_get_axis (sweep)], points[i]);
      ns_json_statistics (writer, &stat, TRUE);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');
  write_fit (writer, fit);
  ns_json_close (writer, '}');
}

void
ns_sweep_write (NsJsonWriter *writer, const NsSweep *sweep, const NsFit *fits, const NsSweepRatio *ratio)
{
  const NsExperiment *experiment = ns_sweep_get_experiment (sweep);
  NsMetric metric = ns_sweep_get_metric (sweep);
  g_autofree char *metric_text = ns_metric_dup_text (&metric);

  ns_provenance_write (writer, SCALING_FORMAT, SCALING_VERSION, experiment);
  ns_json_string (writer, "axis", axis_names[ns_sweep_get_axis (sweep)]);
  ns_json_string (writer, "metric", metric_text);
  if (ns_sweep_has_estimate (sweep))
    ns_json_string (writer, "estimate", get_estimate (sweep));
  ns_json_open (writer, "variants", '[');
  for (guint v = 0; v < experiment->variants->len; v++)
    write_sweep_variant (writer, sweep, v, &fits[v]);
  ns_json_close (writer, ']');
  if (ratio == NULL)
    return;
  ns_json_open (writer, "ratio", '{');
  ns_json_string (writer, "numerator", get_name (sweep, ratio->numerator));
  ns_json_string (writer, "denominator", get_name (sweep, ratio->denominator));
  write_fit (writer, &ratio->fit);
  ns_json_close (writer, '}');
}

GBytes *
ns_sweep_to_json (const NsSweep *sweep, const NsFit *fits, const NsSweepRatio *ratio)
{
  NsJsonWriter writer;

  if (!ns_sweep_has_room (sweep, NS_ROW_BYTES))
    return NULL;
  ns_json_writer_init (&writer);
  ns_json_open (&writer, NULL, '{');
  ns_sweep_write (&writer, sweep, fits, ratio);
  ns_json_open (&writer, "expectations", '[');
  ns_json_close (&writer, ']');
  ns_json_close (&writer, '}');
  return ns_json_writer_finish (&writer);
}

/* ---- CSV ---- */

GBytes *
ns_sweep_to_csv (const NsSweep *sweep, NsCsvFlags flags)
{
  const NsExperiment *experiment = ns_sweep_get_experiment (sweep);
  GString *csv;
  NsMetric metric = ns_sweep_get_metric (sweep);
  g_autofree char *metric_text = ns_metric_dup_text (&metric);
  guint n;
  const gint64 *points = ns_sweep_get_points (sweep, &n);
  gboolean has_estimate = ns_sweep_has_estimate (sweep);

  if (!ns_sweep_has_room (sweep, NS_ROW_BYTES + 2 * ns_experiment_get_longest_name (experiment)))
    return NULL;
  csv = ns_csv_begin (experiment, flags);
  g_string_append_printf (csv, "variant,metric,%s%s,seed,value,log10\n", has_estimate ? "estimate," : "",
                          axis_names[ns_sweep_get_axis (sweep)]);
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autofree char *name = ns_csv_dup_field (get_name (sweep, v));

      for (guint i = 0; i < n; i++)
        for (guint s = 0; s < ns_sweep_get_n_seeds (sweep); s++)
          {
            double value = NAN, log10_value = NAN;

            ns_sweep_get_value (sweep, v, i, s, &value, &log10_value);
            g_string_append_printf (csv, "%s,%s,", name, metric_text);
            if (has_estimate)
              g_string_append_printf (csv, "%s,", get_estimate (sweep));
            g_string_append_printf (csv, "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT, points[i],
                                    experiment->sampling.seed + s);
            ns_csv_append_number (csv, value);
            ns_csv_append_number (csv, log10_value);
            g_string_append_c (csv, '\n');
          }
    }
  return g_string_free_to_bytes (csv);
}
