/* normscope-cli merge: write the output of a command from the checkpoints of its shards.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-items.h"
#include "cli/ns-cli.h"

#include "engine/experiment/ns-text.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_FILES 1000000

typedef gboolean (*MergeFunc) (const NsCliMerge *merge, guint *missed, GError **error);

/* By the command of a checkpoint's head. */
static const struct
{
  const char *command;
  MergeFunc merge;
} merged_commands[] = {
  { "scaling", ns_cli_scaling_merge },
  { "run", ns_cli_run_merge },
  { "train --map", ns_cli_train_merge },
};

static void
merge_clear (NsCliMerge *merge)
{
  g_free (merge->output);
  g_free (merge->format);
  ns_cli_items_plan_clear (&merge->plan);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliMerge, merge_clear)

static MergeFunc
find_kind (const NsItemsHead *head, const char *name, GError **error)
{
  const char *command = ns_items_head_get_command (head);
  g_autofree char *shown = ns_text_dup_short (name, NS_TEXT_MAX_PATH);
  g_autofree char *quoted = ns_text_dup_short (command, NS_TEXT_MAX_VALUE);

  for (gsize i = 0; i < G_N_ELEMENTS (merged_commands); i++)
    if (strcmp (merged_commands[i].command, command) == 0)
      return merged_commands[i].merge;
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
               _ ("%s: the checkpoint is of the command “%s”, which this version does not know"), shown, quoted);
  return NULL;
}

static gboolean
run_merge (char **files, NsCliMerge *merge, guint *missed, GError **error)
{
  g_autoptr (GPtrArray) records = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_items_records_free);
  MergeFunc func;

  if (files[0] == NULL)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("merge: there is no checkpoint; allowed: one or more files that --checkpoint has written"));
      return FALSE;
    }
  if (!ns_cli_check_output (merge->output, error) || !ns_cli_check_output (merge->plan.merged, error))
    return FALSE;
  for (guint i = 0; files[i] != NULL; i++)
    {
      NsItemsRecords *one = ns_items_records_read_path (files[i], error);

      if (one == NULL)
        return FALSE;
      g_ptr_array_add (records, one);
    }
  merge->head = ns_items_records_get_head (g_ptr_array_index (records, 0));
  merge->plan.records = records;
  func = find_kind (merge->head, files[0], error);
  return func != NULL && func (merge, missed, error);
}

int
ns_cli_merge (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (NsCliMerge) merge = { 0 };
  g_autoptr (GError) error = NULL;
  guint missed = 0;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &merge.output, N_ ("Write to FILE instead of standard output"),
      N_ ("FILE") },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &merge.format,
      N_ ("A format of the command that wrote the checkpoints (default: the output file's extension, else table)"),
      N_ ("FORMAT") },
    { "checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &merge.plan.merged,
      N_ ("Also write one checkpoint with all items, from which the command goes on if some are missing"),
      N_ ("FILE") },
    { "provenance", 0, 0, G_OPTION_ARG_NONE, &merge.provenance,
      N_ ("Begin a csv with comment lines (#): experiment, seeds, version, BLAS, precision (default with -o FILE)"),
      NULL },
    { "no-provenance", 0, 0, G_OPTION_ARG_NONE, &merge.no_provenance, N_ ("Leave out these lines"), NULL },
    { NULL },
  };

  if (!ns_cli_options_parse (&options, argc, argv, entries, FALSE, MAX_FILES, &error))
    return ns_cli_fail (error);
  if (options.help)
    {
      g_autoptr (GBytes) help = ns_cli_options_help (
          "merge", "CHECKPOINT…",
          _ ("Write the output that the command would have written in one process, from the checkpoints of its\n"
             "shards, or from one. Names the items that are missing."),
          entries, FALSE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  if (!run_merge (options.files, &merge, &missed, &error))
    return ns_cli_fail (error);
  return missed > 0 ? NS_EXIT_MISSED : ns_cli_get_end_status ();
}
