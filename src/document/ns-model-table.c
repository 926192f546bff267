/* A table of the presets of models.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-model-table.h"

#include "document/ns-json-writer.h"
#include "document/ns-csv.h"
#include "document/ns-result-table.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>

/* In the order of NsModelColumn. */
static const struct
{
  const char *name, *title;
  gboolean in_terminal;
} model_columns[NS_N_MODEL_COLUMNS] = {
  { "model", N_ ("Model"), TRUE },
  { "placement", N_ ("Placement"), TRUE },
  { "equation", N_ ("Equation"), FALSE },
  { "norm", N_ ("Norm"), TRUE },
  { "shape", N_ ("Blocks and width"), TRUE },
  { "init", N_ ("Initialization"), TRUE },
  { "source", N_ ("Source"), FALSE },
  { "not_confirmed", N_ ("Not confirmed"), TRUE },
};

const char *
ns_model_column_get_title (NsModelColumn column)
{
  g_return_val_if_fail (column < NS_N_MODEL_COLUMNS, "");
  return model_columns[column].title;
}

/* ---- cells ---- */

static char *
dup_norm (const NsVariant *variant)
{
  static const char *const names[] = { [NS_NORM_LAYERNORM] = "LayerNorm", [NS_NORM_RMSNORM] = "RMSNorm",
                                       [NS_NORM_DYT] = "DyT" };
  const char *key = variant->norm == NS_NORM_DYT ? "dyt_alpha" : "norm_eps";
  g_autofree char *number = ns_param_dup_text (ns_param_find (key), variant);

  if (variant->ngpt)
    return g_strdup ("x/‖x‖");
  return g_strdup_printf ("%s, %s = %s", names[variant->norm], variant->norm == NS_NORM_DYT ? "α" : "ε", number);
}

static char *
dup_shape (const NsShape *shape)
{
  GString *text = g_string_new (NULL);
  gint64 kv_heads = ns_shape_get_kv_heads (shape);

  g_string_append_printf (text, "%" G_GINT64_FORMAT, shape->depth);
  if (shape->stack == NS_STACK_ENCODER_DECODER)
    g_string_append_printf (text, "+%" G_GINT64_FORMAT, ns_shape_get_decoder_depth (shape));
  g_string_append_printf (text, " × %" G_GINT64_FORMAT ", ", shape->d_model);
  if (kv_heads == shape->heads)
    g_string_append_printf (text, _ ("%lld heads"), (long long) shape->heads);
  else
    g_string_append_printf (text, _ ("%lld heads, %lld key/value heads"), (long long) shape->heads,
                            (long long) kv_heads);
  return g_string_free (text, FALSE);
}

static char *
dup_init (const NsVariant *variant)
{
  g_autofree char *scheme = ns_param_dup_text (ns_param_find ("init.scheme"), variant);
  g_autofree char *std = ns_param_dup_text (ns_param_find ("init.std"), variant);
  g_autofree char *residual = ns_param_dup_text (ns_param_find ("init.residual"), variant);
  GString *text = g_string_new (scheme);

  if (variant->ngpt)
    return g_string_free (g_string_assign (text, _ ("rows of length 1")), FALSE);
  if (variant->init.scheme == NS_INIT_NORMAL)
    g_string_append_printf (text, " %s", std);
  if (variant->init.residual.rule != NS_INIT_RESIDUAL_NONE)
    g_string_append_printf (text, ", %s", residual);
  return g_string_free (text, FALSE);
}

static char *
dup_not_confirmed (const NsPreset *preset)
{
  GString *text = g_string_new (NULL);

  for (const NsParam *const *param = preset->not_confirmed; *param != NULL; param++)
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", ns_param_get_path (*param));
  return g_string_free (text, FALSE);
}

char *
ns_model_dup_cell (const NsPreset *preset, const NsExperiment *experiment, NsModelColumn column)
{
  const NsVariant *variant = ns_experiment_variant (experiment, 0);

  switch (column)
    {
    case NS_MODEL_NAME:
      return g_strdup (preset->title);
    case NS_MODEL_PLACEMENT:
      return g_strdup (preset->variant != NULL ? preset->variant->name : "");
    case NS_MODEL_EQUATION:
      return g_strdup (preset->variant != NULL
                           ? ns_builtin_variant_get_equation (preset->variant, experiment->shape.stack)
                           : "");
    case NS_MODEL_NORM:
      return dup_norm (variant);
    case NS_MODEL_SHAPE:
      return dup_shape (&experiment->shape);
    case NS_MODEL_INIT:
      return dup_init (variant);
    case NS_MODEL_SOURCE:
      return g_strdup (preset->source != NULL ? preset->source : "");
    case NS_MODEL_NOT_CONFIRMED:
      return dup_not_confirmed (preset);
    case NS_N_MODEL_COLUMNS:
    default:
      g_return_val_if_reached (NULL);
    }
}

/* ---- tables ---- */

