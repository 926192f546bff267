/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/normscope-scaling-status.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Lines break between the parts, never within one. */
static void
append_part (GString *text, const char *part)
{
  g_autoptr (GString) kept = g_string_new (part);

  g_string_replace (kept, " ", "\302\240", 0);
  if (text->len > 0)
    g_string_append (text, " · ");
  g_string_append (text, kept->str);
}

static char *
dup_time_left (double seconds)
{
  if (seconds < 60)
    return g_strdup_printf (_("%.0f s left"), MAX (1, ceil (seconds)));
  if (seconds < 3600)
    return g_strdup_printf (_("%.0f min left"), ceil (seconds / 60));
  return g_strdup_printf (_("%.1f h left"), seconds / 3600);
}

char *
normscope_status_of_blocks (guint64 done, guint64 total, gint64 since)
{
  GString *text = g_string_new (NULL);
  double elapsed = (double) (g_get_monotonic_time () - since) / G_TIME_SPAN_SECOND;
  g_autofree char *blocks = NULL;

  blocks = g_strdup_printf (ngettext ("%u of %u block", "%u of %u blocks", (gulong) total), (guint) done,
                            (guint) total);
  append_part (text, blocks);
  if (done > 0 && done < total)
    {
      g_autofree char *left = dup_time_left (elapsed * (double) (total - done) / (double) done);

      append_part (text, left);
    }
  return g_string_free (text, FALSE);
}

char *
normscope_scaling_status_of_progress (NormscopeTask *task, gboolean is_shown, gint64 since)
{
  GString *text = g_string_new (NULL);
  g_autofree char *blocks = NULL;
  guint64 done, total;

  ns_progress_get (task->progress, &done, &total);
  blocks = normscope_status_of_blocks (done, total, since);
  if (!is_shown)
    append_part (text, _("For the claims:"));
  append_part (text, blocks);
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
    append_part (text, _("Cancelled"));
  append_part (text, seeds);
  append_part (text, points);
  if (task->state == NORMSCOPE_TASK_DONE)
    append_part (text, elapsed);
  append_part (text, ns_blas_get_core ());
  if (ns_blas_get_forced_core () != NULL)
    {
      /* Translators: a warning; %s is a processor's name. */
      g_autofree char *warning = g_strdup_printf (_("⚠ OPENBLAS_CORETYPE=%s is set"), ns_blas_get_forced_core ());

      append_part (text, warning);
    }
  return g_string_free (text, FALSE);
}
