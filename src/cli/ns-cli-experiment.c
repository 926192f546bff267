/* Create an experiment and an engine from the options.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options-private.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"

#include "cli/ns-cli.h"
#include "document/ns-experiment-json.h"
#include "document/ns-experiment-open.h"
#include "document/ns-presets.h"
#include "document/ns-result-table.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define BYTES_PER_MIB ((guint64) 1 << 20)
/* A text's tokens are its bytes. */
#define TEXT_VOCAB 256

static NsExperiment *
load_file (const char *path, char ***assumptions, GError **error)
{
  g_autoptr (GFile) file = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (strcmp (path, "-") != 0)
    {
      NsExperiment *experiment = ns_experiment_open (path, assumptions, error);

      if (experiment == NULL && ns_preset_find (path) != NULL && !g_file_test (path, G_FILE_TEST_EXISTS))
        g_prefix_error (error, _ ("use --preset %s for the preset of that name; "), path);
      return experiment;
    }
  file = g_file_new_for_path ("/dev/stdin");
  bytes = ns_file_read (file, NULL, error);
  return bytes != NULL ? ns_experiment_open_bytes (bytes, _ ("standard input"), assumptions, error) : NULL;
}

static void
print_assumptions (const char *name, char **assumptions)
{
  g_autofree char *list = g_strjoinv ("\n- ", assumptions);

  ns_cli_warn (_ ("%s: a model's config, imported as an experiment with these assumptions:\n- %s"), name, list);
}

static NsExperiment *
load_base (const NsCliOptions *options, GError **error)
{
  const char *path = options->files[0];

  if (path != NULL && options->preset != NULL)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("the file %s and --preset %s exclude each other; allowed: one of them"), path, options->preset);
      return NULL;
    }
  if (path != NULL)
    {
      g_auto (GStrv) assumptions = NULL;
      NsExperiment *experiment = load_file (path, &assumptions, error);
      const char *name = strcmp (path, "-") == 0 ? _ ("standard input") : path;

      if (assumptions != NULL)
        print_assumptions (name, assumptions);
      return experiment;
    }
  if (options->preset != NULL)
    return ns_preset_load (options->preset, error);
  return ns_experiment_new ();
}

/* ---- variants ---- */

static gboolean
replace_variants (NsExperiment *experiment, char **texts, GError **error)
{
  if (g_strv_length (texts) > NS_MAX_VARIANTS)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--variant: %u variants are not allowed; allowed: from 1 to %u"), g_strv_length (texts),
                   NS_MAX_VARIANTS);
      return FALSE;
    }
  g_ptr_array_set_size (experiment->variants, 0);
  for (; *texts != NULL; texts++)
    {
      NsVariant *variant = ns_variant_from_text (*texts, error);

      if (variant == NULL)
        {
          g_prefix_error (error, "--variant: ");
          return FALSE;
        }
      g_ptr_array_add (experiment->variants, variant);
      /* Keys without effect leave the built-in variant's name: number it. A variant without keys keeps its name, so the
       * validation refuses it if it occurs twice. */
      if (strchr (*texts, ':') != NULL && ns_variant_has_automatic_name (variant))
        ns_experiment_name_variant (experiment, experiment->variants->len - 1);
    }
  return TRUE;
}

static gboolean
find_variant (const NsExperiment *experiment, const char *name, guint *index)
{
  guint64 number;

  for (guint v = 0; v < experiment->variants->len; v++)
    if (strcmp (ns_experiment_variant (experiment, v)->name, name) == 0)
      {
        *index = v;
        return TRUE;
      }
  if (!g_ascii_string_to_unsigned (name, 10, 0, experiment->variants->len - 1, &number, NULL))
    return FALSE;
  *index = (guint) number;
  return TRUE;
}

static gboolean
refuse_selection (const NsExperiment *experiment, const char *name, GError **error)
{
  GString *names = g_string_new (NULL);
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autofree char *line = ns_text_dup_line (ns_experiment_variant (experiment, v)->name);

      g_string_append_printf (names, "%s“%s”", v > 0 ? ", " : "", line);
    }
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (names, ", %s", builtins[i].id);
  if (name != NULL)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--variant: the experiment has no variant “%s”; allowed: %s, or a variant's number from 0"), name,
                 names->str);
  else
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--variant is missing, and there are several variants; allowed: %s, or a variant's number from 0"),
                 names->str);
  g_string_free (names, TRUE);
  return FALSE;
}

