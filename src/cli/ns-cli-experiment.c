/* Create an experiment and an engine from the options.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options-private.h"
#include "cli/ns-cli-ranks.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"

#include "cli/ns-cli.h"
#include "document/ns-experiment-json.h"
#include "import/ns-experiment-open.h"
#include "document/ns-presets.h"
#include "document/ns-recording.h"
#include "import/ns-token-ids.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define BYTES_PER_MIB ((guint64) 1 << 20)

/* Read the experiment of a recording, if the command draws recordings. */
static NsExperiment *
load_recording (GBytes *bytes, const char *name, gboolean allowed, GError **error)
{
  if (allowed)
    return ns_recording_experiment_from_bytes (bytes, name, error);
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("%s is a recording, which this command cannot use; allowed: normscope-cli plot, also as "
                  "--reference"),
               name);
  return NULL;
}

/* Read a file, a pipe or standard input, once, since a pipe can be read once. */
static NsExperiment *
load_file (const char *path, gboolean recordings, char ***assumptions, GError **error)
{
  gboolean is_stream = strcmp (path, "-") == 0;
  g_autofree char *name = is_stream ? g_strdup (_ ("standard input")) : ns_text_dup_short (path, NS_TEXT_MAX_PATH);
  g_autoptr (GBytes) bytes = NULL;

  if (!is_stream && !g_file_test (path, G_FILE_TEST_EXISTS)) /* a link, or an error */
    {
      NsExperiment *experiment = ns_experiment_open (path, assumptions, error);

      if (experiment == NULL && ns_preset_find (path) != NULL)
        g_prefix_error (error, _ ("use --preset %s for the preset of that name; "), path);
      return experiment;
    }
  bytes = is_stream ? ns_file_read_standard_input (NS_FILE_ANY, NULL, error)
                    : ns_file_read_path (path, NS_FILE_ANY, error);
  if (bytes == NULL)
    return NULL;
  if (!is_stream && !ns_file_is_given_pipe (path) && ns_recording_is_recording (bytes))
    return load_recording (bytes, name, recordings, error);
  return ns_experiment_open_bytes (bytes, name, assumptions, error);
}

static NsExperiment *
load_base (const NsCliOptions *options, char ***assumptions, GError **error)
{
  const char *path = options->files[0];

  if (path != NULL && options->preset != NULL)
    {
      g_autofree char *file = ns_text_dup_short (path, NS_TEXT_MAX_PATH);
      g_autofree char *preset = ns_text_dup_short (options->preset, NS_TEXT_MAX_VALUE);

      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("the file %s and --preset %s exclude each other; allowed: one of them"), file, preset);
      return NULL;
    }
  if (path != NULL)
    return load_file (path, options->recordings, assumptions, error);
  if (options->preset != NULL)
    return ns_preset_load (options->preset, error);
  return ns_experiment_new ();
}

/* ---- variants ---- */

/* Return the variant of a text: the built-in one, or `model`, unless NULL, wired like it. Caller owns it. */
static NsVariant *
new_variant (const NsVariant *model, const char *text, GError **error)
{
  return model != NULL ? ns_variant_wired_from_text (model, text, error) : ns_variant_from_text (text, error);
}

static gboolean
replace_variants (NsExperiment *experiment, const NsVariant *model, char **texts, GError **error)
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
      NsVariant *variant = new_variant (model, *texts, error);

      if (variant == NULL)
        {
          g_prefix_error (error, "--variant: ");
          return FALSE;
        }
      g_ptr_array_add (experiment->variants, variant);
      /* Keys without effect leave the built-in variant's name: number it. A variant without keys keeps its name, so the
       * validation refuses it if it occurs twice. */
      if (model == NULL && strchr (*texts, ':') != NULL && ns_variant_has_automatic_name (variant))
        ns_experiment_name_variant (experiment, experiment->variants->len - 1);
    }
  return TRUE;
}

gboolean
ns_cli_match_variant (const NsExperiment *experiment, const char *name, guint *index)
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
  g_autofree char *quoted = name != NULL ? ns_text_dup_short (name, NS_TEXT_MAX_VALUE) : NULL;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autofree char *line = ns_text_dup_short (ns_experiment_variant (experiment, v)->name, NS_TEXT_MAX_VALUE);

      g_string_append_printf (names, "%s“%s”", v > 0 ? ", " : "", line);
    }
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (names, ", %s", builtins[i].id);
  if (name != NULL)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--variant: the experiment has no variant “%s”; allowed: %s, or a variant's number from 0"), quoted,
                 names->str);
  else
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--variant is missing, and there are several variants; allowed: %s, or a variant's number from 0"),
                 names->str);
  g_string_free (names, TRUE);
  return FALSE;
}

/* Select one of the experiment's variants by name or number, else a built-in variant, or `model`, unless NULL, wired
 * like it. If the experiment has a variant with the built-in one's name, select that. */
