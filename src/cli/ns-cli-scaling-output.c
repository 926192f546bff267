/* A sweep, its fits, expectations and claims as a table or JSON.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-scaling.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-text.h"

#include "document/ns-result-table.h"
#include "document/ns-sweep-data.h"
#include "figures/ns-claim-words.h"
#include "figures/ns-format.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define GAP 2

static const char *const verdict_names[] = {
  [NS_VERDICT_CONSISTENT] = "consistent",
  [NS_VERDICT_NOT_CONSISTENT] = "not-consistent",
  [NS_VERDICT_CANNOT_TELL] = "cannot-tell",
};

static const char *
get_name (const NsCliScaling *scaling, guint variant)
{
  return ns_experiment_variant (scaling->experiment, variant)->name;
}

/* Return "Pre-LN", or "Post-LN / Pre-LN" for a ratio. Caller frees. */
static char *
dup_subject (const NsCliScaling *scaling, guint variant, guint over)
{
  if (over >= NS_MAX_VARIANTS)
    return g_strdup (get_name (scaling, variant));
  return g_strdup_printf ("%s / %s", get_name (scaling, variant), get_name (scaling, over));
}

/* ---- table ---- */

/* Append right-aligned columns. `cells` has the cells row by row, headings first. */
static void
append_table (GString *table, GPtrArray *cells, guint n_columns)
{
  g_autofree gsize *widths = g_new0 (gsize, n_columns);

  for (guint i = 0; i < cells->len; i++)
    widths[i % n_columns] = MAX (widths[i % n_columns], ns_text_width (g_ptr_array_index (cells, i)));
  for (guint i = 0; i < cells->len; i++)
    {
      const char *cell = g_ptr_array_index (cells, i);

      for (gsize at = ns_text_width (cell); at < widths[i % n_columns] + GAP; at++)
        g_string_append_c (table, ' ');
      g_string_append (table, cell);
      if (i % n_columns == n_columns - 1)
        g_string_append_c (table, '\n');
    }
}

/* Return the mean that the axes of the figure show; a cosine has no logarithm. */
static NsMeanKind
get_mean (const NsCliScaling *scaling)
{
  NsQuantity quantity = ns_scaling_get_metric (scaling->sweep).quantity;

  return ns_quantity_is_signed (quantity) ? NS_MEAN_ARITHMETIC : NS_MEAN_GEOMETRIC;
}

static void
append_points (GString *table, const NsCliScaling *scaling)
{
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  guint n_variants = scaling->experiment->variants->len, n;
  const gint64 *points = ns_sweep_get_points (scaling->sweep, &n);

  g_ptr_array_add (cells, g_strdup (scaling->plan->axis == NS_SWEEP_DEPTH ? _ ("depth L") : _ ("width d")));
  for (guint v = 0; v < n_variants; v++)
    g_ptr_array_add (cells, ns_text_dup_line (get_name (scaling, v)));
  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (cells, g_strdup_printf ("%" G_GINT64_FORMAT, points[i]));
      for (guint v = 0; v < n_variants; v++)
        {
          NsStat stat;

          g_ptr_array_add (cells, ns_sweep_get_stat (scaling->sweep, v, i, &stat)
                                      ? ns_format_stat (&stat, get_mean (scaling))
                                      : g_strdup ("–"));
        }
    }
  append_table (table, cells, n_variants + 1);
}

/* Append the sentence of the view. Replace line breaks only within names, since the sentence itself has several
 * lines. */
static void
append_sentence (GString *table, const NsCliScaling *scaling, const NsScalingOptions *options)
{
  g_autofree char *text = ns_scaling_sentence (scaling->sweep, options);
  g_autoptr (GString) sentence = g_string_new (text);

  for (guint v = 0; v < scaling->experiment->variants->len; v++)
    {
      const char *name = get_name (scaling, v);
      g_autofree char *line = ns_text_dup_line (name);

      if (strchr (name, '\n') != NULL && strcmp (name, "\n") != 0)
        g_string_replace (sentence, name, line, 0);
    }
  g_string_append_printf (table, "\n%s\n\n", sentence->str);
}

