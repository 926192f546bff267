/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-plot-controls.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-quantity-popover.h"
#include "plot/ns-hit.h"

#define MAX_PANELS 4

struct _NormscopePlotControls
{
  GtkWidget *plot;
  GtkWidget *choosers[MAX_PANELS];      /* GtkMenuButton; NULL: the title opens nothing */
  const char *axis_keys[MAX_PANELS + 1]; /* of the horizontal axis, then of each panel; NULL: it cannot change */
};

NormscopePlotControls *
normscope_plot_controls_new (GtkWidget *plot)
{
  NormscopePlotControls *self = g_new0 (NormscopePlotControls, 1);

  self->plot = plot;
  return self;
}

void
normscope_plot_controls_free (NormscopePlotControls *self)
{
  for (guint p = 0; p < MAX_PANELS; p++)
    g_clear_pointer (&self->choosers[p], gtk_widget_unparent);
  g_free (self);
}

static void
fill_cb (GtkMenuButton *button, gpointer data)
{
  normscope_quantity_popover_fill (NORMSCOPE_QUANTITY_POPOVER (gtk_menu_button_get_popover (button)));
}

void
normscope_plot_controls_add_chooser (NormscopePlotControls *self, guint panel, GtkWidget *popover)
{
  GtkWidget *button = gtk_menu_button_new ();

  g_return_if_fail (panel < MAX_PANELS && self->choosers[panel] == NULL);

  gtk_menu_button_set_child (GTK_MENU_BUTTON (button), gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0));
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (button), fill_cb, NULL, NULL);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_widget_add_css_class (button, "chooser");
  gtk_widget_set_tooltip_text (button, _ ("Choose another quantity"));
  gtk_widget_set_child_visible (button, FALSE);
  gtk_widget_set_parent (button, self->plot);
  self->choosers[panel] = button;
}

void
normscope_plot_controls_add_axis (NormscopePlotControls *self, int axis, const char *key)
{
  g_return_if_fail (axis >= NORMSCOPE_X_AXIS && axis < MAX_PANELS);
  self->axis_keys[axis + 1] = key;
}

void
normscope_plot_controls_prepare (NormscopePlotControls *self, NsFigure *figure)
{
  for (guint p = 0; p < MIN (figure->panels->len, MAX_PANELS); p++)
    {
      NsPanel *panel = g_ptr_array_index (figure->panels, p);

      panel->has_chooser = self->choosers[p] != NULL;
      if (panel->has_chooser)
        gtk_accessible_update_property (GTK_ACCESSIBLE (self->choosers[p]), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                        panel->accessible_title, -1);
    }
}

void
normscope_plot_controls_allocate (NormscopePlotControls *self, const NsLayout *layout)
{
  for (guint p = 0; p < MAX_PANELS; p++)
    {
      GtkWidget *button = self->choosers[p];
      gboolean is_there;
      const NsRect *rect;
      GtkAllocation place;
      int width, height;

      if (button == NULL)
        continue;
      is_there = layout != NULL && p < layout->panels->len;
      rect = is_there ? &ns_layout_get_panel (layout, p)->chooser : NULL;
      is_there = is_there && rect->width > 0;
      gtk_widget_set_child_visible (button, is_there);
      if (!is_there)
        continue;
      gtk_widget_measure (button, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
      gtk_widget_measure (button, GTK_ORIENTATION_VERTICAL, -1, &height, NULL, NULL, NULL);
      place = (GtkAllocation){ (int) floor (rect->x), (int) floor (rect->y), MAX (width, (int) ceil (rect->width)),
                               MAX (height, (int) ceil (rect->height)) };
      gtk_widget_size_allocate (button, &place, -1);
    }
}

void
normscope_plot_controls_snapshot (NormscopePlotControls *self, GtkSnapshot *snapshot)
{
  for (guint p = 0; p < MAX_PANELS; p++)
    if (self->choosers[p] != NULL)
      gtk_widget_snapshot_child (self->plot, self->choosers[p], snapshot);
}

int
normscope_plot_controls_find_axis (NormscopePlotControls *self, const NsLayout *layout, double x, double y)
{
  int panel, axis = NORMSCOPE_NO_AXIS;

  switch (ns_hit_find_axis (layout, x, y, &panel))
    {
    case NS_HIT_X_AXIS:
      axis = NORMSCOPE_X_AXIS;
      break;
    case NS_HIT_Y_AXIS:
      axis = panel;
      break;
    case NS_HIT_NO_AXIS:
    default:
      break;
    }
  return axis >= NORMSCOPE_X_AXIS && axis < MAX_PANELS && self->axis_keys[axis + 1] != NULL ? axis : NORMSCOPE_NO_AXIS;
}

char *
normscope_plot_controls_dup_tooltip (NormscopePlotControls *self, const NsFigure *figure, int axis)
{
  NsAxisScale scale = axis == NORMSCOPE_X_AXIS ? figure->x_scale
                                               : ((const NsPanel *) g_ptr_array_index (figure->panels, axis))->scale;

  /* Translators: %s is a key, such as L */
  return g_strdup_printf (scale == NS_AXIS_LOG10 ? _ ("Click for a linear axis, or press %s")
                                                 : _ ("Click for a logarithmic axis, or press %s"),
                          self->axis_keys[axis + 1]);
}
