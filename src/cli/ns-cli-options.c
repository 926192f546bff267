/* Parse the command line.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options-private.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-text.h"

#include "cli/ns-cli.h"
#include "document/ns-suggest.h"

#include <glib/gi18n.h>
#include <string.h>

/* Return the first parameter with the option name, or NULL. */
static const NsParam *
find_param (const char *option)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *name = ns_param_dup_option_name (params[i].key);

      if (strcmp (name, option) == 0)
        return &params[i];
    }
  return NULL;
}

gboolean
ns_cli_param_has_option (const NsParam *param, const GOptionEntry *own)
{
  g_autofree char *name = ns_param_dup_option_name (param->key);

  for (; own->long_name != NULL; own++)
    if (strcmp (own->long_name, name) == 0)
      return FALSE;
  return ns_param_has_option (param);
}

const GOptionEntry *
ns_cli_shared_entries (NsCliOptions *options, GOptionEntry entries[NS_CLI_N_SHARED])
{
  /* The entries point into `options`, so they cannot be static. */
  const GOptionEntry filled[NS_CLI_N_SHARED] = {
    { "preset", 'p', 0, G_OPTION_ARG_STRING, &options->preset, N_ ("Start from a preset instead of a file"),
      N_ ("NAME") },
    { "variant", 'V', 0, G_OPTION_ARG_STRING_ARRAY, &options->variants,
      N_ ("Replace the variants by this built-in one, with changed keys after a colon "
          "(post:residual_scale=1.5,bias=on); can be repeated. With a model's config.json: the model wired as this "
          "variant, with its own norm, activation, attention and initialization; “model” is the model as it is"),
      N_ ("VARIANT") },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->sets,
      N_ ("Set a key by its path in files, as in training.learning_rate=0.01; a variant's key in every variant; can be "
          "repeated"),
      N_ ("KEY=VALUE") },
    { "scaled", 0, 0, G_OPTION_ARG_NONE, &options->scaled,
      N_ ("Scale the file or the preset down: the same wiring and depth, width at most 128"), NULL },
    { "text-file", 0, 0, G_OPTION_ARG_FILENAME, &options->text_file,
      N_ ("Use the text of this file as tokens: sets source text and vocab 256"), N_ ("FILE") },
    { "ids", 0, 0, G_OPTION_ARG_FILENAME, &options->ids,
      N_ ("Read the tokens from an .npy array of integers or a text file of numbers instead of random ones"),
      N_ ("FILE") },
    { "weights", 0, 0, G_OPTION_ARG_FILENAME, &options->weights,
      N_ ("Add the model of a config with the weights of a safetensors file, or of a folder with "
          "model.safetensors or its index and shards"),
      N_ ("FILE") },
    { "threads", 'j', 0, G_OPTION_ARG_INT, &options->threads, N_ ("Worker threads; 0: one for each core"), "N" },
    { "memory-budget", 0, 0, G_OPTION_ARG_INT, &options->memory_budget_mib,
      N_ ("Memory for weights and activations to keep instead of computing them again; 0: 1024 MiB"), "MIB" },
    { NULL },
  };

  memcpy (entries, filled, sizeof filled);
  return entries;
}

static void
experiment_setting_free (gpointer data)
{
  NsCliSetting *setting = data;

  g_free (setting->text);
  g_free (setting);
}

static void
add_setting (NsCliOptions *options, int place, const NsParam *param, const char *text)
{
  NsCliSetting *setting = g_new (NsCliSetting, 1);

  setting->param = param;
  setting->text = g_strdup (text);
  g_ptr_array_insert (options->settings, place, setting);
}

gboolean
ns_cli_options_take (NsCliOptions *options, const char *option, const char *text)
{
  const NsParam *param = find_param (option);

  if (param == NULL || !ns_param_is_of_training (param))
    return FALSE;
  add_setting (options, 0, param, text); /* before those of --set */
  return TRUE;
}

static gboolean
take_setting (const char *option_name, const char *value, gpointer data, GError **error)
{
  add_setting (data, -1, find_param (option_name + strlen ("--")), value);
  return TRUE;
}

static gboolean
refuse_key (const char *key, GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  g_autofree char *quoted = ns_text_dup_short (key, NS_TEXT_MAX_VALUE);
  g_autofree char *advice = NULL;
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (paths, (gpointer) ns_param_get_path (&params[i]));
  g_ptr_array_add (paths, NULL);
  advice = ns_suggest_dup_text (key, (const char *const *) paths->pdata);
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--set: “%s” is not a key. %s"), quoted, advice);
  return FALSE;
}

