/* Options for the choice and the appearance of a figure, generated from the table of figures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-figure.h"

#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n.h>
#include <string.h>

/* ---- help ---- */

static const char *
find_word (const NsFigureChoice *choices, int value)
{
  for (const NsFigureChoice *choice = choices; choice->word != NULL; choice++)
    if (choice->value == value)
      return choice->word;
  g_return_val_if_reached (NULL);
}

/* Return "w_q, …, attn, cross, ffn, block, grad_x"; only the first of the many tensors. */
static char *
dup_quantity_names (const NsFigureOption *option)
{
  GString *names = g_string_new (NULL);
  gboolean has_tensor = FALSE;

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      const NsQuantityInfo *info = ns_quantity_info (q);
      gboolean is_tensor = info->group == NS_GROUP_TENSOR;

      if (!ns_figure_option_offers (option, q) || (is_tensor && has_tensor))
        continue;
      g_string_append_printf (names, "%s%s%s", names->len > 0 ? ", " : "", info->name, is_tensor ? ", …" : "");
      has_tensor |= is_tensor;
    }
  return g_string_free (names, FALSE);
}

static char *
dup_words (const NsFigureChoice *choices)
{
  GString *words = g_string_new (NULL);

  for (const NsFigureChoice *choice = choices; choice->word != NULL; choice++)
    g_string_append_printf (words, "%s%s", words->len > 0 ? ", " : "", choice->word);
  return g_string_free (words, FALSE);
}

static char *
dup_help (const NsFigureOption *option)
{
  NsFigureOptions defaults;
  g_autofree char *allowed = NULL;
  const char *fallback;

  ns_figure_options_init (&defaults);
  switch (option->type)
    {
    case NS_FIGURE_OPTION_QUANTITY:
      allowed = dup_quantity_names (option);
      fallback = ns_quantity_info (G_STRUCT_MEMBER (NsQuantity, &defaults, option->offset))->name;
      break;
    case NS_FIGURE_OPTION_CHOICE:
      allowed = dup_words (option->choices);
      fallback = find_word (option->choices, G_STRUCT_MEMBER (int, &defaults, option->offset));
      break;
    case NS_FIGURE_OPTION_BLOCK:
      return g_strdup_printf (_ ("%s: from 1 (default %d)"), _ (option->help),
                              G_STRUCT_MEMBER (int, &defaults, option->offset));
    case NS_FIGURE_OPTION_STEP:
      return g_strdup_printf (_ ("%s: from 0, or last (default last)"), _ (option->help));
    case NS_FIGURE_OPTION_COUNT:
      return g_strdup_printf (_ ("%s: from 1 to %d (default %d)"), _ (option->help), option->max,
                              G_STRUCT_MEMBER (int, &defaults, option->offset));
    case NS_FIGURE_OPTION_NUMBER:
      {
        double number = G_STRUCT_MEMBER (double, &defaults, option->offset);
        g_autofree char *value = ns_figure_option_dup_text (option, number);

        allowed = ns_figure_option_dup_allowed (option);
        return g_strdup_printf (_ ("%s: %s (default %s)"), _ (option->help), allowed, value);
      }
    case NS_FIGURE_OPTION_POINTS:
    case NS_FIGURE_OPTION_SWITCH:
    case NS_FIGURE_OPTION_PIN:
    case NS_FIGURE_OPTION_NOTE:
    case NS_FIGURE_OPTION_ARROW:
    case NS_FIGURE_OPTION_REFERENCE:
    default:
      return g_strdup (_ (option->help));
    }
  /* Translators: help for an option: its meaning, the allowed words, the default */
  return g_strdup_printf (_ ("%s: %s (default %s)"), _ (option->help), allowed, fallback);
}

char *
ns_cli_figures_dup_help (void)
{
  g_autoptr (GString) figures = g_string_new (NULL);

  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    {
      const NsFigureInfo *info = ns_figure_info (kind);

      g_string_append_printf (figures, "%s%s: %s", figures->len > 0 ? "; " : "", info->id, _ (info->help));
    }
  /* Translators: the id of a figure, then every figure's id and description */
  return g_strdup_printf (_ ("Figure to draw (default %s): %s"), ns_figure_info (0)->id, figures->str);
}

/* ---- entries ---- */

