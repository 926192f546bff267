/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-coordinate-data.h"

#include "document/ns-result-table.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-text.h"
#include "document/ns-provenance.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define CELL 9

/* In the order of NsCoordinates. */
static const char *const verdicts[] = { "unknown", "flat", "grows", "shrinks", "diverged" };

/* ---- CSV ---- */

/* Return where a size is: 0 at the head. */
static gint64
get_coordinate_layer (const NsExperiment *experiment, const NsCoordinate *size)
{
  return size->site == ns_experiment_get_head_site (experiment) ? 0 : ns_site_get_layer (experiment, size->site);
}

static const char *
get_coordinate_part (const NsExperiment *experiment, const NsCoordinate *size)
{
  return size->site == ns_experiment_get_head_site (experiment)
             ? "head"
             : ns_part_get_name (ns_site_get_part (experiment, size->site));
}

GBytes *
ns_coordinate_check_to_csv (const NsCoordinateCheck *check, NsCsvFlags flags)
{
  const NsExperiment *experiment = ns_coordinate_check_get_experiment (check);
  guint n_widths, n_sizes, worst, n_steps = ns_coordinate_check_get_n_steps (check);
  const gint64 *widths = ns_coordinate_check_get_widths (check, &n_widths);
  GString *csv = ns_csv_begin (experiment, flags);
  NsStat stat;

  g_string_append (csv, "variant,quantity,part,layer,d_model,step," NS_CSV_STATISTICS ",seeds\n");
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autofree char *name = ns_csv_dup_field (ns_experiment_variant (experiment, v)->name);
      g_autofree NsCoordinate *sizes = ns_coordinate_check_judge (check, v, n_steps, &n_sizes, &worst);

      for (guint i = 0; i < n_sizes; i++)
        for (guint w = 0; w < n_widths; w++)
          for (guint step = 0; step <= n_steps; step++)
            if (ns_coordinate_check_get_stat (check, v, &sizes[i], w, step, &stat))
              {
                g_string_append_printf (csv, "%s,%s,%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%u", name,
                                        ns_quantity_info (sizes[i].quantity)->name,
                                        get_coordinate_part (experiment, &sizes[i]),
                                        get_coordinate_layer (experiment, &sizes[i]), widths[w], step);
                ns_csv_append_statistics (csv, &stat, TRUE);
                g_string_append_printf (csv, ",%u\n", stat.n);
              }
    }
  return g_string_free_to_bytes (csv);
}

/* ---- JSON ---- */

/* Write what a size does: the exponent of the width after the last step, half of its 95 % interval. */
static void
write_verdict (NsJsonWriter *writer, const NsExperiment *experiment, const NsCoordinate *size)
{
  ns_json_string (writer, "quantity", ns_quantity_info (size->quantity)->name);
  ns_json_string (writer, "part", get_coordinate_part (experiment, size));
  ns_json_integer (writer, "layer", get_coordinate_layer (experiment, size));
  ns_json_string (writer, "verdict", verdicts[size->verdict]);
  ns_json_number (writer, "exponent", size->exponent.p);
  ns_json_number (writer, "exponent_error", size->exponent.error);
}

static void
write_values (NsJsonWriter *writer, const NsCoordinateCheck *check, guint variant, const NsCoordinate *size)
{
  guint n_widths;
  const gint64 *widths = ns_coordinate_check_get_widths (check, &n_widths);
  NsStat stat;

  ns_json_open (writer, "values", '[');
  for (guint w = 0; w < n_widths; w++)
    for (guint step = 0; step <= ns_coordinate_check_get_n_steps (check); step++)
      if (ns_coordinate_check_get_stat (check, variant, size, w, step, &stat))
        {
          ns_json_open_compact (writer, NULL, '{');
          ns_json_integer (writer, "d_model", widths[w]);
          ns_json_integer (writer, "step", step);
          ns_json_statistics (writer, &stat, TRUE);
          ns_json_integer (writer, "seeds", stat.n);
          ns_json_close (writer, '}');
        }
  ns_json_close (writer, ']');
}