/* Select one of the experiment's variants by name or number, else a built-in variant. If the experiment has a variant
 * with the built-in one's name, select that. */
static gboolean
select_variant (NsExperiment *experiment, char **texts, guint *index, GError **error)
{
  g_autoptr (NsVariant) builtin = NULL;
  g_autoptr (GError) cause = NULL;

  *index = 0;
  if (texts == NULL || texts[0] == NULL)
    return experiment->variants->len == 1 || refuse_selection (experiment, NULL, error);
  if (texts[1] != NULL)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--variant: %u variants are not allowed; allowed: 1"),
                   g_strv_length (texts));
      return FALSE;
    }
  if (find_variant (experiment, texts[0], index))
    return TRUE;
  builtin = ns_variant_from_text (texts[0], &cause);
  if (builtin == NULL && strchr (texts[0], ':') == NULL)
    return refuse_selection (experiment, texts[0], error);
  if (builtin == NULL)
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&cause), "--variant: ");
      return FALSE;
    }
  if (find_variant (experiment, builtin->name, index))
    return TRUE;
  g_ptr_array_set_size (experiment->variants, 0);
  g_ptr_array_add (experiment->variants, g_steal_pointer (&builtin));
  return TRUE;
}

/* ---- single keys ---- */

static gboolean
apply_text_file (NsExperiment *experiment, const char *path, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);
  g_autofree char *text = ns_file_read_text (file, NULL, error);

  if (text == NULL)
    return FALSE;
  g_free (experiment->data.text);
  experiment->data.text = g_steal_pointer (&text);
  experiment->data.source = NS_SOURCE_TEXT;
  experiment->shape.vocab = TEXT_VOCAB;
  return TRUE;
}

static gboolean
apply_setting (NsExperiment *experiment, const NsCliSetting *setting, GError **error)
{
  if (setting->param->section != NS_SECTION_VARIANT)
    return ns_param_set_text (setting->param, experiment, setting->text, "", error);
  for (guint v = 0; v < experiment->variants->len; v++)
    if (!ns_param_set_text (setting->param, ns_experiment_variant (experiment, v), setting->text, "", error))
      return FALSE;
  return TRUE;
}

static gboolean
apply_settings (NsExperiment *experiment, GPtrArray *settings, GError **error)
{
  for (guint i = 0; i < settings->len; i++)
    if (!apply_setting (experiment, g_ptr_array_index (settings, i), error))
      return FALSE;
  return TRUE;
}

NsExperiment *
ns_cli_options_load (const NsCliOptions *options, guint *select, GError **error)
{
  g_autoptr (NsExperiment) experiment = load_base (options, error);

  if (experiment == NULL)
    return NULL;
  if (select != NULL && !select_variant (experiment, options->variants, select, error))
    return NULL;
  if (select == NULL && options->variants != NULL && !replace_variants (experiment, options->variants, error))
    return NULL;
  if (options->text_file != NULL && !apply_text_file (experiment, options->text_file, error))
    return NULL;
  if (!apply_settings (experiment, options->settings, error))
    return NULL;
  ns_experiment_fill_text (experiment);
  if (!ns_experiment_validate (experiment, error))
    {
      if (options->text_file != NULL)
        g_prefix_error (error, "%s: ", options->text_file);
      return NULL;
    }
  return g_steal_pointer (&experiment);
}

NsEngine *
ns_cli_options_new_engine (const NsCliOptions *options, GError **error)
{
  if (ns_blas_get_forced_core () != NULL)
    ns_cli_warn (_ ("warning: OPENBLAS_CORETYPE forces the BLAS kernels of %s, which affects times and last digits"),
                 ns_blas_get_forced_core ());
  return ns_engine_new ((guint) options->threads, (guint64) options->memory_budget_mib * BYTES_PER_MIB);
}