/* Add the settings of --set, after those of single options. */
static gboolean
take_sets (NsCliOptions *options, GError **error)
{
  for (char **set = options->sets; set != NULL && *set != NULL; set++)
    {
      const char *equals = strchr (*set, '=');
      g_autofree char *key = equals != NULL ? g_strndup (*set, (gsize) (equals - *set)) : NULL;
      const NsParam *param = key != NULL ? ns_param_find (key) : NULL;

      if (equals == NULL)
        {
          g_autofree char *quoted = ns_text_dup_short (*set, NS_TEXT_MAX_VALUE);

          g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                       _ ("--set: “%s” is not allowed; allowed: KEY=VALUE, such as training.steps=100"), quoted);
          return FALSE;
        }
      if (param == NULL)
        return refuse_key (key, error);
      add_setting (options, -1, param, equals + 1);
    }
  return TRUE;
}

/* Check each value by itself, before anything else is read. */
static gboolean
check_settings (const NsCliOptions *options, GError **error)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();

  for (guint i = 0; i < options->settings->len; i++)
    {
      const NsCliSetting *setting = g_ptr_array_index (options->settings, i);
      gpointer base = setting->param->section == NS_SECTION_VARIANT ? (gpointer) ns_experiment_variant (experiment, 0)
                                                                    : (gpointer) experiment;

      if (!ns_param_set_text (setting->param, base, setting->text, "", error))
        return FALSE;
    }
  return TRUE;
}

/* ---- option names ---- */

static GPtrArray *
list_names (const GOptionEntry *own, gboolean experiment)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  NsCliOptions none = { 0 };
  GOptionEntry shared[NS_CLI_N_SHARED];
  gsize n;
  const NsParam *params = ns_params (&n);

  ns_cli_shared_entries (&none, shared);
  g_ptr_array_add (names, g_strdup ("help"));
  for (const GOptionEntry *entry = own; entry->long_name != NULL; entry++)
    g_ptr_array_add (names, g_strdup (entry->long_name));
  for (const GOptionEntry *entry = shared; experiment && entry->long_name != NULL; entry++)
    g_ptr_array_add (names, g_strdup (entry->long_name));
  for (gsize i = 0; experiment && i < n; i++)
    g_ptr_array_add (names, ns_param_dup_option_name (params[i].key));
  g_ptr_array_add (names, NULL);
  return names;
}

static gboolean
is_boolean_word (const char *word)
{
  static const char *const words[] = { "on", "off", "true", "false", NULL };

  return word != NULL && g_strv_contains (words, word);
}

/* The options that a command knows. */
typedef struct
{
  const GOptionEntry *lists[2]; /* the command's own and the shared ones; either may be NULL */
} Known;

/* Return the entry with the long name, or, if that is NULL, the short one; NULL if there is none. */
static const GOptionEntry *
find_entry (const Known *known, const char *long_name, char short_name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (known->lists); i++)
    for (const GOptionEntry *entry = known->lists[i]; entry != NULL && entry->long_name != NULL; entry++)
      if (long_name != NULL ? strcmp (entry->long_name, long_name) == 0 : entry->short_name == short_name)
        return entry;
  return NULL;
}

/* Return TRUE if the next argument is the option's value. */
static gboolean
takes_value (const char *name, const Known *known)
{
  const GOptionEntry *entry = find_entry (known, name, 0);

  return strcmp (name, "help") != 0 && (entry == NULL || entry->arg != G_OPTION_ARG_NONE);
}

/* Add short options, "-j1" as "-j", "1", which GLib does not read. Return TRUE if the next argument is the value. */
static gboolean
add_short (GStrvBuilder *builder, const char *argument, const Known *known)
{
  for (const char *p = argument + 1; *p != '\0'; p++)
    {
      const GOptionEntry *entry = find_entry (known, NULL, *p);
      g_autofree char *options = NULL;

      if (entry == NULL || entry->arg == G_OPTION_ARG_NONE)
        continue;
      options = g_strndup (argument, (gsize) (p + 1 - argument));
      g_strv_builder_add (builder, options);
      if (p[1] == '\0')
        return TRUE;
      g_strv_builder_add (builder, p + 1);
      return FALSE;
    }
  g_strv_builder_add (builder, argument);
  return FALSE;
}

/* Normalize option names: "--d_model" to "--d-model", "--attn.norm" to "--attn-norm". Add "=on" to a boolean option
 * without a value. Detach the value of a short option. */
