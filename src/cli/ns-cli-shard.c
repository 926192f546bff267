/* The options of items: which checkpoint, which shard.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-items.h"

#include "cli/ns-cli.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_SHARDS 1000000

void
ns_cli_items_request_clear (NsCliItemsRequest *request)
{
  g_free (request->checkpoint);
  g_free (request->shard);
}

void
ns_cli_items_plan_clear (NsCliItemsPlan *plan)
{
  g_free (plan->checkpoint);
  g_free (plan->merged);
}

static gboolean
refuse (GError **error, const char *message)
{
  g_set_error_literal (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, message);
  return FALSE;
}

static gboolean
read_number (const char *text, guint64 min, guint64 max, guint64 *number)
{
  return text != NULL && g_ascii_string_to_unsigned (text, 10, min, max, number, NULL);
}

/* "2/8" */
static gboolean
read_shard (const char *text, NsCliItemsPlan *plan, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 2);
  g_autofree char *quoted = ns_text_dup_short (text, NS_TEXT_MAX_VALUE);
  guint64 shard, n;

  if (parts[0] == NULL || !read_number (parts[1], 1, MAX_SHARDS, &n) || !read_number (parts[0], 1, n, &shard))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--shard: “%s” is not allowed; allowed: I/N with 1 ≤ I ≤ N ≤ %d, such as 2/8"), quoted,
                   MAX_SHARDS);
      return FALSE;
    }
  plan->shard = (guint) shard;
  plan->n_shards = (guint) n;
  return TRUE;
}

/* Take the shard from a job array of Slurm: its tasks have the numbers MIN, MIN + STEP, … */
static gboolean
read_slurm (NsCliItemsPlan *plan, GError **error)
{
  const char *task = g_getenv ("SLURM_ARRAY_TASK_ID"), *count = g_getenv ("SLURM_ARRAY_TASK_COUNT");
  const char *first = g_getenv ("SLURM_ARRAY_TASK_MIN"), *each = g_getenv ("SLURM_ARRAY_TASK_STEP");
  g_autofree char *shown = NULL;
  guint64 id, n, min, step = 1;

  if (task == NULL)
    return TRUE;
  if (read_number (task, 0, G_MAXUINT32, &id) && read_number (count, 1, MAX_SHARDS, &n)
      && read_number (first, 0, id, &min) && (each == NULL || read_number (each, 1, G_MAXUINT32, &step))
      && (id - min) % step == 0 && (id - min) / step < n)
    {
      plan->shard = (guint) ((id - min) / step) + 1;
      plan->n_shards = (guint) n;
      ns_cli_warn (_ ("shard %u/%u, by the task %s of Slurm's job array"), plan->shard, plan->n_shards, task);
      return TRUE;
    }
  shown = g_strdup_printf ("SLURM_ARRAY_TASK_ID=%s, _COUNT=%s, _MIN=%s, _STEP=%s", task, count != NULL ? count : "",
                           first != NULL ? first : "", each != NULL ? each : "");
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("the tasks of Slurm's job array have no even numbers (%s); allowed: an array such as 0-7 or 1-15:2, "
                  "or --shard I/N"),
               shown);
  return FALSE;
}

gboolean
ns_cli_check_checkpoint (const NsCliOptions *options, GError **error)
{
  if (options->weights == NULL && options->ids == NULL)
    return TRUE;
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--checkpoint: an experiment that reads --%s from a file cannot be checked against one; allowed: "
                  "without it"),
               options->weights != NULL ? "weights" : "ids");
  return FALSE;
}

gboolean
ns_cli_items_plan_init (NsCliItemsPlan *plan, const NsCliItemsRequest *request, const NsCliOptions *options,
                        const char *output, GError **error)
{
  if (request->checkpoint == NULL)
    return request->shard == NULL
           || refuse (error, _ ("--shard: a shard writes its part into a checkpoint; allowed: with --checkpoint FILE"));
  if (!ns_cli_check_checkpoint (options, error))
    return FALSE;
  if (!(request->shard != NULL ? read_shard (request->shard, plan, error) : read_slurm (plan, error)))
    return FALSE;
  if (plan->n_shards > 0 && output != NULL)
    return refuse (error, _ ("--output: a shard writes its checkpoint only; allowed: “normscope-cli merge” after all "
                             "shards"));
  plan->checkpoint = plan->n_shards == 0
                         ? g_strdup (request->checkpoint)
                         : g_strdup_printf ("%s.%u-of-%u", request->checkpoint, plan->shard, plan->n_shards);
  return ns_cli_check_output (plan->checkpoint, error);
}
