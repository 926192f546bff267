/* The context menu of a row: its picture on the clipboard or in a file, and its block as lines of PyTorch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/wiring/normscope-wiring-row-private.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-chooser.h"
#include "app/shared/normscope-popovers.h"
#include "app/shared/normscope-theme.h"
#include "document/ns-experiment-json.h"
#include "document/ns-file.h"
#include "document/ns-provenance.h"
#include "engine/experiment/ns-experiment.h"
#include "figures/table/ns-figure-table.h"
#include "script/ns-torch-block.h"

/* Px of a unit in a copied picture, and the pixels of its PNG per px. */
#define COPY_UNIT  40
#define COPY_SCALE 2
/* A saved picture of a figure has as many. */
#define SAVE_SCALE 2
#define SUFFIX     ".svg"

static GBytes *
export_picture (NormscopeWiringRow *self, NsExportFormat format, double scale, GError **error)
{
  g_autofree char *software = ns_provenance_dup_software ();
  g_autoptr (GBytes) file = ns_experiment_to_bytes (normscope_session_get_experiment (self->session));
  NsExportMetadata metadata = { .title = _ (ns_figure_info (NS_FIGURE_BLOCK)->title),
                                .software = software,
                                .experiment = g_bytes_get_data (file, NULL) };
  double width, height;
  NsTheme theme;

  normscope_theme_init (&theme);
  ns_diagram_get_size (self->diagram, &width, &height);
  return ns_diagram_export (self->diagram, &theme, format, COPY_UNIT * width, COPY_UNIT * height, scale, &metadata,
                            error);
}

static void
copy_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWiringRow *self = NORMSCOPE_WIRING_ROW (widget);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) png = export_picture (self, NS_EXPORT_PNG, COPY_SCALE, &error);
  g_autoptr (GBytes) svg = png != NULL ? export_picture (self, NS_EXPORT_SVG, 1, &error) : NULL;
  g_autoptr (GdkContentProvider) provider = NULL;
  GdkContentProvider *providers[2];

  if (svg == NULL)
    {
      gtk_widget_activate_action (widget, "win.show-message", "s", error->message);
      return;
    }
  providers[0] = gdk_content_provider_new_for_bytes ("image/png", png);
  providers[1] = gdk_content_provider_new_for_bytes ("image/svg+xml", svg);
  provider = gdk_content_provider_new_union (providers, G_N_ELEMENTS (providers));
  gdk_clipboard_set_content (gtk_widget_get_clipboard (widget), provider);
}

static void
copy_code_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWiringRow *self = NORMSCOPE_WIRING_ROW (widget);
  g_autoptr (GError) error = NULL;
  g_autofree char *text
      = ns_torch_block_dup (normscope_session_get_experiment (self->session), self->variant, &error);

  if (text != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
  else
    gtk_widget_activate_action (widget, "win.show-message", "s", error->message);
}

/* ---- to a file ---- */

static gboolean
save (NormscopeWiringRow *self, GFile *file, GError **error)
{
  g_autofree char *path = ns_file_dup_path (file, error);
  g_autoptr (GBytes) bytes = NULL;
  NsExportFormat format;

  if (path == NULL || !ns_export_format_from_path (path, &format, error))
    return FALSE;
  bytes = export_picture (self, format, SAVE_SCALE, error);
  return bytes != NULL && ns_file_write (path, bytes, error);
}

static void
response_cb (NormscopeWiringRow *self, int response)
{
  GtkWidget *window = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_WINDOW);
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = normscope_chooser_dup_chosen (self->chooser, response, SUFFIX, &error);

  if (file != NULL && save (self, file, &error))
    normscope_chooser_confirm_saved (GTK_WINDOW (window), file);
  else if (error != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.show-message", "s", error->message);
}

static void
save_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  static const char *const patterns[] = { "*.svg", "*.pdf", "*.png", NULL };
  NormscopeWiringRow *self = NORMSCOPE_WIRING_ROW (widget);
  GtkWidget *window = gtk_widget_get_ancestor (widget, GTK_TYPE_WINDOW);
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  g_autofree char *name = g_strconcat (ns_experiment_variant (experiment, self->variant)->name, SUFFIX, NULL);

  g_clear_object (&self->chooser);
  self->chooser = normscope_chooser_new (GTK_WINDOW (window), _ ("Save the Wiring"), GTK_FILE_CHOOSER_ACTION_SAVE,
                                         _ ("Pictures"), patterns);
  g_signal_connect_object (self->chooser, "response", G_CALLBACK (response_cb), self, G_CONNECT_SWAPPED);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (self->chooser), g_strdelimit (name, "/", '-'));
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

/* ---- the menu ---- */

static void
open_menu (NormscopeWiringRow *self, double x, double y)
{
  GtkApplication *application = GTK_APPLICATION (g_application_get_default ());
  GMenuModel *menu = G_MENU_MODEL (gtk_application_get_menu_by_id (application, "wiring"));
  const GdkRectangle place = { (int) x, (int) y, 1, 1 };

  normscope_session_select (self->session, self->variant);
  normscope_popovers_open (GTK_WIDGET (self), gtk_popover_menu_new_from_model (menu), &place);
}

static void
pressed_cb (NormscopeWiringRow *self, int n_press, double x, double y)
{
  open_menu (self, x, y);
}

/* The menu key opens it at the part that has the focus. */
static void
menu_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  GtkWidget *focus = gtk_widget_get_focus_child (widget);
  GtkAllocation place = { 0 };

  if (focus != NULL)
    gtk_widget_get_allocation (focus, &place);
  open_menu (NORMSCOPE_WIRING_ROW (widget), place.x + place.width / 2, place.y + place.height);
}

void
normscope_wiring_menu_install (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "wiring.copy-picture", NULL, copy_cb);
  gtk_widget_class_install_action (widget_class, "wiring.copy-code", NULL, copy_code_cb);
  gtk_widget_class_install_action (widget_class, "wiring.save-picture", NULL, save_cb);
  gtk_widget_class_install_action (widget_class, "wiring.menu", NULL, menu_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Menu, 0, "wiring.menu", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F10, GDK_SHIFT_MASK, "wiring.menu", NULL);
}

void
normscope_wiring_menu_add (NormscopeWiringRow *self)
{
  GtkGesture *click = gtk_gesture_click_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}