/* Write the worst size's verdict as the variant's, then every size. */
static void
write_sizes (NsJsonWriter *writer, const NsCoordinateCheck *check, guint variant)
{
  const NsExperiment *experiment = ns_coordinate_check_get_experiment (check);
  guint n, worst;
  g_autofree NsCoordinate *sizes
      = ns_coordinate_check_judge (check, variant, ns_coordinate_check_get_n_steps (check), &n, &worst);

  write_verdict (writer, experiment, &sizes[worst]);
  ns_json_open (writer, "sizes", '[');
  for (guint i = 0; i < n; i++)
    {
      ns_json_open (writer, NULL, '{');
      write_verdict (writer, experiment, &sizes[i]);
      write_values (writer, check, variant, &sizes[i]);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');
}

GBytes *
ns_coordinate_check_to_json (const NsCoordinateCheck *check)
{
  const NsExperiment *experiment = ns_coordinate_check_get_experiment (check);
  NsJsonWriter writer;

  ns_json_writer_init (&writer);
  ns_json_open (&writer, NULL, '{');
  ns_provenance_write (&writer, NS_COORDINATE_FORMAT, NS_COORDINATE_VERSION, experiment);
  ns_json_open (&writer, "variants", '[');
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      ns_json_open (&writer, NULL, '{');
      ns_json_string (&writer, "name", ns_experiment_variant (experiment, v)->name);
      write_sizes (&writer, check, v);
      ns_json_close (&writer, '}');
    }
  ns_json_close (&writer, ']');
  ns_json_close (&writer, '}');
  return ns_json_writer_finish (&writer);
}

/* ---- a table ---- */

static void
append_verdict (GString *out, const NsExperiment *experiment, const NsCoordinate *worst)
{
  const char *const words[] = { _ ("not decided"), _ ("flat"), _ ("grows with the width"), _ ("falls with the width"),
                                _ ("diverged") };
  gint64 layer = get_coordinate_layer (experiment, worst);

  g_string_append (out, words[worst->verdict]);
  if (isfinite (worst->exponent.p))
    /* Translators: the exponent of the width */
    g_string_append_printf (out, _ (", exponent %.2f"), worst->exponent.p);
  if (isfinite (worst->exponent.p) && isfinite (worst->exponent.error))
    g_string_append_printf (out, " ± %.2f", worst->exponent.error);
  g_string_append_printf (out, "\n%s, %s", ns_quantity_info (worst->quantity)->name,
                          get_coordinate_part (experiment, worst));
  if (layer > 0)
    g_string_append_printf (out, " %" G_GINT64_FORMAT, layer);
  g_string_append_c (out, '\n');
}

static void
append_map (GString *out, const NsCoordinateCheck *check, guint variant)
{
  const NsExperiment *experiment = ns_coordinate_check_get_experiment (check);
  g_autofree char *name = ns_text_dup_line (ns_experiment_variant (experiment, variant)->name);
  guint n_widths, n_steps = ns_coordinate_check_get_n_steps (check);
  const gint64 *widths = ns_coordinate_check_get_widths (check, &n_widths);
  NsCoordinate worst = ns_coordinate_check_get_worst (check, variant, n_steps);
  char cell[G_ASCII_DTOSTR_BUF_SIZE];
  NsStat stat;

  g_string_append_printf (out, "%s: ", name);
  append_verdict (out, experiment, &worst);
  ns_text_append_right (out, _ ("width"), CELL);
  for (guint step = 0; step <= n_steps; step++)
    {
      g_autofree char *heading = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u step", "%u steps", step), step);

      ns_text_append_right (out, heading, CELL);
    }
  g_string_append_c (out, '\n');
  for (guint w = 0; w < n_widths; w++)
    {
      g_autofree char *width = g_strdup_printf ("%lld", (long long) widths[w]);

      ns_text_append_right (out, width, CELL);
      for (guint step = 0; step <= n_steps; step++)
        {
          gboolean has = ns_coordinate_check_get_stat (check, variant, &worst, w, step, &stat);

          ns_text_append_right (out, has ? g_ascii_formatd (cell, sizeof cell, "%.4g", pow (10, stat.log10_mean)) : "",
                                CELL);
        }
      g_string_append_c (out, '\n');
    }
  g_string_append_c (out, '\n');
}

GBytes *
ns_coordinate_check_to_table (const NsCoordinateCheck *check)
{
  const NsExperiment *experiment = ns_coordinate_check_get_experiment (check);
  guint n = (guint) experiment->sampling.seeds;
  GString *out = g_string_new (NULL);

  for (guint v = 0; v < experiment->variants->len; v++)
    append_map (out, check, v);
  g_string_append (out, _ ("the size that decides the verdict, geometric mean"));
  g_string_append (out, " · ");
  g_string_append_printf (out, g_dngettext (GETTEXT_PACKAGE, "%u seed", "%u seeds", n), n);
  g_string_append_printf (out, " · %s · ", ns_blas_get_core ());
  g_string_append_printf (out, _ ("%.0f ms"), ns_coordinate_check_get_elapsed_ms (check));
  g_string_append_c (out, '\n');
  return g_string_free_to_bytes (out);
}