static void
figure_setting_free (gpointer data)
{
  NsCliFigureSetting *setting = data;

  g_free (setting->help);
  g_free (setting->text);
  g_strfreev (setting->texts);
  g_free (setting);
}

static const NsFigureOption *
find_option (NsFigureKind kind, const char *name)
{
  for (const NsFigureOption *option = ns_figure_info (kind)->options; option != NULL && option->name != NULL; option++)
    if (strcmp (option->name, name) == 0)
      return option;
  return NULL;
}

static gboolean
has_setting (GPtrArray *settings, const char *name)
{
  for (guint i = 0; i < settings->len; i++)
    if (strcmp (((const NsCliFigureSetting *) settings->pdata[i])->option->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Add what the option means where a figure trains: the key that it hides. */
static char *
dup_whole_help (const NsFigureOption *option)
{
  g_autofree char *help = dup_help (option);
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *name = ns_param_dup_option_name (params[i].key);

      if (ns_param_is_of_training (&params[i]) && strcmp (name, option->name) == 0)
        /* Translators: help for an option, and the key of files that it sets with some figures */
        return g_strdup_printf (_ ("%s; of a figure of a training: %s"), help, ns_param_get_path (&params[i]));
    }
  return g_steal_pointer (&help);
}

GPtrArray *
ns_cli_figure_settings_new (void)
{
  GPtrArray *settings = g_ptr_array_new_with_free_func (figure_setting_free);

  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    for (const NsFigureOption *o = ns_figure_info (kind)->options; o != NULL && o->name != NULL; o++)
      if (!has_setting (settings, o->name))
        {
          NsCliFigureSetting *setting = g_new0 (NsCliFigureSetting, 1);

          setting->option = o;
          setting->help = dup_whole_help (o);
          g_ptr_array_add (settings, setting);
        }
  return settings;
}

static gboolean
is_mark (const NsFigureOption *option)
{
  return option->type >= NS_FIGURE_OPTION_PIN && option->type <= NS_FIGURE_OPTION_REFERENCE;
}

void
ns_cli_figure_settings_add_entries (GPtrArray *settings, GArray *entries)
{
  for (guint i = 0; i < settings->len; i++)
    {
      NsCliFigureSetting *setting = settings->pdata[i];
      gboolean is_switch = setting->option->type == NS_FIGURE_OPTION_SWITCH;
      GOptionEntry entry = { .long_name = setting->option->name,
                             .short_name = setting->option->short_name,
                             .arg = is_switch ? G_OPTION_ARG_NONE : G_OPTION_ARG_STRING,
                             .arg_data = is_switch ? (gpointer) &setting->given : (gpointer) &setting->text,
                             .description = setting->help };

      if (is_mark (setting->option))
        {
          entry.arg = setting->option->type == NS_FIGURE_OPTION_REFERENCE ? G_OPTION_ARG_FILENAME_ARRAY
                                                                          : G_OPTION_ARG_STRING_ARRAY;
          entry.arg_data = &setting->texts;
        }

      if (setting->option->type == NS_FIGURE_OPTION_QUANTITY)
        entry.arg_description = N_ ("NAME");
      else if (setting->option->type == NS_FIGURE_OPTION_BLOCK || setting->option->type == NS_FIGURE_OPTION_STEP
               || setting->option->type == NS_FIGURE_OPTION_COUNT
               || setting->option->type == NS_FIGURE_OPTION_NUMBER)
        entry.arg_description = N_ ("NUMBER");
      else if (setting->option->type == NS_FIGURE_OPTION_POINTS)
        entry.arg_description = N_ ("POINTS");
      else if (is_mark (setting->option))
        entry.arg_description = setting->option->type == NS_FIGURE_OPTION_REFERENCE ? N_ ("FILE") : N_ ("MARK");
      else if (!is_switch)
        entry.arg_description = N_ ("WORD");
      g_array_append_val (entries, entry);
    }
}

/* ---- parsing ---- */

static gboolean
parse_quantity (const NsFigureOption *option, const char *name, NsQuantity *quantity, GError **error)
{
  g_autoptr (GArray) quantities = g_array_new (FALSE, FALSE, sizeof (NsQuantity));
  g_autoptr (GString) allowed = NULL;
  g_autofree char *quoted = ns_text_dup_short (name, NS_TEXT_MAX_VALUE);

  if (!ns_cli_parse_quantities (option->name, name, quantities, error))
    return FALSE;
  *quantity = g_array_index (quantities, NsQuantity, 0);
  if (quantities->len == 1 && ns_figure_option_offers (option, *quantity))
    return TRUE;
  allowed = g_string_new (NULL);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_figure_option_offers (option, q))
      g_string_append_printf (allowed, "%s%s", allowed->len > 0 ? ", " : "", ns_quantity_info (q)->name);
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s: “%s” is not allowed; allowed: one of %s"),
               option->name, quoted, allowed->str);
  return FALSE;
}

