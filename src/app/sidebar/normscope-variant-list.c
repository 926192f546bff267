/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/sidebar/normscope-variant-list.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-help-button.h"
#include "app/shared/normscope-keep-button.h"
#include "app/sidebar/normscope-variant-row.h"
#include "engine/experiment/ns-variants.h"

struct _NormscopeVariantList
{
  GtkBox parent_instance;

  GtkListBox *list;
  GtkMenuButton *add_button;
  GtkPopover *add_popover;
  GtkListBox *builtin_list;
  GtkCheckButton *keep_button;

  NormscopeSession *session;
};

G_DEFINE_FINAL_TYPE (NormscopeVariantList, normscope_variant_list, GTK_TYPE_BOX)

static void
refresh_variants (NormscopeVariantList *self)
{
  guint n = normscope_session_get_n_variants (self->session);
  GtkListBoxRow *row;

  while ((row = gtk_list_box_get_row_at_index (self->list, (int) n)) != NULL)
    gtk_list_box_remove (self->list, GTK_WIDGET (row));
  for (guint v = 0; v < n; v++)
    {
      row = gtk_list_box_get_row_at_index (self->list, (int) v);
      if (row == NULL)
        gtk_list_box_append (self->list, normscope_variant_row_new (self->session, v));
      else
        normscope_variant_row_refresh (NORMSCOPE_VARIANT_ROW (row));
    }
  row = gtk_list_box_get_row_at_index (self->list, (int) normscope_session_get_selected (self->session));
  if (gtk_list_box_get_selected_row (self->list) != row)
    gtk_list_box_select_row (self->list, row);
  gtk_widget_set_sensitive (GTK_WIDGET (self->add_button), n < NS_MAX_VARIANTS);
}

static void
changed_cb (NormscopeVariantList *self, guint change)
{
  if ((change & (NORMSCOPE_CHANGED_VARIANTS | NORMSCOPE_CHANGED_SELECTED)) != 0)
    refresh_variants (self);
}

static void
row_selected_cb (NormscopeVariantList *self, GtkListBoxRow *row)
{
  guint index;

  if (row == NULL || self->session == NULL)
    return;
  index = normscope_variant_row_get_index (NORMSCOPE_VARIANT_ROW (row));
  if (index < normscope_session_get_n_variants (self->session))
    normscope_session_select (self->session, index);
}

static const NsVariant *
get_selected (NormscopeVariantList *self)
{
  return ns_experiment_variant (normscope_session_get_experiment (self->session),
                                normscope_session_get_selected (self->session));
}

static void
popover_shown_cb (NormscopeVariantList *self)
{
  normscope_keep_button_offer (self->keep_button, get_selected (self), NULL);
}

static void
builtin_activated_cb (NormscopeVariantList *self, GtkListBoxRow *row)
{
  const NsBuiltinVariant *builtin = g_object_get_data (G_OBJECT (row), "builtin");
  g_autoptr (GError) error = NULL;
  NsVariant *variant;

  gtk_popover_popdown (self->add_popover);
  variant = normscope_keep_button_new_variant (self->keep_button, get_selected (self), builtin->id, &error);
  if (variant == NULL || !normscope_session_take_variant (self->session, variant, &error))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.show-message", "s", error->message);
}

static void
all_clicked_cb (NormscopeVariantList *self)
{
  gtk_popover_popdown (self->add_popover);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.catalog", "s", "variants");
}

/* List the norm placements; the catalog has all built-in variants. */
static void
fill_builtins (NormscopeVariantList *self)
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (gsize i = 0; i < n && builtins[i].group == NS_VARIANT_PLACEMENT; i++)
    {
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
      GtkWidget *name = gtk_label_new (builtins[i].name);
      GtkWidget *help = gtk_label_new (_ (builtins[i].sentence));
      g_autofree char *page = g_strconcat ("variant:", builtins[i].id, NULL);

      gtk_label_set_xalign (GTK_LABEL (name), 0);
      gtk_label_set_xalign (GTK_LABEL (help), 0);
      gtk_label_set_wrap (GTK_LABEL (help), TRUE);
      gtk_label_set_max_width_chars (GTK_LABEL (help), 44);
      gtk_widget_add_css_class (help, "caption");
      gtk_widget_add_css_class (box, "builtin");
      gtk_box_append (GTK_BOX (box), name);
      gtk_box_append (GTK_BOX (box), help);
      gtk_list_box_append (self->builtin_list, box);
      g_object_set_data (G_OBJECT (gtk_widget_get_parent (box)), "builtin", (gpointer) &builtins[i]);
      normscope_help_set_page (gtk_widget_get_parent (box), page);
      gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_parent (box)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      builtins[i].name, -1);
    }
}

void
normscope_variant_list_set_session (NormscopeVariantList *self, NormscopeSession *session)
{
  g_return_if_fail (NORMSCOPE_IS_VARIANT_LIST (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);

  self->session = g_object_ref (session);
  g_signal_connect_object (session, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  refresh_variants (self);
}

static void
normscope_variant_list_dispose (GObject *object)
{
  NormscopeVariantList *self = NORMSCOPE_VARIANT_LIST (object);

  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_variant_list_parent_class)->dispose (object);
}

static void
normscope_variant_list_class_init (NormscopeVariantListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_variant_list_dispose;

  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-variant-list.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeVariantList, list);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVariantList, add_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVariantList, add_popover);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVariantList, builtin_list);
  gtk_widget_class_bind_template_callback (widget_class, row_selected_cb);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVariantList, keep_button);
  gtk_widget_class_bind_template_callback (widget_class, popover_shown_cb);
  gtk_widget_class_bind_template_callback (widget_class, builtin_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, all_clicked_cb);
}

static void
normscope_variant_list_init (NormscopeVariantList *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_builtins (self);
}
