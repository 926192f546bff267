/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/sidebar/normscope-variant-row.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>

#include "app/shared/normscope-help-button.h"
#include "app/shared/normscope-menus.h"
#include "app/sidebar/normscope-color-popover.h"
#include "engine/experiment/ns-variant-match.h"
#include "engine/experiment/ns-variants.h"
#include "plot/ns-draw.h"

struct _NormscopeVariantRow
{
  GtkListBoxRow parent_instance;

  GtkDrawingArea *swatch;
  GtkStack *name_stack;
  GtkLabel *name_label;
  GtkEntry *name_entry;
  GtkToggleButton *visible_button;
  GtkMenuButton *menu_button;

  NormscopeSession *session; /* borrowed from the list, which outlives the row */
  guint index;
  gboolean updating; /* the widgets follow the session: ignore their signals */
};

G_DEFINE_FINAL_TYPE (NormscopeVariantRow, normscope_variant_row, GTK_TYPE_LIST_BOX_ROW)

/* ---- the colour ---- */

static void
draw_swatch (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  NormscopeVariantRow *self = data;
  const NormscopeVariantLook *look;
  NsSeries series = { .kind = NS_SERIES_LINE, .role = NS_ROLE_DATA };
  NsTheme theme;

  if (self->index >= normscope_session_get_n_variants (self->session))
    return;
  look = normscope_session_get_look (self->session, self->index);
  normscope_color_popover_init_theme (&theme);
  series.style = look->style;
  series.has_color = look->has_color;
  series.color = look->color;
  ns_series_draw_swatch (&series, cr, &theme, width, height);
}

static void
color_chosen_cb (NormscopeVariantRow *self, const NsColor *color)
{
  if (self->index < normscope_session_get_n_variants (self->session))
    normscope_session_set_color (self->session, self->index, color);
}

/* ---- the name ---- */

static void
show_error (NormscopeVariantRow *self, const GError *error)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.show-message", "s", error->message);
}

static void
end_rename (NormscopeVariantRow *self)
{
  gboolean had_focus = gtk_widget_has_focus (GTK_WIDGET (gtk_editable_get_delegate (GTK_EDITABLE (self->name_entry))));

  gtk_stack_set_visible_child_name (self->name_stack, "label");
  if (had_focus)
    gtk_widget_grab_focus (GTK_WIDGET (self));
}

static void
name_activate_cb (NormscopeVariantRow *self)
{
  const char *typed = gtk_editable_get_text (GTK_EDITABLE (self->name_entry));
  g_autoptr (GError) error = NULL;

  if (normscope_session_rename_variant (self->session, self->index, typed, &error))
    {
      end_rename (self);
      return;
    }
  gtk_widget_add_css_class (GTK_WIDGET (self->name_entry), "error");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->name_entry), error->message);
  show_error (self, error);
}

static gboolean
name_key_cb (NormscopeVariantRow *self, guint key)
{
  if (key != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  end_rename (self);
  return GDK_EVENT_STOP;
}

static void
rename_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeVariantRow *self = NORMSCOPE_VARIANT_ROW (widget);

  gtk_widget_remove_css_class (GTK_WIDGET (self->name_entry), "error");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->name_entry),
                               _ ("Enter sets the name, Escape cancels; an empty name follows the settings"));
  gtk_editable_set_text (GTK_EDITABLE (self->name_entry), gtk_label_get_label (self->name_label));
  gtk_stack_set_visible_child_name (self->name_stack, "entry");
  gtk_widget_grab_focus (GTK_WIDGET (self->name_entry));
}

static void
pressed_cb (NormscopeVariantRow *self, int n_press)
{
  if (n_press == 2)
    rename_cb (GTK_WIDGET (self), NULL, NULL);
}

/* ---- the other actions ---- */

/* The page of the built-in variant that this one is wired as; without one, F1 opens the list. */
static void
set_page (NormscopeVariantRow *self, const NsVariant *variant)
{
  g_autofree char *page = NULL;
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (gsize i = 0; i < n && page == NULL; i++)
    if (ns_variant_has_architecture (variant, builtins[i].id))
      page = g_strconcat ("variant:", builtins[i].id, NULL);
  normscope_help_set_page (GTK_WIDGET (self), page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "variant.help", page != NULL);
}

static void
help_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_activate_action (widget, "win.help-page", "s", normscope_help_get_page (widget));
}

static void
duplicate_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeVariantRow *self = NORMSCOPE_VARIANT_ROW (widget);
  g_autoptr (GError) error = NULL;

  if (!normscope_session_duplicate_variant (self->session, self->index, &error))
    show_error (self, error);
}

