/* Text on a surface: its least size, what is cut off, and text of an SVG as text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-text.h"

#include <math.h>

static const cairo_user_data_key_t record_key;

void
ns_text_record (cairo_surface_t *surface, NsTextRecord *record)
{
  record->least_px = INFINITY;
  cairo_surface_set_user_data (surface, &record_key, record, NULL);
}

void
ns_text_record_clear (NsTextRecord *record)
{
  g_clear_pointer (&record->cut, g_free);
  if (record->svg != NULL)
    g_string_free (g_steal_pointer (&record->svg), TRUE);
}

void
ns_text_record_cut (cairo_t *cr, const char *text)
{
  NsTextRecord *record = cairo_surface_get_user_data (cairo_get_target (cr), &record_key);

  if (record != NULL && record->cut == NULL)
    record->cut = g_strdup (text);
}

static void
append_svg_number (GString *svg, const char *name, double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (svg, "%s%s", name, g_ascii_formatd (text, sizeof text, "%.3f", number));
}

/* Begin the text of a line. */
static void
open_svg_line (GString *svg, cairo_t *cr)
{
  double red = 0, green = 0, blue = 0, alpha = 1;
  cairo_matrix_t matrix;

  cairo_pattern_get_rgba (cairo_get_source (cr), &red, &green, &blue, &alpha);
  cairo_get_matrix (cr, &matrix);
  g_string_append_printf (svg, "<text xml:space=\"preserve\" fill=\"#%02x%02x%02x\"", (int) lround (255 * red),
                          (int) lround (255 * green), (int) lround (255 * blue));
  append_svg_number (svg, " fill-opacity=\"", alpha);
  append_svg_number (svg, "\" transform=\"matrix(", matrix.xx);
  append_svg_number (svg, " ", matrix.yx);
  append_svg_number (svg, " ", matrix.xy);
  append_svg_number (svg, " ", matrix.yy);
  append_svg_number (svg, " ", matrix.x0);
  append_svg_number (svg, " ", matrix.y0);
  g_string_append (svg, ")\">");
}

/* Append a run of text; `place` has its coordinates. */
static void
append_svg_run (GString *svg, const char *text, const PangoFontDescription *font, const char *place)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  g_autofree char *family = g_markup_escape_text (pango_font_description_get_family (font), -1);

  append_svg_number (svg, "<tspan font-size=\"", pango_font_description_get_size (font) / (double) PANGO_SCALE);
  g_string_append_printf (svg, "\" font-family=\"%s, sans-serif\" font-weight=\"%d\"%s%s>%s</tspan>", family,
                          pango_font_description_get_weight (font),
                          pango_font_description_get_style (font) == PANGO_STYLE_NORMAL ? "" : " font-style=\"italic\"",
                          place, escaped);
}

/* What is written of a line of text so far. */
typedef struct
{
  gboolean is_open;
  double y; /* of the baseline of its last run */
} SvgLine;

/* Write a run: the first one of a line at its place, the others after it, so that an edited line stays together. */
static void
write_svg_run (GString *svg, cairo_t *cr, SvgLine *line, PangoLayoutIter *iter, const char *text,
               const PangoFontDescription *font)
{
  g_autoptr (GString) place = g_string_new (NULL);
  double x = 0.0, y = 0.0;
  PangoRectangle logical;

  if (cairo_has_current_point (cr))
    cairo_get_current_point (cr, &x, &y);
  pango_layout_iter_get_run_extents (iter, NULL, &logical);
  y += pango_layout_iter_get_run_baseline (iter) / (double) PANGO_SCALE;
  if (!line->is_open)
    {
      open_svg_line (svg, cr);
      append_svg_number (place, " x=\"", x + logical.x / (double) PANGO_SCALE);
      append_svg_number (place, "\" y=\"", y);
    }
  else
    append_svg_number (place, " dy=\"", y - line->y);
  g_string_append_c (place, '"');
  append_svg_run (svg, text, font, place->str);
  *line = (SvgLine){ TRUE, y };
}

/* Record a run of a line. */
static void
record_run (NsTextRecord *record, cairo_t *cr, PangoLayout *layout, PangoLayoutIter *iter, const PangoLayoutRun *run,
            SvgLine *line)
{
  const PangoAnalysis *analysis = &run->item->analysis;
  PangoFontDescription *font = pango_font_describe_with_absolute_size (analysis->font);
  g_autofree char *text = g_strndup (pango_layout_get_text (layout) + run->item->offset, (gsize) run->item->length);
  double px_x = 1.0, px_y = 0.0;

  cairo_user_to_device_distance (cr, &px_x, &px_y);
  record->least_px = fmin (record->least_px, pango_font_description_get_size (font) / (double) PANGO_SCALE
                                                 * hypot (px_x, px_y) / record->unit);
  if (record->svg != NULL)
    write_svg_run (record->svg, cr, line, iter, (analysis->flags & PANGO_ANALYSIS_FLAG_IS_ELLIPSIS) != 0 ? "…" : text,
                   font);
  pango_font_description_free (font);
}

void
ns_text_show (cairo_t *cr, PangoLayout *layout)
{
  NsTextRecord *record = cairo_surface_get_user_data (cairo_get_target (cr), &record_key);
  SvgLine line = { FALSE, 0.0 };
  PangoLayoutIter *iter;
  gboolean more = TRUE;

  if (record == NULL || record->svg == NULL)
    pango_cairo_show_layout (cr, layout);
  if (record == NULL)
    return;
  if (pango_layout_is_ellipsized (layout))
    ns_text_record_cut (cr, pango_layout_get_text (layout));
  iter = pango_layout_get_iter (layout);
  for (; more; more = pango_layout_iter_next_run (iter))
    {
      const PangoLayoutRun *run = pango_layout_iter_get_run_readonly (iter);

      if (run != NULL)
        record_run (record, cr, layout, iter, run, &line);
      else if (line.is_open) /* the end of a line */
        {
          g_string_append (record->svg, "</text>\n");
          line.is_open = FALSE;
        }
    }
  if (line.is_open)
    g_string_append (record->svg, "</text>\n");
  pango_layout_iter_free (iter);
}
