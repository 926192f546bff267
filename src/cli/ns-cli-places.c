/* Refuse a command that would write over a file that it reads.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options-private.h"

#include "cli/ns-cli.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file or a folder on the command line. */
typedef struct
{
  const char *option; /* NULL: an argument that is not of an option */
  const char *name;
  char *path;         /* without links; NULL: it does not exist */
  char *identity;     /* device and number; of one that does not exist, those of its folder, and its name */
  gboolean is_output;
} Place;

static void
place_clear (gpointer data)
{
  Place *place = data;

  free (place->path);
  g_free (place->identity);
}

/* The options for files that are written; those of all other files are for reading. */
static gboolean
is_output_option (const char *option)
{
  static const char *const outputs[] = { "output", "out", "checkpoint", "figures", "handout", NULL };

  return g_strv_contains (outputs, option);
}

static char *
dup_identity (const GStatBuf *info, const char *name)
{
  return g_strdup_printf ("%ju:%ju/%s", (uintmax_t) info->st_dev, (uintmax_t) info->st_ino, name);
}

/* Add what a name on the command line means, unless it is no file, or an input that does not exist. */
static void
add_place (GArray *places, const char *option, const char *name)
{
  Place place = { .option = option, .name = name, .is_output = option != NULL && is_output_option (option) };
  gboolean is_stream = strcmp (name, "-") == 0;
  GStatBuf info;

  if (is_stream && place.is_output)
    return;
  if (is_stream ? fstat (STDIN_FILENO, &info) == 0 : g_stat (name, &info) == 0)
    {
      if (!S_ISREG (info.st_mode) && !S_ISDIR (info.st_mode))
        return;
      place.identity = dup_identity (&info, "");
      place.path = is_stream ? NULL : realpath (name, NULL);
    }
  else if (place.is_output)
    {
      g_autofree char *folder = g_path_get_dirname (name), *base = g_path_get_basename (name);

      if (g_stat (folder, &info) == 0)
        place.identity = dup_identity (&info, base);
    }
  if (place.identity != NULL)
    g_array_append_val (places, place);
}

static void
add_places (GArray *places, const GOptionEntry *entries)
{
  for (; entries != NULL && entries->long_name != NULL; entries++)
    {
      const gpointer *data = entries->arg_data;

      if (entries->arg == G_OPTION_ARG_FILENAME && *data != NULL)
        add_place (places, entries->long_name, *data);
      else if (entries->arg == G_OPTION_ARG_FILENAME_ARRAY)
        for (char **name = *data; name != NULL && *name != NULL; name++)
          add_place (places, entries->long_name, *name);
    }
}

/* Return TRUE if a path is below a folder. */
static gboolean
is_below (const char *path, const char *folder)
{
  gsize length = folder != NULL ? strlen (folder) : 0;

  return path != NULL && length > 0 && g_str_has_prefix (path, folder) && path[length] == G_DIR_SEPARATOR;
}

/* Return TRUE if the output is one of the files for which an input stands: the folder, or the index, of a checkpoint,
 * or a folder of claims. No command writes such files, so other ones in that folder can be written. */
static gboolean
is_part_of (const Place *output, const Place *input)
{
  static const char *const parts[] = { ".safetensors", ".safetensors.index.json", ".claim" };
  g_autofree char *folder = input->path == NULL                           ? NULL
                            : g_str_has_suffix (input->path, ".index.json") ? g_path_get_dirname (input->path)
                                                                            : g_strdup (input->path);
  gboolean is_of_kind = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    is_of_kind = is_of_kind || (output->path != NULL && g_str_has_suffix (output->path, parts[i]));
  return is_of_kind && is_below (output->path, folder);
}

static gboolean
refuse_place (const Place *output, const Place *other, GError **error)
{
  g_autofree char *shown = ns_text_dup_short (output->name, NS_TEXT_MAX_PATH);
  g_autofree char *name = ns_text_dup_short (other->name, NS_TEXT_MAX_PATH);
  g_autofree char *argument = other->option != NULL ? g_strdup_printf ("--%s %s", other->option, name)
                                                    : g_steal_pointer (&name);

  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               other->is_output
                   /* Translators: an option, its file, and another argument with the same file */
                   ? _ ("--%s %s: %s writes there, too; allowed: another file for each")
                   : _ ("--%s %s: this would overwrite %s, which the command reads; allowed: another file"),
               output->option, shown, argument);
  return FALSE;
}

gboolean
ns_cli_check_places (const char *command, const GOptionEntry *own, const GOptionEntry *shared, char **files,
                     GError **error)
{
  static const char *const by_name[] = { "presets", "help", NULL }; /* their arguments are names and no files */
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));

  g_array_set_clear_func (places, place_clear);
  add_places (places, own);
  add_places (places, shared);
  for (; !g_strv_contains (by_name, command) && *files != NULL; files++)
    add_place (places, NULL, *files);
  for (guint o = 0; o < places->len; o++)
    for (guint i = 0; i < places->len; i++)
      {
        const Place *output = &g_array_index (places, Place, o), *other = &g_array_index (places, Place, i);

        if (output->is_output && o != i
            && (strcmp (output->identity, other->identity) == 0
                || (!other->is_output && (is_below (other->path, output->path) || is_part_of (output, other)))))
          return refuse_place (output, other, error);
      }
  return TRUE;
}
