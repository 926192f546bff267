/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-text.h"

#include <math.h>

PangoContext *
ns_text_context_new (const NsTheme *theme)
{
  PangoContext *context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  PangoFontDescription *description = pango_font_description_new ();
  cairo_font_options_t *options = cairo_font_options_create ();

  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options (context, options);
  cairo_font_options_destroy (options);

  pango_cairo_context_set_resolution (context, 96.0);
  pango_context_set_round_glyph_positions (context, FALSE);
  pango_font_description_set_family (description, theme->font_family[0] ? theme->font_family : "Sans");
  pango_context_set_font_description (context, description);
  pango_font_description_free (description);
  return context;
}

PangoLayout *
ns_text_new (PangoContext *context, const char *text, gboolean is_markup, double size_px, gboolean bold,
             double width_px, gboolean wrap)
{
  PangoLayout *layout = pango_layout_new (context);
  PangoFontDescription *description;

  description = pango_font_description_copy_static (pango_context_get_font_description (context));
  pango_font_description_set_absolute_size (description, size_px * PANGO_SCALE);
  if (bold)
    pango_font_description_set_weight (description, PANGO_WEIGHT_BOLD);
  pango_layout_set_font_description (layout, description);
  pango_font_description_free (description);

  if (is_markup && pango_parse_markup (text, -1, 0, NULL, NULL, NULL, NULL))
    pango_layout_set_markup (layout, text, -1);
  else
    pango_layout_set_text (layout, text, -1);

  pango_layout_set_single_paragraph_mode (layout, !wrap);
  if (width_px >= 0.0)
    {
      /* Rounded up: a text set to its own measured width must not lose its last letter. */
      pango_layout_set_width (layout, (int) ceil (width_px * PANGO_SCALE));
      if (wrap)
        pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
      else
        pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
    }
  return layout;
}

void
ns_text_get_size (PangoLayout *layout, double *width_px, double *height_px)
{
  int width, height;

  pango_layout_get_size (layout, &width, &height);
  if (width_px != NULL)
    *width_px = (double) width / PANGO_SCALE;
  if (height_px != NULL)
    *height_px = (double) height / PANGO_SCALE;
}
