/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-weight-source.h"
#include "engine/ops/ns-memory.h"
#include "engine/run/ns-engine.h"
#include "engine/run/ns-sweep-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* ---- metrics ---- */

static const char *const where_names[NS_N_WHERES] = { "last", "first", "max", "total", "squares" };

/* Read the part before the colon, if any; *rest is the text after it. */
static gboolean
read_part (const char *text, NsPart *part, const char **rest, GError **error)
{
  const char *colon = strchr (text, ':');
  g_autofree char *name = colon != NULL ? g_strndup (text, (gsize) (colon - text)) : NULL;
  g_autofree char *quoted = NULL;

  *part = NS_PART_STACK;
  *rest = colon != NULL ? colon + 1 : text;
  if (name == NULL)
    return TRUE;
  for (*part = NS_PART_ENCODER; *part <= NS_PART_DECODER; (*part)++)
    if (strcmp (name, ns_part_get_name (*part)) == 0)
      return TRUE;
  quoted = ns_text_dup_short (name, NS_TEXT_MAX_VALUE);
  g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
               _ ("metric: “%s:” is not a part; allowed: encoder:, decoder:, or none"), quoted);
  return FALSE;
}

static gboolean
read_where (const char *name, NsWhere *where, GError **error)
{
  g_autofree char *quoted = ns_text_dup_short (name, NS_TEXT_MAX_VALUE);

  for (guint i = 0; i < G_N_ELEMENTS (where_names); i++)
    if (strcmp (name, where_names[i]) == 0)
      {
        *where = (NsWhere) i;
        return TRUE;
      }
  g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
               _ ("metric: “@%s” is not a place; allowed: @last, @first, @max, @total, @squares"), quoted);
  return FALSE;
}

/* Return the names of the quantities that are not gradients of one tensor; caller frees. */
static char *
dup_other_names (void)
{
  GString *names = g_string_new (NULL);

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_info (q)->group != NS_GROUP_TENSOR)
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", ns_quantity_info (q)->name);
  return g_string_free (names, FALSE);
}

NsMetric
ns_metric_get_default (void)
{
  return (NsMetric) { NS_Q_W_2, NS_AT_LAST, NS_PART_STACK };
}

gboolean
ns_metric_from_text (const char *text, NsMetric *metric, GError **error)
{
  NsMetric found = ns_metric_get_default ();
  g_autofree char *name = NULL;
  const char *rest, *at;

  if (!read_part (text, &found.part, &rest, error))
    return FALSE;
  at = strchr (rest, '@');
  name = at != NULL ? g_strndup (rest, (gsize) (at - rest)) : g_strdup (rest);
  if (!ns_quantity_from_name (name, &found.quantity))
    {
      g_autofree char *others = dup_other_names ();
      g_autofree char *quoted = ns_text_dup_short (name, NS_TEXT_MAX_VALUE);

      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                   _ ("metric: there is no quantity “%s”; allowed: a tensor such as w_q or w_2, %s"), quoted, others);
      return FALSE;
    }
  if (at != NULL && !read_where (at + 1, &found.where, error))
    return FALSE;
  *metric = found;
  return TRUE;
}

char *
ns_metric_dup_text (const NsMetric *metric)
{
  gboolean has_part = metric->part != NS_PART_STACK;

  return g_strdup_printf ("%s%s%s@%s", has_part ? ns_part_get_name (metric->part) : "", has_part ? ":" : "",
                          ns_quantity_info (metric->quantity)->name, where_names[metric->where]);
}

gboolean
ns_metric_exists (const NsMetric *metric, const NsExperiment *experiment, guint variant)
{
  gint64 first = ns_experiment_get_site (experiment, metric->part, 1);
  gint64 last = first + ns_experiment_get_depth (experiment, metric->part) - 1;

  if (metric->part != NS_PART_STACK && experiment->shape.stack == NS_STACK_SINGLE)
    return FALSE;
  return ns_quantity_exists (metric->quantity, experiment, variant, first)
         || ns_quantity_exists (metric->quantity, experiment, variant, last)
         || (ns_quantity_is_of_input (metric->quantity)
             && ns_quantity_exists (metric->quantity, experiment, variant, first - 1))
         || ns_quantity_exists (metric->quantity, experiment, variant, ns_experiment_get_head_site (experiment));
}

/* ---- points ---- */

gint64 *
ns_sweep_points (gint64 first, gint64 last, guint n, guint *length)
{
  guint64 span = (guint64) (last - first) + 1;
  guint max_length = n == 0 ? (guint) MIN (span, G_MAXUINT32) : (guint) MIN (span, n);
  gint64 *points = g_new (gint64, max_length);
  double step = max_length > 1 ? log ((double) last / (double) first) / (max_length - 1) : 0;

  *length = 0;
  for (guint i = 0; i < max_length; i++)
    {
      gint64 x = n == 0 ? first + i : (gint64) llround ((double) first * exp (step * i));

      x = CLAMP (x, first, last);
      if (*length == 0 || x > points[*length - 1])
        points[(*length)++] = x;
    }
  points[*length - 1] = last;
  return points;
}