typedef struct
{
  GPtrArray *cells;   /* char * [rows, NS_N_MODEL_COLUMNS], owned */
  GPtrArray *presets; /* NsPreset [rows] */
} ModelTable;

static void
table_clear (ModelTable *table)
{
  g_ptr_array_unref (table->cells);
  g_ptr_array_unref (table->presets);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ModelTable, table_clear)

static const char *
get_cell (const ModelTable *table, guint row, guint column)
{
  return g_ptr_array_index (table->cells, row * NS_N_MODEL_COLUMNS + column);
}

static gboolean
fill_table (ModelTable *table, GError **error)
{
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  table->cells = g_ptr_array_new_with_free_func (g_free);
  table->presets = g_ptr_array_new ();
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) experiment = NULL;

      if (presets[i].variant == NULL)
        continue;
      experiment = ns_preset_load (presets[i].id, error);
      if (experiment == NULL)
        return FALSE;
      g_ptr_array_add (table->presets, (gpointer) &presets[i]);
      for (guint c = 0; c < NS_N_MODEL_COLUMNS; c++)
        g_ptr_array_add (table->cells, ns_model_dup_cell (&presets[i], experiment, (NsModelColumn) c));
    }
  return TRUE;
}

static void
append_csv (GString *out, const char *cell)
{
  g_autofree char *field = ns_csv_dup_field (cell);

  g_string_append (out, field);
}

GBytes *
ns_models_to_csv (GError **error)
{
  g_auto (ModelTable) table = { 0 };
  GString *out;

  if (!fill_table (&table, error))
    return NULL;
  out = g_string_new ("id");
  for (guint c = 0; c < NS_N_MODEL_COLUMNS; c++)
    g_string_append_printf (out, ",%s", model_columns[c].name);
  g_string_append (out, "\n");
  for (guint row = 0; row < table.presets->len; row++)
    {
      append_csv (out, ((const NsPreset *) g_ptr_array_index (table.presets, row))->id);
      for (guint c = 0; c < NS_N_MODEL_COLUMNS; c++)
        {
          g_string_append_c (out, ',');
          append_csv (out, get_cell (&table, row, c));
        }
      g_string_append (out, "\n");
    }
  return g_string_free_to_bytes (out);
}

GBytes *
ns_models_to_json (GError **error)
{
  g_auto (ModelTable) table = { 0 };
  NsJsonWriter writer;

  if (!fill_table (&table, error))
    return NULL;
  ns_json_writer_init (&writer);
  ns_json_open (&writer, NULL, '[');
  for (guint row = 0; row < table.presets->len; row++)
    {
      const NsPreset *preset = g_ptr_array_index (table.presets, row);

      ns_json_open (&writer, NULL, '{');
      ns_json_string (&writer, "id", preset->id);
      for (guint c = 0; c < NS_MODEL_NOT_CONFIRMED; c++)
        ns_json_string (&writer, model_columns[c].name, get_cell (&table, row, c));
      ns_json_open_compact (&writer, model_columns[NS_MODEL_NOT_CONFIRMED].name, '[');
      for (const NsParam *const *param = preset->not_confirmed; *param != NULL; param++)
        ns_json_string (&writer, NULL, ns_param_get_path (*param));
      ns_json_close (&writer, ']');
      ns_json_string (&writer, "notes", preset->notes);
      ns_json_close (&writer, '}');
    }
  ns_json_close (&writer, ']');
  return ns_json_writer_finish (&writer);
}

static void
append_padded (GString *out, const char *cell, gsize width, gboolean last)
{
  g_autofree char *printable = ns_text_dup_printable (cell);

  g_string_append (out, printable);
  if (!last)
    g_string_append_printf (out, "%*s", (int) (width + 2 - ns_text_width (printable)), "");
}

GBytes *
ns_models_to_text (GError **error)
{
  g_auto (ModelTable) table = { 0 };
  gsize widths[NS_N_MODEL_COLUMNS];
  GString *out;

  if (!fill_table (&table, error))
    return NULL;
  for (guint c = 0; c < NS_N_MODEL_COLUMNS; c++)
    {
      widths[c] = ns_text_width (_ (model_columns[c].title));
      for (guint row = 0; row < table.presets->len; row++)
        {
          g_autofree char *printable = ns_text_dup_printable (get_cell (&table, row, c));

          widths[c] = MAX (widths[c], ns_text_width (printable));
        }
    }
  out = g_string_new (NULL);
  for (int row = -1; row < (int) table.presets->len; row++)
    {
      for (guint c = 0; c < NS_N_MODEL_COLUMNS; c++)
        if (model_columns[c].in_terminal)
          append_padded (out, row < 0 ? _ (model_columns[c].title) : get_cell (&table, (guint) row, c), widths[c],
                         c == NS_N_MODEL_COLUMNS - 1);
      g_string_append_c (out, '\n');
    }
  return g_string_free_to_bytes (out);
}
