/* Presets and the catalog.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

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
    normscope_files_show_preset (self->files, experiment, ns_preset_find (id)->title, ns_preset_find (id)->figure);
}

static void
open_preset_cb (NormscopeWindow *self, const NsExperiment *experiment, const char *title, const char *figure)
{
  normscope_files_show_preset (self->files, ns_experiment_copy (experiment), title, figure);
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

  g_signal_connect_object (catalog, "open", G_CALLBACK (open_preset_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (catalog, "add", G_CALLBACK (add_cb), self, G_CONNECT_SWAPPED);
  normscope_catalog_show_page (catalog, g_variant_get_string (parameter, NULL));
  gtk_window_present (GTK_WINDOW (catalog));
}

void
normscope_window_install_presets (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.preset", "s", preset_cb);
  gtk_widget_class_install_action (widget_class, "win.catalog", "s", catalog_cb);
}
