/* The rows and columns of a sensitivity map.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/train/ns-sensitivity.h"

#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define RATES_BELOW 5
#define RATES_ABOVE 4
#define RATES_PER_DECADE 3
/* Of an experiment whose learning rate is 0. */
#define USUAL_RATE 3e-3
/* More would not be seen, and would train for days. */
#define MAX_LENGTH 64

/* ---- the usual plan ---- */

static int
compare_integers (gconstpointer a, gconstpointer b)
{
  gint64 left = *(const gint64 *) a, right = *(const gint64 *) b;

  return (left > right) - (left < right);
}

/* Sort the points and drop those that occur twice. */
static void
tidy (NsSensitivityPlan *plan)
{
  guint n = 0;

  qsort (plan->points, plan->n_points, sizeof (gint64), compare_integers);
  for (guint i = 0; i < plan->n_points; i++)
    if (n == 0 || plan->points[i] != plan->points[n - 1])
      plan->points[n++] = plan->points[i];
  plan->n_points = n;
}

void
ns_sensitivity_plan_init (NsSensitivityPlan *plan, const NsExperiment *experiment, NsSensitivityAxis axis)
{
  gint64 depth = experiment->shape.depth, steps = experiment->training.steps;
  const gint64 depths[] = { MAX (1, (depth + 3) / 4), MAX (1, depth / 2), depth,
                            MIN (2 * depth, (gint64) ns_param_find ("shape.depth")->max) };
  const gint64 warmups[] = { 0, steps / 30, steps / 10, steps / 3, experiment->training.warmup };
  gboolean is_depth = axis == NS_SENSITIVITY_DEPTH;
  double rate = experiment->training.learning_rate > 0 ? experiment->training.learning_rate : USUAL_RATE;

  *plan = (NsSensitivityPlan){ .axis = axis, .n_points = is_depth ? G_N_ELEMENTS (depths) : G_N_ELEMENTS (warmups),
                               .n_rates = RATES_BELOW + 1 + RATES_ABOVE };
  plan->points = g_memdup2 (is_depth ? depths : warmups, plan->n_points * sizeof (gint64));
  tidy (plan);
  plan->rates = g_new (double, plan->n_rates);
  for (int i = 0; i < (int) plan->n_rates; i++)
    plan->rates[i] = rate * pow (10, (double) (i - RATES_BELOW) / RATES_PER_DECADE);
  plan->rates[RATES_BELOW] = rate;
}

void
ns_sensitivity_plan_clear (NsSensitivityPlan *plan)
{
  g_clear_pointer (&plan->points, g_free);
  g_clear_pointer (&plan->rates, g_free);
}

/* ---- from text ---- */

/* Read a number that is all of the text. */
static gboolean
read_number (const char *text, double *value)
{
  char *end;

  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*value) && !g_ascii_isspace (text[0]);
}

/* Read "2..64:6" as numbers that are evenly spaced by logarithm. */
static GArray *
read_range (const char *text)
{
  const char *dots = strstr (text, ".."), *colon = strchr (text, ':');
  g_autofree char *low = g_strndup (text, (gsize) (dots - text));
  g_autofree char *high = colon != NULL && colon > dots ? g_strndup (dots + 2, (gsize) (colon - dots) - 2) : NULL;
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));
  double first, last;
  guint64 n;

  if (high == NULL || !read_number (low, &first) || !read_number (high, &last) || !(first > 0) || !(last > first)
      || !g_ascii_string_to_unsigned (colon + 1, 10, 2, MAX_LENGTH, &n, NULL))
    return values;
  for (guint64 i = 0; i < n; i++)
    {
      double value = i == 0       ? first
                     : i + 1 == n ? last
                                  : first * pow (last / first, (double) i / (double) (n - 1));

      g_array_append_val (values, value);
    }
  return values;
}

/* Read "2,4,8". */
static GArray *
read_list (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, ",", MAX_LENGTH + 1);
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));
  guint n = g_strv_length (words);
  gboolean ok = n <= MAX_LENGTH;

  for (guint i = 0; i < n && ok; i++)
    {
      double value;

      ok = read_number (words[i], &value);
      g_array_append_val (values, value);
    }
  if (!ok)
    g_array_set_size (values, 0);
  return values;
}

/* Return the numbers, or NULL unless there are some, ascending and in the range. */
static GArray *
read_numbers (const char *text, double min, double max, gboolean integers)
{
  g_autoptr (GArray) values = strstr (text, "..") != NULL ? read_range (text) : read_list (text);
  guint n = 0;

  for (guint i = 0; i < values->len; i++)
    {
      double value = g_array_index (values, double, i);

      if (integers && strstr (text, "..") != NULL) /* a range of few numbers has some of them once */
        value = round (value);
      if (n > 0 && integers && strstr (text, "..") != NULL && value == g_array_index (values, double, n - 1))
        continue;
      if (value < min || value > max || (integers && value != floor (value))
          || (n > 0 && value <= g_array_index (values, double, n - 1)))
        return NULL;
      g_array_index (values, double, n++) = value;
    }
  g_array_set_size (values, n);
  return n > 0 ? g_steal_pointer (&values) : NULL;
}

gboolean
ns_sensitivity_plan_set_points (NsSensitivityPlan *plan, const char *text, GError **error)
{
  const NsParam *param = ns_param_find (plan->axis == NS_SENSITIVITY_DEPTH ? "shape.depth" : "training.warmup");
  g_autoptr (GArray) values = read_numbers (text, param->min, param->max, TRUE);
  g_autofree char *quoted = ns_text_dup_short (text, NS_TEXT_MAX_VALUE);

  if (values == NULL)
    {
      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                   _ ("“%s” is no list of points; allowed: up to %d ascending whole numbers from %.0f to %.0f, such as "
                      "2,4,8, or a range such as 2..64:6"),
                   quoted, MAX_LENGTH, param->min, param->max);
      return FALSE;
    }
  g_free (plan->points);
  plan->n_points = values->len;
  plan->points = g_new (gint64, values->len);
  for (guint i = 0; i < values->len; i++)
    plan->points[i] = (gint64) g_array_index (values, double, i);
  return TRUE;
}

gboolean
ns_sensitivity_plan_set_rates (NsSensitivityPlan *plan, const char *text, GError **error)
{
  double max = ns_param_find ("training.learning_rate")->max;
  g_autoptr (GArray) values = read_numbers (text, G_MINDOUBLE, max, FALSE);
  g_autofree char *quoted = ns_text_dup_short (text, NS_TEXT_MAX_VALUE);

  if (values == NULL)
    {
      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                   _ ("“%s” is no list of learning rates; allowed: up to %d ascending numbers above 0, up to %g, such "
                      "as 1e-3,3e-3, or a range such as 1e-4..1e-1:10"),
                   quoted, MAX_LENGTH, max);
      return FALSE;
    }
  g_free (plan->rates);
  plan->n_rates = values->len;
  plan->rates = (double *) g_array_free (g_steal_pointer (&values), FALSE);
  return TRUE;
}