static gboolean
parse_choice (const NsFigureOption *option, const char *word, int *value, GError **error)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  int chosen;

  for (const NsFigureChoice *choice = option->choices; choice->word != NULL; choice++)
    g_ptr_array_add (words, (gpointer) choice->word);
  g_ptr_array_add (words, NULL);
  chosen = ns_cli_parse_choice (option->name, word, (const char *const *) words->pdata, error);
  if (chosen >= 0)
    *value = option->choices[chosen].value;
  return chosen >= 0;
}

static gboolean
parse_block (const NsFigureOption *option, const char *text, int *block, GError **error)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT, &value, NULL))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s: “%s” is not allowed; allowed: a number from 1"),
                   option->name, text);
      return FALSE;
    }
  *block = (int) value;
  return TRUE;
}

static gboolean
parse_count (const NsFigureOption *option, const char *text, int *count, GError **error)
{
  g_autofree char *quoted = ns_text_dup_short (text, NS_TEXT_MAX_VALUE);
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, 1, (guint64) option->max, &value, NULL))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s: “%s” is not allowed; allowed: from 1 to %d"),
                   option->name, quoted, option->max);
      return FALSE;
    }
  *count = (int) value;
  return TRUE;
}

static gboolean
parse_step (const NsFigureOption *option, const char *text, int *step, GError **error)
{
  g_autofree char *quoted = ns_text_dup_short (text, NS_TEXT_MAX_VALUE);

  if (ns_figure_option_parse_step (text, step))
    return TRUE;
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--%s: “%s” is not allowed; allowed: a step from 0, or last"), option->name, quoted);
  return FALSE;
}

static gboolean
parse_number (const NsFigureOption *option, const char *text, double *number, GError **error)
{
  g_autofree char *quoted = ns_text_dup_short (text, NS_TEXT_MAX_VALUE);
  g_autofree char *allowed = ns_figure_option_dup_allowed (option);

  if (ns_figure_option_parse (option, text, number))
    return TRUE;
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s: “%s” is not allowed; allowed: %s"), option->name,
               quoted, allowed);
  return FALSE;
}

static gboolean
parse_points (const NsFigureOption *option, const char *text, char *points, GError **error)
{
  if (ns_figure_option_set_points (text, points, error))
    return TRUE;
  g_prefix_error (error, "--%s: ", option->name);
  return FALSE;
}

static gboolean
apply_figure_setting (const NsFigureOption *option, const NsCliFigureSetting *setting, NsFigureOptions *options,
                      GError **error)
{
  gpointer field = G_STRUCT_MEMBER_P (options, option->offset);

  switch (option->type)
    {
    case NS_FIGURE_OPTION_QUANTITY:
      return parse_quantity (option, setting->text, field, error);
    case NS_FIGURE_OPTION_CHOICE:
      return parse_choice (option, setting->text, field, error);
    case NS_FIGURE_OPTION_BLOCK:
      return parse_block (option, setting->text, field, error);
    case NS_FIGURE_OPTION_COUNT:
      return parse_count (option, setting->text, field, error);
    case NS_FIGURE_OPTION_STEP:
      return parse_step (option, setting->text, field, error);
    case NS_FIGURE_OPTION_NUMBER:
      return parse_number (option, setting->text, field, error);
    case NS_FIGURE_OPTION_POINTS:
      return parse_points (option, setting->text, field, error);
    case NS_FIGURE_OPTION_SWITCH:
    default:
      *(gboolean *) field = TRUE;
      return TRUE;
    }
}

gboolean
ns_cli_refuse_option (const char *option, const char *owners, NsFigureKind kind, GError **error)
{
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--%s is not allowed with --figure %s; allowed: --figure %s"), option, ns_figure_info (kind)->id,
               owners);
  return FALSE;
}

