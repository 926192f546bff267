/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-text.h"

#include <math.h>
#include <pango/pangofc-fontmap.h>

/* Subscripts and superscripts, as shares of the font size. */
#define SCRIPT_SCALE 0.72
#define SUPERSCRIPT_RISE 0.38
#define SUBSCRIPT_RISE (-0.18)

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

static gboolean
is_script (PangoAttribute *attribute, gpointer data)
{
  return attribute->klass->type == PANGO_ATTR_FONT_SCALE || attribute->klass->type == PANGO_ATTR_BASELINE_SHIFT;
}

/* Replace Pango's attributes of <sub> and <sup>, which print warnings when the text is ellipsized within them, by
 * smaller and raised text. */
static void
replace_scripts (PangoAttrList *attributes, double size_px)
{
  PangoAttrList *scripts = pango_attr_list_filter (attributes, is_script, NULL);
  GSList *list = scripts != NULL ? pango_attr_list_get_attributes (scripts) : NULL;

  for (GSList *l = list; l != NULL; l = l->next)
    {
      const PangoAttribute *old = l->data;
      PangoAttribute *scale, *rise;
      int shift;

      if (old->klass->type != PANGO_ATTR_BASELINE_SHIFT)
        continue;
      shift = ((const PangoAttrInt *) old)->value;
      scale = pango_attr_scale_new (SCRIPT_SCALE);
      rise = pango_attr_rise_new ((int) ((shift == PANGO_BASELINE_SHIFT_SUBSCRIPT ? SUBSCRIPT_RISE : SUPERSCRIPT_RISE)
                                         * size_px * PANGO_SCALE));
      scale->start_index = rise->start_index = old->start_index;
      scale->end_index = rise->end_index = old->end_index;
      pango_attr_list_insert (attributes, scale);
      pango_attr_list_insert (attributes, rise);
    }
  g_slist_free_full (list, (GDestroyNotify) pango_attribute_destroy);
  if (scripts != NULL)
    pango_attr_list_unref (scripts);
}

void
ns_text_set_markup (PangoLayout *layout, const char *markup, double size_px)
{
  PangoAttrList *attributes = NULL;
  g_autofree char *text = NULL;

  if (!pango_parse_markup (markup, -1, 0, &attributes, &text, NULL, NULL))
    {
      pango_layout_set_attributes (layout, NULL);
      pango_layout_set_text (layout, markup, -1);
      return;
    }
  replace_scripts (attributes, size_px);
  pango_layout_set_text (layout, text, -1);
  pango_layout_set_attributes (layout, attributes);
  pango_attr_list_unref (attributes);
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

  if (is_markup)
    ns_text_set_markup (layout, text, size_px);
  else
    pango_layout_set_text (layout, text, -1);

  pango_layout_set_single_paragraph_mode (layout, !wrap);
  if (width_px >= 0.0)
    {
      /* Round up: at its own measured width a text must not lose its last letter. */
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

gboolean
ns_text_check (cairo_status_t status)
{
  PangoFontMap *fonts;

  if (status == CAIRO_STATUS_SUCCESS)
    return TRUE;
  fonts = pango_cairo_font_map_get_default ();
  if (PANGO_IS_FC_FONT_MAP (fonts))
    pango_fc_font_map_cache_clear (PANGO_FC_FONT_MAP (fonts));
  return FALSE;
}
