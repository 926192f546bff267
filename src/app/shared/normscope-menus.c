/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-menus.h"

void
normscope_menus_show (GtkMenuButton *button, const char *id)
{
  GtkApplication *application = GTK_APPLICATION (g_application_get_default ());

  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (gtk_application_get_menu_by_id (application, id)));
}