/* Append the sentence of the view and the table of its laws. */
static void
append_laws (GString *table, const NsCliScaling *scaling, gboolean ratio)
{
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) rows = NULL;
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  ns_cli_sweep_plan_options (scaling->plan, &options);
  if (!ratio)
    options.view = NS_SCALING_METRIC;
  rows = ns_scaling_rows (scaling->sweep, &options);
  append_sentence (table, scaling, &options);
  if (rows->len == 0)
    return;
  g_ptr_array_add (cells, g_strdup (_ ("variant")));
  g_ptr_array_add (cells, g_strdup (_ ("law")));
  g_ptr_array_add (cells, g_strdup (_ ("weight")));
  g_ptr_array_add (cells, g_strdup (_ ("off by")));
  for (guint i = 0; i < rows->len; i++)
    {
      const NsScalingRow *row = g_ptr_array_index (rows, i);

      g_ptr_array_add (cells, ns_text_dup_line (row->name));
      g_ptr_array_add (cells, g_strdup (row->formula));
      g_ptr_array_add (cells, g_strdup (row->weight));
      g_ptr_array_add (cells, g_strdup (row->relative_error));
    }
  append_table (table, cells, 4);
}

char *
ns_cli_expectation_dup_text (const NsCliScaling *scaling, const NsCliExpectation *expectation)
{
  g_autofree char *subject = dup_subject (scaling, expectation->variant, expectation->over);
  g_autofree char *metric = ns_metric_dup_text (&expectation->metric);
  g_autofree char *measured = ns_scaling_dup_exponent (&expectation->exponent);
  NsExponent expected = { .p = expectation->expected, .error = expectation->tolerance };
  g_autofree char *wanted = ns_scaling_dup_exponent (&expected);

  if (expectation->tolerance == 0)
    {
      expected.error = NAN;
      g_free (wanted);
      wanted = ns_scaling_dup_exponent (&expected);
    }
  if (expectation->met)
    return g_strdup_printf (_ ("%s, %s: the exponent %s meets the expected %s"), subject, metric, measured, wanted);
  return g_strdup_printf (_ ("%s, %s: the exponent %s misses the expected %s"), subject, metric, measured, wanted);
}

static void
append_expectations (GString *table, const NsCliScaling *scaling)
{
  if (scaling->expectations->len > 0)
    g_string_append_c (table, '\n');
  for (guint i = 0; i < scaling->expectations->len; i++)
    {
      g_autofree char *text
        = ns_cli_expectation_dup_text (scaling, &g_array_index (scaling->expectations, NsCliExpectation, i));
      g_autofree char *line = ns_text_dup_line (text);

      g_string_append_printf (table, "%s.\n", line);
    }
}

static void
append_claims (GString *table, const NsCliScaling *scaling)
{
  for (guint i = 0; scaling->claims != NULL && i < scaling->claims->len; i++)
    {
      g_autofree char *card
        = ns_claim_dup_card (g_ptr_array_index (scaling->claims, i), scaling->experiment, &scaling->verdicts[i]);

      g_string_append_printf (table, "\n%s", card);
    }
}

GBytes *
ns_cli_scaling_to_table (const NsCliScaling *scaling)
{
  GString *table = g_string_new (NULL);
  g_autofree char *title = ns_scaling_dup_metric_title (ns_scaling_get_metric (scaling->sweep));
  guint n_seeds = ns_sweep_get_n_seeds (scaling->sweep);
  double elapsed_ms = ns_sweep_get_elapsed_ms (scaling->sweep);
  g_autofree char *estimate = NULL, *printable = NULL;

  if (ns_sweep_has_estimate (scaling->sweep))
    estimate = ns_sampling_dup_estimate (&ns_sweep_get_experiment (scaling->sweep)->sampling);
  g_string_append (table, title);
  if (estimate != NULL)
    g_string_append_printf (table, ", %s", estimate);
  g_string_append (table, " (");
  g_string_append_printf (table, g_dngettext (GETTEXT_PACKAGE, "%u seed", "%u seeds", n_seeds), n_seeds);
  if (elapsed_ms > 0) /* items of several processes have no time */
    {
      g_string_append (table, ", ");
      g_string_append_printf (table, _ ("%.0f ms"), elapsed_ms);
    }
  g_string_append (table, ")\n\n");
  if (n_seeds > 1)
    g_string_append_printf (table, "%s\n", get_mean (scaling) == NS_MEAN_GEOMETRIC
                                               ? _ ("Geometric mean ×/÷ one standard deviation:")
                                               : _ ("Mean ± one standard deviation:"));
  append_points (table, scaling);
  append_laws (table, scaling, FALSE);
  if (scaling->plan->has_ratio)
    append_laws (table, scaling, TRUE);
  append_expectations (table, scaling);
  append_claims (table, scaling);
  printable = ns_text_dup_printable (table->str);
  g_string_free (table, TRUE);
  return g_bytes_new (printable, strlen (printable));
}

