/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-status.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-update.h"
#include "engine/experiment/ns-text.h"
#include "engine/run/ns-engine.h"

void
normscope_status_append (GString *text, const char *part)
{
  g_autoptr (GString) kept = g_string_new (part);

  g_string_replace (kept, " ", "\302\240", 0);
  if (text->len > 0)
    g_string_append (text, " · ");
  g_string_append (text, kept->str);
}

/* Return "1.4", with the decimal sign of the language. */
static char *
dup_decimal (double value)
{
  char buffer[64];

  return ns_text_take_localized (g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.1f", value)));
}

char *
normscope_status_dup_time_left (double seconds)
{
  g_autofree char *hours = NULL;

  if (seconds < 60)
    return g_strdup_printf (_("%.0f s left"), MAX (1, ceil (seconds)));
  if (seconds < 3600)
    return g_strdup_printf (_("%.0f min left"), ceil (seconds / 60));
  hours = dup_decimal (seconds / 3600);
  return g_strdup_printf (_("%s h left"), hours);
}

void
normscope_status_append_progress (GString *text, guint64 done, guint64 total, gint64 since)
{
  double elapsed = (double) (g_get_monotonic_time () - since) / G_TIME_SPAN_SECOND;
  g_autofree char *blocks = g_strdup_printf (ngettext ("%u of %u block", "%u of %u blocks", (gulong) total),
                                             (guint) done, (guint) total);

  normscope_status_append (text, blocks);
  if (done > 0 && done < total)
    {
      g_autofree char *left = normscope_status_dup_time_left (elapsed * (double) (total - done) / (double) done);

      normscope_status_append (text, left);
    }
}

static void
append_elapsed (GString *text, double elapsed_ms)
{
  g_autofree char *seconds = dup_decimal (elapsed_ms / 1000.0);
  g_autofree char *elapsed = elapsed_ms < 1000 ? g_strdup_printf (_("%.0f ms"), elapsed_ms)
                                               : g_strdup_printf (_("%s s"), seconds);

  normscope_status_append (text, elapsed);
}

static void
append_blas_warning (GString *text)
{
  g_autofree char *warning = NULL;

  if (ns_blas_get_forced_core () == NULL)
    return;
  /* Translators: a warning; %s is a processor's name. */
  warning = g_strdup_printf (_("⚠ OPENBLAS_CORETYPE=%s is set"), ns_blas_get_forced_core ());
  normscope_status_append (text, warning);
}

void
normscope_status_set_machine (GtkLabel *label, double elapsed_ms, guint n_threads)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *threads = g_strdup_printf (ngettext ("%u thread", "%u threads", n_threads), n_threads);

  if (elapsed_ms > 0)
    append_elapsed (text, elapsed_ms);
  normscope_status_append (text, ns_blas_get_core ());
  if (n_threads > 0)
    normscope_status_append (text, threads);
  append_blas_warning (text);
  normscope_update_tooltip (GTK_WIDGET (label), text->str);
}
