/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-scaling-status.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-status.h"

char *
normscope_scaling_status_of_progress (NormscopeTask *task, gboolean is_shown, gint64 since)
{
  GString *text = g_string_new (NULL);
  guint64 done, total;

  ns_progress_get (task->progress, &done, &total);
  if (!is_shown)
    normscope_status_append (text, _("For the claims:"));
  normscope_status_append_progress (text, done, total, since);
  return g_string_free (text, FALSE);
}

char *
normscope_scaling_status_of_task (NormscopeTask *task)
{
  GString *text = g_string_new (NULL);
  guint n_points, n_seeds = ns_sweep_get_n_seeds (task->sweep);
  double ms = ns_sweep_get_elapsed_ms (task->sweep);
  g_autofree char *seeds = NULL;
  g_autofree char *points = NULL;
  g_autofree char *elapsed = NULL;

  ns_sweep_get_points (task->sweep, &n_points);
  seeds = g_strdup_printf (ngettext ("%u seed", "%u seeds", n_seeds), n_seeds);
  points = g_strdup_printf (ngettext ("%u point", "%u points", n_points), n_points);
  elapsed = ms < 1000 ? g_strdup_printf (_("%.0f ms"), ms) : g_strdup_printf (_("%.1f s"), ms / 1000.0);
  if (task->state == NORMSCOPE_TASK_CANCELLED)
    normscope_status_append (text, _("Cancelled"));
  normscope_status_append (text, seeds);
  normscope_status_append (text, points);
  if (task->state == NORMSCOPE_TASK_DONE)
    normscope_status_append (text, elapsed);
  normscope_status_append (text, ns_blas_get_core ());
  if (ns_blas_get_forced_core () != NULL)
    {
      /* Translators: a warning; %s is a processor's name. */
      g_autofree char *warning = g_strdup_printf (_("⚠ OPENBLAS_CORETYPE=%s is set"), ns_blas_get_forced_core ());

      normscope_status_append (text, warning);
    }
  return g_string_free (text, FALSE);
}
