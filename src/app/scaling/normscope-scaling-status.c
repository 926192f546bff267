/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-scaling-status.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-status.h"

char *
normscope_scaling_dup_progress_status (NormscopeTask *task, gboolean is_shown, gint64 since)
{
  GString *text = g_string_new (NULL);
  guint64 done, total;

  ns_progress_get (task->progress, &done, &total);
  normscope_status_append_progress (text, done, total, since);
  if (!is_shown)
    {
      g_autoptr (GString) heading = g_string_new (NULL);

      /* Not an entry of its own: no dot follows. */
      normscope_status_append (heading, _("For the claims:"));
      g_string_append (heading, "\302\240");
      g_string_prepend (text, heading->str);
    }
  return g_string_free (text, FALSE);
}

char *
normscope_scaling_dup_task_status (NormscopeTask *task, GtkLabel *label)
{
  GString *text = g_string_new (NULL);
  guint n_points, n_seeds = ns_sweep_get_n_seeds (task->sweep);
  g_autofree char *seeds = NULL;
  g_autofree char *points = NULL;

  ns_sweep_get_points (task->sweep, &n_points);
  seeds = g_strdup_printf (ngettext ("%u seed", "%u seeds", n_seeds), n_seeds);
  points = g_strdup_printf (ngettext ("%u point", "%u points", n_points), n_points);
  if (task->state == NORMSCOPE_TASK_CANCELLED)
    normscope_status_append (text, _("Cancelled"));
  normscope_status_append (text, seeds);
  normscope_status_append (text, points);
  normscope_status_set_machine (label,
                                task->state == NORMSCOPE_TASK_DONE ? ns_sweep_get_elapsed_ms (task->sweep) : 0, 0);
  return g_string_free (text, FALSE);
}

const char *
normscope_scaling_get_hint (const NsScalingSettings *settings)
{
  return settings->axis == NS_SWEEP_DEPTH
             ? _ ("Point at the plot or press ← → to read a depth. The sweep ignores the sidebar’s depth.")
             : _ ("Point at the plot or press ← → to read a width. d_ff keeps its ratio to d_model.");
}
