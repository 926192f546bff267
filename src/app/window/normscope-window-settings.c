/* View and geometry of the window in GSettings.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#define SCHEMA "org.normscope.Normscope"

static GSettings *
open_settings (void)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchema) schema = NULL;

  if (source != NULL)
    schema = g_settings_schema_source_lookup (source, SCHEMA, TRUE);
  return schema != NULL ? g_settings_new_full (schema, NULL, NULL) : NULL;
}

static void
set_quantity (NsQuantity *quantity, const char *name)
{
  NsQuantity found;

  if (ns_quantity_from_name (name, &found))
    *quantity = found;
}

static void
load_view (NormscopeWindow *self)
{
  NormscopeView view = *normscope_session_get_view (self->session);
  g_autofree char *gradient = NULL;
  g_autofree char *activation = NULL;

  if (self->settings == NULL)
    return;
  gradient = g_settings_get_string (self->settings, "quantity");
  activation = g_settings_get_string (self->settings, "bars");
  set_quantity (&view.gradient, gradient);
  set_quantity (&view.activation, activation);
  view.log_gradient = g_settings_get_boolean (self->settings, "log-scale");
  view.bars_axis = (NsBarsAxis) g_settings_get_enum (self->settings, "bars-axis");
  view.band = g_settings_get_boolean (self->settings, "show-band");
  view.ghost = g_settings_get_boolean (self->settings, "show-ghost");
  view.predictions = g_settings_get_boolean (self->settings, "show-theory");
  view.text_scale = g_settings_get_double (self->settings, "type-scale");
  view.memory_mib = g_settings_get_uint (self->settings, "memory-budget");
  normscope_session_set_view (self->session, &view);
}

void
normscope_window_save_view (NormscopeWindow *self, guint change)
{
  const NormscopeView *view = normscope_session_get_view (self->session);

  if (self->settings == NULL || (change & NORMSCOPE_CHANGED_VIEW) == 0)
    return;
  g_settings_set_uint (self->settings, "memory-budget", view->memory_mib);
  /* The view of a lecture's step is no preference. */
  if (self->lecture != NULL && normscope_lecture_session_is_open (self->lecture))
    return;
  g_settings_set_string (self->settings, "quantity", ns_quantity_info (view->gradient)->name);
  g_settings_set_string (self->settings, "bars", ns_quantity_info (view->activation)->name);
  g_settings_set_boolean (self->settings, "log-scale", view->log_gradient);
  g_settings_set_enum (self->settings, "bars-axis", view->bars_axis);
  g_settings_set_boolean (self->settings, "show-band", view->band);
  g_settings_set_boolean (self->settings, "show-ghost", view->ghost);
  g_settings_set_boolean (self->settings, "show-theory", view->predictions);
  g_settings_set_double (self->settings, "type-scale", view->text_scale);
}

static void
load_geometry (NormscopeWindow *self)
{
  int width = 1280, height = 800;

  if (self->settings != NULL)
    {
      width = g_settings_get_int (self->settings, "window-width");
      height = g_settings_get_int (self->settings, "window-height");
      if (g_settings_get_boolean (self->settings, "maximized"))
        gtk_window_maximize (GTK_WINDOW (self));
      adw_flap_set_reveal_flap (self->flap, g_settings_get_boolean (self->settings, "show-sidebar"));
      g_settings_bind (self->settings, "fold-wiring", self->wiring_strip, "folded", G_SETTINGS_BIND_DEFAULT);
    }
  gtk_window_set_default_size (GTK_WINDOW (self), width, height);
}

void
normscope_window_load_settings (NormscopeWindow *self)
{
  self->settings = open_settings ();
  load_view (self);
  load_geometry (self);
}

void
normscope_window_save_geometry (NormscopeWindow *self)
{
  int width, height;

  if (self->settings == NULL)
    return;
  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  g_settings_set_int (self->settings, "window-width", width);
  g_settings_set_int (self->settings, "window-height", height);
  g_settings_set_boolean (self->settings, "maximized", gtk_window_is_maximized (GTK_WINDOW (self)));
  /* A narrow window hides the sidebar by itself; save only what the user chose. */
  if (!adw_flap_get_folded (self->flap))
    g_settings_set_boolean (self->settings, "show-sidebar", adw_flap_get_reveal_flap (self->flap));
}
