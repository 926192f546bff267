/* The settings of a scaling figure.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-scaling-settings.h"

#include <stddef.h>

#include "engine/analysis/ns-mean-field.h"
#include "engine/experiment/ns-params.h"

#define GROUP "scaling"
#define KEY_METRIC "metric"
#define KEY_LAWS "laws"
#define KEY_THEORY_DEPTH "theory-depth"

/* The parameter that bounds each axis. */
static const char *const axis_params[NS_N_SWEEP_AXES] = {
  [NS_SWEEP_DEPTH] = "shape.depth",
  [NS_SWEEP_D_MODEL] = "shape.d_model",
};
static const char *const axis_names[NS_N_SWEEP_AXES] = {
  [NS_SWEEP_DEPTH] = "depth",
  [NS_SWEEP_D_MODEL] = "d_model",
};

static const struct
{
  const char *key;
  gsize offset; /* of a gboolean member */
} switches[] = {
  { "every", offsetof (NsScalingSettings, every) },
  { "log-x", offsetof (NsScalingSettings, log_x) },
  { "log-y", offsetof (NsScalingSettings, log_y) },
  { "best-law", offsetof (NsScalingSettings, best_law) },
  { "residuals", offsetof (NsScalingSettings, residuals) },
  { "ratio", offsetof (NsScalingSettings, ratio) },
  { "theory", offsetof (NsScalingSettings, theory) },
};

void
ns_scaling_settings_init (NsScalingSettings *settings)
{
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  *settings = (NsScalingSettings) {
    .metric = ns_metric_get_default (),
    .axis = NS_SWEEP_DEPTH,
    .first = { 1, 32 },
    .last = { 128, 512 },
    .log_x = options.log_x,
    .log_y = options.log_y,
    .best_law = options.best_law,
    .residuals = options.residuals,
    .laws = options.laws,
    .numerator = options.numerator,
    .denominator = options.denominator,
    .theory = options.predictions,
    .theory_depth = options.theory_depth,
  };
}

guint
ns_scaling_settings_compare (const NsScalingSettings *a, const NsScalingSettings *b)
{
  guint change = 0;

  if (a->metric.quantity != b->metric.quantity || a->metric.where != b->metric.where
      || a->metric.part != b->metric.part || a->axis != b->axis || a->every != b->every
      || a->first[a->axis] != b->first[a->axis] || a->last[a->axis] != b->last[a->axis])
    change |= NS_SCALING_CHANGED_SWEEP;
  if (a->log_x != b->log_x || a->log_y != b->log_y || a->residuals != b->residuals || a->ratio != b->ratio
      || a->theory != b->theory || (a->theory && a->theory_depth != b->theory_depth))
    change |= NS_SCALING_CHANGED_AXES;
  if (a->best_law != b->best_law || a->laws != b->laws || a->numerator != b->numerator
      || a->denominator != b->denominator)
    change |= NS_SCALING_CHANGED_FIGURE;
  for (int axis = 0; axis < NS_N_SWEEP_AXES; axis++)
    if (axis != (int) a->axis && (a->first[axis] != b->first[axis] || a->last[axis] != b->last[axis]))
      change |= NS_SCALING_CHANGED_UNSEEN;
  return change;
}

NsMetric
ns_scaling_settings_get_metric (const NsScalingSettings *settings, const NsExperiment *experiment)
{
  NsMetric metric = settings->metric;

  if (ns_experiment_get_n_parts (experiment) < 2)
    metric.part = NS_PART_STACK;
  return metric;
}

char *
ns_scaling_settings_dup_points (const NsScalingSettings *settings, NsSweepAxis axis)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT "..%" G_GINT64_FORMAT "%s", settings->first[axis], settings->last[axis],
                          settings->every ? ":every" : "");
}

