/* Parse the options of a sweep: its points, its metric, the variants of a ratio.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-scaling.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-variant-match.h"
#include "engine/experiment/ns-variants.h"

#include "cli/ns-cli.h"

#include <glib/gi18n.h>
#include <string.h>

#define DEFAULT_DEPTHS "1..128"
/* Only 8 widths, since wide models take long. The window uses the same ones, and claims about the width state them. */
#define DEFAULT_WIDTHS "32..512:8"

void
ns_cli_sweep_request_clear (NsCliSweepRequest *request)
{
  g_free (request->depths);
  g_free (request->sweep);
  g_free (request->metric);
  g_free (request->ratio);
}

void
ns_cli_sweep_plan_clear (NsCliSweepPlan *plan)
{
  g_free (plan->points[NS_SWEEP_DEPTH]);
  g_free (plan->points[NS_SWEEP_D_MODEL]);
}

/* ---- points ---- */

/* Check the end of a range before creating its points, since "1..1000000000:every" would exhaust memory. */
static gboolean
check_end (const char *option, const char *text, const NsParam *param, GError **error)
{
  const char *dots = strstr (text, "..");
  gint64 last = dots != NULL ? g_ascii_strtoll (dots + 2, NULL, 10) : 0;

  if (last <= param->max)
    return TRUE;
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--%s: %lld is not allowed; allowed: from %.0f to %.0f"), option, (long long) last, param->min,
               param->max);
  return FALSE;
}

static gboolean
read_points (const char *option, const char *text, NsSweepAxis axis, NsCliSweepPlan *plan, GError **error)
{
  const NsParam *param = ns_param_find (axis == NS_SWEEP_DEPTH ? "shape.depth" : "shape.d_model");

  if (!check_end (option, text, param, error))
    return FALSE;
  g_free (plan->points[axis]);
  plan->points[axis] = ns_sweep_points_from_text (text, &plan->n_points[axis], error);
  if (plan->points[axis] == NULL)
    g_prefix_error (error, "--%s: ", option);
  return plan->points[axis] != NULL;
}

/* "d_model=32..512" */
static gboolean
read_sweep (const char *text, NsCliSweepPlan *plan, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *key = equals != NULL ? g_strndup (text, (gsize) (equals - text)) : NULL;

  if (equals != NULL)
    g_strdelimit (key, "-", '_');
  if (equals == NULL || (strcmp (key, "depth") != 0 && strcmp (key, "d_model") != 0))
    {
      g_autofree char *quoted = ns_text_dup_short (text, NS_TEXT_MAX_VALUE);

      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--sweep: “%s” is not allowed; allowed: depth=POINTS or d_model=POINTS, such as d_model=32..512"),
                   quoted);
      return FALSE;
    }
  plan->axis = strcmp (key, "depth") == 0 ? NS_SWEEP_DEPTH : NS_SWEEP_D_MODEL;
  return read_points ("sweep", equals + 1, plan->axis, plan, error);
}

gboolean
ns_cli_sweep_plan_init (NsCliSweepPlan *plan, const NsCliSweepRequest *request, const NsExperiment *experiment,
                        GError **error)
{
  *plan = (NsCliSweepPlan) { .axis = NS_SWEEP_DEPTH, .metric = ns_metric_get_default () };
  if (request->metric != NULL && !ns_metric_from_text (request->metric, &plan->metric, error))
    {
      g_prefix_error (error, "--metric: ");
      return FALSE;
    }
  if (!read_points ("depths", DEFAULT_DEPTHS, NS_SWEEP_DEPTH, plan, error)
      || !read_points ("sweep", DEFAULT_WIDTHS, NS_SWEEP_D_MODEL, plan, error))
    return FALSE;
  if (request->depths != NULL && !read_points ("depths", request->depths, NS_SWEEP_DEPTH, plan, error))
    return FALSE;
  if (request->sweep != NULL && !read_sweep (request->sweep, plan, error))
    return FALSE;
  if (request->sweep != NULL && request->depths != NULL
      && (plan->axis == NS_SWEEP_DEPTH || !request->for_claims))
    {
      g_autofree char *depths = ns_text_dup_short (request->depths, NS_TEXT_MAX_VALUE);
      g_autofree char *sweep = ns_text_dup_short (request->sweep, NS_TEXT_MAX_VALUE);

      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   plan->axis == NS_SWEEP_DEPTH
                       ? _ ("--depths %s and --sweep %s exclude each other, since both set depths; allowed: one of "
                            "them")
                       : _ ("--depths %s and --sweep %s exclude each other; allowed: one of them, or both with "
                            "--claims"),
                   depths, sweep);
      return FALSE;
    }
  plan->has_ratio = request->ratio != NULL;
  return !plan->has_ratio
         || ns_cli_find_ratio (experiment, "ratio", request->ratio, &plan->numerator, &plan->denominator, error);
}