#define DEFAULT_POINTS 20 /* more markers would touch on a logarithmic axis */
#define MAX_POINTS 65536  /* the largest depth */

static gboolean
read_whole (const char *text, gint64 *value)
{
  return g_ascii_string_to_signed (text, 10, 1, G_MAXINT32, value, NULL);
}

/* Read "first..last", optionally followed by ":every" or ":n". */
static gint64 *
read_range (const char *text, guint *length)
{
  g_auto (GStrv) parts = g_strsplit (text, "..", 2);
  g_auto (GStrv) end = parts[0] != NULL && parts[1] != NULL ? g_strsplit (parts[1], ":", 2) : NULL;
  gint64 first, last, n = DEFAULT_POINTS;

  if (end == NULL || end[0] == NULL || !read_whole (parts[0], &first) || !read_whole (end[0], &last) || last <= first)
    return NULL;
  if (end[1] != NULL && strcmp (end[1], "every") == 0)
    n = 0;
  else if (end[1] != NULL && (!read_whole (end[1], &n) || n < 2 || n > MAX_POINTS))
    return NULL;
  if (n == 0 && last - first >= MAX_POINTS)
    return NULL;
  return ns_sweep_points (first, last, (guint) n, length);
}

static gint64 *
read_list (const char *text, guint *length)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  g_autofree gint64 *points = g_new (gint64, g_strv_length (parts) + 1);

  for (*length = 0; parts[*length] != NULL; (*length)++)
    if (!read_whole (g_strstrip (parts[*length]), &points[*length])
        || (*length > 0 && points[*length] <= points[*length - 1]))
      return NULL;
  return *length > 0 ? g_steal_pointer (&points) : NULL;
}

gint64 *
ns_sweep_points_from_text (const char *text, guint *length, GError **error)
{
  gint64 *points = strstr (text, "..") != NULL ? read_range (text, length) : read_list (text, length);

  if (points == NULL)
    {
      g_autofree char *quoted = ns_text_dup_short (text, NS_TEXT_MAX_VALUE);

      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                   _ ("“%s” is not a list of points; allowed: a range such as 1..128, 1..128:every or 1..128:20, or "
                      "ascending whole numbers such as 2,4,8"),
                   quoted);
    }
  return points;
}

/* ---- the experiment at one point ---- */

/* Return the largest number of heads, up to the given one, that divides d_model. */
static gint64
fitting_heads (gint64 heads, gint64 d_model)
{
  while (d_model % heads != 0)
    heads--;
  return heads;
}

NsExperiment *
ns_sweep_make_experiment (const NsSweep *sweep, guint point)
{
  NsExperiment *e = ns_experiment_copy (sweep->experiment);
  gint64 x = sweep->points[point], d_head = ns_shape_get_d_head (&e->shape);

  for (guint v = 0; v < e->variants->len; v++) /* not measured; those that are read fit one shape only */
    g_clear_pointer (&ns_experiment_variant (e, v)->source, ns_weight_source_unref);
  if (sweep->axis == NS_SWEEP_DEPTH)
    ns_shape_set_depth (&e->shape, x);
  else
    {
      e->shape.d_ff = MAX (1, llround ((double) e->shape.d_ff * (double) x / (double) e->shape.d_model));
      e->shape.d_model = x;
      if (e->shape.d_head == 0)
        {
          e->shape.heads = fitting_heads (MIN (e->shape.heads, x), x);
          e->shape.kv_heads
              = MIN (e->shape.kv_heads, fitting_heads (ns_shape_get_kv_heads (&e->shape), e->shape.heads));
        }
      ns_experiment_fit_rotary (e, d_head);
    }
  return e;
}

gboolean
ns_variant_depends_on_depth (const NsExperiment *experiment, guint variant)
{
  const NsVariant *v = ns_experiment_variant (experiment, variant);
  /* with a fraction of 0 or 1 all blocks have the same norms at every depth; a single block that is Pre-LN has a final
   * norm that others may lack */
  gboolean mixed = v->post_fraction > 0 && v->post_fraction < 1;

  return experiment->shape.stack == NS_STACK_ENCODER_DECODER || mixed || v->first_block_pre
         || ns_variant_scales_with_depth (v);
}

/* ---- the sweep ---- */

