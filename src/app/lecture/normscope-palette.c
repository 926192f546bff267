/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-palette.h"

#include <glib/gi18n-lib.h>

#include "app/controls/normscope-parameter-row.h"
#include "engine/experiment/ns-settings.h"

#define PALETTE_WIDTH_PX 330

static const char *const palette_paths[] = { "shape.depth",   "attn.norm",      "cross.norm",   "ffn.norm",
                                               "attn.residual", "cross.residual", "ffn.residual" };

struct _NormscopePalette
{
  AdwBin parent_instance;

  GtkListBox *list;
  GtkDropDown *variants;
  GtkStringList *names;
  NormscopeSession *session;
  gboolean updating; /* the widgets follow the session: ignore their signals */
};

G_DEFINE_FINAL_TYPE (NormscopePalette, normscope_palette, ADW_TYPE_BIN)

static void
selected_cb (NormscopePalette *self)
{
  guint selected = gtk_drop_down_get_selected (self->variants);

  if (!self->updating && selected < normscope_session_get_n_variants (self->session))
    normscope_session_select (self->session, selected);
}

static void
refresh_names (NormscopePalette *self, const NsExperiment *experiment)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->names));
  gboolean differs = n != experiment->variants->len;

  for (guint v = 0; v < n && !differs; v++)
    differs = !g_str_equal (gtk_string_list_get_string (self->names, v), ns_experiment_variant (experiment, v)->name);
  if (differs)
    {
      g_autoptr (GPtrArray) names = g_ptr_array_new ();

      for (guint v = 0; v < experiment->variants->len; v++)
        g_ptr_array_add (names, ns_experiment_variant (experiment, v)->name);
      g_ptr_array_add (names, NULL);
      gtk_string_list_splice (self->names, 0, n, (const char *const *) names->pdata);
    }
}

static void
refresh_palette (NormscopePalette *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  gboolean has_cross = experiment->shape.stack == NS_STACK_ENCODER_DECODER;

  self->updating = TRUE;
  refresh_names (self, experiment);
  gtk_drop_down_set_selected (self->variants, normscope_session_get_selected (self->session));
  gtk_widget_set_visible (GTK_WIDGET (self->variants), experiment->variants->len > 1);
  self->updating = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (palette_paths); i++)
    gtk_widget_set_visible (GTK_WIDGET (gtk_list_box_get_row_at_index (self->list, (int) i)),
                            has_cross || !g_str_has_prefix (palette_paths[i], "cross."));
}

static GtkWidget *
make_heading (void)
{
  GtkWidget *heading = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *title = gtk_label_new (_ ("Controls"));
  GtkWidget *close = gtk_button_new_from_icon_name ("window-close-symbolic");

  gtk_widget_add_css_class (title, "heading");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (close, "flat");
  gtk_widget_set_focus_on_click (close, FALSE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (close), "present.controls");
  gtk_accessible_update_property (GTK_ACCESSIBLE (close), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Hide the controls"), -1);
  gtk_box_append (GTK_BOX (heading), title);
  gtk_box_append (GTK_BOX (heading), close);
  return heading;
}

static GtkWidget *
make_body (NormscopePalette *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *scrolled = gtk_scrolled_window_new ();

  self->names = gtk_string_list_new (NULL);
  self->variants = GTK_DROP_DOWN (gtk_drop_down_new (G_LIST_MODEL (self->names), NULL));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->variants), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Variant"), -1);
  g_signal_connect_swapped (self->variants, "notify::selected", G_CALLBACK (selected_cb), self);
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_NONE);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "boxed-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Controls"), -1);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->variants));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->list));

  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  gtk_widget_set_vexpand (scrolled, TRUE);
  return scrolled;
}

static void
normscope_palette_dispose (GObject *object)
{
  g_clear_object (&NORMSCOPE_PALETTE (object)->session);
  G_OBJECT_CLASS (normscope_palette_parent_class)->dispose (object);
}

static void
normscope_palette_class_init (NormscopePaletteClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_palette_dispose;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "palette");
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
normscope_palette_init (NormscopePalette *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *body = make_body (self);

  gtk_box_append (GTK_BOX (box), make_heading ());
  gtk_box_append (GTK_BOX (box), body);
  gtk_widget_set_size_request (body, PALETTE_WIDTH_PX, -1);
  adw_bin_set_child (ADW_BIN (self), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Controls"), -1);
}

GtkWidget *
normscope_palette_new (NormscopeSession *session)
{
  NormscopePalette *self = g_object_new (NORMSCOPE_TYPE_PALETTE, NULL);

  self->session = g_object_ref (session);
  for (guint i = 0; i < G_N_ELEMENTS (palette_paths); i++)
    {
      GtkWidget *row = g_object_new (NORMSCOPE_TYPE_PARAMETER_ROW, "path", palette_paths[i], "slider",
                                     g_str_equal (palette_paths[i], "shape.depth"), NULL);

      normscope_parameter_row_set_session (NORMSCOPE_PARAMETER_ROW (row), session);
      gtk_list_box_append (self->list, row);
    }
  g_signal_connect_object (session, "changed", G_CALLBACK (refresh_palette), self, G_CONNECT_SWAPPED);
  refresh_palette (self);
  return GTK_WIDGET (self);
}
