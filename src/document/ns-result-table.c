/* A result as an aligned table for a terminal.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-result-table.h"

#include "document/ns-result-room.h"
#include "engine/experiment/ns-settings.h"
#include "engine/experiment/ns-text.h"
#include "engine/run/ns-engine.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define CELL_BYTES 64

typedef struct
{
  const NsResult *result;
  guint variant;
  GString *out;
  NsQuantity columns[NS_N_QUANTITIES];
  gsize width[NS_N_QUANTITIES];
  gsize n_columns;
  gsize label_width;
} ResultTable;

gsize
ns_text_width (const char *text)
{
  gsize width = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (!g_unichar_iszerowidth (c))
        width += g_unichar_iswide (c) ? 2 : 1;
    }
  return width;
}

static void
append_spaces (GString *out, gsize n)
{
  for (gsize i = 0; i < n; i++)
    g_string_append_c (out, ' ');
}

void
ns_text_append_right (GString *out, const char *text, gsize width)
{
  gsize own = ns_text_width (text);

  append_spaces (out, width > own ? width - own : 0);
  g_string_append (out, text);
}

/* Format four significant digits of 10^log10_value, which can overflow or underflow a double. */
static char *
dup_power (double log10_value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  double exponent = floor (log10_value), mantissa = pow (10, log10_value - exponent);

  if (mantissa >= 9.9995)
    {
      mantissa = 1;
      exponent += 1;
    }
  g_ascii_formatd (buffer, sizeof buffer, "%.3f", mantissa);
  return g_strdup_printf ("%se%+03d", buffer, (int) exponent);
}

/* Return the mean over the seeds to print: that of the quantity's default axis. */
static NsMeanKind
get_mean (NsQuantity quantity)
{
  return ns_quantity_info (quantity)->kind == NS_KIND_GRADIENT ? NS_MEAN_GEOMETRIC : NS_MEAN_ARITHMETIC;
}

/* Format four significant digits; use the logarithm if a double cannot hold the mean. */
static char *
dup_number (const NsStat *stat, NsQuantityKind kind, NsMeanKind mean)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  NsSummary summary = ns_stat_summarize (stat, mean);
  double value = mean == NS_MEAN_GEOMETRIC ? pow (10, summary.center) : summary.center;

  if (isnan (value))
    return g_strdup ("NaN");
  if (isfinite (stat->log10_mean) && (value == 0 || (isinf (value) && mean == NS_MEAN_GEOMETRIC)))
    return dup_power (stat->log10_mean);
  if (isinf (value))
    return g_strdup (value > 0 ? "inf" : "-inf");
  if (kind == NS_KIND_COSINE || kind == NS_KIND_SHARE)
    {
      g_ascii_formatd (buffer, sizeof buffer, "%.4f", value);
      return g_strdup (buffer);
    }
  if (value == 0)
    return g_strdup ("0");
  g_ascii_formatd (buffer, sizeof buffer, "%#.4g", value);
  if (g_str_has_suffix (buffer, "."))
    buffer[strlen (buffer) - 1] = '\0';
  return g_strdup (buffer);
}

static char *
dup_result_cell (const ResultTable *table, gsize column, gint64 site)
{
  NsStat stat;

  if (!ns_result_get_stat (table->result, table->variant, table->columns[column], site, &stat))
    return g_strdup ("");
  return dup_number (&stat, ns_quantity_info (table->columns[column])->kind, get_mean (table->columns[column]));
}

static char *
dup_label (const ResultTable *table, gint64 site)
{
  const NsExperiment *experiment = ns_result_get_experiment (table->result);
  gint64 layer = ns_site_get_layer (experiment, site);

  if (site == ns_experiment_get_head_site (experiment))
    return g_strdup (_ ("head"));
  if (ns_experiment_get_n_parts (experiment) == 1)
    return layer == 0 ? g_strdup (_ ("input")) : g_strdup_printf ("%" G_GINT64_FORMAT, layer);
  if (ns_site_get_part (experiment, site) == NS_PART_ENCODER)
    return layer == 0 ? g_strdup (_ ("source"))
                      : g_strdup_printf (_ ("encoder %lld"), (long long) layer);
  return layer == 0 ? g_strdup (_ ("target")) : g_strdup_printf (_ ("decoder %lld"), (long long) layer);
}