void
ns_scaling_settings_get_options (const NsScalingSettings *settings, const NsSweep *sweep, NsScalingOptions *options)
{
  NsQuantity quantity = ns_sweep_get_metric (sweep).quantity;
  guint n = ns_sweep_get_experiment (sweep)->variants->len;

  ns_scaling_options_init (options);
  options->log_x = settings->log_x;
  /* A cosine has no logarithm where it is negative. */
  options->log_y = settings->log_y && !ns_quantity_is_signed (quantity);
  options->best_law = settings->best_law;
  options->laws = settings->laws;
  options->residuals = settings->residuals;
  options->predictions = settings->theory;
  options->theory_depth = settings->theory_depth;
  options->numerator = MIN (settings->numerator, n - 1);
  options->denominator = MIN (settings->denominator, n - 1);
  if (settings->ratio && n > 1)
    options->view = NS_SCALING_RATIO;
}

/* ---- a key file ---- */

void
ns_scaling_settings_write (const NsScalingSettings *settings, GKeyFile *file)
{
  g_autofree char *metric = ns_metric_dup_text (&settings->metric);

  g_key_file_set_string (file, GROUP, KEY_METRIC, metric);
  g_key_file_set_string (file, GROUP, "axis", axis_names[settings->axis]);
  for (int axis = 0; axis < NS_N_SWEEP_AXES; axis++)
    {
      g_autofree char *range = g_strdup_printf ("%" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, settings->first[axis],
                                                settings->last[axis]);

      g_key_file_set_string (file, GROUP, axis_names[axis], range);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    g_key_file_set_boolean (file, GROUP, switches[i].key, G_STRUCT_MEMBER (gboolean, settings, switches[i].offset));
  g_key_file_set_integer (file, GROUP, KEY_LAWS, (int) settings->laws);
  g_key_file_set_integer (file, GROUP, "numerator", (int) settings->numerator);
  g_key_file_set_integer (file, GROUP, "denominator", (int) settings->denominator);
  g_key_file_set_integer (file, GROUP, KEY_THEORY_DEPTH, settings->theory_depth);
}

static void
read_range (NsScalingSettings *settings, int axis, const char *text)
{
  const NsParam *param = ns_param_find (axis_params[axis]);
  gint64 first, last;
  char *end;

  first = g_ascii_strtoll (text, &end, 10);
  if (end == text || !g_str_has_prefix (end, ".."))
    return;
  last = g_ascii_strtoll (end + 2, &end, 10);
  if (*end != '\0' || (double) first < param->min || first > last || (double) last > param->max)
    return;
  settings->first[axis] = first;
  settings->last[axis] = last;
}

static void
read_count (GKeyFile *file, const char *key, guint limit, guint *value)
{
  g_autoptr (GError) error = NULL;
  int read = g_key_file_get_integer (file, GROUP, key, &error);

  if (error == NULL && read >= 0 && (guint) read < limit)
    *value = (guint) read;
}

void
ns_scaling_settings_read (NsScalingSettings *settings, GKeyFile *file)
{
  g_autofree char *metric_text = g_key_file_get_string (file, GROUP, KEY_METRIC, NULL);
  g_autofree char *axis_name = g_key_file_get_string (file, GROUP, "axis", NULL);
  int depth = g_key_file_get_integer (file, GROUP, KEY_THEORY_DEPTH, NULL);
  NsMetric metric;

  if (depth >= 1 && depth <= NS_MEAN_FIELD_MAX_DEPTH)
    settings->theory_depth = depth;
  if (metric_text != NULL && ns_metric_from_text (metric_text, &metric, NULL))
    settings->metric = metric;
  for (int axis = 0; axis < NS_N_SWEEP_AXES; axis++)
    {
      g_autofree char *range = g_key_file_get_string (file, GROUP, axis_names[axis], NULL);

      if (g_strcmp0 (axis_name, axis_names[axis]) == 0)
        settings->axis = (NsSweepAxis) axis;
      if (range != NULL)
        read_range (settings, axis, range);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean active = g_key_file_get_boolean (file, GROUP, switches[i].key, &error);

      if (error == NULL)
        G_STRUCT_MEMBER (gboolean, settings, switches[i].offset) = active;
    }
  read_count (file, KEY_LAWS, 1u << NS_N_LAWS, &settings->laws);
  read_count (file, "numerator", NS_MAX_VARIANTS, &settings->numerator);
  read_count (file, "denominator", NS_MAX_VARIANTS, &settings->denominator);
}