static gboolean
has_metric (const NsExperiment *experiment, const NsMetric *metric)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_metric_exists (metric, experiment, v))
      return TRUE;
  return FALSE;
}

static void
refuse_metric (const NsExperiment *experiment, const NsMetric *metric, GError **error)
{
  g_autofree char *text = ns_metric_dup_text (metric);
  g_autoptr (GString) names = g_string_new (NULL);
  NsMetric other = { metric->quantity, metric->where, NS_PART_STACK };
  g_autofree char *plain = ns_metric_dup_text (&other);

  if (metric->part != NS_PART_STACK && has_metric (experiment, &other))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("metric: no variant of the experiment has %s, since its stack is single; allowed: %s, or --stack "
                      "encoder-decoder"),
                   text, plain);
      return;
    }
  other.part = ns_experiment_get_n_parts (experiment) > 1 ? metric->part : NS_PART_STACK;
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      other.quantity = q;
      if (has_metric (experiment, &other))
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", ns_quantity_info (q)->name);
    }
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("metric: no variant of the experiment has %s; allowed: %s"), text, names->str);
}

NsSweep *
ns_cli_sweep_new (const NsCliSweepPlan *plan, const NsExperiment *experiment, NsSweepAxis axis, NsMetric metric,
                  GError **error)
{
  if (!has_metric (experiment, &metric))
    {
      refuse_metric (experiment, &metric, error);
      return NULL;
    }
  return ns_sweep_new (experiment, axis, plan->points[axis], plan->n_points[axis], metric, error);
}

void
ns_cli_sweep_plan_options (const NsCliSweepPlan *plan, NsScalingOptions *options)
{
  options->stopped = TRUE;
  options->log_y = !ns_quantity_is_signed (plan->metric.quantity);
  if (!plan->has_ratio)
    return;
  options->view = NS_SCALING_RATIO;
  options->numerator = plan->numerator;
  options->denominator = plan->denominator;
}

/* ---- variants ---- */

static gboolean
find_variant_or_builtin (const NsExperiment *experiment, const char *name, guint *variant)
{
  if (ns_cli_match_variant (experiment, name, variant))
    return TRUE;
  *variant = ns_experiment_find_builtin (experiment, name);
  return *variant < NS_MAX_VARIANTS;
}

static gboolean
refuse_variant (const NsExperiment *experiment, const char *option, const char *name, GError **error)
{
  GString *names = g_string_new (NULL);
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);
  g_autofree char *quoted = ns_text_dup_short (name, NS_TEXT_MAX_VALUE);

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autofree char *line = ns_text_dup_short (ns_experiment_variant (experiment, v)->name, NS_TEXT_MAX_VALUE);

      g_string_append_printf (names, "%s“%s”", v > 0 ? ", " : "", line);
    }
  for (gsize i = 0; i < n; i++)
    if (ns_experiment_find_builtin (experiment, builtins[i].id) < NS_MAX_VARIANTS)
      g_string_append_printf (names, ", %s", builtins[i].id);
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s: the experiment has no variant “%s”; allowed: %s"),
               option, quoted, names->str);
  g_string_free (names, TRUE);
  return FALSE;
}

gboolean
ns_cli_find_variant (const NsExperiment *experiment, const char *option, const char *name, guint *variant,
                     GError **error)
{
  return find_variant_or_builtin (experiment, name, variant) || refuse_variant (experiment, option, name, error);
}

/* Try every slash as the separator, since a name can contain slashes. */
gboolean
ns_cli_find_ratio (const NsExperiment *experiment, const char *option, const char *text, guint *numerator,
                   guint *denominator, GError **error)
{
  const char *slash = strchr (text, '/');
  g_autofree char *first = slash != NULL ? g_strndup (text, (gsize) (slash - text)) : NULL;

  if (slash == NULL || slash == text || slash[1] == '\0')
    {
      g_autofree char *quoted = ns_text_dup_short (text, NS_TEXT_MAX_VALUE);

      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--%s: “%s” is not allowed; allowed: two variants separated by /, such as post/pre"), option,
                   quoted);
      return FALSE;
    }
  for (const char *at = slash; at != NULL; at = strchr (at + 1, '/'))
    {
      g_autofree char *name = g_strndup (text, (gsize) (at - text));

      if (find_variant_or_builtin (experiment, name, numerator)
          && find_variant_or_builtin (experiment, at + 1, denominator))
        return TRUE;
    }
  if (!ns_cli_find_variant (experiment, option, first, numerator, error))
    return FALSE;
  return refuse_variant (experiment, option, slash + 1, error);
}
