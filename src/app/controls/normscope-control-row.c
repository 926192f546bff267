/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/controls/normscope-control-row.h"

#include "app/shared/normscope-help-button.h"

struct _NormscopeControlRow
{
  AdwPreferencesRow parent_instance;

  GtkBox *line;
  GtkWidget *texts, *help_button; /* the button is NULL without a page */
  GtkLabel *subtitle;
  char *help_page;
};

G_DEFINE_FINAL_TYPE (NormscopeControlRow, normscope_control_row, ADW_TYPE_PREFERENCES_ROW)

enum
{
  CONTROL_ROW_PROP_0,
  CONTROL_ROW_PROP_CONTROL,
  CONTROL_ROW_PROP_SUBTITLE,
  CONTROL_ROW_PROP_HELP_PAGE,
  N_CONTROL_ROW_PROPS
};
static GParamSpec *control_row_props[N_CONTROL_ROW_PROPS];

void
normscope_control_row_set_subtitle (NormscopeControlRow *self, const char *subtitle)
{
  g_return_if_fail (NORMSCOPE_IS_CONTROL_ROW (self));
  gtk_label_set_label (self->subtitle, subtitle != NULL ? subtitle : "");
  gtk_widget_set_visible (GTK_WIDGET (self->subtitle), subtitle != NULL && subtitle[0] != '\0');
}

void
normscope_control_row_set_help_page (NormscopeControlRow *self, const char *page)
{
  const char *title = adw_preferences_row_get_title (ADW_PREFERENCES_ROW (self));

  g_return_if_fail (NORMSCOPE_IS_CONTROL_ROW (self));
  if (g_strcmp0 (page, self->help_page) == 0)
    return;
  if (self->help_button != NULL)
    gtk_box_remove (self->line, self->help_button);
  self->help_button = NULL;
  g_free (self->help_page);
  self->help_page = g_strdup (page);
  normscope_help_set_page (GTK_WIDGET (self), page);
  if (page == NULL)
    return;
  self->help_button = normscope_help_button_new (page, title);
  gtk_box_insert_child_after (self->line, self->help_button, self->texts);
}

static void
normscope_control_row_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GtkWidget *control;

  switch (id)
    {
    case CONTROL_ROW_PROP_CONTROL:
      control = g_value_get_object (value);
      gtk_widget_set_valign (control, GTK_ALIGN_CENTER);
      gtk_box_append (NORMSCOPE_CONTROL_ROW (object)->line, control);
      break;
    case CONTROL_ROW_PROP_SUBTITLE:
      normscope_control_row_set_subtitle (NORMSCOPE_CONTROL_ROW (object), g_value_get_string (value));
      break;
    case CONTROL_ROW_PROP_HELP_PAGE:
      normscope_control_row_set_help_page (NORMSCOPE_CONTROL_ROW (object), g_value_get_string (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_control_row_finalize (GObject *object)
{
  g_free (NORMSCOPE_CONTROL_ROW (object)->help_page);
  G_OBJECT_CLASS (normscope_control_row_parent_class)->finalize (object);
}

static void
normscope_control_row_class_init (NormscopeControlRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_control_row_finalize;
  G_OBJECT_CLASS (klass)->set_property = normscope_control_row_set_property;

  control_row_props[CONTROL_ROW_PROP_CONTROL] = g_param_spec_object ("control", NULL, NULL, GTK_TYPE_WIDGET,
                                                                     G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  control_row_props[CONTROL_ROW_PROP_HELP_PAGE] = g_param_spec_string ("help-page", NULL, NULL, NULL,
                                                                       G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  control_row_props[CONTROL_ROW_PROP_SUBTITLE] =
      g_param_spec_string ("subtitle", NULL, NULL, NULL, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_CONTROL_ROW_PROPS, control_row_props);
}

static void
normscope_control_row_init (NormscopeControlRow *self)
{
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  self->texts = texts;
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_widget_set_valign (texts, GTK_ALIGN_CENTER);
  self->subtitle = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->subtitle, 0);
  gtk_label_set_wrap (self->subtitle, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->subtitle), "note");
  gtk_widget_set_visible (GTK_WIDGET (self->subtitle), FALSE);
  gtk_box_append (GTK_BOX (texts), label);
  gtk_box_append (GTK_BOX (texts), GTK_WIDGET (self->subtitle));
  g_object_bind_property (self, "title", label, "label", G_BINDING_SYNC_CREATE);
  self->line = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  gtk_box_append (self->line, texts);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (self), GTK_WIDGET (self->line));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), FALSE);
  gtk_widget_set_focusable (GTK_WIDGET (self), FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self), "parameter");
}