static gboolean
select_variant (NsExperiment *experiment, const NsVariant *model, char **texts, guint *index, GError **error)
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
  if (ns_cli_match_variant (experiment, texts[0], index))
    return TRUE;
  builtin = new_variant (model, texts[0], &cause);
  if (builtin == NULL && ns_builtin_variant_find (texts[0]) == NULL && strchr (texts[0], ':') == NULL)
    return refuse_selection (experiment, texts[0], error);
  if (builtin == NULL)
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&cause), "--variant: ");
      return FALSE;
    }
  if (ns_cli_match_variant (experiment, builtin->name, index))
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
  ns_shape_set_vocab (&experiment->shape, NS_TEXT_VOCAB);
  return TRUE;
}

/* Rows of an array are the sequences; single numbers are read as a text is. */
static gboolean
apply_ids (NsExperiment *experiment, const char *path, GError **error)
{
  gint64 rows, columns;
  GBytes *ids = ns_token_ids_read (path, &rows, &columns, error);

  if (ids == NULL)
    return FALSE;
  if (experiment->data.ids != NULL)
    g_bytes_unref (experiment->data.ids);
  experiment->data.ids = ids;
  experiment->data.source = NS_SOURCE_TOKENS;
  if (rows > 0)
    {
      experiment->shape.batch = rows;
      experiment->shape.seq_len = columns;
    }
  return TRUE;
}

static gboolean
apply_experiment_setting (NsExperiment *experiment, const NsCliSetting *setting, GError **error)
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
    if (!apply_experiment_setting (experiment, g_ptr_array_index (settings, i), error))
      return FALSE;
  return TRUE;
}

/* Apply the options to the experiment. `model` is that of a config, else NULL. */
static gboolean
apply_options (NsExperiment *experiment, const NsCliOptions *options, const NsVariant *model, guint *select,
               GError **error)
{
  if (select != NULL && !select_variant (experiment, model, options->variants, select, error))
    return FALSE;
  if (select == NULL && options->variants != NULL
      && !replace_variants (experiment, model, options->variants, error))
    return FALSE;
  if (options->weights != NULL && !ns_cli_add_trained (experiment, model, options, error))
    return FALSE;
  if (options->text_file != NULL && !apply_text_file (experiment, options->text_file, error))
    return FALSE;
  if (options->ids != NULL && !apply_ids (experiment, options->ids, error))
    return FALSE;
  if (!apply_settings (experiment, options->settings, error))
    return FALSE;
  ns_experiment_fill_text (experiment);
  if (ns_experiment_validate (experiment, error))
    return options->weights == NULL || ns_cli_read_weights (experiment, options, error);
  if (options->text_file != NULL)
    {
      g_autofree char *file = ns_text_dup_short (options->text_file, NS_TEXT_MAX_PATH);

      g_prefix_error (error, "%s: ", file);
    }
  return FALSE;
}

NsExperiment *
ns_cli_options_load (const NsCliOptions *options, guint *select, GError **error)
{
  g_auto (GStrv) assumptions = NULL;
  g_autoptr (NsExperiment) base = load_base (options, &assumptions, error);
  g_autoptr (NsExperiment) experiment = NULL;
  g_autofree char *scaling = NULL;
  const char *name = options->files[0];

  if (base != NULL && options->scaled)
    {
      g_autoptr (NsExperiment) full = g_steal_pointer (&base);

      base = ns_cli_scale_down (full, assumptions != NULL, &scaling);
    }
  experiment = base != NULL ? ns_experiment_copy (base) : NULL;
  if (experiment == NULL
      || !apply_options (experiment, options, assumptions != NULL ? ns_experiment_variant (base, 0) : NULL, select,
                         error))
    return NULL;
  if (experiment->data.ids != NULL)
    ns_cli_warn (_ ("The tokens are %zu ids from a file; none is random."),
                 g_bytes_get_size (experiment->data.ids) / sizeof (gint32));
  if (assumptions != NULL)
    ns_cli_print_import (strcmp (name, "-") == 0 ? _ ("standard input") : name, assumptions, scaling, base, experiment);
  else if (scaling != NULL)
    ns_cli_warn ("%s", scaling);
  return g_steal_pointer (&experiment);
}

NsEngine *
ns_cli_options_new_engine (const NsCliOptions *options, GError **error)
{
  guint n_threads = (guint) options->threads;

  if (ns_blas_get_forced_core () != NULL)
    ns_cli_warn (_ ("warning: OPENBLAS_CORETYPE forces the BLAS kernels of %s, which affects times and digits"),
                 ns_blas_get_forced_core ());
  if (n_threads == 0 && ns_cli_ranks_get_n () > 1)
    n_threads = 1; /* there is a process for each core */
  return ns_engine_new (n_threads, (guint64) options->memory_budget_mib * BYTES_PER_MIB);
}