static char **
normalize (char **argv, const GOptionEntry *own, gboolean experiment, GError **error)
{
  g_autoptr (GPtrArray) names = list_names (own, experiment);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  NsCliOptions none = { 0 };
  GOptionEntry shared[NS_CLI_N_SHARED];
  const Known known = { { own, experiment ? ns_cli_shared_entries (&none, shared) : NULL } };
  gboolean only_files = FALSE;

  for (guint i = 0; argv[i] != NULL; i++)
    {
      const char *equals = strchr (argv[i], '=');
      gsize length = equals != NULL ? (gsize) (equals - argv[i]) : strlen (argv[i]);
      g_autofree char *typed = g_strndup (argv[i], length);
      g_autofree char *name = NULL;
      g_autofree char *argument = NULL;
      const NsParam *param;

      only_files = only_files || strcmp (argv[i], "--") == 0;
      if (only_files || *argv[i] != '-')
        {
          g_strv_builder_add (builder, argv[i]);
          continue;
        }
      if (argv[i][1] != '-')
        {
          if (add_short (builder, argv[i], &known) && argv[i + 1] != NULL)
            g_strv_builder_add (builder, argv[++i]);
          continue;
        }
      name = ns_param_dup_option_name (typed + strlen ("--"));
      if (!g_strv_contains ((const char *const *) names->pdata, name))
        {
          const char *nearest = ns_suggest (name, (const char *const *) names->pdata);
          g_autofree char *question
            = nearest != NULL ? g_strdup_printf (_ (" Did you mean --%s?"), nearest) : g_strdup ("");
          g_autofree char *quoted = ns_text_dup_short (typed, NS_TEXT_MAX_VALUE);

          g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                       _ ("unknown option %s.%s “normscope-cli %s --help” lists all options"), quoted, question,
                       argv[0]);
          return NULL;
        }
      param = experiment ? find_param (name) : NULL;
      argument = g_strconcat ("--", name, equals, NULL);
      if (equals != NULL || !takes_value (name, &known))
        g_strv_builder_add (builder, argument);
      else if (param != NULL && param->type == NS_TYPE_BOOLEAN && !is_boolean_word (argv[i + 1])
               && (argv[i + 1] == NULL || *argv[i + 1] == '-' || strpbrk (argv[i + 1], "./") != NULL))
        {
          g_autofree char *on = g_strconcat (argument, "=on", NULL);

          g_strv_builder_add (builder, on);
        }
      else
        {
          g_strv_builder_add (builder, argument);
          if (argv[i + 1] != NULL)
            g_strv_builder_add (builder, argv[++i]);
        }
    }
  return g_strv_builder_end (builder);
}

/* ---- parsing ---- */

static void
add_params (GOptionContext *context, NsCliOptions *options, const GOptionEntry *own)
{
  GOptionGroup *group = g_option_group_new ("experiment", "", "", options, NULL);
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *name = ns_param_dup_option_name (params[i].key);
      /* Intern the name, since GLib keeps the pointer. */
      GOptionEntry entry[] = {
        { g_intern_string (name), 0, 0, G_OPTION_ARG_CALLBACK, (gpointer) take_setting, "", "" },
        { NULL },
      };

      if (!ns_cli_param_has_option (&params[i], own))
        continue;
      g_option_group_add_entries (group, entry);
    }
  g_option_context_add_group (context, group);
}

static gboolean
check_engine_options (const NsCliOptions *options, GError **error)
{
  if (options->threads < 0 || options->threads > NS_CLI_MAX_THREADS)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--threads: %d is not allowed; allowed: from 0 to %d"),
                   options->threads, NS_CLI_MAX_THREADS);
      return FALSE;
    }
  if (options->memory_budget_mib < 0)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--memory-budget: %d is not allowed; allowed: 0 or more MiB"), options->memory_budget_mib);
      return FALSE;
    }
  return TRUE;
}

/* Return TRUE if the option got an empty text as a value, or as one of several. */
static gboolean
is_empty (const GOptionEntry *entry)
{
  const gpointer *data = entry->arg_data;

  switch (entry->arg)
    {
    case G_OPTION_ARG_STRING:
    case G_OPTION_ARG_FILENAME:
      return *data != NULL && *(const char *) *data == '\0';
    case G_OPTION_ARG_STRING_ARRAY:
    case G_OPTION_ARG_FILENAME_ARRAY:
      return *data != NULL && g_strv_contains (*data, "");
    case G_OPTION_ARG_NONE:
    case G_OPTION_ARG_INT:
    case G_OPTION_ARG_INT64:
    case G_OPTION_ARG_DOUBLE: /* GLib refuses what is no number */
    case G_OPTION_ARG_CALLBACK:
    default:
      return FALSE;
    }
}