/* ---- JSON ---- */

static void
write_expectations (NsJsonWriter *writer, const NsCliScaling *scaling)
{
  ns_json_open (writer, "expectations", '[');
  for (guint i = 0; i < scaling->expectations->len; i++)
    {
      const NsCliExpectation *expectation = &g_array_index (scaling->expectations, NsCliExpectation, i);
      g_autofree char *subject = dup_subject (scaling, expectation->variant, expectation->over);
      g_autofree char *metric = ns_metric_dup_text (&expectation->metric);

      ns_json_open (writer, NULL, '{');
      ns_json_string (writer, "variant", subject);
      ns_json_string (writer, "metric", metric);
      ns_json_number (writer, "expected", expectation->expected);
      ns_json_number (writer, "tolerance", expectation->tolerance);
      ns_exponent_write (writer, &expectation->exponent);
      ns_json_boolean (writer, "met", expectation->met);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');
}

static void
write_missed (NsJsonWriter *writer, const NsClaim *claim, const NsClaimResult *result)
{
  ns_json_open_compact (writer, "assumptions_not_met", '[');
  for (guint i = 0; i < claim->assumptions->len; i++)
    if (result->missed & G_GUINT64_CONSTANT (1) << i)
      {
        const NsAssumption *assumption = g_ptr_array_index (claim->assumptions, i);

        ns_json_string (writer, NULL, ns_param_get_path (assumption->param));
      }
  ns_json_close (writer, ']');
}

static void
write_claims (NsJsonWriter *writer, const NsCliScaling *scaling)
{
  if (scaling->claims == NULL)
    return;
  ns_json_open (writer, "claims", '[');
  for (guint i = 0; i < scaling->claims->len; i++)
    {
      const NsClaim *claim = g_ptr_array_index (scaling->claims, i);
      const NsClaimResult *result = &scaling->verdicts[i];
      g_autofree char *why_not = ns_claim_dup_why_not (claim, result);

      ns_json_open (writer, NULL, '{');
      ns_json_string (writer, "id", claim->id);
      ns_json_string (writer, "title", claim->title);
      ns_json_string (writer, "source", claim->source);
      ns_json_string (writer, "verdict", verdict_names[result->verdict]);
      ns_json_string (writer, "why_not", why_not);
      ns_json_number (writer, "measured", result->measured);
      ns_json_number (writer, "error", result->error);
      ns_json_number (writer, "accepted_from", result->has_measured ? result->low : NAN);
      ns_json_number (writer, "accepted_to", result->has_measured ? result->high : NAN);
      write_missed (writer, claim, result);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');
}

GBytes *
ns_cli_scaling_to_json (const NsCliScaling *scaling)
{
  const NsCliSweepPlan *plan = scaling->plan;
  guint n_variants = scaling->experiment->variants->len;
  g_autofree NsFit *fits = g_new0 (NsFit, n_variants);
  NsSweepRatio ratio = { .numerator = plan->numerator, .denominator = plan->denominator };
  NsJsonWriter writer;

  for (guint v = 0; v < n_variants; v++)
    ns_scaling_fit (scaling->sweep, v, &fits[v]);
  if (plan->has_ratio)
    ns_scaling_fit_ratio (scaling->sweep, plan->numerator, plan->denominator, &ratio.fit);
  ns_json_writer_init (&writer);
  ns_json_open (&writer, NULL, '{');
  ns_sweep_write (&writer, scaling->sweep, fits, plan->has_ratio ? &ratio : NULL);
  write_expectations (&writer, scaling);
  write_claims (&writer, scaling);
  ns_json_close (&writer, '}');
  return ns_json_writer_finish (&writer);
}
