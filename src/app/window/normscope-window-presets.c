/* The menu of presets and the catalog.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#include <glib/gi18n-lib.h>

#include "app/dialogs/normscope-catalog.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"

static void
preset_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  const char *id = g_variant_get_string (parameter, NULL);
  g_autoptr (GError) error = NULL;
  NsExperiment *experiment = ns_preset_load (id, &error);

  if (experiment == NULL)
    normscope_window_show_message (self, error->message);
  else
    normscope_files_show_preset (self->files, experiment, ns_preset_find (id)->title);
}

static void
open_cb (NormscopeWindow *self, const NsExperiment *experiment, const char *title)
{
  normscope_files_show_preset (self->files, ns_experiment_copy (experiment), title);
}

static void
add_cb (NormscopeWindow *self, const NsVariant *variant)
{
  g_autoptr (GError) error = NULL;

  if (!normscope_session_take_variant (self->session, ns_variant_copy (variant), &error))
    normscope_window_show_message (self, error->message);
}

static void
catalog_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  NormscopeCatalog *catalog =
      normscope_catalog_new (GTK_WINDOW (self), normscope_session_get_experiment (self->session),
                             normscope_session_get_selected (self->session),
                             normscope_session_get_memory_budget (self->session));

  g_signal_connect_object (catalog, "open", G_CALLBACK (open_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (catalog, "add", G_CALLBACK (add_cb), self, G_CONNECT_SWAPPED);
  normscope_catalog_show_page (catalog, g_variant_get_string (parameter, NULL));
  gtk_window_present (GTK_WINDOW (catalog));
}

/* List the presets without a model; the catalog has all of them. */
void
normscope_window_fill_presets (NormscopeWindow *self)
{
  g_autoptr (GMenu) menu = g_menu_new (), lessons = g_menu_new (), all = g_menu_new ();
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (presets[i].title, NULL);

      if (presets[i].variant != NULL && presets[i].path == NULL)
        continue;
      g_menu_item_set_action_and_target (item, "win.preset", "s", presets[i].id);
      g_menu_append_item (lessons, item);
    }
  g_menu_append_section (menu, NULL, G_MENU_MODEL (lessons));
  g_menu_append (all, _ ("_Models and All Presets…"), "win.catalog::presets");
  g_menu_append (all, _ ("All _Variants…"), "win.catalog::variants");
  g_menu_append (all, _ ("Which Model Uses Which _Placement…"), "win.catalog::models");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (all));
  gtk_menu_button_set_menu_model (self->presets_button, G_MENU_MODEL (menu));
}

void
normscope_window_install_presets (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.preset", "s", preset_cb);
  gtk_widget_class_install_action (widget_class, "win.catalog", "s", catalog_cb);
}
