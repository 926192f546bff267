/* Room for the text of a picture on paper.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-export-private.h"
#include "plot/ns-export-size.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Larger sizes are tried in these steps, up to this factor. */
#define ROOM_STEP 1.05
#define ROOM_MAX 6.0
/* Sizes of fonts are rounded by a little. */
#define ROUNDING_PT 0.01

/* Not in ns-export.c, which calls this file. */
G_DEFINE_QUARK (ns-export-error-quark, ns_export_error)

static gboolean
has_room (const NsTextRecord *record)
{
  return record->cut == NULL && record->least_px * NS_PT_PER_PX >= NS_EXPORT_MIN_TEXT_PT - ROUNDING_PT;
}

/* Return the factor on both sides that gives the text room; NAN if there is none up to ROOM_MAX. */
static double
find_room (NsDrawFunc draw, gconstpointer data, const NsTheme *theme, double width, double height)
{
  for (double factor = ROOM_STEP; factor <= ROOM_MAX; factor *= ROOM_STEP)
    {
      cairo_surface_t *surface = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, NULL);
      cairo_t *cr = cairo_create (surface);
      NsTextRecord record = { .unit = 1.0 };
      gboolean is_enough;

      ns_text_record (surface, &record);
      draw (data, cr, theme, factor * width, factor * height);
      is_enough = has_room (&record);
      cairo_destroy (cr);
      cairo_surface_destroy (surface);
      ns_text_record_clear (&record);
      if (is_enough)
        return factor;
    }
  return NAN;
}

gboolean
ns_export_check_room (const NsTextRecord *record, NsDrawFunc draw, gconstpointer data, const NsTheme *theme,
                      double width, double height, double scale, GError **error)
{
  const double cm = NS_CM_PER_INCH / NS_PX_PER_INCH;
  g_autofree char *what = NULL;
  double factor;

  if (has_room (record))
    return TRUE;
  factor = find_room (draw, data, theme, width, height);
  what = record->cut != NULL
             ? g_strdup_printf (_ ("“%s” does not fit into %.1f × %.1f cm"), record->cut, cm * width, cm * height)
             : g_strdup_printf (_ ("text would have %.1f pt in %.1f × %.1f cm, and at least %g pt are allowed"),
                                NS_PT_PER_PX * record->least_px, cm * width, cm * height, NS_EXPORT_MIN_TEXT_PT);
  if (isnan (factor))
    g_set_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_ROOM, _ ("Too little room for print: %s."), what);
  else
    /* Translators: what does not fit; a width and a height */
    g_set_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_ROOM,
                 _ ("Too little room for print: %s; allowed: %.1f × %.1f cm or more, or shorter names."), what,
                 ceil (10 * cm * factor * width) / 10, ceil (10 * cm * factor * height) / 10);
  return FALSE;
}
