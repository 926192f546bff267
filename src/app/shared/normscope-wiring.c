/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-wiring.h"

#include <adwaita.h>

#include "app/shared/normscope-drawing.h"
#include "app/shared/normscope-theme.h"

struct _NormscopeWiring
{
  GtkWidget parent_instance;

  NsDiagram *diagram; /* NULL draws nothing */
};

G_DEFINE_FINAL_TYPE (NormscopeWiring, normscope_wiring, GTK_TYPE_WIDGET)

static gboolean
draw_diagram (cairo_t *cr, gpointer data)
{
  GtkWidget *widget = data;
  NsTheme theme;

  normscope_theme_init (&theme);
  return ns_diagram_draw (NORMSCOPE_WIRING (widget)->diagram, cr, &theme, gtk_widget_get_width (widget),
                          gtk_widget_get_height (widget));
}

static void
normscope_wiring_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (NORMSCOPE_WIRING (widget)->diagram != NULL && width > 0 && height > 0)
    normscope_drawing_snapshot (snapshot, width, height, draw_diagram, widget);
}

void
normscope_wiring_take_diagram (NormscopeWiring *self, NsDiagram *diagram)
{
  g_return_if_fail (NORMSCOPE_IS_WIRING (self));

  g_clear_pointer (&self->diagram, ns_diagram_free);
  self->diagram = diagram;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

const NsDiagram *
normscope_wiring_get_diagram (NormscopeWiring *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_WIRING (self), NULL);
  return self->diagram;
}

static void
normscope_wiring_finalize (GObject *object)
{
  ns_diagram_free (NORMSCOPE_WIRING (object)->diagram);
  G_OBJECT_CLASS (normscope_wiring_parent_class)->finalize (object);
}

static void
normscope_wiring_class_init (NormscopeWiringClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_wiring_finalize;
  GTK_WIDGET_CLASS (klass)->snapshot = normscope_wiring_snapshot;
  /* Every caller describes the wiring in a text next to it. */
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
normscope_wiring_init (NormscopeWiring *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  g_signal_connect_object (style, "notify::dark", G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (style, "notify::high-contrast", G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
}

GtkWidget *
normscope_wiring_new (int width, int height)
{
  return g_object_new (NORMSCOPE_TYPE_WIRING, "width-request", width, "height-request", height, NULL);
}
