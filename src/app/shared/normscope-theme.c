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
