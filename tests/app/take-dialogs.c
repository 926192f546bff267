/* Take screenshots of the window's dialogs and messages, light and dark: take-dialogs FOLDER
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * They are for review and are not kept; "build-aux/screenshots.sh all" runs it. Set ADW_DEBUG_HIGH_CONTRAST=1 for high
 * contrast.
 */
#include "app-dialogs.h"

#include "app-widgets.h"
#include "app/dialogs/normscope-catalog.h"
#include "app/dialogs/normscope-data-dialog.h"
#include "app/dialogs/normscope-export-dialog.h"
#include "app/dialogs/normscope-preferences.h"
#include "app/dialogs/normscope-script-dialog.h"
#include "app/sidebar/normscope-display-group.h"
#include "app/sidebar/normscope-variant-list.h"

static void
save (GtkWidget *widget, const char *folder, const char *name, gboolean dark)
{
  g_autofree char *path = g_strdup_printf ("%s/%s-%s.png", folder, name, dark ? "dark" : "light");
  g_autoptr (GdkTexture) texture = NULL;

  app_iterate (300);
  texture = app_grab (widget);
  if (!gdk_texture_save_to_png (texture, path))
    g_error ("%s cannot be written", path);
}

static void
take_dialog (GtkWidget *window, const char *action, GType type, const char *folder, const char *name, gboolean dark)
{
  GtkWidget *dialog;

  gtk_widget_activate_action (window, action, NULL);
  dialog = app_wait_for_dialog (type);
  save (dialog, folder, name, dark);
  gtk_window_destroy (GTK_WINDOW (dialog));
  app_iterate (100);
}

/* Long enough for the time estimates to arrive. */
static void
take_catalog (GtkWidget *window, const char *page, const char *search, const char *folder, const char *name,
              gboolean dark)
{
  GtkWidget *catalog;

  gtk_widget_activate_action (window, "win.catalog", "s", page);
  catalog = app_wait_for_dialog (NORMSCOPE_TYPE_CATALOG);
  gtk_editable_set_text (GTK_EDITABLE (app_find_type (catalog, GTK_TYPE_SEARCH_ENTRY)), search);
  app_iterate (4000);
  save (catalog, folder, name, dark);
  gtk_window_destroy (GTK_WINDOW (catalog));
  app_iterate (100);
}

/* Popovers of the sidebar, at the sizes of a small laptop and of a projector. */
static void
take_sizes (GtkWidget *window, const char *folder, gboolean dark)
{
  static const int sizes[][2] = { { 900, 560 }, { 1920, 1080 } };
  static const char *const pages[] = { "presets", "variants", "models" };

  for (int s = 0; s < 2; s++)
    for (int p = 0; p < 3; p++)
      {
        g_autofree char *name = g_strdup_printf ("catalog-%s-%d", pages[p], sizes[s][0]);
        GtkWidget *catalog;

        gtk_widget_activate_action (window, "win.catalog", "s", pages[p]);
        catalog = app_wait_for_dialog (NORMSCOPE_TYPE_CATALOG);
        gtk_window_set_default_size (GTK_WINDOW (catalog), sizes[s][0], sizes[s][1]);
        gtk_editable_set_text (GTK_EDITABLE (app_find_type (catalog, GTK_TYPE_SEARCH_ENTRY)), p == 0 ? "palm" : "");
        app_iterate (p == 0 ? 4000 : 600);
        save (catalog, folder, name, dark);
        gtk_window_destroy (GTK_WINDOW (catalog));
        app_iterate (100);
      }
}

static void
take_variants (GtkWidget *window, const char *folder, gboolean dark)
{
  GtkWidget *list = app_find_type (window, NORMSCOPE_TYPE_VARIANT_LIST), *popover;

  popover = GTK_WIDGET (gtk_widget_get_template_child (list, NORMSCOPE_TYPE_VARIANT_LIST, "add_popover"));
  gtk_popover_popup (GTK_POPOVER (popover));
  app_iterate (400);
  save (popover, folder, "add-variant", dark);
  gtk_popover_popdown (GTK_POPOVER (popover));
}

static void
take_all (const char *folder, gboolean dark)
{
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());
  GtkWidget *widget = GTK_WIDGET (window);
  GtkWidget *group;

  adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                      dark ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_FORCE_LIGHT);
  gtk_window_set_default_size (GTK_WINDOW (window), 1280, 720);
  gtk_window_present (GTK_WINDOW (window));
  app_iterate (2000);
  take_dialog (widget, "win.export", NORMSCOPE_TYPE_EXPORT_DIALOG, folder, "export-figure", dark);
  take_dialog (widget, "win.export-data", NORMSCOPE_TYPE_DATA_DIALOG, folder, "export-data", dark);
  take_dialog (widget, "win.export-script", NORMSCOPE_TYPE_SCRIPT_DIALOG, folder, "export-script", dark);
  take_catalog (widget, "presets", "", folder, "catalog-presets", dark);
  take_catalog (widget, "presets", "gemma", folder, "catalog-gemma", dark);
  take_catalog (widget, "presets", "figure 3", folder, "catalog-figure-3", dark);
  take_catalog (widget, "variants", "sub", folder, "catalog-variants", dark);
  take_catalog (widget, "models", "", folder, "catalog-models", dark);
  take_sizes (widget, folder, dark);
  take_variants (widget, folder, dark);
  group = app_find_type (widget, NORMSCOPE_TYPE_DISPLAY_GROUP);
  gtk_menu_button_popup (app_get_child (widget, "view_button"));
  app_iterate (300);
  save (group, folder, "view", dark);
  gtk_menu_button_popdown (app_get_child (widget, "view_button"));
  take_dialog (widget, "win.preferences", NORMSCOPE_TYPE_PREFERENCES, folder, "preferences", dark);

  gtk_widget_activate_action (widget, "win.show-folder-message", "(ss)",
                              "experiment.py and its arrays are in “Pre-LN-pytorch”.", "file:///");
  save (widget, folder, "folder-written", dark);
  normscope_files_open_link (normscope_window_get_files (window), "normscope:1:abc");
  save (widget, folder, "broken-link", dark);
  gtk_window_destroy (GTK_WINDOW (window));
  app_iterate (100);
}

int
main (int argc, char **argv)
{
  if (!app_test_init (&argc, &argv))
    return 77;
  for (int dark = 0; dark < 2; dark++)
    take_all (argc > 1 ? argv[1] : ".", dark);
  return 0;
}
