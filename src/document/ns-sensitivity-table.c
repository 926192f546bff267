/* A sensitivity map as a table for reading.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-sensitivity-data.h"

#include "document/ns-result-table.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define WIDTH 7

static void
append_double (GString *out, const char *format, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (buffer, sizeof buffer, format, value);
  g_string_append (out, NS_TABLE_GAP);
  ns_text_append_right (out, buffer, WIDTH);
}

static void
append_map_cell (GString *out, const NsSensitivity *map, guint variant, guint point, guint rate, NsSeedsChoice seeds)
{
  NsSensitivityCell cell;
  const char *sign;

  if (ns_sensitivity_get_cell (map, variant, point, rate, seeds, &cell) && cell.outcome == NS_OUTCOME_LEARNED)
    {
      append_double (out, "%.4f", cell.loss);
      return;
    }
  sign = cell.n == 0 ? "" : cell.outcome == NS_OUTCOME_DIVERGED ? "✕" : "–";
  g_string_append (out, NS_TABLE_GAP);
  ns_text_append_right (out, sign, WIDTH);
}

/* Append the factor between the learning rates that train the variant, "≥ 30" where it reaches an end of the rates. */
static void
append_range (GString *out, const NsSensitivity *map, guint variant, guint point, NsSeedsChoice seeds)
{
  NsStabilityRange range;
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (!ns_sensitivity_is_finished (map, variant, point))
    return;
  g_string_append (out, NS_TABLE_GAP NS_TABLE_GAP);
  if (!ns_sensitivity_get_range (map, variant, point, seeds, &range))
    {
      g_string_append (out, _ ("none"));
      return;
    }
  g_ascii_formatd (buffer, sizeof buffer, "%.3g", range.factor);
  g_string_append_printf (out, range.is_open ? "≥ %s" : "%s", buffer);
}

static void
append_map_of_variant (GString *out, const NsSensitivity *map, guint variant, NsSeedsChoice seeds, gsize label)
{
  const NsSensitivityPlan *plan = ns_sensitivity_get_plan (map);
  g_autofree char *name
      = ns_text_dup_line (ns_experiment_variant (ns_sensitivity_get_experiment (map), variant)->name);

  g_string_append_printf (out, "%s\n", name);
  ns_text_append_right (out, plan->axis == NS_SENSITIVITY_DEPTH ? _ ("depth") : _ ("warm-up"), label);
  for (guint r = 0; r < plan->n_rates; r++)
    append_double (out, "%.2g", plan->rates[r]);
  g_string_append_printf (out, NS_TABLE_GAP NS_TABLE_GAP "%s\n", _ ("trains over a factor of"));
  for (guint p = 0; p < plan->n_points; p++)
    {
      g_autofree char *text = g_strdup_printf ("%lld", (long long) plan->points[p]);

      ns_text_append_right (out, text, label);
      for (guint r = 0; r < plan->n_rates; r++)
        append_map_cell (out, map, variant, p, r, seeds);
      append_range (out, map, variant, p, seeds);
      g_string_append_c (out, '\n');
    }
  g_string_append_c (out, '\n');
}

static void
append_map_footer (GString *out, const NsSensitivity *map, NsSeedsChoice seeds)
{
  const char *const words[] = { _ ("worst seed"), _ ("mean of the seeds"), _ ("best seed") };
  guint n = ns_sensitivity_get_n_seeds (map), threads = ns_sensitivity_get_threads (map);
  guint done = ns_sensitivity_count_finished (map), all = ns_sensitivity_get_n_runs (map);

  /* Translators: what the signs in the cells of a table mean */
  g_string_append_printf (out, "%s · %s\n", _ ("✕ diverged"), _ ("– stalled at the entropy of single symbols"));
  if (n > 1)
    g_string_append_printf (out, "%s · ", words[seeds]);
  g_string_append_printf (out, g_dngettext (GETTEXT_PACKAGE, "%u seed", "%u seeds", n), n);
  if (done < all)
    g_string_append_printf (out, _ (" · %u of %u trainings"), done, all);
  g_string_append (out, " · ");
  g_string_append (out, ns_blas_get_core ());
  if (threads > 0) /* items of several processes have no time */
    {
      g_string_append (out, " · ");
      g_string_append_printf (out, g_dngettext (GETTEXT_PACKAGE, "%u thread", "%u threads", threads), threads);
      g_string_append (out, " · ");
      g_string_append_printf (out, _ ("%.0f ms"), ns_sensitivity_get_elapsed_ms (map));
    }
  g_string_append_c (out, '\n');
}

GBytes *
ns_sensitivity_to_table (const NsSensitivity *map, NsSeedsChoice seeds)
{
  const NsSensitivityPlan *plan = ns_sensitivity_get_plan (map);
  const char *heading = plan->axis == NS_SENSITIVITY_DEPTH ? _ ("depth") : _ ("warm-up");
  g_autofree char *longest = g_strdup_printf ("%lld", (long long) plan->points[plan->n_points - 1]);
  gsize label = MAX (ns_text_width (heading), ns_text_width (longest));
  GString *out = g_string_new (NULL);

  for (guint v = 0; v < ns_sensitivity_get_experiment (map)->variants->len; v++)
    append_map_of_variant (out, map, v, seeds, label);
  append_map_footer (out, map, seeds);
  return g_string_free_to_bytes (out);
}
