/* The help page of a command, generated from its options and the parameter table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options-private.h"
#include "cli/ns-cli.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-variants.h"

#include "import/ns-config-families.h"
#include "document/ns-presets.h"
#include "document/ns-result-table.h"

#include <glib/gi18n.h>
#include <string.h>

#define INDENT 30

static void
append_wrapped (GString *page, const char *text, gsize at)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  gboolean first = TRUE;

  for (guint i = 0; words[i] != NULL; i++)
    {
      gsize width = ns_text_width (words[i]);

      if (at > INDENT && at + 1 + width > NS_CLI_LINE_WIDTH)
        {
          g_string_append_c (page, '\n');
          at = 0;
          first = TRUE;
        }
      for (; at < INDENT; at++)
        g_string_append_c (page, ' ');
      if (!first)
        {
          g_string_append_c (page, ' ');
          at++;
        }
      g_string_append (page, words[i]);
      at += width;
      first = FALSE;
    }
  g_string_append_c (page, '\n');
}

static void
append_option (GString *page, char short_name, const char *long_name, const char *argument, const char *description)
{
  g_autofree char *option = NULL;
  gsize width;

  option = g_strdup_printf ("  %c%c%s--%s%s%s", short_name != 0 ? '-' : ' ', short_name != 0 ? short_name : ' ',
                            short_name != 0 ? ", " : "  ", long_name, argument != NULL ? " " : "",
                            argument != NULL ? argument : "");
  width = ns_text_width (option);
  g_string_append (page, option);
  if (width + 2 > INDENT)
    {
      g_string_append_c (page, '\n');
      width = 0;
    }
  append_wrapped (page, description, width);
}

static void
append_entries (GString *page, const GOptionEntry *entries)
{
  for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++)
    append_option (page, entry->short_name, entry->long_name,
                   entry->arg_description != NULL ? _ (entry->arg_description) : NULL, _ (entry->description));
}

static const char *
get_argument (NsType type)
{
  switch (type)
    {
    case NS_TYPE_INTEGER:
      return "N";
    case NS_TYPE_NUMBER:
      return "X";
    case NS_TYPE_BOOLEAN:
      return "on|off";
    case NS_TYPE_CHOICE:
      return _ ("WORD");
    case NS_TYPE_SCALE:
      return _ ("X|WORD");
    case NS_TYPE_STRING:
      return _ ("TEXT");
    case NS_TYPE_LIST:
      return "X…";
    default:
      g_return_val_if_reached (NULL);
    }
}

static void
append_param (GString *page, const NsParam *param, gconstpointer defaults)
{
  g_autofree char *name = ns_param_dup_option_name (param->key);
  g_autofree char *allowed = ns_param_dup_allowed (param);
  g_autofree char *fallback = ns_param_dup_text (param, defaults);
  g_autofree char *description = NULL;

  if (param->unit != NULL && !ns_param_is_null (param, defaults))
    description = g_strdup_printf (_ ("%s [%s; default %s %s]"), _ (param->help), allowed, fallback, _ (param->unit));
  else
    description = g_strdup_printf (_ ("%s [%s; default %s]"), _ (param->help), allowed, fallback);
  append_option (page, 0, name, get_argument (param->type), description);
}

static void
append_params (GString *page, const GOptionEntry *own)
{
  static const struct
  {
    NsSection section;
    const char *title;
  } sections[] = {
    { NS_SECTION_SHAPE, N_ ("Shape, shared by all variants:") },
    { NS_SECTION_DATA, N_ ("Data:") },
    { NS_SECTION_TOP, N_ ("Loss:") },
    { NS_SECTION_SAMPLING, N_ ("Seeds:") },
    { NS_SECTION_TRAINING, N_ ("Training:") },
    { NS_SECTION_VARIANT, N_ ("Variant (set in every variant):") },
  };
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize s = 0; s < G_N_ELEMENTS (sections); s++)
    {
      gconstpointer defaults = experiment;

      if (sections[s].section == NS_SECTION_VARIANT)
        defaults = ns_experiment_variant (experiment, 0);
      g_string_append_printf (page, "\n%s\n", _ (sections[s].title));
      for (gsize i = 0; i < n; i++)
        if (params[i].section == sections[s].section && ns_cli_param_has_option (&params[i], own))
          append_param (page, &params[i], defaults);
    }
}

static void
append_names (GString *page)
{
  g_autofree char *families = g_strjoinv (", ", (char **) ns_config_get_model_types ());
  gsize n;
  const NsBuiltinVariant *variants = ns_builtin_variants (&n);
  const NsPreset *presets;

  g_string_append_printf (page, "\n%s\n", _ ("Built-in variants:"));
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *text = g_strdup_printf ("%s: %s. %s", variants[i].name, variants[i].equation,
                                               _ (variants[i].sentence));
      g_autofree char *id = g_strdup_printf ("  %s", variants[i].id);

      g_string_append (page, id);
      append_wrapped (page, text, ns_text_width (id));
    }
  presets = ns_presets (&n);
  g_string_append_printf (page, "\n%s\n", _ ("Presets:"));
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *id = g_strdup_printf ("  %s", presets[i].id);

      g_string_append (page, id);
      append_wrapped (page, presets[i].title, ns_text_width (id));
    }
  g_string_append_printf (page, "\n%s\n", _ ("Model families whose config.json can be used as FILE, by model_type:"));
  append_wrapped (page, families, 0);
}

GBytes *
ns_cli_options_help (const char *command, const char *arguments, const char *summary, const GOptionEntry *own,
                     gboolean experiment)
{
  GString *page = g_string_new (NULL);
  NsCliOptions none = { 0 };
  GOptionEntry shared[NS_CLI_N_SHARED];

  g_string_append_printf (page, _ ("Usage: normscope-cli %s %s [OPTION…]"), command, arguments);
  g_string_append_printf (page, "\n\n%s\n\n%s\n", summary, _ ("Options:"));
  append_option (page, 'h', "help", NULL, _ ("Show this page"));
  append_entries (page, own);
  if (experiment)
    {
      append_entries (page, ns_cli_shared_entries (&none, shared));
      append_params (page, own);
      append_names (page);
    }
  return g_string_free_to_bytes (page);
}