static gboolean
site_has_numbers (const ResultTable *table, gint64 site)
{
  for (gsize i = 0; i < table->n_columns; i++)
    if (ns_quantity_exists (table->columns[i], ns_result_get_experiment (table->result), table->variant, site))
      return TRUE;
  return FALSE;
}

/* Select the quantities that the variant has at any site; make each column as wide as its widest cell. */
static void
choose_columns (ResultTable *table, const NsQuantity *quantities, gsize n)
{
  gint64 head = ns_experiment_get_head_site (ns_result_get_experiment (table->result));

  table->n_columns = 0;
  for (gsize i = 0; i < n && table->n_columns < NS_N_QUANTITIES; i++)
    {
      gsize column = table->n_columns;
      gsize width = ns_text_width (ns_quantity_info (quantities[i])->name);
      gboolean exists = FALSE;

      table->columns[column] = quantities[i];
      for (gint64 site = 0; site <= head; site++)
        {
          g_autofree char *cell = dup_result_cell (table, column, site);

          exists = exists || *cell != '\0';
          width = MAX (width, ns_text_width (cell));
        }
      table->width[column] = width;
      if (exists)
        table->n_columns++;
    }
  table->label_width = ns_text_width (_ ("block"));
  for (gint64 site = 0; site <= head; site++)
    {
      g_autofree char *label = dup_label (table, site);

      table->label_width = MAX (table->label_width, ns_text_width (label));
    }
}

/* Append a line with the kind of quantity above the first column of each run of one kind. */
static void
append_kinds (const ResultTable *table)
{
  GString *line = g_string_new (NULL);
  gsize at = table->label_width;
  NsQuantityKind last = NS_KIND_LOSS;

  for (gsize i = 0; i < table->n_columns; i++)
    {
      NsQuantityKind kind = ns_quantity_info (table->columns[i])->kind;
      const char *title = kind == NS_KIND_GRADIENT ? "‖∂L/∂·‖" : kind == NS_KIND_ACTIVATION ? _ ("activation") : "";

      if (kind != last && ns_text_width (line->str) <= at + strlen (NS_TABLE_GAP))
        {
          append_spaces (line, at + strlen (NS_TABLE_GAP) - ns_text_width (line->str));
          g_string_append (line, title);
        }
      last = kind;
      at += strlen (NS_TABLE_GAP) + table->width[i];
    }
  g_strchomp (line->str);
  g_string_append_printf (table->out, "%s\n", line->str);
  g_string_free (line, TRUE);
}

static void
append_overflow (const ResultTable *table, gint64 site, gint64 seed)
{
  const NsExperiment *experiment = ns_result_get_experiment (table->result);
  g_autofree char *label = dup_label (table, site);

  if (site == ns_experiment_get_head_site (experiment))
    g_string_append_printf (table->out, _ ("overflows in the head with seed %lld"), (long long) seed);
  else if (ns_experiment_get_n_parts (experiment) == 1)
    g_string_append_printf (table->out, _ ("overflows in block %lld with seed %lld"), (long long) site,
                            (long long) seed);
  else
    /* Translators: the first %s is a place such as “decoder 3” */
    g_string_append_printf (table->out, _ ("overflows in %s with seed %lld"), label, (long long) seed);
}

static void
append_heading (const ResultTable *table)
{
  const NsExperiment *experiment = ns_result_get_experiment (table->result);
  g_autofree char *name = ns_text_dup_line (ns_experiment_variant (experiment, table->variant)->name);
  guint seed;
  gint64 overflow = ns_result_get_first_overflow (table->result, table->variant, &seed);
  NsStat loss;

  g_string_append (table->out, name);
  if (ns_result_get_stat (table->result, table->variant, NS_Q_LOSS, ns_experiment_get_head_site (experiment), &loss))
    {
      NsStat spread = { .mean = loss.std, .log10_mean = NAN };
      g_autofree char *mean = dup_number (&loss, NS_KIND_LOSS, NS_MEAN_ARITHMETIC);
      g_autofree char *std = dup_number (&spread, NS_KIND_LOSS, NS_MEAN_ARITHMETIC);

      g_string_append (table->out, " · ");
      g_string_append_printf (table->out, _ ("loss %s ± %s"), mean, std);
    }
  if (overflow > 0)
    {
      gint64 number = experiment->sampling.seed + ns_result_get_first_seed (table->result) + seed;

      g_string_append (table->out, " · ");
      append_overflow (table, overflow, number);
    }
  g_string_append_c (table->out, '\n');
}