NsSweep *
ns_sweep_new (const NsExperiment *experiment, NsSweepAxis axis, const gint64 *points, guint n_points, NsMetric metric,
              GError **error)
{
  NsSweep *sweep = g_new0 (NsSweep, 1);
  gsize n;

  atomic_init (&sweep->references, 1);
  sweep->experiment = ns_experiment_copy (experiment);
  sweep->axis = axis;
  sweep->metric = metric;
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_experiment_variant (experiment, v)->source == NULL)
      sweep->variants |= 1u << v;
  sweep->points = g_memdup2 (points, n_points * sizeof *points);
  sweep->n_points = n_points;
  if (sweep->variants == 0)
    {
      ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, "variants",
                               _ ("variants: the weights of %s fit one shape, and a sweep changes it; allowed: at "
                                  "least one variant with random weights"),
                               ns_experiment_variant (experiment, 0)->source->name);
      ns_sweep_unref (sweep);
      return NULL;
    }
  for (guint p = 0; p < n_points; p++)
    {
      g_autoptr (NsExperiment) e = ns_sweep_make_experiment (sweep, p);

      if (!ns_experiment_validate (e, error))
        {
          ns_sweep_unref (sweep);
          return NULL;
        }
    }
  n = (gsize) experiment->variants->len * n_points * (gsize) experiment->sampling.seeds;
  if (ns_memory_has_room (2 * (guint64) n * sizeof (SweepValue))) /* curves, fits and claims are made from the values */
    sweep->values = ns_memory_try_new (SweepValue, n);
  if (sweep->values == NULL)
    {
      g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                           _ ("The system refused memory for the sweep"));
      ns_sweep_unref (sweep);
      return NULL;
    }
  for (gsize i = 0; i < n; i++)
    {
      sweep->values[i].value = sweep->values[i].log10_value = NAN;
      atomic_init (&sweep->values[i].ready, FALSE);
    }
  return sweep;
}

gboolean
ns_sweep_measures (const NsSweep *sweep, guint variant)
{
  return (sweep->variants >> variant & 1) != 0;
}

void
ns_sweep_limit_variants (NsSweep *sweep, guint32 variants)
{
  sweep->variants &= variants;
}

NsSweep *
ns_sweep_ref (NsSweep *sweep)
{
  atomic_fetch_add (&sweep->references, 1);
  return sweep;
}

void
ns_sweep_unref (NsSweep *sweep)
{
  if (sweep == NULL || atomic_fetch_sub (&sweep->references, 1) != 1)
    return;
  ns_experiment_free (sweep->experiment);
  g_free (sweep->points);
  g_free (sweep->values);
  g_free (sweep);
}

const NsExperiment *
ns_sweep_get_experiment (const NsSweep *sweep)
{
  return sweep->experiment;
}

NsSweepAxis
ns_sweep_get_axis (const NsSweep *sweep)
{
  return sweep->axis;
}

gboolean
ns_sweep_has_estimate (const NsSweep *sweep)
{
  return sweep->experiment->sampling.batches > 1 && ns_quantity_is_of_parameters (sweep->metric.quantity);
}

NsMetric
ns_sweep_get_metric (const NsSweep *sweep)
{
  return sweep->metric;
}

const gint64 *
ns_sweep_get_points (const NsSweep *sweep, guint *n_points)
{
  *n_points = sweep->n_points;
  return sweep->points;
}

guint
ns_sweep_get_n_seeds (const NsSweep *sweep)
{
  return (guint) sweep->experiment->sampling.seeds;
}

double
ns_sweep_get_elapsed_ms (const NsSweep *sweep)
{
  return atomic_load (&sweep->elapsed_us) / 1e3;
}

void
ns_sweep_set_elapsed_ms (NsSweep *sweep, double elapsed_ms)
{
  atomic_store (&sweep->elapsed_us, (long long) (1e3 * elapsed_ms));
}

SweepValue *
ns_sweep_at (const NsSweep *sweep, guint variant, guint point, guint seed)
{
  return &sweep->values[((gsize) variant * sweep->n_points + point) * ns_sweep_get_n_seeds (sweep) + seed];
}

gboolean
ns_sweep_get_value (const NsSweep *sweep, guint variant, guint point, guint seed, double *value, double *log10_value)
{
  const SweepValue *v;

  g_return_val_if_fail (variant < sweep->experiment->variants->len, FALSE);
  g_return_val_if_fail (point < sweep->n_points && seed < ns_sweep_get_n_seeds (sweep), FALSE);

  v = ns_sweep_at (sweep, variant, point, seed);
  if (!atomic_load_explicit (&v->ready, memory_order_acquire))
    return FALSE;
  if (value != NULL)
    *value = v->value;
  if (log10_value != NULL)
    *log10_value = v->log10_value;
  return TRUE;
}

gboolean
ns_sweep_get_stat (const NsSweep *sweep, guint variant, guint point, NsStat *stat)
{
  guint n_seeds = ns_sweep_get_n_seeds (sweep), n = 0;
  g_autofree double *values = g_new (double, n_seeds), *logs = g_new (double, n_seeds);

  for (guint s = 0; s < n_seeds; s++)
    if (ns_sweep_get_value (sweep, variant, point, s, &values[n], &logs[n]))
      n++;
  if (n == 0)
    return FALSE;
  ns_stat_init (stat, values, logs, n);
  return TRUE;
}
