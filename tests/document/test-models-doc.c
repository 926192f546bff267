/* The tables of docs/MODELS.md match the program's.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     test-document -p /models-doc/subprocess/print     prints the rows that belong between the marks
 */
#include "doc-rows.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"

#include "document/ns-model-table.h"
#include "tests.h"

#include <stdio.h>
#include <string.h>

/* Escape a table cell for Markdown. */
static char *
escape_cell (const char *text)
{
  GString *cell = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p++)
    {
      if (strchr ("|*_[]", *p) != NULL)
        g_string_append_c (cell, '\\');
      g_string_append_c (cell, *p);
    }
  return g_string_free (cell, FALSE);
}

static void
append_cell (GString *rows, const char *text)
{
  g_autofree char *cell = escape_cell (text);

  g_string_append_printf (rows, " %s |", cell);
}

static char *
dup_variant_rows (void)
{
  GString *rows = g_string_new (NULL);
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (gsize i = 0; i < n; i++)
    {
      if (i == 0 || builtins[i].group != builtins[i - 1].group)
        g_string_append_printf (rows,
                                "%s### %s\n\n| variant | equation | what it is | settings | source | note |\n"
                                "| --- | --- | --- | --- | --- | --- |\n",
                                i > 0 ? "\n" : "", ns_variant_group_get_name (builtins[i].group));
      g_string_append_printf (rows, "| `%s`<br>%s |", builtins[i].id, builtins[i].name);
      append_cell (rows, builtins[i].equation);
      append_cell (rows, builtins[i].sentence);
      g_string_append_printf (rows, " `%s` |", builtins[i].settings);
      append_cell (rows, builtins[i].source);
      append_cell (rows, builtins[i].note != NULL ? builtins[i].note : "");
      g_string_append_c (rows, '\n');
    }
  return g_string_free (rows, FALSE);
}

static char *
dup_model_rows (void)
{
  g_autoptr (GBytes) csv = ns_models_to_csv (NULL);
  g_auto (GStrv) lines = g_strsplit (g_bytes_get_data (csv, NULL), "\n", 2);
  g_auto (GStrv) names = g_strsplit (lines[0] + strlen ("id,"), ",", -1);
  g_autofree char *heading = g_strjoinv (" | ", names);
  GString *rows = g_string_new (NULL);
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  g_string_append_printf (rows, "| preset | %s | notes |\n|", heading);
  for (int c = 0; c < NS_N_MODEL_COLUMNS + 2; c++)
    g_string_append (rows, " --- |");
  g_string_append_c (rows, '\n');
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) experiment = NULL;

      if (presets[i].variant == NULL || presets[i].path != NULL)
        continue;
      experiment = ns_preset_load (presets[i].id, NULL);
      g_string_append_printf (rows, "| `%s` |", presets[i].id);
      for (int c = 0; c < NS_N_MODEL_COLUMNS; c++)
        {
          g_autofree char *cell = ns_model_dup_cell (&presets[i], experiment, (NsModelColumn) c);

          append_cell (rows, cell);
        }
      append_cell (rows, presets[i].notes != NULL ? presets[i].notes : "");
      g_string_append_c (rows, '\n');
    }
  return g_string_free (rows, FALSE);
}

static void
test_variants (void)
{
  g_autofree char *rows = dup_variant_rows ();

  assert_rows ("MODELS.md", "variants", rows);
}

static void
test_models (void)
{
  g_autofree char *rows = dup_model_rows ();

  assert_rows ("MODELS.md", "models", rows);
}

static void
print_rows (void)
{
  g_autofree char *variants = dup_variant_rows ();
  g_autofree char *models = dup_model_rows ();

  printf ("%s\f%s", variants, models);
}

void
add_models_doc_tests (void)
{
  g_test_add_func ("/models-doc/variants", test_variants);
  g_test_add_func ("/models-doc/models", test_models);
  g_test_add_func ("/models-doc/subprocess/print", print_rows);
}
