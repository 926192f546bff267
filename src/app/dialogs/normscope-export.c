/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-export.h"

#include "app/dialogs/normscope-export-dialog.h"
#include "app/work/normscope-picture-content.h"
#include "plot/ns-draw.h"

#define PX_PER_PT (96.0 / 72.0)

gboolean
normscope_export_open (GtkWindow *window, NormscopePictureFunc get, const char *name)
{
  NormscopePicture *titled = get (window, TRUE), *plain = get (window, FALSE);

  if (titled == NULL || plain == NULL)
    {
      g_clear_pointer (&titled, normscope_picture_unref);
      g_clear_pointer (&plain, normscope_picture_unref);
      return FALSE;
    }
  gtk_window_present (GTK_WINDOW (normscope_export_dialog_new (window, titled, plain, name)));
  return TRUE;
}

gboolean
normscope_export_copy_picture (GtkWindow *window, NormscopePictureFunc get, int width, int height, double text_scale,
                               GError **error)
{
  g_autoptr (NormscopePicture) picture = get (window, TRUE);
  NormscopePictureStyle style = { .width = width, .height = height, .scale = NORMSCOPE_EXPORT_COPY_SCALE };
  g_autoptr (GdkContentProvider) content = NULL;

  if (picture == NULL)
    return FALSE;
  if (!ns_export_check_size (width, height, NORMSCOPE_EXPORT_COPY_SCALE, error))
    return FALSE;
  ns_theme_init (&style.theme,
                 adw_style_manager_get_dark (adw_style_manager_get_default ()) ? NS_THEME_DARK : NS_THEME_LIGHT);
  style.theme.text_scale = text_scale;
  content = normscope_picture_content_new (picture, &style);
  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (window)), content);
  return TRUE;
}

gboolean
normscope_export_copy_data (GtkWindow *window, NormscopePictureFunc get)
{
  g_autoptr (NormscopePicture) picture = get (window, FALSE);
  g_autoptr (GdkContentProvider) content = NULL;

  if (picture == NULL)
    return FALSE;
  content = normscope_picture_content_new_table (picture);
  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (window)), content);
  return TRUE;
}

static void
draw_page_cb (GtkPrintOperation *operation, GtkPrintContext *context, int page, gpointer data)
{
  NormscopePicture *picture = data;
  cairo_t *cr = gtk_print_context_get_cairo_context (context);
  NsTheme theme;

  /* Printed on white paper. */
  ns_theme_init (&theme, NS_THEME_LIGHT);
  theme.transparent = TRUE;
  cairo_scale (cr, 1 / PX_PER_PT, 1 / PX_PER_PT);
  ns_figure_draw (picture->figure, cr, &theme, gtk_print_context_get_width (context) * PX_PER_PT,
                  gtk_print_context_get_height (context) * PX_PER_PT);
}

gboolean
normscope_export_print (GtkWindow *window, NormscopePictureFunc get, const char *path, GError **error)
{
  g_autoptr (NormscopePicture) picture = get (window, TRUE);
  g_autoptr (GtkPrintOperation) operation = gtk_print_operation_new ();
  g_autoptr (GtkPageSetup) setup = gtk_page_setup_new ();
  GtkPrintOperationAction action = GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG;

  if (picture == NULL)
    return FALSE;
  normscope_picture_make (picture, NULL);
  gtk_page_setup_set_orientation (setup, GTK_PAGE_ORIENTATION_LANDSCAPE);
  gtk_print_operation_set_default_page_setup (operation, setup);
  gtk_print_operation_set_unit (operation, GTK_UNIT_POINTS);
  gtk_print_operation_set_n_pages (operation, 1);
  g_signal_connect (operation, "draw-page", G_CALLBACK (draw_page_cb), picture);
  if (path != NULL)
    {
      gtk_print_operation_set_export_filename (operation, path);
      action = GTK_PRINT_OPERATION_ACTION_EXPORT;
    }
  return gtk_print_operation_run (operation, action, window, error) != GTK_PRINT_OPERATION_RESULT_ERROR;
}
