/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/sidebar/normscope-control-row.h"

struct _NormscopeControlRow
{
  AdwPreferencesRow parent_instance;

  GtkBox *line;
};

G_DEFINE_FINAL_TYPE (NormscopeControlRow, normscope_control_row, ADW_TYPE_PREFERENCES_ROW)

enum { PROP_0, PROP_CONTROL, N_PROPS };
static GParamSpec *props[N_PROPS];

static void
normscope_control_row_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GtkWidget *control;

  switch (id)
    {
    case PROP_CONTROL:
      control = g_value_get_object (value);
      gtk_widget_set_valign (control, GTK_ALIGN_CENTER);
      gtk_box_append (NORMSCOPE_CONTROL_ROW (object)->line, control);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_control_row_class_init (NormscopeControlRowClass *klass)
{
  G_OBJECT_CLASS (klass)->set_property = normscope_control_row_set_property;

  props[PROP_CONTROL] = g_param_spec_object ("control", NULL, NULL, GTK_TYPE_WIDGET,
                                             G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
}

static void
normscope_control_row_init (NormscopeControlRow *self)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_set_hexpand (label, TRUE);
  g_object_bind_property (self, "title", label, "label", G_BINDING_SYNC_CREATE);
  self->line = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  gtk_box_append (self->line, label);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (self), GTK_WIDGET (self->line));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), FALSE);
  gtk_widget_set_focusable (GTK_WIDGET (self), FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self), "parameter");
}