static gboolean
refuse_empty_values (const Known *known, const char *command, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (known->lists); i++)
    for (const GOptionEntry *entry = known->lists[i]; entry != NULL && entry->long_name != NULL; entry++)
      if (is_empty (entry))
        {
          /* Translators: an option, the word for its value in the help, a command */
          g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                       _ ("--%s: the value is empty; allowed: %s, as “normscope-cli %s --help” says"), entry->long_name,
                       _ (entry->arg_description), command);
          return FALSE;
        }
  return TRUE;
}

/* GLib's messages quote a value as a whole: shorten it there. */
static gboolean
parse_strv (GOptionContext *context, char ***arguments, GError **error)
{
  g_auto (GStrv) before = g_strdupv (*arguments);
  g_autoptr (GError) cause = NULL;
  g_autoptr (GString) message = NULL;

  if (g_option_context_parse_strv (context, arguments, &cause))
    return TRUE;
  message = g_string_new (cause->message);
  for (char **argument = before; *argument != NULL; argument++)
    {
      const char *equals = g_str_has_prefix (*argument, "--") ? strchr (*argument, '=') : NULL;
      const char *value = equals != NULL ? equals + 1 : *argument;
      g_autofree char *shortened = ns_text_dup_short (value, NS_TEXT_MAX_VALUE);

      if (strlen (value) > NS_TEXT_MAX_VALUE)
        g_string_replace (message, value, shortened, 0);
    }
  g_set_error_literal (error, cause->domain, cause->code, message->str);
  return FALSE;
}

gboolean
ns_cli_options_parse (NsCliOptions *options, int argc, char **argv, const GOptionEntry *own, gboolean experiment,
                      guint max_files, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_auto (GStrv) arguments = NULL;
  GOptionEntry shared[NS_CLI_N_SHARED];
  const GOptionEntry help[] = {
    { "help", 'h', 0, G_OPTION_ARG_NONE, &options->help, "", NULL },
    { NULL },
  };

  options->settings = g_ptr_array_new_with_free_func (experiment_setting_free);
  arguments = normalize (argv, own, experiment, error);
  if (arguments == NULL)
    return FALSE;

  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_add_main_entries (context, help, NULL);
  g_option_context_add_main_entries (context, own, NULL);
  if (experiment)
    {
      g_option_context_add_main_entries (context, ns_cli_shared_entries (options, shared), NULL);
      add_params (context, options, own);
    }
  if (!parse_strv (context, &arguments, error))
    return FALSE;
  options->files = g_new0 (char *, g_strv_length (arguments) + 1);
  for (guint i = 1, n = 0; arguments[i] != NULL; i++)
    if (strcmp (arguments[i], "--") != 0)
      options->files[n++] = g_strdup (arguments[i]);
  if (options->help)
    return TRUE;
  if (!refuse_empty_values (&(Known){ { own, experiment ? shared : NULL } }, argv[0], error)
      || !take_sets (options, error) || !check_settings (options, error))
    return FALSE;
  if (g_strv_contains ((const char *const *) options->files, ""))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("an argument is “”, an empty name. “normscope-cli %s --help” lists the arguments"), argv[0]);
      return FALSE;
    }
  if (g_strv_length (options->files) > max_files)
    {
      g_autofree char *quoted = ns_text_dup_short (options->files[max_files], NS_TEXT_MAX_VALUE);

      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("“%s” is one argument too many. “normscope-cli %s --help” lists the arguments"), quoted,
                   argv[0]);
      return FALSE;
    }
  return check_engine_options (options, error)
         && ns_cli_check_places (argv[0], own, experiment ? shared : NULL, options->files, error);
}

void
ns_cli_options_clear (NsCliOptions *options)
{
  g_clear_pointer (&options->preset, g_free);
  g_clear_pointer (&options->text_file, g_free);
  g_clear_pointer (&options->weights, g_free);
  g_clear_pointer (&options->ids, g_free);
  g_clear_pointer (&options->variants, g_strfreev);
  g_clear_pointer (&options->sets, g_strfreev);
  g_clear_pointer (&options->settings, g_ptr_array_unref);
  g_clear_pointer (&options->files, g_strfreev);
}