/* Refuse a setting that the figure lacks, and name the figures that have it. */
static gboolean
refuse_setting (const NsCliFigureSetting *setting, NsFigureKind kind, GError **error)
{
  g_autoptr (GString) owners = g_string_new (NULL);

  for (NsFigureKind owner = 0; owner < NS_N_FIGURES; owner++)
    if (find_option (owner, setting->option->name) != NULL)
      g_string_append_printf (owners, "%s%s", owners->len > 0 ? ", " : "", ns_figure_info (owner)->id);
  return ns_cli_refuse_option (setting->option->name, owners->str, kind, error);
}

gboolean
ns_cli_figure_settings_apply (GPtrArray *settings, NsFigureKind kind, NsFigureOptions *options,
                              NsCliOptions *experiment, GError **error)
{
  gboolean trains = ns_figure_info (kind)->needs == NS_FIGURE_NEEDS_TRAINING;

  for (guint i = 0; i < settings->len; i++)
    {
      const NsCliFigureSetting *setting = settings->pdata[i];
      const NsFigureOption *option = find_option (kind, setting->option->name);

      if (option == NULL && trains && setting->text != NULL
          && ns_cli_options_take (experiment, setting->option->name, setting->text))
        continue;
      if ((setting->text != NULL || setting->texts != NULL || setting->given) && option == NULL)
        return refuse_setting (setting, kind, error);
      if (option != NULL && (setting->text != NULL || setting->given)
          && !apply_figure_setting (option, setting, options, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
ns_cli_parse_figure (const char *id, NsFigureKind *kind, GError **error)
{
  const char *ids[NS_N_FIGURES + 1] = { NULL };
  int chosen;

  *kind = 0;
  if (id == NULL)
    return TRUE;
  for (NsFigureKind k = 0; k < NS_N_FIGURES; k++)
    ids[k] = ns_figure_info (k)->id;
  chosen = ns_cli_parse_choice ("figure", id, ids, error);
  if (chosen >= 0)
    *kind = (NsFigureKind) chosen;
  return chosen >= 0;
}

gboolean
ns_cli_figure_check (NsFigureKind kind, const NsFigureOptions *options, const NsExperiment *experiment, GError **error)
{
  gboolean trains = ns_figure_info (kind)->needs == NS_FIGURE_NEEDS_TRAINING;
  NsParts parts = ns_shape_get_parts (&experiment->shape);

  if (!ns_figure_suits (kind, experiment))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--figure %s: no variant has experts; allowed: with a variant such as pre:experts=8"),
                   ns_figure_info (kind)->id);
      return FALSE;
    }
  for (const NsFigureOption *o = ns_figure_info (kind)->options; o != NULL && o->name != NULL; o++)
    {
      int value = G_STRUCT_MEMBER (int, options, o->offset);

      if (o->type == NS_FIGURE_OPTION_BLOCK && value > ns_parts_get_deepest (&parts))
        {
          g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s: %d is not allowed; allowed: 1 to %lld"),
                       o->name, value, (long long) ns_parts_get_deepest (&parts));
          return FALSE;
        }
      if (o->type == NS_FIGURE_OPTION_STEP && value >= experiment->training.steps)
        {
          g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                       _ ("--%s: %d is not allowed; allowed: 0 to %lld, or last"), o->name, value,
                       (long long) experiment->training.steps - 1);
          return FALSE;
        }
      if (o->type == NS_FIGURE_OPTION_QUANTITY && trains && ns_quantity_takes_own_passes ((NsQuantity) value))
        {
          g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                       _ ("--%s: “%s” takes passes of its own, which a training leaves out"), o->name,
                       ns_quantity_info ((NsQuantity) value)->name);
          return FALSE;
        }
    }
  return TRUE;
}

char *
ns_cli_figure_verify (NsFigureKind figure, const NsFigureOptions *options, const NsExperiment *experiment,
                      GError **error)
{
  const NsFigureInfo *info = ns_figure_info (figure);
  NsPathsSettings settings = ns_paths_options_get_settings (&options->paths, info->paths_kind);

  return ns_cli_verify_first (experiment, info->needs == NS_FIGURE_NEEDS_PATHS ? &settings : NULL, error);
}
