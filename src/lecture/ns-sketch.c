/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lecture/ns-sketch.h"

#include <glib/gi18n-lib.h>
#include <math.h>


static double
get_distance (const NsAnswer *answer, guint i, double guess, gboolean is_log10)
{
  if (!answer->is_log)
    return fabs ((is_log10 ? pow (10, guess) : guess) - answer->values[i]);
  return fabs ((is_log10 ? guess : log10 (guess)) - answer->log10_values[i]);
}

NsSketchError
ns_sketch_compare (const NsAnswer *answer, const double *guess, gboolean is_log10)
{
  NsSketchError error = { 0, answer->is_log, NAN };
  double sum = 0;

  for (guint i = 0; i < answer->n; i++)
    {
      double distance = get_distance (answer, i, guess[i], is_log10);

      if (!isfinite (distance))
        continue;
      sum += distance;
      error.n_blocks++;
    }
  if (error.n_blocks > 0)
    error.error = answer->is_log ? pow (10, sum / error.n_blocks) : sum / error.n_blocks;
  return error;
}

char *
ns_sketch_error_dup_text (const NsSketchError *error)
{
  g_autofree char *number = NULL;

  if (error->n_blocks == 0)
    return g_strdup (_ ("Nothing was drawn."));
  number = g_strdup_printf ("%.3g", error->error);
  if (error->is_factor)
    /* Translators: %s is a number; the guess is that many times too large or too small on average */
    return g_strdup_printf (_ ("Factor of error: %s"), number);
  return g_strdup_printf (_ ("Mean error: %s"), number);
}