static void
remove_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeVariantRow *self = NORMSCOPE_VARIANT_ROW (widget);
  g_autoptr (GError) error = NULL;

  if (!normscope_session_remove_variant (self->session, self->index, &error))
    show_error (self, error);
}

static void
visible_cb (NormscopeVariantRow *self)
{
  if (!self->updating)
    normscope_session_set_hidden (self->session, self->index, !gtk_toggle_button_get_active (self->visible_button));
}

/* ---- the object ---- */

guint
normscope_variant_row_get_index (NormscopeVariantRow *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_VARIANT_ROW (self), 0);
  return self->index;
}

void
normscope_variant_row_refresh (NormscopeVariantRow *self)
{
  const NsVariant *variant;
  gboolean hidden;
  g_autofree char *show = NULL;

  g_return_if_fail (NORMSCOPE_IS_VARIANT_ROW (self));
  g_return_if_fail (self->index < normscope_session_get_n_variants (self->session));

  variant = ns_experiment_variant (normscope_session_get_experiment (self->session), self->index);
  hidden = normscope_session_get_look (self->session, self->index)->hidden;
  self->updating = TRUE;
  set_page (self, variant);
  gtk_label_set_label (self->name_label, variant->name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, variant->name, -1);
  gtk_toggle_button_set_active (self->visible_button, !hidden);
  gtk_button_set_icon_name (GTK_BUTTON (self->visible_button),
                            hidden ? "view-conceal-symbolic" : "view-reveal-symbolic");
  /* Translators: %s is the name of a variant */
  show = g_strdup_printf (_ ("Show %s"), variant->name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->visible_button), GTK_ACCESSIBLE_PROPERTY_LABEL, show, -1);
  gtk_widget_set_opacity (GTK_WIDGET (self->name_label), hidden ? 0.5 : 1.0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "variant.remove",
                                 normscope_session_get_n_variants (self->session) > 1);
  gtk_widget_queue_draw (GTK_WIDGET (self->swatch));
  self->updating = FALSE;
}

/* Tab stops at the selected row and its buttons, and then leaves the list: GtkListBox selects every row that gets the
 * focus, so going through all rows would select the last one. The arrow keys select another. */
static gboolean
normscope_variant_row_focus (GtkWidget *widget, GtkDirectionType direction)
{
  NormscopeVariantRow *self = NORMSCOPE_VARIANT_ROW (widget);
  gboolean is_tab = direction == GTK_DIR_TAB_FORWARD || direction == GTK_DIR_TAB_BACKWARD;

  if (is_tab && self->index != normscope_session_get_selected (self->session))
    return gtk_widget_get_focus_child (widget) != NULL
           && gtk_widget_child_focus (gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (self)), direction);
  return GTK_WIDGET_CLASS (normscope_variant_row_parent_class)->focus (widget, direction);
}

static void
normscope_variant_row_class_init (NormscopeVariantRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = normscope_variant_row_focus;

  g_type_ensure (NORMSCOPE_TYPE_COLOR_POPOVER);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-variant-row.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeVariantRow, swatch);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVariantRow, name_stack);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVariantRow, name_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVariantRow, name_entry);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVariantRow, visible_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeVariantRow, menu_button);
  gtk_widget_class_bind_template_callback (widget_class, color_chosen_cb);
  gtk_widget_class_bind_template_callback (widget_class, name_activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, name_key_cb);
  gtk_widget_class_bind_template_callback (widget_class, pressed_cb);
  gtk_widget_class_bind_template_callback (widget_class, visible_cb);

  gtk_widget_class_install_action (widget_class, "variant.help", NULL, help_cb);
  gtk_widget_class_install_action (widget_class, "variant.rename", NULL, rename_cb);
  gtk_widget_class_install_action (widget_class, "variant.duplicate", NULL, duplicate_cb);
  gtk_widget_class_install_action (widget_class, "variant.remove", NULL, remove_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F2, 0, "variant.rename", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_d, GDK_CONTROL_MASK, "variant.duplicate", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Delete, 0, "variant.remove", NULL);
}

static void
normscope_variant_row_init (NormscopeVariantRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  normscope_menus_show (self->menu_button, "variant");
  gtk_drawing_area_set_draw_func (self->swatch, draw_swatch, self, NULL);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (gtk_widget_queue_draw),
                           self->swatch, G_CONNECT_SWAPPED);
}

GtkWidget *
normscope_variant_row_new (NormscopeSession *session, guint index)
{
  NormscopeVariantRow *self = g_object_new (NORMSCOPE_TYPE_VARIANT_ROW, NULL);

  self->session = session;
  self->index = index;
  normscope_variant_row_refresh (self);
  return GTK_WIDGET (self);
}
