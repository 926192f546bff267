/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-preferences.h"

#include "engine/run/ns-engine.h"

struct _NormscopePreferences
{
  AdwPreferencesWindow parent_instance;

  GtkSpinButton *memory;

  NormscopeSession *session;
  gboolean updating; /* the widgets follow the session: ignore their signals */
};

G_DEFINE_FINAL_TYPE (NormscopePreferences, normscope_preferences, ADW_TYPE_PREFERENCES_WINDOW)

/* With less, almost nothing is cached and every weight is drawn again in each pass. */
#define MIN_MEMORY_MIB 16
#define MAX_MEMORY_MIB 1048576.0

/* Limit the budget to the physical memory; more would only be swapped out. */
static double
get_max_memory_mib (void)
{
  double machine = (double) (ns_machine_memory () >> 20);

  return CLAMP (machine, MIN_MEMORY_MIB, MAX_MEMORY_MIB);
}

static void
refresh (NormscopePreferences *self)
{
  self->updating = TRUE;
  gtk_spin_button_set_value (self->memory, normscope_session_get_view (self->session)->memory_mib);
  self->updating = FALSE;
}

static void
budget_edited_cb (NormscopePreferences *self)
{
  NormscopeView view;

  if (self->updating || self->session == NULL)
    return;
  view = *normscope_session_get_view (self->session);
  view.memory_mib = (guint) gtk_spin_button_get_value_as_int (self->memory);
  normscope_session_set_view (self->session, &view);
}

static void
normscope_preferences_dispose (GObject *object)
{
  NormscopePreferences *self = NORMSCOPE_PREFERENCES (object);

  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_preferences_parent_class)->dispose (object);
}

static void
normscope_preferences_class_init (NormscopePreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_preferences_dispose;

  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-preferences.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopePreferences, memory);
  gtk_widget_class_bind_template_callback (widget_class, budget_edited_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
normscope_preferences_init (NormscopePreferences *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->updating = TRUE;
  gtk_spin_button_set_range (self->memory, MIN_MEMORY_MIB, get_max_memory_mib ());
  self->updating = FALSE;
}

NormscopePreferences *
normscope_preferences_new (GtkWindow *parent, NormscopeSession *session)
{
  NormscopePreferences *self;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (session), NULL);

  self = g_object_new (NORMSCOPE_TYPE_PREFERENCES, "transient-for", parent, NULL);
  self->session = g_object_ref (session);
  g_signal_connect_object (session, "changed::settings", G_CALLBACK (refresh), self, G_CONNECT_SWAPPED);
  refresh (self);
  return self;
}
