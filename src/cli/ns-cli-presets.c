/* normscope-cli presets: list the presets, describe one, or print it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"

#include "document/ns-experiment-json.h"
#include "document/ns-model-table.h"
#include "document/ns-presets.h"
#include "document/ns-result-table.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-scale-down.h"
#include "engine/experiment/ns-text.h"
#include "engine/run/ns-estimate.h"

#include <glib/gi18n.h>

typedef enum { MODELS_FORMAT_TABLE, MODELS_FORMAT_JSON, MODELS_FORMAT_CSV } ModelsFormat;
static const char *const models_formats[] = { "table", "json", "csv", NULL };

/* Options as given on the command line; NULL if absent. */
typedef struct
{
  char *output, *format;
  gboolean scaled, models, about;
} PresetsRequest;

static void
presets_request_clear (PresetsRequest *request)
{
  g_free (request->output);
  g_free (request->format);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PresetsRequest, presets_request_clear)

/* Append a line without control characters, which a user's preset can contain. */
static void
append_preset_line (GString *page, const char *label, const char *text)
{
  g_autofree char *printable = ns_text_dup_printable (text);

  g_string_append_printf (page, "%s%s\n", label, printable);
}

static GBytes *
list_presets (void)
{
  GString *list = g_string_new (NULL);
  gsize n, widest = 0;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < n; i++)
    widest = MAX (widest, ns_text_width (presets[i].id));
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *id = ns_text_dup_printable (presets[i].id);

      if (i == 0 || !g_str_equal (presets[i].group, presets[i - 1].group))
        append_preset_line (list, "", presets[i].group);
      g_string_append_printf (list, "  %s%*s  ", id, (int) (widest - MIN (widest, ns_text_width (id))), "");
      append_preset_line (list, "", presets[i].title);
    }
  return g_string_free_to_bytes (list);
}

/* ---- describing a preset ---- */

static void
append_estimate (GString *page, const char *label, const NsEngine *engine, const NsExperiment *experiment)
{
  g_autofree char *text = NULL;
  NsEstimate estimate;

  if (ns_estimate_run (engine, experiment, NULL, &estimate, NULL))
    {
      text = ns_estimate_dup_text (&estimate);
      append_preset_line (page, label, text);
    }
}

static void
append_scaled (GString *page, const NsEngine *engine, const NsExperiment *experiment)
{
  g_autoptr (NsExperiment) smaller = ns_experiment_scale_down (experiment, NS_SCALED_D_MODEL);
  g_autofree char *scaling = ns_experiment_dup_scaling (experiment, smaller);

  if (scaling == NULL)
    return;
  append_estimate (page, _ ("Scaled down (--scaled): "), engine, smaller);
  g_string_append_printf (page, "  %s\n", scaling);
}

static GBytes *
describe_preset (const char *id, GError **error)
{
  g_autoptr (NsExperiment) experiment = ns_preset_load (id, error);
  g_autoptr (NsEngine) engine = NULL;
  const NsPreset *preset;
  GString *page;

  if (experiment == NULL)
    return NULL;
  preset = ns_preset_find (id);
  engine = ns_engine_new (0, 0);
  page = g_string_new (NULL);
  append_preset_line (page, "", preset->title);
  append_preset_line (page, "", preset->description);
  for (NsModelColumn c = NS_MODEL_PLACEMENT; preset->variant != NULL && c < NS_N_MODEL_COLUMNS; c++)
    {
      g_autofree char *cell = ns_model_dup_cell (preset, experiment, c);
      g_autofree char *label = g_strdup_printf ("%s: ", _ (ns_model_column_get_title (c)));

      if (*cell != '\0')
        append_preset_line (page, label, cell);
    }
  if (preset->variant == NULL && preset->source != NULL)
    append_preset_line (page, _ ("Source: "), preset->source);
  if (preset->notes != NULL)
    append_preset_line (page, _ ("Notes: "), preset->notes);
  append_estimate (page, _ ("Full size: "), engine, experiment);
  append_scaled (page, engine, experiment);
  return g_string_free_to_bytes (page);
}

static GBytes *
print_preset (const char *id, gboolean scaled, GError **error)
{
  g_autoptr (NsExperiment) experiment = ns_preset_load (id, error);
  g_autoptr (NsExperiment) smaller = NULL;

  if (experiment == NULL)
    return NULL;
  if (!scaled)
    return ns_experiment_to_bytes (experiment);
  smaller = ns_experiment_scale_down (experiment, NS_SCALED_D_MODEL);
  return ns_experiment_to_bytes (smaller);
}

/* ---- the command ---- */

static gboolean
check_presets_request (const PresetsRequest *request, const char *id, GError **error)
{
  const char *option = request->scaled ? "--scaled" : "--about";
  g_autofree char *quoted = id != NULL ? ns_text_dup_short (id, NS_TEXT_MAX_VALUE) : NULL;

  if (request->models && id != NULL)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--models lists all models; the preset “%s” is not allowed with it"), quoted);
  else if (id == NULL && (request->scaled || request->about))
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("%s: the name of a preset is missing"), option);
  else if (request->scaled && request->about)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--scaled and --about exclude each other"));
  else if (request->format != NULL && !request->models)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--format: allowed with --models"));
  else
    return TRUE;
  return FALSE;
}

static GBytes *
list_models (const char *word, GError **error)
{
  int format = word != NULL ? ns_cli_parse_choice ("format", word, models_formats, error) : MODELS_FORMAT_TABLE;

  if (format < 0)
    return NULL;
  if (format == MODELS_FORMAT_JSON)
    return ns_models_to_json (error);
  return format == MODELS_FORMAT_CSV ? ns_models_to_csv (error) : ns_models_to_text (error);
}

static GBytes *
make_presets (const PresetsRequest *request, const char *id, GError **error)
{
  if (!check_presets_request (request, id, error))
    return NULL;
  if (id != NULL && !request->about)
    return print_preset (id, request->scaled, error);
  for (const char *const *problem = ns_presets_get_problems (); *problem != NULL; problem++)
    ns_cli_warn (_ ("warning: left out: %s"), *problem);
  if (id != NULL)
    return describe_preset (id, error);
  return request->models ? list_models (request->format, error) : list_presets ();
}

int
ns_cli_presets (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (PresetsRequest) request = { 0 };
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "about", 0, 0, G_OPTION_ARG_NONE, &request.about,
      N_ ("Describe the preset: sources, unconfirmed values, and time and memory on this machine"), NULL },
    { "scaled", 0, 0, G_OPTION_ARG_NONE, &request.scaled,
      N_ ("Print it scaled down: the same wiring and depth, width at most 128"), NULL },
    { "models", 0, 0, G_OPTION_ARG_NONE, &request.models, N_ ("List the norm placement of every model"), NULL },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &request.format, N_ ("Format of --models: table, json or csv"),
      N_ ("FORMAT") },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &request.output, N_ ("Write to FILE instead of standard output"),
      N_ ("FILE") },
    { NULL },
  };

  if (!ns_cli_options_parse (&options, argc, argv, entries, FALSE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    bytes = ns_cli_options_help ("presets", "[NAME]", _ ("List the presets, describe one, or print it."), entries,
                                 FALSE);
  else
    bytes = make_presets (&request, options.files[0], &error);
  if (bytes == NULL || !ns_cli_write (options.help ? NULL : request.output, bytes, &error))
    return ns_cli_fail (error);
  return NS_EXIT_DONE;
}