static void
append_table_of_variant (ResultTable *table, const NsQuantity *quantities, gsize n, const char *note)
{
  gint64 head = ns_experiment_get_head_site (ns_result_get_experiment (table->result));

  choose_columns (table, quantities, n);
  append_heading (table);
  if (table->n_columns == 0)
    {
      g_string_append_printf (table->out, "%s\n\n", _ ("(this variant has none of these quantities)"));
      return;
    }
  append_kinds (table);
  ns_text_append_right (table->out, _ ("block"), table->label_width);
  for (gsize i = 0; i < table->n_columns; i++)
    {
      g_string_append (table->out, NS_TABLE_GAP);
      ns_text_append_right (table->out, ns_quantity_info (table->columns[i])->name, table->width[i]);
    }
  g_string_append_c (table->out, '\n');

  for (gint64 site = 0; site <= head; site++)
    {
      g_autofree char *label = dup_label (table, site);

      if (!site_has_numbers (table, site))
        continue;
      ns_text_append_right (table->out, label, table->label_width);
      for (gsize i = 0; i < table->n_columns; i++)
        {
          g_autofree char *cell = dup_result_cell (table, i, site);

          g_string_append (table->out, NS_TABLE_GAP);
          ns_text_append_right (table->out, cell, table->width[i]);
        }
      g_string_append_c (table->out, '\n');
    }
  if (note != NULL)
    g_string_append_printf (table->out, "%s\n", note);
  g_string_append_c (table->out, '\n');
}

static void
append_result_footer (GString *out, const NsResult *result)
{
  g_autofree char *estimate = ns_sampling_dup_estimate (&ns_result_get_experiment (result)->sampling);
  guint seeds = ns_result_get_n_seeds (result);
  guint threads = ns_result_get_threads (result);

  g_string_append_printf (out, g_dngettext (GETTEXT_PACKAGE, "%u seed", "%u seeds", seeds), seeds);
  if (estimate != NULL)
    g_string_append_printf (out, " · %s", estimate);
  g_string_append (out, " · ");
  if (seeds > 1)
    g_string_append_printf (out, "%s · ", _ ("geometric means of gradient norms, arithmetic means of the rest"));
  g_string_append (out, ns_blas_get_core ());
  if (threads > 0) /* items of several processes have no time */
    {
      g_string_append (out, " · ");
      g_string_append_printf (out, g_dngettext (GETTEXT_PACKAGE, "%u thread", "%u threads", threads), threads);
      g_string_append (out, " · ");
      g_string_append_printf (out, _ ("%.0f ms"), ns_result_get_elapsed_ms (result));
    }
  g_string_append_c (out, '\n');
}

GBytes *
ns_result_to_table (const NsResult *result, const NsQuantity *quantities, gsize n, const char *const *notes)
{
  NsQuantity standard[NS_N_QUANTITIES];
  gsize n_standard = 0;
  ResultTable table = { .result = result };

  if (!ns_result_has_room (result, FALSE, CELL_BYTES))
    return NULL;
  table.out = g_string_new (NULL);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if ((ns_quantity_info (q)->uses & NS_USE_TABLE) != 0)
      standard[n_standard++] = q;
  for (guint v = 0; v < ns_result_get_experiment (result)->variants->len; v++)
    {
      table.variant = v;
      if (quantities != NULL)
        append_table_of_variant (&table, quantities, n, notes != NULL ? notes[v] : NULL);
      else
        append_table_of_variant (&table, standard, n_standard, notes != NULL ? notes[v] : NULL);
    }
  append_result_footer (table.out, result);
  return g_string_free_to_bytes (table.out);
}
