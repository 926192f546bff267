/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-theme.h"

#include <adwaita.h>

void
normscope_theme_init (NsTheme *theme)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  gboolean dark = adw_style_manager_get_dark (style);

  if (adw_style_manager_get_high_contrast (style))
    ns_theme_init (theme, dark ? NS_THEME_HIGH_CONTRAST_DARK : NS_THEME_HIGH_CONTRAST);
  else
    ns_theme_init (theme, dark ? NS_THEME_DARK : NS_THEME_LIGHT);
}

void
normscope_theme_init_for_plot (NsTheme *theme, GtkWidget *widget, double text_scale)
{
  g_autofree char *font = NULL;
  g_autoptr (PangoFontDescription) description = NULL;

  normscope_theme_init (theme);
  theme->text_scale = text_scale;
  theme->line_scale = text_scale;
  theme->transparent = TRUE;

  g_object_get (gtk_widget_get_settings (widget), "gtk-font-name", &font, NULL);
  description = pango_font_description_from_string (font != NULL ? font : "Sans");
  if (pango_font_description_get_family (description) != NULL)
    g_strlcpy (theme->font_family, pango_font_description_get_family (description), sizeof theme->font_family);
}
