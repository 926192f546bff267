/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/table/ns-view-choice.h"

#include <string.h>

#define KEY_FIGURE "figure"

gboolean
ns_view_offers (const char *view, NsFigureKind figure)
{
  return g_strcmp0 (ns_figure_info (figure)->view, view) == 0;
}

void
ns_view_choice_init (NsViewChoice *choice, const char *view)
{
  NsFigureKind first = 0;

  while (!ns_view_offers (view, first))
    first++;
  choice->view = view;
  choice->figure = first;
  ns_figure_options_init (&choice->options);
}

/* ---- options ---- */

static gboolean
is_at_end (const NsFigureOption *option)
{
  return option == NULL || option->name == NULL;
}

static gboolean
options_are_equal (NsFigureKind figure, const NsViewChoice *a, const NsViewChoice *b)
{
  for (const NsFigureOption *option = ns_figure_info (figure)->options; !is_at_end (option); option++)
    if (!ns_figure_option_is_equal (option, &a->options, &b->options))
      return FALSE;
  return TRUE;
}

guint
ns_view_choice_compare (const NsViewChoice *a, const NsViewChoice *b)
{
  guint change = a->figure != b->figure ? NS_VIEW_CHANGED_FIGURE : 0;

  for (NsFigureKind figure = 0; figure < NS_N_FIGURES; figure++)
    if (ns_view_offers (a->view, figure) && !options_are_equal (figure, a, b))
      change |= NS_VIEW_CHANGED_OPTIONS;
  return change;
}

gboolean
ns_view_choice_get_settings (const NsViewChoice *choice, NsPathsSettings *settings)
{
  const NsFigureInfo *info = ns_figure_info (choice->figure);

  if (info->needs != NS_FIGURE_NEEDS_PATHS)
    return FALSE;
  *settings = ns_paths_options_get_settings (&choice->options.paths, info->paths_kind);
  return TRUE;
}

gboolean
ns_view_choice_is_met (const NsViewChoice *choice, const NsPaths *paths)
{
  NsPathsSettings wanted;

  return ns_view_choice_get_settings (choice, &wanted)
         && ns_paths_settings_match (ns_paths_get_settings (paths), &wanted);
}

/* ---- a key file ---- */

static void
write_option (const char *group, const NsFigureOption *option, const NsFigureOptions *options, GKeyFile *file)
{
  int value = G_STRUCT_MEMBER (int, options, option->offset);

  if (option->type == NS_FIGURE_OPTION_POINTS)
    g_key_file_set_string (file, group, option->name, G_STRUCT_MEMBER_P (options, option->offset));
  else if (option->type == NS_FIGURE_OPTION_NUMBER)
    {
      g_autofree char *text = ns_figure_option_dup_text (option, G_STRUCT_MEMBER (double, options, option->offset));

      g_key_file_set_string (file, group, option->name, text);
    }
  else if (option->type == NS_FIGURE_OPTION_QUANTITY)
    g_key_file_set_string (file, group, option->name, ns_quantity_info ((NsQuantity) value)->name);
  else if (option->type == NS_FIGURE_OPTION_COUNT)
    g_key_file_set_integer (file, group, option->name, value);
  else if (option->type == NS_FIGURE_OPTION_SWITCH)
    g_key_file_set_boolean (file, group, option->name, value);
  else if (option->type == NS_FIGURE_OPTION_CHOICE)
    for (const NsFigureChoice *choice = option->choices; choice->word != NULL; choice++)
      if (choice->value == value)
        g_key_file_set_string (file, group, option->name, choice->word);
}

static void
read_option (const char *group, const NsFigureOption *option, NsFigureOptions *options, GKeyFile *file)
{
  int *field = &G_STRUCT_MEMBER (int, options, option->offset);
  g_autoptr (GError) error = NULL;
  g_autofree char *word = NULL;
  int value;

  if (option->type == NS_FIGURE_OPTION_QUANTITY)
    {
      NsQuantity quantity;

      word = g_key_file_get_string (file, group, option->name, NULL);
      if (word != NULL && ns_quantity_from_name (word, &quantity) && ns_figure_option_offers (option, quantity))
        *field = (int) quantity;
    }
  else if (option->type == NS_FIGURE_OPTION_COUNT)
    {
      value = g_key_file_get_integer (file, group, option->name, &error);
      if (error == NULL && value >= 1 && value <= option->max)
        *field = value;
    }
  else if (option->type == NS_FIGURE_OPTION_SWITCH)
    {
      value = g_key_file_get_boolean (file, group, option->name, &error);
      if (error == NULL)
        *field = value;
    }
  else if (option->type == NS_FIGURE_OPTION_POINTS)
    {
      word = g_key_file_get_string (file, group, option->name, NULL);
      if (word != NULL)
        ns_figure_option_set_points (word, G_STRUCT_MEMBER_P (options, option->offset), NULL);
    }
  else if (option->type == NS_FIGURE_OPTION_NUMBER)
    {
      word = g_key_file_get_string (file, group, option->name, NULL);
      if (word != NULL)
        ns_figure_option_parse (option, word, &G_STRUCT_MEMBER (double, options, option->offset));
    }
  else if (option->type == NS_FIGURE_OPTION_CHOICE)
    {
      word = g_key_file_get_string (file, group, option->name, NULL);
      for (const NsFigureChoice *choice = option->choices; word != NULL && choice->word != NULL; choice++)
        if (strcmp (choice->word, word) == 0)
          *field = choice->value;
    }
}

void
ns_view_choice_write (const NsViewChoice *choice, GKeyFile *file)
{
  if (choice->view == NULL)
    return;
  g_key_file_set_string (file, choice->view, KEY_FIGURE, ns_figure_info (choice->figure)->id);
  for (NsFigureKind figure = 0; figure < NS_N_FIGURES; figure++)
    for (const NsFigureOption *option = ns_figure_info (figure)->options;
         ns_view_offers (choice->view, figure) && !is_at_end (option); option++)
      write_option (choice->view, option, &choice->options, file);
}

void
ns_view_choice_read (NsViewChoice *choice, GKeyFile *file)
{
  g_autofree char *id = choice->view != NULL ? g_key_file_get_string (file, choice->view, KEY_FIGURE, NULL) : NULL;

  for (NsFigureKind figure = 0; figure < NS_N_FIGURES; figure++)
    {
      const NsFigureInfo *info = ns_figure_info (figure);

      if (choice->view == NULL || !ns_view_offers (choice->view, figure))
        continue;
      if (g_strcmp0 (id, info->id) == 0)
        choice->figure = figure;
      for (const NsFigureOption *option = info->options; !is_at_end (option); option++)
        read_option (choice->view, option, &choice->options, file);
    }
}
